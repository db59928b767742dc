"""stickslip one by one: as few motions at a time as do not travel in lockstep."""

import blocks_ours
import numpy as np

TOGETHER = 200


def prepare():
    """Compile, untimed."""
    blocks_ours.field(20)
    blocks_ours.field(16)


def ends(speeds, t_end, tol):
    """Places and velocities of all blocks at the end, one row per belt speed."""
    chosen, found = blocks_ours.field(20 if tol < 1e-11 else 16), []
    for first in range(0, len(speeds), TOGETHER):
        mine = speeds[first : first + TOGETHER]
        parameters = np.tile(chosen.parameters, (len(mine), 1))
        parameters[:, blocks_ours.COLUMN] = mine
        starts = np.tile(blocks_ours.MODEL.start_state(), (len(mine), 1))
        rows, outcome = chosen.propagate(starts, t_end, parameters=parameters, rtol=tol, shortcut=False)
        assert not outcome[:, 0].any(), "every motion finishes"
        found.append(rows)
    return np.concatenate(found)
