"""`Parameter`: a number with a name of its own, which several parts may share and from which others follow."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stickslip.errors import ModelError
from stickslip.model.errors import RESULT_NAMES, check_name, check_number, shown
from stickslip.model.formula import RESERVED, Formula
from stickslip.model.listing import Listing

RESULTS = RESULT_NAMES - {"m", "n", "force", "mode", "power"} | {"point", "special"}
"""Names that sweeps and branches have for other things: a parameter along which they lie could not be told from them.
An axis `m` or `n` is refused by sweeps alone, which know another name of it."""


class Quantity(metaclass=Listing):
    """What can be reckoned with like a number: sums, products and powers of parameters are `Derived`."""

    __array_ufunc__ = None  # numbers of NumPy leave the arithmetic to us

    def __add__(self, other: Any) -> Any:
        return _combined(ast.Add(), self, other)

    def __radd__(self, other: Any) -> Any:
        return _combined(ast.Add(), other, self)

    def __sub__(self, other: Any) -> Any:
        return _combined(ast.Sub(), self, other)

    def __rsub__(self, other: Any) -> Any:
        return _combined(ast.Sub(), other, self)

    def __mul__(self, other: Any) -> Any:
        return _combined(ast.Mult(), self, other)

    def __rmul__(self, other: Any) -> Any:
        return _combined(ast.Mult(), other, self)

    def __truediv__(self, other: Any) -> Any:
        return _combined(ast.Div(), self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _combined(ast.Div(), other, self)

    def __pow__(self, other: Any) -> Any:
        return _combined(ast.Pow(), self, other)

    def __rpow__(self, other: Any) -> Any:
        return _combined(ast.Pow(), other, self)

    def __neg__(self) -> Any:
        return _combined(ast.Mult(), -1, self)

    def __pos__(self) -> Quantity:
        return self


@dataclass(frozen=True)
class Parameter(Quantity):
    """A parameter with a name of its own, to be given for a number of several parts and laws.

    In the model it is one parameter, under its own name: `with_`, `sweep` and `follow` change it everywhere. What
    follows from it is written as arithmetic, `0.8 * mu`, or, where that needs functions, as a plain function with the
    parameter as a default, `lambda k=k, m=m: sqrt(k * m)`.

    Parameters
    ----------
    name : str
        The name of the parameter in the model, without a dot: a letter followed by letters, digits or underscores.
    value : float
        Its value, which `system.with_` changes.
    unit : str, default ""
        Its unit. Where it is not given, that of the first number it stands for, if that is known.

    Raises
    ------
    ModelError
        If the name is no name, or has a meaning in formulas (`exp`, `pi`), or if the value is not a finite number.

    See Also
    --------
    System : Parts put together; `system.parameters` has all that can be changed.
    Formula : A formula as a function, for what arithmetic alone does not express.

    Examples
    --------
    >>> from stickslip import Belt, Contact, Coulomb, Mass, System
    >>> mu = Parameter("mu", 0.5)
    >>> pads, belt = (Mass("left", m=1.0), Mass("right", m=2.0)), Belt("belt", speed=0.2)
    >>> system = System(*(Contact(pad, belt, law=Coulomb(mu, mu_k=0.8 * mu)) for pad in pads))
    >>> system.with_({"mu": 0.6}).law_values("contact2")
    {'mu_s': 0.6, 'mu_k': 0.48}
    """

    name: str
    value: float
    unit: str = ""

    def __post_init__(self) -> None:
        check_name("a Parameter", self.name)
        if self.name in RESERVED or self.name in RESULTS:
            where = "formulas" if self.name in RESERVED else "results"
            raise ModelError(f"a Parameter has the name {self.name!r}, which has a meaning in {where}: choose another")
        object.__setattr__(self, "value", check_number(f"Parameter {self.name!r}", self.value))
        if not isinstance(self.unit, str):
            raise ModelError(f"Parameter {self.name!r}: unit is {shown(self.unit)}; it must be a text such as 'N/m'")

    def __call__(self) -> float:
        """The value it was given: a parameter is a function of nothing, as what follows from it is."""
        return self.value


@dataclass(frozen=True)
class Derived(Quantity, Formula):
    """A number that follows from parameters: what arithmetic on them gives.

    >>> mu = Parameter("mu", 0.5)
    >>> (0.8 * mu + 0.1).text, (0.8 * mu + 0.1)()
    ('0.8 * mu + 0.1', 0.5)
    """


def _combined(operation: ast.operator, left: Any, right: Any) -> Any:
    for operand in (left, right):
        if not isinstance(operand, Quantity):
            try:
                check_number("it", operand)
            except ModelError:
                return NotImplemented
    parameters: dict[str, Parameter] = {}
    for operand in (left, right):
        for name, parameter in _parameters_in(operand).items():
            check_same(parameters.setdefault(name, parameter), parameter)
    node = ast.BinOp(_node(left), operation, _node(right))
    return Derived(ast.unparse(node), (), parameters, "what follows from parameters")


def check_same(first: Parameter, second: Parameter) -> None:
    """Refuse two parameters of one name that differ."""
    if first != second:
        raise ModelError(
            f"there are two parameters {first.name!r}, {shown(first)} and {shown(second)}: make one Parameter, and "
            "give it wherever it belongs"
        )


def _parameters_in(operand: Any) -> Mapping[str, Parameter]:
    if isinstance(operand, Parameter):
        return {operand.name: operand}
    return operand.parameters if isinstance(operand, Derived) else {}


def _node(operand: Any) -> ast.expr:
    if isinstance(operand, Parameter):
        return ast.Name(operand.name)
    text = operand.text if isinstance(operand, Derived) else repr(operand if type(operand) is int else float(operand))
    return ast.parse(text, mode="eval").body
