"""Smoothing: the shapes, the smoothed system under Exact, and the method with its stiff solvers."""

from __future__ import annotations

import math

import numpy as np
import pytest
import xarray as xr

import stickslip as ss
from stickslip.field import compile_smooth
from stickslip.model import files
from stickslip.model.parts import SmoothContact
from stickslip.model.shapes import SHAPES


def coefficient(shape: str, v: float, eps: float, kinetic: float, static: float) -> float:
    return float(SHAPES[shape].coefficient(v, eps, kinetic, static, kinetic))


def rate(system: ss.System, state: list[float]) -> np.ndarray:
    return ss.Field.of(system, target="python", order=4).evaluate(state).rate


def at(run: xr.Dataset, times: np.ndarray) -> np.ndarray:
    samples = ss.interpolate(run, times)
    return np.stack([samples[str(name)].values for name in run.state.values])


# -- the shapes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["arctan", "tanh", "quartic"])
def test_shapes_are_odd_and_rise_from_zero(shape):
    v = np.linspace(0, 3, 301)
    values = np.array([coefficient(shape, x, 2.0, 0.3, 0.3) for x in v])
    mirrored = np.array([coefficient(shape, -x, 2.0, 0.3, 0.3) for x in v])
    np.testing.assert_allclose(mirrored, -values, atol=1e-15)
    assert values[0] == 0
    assert np.all(np.diff(values) >= -1e-15)


def test_quartic_reaches_static_at_kappa_and_kinetic_at_four_kappa():
    eps, kinetic, static = 10.0, 0.3, 0.5
    kappa = 1 / eps
    v = np.linspace(0, 5 * kappa, 50001)
    values = np.array([coefficient("quartic", x, eps, kinetic, static) for x in v])
    assert coefficient("quartic", kappa, eps, kinetic, static) == pytest.approx(static, rel=1e-14)
    assert v[np.argmax(values)] == pytest.approx(kappa, abs=2 * v[1])
    np.testing.assert_allclose(values[v >= 4 * kappa], kinetic, rtol=1e-14)
    second = np.diff(values, 2) / v[1] ** 2
    largest = np.abs(np.diff(second)).max()  # a jump of the second derivative would be as large as the derivative
    assert largest < 1e-2 * np.abs(second).max()


def test_one_sided_quartic_is_the_printed_law():
    """vandevrande1999 Eqs. (16) and (18), T* = λ − θ; beyond v = −κ the odd law is the same."""
    zeta, theta, eta = 0.05, 4.2, 4.0
    for kappa in (1.0, 0.1):
        printed = ss.models.drill_string(eta, zeta, theta).smoothed(1 / kappa, "quartic_one_sided")
        odd = ss.models.drill_string(eta, zeta, theta).smoothed(1 / kappa, "quartic")
        for w in kappa * np.array([-6.0, -4.0, -3.9, -2.0, -1.0, -0.5, 0.0, 0.3]):
            torque = 0.0 if w <= -4 * kappa else -theta * w * (w + 4 * kappa) ** 3 / (27 * kappa**4)
            expected = torque - 2 * zeta * (w + eta) - 1.7
            assert rate(printed, [1.7, w + eta])[1] == pytest.approx(expected, rel=1e-10)
            if w <= -kappa:
                assert rate(odd, [1.7, w + eta])[1] == pytest.approx(expected, rel=1e-10)


def test_arctan_is_the_printed_law():
    """vandevrande1999 Eqs. (2) and (4)."""
    system = ss.models.block_on_belt(v_dr=0.2, delta=3.0).smoothed(1e2)
    for v in (-0.7, 0.2, 0.201, 0.5):
        friction = -(2 / math.pi) * math.atan(1e2 * (v - 0.2)) / (1 + 3 * abs(v - 0.2))
        assert rate(system, [0.4, v])[1] == pytest.approx(friction - 0.4, rel=1e-12)


# -- the smoothed system --------------------------------------------------------------------------------------------


