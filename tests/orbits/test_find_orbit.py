"""Periodic orbits of the library models: exact values, multipliers, what is refused."""

import time
from functools import cache
from math import sin

import numpy as np
import pytest

import stickslip as ss
from stickslip.orbits.exact import problem_of
from stickslip.orbits.motion import Motion

M = ss.models
ORBITS = {
    "block_on_belt": lambda: (M.block_on_belt(), None),
    "two_blocks, out of phase": lambda: (M.two_blocks(), None),
    "two_blocks, in phase": lambda: (M.two_blocks(), [1.09, 1.19, 0.14, 0.14]),
    "drill_string": lambda: (M.drill_string(), None),
    "bowed_string": lambda: (M.bowed_string(), None),
    "forced II": lambda: (M.forced_oscillator("II", eta=0.9), None),
    "forced III, 1:1": lambda: (M.forced_oscillator(eta=0.9), None),
    "forced III, 1:2": lambda: (M.forced_oscillator(eta=1.5), None),
    "excited_oscillator": lambda: (M.excited_oscillator(v0=0.5, eta=1.0), None),
    "block_and_pendulum": lambda: (M.block_and_pendulum(), None),
    "block_and_pendulum, Stribeck": lambda: (M.block_and_pendulum("stribeck"), None),
    "chain": lambda: (M.chain(3), None),
}

LONG = "block_and_pendulum, Stribeck"
NAMES = [name if name != LONG else pytest.param(name, marks=pytest.mark.nightly) for name in ORBITS]


@cache
def orbit_named(name: str) -> ss.Orbit:
    model, guess = ORBITS[name]()
    return ss.find_orbit(model, guess)


def middle_of_slip(orbit: ss.Orbit) -> tuple[np.ndarray, float]:
    """A point of the orbit at which as few contacts stick as possible, in the middle of a phase."""
    phases = orbit.phases
    stuck = [sum(m == 0 for m in mode) for mode in orbit.signature.modes]
    j = min(range(len(stuck)), key=lambda i: (stuck[i], -phases.durations[i]))
    begin = orbit.start_time + float(np.sum(phases.durations[:j]))
    half = 0.5 * float(phases.durations[j])
    motion = Motion(orbit.model)
    return motion.phase(orbit.signature.modes[j], phases.states[j], begin, half).state, begin + half


def difference_multipliers(orbit: ss.Orbit) -> np.ndarray:
    """Eigenvalues of the return map's derivative by central differences, extrapolated once."""
    motion = Motion(orbit.model)
    z, t = middle_of_slip(orbit)
    scale = orbit.phases.scale
    columns = []
    for j in range(len(z)):
        unit = np.zeros(len(z))
        unit[j] = scale[j]
        slopes = []
        for h in (4e-5, 2e-5):
            ends = [motion.run(z + s * h * unit, t, orbit.period).state for s in (1, -1)]
            slopes.append((ends[0] - ends[1]) / (2 * h) / scale)
        columns.append((4 * slopes[1] - slopes[0]) / 3)
    values = np.linalg.eigvals(np.array(columns).T)
    return values[np.argsort(-np.abs(values))]


