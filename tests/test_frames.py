"""Tables out: frames of samples, events, points and records, as large as the data; CSV files; which endings fit."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import stickslip as ss
from stickslip import frames


@pytest.fixture(scope="module")
def run():
    return ss.simulate(ss.models.two_blocks(), t=60)


@pytest.fixture(scope="module")
def swept():
    over = {"belt.speed": [0.1, 0.2, 0.3], "spring.k": [1.0, 2.0]}
    observe = {"release": ss.observe.StickToSlip(), "top": ss.observe.Maxima("x.block")}
    return ss.sweep(ss.models.block_on_belt(), over, times=(50, 50), observe=observe)


@pytest.fixture(scope="module")
def orbit():
    return ss.find_orbit(ss.models.block_on_belt())


def test_samples_are_the_variables_along_time(run):
    frame = run.to_dataframe()
    contacts = list(run["contact"].values)
    assert list(frame.columns) == [
        *run["state"].values,
        *(f"{name}.{contact}" for name in ("slip_velocity", "force", "mode") for contact in contacts),
    ]
    assert np.array_equal(frame.index, run["time"].values)
    for contact in contacts:
        assert np.array_equal(frame[f"force.{contact}"], run["force"].sel(contact=contact).values)
    for name in run["state"].values:
        assert np.array_equal(frame[name], run[name].values)


def test_a_frame_has_no_more_numbers_than_the_run(run):
    """A plain Dataset would make a row of every combination: its product of dimensions is astronomic."""
    product = int(np.prod([run.sizes[each] for each in run.sizes]))
    assert product > 10**9
    for along in ("time", "event", "step"):
        frame = run.to_dataframe(along)
        of_data = sum(run[name].size for name in run.variables if along in run[name].dims)
        assert len(frame) == run.sizes[along]
        assert frame.size <= of_data


def test_events_are_the_event_table(run):
    frame = run.to_dataframe("event")
    assert list(frame.columns) == ["time", "contact", "before", "after", *run["state"].values]
    assert np.array_equal(frame["time"], run["event_time"].values)
    assert (frame["before"] != frame["after"]).all()
    # At every event the sample at that time has the state of the event.
    at_events = ss.interpolate(run, frame["time"].to_numpy()).to_dataframe()
    for name in run["state"].values:
        assert np.allclose(frame[name], at_events[name], rtol=0, atol=1e-9)


def test_a_wrong_dimension_is_a_sentence(run):
    with pytest.raises(ss.errors.ResultError, match=r"along 'evnt' to make a table of .did you mean 'event'"):
        run.to_dataframe("evnt")
    with pytest.raises(ss.errors.ResultError, match=r"'time'"):
        run.isel(time=3).to_dataframe()


@pytest.mark.parametrize(
    "change",
    [
        lambda run: run.isel(time=slice(0, 50)),
        lambda run: run.sel(contact=run["contact"].values[0]),
        lambda run: run.copy(deep=True),
        lambda run: copy.deepcopy(run),
        lambda run: pickle.loads(pickle.dumps(run)),
        lambda run: run.assign_attrs(note="x"),
        lambda run: run.drop_vars("mode"),
        lambda run: run[[str(run["state"].values[0])]],
        lambda run: xr.concat([run.isel(time=slice(0, 5)), run.isel(time=slice(5, 9))], "time", data_vars="minimal"),
        lambda run: ss.interpolate(run, np.linspace(1, 2, 7)),
    ],
)
def test_what_xarray_makes_of_a_run_is_a_run(run, change):
    changed = change(run)
    assert type(changed) is ss.Run
    assert len(changed.to_dataframe()) == changed.sizes["time"]


def test_a_run_is_a_dataset_like_any_other(run, tmp_path):
    plain = xr.Dataset(run.data_vars, run.coords, run.attrs)
    assert run.identical(plain)
    assert plain.identical(run)
    assert isinstance(xr.merge([run, run]), xr.Dataset)
    run.to_netcdf(tmp_path / "plain.nc", engine="h5netcdf")
    again = ss.load(ss.save(run, tmp_path / "run.nc"))
    assert type(again) is ss.Run
    xr.testing.assert_identical(again, run)


def test_points_of_a_sweep_are_rows(swept):
    frame = swept.to_dataframe()
    assert len(frame) == 6
    assert frame["belt.speed"].tolist() == [0.1, 0.1, 0.2, 0.2, 0.3, 0.3]
    assert frame["spring.k"].tolist() == [1.0, 2.0] * 3
    assert set(frame["status"]) == {"finished"}
    for _, row in frame.iterrows():
        point = swept.sel({"belt.speed": row["belt.speed"], "spring.k": row["spring.k"]})
        assert row["period"] == float(point["period"])
        assert row["maximum.x.block"] == float(point["maximum"].sel(state="x.block"))
        assert row["release.count"] == int(point["release.count"])


@pytest.mark.parametrize("name", ["release", "top"])
def test_records_are_rows_with_their_parameters(swept, name):
    frame = swept.to_dataframe(f"{name}.record")
    assert len(frame) == int(swept[f"{name}.count"].sum()) > 6
    assert frame.notna().all(axis=None)
    assert list(frame.columns[:2]) == ["belt.speed", "spring.k"]
    for (speed, stiffness), part in frame.groupby(["belt.speed", "spring.k"]):
        point = swept.sel({"belt.speed": speed, "spring.k": stiffness})
        count = int(point[f"{name}.count"])
        assert np.array_equal(part["x.block"], point[f"{name}.x.block"].values[:count])
        assert np.array_equal(part["record_time"], point[f"{name}.record_time"].values[:count])
    alone = swept.observation(name).to_dataframe("record")
    assert alone.equals(frame.rename_axis("record"))


def test_a_list_of_points_has_its_parameters(swept):
    points = [{"belt.speed": 0.1, "spring.k": 2.0}, {"belt.speed": 0.3, "spring.k": 1.0}]
    data = ss.sweep(ss.models.block_on_belt(), points, times=(50, 50))
    frame = data.to_dataframe()
    assert frame[["belt.speed", "spring.k"]].values.tolist() == [[0.1, 2.0], [0.3, 1.0]]
    assert frame["period"].tolist() == [
        float(swept["period"].sel({"belt.speed": 0.1, "spring.k": 2.0})),
        float(swept["period"].sel({"belt.speed": 0.3, "spring.k": 1.0})),
    ]
    assert len(data.to_dataframe("record")) == int(data["count"].sum())


def test_a_sweep_comes_back_as_one(swept, tmp_path):
    again = ss.load(ss.save(swept, tmp_path / "sweep.nc"))
    assert type(again) is ss.Sweep
    assert again.to_dataframe().equals(swept.to_dataframe())
    assert type(swept.isel({"belt.speed": 0})) is ss.Sweep
    assert len(swept.isel({"belt.speed": 0}).to_dataframe()) == 2


def test_starts_of_basins_are_rows():
    grid = {"x.block": [-3, 0.5, 4], "v.block": [-2.0, 1.0]}
    data = ss.basins(ss.models.coulomb_oscillator(), grid, t=30)
    frame = data.to_dataframe()
    assert frame[["x.block", "v.block"]].values.tolist() == [[x, v] for x in grid["x.block"] for v in grid["v.block"]]
    assert frame["attractor"].tolist() == [0] * 6
    assert data.to_dataframe("number")["fraction"].tolist() == [1.0]


def test_numbers_in_a_csv_are_the_same_bits(run, tmp_path):
    for along in ("time", "event"):
        frame = run.to_dataframe(along)
        back = pd.read_csv(ss.save(frame, tmp_path / f"{along}.csv"), index_col=0)
        for name in frame.columns:
            if frame[name].dtype.kind == "f":
                assert frame[name].tolist() == back[name].tolist()
    samples = pd.read_csv(ss.save(run, tmp_path / "run.csv"), index_col=0)
    assert samples.iloc[:, 0].tolist() == run.to_dataframe().iloc[:, 0].tolist()


def test_units_are_in_the_heads_and_are_read_back(tmp_path):
    """What is written is read by the library's own reader, which turns millimetres into metres."""
    block = ss.Mass("block", m=1.0, unit="mm", x=1.5)
    parts = (
        ss.Spring(block, ss.ground, k=1.0),
        ss.Contact(block, ss.Belt("belt", speed=0.2), law=ss.Coulomb(0.3), normal=1),
    )
    run = ss.simulate(ss.System(*parts, time_unit="s"), t=5, samples=11)
    path = ss.save(run, tmp_path / "run.csv")
    assert path.read_text().splitlines()[0].startswith("time [s],x.block [mm],v.block [mm/s],")
    table = ss.identify.read(path, ["time", "x.block"])
    assert np.allclose(table["x.block"], run["x.block"].values * 1e-3, rtol=1e-15)
    series = ss.series.from_csv(path, "x.block")
    assert (series.unit, len(series.values)) == ("mm", 11)
    events = ss.save(run.to_dataframe("event"), tmp_path / "events.csv")
    assert events.read_text().splitlines()[0] == "event,time [s],contact,before,after,x.block [mm],v.block [mm/s]"