def test_parameters_keep_names_values_and_sharing():
    system = ss.models.two_blocks().with_({"contact1.delta": 2.5})
    smoothed = system.smoothed(1e3)
    assert smoothed.contacts == ()
    assert {name: smoothed.parameters[name] for name in system.parameters} == dict(system.parameters)
    assert set(smoothed.parameters) - set(system.parameters) == {"contact1.eps", "contact2.eps"}
    assert smoothed.with_({"contact2.delta": 2.0}).parameters["contact1.delta"] == 2.0
    assert smoothed.with_({"contact2.eps": 10.0}).parameters["contact1.eps"] == 1e3
    assert smoothed.start == system.start
    assert smoothed.about.known == {}
    belt = ss.models.block_on_belt()
    assert belt.smoothed(1e3).structure() != belt.smoothed(1e3, "tanh").structure()


@pytest.mark.parametrize("eps", [0.0, -1.0, math.nan, "steep"])
def test_eps_must_be_positive(eps):
    with pytest.raises(ss.errors.ModelError, match=r"eps is .* it must be a positive number"):
        ss.models.block_on_belt().smoothed(eps)
    with pytest.raises(ss.errors.ModelError, match=r"eps is .* it must be a positive number"):
        ss.Smoothing(eps=eps)


def test_eps_stays_positive_when_changed():
    with pytest.raises(ss.errors.ModelError, match=r"'contact': eps is -1: it must be a positive number"):
        ss.models.block_on_belt().smoothed(10.0).with_({"contact.eps": -1.0})


@pytest.mark.parametrize("shape", ["arctan", "tanh"])
def test_static_above_kinetic_needs_the_quartic(shape):
    with pytest.raises(ss.errors.ModelError, match=r'contact: the static coefficient 2 exceeds .* use shape="quartic"'):
        ss.models.drill_string().smoothed(10.0, shape)
    with pytest.raises(ss.errors.ModelError, match='use shape="quartic"'):
        ss.simulate(ss.models.drill_string(), t=1, method=ss.Smoothing(10.0, shape))
    equal = ss.models.drill_string().with_({"contact.mu_k": 2.0})
    with pytest.raises(ss.errors.ModelError, match='use shape="quartic"'):
        equal.smoothed(10.0, shape).with_({"contact.mu_k": 1.0})


def test_refusals():
    with pytest.raises(ss.errors.ModelError, match="there is no shape 'sigmoid'; there are: arctan, tanh, quartic"):
        ss.models.block_on_belt().smoothed(10.0, "sigmoid")
    with pytest.raises(ss.errors.ModelError, match="the system has no Contact"):
        ss.models.block_on_belt().smoothed(10.0).smoothed(10.0)
    with pytest.raises(
        ss.errors.ModelError, match="there is no solver 'Euler'; there are: Collocation, Radau, BDF, LSODA"
    ):
        ss.Smoothing(10.0, solver="Euler")
    with pytest.raises(ss.errors.ModelError, match=r"it must lie between 1e-13 and 0.01"):
        ss.Smoothing(10.0, rtol=0.5)


def test_one_sided_quartic_needs_static_above_kinetic():
    with pytest.raises(
        ss.errors.ModelError, match="contact: the shape 'quartic_one_sided' needs a static coefficient above"
    ):
        ss.models.block_on_belt().smoothed(10.0, "quartic_one_sided")


def pendulum(shape: str) -> ss.System:
    """Block and pendulum, with static above kinetic where the shape allows or needs it."""
    system = ss.models.block_and_pendulum()
    if "quartic" in shape:
        contact = system.friction["contact"]
        law = ss.FunctionLaw(lambda v, a=1.0, delta=0.2: a / (1 + delta * v), 1.5)
        system = system.with_(
            parts={"contact": ss.Contact(dict(contact.weights), contact.against, law, contact.normal)}
        )
    return system


@pytest.mark.parametrize("shape", SHAPES)
def test_jacobian_of_the_smoothed_system(shape):
    system = pendulum(shape).smoothed(30.0, shape)
    field = ss.Field.of(system, target="python", order=4)
    z = np.array([1.3, 0.4, 1.98, 0.3])
    analytic, by_parameter = field.jacobian(z)
    steps = 1e-6 * np.eye(4)
    differences = np.stack([(field.evaluate(z + h).rate - field.evaluate(z - h).rate) / 2e-6 for h in steps], axis=1)
    np.testing.assert_allclose(analytic, differences, rtol=1e-6, atol=1e-6)
    column = list(system.parameters).index("contact.eps")
    up, down = (rate(system.with_({"contact.eps": 30.0 + d}), list(z)) for d in (1e-4, -1e-4))
    np.testing.assert_allclose(by_parameter[:, column], (up - down) / 2e-4, atol=1e-7)