@pytest.mark.parametrize("name", NAMES)
def test_multipliers_against_differences_of_the_return_map(name: str) -> None:
    orbit = orbit_named(name)
    exact, rough = orbit.multipliers, difference_multipliers(orbit)
    for value in exact:
        if value == 0:
            continue
        assert np.min(np.abs(rough - value)) <= 1e-6 * max(abs(value), 1e-2)
    # The others are lost to stick: exactly zero here, round-off there.
    zeros = int(np.sum(exact == 0))
    if zeros:
        assert np.all(np.abs(rough[len(rough) - zeros :]) < 1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_an_orbit_closes_and_is_what_a_simulation_does(name: str) -> None:
    orbit = orbit_named(name)
    run = ss.simulate(orbit.model, orbit.start_time + orbit.period, start_time=orbit.start_time, start=orbit.start)
    scale = dict(zip(orbit.model.states, orbit.phases.scale, strict=True))
    for state in orbit.model.states:
        assert abs(float(run[state][-1]) - orbit.start[state]) <= 1e-8 * scale[state]
    assert orbit.stable
    problem, u = problem_of(orbit)
    assert np.max(np.abs(problem.residual(u)[0])) < 1e-11


def test_block_on_belt() -> None:
    orbit = orbit_named("block_on_belt")
    assert orbit.period == pytest.approx(12.00103129483, abs=1e-9)
    assert orbit.multipliers[0] == pytest.approx(1.0, abs=1e-10)
    assert orbit.multipliers[1] == 0  # not nearly: exactly
    assert str(orbit.signature) == "slip- → stick"
    assert orbit.start["x.block"] == pytest.approx(1.0, abs=1e-12)  # stick ends where the spring pulls with F_s
    assert orbit.signature.stick_phases() == {"contact": 1}


def test_two_blocks_has_two_orbits() -> None:
    """Values of an independent computation."""
    in_phase, out = orbit_named("two_blocks, in phase"), orbit_named("two_blocks, out of phase")
    assert in_phase.period == pytest.approx(16.144400423, abs=1e-8)
    assert out.period == pytest.approx(26.192036320, abs=1e-8)
    assert in_phase.nontrivial[0].real == pytest.approx(-0.8963781506, abs=1e-8)
    assert out.nontrivial[0].real == pytest.approx(-0.6585037029, abs=1e-8)
    assert np.all(in_phase.multipliers[2:] == 0) and np.all(out.multipliers[2:] == 0)


def test_find_orbits_finds_both() -> None:
    found = ss.find_orbits(M.two_blocks(), starts=9, seed=1)
    assert sorted(round(orbit.period, 6) for orbit in found) == [16.1444, 26.192036]


def test_drill_string_and_violin() -> None:
    assert orbit_named("drill_string").period == pytest.approx(6.53058288421, abs=1e-9)
    violin = orbit_named("bowed_string")
    assert 1 / violin.period == pytest.approx(134.4966, abs=1e-4)
    pair = violin.nontrivial[:2]
    assert np.abs(pair) == pytest.approx(0.336195, abs=1e-6) and pair[0].imag != 0
    assert (1,) in violin.signature.modes  # one micro-slip is forwards


def test_excited_orbits_count_the_periods_of_the_excitation() -> None:
    assert orbit_named("forced III, 1:1").turns == 1
    orbit = orbit_named("forced III, 1:2")
    assert orbit.turns == 2 and orbit.period == pytest.approx(4 * np.pi / 1.5, abs=1e-12)
    assert orbit.start["x.block"] == pytest.approx(4.3896839145, abs=1e-9)
    assert orbit_named("forced II").start["x.block"] == pytest.approx(3.7275233436, abs=1e-9)


def test_an_unstable_orbit_from_a_rough_guess() -> None:
    """Beyond its flip the in-phase orbit cannot be simulated to, but it can be found."""
    model = M.two_blocks(v_dr=0.16)
    orbit = ss.find_orbit(model, orbit_named("two_blocks, in phase"))
    assert not orbit.stable and orbit.nontrivial[0].real < -1
    again = ss.find_orbit(model, (orbit.start, orbit.period * 1.001))
    assert again.period == pytest.approx(orbit.period, rel=1e-10)


def test_guesses_of_every_kind_lead_to_the_same_orbit() -> None:
    model, known = M.block_on_belt(), orbit_named("block_on_belt").period
    run = ss.simulate(model, t=40)
    for guess in (None, run, ([1.1, 0], 12), ({"x.block": 1.1}, 12), [1.1, 0.0], {"x.block": 0.3}):
        assert ss.find_orbit(model, guess).period == pytest.approx(known, abs=1e-10)


def test_the_period_is_the_shortest() -> None:
    orbit = ss.find_orbit(M.block_on_belt(), ([1.1, 0], 24))
    assert orbit.period == pytest.approx(12.00103129483, abs=1e-9)
    forced = ss.find_orbit(M.forced_oscillator(eta=0.9), ([3.5, 0.5], 6 * 2 * np.pi / 0.9))
    assert forced.turns == 1


def test_newton_converges_quadratically_and_says_so() -> None:
    steps = ss.find_orbit(M.block_on_belt(), ([1.1, 0], 12)).history.steps
    assert len(steps) <= 5 and steps[-1] < 1e-12


def test_a_period_of_the_excitation_that_equations_do_not_show() -> None:
    mass, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.5)
    beat = ss.Force(mass, lambda t, a=0.3: a * sin(t + 0.2 * sin(t)))
    contact = ss.Contact(mass, belt, law=ss.Hyperbolic(mu_s=1.0, delta=3.0), normal=1.0)
    model = ss.System(ss.Spring(mass, ss.ground, k=1.0), beat, contact)
    with pytest.raises(ss.errors.OrbitError, match="give forcing="):
        ss.find_orbit(model)
    orbit = ss.find_orbit(model, forcing=2 * np.pi)
    assert orbit.period == pytest.approx(2 * np.pi * orbit.turns)


