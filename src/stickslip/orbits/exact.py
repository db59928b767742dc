"""Orbits of the discontinuous system itself: from a guess to phases, to a solution, to an Orbit that is checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from stickslip.arrays import Complexes, Floats, Ints
from stickslip.errors import MotionError, NoConvergence, OrbitError
from stickslip.methods.exact import Exact
from stickslip.model.system import Model
from stickslip.orbits.guess import Guess
from stickslip.orbits.motion import RTOL, Motion, Run
from stickslip.orbits.newton import History, newton, polished, terms
from stickslip.orbits.orbit import Orbit, Phases
from stickslip.orbits.phases import Problem, Solved, normal_of, rescaled, signature_of
from stickslip.orbits.signature import RELEASE, SECTION, Event, Piece, Signature, cyclic, pieces_of
from stickslip.orbits.stability import multipliers_of

LONG = 0.01
"""Part of the period that a phase must last to be simulated from its middle."""

FRACTIONS = np.arange(17) / 16
MOST_REPETITIONS = 64
"""How often a guess may go through an orbit without events."""

OUTGROWN = 4.0
"""By this factor the range of a state may exceed the size that it was measured by, before it is measured anew."""

ALIKE = 1e-9
"""Phases are as long as each other where their durations differ by less than this part."""

MOST_PHASES = 100
"""Phases of a guess that does not repeat itself yet beyond which it is not worth a try."""

SHIFTS = (0.0, 0.31, 0.57, 0.83)
"""Where in the period a guess is cut, tried in this order: a cut must not fall on an event."""


class PhaseProblem(Problem):
    """The equations of an orbit phase by phase, and what an orbit that solves them is.

    For developers: what `follow` needs of any equations of orbits is `residual`, `scales`, `solved`, and the methods
    below; `shooting.ShootingProblem` is the other implementation.
    """

    _last: tuple[bytes, Solved] | None = None

    def solved(self, u: Floats) -> Solved:
        """Every phase integrated; the last candidate is remembered, since several questions are asked about it."""
        key = u.tobytes()
        if self._last is None or self._last[0] != key:
            self._last = key, super().solved(u)
        return self._last[1]

    def noise(self, u: Floats, J: Floats) -> Floats:
        """What is left of every equation at a solution: each step of a phase has errors of RTOL in all of its terms."""
        steps = [end.evaluations + 1 for end in self.solved(u).ends]
        rows = np.repeat(np.array(steps, float), self.n + 1)
        rows = np.append(rows, np.full(len(J) - len(rows), sum(steps)))
        return RTOL * rows * terms(J, u, self.scales(u))

    def root(self, u: Floats, history: History | None = None) -> Floats:
        """The solution near u, to round-off."""
        scales = self.scales(u)
        return polished(self.residual, newton(self.residual, u, scales, history=history), scales, self.noise)

    def multipliers(self, solved: Solved) -> Complexes:
        """Floquet multipliers."""
        return multipliers_of(self, solved)

    def fault(self, solved: Solved) -> str:
        """Why the system would not move like this; empty where it would."""
        return inadmissible(self, solved)

    def orbit(self, solved: Solved, history: History | None = None) -> Orbit:
        """The solution as an Orbit."""
        return build(self, solved, history or History())

    def extremes(self, solved: Solved) -> Floats:
        """The smallest and the largest value of every state along the orbit, as seen from what advances with it."""
        motion = self.motion.with_parameters(solved.parameters)
        pace = self.advance(solved) / solved.period
        phases = zip(self.signature.modes, solved.states, solved.begins, solved.durations, strict=True)
        shifts = np.outer(solved.begins - solved.begins[0], pace)
        both = np.array([phase_extremes(motion, m, z, float(t), float(d), pace) for m, z, t, d in phases])
        both -= shifts[:, None, :]
        return np.array([both[:, 0].min(axis=0), both[:, 1].max(axis=0)])

    def repeated(self, u: Floats, times: int) -> tuple[PhaseProblem, Floats]:
        """The same orbit gone through several times in one period."""
        states, durations, start, parameters = self.unpack(u)
        problem = self.like(
            signature=self.signature.repeated(times), turns=self.turns * times, rounds=self.rounds * times
        )
        advance = np.repeat(np.arange(times), self.phases)[:, None] * self.advance(self.solved(u))
        states = np.tile(states, (times, 1)) + advance
        return problem, problem.pack(states, np.tile(durations, times), start, parameters)

    def tiled(self, change: Floats, times: int) -> Floats:
        """A change of the unknowns of an orbit, as one of the orbit gone through several times. What is known of how
        it advances changes with its period and its parameters."""
        inner, later = self.phases * (self.n + 1), self._later(change)
        blocks = [change[:inner].reshape(self.phases, self.n + 1).copy() for _ in range(times)]
        for i, block in enumerate(blocks):
            block[:, : self.n] += i * later
        return np.concatenate([*(block.ravel() for block in blocks), change[inner:]])

    def _later(self, change: Floats) -> Floats:
        """How a change of the unknowns changes by how much states advance in a period, as far as that is known."""
        inner, motion = self.phases * (self.n + 1), self.motion
        later = motion.moving * change[self.n : inner : self.n + 1].sum()
        if self.free and self._last is not None:
            by_parameters = motion.moving_slopes(self.free) @ change[len(change) - len(self.free) :]
            later = later + self._last[1].period * by_parameters
        return np.asarray(later, float)

    def shorter(self, solved: Solved, loosely: bool = False) -> Orbit | None:
        """The orbit of a shorter period that a solution goes through more than once, if it does."""
        problem, once = minimal(self, solved, 1e-3 if loosely else 1e-7)
        return None if problem is self else build(problem, once, History())

    def split(self, solved: Solved) -> Floats | None:
        """By how much the second half of an orbit differs from the first, where both have the same signature."""
        if self.phases == 1 and self.signature.events[0].kind == SECTION:
            return None if self.turns == 0 or self.turns % 2 else _missed(self, solved, (2,))[0]
        half = self.phases // 2
        modes, events = self.signature.modes, self.signature.events
        if self.phases % 2 or modes[:half] != modes[half:] or events[:half] != events[half:]:
            return None
        rows = np.column_stack([self.seen(solved) / self.state_scale, solved.durations / solved.period])
        return np.asarray((rows[:half] - rows[half:]).ravel(), float)

    @property
    def is_cut(self) -> bool:
        """Whether the orbit is cut by a plane anywhere, having neither events nor an excitation."""
        return self.section is not None

    def start_rate(self, solved: Solved) -> Floats:
        """The motion at the start, as seen from what advances evenly, in units of the size of the states."""
        moving = self.motion.with_parameters(solved.parameters).moving
        return np.asarray((solved.ends[0].start_rate - moving) / self.state_scale, float)

    def passage(self, solved: Solved) -> float:
        """How fast the motion passes through the section, if there is one."""
        return float(self.section[1] @ self.start_rate(solved)) if self.section is not None else 1.0

    def unknowns(self, state: Floats, period: float, like: Floats, value: float) -> Floats:
        """An orbit without events, as unknowns: with this value of the last parameter, the others as in `like`."""
        parameters = self.unpack(np.append(like[:-1], value))[3]
        return self.pack(
            np.tile(state, (self.phases, 1)), np.full(self.phases, period / self.phases), self.time, parameters
        )

    def turned(self, change: Floats) -> Floats:
        """A change of the unknowns, as one of those of `orbit`, which begins with another phase."""
        first, inner = _anchor(self.signature), self.phases * (self.n + 1)
        blocks = change[:inner].reshape(self.phases, self.n + 1).copy()
        blocks[:first, : self.n] += self._later(change)
        rest = change[inner:].copy()
        if self.has_start_time:
            rest[0] += blocks[:first, self.n].sum()
        return np.concatenate([np.roll(blocks, -first, axis=0).ravel(), rest])

    @property
    def evaluations(self) -> int:
        """Taylor expansions so far."""
        return self.motion.evaluations

    def moved(self, u: Floats) -> PhaseProblem:
        """The same equations with the section, if there is one, through the present orbit."""
        if self.section is None:
            return self
        states, durations, start, parameters = self.unpack(u)
        piece = Piece(self.signature.modes[0], states[0], start, float(durations[0]), None)
        other = self.like(section=section_at(self.motion.with_parameters(parameters), piece, self.state_scale))
        other._last = self._last
        return other

    def grown(self, ranges: Floats) -> PhaseProblem:
        """The same equations for an orbit that has outgrown the size of its states: they have these ranges now."""
        if not np.any(ranges > OUTGROWN * self.state_scale):
            return self
        scale = np.maximum(self.state_scale, ranges)
        problem = self.like(scale=scale, section=rescaled(self.section, self.state_scale, scale))
        problem._last = self._last
        return problem

    def slid(self, u: Floats, change: Floats) -> Floats:
        """A change of the unknowns that may lead out of the section, as the change of the same orbits within it."""
        if self.section is None:
            return change
        solved, inner = self.solved(u), self.phases * (self.n + 1)
        blocks = change[:inner].reshape(self.phases, self.n + 1).copy()
        moving = self.motion.with_parameters(solved.parameters).moving
        rates = np.array([end.start_rate - moving for end in solved.ends])
        normal = self.section[1] / self.state_scale
        later = -(blocks[:, : self.n] @ normal) / (rates @ normal)
        blocks[:, : self.n] += later[:, None] * rates
        blocks[:, self.n] += np.roll(later, -1) - later
        return np.concatenate([blocks.ravel(), change[inner:]])


def phase_extremes(motion: Motion, mode: Sequence[int], z: Floats, t: float, duration: float, pace: Floats) -> Floats:
    """The smallest and the largest value of every state in a phase, as seen from what advances with a pace from its
    begin: sampled, and refined where a rate is zero."""
    times, n = duration * FRACTIONS, motion.states
    values, rates = motion.sampled(mode, z, t, times)
    values[:, :n] -= np.outer(times, pace)
    rates[:, :n] -= pace
    found = np.array([values[:, :n].min(axis=0), values[:, :n].max(axis=0)])
    for i in range(n):
        for which, best in ((0, int(np.argmin(values[:, i]))), (1, int(np.argmax(values[:, i])))):
            for k in (best - 1, best):
                if 0 <= k < len(times) - 1 and rates[k, i] * rates[k + 1, i] < 0:
                    at = _stationary(times[k : k + 2], values[k : k + 2, i], rates[k : k + 2, i])
                    # The error of the place counts only squared.
                    value = motion.phase(mode, z, t, at).state[i] - at * pace[i]
                    found[which, i] = min(found[0, i], value) if which == 0 else max(found[1, i], value)
    return found


def _stationary(times: Floats, values: Floats, rates: Floats) -> float:
    """Where the cubic with these values and rates at both ends, of opposite signs, has its extremum."""
    h = float(times[1] - times[0])
    rise, a, b = float(values[1] - values[0]), float(rates[0]) * h, float(rates[1]) * h
    # Its rate on [0, 1] is a + 2 (3 rise − 2a − b) x + 3 (a + b − 2 rise) x².
    linear, square = 2 * (3 * rise - 2 * a - b), 3 * (a + b - 2 * rise)
    roots = np.roots([square, linear, a])
    inside = [float(x.real) for x in roots if abs(x.imag) < 1e-9 and 0 <= x.real <= 1]
    return float(times[0]) + h * (inside[0] if inside else a / (a - b))


def section_at(motion: Motion, piece: Piece, scale: Floats) -> tuple[Floats, Floats]:
    """A section across an orbit without events, which begins with `piece`: a point of it, and its normal."""
    times = piece.duration * FRACTIONS
    values, rates = motion.sampled(piece.mode, piece.state, piece.time, times)
    rate = rates[0, : motion.states] - motion.moving
    if not float(np.linalg.norm(rate / scale)) > 0:
        raise OrbitError("the guess does not move: it is an equilibrium")
    normal, D = normal_of(rate, values[:, : motion.states] - np.outer(times, motion.moving), scale), motion.free(scale)
    return piece.state, normal - D @ (D.T @ normal)


def converge(motion: Motion, guess: Guess, turns: int, forcing: float | None) -> Orbit:
    """The orbit near a guess."""
    reasons: list[str] = []
    for shift in SHIFTS:
        try:
            pieces = cut(motion, guess, shift, turns)
            if pieces is None:
                reasons.append("the guess begins and ends in different modes")
                continue
            if len(pieces) > MOST_PHASES and not guess.settled:
                raise OrbitError(f"the guess has {len(pieces)} phases and does not repeat itself yet")
            return solve(motion, pieces, guess.scale, turns, forcing, guess.rounds)
        except (NoConvergence, MotionError, OrbitError) as error:
            reasons.append(str(error))
            if not guess.settled:  # it is worth one try
                break
    raise OrbitError(reasons[-1])


def cut(motion: Motion, guess: Guess, shift: float, turns: int) -> list[Piece] | None:
    """The phases of one period from a guess on, or from a part of the period later; None where they do not close."""
    z = guess.state if guess.mode is None else motion.at_rest(guess.state, guess.time, guess.mode)
    z, t = _advanced(motion, z, guess.time, shift * guess.period)
    run = motion.run(z, t, guess.period)
    if not run.status.finished:
        raise NoConvergence(run.status.value)
    if len(run.events):
        pieces = cyclic(pieces_of(motion, run))
        if pieces is None:
            return None
        # The first begins in the middle of the last, a period later.
        earlier = pieces[0].state - (motion.moving * guess.period + guess.rounds + _free_part(motion, guess, run))
        return [replace(pieces[0], state=earlier, time=pieces[0].time - guess.period), *pieces[1:]]
    if turns:  # without events the orbit is begun at the time zero, which is that of any whole period
        excitation = guess.period / turns
        z, t = _advanced(motion, z, t, -t % excitation)
        z, t = z - motion.moving * t, 0.0
    return [Piece(_plain(run.mode), z, t, guess.period, None)]


def _free_part(motion: Motion, guess: Guess, run: Run) -> Floats:
    """How far a guess has come along shifts that the equations do not feel."""
    D = motion.free(guess.scale)
    known = motion.moving * guess.period + guess.rounds
    return np.asarray(guess.scale * (D @ (D.T @ ((run.state - run.start - known) / guess.scale))), float)


def _advanced(motion: Motion, z: Floats, t: float, duration: float) -> tuple[Floats, float]:
    """State and time after a while."""
    if duration == 0:
        return z, t
    run = motion.run(z, t, duration)
    return motion.at_rest(run.state, run.time, _plain(run.mode)), run.time


def _plain(mode: Sequence[int] | Ints) -> tuple[int, ...]:
    return tuple(int(m) for m in mode)


def solve(
    motion: Motion, pieces: Sequence[Piece], scale: Floats, turns: int, forcing: float | None, rounds: Floats | float
) -> Orbit:
    """The orbit with the phases of `pieces`, solved and checked."""
    signature = signature_of(motion.model.contacts, pieces)
    states = np.array([piece.state for piece in pieces])
    D = motion.free(scale)
    states = states - scale * (D @ (D.T @ (states[0] / scale)))
    durations = np.array([piece.duration for piece in pieces])
    section = None
    if signature.events[0].kind == SECTION and not turns:
        section = section_at(motion, replace(pieces[0], state=states[0]), scale)
    problem = PhaseProblem(motion, signature, scale, (), turns, forcing, section, pieces[0].time, rounds)
    return solution(problem, problem.pack(states, durations, pieces[0].time, motion.parameters))


def solution(problem: PhaseProblem, u: Floats) -> Orbit:
    """The orbit near a candidate; refused where the system itself would not move like that."""
    history = History()
    period = problem.solved(u).period
    solved = problem.solved(problem.root(u, history))
    check_extent(problem, solved, period)
    fault = inadmissible(problem, solved)
    if fault:
        raise OrbitError(fault)
    problem, solved = minimal(problem, solved)
    return build(problem, solved, history, _longest_slip(problem.signature, solved.durations))


def check_extent(problem: PhaseProblem, solved: Solved, period: float) -> None:
    """Refuse what is no orbit: a period that ran to zero, or a state that does not move."""
    if not solved.period > 1e-6 * period:
        raise OrbitError(
            f"the period ran to {solved.period:.3g}, from {period:.6g}: the guess does not lead to an orbit"
        )
    if solved.ends[0].state.size and np.all(np.ptp(problem.extremes(solved), axis=0) <= 1e-9 * problem.state_scale):
        raise OrbitError("the guess leads to an equilibrium, where nothing moves: use find_equilibria")


def build(problem: PhaseProblem, solved: Solved, history: History, first: int | None = None) -> Orbit:
    """The Orbit of solved phases, begun with the phase `first`, or at a stick→slip event where there is one."""
    first = _anchor(problem.signature) if first is None else first
    motion, turn = problem.motion, [*range(first, problem.phases), *range(first)]
    model = with_parameters(motion.model, motion.names, solved.parameters)
    moving = motion.with_parameters(solved.parameters)
    time = float(solved.begins[first])
    advance = problem.advance(solved)
    states = np.vstack([solved.states[first:], solved.states[:first] + advance])
    # Begun at the same phase of the excitation, at the time zero where there is none.
    earlier = time - time % problem.forcing_period(solved.parameters) if problem.turns else time
    earlier = earlier if problem.turns or moving.is_timed else 0.0
    time, states = time - earlier, states - moving.moving * earlier
    D = moving.free(problem.state_scale)
    states = states - problem.state_scale * (D @ (D.T @ (states[0] / problem.state_scale)))
    for whole in moving.turns:
        pivot = int(np.argmax(np.abs(whole)))
        states = states - np.floor(states[0, pivot] / whole[pivot]) * whole
    start = moving.at_rest(states[0], time, _at_event(problem.signature, first))
    phases = Phases(states, solved.durations[turn], problem.state_scale, problem.forcing, problem.rounds)
    return Orbit(
        model=model,
        start=dict(zip(model.states, map(float, start), strict=True)),
        start_time=time,
        period=solved.period,
        signature=problem.signature.rotated(first),
        multipliers=multipliers_of(problem, solved),
        turns=problem.turns,
        phases=phases,
        advance=named(model, advance),
        method=Exact(),
        history=history,
    )


def named(model: Model, advance: Floats) -> dict[str, float]:
    """The states that advance, and by how much."""
    return {name: float(x) for name, x in zip(model.states, advance, strict=True) if x != 0}


def _at_event(signature: Signature, first: int) -> list[int]:
    """The modes with contacts at rest marked 0: those that stick just before or just after phase `first` begins."""
    before, after = signature.modes[first - 1], signature.modes[first]
    return [0 if a == 0 or b == 0 else a for a, b in zip(before, after, strict=True)]


def _longest_slip(signature: Signature, durations: Floats) -> int:
    """The longest phase that follows a release, else the first: where an orbit begins, wherever the guess did.

    Of phases that are equally long, as those of a symmetric orbit are, it is the one from which the modes come first in
    order: round-off is not asked.
    """
    released = [j for j in range(len(signature)) if signature.events[j - 1].kind == RELEASE]
    if not released:
        return 0
    longest = max(float(durations[j]) for j in released)
    alike = [j for j in released if durations[j] >= (1 - ALIKE) * longest]
    return min(alike, key=lambda j: signature.rotated(j).modes)


def _anchor(signature: Signature) -> int:
    """The phase to begin with: one that follows a release, else the first."""
    for j in range(len(signature)):
        if signature.events[j - 1].kind == RELEASE:
            return j
    return 0


def with_parameters(model: Model, names: Sequence[str], values: Floats) -> Model:
    """The model with these parameter values, where they differ."""
    changed = {n: float(v) for n, v in zip(names, values, strict=True) if model.parameters[n] != v}
    return model.with_(changed) if changed else model


def problem_of(orbit: Orbit, free: Sequence[int] = (), motion: Motion | None = None) -> tuple[PhaseProblem, Floats]:
    """The equations that an orbit solves, and the orbit as their unknowns."""
    motion = motion or Motion(orbit.model)
    phases = orbit.phases
    section = None
    if orbit.signature.events[0].kind == SECTION and not orbit.turns:
        piece = Piece(orbit.signature.modes[0], phases.states[0], orbit.start_time, float(phases.durations[0]), None)
        section = section_at(motion, piece, phases.scale)
    problem = PhaseProblem(
        motion, orbit.signature, phases.scale, free, orbit.turns, phases.forcing, section, orbit.start_time,
        phases.rounds,
    )  # fmt: skip
    return problem, problem.pack(phases.states, phases.durations, orbit.start_time, motion.parameters)


def minimal(problem: PhaseProblem, solved: Solved, closeness: float = 1e-7) -> tuple[PhaseProblem, Solved]:
    """The orbit gone through once, where a solution goes through it several times."""
    for times in _repetitions(problem, solved, closeness):
        count = max(1, problem.phases // times)
        durations = solved.durations[:count] if problem.phases > 1 else solved.durations / times
        part = Signature(problem.signature.contacts, problem.signature.modes[:count], problem.signature.events[:count])
        smaller = PhaseProblem(
            problem.motion.with_parameters(solved.parameters), part, problem.state_scale, (),
            problem.turns // times, problem.forcing, problem.section, problem.time, problem.rounds / times,
        )  # fmt: skip
        u = smaller.pack(solved.states[:count], durations, float(solved.begins[0]), solved.parameters)
        try:
            return smaller, smaller.solved(smaller.root(u))
        except NoConvergence:
            continue
    return problem, solved


def _repetitions(problem: PhaseProblem, solved: Solved, closeness: float) -> Iterator[int]:
    """How often a solution may go through an orbit, most often first."""
    if problem.phases == 1 and problem.signature.events[0].kind == SECTION:
        yield from _returns(problem, solved, closeness)
        return
    folded = np.column_stack([problem.seen(solved) / problem.state_scale, solved.durations / solved.period])
    for times in range(problem.phases, 1, -1):
        if problem.phases % times or problem.turns % times:
            continue
        count = problem.phases // times
        part = Signature(problem.signature.contacts, problem.signature.modes[:count], problem.signature.events[:count])
        blocks = folded.reshape(times, count, -1)
        if part.repeated(times) == problem.signature and np.max(np.abs(blocks - blocks[0])) <= closeness:
            yield times


def _returns(problem: PhaseProblem, solved: Solved, closeness: float) -> Iterator[int]:
    """The same without events: the state is back after a part of the period."""
    parts = [times for times in range(MOST_REPETITIONS, 1, -1) if problem.turns % times == 0]
    for times, missed in zip(parts, _missed(problem, solved, parts), strict=True):
        if np.max(np.abs(missed)) <= closeness:
            yield times


def _missed(problem: PhaseProblem, solved: Solved, parts: Sequence[int]) -> Floats:
    """By how much the state is not back after parts of the period, where there are no events: a row for each part, in
    units of the size of the states."""
    motion = problem.motion.with_parameters(solved.parameters)
    begin, durations = float(solved.begins[0]), np.array([solved.period / times for times in parts])
    values, _ = motion.sampled(problem.signature.modes[0], solved.states[0], begin, durations)
    advance = problem.advance(solved) / np.array(parts)[:, None]
    return np.asarray((values[:, : problem.n] - solved.states[0] - advance) / problem.state_scale, float)


def resimulated(problem: Problem, solved: Solved, motion: Motion) -> list[Piece] | None:
    """The phases that the system itself goes through near a solution: simulated from the middle of every long phase to
    the middle of the next, so that nothing is lost by instability; None where they do not fit together."""
    long = [j for j in range(problem.phases) if solved.durations[j] > LONG * solved.period]
    own = problem.motion.with_parameters(solved.parameters)
    starts = []
    for j in long:
        mode, begin, half = problem.signature.modes[j], float(solved.begins[j]), 0.5 * float(solved.durations[j])
        middle = own.phase(mode, solved.states[j], begin, half).state
        starts.append((motion.at_rest(middle, begin + half, mode), begin + half, mode))
    runs = []
    for k, (z, t, _) in enumerate(starts):
        _, until, _ = starts[(k + 1) % len(starts)]
        runs.append(pieces_of(motion, motion.run(z, t, until - t if until > t else until - t + solved.period)))
    pieces: list[Piece] = []
    for k, run in enumerate(runs):
        last, first = runs[k - 1][-1], run[0]
        before = last.state - (problem.advance(solved) if k == 0 else 0.0)
        if last.mode != first.mode or first.event is None or first.mode != starts[k][2]:
            return None
        whole = Piece(first.mode, before, first.time - last.duration, last.duration + first.duration, first.event)
        pieces += [whole, *run[1:-1]]
    return pieces


# -- admissibility ---------------------------------------------------------------------------------------------------


def inadmissible(problem: Problem, solved: Solved) -> str:
    """Why the phases are not those the system chooses; empty where they are.

    From the middle of every phase the system is simulated, with all its events, to the middle of the next.
    """
    if np.any(solved.durations < 0):
        return f"a phase of the solution has a negative duration, {solved.durations.min():.3g}"
    motion = problem.motion.with_parameters(solved.parameters)
    modes, period = problem.signature.modes, solved.period
    for j, mode in enumerate(modes):
        if problem.signature.events[j].kind == SECTION:
            return _uninterrupted(motion, mode, solved)
        following = (j + 1) % problem.phases
        half, next_half = 0.5 * solved.durations[j], 0.5 * solved.durations[following]
        begin = float(solved.begins[j])
        middle = motion.at_rest(motion.phase(mode, solved.states[j], begin, half).state, begin + half, mode)
        run = motion.run(middle, begin + half, half + next_half)
        when = run.events[:, 0] - begin - half if len(run.events) else np.zeros(0)
        wrong = len(when) == 0 or np.max(np.abs(when - half)) > 1e-6 * period or _plain(run.start_mode) != mode
        if wrong or not run.status.finished or _plain(run.mode) != modes[following]:
            return (
                f"the solution is not a motion of the system: phase {j + 1} of {problem.phases} "
                f"({_said(mode)}) is not followed by ({_said(modes[following])}) as it should be"
            )
    return ""


def _uninterrupted(motion: Motion, mode: Sequence[int], solved: Solved) -> str:
    begin = float(solved.begins[0])
    run = motion.run(motion.at_rest(solved.states[0], begin, mode), begin, solved.period)
    if len(run.events) or _plain(run.start_mode) != tuple(mode) or not run.status.finished:
        return "the solution is not a motion of the system: it would change its modes on the way"
    return ""


def _said(mode: Sequence[int]) -> str:
    return str(Signature(("",), (tuple(mode),), (Event(SECTION),)))