@pytest.mark.parametrize(
    "shape",
    [each if each in ("arctan", "quartic") else pytest.param(each, marks=pytest.mark.nightly) for each in SHAPES],
)
def test_energy_balance_of_the_smoothed_system(shape):
    system = pendulum(shape).smoothed(50.0, shape)
    balance = ss.energy_balance(system, ss.simulate(system, t=10))
    assert abs(float(balance.residual)) < 1e-10
    assert float(balance.work.sel(part="contact")) != 0


@pytest.mark.parametrize("shape", SHAPES)
def test_model_file_of_the_smoothed_system(shape):
    law = ss.Coulomb(0.4, 0.3 if "quartic" in shape else 0.4)
    system = ss.models.two_blocks()
    contacts = {name: ss.Contact(dict(c.weights), c.against, law, name=name) for name, c in system.friction.items()}
    system = system.with_(parts=contacts).smoothed(50.0, shape).with_({"contact2.eps": 70.0})
    copy = files.loads(files.dumps(system))
    assert dict(copy.parameters) == dict(system.parameters)
    part = copy.interactions["contact2"]
    assert isinstance(part, SmoothContact) and part.shape == shape
    assert part.law is copy.interactions["contact1"].law
    np.testing.assert_array_equal(rate(copy, [1, 1, 0.3, 0.1]), rate(system, [1, 1, 0.3, 0.1]))


# -- the method -----------------------------------------------------------------------------------------------------


def sliding_pair() -> ss.System:
    """A block on a block on a shaken base: sliding velocities between masses, and on something that moves in time."""
    lower, upper = ss.Mass("lower", m=2.0), ss.Mass("upper", m=1.0, x=0.7)
    table = ss.Base("table", motion=lambda t, a=0.4, w=2.0: a * math.sin(w * t))
    return ss.System(
        ss.Spring(upper, ss.ground, k=1.5),
        ss.Spring(lower, ss.ground, k=1.0),
        ss.Contact(lower, table, law=ss.PoppStelter(0.4, 0.2, 1.0), normal=3.0, name="below"),
        ss.Contact({upper: 1.0}, lower, law=ss.Tabulated([0, 0.2, 1.0], [0.5, 0.4, 0.35]), name="above"),
    )


MODELS = {
    "belt": ss.models.block_on_belt,
    "two blocks": ss.models.two_blocks,
    "pendulum": ss.models.block_and_pendulum,
    "forced": ss.models.forced_oscillator,
    "pair": sliding_pair,
}


QUICK = [("belt", "arctan"), ("pair", "quartic")]
ALL = [(model, shape) for model in MODELS for shape in ("arctan", "quartic")]


@pytest.mark.parametrize(
    ("model", "shape"), [each if each in QUICK else pytest.param(*each, marks=pytest.mark.nightly) for each in ALL]
)
def test_method_agrees_with_exact_integration_of_the_smoothed_system(model, shape):
    system = MODELS[model]()
    times = np.linspace(0, 6, 301)
    run = ss.simulate(system, t=6, method=ss.Smoothing(50.0, shape, rtol=1e-9))
    reference = ss.simulate(system.smoothed(50.0, shape), t=6)
    assert run.attrs["status"] == reference.attrs["status"] == ss.Status.FINISHED.value
    np.testing.assert_allclose(at(run, times), at(reference, times), atol=3e-7)


@pytest.mark.parametrize("solver", ["Collocation", "Radau", "BDF", "LSODA"])
def test_solvers_agree(solver):
    system = ss.models.block_on_belt()
    times = np.linspace(0, 20, 101)
    run = ss.simulate(system, t=20, method=ss.Smoothing(1e4, rtol=1e-8, solver=solver))
    reference = ss.simulate(system.smoothed(1e4), t=20)
    np.testing.assert_allclose(at(run, times), at(reference, times), atol=1e-5)
    assert run.attrs["evaluations"] > run.attrs["steps"] > 100


