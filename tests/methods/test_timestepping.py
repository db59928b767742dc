"""Time-stepping: first order, many contacts, coupled contacts, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

import stickslip as ss
from stickslip.methods.timestepping import TimeStepping

PERIOD = 12.00103129483


def slope(x: np.ndarray, errors: np.ndarray) -> float:
    return float(np.polyfit(np.log(x), np.log(errors), 1)[0])


def end_of(run: xr.Dataset, states: tuple[str, ...]) -> np.ndarray:
    return np.array([run[name].values[-1] for name in states])


def largest_error(run: xr.Dataset, exact: xr.Dataset, states: tuple[str, ...]) -> float:
    times = np.linspace(float(exact.time[0]), float(exact.time[-1]), 1001)
    a, b = ss.interpolate(run, times), ss.interpolate(exact, times)
    return max(float(np.abs(a[s] - b[s]).max() / np.abs(b[s]).max()) for s in states)


def stack(n: int) -> ss.System:
    """Blocks on top of each other, the lowest shaken by a spring: every contact feels every other."""
    blocks = [ss.Mass(f"block{i}", m=1.0, v=0.3 * i) for i in range(n)]
    weights = [float(n - i) for i in range(n)]
    between = [
        ss.Contact(blocks[i], blocks[i - 1], law=ss.Coulomb(mu_s=0.3 + 0.07 * i), normal=weights[i], name=f"contact{i}")
        for i in range(1, n)
    ]
    floor = ss.Contact(blocks[0], ss.ground, law=ss.Coulomb(mu_s=0.1), normal=weights[0], name="floor")
    return ss.System(ss.Spring(blocks[0], ss.ground, k=20.0), floor, *between, start={"x.block0": 1.5})


# -- convergence --------------------------------------------------------------------------------------------------


def test_first_order_in_the_final_state():
    system = ss.models.block_on_belt()
    exact = end_of(ss.simulate(system, t=14), system.states)
    steps = 0.02 * 0.6 ** np.arange(6)
    errors = [
        np.abs(end_of(ss.simulate(system, t=14, method=TimeStepping(step)), system.states) - exact).max()
        for step in steps
    ]
    assert slope(steps, np.array(errors)) == pytest.approx(1.0, abs=0.15)
    assert errors[-1] < 5e-3


def test_first_order_in_the_period():
    """Between passages of x = 0 with v < 0, read off the straight lines between steps."""
    steps = 0.02 * 0.6 ** np.arange(6)
    errors = []
    for step in steps:
        run = ss.simulate(ss.models.block_on_belt(), t=60, method=TimeStepping(step))
        x, t = run.step_state.values[:, 0, 0], run.step_start.values
        falls = np.nonzero((x[:-1] > 0) & (x[1:] <= 0))[0]
        passages = t[falls] + step * x[falls] / (x[falls] - x[falls + 1])
        errors.append(abs(np.diff(passages)[-1] - PERIOD))
    assert slope(steps, np.array(errors)) == pytest.approx(1.0, abs=0.15)


@pytest.mark.parametrize(
    ("system", "t", "step", "allowed"),
    [
        (ss.models.block_on_belt(), 30, 1e-3, 1e-2),
        (ss.models.two_blocks(), 20, 1e-3, 2e-2),
        (ss.models.drill_string(), 20, 1e-3, 5e-3),
        (ss.models.forced_oscillator(), 30, 1e-3, 2e-2),
        (ss.models.bowed_string(), 0.005, 2e-7, 2e-2),
        (ss.models.coulomb_oscillator(), 30, 1e-3, 1e-3),
        (ss.models.block_and_pendulum(), 20, 1e-3, 1e-2),
    ],
    ids=lambda value: value.about.name if isinstance(value, ss.System) else "",
)
def test_agrees_with_exact(system, t, step, allowed):
    run, exact = ss.simulate(system, t=t, method=TimeStepping(step)), ss.simulate(system, t=t)
    assert run.attrs["status"] == ss.Status.FINISHED.value
    assert run.attrs["steps"] == round(t / step)
    assert largest_error(run, exact, system.states) < allowed


def test_theta_one_damps_and_one_half_does_not():
    """A block that slides without friction on a spring: amplitude after 10 periods."""
    block = ss.Mass("block", m=1.0, x=1.0)
    system = ss.System(
        ss.Spring(block, ss.ground, k=1.0), ss.Contact(block, ss.ground, law=ss.Coulomb(mu_s=0.0), normal=1.0)
    )
    for theta, low, high in ((0.5, 1 - 1e-10, 1 + 1e-10), (1.0, 0.5, 0.8)):
        run = ss.simulate(system, t=62.8, method=TimeStepping(1e-2, theta=theta))
        energy = run["x.block"].values[-1] ** 2 + run["v.block"].values[-1] ** 2
        assert low < energy < high


# -- many contacts ------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_chain_of_fifty():
    system = ss.models.chain(50)
    exact = ss.simulate(system, t=4)
    errors = []
    for step in (4e-3, 2e-3, 1e-3):
        run = ss.simulate(system, t=4, method=TimeStepping(step))
        assert run.attrs["status"] == ss.Status.FINISHED.value
        errors.append(largest_error(run, exact, system.states))
    assert errors[-1] < 1e-2
    assert errors[0] > 1.5 * errors[1] > 2.25 * errors[2]


@pytest.mark.parametrize("n", [2, 6])
def test_coupled_contacts(n):
    system = stack(n)
    run, exact = ss.simulate(system, t=4, method=TimeStepping(2e-4)), ss.simulate(system, t=4)
    assert run.attrs["status"] == ss.Status.FINISHED.value
    assert largest_error(run, exact, system.states) < 5e-3


def test_solution_of_each_step_obeys_friction():
    """|λ| ≤ bound; where it is less, v′ = 0; where not, λ opposes v′."""
    run = ss.simulate(stack(6), t=4, method=TimeStepping(1e-3))
    force, length = run.step_force.values[:, :, 0], run.step_length.values[:, None]
    v = run.step_slip_velocity.values
    after = v[:, :, 0] + v[:, :, 1] * length
    bound = np.array([0.1 * 6] + [(0.3 + 0.07 * i) * (6 - i) for i in range(1, 6)])
    assert (np.abs(force) <= bound * (1 + 1e-11)).all()
    inside = np.abs(force) < bound * (1 - 1e-11)
    assert inside.any() and not inside.all()
    assert np.abs(after[inside]).max() < 1e-10
    assert (after * force)[~inside].max() < 1e-10


def test_redundant_contacts_share_the_load():
    """Two contacts on one block: their forces are not unique, the motion is."""
    block = ss.Mass("block", m=1.0, x=3.0)
    parts = [ss.Contact(block, ss.ground, law=ss.Coulomb(mu_s=0.25), normal=1.0, name=n) for n in ("left", "right")]
    twice = ss.System(ss.Spring(block, ss.ground, k=1.0), *parts)
    once = ss.models.coulomb_oscillator(friction=0.5, x=3.0, v=0.0)
    run, exact = ss.simulate(twice, t=12, method=TimeStepping(1e-3)), ss.simulate(once, t=12)
    assert run.attrs["status"] == ss.Status.FINISHED.value
    assert largest_error(run, exact, once.states) < 2e-3


def test_filippov_system_with_curved_switching_surface():
    relay = ss.Filippov(
        ("x", "y"),
        f=lambda x, y: (y, -x - 0.1 * y),
        G=lambda: (0.0, 1.0),
        h=lambda x, y: y + 0.5 * x + 0.1 * x**3,
        start={"x": 3.0},
    )
    exact = ss.simulate(relay, t=8)
    errors = [largest_error(ss.simulate(relay, t=8, method=TimeStepping(h)), exact, relay.states) for h in (4e-3, 1e-3)]
    assert errors[1] < 0.4 * errors[0] < 4e-3


# -- the record ---------------------------------------------------------------------------------------------------


def test_record_is_that_of_exact():
    system = ss.models.block_on_belt()
    run, exact = ss.simulate(system, t=40, method=TimeStepping(1e-3)), ss.simulate(system, t=40)
    assert set(run.variables) == set(exact.variables)
    assert run.event_after.values.tolist() == exact.event_after.values.tolist()
    np.testing.assert_allclose(run.event_time, exact.event_time, atol=2e-2)


def test_events_are_at_the_ends_of_steps():
    run = ss.simulate(ss.models.block_on_belt(), t=30, method=TimeStepping(0.01))
    times = run.event_time.values / 0.01
    assert len(times) > 0
    np.testing.assert_allclose(times, np.round(times), atol=1e-9)


def test_the_last_step_ends_at_the_end():
    run = ss.simulate(ss.models.block_on_belt(), t=1.0005, method=TimeStepping(1e-2))
    assert run.time.values[-1] == 1.0005
    assert run.attrs["steps"] == 101
    assert ss.simulate(ss.models.block_on_belt(), t=30, method=TimeStepping(1e-4)).attrs["steps"] == 300_000


def test_plain_python_gives_the_same():
    compiled = ss.simulate(ss.models.two_blocks(), t=3, method=TimeStepping(1e-2))
    plain = ss.simulate(ss.models.two_blocks(), t=3, method=TimeStepping(1e-2, target="python"))
    np.testing.assert_allclose(plain["x.block1"], compiled["x.block1"], rtol=1e-12)


# -- refusals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [0, -0.1, float("inf"), float("nan"), "0.1"])
def test_step_must_be_positive(step):
    with pytest.raises(ss.errors.ModelError, match=r"TimeStepping: step is .* positive number"):
        TimeStepping(step)


@pytest.mark.parametrize("theta", [0.0, 0.4, 1.1])
def test_theta_must_not_let_oscillations_grow(theta):
    with pytest.raises(ss.errors.ModelError, match=rf"theta is {theta:g}; it must lie between 0.5 and 1"):
        TimeStepping(0.1, theta=theta)


@pytest.mark.parametrize(
    ("system", "step"),
    [
        (ss.models.block_on_belt(), 0.7),
        (ss.models.bowed_string(), 3e-5),  # short beside the lateral period, not beside the torsional one
        (ss.models.chain(50), 0.3),
    ],
    ids=["block", "string", "chain"],
)
def test_a_step_beyond_a_tenth_of_the_shortest_period_is_refused(system, step):
    run = ss.simulate(system, t=1, method=TimeStepping(step))
    assert run.attrs["status"].startswith(ss.Status.STEP_TOO_LARGE.value)


def test_a_law_too_steep_for_the_step_is_noticed():
    block, belt = ss.Mass("block", m=1.0, v=0.3), ss.Belt("belt", speed=0.2)
    law = ss.FunctionLaw(lambda v, steep=200.0: 0.5 + steep * v)
    system = ss.System(ss.Spring(block, ss.ground, k=1.0), ss.Contact(block, belt, law=law, normal=1.0))
    run = ss.simulate(system, t=5, method=TimeStepping(0.02))
    assert run.attrs["status"].startswith(ss.Status.STEP_TOO_LARGE.value)
    assert ss.simulate(system, t=5, method=TimeStepping(1e-3)).attrs["status"] == ss.Status.FINISHED.value


def test_a_lifting_contact_ends_the_run():
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.2)
    contact = ss.Contact(block, belt, law=ss.Coulomb(mu_s=0.4), normal=lambda t, rate=0.5: 1.0 - rate * t)
    system = ss.System(ss.Spring(block, ss.ground, k=1.0), contact)
    run = ss.simulate(system, t=5, method=TimeStepping(1e-3))
    assert run.attrs["status"].startswith(ss.Status.LIFT_OFF.value)
    assert run.time.values[-1] == pytest.approx(2.0, abs=2e-3)


def test_steps_can_be_limited():
    run = ss.simulate(ss.models.block_on_belt(), t=100, method=TimeStepping(0.01, most_steps=50))
    assert run.attrs["status"].startswith(ss.Status.TOO_MANY_STEPS.value)
