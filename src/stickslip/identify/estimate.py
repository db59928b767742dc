"""Numbers read from measurements, with what is known about their errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from stickslip import notebook
from stickslip.arrays import Floats
from stickslip.errors import IdentifyError
from stickslip.frames import numbered
from stickslip.model.errors import check_number, shown, suggest

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Estimate:
    """Parameters fitted to samples, with what is known about their errors.

    Parameters
    ----------
    names : tuple of str
        Fitted parameters.
    values : array of float
        Their values.
    covariance : array of float
        How sure they are. Undetermined parameters have an infinite variance, those at a bound nan.
    freedom : float
        Degrees of freedom of the errors; inf where the errors of the samples were given.
    count : int
        Number of samples.
    deviation : float
        Standard deviation of the residuals, in the unit of the samples.
    log_likelihood : float, default nan
        Logarithm of the likelihood of the samples.
    estimated : int, default 0
        How many numbers the likelihood was maximised over, the deviation among them where it was not given.
    fixed : dict of str to float, optional
        Parameters that were given, not fitted; by default none.
    undetermined : tuple of str, default ()
        Parameters that the samples say nothing about.
    at_bound : tuple of str, default ()
        Parameters that ended at a limit.
    notes : tuple of str, default ()
        Sentences to read before the numbers are used.

    See Also
    --------
    fit_law, ringdown, aging : Whose results have one.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> estimate = ss.identify.Estimate(
    ...     ("mu",), np.array([0.3]), np.array([[1e-4]]), freedom=10, count=11, deviation=0.03
    ... )
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

        Examples
        --------
        >>> Estimate(("a",), np.ones(1), np.eye(1), 1, 2, 1.0, fixed={"b": 2.0}).parameters
        {'a': 1.0, 'b': 2.0}
        """
        return dict(zip(self.names, self.values.tolist(), strict=True)) | dict(self.fixed)

    def __getitem__(self, name: str) -> float:
        self._check(name)
        return self.parameters[name]

    def error(self, name: str) -> float:
        """The standard error of a parameter.

        Parameters
        ----------
        name : str
            The parameter.

        Returns
        -------
        float
            0 if it was fixed, inf if the samples do not determine it, nan at a bound.

        Raises
        ------
        IdentifyError
            If there is no such parameter.

        Examples
        --------
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

        Parameters
        ----------
        name : str
            The parameter.
        level : float, default 0.95
            Probability with which the interval encloses the value.

        Returns
        -------
        tuple of float
            Lower and upper limit.

        Raises
        ------
        IdentifyError
            If there is no such parameter, or the level is not between 0 and 1.

        Examples
        --------
        >>> Estimate(("a",), np.ones(1), np.eye(1) * 4, np.inf, 2, 1.0).interval("a", 0.6827)[0].__round__(2)
        -1.0
        """
        reach = self.quantile(level) * self.error(name) if self.error(name) else 0.0
        return self[name] - reach, self[name] + reach

    def quantile(self, level: float = LEVEL) -> float:
        """By how many standard errors a confidence interval reaches to either side.

        Parameters
        ----------
        level : float, default 0.95
            Probability with which the interval encloses the value.

        Returns
        -------
        float
            The number of standard errors.

        Examples
        --------
        >>> round(Estimate((), np.ones(0), np.eye(0), np.inf, 2, 1.0).quantile(), 2)
        1.96
        """
        if not 0 < check_number("level", level) < 1:
            raise IdentifyError(f"the level is {level:g}: it must lie between 0 and 1, as 0.95 does")
        return float(stats.t.ppf(0.5 + level / 2, max(self.freedom, 1e-9)))

    def correlation(self) -> Floats:
        """How the errors of the parameters go together.

        Returns
        -------
        array of float
            Correlations, from −1 to 1, in the order of `names`; nan where a parameter has no error.

        Examples
        --------
        >>> Estimate(("a", "b"), np.ones(2), np.array([[4.0, 1.0], [1.0, 1.0]]), 1, 2, 1.0).correlation()[0, 1].item()
        0.5
        """
        with np.errstate(all="ignore"):
            size = np.sqrt(np.diag(self.covariance))
            return np.asarray(self.covariance / np.outer(size, size))

    @property
    def aicc(self) -> float:
        """Akaike's criterion, corrected for few samples.

        Examples
        --------
        >>> Estimate(("a",), np.ones(1), np.eye(1), 9, 10, 1.0, log_likelihood=-3.0, estimated=2).aicc.__round__(3)
        11.714
        """
        k, n = self.estimated, self.count
        return math.inf if n - k - 1 <= 0 else 2 * k - 2 * self.log_likelihood + 2 * k * (k + 1) / (n - k - 1)

    @property
    def bic(self) -> float:
        """Schwarz' criterion: differences are twice the logarithm of a Bayes factor, for many samples.

        Examples
        --------
        >>> Estimate(("a",), np.ones(1), np.eye(1), 9, 10, 1.0, log_likelihood=-3.0, estimated=2).bic.__round__(3)
        10.605
        """
        return self.estimated * math.log(self.count) - 2 * self.log_likelihood

    def rows(self, level: float = LEVEL) -> list[tuple[str, float, float, float, float]]:
        """Name, value, standard error and the limits of the confidence interval of every parameter.

        Parameters
        ----------
        level : float, default 0.95
            Probability with which an interval encloses the value.

        Returns
        -------
        list of tuple
            One row per parameter.

        Examples
        --------
        >>> Estimate((), np.ones(0), np.eye(0), 1, 2, 1.0, fixed={"b": 2.0}).rows()
        [('b', 2.0, 0.0, 2.0, 2.0)]
        """
        return [(name, self[name], self.error(name), *self.interval(name, level)) for name in self.parameters]

    def to_dataframe(self, level: float = LEVEL) -> pd.DataFrame:
        """The parameters as a table, a row for each: value, standard error and the limits of its confidence interval.

        Parameters
        ----------
        level : float, default 0.95
            The level of the confidence interval.

        Returns
        -------
        pandas.DataFrame
            The columns value, error, low and high; the names of the parameters are the index.

        Examples
        --------
        >>> estimate = Estimate(("mu",), np.array([0.3]), np.array([[1e-4]]), 10, 11, 0.03)
        >>> estimate.to_dataframe()["high"].round(4).tolist()
        [0.3223]
        """
        names = ("parameter", "value", "error", "low", "high")
        rows = list(zip(*self.rows(level), strict=True)) or [()] * len(names)
        return numbered(dict(zip(names, rows, strict=True)), "").set_index("parameter")

    def __repr__(self) -> str:
        return f"<Estimate from {self.count} samples: {self.brief}>"

    @property
    def brief(self) -> str:
        """The parameters with their errors in a line.

        >>> Estimate(("mu",), np.array([0.3]), np.array([[1e-4]]), 10, 11, 0.03).brief
        'mu = 0.3 ± 0.01'
        """
        return ", ".join(f"{name} = {value:.6g} ± {error:.2g}" for name, value, error, *_ in self.rows()) or "none"

    def _repr_html_(self) -> str:
        return self.card("Estimate")

    def card(self, title: str, *more: str) -> str:
        """The parameters as a table for notebooks.

        Parameters
        ----------
        title : str
            What they are of.
        *more : str
            HTML to show below the table.

        Returns
        -------
        str
            The table, as HTML.

        Examples
        --------
        >>> "Friction law" in Estimate(("a",), np.ones(1), np.eye(1), 1, 2, 1.0).card("Friction law")
        True
        """
        head = ("parameter", "value", "± error", "from", f"to ({confidence(LEVEL)})")
        rows = [tuple(float(cell) if isinstance(cell, float) else cell for cell in row) for row in self.rows()]
        return notebook.card(
            title,
            notebook.table(rows, head),
            *more,
            notebook.notes(self.notes),
            note=f"{self.count} samples, standard deviation of the residuals {self.deviation:.4g}",
        )

    def __str__(self) -> str:
        lines = [f"{name} = {value:.6g} ± {error:.2g}" for name, value, error, *_ in self.rows()]
        return "\n".join([*lines, *self.notes])

    def _check(self, name: str) -> None:
        if not isinstance(name, str) or name not in self.parameters:
            raise IdentifyError(f"there is no parameter {shown(name)}{suggest(str(name), self.parameters)}")


def confidence(level: float) -> str:
    """A level as it is said.

    >>> confidence(0.95)
    '95 %'
    """
    return f"{100 * level:g} %"