def test_relay_is_smoothed_too():
    relay = ss.Filippov(
        ("x", "y"), f=lambda x, y: (y, -x), G=lambda: (0.0, 1.0), h=lambda y: y, start={"x": 2.5}
    )  # fmt: skip
    run = ss.simulate(relay, t=12, method=ss.Smoothing(1e5, "tanh", rtol=1e-9))
    exact = ss.simulate(relay, t=12)
    np.testing.assert_allclose(at(run, np.linspace(0, 12, 101)), at(exact, np.linspace(0, 12, 101)), atol=1e-3)


def test_events_and_modes():
    """Stick is where the smoothed friction still rises: 2/(πε) = γ·v² at its largest, to leading order."""
    eps, gamma = 1e4, 3.0
    run = ss.simulate(ss.models.block_on_belt(delta=gamma), t=40, method=ss.Smoothing(eps))
    exact = ss.simulate(ss.models.block_on_belt(delta=gamma), t=40)
    limit = math.sqrt(2 / (math.pi * eps * gamma))
    v = run.event_state.sel(state="v.block").values - 0.2
    np.testing.assert_allclose(v, -limit, rtol=0.02)
    np.testing.assert_allclose(np.ptp(v), 0, atol=1e-10)
    assert run.event_after.values.tolist() == exact.event_after.values.tolist()
    np.testing.assert_allclose(run.event_time, exact.event_time, atol=0.6)
    inside = np.abs(run.slip_velocity.values[:, 0]) < limit * 0.97
    assert np.all(run.mode.values[inside, 0] == 0)
    outside = run.slip_velocity.values[:, 0] < -limit * 1.03
    assert np.all(run.mode.values[outside, 0] == -1)
    np.testing.assert_allclose(run.step_start[1:], (run.step_start + run.step_length)[:-1], atol=1e-12)


@pytest.mark.parametrize(("shape", "width"), [("arctan", math.tan(0.495 * math.pi)), ("tanh", math.atanh(0.99))])
def test_friction_that_never_falls_sticks_below_99_percent(shape, width):
    eps = 1e3
    run = ss.simulate(ss.models.coulomb_oscillator(x=2.5, v=0.0), t=4, method=ss.Smoothing(eps, shape))
    v = run.event_state.sel(state="v.block").values
    np.testing.assert_allclose(np.abs(v), width / eps, rtol=1e-6)
    assert run.event_after.values.tolist()[:2] == [-1, 0]


def test_quartic_sticks_below_kappa():
    run = ss.simulate(ss.models.drill_string(), t=12, method=ss.Smoothing(1e3, "quartic"))
    v = run.event_state.sel(state="v.twist").values - 4.0
    np.testing.assert_allclose(v, -1e-3, rtol=1e-8)


def test_passing_through_rest_is_two_events():
    """From sliding forwards to backwards the smoothed contact passes the steep part; at once, but not in no time."""
    run = ss.simulate(ss.models.coulomb_oscillator(), t=5, method=ss.Smoothing(1e6))
    assert run.event_after.values.tolist() == [0, -1, 0, 1]
    assert np.all(np.diff(run.event_time.values)[::2] < 1e-4)


def test_dense_output_gives_force_and_energy():
    system = ss.models.two_blocks()
    run = ss.simulate(system, t=20, method=ss.Smoothing(1e4))
    assert abs(float(ss.energy_balance(system.smoothed(1e4), run).residual)) < 1e-6
    assert abs(float(ss.energy_balance(system, run).residual)) > 1e-5  # the forces are not those of the model itself
    samples = ss.interpolate(run, np.linspace(0.1, 19.9, 57))
    v, force = samples.slip_velocity.values, samples.force.values
    expected = -np.array([1.0, 1.3]) * 2 / np.pi * np.arctan(1e4 * v) / (1 + 3 * np.abs(v))
    np.testing.assert_allclose(force, expected, atol=1e-5)


