"""Sweeps: what is observed, starts, hysteresis, bad points, and the same numbers however the work is cut."""

import math
from math import cos

import numpy as np
import pytest
import xarray as xr

import stickslip as ss


def same(a, b):
    """Bit for bit the same data."""
    xr.testing.assert_identical(a.drop_attrs(), b.drop_attrs())


# -- observations -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def blocks():
    """Two blocks, simulated, as something to compare with."""
    return ss.simulate(ss.models.two_blocks(), 60.0)


def observed(what, **keywords):
    return ss.sweep(ss.models.two_blocks(), [{"belt.speed": 0.14}], observe=what, times=(20, 40), **keywords).isel(
        point=0
    )


def signs_of(run, name, value):
    """Times at which a finely sampled quantity passes a value, and whether upwards."""
    times = np.linspace(20, 60, 40_001)
    dense = ss.interpolate(run, times)
    z = (dense[name] if name in dense else dense["slip_velocity"].sel(contact=name)).values - value
    change = np.nonzero(np.sign(z[:-1]) * np.sign(z[1:]) < 0)[0]
    return times[change], z[change] < 0


def test_changes_of_mode(blocks):
    late = blocks["event_time"].values > 20
    for what, chosen in (
        (ss.observe.StickToSlip(), blocks["event_before"].values == 0),
        (ss.observe.SlipToStick(), blocks["event_after"].values == 0),
        (ss.observe.StickToSlip("contact2"), (blocks["event_before"] == 0) & (blocks["event_contact"] == "contact2")),
    ):
        rows = observed(what)
        wanted = late & np.asarray(chosen)
        assert int(rows["count"]) == wanted.sum() > 2
        np.testing.assert_allclose(rows["record_time"], blocks["event_time"].values[wanted], atol=1e-7)
        contacts = np.array(blocks["contact"].values)[rows["record_contact"].values]
        assert contacts.tolist() == blocks["event_contact"].values[wanted].tolist()


@pytest.mark.parametrize("name, value", [("x.block1", 0.3), ("v.block2", 0.0), ("contact1", -0.2)])
def test_sections(blocks, name, value):
    times, upwards = signs_of(blocks, name, value)
    for direction, chosen in (("up", upwards), ("down", ~upwards), ("both", upwards | True)):
        rows = observed(ss.observe.Section(name, value, direction))
        np.testing.assert_allclose(rows["record_time"], times[chosen], atol=2e-3)
        if name in rows:
            np.testing.assert_allclose(rows[name], value, atol=1e-12)


def test_maxima(blocks):
    z = ss.interpolate(blocks, np.linspace(20, 60, 40_001))["x.block1"].values
    peaks = z[1:-1][(z[1:-1] > z[:-2]) & (z[1:-1] >= z[2:])]
    np.testing.assert_allclose(observed(ss.observe.Maxima("x.block1"))["x.block1"], peaks, atol=1e-6)
    assert len(peaks) > 2


@pytest.mark.parametrize("length", [1e-6, 1.0, 1e6])
def test_steady_sliding_is_no_motion_without_a_period(length):
    """n = m = 0 where nothing moves any more, in any unit, also where it comes to rest at zero; -1 while it decays."""
    block, belt = ss.Mass("block", m=1.0, x=length), ss.Belt("belt", speed=4 * length)
    parts = [ss.Spring(block, ss.ground, k=1.0), ss.Damper(block, ss.ground, c=0.5)]
    friction = ss.Contact(block, belt, law=ss.Coulomb(0.3), normal=length)
    balanced = ss.System(*parts, friction, ss.Force(block, -0.3 * length))  # so that it slides at x = 0
    for model in (ss.System(*parts, friction), balanced):
        late, early = (ss.sweep(model, {"block.m": [1.0]}, times=(t, 20.0), observe=None) for t in (150.0, 1.0))
        assert (int(late["n"][0]), int(late["m"][0]), int(late["events"][0])) == (0, 0, 0)
        assert (int(early["n"][0]), int(early["m"][0])) == (-1, -1)


