"""States with rates of their own: controllers, filters and motors, against equations written by hand."""

from __future__ import annotations

from math import cos, sin

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.orbits.test_equilibria import stage as filippov_stage

import stickslip as ss
from stickslip.cli.equations import written
from stickslip.errors import ModelError
from stickslip.field import lane_program
from stickslip.model.errors import RESULT_NAMES
from stickslip.model.files import dumps, loads
from stickslip.orbits.motion import Motion

TEXT = """
[mass.block]
m = 1.3
x = 2.0
unit = "m"

[state.drive]
rate = {formula = "(target - drive)/tau - load*v_block", target = 0.3, tau = 1.5, load = 0.1}
start = 0.3
unit = "m/s"

[state.seen]
rate = {formula = "(x_block - seen)/delay", delay = 0.4}

[state.integral]
rate = {formula = "seen - leak*integral", leak = 0.1}

[belt.belt]
speed = {formula = "drive + wobble*sin(2*t)", wobble = 0.2}

[spring.spring]
between = ["block", "ground"]
k = 1.0

[force.control]
on = "block"
force = {formula = "-kp*seen - ki*integral - c*v", kp = 0.3, ki = 0.2, c = 0.05}

[contact.pad]
on = "block"
against = "belt"
normal = {formula = "load + slope*seen**2", load = 1.0, slope = 0.1}
law = {kind = "coulomb", mu_s = 0.9, mu_k = 0.5}
"""
STATES = ("x.block", "v.block", "drive", "seen", "integral")


class ByHand:
    """The equations of TEXT, and their motion by SciPy from event to event."""

    def __init__(self, p: dict[str, float]) -> None:
        self.p = p

    def normal(self, z):
        return self.p["pad.load"] + self.p["pad.slope"] * z[3] ** 2

    def free(self, t, z):
        """Rates without friction."""
        p, (x, v, drive, seen, integral) = self.p, z
        control = -p["control.kp"] * seen - p["control.ki"] * integral - p["control.c"] * v
        return np.array(
            [
                v,
                (control - p["spring.k"] * x) / p["block.m"],
                (p["drive.target"] - drive) / p["drive.tau"] - p["drive.load"] * v,
                (x - seen) / p["seen.delay"],
                seen - p["integral.leak"] * integral,
            ]
        )

    def slip(self, t, z):
        return z[1] - z[2] - self.p["belt.wobble"] * sin(2 * t)

    def holding(self, t, z):
        """The friction that keeps the block on the belt: m (a − dV/dt) + λ = 0."""
        f = self.free(t, z)
        return -self.p["block.m"] * (f[1] - f[2] - 2 * self.p["belt.wobble"] * cos(2 * t))

    def rates(self, t, z, mode):
        friction = self.holding(t, z) if mode == 0 else -mode * self.p["pad.mu_k"] * self.normal(z)
        f = self.free(t, z)
        f[1] += friction / self.p["block.m"]
        return f

    def motion(self, z, end):
        """The state at the end, and the modes one after another."""
        t, mode, modes = 0.0, int(np.sign(self.slip(0.0, z))), []
        while t < end:
            modes.append(mode)

            def slides(t, z, mode=mode, begin=t):
                return mode * self.slip(t, z) + (1e-13 if t == begin else 0.0)

            def held(t, z):
                return self.p["pad.mu_s"] * self.normal(z) - abs(self.holding(t, z))

            event = held if mode == 0 else slides
            event.terminal, event.direction = True, -1
            run = solve_ivp(
                lambda t, z, mode=mode: self.rates(t, z, mode), (t, end), z, "DOP853", events=event, rtol=1e-12,
                atol=1e-13, max_step=0.05,
            )  # fmt: skip
            t, z = float(run.t[-1]), run.y[:, -1]
            if mode == 0:
                mode = -int(np.sign(self.holding(t, z)))
            elif abs(self.holding(t, z)) <= self.p["pad.mu_s"] * self.normal(z):
                mode = 0
            else:
                mode = -mode
        return z, modes


