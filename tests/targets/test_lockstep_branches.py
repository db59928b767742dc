"""Frozen branches in lockstep: tables, |e|, min, max and where, each trajectory on its own, against the march."""

from __future__ import annotations

from math import sin

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import PchipInterpolator
from tests.targets.test_lockstep import ORDER, both_ways, check_as_one_by_one, ensemble, on_belt

import stickslip as ss

SPEEDS = [0.0, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0, 1.3, 1.7, 2.2]
WEAKENING = [0.9, 0.84, 0.78, 0.7, 0.65, 0.6, 0.57, 0.55, 0.54, 0.535, 0.54, 0.55]


def tabulated(mu_s=1.2):
    """A law of twelve points; the static one is far above, so that ten percent do not bring it below."""
    return ss.Tabulated(SPEEDS, WEAKENING, mu_s=mu_s)


def sprung(force, law, **more):
    """A mass on ground or a belt, and a force of formulas."""
    block = ss.Mass("block", m=1.0)
    rubs = ss.Belt("belt", speed=0.2) if more.get("belt") else ss.ground
    return ss.System(
        ss.Spring(block, ss.ground, k=1.0),
        ss.Force(block, force),
        ss.Contact(block, rubs, law=law, normal=more.get("normal", 1.0)),
    )


def two_tables():
    """Two contacts, each on the interval of its own."""
    first, second, belt = ss.Mass("first", m=1.0), ss.Mass("second", m=1.3), ss.Belt("belt", speed=0.2)
    return ss.System(
        ss.Spring(first, ss.ground, k=1.0, name="spring1"),
        ss.Spring(second, first, k=0.8, name="spring2"),
        ss.Contact(first, belt, law=tabulated(), normal=1.0, name="contact1"),
        ss.Contact(second, belt, law=tabulated(1.4), normal=0.7, name="contact2"),
    )


MODELS = {
    "table": (lambda: on_belt(tabulated()), 40.0, 0.5),
    "two tables": (two_tables, 25.0, 0.4),
    "drag, held at zero in stick": (
        lambda: sprung(lambda t, v_block, c=0.2: 1.5 * sin(0.7 * t) - c * abs(v_block) * v_block, ss.Coulomb(0.6, 0.4)),
        40.0, 0.5,
    ),
    "a stop": (
        lambda: sprung(lambda x_block, k=9.0: -k * max(x_block - 0.9, 0.0), ss.Stribeck(1.0, 0.6, 0.3), belt=True),
        40.0, 0.4,
    ),
    "backlash": (
        lambda: sprung(
            lambda x_block, gap=0.3: -4.0 * max(x_block - gap, 0.0) - 4.0 * min(x_block + gap, 0.0),
            ss.Coulomb(0.5, 0.3), belt=True,
        ),
        40.0, 0.4,
    ),
    "a jump": (
        lambda: sprung(lambda x_block: ss.where(x_block > 0.4, -0.3, 0.1), ss.Hyperbolic(0.9, 2.0), belt=True),
        40.0, 0.4,
    ),
    "a normal force that is limited": (
        lambda: on_belt(ss.Hyperbolic(1.0, 3.0), normal=lambda x_block: max(0.5, 1 + 0.8 * x_block)), 40.0, 0.4,
    ),
}  # fmt: skip


QUICK = ("table", "a stop", "a jump")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.nightly) for name in MODELS]
)
def test_as_one_by_one(name, monkeypatch):
    make, end, spread = MODELS[name]
    check_as_one_by_one(make(), end, spread, monkeypatch)


def test_a_narrow_step_of_a_table_is_not_passed_over():
    """Friction that is strong between speeds 0.999 and 1.001, in a table: every knot ends a step, long as it may be."""
    speeds, values = [0.0, 0.5, 0.999, 1.0, 1.001, 1.5, 4.0], [0.1, 0.1, 0.1, 5.1, 0.1, 0.1, 0.1]
    law = ss.Tabulated(speeds, values, mu_s=0.2)
    block = ss.Mass("block", m=1.0)
    field = ss.Field.of(
        ss.System(ss.Spring(block, ss.ground, k=1.0), ss.Contact(block, ss.ground, law=law)), order=ORDER
    )
    starts = np.column_stack([np.linspace(1.5, 4.0, 40), np.zeros(40)])
    parameters = np.tile(field.parameters, (40, 1))
    together, _ = field._in_lockstep(starts, parameters, (0.0, 1.4), 1e-10, 10**6)
    curve = PchipInterpolator(speeds, values)
    for start, end in list(zip(starts, together, strict=True))[::13]:
        exact = solve_ivp(
            lambda t, z: [z[1], -z[0] + float(curve(max(-z[1], 0.0)))],
            (0.0, 1.4), start, "DOP853", rtol=1e-10, atol=1e-11, max_step=2e-4,
        )  # fmt: skip
        np.testing.assert_allclose(end, exact.y[:, -1], atol=1e-6)


def test_the_same_bits_in_any_company():
    """Whether others pass a knot, wait or rest at the same time changes nothing."""
    field = ss.Field.of(on_belt(tabulated()), order=ORDER)
    starts, parameters = ensemble(field.model, 0.5, 100)
    ends, outcome = field._in_lockstep(starts, parameters, (0.0, 30.0), 1e-9, 10**9)
    for part in (slice(0, 1), slice(3, 11), slice(60, 100)):
        some, counted = field._in_lockstep(starts[part], parameters[part], (0.0, 30.0), 1e-9, 10**9)
        np.testing.assert_array_equal(some, ends[part])
        np.testing.assert_array_equal(counted, outcome[part])


def test_a_sweep_as_one_by_one():
    over = {"belt.speed": np.linspace(0.05, 0.8, 66)}
    plan = ss.plan_sweep(on_belt(tabulated()), over, observe="stick_to_slip", times=(60.0, 60.0), rtol=2e-9)
    together, alone = both_ways(plan)
    assert (alone["n"].values > 0).sum() > 30
    for name in ("status", "count", "events", "n", "m", "end_mode"):
        np.testing.assert_array_equal(together[name].values, alone[name].values, name)
    for name in ("end_state", "minimum", "maximum", "stick_fraction", "record_time"):
        np.testing.assert_allclose(together[name].values, alone[name].values, atol=2e-6)


def test_a_start_on_the_verge(monkeypatch):
    """At x = 0, where |x| has its kink, half of the motions leave to either side; none is given up."""
    model = sprung(lambda x_block, k=0.7: -k * abs(x_block), ss.Coulomb(0.3, 0.2), belt=True)
    field = ss.Field.of(model, order=ORDER)
    starts = np.column_stack([np.zeros(40), np.linspace(-1.0, 1.0, 40)])
    parameters = np.tile(field.parameters, (40, 1))
    alone = field._one_by_one(starts, parameters, (0.0, 20.0), 1e-10, 10**7)
    monkeypatch.setattr(ss.Field, "_one_by_one", lambda *_: pytest.fail("one is given up"))
    together = field._in_lockstep(starts, parameters, (0.0, 20.0), 1e-10, 10**7)
    np.testing.assert_array_equal(together[1], alone[1])
    np.testing.assert_allclose(together[0], alone[0], atol=1e-8)