def test_an_excitation_of_amplitude_zero_is_none() -> None:
    """With a period of its own the orbit was once taken for 53 periods of an excitation that is not there."""
    model = M.excited_oscillator(xi=0.1, beta=0.0, v0=0.5)
    orbit = ss.find_orbit(model)
    assert orbit.period == pytest.approx(10.4072194164, abs=1e-9)
    assert orbit.turns == 0 and len(orbit.signature) == 2
    branch = ss.follow(orbit, "force.beta", to=0.1)
    assert len(branch) == 1 and "beyond, an excitation begins" in branch.reason
    smooth = ss.find_orbit(model, method=ss.Smoothing(eps=1e6))
    assert smooth.turns == 0 and smooth.period == pytest.approx(orbit.period, rel=1e-2)


def test_equations_that_contradict_each_other_have_no_orbit() -> None:
    """Asked to repeat itself with a beat that is nearly its own period, a motion has no orbit: to come as near to that
    as it can is not enough."""
    model = M.excited_oscillator(xi=0.1, beta=0.0, v0=0.5)
    with pytest.raises(ss.errors.OrbitError, match="no periodic orbit was found: the equations contradict each other"):
        ss.find_orbit(model, ([3.9, 0.5], 10.4072), forcing=10.4072)


def test_switch_model_shooting_converges() -> None:
    """leine1998 Sec. 6: from ([1.1, 0], 12), with the fundamental matrix by differences."""
    orbit = ss.find_orbit(M.block_on_belt(), ([1.1, 0], 12), method=ss.Switch(eta=1e-6))
    assert orbit.period == pytest.approx(12.00103129483, abs=1e-5)
    assert orbit.multipliers[0].real == pytest.approx(1.0, abs=1e-2)
    assert abs(orbit.multipliers[1]) < 1e-2


def test_smooth_orbits_approach_the_exact_one() -> None:
    errors = []
    for eps in (1e3, 1e4, 1e5):
        orbit = ss.find_orbit(M.block_on_belt(), ([1.1, 0], 12), method=ss.Smoothing(eps=eps))
        errors.append(abs(orbit.period - 12.00103129483))
        assert orbit.multipliers[0].real == pytest.approx(1.0, abs=1e-6)
    slopes = np.diff(np.log10(errors))
    assert np.all(slopes < -0.4) and errors[-1] < 0.1


def test_from_a_start_in_stick_a_smoothed_orbit_is_found_at_once() -> None:
    """The first step in stick may be as long as one likes: it is no measure of time."""
    model = M.drill_string()
    assert 0.05 < Motion(model).time_scale(np.array(model.start_state(None))) < 5
    before = time.perf_counter()
    orbit = ss.find_orbit(model, method=ss.Smoothing(eps=1e4, shape="quartic"))
    assert orbit.stable and orbit.period == pytest.approx(6.53058288421, rel=2e-3)
    assert time.perf_counter() - before < 30


def test_switch_orbits_where_friction_jumps() -> None:
    """The band leaves a time of the order √η undecided; multipliers are told all the same, and the period is one."""
    for eta in (1e-4, 1e-6):
        orbit = ss.find_orbit(M.drill_string(), method=ss.Switch(eta=eta))
        assert orbit.period == pytest.approx(6.53058288421, abs=np.sqrt(eta))
        assert np.abs(orbit.multipliers - np.array([1, 0])) == pytest.approx(0, abs=1e-2)


