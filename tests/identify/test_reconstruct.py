"""Friction forces from noisy positions: the smoother is right, and its errors are honest."""

from dataclasses import replace

import numpy as np
import pytest

import stickslip as ss
from stickslip.errors import IdentifyError
from stickslip.identify import fit_law, reconstruct
from stickslip.identify.smoother import _ignorance, likeliest, smooth, steps


def dense_smoother(y, walk, speed, variance, belt, stick):
    """The same by one large system of equations, without any recursion."""
    n = len(y)
    information, right = np.zeros((3 * n, 3 * n)), np.zeros(3 * n)
    before = 1 / np.array(_ignorance(y))
    information[:3, :3] = np.diag(before)
    right[:3] = before * [y[0], y[1] - y[0], 0.0]
    for i in range(n):
        information[3 * i, 3 * i] += 1.0
        right[3 * i] += y[i]
        if stick[i]:
            information[3 * i + 1, 3 * i + 1] += 1e6
            right[3 * i + 1] += 1e6 * belt[i]
    for i in range(n - 1):
        inverse = np.linalg.inv((speed + walk.leap[i]) * walk.spread[i])
        both = np.hstack([-walk.transition[i], np.eye(3)])
        part = slice(3 * i, 3 * i + 6)
        information[part, part] += both.T @ inverse @ both
        right[part] += both.T @ inverse @ walk.drift[i]
    covariance = np.linalg.inv(information)
    blocks = np.array([covariance[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] for i in range(n)])
    return (covariance @ right).reshape(n, 3), variance * blocks


def test_the_smoother_solves_the_equations_of_all_samples_at_once():
    random = np.random.default_rng(0)
    t = np.cumsum(random.uniform(0.5, 1.5, 40))
    y = np.sin(t / 5) + random.normal(0, 0.05, 40)
    walk = steps(t, 1.0, 2.0, 0.3, 0.4, np.cos(t))
    leap = np.zeros(39)
    leap[20] = 10.0
    walk = replace(walk, leap=leap)
    stick = (np.arange(40) > 10) & (np.arange(40) < 15)
    belt = np.full(40, 0.1)
    ours = smooth(y, walk, 0.01, 0.05**2, belt, stick)
    mean, covariance = dense_smoother(y, walk, 0.01, 0.05**2, belt, stick)
    assert ours.mean == pytest.approx(mean, abs=1e-7)
    assert ours.covariance[0] == pytest.approx(covariance[0], rel=1e-4)  # a small difference of large numbers
    assert ours.covariance[1:] == pytest.approx(covariance[1:], rel=1e-6, abs=1e-12)


def test_noise_and_smoothness_are_learned_from_the_record():
    random = np.random.default_rng(5)
    walk = steps(np.arange(2000.0), 1.0, 1.0, 0.0, 1e-3, np.zeros(2000))
    state, y = np.zeros(3), np.zeros(2000)
    for i in range(2000):
        y[i] = state[0] + random.normal(0, 0.3)
        if i < 1999:
            state = walk.transition[i] @ state + random.multivariate_normal(np.zeros(3), 1e-5 * 0.09 * walk.spread[i])
    speed, variance = likeliest(y, walk, None)
    assert np.sqrt(variance) == pytest.approx(0.3, rel=0.05)
    assert abs(np.log10(speed) + 5) < 0.4


def belt_record(law, noise, seed, end=40.0, count=2500):
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.2)
    parts = ss.Spring(block, ss.ground, k=1.0), ss.Contact(block, belt, law=law, normal=1.0)
    run = ss.simulate(ss.System(*parts), t=end, start={"x.block": 1.1})
    t = np.linspace(0, end, count)
    at = ss.interpolate(run, t)
    x = at["x.block"].values + np.random.default_rng(seed).normal(0, noise, count)
    return t, x, at["slip_velocity"].values[:, 0], at["force"].values[:, 0], at["mode"].values[:, 0]


