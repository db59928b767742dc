"""Internal states in lockstep, against the march: stick times, chance, bristles that relax."""

from __future__ import annotations

from math import cos
from typing import Any

import numpy as np
import pytest
import scipy.stats
from tests.targets.test_lockstep import ORDER, check_as_one_by_one
from tests.targets.test_lockstep_sections import both_ways

import stickslip as ss
from stickslip.field import Field, lane_program
from stickslip.kernels import outcome

AGED = ss.Hyperbolic(mu_s=0.6, delta=3.0).with_aging(1.0, 1.5)


def block(law: Any, scatter: ss.Scatter | None = None, u0: float = 0.0) -> ss.System:
    """A block on a belt, which may be shaken."""
    mass, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.2)
    base = ss.Base("base", motion=lambda t, u0=u0, eta=0.9: u0 * cos(eta * t)) if u0 else ss.ground
    kind = ss.DynamicContact if isinstance(law, ss.DynamicLaw) else ss.Contact
    more = {} if scatter is None else {"scatter": scatter}
    return ss.System(ss.Spring(mass, base, k=1.0), kind(mass, belt, law=law, normal=1.0, name="contact", **more))


def three_blocks(*friction: tuple[Any, ss.Scatter | None]) -> ss.System:
    """A chain on a belt, each block with a law and a scatter of its own."""
    belt, parts, before = ss.Belt("belt", speed=0.2), [], None
    for i, (law, scatter) in enumerate(friction):
        mass = ss.Mass(f"block{i}", m=1.0 + 0.1 * i)
        parts.append(ss.Spring(mass, ss.ground, k=1.0, name=f"spring{i}"))
        if before is not None:
            parts.append(ss.Spring(before, mass, k=0.7, name=f"coupling{i}"))
        parts.append(ss.Contact(mass, belt, law=law, normal=1.0, scatter=scatter, name=f"contact{i}"))
        before = mass
    return ss.System(*parts)


COULOMB, DRAWN = ss.Coulomb(0.4, 0.3), ss.Scatter(static=0.02, kinetic=0.02)
CORRELATED = ss.Scatter(static=0.05, kinetic=0.02, correlation_time=5.0)
UNIFORM = ss.Scatter(static=scipy.stats.uniform(-0.1, 0.2), kinetic=scipy.stats.norm(0, 0.02))
MODELS = {
    "aging": (lambda: block(AGED), 60.0),
    "aging, shaken": (lambda: block(AGED, u0=0.3), 60.0),
    "chance": (lambda: block(COULOMB, DRAWN), 60.0),
    "chance, shaken": (lambda: block(COULOMB, DRAWN, u0=0.3), 60.0),
    "kinetic friction that begins above the static": (lambda: block(ss.Stribeck(0.6, 0.3, 0.3), DRAWN), 60.0),
    "phases without length": (lambda: block(ss.Coulomb(0.32, 0.3), ss.Scatter(static=0.05, kinetic=0.05)), 60.0),
    "correlated in time": (lambda: block(ss.Hyperbolic(0.6, 3.0), CORRELATED), 60.0),
    "quantiles": (lambda: block(ss.Coulomb(0.6, 0.3), UNIFORM), 60.0),
    "chain": (lambda: three_blocks((AGED, None), (COULOMB, DRAWN), (ss.Stribeck(0.6, 0.3, 0.2), None)), 30.0),
    "chain, all at once": (lambda: three_blocks(*[(AGED, ss.Scatter(static=0.03, correlation_time=4.0))] * 3), 30.0),
    "LuGre": (lambda: block(ss.LuGre(0.6, 0.3, 0.3, sigma_0=100.0, sigma_1=1.0)), 5.0),
    "Dahl": (lambda: block(ss.Dahl(0.3, sigma_0=50.0)), 5.0),
}
QUICK = ("aging", "chance, shaken", "phases without length", "LuGre")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.nightly) for name in MODELS]
)
def test_as_one_by_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same ends and the same numbers of events, hence the same draws at the same events."""
    make, end = MODELS[name]
    check_as_one_by_one(make(), end, 0.3, monkeypatch)


@pytest.mark.parametrize(
    ("name", "over", "observe"),
    [
        ("aging", {"belt.speed": np.linspace(0.05, 0.4, 66)}, ss.observe.SlipToStick()),
        ("chance, shaken", {"base.eta": np.linspace(0.5, 1.5, 66)}, ss.observe.StickToSlip()),
        ("chance", {"belt.speed": np.linspace(0.05, 0.29, 66)}, ss.observe.Section("x.block", 0.1)),
    ],
)
def test_rows_are_those_of_the_march(name: str, over: Any, observe: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every state of every row, what is drawn among them."""
    asked = {"periods": (30, 20)} if "shaken" in name else {"times": (60.0, 40.0)}
    plan = ss.plan_sweep(MODELS[name][0](), over, observe=observe, rtol=2e-9, seed=5, **asked)
    together, alone, left = both_ways(plan, monkeypatch)
    assert left == 0 and (together["status"] == outcome.FINISHED).all()
    for number in ("count", "events", "n", "m", "end_mode"):
        np.testing.assert_array_equal(together[number].values, alone[number].values, number)
    rows, others = together.packed(), alone.packed()
    assert rows.sizes["sample"] > 66
    for each in ("record_time", *plan.model.states):
        np.testing.assert_allclose(rows[each], others[each], atol=1e-6, err_msg=each)
    if "chance" in name:
        assert len(np.unique(rows["kinetic_draw.contact"].values)) > 66


def test_another_seed_is_another_motion() -> None:
    """In lockstep as well; and a point has its draws in any company."""
    model, over = MODELS["chance"][0](), {"belt.speed": np.linspace(0.05, 0.3, 300)}
    one, other = (ss.sweep(model, over, times=(30.0, 30.0), seed=2**62 + seed) for seed in (1, 2**33))
    assert (one["events"] != other["events"]).any()
    again = ss.sweep(model, over, times=(30.0, 30.0), seed=2**62 + 1, chunk=257)
    np.testing.assert_array_equal(again["maximum"].values, one["maximum"].values)


def test_what_is_left_to_the_march() -> None:
    """Chance that decides for contacts which push each other, or beside branches that end steps; guards of contacts."""
    top, bottom, belt = ss.Mass("top", 1.2), ss.Mass("bottom", 2.3), ss.Belt("belt", 0.3)
    tower = ss.System(
        ss.Spring(top, ss.ground, k=1.0, name="spring1"),
        ss.Spring(bottom, ss.ground, k=0.5, name="spring2"),
        ss.Contact(top, bottom, law=COULOMB, normal=1.0, name="upper", scatter=DRAWN),
        ss.Contact(bottom, belt, law=COULOMB, normal=2.0, name="lower"),
    )
    table = ss.Tabulated([0.0, 0.5, 1.0], [0.4, 0.3, 0.35], mu_s=0.5)
    for model in (tower, block(table, DRAWN), ss.models.compliant_oscillator(26), ss.models.iwan()):
        assert lane_program(model, ORDER) is None
    assert lane_program(block(AGED), ORDER) is not None


def test_a_motion_without_releases_is_not_travelled_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bristles never stick, and without excitation lockstep would leave all to the march: it is not asked."""
    asked = []
    plain = Field.lanes.func
    monkeypatch.setattr(Field, "lanes", property(lambda self: asked.append(1) or plain(self)))
    model = MODELS["LuGre"][0]()
    data = ss.sweep(model, {"belt.speed": np.linspace(0.05, 0.3, 300)}, times=(0.5, 0.5), observe=None)
    assert (data["status"] == outcome.FINISHED).all() and asked == []
