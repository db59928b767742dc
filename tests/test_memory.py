"""Contacts with a memory: static friction that ages, elastic asperities."""

from __future__ import annotations

from math import cos

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq

import stickslip as ss
from stickslip.orbits.motion import Motion


def aging_block(a: float = 0.1, beta: float = 2.0) -> ss.System:
    """leine1998, Sec. 6."""
    block, belt = ss.Mass("block", m=1.0, x=1.1), ss.Belt("belt", speed=0.2)
    law = ss.Hyperbolic(mu_s=1.0, delta=3.0).with_aging(a, beta)
    return ss.System(ss.Spring(block, ss.ground, k=1.0), ss.Contact(block, belt, law=law, normal=1.0))


def elastic(law: ss.FrictionLaw, normal: float = 25.0, **more: float) -> ss.System:
    """hinrichs1998, Fig. 26."""
    block, belt = ss.Mass("block", m=6.08, unit="m"), ss.Belt("belt", speed=0.0025)
    contact = ss.CompliantContact(
        block, belt, law=law, normal=normal, **({"stiffness": 150e3, "damping": 150.0} | more)
    )
    return ss.System(
        ss.Spring(block, ss.ground, k=3956.0), ss.Damper(block, ss.ground, c=0.768), contact, time_unit="s"
    )


def releases(run, state: str = "x.block") -> tuple[np.ndarray, np.ndarray]:
    released = run.event_before.values == 0
    return run.event_time.values[released], run.event_state.sel(state=state).values[released]


# -- aging ---------------------------------------------------------------------------------------------------------


def test_the_unstable_orbit_of_the_aging_block() -> None:
    orbit = ss.find_orbit(aging_block(), guess=([1.56, 0.2, 8.0], 14.4))
    assert orbit.period == pytest.approx(14.4252018882, abs=1e-10)
    assert orbit.phases.states[0, 0] == pytest.approx(1.5621451917, abs=1e-10)
    assert str(orbit.signature) == "slip- → slip+ → stick"
    assert not orbit.stable


def test_the_attractor_of_the_aging_block() -> None:
    """The period and the multiplier also follow from the simulation alone: nothing else goes into them."""
    orbit = ss.find_orbit(aging_block())
    assert orbit.stable and len(orbit.signature) == 5
    time, x = releases(ss.simulate(aging_block(), t=900))
    assert orbit.period == pytest.approx(time[-1] - time[-3], abs=1e-8)
    multiplier = (x[14] - x[12]) / (x[12] - x[10])
    assert orbit.multipliers[1].real == pytest.approx(multiplier, rel=2e-3)
    assert orbit.multipliers[1].real == pytest.approx(finite_multiplier(orbit), abs=1e-8)


def finite_multiplier(orbit: ss.Orbit) -> float:
    """How the breakaway point of an orbit returns to itself, by differences of simulations extrapolated to zero."""
    start = orbit.phases.states[-1].copy()  # where the last stick phase begins: one coordinate is free there

    def returned(shift: float) -> float:
        run = ss.simulate(orbit.model, t=1.2 * orbit.period, start=[start[0] + shift, *start[1:]])
        onset = run.event_state.sel(state="x.block").values[run.event_after.values == 0]
        return float(onset[1])

    h = 2e-4
    slopes = [(returned(step) - returned(-step)) / (2 * step) for step in (h, h / 2)]
    return (4 * slopes[1] - slopes[0]) / 3


@pytest.mark.nightly
def test_the_period_doubles_where_the_branch_says() -> None:
    branch = ss.follow(ss.find_orbit(aging_block(beta=1.5)), "contact.beta", to=2.0)
    flip = branch.of_kind("flip")[0]
    assert branch.periods[-1] == pytest.approx(14.4252018882, abs=1e-9)
    below, above = (ss.find_orbit(aging_block(beta=flip.value + d)).period / flip.orbit.period for d in (-0.001, 0.001))
    assert below == pytest.approx(1, abs=1e-3) and above == pytest.approx(2, abs=2e-2)


def test_the_switch_model_of_the_aging_block_errs_as_the_root_of_eta() -> None:
    exact = ss.find_orbit(aging_block()).period
    errors = []
    for eta in (1e-4, 1e-6):
        time, _ = releases(ss.simulate(aging_block(), t=400, method=ss.Switch(eta=eta, rtol=1e-9)))
        errors.append(exact - (time[-1] - time[-3]))
    assert 6 < errors[0] / errors[1] < 13


def test_without_growth_the_aging_block_is_the_block_on_a_belt() -> None:
    orbit = ss.find_orbit(aging_block(beta=1.0))
    assert orbit.period == pytest.approx(12.00103129483, abs=1e-9)


