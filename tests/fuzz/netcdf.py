"""Result files: bytes of small ones changed, and attributes and variables that nobody would write."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import xarray as xr
from tests.fuzz.mutate import kept_bytes, mutated_bytes, mutated_text

CONVENTIONS = ("units", "_FillValue", "scale_factor", "add_offset", "coordinates", "dtype", "calendar", "new")
"""Attributes that mean something to readers of NetCDF."""

FOLDER = Path(tempfile.mkdtemp(prefix="stickslip-fuzz-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def draw(random: Random) -> bytes:
    """The bytes of a file."""
    if random.random() < 0.3:  # of whole files alone: HDF5 itself does not come back from some that are kept
        return _with_odd_things(random, random.choice(kept_bytes("netcdf", "valid*.nc")))
    files = kept_bytes("netcdf", "*.nc")
    return mutated_bytes(random, random.choice(files), random.choice(files))


def _with_odd_things(random: Random, data: bytes) -> bytes:
    import h5py

    path = FOLDER / "made.nc"
    path.write_bytes(data)
    with h5py.File(path, "r+") as file:
        for _ in range(random.choice((1, 1, 3))):
            if random.random() < 0.7:
                owner: Any = file if random.random() < 0.7 else file[random.choice(list(file))]
                name = random.choice((*file.attrs, *CONVENTIONS))
                before = owner.attrs.pop(name, None) if name not in ("DIMENSION_LIST", "REFERENCE_LIST") else None
                owner.attrs[name] = _attribute(random, before)
            else:
                _variable(random, file, h5py)
    return path.read_bytes()


def _attribute(random: Random, before: Any) -> Any:
    if isinstance(before, str) and before and random.random() < 0.5:
        return mutated_text(random, before).replace("\0", "").encode("utf-8", "replace").decode()[:30_000]
    texts = ("", "[" * 30_000, "{}", "[1]", '{"a": 1}', "null", "days since 1-1-1", "bool", "\x1b[31m", "\u202e")
    return random.choice((*texts, 1, -1.5, float("nan"), np.arange(3), np.zeros((0,)), np.float32(2), np.int8(1)))


def _variable(random: Random, file: Any, h5py: Any) -> None:
    name = random.choice((*file, "odd"))
    shape = random.choice(((), (0,), (3,), (2, 3), (10**12,), (1,) * 9))
    plain = ("f8", "i1", ">u4", "S5")
    odd = (h5py.string_dtype(), h5py.ref_dtype, np.dtype([("a", "f8")]), h5py.vlen_dtype("f8"))
    if name in file:
        if file[name].is_scale:
            return  # other variables hang on it
        del file[name]
    chunks = (10**4,) if shape == (10**12,) else None
    file.create_dataset(name, shape, random.choice(plain if chunks else (*plain, *odd)), chunks=chunks)


def judge(data: bytes) -> None:
    """Loaded and used; what cannot be is refused by ResultError alone."""
    import stickslip as ss

    path = FOLDER / "input.nc"
    path.write_bytes(data)
    try:
        found = ss.load(path)
    except ss.errors.ResultError as error:
        assert len(str(error)) < 2000 and "\x1b" not in str(error)
        return
    if isinstance(found, xr.Dataset) and found.attrs["format"] == "stickslip run 1":
        assert found["mode"].dims == ("time", "contact")
        try:
            if found.sizes["time"]:
                ss.interpolate(found, [float(found["time"][0])])
        except ss.errors.ResultError:
            pass
    elif isinstance(found, ss.Orbit):
        assert found.period > 0 and len(found.state) == len(found.model.states)
