"""Equilibria: points in slip, intervals in stick, their stability, first Lyapunov coefficients."""

from math import exp

import numpy as np
import pytest

import stickslip as ss
from stickslip.orbits.balance import Balance
from stickslip.orbits.normal_form import hopf

GROUND = ss.ground


def two_masses(**more):
    """Two coupled masses on rough ground: |2x_a − x_b| ≤ 1, |2x_b − x_a| ≤ 2."""
    a, b = ss.Mass("a", m=1.0), ss.Mass("b", m=2.0)
    return ss.System(
        ss.Spring(a, GROUND, k=1.0, name="spring_a"),
        ss.Spring(b, GROUND, k=1.0, name="spring_b"),
        ss.Spring(a, b, k=1.0, name="coupling"),
        ss.Contact(a, GROUND, law=ss.Coulomb(mu_s=1.0), normal=1.0, name="contact_a"),
        ss.Contact(b, GROUND, law=ss.Coulomb(mu_s=1.0), normal=2.0, name="contact_b"),
    ).with_(more)


def on_ground(force, normal, **law):
    mass = ss.Mass("mass", m=1.0)
    return ss.System(
        ss.Force(mass, force), ss.Contact(mass, GROUND, law=ss.Coulomb(**(law or {"mu_s": 1.0})), normal=normal)
    )


def normal_form(s=-1.0, omega=2.0, mu=0.0):
    """ż = (μ + iω) z + s z|z|²; its contact is far away and does nothing."""
    return ss.Filippov(
        ("x", "y"),
        f=lambda x, y, mu=0.0, omega=2.0, s=-1.0: (
            mu * x - omega * y + s * x * (x * x + y * y),
            omega * x + mu * y + s * y * (x * x + y * y),
        ),
        G=lambda: (0.0, 0.0),
        h=lambda x: x + 100.0,
    ).with_({"s": s, "omega": omega, "mu": mu})


# -- slip ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("speed", [0.05, 0.2, 1 / 3, 1.0])
def test_block_on_belt_slips_at_one_point(speed):
    (rest,) = ss.find_equilibria(ss.models.block_on_belt(v_dr=speed))
    slope = 3 / (1 + 3 * speed) ** 2  # how friction rises with the velocity of the block
    expected = np.roots([1, -slope, 1])
    assert rest.kind == "slip" and rest.mode == {"contact": -1} and rest.interval is None
    assert rest.state["x.block"] == pytest.approx(1 / (1 + 3 * speed), abs=1e-15)
    assert rest.state["v.block"] == 0
    assert np.sort_complex(rest.eigenvalues) == pytest.approx(np.sort_complex(expected), abs=1e-13)
    assert rest.stable is False


def test_smoothed_block_rests_where_the_paper_says():
    """vandevrande1999 Sec. 2.1: X = (2/π) arctan(εV)/(1 + γV)."""
    (rest,) = ss.find_equilibria(ss.models.block_on_belt(v_dr=0.01).smoothed(1e3))
    assert rest.state["x.block"] == pytest.approx(2 / np.pi * np.arctan(10) / 1.03, abs=1e-15)
    assert rest.mode == {} and rest.kind == "slip" and rest.stable is True


@pytest.mark.parametrize("name", ["two_blocks", "drill_string", "bowed_string", "block_and_pendulum", "chain"])
def test_the_motion_stays_at_an_equilibrium(name):
    model = getattr(ss.models, name)()
    (rest,) = ss.find_equilibria(model)
    # Most are unstable, and leave in the end what round-off makes of them: a few growth times are short enough.
    growth = max(float(np.max(rest.eigenvalues.real)), 1e-3)
    run = ss.simulate(model, t=min(0.1, 3 / growth), start=rest.state)
    for state, value in rest.state.items():
        size = max(map(abs, rest.state.values())) or 1.0
        assert np.max(np.abs(run[state].values - value)) < 1e-9 * size


