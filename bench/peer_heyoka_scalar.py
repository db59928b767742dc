"""heyoka.py without batch mode: the scalar integrator of `peer_heyoka`, one trajectory after another."""

import numpy as np
from peer_heyoka import prepare, single

__all__ = ["ensemble", "prepare", "single"]


def ensemble(V, t_end, tol):
    """Return the final states, one row (x, x') per belt speed."""
    return np.array([single(speed, t_end, tol) for speed in V])
