"""Compiled collocation for the smoothed equations: order, accuracy, derivatives, and ends that are not the end."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import stickslip as ss
from stickslip.errors import FlowError
from stickslip.methods.stiff import Integration, Path, StiffFlow
from stickslip.model.system import Model

PERIOD = 16.14


def start_of(model: Model) -> np.ndarray:
    return np.array(list(model.start.values()))


def two_blocks(eps: float = 1e5, **options: float) -> tuple[StiffFlow, np.ndarray]:
    model = ss.models.two_blocks()
    flow = StiffFlow(model, eps, **options)
    return flow, flow.exchanged(start_of(model), 0.0)


def scipy_end(flow: StiffFlow, y0: np.ndarray, t0: float, duration: float, rtol: float) -> np.ndarray:
    slopes = np.zeros((flow.n, flow.n))

    def jacobian(t: float, y: np.ndarray) -> np.ndarray:
        flow.program.slopes(np.ascontiguousarray(y), float(t), flow.constants, slopes.reshape(-1))
        return slopes.copy()

    atol = np.where(flow.sizes.SLIDING, rtol / flow.eps, 0.1 * rtol)
    run = solve_ivp(
        lambda t, y: flow.rate(y, t), (t0, t0 + duration), y0, "Radau", jac=jacobian, rtol=rtol, atol=atol
    )  # fmt: skip
    return np.asarray(run.y[:, -1])


def one_step(flow: StiffFlow, y0: np.ndarray, t0: float, h: float) -> np.ndarray:
    """The end of a single step, whatever its error."""
    run = Integration(flow, y0, t0, h)
    run.motion.next_step = h
    run.motion.tolerance = math.inf
    run.motion.kinks = 0
    run.advance()
    assert run.motion.steps == 1
    return run.y()


# -- the formula ----------------------------------------------------------------------------------------------------


def test_coefficients_are_those_of_radau():
    """Quadrature of order nine, collocation of order five, and γ the real eigenvalue."""
    m = two_blocks()[0].program.kernels.radau
    A = np.linalg.inv(m.DIFFERENCES)
    c = m.POINTS
    for k in range(1, 10):
        assert A[-1] @ c ** (k - 1) == pytest.approx(1 / k, abs=2e-15)
    assert abs(A[-1] @ c**9 - 1 / 10) > 1e-6
    for k in range(1, 6):
        np.testing.assert_allclose(A @ c ** (k - 1), c**k / k, atol=2e-15)
    assert np.abs(np.linalg.eigvals(A) - m.GAMMA).min() < 1e-14
    # The embedded formula has order five: the polynomials 1 … t⁵ have no error, t⁶ has one.
    for k in range(1, 7):
        error = m.EMBEDDED @ c**k + (m.GAMMA if k == 1 else 0.0)
        assert abs(error) < 1e-14 if k <= 5 else abs(error) > 1e-5


def test_order_is_nine():
    """On a stretch of slip, away from the steep part."""
    flow, start = two_blocks(1e3)
    y0 = flow.path(start, 0.0, 0.6).states[-1]
    reference = scipy_end(flow, y0, 0.6, 0.8, 1e-13)
    counts = np.array([1, 2, 3])
    errors = []
    for count in counts:
        y, h = y0, 0.8 / count
        for k in range(count):
            y = one_step(flow, y, 0.6 + k * h, h)
        errors.append(np.abs(y - reference).max())
    slope = np.polyfit(np.log(counts), np.log(errors), 1)[0]
    assert -10.0 < slope < -8.2


def test_linear_equations_are_solved_exactly():
    block = ss.Mass("block", m=2.0, x=1.0, v=-0.3)
    system = ss.System(ss.Spring(block, ss.ground, k=3.0), ss.Damper(block, ss.ground, c=0.5))
    flow = StiffFlow(system, 1.0, rtol=1e-12)
    end = flow.map(start_of(system), 0.0, 7.0, (1,))
    exact = expm(7.0 * np.array([[0.0, 1.0], [-1.5, -0.25]]))
    np.testing.assert_allclose(end.phi, exact, atol=3e-12)
    np.testing.assert_allclose(end.y, exact @ start_of(system), atol=3e-12)
    np.testing.assert_allclose(end.rate, flow.rate(end.y, 7.0))
    assert end.steps < 60


def test_stiff_decay_is_damped():
    """A step far longer than the decay time goes to the slow motion."""
    system = ss.System(ss.Contact(ss.Mass("block", m=1.0, v=1e-7), ss.ground, law=ss.Coulomb(1.0)))
    flow = StiffFlow(system, 1e6)
    end = flow.map(flow.exchanged(start_of(system), 0.0), 0.0, 100.0)
    assert abs(end.y[1]) < 1e-20
    assert end.phi[0, 1] == pytest.approx(math.pi / 2 * 1e-6, rel=0.02)
    assert end.steps < 60


# -- accuracy -------------------------------------------------------------------------------------------------------


RADAU = np.array([0.3673342422337842, 0.8163109380081129, 2.7600722078481457e-06, -0.08072213789551792])
"""Two blocks at ε = 1e5 after a period: the Radau solver of SciPy at rtol = 1e-13, which takes 13 s."""


def test_two_blocks_over_a_period():
    flow, y0 = two_blocks(1e5)
    end = flow.map(y0, 0.0, PERIOD)
    np.testing.assert_allclose(end.y, RADAU, rtol=4e-9)  # the third is a sliding velocity in stick
    assert 100 < end.steps < 500
    tight = two_blocks(1e5, rtol=1e-13)[0].map(y0, 0.0, PERIOD)
    np.testing.assert_allclose(tight.y, RADAU, rtol=1e-11)


@pytest.mark.nightly
def test_scipy_agrees_with_itself():
    flow, y0 = two_blocks(1e5)
    np.testing.assert_allclose(scipy_end(flow, y0, 0.0, PERIOD, 1e-12), RADAU, rtol=1e-11)


CASES = {
    "belt": (ss.models.block_on_belt, "arctan", 1e5, 12.0),
    "blocks": (ss.models.two_blocks, "arctan", 1e6, PERIOD),
    "blocks, tanh": (ss.models.two_blocks, "tanh", 1e5, PERIOD),
    "blocks, quartic": (ss.models.two_blocks, "quartic", 1e5, PERIOD),
    "drill": (ss.models.drill_string, "quartic", 1e3, 13.0),
    "drill, one-sided": (ss.models.drill_string, "quartic_one_sided", 1e3, 13.0),
    "pendulum": (ss.models.block_and_pendulum, "arctan", 1e5, 12.0),
    "forced": (ss.models.forced_oscillator, "arctan", 1e5, 12.0),
    "string": (ss.models.bowed_string, "arctan", 1e4, 0.01),
}


@pytest.mark.parametrize("case", CASES)
def test_error_follows_the_tolerance(case):
    make, shape, eps, duration = CASES[case]
    model = make()
    fine = StiffFlow(model, eps, shape, rtol=1e-14)
    y0 = fine.exchanged(start_of(model), 0.0)
    reference = fine.map(y0, 0.0, duration)
    sizes = np.abs(fine.path(y0, 0.0, duration).states).max(axis=0)
    for rtol in (1e-6, 1e-8, 1e-10, 1e-12):
        end = StiffFlow(model, eps, shape, rtol).map(y0, 0.0, duration)
        assert np.abs((end.y - reference.y) / sizes).max() < 30 * rtol
        if rtol < 1e-6:
            assert np.abs(end.phi - reference.phi).max() < 1000 * rtol * np.abs(reference.phi).max()


def test_path_agrees_with_map_and_is_continuous():
    flow, y0 = two_blocks(1e5)
    path = flow.path(y0, 0.0, PERIOD)
    assert isinstance(path, Path)
    np.testing.assert_array_equal(path.states[-1], flow.map(y0, 0.0, PERIOD).y)
    np.testing.assert_allclose(path(path.times[1:-1] - 1e-13), path(path.times[1:-1]), atol=1e-11)
    times = np.array([0.05, 3.3, 8.0, 15.9])
    direct = np.array([flow.map(y0, 0.0, t).y for t in times])
    np.testing.assert_allclose(path(times), direct, atol=1e-7)
    np.testing.assert_array_equal(path(3.3), path(times)[1])
    many = np.linspace(0.0, PERIOD, 1001)[1:-1]
    reference = two_blocks(1e5, rtol=1e-13)[0].path(y0, 0.0, PERIOD, 1e-12)(many)
    errors = [np.abs(flow.path(y0, 0.0, PERIOD, dense)(many) - reference)[:, :2].max() for dense in (1e-6, 1e-8, 1e-10)]
    assert np.all(np.array(errors) < [1e-6, 1e-8, 4e-10])
    v = path.states[:, 2:]
    assert np.all(np.sum(np.abs(v) < 1e-6 * 1e-5, axis=0) >= 1)  # steps end where a sliding velocity passes zero


def test_long_path_goes_on_from_block_to_block():
    flow, y0 = two_blocks(1e5, rtol=1e-8)
    path = flow.path(y0, 0.0, 5 * PERIOD)
    assert len(path.times) > 1000
    assert np.all(np.diff(path.times) > 0)
    np.testing.assert_array_equal(path.states[-1], flow.map(y0, 0.0, 5 * PERIOD).y)


def test_exchange_and_state_are_inverse():
    flow, y0 = two_blocks()
    z = np.array([1.0, 1.2, 0.0, 0.0])
    np.testing.assert_allclose(y0, [1.0, 1.2, -0.14, -0.14])
    np.testing.assert_allclose(flow.state(y0, 0.0), z, atol=1e-16)


# -- derivatives ----------------------------------------------------------------------------------------------------


def replayed(flow: StiffFlow, y0: np.ndarray, path: Path, late: float = 0.0) -> np.ndarray:
    """The end of the same steps from another start: what the derivatives are derivatives of."""
    y = y0
    for t, h in zip(path.times[:-1] + late, np.diff(path.times), strict=True):
        y = one_step(flow, y, t, h)
    return y


def slope(end, d: float) -> np.ndarray:
    """The derivative of end(x) at zero, by central differences of fourth order."""
    return (8 * (end(d) - end(-d)) - (end(2 * d) - end(-2 * d))) / (12 * d)


@pytest.mark.parametrize(
    ("model", "shape", "eps", "duration"),
    [
        (ss.models.two_blocks, "arctan", 1e5, PERIOD),
        (ss.models.two_blocks, "quartic", 1e4, 5.0),
        (ss.models.block_and_pendulum, "arctan", 1e3, 4.0),
        (ss.models.forced_oscillator, "tanh", 1e3, 5.0),
    ],
)
def test_derivatives_are_those_of_the_steps(model, shape, eps, duration):
    model = model()
    flow = StiffFlow(model, eps, shape, rtol=1e-10)
    y0 = flow.path(flow.exchanged(start_of(model), 0.3), 0.3, 0.5).states[-1]
    p = np.append(flow.parameters, eps)
    end, path = flow.map(y0, 0.8, duration, range(len(p))), flow.path(y0, 0.8, duration)
    sizes = np.where(flow.sizes.SLIDING, np.abs(y0) + 1 / eps, 1.0)
    for i, unit in enumerate(np.diag(sizes)):
        want = slope(lambda d, unit=unit: replayed(flow, y0 + d * unit, path), 5e-3 / eps)
        np.testing.assert_allclose(end.phi[:, i] * sizes[i], want, atol=2e-7 * np.abs(end.phi * sizes).max())
    largest = np.abs(end.by_parameter * p).max()
    for i in range(len(p)):
        unit = np.where(np.arange(len(p)) == i, p, 0.0)
        want = slope(
            lambda d, u=unit: replayed(flow.with_parameters((p + d * u)[:-1], (p + d * u)[-1]), y0, path), 5e-3 / eps
        )
        np.testing.assert_allclose(end.by_parameter[:, i] * p[i], want, atol=2e-7 * largest)
    want = slope(lambda d: replayed(flow, y0, path, d), 5e-3 / eps)
    np.testing.assert_allclose(end.by_start_time, want, atol=2e-7 * max(largest, 1.0))


def test_derivatives_are_those_of_the_flow():
    """With steps that each run chooses for itself."""
    flow, y0 = two_blocks(1e5, rtol=1e-13)
    end = flow.map(y0, 0.0, PERIOD, (2,))
    for i, unit in enumerate(np.eye(4)):
        want = slope(lambda d, unit=unit: flow.map(y0 + d * unit, 0.0, PERIOD).y, 3e-5)
        np.testing.assert_allclose(end.phi[:, i], want, atol=2e-7 * np.abs(end.phi).max())
    speed = np.where(np.arange(10) == 2, 1.0, 0.0)
    want = slope(lambda d: flow.with_parameters(flow.parameters + d * speed).map(y0, 0.0, PERIOD).y, 3e-6)
    np.testing.assert_allclose(end.by_parameter[:, 0], want, atol=2e-7 * np.abs(want).max())
    want = slope(lambda d: flow.map(y0, 0.0, PERIOD + d).y, 1e-4)
    np.testing.assert_allclose(end.rate, want, atol=1e-7 * np.abs(want).max())


def test_chosen_parameters_come_in_the_order_asked_for():
    flow, y0 = two_blocks()
    everything = flow.map(y0, 0.0, 5.0, range(11)).by_parameter
    some = flow.map(y0, 0.0, 5.0, (10, 2)).by_parameter
    np.testing.assert_array_equal(some, everything[:, [10, 2]])
    np.testing.assert_array_equal(flow.map(y0, 0.0, 5.0).by_start_time, np.zeros(4))


def test_derivatives_of_an_autonomous_flow_carry_its_rate():
    """∂y/∂y₀ takes the rate at the start to the rate at the end."""
    flow, y0 = two_blocks(1e5)
    end = flow.map(y0, 0.0, PERIOD)
    np.testing.assert_allclose(end.phi @ end.start_rate, end.rate, rtol=1e-7, atol=1e-9)


def test_maps_compose():
    flow, y0 = two_blocks(1e5, rtol=1e-12)
    whole = flow.map(y0, 0.0, 10.0, (2,))
    first = flow.map(y0, 0.0, 4.0, (2,))
    second = flow.map(first.y, 4.0, 6.0, (2,))
    np.testing.assert_allclose(second.y, whole.y, atol=1e-11)
    np.testing.assert_allclose(second.phi @ first.phi, whole.phi, atol=1e-9)
    np.testing.assert_allclose(second.phi @ first.by_parameter + second.by_parameter, whole.by_parameter, atol=1e-9)


# -- parameters and refusals ----------------------------------------------------------------------------------------


def test_other_parameters_leave_the_flow_as_it_was():
    flow, y0 = two_blocks()
    before = flow.map(y0, 0.0, 3.0).y
    values = flow.parameters.copy()
    values[2] = 0.2
    other = flow.with_parameters(values)
    assert other.program is flow.program
    fresh = StiffFlow(ss.models.two_blocks(v_dr=0.2), 1e5)
    np.testing.assert_array_equal(other.map(y0, 0.0, 3.0).y, fresh.map(y0, 0.0, 3.0).y)
    np.testing.assert_array_equal(StiffFlow(flow.model, 1e5, parameters=values).parameters, values)
    np.testing.assert_array_equal(flow.map(y0, 0.0, 3.0).y, before)


def test_motion_that_blows_up_says_where():
    block = ss.Mass("block", m=1.0, x=2.0)
    system = ss.System(ss.Force(block, lambda x: x**3), ss.Contact(block, ss.ground, law=ss.Coulomb(0.1)))
    flow = StiffFlow(system, 1e3)
    y0 = flow.exchanged(start_of(system), 0.0)
    with pytest.raises(FlowError, match=r"cannot be followed beyond t = [01]\.\d+: the step length went to zero") as e:
        flow.map(y0, 0.0, 100.0)
    assert 0.5 < e.value.time < 2
    with pytest.raises(FlowError, match=r"cannot be followed beyond t = 0: "):
        flow.map(np.array([math.nan, 0.0]), 0.0, 1.0)


def test_too_many_steps_say_where():
    flow, y0 = two_blocks(1e5, most_steps=20)
    with pytest.raises(FlowError, match=r"20 steps were not enough: they reached t = \d"):
        flow.map(y0, 0.0, PERIOD)


def test_refusals():
    flow, y0 = two_blocks()
    with pytest.raises(ss.errors.ModelError, match="a state has 4 entries"):
        flow.map(y0[:3], 0.0, 1.0)
    with pytest.raises(ss.errors.ModelError, match=r"there is no parameter 11; there are 0 … 10, eps last"):
        flow.map(y0, 0.0, 1.0, (11,))
    with pytest.raises(ss.errors.ModelError, match="the duration is -1"):
        flow.map(y0, 0.0, -1.0)
    with pytest.raises(ss.errors.ModelError, match=r"the model has 10: block1\.m"):
        flow.with_parameters(np.ones(3))
    with pytest.raises(ss.errors.ModelError, match="StiffFlow: eps is 0"):
        StiffFlow(ss.models.two_blocks(), 0.0)
    with pytest.raises(ss.errors.ModelError, match="static coefficient"):
        StiffFlow(ss.models.drill_string(), 1e3, "arctan")
    np.testing.assert_array_equal(flow.map(y0, 0.0, 0.0).phi, np.eye(4))