def test_eigenvalues_are_those_of_the_compiled_jacobian():
    model = ss.models.block_and_pendulum()
    (rest,) = ss.find_equilibria(model)
    A, _ = ss.Field.of(model, order=20).jacobian(list(rest.state.values()), mode=list(rest.mode.values()))
    assert np.sort_complex(rest.eigenvalues) == pytest.approx(np.sort_complex(np.linalg.eigvals(A)), abs=1e-12)
    assert list(rest.eigenvalues.real) == sorted(rest.eigenvalues.real, reverse=True)


def test_several_equilibria_of_a_nonlinear_spring():
    mass, belt = ss.Mass("mass", m=1.0), ss.Belt("belt", speed=1.0)
    model = ss.System(
        ss.Spring(mass, GROUND, force=lambda e: e**3 - e), ss.Contact(mass, belt, law=ss.Coulomb(mu_s=1.0), normal=0.1)
    )
    found = sorted(rest.state["x.mass"] for rest in ss.find_equilibria(model))
    assert found == pytest.approx(np.sort(np.roots([1, 0, -1, -0.1]).real), abs=1e-12)
    nearest = ss.find_equilibria(model, guess={"x.mass": 1.2})[0]
    assert nearest.state["x.mass"] == pytest.approx(found[-1])
    assert ss.find_equilibria(model, guess=nearest)[0].state == nearest.state


# -- stick -----------------------------------------------------------------------------------------------------------


def test_coulomb_oscillator_rests_in_an_interval():
    (rest,) = ss.find_equilibria(ss.models.coulomb_oscillator())
    assert rest.interval == {"x.block": (-1.0, 1.0), "v.block": (0.0, 0.0)}
    assert rest.state == {"x.block": 0.0, "v.block": 0.0}
    assert rest.kind == "stick" and rest.box is True and rest.stable is True
    (stiff,) = ss.find_equilibria(ss.models.coulomb_oscillator(k=4.0, friction=3.0))
    assert stiff.interval["x.block"] == pytest.approx((-0.75, 0.75), abs=1e-14)


def test_two_sticking_masses_rest_in_a_polytope():
    (rest,) = ss.find_equilibria(two_masses())
    assert rest.interval["x.a"] == pytest.approx((-4 / 3, 4 / 3), abs=1e-13)
    assert rest.interval["x.b"] == pytest.approx((-5 / 3, 5 / 3), abs=1e-13)
    assert rest.box is False and rest.stable is True
    assert "smaller than the box" in rest.summary()


def test_two_masses_that_are_not_coupled_rest_in_a_box():
    (rest,) = ss.find_equilibria(two_masses(**{"coupling.k": 0.0}))
    assert rest.interval["x.a"] == pytest.approx((-1, 1)) and rest.interval["x.b"] == pytest.approx((-2, 2))
    assert rest.box is True


def test_runs_end_inside_the_set():
    model = two_masses()
    (rest,) = ss.find_equilibria(model)
    run = ss.simulate(model, t=60, start={"x.a": 3.0, "x.b": -4.0})
    for name, (low, high) in rest.interval.items():
        assert low - 1e-9 <= float(run[name][-1]) <= high + 1e-9


