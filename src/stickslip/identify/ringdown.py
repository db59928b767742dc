"""Contact stiffness and damping from the decaying oscillation of a block that sticks (hinrichs1998, Fig. 25).

A block that sticks on its asperities and is struck swings freely: m ẍ + (b + b_R) ẋ + (c + c_R) x = 0, Eq. (8) with
ẏ = 0. The frequency gives the contact stiffness c_R, the decay the contact damping b_R.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.arguments import floats
from stickslip.arrays import Floats
from stickslip.errors import IdentifyError
from stickslip.identify.errors import column, times
from stickslip.identify.estimate import LEVEL, Estimate
from stickslip.identify.solve import Problem, solve
from stickslip.model.errors import check_number, shown

if TYPE_CHECKING:
    import pandas as pd

LEAST_SAMPLES = 8
RATES = (0.0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8)
"""Decay per radian of the oscillation that is tried as a start."""
NAMES = ("frequency", "decay", "offset", "cosine", "sine")
CORRELATED = 4.0
CHANCE = 1e-3
"""An oscillation that noise alone would show with a probability above this is none."""


@dataclass(frozen=True, eq=False)
class RingDown:
    """A decaying oscillation, fitted: what `ringdown` returns.

    x = offset + e^(−decay·t) (cosine·cos ωt + sine·sin ωt), with t from the first sample.

    Attributes
    ----------
    signal : Estimate
        `frequency` ω, in radians per unit of time, `decay`, per unit of time, `offset`, `cosine` and `sine`.
    contact : Estimate
        What they say about the contact: its stiffness `c_R` and damping `b_R`, and the whole `stiffness` and `damping`.
    time : array of float
        Times of the samples used.
    displacement : array of float
        What was measured then.
    residuals : array of float
        Samples minus the fitted oscillation.

    See Also
    --------
    ringdown : Makes it.
    stickslip.plot.ringdown : Draws it.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> t = np.linspace(0, 1, 400)
    >>> found = ss.identify.ringdown(t, np.exp(-3 * t) * np.cos(40 * t), mass=2.0, stiffness=100.0)
    >>> round(found["c_R"], 6), round(found["b_R"], 6)
    (3118.0, 12.0)
    """

    signal: Estimate
    contact: Estimate
    time: Floats
    displacement: Floats
    residuals: Floats

    def __getitem__(self, name: str) -> float:
        return self.contact[name] if name in self.contact.parameters else self.signal[name]

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know before the numbers are used, in sentences."""
        return self.contact.notes

    @property
    def damping_ratio(self) -> float:
        """Damping over critical damping.

        Examples
        --------
        >>> t = np.linspace(0, 1, 400)
        >>> round(ringdown(t, np.exp(-3 * t) * np.cos(4 * t), mass=2.0).damping_ratio, 6)
        0.6
        """
        decay, frequency = self.signal["decay"], self.signal["frequency"]
        return decay / math.hypot(decay, frequency)

    def curve(self, time: Any) -> Floats:
        """The fitted oscillation at any times.

        Parameters
        ----------
        time : array_like of float
            Times, as in the record.

        Returns
        -------
        array of float
            Displacements.

        Examples
        --------
        >>> t = np.linspace(0, 1, 400)
        >>> round(float(ringdown(t, np.exp(-3 * t) * np.cos(40 * t), mass=2.0).curve([0.0])[0]), 6)
        1.0
        """
        return _value(floats("the times", time) - self.time[0], self._parameters)

    def envelope(self, time: Any) -> Floats:
        """By how far the fitted oscillation swings from its offset at most.

        Parameters
        ----------
        time : array_like of float
            Times, as in the record.

        Returns
        -------
        array of float
            Amplitudes.

        Examples
        --------
        >>> t = np.linspace(0, 1, 400)
        >>> round(float(ringdown(t, np.exp(-3 * t) * np.cos(40 * t), mass=2.0).envelope([0.0])[0]), 6)
        1.0
        """
        since = floats("the times", time) - self.time[0]
        size = math.hypot(self.signal["cosine"], self.signal["sine"])
        return np.asarray(size * np.exp(-self.signal["decay"] * since))

    def band(self, time: Any, level: float = LEVEL) -> tuple[Floats, Floats]:
        """The confidence limits of the fitted oscillation.

        Parameters
        ----------
        time : array_like of float
            Times, as in the record.
        level : float, default 0.95
            Probability with which the limits enclose the value.

        Returns
        -------
        tuple of array of float
            Lower and upper limits.

        Examples
        --------
        >>> t = np.linspace(0, 1, 400)
        >>> low, high = ringdown(t, np.exp(-3 * t) * np.cos(40 * t), mass=2.0).band([0.5])
        >>> bool(high[0] - low[0] < 1e-9)
        True
        """
        g = _gradient(floats("the times", time) - self.time[0], self._parameters)
        reach = self.signal.quantile(level) * np.sqrt(np.einsum("ij,jk,ik->i", g, self.signal.covariance, g))
        return self.curve(time) - reach, self.curve(time) + reach

    @property
    def _parameters(self) -> Floats:
        return np.array([self.signal[name] for name in NAMES])

    def to_dataframe(self, level: float = LEVEL) -> pd.DataFrame:
        """The numbers of the contact, then those of the oscillation, with their errors and confidence intervals.

        Parameters
        ----------
        level : float, default 0.95
            The level of the confidence interval.

        Returns
        -------
        pandas.DataFrame
            The columns value, error, low and high; the names of the numbers are the index.

        Examples
        --------
        >>> t = np.linspace(0, 1, 400)
        >>> found = ringdown(t, np.exp(-3 * t) * np.cos(40 * t), mass=2.0, stiffness=100.0)
        >>> found.to_dataframe()["value"].round(6)[["c_R", "decay"]].tolist()
        [3118.0, 3.0]
        """
        import pandas as pd

        return pd.concat([self.contact.to_dataframe(level), self.signal.to_dataframe(level)])

    def __repr__(self) -> str:
        return f"<RingDown: {self.contact.brief}>"

    def _repr_html_(self) -> str:
        return self.contact.card("Contact from its ring-down") + self.signal.card("The oscillation")

    def __str__(self) -> str:
        return str(self.contact)


