"""The store of a stranger: codecs that would execute what they decode are not reached."""

import json
import os
import pickle

import pytest

import stickslip as ss
from stickslip.sweeps.checkpoint import FORMAT, Checkpoint


class Executed:
    """Leaves a mark when it is unpickled."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (str(self.mark),)


PICKLE = {"id": "pickle", "protocol": 5}
ZLIB = {"id": "zlib", "level": 1}


@pytest.fixture(scope="module")
def plan():
    return ss.plan_sweep(ss.models.block_on_belt(), {"belt.speed": [0.1, 0.2]}, times=(5, 5), chunk=2)


@pytest.mark.parametrize("codecs", [
    {"filters": [PICKLE], "compressor": None},
    {"filters": None, "compressor": PICKLE},
    {"filters": [ZLIB, PICKLE], "compressor": None},
    {"filters": [PICKLE, ZLIB], "compressor": None},
    {"filters": [PICKLE], "compressor": ZLIB},
], ids=str)  # fmt: skip
@pytest.mark.parametrize("kind", ["|i1", "|O"])
def test_nothing_is_unpickled(plan, tmp_path, codecs, kind):
    store, mark = tmp_path / "sweep.zarr", tmp_path / "executed"
    store.mkdir()
    (store / ".zgroup").write_text('{"zarr_format": 2}')
    sizes = [len(plan.points(chunk)) for chunk in plan.chunks]
    (store / ".zattrs").write_text(json.dumps({"format": FORMAT, "fingerprint": plan.fingerprint, "sizes": sizes}))
    for name in (*plan.layout, "done"):
        (store / name).mkdir()
        shape = {"zarr_format": 2, "shape": [1], "chunks": [1], "dtype": kind, "fill_value": None, "order": "C"}
        (store / name / ".zarray").write_text(json.dumps(shape | codecs))
        (store / name / "0").write_bytes(pickle.dumps(Executed(mark)))
    with pytest.raises(Exception):  # noqa: B017 - whatever it is, nothing of it was executed
        list(Checkpoint(store, plan))
    assert not mark.exists()