def test_orbits_and_branches_are_tables(orbit, tmp_path):
    frame = orbit.to_dataframe()
    assert frame.index[-1] - frame.index[0] == pytest.approx(orbit.period, rel=1e-14)
    assert pd.read_csv(ss.save(orbit, tmp_path / "orbit.csv"))["v.block"].max() == pytest.approx(0.2, abs=1e-14)
    branch = ss.follow(orbit, "belt.speed", to=0.25)
    points = branch.to_dataframe()
    assert np.array_equal(points["belt.speed"], branch.values)
    assert np.array_equal(points["period"], branch.periods)
    assert points["maximum.x.block"].tolist() == branch.extremes[:, 1, 0].tolist()
    assert len(branch.to_dataframe("special")) == len(branch.special)
    assert len(pd.read_csv(ss.save(branch, tmp_path / "branch.csv"))) == len(branch)


@pytest.mark.parametrize("name", ["run.mp3", "run", "run.toml", "run.csv.gz", "run.nc4", "run.xlsx"])
def test_an_ending_that_does_not_fit_is_refused(run, orbit, name, tmp_path):
    for what in (run, orbit):
        with pytest.raises(ss.errors.ResultError, match=r"ends with neither .nc nor .csv"):
            ss.save(what, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_what_has_no_table_or_no_file_is_a_sentence(run, tmp_path):
    with pytest.raises(ss.errors.ResultError, match=r"DataFrame cannot be saved whole.*ends with .csv"):
        ss.save(run.to_dataframe(), tmp_path / "run.nc")
    with pytest.raises(ss.errors.ResultError, match=r"dict has no table"):
        ss.save({}, tmp_path / "run.csv")
    with pytest.raises(ss.errors.ResultError, match=r"3 is not the name of a file"):
        ss.save(run, 3)
    with pytest.raises(ss.errors.ResultError, match=r"does not exist"):
        ss.save(run, tmp_path / "nowhere" / "run.csv")
    with pytest.raises(ss.errors.ResultError, match=r"lies along all of its dimensions"):
        ss.save(xr.Dataset({"a": ("x", [1.0]), "b": ("y", [2.0])}), tmp_path / "plain.csv")
    assert list(tmp_path.iterdir()) == []
    plain = xr.Dataset({"density": ("frequency", [1.0, 4.0])}, {"frequency": [0.5, 1.0]})
    assert ss.save(plain, tmp_path / "plain.csv").read_text() == "frequency,density\n0.5,1.0\n1.0,4.0\n"


def test_a_sound_is_a_wav(run, tmp_path):
    with pytest.raises(ValueError, match=r"x.mp3' does not end with .wav"):
        ss.series.to_wav(run, tmp_path / "x.mp3")
    assert list(tmp_path.iterdir()) == []


def test_exponents_and_fits_are_tables():
    spectrum = ss.lyapunov(ss.models.block_on_belt(), t=100)
    assert spectrum.to_dataframe()["exponent"].tolist() == spectrum.exponents.tolist()
    v = np.linspace(0.01, 2, 200)
    fit = ss.identify.fit_law((v, 0.4 / (1 + 3 * v)), "hyperbolic")
    frame = fit.to_dataframe()
    assert frame.loc["delta", "value"] == pytest.approx(3.0, abs=1e-6)
    assert frame.loc["delta", "low"] <= 3.0 + 1e-9 and frame.loc["delta", "high"] >= 3.0 - 1e-9
    assert frame.loc["mu_s", "error"] == fit.estimate.error("mu_s")


def test_spreading_follows_labels_not_places():
    """A family of shapes: every number of a random Dataset is found in the column that its labels name."""
    random = np.random.default_rng(5)
    for _ in range(20):
        rows, a, b = random.integers(1, 5, 3)
        values = random.normal(size=(a, rows, b))
        labels = [f"c{i}" for i in random.permutation(a)]
        data = xr.Dataset({"q": (("a", "row", "b"), values)}, {"a": labels, "row": random.normal(size=rows)})
        frame = frames.frame(data, ["row"])
        assert frame.shape == (rows, a * b)
        for i, label in enumerate(labels):
            for j in range(b):
                assert frame[f"q.{label}.{j}"].tolist() == values[i, :, j].tolist()
