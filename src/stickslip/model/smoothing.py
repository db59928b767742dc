"""`smooth`: a system with friction that jumps, made into one with friction that is steep."""

from __future__ import annotations

from stickslip.model.errors import ModelError, check_number, shown
from stickslip.model.parts import SmoothContact
from stickslip.model.shapes import shape_named
from stickslip.model.system import System


def smooth(system: System, eps: float, shape: str = "arctan") -> System:
    """The system with every contact smoothed: no stick any more, but a steep friction force −N·μ(|v|)·shape(εv).

    Returns a System with a `SmoothContact` in the place of every `Contact`. Laws stay shared as they were, parameters
    keep their names and values, and each contact gets one more, `contact.eps`.

    Keywords
    - eps: the steepness ε. Friction is built up within speeds of about 1/ε.
    - shape: "arctan" and "tanh" multiply the kinetic friction by (2/π) arctan(εv) or tanh(εv), and need a law whose
      static coefficient is its kinetic one at rest. "quartic" rises from zero to the static coefficient at |v| = κ and
      falls to the kinetic one at |v| = 4κ, where κ = 1/ε. "quartic_one_sided" is the law vandevrande1999 Eq. (18) as
      printed, for contacts that slide backwards (v < 0) only and stick better than they slide; it equals "quartic" for
      v ≤ −κ.

    A smoothed contact creeps where the real one sticks, so that a load below the static limit moves it in the end.
    Reference: vandevrande1999 Eqs. (4) and (18).

    >>> from stickslip.model.library import block_on_belt
    >>> smooth(block_on_belt(), eps=1e4).parameters["contact.eps"]
    10000.0
    """
    if not isinstance(system, System):
        raise ModelError(f"smooth needs a System of parts, not {shown(system)}")
    check_number("smooth: eps", eps, positive=True)
    shape_named(shape, "smooth")
    if not system.friction:
        raise ModelError("smooth: the system has no Contact")
    for name, part in system.friction.items():
        if part.internal_states():
            raise ModelError(
                f"smooth: contact {name!r} has a memory ({', '.join(part.internal_states())}), which a smoothed "
                "contact has not; smooth the system with a plain Contact there"
            )
    return system.replacing(
        {
            name: SmoothContact(dict(part.weights), part.against, part.law, part.normal, name, eps=eps, shape=shape)
            for name, part in system.friction.items()
        }
    )
