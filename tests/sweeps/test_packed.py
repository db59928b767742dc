"""Rows that are kept packed, a cycle of them once: what is seen of them is what is there."""

import pickle
from pathlib import Path

import numpy as np
import pytest
import xarray as xr

import stickslip as ss
from stickslip.sweeps import prepare, ragged
from stickslip.sweeps.packed import Pieces, Ragged, Rows, Words
from stickslip.sweeps.sequences import begun_alike, kinds_of

FORCED, BELT = ss.models.forced_oscillator("III"), ss.models.block_on_belt()
ETAS = {"base.eta": np.linspace(0.6, 2.6, 260)}
GRID = {"belt.speed": np.linspace(0.05, 0.4, 20), "block.m": np.linspace(1.0, 2.0, 13)}


def by_hand(way: Ragged, packed: np.ndarray, point: int, moves: bool) -> list[float]:
    """The rows of a point, one after the other."""
    first, kept, count = int(way.first[point]), int(way.kept[point]), int(way.count[point])
    rows = [float(packed[first + i]) for i in range(kept)]
    while len(rows) < count:
        rows.append(rows[-int(way.cycle[point])] + (float(way.length[point]) if moves else 0.0))
    return rows


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("moves", [True, False])
def test_lines_are_what_the_rows_are(seed: int, moves: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random points, in any order, some without rows, some with a cycle that comes again; few at a time."""
    monkeypatch.setattr("stickslip.sweeps.packed.BLOCK", 30)
    random = np.random.default_rng(seed)
    count = 40
    kept = random.integers(0, 6, count)
    cycle = np.where(random.random(count) < 0.5, random.integers(0, kept + 1), 0)
    total = kept + np.where(cycle > 0, random.integers(0, 12, count), 0)
    order = random.permutation(count)
    first = np.empty(count, int)
    first[order] = np.cumsum(kept[order]) - kept[order]
    way = Ragged(first, kept, total, cycle, random.integers(1, 9, count).astype(float))
    packed = random.integers(0, 1000, kept.sum()).astype(float)
    rows = Rows((5, 8), Pieces(np.split(packed, np.sort(random.integers(0, len(packed), 3)))), way, np.nan, moves)
    lines = np.asarray(rows.lazy).reshape(count, -1)
    assert lines.shape[1] == total.max()
    for point in range(count):
        wanted = by_hand(way, packed, point, moves)
        assert lines[point, : total[point]].tolist() == wanted
        assert np.isnan(lines[point, total[point] :]).all()


def unfolded_at_once(monkeypatch: pytest.MonkeyPatch, size: float) -> None:
    monkeypatch.setattr(ragged, "AT_ONCE", size)


SWEEPS = {
    "releases": (FORCED, ETAS, {"periods": (100, 40)}),
    "few rows": (FORCED, ETAS, {"periods": (100, 40), "most": 7}),
    "grid": (BELT, GRID, {"times": (100, 60)}),
    "carried": (BELT, GRID, {"times": (100, 60), "carry": "down"}),
    "several": (
        FORCED,
        ETAS,
        {"periods": (100, 40), "observe": [ss.observe.StickToSlip(), ss.observe.Strobe(), ss.observe.Signature()]},
    ),
}


@pytest.mark.parametrize("name", SWEEPS)
def test_what_is_seen_is_the_same_whether_it_is_made_at_once_or_later(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    model, over, asked = SWEEPS[name]
    plan = ss.plan_sweep(model, over, chunk=77, **asked)
    results = {chunk.index: plan.run(chunk) for chunk in plan.chunks}
    unfolded_at_once(monkeypatch, 1e12)
    dense = plan.assemble(results)
    unfolded_at_once(monkeypatch, 0)
    lazy = plan.assemble(results)
    rows = [name for name, each in lazy.data_vars.items() if any("record" in str(d) for d in each.dims)]
    assert rows and not any(lazy[name].variable._in_memory for name in rows)
    xr.testing.assert_identical(lazy, dense)
    first = next(iter(over))
    for part in ({first: 3}, {first: [5, 2]}, {first: slice(9, 2, -3)}):
        xr.testing.assert_identical(lazy.isel(part), dense.isel(part))
    for again in (
        ss.Sweep.of(lazy.packed()),
        ss.Sweep.of(dense.packed()),
        ss.Sweep.of(lazy.packed(folded=True)),
        pickle.loads(pickle.dumps(lazy)),
    ):
        xr.testing.assert_identical(again.load(), dense)
    for file in (ss.save(lazy, tmp_path / "lazy.nc"), ss.save(dense, tmp_path / "dense.nc")):
        xr.testing.assert_equal(ss.load(file).load(), dense)
    xr.testing.assert_identical(lazy.packed(), dense.packed())


def test_packed_rows_are_those_of_the_points_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """With `carry` the chunks have other points than the lines of the grid."""
    unfolded_at_once(monkeypatch, 0)
    data = ss.sweep(BELT, GRID, times=(100, 60), carry="up", chunk=77)
    rows = data.packed()
    assert rows["row_size"].attrs["sample_dimension"] == "sample" and rows["row_size"].dims == tuple(GRID)
    sizes = rows["row_size"].values.ravel()
    assert sizes.sum() == rows.sizes["sample"] == int(data["count"].sum())
    places = np.cumsum(sizes) - sizes
    lines = data["x.block"].values.reshape(len(sizes), -1)
    for point in (0, 17, 259):
        begin, size = places[point], sizes[point]
        np.testing.assert_array_equal(rows["x.block"].values[begin : begin + size], lines[point, :size])


def test_a_cycle_is_kept_once() -> None:
    """The limit cycle of a belt has one release: two rows tell of dozens."""
    data = ss.sweep(BELT, {"belt.speed": np.linspace(0.05, 0.4, 4000)}, times=(300, 600))
    kept = data.packed(folded=True)
    assert kept.sizes["sample"] < 0.1 * int(data["count"].sum())
    assert kept["repeat_rows"].values.min() >= 1
    unfolded = data.packed()
    assert unfolded.sizes["sample"] == int(data["count"].sum())
    assert "repeat_rows" not in unfolded
    assert (np.diff(unfolded["record_time"].values)[: int(data["count"][0]) - 1] > 0).all()


def test_files_hold_packed_rows(tmp_path: Path) -> None:
    data = ss.sweep(BELT, {"belt.speed": np.linspace(0.05, 0.4, 4000)}, times=(300, 600))
    path = ss.save(data, tmp_path / "belt.nc")
    assert path.stat().st_size < 0.5 * data.nbytes
    with xr.open_dataset(path, engine="h5netcdf") as file:
        assert file["row_size"].attrs["sample_dimension"] == "sample"
        assert file["x.block"].dims == ("sample",)


@pytest.mark.parametrize(
    ("name", "change", "sentence"),
    [
        ("row_size", lambda v: v + 1, "does not fit to the rows"),
        ("row_size", lambda v: -v, "does not fit to the rows"),
        ("repeat_rows", lambda v: v * 0, "does not fit to the rows"),
        ("repeat_rows", lambda v: v + 100, "does not fit to the rows"),
        ("count", lambda v: v * 0, "does not fit to the rows"),
        ("count", None, "cannot be told apart"),
    ],
)
def test_rows_that_do_not_fit_are_refused(name: str, change, sentence: str) -> None:
    data = ss.sweep(BELT, {"belt.speed": np.linspace(0.05, 0.4, 10_000)}, times=(100, 200)).packed(folded=True)
    damaged = data.drop_vars(name) if change is None else data.assign({name: data[name].copy(data=change(data[name]))})
    with pytest.raises(ss.errors.ResultError, match=sentence):
        ss.Sweep.of(damaged)


def test_what_outgrows_memory_ends_with_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """How much motions record is known when they have: the limit is for what is kept, not for what `most` allows."""
    plan = ss.plan_sweep(FORCED, ETAS, periods=(100, 40), most=10**6, shortcut=False, chunk=20)
    size = sum(array.nbytes for array in plan.run(plan.chunks[0]).values())
    monkeypatch.setattr(prepare, "MOST_BYTES", 3.5 * size)
    with pytest.raises(ss.errors.UnfinishedSweep, match=r"give checkpoint=FOLDER") as caught:
        ss.sweep(FORCED, ETAS, periods=(100, 40), most=10**6, shortcut=False, chunk=20, threads=1)
    assert 20 <= (caught.value.partial["status"] == 0).sum() < 260
    monkeypatch.setattr(prepare, "MOST_BYTES", 100 * size)
    assert (ss.sweep(FORCED, ETAS, periods=(100, 40), most=10**6, shortcut=False)["status"] == 0).all()


def test_words_that_many_points_share_are_found_when_they_are_asked_for() -> None:
    """A map whose text would be as long as its longest word at every point."""
    random = np.random.default_rng(4)
    words = ["", *("stick → slip- " * int(random.integers(1, 40)) for _ in range(30))]
    kind = random.integers(0, len(words), 60 * 70)
    few, many = Words((6, 7), words, kind[:42]), Words((60, 70), words, kind)
    assert few.found.tolist() == np.array(words)[kind[:42]].reshape(6, 7).tolist() and few.found.dtype.kind == "U"
    lazy = xr.Variable(("a", "b"), many.found)
    wanted = np.array(words)[kind].reshape(60, 70)
    assert lazy.dtype == object and lazy.values.tolist() == wanted.tolist()
    assert lazy[3:50:7, 5].values.tolist() == wanted[3:50:7, 5].tolist()


@pytest.mark.parametrize("seed", range(5))
def test_sequences_are_told_apart(seed: int) -> None:
    """Random sequences of few kinds, and cycles turned by chance, against a search by hand."""
    random = np.random.default_rng(seed)
    contacts = int(random.integers(1, 4))
    kinds = [random.integers(-1, 2, (int(random.integers(0, 9)), contacts)).astype(np.int8) for _ in range(6)]
    chosen = [kinds[i] for i in random.integers(0, 6, 50)]
    turned = [np.roll(each, random.integers(0, 9), axis=0) for each in chosen]
    lengths = np.array([len(each) for each in turned])
    modes = np.concatenate(turned)
    one_of, kind = kinds_of(lengths, modes)
    for i, each in enumerate(turned):
        assert np.array_equal(turned[one_of[kind[i]]], each)
    different = {each.tobytes() for each in turned}
    assert len(one_of) == len(different)
    alike = np.split(begun_alike(lengths, modes), np.cumsum(lengths)[:-1])
    for i in range(50):
        turns = [np.roll(turned[i], k, axis=0) for k in range(max(1, lengths[i]))]
        reading = min(turns, key=lambda turn: [2 * abs(m) + (m < 0) for m in turn.ravel().tolist()])
        assert np.array_equal(alike[i], reading)