def ringdown(
    time: Any,
    displacement: Any,
    *,
    mass: Any,
    stiffness: Any = 0.0,
    damping: Any = 0.0,
    error: float | None = None,
    start: float | None = None,
    end: float | None = None,
) -> RingDown:
    """Contact stiffness and damping from the free oscillation of a block that sticks.

    hinrichs1998, Sec. 7.3, Eqs. (8)–(11) and Fig. 25.

    Parameters
    ----------
    time : array_like of float
        Times of the samples, which rise.
    displacement : array_like of float
        Displacement, velocity or force: whatever swings with the block.
    mass : float or tuple of float
        Mass of the block; a number, or a pair (number, standard error).
    stiffness : float or tuple of float, default 0.0
        Stiffness of what holds the block besides the contact; a number, or a pair.
    damping : float or tuple of float, default 0.0
        Damping of what holds the block besides the contact; a number, or a pair.
    error : float, optional
        Standard deviation of the samples, where it is known; by default it is estimated from the residuals.
    start : float, optional
        First time that is used; the impulse that set the block swinging must lie before it. By default all.
    end : float, optional
        Last time that is used; by default all.

    Returns
    -------
    RingDown
        `found["c_R"]`, `found["b_R"]`, `found.contact.interval("c_R")`.

    Raises
    ------
    IdentifyError
        If fewer than 8 samples are used, they do not swing, or were taken less than twice in a period.
    ModelError
        If mass, stiffness, damping or error is no number that can be.

    See Also
    --------
    stickslip.CompliantContact : A contact with such a stiffness.
    stickslip.plot.ringdown : Draws it.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> t = np.linspace(0, 0.5, 1000)
    >>> x = 1e-5 * np.exp(-12 * t) * np.sin(158 * t) + np.random.default_rng(0).normal(0, 1e-7, 1000)
    >>> found = ss.identify.ringdown(t, x, mass=6.08, stiffness=3956.0, damping=0.768)
    >>> low, high = found.contact.interval("c_R")
    >>> bool(low < 6.08 * (158**2 + 12**2) - 3956 < high)
    True
    """
    t, x = _record(time, displacement, start, end)
    known = [_with_error(*pair) for pair in (("mass", mass), ("stiffness", stiffness), ("damping", damping))]
    since = t - t[0]
    frequency = _frequency(since, x)
    problem = Problem(
        NAMES,
        lambda p: _value(since, p),
        lambda p: _gradient(since, p),
        x,
        _first(since, x, frequency),
        np.full(5, -np.inf),
        np.full(5, np.inf),
        NAMES,
        (),
        np.array([frequency, frequency, *[float(np.ptp(x)) or 1.0] * 3]),
    )
    given = None if error is None else np.full(len(x), check_number("error", error, positive=True))
    signal, p = solve(replace(problem, linear=NAMES), error=given)  # the start is good: there is no grid to search
    residuals = x - _value(since, p)
    _check(signal, p, since, x, residuals)
    contact = _contact(signal, known)
    notes = tuple(_doubts(p, since, residuals))
    return RingDown(signal, replace(contact, notes=notes), t, x, residuals)