def test_one_mass_sticks_while_the_other_slips():
    a, b, belt = ss.Mass("a", m=1.0), ss.Mass("b", m=2.0), ss.Belt("belt", speed=0.5)
    model = ss.System(
        ss.Spring(a, GROUND, k=1.0, name="spring_a"),
        ss.Spring(b, GROUND, k=1.0, name="spring_b"),
        ss.Spring(a, b, k=1.0, name="coupling"),
        ss.Damper(b, GROUND, c=0.5),
        ss.Contact(a, GROUND, law=ss.Coulomb(mu_s=1.0), normal=1.0, name="held"),
        ss.Contact(b, belt, law=ss.Hyperbolic(mu_s=1.0, delta=1.0), normal=0.3, name="rubbed"),
    )
    (rest,) = ss.find_equilibria(model)
    # 2 x_b − x_a = 0.2 and |2 x_a − x_b| ≤ 1
    assert rest.mode == {"held": 0, "rubbed": -1}
    assert rest.interval["x.a"] == pytest.approx((-0.6, 2.2 / 3), abs=1e-13)
    assert rest.interval["x.b"] == pytest.approx((-0.2, 1.4 / 3), abs=1e-13)
    assert rest.stable is True and rest.box is False
    (undamped,) = ss.find_equilibria(model.with_({"damper.c": 0.0}))
    assert undamped.stable is False


def test_a_nonlinear_force_has_several_intervals():
    """x³ − x between ±0.2: three intervals, and none where the force exceeds friction."""
    found = ss.find_equilibria(on_ground(lambda x: x - x**3, 0.2))
    ends = sorted(end for rest in found for end in rest.interval["x.mass"])
    roots = np.concatenate([np.roots([1, 0, -1, -0.2]).real, np.roots([1, 0, -1, 0.2]).real])
    assert ends == pytest.approx(np.sort(roots), abs=1e-11)
    assert all(rest.box and rest.stable for rest in found)
    assert ss.find_equilibria(on_ground(lambda F=2.0: F, 1.0)) == []


def test_a_nonlinear_set_of_two_dimensions():
    a, b = ss.Mass("a", m=1.0), ss.Mass("b", m=2.0)
    model = ss.System(
        ss.Spring(a, GROUND, force=lambda e: e + e**3, name="spring_a"),
        ss.Spring(b, GROUND, k=1.0, name="spring_b"),
        ss.Spring(a, b, k=1.0, name="coupling"),
        ss.Contact(a, GROUND, law=ss.Coulomb(mu_s=1.0), normal=1.0, name="contact_a"),
        ss.Contact(b, GROUND, law=ss.Coulomb(mu_s=1.0), normal=2.0, name="contact_b"),
    )
    (rest,) = ss.find_equilibria(model)
    farthest = max(np.roots([1, 0, 1.5, -2]).real)
    assert rest.interval["x.a"] == pytest.approx((-farthest, farthest), abs=1e-7)
    assert rest.box is None


def test_a_mass_without_spring_rests_anywhere():
    mass = ss.Mass("mass", m=1.0)
    (rest,) = ss.find_equilibria(ss.System(ss.Contact(mass, GROUND, law=ss.Coulomb(mu_s=1.0), normal=1.0)))
    assert rest.interval["x.mass"] == (-np.inf, np.inf)


def test_where_friction_falls_at_once_stability_is_decided_by_the_point():
    """Held by static friction alone, a mass that is nudged goes; held by less than kinetic friction it stays."""
    (rest,) = ss.find_equilibria(on_ground(lambda x: -x, 1.0, mu_s=2.0, mu_k=1.0))
    assert rest.interval["x.mass"] == pytest.approx((-2, 2)) and rest.stable is True
    (loaded,) = ss.find_equilibria(on_ground(lambda F=1.5: F, 1.0, mu_s=2.0, mu_k=1.0))
    assert loaded.stable is None and "not decided" in repr(loaded)


def test_sliding_modes_of_a_relay_are_equilibria_at_points():
    def relay(side):
        return ss.Filippov(
            ("x", "y"), f=lambda x, y, c=0.3: (c - x, c), G=lambda side=side: (0.0, side), h=lambda y: y
        )  # fmt: skip

    (rest,) = ss.find_equilibria(relay(1.0))
    assert rest.kind == "stick" and rest.interval is None and rest.stable is True
    assert rest.state == {"x": 0.3, "y": 0.0} and rest.force["contact"] == pytest.approx(-0.3)
    assert rest.eigenvalues == pytest.approx([-1])
    (repelling,) = ss.find_equilibria(relay(-1.0))
    assert repelling.stable is False


