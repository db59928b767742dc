"""Static friction that grows with the time of contact, from stick times and breakaway forces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.arguments import floats
from stickslip.arrays import Floats
from stickslip.errors import IdentifyError
from stickslip.identify.curves import Curve, check_values, curve
from stickslip.identify.errors import column
from stickslip.identify.estimate import LEVEL, Estimate
from stickslip.identify.phases import Breakaways
from stickslip.identify.solve import Problem, solve
from stickslip.model.errors import listed_names, shown, suggest

if TYPE_CHECKING:
    import pandas as pd


def _exponential(t: Any, F_s: Any, F_inf: Any, a: Any) -> Any:
    return F_s + (F_inf - F_s) * (1 - exp(-a * t))  # leine1998, Eq. (18), with F_inf = β F_s


def _logarithmic(t: Any, F_s: Any, B: Any, t_c: Any) -> Any:
    return F_s + B * log(1 + t / t_c)  # Dieterich 1979


def _constant(t: Any, F_s: Any) -> Any:
    return F_s + 0 * t


LAWS: Mapping[str, tuple[Callable[..., Any], tuple[str, ...]]] = {
    "exponential": (_exponential, ("F_s", "F_inf", "a")),
    "logarithmic": (_logarithmic, ("F_s", "B", "t_c")),
    "constant": (_constant, ("F_s",)),
}
CLEAR = 2.0


@dataclass(frozen=True, eq=False)
class AgingFit:
    """Static friction against stick time, fitted: what `aging` returns.

    Attributes
    ----------
    law : {"exponential", "logarithmic", "constant"}
        F_s + (F_inf − F_s)(1 − e^(−a t)), F_s + B ln(1 + t/t_c), or F_s.
    estimate : Estimate
        The parameters with their errors; of the exponential law also `beta` = F_inf/F_s.
    stick_time : array of float
        Stick times that were used, in the unit they were given in.
    force : array of float
        Sizes of the breakaway forces.
    residuals : array of float
        Forces minus those of the law.
    curve_ : Curve
        The law as a function of time and parameters, with its derivatives.
    names : tuple of str
        Parameters of the law, in the order of `curve_`.

    See Also
    --------
    aging : Makes it.
    stickslip.plot.aging : Draws it.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> t = np.linspace(0.1, 30, 40)
    >>> found = ss.identify.aging(t, 1 + (1 - np.exp(-0.1 * t)))
    >>> round(found["F_s"], 6), round(found["beta"], 6), round(found["a"], 6)
    (1.0, 2.0, 0.1)
    """

    law: str
    estimate: Estimate
    stick_time: Floats
    force: Floats
    residuals: Floats
    curve_: Curve
    names: tuple[str, ...]

    def __getitem__(self, name: str) -> float:
        return self.estimate[name]

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know before the numbers are used, in sentences."""
        return self.estimate.notes

    def curve(self, time: Any) -> Floats:
        """The static friction after a time of stick.

        Parameters
        ----------
        time : array_like of float
            Stick times, in the unit of those fitted.

        Returns
        -------
        array of float
            Static friction, in the unit of the forces fitted.

        Examples
        --------
        >>> round(float(aging([1, 2, 3], [2.0, 2.0, 2.0], "constant").curve([9.0])[0]), 6)
        2.0
        """
        return self.curve_.value(floats("the times", time), self._parameters)

    def band(self, time: Any, level: float = LEVEL) -> tuple[Floats, Floats]:
        """The confidence limits of the static friction after each time.

        Parameters
        ----------
        time : array_like of float
            Stick times, in the unit of those fitted.
        level : float, default 0.95
            Probability with which the limits enclose the value.

        Returns
        -------
        tuple of array of float
            Lower and upper limits, in the unit of the forces fitted.

        Examples
        --------
        >>> low, high = aging([1, 2, 3], [2.0, 2.1, 1.9], "constant").band([1.0])
        >>> round(float(high[0] - low[0]), 4)
        0.4968
        """
        g = self.curve_.gradient(floats("the times", time), self._parameters)
        names = [name for name in self.estimate.names if name in self.names]
        at = [self.estimate.names.index(name) for name in names]
        g = g[:, [self.names.index(name) for name in names]]
        covariance = np.nan_to_num(self.estimate.covariance[np.ix_(at, at)], nan=0.0, posinf=0.0)
        reach = self.estimate.quantile(level) * np.sqrt(np.einsum("ij,jk,ik->i", g, covariance, g))
        return self.curve(time) - reach, self.curve(time) + reach

    @property
    def _parameters(self) -> Floats:
        return np.array([self.estimate[name] for name in self.names])

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
        >>> aging([1, 2, 3], [2.0, 2.1, 1.9], "constant").to_dataframe()["value"].round(6).tolist()
        [2.0]
        """
        return self.estimate.to_dataframe(level)

    def __repr__(self) -> str:
        return f"<AgingFit {self.law}: {self.estimate.brief}>"

    def _repr_html_(self) -> str:
        return self.estimate.card(f"Static friction against stick time, {self.law}")

    def __str__(self) -> str:
        return f"{self.law}\n{self.estimate}"


def aging(
    stick_time: Any,
    force: Any = None,
    law: str = "exponential",
    *,
    fixed: Mapping[str, float] | None = None,
    error: Any = None,
    loss: str = "squares",
) -> AgingFit:
    """Fit the growth of static friction with the time of stick.

    Divide forces by the normal force to fit coefficients. Where all stick times are much longer than t_c, it is not
    determined: fix it, to one second for instance.

    Parameters
    ----------
    stick_time : array_like of float or Breakaways
        How long the contact stuck; or stick times and forces together, as `breakaways` returns them.
    force : array_like of float, optional
        At which force it broke away, for every stick time; needed unless `Breakaways` are given.
    law : {"exponential", "logarithmic", "constant"}, default "exponential"
        leine1998, Eq. (18), with the parameters F_s, F_inf, a, and beta = F_inf/F_s; Dieterich's, with F_s, B, t_c; or
        no growth, F_s.
    fixed : dict of str to float, optional
        Parameters that keep a value; by default none.
    error : float or array_like of float, optional
        Standard deviation of the forces, where it is known; by default it is estimated from the residuals.
    loss : {"squares", "huber", "cauchy"}, default "squares"
        The last two do not mind outliers.

    Returns
    -------
    AgingFit
        The parameters with their errors, and the curve.

    Raises
    ------
    IdentifyError
        If a stick time is negative, lengths differ, a law or parameter is not known, or there are too few samples.

    See Also
    --------
    breakaways : Stick times and forces from a record.
    compare_aging : Which law do the measurements speak for?
    stickslip.plot.aging : Draws it.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> t = np.linspace(0.1, 30, 40)
    >>> round(ss.identify.aging(t, 3 + 0.2 * np.log(1 + t / 0.5), "logarithmic")["B"], 6)
    0.2
    """
    if isinstance(stick_time, Breakaways):
        stick_time, force = stick_time.stick_time, stick_time.force
    t = column("stick_time", stick_time)
    y = np.abs(column("force", force, len(t)))
    if np.any(t < 0):
        raise IdentifyError(f"a stick time is {float(np.min(t)):g}: times of stick are positive")
    if not isinstance(law, str) or law not in LAWS:
        raise IdentifyError(f"there is no law of aging {shown(law)}{suggest(str(law), LAWS)}")
    function, names = LAWS[law]
    pinned = check_values("fixed", fixed, names)
    traced = curve(function, "t", names, "the law of aging")
    problem = Problem(
        names,
        lambda p: traced.value(t, p),
        lambda p: traced.gradient(t, p),
        y,
        _start(names, t, y, pinned),
        np.array([1e-12 if name in ("a", "t_c") else -np.inf for name in names]),
        np.full(len(names), np.inf),
        tuple(name for name in names if name not in pinned),
        traced.linear,
        np.ones(len(names)),
    )
    known = None if error is None else column("error", error, len(t))
    if known is not None and np.any(known <= 0):
        raise IdentifyError(f"error is {shown(error)}: standard deviations are positive")
    estimate, p = solve(problem, error=known, loss=loss)
    return AgingFit(law, _with_ratio(estimate, law), t, y, y - traced.value(t, p), traced, names)


def compare_aging(
    stick_time: Any, force: Any = None, laws: Sequence[str] = tuple(LAWS), **options: Any
) -> list[AgingFit]:
    """Fit several laws of aging; the one that the measurements speak for comes first.

    Parameters
    ----------
    stick_time : array_like of float or Breakaways
        As for `aging`.
    force : array_like of float, optional
        As for `aging`; needed unless `Breakaways` are given.
    laws : sequence of str, default ("exponential", "logarithmic", "constant")
        Laws to fit, as for `aging`.
    **options
        fixed, error and loss, as for `aging`.

    Returns
    -------
    list of AgingFit
        One fit per law, by Schwarz' criterion (BIC), the best first.

    Raises
    ------
    IdentifyError
        As `aging` does.

    See Also
    --------
    aging_verdict : What the comparison says.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> t = np.linspace(0.1, 30, 60)
    >>> noise = np.random.default_rng(0).normal(0, 0.01, 60)
    >>> [fit.law for fit in ss.identify.compare_aging(t, 1 + (1 - np.exp(-0.1 * t)) + noise)][0]
    'exponential'
    """
    fits = [aging(stick_time, force, law, **options) for law in listed_names("laws", laws)]
    return sorted(fits, key=lambda fit: fit.estimate.bic)


def aging_verdict(fits: Sequence[AgingFit]) -> str:
    """What a comparison of laws of aging says, in a sentence.

    Parameters
    ----------
    fits : sequence of AgingFit
        What `compare_aging` returned, the best first.

    Returns
    -------
    str
        Which law the measurements speak for, or that they do not tell.

    Raises
    ------
    IdentifyError
        If there are no fits.

    See Also
    --------
    compare_aging : Makes the fits.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.identify.aging_verdict([ss.identify.aging([1, 2, 3], [2.0, 2.1, 1.9], "constant")])
    'Only the constant law was fitted.'
    """
    if not isinstance(fits, Sequence) or not fits or not all(isinstance(fit, AgingFit) for fit in fits):
        raise IdentifyError(f"fits is {shown(fits)}: give a list of fits, as compare_aging returns it")
    if len(fits) == 1:
        return f"Only the {fits[0].law} law was fitted."
    gap = fits[1].estimate.bic - fits[0].estimate.bic
    if gap < CLEAR:
        pair = f"the {fits[0].law} law from the {fits[1].law} one"
        return f"The measurements do not tell {pair} (difference of BIC {gap:.1f})."
    if fits[0].law == "constant":
        return f"The measurements show no growth with the time of stick (difference of BIC {gap:.1f})."
    return f"The measurements speak for the {fits[0].law} law (difference of BIC {gap:.1f} to the {fits[1].law} one)."


def _start(names: tuple[str, ...], t: Floats, y: Floats, pinned: Mapping[str, float]) -> Floats:
    middle = max(float(np.median(t)), 1e-300)
    first = {
        "F_s": float(np.min(y)),
        "F_inf": float(np.max(y)),
        "a": 1 / middle,
        "B": float(np.ptp(y)) or 1.0,
        "t_c": middle,
    }
    return np.array([pinned.get(name, first[name]) for name in names])


def _with_ratio(estimate: Estimate, law: str) -> Estimate:
    """The estimate with β = F_inf/F_s, as leine1998 has it, and its error."""
    if law != "exponential" or estimate["F_s"] == 0:
        return estimate
    beta = estimate["F_inf"] / estimate["F_s"]
    slope = {"F_s": -beta / estimate["F_s"], "F_inf": 1 / estimate["F_s"]}
    row = np.array([slope.get(name, 0.0) for name in estimate.names])
    taken = row != 0  # a parameter that is not known does not make the ratio of two others unknown
    mixed = np.where(taken, row, 0.0) @ np.where(np.outer(taken, np.ones_like(taken)), estimate.covariance, 0.0)
    size = len(row)
    covariance = np.zeros((size + 1, size + 1))
    covariance[:size, :size] = estimate.covariance
    covariance[size, :size] = covariance[:size, size] = mixed
    covariance[size, size] = float(np.sum(np.where(taken, mixed * row, 0.0)))
    return replace(
        estimate, names=(*estimate.names, "beta"), values=np.append(estimate.values, beta), covariance=covariance
    )
