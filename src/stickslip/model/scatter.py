"""Friction that varies by chance: a part of the coefficient is drawn anew for every phase of stick and of slip.

hinrichs1998, Eq. (7): μ = μ_D + μ̃. White noise per time step would be ill-posed, since its effect changes with the
step; so μ̃ is drawn once when a phase begins, and stays until it ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from stickslip.errors import ModelError
from stickslip.model.errors import check_number, shown
from stickslip.model.functions import Value
from stickslip.model.listing import Listing

REACH, KNOTS = 8.3, 333
"""Quantiles are tabulated for normal scores within ±REACH: beyond lies a part of 1e-16."""

DISTRIBUTIONS = (
    "alpha", "anglit", "arcsine", "beta", "betaprime", "bradford", "burr", "cauchy", "chi", "chi2", "crystalball",
    "dweibull", "expon", "exponweib", "f", "fisk", "gamma", "genextreme", "gengamma", "genlogistic", "gennorm",
    "genpareto", "gumbel_l", "gumbel_r", "halfcauchy", "halflogistic", "halfnorm", "hypsecant", "invgamma",
    "invweibull", "johnsonsb", "johnsonsu", "kappa3", "laplace", "loggamma", "logistic", "loglaplace", "lognorm",
    "loguniform", "lomax", "maxwell", "moyal", "nakagami", "norm", "pareto", "powerlaw", "rayleigh", "semicircular",
    "t", "trapezoid", "triang", "truncexpon", "truncnorm", "uniform", "weibull_max", "weibull_min",
)  # fmt: skip
"""Distributions whose quantiles are quickly computed; those of others are integrals, and may take minutes."""


@dataclass(frozen=True, eq=False)
class Scatter(metaclass=Listing):
    """The random part μ̃ of the static and of the kinetic coefficient of a contact, drawn once per phase.

    The first phase of a run has μ̃ = 0, or what `start` says. Parameters of the contact: `scatter_static`,
    `scatter_kinetic` (the standard deviations, or factors on the distributions) and `correlation_time`.

    Parameters
    ----------
    static : float or distribution, optional
        What is drawn where stick begins: a standard deviation (then μ̃ is Gaussian), or a continuous distribution of
        `scipy.stats` with its parameters. By default nothing.
    kinetic : float or distribution, optional
        The same where slip begins.
    correlation_time : float, optional
        With τ the draws of one contact follow an Ornstein–Uhlenbeck process: those of phases that begin Δt apart are
        correlated as exp(−Δt/τ). By default they are independent.

    Raises
    ------
    ModelError
        If nothing is drawn, or a number is not allowed.

    See Also
    --------
    Contact : takes it as `scatter`.
    simulate : its `seed` says which draws.

    Examples
    --------
    >>> import stickslip as ss
    >>> block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.2)
    >>> contact = ss.Contact(block, belt, law=ss.Coulomb(0.4, 0.3), scatter=ss.Scatter(static=0.02, kinetic=0.02))
    >>> ss.System(ss.Spring(block, ss.ground, k=1.0), contact).parameters["contact.scatter_static"]
    0.02
    """

    _listed: ClassVar[tuple[str, ...]] = ()

    static: Any = None
    kinetic: Any = None
    correlation_time: Value | None = None

    def __post_init__(self) -> None:
        if self.static is None and self.kinetic is None:
            raise ModelError("a Scatter needs static, kinetic or both: a standard deviation or a distribution")
        for which in ("static", "kinetic"):
            given = getattr(self, which)
            if isinstance(given, int | float):
                check_number(f"Scatter: {which}", given, nonnegative=True)
            elif given is not None and not is_size(given) and not _is_continuous(given):
                raise ModelError(
                    f"Scatter: {which} is {shown(given)}; it must be a standard deviation or a continuous distribution "
                    "with its parameters, such as scipy.stats.norm(0, 0.02)"
                )
        if self.correlation_time is not None and not callable(self.correlation_time):
            check_number("Scatter: correlation_time", self.correlation_time, positive=True)

    def amplitude(self, which: str) -> Value | None:
        """The standard deviation of a Gaussian part, 1 for any other distribution, None where nothing is drawn."""
        given: Value | None = getattr(self, which)
        return given if given is None or is_size(given) else 1.0

    def internal_states(self) -> tuple[str, ...]:
        """The draws of the present phase, and what correlates them."""
        drawn = tuple(f"{which}_draw" for which in ("static", "kinetic") if getattr(self, which) is not None)
        return drawn if self.correlation_time is None else (*drawn, "score", "score_time")

    def table(self, which: str) -> tuple[tuple[float, ...], ...] | None:
        """The quantiles of a distribution as cubics in the normal score: (begin, end, c₀, c₁, c₂, c₃) per interval."""
        given = getattr(self, which)
        return None if given is None or is_size(given) else _cubics(given)

    def slow(self) -> str | None:
        """The name of a distribution whose quantiles may take long; None where there is none."""
        given = [each for each in (self.static, self.kinetic) if each is not None and not is_size(each)]
        return next((str(each.dist.name) for each in given if each.dist.name not in DISTRIBUTIONS), None)

    def structure(self) -> str:
        """What distinguishes this scatter, whatever the values of its parameters."""
        marks = []
        for given in (self.static, self.kinetic):
            simple = given is None or is_size(given)
            marks.append(("none" if given is None else "normal") if simple else _name(given))
        return f"{marks} {'white' if self.correlation_time is None else 'correlated'}"


def is_size(given: Any) -> bool:
    """Whether a random part is given by its standard deviation: a number, a `Parameter`, what follows from others.

    >>> is_size(0.02)
    True
    """
    return isinstance(given, int | float) or (callable(given) and not hasattr(given, "rvs"))


def distribution_table(given: Any) -> dict[str, Any]:
    """A distribution as a file holds it: its name, its shape parameters, where it lies and how wide it is.

    >>> from scipy import stats
    >>> distribution_table(stats.uniform(-0.03, 0.06))
    {'distribution': 'uniform', 'loc': -0.03, 'scale': 0.06}
    """
    shapes, loc, scale = given.dist._parse_args(*given.args, **given.kwds)
    own = {"shapes": [float(s) for s in shapes]} if shapes else {}
    return {"distribution": given.dist.name, **own, "loc": float(loc), "scale": float(scale)}


def distribution_from(name: Any, shapes: Any = (), loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """The continuous distribution of `scipy.stats` with that name."""
    from scipy import stats

    found: Any = getattr(stats, name, None) if isinstance(name, str) and name.isidentifier() else None
    if not isinstance(found, stats.rv_continuous):
        raise ModelError(f"distribution is {shown(name)}: it must name a continuous distribution, such as 'norm'")
    count = len(found.shapes.split(",")) if found.shapes else 0
    if not isinstance(shapes, list | tuple) or len(shapes) != count:
        raise ModelError(f"{name}: shapes is {shown(shapes)}; this distribution has {count} shape parameters")
    own = [check_number(f"{name}: shapes[{i}]", value) for i, value in enumerate(shapes)]
    loc, scale = check_number(f"{name}: loc", loc), check_number(f"{name}: scale", scale, positive=True)
    if not found._argcheck(*own):
        raise ModelError(f"{name}: the shape parameters {shown(list(shapes))} are not allowed")
    return found(*own, loc=loc, scale=scale)


def _is_continuous(given: Any) -> bool:
    from scipy.stats import rv_continuous

    return isinstance(getattr(given, "dist", None), rv_continuous)


def _name(given: Any) -> str:
    return f"{given.dist.name}{given.args}{sorted(given.kwds.items())}"


def _cubics(distribution: Any) -> tuple[tuple[float, ...], ...]:
    import numpy as np
    from scipy.interpolate import CubicHermiteSpline, PchipInterpolator
    from scipy.stats import norm

    score = np.linspace(-REACH, REACH, KNOTS)
    # The upper half from the upper tail, where 1 − Φ would lose all digits.
    try:
        values = np.where(score < 0, distribution.ppf(norm.cdf(score)), distribution.isf(norm.sf(score)))
    except (ArithmeticError, ValueError, RuntimeError):
        values = np.array([np.nan])
    if not np.all(np.isfinite(values)):
        raise ModelError(f"Scatter: the distribution {_name(distribution)} has no finite quantiles")
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = norm.pdf(score) / distribution.pdf(values)
    exact = bool(np.all(np.isfinite(slopes)) and np.all(slopes >= 0))
    curve = CubicHermiteSpline(score, values, slopes) if exact else PchipInterpolator(score, values)
    cubics = [tuple(float(c) for c in column[::-1]) for column in curve.c.T]
    ends = [*score[1:].tolist()]
    return tuple((a, b, *cubic) for a, b, cubic in zip(score[:-1].tolist(), ends, cubics, strict=True))
