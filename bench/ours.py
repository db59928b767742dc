"""stickslip itself, with the API of the peers: the general machinery on the library's block on a belt."""

from __future__ import annotations

import numpy as np

import stickslip as ss
from stickslip.field import Field

NAME = "stickslip"
LEAST_LOOSE = 1e-11  # in lockstep lower orders pay longer: fewer numbers are to be put aside
_fields: dict[str, Field] = {}
_START = np.array([[1.1, 0.0]])
_COLUMN = list(ss.models.block_on_belt().parameters).index("belt.speed")


def prepare() -> None:
    """Compile, untimed."""
    _fields["tight"] = ss.Field.of(ss.models.block_on_belt(), order=20)
    _fields["loose"] = ss.Field.of(ss.models.block_on_belt(), order=16)
    for field in _fields.values():
        assert field.lanes is not None, "ensembles travel in lockstep"


def single(V: float, t_end: float, tol: float) -> tuple[float, float]:
    """Final (x, x') of one trajectory from x = 1.1, x' = 0."""
    field = _fields["tight" if tol < 1e-8 else "loose"]
    parameters = field.parameters.copy()
    parameters[_COLUMN] = V
    (end,), outcome = field.propagate(_START, t_end, parameters=parameters[None], rtol=tol)
    assert outcome[0, 0] == 0, "the trajectory finishes"
    return float(end[0]), float(end[1])


def ensemble(V: np.ndarray, t_end: float, tol: float, shortcut: bool = True) -> np.ndarray:
    """Final (x, x') for every belt speed; a motion that repeats itself leaves out whole cycles, unless told not to."""
    field = _fields["tight" if tol < LEAST_LOOSE else "loose"]
    parameters = np.tile(field.parameters, (len(V), 1))
    parameters[:, _COLUMN] = V
    starts = np.tile([1.1, 0.0], (len(V), 1))
    ends, outcome = field.propagate(starts, t_end, parameters=parameters, rtol=tol, shortcut=shortcut)
    assert not outcome[:, 0].any(), "every trajectory finishes"
    return ends
