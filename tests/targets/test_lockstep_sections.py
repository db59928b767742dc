"""Sections and maxima in lockstep, against the march, which finds them by another search on other steps."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import stickslip as ss
from stickslip.kernels import outcome
from stickslip.sweeps import trajectories
from stickslip.sweeps.plan import Plan

FORCED = ss.models.forced_oscillator("III")
ETAS = {"base.eta": np.linspace(0.6, 2.6, 66)}
BELT, SPEEDS = ss.models.block_on_belt(), {"belt.speed": np.linspace(0.05, 0.5, 66)}
BLOCKS = ss.models.two_blocks(), {"belt.speed": np.linspace(0.06, 0.2, 66)}
CASES = {
    "both ways": (FORCED, ETAS, ss.observe.Section("x.block", 3.0, "both"), {"periods": (60, 30)}),
    "velocity": (FORCED, ETAS, ss.observe.Section("v.block", 0.0, "down"), {"periods": (60.3, 30.4)}),
    "sliding velocity": (FORCED, ETAS, ss.observe.Section("contact", -0.5, "up"), {"periods": (60, 30)}),
    "no reversal when shaken": (FORCED, ETAS, ss.observe.Section("contact", 0.0, "both"), {"periods": (60, 30)}),
    "maxima": (FORCED, ETAS, ss.observe.Maxima("x.block"), {"periods": (60, 30)}),
    "maxima in stick": (FORCED, ETAS, ss.observe.Maxima("v.block"), {"periods": (60, 30)}),
    "no crossing": (FORCED, ETAS, ss.observe.Section("x.block", 100.0), {"periods": (60, 30)}),
    "no reversal": (BELT, SPEEDS, ss.observe.Section("contact", 0.0, "both"), {"times": (100.0, 80.0)}),
    "belt": (BELT, SPEEDS, ss.observe.Maxima("x.block"), {"times": (100.0, 80.0)}),
    "two contacts": (*BLOCKS, ss.observe.Section("v.block1", 0.05, "up"), {"times": (200.0, 60.0)}),
}


def both_ways(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> tuple[ss.Sweep, ss.Sweep, int]:
    """The same sweep in lockstep and one by one, both of one order; how many of the first were left to the march."""
    left: list[int] = []
    plain = trajectories._one_by_one
    found = []
    field = dataclasses.replace(plan, settings=dataclasses.replace(plan.settings, lockstep=True)).field
    for lockstep in (True, False):
        other = dataclasses.replace(plan, settings=dataclasses.replace(plan.settings, lockstep=lockstep))
        vars(other)["field"] = field
        if lockstep:
            monkeypatch.setattr(trajectories, "_one_by_one", lambda *a: left.append(len(a[3])) or plain(*a))
        found.append(other.assemble({chunk.index: other.run(chunk) for chunk in other.chunks}))
        monkeypatch.setattr(trajectories, "_one_by_one", plain)
    return *found, sum(left)


@pytest.mark.parametrize("shortcut", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_as_one_by_one(name: str, shortcut: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    model, over, observe, asked = CASES[name]
    plan = ss.plan_sweep(model, over, observe=observe, rtol=2e-9, shortcut=shortcut, **asked)
    together, alone, left = both_ways(plan, monkeypatch)
    regular = alone["m"].values > 0
    assert regular.sum() >= 5 and left <= 4
    assert (together["status"] == outcome.FINISHED).all()
    assert name.startswith("no ") == (int(alone["count"].sum()) == 0)
    for number in ("count", "truncated", "events", "n", "m", "end_mode"):
        np.testing.assert_array_equal(together[number].values[regular], alone[number].values[regular], number)
    rows = {each: [data.isel({next(iter(over)): regular}).packed()[each] for data in (together, alone)] for each in (
        "record_time", *model.states)}  # fmt: skip
    for each, (one, other) in rows.items():
        np.testing.assert_allclose(one, other, atol=3e-6, err_msg=each)
    if isinstance(observe, ss.observe.Section) and observe.quantity in model.states:
        assert np.max(np.abs(rows[observe.quantity][0].values - observe.value), initial=0.0) < 1e-8


def test_the_shortcut_changes_no_row() -> None:
    for observe in (ss.observe.Section("x.block", 3.0, "both"), ss.observe.Maxima("v.block")):
        asked: dict[str, Any] = {"observe": observe, "periods": (200, 60)}
        over = {"base.eta": np.linspace(0.6, 2.6, 256)}
        short, full = (ss.sweep(FORCED, over, shortcut=shortcut, **asked) for shortcut in (True, False))
        assert short["steps"].sum() < 0.85 * full["steps"].sum()
        for name in ("status", "n", "m", "events", "count", "truncated"):
            np.testing.assert_array_equal(short[name], full[name], name)
        regular = full["m"].values > 0
        for name in ("record_time", "x.block", "v.block"):
            gap = np.abs(short[name].values - full[name].values)[regular]
            assert np.nanmax(gap) < 1e-7, name


def test_checked_indices() -> None:
    """A build in which every index is compared finds nothing, and gives the same bits."""
    over, found = {"base.eta": np.linspace(0.6, 2.6, 24)}, []
    for target in ("cpu", "checked"):
        plan = ss.plan_sweep(FORCED, over, observe=ss.observe.Maxima("v.block"), periods=(6, 4), target=target)
        plan = dataclasses.replace(plan, settings=dataclasses.replace(plan.settings, lockstep=True))
        found.append(plan.assemble({chunk.index: plan.run(chunk) for chunk in plan.chunks}))
    assert found[0]["count"].values.sum() > 20
    for name in found[0]:
        np.testing.assert_array_equal(found[0][name], found[1][name], name)
