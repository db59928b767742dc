"""A friction law fitted to measured velocities and forces."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from stickslip import notebook
from stickslip.arguments import check_flag, floats, pair
from stickslip.arrays import Floats
from stickslip.errors import IdentifyError, ModelError
from stickslip.identify.bins import Classes, classes, of_side
from stickslip.identify.curves import LawCurve, check_values, law_curve, law_named
from stickslip.identify.errors import column
from stickslip.identify.estimate import LEVEL, Estimate
from stickslip.identify.samples import Samples, samples_of, sense_of
from stickslip.identify.solve import Problem, solve
from stickslip.model.errors import check_mapping, check_number, check_whole, shown
from stickslip.model.laws import FrictionLaw

if TYPE_CHECKING:
    import pandas as pd

GROUPS = 12
"""Classes of speed in which the residuals of a law that fits have the mean zero."""
CORRELATED = 4.0
"""Neighbouring residuals are correlated beyond chance by this many standard errors."""


@dataclass(frozen=True, eq=False)
class LawFit:
    """A fitted friction law: what `fit_law` returns.

    Attributes
    ----------
    law : FrictionLaw
        Ready for a `Contact`.
    label : str
        What the law is called.
    estimate : Estimate
        The parameters with their errors.
    samples : Samples
        Those that were used.
    residuals : array of float
        Their forces minus those of the law.
    sense : float
        −1 where forces act on the body, against its velocity; +1 where they were measured the other way.
    offset : float
        Zero of the force, if it was fitted, in the unit of the forces; else 0.
    lack_of_fit : float
        Probability of residuals as uneven as these over the speed, if the law were right: where it is small, it is not.
    curve : LawCurve
        The law as a function of speed and parameters, with its derivatives.

    See Also
    --------
    fit_law : Makes it.
    stickslip.plot.fit : Draws it.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> v = np.linspace(0.01, 2, 200)
    >>> fit = ss.identify.fit_law((v, 0.4 / (1 + 3 * v)), "hyperbolic")
    >>> round(fit.law.mu_s, 6), round(fit.law.delta, 6)
    (0.4, 3.0)
    """

    law: FrictionLaw
    label: str
    estimate: Estimate
    samples: Samples
    residuals: Floats
    sense: float
    offset: float
    lack_of_fit: float
    curve: LawCurve

    def __getitem__(self, name: str) -> float:
        return self.estimate[name]

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know before the law is used, in sentences.

        Examples
        --------
        >>> fit_law(([0.1, 0.2, 0.3], [0.3, 0.31, 0.29]), "coulomb").notes[0]
        'mu_s is not seen in slip: it follows the kinetic coefficient; give breakaway forces to measure it.'
        """
        return self.estimate.notes

    def coefficient(self, speed: Any) -> Floats:
        """The kinetic coefficient of the fitted law.

        Parameters
        ----------
        speed : array_like of float
            Slip speeds.

        Returns
        -------
        array of float
            The coefficient at each speed; a force where no normal force was given.

        Examples
        --------
        >>> fit_law(([0.1, 0.2, 0.3], [0.3, 0.3, 0.3]), "coulomb").coefficient([1.0]).round(6).tolist()
        [0.3]
        """
        values = self.estimate.parameters
        p = np.array([values[name] for name in self.curve.names])
        return self.curve.curve.value(np.abs(floats("the speeds", speed)), p)

    def band(self, speed: Any, level: float = LEVEL) -> tuple[Floats, Floats]:
        """The confidence limits of the coefficient at each speed.

        Parameters
        ----------
        speed : array_like of float
            Slip speeds.
        level : float, default 0.95
            Probability with which the limits enclose the value.

        Returns
        -------
        tuple of array of float
            Lower and upper limits.

        Examples
        --------
        >>> low, high = fit_law(([0.1, 0.2, 0.3], [0.3, 0.31, 0.29]), "coulomb").band([1.0])
        >>> low.round(4).tolist(), high.round(4).tolist()
        ([0.2752], [0.3248])
        """
        v = np.abs(floats("the speeds", speed))
        values = self.estimate.parameters
        slopes = self.curve.curve.gradient(v, np.array([values[name] for name in self.curve.names]))
        names = [name for name in self.estimate.names if name in self.curve.names]
        at = [self.estimate.names.index(name) for name in names]
        g = slopes[:, [self.curve.names.index(name) for name in names]]
        covariance = np.nan_to_num(self.estimate.covariance[np.ix_(at, at)], nan=0.0, posinf=0.0)
        reach = self.estimate.quantile(level) * np.sqrt(np.einsum("ij,jk,ik->i", g, covariance, g))
        middle = self.coefficient(v)
        return middle - reach, middle + reach

    def classes(self, count: Any = 20) -> Classes:
        """The samples in classes of slip speed.

        Parameters
        ----------
        count : int or array_like of float, default 20
            How many classes of equal width, or their limits.

        Returns
        -------
        Classes
            Mean, deviation and count per class.

        Examples
        --------
        >>> fit_law(([0.1, 0.2, 0.3], [0.3, 0.31, 0.29]), "coulomb").classes().count.tolist()
        [1.0, 1.0, 1.0]
        """
        sense = "along" if self.sense > 0 else "against"
        return classes(replace(self.samples, force=self.samples.force - self.offset), count, sense=sense)

    def to_dataframe(self, level: float = LEVEL) -> pd.DataFrame:
        """The parameters with their errors and confidence intervals, as `Estimate.to_dataframe` gives them.

        Parameters
        ----------
        level : float, default 0.95
            Probability with which an interval encloses the value.

        Returns
        -------
        pandas.DataFrame
            One row per parameter.

        Examples
        --------
        >>> fit_law(([0.1, 0.2, 0.3], [0.3, 0.31, 0.29]), "coulomb").to_dataframe()["value"]["mu_k"].round(6).item()
        0.3
        """
        return self.estimate.to_dataframe(level)

    def __repr__(self) -> str:
        return f"<LawFit {self.label}: {self.estimate.brief}>"

    def _repr_html_(self) -> str:
        lack = f"probability of residuals as uneven as these, if the law is right: {self.lack_of_fit:.3g}"
        return self.estimate.card(f"Friction law {self.label}, fitted", notebook.notes([lack]))

    def __str__(self) -> str:
        return f"{self.label}\n{self.estimate}"


