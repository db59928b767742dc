"""Elastic asperities in motion: their balance, the rigid limit, Masing's rule, and when something stops."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import brentq

import stickslip as ss
from stickslip.result import evaluate, steps_of


def on_belt(contact: str, law: ss.FrictionLaw, **more: float) -> ss.System:
    block, belt = ss.Mass("block", m=1.0, x=1.1), ss.Belt("belt", speed=0.2)
    kind = ss.Contact if contact == "rigid" else ss.CompliantContact
    return ss.System(ss.Spring(block, ss.ground, k=1.0), kind(block, belt, law=law, **more))


@pytest.mark.parametrize(
    "law", [ss.Hyperbolic(1.0, 3.0), ss.Stribeck(1.0, 0.6, 0.3, shape=2), ss.PoppStelter(0.9, 0.5, 2.0, 0.01)]
)
def test_balance_of_the_asperity(law: ss.FrictionLaw) -> None:
    """b ż + c z = λ and λ = −s N μ(u), at every point of every step, though slip speed is carried as a state."""
    c, b = 200.0, 5.0
    run = ss.simulate(on_belt("elastic", law, stiffness=c, damping=b), t=60)
    steps, names = steps_of(run), list(run.state.values)
    z, u = names.index("deflection.contact"), names.index("slip_speed.contact")
    slipped = 0
    for fraction in (0.0, 0.3, 0.7, 1.0):
        tau = fraction * steps.length
        state, force = evaluate(steps.state, tau), evaluate(steps.force, tau)[:, 0]
        w = state[:, names.index("v.block")] - 0.2
        mode = steps.mode[:, 0]
        rate = -w + mode * state[:, u]
        assert np.max(np.abs(b * rate + c * state[:, z] - force)) < 1e-10
        friction = np.array([law.kinetic_value(abs(v)) for v in state[:, u]])
        assert np.max(np.abs(force + mode * friction)[mode != 0]) < 1e-10
        assert np.all(np.abs(force[mode == 0]) <= law.static_value() + 1e-12)
        slipped += int(np.sum(mode != 0))
    assert slipped > 100


def test_the_rigid_limit() -> None:
    """The cycle of an elastic contact tends to that of a rigid one like 1/stiffness (critically damped asperity)."""
    law = ss.Coulomb(1.0, 0.6)
    rigid = ss.last_cycle(ss.simulate(on_belt("rigid", law), t=80), "block").period
    stiffness = (1e2, 1e3, 1e4, 1e5)
    differences = []
    for c in stiffness:
        run = ss.simulate(on_belt("elastic", law, stiffness=c, damping=2 * np.sqrt(c)), t=80)
        differences.append(abs(ss.last_cycle(run, "block").period - rigid))
    slopes = -np.diff(np.log10(differences))
    assert np.all(np.abs(slopes - 1) < 0.06) and np.all(np.abs(slopes[1:] - 1) < 0.02) and differences[-1] < 2e-5


def test_masing() -> None:
    """First loading is f(x) = Σ min(k x/n, limits), and every later branch its double: F = F₀ ∓ 2f(|x − x₀|/2)."""
    n, k = 5, 2.0
    run = ss.simulate(ss.models.iwan(n, k=k), t=40)
    limits = np.array([(2 * i - 1) / n**2 for i in range(1, n + 1)])

    def first(x: np.ndarray) -> np.ndarray:
        return np.sum(np.minimum(k / n * np.abs(x)[:, None], limits), axis=1) * np.sign(x)

    times, x, v = run["time"].values, run["x.block"].values, run["v.block"].values
    F = -run["force"].values.sum(axis=1)
    before = np.flatnonzero(v[1:-1] * v[2:] < 0) + 1  # the last sample of each branch
    assert len(before) >= 5
    loading = slice(1, before[0])
    np.testing.assert_allclose(F[loading], first(x[loading]), atol=1e-12)
    for begin, end in pairwise(before):
        turn = brentq(lambda t: ss.interpolate(run, [t])["v.block"].item(), times[begin], times[begin + 1], xtol=1e-14)
        there = ss.interpolate(run, [turn])
        x0, F0 = there["x.block"].item(), -float(there["force"].values.sum())
        assert abs(abs(F0) - limits.sum()) < 1e-12  # all elements slip at the turn
        piece = slice(begin + 1, end)
        np.testing.assert_allclose(F[piece], F0 + 2 * first((x[piece] - x0) / 2), atol=1e-12)


def test_stops_of_a_rigid_contact_are_its_events() -> None:
    run = ss.simulate(ss.models.two_blocks(), t=100)
    found = ss.stops(run)
    for name in ("contact1", "contact2"):
        mine = (run.event_contact == name).values
        ended = run.event_time.values[mine & (run.event_before != 0).values]
        block = found.stop_time.values[(found.stop_contact == name).values & (found.stop_kind == "block").values]
        np.testing.assert_allclose(block, ended, atol=1e-9)


def test_stops_of_an_elastic_contact_are_told_apart() -> None:
    run = ss.simulate(ss.models.compliant_oscillator(26), t=3)
    found = ss.stops(run)
    assert int(found.asperity_stops[0]) == 3 and int(found.block_stops[0]) > 10
    for t in found.stop_time.values[(found.stop_kind == "block").values]:
        assert abs(ss.interpolate(run, [t])["v.block"].item() - 0.0025) < 1e-12
    with pytest.raises(ss.errors.ResultError, match="dense"):
        ss.stops(ss.simulate(ss.models.compliant_oscillator(26), t=1, dense=False))
    with pytest.raises(ss.errors.ModelError, match="least is -1"):
        ss.stops(run, least=-1)