def drawn(seed):
    random = np.random.default_rng(seed)
    model = loads(TEXT)
    values = {name: value * random.uniform(0.6, 1.5) for name, value in model.parameters.items()}
    return model.with_(values | {"pad.mu_k": values["pad.mu_s"] * random.uniform(0.4, 0.9)})


@pytest.mark.parametrize("seed", range(6))
def test_random_systems_against_equations_by_hand(seed):
    model = drawn(seed)
    expected, modes = ByHand(dict(model.parameters)).motion(np.array(model.start_state()), 25.0)
    run = ss.simulate(model, t=25.0)
    assert model.states == STATES
    assert run["event_after"].values.tolist() == modes[1:]
    assert len(modes) > 4
    assert [float(run[name][-1]) for name in STATES] == pytest.approx(expected, abs=1e-8)
    assert abs(float(ss.energy_balance(model, run).residual)) < 1e-9


def test_the_equations_shown_and_the_parameters():
    model = loads(TEXT)
    rates = dict(written(model).rates)
    assert rates["seen'"] in ("(−seen + x.block)/seen.delay", "(x.block − seen)/seen.delay")
    assert "integral·integral.leak" in rates["integral'"]
    assert model.parameters["drive.tau"] == 1.5 and "integral.leak" in model.parameters
    assert model.units["drive"] == "m/s" and model.units["seen"] == ""
    assert model.start["drive"] == 0.3


# -- a hunting controller: the same as the equations given directly ---------------------------------------------------


def stage(law="jump", m=1.0, kp=4.0, ki=2.0, kd=2.5, mu_s=1.5, mu_k=1.0, v_s=0.1):
    """`filippov_stage` as a System of parts."""
    laws = {
        "jump": ss.Coulomb(mu_s, mu_k),
        "constant": ss.Coulomb(mu_k),
        "falling": ss.Stribeck(mu_s, mu_k, v_s),
    }
    mass = ss.Mass("stage", m=m)
    return ss.System(
        ss.State("w", rate=lambda x_stage: x_stage),
        ss.Force(mass, lambda x, v, w, kp=kp, ki=ki, kd=kd: -(kp * x + kd * v + ki * w), name="control"),
        ss.Contact(mass, ss.ground, law=laws[law], normal=1.0),
    )


@pytest.mark.parametrize("law", ["jump", "constant", "falling"])
@pytest.mark.parametrize("values", [{}, {"kp": 1.0, "ki": 3.0, "kd": 0.4}, {"kp": 0.5, "ki": 0.1, "kd": 0.2}])
def test_a_hunting_stage_rests_as_its_equations_do(law, values):
    (expected,) = ss.find_equilibria(filippov_stage(law, **values))
    (found,) = ss.find_equilibria(stage(law, **values))
    assert found.stable is expected.stable and found.kind == expected.kind
    for ours, theirs in (("x.stage", "x"), ("v.stage", "v"), ("w", "w")):
        assert found.interval[ours] == pytest.approx(expected.interval[theirs], abs=1e-12)
    assert found.eigenvalues == pytest.approx(expected.eigenvalues, abs=1e-12)


def test_a_hunting_stage_moves_as_its_equations_do():
    system, given = stage(), filippov_stage()
    run = ss.simulate(system, t=300, start={"x.stage": 0.01})
    other = ss.simulate(given, t=300, start={"x": 0.01})
    assert run["event_time"].values == pytest.approx(other["event_time"].values, abs=1e-8)
    assert run["event_state"].values == pytest.approx(other["event_state"].values, abs=1e-8)


def test_the_hunting_orbit_is_that_of_its_equations_and_can_be_followed():
    ours = ss.find_orbit(stage(), guess={"x.stage": 0.07, "w": 0.5})
    theirs = ss.find_orbit(filippov_stage(), guess={"x": 0.07, "w": 0.5})
    assert ours.period == pytest.approx(theirs.period, rel=1e-9)
    assert np.abs(ours.multipliers) == pytest.approx(np.abs(theirs.multipliers), abs=1e-7)
    branch = ss.follow(ours, "control.ki", to=2.4)
    directly = ss.find_orbit(filippov_stage(ki=2.4), guess={"x": 0.07, "w": 0.5})
    assert branch.points[-1].period == pytest.approx(directly.period, rel=1e-7)