def test_many_starts_in_chaos_take_seconds() -> None:
    """Most of these starts never settle; those that do, do on one orbit."""
    before = time.perf_counter()
    (orbit,) = ss.find_orbits(M.two_blocks(v_dr=0.085), starts=6)
    assert orbit.stable and orbit.period == pytest.approx(18.63963362, abs=1e-7)
    assert time.perf_counter() - before < 40
    found = ss.find_orbits(M.two_blocks(v_dr=0.085), starts=4, unstable=True)
    assert any(not orbit.stable for orbit in found)


def test_an_orbit_without_stick_from_a_run_that_ends_anywhere() -> None:
    """It is begun at the time zero of the excitation, wherever in its period the run ended; and goes round once."""
    mass, belt = ss.Mass("mass", m=1.0), ss.Belt("belt", speed=3.0)
    push = ss.Force(mass, lambda t, a=0.5: a * sin(t) ** 2)
    contact = ss.Contact(mass, belt, law=ss.Coulomb(mu_s=1.0), normal=1.0)
    model = ss.System(
        ss.Spring(mass, ss.ground, force=lambda e: e + 0.5 * e**3), ss.Damper(mass, ss.ground, c=0.3), push, contact
    )
    orbit = ss.find_orbit(model, ss.simulate(model, t=61.7))
    assert orbit.period == pytest.approx(np.pi) and orbit.turns == 1 and str(orbit.signature) == "slip-"
    again = ss.find_orbit(model, (orbit.start, 3 * np.pi))
    assert again.turns == 1 and again.start == pytest.approx(orbit.start, abs=1e-12)


def test_orbits_are_guesses_for_other_methods_and_excitations() -> None:
    model = M.forced_oscillator(eta=0.9)
    orbit = orbit_named("forced III, 1:1")
    smooth = ss.find_orbit(model, orbit, method=ss.Smoothing(eps=1e4))
    assert smooth.turns == 1 and smooth.start_time > 0
    assert ss.find_orbit(model, smooth).period == pytest.approx(orbit.period, rel=1e-12)
    still = M.forced_oscillator(eta=0.9, u0=0.0)
    free = ss.find_orbit(still, orbit)
    assert free.autonomous and free.period == pytest.approx(ss.find_orbit(still).period, rel=1e-10)


def test_an_excitation_without_a_period_is_told_by_all_methods() -> None:
    mass, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.5)
    contact = ss.Contact(mass, belt, law=ss.Hyperbolic(mu_s=1.0, delta=3.0), normal=1.0)
    model = ss.System(ss.Spring(mass, ss.ground, k=1.0), ss.Force(mass, lambda t, a=0.3: a * t * t), contact)
    for method in (ss.Exact(), ss.Smoothing(eps=1e3), ss.Switch()):
        with pytest.raises(ss.errors.OrbitError, match="give forcing="):
            ss.find_orbit(model, ([1.0, 0.0], 10.0), method=method)


def test_an_orbit_is_saved_and_loaded(tmp_path) -> None:
    orbit = orbit_named("two_blocks, out of phase")
    again = ss.load(orbit.save(tmp_path / "orbit.nc"))
    assert again.period == orbit.period and again.signature == orbit.signature
    assert np.array_equal(again.multipliers, orbit.multipliers)
    assert np.array_equal(again.phases.states, orbit.phases.states)
    assert ss.find_orbit(again.model, again).period == pytest.approx(orbit.period, abs=1e-12)
    path = tmp_path / "run.nc"
    ss.save(ss.simulate(orbit.model, t=5), path)
    assert ss.load(path).sizes["time"] > 2
    damaged = (tmp_path / "orbit.nc").read_bytes()[:3000]
    (tmp_path / "cut.nc").write_bytes(damaged)
    with pytest.raises(ss.errors.ResultError, match="damaged"):
        ss.load(tmp_path / "cut.nc")


