"""`find_orbit`: a periodic orbit near a guess; `find_orbits`: all that many starts lead to."""

from __future__ import annotations

from typing import Any

from stickslip.methods.base import Method
from stickslip.methods.exact import Exact
from stickslip.model.errors import check_number
from stickslip.model.system import Model
from stickslip.orbits import exact
from stickslip.orbits.guess import OrbitError, guess_from
from stickslip.orbits.motion import Motion
from stickslip.orbits.orbit import Orbit


def find_orbit(
    model: Model, guess: Any = None, *, method: Method | None = None, forcing: float | None = None
) -> Orbit:
    """A periodic orbit of a model, solved to round-off and checked by simulation.

    Returns an `Orbit`.

    Keywords
    - guess: a run (its last period is the guess), another Orbit, or (start, period) with the start as a list or by
      name. Without a guess the model is simulated from its own start until it repeats itself.
    - method: `Exact()` by default. `Smooth(...)` and `Switch(...)` find the orbit of their own equations.
    - forcing: the period of the excitation, for a model whose equations do not show it.

    The orbit is found phase by phase, each in its own mode, so stick is exact and a multiplier that is zero is zero;
    unstable orbits are found as well. An orbit that the system would not follow by itself is refused.

    >>> import stickslip as ss
    >>> orbit = find_orbit(ss.models.block_on_belt(), guess=([1.1, 0], 12))
    >>> orbit.multipliers.real.round(9).tolist()
    [1.0, 0.0]
    """
    method = Exact() if method is None else method
    if not isinstance(method, Exact):
        from stickslip.orbits.shooting import shoot

        return shoot(model, guess, method, forcing)
    motion = Motion(model)
    period = excitation(motion, forcing)
    if isinstance(guess, Orbit):
        return _from_orbit(motion, guess, forcing)
    reasons: list[str] = []
    for candidate in guess_from(model, motion, guess, method, period):
        turns = max(1, round(candidate.period / period)) if period else 0
        try:
            return exact.converge(motion, candidate, turns, forcing)
        except OrbitError as error:
            reasons.append(str(error))
    why = reasons[-1] if reasons else "the motion never returned near an earlier state; it may be chaotic"
    raise OrbitError(
        f"no periodic orbit was found: {why}. Try a guess=(start, period) nearer to it, or a longer run as the guess"
    )


def excitation(motion: Motion, forcing: float | None) -> float | None:
    """The period of the excitation, None without any."""
    if forcing is not None:
        return check_number("find_orbit: forcing", forcing, positive=True)
    if motion.is_forced and motion.forcing_period is None:
        raise OrbitError(
            "time appears in the equations, but not in sines and cosines of one frequency: give forcing=, the period "
            "of the excitation"
        )
    return motion.forcing_period


def _from_orbit(motion: Motion, orbit: Orbit, forcing: float | None) -> Orbit:
    if orbit.model.states != motion.model.states or orbit.model.contacts != motion.model.contacts:
        raise OrbitError("the guess is an orbit of a model with other states or contacts")
    problem, u = exact.problem_of(orbit, (), motion)
    from stickslip.orbits.newton import History, NoConvergence, newton

    history = History()
    try:
        return exact.orbit_of(problem, newton(problem.residual, u, problem.scales(u), history=history), history)
    except (NoConvergence, OrbitError) as error:
        raise OrbitError(
            f"no orbit was found near the given one: {error}. Follow it to these parameters in smaller steps"
        ) from None