def test_tangents_are_those_of_differences():
    model = loads(TEXT).with_({"belt.wobble": 0.0, "control.ki": 0.0})
    motion, t = Motion(model), 9.0
    start = np.array(model.start_state())
    place = motion.names.index("drive.tau")
    run = motion.run(start, 0.0, t, which=[place])
    assert len(run.events) >= 2
    size = 1e-6

    def end(change=0.0, state=None):
        z = start.copy()
        if state is not None:
            z[state] += change
            return motion.run(z, 0.0, t).state
        values = motion.parameters.copy()
        values[place] += change
        return motion.with_parameters(values).run(z, 0.0, t).state

    for j in range(len(start)):
        column = (end(size, j) - end(-size, j)) / (2 * size)
        assert run.by_state[:, j] == pytest.approx(column, abs=1e-6)
    assert run.by_parameter[:, 0] == pytest.approx((end(size) - end(-size)) / (2 * size), abs=1e-6)


def test_exponents_are_those_of_its_equations():
    ours = ss.lyapunov(stage(), t=200, transient=200, start={"x.stage": 0.05})
    theirs = ss.lyapunov(filippov_stage(), t=200, transient=200, start={"x": 0.05})
    assert ours.exponents == pytest.approx(theirs.exponents, abs=1e-7)


# -- sweeps and other methods ------------------------------------------------------------------------------------------


def test_lockstep_is_the_march():
    model = loads(TEXT)
    assert lane_program(model, 20) is not None
    field = ss.Field.of(model, order=20)
    random = np.random.default_rng(3)
    starts = np.array(model.start_state()) + 0.2 * random.standard_normal((64, 5))
    values = np.array(list(model.parameters.values())) * random.uniform(0.8, 1.2, (64, len(model.parameters)))
    alone, outcome = field._one_by_one(starts, values, (0.0, 20.0), 1e-10, 10**7)
    together, counted = field._in_lockstep(starts, values, (0.0, 20.0), 1e-10, 10**7)
    np.testing.assert_array_equal(counted, outcome)
    assert np.median(np.abs(together - alone).max(axis=1)) < 1e-9
    assert np.quantile(np.abs(together - alone).max(axis=1), 0.9) < 1e-7


def test_a_sweep_records_the_state_at_release():
    model = loads(TEXT).with_({"belt.wobble": 0.0, "control.ki": 0.0})
    data = ss.sweep(model, {"drive.target": [0.2, 0.3]}, times=(40, 40))
    run = ss.simulate(model.with_({"drive.target": 0.2}), t=80)
    released = (run["event_before"].values == 0) & (run["event_time"].values > 40)
    expected = run["event_state"].sel(state="drive").values[released]
    assert data["drive"].isel({"drive.target": 0}).values[: len(expected)] == pytest.approx(expected, abs=1e-6)
    assert data["drive"].attrs["units"] == "m/s"


METHODS = {
    "Henon": (ss.Henon(step=1e-3), 1e-5),
    "Bisection": (ss.Bisection(step=1e-3), 1e-5),
    "Switch": (ss.Switch(eta=1e-7), 1e-4),
    "Smoothing": (ss.Smoothing(1e6), 1e-3),
    "TimeStepping": (ss.TimeStepping(step=1e-4), 1e-3),
}


@pytest.mark.parametrize("name", METHODS)
def test_other_methods_agree(name):
    method, tolerance = METHODS[name]
    model = loads(TEXT).with_({"pad.mu_s": 0.5})  # smoothed friction has no static limit above the kinetic one
    exact = ss.simulate(model, t=12)
    run = ss.simulate(model, t=12, method=method)
    assert run.attrs["outcome"] == "finished"
    assert len(exact["event_time"]) > 2
    for state in STATES:
        assert float(run[state][-1]) == pytest.approx(float(exact[state][-1]), abs=tolerance)


def test_smoothed_systems_have_the_state():
    smooth = loads(TEXT).smoothed(1e3, "quartic")
    assert smooth.states == STATES and smooth.start["drive"] == 0.3


