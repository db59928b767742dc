"""The friction force of an oscillator from its measured displacement: m ẍ + c ẋ + k x = F + u(t)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip import notebook
from stickslip.arrays import Bools, Floats
from stickslip.errors import IdentifyError
from stickslip.frames import numbered
from stickslip.identify.errors import column, times
from stickslip.identify.phases import marked, sticking
from stickslip.identify.samples import Samples
from stickslip.identify.smoother import Smoothed, Steps, likeliest, smooth, steps
from stickslip.model.errors import check_number

if TYPE_CHECKING:
    import pandas as pd

LEAST_SAMPLES = 30
LEARNED_FROM = 3000
"""Samples from which noise and smoothness are learned: more would say the same."""
STANDARD_ERRORS = 5.0
PART = 0.003
"""A speed is rest if it is below so many standard errors, or this part of the greatest."""
LEAP = 2.0
"""Where the mode changes, the force may jump by so much, in parts of the range of all forces."""
MARGIN = 1.0
"""Samples within this part of the smoother's reach of a change of mode are neither stick nor slip for certain."""


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """Friction force and sliding velocity of an oscillator, sample by sample: what `reconstruct` returns.

    Attributes
    ----------
    time : array of float
        Times of the samples.
    displacement : array of float
        Displacement x without noise.
    velocity : array of float
        Sliding velocity ẋ − belt.
    velocity_error : array of float
        Its standard error.
    force : array of float
        Friction force on the mass.
    force_error : array of float
        Its standard error.
    stick : array of bool
        Where the mass rests on the belt: there the force is the reaction.
    sure : array of bool
        Samples far enough from changes of mode.
    measured : array of float
        Displacement as it was measured.
    noise : float
        Standard deviation of the measured displacement.
    reach : float
        How many samples to either side the smoother looks.
    notes : tuple of str
        What to know before the numbers are used.

    See Also
    --------
    reconstruct : Makes it.
    stickslip.plot.reconstruction : Draws it.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> t = np.arange(0, 10, 0.01)
    >>> x = np.cos(t) + np.random.default_rng(0).normal(0, 1e-3, 1000)
    >>> found = ss.identify.reconstruct(t, x, mass=1.0, stiffness=0.0)     # the force that makes it swing is −cos t
    >>> bool(abs(found.force[500] + np.cos(5.0)) < 3 * found.force_error[500])
    True
    """

    time: Floats
    displacement: Floats
    velocity: Floats
    velocity_error: Floats
    force: Floats
    force_error: Floats
    stick: Bools
    sure: Bools
    measured: Floats
    noise: float
    reach: float
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Reconstruction: {self._size}>"

    @property
    def _size(self) -> str:
        span = f"{self.time[0]:.6g} to {self.time[-1]:.6g}"
        stick = f"{100 * np.mean(self.stick):.0f} % in stick"
        return f"{len(self.time)} samples from {span}, {stick}, noise {self.noise:.3g}"

    def _repr_html_(self) -> str:
        columns = {"displacement": self.displacement, "velocity": self.velocity, "force": self.force}
        rows = [(name, float(np.min(each)), float(np.max(each))) for name, each in columns.items()]
        return notebook.card(
            "Friction reconstructed from motion",
            notebook.table(rows, ("", "least", "largest")),
            notebook.notes(self.notes),
            note=self._size,
        )

    def to_dataframe(self) -> pd.DataFrame:
        """Everything that is known at every sample, a row for each; the times are the index.

        Returns
        -------
        pandas.DataFrame
            The measured and the smoothed displacement, velocity and force with their errors, stick and sure.

        Examples
        --------
        >>> t = np.arange(0, 10, 0.01)
        >>> frame = reconstruct(t, np.cos(t), mass=1.0, noise=1e-3).to_dataframe()
        >>> bool(abs(frame["force"].iloc[500] + np.cos(5.0)) < 3 * frame["force_error"].iloc[500])
        True
        """
        names = ("time", "measured", "displacement", "velocity", "velocity_error", "force", "force_error")
        columns = {name: getattr(self, name) for name in (*names, "stick", "sure")}
        return numbered(columns, "").set_index("time")

    def samples(self, normal: Any = 1.0) -> Samples:
        """The samples that are certain, for `fit_law`.

        Parameters
        ----------
        normal : float or array_like of float, default 1.0
            Normal force, one or one for each sample.

        Returns
        -------
        Samples
            Velocities and forces with their errors.

        Raises
        ------
        IdentifyError
            If a normal force is not positive, or there are not as many as samples.

        Examples
        --------
        >>> t = np.arange(0, 10, 0.01)
        >>> len(reconstruct(t, np.cos(t), mass=1.0, noise=1e-3).samples()) > 500
        True
        """
        every = Samples(
            self.velocity,
            self.force,
            normal,
            self.time,
            self.stick,
            self.force_error,
            memory=math.ceil(2 * self.reach),
        )
        return every.where(self.sure)


