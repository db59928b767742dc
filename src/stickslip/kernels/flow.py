"""What the generated source of the smoothed equations provides to their integrator, `collocation.py`.

For developers: this file is documentation; in a joined module the generated constants and functions of
`symbolic/flow.py` stand in its place.

y are the solver's variables; W holds the parameters, then ε, then tabulated laws.
"""

from stickslip.kernels.model import Floats

N_STATES = N_PARAMETERS = 0
"""Sizes of the model; ε is not counted among the parameters."""


def rates(Y: Floats, t: float, W: Floats, OUT: Floats) -> None:
    """dy/dt."""


def slopes(Y: Floats, t: float, W: Floats, OUT: Floats) -> None:
    """∂(dy/dt)/∂y, row by row; entries that are always zero are left as they are."""


def slopes_p(Y: Floats, t: float, W: Floats, OUT: Floats) -> None:
    """∂(dy/dt)/∂(parameters, ε, t), row by row; entries that are always zero are left as they are."""