# -- other families ----------------------------------------------------------------------------------------------------


def test_a_base_that_a_state_moves_has_the_velocity_of_that_state():
    """A servo positions the far end of a spring and of a damper: m ẍ = −k (x − y²) − c (ẋ − 2 y ẏ)."""
    block = ss.Mass("block", m=2.0, x=0.3)
    base = ss.Base("base", motion=lambda t, y: y * y + 0.1 * sin(t))
    model = ss.System(
        ss.State("y", rate=lambda t, y, x_block, a=0.7: a * (cos(t) - y) - 0.2 * x_block, start=0.5),
        ss.Spring(block, base, k=3.0),
        ss.Damper(block, base, c=0.4),
        ss.Contact(block, base, law=ss.Coulomb(0.1), normal=0.01),
    )

    def rates(t, z):
        x, v, y = z
        dy = 0.7 * (cos(t) - y) - 0.2 * x
        u, du = y * y + 0.1 * sin(t), 2 * y * dy + 0.1 * cos(t)
        return [v, (-3.0 * (x - u) - 0.4 * (v - du) - 0.001 * np.sign(v - du)) / 2.0, dy]

    run = ss.simulate(model, t=0.7)
    assert len(run["event_time"]) == 0
    expected = solve_ivp(rates, (0, 0.7), [0.3, 0.0, 0.5], "DOP853", rtol=1e-12, atol=1e-14).y[:, -1]
    assert [float(run[s][-1]) for s in model.states] == pytest.approx(expected, abs=1e-10)
    run = ss.simulate(model, t=30.0)
    assert abs(float(ss.energy_balance(model, run).residual)) < 1e-8


def test_a_fast_filter_does_not_spoil_the_motion():
    """Far faster than the block: the filter follows at a distance of delay·velocity."""
    block, belt = ss.Mass("block", m=1.0, x=1.1), ss.Belt("belt", speed=0.2)

    def model(delay):
        return ss.System(
            ss.State("seen", rate=lambda seen, x_block, delay=delay: (x_block - seen) / delay, start=1.1),
            ss.Spring(block, ss.ground, k=1.0),
            ss.Force(block, lambda seen, k=0.3: -k * seen),
            ss.Contact(block, belt, law=ss.Hyperbolic(1.0, 3.0), normal=1.0),
        )

    run = ss.simulate(model(1e-3), t=20.0, dense=False)
    lag = run["x.block"].values - run["seen"].values
    sliding = np.abs(run["v.block"].values) > 0
    assert np.max(np.abs(lag[sliding] - 1e-3 * run["v.block"].values[sliding])) < 5e-6


def test_equilibria_where_a_state_drives_the_belt():
    """The belt rests or moves as its motor says: the block sticks on it, or slips to either side."""
    block = ss.Mass("block", m=1.0)
    belt = ss.Belt("belt", speed=lambda drive: drive)
    model = ss.System(
        ss.State("drive", rate=lambda drive, target=0.5: target - drive),
        ss.Spring(block, ss.ground, k=2.0),
        ss.Contact(block, belt, law=ss.Coulomb(1.0, 0.8), normal=1.0),
    )
    for target, side in ((0.5, -1), (-0.3, 1)):
        (rest,) = ss.find_equilibria(model.with_({"drive.target": target}))
        assert rest.mode == {"contact": side}
        assert rest.state == pytest.approx({"x.block": -side * 0.4, "v.block": 0.0, "drive": target}, abs=1e-12)
    found = ss.find_equilibria(model.with_({"drive.target": 0.0}))
    (stuck,) = [rest for rest in found if rest.kind == "stick"]
    assert stuck.interval["x.block"] == pytest.approx((-0.5, 0.5))


