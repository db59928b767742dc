"""The fundamental matrix along a motion, against differences of motions that share no derivative with it."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss

PERIOD, X_MAX = 12.00103129483, 1.13394467644


def differences(model: ss.System, start: list[float], t: float, method: object, apart: float = 1e-6) -> np.ndarray:
    """∂z(t)/∂z(0) by neighbouring runs of `simulate`."""
    columns = []
    for unit in apart * np.eye(len(start)):
        ends = [ss.simulate(model, t, start=list(start + s * unit), method=method, samples=2) for s in (1, -1)]
        columns.append([float(ends[0][name][-1] - ends[1][name][-1]) / (2 * apart) for name in model.states])
    return np.array(columns).T


@pytest.mark.parametrize("method", [ss.Exact(), ss.Smoothing(1e3, rtol=1e-12)], ids=["exact", "smoothed"])
@pytest.mark.parametrize(
    ("model", "t"), [(ss.models.two_blocks(), 7.3), (ss.models.forced_oscillator(), 17.0)], ids=["two", "forced"]
)
def test_against_neighbouring_motions(model, t, method):
    """Through stick and slip of two contacts; and from a start in stick, where a direction is lost at once."""
    start = model.start_state()
    phi = ss.fundamental_matrix(model, t, start=start, method=method, samples=5).phi
    np.testing.assert_allclose(phi[-1], differences(model, start, t, method), atol=1e-5)


def test_it_begins_as_the_unit_matrix_and_jumps_where_stick_begins():
    """leine1998 Sec. 4: the saltation matrix of one block is diag(1, 0), so that Φ loses its second row."""
    belt = ss.models.block_on_belt()
    run = ss.simulate(belt, t=PERIOD, start=[X_MAX, 0.0])
    begins = float(run.event_time[0])
    found = ss.fundamental_matrix(
        belt, PERIOD, start=[X_MAX, 0.0], samples=[0.0, begins - 1e-9, begins + 1e-9, begins + 5.0, PERIOD]
    )
    unit, before, after, later, whole = found.phi.values
    np.testing.assert_array_equal(unit, np.eye(2))
    # Liouville: the determinant grows with the divergence of the field, which is that of friction in slip.
    slip = ss.interpolate(run, np.linspace(0.0, begins, 20_001))
    divergence = 3 / (1 + 3 * np.abs(slip["v.block"].values - 0.2)) ** 2
    assert np.linalg.det(before) == pytest.approx(np.exp(np.trapezoid(divergence, slip.time)), rel=1e-7)
    np.testing.assert_allclose(after, np.diag([1.0, 0.0]) @ before, atol=1e-7)
    np.testing.assert_allclose(later, after, atol=1e-12)
    np.testing.assert_allclose(sorted(np.linalg.eigvals(whole).real), [0.0, 1.0], atol=1e-9)
    assert float(found["x.block"][-1]) == pytest.approx(X_MAX, abs=1e-10)


def test_that_of_the_switch_model_is_near():
    belt = ss.models.block_on_belt()
    switch = ss.fundamental_matrix(belt, 11.5, start=[X_MAX, 0.0], method=ss.Switch(), samples=3).phi
    exact = ss.fundamental_matrix(belt, 11.5, start=[X_MAX, 0.0], samples=3).phi
    np.testing.assert_allclose(switch, exact, atol=2e-2)
    assert np.abs(switch - exact).max() > 1e-9


def test_refusals():
    belt = ss.models.block_on_belt()
    with pytest.raises(ss.errors.OrbitError, match="not with Henon"):
        ss.fundamental_matrix(belt, 5.0, method=ss.Henon(step=0.01))
    with pytest.raises(ss.errors.ModelError, match="samples must be a number"):
        ss.fundamental_matrix(belt, 5.0, samples=[2.0, 1.0])
    block, moving = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.2)
    contact = ss.Contact(block, moving, law=ss.Coulomb(0.4), normal=lambda t, rate=0.5: 1 - rate * t)
    with pytest.raises(ss.errors.MotionError, match=r"the motion ends at t = 2: "):
        ss.fundamental_matrix(ss.System(ss.Spring(block, ss.ground, k=1.0), contact), 5.0)
