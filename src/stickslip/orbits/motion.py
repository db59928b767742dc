"""Motion with its derivatives: the exact flow of a model, its phases, and how both change with start and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from stickslip.arrays import Floats, Ints
from stickslip.errors import ModelError, MotionError
from stickslip.field import Field, compile_translations
from stickslip.kernels import outcome
from stickslip.kernels.records import Records
from stickslip.methods.base import record
from stickslip.model.system import Model, System
from stickslip.status import Status
from stickslip.targets.generated import TANGENT

MOST_STEPS = 10**5
ORDER = 20
BLOCK, FIRST_STEPS = 256, 64
"""Steps that are recorded at a time, and those from which a time scale is taken."""

ENDLESS = 10.0 ** (300 // (ORDER + 1))
"""A time that is never reached, except by what rests; its powers in a series are still numbers."""

RTOL = 1e-14
"""Orbits and multipliers are wanted to ten digits and more; at this order round-off is reached at little cost."""


@dataclass(frozen=True)
class Phase:
    """The end of a phase of fixed modes: values, and how they change with start (z), parameters and duration.

    `values` and `rates` hold the rows z, v, λ, S; `by_state[row, j]` and `by_parameter[row, j]` their derivatives at
    fixed duration, `rates_by_state` and `rates_by_parameter` those of the rates; `bends` are second time derivatives.
    """

    states: int
    contacts: int
    start_rate: Floats
    values: Floats
    rates: Floats
    bends: Floats
    by_state: Floats
    by_parameter: Floats
    rates_by_state: Floats
    rates_by_parameter: Floats
    evaluations: int

    @property
    def state(self) -> Floats:
        return self.values[: self.states]

    def row(self, kind: str, contact: int) -> int:
        """Which row holds the sliding velocity, the force or the static limit of a contact."""
        return self.states + {"v": 0, "force": 1, "static": 2}[kind] * self.contacts + contact


@dataclass(frozen=True)
class Run:
    """An event-driven run: start, end, derivatives with respect to start and parameters, events, status."""

    start: Floats
    start_time: float
    start_mode: Ints
    state: Floats
    mode: Ints
    by_state: Floats
    by_parameter: Floats
    rate: Floats
    events: Floats
    status: Status
    time: float
    evaluations: int


@dataclass(frozen=True)
class Entry:
    """The state just after a change of modes, and its derivatives by the state before, by parameters and by time."""

    state: Floats
    by_state: Floats
    by_parameter: Floats
    by_time: Floats


def refuse_chance(model: Model) -> None:
    """Raise a sentence for friction that is drawn anew at every phase: nothing repeats itself then."""
    if not isinstance(model, System):
        return
    for contact in model.friction:
        for name, value in model.local(contact).items():
            if name in ("scatter_static", "scatter_kinetic") and value > 0:
                raise ModelError(
                    f"{contact}.{name} is {value:g}: with random friction there is no periodic motion and no "
                    "derivative; set it to 0"
                )


class Motion:
    """A model compiled with its variational equations, for given parameter values.

    >>> from stickslip.model.library import block_on_belt
    >>> motion = Motion(block_on_belt())
    >>> run = motion.run([1.1, 0.0], 0.0, 30.0, which=[])
    >>> abs(np.linalg.det(run.by_state)).round(12).tolist()  # after a stick phase, one direction is lost
    0.0
    """

    def __init__(self, model: Model, rtol: float = RTOL, field: Field | None = None) -> None:
        refuse_chance(model)
        self.model, self.rtol = model, rtol
        self.field = field or Field.of(model, order=ORDER, kernels=TANGENT)
        self.states, self.contacts = len(model.states), len(model.contacts)
        named = [name.startswith("v.") for name in model.states]
        self.velocities = np.array(named) if any(named) else slice(self.states // 2, self.states)
        self.parameters = np.array(list(model.parameters.values()), float)
        self.names = list(model.parameters)
        self.translations = compile_translations(model)
        self.excitations = self.translations.excitations
        # That of the model as it is; with other parameters it keeps its waves, be their amplitudes zero in passing.
        self.excitation = self.excitations.at(self.parameters)
        self._fresh = self.field.workspace()  # a trajectory that is nowhere yet
        self._fresh.tolerance, self._fresh.step_guess = rtol, 1.0
        self._fresh.variation[: self.states], self._fresh.varied_parameter[:] = np.eye(self.states), -1
        self._count = [0]  # shared by copies for other parameter values

    @property
    def evaluations(self) -> int:
        """Taylor expansions since this motion, or the one it was copied from, was made."""
        return self._count[0]

    def with_parameters(self, values: Floats) -> Motion:
        """The same motion for other parameter values; refused where they let an excitation begin."""
        other = object.__new__(Motion)
        other.__dict__.update(self.__dict__)
        other.parameters = np.array(values, float)
        if self.excitations.timed and not self.is_forced and self.excitations.at(other.parameters).exists:
            raise ModelError("an excitation begins, which this motion does not have: find an orbit with it instead")
        return other

    @property
    def is_forced(self) -> bool:
        """Whether time matters: whether it appears in the equations, with an amplitude that is not zero, and be it that
        states advance with it."""
        return self.excitation.exists

    # -- motions that advance ----------------------------------------------------------------------------------------

    @property
    def is_timed(self) -> bool:
        """Whether time appears in the equations."""
        return self.translations.timed

    @property
    def moving(self) -> Floats:
        """w, how fast states advance with time: the equations of z − w t have no time but that of the excitation."""
        return self.translations.moving(self.parameters)

    def moving_slopes(self, which: Sequence[int]) -> Floats:
        """How w changes with parameters: a column for each."""
        slopes = self.translations.moving_slopes(self.parameters)
        return np.asarray(np.column_stack([slopes, np.zeros(len(slopes))])[:, list(which)], float)

    def free(self, scale: Floats) -> Floats:
        """An orthonormal basis of the shifts that the equations do not feel at any time, in states over `scale`: one
        in each column."""
        return np.asarray(np.linalg.qr((self.translations.free(self.parameters) / scale).T)[0], float)

    @property
    def turns(self) -> Floats:
        """Shifts by a whole turn, one in each row."""
        return self.translations.turns(self.parameters)

    @property
    def forcing_period(self) -> float | None:
        """The period of the excitation, where it has one that can be seen in the equations."""
        return self.excitations.period(self.excitation, self.parameters) if self.excitation.base is not None else None

    def forcing_slopes(self, which: Sequence[int]) -> Floats:
        """How the period of the excitation changes with parameters."""
        slopes = np.append(self.excitations.slopes(self.excitation, self.parameters), 0.0)
        return np.asarray(slopes[list(which)], float)

    # -- trajectories ------------------------------------------------------------------------------------------------

    def workspace(self, z: ArrayLike, t: float, which: Sequence[int] | None = None) -> Any:
        """A trajectory at a state and time, to begin or to flow from: see kernels/trajectory.py.

        Where `which` is given, be it empty, it carries a direction for each state and for each of these parameters.
        """
        trajectory = self._fresh.copy()
        trajectory.parameter[:] = self.parameters
        trajectory.state[:], trajectory.time = z, t
        if which is not None:
            trajectory.directions = count = self._directions(which)
            trajectory.varied_parameter[self.states : count] = which
        return trajectory

    def _evaluated(self, z: ArrayLike, t: float) -> Any:
        """A trajectory with all ingredients of the equations."""
        trajectory = self.workspace(z, t)
        self.field.program.constants(trajectory)
        self.field.program.ingredients(trajectory)
        return trajectory

    def _directions(self, which: Sequence[int] | None) -> int:
        return 0 if which is None else self.states + len(which)

    def phase(
        self, mode: Sequence[int], z: Floats, t: float, duration: float, which: Sequence[int] | None = None
    ) -> Phase:
        """The motion for `duration` in fixed modes; with derivatives where `which` is given, be it empty.

        `which` are parameters by number; one past the last is the time of the start.
        """
        m, n, c = self.field.program, self.states, self.contacts
        trajectory = self.workspace(z, t, which)
        trajectory.mode[:] = mode
        _check_phase(m.flow(trajectory, float(duration), MOST_STEPS), t, duration)
        kernels, rows, count = m.kernels.phase, n + 3 * c, self._directions(which)
        end, variations = kernels.End(), Records(kernels.Variation, count)
        m.end_phase(trajectory, end, variations)
        values, rates, halves = end.floats.reshape(rows, 3).T
        values[:n] = trajectory.state
        by, rates_by = variations.floats.reshape(count, rows, 2).T
        evaluations = int(trajectory.evaluations)
        self._count[0] += evaluations
        return Phase(
            states=n,
            contacts=c,
            start_rate=trajectory.start_rate.copy(),
            values=values,
            rates=rates,
            bends=2 * halves,
            by_state=by[:, :n],
            by_parameter=by[:, n:],
            rates_by_state=rates_by[:, :n],
            rates_by_parameter=rates_by[:, n:],
            evaluations=evaluations,
        )

    def run(self, z: Floats | Sequence[float], t: float, duration: float, which: Sequence[int] | None = None) -> Run:
        """The motion for `duration` with every event; with derivatives where `which` is given, be it empty."""
        m, n = self.field.program, self.states
        trajectory = self.workspace(z, t, which)
        trajectory.end_time = t + duration
        code = m.begin(trajectory)
        start_mode = trajectory.mode.copy()
        recording, steps, events = record(m, BLOCK)
        kept = [events.floats[:0]]
        code = outcome.PAUSED if code == outcome.FINISHED else code
        while code == outcome.PAUSED:
            recording.steps = recording.events = 0
            code = m.march(trajectory, MOST_STEPS, recording, steps, events)
            kept.append(events.floats[: recording.events].copy())
        variation = trajectory.variation[: self._directions(which)].T.copy()
        self._count[0] += int(trajectory.evaluations)
        there = trajectory.copy()
        there.directions = 0
        m.flow(there, 0.0, 1)
        return Run(
            start=np.array(z, float),
            start_time=t,
            start_mode=start_mode,
            state=trajectory.state.copy(),
            mode=trajectory.mode.copy(),
            by_state=variation[:, :n],
            by_parameter=variation[:, n:],
            rate=there.start_rate.copy(),
            events=np.concatenate(kept),
            status=Status.of(code),
            time=float(trajectory.time),
            evaluations=int(trajectory.evaluations),
        )

    def enter(
        self, before: Sequence[int], after: Sequence[int], z: Floats, t: float, which: Sequence[int] = ()
    ) -> Entry:
        """The state after a change of modes, where internal states may jump, and how it changes with that before."""
        n = self.states
        if not self.model.internal_states or tuple(before) == tuple(after):
            return Entry(np.array(z, float), np.eye(n), np.zeros((n, len(which))), np.zeros(n))
        varied = [*which, len(self.parameters)]
        trajectory = self.workspace(z, t, varied)
        self.field.program.constants(trajectory)
        trajectory.mode_before[:], trajectory.mode_after[:] = before, after
        self.field.program.enter_modes(trajectory)
        by = trajectory.variation[: self._directions(varied)].T.copy()
        return Entry(trajectory.state.copy(), by[:, :n], by[:, n:-1].copy(), by[:, -1])

    def stopped(self, trajectory: Any, directions: Floats) -> Floats:
        """What friction leaves of directions, one in each row, where contacts stick: it stops them at once, by impulses
        along G."""
        stuck = [i for i, mode in enumerate(trajectory.mode) if mode == 0]
        modes = [int(mode) for mode in trajectory.mode]
        here = self.phase(modes, trajectory.state, float(trajectory.time), 0.0, [])
        slip = directions @ here.by_state[[here.row("v", i) for i in stuck]].T
        return np.asarray(directions - slip @ self._impulses(trajectory, stuck).T)

    def stop(self, contact: int, mode: Sequence[int], z: Floats, t: float) -> Floats:
        """How deviations change where a contact stops: I − G_S D_SS⁻¹ e_c ∇v_c, S being those that stick then (`mode`).

        The forces of S change by D_SS⁻¹ e_c (−v̇_c), which takes v̇_c out of the saltation matrix: it holds also where
        the contact just grazes rest.
        """
        stuck = [i for i, m in enumerate(mode) if m == 0]
        here = self.phase(mode, z, t, 0.0, [])
        impulse = self._impulses(self.workspace(z, t), stuck)[:, stuck.index(contact)]
        return np.asarray(np.eye(self.states) - np.outer(impulse, here.by_state[here.row("v", contact)]))

    def _impulses(self, trajectory: Any, stuck: Sequence[int]) -> Floats:
        """G_S D_SS⁻¹: how states change when each contact of S alone is to change its sliding velocity by one."""
        there = trajectory.copy()
        self.field.program.constants(there)
        self.field.program.ingredients(there)
        return np.asarray(there.G[:, stuck] @ np.linalg.pinv(there.D[np.ix_(stuck, stuck)]))

    def sliding(self, z: Floats, t: float) -> Floats:
        """Sliding velocities of all contacts."""
        return np.array(self._evaluated(z, t).v)

    def time_scale(self, z: Floats) -> float:
        """A time in which the motion from z changes: the middle one of its first steps, which end at events as well.

        A single step tells little: in stick nothing but an event may end it.
        """
        m = self.field.program
        trajectory = self.workspace(z, 0.0)
        trajectory.end_time = ENDLESS
        if m.begin(trajectory) != outcome.FINISHED:
            return 1.0
        recording, steps, events = record(m, FIRST_STEPS)
        m.march(trajectory, MOST_STEPS, recording, steps, events)
        lengths = steps.column("length")[: recording.steps]
        lengths = lengths[lengths < 1e-3 * ENDLESS]  # not the step of what rests, which goes to the end
        return float(np.median(lengths)) if len(lengths) else 1.0

    def is_rigid(self, contact: int) -> bool:
        """Whether a contact sticks as a constraint: what it sticks to and the mass do not move on each other."""
        return bool(self.field.sizes.RIGID[contact])

    def at_rest(self, z: Floats, t: float, mode: Sequence[int]) -> Floats:
        """The state with the sticking contacts exactly at rest, moved along G by what round-off left of them."""
        z = np.array(z, float)
        for _ in range(2):
            there = self._evaluated(z, t)
            v, G, D = there.v, there.G, there.D
            for i in range(self.contacts):
                if mode[i] == 0 and self.is_rigid(i) and v[i] != 0 and D[i, i] != 0:
                    z += G[:, i] * (-v[i] / D[i, i])
        return z

    def sampled(self, mode: Sequence[int], z: Floats, t: float, durations: Floats) -> tuple[Floats, Floats]:
        """Values and rates of all rows (z, v, λ, S) of a phase at rising durations: one row of the result each."""
        trajectory, m, count = self.workspace(z, t), self.field.program, len(durations)
        trajectory.mode[:] = mode
        ends = Records(m.kernels.phase.End, count)
        code = m.sample_phase(trajectory, np.array(durations, float), count, MOST_STEPS, ends)
        _check_phase(code, t, durations[-1] if count else 0.0)
        values, rates, _ = ends.floats.reshape(count, self.states + 3 * self.contacts, 3).transpose(2, 0, 1)
        return values, rates


def _check_phase(code: int, t: float, duration: float) -> None:
    """Raise a sentence where a phase could not be gone through."""
    if code != outcome.FINISHED:
        raise MotionError(f"a phase of length {duration:.6g} from t = {t:.6g}: {Status.of(code).value}")