def test_maxima_at_kinks():
    """The block is never faster than on the belt; it is slower from the moment at which it is released."""
    rows = ss.sweep(
        ss.models.block_on_belt(), {"belt.speed": [0.2]}, observe=ss.observe.Maxima("v.block"), times=(50, 50)
    )
    np.testing.assert_allclose(rows["v.block"], 0.2, atol=1e-12)
    np.testing.assert_allclose(rows["x.block"], 1.0, atol=1e-12)


def test_strobes(blocks):
    rows = observed(ss.observe.Strobe(every=2.5))
    np.testing.assert_allclose(rows["record_time"], np.arange(22.5, 60.1, 2.5))
    np.testing.assert_allclose(
        rows["x.block1"], ss.interpolate(blocks, rows["record_time"].values)["x.block1"], atol=1e-7
    )


def test_strobes_of_the_excitation():
    rows = ss.sweep(ss.models.forced_oscillator("III"), {"base.eta": [0.9, 1.5]}, observe="strobe", periods=(50, 20))
    assert rows["count"].values.tolist() == [20, 20]
    np.testing.assert_allclose(
        rows["record_time"], 2 * np.pi * np.outer(1 / rows["base.eta"], np.arange(51, 71)), rtol=1e-14
    )
    assert np.ptp(rows["x.block"][0].values) < 1e-8
    assert np.ptp(rows["x.block"][1].values) > 0.1  # every other time the same
    np.testing.assert_allclose(rows["x.block"][1, 2:], rows["x.block"][1, :-2], atol=1e-8)


def test_rows_are_cut_off_and_this_is_said():
    rows = observed(ss.observe.StickToSlip(), most=3)
    assert int(rows["count"]) == 3
    assert bool(rows["truncated"])
    assert int(rows["events"]) > 6


# -- autonomous systems -----------------------------------------------------------------------------------------


def test_period_of_an_autonomous_system():
    model = ss.models.block_on_belt()
    data = ss.sweep(model, {"belt.speed": [0.1, 0.2]}, times=(100, 200))
    assert data["n"].values.tolist() == data["m"].values.tolist() == [1, 1]
    assert float(data["period"][1]) == pytest.approx(model.about.known["period"], abs=1e-7)
    assert float(data["maximum"][1, 0]) == pytest.approx(model.about.known["x_max"], abs=1e-7)
    orbit = ss.sweep(ss.models.two_blocks(), {"belt.speed": [0.14]}, times=(500, 500))
    assert (float(orbit["period"][0]), int(orbit["n"][0])) == (pytest.approx(26.192036, abs=1e-5), 8)


def test_motion_without_stick_has_the_period_of_its_maxima():
    data = ss.sweep(
        ss.Filippov(
            ("x", "y"), f=lambda x, y, w=1.0: (y, -w * w * x), G=lambda: (0.0, 0.0), h=lambda: 1.0, start={"x": 1}
        ),
        {"w": [1.0, 2.0]},
        times=(0, 100),
    )
    np.testing.assert_allclose(data["period"], [2 * math.pi, math.pi], rtol=1e-7)
    assert data["n"].values.tolist() == [0, 0]


# -- the same numbers -------------------------------------------------------------------------------------------


def test_threads_and_chunks_change_nothing():
    model, grid = ss.models.forced_oscillator("II"), {"base.eta": np.linspace(0.8, 2.0, 40), "base.u0": [0.4, 0.5]}
    first = ss.sweep(model, grid, periods=(30, 20), threads=1)
    same(first, ss.sweep(model, grid, periods=(30, 20), threads=2, chunk=7))
    same(first, ss.sweep(model, grid, periods=(30, 20), threads=3, chunk=1))


