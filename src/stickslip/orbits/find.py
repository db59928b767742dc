"""`find_orbit`: a periodic orbit near a guess; `find_orbits`: all that many starts lead to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from stickslip.methods.base import Method
from stickslip.methods.exact import Exact
from stickslip.model.errors import check_number
from stickslip.model.system import Model, suggest
from stickslip.orbits import exact
from stickslip.orbits.guess import OrbitError, guess_from
from stickslip.orbits.motion import Motion
from stickslip.orbits.newton import History, NoConvergence, newton
from stickslip.orbits.orbit import Orbit
from stickslip.result import ResultError
from stickslip.simulation import simulate


def find_orbit(model: Model, guess: Any = None, *, method: Method | None = None, forcing: float | None = None) -> Orbit:
    """A periodic orbit of a model, solved to round-off and checked by simulation.

    Returns an `Orbit`.

    Keywords
    - guess: a run (its last period is the guess), another Orbit, a start (a list, or states by name), or (start,
      period). From a start alone, by default the model's own, the model is simulated until it repeats itself.
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
    unstable: Orbit | None = None
    for candidate in guess_from(model, motion, guess, method, period):
        turns = max(1, round(candidate.period / period)) if period else 0
        try:
            orbit = exact.converge(motion, candidate, turns, forcing)
        except OrbitError as error:
            reasons.append(str(error))
            continue
        if orbit.stable or candidate.settled:
            return orbit
        unstable = unstable or orbit  # a motion that has not settled may pass by an unstable orbit
    if unstable is not None:
        return unstable
    why = reasons[-1] if reasons else "the motion never returned near an earlier state; it may be chaotic"
    raise OrbitError(
        f"no periodic orbit was found: {why.rstrip('.')}. Try a guess=(start, period) nearer to it, or a longer run as "
        "the guess"
    )


def find_orbits(
    model: Model,
    *,
    starts: int | Sequence[Any] = 30,
    within: Mapping[str, tuple[float, float]] | None = None,
    t: float | None = None,
    seed: int = 0,
    forcing: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Orbit]:
    """The orbits that many starts lead to, each once, the one found most often first.

    Keywords
    - starts: how many random starts, or the starts themselves (lists, or by name).
    - within: the range of random starts by state; by default twice the range of the motion from the model's own start.
    - t: how long each start is simulated before its period is looked for; by default until it repeats itself.
    - seed: of the random starts, which are the same every time.
    - progress: called with the number of starts done and their total.

    Orbits are told apart by period, signature and states. Starts that lead to rest, or to no period, are passed over.

    >>> import stickslip as ss
    >>> [round(orbit.period, 6) for orbit in find_orbits(ss.models.two_blocks(), starts=9, seed=1)]
    [26.192036, 16.1444]
    """
    chosen = list(starts) if not isinstance(starts, int) else _random_starts(model, starts, within, seed)
    found: list[tuple[Orbit, int]] = []
    try:
        for number, start in enumerate(chosen):
            orbit = _settled(model, start, t, forcing)
            if orbit is not None:
                same = next((i for i, (other, _) in enumerate(found) if is_same(orbit, other)), None)
                if same is None:
                    found.append((orbit, 1))
                else:
                    found[same] = (found[same][0], found[same][1] + 1)
            if progress:
                progress(number + 1, len(chosen))
    except KeyboardInterrupt:
        if not found:
            raise  # what was found until then is kept
    return [orbit for orbit, _ in sorted(found, key=lambda item: -item[1])]


def _settled(model: Model, start: Any, t: float | None, forcing: float | None) -> Orbit | None:
    """The orbit that a start leads to, if it leads to one."""
    try:
        if t is None:
            return find_orbit(model, start, forcing=forcing)
        return find_orbit(model, simulate(model, t, start=start), forcing=forcing)
    except (OrbitError, ResultError):
        return None


def _random_starts(
    model: Model, count: int, within: Mapping[str, tuple[float, float]] | None, seed: int
) -> list[list[float]]:
    ranges = _ranges(model)
    for name, bounds in (within or {}).items():
        if name not in ranges:
            raise OrbitError(f"within: there is no state {name!r}{suggest(name, list(ranges))}")
        ranges[name] = (float(bounds[0]), float(bounds[1]))
    low, high = np.array(list(ranges.values())).T
    return [list(map(float, row)) for row in np.random.default_rng(seed).uniform(low, high, (count, len(low)))]


def _ranges(model: Model) -> dict[str, tuple[float, float]]:
    """Twice the range of each state along the motion from the model's own start."""
    motion = Motion(model)
    length = 200 * motion.time_scale(np.array(model.start_state(None), float))
    run = simulate(model, length)
    ranges = {}
    for name in model.states:
        low, high = float(run[name].min()), float(run[name].max())
        half = max(high - low, 1e-3 * max(abs(high), abs(low)))
        ranges[name] = (0.5 * (low + high) - half, 0.5 * (low + high) + half)
    return ranges


def is_same(a: Orbit, b: Orbit) -> bool:
    """Whether two orbits are the same, wherever they begin."""
    if abs(a.period - b.period) > 1e-7 * b.period or len(a.signature) != len(b.signature):
        return False
    count = len(a.signature)
    for shift in range(count):
        if a.signature != b.signature.rotated(shift):
            continue
        turn = [*range(shift, count), *range(shift)]
        if np.max(np.abs(a.phases.states - b.phases.states[turn]) / b.phases.scale) < 1e-6:
            return True
        if count == 1 and not a.turns:  # cut by a section anywhere
            return bool(np.allclose(a.multipliers, b.multipliers, atol=1e-6))
    return False


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
    history = History()
    try:
        return exact.orbit_of(problem, newton(problem.residual, u, problem.scales(u), history=history), history)
    except (NoConvergence, OrbitError) as error:
        raise OrbitError(
            f"no orbit was found near the given one: {error}. Follow it to these parameters in smaller steps"
        ) from None
