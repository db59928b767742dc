"""What the generated module of a smoothed model provides to its integrator, `stiff.py`.

For developers: this file says what there is, for readers and for the type checker. When a smoothed model is compiled,
the module of `symbolic/flow.py` stands in this place.

Y holds the solver's variables y, P the parameters, then ε. They are in capitals because no name of a model is.
"""

import numpy as np

from stickslip.kernels.records import Floats, Ints

STATES = PARAMETERS = 0
"""Sizes of the model; ε is not counted among the parameters."""

SLIDING: Ints = np.array([0])
"""Per variable, 1 if it is a sliding velocity."""


def rates(Y: Floats, t: float, P: Floats, OUT: Floats) -> None:
    """dy/dt."""


def slopes(Y: Floats, t: float, P: Floats, OUT: Floats) -> None:
    """∂(dy/dt)/∂y, row by row; entries that are always zero are left as they are."""


def slopes_p(Y: Floats, t: float, P: Floats, OUT: Floats) -> None:
    """∂(dy/dt)/∂(parameters, ε, t), row by row; entries that are always zero are left as they are."""


def exchanged(Y: Floats, t: float, P: Floats, OUT: Floats) -> None:
    """The solver's variables of the states Y."""


def exchange_slopes(Y: Floats, t: float, P: Floats, OUT: Floats) -> None:
    """∂y/∂z at the states Y, row by row; entries that are always zero are left as they are."""


def characteristics(Y: Floats, t: float, _speed: float, P: Floats, OUT: Floats) -> None:
    """Per contact: smoothed friction at a slip speed, then static friction, then kinetic friction at rest."""


def observed(Y: Floats, TIMES: Floats, COUNT: int, P: Floats, OUT: Floats) -> None:
    """For many points: states, sliding velocities, forces, kinetic friction, normal forces."""