# -- drift: integral action ------------------------------------------------------------------------------------------


def stage(law="jump", m=1.0, kp=4.0, ki=2.0, kd=2.5, mu_s=1.5, mu_k=1.0, v_s=0.1):
    """A stage held in place by a PID controller, with friction: w is the integral of its position."""
    laws = {
        "jump": {"kinetic": lambda mu_k=mu_k: mu_k, "static": lambda mu_s=mu_s: mu_s},
        "constant": {"kinetic": lambda mu_k=mu_k: mu_k},
        "falling": {"kinetic": lambda v, mu_s=mu_s, mu_k=mu_k, v_s=v_s: mu_k + (mu_s - mu_k) * exp(-v / v_s)},
    }
    return ss.Filippov(
        ("x", "v", "w"),
        f=lambda x, v, w, kp=kp, ki=ki, kd=kd, m=m: (v, -(kp * x + kd * v + ki * w) / m, x),
        G=lambda m=m: (0.0, 1 / m, 0.0),
        h=lambda v: v,
        **laws[law],
    )


def test_a_hunting_stage_is_unstable_and_nothing_is_printed(capfd):
    """At rest with an error the integral grows until the stage breaks loose, and jumps as far as ever."""
    (rest,) = ss.find_equilibria(stage())
    assert rest.stable is False and "unstable" in repr(rest)
    assert rest.interval == {"x": (0.0, 0.0), "v": (0.0, 0.0), "w": pytest.approx((-0.75, 0.75), abs=1e-12)}
    assert list(rest.eigenvalues) == [0, 0]
    assert ss.find_equilibria(stage("falling"))[0].stable is False
    assert capfd.readouterr() == ("", "")
    for distance in (1e-2, 1e-3, 1e-4):
        run = ss.simulate(stage(), 3 / distance + 200, start={"x": distance}, samples=4000)
        assert np.max(np.abs(run["x"].values[-200:])) == pytest.approx(0.07175089, abs=1e-5)


def returns(model, distance, t):
    """|x| at the breakaways of a stage that begins at that distance from the place where it should rest, over it."""
    start = {"x": distance * model.parameters["mu_k"] / model.parameters["kp"]}
    run = ss.simulate(model, t, start=start, samples=2, dense=False, method=ss.Exact(most_steps=100_000))
    released = run["event_before"].values == 0
    return np.abs(run["event_state"].values[released, 0]) / start["x"]


@pytest.mark.parametrize("seed", range(2))
def test_random_stages_against_simulation(seed):
    """Near the set the distance changes by the same factor from breakaway to breakaway: above 1 or below."""
    numbers = np.random.default_rng(seed)
    seen = set()
    for _ in range(10):
        kd, ki = 10 ** numbers.uniform(-1.5, 1), 10 ** numbers.uniform(-1.5, 0.5)
        law = str(numbers.choice(["constant", "falling"]))
        model = stage(law, 1.0, 1.0, ki, kd, numbers.uniform(1.01, 2), 1.0, 10 ** numbers.uniform(-1, 1))
        (rest,) = (rest for rest in ss.find_equilibria(model) if rest.kind == "stick")
        x = returns(model, 1e-3, 12e3 / ki)
        seen.add(rest.stable)
        if len(x) > 2:
            assert rest.stable is bool(x[2] < x[1])
        else:  # it comes to rest, sooner or later
            assert rest.stable is True
    assert seen == {True, False}


