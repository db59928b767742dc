"""Contacts with a memory in model files: what survives, and what is refused in one line."""

from __future__ import annotations

import math

import pytest

import stickslip as ss
from stickslip.model.files import dumps, loads

HEAD = """
time_unit = "s"
[mass.block]
m = 1.0
unit = "m"
[belt.belt]
speed = 0.2
[spring.spring]
between = ["block", "ground"]
k = 1.0
"""
CONTACT = """
[{kind}.pad]
on = "block"
against = "belt"
normal = 2.0
{more}
law = {law}
"""
GOOD = {
    "elastic": ("compliantcontact", "stiffness = 100.0\ndamping = 3.0", '{kind = "coulomb", mu_s = 0.4, mu_k = 0.3}'),
    "jenkins": ("compliantcontact", "stiffness = 100.0", '{kind = "coulomb", mu_s = 0.4}'),
    "aging": ("contact", "", '{kind = "hyperbolic", mu_s = 1.0, delta = 3.0, aging = {a = 0.1, beta = 2.0}}'),
    "aging then viscous": (
        "contact",
        "",
        '{kind = "coulomb", mu_s = 1.0, aging = {a = 0.1, beta = 2.0}, viscous = 0.1}',
    ),
    "viscous then aging": (
        "contact",
        "",
        '{kind = "coulomb", mu_s = 1.0, viscous = 0.1, aging = {a = 0.1, beta = 2.0}}',
    ),
    "own growth": (
        "compliantcontact",
        "stiffness = 100.0\ndamping = 3.0",
        '{formula = "mu/(1 + v)", mu = 0.5, aging = {formula = "1 + q*log(1 + stick_time)", q = 0.1}}',
    ),
    "dahl": ("dynamiccontact", "", '{kind = "dahl", mu = 0.3, sigma_0 = 100.0}'),
    "lugre": ("dynamiccontact", "", '{kind = "lugre", mu_s = 1.0, mu_k = 0.6, v_s = 0.2, sigma_0 = 1e3}'),
    "elasto-plastic": (
        "dynamiccontact",
        "",
        '{kind = "elasto_plastic", mu_s = 1.0, mu_k = 0.6, v_s = 0.2, sigma_0 = 1e3, breakaway = 3e-4}',
    ),
    "rock": (
        "dynamiccontact",
        "",
        '{kind = "dieterich_ruina", mu_star = 0.6, a = 0.05, b = 0.06, D_c = 0.1, v_star = 0.2, evolution = "slip"}',
    ),
    "formulas": (
        "dynamiccontact",
        "",
        '{rate = "v - k*abs(v)*z/mu", coefficient = "k*z + c*v", initial = 1e-3, mu = 0.3, k = 100.0, c = 0.1}',
    ),
}


def text(kind: str, more: str, law: str) -> str:
    return HEAD + CONTACT.format(kind=kind, more=more, law=law)


def sentence(document: str) -> str:
    with pytest.raises(ss.errors.ModelError) as caught:
        loads(document)
    return str(caught.value)


@pytest.mark.parametrize("name", GOOD)
def test_round_trip(name: str) -> None:
    model = loads(text(*GOOD[name]))
    written = dumps(model)
    copy = loads(written)
    assert copy.structure() == model.structure() is not None
    assert list(copy.parameters.items()) == list(model.parameters.items())
    assert (copy.start, copy.states, copy.units) == (model.start, model.states, model.units)
    assert dumps(copy) == written


@pytest.mark.parametrize("name", GOOD)
def test_present_values_and_starts_survive(name: str) -> None:
    model = loads(text(*GOOD[name]))
    moved = model.with_({parameter: value * 1.01 for parameter, value in model.parameters.items()})
    moved = moved.with_(start=dict.fromkeys(model.internal_states, 0.125))
    copy = loads(dumps(moved))
    assert list(copy.parameters.items()) == list(moved.parameters.items()) and copy.start == moved.start


@pytest.mark.parametrize("name", ["elastic", "own growth", "rock", "formulas"])
def test_a_run_holds_its_model(name: str) -> None:
    model = loads(text(*GOOD[name])).with_(start={"x.block": 0.3})
    run = ss.simulate(model, t=0.2)
    copy = loads(run.attrs["model"])
    assert list(copy.parameters.items()) == list(model.parameters.items()) and copy.start == model.start


def test_starts_in_a_file() -> None:
    model = loads(text(*GOOD["rock"]) + "[start]\nstate.pad = 7.5\n")
    assert model.start["state.pad"] == 7.5
    assert math.isclose(loads(text(*GOOD["rock"])).start["state.pad"], 0.5)
    message = sentence(text(*GOOD["rock"]) + "[start]\nstat.pad = 7.5\n")
    assert "'stat.pad'" in message and "did you mean 'state.pad'" in message


