"""`Orbit`: a periodic motion with everything that is known about it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from stickslip import notebook
from stickslip.arrays import Complexes, Floats
from stickslip.cycles import crossings
from stickslip.errors import ResultError
from stickslip.methods.base import Method
from stickslip.methods.exact import Exact
from stickslip.methods.smooth import Smoothing
from stickslip.methods.switch import Switch
from stickslip.model.errors import check_number, check_whole
from stickslip.model.listing import Listing
from stickslip.model.system import Model
from stickslip.orbits.newton import History
from stickslip.orbits.records import complexes, pairs_of, with_parameters
from stickslip.orbits.signature import Event, Signature
from stickslip.orbits.stability import nontrivial
from stickslip.reading import parsed
from stickslip.result import interpolate
from stickslip.saving import model_text, save

if TYPE_CHECKING:
    import pandas as pd

    from stickslip.result import Run

FORMAT = "stickslip orbit 1"
METHODS: dict[str, type[Method]] = {"Exact": Exact, "Smoothing": Smoothing, "Switch": Switch}
"""The methods that have orbits, by the names that files have for them."""

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

    def crossings(self, quantity: str, value: float = 0.0, direction: str = "up") -> xr.Dataset:
        """The points at which the orbit passes through a section, in the order in which it does.

        Parameters
        ----------
        quantity : str
            The name of a state, or of a contact, whose sliding velocity is meant.
        value : float, default 0.0
            The value it passes, in its own unit.
        direction : str, default "up"
            "up", "down" or "both".

        Returns
        -------
        xarray.Dataset
            States, modes, forces and sliding velocities there, along `time`.

        Raises
        ------
        ResultError
            If there is no such state or contact.

        See Also
        --------
        Branch.crossings : those of all orbits of a branch.
        observe.Section : those of many motions.

        Examples
        --------
        >>> import stickslip as ss
        >>> points = ss.find_orbit(ss.models.block_on_belt()).crossings("v.block", direction="down")
        >>> points["x.block"].values.round(6).tolist()
        [1.133945]
        """
        return interpolate(self.data, crossings(self.data, quantity, value, direction, closed=True))

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
        return save(self, path)

    def _whole(self) -> xr.Dataset:
        """One period, with the record of the orbit: what a file of it holds."""
        data = self.data.copy()
        data.attrs |= {"format": FORMAT, "model": model_text(self.model), "orbit": json.dumps(self._record())}
        return data

    @classmethod
    def _of_whole(cls, model: Model, data: xr.Dataset) -> Orbit:
        return cls._of_record(model, parsed(data.attrs["orbit"], "orbit"))

    def _record(self) -> dict[str, Any]:
        """All that there is to know, but for the model itself, as plain numbers and words."""
        return {
            "parameters": dict(self.model.parameters),
            "start": self.start,
            "start_time": self.start_time,
            "period": self.period,
            "turns": self.turns,
            "multipliers": pairs_of(self.multipliers),
            "modes": [list(mode) for mode in self.signature.modes],
            "events": [[event.kind, event.contact, event.side] for event in self.signature.events],
            "states": self.phases.states.tolist(),
            "durations": self.phases.durations.tolist(),
            "scale": self.phases.scale.tolist(),
            "forcing": self.phases.forcing,
            "rounds": None if self.phases.rounds is None else self.phases.rounds.tolist(),
            "advance": self.advance,
            "method": {"name": type(self.method).__name__, **asdict(self.method)},  # type: ignore[call-overload]
        }

    @classmethod
    def _of_record(cls, model: Model, record: dict[str, Any]) -> Orbit:
        settings = dict(record["method"])
        name = settings.pop("name")
        if name not in METHODS:
            raise ResultError(f"there is no method {name!r}")
        modes = tuple(tuple(int(m) for m in mode) for mode in record["modes"])
        events = tuple(Event(str(kind), int(contact), int(side)) for kind, contact, side in record["events"])
        forcing = record["forcing"]
        orbit = cls(
            model=with_parameters(model, record),
            start={name: check_number(f"start of {name}", record["start"][name]) for name in model.states},
            start_time=check_number("start_time", record["start_time"]),
            period=check_number("period", record["period"], positive=True),
            signature=Signature(model.contacts, modes, events),
            multipliers=complexes(record["multipliers"]),
            turns=check_whole("turns", record["turns"], 0),
            phases=Phases(
                np.array(record["states"], float),
                np.array(record["durations"], float),
                np.array(record["scale"], float),
                None if forcing is None else check_number("forcing", forcing, positive=True),
                None if record["rounds"] is None else np.array(record["rounds"], float),
            ),
            advance={name: check_number(f"advance of {name}", record["advance"][name]) for name in record["advance"]},
            method=METHODS[name](**settings),
        )
        _check(orbit)
        return orbit

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


def _check(orbit: Orbit) -> None:
    """Refuse phases that do not belong to the model, or not together."""
    states, contacts, signature = len(orbit.model.states), len(orbit.model.contacts), orbit.signature
    phases = orbit.phases
    count = len(phases.durations)
    shapes = phases.states.shape, phases.durations.shape, phases.scale.shape
    if shapes != ((count, states), (count,), (states,)):
        raise ResultError(f"its phases have the shapes {shapes}, which do not fit {states} states")
    if any(len(mode) not in (0, contacts) or not set(mode) <= {-1, 0, 1} for mode in signature.modes):
        raise ResultError(f"its modes do not fit {contacts} contacts")
    if any(event.contact not in range(-1, contacts) or event.side not in (-1, 0, 1) for event in signature.events):
        raise ResultError("its events name contacts that the model does not have")
    if phases.rounds is not None and phases.rounds.shape != (states,):
        raise ResultError(f"its turns have the shape {phases.rounds.shape}, which does not fit {states} states")
    if not set(orbit.advance) <= set(orbit.model.states):
        raise ResultError("it says how states advance that the model does not have")
    if not all(np.all(np.isfinite(x)) for x in (phases.states, phases.durations, phases.scale)):
        raise ResultError("its phases are not finite")