def _record(time: Any, displacement: Any, start: float | None, end: float | None) -> tuple[Floats, Floats]:
    t = times("time", time)
    x = column("displacement", displacement, len(t))
    first = -math.inf if start is None else check_number("start", start)
    last = math.inf if end is None else check_number("end", end)
    used = (t >= first) & (t <= last)
    if np.sum(used) < LEAST_SAMPLES:
        raise IdentifyError(
            f"{int(np.sum(used))} samples lie between start and end: a ring-down needs at least {LEAST_SAMPLES}"
        )
    if np.ptp(x[used]) == 0:
        raise IdentifyError("the record does not swing: all its samples are equal")
    return t[used], x[used]


def _with_error(what: str, value: Any) -> tuple[float, float]:
    if isinstance(value, tuple | list):
        if len(value) != 2:
            raise IdentifyError(f"{what} is {shown(value)}: give a number, or a pair (number, standard error)")
        return check_number(what, value[0], nonnegative=True), check_number(f"the error of {what}", value[1])
    return check_number(what, value, positive=what == "mass", nonnegative=True), 0.0


def _value(t: Floats, p: Floats) -> Floats:
    frequency, decay, offset, cosine, sine = p
    with np.errstate(over="ignore", invalid="ignore"):
        swing = cosine * np.cos(frequency * t) + sine * np.sin(frequency * t)
        return np.asarray(offset + np.exp(-decay * t) * swing)


def _gradient(t: Floats, p: Floats) -> Floats:
    frequency, decay, _, cosine, sine = p
    with np.errstate(over="ignore", invalid="ignore"):
        envelope = np.exp(-decay * t)
        c, s = envelope * np.cos(frequency * t), envelope * np.sin(frequency * t)
    return np.column_stack([t * (sine * c - cosine * s), -t * (cosine * c + sine * s), np.ones_like(t), c, s])


def _frequency(t: Floats, x: Floats) -> float:
    """Where the spectrum of the record is highest; the signal may be sampled unevenly, or swing only once or twice."""
    even = np.linspace(0.0, t[-1], len(t))
    signal = np.interp(even, t, x)
    padded = 8 * len(signal)
    power = np.abs(np.fft.rfft(signal - np.mean(signal), padded))
    return float(2 * math.pi * (1 + int(np.argmax(power[1:]))) / (padded * (even[1] - even[0])))