def test_python_functions_need_their_formulas() -> None:
    block = ss.Mass("block", 1.0)
    law = ss.StateLaw(rate=lambda v, z, k=2.0: v - k * z, coefficient=lambda z, mu=0.3: mu * z)
    model = ss.System(ss.DynamicContact(block, ss.ground, law=law, name="pad"))
    with pytest.raises(ss.errors.ModelError, match=r"pad\.rate is a Python function"):
        dumps(model)
    formulas = {"pad.rate": "v - k*z", "pad.coefficient": "mu*z"}
    assert loads(dumps(model, formulas)).parameters == model.parameters
    with pytest.raises(ss.errors.ModelError, match=r"pad\.rate: the formula given for it has the value"):
        dumps(model, formulas | {"pad.rate": "v + k*z"})
    aging = ss.System(
        ss.Contact(block, ss.ground, law=ss.Coulomb(0.4).with_aging(growth=lambda stick_time, q=1.0: 1 + q))
    )
    with pytest.raises(ss.errors.ModelError, match=r"contact\.aging is a Python function"):
        dumps(aging)
    assert loads(dumps(aging, {"contact.aging": "1 + q"})).parameters == aging.parameters


LUGRE = 'kind = "lugre", mu_s = 1.0, mu_k = 0.6, v_s = 0.2'
REFUSED = {
    "no stiffness": (("compliantcontact", "", '"0.3"'), ["[compliantcontact.pad]", "'stiffness' is missing"]),
    "negative stiffness": (("compliantcontact", "stiffness = -1", '"0.3"'), ["stiffness is -1", "positive"]),
    "stiffness as text": (("compliantcontact", 'stiffness = "hard"', '"0.3"'), ["stiffness is 'hard'", "number"]),
    "two limits without damper": (
        ("compliantcontact", "stiffness = 1", '{kind = "coulomb", mu_s = 0.4, mu_k = 0.3}'),
        ["without damping", "Coulomb(mu)"],
    ),
    "stiffness of a rigid contact": (("contact", "stiffness = 1", '"0.3"'), ["[contact.pad]", "'stiffness'"]),
    "bristles in a contact": (("contact", "", f"{{{LUGRE}, sigma_0 = 1e3}}"), ["[contact.pad]", "DynamicContact"]),
    "plain law": (("dynamiccontact", "", '"0.3"'), ["[dynamiccontact.pad]", "slip speed alone", "Contact"]),
    "missing parameter": (("dynamiccontact", "", f"{{{LUGRE}}}"), ["law", "'sigma_0' is missing"]),
    "viscous bristles": (("dynamiccontact", "", f"{{{LUGRE}, sigma_0 = 1, viscous = 1}}"), ["law", "'viscous'"]),
    "unknown evolution": (
        (
            "dynamiccontact",
            "",
            '{kind = "dieterich_ruina", mu_star = 0.6, a = 0.1, b = 0.1, D_c = 1, v_star = 1, evolution = 3}',
        ),
        ["evolution is 3", "text"],
    ),
    "unknown kind": (("dynamiccontact", "", '{kind = "lugree"}'), ["'lugree'", "did you mean 'lugre'"]),
    "aging as number": (("contact", "", '{kind = "coulomb", mu_s = 1, aging = 3}'), ["aging", "it is 3", "a = 0.1"]),
    "half of aging": (("contact", "", '{kind = "coulomb", mu_s = 1, aging = {a = 1}}'), ["aging", "'beta' is missing"]),
    "weakening": (
        ("contact", "", '{kind = "coulomb", mu_s = 1, aging = {a = 1, beta = 0.5}}'),
        ["aging", "multiplied by", "beta ≥ 1"],
    ),
    "growth of v": (("contact", "", '{kind = "coulomb", mu_s = 1, aging = "1 + v"}'), ["aging", "'v'", "stick_time"]),
    "no coefficient": (("dynamiccontact", "", '{rate = "v"}'), ["law", "'coefficient' is missing"]),
    "rate of what": (("dynamiccontact", "", '{rate = "v*q", coefficient = "z"}'), ["rate", "'q'"]),
    "unused parameter": (("dynamiccontact", "", '{rate = "v", coefficient = "z", q = 1}'), ["'q'", "take it out"]),
    "no formula": (("dynamiccontact", "", '{rate = 3, coefficient = "z"}'), ["rate is 3", "formula in quotes"]),
    "call": (("dynamiccontact", "", '{rate = "open(v)", coefficient = "z"}'), ["'open'"]),
    "attribute": (("dynamiccontact", "", '{rate = "v.real", coefficient = "z"}'), ["rate", "v.real"]),
    "start": (("dynamiccontact", "", '{rate = "1/z", coefficient = "z"}'), ["rate fails", "z = 0"]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_is_refused(case: str) -> None:
    parts, pieces = REFUSED[case]
    message = sentence(text(*parts))
    assert all(piece in message for piece in pieces) and "\n" not in message, message
