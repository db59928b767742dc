"""Classes of slip speed: mean, deviation and count of the friction in each (hinrichs1998, Fig. 12)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip.arrays import Floats
from stickslip.errors import IdentifyError
from stickslip.frames import numbered
from stickslip.identify.errors import column
from stickslip.identify.samples import Samples, samples_of, sense_of
from stickslip.model.errors import shown
from stickslip.model.laws import Tabulated

if TYPE_CHECKING:
    import pandas as pd

CLASSES = 20
LEAST = 3
"""A class with fewer samples is left out of a table: its mean is hardly known."""


@dataclass(frozen=True, eq=False)
class Classes:
    """Friction in classes of slip speed: what `classes` returns.

    Attributes
    ----------
    edges : array of float
        Limits of the classes, as slip speeds.
    speed : array of float
        Mean slip speed in each class that is not empty.
    mean : array of float
        Mean friction coefficient; a force where no normal force was given.
    deviation : array of float
        Standard deviation of the samples of a class; nan for one sample.
    count : array of float
        Number of samples.

    See Also
    --------
    classes : Makes them.
    stickslip.plot.classes : Draws them.

    Examples
    --------
    >>> import stickslip as ss
    >>> found = ss.identify.classes(([0.1, 0.1, 0.3, 0.3], [0.4, 0.6, 0.2, 0.2]), 2)
    >>> found.mean.tolist(), found.count.tolist()
    ([0.5, 0.2], [2.0, 2.0])
    """

    edges: Floats
    speed: Floats
    mean: Floats
    deviation: Floats
    count: Floats

    @property
    def error(self) -> Floats:
        """The standard error of each mean.

        Examples
        --------
        >>> classes(([0.1, 0.1, 0.3, 0.3], [0.4, 0.6, 0.2, 0.2]), 2).error.round(3).tolist()
        [0.1, 0.0]
        """
        return np.asarray(self.deviation / np.sqrt(self.count))

    def law(self, mu_s: float | None = None, least: int = LEAST) -> Tabulated:
        """The means as a friction law for a contact: below the slowest class it is constant.

        Parameters
        ----------
        mu_s : float, optional
            Static coefficient; by default that of the slowest class.
        least : int, default 3
            Classes with fewer samples are left out.

        Returns
        -------
        Tabulated
            The law.

        Raises
        ------
        IdentifyError
            If fewer than two classes are left, or a mean is negative.

        Examples
        --------
        >>> found = classes(([0.1] * 3 + [0.3] * 3, [0.4] * 3 + [0.2] * 3), 2)
        >>> found.law().kinetic_value(0.0)
        0.4
        """
        kept = self.count >= least
        if np.sum(kept) < 2:
            raise IdentifyError(
                f"{int(np.sum(kept))} classes have {least} samples or more: a table needs two; make wider classes"
            )
        speeds, means = self.speed[kept], self.mean[kept]
        if np.any(means < 0):
            i = int(np.argmax(means < 0))
            raise IdentifyError(
                f"at the speed {speeds[i]:g} the mean coefficient is {means[i]:g}: friction cannot be negative; "
                "check the zero of the force"
            )
        rest = [] if speeds[0] == 0 else [0.0]
        first = [] if speeds[0] == 0 else [float(means[0])]
        return Tabulated((*rest, *speeds.tolist()), (*first, *means.tolist()), mu_s)

    def to_dataframe(self) -> pd.DataFrame:
        """The classes as a table, a row for each.

        Returns
        -------
        pandas.DataFrame
            The columns speed, mean, deviation, error and count.

        Examples
        --------
        >>> classes(([0.1, 0.1, 0.3, 0.3], [0.4, 0.6, 0.2, 0.2]), 2).to_dataframe()["error"].round(3).tolist()
        [0.1, 0.0]
        """
        names = ("speed", "mean", "deviation", "error", "count")
        return numbered({name: getattr(self, name) for name in names}, "class")

    def rows(self) -> list[tuple[float, float, float, int]]:
        """Speed, mean, deviation and count of every class.

        Returns
        -------
        list of tuple
            One row per class.

        Examples
        --------
        >>> classes(([0.1, 0.1, 0.3, 0.3], [0.4, 0.4, 0.2, 0.2]), 2).rows()[0]
        (0.1, 0.4, 0.0, 2)
        """
        columns = (self.speed, self.mean, self.deviation, self.count)
        return [(float(v), float(m), float(d), int(n)) for v, m, d, n in zip(*columns, strict=True)]


def classes(data: Any, count: Any = CLASSES, *, normal: Any = None, side: str = "both", sense: str = "auto") -> Classes:
    """The friction coefficient in classes of slip speed (hinrichs1998, Fig. 12).

    Parameters
    ----------
    data : Samples, pair of array_like, mapping or xarray.Dataset
        Sliding velocities and friction forces, as for `fit_law`.
    count : int or array_like of float, default 20
        How many classes of equal width, or the limits of the classes, as slip speeds; where a record has no more
        different speeds than that, each speed is a class.
    normal : float or array_like of float, optional
        Normal force; without it the forces themselves are used.
    side : {"both", "+", "-"}, default "both"
        Direction of slip.
    sense : {"auto", "against", "along"}, default "auto"
        Whether forces act on the body, against its velocity, or were measured the other way.

    Returns
    -------
    Classes
        Mean, deviation and count per class; its `law()` is a friction law.

    Raises
    ------
    IdentifyError
        If no sample slips, the limits do not rise, or the sense of the forces is not clear.

    See Also
    --------
    fit_law : A law with parameters.
    stickslip.plot.classes : Draws them.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.identify.classes(([0.1, 0.1, -0.3, -0.3], [-4.0, -4.0, 2.0, 2.0]), 2, normal=10.0).mean.tolist()
    [0.4, 0.2]
    """
    samples = of_side(samples_of(data, normal), side)
    speed, coefficient = np.abs(samples.velocity), coefficients(samples, sense)
    edges = _edges(speed, count)
    place = np.clip(np.searchsorted(edges, speed, side="right") - 1, 0, len(edges) - 2)
    inside = (speed >= edges[0]) & (speed <= edges[-1])
    used = [i for i in range(len(edges) - 1) if np.any(inside & (place == i))]
    groups = [(inside & (place == i)) for i in used]
    return Classes(
        edges,
        np.array([_mean(speed[group]) for group in groups]),
        np.array([_mean(coefficient[group]) for group in groups]),
        np.array([_deviation(coefficient[group]) for group in groups]),
        np.array([float(np.sum(group)) for group in groups]),
    )


def _mean(values: Floats) -> float:
    """Exactly the value where all are the same: a mean that is off by round-off is no speed that was set."""
    return float(values[0]) if np.all(values == values[0]) else float(np.mean(values))


def _deviation(values: Floats) -> float:
    return float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")


def _edges(speed: Floats, count: Any) -> Floats:
    if not isinstance(count, int):
        edges = column("the limits of the classes", count)
        if len(edges) < 2 or np.any(np.diff(edges) <= 0):
            raise IdentifyError("the limits of the classes must be two numbers or more, and rise")
        return edges
    if count < 1:
        raise IdentifyError(f"there cannot be {count} classes: give one or more")
    levels = np.unique(speed)
    if len(levels) <= count:
        middles = (levels[1:] + levels[:-1]) / 2
        return np.array([levels[0], *middles, max(levels[-1], np.nextafter(levels[0], np.inf))])
    return np.linspace(levels[0], levels[-1], count + 1)


def of_side(samples: Samples, side: str) -> Samples:
    """The samples that slip to one side, or to both.

    >>> len(of_side(Samples([0.1, -0.1, 0.0], [-1.0, 1.0, 0.5]), "+"))
    1
    """
    sides = {"both": samples.slip, "+": samples.slip & (samples.velocity > 0)}
    sides["-"] = sides["−"] = samples.slip & (samples.velocity < 0)
    if not isinstance(side, str) or side not in sides:
        raise IdentifyError(f"the side is {shown(side)}: it is 'both', '+' or '-'")
    if not np.any(sides[side]):
        raise IdentifyError("no sample slips" + ("" if side == "both" else f" to the side {side!r}"))
    return samples.where(sides[side])


def coefficients(samples: Samples, sense: str) -> Floats:
    """The friction coefficient of every sample, positive where friction resists.

    >>> coefficients(Samples([0.1], [-3.0], normal=10.0), "against").tolist()
    [0.3]
    """
    return np.asarray(sense_of(samples, sense) * np.sign(samples.velocity) * samples.force / samples.normal)
