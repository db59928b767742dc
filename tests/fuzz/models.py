"""Model files: from a grammar of parts, and from known ones by changing the text."""

from __future__ import annotations

import json
import zlib
from random import Random

from tests.fuzz import texts
from tests.fuzz.mutate import TOKENS, kept, mutated_text

from stickslip.errors import ModelError
from stickslip.field import Field
from stickslip.model.cost import costs
from stickslip.model.files import dumps, loads
from stickslip.model.limits import MAX_COST
from stickslip.model.system import Model

ONE_IN = 300
"""Of the models that can be read, one in so many is compiled: that takes a hundred times as long."""

NAMES = ("block", "belt", "ground", "a", "b", "pad", "x" * 64, "x" * 65, "é", "lambda", "t", "", "a.b", "m1")
KINDS = ("mass", "rotor", "belt", "base", "state", "spring", "damper", "force", "torque", "contact", "compliantcontact")
KINDS += ("dynamiccontact",)
SINGLE = ("laws", "start", "parameters", "units", "known", "filippov")
LAWS = ("coulomb", "hyperbolic", "stribeck", "popp_stelter", "polynomial", "tabulated", "dahl", "lugre", "state", "odd")
KEYS = (
    *("m", "x", "v", "unit", "speed", "motion", "between", "k", "c", "force", "on", "against", "law", "normal", "eps"),
    *(
        "inertia",
        "torque",
        "start",
        "scatter",
        "stiffness",
        "damping",
        "shape",
        "mu_s",
        "mu_k",
        "v_s",
        "delta",
        "coefficients",
        "speeds",
        "values",
    ),
    *(
        "kind",
        "formula",
        "aging",
        "viscous",
        "static",
        "rate",
        "coefficient",
        "initial",
        "sigma_0",
        "mu",
        "distribution",
    ),
)


def draw(random: Random) -> str:
    """The text of a model file."""
    if random.random() < 0.6:
        return mutated_text(random, random.choice(kept("model", "*.toml")))
    if random.random() < 0.02:
        return _monster(random)
    lines = [f"{key} = {_value(random, 1)}" for key in ("name", "title", "time_unit", "order") if random.random() < 0.2]
    for _ in range(random.randrange(6)):
        name = random.choice(NAMES[:6] if random.random() < 0.9 else NAMES)
        kind = random.choice(KINDS if random.random() < 0.9 else SINGLE)
        lines.append(f"[{kind}.{json.dumps(name)}]")
        lines += [f"{random.choice(KEYS)} = {_value(random, 3)}" for _ in range(random.randrange(5))]
    if random.random() < 0.2:
        lines += ["[parameters]", *(f"{name} = {_value(random, 2)}" for name in random.sample(NAMES[:6], 2))]
    return "\n".join(lines)


def _value(random: Random, depth: int) -> str:
    chance = random.random()
    if depth == 0 or chance < 0.4:
        return random.choice(("1.0", "0.3", "-1", "nan", "inf", "1e400", "true", "1979-05-27", "0x10", "[]", "{}"))
    if chance < 0.55:
        return json.dumps(random.choice((*NAMES[:6], *LAWS, *TOKENS[:30])), ensure_ascii=False)
    if chance < 0.7:
        return json.dumps(texts.draw(random)[:3000], ensure_ascii=False)
    if chance < 0.85:
        return "[" + ", ".join(_value(random, depth - 1) for _ in range(random.choice((1, 2, 2, 9)))) + "]"
    keys = random.sample(KEYS, random.randrange(1, 5))
    return "{" + ", ".join(f"{key} = {_value(random, depth - 1)}" for key in keys) + "}"


def _monster(random: Random) -> str:
    n = random.choice((50, 900, 20_000))
    several = min(n, 2000)
    masses = "".join(f"[mass.m{i}]\nm = 1\n" for i in range(several))
    forces = "".join(f"[force.f{i}]\non = 'm'\nforce = 'x*v'\n" for i in range(several))
    states = json.dumps([f"s{i}" for i in range(several)])
    signs = ["[" * n, "'" * n, "#" * n, "a" * n + " = 1", ".".join(["a"] * n) + " = 1"]
    values = [f"title = {value}" for value in ("[" * n, "{a=" * n, "1" * n, f'"{"x" * n}"')]
    parts = [masses, f"{forces}[mass.m]\nm = 1\n", f"[filippov]\nstates = {states}\nf = 1\nG = 1\nh = 1"]
    return random.choice([*signs, *values, *parts])


def judge(text: str) -> None:
    """Read, and written again; what cannot be is refused by ModelError alone, in a sentence of one line."""
    try:
        model = loads(text)
    except ModelError as error:
        message = str(error)
        assert message and "\n" not in message and "\x1b" not in message, f"{message!r} is no sentence"
        assert len(message) < 5000, "a sentence without end"
        return
    assert sum(costs(model).values()) <= MAX_COST
    again = loads(dumps(model))
    assert again.states == model.states and dict(again.parameters) == dict(model.parameters)
    if zlib.crc32(text.encode()) % ONE_IN == 0:
        compiled(model)


def compiled(model: Model) -> None:
    """Compiled, as plain Python, and evaluated; a model that has no formula is refused by ModelError alone."""
    try:
        field = Field.of(model, target="python", order=6)
        field.evaluate(model.start_state())
    except (ModelError, ArithmeticError, ValueError):
        return  # outside the domain of its formulas
    assert field.order == 6
