"""Sweeps in which motions leave out the cycles that they repeat, beside those in which they travel all of them.

Few points, and models that lockstep does not serve, are marched one by one: `kernels/repeat.py`. Every whole number
must be the same at every point; other numbers agree within what a tolerance of 1e-9 allows.
"""

from typing import Any

import numpy as np
import pytest
import xarray as xr

import stickslip as ss
from stickslip.artifacts import artifact

WHOLE = ("status", "n", "m", "events", "count", "truncated", "end_mode", "record_contact")
NUMBERS = ("minimum", "maximum", "stick_fraction", "period", "end_state")
ETAS = {"base.eta": np.linspace(0.6, 2.6, 60)}


def compared(model: Any, over: Any, **asked: Any) -> tuple[ss.Sweep, ss.Sweep]:
    """Both sweeps; every whole number in them must be the same, at every point."""
    short, full = (ss.sweep(model, over, shortcut=shortcut, **asked) for shortcut in (True, False))
    for name in WHOLE:
        if name in full:
            np.testing.assert_array_equal(short[name], full[name], name)
    return short, full


def distance(short: ss.Sweep, full: ss.Sweep, name: str) -> float:
    """The largest difference at points where the motion is periodic, relative to the largest number there."""
    one, other = (data[name].values[full["m"].values > 0] for data in (short, full))
    np.testing.assert_array_equal(np.isnan(one), np.isnan(other))
    return float(np.nanmax(np.abs(one - other), initial=0.0) / max(np.nanmax(np.abs(other), initial=0.0), 1e-300))


@pytest.mark.parametrize(
    ("observe", "asked"),
    [
        (ss.observe.StickToSlip(), {"periods": (200, 60)}),
        (ss.observe.SlipToStick(), {"periods": (200.3, 60.6)}),  # ends between strobes
        (ss.observe.StickToSlip(), {"periods": (200, 60), "most": 7}),  # more rows than there is room for
        (ss.observe.Strobe(), {"periods": (200, 60)}),
        (ss.observe.Strobe(every=1.7), {"periods": (200, 60)}),  # strobes that do not repeat themselves
        (ss.observe.Section("x.block", 0.3, "both"), {"periods": (200, 60)}),
        (ss.observe.Maxima("v.block"), {"times": (900.0, 333.0)}),
    ],
    ids=["releases", "ends of slip", "few rows", "strobe", "own strobe", "section", "maxima"],
)
def test_excited_motion(observe: Any, asked: dict[str, Any]) -> None:
    short, full = compared(ss.models.forced_oscillator("III"), ETAS, observe=observe, **asked)
    assert short["steps"].sum() < 0.85 * full["steps"].sum()
    for name in (*NUMBERS, "record_time", "x.block", "v.block"):
        assert distance(short, full, name) < 1e-7, name
    np.testing.assert_array_equal(short["time"], full["time"])


LIBRARY = {
    "belt": (ss.models.block_on_belt(), {"belt.speed": np.linspace(0.05, 0.5, 30)}, (500.0, 300.0), 0.2),
    "drill string": (ss.models.drill_string(), {"table.speed": np.linspace(1.0, 5.0, 20)}, (200.0, 100.0), 0.9),
    "two blocks": (ss.models.two_blocks(), {"belt.speed": np.linspace(0.06, 0.2, 20)}, (600.0, 300.0), 0.9),
    "three blocks": (ss.models.chain(3), {"belt.speed": np.linspace(0.06, 0.3, 12)}, (600.0, 200.0), 1.0),
    "aging": (ss.models.aging_block(), {"belt.speed": np.linspace(0.05, 0.4, 8)}, (2000.0, 500.0), 0.5),
}


@pytest.mark.parametrize("name", LIBRARY)
def test_models_of_the_library(name: str) -> None:
    model, over, times, left = LIBRARY[name]
    short, full = compared(model, over, times=times)
    assert short["steps"].sum() <= left * full["steps"].sum()
    for number in NUMBERS:
        assert distance(short, full, number) < 3e-7, number