@pytest.mark.parametrize(
    ("guess", "words"),
    [
        (([1.1, 0], -3), "period is -3"),
        (([1.1], 12), "2 states"),
        ("nonsense", "give a run, an Orbit, a point of a sweep, a start"),
        ({"x.blok": 1.0}, "x.blok"),
        (([0.1, 0.0], 1e-3), "no periodic orbit was found: the period ran to"),
        (([0.625, 0.0], 6.0), "no periodic orbit was found: the guess does not move"),
    ],
)
def test_bad_guesses_are_refused_in_a_sentence(guess: object, words: str) -> None:
    with pytest.raises(ss.errors.OrbitError, match=words):
        ss.find_orbit(M.block_on_belt(), guess)


def test_a_motion_that_comes_to_rest_is_told_from_an_orbit() -> None:
    with pytest.raises(ss.errors.OrbitError, match=r"comes to rest at x\.block = 0\.682179"):
        ss.find_orbit(M.coulomb_oscillator())


def test_chaos_is_told_and_an_unstable_orbit_in_it_is_found_if_asked_for() -> None:
    model, start = M.forced_oscillator(eta=1.915, u0=1.0), [0.0, 1.0]
    with pytest.raises(ss.errors.OrbitError, match=r"has not settled on a periodic orbit by t = .* give unstable=True"):
        ss.find_orbit(model, start)
    orbit = ss.find_orbit(model, start, unstable=True)
    assert not orbit.stable
    problem, u = problem_of(orbit)
    F, J = problem.residual(u)
    assert np.all(np.abs(F) <= problem.noise(u, J))


def test_a_motion_that_never_returns() -> None:
    """On a torus no period is the last one."""
    with pytest.raises(ss.errors.OrbitError, match="no periodic orbit was found"):
        ss.find_orbit(M.excited_oscillator())


def test_an_orbit_of_another_model_is_no_guess() -> None:
    with pytest.raises(ss.errors.OrbitError, match="other states"):
        ss.find_orbit(M.two_blocks(), orbit_named("block_on_belt"))


def test_methods_without_shooting_are_named() -> None:
    with pytest.raises(ss.errors.OrbitError, match="Exact, Smoothing or Switch"):
        ss.find_orbit(M.block_on_belt(), ([1.1, 0], 12), method=ss.Henon(step=1e-2))


@pytest.mark.parametrize(
    ("model", "name", "values", "times"),
    [
        (ss.models.forced_oscillator("III"), "base.eta", [0.8, 0.91, 1.165, 1.5], {"periods": (100, 40)}),
        (ss.models.two_blocks(), "belt.speed", [0.14, 0.16, 0.2], {"times": (2000, 400)}),
    ],
    ids=["excited", "self-excited"],
)
def test_a_point_of_a_sweep_is_a_guess(model, name, values, times):
    """Its end, the phase of the excitation there, and the period that was found."""
    data = ss.sweep(model, {name: values}, **times)
    for i, value in enumerate(values):
        point = data.isel({name: i})
        orbit = ss.find_orbit(model.with_({name: value}), point)
        assert orbit.stable and orbit.period == pytest.approx(float(point["period"]), rel=1e-7)
        extremes = [(orbit.data[state].min(), orbit.data[state].max()) for state in model.states]
        low, high = point["minimum"].values, point["maximum"].values
        assert np.allclose(extremes, np.column_stack([low, high]), atol=2e-2 * np.max(high - low))


def test_a_guess_from_a_sweep_is_one_point_with_a_period():
    model = ss.models.forced_oscillator("III", u0=1.0)
    data = ss.sweep(model, {"base.eta": [1.5, 1.915]}, periods=(100, 40))
    assert data["m"].values[1] == -1
    with pytest.raises(
        ss.errors.OrbitError, match=r"sweep of 2 points: give one of them, data.isel\(\{'base.eta': 0\}"
    ):
        ss.find_orbit(model, data)
    with pytest.raises(ss.errors.OrbitError, match="no period was found"):
        ss.find_orbit(model, data.isel({"base.eta": 1}))
    with pytest.raises(ss.errors.OrbitError, match=r"x.block, v.block, not x.block1"):
        ss.find_orbit(ss.models.two_blocks(), data.isel({"base.eta": 0}))
