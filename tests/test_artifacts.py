"""What is generated from a model: derived once, written when asked for, and the same from its text."""

from __future__ import annotations

import gc
import math
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stickslip as ss
from stickslip.artifacts import ARTIFACTS, artifact, formulas_of, key_of
from stickslip.field import compile_balance, compile_excitations, compile_stiff
from stickslip.model import files
from stickslip.model.library import LIBRARY
from stickslip.model.writing import document_of
from stickslip.symbolic import equations
from stickslip.symbolic.equal_parts import series_source
from stickslip.targets import compiler, python


def block(law: Callable[..., float], **more: Any) -> ss.System:
    mass = ss.Mass("block", m=1.3)
    return ss.System(ss.Spring(mass, ss.ground, k=1.0), ss.Contact(mass, ss.Belt("belt", speed=0.2), law=law, **more))


LAWS: dict[str, Callable[..., float]] = {
    "hyperbola": lambda v, mu=0.5, d=3.0: mu / (1 + d * v),
    "exponential": lambda v, a=0.4, c=0.2, vs=0.1: a + c * math.exp(-v / vs),
    "power": lambda v, a=0.4: a * (1 + v) ** -0.5 + 0.1 * v**2 / (1 + v * v),
    "step": lambda v, a=0.37, vs=0.013: a * (1.1 - math.tanh(v / vs) / 3),
    "logarithm": lambda v, a=0.6: a - 0.07 * math.log(1 + v / 0.013),
    "digits": lambda v, mu=0.5: mu - 0.31 * v + 0.123456789012345678 * v**3,
    "fractions": lambda v: 1 / 3 + 0.1 * v - (2 / 7) * v / (1 + 0.3 * v),
}


@pytest.fixture
def counted(monkeypatch, tmp_path):
    """How often equations are derived and machine code is made, with nothing in the cache."""
    monkeypatch.setenv("STICKSLIP_CACHE", str(tmp_path))
    counts = {"derived": 0, "compiled": 0}

    def counting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            counts[name] += 1
            return function(*arguments, **more)

        return call

    monkeypatch.setattr(equations, "_derive", counting("derived", equations._derive))
    monkeypatch.setattr(compiler, "machine_code", counting("compiled", compiler.machine_code))
    return counts


def test_one_model_is_derived_once(counted):
    model = block(lambda v, mu=0.51: mu / (1 + 2.9 * v))
    run = ss.simulate(model, t=5.0)
    field = ss.Exact().compile(model)
    field.jacobian([0.1, 0.0])
    compile_balance(model), compile_excitations(model), compile_stiff(model, "arctan")
    ss.simulate(model.with_({"belt.speed": 0.3}), t=5.0)
    assert field.formulas == {"contact.law": "mu/(2.9*v + 1)"} and "2.9" in run.attrs["model"]
    assert counted == {"derived": 1, "compiled": 2}  # the series, and the smoothed equations


def test_unknown_code_is_derived_once(counted):
    steep = [0.5]  # nobody can tell what a closure over something that may change will compute
    model = block(lambda v, mu=0.52: mu / (1 + steep[0] * v))
    assert model.structure() is None
    ss.simulate(model, t=5.0)
    ss.simulate(model, t=6.0, start={"x.block": 0.4})
    assert counted == {"derived": 1, "compiled": 1}


def test_a_sweep_derives_and_compiles_once(counted, monkeypatch):
    model = block(lambda v, mu=0.53: mu / (1 + 2.7 * v))
    monkeypatch.setattr(python, "program", None)  # nothing is asked of plain Python
    plan = ss.plan_sweep(model, {"belt.speed": [0.1, 0.2]}, times=(5, 5))
    assert plan.model is model
    arrays = plan.run(plan.chunks[0])
    assert counted == {"derived": 1, "compiled": 1}
    copy = pickle.loads(pickle.dumps(plan))  # in another process it is read from its text
    assert copy.given is None and copy.fingerprint == plan.fingerprint
    for name, values in copy.run(copy.chunks[0]).items():
        np.testing.assert_array_equal(values, arrays[name])


def test_a_sweep_in_lockstep_derives_once(counted):
    model = block(lambda v, mu=0.56: mu / (1 + 2.6 * v))
    plan = ss.plan_sweep(model, {"belt.speed": np.linspace(0.1, 0.3, 300)}, times=(2, 2))
    plan.compile()
    assert counted == {"derived": 1, "compiled": 1}  # in lockstep


def test_equations_live_as_long_as_their_model():
    model = block(lambda v, mu=0.54: mu / (1 + v))
    found = weakref.ref(equations.derive(model))
    assert equations.derive(model) is found() and key_of(model) == key_of(model)
    del model
    gc.collect()
    assert found() is None


def test_formulas_need_no_program(monkeypatch, tmp_path):
    monkeypatch.setattr(python, "program", None)
    monkeypatch.setattr(compiler, "machine_code", None)
    model = block(lambda v, mu=0.55: mu / (1 + v))
    assert formulas_of(model) == {"contact.law": "mu/(v + 1)"}
    path = ss.save(model, tmp_path / "block.toml")
    assert ss.load(path).parameters == model.parameters


@pytest.mark.parametrize("name", LAWS)
def test_a_model_and_its_text_have_one_source(name):
    """So a plan gives the same bits here, where it has the model, and elsewhere, where it has the text."""
    model = block(LAWS[name], normal=lambda t, n=1.0: n * (1 + 0.1 * math.sin(1.7 * t)))
    copy = files.loads(files.dumps(model, formulas_of(model)), trusted=True)
    sources = [series_source(equations.derive(each), 6) for each in (model, copy)]
    assert sources[0] == sources[1]


@pytest.mark.parametrize("name", LIBRARY)
def test_what_a_reader_gets_is_known_without_the_text(name):
    model = LIBRARY[name]()
    document = document_of(model, formulas_of(model))
    assert files.as_read(document) == files._parsed(files._rendered(document))


def test_every_artifact_is_written_and_found_again():
    model = ss.models.block_on_belt()
    more = {"model": (6,), "flow": ("arctan",), "": ()}
    other = model.with_({"belt.speed": 0.4})
    made = {
        name: [artifact(each, name, *more[kind.place]) for each in (model, other)] for name, kind in ARTIFACTS.items()
    }
    assert all(one == two and compile(one.text, name, "exec") for name, (one, two) in made.items())
    assert len({one.name for one, _ in made.values()}) == len(ARTIFACTS)