def _first(t: Floats, x: Floats, frequency: float) -> Floats:
    """The best of a few decays and frequencies near the peak of the spectrum, the rest solved for linearly."""
    best, chosen = math.inf, np.zeros(5)
    for factor in (1.0, 0.8, 0.9, 0.95, 1.05, 1.1, 1.25):
        for rate in RATES:
            p = np.array([factor * frequency, rate * frequency, 0.0, 0.0, 0.0])
            columns = _gradient(t, p)[:, 2:]
            rest = np.linalg.lstsq(columns, x, rcond=None)[0]
            cost = float(np.sum((x - columns @ rest) ** 2))
            if cost < best:
                best, chosen = cost, np.array([*p[:2], *rest])
    return chosen


def _check(signal: Estimate, p: Floats, t: Floats, x: Floats, residuals: Floats) -> None:
    frequency, count = p[0], len(x)
    # A sine can be fitted to noise alone, at the best of about n/2 frequencies: how likely is one as good as this?
    left = float(np.sum(residuals**2) / max(np.sum((x - np.mean(x)) ** 2), 1e-300))
    by_chance = count / 2 * left ** ((count - len(p)) / 2)
    if signal.undetermined or not math.isfinite(signal.error("frequency")) or by_chance > CHANCE:
        raise IdentifyError("the record does not swing: no oscillation was found in it")
    if signal.error("frequency") > 0.3 * abs(frequency):
        raise IdentifyError(
            f"the frequency is {abs(frequency):.3g} ± {signal.error('frequency'):.2g}: the record does not show a "
            "decaying oscillation; choose start and end so that it does, or sample faster"
        )
    if abs(frequency) * float(np.max(np.diff(t))) > math.pi:
        raise IdentifyError(
            f"the oscillation was sampled less than twice in its period of {2 * math.pi / abs(frequency):.3g}: "
            "sample faster"
        )


def _contact(signal: Estimate, known: list[tuple[float, float]]) -> Estimate:
    """Stiffness m (ω² + β²) and damping 2 m β, whole and of the contact alone, with all errors carried along."""
    (m, m_error), (c, c_error), (b, b_error) = known
    frequency, decay = signal["frequency"], signal["decay"]
    natural = frequency**2 + decay**2
    values = np.array([m * natural - c, 2 * m * decay - b, m * natural, 2 * m * decay])
    by_signal = np.array([[2 * m * frequency, 2 * m * decay], [0.0, 2 * m]] * 2)
    by_known = np.array([[natural, -1.0, 0.0], [2 * decay, 0.0, -1.0], [natural, 0.0, 0.0], [2 * decay, 0.0, 0.0]])
    of_known = np.diag([m_error**2, c_error**2, b_error**2])
    covariance = by_signal @ signal.covariance[:2, :2] @ by_signal.T + by_known @ of_known @ by_known.T
    return Estimate(
        ("c_R", "b_R", "stiffness", "damping"),
        values,
        covariance,
        freedom=signal.freedom,
        count=signal.count,
        deviation=signal.deviation,
        log_likelihood=signal.log_likelihood,
        estimated=signal.estimated,
    )


def _doubts(p: Floats, t: Floats, residuals: Floats) -> list[str]:
    notes = []
    turns = abs(p[0]) * (t[-1] - t[0]) / (2 * math.pi)
    if turns < 1.5:
        notes.append(f"The record has {turns:.2g} periods only: offset, decay and frequency are hard to tell apart.")
    if p[1] < 0:
        notes.append("The oscillation grows: there is something that drives it, or the record is too short.")
    together = float(np.corrcoef(residuals[1:], residuals[:-1])[0, 1]) if np.any(residuals) else 0.0
    if together * math.sqrt(len(residuals)) > CORRELATED:
        notes.append(
            f"The residuals are no noise (correlation {together:.2f} from one to the next): the decay is not that of a "
            "linear spring and damper, perhaps because the contact slips; errors are too small. A later start may help."
        )
    return notes
