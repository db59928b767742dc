"""How runs end: one table of outcomes, whoever tells it."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss
from stickslip.kernels import outcome
from stickslip.status import CODES


def block(law, normal=1.0, x=3.0, k=1.0, contact=ss.Contact, **more):
    mass, belt = ss.Mass("block", 1.0, x=x), ss.Belt("belt", 1.0)
    return ss.System(ss.Spring(mass, ss.ground, k=k), contact(mass, belt, law=law, normal=normal, **more))


def relay():
    return ss.Filippov(
        ("x", "y"),
        f=lambda y: (y, 0.0),
        G=lambda b=0.5: ((0.0, 0.0), (1.0, b)),
        h=lambda x, y: (x, y),
        contacts=("place", "speed"),
        start={"x": 1.0},
    )


def diverging():
    return ss.Filippov(("x",), f=lambda x, a=1.0: (a * x * x,), G=lambda: (0.0,), h=lambda: 1.0, start={"x": 1.0})


ENDS = {
    "finished": (lambda: block(ss.Coulomb(0.4, 0.3)), "block.m", {}),
    "too_many_steps": (lambda: block(ss.Coulomb(0.4, 0.3)), "block.m", {"most_steps": 5}),
    "lift_off": (lambda: block(ss.Coulomb(0.4, 0.3), normal=lambda x_block: 1 + x_block), "block.m", {}),
    "negative_friction": (lambda: block(lambda v, b=0.3: 0.4 - b * v), "block.m", {}),
    "too_steep": (
        lambda: block(ss.Stribeck(0.4, 0.25, 0.002), contact=ss.CompliantContact, stiffness=1e4, damping=5.0),
        "block.m",
        {},
    ),
    "chattering": (relay, "b", {}),
    "stalled": (diverging, "a", {}),
}


QUICK = ("finished", "lift_off", "too_steep", "chattering")


@pytest.mark.parametrize(
    "word", [word if word in QUICK else pytest.param(word, marks=pytest.mark.nightly) for word in ENDS]
)
def test_a_sweep_and_a_run_name_the_same_outcome(word):
    make, parameter, limits = ENDS[word]
    model = make()
    run = ss.simulate(model, 60, method=ss.Exact(rtol=1e-9, **limits))
    data = ss.sweep(model, {parameter: [model.parameters[parameter]]}, times=(20, 40), observe=None, **limits)
    status = data["status"]
    words = dict(zip(status.attrs["flag_values"].tolist(), status.attrs["flag_meanings"].split(), strict=True))
    assert (run.attrs["outcome"], words[int(status[0])]) == (word, word)
    assert run.attrs["status"].startswith(ss.Status.of(int(status[0])).value)


def test_every_outcome_has_one_number_and_one_sentence():
    assert {status.name for status in ss.Status} == set(CODES)
    assert len(set(CODES.values()) | {outcome.PAUSED, outcome.LEFT}) == len(CODES) + 2
    assert len({status.value for status in ss.Status}) == len(CODES)
    assert all(ss.Status.of(status.code) is status for status in ss.Status)


def test_numbers_in_files_keep_their_meaning():
    """Sweeps that were kept before have these numbers."""
    kept = {"NOT_COMPUTED": -1, "FINISHED": 0, "INDETERMINATE": 2, "CHATTERING": 3, "LIFT_OFF": 4}
    kept |= {"NEGATIVE_FRICTION": 5, "STALLED": 6, "TOO_MANY_STEPS": 7, "STEP_TOO_LARGE": 8, "IMPOSSIBLE": 9}
    assert {name: CODES[name] for name in kept} == kept


def test_files_without_the_name_of_their_outcome_are_given_it(tmp_path):
    model = block(ss.Coulomb(0.4, 0.3))
    short = ss.simulate(model, 5, method=ss.Exact(most_steps=1))
    swept = ss.sweep(model, {"block.m": np.linspace(1, 2, 3)}, times=(5, 5))
    for each, word in ((short, "too_many_steps"), (ss.simulate(model, 5), "finished"), (swept, "finished")):
        del each.attrs["outcome"]
        assert ss.load(ss.save(each, tmp_path / "old.nc")).attrs["outcome"] == word
    for words, word in (("", "not_computed"), (f"{ss.Status.INTERRUPTED.value} ", "interrupted")):
        some = swept.assign_attrs(status=f"{words}2 of 3 points were computed.")
        assert ss.load(ss.save(some, tmp_path / "some.nc")).attrs["outcome"] == word