def test_points_grids_and_tables_agree():
    model = ss.models.block_on_belt()
    speeds, loads = [0.1, 0.2, 0.3], [1.0, 1.5]
    grid = ss.sweep(model, {"belt.speed": speeds, "contact.normal": loads}, times=(20, 30))
    points = [{"belt.speed": v, "contact.normal": load} for v in speeds for load in loads]
    listed = ss.sweep(model, points, times=(20, 30))
    table = xr.Dataset({name: ("row", [point[name] for point in points]) for name in points[0]})
    same(listed, ss.sweep(model, table, zip=True, times=(20, 30)))
    assert listed["x.block"].dims == ("point", "record")
    np.testing.assert_array_equal(grid["x.block"].values.reshape(listed["x.block"].shape), listed["x.block"].values)


def test_random_starts_are_reproducible():
    model, over = ss.models.forced_oscillator("III"), {"base.eta": np.linspace(0.8, 1.2, 9)}
    first = ss.sweep(model, over, start="random", seed=3, periods=(5, 5))
    same(first, ss.sweep(model, over, start="random", seed=3, periods=(5, 5), threads=2, chunk=2))
    other = ss.sweep(model, over, start="random", seed=4, periods=(5, 5))
    assert np.all(first["start_state"] != other["start_state"])
    narrow = ss.sweep(model, over, start="random", within={"x.block": (2, 3)}, periods=(5, 5))["start_state"]
    assert np.all((narrow.sel(state="x.block") >= 2) & (narrow.sel(state="x.block") <= 3))


# -- starts and hysteresis --------------------------------------------------------------------------------------


def test_starts_can_be_swept():
    model = ss.models.coulomb_oscillator()
    data = ss.sweep(model, {"start.x.block": [3.0, 12.0], "start.v.block": [0.0, 6.0]}, times=(0, 60))
    assert data["start_state"][1, 0].values.tolist() == [12.0, 0.0]
    assert float(data["end_state"][1, 1, 0]) == pytest.approx(15 - math.sqrt(205), abs=1e-8)


def test_starts_in_stick_follow_the_belt():
    data = ss.sweep(ss.models.block_on_belt(), {"belt.speed": [0.1, 0.3]}, start="stick", times=(0, 1))
    np.testing.assert_allclose(data["start_state"].sel(state="v.block"), [0.1, 0.3])


def test_hysteresis_of_the_drill_string():
    """With the speed of the table rising, stick-slip lasts far into the range where drilling is steady as well."""
    model, speeds = ss.models.drill_string(), np.linspace(1.0, 6.0, 26)
    up, down = (
        ss.sweep(model, {"table.speed": speeds}, start="stick", carry=way, times=(150, 80)) for way in ("up", "down")
    )
    assert np.all(up["n"].where(up["table.speed"] < 4, drop=True) == 1)
    assert np.all(up["n"].where(up["table.speed"] > 5.5, drop=True) == 0)
    both = (up["n"] == 1) & (down["n"] == 0)
    assert int(both.sum()) >= 10
    lines = ss.sweep(
        model, {"table.speed": speeds, "damper.c": [0.1, 0.12]}, start="stick", carry="up", times=(150, 80)
    )
    same_line = lines["end_state"].sel({"damper.c": 0.1}).values
    np.testing.assert_array_equal(same_line, up["end_state"].values)


def test_a_motion_that_still_settles_has_no_period():
    """The second half of its returns must repeat: the last few do so long before."""
    slow = ss.Filippov(
        ("x",),
        f=lambda x, t, d=0.07: (cos(t) - d / (2 * math.pi) * x,),
        G=lambda: (0.0,),
        h=lambda: 1.0,
        start={"x": 9.0},
    )
    data = ss.sweep(slow, {"d": [0.07]}, observe=ss.observe.Strobe(), periods=(0, 200))
    x = data["x"].values[0]
    extent = float(data["maximum"][0, 0] - data["minimum"][0, 0])
    assert abs(x[-1] - x[-3]) < 1e-6 * extent < 0.1 * abs(x[100] - x[98])
    assert int(data["m"][0]) == -1 and math.isnan(float(data["period"][0]))
    settled = ss.sweep(slow, {"d": [0.07]}, observe=ss.observe.Strobe(), periods=(200, 200))
    assert int(settled["m"][0]) == 1 and float(settled["period"][0]) == pytest.approx(2 * math.pi)


