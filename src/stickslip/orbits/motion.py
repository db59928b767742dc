"""Motion with its derivatives: the exact flow of a model, its phases, and how both change with start and parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stickslip.errors import ModelError, MotionError
from stickslip.field import Field, compile_translations
from stickslip.model.system import Model, System
from stickslip.result import Steps
from stickslip.status import Status
from stickslip.targets import join

Floats = NDArray[np.float64]
MOST_STEPS = 10**5
ORDER = 20
FIRST_STEPS = 64
ENDLESS = 1e30
"""A time that is never reached, except by what rests."""

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
    start_mode: NDArray[np.int64]
    state: Floats
    mode: NDArray[np.int64]
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
        self.field = field or Field.of(model, order=ORDER, kernels=join.TANGENT)
        self.states, self.contacts = len(model.states), len(model.contacts)
        named = [name.startswith("v.") for name in model.states]
        self.velocities = np.array(named) if any(named) else slice(self.states // 2, self.states)
        self.parameters = np.array(list(model.parameters.values()), float)
        self.names = list(model.parameters)
        self.translations = compile_translations(model)
        self.excitations = self.translations.excitations
        # That of the model as it is; with other parameters it keeps its waves, be their amplitudes zero in passing.
        self.excitation = self.excitations.at(self.parameters)
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

    def _arrays(self) -> tuple[Floats, NDArray[np.int64]]:
        m = self.field.program
        floats, integers = np.zeros(m.FLOATS), np.zeros(m.INTEGERS, np.int64)
        floats[m.P : m.P + len(self.parameters)] = self.parameters
        floats[m.TOLERANCE] = self.rtol
        floats[m.GUESS] = 1.0
        return floats, integers

    def _set(
        self, floats: Floats, integers: NDArray[np.int64], z: Floats, t: float, which: Sequence[int] | None
    ) -> None:
        m, n = self.field.program, self.states
        floats[m.STATE : m.STATE + n] = z
        floats[m.TIME] = t
        if which is None:
            return
        count = n + len(which)
        variation = np.zeros((count, n))
        variation[:n] = np.eye(n)
        floats[m.VARIATION : m.VARIATION + count * n] = variation.ravel()
        integers[m.DIRECTIONS] = count
        integers[m.VARIED : m.VARIED + count] = [-1] * n + list(which)

    def phase(
        self, mode: Sequence[int], z: Floats, t: float, duration: float, which: Sequence[int] | None = None
    ) -> Phase:
        """The motion for `duration` in fixed modes; with derivatives where `which` is given, be it empty.

        `which` are parameters by number; one past the last is the time of the start.
        """
        m, n, c = self.field.program, self.states, self.contacts
        floats, integers = self._arrays()
        self._set(floats, integers, np.asarray(z, float), t, which)
        integers[m.MODE : m.MODE + c] = mode
        start_rate = self._rate_at(floats, integers)
        code = m.flow(floats, integers, float(duration), MOST_STEPS)
        if code != 0:
            raise MotionError(f"a phase of length {duration:.6g} from t = {t:.6g}: {Status.of(code).value}")
        rows, count = n + 3 * c, 0 if which is None else n + len(which)
        series = floats[m.SERIES : m.SERIES + rows * m.WIDTH].reshape(rows, m.WIDTH)
        values, rates, bends = series[:, 0].copy(), series[:, 1].copy(), 2 * series[:, 2]
        values[:n] = floats[m.STATE : m.STATE + n]
        out = np.zeros((count, rows, 2))
        m.end_variations(floats, integers, out.reshape(-1))
        evaluations = int(integers[m.EVALUATIONS])
        self._count[0] += evaluations
        by, rates_by = out[:, :, 0].T, out[:, :, 1].T
        return Phase(
            n, c, start_rate, values, rates, bends, by[:, :n], by[:, n:], rates_by[:, :n], rates_by[:, n:], evaluations
        )

    def _rate_at(self, floats: Floats, integers: NDArray[np.int64]) -> Floats:
        """ż at the start of a phase: a flow of no duration."""
        m, n = self.field.program, self.states
        a, b = floats.copy(), integers.copy()
        b[m.DIRECTIONS] = 0
        m.flow(a, b, 0.0, 1)
        return a[m.SERIES : m.SERIES + n * m.WIDTH].reshape(n, m.WIDTH)[:, 1].copy()

    def run(self, z: Floats | Sequence[float], t: float, duration: float, which: Sequence[int] | None = None) -> Run:
        """The motion for `duration` with every event; with derivatives where `which` is given, be it empty."""
        m, n, c = self.field.program, self.states, self.contacts
        floats, integers = self._arrays()
        self._set(floats, integers, np.asarray(z, float), t, which)
        floats[m.END] = t + duration
        code = m.begin(floats, integers)
        start_mode = integers[m.MODE : m.MODE + c].copy()
        kept: list[Floats] = []
        step_room, event_room = 256, 256 + 2 * c
        steps, events = np.zeros(step_room * m.STEP_WIDTH), np.zeros(event_room * m.EVENT_WIDTH)
        code = m.PAUSED if code == m.FINISHED else code
        while code == m.PAUSED:
            filled = np.zeros(2, np.int64)
            code = m.march(floats, integers, MOST_STEPS, steps, events, step_room, event_room, filled)
            kept.append(events[: filled[1] * m.EVENT_WIDTH].reshape(-1, m.EVENT_WIDTH).copy())
        count = 0 if which is None else n + len(which)
        variation = floats[m.VARIATION : m.VARIATION + count * n].reshape(count, n).T.copy()
        self._count[0] += int(integers[m.EVALUATIONS])
        mode = integers[m.MODE : m.MODE + c].copy()
        state = floats[m.STATE : m.STATE + n].copy()
        rate = self._rate_at(floats, integers)
        table = np.concatenate(kept) if kept else np.zeros((0, m.EVENT_WIDTH))
        return Run(
            start=np.array(z, float),
            start_time=t,
            start_mode=start_mode,
            state=state,
            mode=mode,
            by_state=variation[:, :n],
            by_parameter=variation[:, n:],
            rate=rate,
            events=table,
            status=Status.of(code),
            time=float(floats[m.TIME]),
            evaluations=int(integers[m.EVALUATIONS]),
        )

    def enter(
        self, before: Sequence[int], after: Sequence[int], z: Floats, t: float, which: Sequence[int] = ()
    ) -> Entry:
        """The state after a change of modes, where internal states may jump, and how it changes with that before."""
        n = self.states
        if not self.model.internal_states or tuple(before) == tuple(after):
            return Entry(np.array(z, float), np.eye(n), np.zeros((n, len(which))), np.zeros(n))
        m, c = self.field.program, self.contacts
        floats, integers = self._arrays()
        m.constants(floats)
        time = len(self.parameters)
        self._set(floats, integers, np.asarray(z, float), t, [*which, time])
        integers[m.SAVED : m.SAVED + c] = before
        integers[m.FINAL : m.FINAL + c] = after
        m.enter_modes(floats, integers)
        count = n + len(which) + 1
        by = floats[m.VARIATION : m.VARIATION + count * n].reshape(count, n).T.copy()
        state = floats[m.STATE : m.STATE + n].copy()
        by_parameter = by[:, n:-1].copy()
        return Entry(state, by[:, :n], by_parameter, by[:, -1])

    def sliding(self, z: Floats, t: float) -> Floats:
        """Sliding velocities of all contacts."""
        m = self.field.program
        floats, integers = self._arrays()
        m.constants(floats)
        floats[m.STATE : m.STATE + self.states] = z
        floats[m.TIME] = t
        m.ingredients(floats, integers)
        return floats[m.V : m.V + self.contacts].copy()

    def time_scale(self, z: Floats) -> float:
        """A time in which the motion from z changes: the middle one of its first steps, which end at events as well.

        A single step tells little: in stick nothing but an event may end it.
        """
        m, n, c = self.field.program, self.states, self.contacts
        floats, integers = self._arrays()
        self._set(floats, integers, z, 0.0, None)
        floats[m.END] = ENDLESS
        if m.begin(floats, integers) != 0:
            return 1.0
        steps, events = np.zeros((FIRST_STEPS, m.STEP_WIDTH)), np.zeros((FIRST_STEPS + 2) * max(c, 1) * m.EVENT_WIDTH)
        filled = np.zeros(2, np.int64)
        m.march(
            floats, integers, MOST_STEPS, steps.reshape(-1), events, FIRST_STEPS, (FIRST_STEPS + 2) * max(c, 1), filled
        )
        lengths = Steps(steps[: filled[0]], n, c).length
        lengths = lengths[lengths < 1e-3 * ENDLESS]  # not the step of what rests, which goes to the end
        return float(np.median(lengths)) if len(lengths) else 1.0

    def is_rigid(self, contact: int) -> bool:
        """Whether a contact sticks as a constraint: what it sticks to and the mass do not move on each other."""
        return bool(self.field.program.RIGID[contact])

    def at_rest(self, z: Floats, t: float, mode: Sequence[int]) -> Floats:
        """The state with the sticking contacts exactly at rest, moved along G by what round-off left of them."""
        m, n, c = self.field.program, self.states, self.contacts
        floats, integers = self._arrays()
        m.constants(floats)
        floats[m.TIME] = t
        z = np.array(z, float)
        for _ in range(2):
            floats[m.STATE : m.STATE + n] = z
            m.ingredients(floats, integers)
            v, D = floats[m.V : m.V + c], floats[m.D : m.D + c * c].reshape(c, c)
            G = floats[m.G : m.G + n * c].reshape(n, c)
            for i in range(c):
                if mode[i] == 0 and self.is_rigid(i) and v[i] != 0 and D[i, i] != 0:
                    z += G[:, i] * (-v[i] / D[i, i])
        return z

    def sampled(self, mode: Sequence[int], z: Floats, t: float, durations: Floats) -> tuple[Floats, Floats]:
        """Values and rates of all rows (z, v, λ, S) of a phase at rising durations: one row of the result each."""
        m, n, c = self.field.program, self.states, self.contacts
        floats, integers = self._arrays()
        self._set(floats, integers, np.asarray(z, float), t, None)
        integers[m.MODE : m.MODE + c] = mode
        rows, before = n + 3 * c, 0.0
        values, rates = np.zeros((len(durations), rows)), np.zeros((len(durations), rows))
        for k, duration in enumerate(durations):
            code = m.flow(floats, integers, float(duration) - before, MOST_STEPS)
            if code != 0:
                raise MotionError(f"a phase of length {duration:.6g} from t = {t:.6g}: {Status.of(code).value}")
            series = floats[m.SERIES : m.SERIES + rows * m.WIDTH].reshape(rows, m.WIDTH)
            values[k], rates[k], before = series[:, 0], series[:, 1], float(duration)
        return values, rates
