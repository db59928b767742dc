"""`Orbit`: a periodic motion with everything that is known about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stickslip import notebook
from stickslip.arrays import Complexes, Floats
from stickslip.methods.base import Method
from stickslip.methods.exact import Exact
from stickslip.model.listing import Listing
from stickslip.model.system import Model
from stickslip.orbits.newton import History
from stickslip.orbits.signature import Signature
from stickslip.orbits.stability import nontrivial

if TYPE_CHECKING:
    import pandas as pd

    from stickslip.result import Run

BORDER = 1e-9
"""How far beyond 1 a multiplier must lie to count as outside the unit circle."""


@dataclass(frozen=True, eq=False)
class Orbit(metaclass=Listing):
    """A periodic orbit, as `find_orbit` returns it.

    Attributes
    ----------
    model : System or Filippov
        The model.
    start : dict of str to float
        The states where it is begun: at a stick→slip event where it has one.
    start_time : float
        The time there.
    period : float
        The period, in units of time.
    signature : Signature
        The cyclic sequence of modes and events.
    multipliers : array of complex
        The Floquet multipliers, largest first, zeros being exactly zero.
    turns : int
        How many periods of the excitation are in one period of the orbit; 0 without excitation.
    phases : Phases
        Where every phase begins and how long it lasts.
    advance : dict of str to float
        By how much states advance in one period, as positions do on a feed: by name, those that do. Empty for orbits
        that close.
    method : Method
        The method of whose equations this is an orbit.
    history : History
        How Newton's method converged.

    See Also
    --------
    find_orbit, find_orbits : find them.
    follow : an orbit along a parameter.
    plot.multipliers : its Floquet multipliers.

    Examples
    --------
    >>> import stickslip as ss
    >>> orbit = ss.find_orbit(ss.models.block_on_belt())
    >>> round(orbit.period, 9), str(orbit.signature), orbit.stable
    (12.001031295, 'slip- → stick', True)
    """

    model: Model
    start: dict[str, float]
    start_time: float
    period: float
    signature: Signature
    multipliers: Complexes
    turns: int
    phases: Phases
    advance: dict[str, float] = field(default_factory=dict)
    method: Method = field(default_factory=Exact)
    history: History = field(default_factory=History)

    @property
    def autonomous(self) -> bool:
        """Whether the system has no excitation in time."""
        return self.turns == 0

    @property
    def nontrivial(self) -> Complexes:
        """The multipliers without the 1 that a system without excitation always has."""
        return nontrivial(self.multipliers, self.autonomous)

    @property
    def stable(self) -> bool:
        """Whether every neighbouring motion stays near: no multiplier outside the unit circle."""
        return bool(np.all(np.abs(self.nontrivial) <= 1 + BORDER))

    @property
    def state(self) -> Floats:
        """The start as an array, in the order of the model's states."""
        return np.array([self.start[name] for name in self.model.states])

    @cached_property
    def data(self) -> Run:
        """One period, as `simulate` returns it."""
        return self._run(1.0)

    def to_dataframe(self) -> pd.DataFrame:
        """One period as a table, a row for each time: what `Run.to_dataframe` makes of it.

        Returns
        -------
        pandas.DataFrame
            The states and, for each contact, its mode, force and sliding velocity; the times are the index.

        Examples
        --------
        >>> import stickslip as ss
        >>> frame = ss.find_orbit(ss.models.block_on_belt()).to_dataframe()
        >>> round(float(frame.index[-1] - frame.index[0]), 9)
        12.001031295
        """
        return self.data.to_dataframe()

    def plot(self, **keywords: Any) -> Any:
        """The orbit in the phase plane, drawn a little beyond its end: the event at which it begins is seen, too.

        Parameters
        ----------
        **keywords
            Those of `stickslip.plot.phase`.

        Returns
        -------
        matplotlib.axes.Axes
            Where it is drawn.
        """
        from stickslip import plot

        return plot.phase(self._run(1.0001), **keywords)

    def _run(self, periods: float) -> Run:
        from stickslip.simulation import simulate, uninterrupted

        end = self.start_time + periods * self.period
        return uninterrupted(
            simulate(self.model, end, start_time=self.start_time, start=self.start, method=self.method)
        )

    def save(self, path: str | Path) -> Path:
        """Write the orbit to a NetCDF file; `stickslip.load` reads it back.

        Parameters
        ----------
        path : path
            Where to.

        Returns
        -------
        pathlib.Path
            The file.
        """
        from stickslip.storage import save

        return save(self, path)

    def summary(self) -> str:
        """A few lines for the screen.

        Returns
        -------
        str
            The period, the stability, the multipliers, the signature and the start.
        """
        values = ", ".join(_shown(m) for m in self.multipliers)
        stability = "stable" if self.stable else "unstable"
        excited = f" = {self.turns} periods of the excitation" if self.turns else ""
        lines = [
            f"period       {self.period:.12g} {self.model.time_unit}".rstrip() + excited,
            f"stability    {stability}",
            f"multipliers  {values}",
            f"signature    {self.signature}",
        ]
        lines += [f"{name:<12} {value:.12g}{self._advancing(name)}" for name, value in self.start.items()]
        return "\n".join(lines)

    def _advancing(self, name: str) -> str:
        return f", advancing by {self.advance[name]:.12g} in a period" if name in self.advance else ""

    def _repr_html_(self) -> str:
        start = [(name, value, self.model.units.get(name, "")) for name, value in self.start.items()]
        begin = notebook.table(start, ("state", f"at t = {self.start_time:.6g}", "unit"))
        facts = [line.split(maxsplit=1) for line in self.summary().splitlines()[:4]]
        return notebook.card(
            f"Orbit of {self.model.about.called}",
            notebook.table(facts),
            notebook.folded("where it begins", begin),
        )

    def __repr__(self) -> str:
        stability = "stable" if self.stable else "unstable"
        return f"<Orbit of {self.model.about.name or 'a model'}: period {self.period:.10g}, {stability}>"


def _shown(value: complex) -> str:
    if value == 0:
        return "0"
    return f"{value.real:.10g}" if abs(value.imag) < 1e-14 * abs(value) else f"{value.real:.10g}{value.imag:+.10g}i"


@dataclass(frozen=True)
class Phases:
    """Where every phase of an orbit begins and how long it lasts; `scale` is the size of each state, `rounds` by how
    much angles advance in a period."""

    states: Floats
    durations: Floats
    scale: Floats
    forcing: float | None = None
    rounds: Floats | None = None