@pytest.mark.parametrize("law", [ss.Stribeck(1.0, 0.6, 0.2), ss.Coulomb(1.0, 0.6)], ids=["stribeck", "coulomb"])
def test_the_friction_force_of_a_block_on_a_belt_from_its_position(law):
    t, x, velocity, force, mode = belt_record(law, 1e-3, 0)
    found = reconstruct(t, x, mass=1.0, stiffness=1.0, belt=0.2)
    assert found.noise == pytest.approx(1e-3, rel=0.05)
    assert np.mean(found.sure) > 0.9
    assert np.mean(found.stick[found.sure] == (mode[found.sure] == 0)) > 0.97
    for ours, error, truth in (
        (found.force, found.force_error, force),
        (found.velocity, found.velocity_error, velocity),
    ):
        chosen = found.sure & ~found.stick
        inside = np.mean(np.abs(ours - truth)[chosen] < 1.96 * error[chosen])
        assert inside > 0.93  # a random walk is rougher than friction: the errors are rather too large
    assert np.median(found.force_error[found.sure]) < 0.03
    rest = found.sure & found.stick
    assert np.mean(np.abs(found.force - force)[rest] < 1.96 * found.force_error[rest]) > 0.93


@pytest.mark.parametrize("trials", [12, pytest.param(200, marks=pytest.mark.nightly)])
def test_the_law_comes_back_from_noisy_positions_as_stated(trials):
    law, inside = ss.Stribeck(1.0, 0.6, 0.2), {"mu_s": 0, "mu_k": 0, "v_s": 0}
    clean = belt_record(law, 0.0, 0, end=30.0, count=1500)
    for seed in range(trials):
        x = clean[1] + np.random.default_rng(seed).normal(0, 5e-4, 1500)
        fit = fit_law(reconstruct(clean[0], x, mass=1.0, stiffness=1.0, belt=0.2).samples(), law)
        for name in inside:
            low, high = fit.estimate.interval(name)
            inside[name] += low <= law.parameters()[name] <= high
    # A random walk is rougher than friction is, so the errors are rather too large; none is lost to speak of.
    assert all(count >= 0.85 * trials for count in inside.values()), inside


def test_excitation_and_damping_are_known_parts_of_the_force():
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.2)
    push = ss.Force(block, lambda t, u=0.3, eta=1.3: u * np.cos(eta * t))
    system = ss.System(
        ss.Spring(block, ss.ground, k=1.0),
        ss.Damper(block, ss.ground, c=0.1),
        ss.Contact(block, belt, law=ss.Coulomb(0.5, 0.3), normal=1.0),
        push,
    )
    run = ss.simulate(system, t=30, start={"x.block": 1.1})
    t = np.linspace(0, 30, 1500)
    at = ss.interpolate(run, t)
    x = at["x.block"].values + np.random.default_rng(0).normal(0, 3e-4, 1500)
    known = {"mass": 1.0, "stiffness": 1.0, "damping": 0.1, "belt": 0.2}
    found = reconstruct(t, x, excitation=lambda t: 0.3 * np.cos(1.3 * t), **known)
    error = (found.force - at["force"].values[:, 0])[found.sure]
    assert np.mean(np.abs(error) < 1.96 * found.force_error[found.sure]) > 0.93
    assert np.sqrt(np.mean(error**2)) < 0.02
    same = reconstruct(t, x, excitation=0.3 * np.cos(1.3 * t), **known)
    assert same.force == pytest.approx(found.force, abs=1e-12)


def test_records_that_say_nothing_are_refused():
    t = np.linspace(0, 1, 100)
    with pytest.raises(IdentifyError, match="does not change"):
        reconstruct(t, np.ones(100), mass=1.0)
    with pytest.raises(IdentifyError, match="at least 30"):
        reconstruct(t[:10], t[:10], mass=1.0)
    with pytest.raises(ss.errors.ModelError, match="mass is 0"):
        reconstruct(t, np.sin(t), mass=0.0)
    with pytest.raises(IdentifyError, match="excitation has 3 values"):
        reconstruct(t, np.sin(t), mass=1.0, excitation=[1, 2, 3])