def test_chaos_is_travelled() -> None:
    """Motion that comes close to an unstable orbit by chance does not settle there: nothing is left out of it."""
    over = {"base.eta": np.linspace(1.905, 1.93, 40)}
    short, full = compared(ss.models.forced_oscillator("III", u0=1.0), over, periods=(300, 100))
    wild = full["m"].values < 0
    assert wild.sum() > 20
    xr.testing.assert_equal(short.isel({"base.eta": wild}), full.isel({"base.eta": wild}))


def drawn(random: np.random.Generator) -> ss.System:
    """Blocks tied to each other on a belt, with any law; every other system is shaken."""
    law = [
        ss.Coulomb(0.4, random.uniform(0.2, 0.3)),
        ss.Stribeck(mu_s=0.4, mu_k=0.25, v_s=random.uniform(0.2, 0.6)),
        ss.Hyperbolic(mu_s=0.4, delta=random.uniform(1.0, 3.0)),
        ss.Tabulated([0.0, 0.3, 1.0, 3.0], [0.4, 0.3, 0.25, random.uniform(0.25, 0.3)]),
    ][random.integers(4)]
    eta, u0 = random.uniform(0.7, 1.6), random.uniform(0.1, 0.4)
    shaken = ss.Base("base", motion=lambda t, eta=eta, u0=u0: u0 * np.cos(eta * t))
    held = shaken if random.random() < 0.5 else ss.ground
    belt = ss.Belt("belt", speed=random.uniform(0.1, 0.4))
    blocks = [ss.Mass(f"m{i}", m=random.uniform(0.8, 1.3)) for i in range(random.integers(1, 4))]
    springs = [ss.Spring(a, b, k=random.uniform(0.8, 1.6)) for a, b in zip([held, *blocks], blocks, strict=False)]
    return ss.System(*springs, *(ss.Contact(block, belt, law=law, normal=1.0) for block in blocks))


@pytest.mark.parametrize("seed", [2, 7, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in (5, 6, 15))])
def test_random_systems(seed: int) -> None:
    """Whatever law there is, from several starts: some settle on a cycle, and nothing else changes."""
    model = drawn(np.random.default_rng(seed))
    short, full = compared(model, {"start.x.m0": np.linspace(-1.0, 1.0, 6)}, times=(1500.0, 400.0))
    assert short["steps"].sum() < full["steps"].sum()
    for name in NUMBERS:
        assert distance(short, full, name) < 1e-6, name


def test_chance_is_no_state() -> None:
    """What is drawn at every event is not the same when the state is."""
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.2)
    scattered = ss.System(ss.Spring(block, ss.ground, k=1.0), ss.BristleContact(block, belt))
    kernels = artifact(scattered, "series", 8).library()
    assert not kernels.repeat.WITHOUT_MEMORY
    assert artifact(ss.models.block_on_belt(), "series", 8).library().repeat.WITHOUT_MEMORY


def test_time_without_a_period() -> None:
    block, belt, base = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.2), ss.Base("base", motion=lambda t: 1e-9 * t)
    contact = ss.Contact(block, belt, law=ss.Coulomb(0.4, 0.25), normal=1.0)
    model = ss.System(ss.Spring(block, base, k=1.0), contact)
    short, full = compared(model, {"belt.speed": [0.1, 0.2]}, times=(60.0, 60.0), rtol=1e-6)
    xr.testing.assert_equal(short, full)
    assert full["events"].sum() > 20


def test_it_is_the_same_in_lockstep_and_one_by_one() -> None:
    """A cycle that is told is the same cycle, however it was travelled."""
    over = {"base.eta": np.linspace(0.6, 2.6, 260)}
    together = ss.sweep(ss.models.forced_oscillator("III"), over, periods=(200, 60))
    alone = ss.sweep(ss.models.forced_oscillator("III"), {"base.eta": over["base.eta"][:100]}, periods=(200, 60))
    part = together.isel({"base.eta": slice(0, 100)})
    regular = alone["m"].values > 0
    for name in ("n", "m", "events", "count"):
        np.testing.assert_array_equal(part[name].values[regular], alone[name].values[regular], name)