def test_any_growth() -> None:
    law = ss.Coulomb(0.4, 0.3).with_aging(growth=ss.Formula("1 + b*log(1 + stick_time)", ("stick_time",), {"b": 0.05}))
    assert law.static_value_after(10.0) == pytest.approx(0.4 * (1 + 0.05 * np.log(11)))
    with pytest.raises(ss.errors.ModelError, match="function of stick_time alone"):
        ss.Coulomb(0.4).with_aging(growth=lambda t: 1 + t)
    with pytest.raises(ss.errors.ModelError, match="grows stronger"):
        ss.Coulomb(0.4).with_aging(a=0.1, beta=0.5)


def test_the_stick_time_of_a_bystander_goes_on() -> None:
    """Another contact's event does not reset it."""
    block, other = ss.Mass("block", m=1.0, x=0.3), ss.Mass("other", m=1.0, x=2.0)
    aged = ss.Contact(block, ss.ground, law=ss.Coulomb(1.0).with_aging(), normal=1.0, name="aged")
    plain = ss.Contact(other, ss.ground, law=ss.Coulomb(0.1), normal=1.0, name="plain")
    system = ss.System(ss.Spring(block, ss.ground, k=1.0), ss.Spring(other, ss.ground, k=1.0), aged, plain)
    run = ss.simulate(system, t=20)
    assert len(run.event_time) > 3
    assert float(run["stick_time.aged"][-1]) == pytest.approx(20.0, abs=1e-12)


# -- elastic asperities --------------------------------------------------------------------------------------------


def test_the_orbit_of_figure_26() -> None:
    """Both numbers agree with the matrix exponentials of the two linear phases, solved apart."""
    orbit = ss.find_orbit(elastic(ss.Coulomb(0.4, 0.25)))
    period, breakaway = linear_cycle()
    assert orbit.period == pytest.approx(period, abs=1e-12)
    assert orbit.phases.states[0, 0] == pytest.approx(breakaway, abs=1e-13)
    assert orbit.period == pytest.approx(0.8960669551, abs=1e-10)
    assert 1e3 * orbit.phases.states[0, 0] == pytest.approx(2.527366684, abs=5e-10)


def linear_cycle() -> tuple[float, float]:
    m, c, b, c_R, b_R, mu_0, mu, N, v_0 = 6.08, 3956.0, 0.768, 150e3, 150.0, 0.4, 0.25, 25.0, 0.0025
    stick = np.array([[0, 1, 0, 0], [-c / m, -(b + b_R) / m, c_R / m, b_R * v_0 / m], [0, -1, 0, v_0], [0] * 4])
    slip = np.array([[0, 1, 0, 0], [-c / m, -b / m, 0, mu * N / m], [0, 0, -c_R / b_R, mu * N / b_R], [0] * 4])
    y = np.array([mu_0 * N / c, v_0, mu_0 * N / c_R, 1.0])
    for _ in range(12):
        slips = brentq(
            lambda t, y=y: (lambda z: z[1] + (mu * N - c_R * z[2]) / b_R - v_0)(expm(slip * t) @ y), 0.05, 0.14
        )
        y = expm(slip * slips) @ y
        load = lambda t, y=y: (lambda z: b_R * (v_0 - z[1]) + c_R * z[2])(expm(stick * t) @ y) - mu_0 * N  # noqa: E731
        sticks = brentq(load, 0.5, 1.0, xtol=1e-15)
        y = expm(stick * sticks) @ y
    return slips + sticks, y[0]


@pytest.mark.parametrize("stribeck", [False, True])
def test_the_balance_of_the_asperity_holds(stribeck: bool) -> None:
    """b ż + c z = λ along the whole run, also where the friction depends on the slip speed."""
    law = ss.Stribeck(mu_s=0.4, mu_k=0.25, v_s=0.01) if stribeck else ss.Coulomb(0.4, 0.25)
    run = ss.simulate(elastic(law, damping=1500.0), t=3, method=ss.Exact(rtol=1e-14))
    w = run["v.block"] - 0.0025
    rate = -w + run["mode"][:, 0] * run["slip_speed.contact"]
    balance = 1500 * rate + 150e3 * run["deflection.contact"] - run["force"][:, 0]
    assert len(run.event_time) > 4
    assert float(np.abs(balance).max()) < 1e-9 * 25


def test_a_stiff_asperity_is_a_rigid_contact() -> None:
    """Its period tends to that of the rigid contact as 1/stiffness."""
    block, belt = ss.Mass("block", m=6.08), ss.Belt("belt", speed=0.0025)
    law = ss.Coulomb(0.4, 0.25)
    parts = (ss.Spring(block, ss.ground, k=3956.0), ss.Damper(block, ss.ground, c=0.768))
    rigid = ss.find_orbit(ss.System(*parts, ss.Contact(block, belt, law=law, normal=25.0))).period
    differences = [
        abs(ss.find_orbit(elastic(law, stiffness=k, damping=2 * np.sqrt(6.08 * k))).period - rigid) for k in (1e6, 1e7)
    ]
    assert differences[0] / differences[1] == pytest.approx(10, rel=0.02)


