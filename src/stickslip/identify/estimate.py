"""Numbers read from measurements, with what is known about their errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy import stats

from stickslip.errors import IdentifyError
from stickslip.identify.errors import Floats
from stickslip.model.errors import check_number
from stickslip.model.system import suggest

LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Estimate:
    """Parameters fitted to samples.

    `values` belong to `names`, `covariance` says how sure they are; `fixed` were given, not fitted. `freedom` is the
    number of degrees of freedom of their errors (inf where the errors of the samples were given). Parameters that the
    samples say nothing about are `undetermined` and have an infinite error; those `at_bound` ended at a limit, and
    their error is NaN. `deviation` is the standard deviation of the residuals, `count` the number of samples. `notes`
    are sentences to read before the numbers are used.

    >>> estimate = Estimate(("mu",), np.array([0.3]), np.array([[1e-4]]), freedom=10, count=11, deviation=0.03)
    >>> [round(limit, 4) for limit in estimate.interval("mu")]
    [0.2777, 0.3223]
    """

    names: tuple[str, ...]
    values: Floats
    covariance: Floats
    freedom: float
    count: int
    deviation: float
    log_likelihood: float = math.nan
    estimated: int = 0
    fixed: Mapping[str, float] = field(default_factory=dict)
    undetermined: tuple[str, ...] = ()
    at_bound: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def parameters(self) -> dict[str, float]:
        """Name and value of every parameter, the fixed ones too.

        >>> Estimate(("a",), np.ones(1), np.eye(1), 1, 2, 1.0, fixed={"b": 2.0}).parameters
        {'a': 1.0, 'b': 2.0}
        """
        return dict(zip(self.names, self.values.tolist(), strict=True)) | dict(self.fixed)

    def __getitem__(self, name: str) -> float:
        self._check(name)
        return self.parameters[name]

    def error(self, name: str) -> float:
        """The standard error of a parameter: 0 if it was fixed, inf if the samples do not determine it.

        >>> Estimate(("a",), np.ones(1), np.eye(1) * 4, 1, 2, 1.0).error("a")
        2.0
        """
        self._check(name)
        if name in self.fixed:
            return 0.0
        i = self.names.index(name)
        return math.sqrt(self.covariance[i, i])

    def interval(self, name: str, level: float = LEVEL) -> tuple[float, float]:
        """The confidence interval of a parameter, by Student's t distribution.

        >>> Estimate(("a",), np.ones(1), np.eye(1) * 4, np.inf, 2, 1.0).interval("a", 0.6827)[0].__round__(2)
        -1.0
        """
        if not 0 < check_number("level", level) < 1:
            raise IdentifyError(f"the level is {level:g}: it must lie between 0 and 1, as 0.95 does")
        reach = self.quantile(level) * self.error(name) if self.error(name) else 0.0
        return self[name] - reach, self[name] + reach

    def quantile(self, level: float = LEVEL) -> float:
        """By how many standard errors a confidence interval reaches to either side.

        >>> round(Estimate((), np.ones(0), np.eye(0), np.inf, 2, 1.0).quantile(), 2)
        1.96
        """
        return float(stats.t.ppf(0.5 + level / 2, max(self.freedom, 1e-9)))

    def correlation(self) -> Floats:
        """How the errors of the parameters go together; NaN where one has no error.

        >>> Estimate(("a", "b"), np.ones(2), np.array([[4.0, 1.0], [1.0, 1.0]]), 1, 2, 1.0).correlation()[0, 1].item()
        0.5
        """
        with np.errstate(all="ignore"):
            size = np.sqrt(np.diag(self.covariance))
            return np.asarray(self.covariance / np.outer(size, size))

    @property
    def aicc(self) -> float:
        """Akaike's criterion, corrected for few samples.

        >>> Estimate(("a",), np.ones(1), np.eye(1), 9, 10, 1.0, log_likelihood=-3.0, estimated=2).aicc.__round__(3)
        11.714
        """
        k, n = self.estimated, self.count
        return math.inf if n - k - 1 <= 0 else 2 * k - 2 * self.log_likelihood + 2 * k * (k + 1) / (n - k - 1)

    @property
    def bic(self) -> float:
        """Schwarz' criterion: differences are twice the logarithm of a Bayes factor, for many samples.

        >>> Estimate(("a",), np.ones(1), np.eye(1), 9, 10, 1.0, log_likelihood=-3.0, estimated=2).bic.__round__(3)
        10.605
        """
        return self.estimated * math.log(self.count) - 2 * self.log_likelihood

    def rows(self, level: float = LEVEL) -> list[tuple[str, float, float, float, float]]:
        """Name, value, standard error and the limits of the confidence interval of every parameter.

        >>> Estimate((), np.ones(0), np.eye(0), 1, 2, 1.0, fixed={"b": 2.0}).rows()
        [('b', 2.0, 0.0, 2.0, 2.0)]
        """
        return [(name, self[name], self.error(name), *self.interval(name, level)) for name in self.parameters]

    def __str__(self) -> str:
        lines = [f"{name} = {value:.6g} ± {error:.2g}" for name, value, error, *_ in self.rows()]
        return "\n".join([*lines, *self.notes])

    def _check(self, name: str) -> None:
        if name not in self.parameters:
            raise IdentifyError(f"there is no parameter {name!r}{suggest(name, self.parameters)}")


def confidence(level: float) -> str:
    """A level as it is said.

    >>> confidence(0.95)
    '95 %'
    """
    return f"{100 * level:g} %"