def test_units_do_not_decide():
    numbers = np.random.default_rng(4)
    for law in ("jump", "constant", "falling", "falling"):
        kd, ki, v_s = 10 ** numbers.uniform(-1.5, 1), 10 ** numbers.uniform(-1.5, 0.5), 10 ** numbers.uniform(-1, 1)
        (plain,) = ss.find_equilibria(stage(law, 1.0, 1.0, ki, kd, 1.5, 1.0, v_s))
        length, time, force = 10 ** numbers.uniform(-6, 6, 3)
        k = force / length
        (other,) = ss.find_equilibria(
            stage(law, k * time**2, k, ki * k / time, kd * k * time, 1.5 * force, force, v_s * length / time)
        )
        assert plain.stable is other.stable is not None
        assert other.interval["w"] == pytest.approx(np.array(plain.interval["w"]) * length * time, rel=1e-9)


def test_without_growth_or_decay_only_a_linear_motion_is_decided():
    mass, belt = ss.Mass("mass", m=1.0), ss.Belt("belt", speed=1.0)
    contact = ss.Contact(mass, belt, law=ss.Coulomb(mu_s=1.0), normal=0.1)
    (swinging,) = ss.find_equilibria(ss.System(ss.Spring(mass, GROUND, k=2.0), contact))
    assert swinging.stable is True and np.all(swinging.eigenvalues.real == 0)
    (bent,) = ss.find_equilibria(ss.System(ss.Spring(mass, GROUND, force=lambda e: e + e**3), contact))
    assert bent.stable is None


def test_an_excitation_of_amplitude_zero_leaves_equilibria():
    (rest,) = ss.find_equilibria(ss.models.excited_oscillator(beta=0.0))
    assert rest.kind == "slip" and rest.state["v.block"] == 0
    with pytest.raises(ss.errors.OrbitError, match="time appears in the equations"):
        ss.find_equilibria(ss.models.excited_oscillator(beta=0.1))
    branch = ss.follow(rest, "force.beta", to=0.1)
    assert len(branch) == 1 and "an excitation begins there, with which nothing is at rest" in branch.reason


# -- Hopf ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("s", [-1.0, 1.0, -0.25])
@pytest.mark.parametrize("omega", [0.5, 2.0])
def test_lyapunov_coefficient_of_the_normal_form(s, omega):
    """With a unit eigenvector z = √2 w, so that ẇ = iωw + 2s w|w|² and l₁ = 2s/ω."""
    balance = Balance.of(normal_form(s, omega))
    found = hopf(balance, np.zeros(2), balance.parameters, omega)
    assert found.l1 == pytest.approx(2 * s / omega, rel=1e-13)
    assert found.criticality == ("supercritical" if s < 0 else "subcritical")


def test_lyapunov_coefficient_of_the_van_der_pol_oscillator():
    """ẍ = (μ − x²)ẋ − 4x: the amplitude obeys ȧ = μa/2 − a³/8, and a = 2|w|/√5, so l₁ = −1/20."""
    mass = ss.Mass("mass", m=1.0)
    model = ss.System(ss.Spring(mass, GROUND, k=4.0), ss.Force(mass, lambda x, v, mu=0.0: (mu - x * x) * v))
    balance = Balance.of(model)
    assert hopf(balance, np.zeros(2), balance.parameters, 2.0).l1 == pytest.approx(-0.05, rel=1e-13)


def test_quadratic_terms_count_in_the_lyapunov_coefficient():
    """Bautin's example in Kuznetsov's form: ẋ = −y + a x² + b x y, ẏ = x, against the classical formula
    16 l = (1/ω)(f_xy (f_xx + f_yy) − …) of Guckenheimer and Holmes, (3.4.11)."""
    a, b = 0.7, -1.3
    model = ss.Filippov(
        ("x", "y"), f=lambda x, y, a=a, b=b: (-y + a * x * x + b * x * y, x), G=lambda: (0.0, 0.0), h=lambda x: x + 9
    )  # fmt: skip
    balance = Balance.of(model)
    classical = b * 2 * a / 16  # ȧ = classical · amplitude³
    # a = 2|w|/√2 with a unit eigenvector
    assert hopf(balance, np.zeros(2), balance.parameters, 1.0).l1 == pytest.approx(2 * classical, rel=1e-12)


