"""Measured friction: sliding velocity and friction force, sample by sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stickslip.arrays import Bools, Floats
from stickslip.errors import IdentifyError
from stickslip.identify.errors import column, times
from stickslip.model.errors import shown, suggest

CLEAR = 3.0
"""The mean force to one side must exceed its standard error by this factor for its sense to be clear …"""
MOST = 0.9
"""… or this part of the forces must have one sign."""


@dataclass(frozen=True, eq=False)
class Samples:
    """Measured friction: sliding velocity and friction force, sample by sample.

    Parameters
    ----------
    velocity : array_like of float
        Sliding velocities.
    force : array_like of float
        Friction forces.
    normal : float or array_like of float, default 1.0
        Normal force, one or one for each sample.
    time : array_like of float, optional
        Times of the samples, which rise.
    stick : array_like of bool, optional
        Where the contact sticks: there the force is a reaction, and not friction in slip. By default where the velocity
        is zero.
    force_error : float or array_like of float, optional
        Standard deviation of the forces, where it is known.
    memory : int, default 0
        Over how many neighbouring samples errors are correlated.

    Raises
    ------
    IdentifyError
        If columns are no finite numbers or differ in length, times do not rise, or normal forces or errors are not
        positive.

    See Also
    --------
    fit_law : A law from samples.
    reconstruct : Samples from a displacement.

    Examples
    --------
    >>> import stickslip as ss
    >>> ss.identify.Samples([0.1, -0.1], [-3.0, 3.0], normal=10.0).coefficient.tolist()
    [0.3, 0.3]
    """

    velocity: Floats
    force: Floats
    normal: Floats | float = 1.0
    time: Floats | None = None
    stick: Bools | None = None
    force_error: Floats | None = None
    memory: int = 0

    def __post_init__(self) -> None:
        velocity = column("velocity", self.velocity)
        count = len(velocity)
        normal = column("normal", self.normal, count)
        if np.any(normal <= 0):
            bad = int(np.argmax(normal <= 0))
            raise IdentifyError(f"normal[{bad}] is {normal[bad]:g}: a normal force is positive where there is friction")
        set_ = object.__setattr__
        set_(self, "velocity", velocity)
        set_(self, "force", column("force", self.force, count))
        set_(self, "normal", normal)
        if self.time is not None:
            column("time", self.time, count)
            set_(self, "time", times("time", self.time))
        if self.force_error is not None:
            set_(self, "force_error", _positive("force_error", self.force_error, count))
        if self.stick is not None:
            if not isinstance(self.stick, Sequence | np.ndarray) or np.shape(self.stick) != (count,):
                raise IdentifyError(f"stick is {shown(self.stick)}: it must be a list of {count} truth values")
            set_(self, "stick", np.array(self.stick, dtype=bool))

    def __len__(self) -> int:
        return len(self.velocity)

    @property
    def slip(self) -> Bools:
        """Where the contact slips.

        Examples
        --------
        >>> Samples([0.1, 0.0], [-3.0, 1.0]).slip.tolist()
        [True, False]
        """
        moving = self.velocity != 0
        return np.asarray(moving if self.stick is None else moving & ~self.stick)

    @property
    def coefficient(self) -> Floats:
        """Friction force over normal force, positive where friction resists.

        Examples
        --------
        >>> Samples([0.1], [3.0], normal=10.0).coefficient.tolist()
        [0.3]
        """
        sense = sense_of(self)
        return np.asarray(sense * np.sign(self.velocity) * self.force / self.normal)

    def where(self, chosen: Bools) -> Samples:
        """Only some of the samples.

        Parameters
        ----------
        chosen : array of bool
            Which to keep.

        Returns
        -------
        Samples
            Those that were chosen.

        Examples
        --------
        >>> len(Samples([0.1, -0.1], [-3.0, 3.0]).where(np.array([True, False])))
        1
        """

        def part(values: Any) -> Any:
            return None if values is None else values[chosen]

        return replace(
            self,
            velocity=self.velocity[chosen],
            force=self.force[chosen],
            normal=part(self.normal),
            time=part(self.time),
            stick=part(self.stick),
            force_error=part(self.force_error),
        )

    def thinned(self) -> Samples:
        """One sample out of as many as are correlated, so that those left are not.

        Returns
        -------
        Samples
            Those left, with no memory.

        Examples
        --------
        >>> len(Samples([0.1] * 10, [-3.0] * 10, memory=4).thinned())
        2
        """
        if self.memory == 0:
            return self
        return replace(self.where(np.arange(len(self)) % (self.memory + 1) == 0), memory=0)


def _positive(what: str, values: Any, count: int) -> Floats:
    array = column(what, values, count)
    if np.any(array <= 0):
        bad = int(np.argmax(array <= 0))
        raise IdentifyError(f"{what}[{bad}] is {array[bad]:g}: a standard deviation is positive")
    return array


def samples_of(data: Any, normal: Any = None, contact: str | None = None) -> Samples:
    """Samples from what a user has: samples, a pair (velocity, force), a mapping with these, or a run of `simulate`.

    >>> len(samples_of(([0.1, 0.2], [-3.0, -2.9]), normal=10.0))
    2
    """
    if isinstance(data, Samples):
        return data if normal is None else replace(data, normal=normal)
    given = {} if normal is None else {"normal": normal}
    if hasattr(data, "data_vars"):
        return _of_run(data, given, contact)
    if isinstance(data, Mapping):
        known = ("velocity", "force", "normal", "time", "stick", "force_error")
        for name in ("velocity", "force"):
            if name not in data:
                raise IdentifyError(f"there is no {name!r} in the samples{suggest(name, map(str, data))}")
        return Samples(**({name: data[name] for name in known if name in data} | given))
    try:
        velocity, force = data if not isinstance(data, np.ndarray) or len(data) == 2 else data.T
    except (TypeError, ValueError):
        raise IdentifyError(
            f"the samples are {shown(data)}: give a pair (velocity, force), a mapping with these two, or Samples"
        ) from None
    return Samples(velocity, force, **given)


def _of_run(run: Any, given: dict[str, Any], contact: str | None) -> Samples:
    if "slip_velocity" not in run or "force" not in run:
        raise IdentifyError("the dataset has no slip_velocity and force: it is no run of simulate")
    known = [str(name) for name in run["contact"].values]
    if contact is not None and contact not in known:
        raise IdentifyError(f"there is no contact {shown(contact)}{suggest(contact, known)}")
    i = 0 if contact is None else known.index(contact)
    return Samples(
        run["slip_velocity"].values[:, i],
        run["force"].values[:, i],
        stick=run["mode"].values[:, i] == 0,
        **given,
    )


def sense_of(samples: Samples, sense: str = "auto") -> float:
    """−1 where forces act on the body that slides, against its velocity; +1 where they were measured the other way.

    >>> sense_of(Samples([0.1, -0.2], [-3.0, 3.0]))
    -1.0
    """
    senses = {"against": -1.0, "along": 1.0}
    if isinstance(sense, str) and sense in senses:
        return senses[sense]
    if not isinstance(sense, str) or sense != "auto":
        raise IdentifyError(f"the sense is {shown(sense)}: it is 'against' (the velocity), 'along' or 'auto'")
    resisting = np.sign(samples.velocity) * samples.force
    sides = [resisting[samples.slip & (sign * samples.velocity > 0)] for sign in (1, -1)]
    signs = {_sign(side) for side in sides if len(side)} - {0.0}
    if len(signs) == 1:
        return signs.pop()
    every = np.concatenate(sides)
    if not np.any(every):
        raise IdentifyError("the friction force is zero at all samples that slip: there is nothing to read from it")
    part = float(np.mean(every > 0))
    raise IdentifyError(
        f"at {100 * part:.0f} % of the samples the force goes along the velocity, at the others against it: say which "
        "is meant with sense='against' or sense='along', and check the zero of the force"
    )


def _sign(values: Floats) -> float:
    """The sign of the forces to one side; zero where noise hides it."""
    mean = float(np.mean(values))
    noise = float(np.std(values)) / np.sqrt(len(values))
    most = float(np.mean(np.sign(values) == np.sign(mean)))
    return float(np.sign(mean)) if abs(mean) > CLEAR * noise or most > MOST else 0.0
