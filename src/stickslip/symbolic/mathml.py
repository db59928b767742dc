"""The equations of a model typeset, as MathML: browsers show it by themselves, and nothing in it is executed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import sympy
from sympy.printing.mathml import MathMLPresentationPrinter

from stickslip.model.system import Model
from stickslip.symbolic.equations import Equations, derive, symbol

GREEK = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "eps": "ε",
    "zeta": "ζ",
    "eta": "η",
    "theta": "θ",
    "kappa": "κ",
    "lambda": "λ",
    "mu": "μ",
    "nu": "ν",
    "xi": "ξ",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "phi": "φ",
    "psi": "ψ",
    "omega": "ω",
}


@dataclass(frozen=True)
class Typeset:
    """Every equation of a model in MathML: the rates of its states, and per contact its formulas after what each is."""

    rates: Sequence[str]
    contacts: Mapping[str, Sequence[tuple[str, str]]]


def typeset(model: Model) -> Typeset:
    """The equations of a model.

    >>> from stickslip.model.library import block_on_belt
    >>> typeset(block_on_belt()).rates[0].count("<mtext>block</mtext>")
    2
    """
    equations = derive(model)
    printer = _Printer(_names(model, equations))
    forces = [_force(model, i) for i in range(len(model.contacts))]
    rates = []
    for state, f, weights in zip(model.states, equations.f, equations.G, strict=True):
        right = f + sympy.Add(*(weight * force for weight, force in zip(weights, forces, strict=True)))
        rates.append(_equation(identifier(state, of_state=True, dot=True), printer.quotient(right)))
    return Typeset(rates, {name: _contact(equations, printer, i, forces[i]) for i, name in enumerate(model.contacts)})


def identifier(name: str, of_state: bool = False, dot: bool = False) -> str:
    """A name as a letter with its owner below it: x.block → x with block, contact.mu_s → μ with s, contact.

    >>> identifier("contact.mu_s")
    '<msub><mi>μ</mi><mtext>s, contact</mtext></msub>'
    """
    first, _, rest = name.partition(".")
    head, owner = (first, rest) if of_state or not rest else (rest, first)
    letter, _, index = head.partition("_")
    below = ", ".join(part for part in (index, owner) if part)
    text = f"<mi>{escape(GREEK.get(letter, letter))}</mi>"
    if dot:
        text = f"<mover>{text}<mo>˙</mo></mover>"
    return f"<msub>{text}<mtext>{escape(below)}</mtext></msub>" if below else text


def _names(model: Model, equations: Equations) -> dict[str, str]:
    """The markup of every symbol."""
    names = {str(symbol(name)): identifier(name, of_state=True) for name in model.states}
    names |= {str(symbol(name)): identifier(name) for name in model.parameters}
    names |= {str(speed): f"<mrow><mo>|</mo>{_RELATIVE}<mo>|</mo></mrow>" for speed in equations.speeds}
    only = len(model.contacts) == 1
    for i, contact in enumerate(model.contacts):
        below = f"<mtext>{escape(contact)}</mtext>"
        names[f"_sign{i}"] = "<mi>s</mi>" if only else f"<msub><mi>s</mi>{below}</msub>"
        names[str(_force(model, i))] = "<mi>λ</mi>" if only else f"<msub><mi>λ</mi>{below}</msub>"
    return names


_RELATIVE = "<msub><mi>v</mi><mtext>rel</mtext></msub>"


def _force(model: Model, contact: int) -> sympy.Symbol:
    """The symbol of a contact's friction force; no name of a user has a blank in it."""
    return sympy.Symbol(f"friction force {contact}")


def _contact(equations: Equations, printer: _Printer, i: int, force: sympy.Symbol) -> list[tuple[str, str]]:
    lines = [
        ("sliding velocity", _equation(_RELATIVE, printer.text(equations.h[i]))),
        ("kinetic limit", _equation("<mi>R</mi>", printer.text(equations.R[i]))),
        ("static limit", _equation("<mi>S</mi>", printer.text(equations.S[i]))),
    ]
    if i in equations.own_forces:
        lines.append(("force in stick", _equation(printer.text(force), printer.text(equations.own_forces[i][0]))))
    return lines


def _equation(left: str, right: str) -> str:
    return f"<math><mrow>{left}<mo>=</mo>{right}</mrow></math>"


class _Printer(MathMLPresentationPrinter):  # type: ignore[misc]
    """SymPy's printer, which writes texts as they are: so the names that it is given are escaped already."""

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__()
        self.names = names

    def text(self, expression: Any) -> str:
        return str(self.doprint(expression))

    def quotient(self, expression: Any) -> str:
        """A sum whose terms have one divisor in common, as a mass in Newton's law, over that divisor."""
        terms = sympy.Add.make_args(expression)
        below = [{base for base, power in _powers(term) if base.is_Symbol and power == -1} for term in terms]
        common = sorted(set.intersection(*below), key=str)
        if len(terms) < 2 or not common:
            return self.text(expression)
        above = sympy.Add(*(term * common[0] for term in terms))
        return f"<mfrac>{self.text(above)}{self.text(common[0])}</mfrac>"

    def _print_Symbol(self, expression: Any, style: str = "plain") -> Any:
        return self._raw(self.names.get(str(expression), f"<mi>{escape(str(expression))}</mi>"))

    def _print_Piecewise(self, expression: Any) -> Any:
        lines = [
            f"<mtr><mtd>{self.text(value)}</mtd><mtd>{'' if condition == True else self.text(condition)}</mtd></mtr>"  # noqa: E712
            for value, condition in expression.args
        ]
        return self._raw(f"<mrow><mo>{{</mo><mtable>{''.join(lines)}</mtable></mrow>")

    def _print_Table(self, expression: Any) -> Any:
        argument = self.text(expression.args[1])  # the first one only numbers the table
        return self._raw(f"<mrow><mi>table</mi><mo>(</mo>{argument}<mo>)</mo></mrow>")

    def _raw(self, markup: str) -> Any:
        """A node that is written as this markup."""
        return self.dom.createTextNode(markup)


def _powers(term: Any) -> list[tuple[Any, Any]]:
    return list(term.as_powers_dict().items())