def reconstruct(
    time: Any,
    displacement: Any,
    *,
    mass: float,
    stiffness: float = 0.0,
    damping: float = 0.0,
    excitation: Callable[[float], float] | Any = None,
    belt: Any = 0.0,
    noise: float | None = None,
    threshold: float | None = None,
) -> Reconstruction:
    """The friction force F in m ẍ + c ẋ + k x = F + u(t), from noisy samples of x(t).

    A Kalman smoother takes the force for a random walk whose speed it learns from the record, and lets it jump where
    the mode changes. Near such changes the errors are larger, and within the reach of the smoother they are not sure.

    Parameters
    ----------
    time : array_like of float
        Times of the samples, which rise.
    displacement : array_like of float
        Measured displacement x; at least 30 samples.
    mass : float
        Mass m.
    stiffness : float, default 0.0
        Stiffness k.
    damping : float, default 0.0
        Damping c.
    excitation : callable or array_like of float, optional
        The force u, as a function of time or a value for each sample; by default none.
    belt : float or array_like of float, default 0.0
        Velocity of the surface that the mass rubs on.
    noise : float, optional
        Standard deviation of the displacement; by default it is learned from the record.
    threshold : float, optional
        Slip speeds below it are rest; by default 0.3 % of the greatest, or five standard errors where that is more.

    Returns
    -------
    Reconstruction
        Velocities and forces with their errors; its `samples()` go into `fit_law`.

    Raises
    ------
    IdentifyError
        If there are too few samples, the displacement does not change, or the columns do not fit together.
    ModelError
        If mass, stiffness, damping or noise is no number that can be.

    See Also
    --------
    fit_law : A law from the samples.
    stickslip.plot.reconstruction : Draws it.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> t = np.arange(0, 10, 0.01)
    >>> found = ss.identify.reconstruct(t, 0.1 * np.cos(t), mass=1.0, stiffness=1.0, noise=1e-4)     # no friction
    >>> bool(np.max(np.abs(found.force[100:-100])) < 0.01)
    True
    """
    t = times("time", time)
    measured = column("displacement", displacement, len(t))
    if len(t) < LEAST_SAMPLES:
        raise IdentifyError(f"the record has {len(t)} samples: a force needs at least {LEAST_SAMPLES}")
    size = float(np.ptp(measured))
    if size == 0:
        raise IdentifyError("the displacement does not change: the friction force cannot be told from it")
    numbers = (
        check_number("mass", mass, positive=True),
        check_number("damping", damping, nonnegative=True),
        check_number("stiffness", stiffness, nonnegative=True),
    )
    surface, unit = column("belt", belt, len(t)), float(np.median(np.diff(t)))
    push = _excitation(excitation, t)
    scaled = _Scaled(measured / size, surface * unit / size, size, unit, numbers[0])
    walk = steps(t, unit, *numbers, push / size)
    variance = None if noise is None else (check_number("noise", noise, positive=True) / size) ** 2
    slow = None if threshold is None else check_number("threshold", threshold, positive=True) * unit / size
    found = _passes(scaled, walk, variance, slow)
    return _result(t, measured, scaled, found)


@dataclass(frozen=True)
class _Scaled:
    """The record over its size, velocities per sample."""

    x: Floats
    belt: Floats
    size: float
    unit: float
    mass: float


@dataclass(frozen=True)
class _Found:
    motion: Smoothed
    stick: list[tuple[int, int]]
    doubtful: Bools
    events: list[int]
    speed: float
    variance: float


def _excitation(given: Any, t: Floats) -> Floats:
    if given is None:
        return np.zeros(len(t))
    if callable(given):
        return column("excitation", [given(float(at)) for at in t], len(t))
    return column("excitation", given, len(t))


def reach_of(speed: float) -> float:
    """How many samples to either side the smoother looks: the spectrum of the walk, speed/ω⁶, meets that of the noise.

    >>> round(reach_of(1e-6), 6)
    10.0
    """
    return float(speed ** (-1 / 6))


