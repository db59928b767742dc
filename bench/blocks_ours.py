"""stickslip itself, with the API of the peers: the library's chain, in lockstep."""

from functools import cache

import blocks
import numpy as np

import stickslip as ss

MODEL = ss.models.chain(blocks.BLOCKS)
COLUMN = list(MODEL.parameters).index("belt.speed")


@cache
def field(order):
    return ss.Field.of(MODEL, order=order)


def prepare():
    """Compile both orders that sweeps choose from, untimed."""
    for order in (14, 16):
        assert field(order).lanes is not None, "they travel in lockstep"


def ends(speeds, t_end, tol):
    """Places and velocities of all blocks at the end, one row per belt speed."""
    chosen = field(14 if tol >= 1e-9 else 16)
    parameters = np.tile(chosen.parameters, (len(speeds), 1))
    parameters[:, COLUMN] = speeds
    starts = np.tile(MODEL.start_state(), (len(speeds), 1))
    found, outcome = chosen.propagate(starts, t_end, parameters=parameters, rtol=tol, shortcut=False)
    assert not outcome[:, 0].any(), "every motion finishes"
    return found