def test_an_elastic_contact_loaded_by_a_state():
    """A limit that a state changes in slip: the asperity follows, as with the same limit as a function of time."""
    block, belt = ss.Mass("block", m=1.0, x=0.2), ss.Belt("belt", speed=0.4)

    def model(normal, *more):
        contact = ss.CompliantContact(block, belt, law=ss.Coulomb(0.5), normal=normal, stiffness=20.0)
        return ss.System(*more, ss.Spring(block, ss.ground, k=1.0), contact)

    decaying = ss.State("load", rate=lambda load: -0.1 * load, start=1.0)
    ours = ss.simulate(model(lambda load: 1 + load, decaying), t=15)
    other = ss.simulate(model(lambda t: 1 + np.exp(-0.1 * t)), t=15)
    assert ours["event_time"].values == pytest.approx(other["event_time"].values, abs=1e-8)
    assert float(ours["x.block"][-1]) == pytest.approx(float(other["x.block"][-1]), abs=1e-9)


# -- files and refusals ------------------------------------------------------------------------------------------------


def test_files_keep_states():
    model = loads(TEXT).with_({"drive.tau": 2.0})
    again = loads(dumps(model))
    assert dict(again.parameters) == dict(model.parameters) and again.states == model.states
    assert again.start == model.start and again.units == model.units
    assert again.structure() == model.structure()
    moved = loads(dumps(model.with_(start={"seen": 0.7})))
    assert moved.start["seen"] == 0.7


def test_files_of_python_functions_need_a_formula():
    model = stage()
    text = dumps(model, {"w.rate": "x_stage", "control.force": "-(kp*x + kd*v + ki*w)"})
    assert '[state.w]\nrate = "x_stage"\nstart = 0.0' in text
    with pytest.raises(ModelError, match=r"w\.rate: the formula given"):
        dumps(model, {"w.rate": "2*x_stage", "control.force": "-(kp*x + kd*v + ki*w)"})


MASS = ss.Mass("block", m=1.0)
REFUSED = {
    "name of time": (lambda: ss.State("t", 1.0), "functions know time"),
    "name of a position": (lambda: ss.State("x", 1.0), "choose another"),
    "name of something in results": (lambda: ss.State("force", 1.0), "which results have for something else"),
    "the same in equations": (
        lambda: ss.Filippov(("mode", "y"), f=lambda y: (y, 0.0), G=lambda: (0.0, 1.0), h=lambda y: y),
        "a state has the name 'mode'",
    ),
    "no rate": (lambda: ss.State("w", None), "State 'w': rate is None: it must be a number"),
    "no force": (lambda: ss.Force(MASS, None), "Force 'force': force is None: it must be a number"),
    "start": (lambda: ss.State("w", 1.0, start="high"), "State 'w': start is 'high'"),
    "unit": (lambda: ss.State("w", 1.0, unit=3), "must be a text"),
    "two": (lambda: ss.System(MASS, ss.State("w", 1.0), ss.State("w", 1.0)), "two states have the name 'w'"),
    "a body's name": (lambda: ss.System(MASS, ss.State("block", 1.0)), "two parts have the name 'block'"),
    "unknown": (
        lambda: ss.Field.of(ss.System(MASS, ss.State("w", lambda y: y)), target="python"),
        "rate of 'w' depends on 'y', which is not known there; known are t, x_block, v_block, w",
    ),
    "name of a position of a mass": (
        lambda: ss.Field.of(ss.System(MASS, ss.State("x_block", 1.0)), target="python"),
        "stands for two things",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_in_a_sentence(case):
    make, message = REFUSED[case]
    with pytest.raises(ModelError, match=message):
        make()


def test_no_state_can_hide_what_results_have():
    model = loads(TEXT)
    run = ss.simulate(model, t=1)
    sweep = ss.sweep(model, {"drive.target": [0.2]}, times=(1, 1), observe=["stick_to_slip", "signature"])
    for data in (run, sweep):
        own = {str(name) for name in [*data.variables, *data.dims]} - {*model.states, *model.parameters}
        assert own <= RESULT_NAMES


def test_a_rate_that_is_a_number_is_a_parameter():
    model = ss.System(MASS, ss.State("wear", 0.5, start=1.0))
    assert model.parameters["wear.rate"] == 0.5
    assert float(ss.simulate(model, t=4.0)["wear"][-1]) == pytest.approx(3.0, abs=1e-14)
