"""Which friction law do the measurements speak for?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stickslip import notebook
from stickslip.errors import IdentifyError, ModelError
from stickslip.frames import numbered
from stickslip.identify.curves import KINDS
from stickslip.identify.law_fit import LawFit, fit_law
from stickslip.identify.samples import samples_of
from stickslip.model.errors import shown

if TYPE_CHECKING:
    import pandas as pd

CRITERIA = ("bic", "aicc")
CLEAR = 2.0
"""A difference of the criterion below this is not worth mentioning (Kass and Raftery 1995)."""
EXCLUDED = math.log(20)
"""A law that makes the samples less likely by this factor is excluded, however many parameters the others have."""
WORDS = ((2.0, "weak"), (6.0, "positive"), (10.0, "strong"), (math.inf, "very strong"))
MISFIT = 0.001

HEADS = ("law", "free", "deviation", "AICc", "BIC", "difference", "evidence")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Laws fitted to the same samples, the best one first: what `compare` returns.

    Attributes
    ----------
    fits : dict of str to LawFit
        Fits by the name of the law, the best first.
    refused : dict of str to str
        Laws that could not be fitted, with the reason.
    criterion : {"bic", "aicc"}
        What the order follows.

    See Also
    --------
    compare : Makes it.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> v = np.linspace(0.01, 2, 100)
    >>> noise = np.random.default_rng(0).normal(0, 0.005, 100)
    >>> found = ss.identify.compare((v, 0.4 / (1 + 3 * v) + noise), ["hyperbolic", "coulomb", "polynomial"])
    >>> found.best.label, found.clear
    ('hyperbolic', True)
    """

    fits: Mapping[str, LawFit]
    refused: Mapping[str, str]
    criterion: str

    @property
    def best(self) -> LawFit:
        """The fit of the law that the criterion prefers."""
        return next(iter(self.fits.values()))

    def difference(self, name: str) -> float:
        """By how much the criterion of a law exceeds the least.

        Parameters
        ----------
        name : str
            Name of the law in `fits`.

        Returns
        -------
        float
            The difference; below 2 it is not worth mentioning.

        Examples
        --------
        >>> found = compare(([0.1, 0.2, 0.3, 0.4], [0.3, 0.31, 0.29, 0.3]), ["coulomb"])
        >>> found.difference("coulomb")
        0.0
        """
        return self._value(self.fits[name]) - self._value(self.best)

    def evidence(self, name: str) -> float:
        """The weight of a law among those compared: with "bic" about its probability, if one of them is right.

        Parameters
        ----------
        name : str
            Name of the law in `fits`.

        Returns
        -------
        float
            The weight, from 0 to 1.

        Examples
        --------
        >>> compare(([0.1, 0.2, 0.3, 0.4], [0.3, 0.31, 0.29, 0.3]), ["coulomb"]).evidence("coulomb")
        1.0
        """
        total = sum(math.exp(-self.difference(other) / 2) for other in self.fits)
        return math.exp(-self.difference(name) / 2) / total

    @property
    def rivals(self) -> tuple[str, ...]:
        """Laws that are as good as the best one by the criterion."""
        return tuple(name for name in list(self.fits)[1:] if self.difference(name) < CLEAR)

    @property
    def richer(self) -> tuple[str, ...]:
        """Laws that nothing speaks for, but that the samples do not exclude either.

        They fit about as well as the best one, but need more parameters for it, or are no better with as many.
        """
        least = self.best.estimate.log_likelihood - EXCLUDED
        others = (name for name in list(self.fits)[1:] if name not in self.rivals)
        return tuple(name for name in others if self.fits[name].estimate.log_likelihood > least)

    @property
    def clear(self) -> bool:
        """Whether the samples exclude all laws but the best one."""
        return not self.rivals and not self.richer

    @property
    def verdict(self) -> str:
        """What the comparison says, in a sentence or two.

        Examples
        --------
        >>> compare(([0.1, 0.2, 0.3, 0.4], [0.3, 0.31, 0.29, 0.3]), ["coulomb"]).verdict
        'Only coulomb was fitted: there is nothing to compare it with.'
        """
        names = list(self.fits)
        if len(names) == 1:
            told = f"Only {names[0]} was fitted: there is nothing to compare it with."
        elif self.rivals:
            others = ", ".join(self.rivals)
            told = (
                f"The samples do not tell {names[0]} from {others}: measure more, over more speeds, or with less noise."
            )
        else:
            gap = self.difference(names[1])
            strength = next(word for limit, word in WORDS if gap < limit)
            told = f"The samples speak for {names[0]}; "
            told += f"the evidence against {names[1]}, the next, is {strength} ({gap:.1f})."
        if self.richer:
            told += f" Not needed, but not excluded: {', '.join(self.richer)}."
        if self.best.lack_of_fit < MISFIT:
            told += (
                f" Even {names[0]} misses the means over classes of speed (p = {self.best.lack_of_fit:.1g}): "
                "a law that fits is not among these."
            )
        return told

    def rows(self) -> list[tuple[str, int, float, float, float, float, float]]:
        """Per law: name, free parameters, deviation of the residuals, AICc, BIC, difference, evidence.

        Returns
        -------
        list of tuple
            One row per law, the best first.

        Examples
        --------
        >>> compare(([0.1, 0.2, 0.3, 0.4], [0.3, 0.31, 0.29, 0.3]), ["coulomb"]).rows()[0][:2]
        ('coulomb', 1)
        """
        return [
            (
                name,
                len(fit.estimate.names),
                fit.estimate.deviation,
                fit.estimate.aicc,
                fit.estimate.bic,
                self.difference(name),
                self.evidence(name),
            )
            for name, fit in self.fits.items()
        ]

    def to_dataframe(self) -> pd.DataFrame:
        """The laws as a table, a row for each, the best first.

        Returns
        -------
        pandas.DataFrame
            The free parameters, the deviation, both criteria, the difference and the evidence; laws are the index.

        Examples
        --------
        >>> compare(([0.1, 0.2, 0.3, 0.4], [0.3, 0.31, 0.29, 0.3]), ["coulomb"]).to_dataframe()["evidence"].tolist()
        [1.0]
        """
        return numbered(dict(zip(HEADS, zip(*self.rows(), strict=True), strict=True)), "").set_index("law")

    def __repr__(self) -> str:
        how = "clear" if self.clear else "not clear"
        return f"<Comparison of {len(self.fits)} laws: best {self.best.label}, {how}>"

    def _repr_html_(self) -> str:
        refused = [f"{name}: {why}" for name, why in self.refused.items()]
        return notebook.card(
            "Friction laws compared", notebook.table(self.rows(), HEADS), notebook.notes([self.verdict, *refused])
        )

    def __str__(self) -> str:
        lines = [" ".join(f"{head:>12}" for head in HEADS)]
        for name, free, deviation, *others in self.rows():
            lines.append(f"{name:>12} {free:>12} {deviation:>12.4g} " + " ".join(f"{x:>12.4g}" for x in others))
        return "\n".join([*lines, self.verdict, *(f"{name}: {why}" for name, why in self.refused.items())])

    def _value(self, fit: LawFit) -> float:
        return fit.estimate.bic if self.criterion == "bic" else fit.estimate.aicc