def _passes(data: _Scaled, walk: Steps, variance: float | None, threshold: float | None) -> _Found:
    """First without jumps; then with jumps where the mode changed; then with rest where it sticks."""
    speed, noise = _learned(data.x, walk, variance)
    motion = smooth(data.x, walk, speed, noise)
    _, events = _modes(data, motion, speed, threshold)
    height = LEAP * float(np.ptp(motion.mean[:, 2]))
    width = max(1, math.ceil(reach_of(speed) / 4))  # as far as the jump may be from where it seems to be
    walk = replace(walk, leap=_leaps(len(walk), events, width) * height**2 / noise)
    speed, noise = _learned(data.x, walk, variance, speed)
    motion = smooth(data.x, walk, speed, noise)
    wide, _ = _modes(data, motion, speed, threshold)
    phases = [phase for one in wide if (phase := _trimmed(data, motion, one)) is not None]
    stick = marked(phases, len(data.x))
    motion = smooth(data.x, walk, speed, noise, data.belt, stick)
    if not np.all(np.isfinite(motion.mean)):
        raise IdentifyError("the force cannot be computed from this record: say what its noise is, with noise=…")
    return _Found(motion, phases, marked(wide, len(data.x)) & ~stick, events, speed, noise)


def _trimmed(data: _Scaled, motion: Smoothed, phase: tuple[int, int]) -> tuple[int, int] | None:
    """A stick phase without its ends, where the velocity differs from rest by more than its error: slip may begin
    slowly, and a threshold sees it late."""
    part = slice(phase[0], phase[1] + 1)
    v = motion.mean[part, 1] - data.belt[part]
    rest = phase[0] + np.flatnonzero(v**2 <= np.median(motion.covariance[part, 1, 1]))  # leaps blur the ends: no mean
    return (int(rest[0]), int(rest[-1])) if len(rest) > 1 else None


def _learned(x: Floats, walk: Steps, variance: float | None, near: float | None = None) -> tuple[float, float]:
    if len(x) <= LEARNED_FROM:
        return likeliest(x, walk, variance, near)
    part = Steps(*(getattr(walk, name)[: LEARNED_FROM - 1] for name in ("transition", "spread", "drift", "leap")))
    return likeliest(x[:LEARNED_FROM], part, variance, near)


def _leaps(count: int, events: list[int], width: int) -> Floats:
    leap = np.zeros(count)
    for event in events:
        leap[max(event - width, 0) : event + width + 1] = 1.0
    return leap


def _modes(
    data: _Scaled, motion: Smoothed, speed: float, threshold: float | None
) -> tuple[list[tuple[int, int]], list[int]]:
    """Stick phases, and the samples where the mode changes: their ends, and reversals of slip."""
    v = motion.mean[:, 1] - data.belt
    error = np.sqrt(np.maximum(motion.covariance[:, 1, 1], 0.0))
    limit = threshold
    if limit is None:
        limit = max(STANDARD_ERRORS * float(np.median(error)), PART * float(np.max(np.abs(v))))
    reach = reach_of(speed)
    phases = sticking(v, limit, least=max(4, math.ceil(2 * reach)))
    crossings = np.flatnonzero(np.sign(v[1:]) != np.sign(v[:-1]))
    free = ~marked(phases, len(v))
    reversals = [int(i) for i in crossings if free[i] and free[i + 1]]
    ends = [i for first, last in phases for i in (first, last) if 0 < i < len(v) - 1]
    slope = np.abs(np.diff(motion.mean[:, 2]))
    return phases, sorted({_steepest(slope, i, max(2, math.ceil(reach))) for i in (*ends, *reversals)})


def _steepest(slope: Floats, place: int, reach: int) -> int:
    """Where the force changes fastest near a change of mode: there it jumps, if it does."""
    first = max(place - reach, 0)
    return first + int(np.argmax(slope[first : place + reach + 1]))


def _result(t: Floats, measured: Floats, data: _Scaled, found: _Found) -> Reconstruction:
    mean, covariance = found.motion.mean, found.motion.covariance
    reach = reach_of(found.speed)
    stick = marked(found.stick, len(t))
    sure = np.ones(len(t), dtype=bool)
    margin = math.ceil(MARGIN * reach)
    for event in found.events:
        sure[max(event - margin, 0) : event + margin + 2] = False
    sure &= ~found.doubtful
    sure[:margin] = sure[len(t) - margin :] = False
    per_velocity, per_force = data.size / data.unit, data.size * data.mass / data.unit**2
    spread = np.einsum("nii->ni", covariance)
    errors = np.sqrt(np.maximum(spread, 1e-6 * np.median(spread, axis=0)))  # where round-off leaves no variance at all
    notes = []
    if reach > len(t) / 20:
        notes.append(
            f"The smoother reaches over {reach:.0f} of {len(t)} samples: the record is too short or too noisy."
        )
    return Reconstruction(
        t,
        mean[:, 0] * data.size,
        (mean[:, 1] - data.belt) * per_velocity,
        errors[:, 1] * per_velocity,
        mean[:, 2] * per_force,
        errors[:, 2] * per_force,
        stick,
        sure,
        measured,
        math.sqrt(found.variance) * data.size,
        reach,
        tuple(notes),
    )