def fit_law(
    samples: Any,
    law: Any = "stribeck",
    *,
    normal: Any = None,
    fixed: Mapping[str, float] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    error: Any = None,
    weights: Any = None,
    loss: str = "squares",
    side: str = "both",
    sense: str = "auto",
    offset: bool = False,
    breakaway: Any = None,
    slowest: float = 0.0,
    memory: int | None = None,
) -> LawFit:
    """Fit a friction law to measured sliding velocities and friction forces (hinrichs1998, Sec. 5).

    Intervals follow Student's t distribution and the curvature at the solution. They hold where the curve is close to
    linear in its parameters within their errors.

    Parameters
    ----------
    samples : Samples, pair of array_like, mapping or xarray.Dataset
        A pair (velocity, force), `Samples`, a mapping with columns of these names, or a run of `simulate`. Samples in
        stick are left out.
    law : str, FrictionLaw or callable, default "stribeck"
        A name ("hyperbolic", "stribeck+viscous", "polynomial:3"), any law of the library with values to start from, or
        a plain function of the slip speed whose arguments with defaults are fitted.
    normal : float or array_like of float, optional
        Normal force, one or one for each sample; without it the law gives forces, for a contact with normal=1.
    fixed : dict of str to float, optional
        Parameters that keep a value; by default none.
    bounds : dict of str to tuple of float, optional
        Limits of parameters; by default those of the law.
    error : float or array_like of float, optional
        Standard deviation of the forces, where it is known; by default it is estimated from the residuals.
    weights : array_like of float, optional
        How much each sample counts; by default all the same.
    loss : {"squares", "huber", "cauchy"}, default "squares"
        The last two do not mind outliers.
    side : {"both", "+", "-"}, default "both"
        Direction of slip whose samples are used.
    sense : {"auto", "against", "along"}, default "auto"
        Whether forces act on the body, against its velocity, as in a run, or were measured the other way.
    offset : bool, default False
        Whether the zero of the force is off by an amount that is fitted, too, as the parameter `offset`.
    breakaway : array_like of float, optional
        Forces at which the contact broke away, for the static coefficient.
    slowest : float, default 0.0
        Samples that slip more slowly are left out.
    memory : int, optional
        Over how many neighbours errors are correlated; by default what the samples say.

    Returns
    -------
    LawFit
        The law, ready for a `Contact`, and the parameters with their errors.

    Raises
    ------
    IdentifyError
        If the samples cannot be used, none slips, an argument is not known, or the best fit is no friction law.

    See Also
    --------
    compare : Several laws at once.
    classes : No law at all, but means over classes of speed.
    reconstruct : Velocities and forces from a measured displacement.
    stickslip.plot.fit : Draws it.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> random = np.random.default_rng(1)
    >>> v = random.uniform(-1, 1, 400)
    >>> force = -np.sign(v) * 10 * 0.4 / (1 + 3 * abs(v)) + random.normal(0, 0.1, 400)
    >>> fit = ss.identify.fit_law((v, force), "hyperbolic", normal=10.0)
    >>> low, high = fit.estimate.interval("delta")
    >>> low < 3 < high, fit.law.parameters().keys() == {"mu_s", "delta"}
    (True, True)
    """
    check_flag("offset", offset)
    check_number("slowest", slowest, nonnegative=True)
    if memory is not None:
        check_whole("memory", memory, 0)
    chosen = _chosen(samples_of(samples, normal), side, slowest)
    sign = sense_of(chosen, sense)
    label, adapted = _adapted(law, chosen, sign)
    pinned = check_values("fixed", fixed, (*adapted.names, "offset"))
    rest = None if breakaway is None else np.abs(column("breakaway", breakaway))
    data = _Data(chosen, sign, adapted, bool(offset), rest)
    problem = _problem(data, pinned, bounds)
    known = chosen.force_error if error is None else column("error", error, len(chosen))
    if known is not None and weights is not None:
        raise IdentifyError("both error and weights are given: errors say how the samples compare already")
    # Errors of smoothed samples go together: alone they would promise too much, so they only weight.
    span = min(chosen.memory if memory is None else memory, len(chosen) - 1)
    trust, weigh = _weighting(data, known, weights, span)
    estimate, p = solve(problem, error=trust, weights=weigh, loss=loss, memory=span)
    estimate = _with_static(estimate, data, pinned)
    residuals = (problem.observed - problem.value(p))[: len(chosen)]
    notes = (*estimate.notes, *_doubts(chosen, residuals, span))
    return LawFit(
        _law(adapted, estimate),
        label,
        replace(estimate, notes=notes),
        chosen,
        sign * np.sign(chosen.velocity) * residuals,
        sign,
        estimate.parameters.get("offset", 0.0),
        _lack_of_fit(np.abs(chosen.velocity), residuals, len(problem.free), span),
        adapted,
    )


