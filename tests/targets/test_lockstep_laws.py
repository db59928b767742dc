"""Friction laws in lockstep: every function that a formula may have, against the march."""

from __future__ import annotations

from math import atan, cosh, exp, log, sqrt, tanh

import pytest
from tests.targets.test_lockstep import check_as_one_by_one, on_belt

import stickslip as ss

LAWS = {
    "Stribeck": ss.Stribeck(1.0, 0.6, 0.3),
    "Stribeck, a bell": ss.Stribeck(1.0, 0.6, 0.3, shape=2),
    "Stribeck, a power": ss.Stribeck(1.0, 0.6, 0.3, shape=0.7),
    "Stribeck, narrow": ss.Stribeck(1.0, 0.6, 0.01),
    "tanh": lambda v, d=3.0: 0.6 - 0.3 * tanh(d * v),
    "atan": lambda v, d=4.0: 0.6 - 0.2 * atan(d * v),
    "log": lambda v, d=5.0: 0.6 - 0.1 * log(1 + d * v),
    "sqrt": lambda v, d=0.02: 0.6 - 0.1 * sqrt(d + v),
    "power": lambda v, p=-0.7: 0.4 + 0.1 * (0.3 + v) ** p,
    "cosh": lambda v, d=2.0: 0.3 + 0.4 / cosh(d * v),
    "several": lambda v, d=2.0: 0.3 + 0.3 * exp(-d * v) + 0.1 * exp(-7 * v * v) + 0.05 * log(1 + v) * atan(v),
}
QUICK = ("Stribeck, a power", "several")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.nightly) for name in LAWS]
)
def test_as_one_by_one(name, monkeypatch):
    check_as_one_by_one(on_belt(LAWS[name]), 30.0, 0.3, monkeypatch)
