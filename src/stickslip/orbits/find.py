"""`find_orbit`: a periodic orbit near a guess; `find_orbits`: all that many starts lead to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from stickslip.arguments import check_flag, check_model, check_progress
from stickslip.arrays import Floats
from stickslip.errors import MotionError, NoConvergence, NotSettled, OrbitError, ResultError
from stickslip.methods.base import Method
from stickslip.methods.exact import Exact, method_given
from stickslip.model.errors import check_mapping, check_number, check_whole
from stickslip.model.system import Model
from stickslip.orbits import exact
from stickslip.orbits.guess import Guess, guess_from, scale_of, simulated
from stickslip.orbits.motion import Motion
from stickslip.orbits.orbit import Orbit
from stickslip.orbits.ranges import starting_ranges
from stickslip.progress import Progress, reporting
from stickslip.result import interpolate
from stickslip.simulation import check_seed, simulate, uninterrupted

MOST_STARTS = 10**6
"""More random starts than this are a sweep."""


def find_orbit(
    model: Model,
    guess: Any = None,
    *,
    method: Method | None = None,
    forcing: float | None = None,
    unstable: bool = False,
) -> Orbit:
    """A periodic orbit of a model, solved to round-off and checked by simulation.

    The orbit is found phase by phase, each in its own mode, so stick is exact and a multiplier that is zero is zero;
    near a guess with a period unstable orbits are found as well. An orbit that the system would not follow by itself is
    refused.

    A motion may advance by a constant in every period, where the equations do not feel it: on a feed, where nothing
    ties a mass to a place, or by whole turns of an angle. `orbit.advance` says by how much.

    Parameters
    ----------
    model : System or Filippov
        The model.
    guess : Run, Orbit, Sweep, start or (start, period), optional
        A run (its last period is the guess), another Orbit, one point of a sweep (its end, and the period found
        there), a start (a list, or states by name), or (start, period).
        From a start alone, by default the model's own, the model is simulated until it repeats itself.
    method : Method, optional
        `Exact()` by default. `Smoothing(...)` and `Switch(...)` find the orbit of their own equations.
    forcing : float, optional
        The period of the excitation, for a model whose equations do not show it; by default it is read off them.
    unstable : bool, default False
        From a start, an unstable orbit that the motion passes by will do as well, as there are in chaos.

    Returns
    -------
    Orbit
        The orbit; its `stable` says whether neighbouring motions stay near it.

    Raises
    ------
    OrbitError
        If none is found, or the motion from a start does not settle on one.
    ModelError
        If the model or the guess cannot be.

    See Also
    --------
    find_orbits : the orbits that many starts lead to.
    follow : an orbit along a parameter.
    plot.phase : its picture.

    Examples
    --------
    >>> import stickslip as ss
    >>> orbit = find_orbit(ss.models.block_on_belt(), guess=([1.1, 0], 12))
    >>> orbit.multipliers.real.round(9).tolist()
    [1.0, 0.0]
    """
    check_model(model)
    check_flag("unstable", unstable)
    method = method_given(method)
    motion = Motion(model)
    period = excitation(motion, forcing)
    if isinstance(guess, Orbit):
        return _from_orbit(motion, guess, method, period, forcing)
    candidates = guess_from(model, motion, guess, method, period)
    return _searched(candidates, partial(_near, motion, method, period, forcing), unstable)


def _searched(candidates: Iterator[Guess], near: Callable[[Guess], Orbit], unstable: bool) -> Orbit:
    """The first orbit near one of the candidates that is wanted."""
    passed: Orbit | None = None
    why = "the motion never returned near an earlier state"
    try:
        for candidate in candidates:
            if not (candidate.settled or candidate.approaching or unstable):
                continue
            try:
                orbit = near(candidate)
            except OrbitError as error:
                why = str(error)
                continue
            if orbit.stable or candidate.settled or unstable:
                return orbit
            passed = passed or orbit  # a motion that has not settled may pass by an unstable orbit
    except NotSettled as error:
        seen = f" It passes an unstable one of period {passed.period:.6g}." if passed is not None else ""
        raise OrbitError(f"no periodic orbit was found: {error}.{seen}") from None
    raise OrbitError(
        f"no periodic orbit was found: {why.rstrip('.')}. Try a guess=(start, period) nearer to it, or a longer run as "
        "the guess"
    )


def _near(motion: Motion, method: Method, period: float | None, forcing: float | None, guess: Guess) -> Orbit:
    """The orbit of a method near a guess."""
    turns = max(1, round(guess.period / period)) if period else 0
    if isinstance(method, Exact):
        return exact.converge(motion, guess, turns, forcing)
    from stickslip.orbits.shooting import shoot

    return shoot(motion, guess, method, turns, forcing)


def find_orbits(
    model: Model,
    *,
    starts: int | Sequence[Any] = 30,
    within: Mapping[str, tuple[float, float]] | None = None,
    t: float | None = None,
    seed: int = 0,
    forcing: float | None = None,
    unstable: bool = False,
    progress: Progress = None,
) -> list[Orbit]:
    """The orbits that many starts lead to, each once, the one found most often first.

    Orbits are told apart by period, signature and states. Starts that lead to rest, or to no period, are passed over.
    Ctrl-C ends the search; what was found until then is returned.

    Parameters
    ----------
    model : System or Filippov
        The model.
    starts : int or sequence of starts, default 30
        How many random starts, or the starts themselves (lists, or by name).
    within : mapping of str to (float, float), optional
        The range of random starts by state; by default twice the range of the motion from the model's own start.
    t : float, optional
        How long each start is simulated before its period is looked for; by default until it repeats itself.
    seed : int, default 0
        Of the random starts, which are the same every time.
    forcing : float, optional
        The period of the excitation, for a model whose equations do not show it; by default it is read off them.
    unstable : bool, default False
        Also unstable orbits that motions pass by before they settle, or without ever settling, as in chaos.
    progress : callable or bool, optional
        Called with the number of starts done and their total; by default a bar, as in `simulate`.

    Returns
    -------
    list of Orbit
        The orbits, perhaps none.

    Raises
    ------
    OrbitError
        If a range is not allowed.
    ModelError
        If the model or a start cannot be.

    See Also
    --------
    find_orbit : one orbit.
    basins : which start leads where.

    Examples
    --------
    >>> import stickslip as ss
    >>> [round(orbit.period, 6) for orbit in find_orbits(ss.models.two_blocks(), starts=9, seed=1)]
    [26.192036, 16.1444]
    """
    check_model(model)
    check_progress(progress)
    check_flag("unstable", unstable)
    if t is not None:
        check_number("t", t, positive=True)
    found: list[tuple[Orbit, int]] = []
    try:
        with reporting(progress, "searching", lambda done, total: float(done / total)) as report:
            chosen = _starts(model, starts, within, seed)
            for number, start in enumerate(chosen):
                orbit = _settled(model, start, t, forcing, unstable)
                if orbit is not None:
                    same = next((i for i, (other, _) in enumerate(found) if is_same(orbit, other)), None)
                    if same is None:
                        found.append((orbit, 1))
                    else:
                        found[same] = (found[same][0], found[same][1] + 1)
                report(number + 1, len(chosen))
    except KeyboardInterrupt:
        if not found:
            raise  # what was found until then is kept
    return [orbit for orbit, _ in sorted(found, key=lambda item: -item[1])]


def _settled(model: Model, start: Any, t: float | None, forcing: float | None, unstable: bool) -> Orbit | None:
    """The orbit that a start leads to, if it leads to one."""
    try:
        if t is None:
            return find_orbit(model, start, forcing=forcing, unstable=unstable)
        run = simulated(model, (0.0, t), start, Exact())
        orbit = find_orbit(model, run, forcing=forcing)
    except (OrbitError, ResultError):
        return None
    return orbit if orbit.stable or unstable else None


def _starts(
    model: Model, starts: int | Sequence[Any], within: Mapping[str, tuple[float, float]] | None, seed: int
) -> list[Any]:
    """Random starts, so many as are asked for, or those that are given."""
    if isinstance(starts, Sequence | np.ndarray) and not isinstance(starts, str | bytes):
        return list(starts)
    count = check_whole("starts", starts, 1, MOST_STARTS, ", or a list of starts")
    return _random_starts(model, count, within, check_seed(seed))


def _random_starts(
    model: Model, count: int, within: Mapping[str, tuple[float, float]] | None, seed: int
) -> list[list[float]]:
    check_mapping("within", {} if within is None else within, "{'x.block': (0, 1)}")

    def extremes() -> tuple[Floats, Floats]:
        length = 200 * Motion(model).time_scale(np.array(model.start_state(None), float))
        run = uninterrupted(simulate(model, length))
        values = [run[name].values for name in model.states]
        return np.min(values, axis=1), np.max(values, axis=1)

    low, high = np.array(starting_ranges(model, within or {}, extremes, OrbitError)).T
    return [list(map(float, row)) for row in np.random.default_rng(seed).uniform(low, high, (count, len(low)))]


def is_same(a: Orbit, b: Orbit) -> bool:
    """Whether two orbits are the same, wherever they begin."""
    if abs(a.period - b.period) > 1e-7 * b.period or len(a.signature) != len(b.signature):
        return False
    count = len(a.signature)
    for shift in range(count):
        if a.signature != b.signature.rotated(shift):
            continue
        turn = [*range(shift, count), *range(shift)]
        if np.max(np.abs(_seen(a, b.phases.scale) - _seen(b, b.phases.scale, turn))) < 1e-6:
            return True
        if count == 1 and not a.turns:  # cut by a section anywhere
            return bool(np.allclose(a.multipliers, b.multipliers, atol=1e-6))
    return False


def _seen(orbit: Orbit, scale: Floats, turn: Sequence[int] | None = None) -> Floats:
    """Where the phases of an orbit begin, over `scale`, as seen from what advances with it, wherever it is."""
    phases = orbit.phases
    advance = np.array([orbit.advance.get(name, 0.0) for name in orbit.model.states]) / scale
    begins = np.concatenate([[0.0], np.cumsum(phases.durations)[:-1]])
    rows = phases.states / scale - np.outer(begins / orbit.period, advance)
    rows = rows if turn is None else rows[list(turn)]
    size = float(np.linalg.norm(advance))
    return rows - (rows[0] @ advance) * advance / size**2 if size else rows


def excitation(motion: Motion, forcing: float | None) -> float | None:
    """The period of the excitation, None without any."""
    if forcing is not None:
        return check_number("find_orbit: forcing", forcing, positive=True)
    if motion.is_forced and motion.forcing_period is None:
        raise OrbitError(
            "time appears in the equations, but neither in sines and cosines of one frequency, nor as an even advance "
            "of the states: give forcing=, the period of the excitation"
        )
    return motion.forcing_period


def _from_orbit(motion: Motion, orbit: Orbit, method: Method, period: float | None, forcing: float | None) -> Orbit:
    """The orbit near one of a neighbouring model, or of another method."""
    if orbit.model.states != motion.model.states or orbit.model.contacts != motion.model.contacts:
        raise OrbitError("the guess is an orbit of a model with other states or contacts")
    alike = isinstance(orbit.method, Exact) and orbit.autonomous == (period is None) and orbit.phases.forcing == forcing
    try:
        if isinstance(method, Exact) and alike:
            problem, u = exact.problem_of(orbit, (), motion)
            return exact.solution(problem, u)
        return _near(motion, method, period, forcing, _middle(orbit))
    except (NoConvergence, MotionError, OrbitError) as error:
        raise OrbitError(
            f"no orbit was found near the given one: {str(error).rstrip('.')}. Follow it to these parameters in "
            "smaller steps"
        ) from None


def _middle(orbit: Orbit) -> Guess:
    """A point of an orbit that is not at an event, where neighbouring motions differ in kind: half way through its
    longest phase."""
    durations = orbit.phases.durations
    longest = int(np.argmax(durations))
    time = orbit.start_time + float(np.sum(durations[:longest]) + 0.5 * durations[longest])
    names, run = orbit.model.states, orbit.data
    middle = interpolate(run, [time])
    state = np.array([float(middle[name][0]) for name in names])
    scale = scale_of(np.column_stack([run[name].values for name in names]), len(names))
    return Guess(state, time, orbit.period, scale, rounds=0.0 if orbit.phases.rounds is None else orbit.phases.rounds)
