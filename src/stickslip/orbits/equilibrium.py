"""`Equilibrium`: a state at rest with everything that is known about it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import xarray as xr

from stickslip import notebook
from stickslip.arrays import Complexes
from stickslip.methods.base import Method
from stickslip.methods.exact import Exact
from stickslip.model.errors import check_number
from stickslip.model.listing import Listing
from stickslip.model.system import Model
from stickslip.orbits.records import complexes, decision, interval_of, mode_of, pairs_of, with_parameters
from stickslip.orbits.signature import SECTION, Event, Signature
from stickslip.reading import parsed
from stickslip.saving import model_text

FORMAT = "stickslip equilibrium 1"
SLIP, STICK = "slip", "stick"


@dataclass(frozen=True, eq=False)
class Equilibrium(metaclass=Listing):
    """A state at rest, as `find_equilibria` returns it.

    Sticking masses rest in a whole set: then `interval` has the range of every state, `state` is a point inside, and
    `box` says whether the set is all of what the ranges span. `stable` then says whether motions that begin near
    `state` stay near the set; where states drift along it, as the integral action of a controller does, what happens at
    its ends decides.

    Attributes
    ----------
    model : System or Filippov
        The model.
    state : dict of str to float
        The states, by name.
    mode : dict of str to int
        The mode of every contact: 0 stick, ±1 slip.
    force : dict of str to float
        The friction force at every contact.
    eigenvalues : array of complex
        How neighbouring motions grow, per unit time, largest real part first; sticking contacts are held in them.
    stable : bool or None
        Whether motions nearby stay near; None where it is not decided.
    interval : dict of str to (float, float), or None
        The range of every state in a set of equilibria; None for a single point.
    box : bool or None
        Whether the set is all of what the ranges span; None where it is not decided.
    period : float
        Not a number: what is at rest has no period.

    See Also
    --------
    find_equilibria : finds them.
    follow : an equilibrium along a parameter.

    Examples
    --------
    >>> import stickslip as ss
    >>> (rest,) = ss.find_equilibria(ss.models.coulomb_oscillator())
    >>> rest.interval["x.block"]
    (-1.0, 1.0)
    """

    model: Model
    state: dict[str, float]
    mode: dict[str, int]
    force: dict[str, float]
    eigenvalues: Complexes
    stable: bool | None
    interval: dict[str, tuple[float, float]] | None = None
    box: bool | None = None
    period: float = field(default=float("nan"), repr=False)

    @property
    def kind(self) -> str:
        """Whether some contact sticks."""
        return STICK if 0 in self.mode.values() else SLIP

    @property
    def multipliers(self) -> Complexes:
        """The eigenvalues, under the name that orbits have for what decides on stability."""
        return self.eigenvalues

    @property
    def signature(self) -> Signature:
        """The modes, as orbits have them: one phase without end."""
        return Signature(self.model.contacts, (tuple(self.mode.values()),), (Event(SECTION),))

    @property
    def method(self) -> Method:
        """The method of which this is an equilibrium: no method moves what is at rest."""
        return Exact()

    @property
    def stability(self) -> str:
        """Stable, unstable or not decided."""
        return {True: "stable", False: "unstable", None: "stability not decided"}[self.stable]

    def _whole(self) -> xr.Dataset:
        """What a file of it holds."""
        record = json.dumps(self._record())
        return xr.Dataset(attrs={"format": FORMAT, "model": model_text(self.model), "equilibrium": record})

    @classmethod
    def _of_whole(cls, model: Model, data: xr.Dataset) -> Equilibrium:
        return cls._of_record(model, parsed(data.attrs["equilibrium"], "equilibrium"))

    def _record(self) -> dict[str, Any]:
        """All that there is to know, but for the model itself, as plain numbers and words."""
        return {
            "parameters": dict(self.model.parameters),
            "state": self.state,
            "mode": self.mode,
            "force": self.force,
            "eigenvalues": pairs_of(self.eigenvalues),
            "stable": self.stable,
            "interval": self.interval,
            "box": self.box,
        }

    @classmethod
    def _of_record(cls, model: Model, record: dict[str, Any]) -> Equilibrium:
        interval = record["interval"]
        return cls(
            model=with_parameters(model, record),
            state={name: check_number(f"state {name}", record["state"][name]) for name in model.states},
            mode={name: mode_of(record["mode"][name]) for name in model.contacts},
            force={name: check_number(f"force of {name}", record["force"][name]) for name in model.contacts},
            eigenvalues=complexes(record["eigenvalues"]),
            stable=decision(record["stable"]),
            interval=None if interval is None else {name: interval_of(name, interval[name]) for name in model.states},
            box=decision(record["box"]),
        )

    def summary(self) -> str:
        """A few lines for the screen.

        Returns
        -------
        str
            Its kind, its stability, the eigenvalues, and the states or their ranges.
        """
        values = ", ".join(_shown(m) for m in self.eigenvalues)
        lines = [f"kind         {self.kind}", f"stability    {self.stability}", f"eigenvalues  {values or 'none'}"]
        for name, value in self.state.items():
            low, high = (self.interval or {}).get(name, (value, value))
            among = f"from {low:.12g} to {high:.12g}" if low < high else f"{value:.12g}"
            lines.append(f"{name:<12} {among}")
        if self.box is False:
            lines.append("The set is smaller than the box that these ranges span.")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        facts = [line.split(maxsplit=1) for line in self.summary().splitlines()[:3]]
        rows = []
        for name, value in self.state.items():
            low, high = (self.interval or {}).get(name, (value, value))
            told = f"from {low:.6g} to {high:.6g}" if low < high else f"{value:.6g}"
            rows.append((name, told, self.model.units.get(name, "")))
        box = ["The set is smaller than the box that these ranges span."] if self.box is False else []
        return notebook.card(
            f"Equilibrium of {self.model.about.called}",
            notebook.table(facts),
            notebook.table(rows, ("state", "value", "unit")),
            notebook.notes(box),
        )

    def __repr__(self) -> str:
        ranges = self.interval or {}
        moving = {n: r for n, r in ranges.items() if r[0] < r[1]}
        shown = ", ".join(f"{n} in [{a:.6g}, {b:.6g}]" for n, (a, b) in moving.items())
        shown = shown or _listed(self.state)
        return f"<Equilibrium of {self.model.about.name or 'a model'}: {shown}, {self.kind}, {self.stability}>"


def _listed(state: Mapping[str, float], most: int = 4) -> str:
    shown = [f"{name} = {value:.6g}" for name, value in list(state.items())[:most]]
    return ", ".join([*shown, "…"] if len(state) > most else shown)


def _shown(value: complex) -> str:
    return f"{value.real:.10g}" if value.imag == 0 else f"{value.real:.10g}{value.imag:+.10g}i"
