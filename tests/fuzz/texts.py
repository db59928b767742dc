"""Formulas: from a grammar, and from known ones by changing signs."""

from __future__ import annotations

import math
from random import Random

from tests.fuzz.mutate import kept, mutated_text

from stickslip.errors import ModelError
from stickslip.model.formula import Formula, names_in

VARIABLES = ("v", "t", "x")
PARAMETERS = {"a": 0.5, "mu_k": 0.3, "v_s": 2.0}
NAMES = (*VARIABLES, *PARAMETERS, "pi", "unknown", "exp", "__import__", "functions", "_", "lambda", "e1")
NUMBERS = ("0", "1", "2", "0.5", "1e308", "1e-320", "1e999", "9" * 50, ".5", "5.", "0x10", "1_0", "1j", "1e", "-0.0")
FUNCTIONS = ("exp", "log", "sqrt", "sin", "tan", "tanh", "atan", "abs", "sign", "min", "max", "where", "open", "eval")
OPERATORS = ("+", "-", "*", "/", "**", "//", "%", "@", "<", ">=", "==", " and ", ";", "^")


def draw(random: Random) -> str:
    """A formula, more often right than wrong."""
    if random.random() < 0.4:
        return mutated_text(random, random.choice(kept("formula", "*.txt")))
    if random.random() < 0.03:
        return _monster(random)
    return _formula(random, random.randrange(6))


def _formula(random: Random, depth: int) -> str:
    chance = random.random()
    if depth == 0 or chance < 0.15:
        return random.choice(NAMES[:6] if random.random() < 0.9 else NAMES) if chance < 0.5 else _number(random)
    if chance < 0.55:
        operator = random.choice(OPERATORS[:5] if random.random() < 0.95 else OPERATORS)
        return f"({_formula(random, depth - 1)}{operator}{_formula(random, depth - 1)})"
    if chance < 0.65:
        return f"-{_formula(random, depth - 1)}"
    name = random.choice(FUNCTIONS[:12] if random.random() < 0.95 else FUNCTIONS)
    if name == "where" and random.random() < 0.9:
        condition = f"{_formula(random, depth - 1)} < {_formula(random, depth - 1)}"
        return f"where({condition}, {_formula(random, depth - 1)}, {_formula(random, depth - 1)})"
    count = random.choice((0, 1, 1, 2, 2, 3, 45))
    return f"{name}({', '.join(_formula(random, depth - 1 if count < 9 else 0) for _ in range(count))})"


def _number(random: Random) -> str:
    return random.choice(NUMBERS) if random.random() < 0.3 else repr(random.choice((1, 10, 1e3)) * random.random())


def _monster(random: Random) -> str:
    n = random.choice((10, 60, 300, 5000, 100_000))
    chains = [sign.join([name] * n) for sign, name in (("+", "v"), ("**", "v"), ("**", "9"), ("/", "v"), (",", "v"))]
    nested = [f"{head * n}v{tail * n}" for head, tail in (("(", ")"), ("exp(", ")"), ("where(v<1,", ",v)"), ("-", ""))]
    return random.choice([*chains, *nested, f"min({chains[-1]})", f"v**{10 ** min(n, 900)}", "1" * n, "x" * n])


def judge(text: str) -> None:
    """Read, and worked out at some numbers; what cannot be is refused by ModelError alone."""
    try:
        formula = Formula(text, VARIABLES, PARAMETERS)
        names_in(text)
    except ModelError:
        return
    assert 0 <= formula.operations < 1500, f"costs {formula.operations}"
    for values in ((0.0, 0.0, 0.0), (0.5, -1.0, 2.0), (1e300, 1e-300, -1e300)):
        try:
            value = formula(*values)
        except (ArithmeticError, ValueError):
            continue  # outside its domain: a caller with numbers knows what that means
        assert isinstance(value, int | float), f"{value!r} is no number"
        assert not isinstance(value, int) or abs(value) < 10**400, "a whole number without end"
        math.isfinite(value)