def test_too_steep_a_law_stops_the_run() -> None:
    run = ss.simulate(elastic(ss.Stribeck(mu_s=0.4, mu_k=0.25, v_s=0.002), damping=150.0), t=3)
    assert run.status.startswith(ss.Status.TOO_STEEP.value)


def test_the_jenkins_element() -> None:
    """Driven to and fro, it runs round the hysteresis loop of its closed form."""
    heavy = ss.Mass("slider", m=1.0)
    base = ss.Base("base", motion=lambda t, u=1.0: u * cos(t))
    spring = ss.Spring(heavy, base, k=1e6)  # the mass all but follows the base
    system = ss.System(
        spring, ss.Damper(heavy, base, c=2e3), ss.CompliantContact(heavy, ss.ground, ss.Coulomb(0.5), stiffness=1.0),
        start={"x.slider": 1.0, "deflection.contact": 0.0},
    )  # fmt: skip
    run = ss.simulate(system, t=8 * np.pi, samples=4001)
    x, force = run["x.slider"].values[2000:], run["force"].values[2000:, 0]
    loop = np.abs(np.trapezoid(force, x)) / 2  # two turns
    assert loop == pytest.approx(4 * 0.5 * (1.0 - 0.5), rel=1e-3)  # 4 R (amplitude − R/c)
    assert np.abs(force).max() == pytest.approx(0.5, abs=1e-9)


def test_a_jenkins_element_has_one_limit() -> None:
    with pytest.raises(ss.errors.ModelError, match="give a damping"):
        elastic(ss.Coulomb(0.4, 0.25), damping=None)


def test_what_cannot_carry_a_memory_says_so() -> None:
    for method in (ss.TimeStepping(1e-3), ss.Smoothing(1e4)):
        with pytest.raises(ss.errors.ModelError, match="cannot carry 'stick_time'"):
            ss.simulate(aging_block(), t=1, method=method)
    with pytest.raises(ss.errors.ModelError, match="has a memory"):
        aging_block().smoothed(1e4)


# -- derivatives ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("system, start, t, size", [
    (aging_block(), [1.1, 0.0, 0.5], 40.0, 1e-5),
    (elastic(ss.Coulomb(0.4, 0.25)), [0.002, 0.0025, 0.0, 0.0], 2.3, 1e-8),
    (elastic(ss.Stribeck(mu_s=0.4, mu_k=0.25, v_s=0.01), damping=1500.0), [0.002, 0.0025, 0.0, 0.0], 2.3, 1e-8),
])  # fmt: skip
def test_variations_pass_the_jumps_of_internal_states(system: ss.System, start: list, t: float, size: float) -> None:
    motion, names = Motion(system), list(system.parameters)
    run = motion.run(start, 0.0, t, list(range(len(names))))
    assert len(run.events) > 4
    for i in range(3):
        shift = size * np.eye(len(start))[i]
        both = [motion.run(np.array(start) + sign * shift, 0.0, t).state for sign in (1, -1)]
        slope = (both[0] - both[1]) / (2 * size)
        np.testing.assert_allclose(run.by_state[:, i], slope, rtol=2e-4, atol=2e-5 * np.abs(run.by_state).max())
    for i, name in enumerate(names):
        step = 1e-6 * system.parameters[name]
        ends = [motion.with_parameters(motion.parameters + s * step * np.eye(len(names))[i]).run(start, 0.0, t).state
                for s in (1, -1)]  # fmt: skip
        slope = (ends[0] - ends[1]) / (2 * step)
        np.testing.assert_allclose(run.by_parameter[:, i], slope, rtol=2e-4, atol=2e-5 * np.abs(slope).max())


def test_the_energy_balance_of_contacts_with_a_memory() -> None:
    for system, t in ((aging_block(), 60.0), (elastic(ss.Coulomb(0.4, 0.25)), 5.0)):
        assert abs(float(ss.energy_balance(system, ss.simulate(system, t=t)).residual)) < 1e-9


def test_equilibria_of_contacts_with_a_memory_are_refused() -> None:
    with pytest.raises(ss.errors.ModelError, match="with a plain Contact"):
        ss.find_equilibria(aging_block())


@pytest.mark.parametrize("damping", [150.0, None])
def test_the_energy_of_an_elastic_asperity_balances(damping: float | None) -> None:
    law = ss.Coulomb(0.4, 0.25) if damping else ss.Coulomb(0.4)
    system = elastic(law, damping=damping)
    balance = ss.energy_balance(system, ss.simulate(system, t=3.0))
    assert abs(float(balance.residual)) < 1e-9