def test_lyapunov_coefficient_within_a_sliding_mode():
    """On w = 0 the relay takes away what f has beside the normal form: the coefficient is that of the normal form."""
    model = ss.Filippov(
        ("x", "y", "w"),
        f=lambda x, y: (
            -2 * y - x * (x * x + y * y) + (0.3 * x + x * y + x**3),
            2 * x - y * (x * x + y * y),
            0.3 * x + x * y + x**3,
        ),
        G=lambda: (1.0, 0.0, 1.0),
        h=lambda w: w,
    )
    balance = Balance.of(model, [0])
    assert hopf(balance, np.zeros(4), balance.parameters, 2.0).l1 == pytest.approx(-1, rel=1e-12)


def test_derivatives_are_those_of_finite_differences():
    model = ss.models.two_blocks().smoothed(20.0)
    balance = Balance.of(model)
    y, p = np.array([0.3, -0.2, 0.05, 0.02]), balance.parameters
    forms = balance.forms(y, p)
    x, w = np.array([1.0, -2.0, 0.5, 0.7]), np.array([0.2, 0.4, -0.3, 1.0])
    h = 1e-5
    A = [balance.slopes(y + side * h * w, p)[0] for side in (1, -1)]
    assert forms.second(x, w) == pytest.approx((A[0] - A[1]) @ x / (2 * h), rel=1e-6, abs=1e-6)
    assert forms.along(x) @ w == pytest.approx(forms.second(x, w), rel=1e-12)
    B = [balance.forms(y + side * h * w, p).second(x, w) for side in (1, -1)]
    assert forms.third(x, w, w) == pytest.approx((B[0] - B[1]) / (2 * h), rel=1e-5, abs=1e-4)
    dp = np.linspace(0.1, 0.5, len(p))
    A = [balance.slopes(y, p + side * h * dp)[0] for side in (1, -1)]
    assert forms.by_parameters(x, len(p)) @ dp == pytest.approx((A[0] - A[1]) @ x / (2 * h), rel=1e-5, abs=1e-6)


# -- words -----------------------------------------------------------------------------------------------------------


def test_what_is_shown():
    (rest,) = ss.find_equilibria(ss.models.block_on_belt())
    assert repr(rest) == "<Equilibrium of block_on_belt: x.block = 0.625, v.block = 0, slip, unstable>"
    assert rest.summary().splitlines()[:2] == ["kind         slip", "stability    unstable"]
    assert rest.multipliers is rest.eigenvalues and np.isnan(rest.period)
    (interval,) = ss.find_equilibria(ss.models.coulomb_oscillator())
    assert "x.block      from -1 to 1" in interval.summary()
    assert repr(interval) == "<Equilibrium of coulomb_oscillator: x.block in [-1, 1], stick, stable>"
    assert repr(ss.find_equilibria(ss.models.chain(3))[0]).count("=") == 4


def test_wrong_input_is_answered_by_a_sentence():
    block = ss.models.block_on_belt()
    with pytest.raises(ss.errors.OrbitError, match="time appears in the equations"):
        ss.find_equilibria(ss.models.forced_oscillator())
    with pytest.raises(ss.errors.ModelError, match="3 is not a model"):
        ss.find_equilibria(3)
    with pytest.raises(ss.errors.OrbitError, match="the guess is 'here': give states by name"):
        ss.find_equilibria(block, guess="here")
    with pytest.raises(ss.errors.OrbitError, match="this model has 2 states"):
        ss.find_equilibria(block, guess=[1.0])
    with pytest.raises(ss.errors.OrbitError, match=r"there is no state 'x\.brick'"):
        ss.find_equilibria(block, guess={"x.brick": 1.0})
    with pytest.raises(ss.errors.OrbitError, match="a model with other states"):
        ss.find_equilibria(block, guess=ss.find_equilibria(ss.models.drill_string())[0])