@dataclass(frozen=True)
class _Data:
    samples: Samples
    sense: float
    law: LawCurve
    offset: bool
    breakaway: Floats | None

    @property
    def at_rest(self) -> int:
        """Breakaway forces that count as samples at rest: those of a law that is continuous there."""
        return 0 if self.breakaway is None or self.law.static else len(self.breakaway)


def _chosen(samples: Samples, side: str, slowest: float) -> Samples:
    chosen = of_side(samples, side)
    fast = np.abs(chosen.velocity) >= slowest
    if not np.any(fast):
        raise IdentifyError(f"no sample slips faster than slowest = {slowest:g}: it must be below some speeds")
    return chosen.where(fast)


def _adapted(law: Any, samples: Samples, sense: float) -> tuple[str, LawCurve]:
    if isinstance(law, str):
        coefficient = sense * np.sign(samples.velocity) * samples.force / samples.normal
        middle = float(np.median(coefficient))
        speed = float(np.median(np.abs(samples.velocity)))
        return law, law_curve(law_named(law, max(middle, 1e-12), speed))
    if not isinstance(law, FrictionLaw) and not callable(law):
        raise IdentifyError(f"the law is {shown(law)}: give a friction law, a plain function of v, or a name")
    adapted = law_curve(law)
    return getattr(law, "__name__", adapted.law.structure() or "law").replace("function:", "function "), adapted


