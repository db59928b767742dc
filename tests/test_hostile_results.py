"""Result files of strangers: refused in a sentence, quickly, without reading what is not theirs."""

import json
import time

import h5py
import numpy as np
import pytest
import xarray as xr

import stickslip as ss
from stickslip import reading


@pytest.fixture(scope="module")
def run():
    return ss.simulate(
        ss.models.block_on_belt(), t=15, samples=20, method=ss.Exact(target="python", order=8, rtol=1e-4)
    )


@pytest.fixture(scope="module")
def saved(run, tmp_path_factory):
    return ss.save(run, tmp_path_factory.mktemp("saved") / "run.nc").read_bytes()


@pytest.fixture(scope="module")
def orbit(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "orbit.nc"
    return ss.save(ss.find_orbit(ss.models.block_on_belt()), path).read_bytes()


@pytest.fixture
def path(saved, tmp_path):
    target = tmp_path / "run.nc"
    target.write_bytes(saved)
    return target


def refusal(path):
    """The sentence by which a file is refused, within a few seconds."""
    begin = time.perf_counter()
    with pytest.raises(ss.errors.ResultError) as caught:
        ss.load(path)
    assert time.perf_counter() - begin < 5
    message = str(caught.value)
    assert "\x1b" not in message and len(message) < 600
    return message


def replaced(path, name, make):
    """Another variable in the place of one of the file, along the same dimensions."""
    with h5py.File(path, "r+") as file:
        old = file[name]
        scales = [list(d.values()) for d in old.dims]
        del file[name]
        new = make(file, name)
        for i, attached in enumerate(scales):
            for scale in attached:
                new.dims[i].attach_scale(scale)


def test_a_run_comes_back(run, path):
    xr.testing.assert_identical(ss.load(path), run)


def test_data_in_another_file_is_not_read(path, tmp_path):
    secret = tmp_path / "secret.bin"
    secret.write_bytes(np.arange(20.0).tobytes())
    storage = [(str(secret), 0, 160)]
    replaced(path, "x.block", lambda f, n: f.create_dataset(n, (20,), "f8", external=storage))
    assert "'x.block' lie in another file" in refusal(path)


def test_a_virtual_variable_is_not_put_together(path, tmp_path):
    with h5py.File(tmp_path / "other.h5", "w") as other:
        other["data"] = np.arange(20.0)
    layout = h5py.VirtualLayout((20,), "f8")
    layout[:] = h5py.VirtualSource(tmp_path / "other.h5", "data", (20,))
    replaced(path, "x.block", lambda f, n: f.create_virtual_dataset(n, layout))
    assert "'x.block' is put together from other files" in refusal(path)


@pytest.mark.parametrize("link", [h5py.ExternalLink("/etc/passwd", "/"), h5py.SoftLink("/x.block")], ids=repr)
def test_links_are_not_followed(path, link):
    with h5py.File(path, "r+") as file:
        file["more"] = link
    assert "'more' is a link to" in refusal(path)


def test_a_bomb_is_not_unpacked(path):
    options = {"compression": "gzip", "compression_opts": 9, "chunks": (10**6,)}
    with h5py.File(path, "r+") as file:
        file.create_dataset("bomb", (10**11,), "f8", **options)
    assert "times the size of the file" in refusal(path)


def test_a_written_bomb_is_not_unpacked(path):
    with h5py.File(path, "r+") as file:
        file.create_dataset("bomb", data=np.zeros(3 * 10**7), compression="gzip", chunks=(10**6,))
    assert path.stat().st_size < 10**6
    assert "times the size of the file" in refusal(path)


@pytest.mark.parametrize("chunks", [None, (1000,)])
def test_one_long_text_named_often_is_not_copied(path, chunks):
    with h5py.File(path, "r+") as file:
        texts = file.create_dataset("texts", (100_000,), h5py.string_dtype(), chunks=chunks)
        texts[0] = "x" * 100_000
        stored = texts.id
        if chunks:
            first = stored.read_direct_chunk((0,))[1]
            for begin in range(0, 100_000, 1000):
                stored.write_direct_chunk((begin,), first[:16] * 1000)
        else:
            place = stored.get_offset()
    if not chunks:
        data = bytearray(path.read_bytes())
        data[place : place + 1_600_000] = bytes(data[place : place + 16]) * 100_000
        path.write_bytes(bytes(data))
    assert "times the size of the file" in refusal(path)


@pytest.mark.parametrize("filter", [32015, 32004, 4])
def test_unknown_filters_are_not_looked_for(path, filter):
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    properties.set_chunk((20,))
    try:
        properties.set_filter(filter, h5py.h5z.FLAG_OPTIONAL, (0,) if filter != 4 else (4, 8))
        with h5py.File(path, "r+") as file:
            space = h5py.h5s.create_simple((20,))
            h5py.h5d.create(file.id, b"odd", h5py.h5t.IEEE_F64LE, space, properties)
    except ValueError:
        pytest.fail("HDF5 does not create a variable with that filter")
    assert "needs the HDF5 filter" in refusal(path)


@pytest.mark.parametrize("kind", [
    np.dtype([("a", "f8"), ("b", "i4")]), h5py.vlen_dtype(np.float64), h5py.ref_dtype, h5py.opaque_dtype("M8[s]"),
    np.dtype(("f8", (3,))), np.dtype("c16"),
], ids=str)  # fmt: skip
def test_odd_types_are_refused(path, kind):
    with h5py.File(path, "r+") as file:
        file.create_dataset("odd", (3,), kind)
    assert "'odd' holds" in refusal(path)


@pytest.mark.parametrize("name, value", [
    ("parameters", "[" * 100_000),
    ("parameters", "[" * 500 + "]" * 500),
    ("parameters", "[1, 2]"),
    ("parameters", '{"a": "b"}'),
    ("parameters", 3.0),
    ("parameters", np.arange(5)),
    ("model", np.arange(5)),
    ("status", 1),
    ("format", np.arange(3)),
    ("format", 7.0),
    ("title", h5py.Empty("f8")),
    ("outcome", [b"a", b"b"]),
    ("note", np.array(["a", "b"], object)),
    ("note", np.zeros(2, [("a", "f8")])),
], ids=repr)  # fmt: skip
def test_hostile_attributes_of_runs(path, name, value):
    with h5py.File(path, "r+") as file:
        file.attrs.pop(name, None)
        if isinstance(value, np.ndarray) and value.dtype == object:
            file.attrs.create(name, value, dtype=h5py.string_dtype())
        else:
            file.attrs[name] = value
    assert str(path) in refusal(path)


@pytest.mark.parametrize("wrong", [
    "[" * 100_000, "[]", "{}", "3", "null", '{"method": {"name": "Exact", "rtol": {}}}', "text", 5.0,
    {"period": -1}, {"period": "1"}, {"start": []}, {"start": {}}, {"modes": [[0, 0]]}, {"modes": [[7]]},
    {"modes": 1}, {"events": [["stop", 99, 0]]}, {"states": [[1.0]]}, {"states": [[1.0, 2.0], [3.0]]},
    {"durations": [[]]}, {"scale": [1e999]}, {"turns": 1.5}, {"forcing": []}, {"multipliers": [[1]]},
    {"method": {"name": "Exact", "order": 10**9}}, {"method": {"name": "eval"}}, {"method": "Exact"},
    {"method": {"name": "Exact", "target": "../../etc"}}, {"parameters": {"belt.speed": []}},
    {"parameters": {"nothing": 1.0}},
], ids=lambda wrong: str(wrong)[:40])  # fmt: skip
def test_hostile_records_of_orbits(orbit, tmp_path, wrong):
    path = tmp_path / "orbit.nc"
    path.write_bytes(orbit)
    with h5py.File(path, "r+") as file:
        record = json.loads(file.attrs["orbit"])
        file.attrs["orbit"] = json.dumps(record | wrong) if isinstance(wrong, dict) else wrong
    refusal(path)


def test_an_orbit_comes_back(orbit, tmp_path):
    path = tmp_path / "orbit.nc"
    path.write_bytes(orbit)
    assert ss.load(path).period == pytest.approx(12.001031295)


@pytest.mark.parametrize("model", ["", "[mass.a]\nm = 1" + "0" * 5000, "x" * 2_000_000, "a.b" * 1000])
def test_hostile_models_of_orbits(orbit, tmp_path, model):
    path = tmp_path / "orbit.nc"
    path.write_bytes(orbit)
    with h5py.File(path, "r+") as file:
        del file.attrs["model"]
        file.attrs.create("model", model, dtype=h5py.string_dtype())
    refusal(path)


@pytest.mark.parametrize("name, make", [
    ("mode", lambda f, n: f.create_dataset(n, data=np.zeros((20, 1)))),
    ("time", None),
    ("event_contact", lambda f, n: f.create_dataset(n, data=np.zeros(f["event_time"].shape))),
], ids=["mode", "time", "event_contact"])  # fmt: skip
def test_variables_of_the_wrong_kind(path, name, make):
    if make is None:
        with h5py.File(path, "r+") as file:
            file["time"].attrs["scale_factor"] = "ten"
    else:
        replaced(path, name, make)
    refusal(path)


def test_no_escape_sequence_leaves_an_attribute(path):
    with h5py.File(path, "r+") as file:
        file.attrs["title"] = "safe\x1b]0;owned\x07\u202etxt.exe"
        file["x.block"].attrs["units"] = "m\x9b31m"
    loaded = ss.load(path)
    assert loaded.attrs["title"] == "safe\ufffd]0;owned\ufffd\ufffdtxt.exe"
    assert loaded["x.block"].attrs["units"] == "m\ufffd31m"


def test_a_unit_of_time_is_not_a_wish_for_dates(tmp_path):
    model = ss.models.block_on_belt()
    model = ss.System(*model.interactions.values(), time_unit="seconds")
    run = ss.simulate(model, t=5, method=ss.Exact(target="python", order=8, rtol=1e-4))
    xr.testing.assert_identical(ss.load(ss.save(run, tmp_path / "run.nc")), run)


@pytest.mark.parametrize("wrong", [3, None, "", "a\0b", b"run.nc"])
def test_what_is_no_name_of_a_file(wrong):
    with pytest.raises(ss.errors.ResultError):
        ss.load(wrong)


def test_a_deep_record_is_told_without_end():
    with pytest.raises(ss.errors.ResultError, match="nested"):
        reading.parsed("[" * 300 + "]" * 300, "parameters")
    assert reading.parsed('{"a": [1, {"b": 2}]}', "parameters") == {"a": [1, {"b": 2}]}
