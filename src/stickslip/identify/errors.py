"""What is wrong with measurements, as a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np

from stickslip.arguments import floats
from stickslip.arrays import Floats
from stickslip.errors import IdentifyError, ModelError
from stickslip.model.errors import shown


def column(what: str, values: Any, length: int | None = None) -> Floats:
    """`values` as an array of finite numbers, or a sentence.

    >>> column("velocity", [1, 2]).tolist()
    [1.0, 2.0]
    """
    try:
        array = np.array(floats(what, values))
    except ModelError:
        raise IdentifyError(f"{what} is {shown(values)}: it must be a list of numbers") from None
    if array.ndim == 0 and length is not None:
        array = np.full(length, float(array))
    if array.ndim != 1:
        raise IdentifyError(f"{what} has {array.ndim} dimensions: it must be a plain list of numbers")
    if length is not None and len(array) != length:
        raise IdentifyError(f"{what} has {len(array)} values where the other columns have {length}")
    bad = np.flatnonzero(~np.isfinite(array))
    if len(bad):
        raise IdentifyError(f"{what}[{bad[0]}] is {array[bad[0]]}: every value must be a finite number")
    return array


def times(what: str, values: Any) -> Floats:
    """Times of samples: numbers that rise.

    >>> times("time", [0.0, 0.1])
    array([0. , 0.1])
    """
    array = column(what, values)
    falls = np.flatnonzero(np.diff(array) <= 0)
    if len(falls):
        i = int(falls[0])
        raise IdentifyError(f"{what}[{i + 1}] = {array[i + 1]:g} does not lie after {what}[{i}] = {array[i]:g}")
    return array