# -- bad points -------------------------------------------------------------------------------------------------


def test_bad_points_have_their_status():
    a, belt = ss.Mass("a", 1.0, x=3.0), ss.Belt("belt", 1.0)
    model = ss.System(
        ss.Spring(a, ss.ground, k=1.0),
        ss.Contact(a, belt, law=ss.Coulomb(0.4, 0.3), normal=lambda x_a, slope=0.0: 1 + slope * x_a),
    )
    data = ss.sweep(
        model, [{"contact.slope": s, "a.m": m} for s, m in ((0, 1), (1, 1), (0, -1), (0, 2))], times=(20, 60)
    )
    codes = dict(zip(data["status"].attrs["flag_meanings"].split(), data["status"].attrs["flag_values"], strict=True))
    wanted = ["finished", "lift_off", "impossible", "finished"]
    assert data["status"].values.tolist() == [codes[name] for name in wanted]
    assert np.isnan(data["maximum"].values[2]).all()
    assert np.all(data["n"].values[[0, 3]] == 1)


def test_divergence_and_chattering_have_their_status():
    grows = ss.Filippov(("x",), f=lambda x, a=1.0: (a * x * x,), G=lambda: (0.0,), h=lambda: 1.0, start={"x": 1.0})
    data = ss.sweep(grows, {"a": [-1.0, 1.0, -2.0]}, observe=None, times=(1, 5))
    assert data["status"].values.tolist() == [0, 6, 0]
    relay = ss.Filippov(
        ("x", "y"),
        f=lambda y: (y, 0.0),
        G=lambda b=0.5: ((0.0, 0.0), (1.0, b)),
        h=lambda x, y: (x, y),
        contacts=("place", "speed"),
        start={"x": 1.0},
    )
    data = ss.sweep(relay, {"b": [0.0, 0.5]}, times=(1, 50))
    assert data["status"].values[1] == 3
    assert float(data["time"][1]) < 50


def test_carry_passes_over_a_bad_point():
    model = ss.models.block_on_belt()
    data = ss.sweep(model, {"block.m": [-1.0, 1.0, 1.1]}, carry="up", times=(20, 30))
    assert data["status"].values.tolist() == [9, 0, 0]
    np.testing.assert_array_equal(data["start_state"][1], [1.1, 0.0])
    np.testing.assert_allclose(data["start_state"][2], data["end_state"][1], atol=1e-12)


# -- interruption, files ----------------------------------------------------------------------------------------


def test_an_interrupted_sweep_keeps_what_is_done():
    def interrupt(done, total):
        raise KeyboardInterrupt

    over = {"base.eta": np.linspace(0.5, 3.0, 2000)}
    data = ss.sweep(ss.models.forced_oscillator("III"), over, chunk=20, threads=1, progress=interrupt)
    done = data["status"].values == 0
    assert 20 <= done.sum() < 2000
    assert np.all(data["status"].values[~done] == -1)
    assert data.attrs["status"].startswith(ss.Status.INTERRUPTED.value)
    assert np.isnan(data["period"].values[~done]).all()


def test_progress():
    seen = []
    ss.sweep(
        ss.models.block_on_belt(), {"belt.speed": np.linspace(0.1, 0.5, 10)}, times=(5, 5), chunk=3,
        progress=lambda done, total: seen.append((done, total)),
    )  # fmt: skip
    assert seen[-1] == (10, 10)
    assert seen == sorted(seen)


def test_save_and_load(tmp_path):
    data = ss.sweep(ss.models.two_blocks(), {"belt.speed": [0.1, 0.2]}, times=(5, 20))
    xr.testing.assert_equal(ss.load(ss.save(data, tmp_path / "sweep.nc")), data)
    assert data.attrs["model"].startswith("name = ")
    assert data.attrs["status"] == "The sweep is complete."
