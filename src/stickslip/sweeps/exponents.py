"""`lyapunov`: how fast neighbouring motions part, in every direction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import matrix_balance

from stickslip import notebook
from stickslip.arguments import check_model, check_progress
from stickslip.arrays import Floats
from stickslip.errors import ModelError, MotionError
from stickslip.field import Field
from stickslip.frames import numbered
from stickslip.kernels.outcome import FINISHED
from stickslip.methods.exact import Exact
from stickslip.model.errors import check_number, check_whole, shown
from stickslip.model.listing import Listing
from stickslip.model.system import Model
from stickslip.orbits.fundamental import carried
from stickslip.orbits.guess import scale_of
from stickslip.orbits.motion import ORDER, Motion
from stickslip.progress import Progress, reporting
from stickslip.result import Result
from stickslip.status import Status
from stickslip.sweeps.observation import CYCLES
from stickslip.targets.generated import NEIGHBOURS

if TYPE_CHECKING:
    import pandas as pd

RTOL = 1e-10
PIECES = 400
"""Parts of the time at whose ends the sums are kept."""

BLOCKS = 20
"""Parts of the time whose means say how sure the mean of all is."""

MOST_STEPS = 10**15

ROUND_OFF = 1e-12
"""A multiplier that is smaller, or smaller than so much of its matrix, may be nothing but round-off."""


@dataclass(frozen=True, eq=False)
class Lyapunov(metaclass=Listing):
    """The Lyapunov exponents of a motion, as `lyapunov` returns them.

    Attributes
    ----------
    model : System or Filippov
        The model.
    exponents : array
        Per unit time, largest first. Where contacts come to rest, directions are lost for good: their exponents are
        −inf.
    error : array
        Their standard errors.
    per : str
        What a cycle is: "time", a unit of time; "forcing", a period of the excitation; "release", from one change from
        stick to slip to the next, of any contact.
    cycle : float
        Its mean length, in units of time.
    per_cycle : array
        The exponents per cycle.
    per_cycle_error : array
        Their standard errors.
    lost : int
        How many directions are lost.
    releases : int
        How many changes from stick to slip there were.
    history : xarray.Dataset
        The exponents as they were after a part of the time.
    status : Status
        How the run ended.

    See Also
    --------
    lyapunov : computes them.
    observe.LargestExponent : the largest one in a sweep.

    Examples
    --------
    >>> import stickslip as ss
    >>> spectrum = ss.lyapunov(ss.models.block_on_belt(), t=600)
    >>> spectrum.lost, bool(abs(spectrum.largest) < 0.01)
    (1, True)
    """

    model: Model
    exponents: Floats
    error: Floats
    per: str
    cycle: float
    per_cycle: Floats
    per_cycle_error: Floats
    lost: int
    releases: int
    history: Result
    status: Status

    @property
    def largest(self) -> float:
        """The largest exponent, per unit time: positive where the motion is chaotic."""
        return float(self.exponents[0])

    @property
    def dimension(self) -> float:
        """The dimension of the attractor by Kaplan and Yorke, without the direction of time of an excited system."""
        sums = np.cumsum(self.exponents)
        whole = int(np.sum(sums >= 0))
        if whole == 0 or whole == len(sums):
            return float(whole)
        return whole + float(sums[whole - 1] / abs(self.exponents[whole]))

    def to_dataframe(self) -> pd.DataFrame:
        """The exponents as a table, a row for each with its error, and the same per cycle.

        Returns
        -------
        pandas.DataFrame
            The columns exponent, error, per_cycle and per_cycle_error.

        Examples
        --------
        >>> import stickslip as ss
        >>> frame = ss.lyapunov(ss.models.block_on_belt(), t=600).to_dataframe()
        >>> float(frame["exponent"].iloc[-1]), list(frame.columns)
        (-inf, ['exponent', 'error', 'per_cycle', 'per_cycle_error'])
        """
        columns = {
            "exponent": self.exponents,
            "error": self.error,
            "per_cycle": self.per_cycle,
            "per_cycle_error": self.per_cycle_error,
        }
        unit = f"1/{self.model.time_unit}" if self.model.time_unit else ""
        return numbered(columns, "direction", {"exponent": unit, "error": unit})

    def _repr_html_(self) -> str:
        rows = zip(self.exponents.tolist(), self.error.tolist(), self.per_cycle.tolist(), strict=True)
        lost = f"{self.lost} lost to stick, " if self.lost else ""
        return notebook.card(
            f"Lyapunov exponents of {self.model.about.called}",
            notebook.table(rows, ("per unit time", "± error", f"per {self.per}")),
            notebook.notes([self.status.value]),
            note=f"{lost}dimension by Kaplan and Yorke {self.dimension:.4g}",
        )

    def __repr__(self) -> str:
        values = ", ".join(f"{e:.6g}" for e in self.exponents)
        return f"<Lyapunov exponents of {self.model.about.name or 'a model'}: {values}>"


def lyapunov(
    model: Model,
    *,
    t: float,
    transient: float | None = None,
    start: Mapping[str, float] | Sequence[float] | None = None,
    count: int | None = None,
    renormalise: int = 1,
    per: str = "time",
    rtol: float = RTOL,
    progress: Progress = None,
) -> Lyapunov:
    """The Lyapunov exponents of the motion from a start, from its exact derivatives through every event.

    An excited system has one exponent per state; the direction of time, whose exponent is 0, is not among them. A
    system without excitation that does not come to rest has an exponent 0, along its own motion. Ctrl-C keeps what is
    measured by then, and `status` says so.

    Parameters
    ----------
    model : System or Filippov
        The model.
    t : float
        How long growth is measured, in units of time.
    transient : float, optional
        How long the motion runs before, a tenth of t by default; directions are carried in its second half.
    start : mapping or sequence of float, optional
        As for `simulate`; by default the model's own.
    count : int, optional
        How many exponents, from the largest; all by default.
    renormalise : int, default 1
        Steps between two orthonormalisations; the exponents do not depend on it.
    per : str, default "time"
        What `per_cycle` counts by: "time", "forcing" or "release" (stick → slip). The exponents of a map of release
        points are those per release.
    rtol : float, default 1e-10
        Relative tolerance of a step.
    progress : callable or bool, optional
        Called now and then with the part of the time that is done; by default a bar, as in `simulate`.

    Returns
    -------
    Lyapunov
        The exponents with their errors.

    Raises
    ------
    ModelError
        If a number, a word or the start is not allowed.

    See Also
    --------
    observe.LargestExponent : the largest exponent in a sweep.
    series.largest_exponent : from measurements.

    Examples
    --------
    >>> import stickslip as ss
    >>> chaos = ss.lyapunov(ss.models.forced_oscillator("III", eta=1.915, u0=1.0), t=3000, per="release")
    >>> chaos.lost, bool(0.1 < chaos.per_cycle[0] < 0.22)
    (1, True)
    """
    check_model(model)
    check_progress(progress)
    t = check_number("lyapunov: t", t, positive=True)
    transient = 0.1 * t if transient is None else check_number("lyapunov: transient", transient, nonnegative=True)
    rtol = Exact(rtol=rtol).rtol
    states = len(model.states)
    directions = states if count is None else check_whole("lyapunov: count", count, 1, states, ", the number of states")
    renormalise = check_whole("lyapunov: renormalise", renormalise)
    march = _March(neighbours(model, rtol), model.start_state(start), every=renormalise)
    cycle_of = cycle_length(march.motion, per)
    rows: list[Floats] = []
    try:
        with reporting(progress, "following neighbours", lambda part: part) as report:
            status = march.settle(transient, directions)
            rows.append(march.row())
            for piece in range(1, PIECES + 1):
                if not status.finished:
                    break
                status = march.to(transient + t * piece / PIECES)
                if status.finished:
                    rows.append(march.row())
                report(piece / PIECES)
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    if not rows:  # interrupted in the transient: nothing is measured, and no direction is known to be lost
        return _summary(model, np.zeros((1, 2 + directions)), directions, per, cycle_of, status)
    return _summary(model, np.array(rows), march.left, per, cycle_of, status)


def neighbours(model: Model, rtol: float) -> Motion:
    """The motion of a model, compiled with the kernels that carry directions without end."""
    return Motion(model, rtol, Field.of(model, order=ORDER, kernels=NEIGHBOURS))


def exponent_of_cycle(
    motion: Motion, state: Floats, mode: Sequence[int], time: float, period: float
) -> tuple[float, float] | None:
    """The largest exponent of a motion that repeats itself, per period, and by how much the next period's differs.

    It is the logarithm of the largest multiplier; None where that is lost in round-off, or the motion stops.
    """
    found, state = [], motion.at_rest(state, time, mode)
    for begin in (time, time + period):
        try:
            (state,), (matrix,) = carried(motion, state, begin, np.array([begin + period]))
        except MotionError:
            return None
        balanced, _ = matrix_balance(matrix, permute=False)  # in units in which its rows and columns are alike
        largest = float(np.max(np.abs(np.linalg.eigvals(balanced))))
        if not largest > ROUND_OFF * max(1.0, float(np.linalg.norm(balanced))):
            return None
        found.append(float(np.log(largest)))
    return found[1], abs(found[1] - found[0])


@dataclass(frozen=True)
class Window:
    """When a motion begins, and between which times the growth of its neighbours is measured."""

    begin: float
    measured: float
    end: float

    @classmethod
    def after(cls, begin: float, length: float) -> Window:
        """From a time on, a tenth of the length later, by when directions have turned to where they grow."""
        return cls(begin, begin + 0.1 * length, begin + 1.1 * length)


def largest_exponent(motion: Motion, start: Floats, window: Window, per: str, most_steps: int) -> tuple[float, float]:
    """The largest exponent in a window, per cycle, and its standard error; nan where the motion stops early.

    One direction is enough: whichever it is, it turns to where neighbours part fastest.
    """
    march = _March(motion, start, window.begin, most_steps=most_steps)
    cycle_of = cycle_length(motion, per)
    status = march.settle(window.measured, 1)
    rows = [march.row()]
    for time in np.linspace(window.measured, window.end, BLOCKS + 1)[1:]:
        if not status.finished:
            return np.nan, np.nan
        status = march.to(float(time))
        rows.append(march.row())
    time, releases, growth = np.array(rows).T
    if march.left == 0:
        return -np.inf, 0.0
    cycles = np.diff(releases) if cycle_of is None else np.diff(time) / cycle_of
    value, error = _ratio(np.diff(growth)[:, None], cycles)
    return float(value[0]), float(error[0])


def cycle_length(motion: Motion, per: str) -> float | None:
    """The length of a cycle; None where releases have to be counted."""
    if not isinstance(per, str) or per not in CYCLES:
        raise ModelError(f"lyapunov: per is {shown(per)}: it must be one of {', '.join(CYCLES)}")
    if per == "release":
        return None
    if per == "time":
        return 1.0
    if motion.forcing_period is None:
        raise ModelError('lyapunov: per is "forcing", but the equations show no excitation with a period')
    return motion.forcing_period


class _March:
    """The motion with its directions, and what has been summed up so far."""

    def __init__(
        self,
        motion: Motion,
        start: Sequence[float] | Floats,
        begin: float = 0.0,
        every: int = 1,
        most_steps: int = MOST_STEPS,
    ) -> None:
        self.motion, self.program, self.most_steps = motion, motion.field.program, most_steps
        self.trajectory, self.growth = motion.workspace(start, begin), self.program.kernels.exponents.Growth()
        self.growth.scale[:], self.growth.renormalise = 1.0, every
        self.total = 0
        self.code = self.program.begin(self.trajectory)

    @property
    def left(self) -> int:
        """The number of directions that are not lost."""
        return int(self.trajectory.directions)

    def settle(self, until: float, directions: int) -> Status:
        """Half of the way alone, to see how large the states are; the other half with the directions."""
        n, trajectory, growth = self.motion.states, self.trajectory, self.growth
        middle = 0.5 * (float(trajectory.time) + until)
        status = self.to(middle) if self.code == FINISHED else Status.of(self.code)
        growth.scale[:] = scale_of(growth.extent[None, :], n) if np.any(growth.extent > 0) else np.ones(n)
        chosen, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((n, n)))
        trajectory.variation[:directions] = self.motion.stopped(trajectory, chosen[:directions] * growth.scale)
        trajectory.varied_parameter[:directions] = -1
        trajectory.directions = self.total = directions
        if status.finished:
            status = self.to(until)
        growth.logarithm[:], growth.releases = 0.0, 0
        return status

    def to(self, time: float) -> Status:
        """Go on to a time."""
        return Status.of(self.program.measure_growth(self.trajectory, self.growth, float(time), self.most_steps))

    def row(self) -> Floats:
        """Time, releases, and the logarithms of growth of all directions, lost ones being −inf."""
        sums = np.where(np.arange(self.total) < self.left, self.growth.logarithm[: self.total], -np.inf)
        return np.array([float(self.trajectory.time), float(self.growth.releases), *sums])


def _summary(model: Model, rows: Floats, left: int, per: str, cycle_of: float | None, status: Status) -> Lyapunov:
    """Exponents and their errors from the sums at the ends of all pieces."""
    time, releases, sums = rows[:, 0] - rows[0, 0], rows[:, 1], rows[:, 2:]
    total, count = float(time[-1]), int(releases[-1])
    cycle = cycle_of if cycle_of is not None else total / count if count else np.nan
    kept = sums[:, :left]
    order = np.argsort(-kept[-1], kind="stable")
    kept = kept[:, order]
    ends = np.linspace(0, len(time) - 1, min(BLOCKS, len(time) - 1) + 1).astype(int)
    by_time = _ratio(np.diff(kept[ends], axis=0), np.diff(time[ends]))
    cycles = np.diff(releases[ends]) if cycle_of is None else np.diff(time[ends]) / cycle_of
    by_cycle = _ratio(np.diff(kept[ends], axis=0), cycles)
    lost = sums.shape[1] - left
    gone, sure = np.full(lost, -np.inf), np.zeros(lost)
    return Lyapunov(
        model=model,
        exponents=np.concatenate([by_time[0], gone]),
        error=np.concatenate([by_time[1], sure]),
        per=per,
        cycle=float(cycle),
        per_cycle=np.concatenate([by_cycle[0], gone]),
        per_cycle_error=np.concatenate([by_cycle[1], sure]),
        lost=lost,
        releases=count,
        history=_history(time, kept, lost, model.time_unit),
        status=status,
    )


def _ratio(growth: Floats, lengths: Floats) -> tuple[Floats, Floats]:
    """Growth per length, all in all, and its standard error from how blocks scatter about it."""
    total = float(np.sum(lengths))
    if len(growth) == 0 or total == 0:
        return np.full(growth.shape[1], np.nan), np.full(growth.shape[1], np.nan)
    mean = np.sum(growth, axis=0) / total
    scatter = growth - mean * lengths[:, None]
    blocks = len(growth)
    return mean, np.sqrt(np.sum(scatter**2, axis=0) * blocks / max(blocks - 1, 1)) / total


def _history(time: Floats, kept: Floats, lost: int, unit: str) -> Result:
    """The exponents as they were after a part of the time."""
    values = (kept[1:] - kept[0]) / time[1:, None]
    values = np.column_stack([values, np.full((len(values), lost), -np.inf)])
    data = {"exponent": (("time", "direction"), values, {"units": f"1/{unit}" if unit else ""})}
    coordinates = {"time": ("time", time[1:], {"units": unit}), "direction": np.arange(1, values.shape[1] + 1)}
    return Result(data, coordinates)
