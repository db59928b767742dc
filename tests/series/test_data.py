"""A series is made from runs, events, tables and arrays; what cannot be one is refused with a sentence."""

import numpy as np
import pytest

import stickslip as ss
from stickslip.errors import SeriesError
from stickslip.series import Series, from_csv, from_events, from_run


@pytest.fixture(scope="module")
def run():
    return ss.simulate(ss.models.two_blocks(), t=60)


def test_samples_of_a_run_are_exact(run):
    series = from_run(run, "x.block2", interval=0.07, after=10, until=50)
    times = 10 + 0.07 * np.arange(len(series))
    assert np.array_equal(series.values, ss.interpolate(run, times)["x.block2"].values)
    assert series.interval == 0.07 and times[-1] <= 50 < times[-1] + 0.07
    assert repr(series) == "<Series x.block2: 572 values, every 0.07>"


def test_the_end_of_a_run_is_among_its_samples(run):
    assert len(from_run(run, "x.block1", interval=0.1)) == 601


@pytest.mark.parametrize("quantity", ["force.contact2", "slip_velocity.contact1"])
def test_forces_and_sliding_velocities(run, quantity):
    series = from_run(run, quantity, interval=0.5)
    name, contact = quantity.split(".")
    expected = ss.interpolate(run, 0.5 * np.arange(len(series)))[name].sel(contact=contact)
    assert np.array_equal(series.values, expected.values)


def test_the_default_interval_follows_the_motion():
    run = ss.simulate(ss.models.block_on_belt(), t=240)
    assert from_run(run, "x.block").interval == pytest.approx(12.001 / 32, rel=0.01)
    # With a single contact its name may be left out.
    assert np.array_equal(from_run(run, "force").values, from_run(run, "force.contact").values)


def test_events_of_a_run(run):
    series = from_events(run, "x.block1", contact="contact1")
    mine = (run["event_contact"] == "contact1") & (run["event_before"] == 0) & (run["event_after"] != 0)
    assert np.array_equal(series.values, run["event_state"].values[mine.values, 0])
    assert not series.sampled and series.clock == "event"
    assert series.cycle == pytest.approx(float(np.mean(np.diff(run["event_time"].values[mine.values]))))
    assert len(from_events(run, "x.block1", "slip_to_stick")) > 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda run: from_run(run, "x.blok1"), r"no quantity 'x.blok1' .* \(did you mean 'x.block1'\?\)"),
        (lambda run: from_run(run, "force"), "no quantity 'force' .*force.contact1"),
        (lambda run: from_run(run, "force.contact3"), "no contact 'force.contact3'|no contact 'contact3'"),
        (lambda run: from_run(run, "x.block1", interval=-1), "interval is -1: it must be a positive number"),
        (lambda run: from_run(run, "x.block1", after=100), "covers 0 to 60"),
        (lambda run: from_events(run, "y"), "no state 'y'"),
        (lambda run: from_events(run, "x.block1", "slip"), "no change 'slip'"),
        (lambda run: from_events(run, "x.block1", contact="contact3"), "no contact 'contact3'"),
        (lambda run: Series([[1.0, 2.0]]), "a row of numbers"),
        (lambda run: Series([1.0, np.nan, 2.0], name="x"), "1 values that are not finite, the first at place 1"),
        (lambda run: Series(["a"]), "not all numbers"),
        (lambda run: Series([1.0], interval=0), "must be a positive number"),
    ],
)
def test_what_is_refused(run, call, message):
    with pytest.raises(SeriesError, match=message):
        call(run)


def test_a_run_without_dense_output(run):
    with pytest.raises(ValueError, match="dense=True"):
        from_run(ss.simulate(ss.models.block_on_belt(), t=10, dense=False), "x.block")


def written(folder, text):
    path = folder / "table.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table(tmp_path, separator):
    rows = ["time [s],x (mm),force", "# measured on a Monday", "0.0,1.5,2", "", "0.1,-1.25e1,3", "0.2,1.75,4"]
    path = written(tmp_path, "\n".join(rows).replace(",", separator))
    series = from_csv(path, "x")
    assert series.values.tolist() == [1.5, -12.5, 1.75] and series.interval == pytest.approx(0.1)
    assert (series.name, series.unit, series.time_unit) == ("x", "mm", "s")
    assert from_csv(path, "x (mm)").values.tolist() == series.values.tolist()
    assert from_csv(path, "force", interval=0.5).interval == 0.5
    assert not from_csv(path, "force", events=True).sampled


def test_a_table_without_heads(tmp_path):
    path = written(tmp_path, "0.00 5\n0.25 6\n0.50 7\n")
    assert from_csv(path, "2", time="1").interval == 0.25


@pytest.mark.parametrize("text", ["t/s,x/mm\n0,1\n1,2\n", "t [s]  x [mm]\n0  1\n1  2\n", "t (s)\tx (mm)\n0\t1\n1\t2\n"])
def test_heads_are_read_as_those_of_measurements(tmp_path, text):
    path = written(tmp_path, text)
    series, table = from_csv(path, "x"), ss.identify.read(path, si=False)
    assert (series.name, series.unit, series.time_unit) == ("x", "mm", "s") and table.units == {"t": "s", "x": "mm"}
    assert series.values.tolist() == table["x"].tolist() == [1.0, 2.0]


def test_rounded_times_are_even(tmp_path):
    path = written(tmp_path, "t,x\n" + "".join(f"{i / 3:.2f},{i}\n" for i in range(50)))
    assert from_csv(path, "x").interval == pytest.approx(1 / 3, rel=1e-3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t,x\n0,1\n1,two\n", r"line 3: 'two' for 'x' is not a number"),
        ("t;x\n0;1\n1;2,5\n", r"line 3: '2,5' for 'x' is not a number; write decimals with a point"),
        ("t,x\n0,1\n\n1\n", r"line 4: there is no value for 'x'"),
        ("t,x\n0,1\n1,\n", r"line 3: there is no value for 'x'"),
        ("t,x\n0,1\n1,nan\n", r"line 3: 'nan' for 'x' is not finite"),
        ("t,x\n0,1\n1,2\n2,3\n4,4\n5,5\n", r"line 5: the time goes on by 2 here and by 1 elsewhere"),
        ("t,x\n3,1\n2,2\n1,3\n", "do not increase"),
        ("t,x\n", "no rows below them"),
        ("", "is empty"),
        ("a,x\n0,1\n1,2\n", "no column called t or time"),
        ("t,y\n0,1\n1,2\n", "there is no column 'x' .* there are: t, y"),
    ],
)
def test_a_bad_table_is_refused_with_the_line(tmp_path, text, message):
    with pytest.raises(SeriesError, match=message):
        from_csv(written(tmp_path, text), "x")


def test_a_file_that_is_no_table(tmp_path):
    (tmp_path / "noise.csv").write_bytes(bytes(range(256)))
    with pytest.raises(SeriesError, match="no text in UTF-8"):
        from_csv(tmp_path / "noise.csv", "x")
    with pytest.raises(SeriesError, match="there is no file"):
        from_csv(tmp_path / "absent.csv", "x")
