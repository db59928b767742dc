"""The forced friction oscillator of hinrichs1998: n stick→slip points in m periods of the excitation."""

import numpy as np
import pytest

import stickslip as ss

KNOWN = {0.9: (1, 1), 1.15: (2, 3), 1.07: (3, 4), 1.5: (1, 2), 2.4: (1, 3)}


@pytest.fixture(scope="module")
def third():
    """Characteristic III at the frequencies with a known motion."""
    return ss.sweep(ss.models.forced_oscillator("III"), {"base.eta": list(KNOWN)})


def test_periodic_motions(third):
    assert dict(zip(KNOWN, zip(third["n"].values, third["m"].values, strict=True), strict=True)) == KNOWN
    np.testing.assert_allclose(third["period"], third["m"] * 2 * np.pi / third["base.eta"], rtol=1e-12)


def test_release_points(third):
    released = third["x.block"].sel({"base.eta": 1.5}).dropna("record")
    assert released.sizes["record"] == 50 == third["count"].sel({"base.eta": 1.5})
    np.testing.assert_allclose(released, 4.3896839145, atol=1e-8)
    assert third["v.block"].sel({"base.eta": 1.5})[0] == pytest.approx(1.0, abs=1e-15)


def test_second_characteristic():
    data = ss.sweep(ss.models.forced_oscillator("II"), {"base.eta": [1.40, 1.50]})
    assert data["n"].values.tolist() == [-1, 1]
    assert data["m"].values.tolist() == [-1, 2]
    assert np.isnan(data["period"][0])
    np.testing.assert_allclose(data["x.block"][1].dropna("record"), 4.4351069995, atol=1e-8)


def test_chaos_has_no_period():
    data = ss.sweep(ss.models.forced_oscillator("III", u0=1.0), {"base.eta": [1.915]})
    assert (int(data["n"][0]), int(data["m"][0])) == (-1, -1)
    assert np.ptp(data["x.block"].values) > 0.1


def test_map_of_load_and_frequency():
    grid = {"contact.normal": np.linspace(1, 20, 20), "base.eta": np.linspace(0.3, 3.0, 20)}
    data = ss.sweep(ss.models.forced_oscillator("III"), grid, observe=None, periods=(100, 40))
    assert data["m"].dims == ("contact.normal", "base.eta")
    assert data["m"].shape == (20, 20)
    assert "record" not in data.dims
    assert np.all(data["status"] == 0)
    alone = ss.sweep(
        ss.models.forced_oscillator("III", eta=grid["base.eta"][7], load=grid["contact.normal"][11]),
        [{"base.u0": 0.5}],
        observe=None,
        periods=(100, 40),
    )
    for name in ("n", "m", "events"):
        assert int(data[name][11, 7]) == int(alone[name][0])
    # One travels in lockstep, the other alone: they agree within the tolerance of the sweep.
    np.testing.assert_allclose(data["maximum"][11, 7], alone["maximum"][0], rtol=1e-9)


def test_as_a_single_simulation(third):
    eta = 0.9
    period = 2 * np.pi / eta
    run = ss.simulate(ss.models.forced_oscillator("III", eta=eta), 400 * period)
    wanted = (run["event_before"].values == 0) & (run["event_time"].values > 300 * period)
    rows = third.sel({"base.eta": eta})
    np.testing.assert_allclose(rows["record_time"], run["event_time"].values[wanted], atol=1e-7)
    np.testing.assert_allclose(rows["x.block"], run["event_state"].values[wanted, 0], atol=1e-7)
    dense = ss.interpolate(run, np.linspace(300 * period, 400 * period, 40_001))
    assert int(rows["events"]) == int((run["event_time"].values > 300 * period).sum())
    np.testing.assert_allclose(rows["maximum"], [dense[s].max() for s in ("x.block", "v.block")], atol=1e-4)
    np.testing.assert_allclose(rows["minimum"], [dense[s].min() for s in ("x.block", "v.block")], atol=1e-4)
    assert float(rows["stick_fraction"][0]) == pytest.approx(float((dense["mode"] == 0).mean()), abs=5e-3)
