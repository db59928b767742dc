"""The types of arrays, for every layer: what the numbers in them are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Complexes = NDArray[np.complex128]

Integers = NDArray[np.integer[Any]]
"""Whole numbers of any width, as files have them."""