def _problem(data: _Data, pinned: Mapping[str, float], bounds: Mapping[str, tuple[float, float]] | None) -> Problem:
    samples, law = data.samples, data.law
    speed, count = np.abs(samples.velocity), len(samples)
    normal = np.concatenate([np.asarray(samples.normal), np.full(data.at_rest, float(np.mean(samples.normal)))])
    at = np.concatenate([speed, np.zeros(data.at_rest)])
    zero = np.concatenate([data.sense * np.sign(samples.velocity), np.zeros(data.at_rest)])
    observed = np.concatenate([zero[:count] * samples.force, np.zeros(0) if not data.at_rest else data.breakaway])
    names = (*law.names, "offset") if data.offset else law.names
    start = np.array([pinned.get(name, x) for name, x in zip(names, [*law.start, 0.0], strict=False)])
    lower, upper = _limits(names, law, bounds)
    inner = len(law.names)

    def value(p: Floats) -> Floats:
        return normal * law.curve.value(at, p[:inner]) + (zero * p[inner] if data.offset else 0.0)

    def gradient(p: Floats) -> Floats:
        slopes = normal[:, None] * law.curve.gradient(at, p[:inner])
        return np.column_stack([slopes, zero]) if data.offset else slopes

    force = float(np.median(np.abs(samples.force)))
    friction = force / float(np.mean(samples.normal))
    size = np.array([_size(law, name, speed, friction) for name in law.names] + [force] * data.offset)
    free = tuple(name for name in names if name not in pinned and name not in law.unseen)
    linear = (*law.curve.linear, "offset") if data.offset else law.curve.linear
    return Problem(names, value, gradient, observed, start, lower, upper, free, linear, size)


def _size(law: LawCurve, name: str, speed: Floats, friction: float) -> float:
    """What a parameter that starts at zero may be like: by how much it changes the law at the usual speed."""
    typical = max(float(np.median(speed)), 1e-300)
    if name not in law.curve.linear:
        return 1.0 / typical  # mostly one over a speed
    slope = law.curve.gradient(np.array([typical]), law.start)[0, law.names.index(name)]
    return (friction or 1.0) / abs(slope) if np.isfinite(slope) and slope else friction or 1.0


def _limits(
    names: tuple[str, ...], law: LawCurve, bounds: Mapping[str, tuple[float, float]] | None
) -> tuple[Floats, Floats]:
    lower = np.concatenate([law.lower, np.full(len(names) - len(law.names), -np.inf)])
    upper = np.concatenate([law.upper, np.full(len(names) - len(law.names), np.inf)])
    check_mapping("bounds", {} if bounds is None else bounds, "{'mu_s': (0.1, 1.0)}")
    for name, limits in (bounds or {}).items():
        check_values("bounds", {name: 0.0}, names)
        low, high = pair(f"the bounds of {name}", limits, finite=False)
        if not low < high:
            raise IdentifyError(f"the bounds of {name} are {low:g} and {high:g}: the first must be the smaller one")
        i = names.index(name)
        lower[i], upper[i] = max(lower[i], low), min(upper[i], high)
    return lower, upper


def _weighting(data: _Data, error: Any, weights: Any, memory: int) -> tuple[Floats | None, Floats | None]:
    """Known errors and relative weights of all that is fitted, breakaway forces among it."""
    count, more = len(data.samples), data.at_rest
    if weights is not None:
        given = column("weights", weights, count)
        if np.any(given <= 0):
            raise IdentifyError("a weight is zero or negative: leave such samples out instead")
        return None, np.concatenate([given, np.full(more, float(np.mean(given)))])
    if error is None:
        return None, None
    known = np.broadcast_to(np.asarray(error, float), count)
    if np.any(known <= 0) or not np.all(np.isfinite(known)):
        raise IdentifyError("an error is zero or negative: a standard deviation is positive")
    every = np.concatenate([known, np.full(more, float(np.median(known)))])
    return (None, every**-2.0) if memory else (every, None)