def test_very_steep_smoothing_does_not_cancel():
    """In stick the friction force balances the spring; taken from v − v_belt it would be off by the round-off of v."""
    eps = 1e12
    run = ss.simulate(ss.models.block_on_belt(), t=9, method=ss.Smoothing(eps))
    samples = ss.interpolate(run, np.linspace(5, 8.9, 40))
    x, v = samples["x.block"].values, samples["v.block"].values
    np.testing.assert_allclose(samples.force.values[:, 0], x, atol=5e-6)
    assert np.abs(2 / np.pi * np.arctan(eps * (v - 0.2)) + x).max() > 1e-5


def sliding_of(model: ss.System) -> list[int]:
    return compile_smooth(model, "arctan").kernels.flow.SLIDING.tolist()


def test_sliding_velocities_are_variables_of_the_solver():
    assert sliding_of(ss.models.two_blocks()) == [0, 0, 1, 1]
    assert sliding_of(ss.models.bowed_string()) == [0, 0, 1, 0]


def test_error_falls_as_in_the_paper():
    """vandevrande1999 Table 1: a factor of about four per decade of ε."""
    system = ss.models.block_on_belt()
    exact = ss.simulate(system, t=60)
    eps = np.array([1e3, 1e4, 1e5])
    errors = [ss.orbit_error(ss.simulate(system, t=40, method=ss.Smoothing(e)), exact, "block") for e in eps]
    slopes = np.diff(np.log10(errors)) / np.diff(np.log10(eps))
    assert np.all((slopes > -0.63) & (slopes < -0.53))


# -- ends that are not the end ----------------------------------------------------------------------------------------


def test_interrupted_run_keeps_what_it_has():
    def stop(time: float) -> None:
        if time > 5:
            raise KeyboardInterrupt

    run = ss.simulate(ss.models.block_on_belt(), t=1e6, method=ss.Smoothing(1e3), progress=stop)
    assert run.attrs["status"].startswith(ss.Status.INTERRUPTED.value)
    assert 5 < float(run.time[-1]) < 6


def test_too_many_steps():
    run = ss.simulate(ss.models.block_on_belt(), t=100, method=ss.Smoothing(1e3, most_steps=50))
    assert run.attrs["status"].startswith(ss.Status.TOO_MANY_STEPS.value)
    assert run.attrs["steps"] == 50


@pytest.mark.parametrize("solver", ["Collocation", "Radau", "BDF", "LSODA"])
def test_motion_that_blows_up_is_stalled(solver):
    block = ss.Mass("block", m=1.0, x=2.0)
    system = ss.System(ss.Force(block, lambda x: x**3), ss.Contact(block, ss.ground, law=ss.Coulomb(0.1)))
    run = ss.simulate(system, t=100, method=ss.Smoothing(1e3, solver=solver))
    assert run.attrs["status"].startswith(ss.Status.STALLED.value)
    assert 0.5 < float(run.time[-1]) < 2


def test_lift_off_names_the_contact():
    block = ss.Mass("block", m=1.0, x=1.0)
    system = ss.System(
        ss.Spring(block, ss.ground, k=1.0), ss.Contact(block, ss.ground, law=ss.Coulomb(0.1), normal=lambda t: 2 - t)
    )
    run = ss.simulate(system, t=10, method=ss.Smoothing(1e2))
    assert run.attrs["status"].startswith(ss.Status.LIFT_OFF.value)
    assert "'contact'" in run.attrs["status"]
    assert 1.5 < float(run.time[-1]) <= 2


def test_negative_friction_is_noticed():
    block = ss.Mass("block", m=1.0, v=3.0)
    law = ss.Polynomial([0.5, -0.25])
    system = ss.System(ss.Force(block, 1.0), ss.Contact(block, ss.ground, law=law))
    run = ss.simulate(system, t=10, method=ss.Smoothing(1e2))
    assert run.attrs["status"].startswith(ss.Status.NEGATIVE_FRICTION.value)


def test_run_without_dense_output_and_with_samples():
    run = ss.simulate(ss.models.block_on_belt(), t=20, method=ss.Smoothing(1e3), dense=False, samples=11)
    full = ss.simulate(ss.models.block_on_belt(), t=20, method=ss.Smoothing(1e3))
    np.testing.assert_allclose(run["x.block"], ss.interpolate(full, np.linspace(0, 20, 11))["x.block"], atol=1e-12)
    assert "Smoothing(eps=1000.0" in run.attrs["method"]
