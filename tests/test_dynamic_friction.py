"""Friction with a state of its own, in motion: closed forms, published behaviour, and the limit of stiff bristles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss
from stickslip.model import files


def lugre_block(sigma_0: float, sigma_1: float, speed: float = 0.2, sigma_2: float = 0.0) -> ss.System:
    block, belt = ss.Mass("block", m=1.0, x=1.1), ss.Belt("belt", speed=speed)
    law = ss.LuGre(mu_s=1.0, mu_k=0.5, v_s=0.3, sigma_0=sigma_0, sigma_1=sigma_1, sigma_2=sigma_2)
    return ss.System(ss.Spring(block, ss.ground, k=1.0), ss.DynamicContact(block, belt, law=law))


def stribeck_block(speed: float = 0.2) -> ss.System:
    block, belt = ss.Mass("block", m=1.0, x=1.1), ss.Belt("belt", speed=speed)
    return ss.System(
        ss.Spring(block, ss.ground, k=1.0), ss.Contact(block, belt, law=ss.Stribeck(1.0, 0.5, 0.3, shape=2))
    )


def spring_slider(k: float, evolution: str = "aging", m: float = 1e-4) -> ss.System:
    """Nondimensional: D_c = v* = plate speed = N = 1, b − a = 0.005."""
    slider, plate = ss.Mass("slider", m=m, x=0.6 / k), ss.Belt("plate", speed=1.0)
    law = ss.DieterichRuina(mu_star=0.6, a=0.01, b=0.015, D_c=1.0, v_star=1.0, evolution=evolution)
    return ss.System(ss.Spring(slider, ss.ground, k=k), ss.DynamicContact(slider, plate, law=law))


def monodromy_by_differences(orbit: ss.Orbit) -> np.ndarray:
    """Multipliers from neighbouring runs of one period."""
    z = np.array(list(orbit.start.values()))
    span = (orbit.start_time, orbit.start_time + orbit.period)
    columns = []
    for j in range(len(z)):
        step = 1e-5 * abs(z[j]) * np.eye(len(z))[j]
        ends = []
        for side in (step, -step):
            run = ss.simulate(
                orbit.model, span[1], start_time=span[0], start=list(z + side), samples=[span[1]], dense=False
            )
            ends.append(np.array([float(run[name][-1]) for name in orbit.model.states]))
        columns.append((ends[0] - ends[1]) / (2 * step[j]))
    values = np.linalg.eigvals(np.array(columns).T)
    return np.array(sorted(values, key=abs, reverse=True))


# -- bristles --------------------------------------------------------------------------------------------------------


def test_hysteresis_of_dahl() -> None:
    """Between reversals z(x) = ±(μ/σ₀)(1 − (1 ∓ σ₀z₀/μ) exp(∓σ₀(x − x₀)/μ)), however fast the way is gone."""
    mu, sigma_0 = 0.3, 40.0
    block = ss.Mass("block", m=1.0, x=1.0)
    push = ss.Force(block, ss.Formula("0.5*cos(1.7*t)", ("t",), {}, "force"))
    contact = ss.DynamicContact(block, ss.ground, law=ss.Dahl(mu, sigma_0))
    run = ss.simulate(ss.System(ss.Spring(block, ss.ground, k=1.0), push, contact), t=30)
    x, v, z = (run[name].values for name in ("x.block", "v.block", "bristle.contact"))
    side = np.sign(np.where(np.abs(v) > 1e-9, v, 0.0))
    reversals = np.flatnonzero(np.diff(side[side != 0]))
    assert len(reversals) > 8
    moving = np.flatnonzero(side)
    checked = 0
    for piece in np.split(moving, reversals + 1):
        s, first = side[piece[0]], piece[0]
        along = (
            s
            * (mu / sigma_0)
            * (1 - (1 - s * sigma_0 * z[first] / mu) * np.exp(-s * sigma_0 * (x[piece] - x[first]) / mu))
        )
        assert np.max(np.abs(z[piece] - along)) < 1e-13
        checked += len(piece)
    assert checked > 500


def test_presliding_of_elasto_plastic_bristles_is_reversible() -> None:
    """Under a load that swings between 0.1 and 0.5 of the static limit LuGre creeps on; elasto-plastic bristles do not
    (Dupont et al. 2002, Fig. 5)."""
    ends = {}
    for name, law in {
        "lugre": ss.LuGre(1.0, 0.8, 0.1, sigma_0=100.0, sigma_1=20.0),
        "elasto-plastic": ss.ElastoPlastic(1.0, 0.8, 0.1, sigma_0=100.0, breakaway=0.007, sigma_1=20.0),
    }.items():
        block = ss.Mass("block", m=1.0)
        push = ss.Force(block, ss.Formula("0.3 - 0.2*cos(2*pi*t)", ("t",), {}, "force"))
        run = ss.simulate(ss.System(push, ss.DynamicContact(block, ss.ground, law=law)), t=40, samples=41)
        ends[name] = np.diff(run["x.block"].values[10:])  # per cycle
    assert np.all(ends["lugre"] > 2e-4)
    assert np.max(np.abs(ends["elasto-plastic"])) < 1e-12


def test_lugre_block_has_an_orbit_with_true_multipliers() -> None:
    model = lugre_block(100.0, 1.0)
    orbit = ss.find_orbit(model, guess=ss.simulate(model, t=60))
    assert abs(orbit.multipliers[0] - 1) < 1e-9 and orbit.stable
    assert np.allclose(monodromy_by_differences(orbit)[:2], orbit.multipliers[:2], atol=2e-5)


def release_constant() -> float:
    """The inner problem at the release of stiff bristles, w′ = s + u, u′ = −w u: how far w ends above s²/2."""
    far = 30.0
    start = [1 / far, far]
    end = solve_ivp(lambda s, y: [s + y[1], -y[0] * y[1]], (-far, 8.0), start, method="LSODA", rtol=1e-11, atol=1e-13)
    return float(end.y[0, -1] - 8.0**2 / 2)


def extremes(model: ss.System, t: float, **options: object) -> tuple[float, float]:
    """The last maximum of x, and the time from the maximum before."""
    run = ss.simulate(model, t=t, **options)
    v = np.polynomial.polynomial.polyval
    found = []
    for start, length, series in zip(run.step_start.values, run.step_length.values, run.step_state.values, strict=True):
        if series[1, 0] > 0 and v(length, series[1]) <= 0:
            low, high = 0.0, length
            for _ in range(60):
                middle = 0.5 * (low + high)
                low, high = (middle, high) if v(middle, series[1]) > 0 else (low, middle)
            found.append((start + low, v(low, series[0])))
    return found[-1][1], found[-1][0] - found[-2][0]


def test_stiff_bristles_tend_to_dry_friction() -> None:
    """The orbit of LuGre tends to that of `Contact` like σ₀^(−2/3), by the amount that the release of stick explains.

    Where friction is continuous stick ends with v = v̇ = 0, and bristles give way within τ = (m g/(σ₀Ḟ))^(1/3). After
    that the block is faster by C Ḟτ²/m than without bristles, C from an inner problem without parameters. Everything
    else is smaller, of the order 1/σ₀.
    """
    dry = ss.find_orbit(stribeck_block(), guess=([1.0, 0.2], 10.4))
    C = release_constant()
    stiffness, differences, explained = (1e3, 1e4, 1e5), [], []
    for sigma_0 in stiffness:
        start = {"x.block": 0.9, "v.block": 0.2, "bristle.contact": -0.9 / sigma_0}
        highest, _ = extremes(lugre_block(sigma_0, 1.0), 14.5, start=start)
        tau = (1.0 / (sigma_0 * 0.2)) ** (1 / 3)
        # Released at the same place, but with that velocity: what dry friction makes of it.
        kick = ss.simulate(stribeck_block(), t=1.5, start={"x.block": 1.0, "v.block": 0.2 - C * 0.2 * tau**2})
        differences.append(float(dry.data["x.block"].max()) - highest)
        explained.append(float(dry.data["x.block"].max() - kick["x.block"].max()))
    slopes = -np.diff(np.log(differences)) / np.diff(np.log(stiffness))
    assert np.all(np.abs(slopes - 2 / 3) < 0.03) and slopes[1] > slopes[0]
    ratios = np.array(differences) / explained
    assert np.all(np.abs(ratios[1:] - 1) < 0.1) and abs(ratios[2] - 1) < abs(ratios[0] - 1)


def test_without_stick_the_difference_falls_like_one_over_stiffness() -> None:
    """The block swings, but never reaches the speed of the belt: bristles lag by 1/σ₀, over three decades."""
    stiffness, differences = (1e2, 1e3, 1e4, 1e5), []
    for sigma_0 in stiffness:
        ends = []
        for bristles in (True, False):
            model = lugre_block(sigma_0, 0.0, speed=0.6) if bristles else stribeck_block(speed=0.6)
            start = {"x.block": 0.55, "v.block": 0.1}
            if bristles:
                start["bristle.contact"] = -model.dynamic["contact"].friction.steady(0.5)
            run = ss.simulate(model, t=5, start=start, samples=[5.0], dense=False)
            assert np.all(run.mode.values == -1)
            ends.append(float(run["x.block"][0]))
        differences.append(abs(ends[0] - ends[1]))
    slopes = -np.diff(np.log10(differences))
    assert np.all(np.abs(slopes - 1) < 0.006) and abs(slopes[-1] - 1) < 2e-4


def test_where_steady_sliding_on_bristles_becomes_stable() -> None:
    """Stiff bristles slide as dry friction does: the Hopf point lies where g′(V) + σ₂ = 0, up to 1/σ₀²."""
    from scipy.optimize import brentq

    dry = brentq(lambda V: -(V / 0.09) * math.exp(-((V / 0.3) ** 2)) + 0.1, 0.3, 1.0)
    errors = []
    for sigma_0 in (1e3, 1e4):
        (steady,) = ss.find_equilibria(lugre_block(sigma_0, 0.0, speed=0.5, sigma_2=0.1))
        (hopf,) = ss.follow(steady, "belt.speed", to=0.9).special
        assert hopf.kind == "Hopf"
        errors.append(abs(hopf.value - dry))
    assert errors[0] < 1e-7 and errors[0] / errors[1] == pytest.approx(100, rel=0.01)


# -- rock ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("evolution", ["aging", "slip"])
def test_velocity_step(evolution: str) -> None:
    """The sliding velocity jumps tenfold: μ jumps by a ln 10, and falls by b ln 10 over the distance D_c."""
    a, b, D_c = 0.01, 0.015, 2.0
    law = ss.DieterichRuina(0.6, a, b, D_c, v_star=1.0, evolution=evolution)
    held = ss.Mass("held", m=1e12)  # hardly moved by friction of order one
    belt = ss.Belt("belt", speed=ss.Formula("where(t < 1, -1, -10)", ("t",), {}, "speed"))
    model = ss.System(ss.DynamicContact(held, belt, law=law, name="fault"))
    times = np.array([0.5, 0.999999, *np.linspace(1.001, 4.0, 40)])
    run = ss.simulate(model, t=4, samples=times)
    theta = run["state.fault"].values
    assert np.allclose(theta[:2], D_c, rtol=1e-10)
    gone = 10 * (times[2:] - 1)
    if evolution == "aging":
        expected = D_c / 10 + (D_c - D_c / 10) * np.exp(-gone / D_c)
    else:
        expected = D_c / 10 * np.exp(math.log(10) * np.exp(-gone / D_c))
    assert np.allclose(theta[2:], expected, rtol=1e-9)
    mu = [law.coefficient_value(10.0, z) for z in (D_c, theta[-1])]
    assert mu[0] - 0.6 == pytest.approx(a * math.log(10), rel=1e-12)
    assert mu[1] - mu[0] == pytest.approx(-b * math.log(10), rel=1e-5)


@pytest.mark.parametrize("evolution", ["aging", pytest.param("slip", marks=pytest.mark.nightly)])
def test_critical_stiffness(evolution: str) -> None:
    """Steady sliding loses its stability at k = N(b − a)/D_c · (1 + m V²/(a N D_c)) (Rice and Ruina 1983)."""
    for m in (1e-4, 1e-6):
        (steady,) = ss.find_equilibria(spring_slider(0.0055, evolution, m))
        assert steady.stable and steady.state["x.slider"] == pytest.approx(0.6 / 0.0055, rel=1e-12)
        (hopf,) = ss.follow(steady, "spring.k", to=0.0045).special
        assert hopf.kind == "Hopf"
        assert hopf.value == pytest.approx(0.005 * (1 + m / 0.01), rel=1e-9)


def test_cycle_of_the_spring_slider() -> None:
    model = spring_slider(0.0049, "slip")
    run = ss.simulate(model, t=300, start={"x.slider": 1.02 * 0.6 / 0.0049})
    orbit = ss.find_orbit(model, guess=run)
    assert orbit.stable and abs(orbit.multipliers[0] - 1) < 1e-8
    assert 0.5 < abs(orbit.multipliers[1]) < 1
    assert np.allclose(monodromy_by_differences(orbit)[:2], orbit.multipliers[:2], atol=1e-4)


def test_a_reversal_too_sharp_for_numbers_is_told() -> None:
    """With μ*/a = 60 friction turns round within 1e-26 v*: the run stops there, with a sentence; with 10 it passes."""
    block = ss.Mass("block", m=1.0, x=1.0)
    ends = {}
    for a in (0.01, 0.06):
        law = ss.DieterichRuina(0.6, a, 0.0, D_c=0.1, v_star=0.1)
        run = ss.simulate(
            ss.System(ss.Spring(block, ss.ground, k=1.0), ss.DynamicContact(block, ss.ground, law=law)), t=8
        )
        ends[a] = run.attrs["status"]
    assert ends[0.06].startswith("The run reached the end")
    assert "steps shrank to nothing" in ends[0.01]


# -- the verbs -------------------------------------------------------------------------------------------------------


def test_belt_speed_at_which_stick_slip_ends() -> None:
    """On bristles the cycle ends in a fold, where that of dry friction ends by grazing: near the same speed."""
    law = ss.Stribeck(1.0, 0.5, 0.3, shape=2).with_viscous(0.4)
    block, belt = ss.Mass("block", m=1.0, x=1.1), ss.Belt("belt", speed=0.5)
    dry = ss.System(ss.Spring(block, ss.ground, k=1.0), ss.Contact(block, belt, law=law))
    ends = []
    for model in (dry, lugre_block(100.0, 1.0, speed=0.5, sigma_2=0.4)):
        orbit = ss.find_orbit(model, guess=ss.simulate(model, t=100))
        special = ss.follow(orbit, "belt.speed", to=0.7).special
        ends.append(next(point for point in special if point.kind in ("fold", "grazing-sliding")))
    assert [point.kind for point in ends] == ["grazing-sliding", "fold"]
    assert ends[0].value == pytest.approx(0.6088453, abs=1e-6)
    assert ends[1].value == pytest.approx(ends[0].value, rel=0.01)


def test_exponents_are_those_of_the_multipliers() -> None:
    model = lugre_block(100.0, 1.0)
    orbit = ss.find_orbit(model, guess=ss.simulate(model, t=60))
    exponents = ss.lyapunov(model, t=400, transient=60).exponents
    assert abs(exponents[0]) < 1e-2
    assert exponents[1] == pytest.approx(math.log(abs(orbit.multipliers[1])) / orbit.period, abs=1e-2)


def test_sweep_of_bristles_needs_something_to_observe() -> None:
    model, speeds = lugre_block(100.0, 1.0), np.array([0.2, 0.4])
    with pytest.raises(ss.errors.SweepError, match="no contact that could stick: observe something else"):
        ss.sweep(model, {"belt.speed": speeds})
    maxima = ss.sweep(model, {"belt.speed": speeds}, observe=ss.observe.Maxima("x.block"), times=(60, 40))
    for i, speed in enumerate(speeds):
        run = ss.simulate(model.with_({"belt.speed": float(speed)}), t=100)
        highest = float(run["x.block"].values[run.time.values > 60].max())
        assert float(maxima["x.block"][i].max()) == pytest.approx(highest, abs=1e-3)
        assert int(maxima["m"][i]) == 1


def test_bristles_beside_dry_friction() -> None:
    """One block sticks and slips, two others rub by bristles with one law object: modes and states mix."""
    first, second, third = (ss.Mass(f"block{i}", m=1.0, x=0.3 * i) for i in (1, 2, 3))
    belt = ss.Belt("belt", speed=0.2)
    bristles = ss.LuGre(1.0, 0.5, 0.3, sigma_0=50.0, sigma_1=1.0)
    model = ss.System(
        ss.Spring(first, ss.ground, k=1.0, name="a"),
        ss.Spring(first, second, k=0.5, name="b"),
        ss.Spring(second, third, k=0.5, name="c"),
        ss.Spring(third, ss.ground, k=1.0, name="d"),
        ss.Contact(first, belt, law=ss.Stribeck(1.0, 0.6, 0.2).with_aging(0.1, 2.0), name="dry"),
        ss.DynamicContact(second, belt, law=bristles, name="left"),
        ss.DynamicContact(third, belt, law=bristles, name="right"),
    )
    assert model.internal_states == ("stick_time.dry", "bristle.left", "bristle.right")
    assert model.with_({"right.sigma_0": 60.0}).parameters["left.sigma_0"] == 60.0
    run = ss.simulate(model, t=60)
    assert run.sizes["event"] > 5 and abs(float(ss.energy_balance(model, run).residual)) < 1e-12
    careful = ss.simulate(model, t=60, method=ss.Exact(rtol=1e-14))
    np.testing.assert_allclose(run.event_time, careful.event_time, atol=1e-8)
    assert run.attrs["model"].count("lugre") == 1  # a shared law stands in the file once
    assert files.loads(run.attrs["model"]).parameters == model.parameters


def test_bristles_at_rest_have_no_isolated_equilibrium() -> None:
    block = ss.Mass("block", m=1.0, x=3.0)
    contact = ss.DynamicContact(block, ss.ground, law=ss.Dahl(0.5, 1e3))
    with pytest.raises(ss.errors.OrbitError, match="contact is at rest, where its law allows any deflection"):
        ss.find_equilibria(ss.System(ss.Spring(block, ss.ground, k=1.0), contact))