def compare(
    samples: Any, laws: Mapping[str, Any] | Sequence[Any] = KINDS, *, criterion: str = "bic", **options: Any
) -> Comparison:
    """Fit several friction laws to the same samples and say which of them the samples speak for.

    Where neighbouring samples are correlated, only one out of each group is compared.

    Parameters
    ----------
    samples : Samples, pair of array_like, mapping or xarray.Dataset
        Sliding velocities and friction forces, as for `fit_law`.
    laws : sequence or mapping, optional
        Names or laws, or a dictionary from label to law; by default the laws of the library.
    criterion : {"bic", "aicc"}, default "bic"
        Schwarz' criterion finds the right law of those compared when there are many samples; Akaike's prefers the law
        that predicts best, which may have a parameter too many.
    **options
        As for `fit_law`, the same for all laws.

    Returns
    -------
    Comparison
        `best`, `verdict`, and a table in `rows()`.

    Raises
    ------
    IdentifyError
        If the criterion is not known, there is no law to compare, or none could be fitted.

    See Also
    --------
    fit_law : One law.
    compare_aging : Laws of static friction over the time of stick.

    Examples
    --------
    >>> import numpy as np
    >>> import stickslip as ss
    >>> v = np.linspace(0.01, 2, 100)
    >>> noise = np.random.default_rng(0).normal(0, 0.1, 100)
    >>> ss.identify.compare((v, 0.4 + noise), ["coulomb", "stribeck"]).richer
    ('stribeck',)
    """
    if not isinstance(criterion, str) or criterion not in CRITERIA:
        raise IdentifyError(f"there is no criterion {shown(criterion)}: it is one of {', '.join(CRITERIA)}")
    thinned = samples_of(samples, options.pop("normal", None)).thinned()
    found: dict[str, LawFit] = {}
    refused: dict[str, str] = {}
    for label, law in _labelled(laws).items():
        try:
            fit = fit_law(thinned, law, **options)
        except ModelError as error:
            refused[label] = str(error)
            continue
        if fit.estimate.undetermined:
            refused[label] = " ".join(fit.notes)
        else:
            found[label] = fit
    if not found:
        raise IdentifyError("no law could be fitted: " + "; ".join(f"{name}: {why}" for name, why in refused.items()))
    values = {name: fit.estimate.bic if criterion == "bic" else fit.estimate.aicc for name, fit in found.items()}
    order = sorted(found, key=lambda name: values[name] if math.isfinite(values[name]) else math.inf)
    return Comparison({name: found[name] for name in order}, refused, criterion)


def _labelled(laws: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    if isinstance(laws, Mapping):
        return dict(laws)
    labelled: dict[str, Any] = {}
    if not isinstance(laws, Sequence):
        raise IdentifyError(f"laws is {shown(laws)}: give a list of laws, such as ['coulomb', 'stribeck']")
    for law in [laws] if isinstance(laws, str) else laws:
        name = law if isinstance(law, str) else getattr(law, "__name__", type(law).__name__)
        labelled[name if name not in labelled else f"{name} {len(labelled) + 1}"] = law
    if not labelled:
        raise IdentifyError("there is no law to compare: name some")
    return labelled
