"""The equations of a model in words of mechanics, with the names that a user knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from stickslip.cli.formulas import Terms, fraction, readable, terms, total
from stickslip.model.system import Model, System
from stickslip.symbolic.equations import Equations, derive, formula_text, in_symbols, symbol


@dataclass(frozen=True)
class ContactText:
    """One contact: its name, and its formulas after what each is."""

    name: str
    lines: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class EquationText:
    """Every equation of a model, ready to print: rates as (left side, right side), and the contacts."""

    rates: Sequence[tuple[str, str]]
    contacts: Sequence[ContactText]


def written(model: Model) -> EquationText:
    """The equations of a model.

    >>> from stickslip.model.library import block_on_belt
    >>> for rate in written(block_on_belt()).rates:
    ...     print(" = ".join(rate))
    x.block' = v.block
    v.block' = (−spring.k·x.block + λ)/block.m
    """
    return _Writer(model, derive(model)).text()


def derived(model: Model) -> dict[str, str]:
    """The formulas of all numbers that follow from parameters, by their names.

    >>> from stickslip import Belt, Contact, Coulomb, Mass, Parameter, System
    >>> mu = Parameter("mu", 0.5)
    >>> system = System(Contact(Mass("block", m=1.0), Belt("belt", speed=0.2), law=Coulomb(mu, 0.8 * mu)))
    >>> derived(system)
    {'contact.mu_k': '0.8·mu'}
    """
    names = {str(symbol(name)): name for name in model.parameters}
    return {name: readable(formula_text(in_symbols(term, symbol)), names) for name, term in model.derived.items()}


class _Writer:
    def __init__(self, model: Model, equations: Equations) -> None:
        self.model, self.equations = model, equations
        self.names = {str(symbol(name)): name for name in (*model.states, *model.parameters)}
        self.names |= {str(speed): "|v_rel|" for speed in equations.speeds}
        only = len(model.contacts) == 1
        self.names |= {f"_sign{i}": "s" if only else f"s.{name}" for i, name in enumerate(model.contacts)}

    def text(self) -> EquationText:
        rates = [(f"{name}'", self._rate(i, name)) for i, name in enumerate(self.model.states)]
        return EquationText(rates, [self._contact(i) for i in range(len(self.model.contacts))])

    def _force(self, contact: str) -> str:
        """The symbol of a contact's friction force; the only one needs no name."""
        return "λ" if len(self.model.contacts) == 1 else f"λ.{contact}"

    def _rate(self, row: int, name: str) -> str:
        f, weights = self.equations.f[row], self.equations.G[row]
        if not isinstance(self.model, System) or not name.startswith("v."):
            return total(self._terms(f) + self._forces(weights))
        # Newton's law: the forces in one sum, over the mass
        mass = next(m for m in self.model.masses if f"v.{m.name}" == name)
        m = in_symbols(self.model.term(mass.name, mass.measure), symbol)
        below = self._readable(m)
        forces = self._terms(f * m) + self._forces([weight * m for weight in weights])
        return fraction(forces, below if m.is_Symbol else f"({below})")

    def _forces(self, weights: Sequence[Any]) -> Terms:
        found: Terms = []
        for contact, weight in zip(self.model.contacts, weights, strict=True):
            force = self._force(contact)
            for sign, factor in self._terms(weight):
                found.append((sign, force if factor == "1" else f"{factor}·{force}"))
        return found

    def _terms(self, expression: Any) -> Terms:
        return terms(formula_text(expression), self.names)

    def _contact(self, index: int) -> ContactText:
        equations, name = self.equations, self.model.contacts[index]
        force = self._force(name)
        velocity = "sliding velocity" if isinstance(self.model, System) else "switching function"
        stick = f"v_rel = 0 while |{force}| ≤ S"
        if index in equations.own_forces:
            velocity = "slip of the asperity"
            stick = f"{force} = {self._readable(equations.own_forces[index][0])} while |{force}| ≤ S"
        lines = [
            (velocity, f"v_rel = {self._readable(equations.h[index])}"),
            ("kinetic limit", f"R = {self._readable(equations.R[index])}"),
            ("static limit", f"S = {self._readable(equations.S[index])}"),
            ("slip", f"{force} = −sign(v_rel)·R"),
            ("stick", stick),
        ]
        if self._has_mode(index):
            lines.append(("mode", f"{self.names[f'_sign{index}']} = sign(v_rel) in slip, 0 in stick"))
        return ContactText(name, lines)

    def _has_mode(self, index: int) -> bool:
        """Whether the mode of a contact appears in the equations themselves."""
        sign = f"_sign{index}"
        rows = [*self.equations.f, *(g for row in self.equations.G for g in row), *self.equations.h]
        return any(sign in map(str, row.free_symbols) for row in rows)

    def _readable(self, expression: Any) -> str:
        return readable(formula_text(expression), self.names)