def _with_static(estimate: Estimate, data: _Data, pinned: Mapping[str, float]) -> Estimate:
    """The static coefficient of laws that jump at rest: from breakaway forces, else as it was given."""
    others = [f"The law does not depend on {name}: it keeps its value." for name in data.law.unseen]
    name = data.law.static
    if name is None or name in pinned:
        return replace(estimate, notes=(*estimate.notes, *(others if name is None else [])))
    kinetic = _kinetic_at_rest(data.law, estimate)
    if data.breakaway is not None and len(data.breakaway) > 1:
        return _joined(estimate, name, data.breakaway / float(np.mean(data.samples.normal)), kinetic)
    given = float(data.law.law.parameters()[name])
    before = float(data.law.law.kinetic_value(0.0))
    follows = given <= before * (1 + 1e-12) or given < kinetic
    told = "it follows the kinetic coefficient" if follows else f"it keeps {given:g}"
    note = f"{name} is not seen in slip: {told}; give breakaway forces to measure it."
    fixed = {**estimate.fixed, name: kinetic if follows else given}
    return replace(estimate, fixed=fixed, notes=(*estimate.notes, note))


def _kinetic_at_rest(law: LawCurve, estimate: Estimate) -> float:
    values = estimate.parameters
    return float(law.curve.value(np.zeros(1), np.array([values[name] for name in law.names]))[0])


def _joined(estimate: Estimate, name: str, ratio: Floats, kinetic: float) -> Estimate:
    """The estimate with the mean of the breakaway coefficients as one more parameter."""
    mean, count = float(np.mean(ratio)), len(ratio)
    notes = estimate.notes
    if mean < kinetic:
        notes = (*notes, f"{name} was measured as {mean:.4g}, below the kinetic coefficient: it follows that one.")
    covariance = np.zeros((len(estimate.names) + 1,) * 2)
    covariance[:-1, :-1] = estimate.covariance
    covariance[-1, -1] = float(np.var(ratio, ddof=1)) / count
    return replace(
        estimate,
        names=(*estimate.names, name),
        values=np.append(estimate.values, max(mean, kinetic)),
        covariance=covariance,
        freedom=min(estimate.freedom, count - 1),
        fixed={key: value for key, value in estimate.fixed.items() if key != name},
        notes=notes,
    )


def _law(law: LawCurve, estimate: Estimate) -> FrictionLaw:
    values = estimate.parameters
    try:
        return law.rebuilt({name: values[name] for name in law.names})
    except ModelError as error:
        raise IdentifyError(
            f"the best fit is no friction law ({error}); start elsewhere, fix a parameter, or choose another law"
        ) from None


def _doubts(samples: Samples, residuals: Floats, memory: int) -> tuple[str, ...]:
    """Samples of a record are neighbours in time: errors that go together make all intervals too small."""
    if samples.time is None or memory or len(residuals) < 20:
        return ()
    together = float(np.corrcoef(residuals[1:], residuals[:-1])[0, 1]) if np.ptp(residuals) > 0 else 0.0
    if not together * math.sqrt(len(residuals)) > CORRELATED:
        return ()
    steps = math.ceil(-3 / math.log(together)) if together < 1 else len(residuals)
    return (
        f"Neighbouring residuals are correlated ({together:.2f}), so the errors are too small; memory={steps} takes "
        "account of it.",
    )


def _lack_of_fit(speed: Floats, residuals: Floats, used: int, memory: int) -> float:
    """F test: do the means of the residuals in classes of speed scatter more than residuals within them?"""
    step = memory + 1
    order = np.argsort(speed[::step], kind="stable")
    groups = np.array_split(residuals[::step][order], max(GROUPS, used + 4))
    count, parts = len(order), len(groups)
    if count < 3 * parts:
        return math.nan
    between = sum(len(group) * float(np.mean(group)) ** 2 for group in groups) / (parts - used)
    within = sum(float(np.sum((group - np.mean(group)) ** 2)) for group in groups) / (count - parts)
    return float(stats.f.sf(between / within, parts - used, count - parts)) if within > 0 else math.nan
