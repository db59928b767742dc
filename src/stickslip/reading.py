"""Reading NetCDF files of anybody: looked over before data is read, checked after, every fault a sentence.

NetCDF files are HDF5 files, and HDF5 can do more than hold numbers: a dataset may lie in another file of this machine,
be put together from others, be declared larger than any memory, or ask for a filter that is a program of its own. Files
of results need none of that. What is read is data; none of it is executed.
"""

from __future__ import annotations

import json
import math
import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from stickslip.errors import ResultError
from stickslip.files import is_damaged
from stickslip.model.errors import shown, visible
from stickslip.result import FORMAT
from stickslip.status import Status

FILTERS = {1: "deflate", 2: "shuffle", 3: "fletcher32"}
"""Filters that HDF5 brings with it and that undo themselves in one way."""

SMALL = 64_000_000
LARGER = 50
"""What a file holds may take SMALL bytes in memory, or so many times its own size."""

DECODING: dict[str, Any] = {"decode_times": False, "decode_timedelta": False, "phony_dims": "access"}
"""Times are numbers here: "seconds" is a unit, not the wish for dates. Dimensions without names get some."""

MOST_OBJECTS = 10_000
MOST_DIMENSIONS = 8
MOST_JSON = 200
"""How deep records in attributes may be nested."""

RUN: dict[str, tuple[tuple[str, ...], str]] = {
    "time": (("time",), "f"),
    "contact": (("contact",), "text"),
    "state": (("state",), "text"),
    "mode": (("time", "contact"), "i"),
    "force": (("time", "contact"), "f"),
    "slip_velocity": (("time", "contact"), "f"),
    "event_time": (("event",), "f"),
    "event_contact": (("event",), "text"),
    "event_before": (("event",), "i"),
    "event_after": (("event",), "i"),
    "event_state": (("event", "state"), "f"),
}
STEPS: dict[str, tuple[tuple[str, ...], str]] = {
    "step_start": (("step",), "f"),
    "step_length": (("step",), "f"),
    "step_mode": (("step", "contact"), "i"),
    "step_state": (("step", "state", "power"), "f"),
    "step_slip_velocity": (("step", "contact", "power"), "f"),
    "step_force": (("step", "contact", "power"), "f"),
}
"""The variables of a run with their dimensions and kinds: those that all have, and the dense output."""


def load(path: str | Path) -> xr.Dataset:
    """Read a run back, equal to what was saved."""
    return checked(read(path), path)


def read(path: str | Path) -> xr.Dataset:
    """Whatever labelled data a NetCDF file holds."""
    if not isinstance(path, str | os.PathLike) or not str(path):
        raise ResultError(f"{shown(path)} is not the name of a file")
    path = Path(path)
    try:
        there = path.is_file()
    except ValueError:  # a name with a zero in it
        there = False
    if not there:
        raise ResultError(f"there is no file {str(path)!r}")
    with _faults(path, "cannot be read: it is not a NetCDF file, or it is damaged or cut short"):
        if is_damaged(path):
            raise ResultError("it is damaged: its checksum is not that of its content. Use a copy of it, if any")
        _look_over(path)
        with xr.open_dataset(path, engine="h5netcdf", **DECODING) as file:
            return _with_outcome(_shown_safely(file.load()))


@contextmanager
def _faults(path: str | Path, what: str) -> Iterator[None]:
    """Whatever goes wrong with the file of somebody else is a sentence about that file."""
    try:
        yield
    except ResultError as error:
        raise ResultError(visible(f"{str(path)!r} cannot be used: {error}")) from None
    except Exception as error:
        reason = visible(" ".join(str(error).split())[:120])
        raise ResultError(f"{visible(repr(str(path)))} {what} ({reason})") from None


# -- before data is read -------------------------------------------------------------------------------------------


def _look_over(path: Path) -> None:
    """Refuse what a file of results has no use for, and what would not fit into memory."""
    import h5py

    _check_heaps(path)
    room = SMALL + LARGER * path.stat().st_size
    with h5py.File(path, "r") as file:
        if len(file) > MOST_OBJECTS:
            raise ResultError(f"it has {len(file)} variables: at most {MOST_OBJECTS} are read")
        room -= _attributes(file, "the file", room)
        for name in file:
            link = file.get(name, getlink=True)
            if not isinstance(link, h5py.HardLink):
                raise ResultError(f"{name!r} is a link to {_target(link)}: a file of results holds its data itself")
            found = file[name]
            if isinstance(found, h5py.Dataset):
                room -= _dataset(found, name)
                room -= _attributes(found, name, room)
            if room < 0:
                raise ResultError(
                    f"its variables up to {name!r} take more than {LARGER} times the size of the file in memory"
                )


HEAP = b"GCOL\x01\0\0\0"
"""How HDF5 begins a heap, in which texts of any length lie: this, its size, then objects one after the other."""


def _check_heaps(path: Path) -> None:
    """Refuse heaps whose objects do not follow each other: HDF5 walks through them, in circles where a size is zero."""
    if path.stat().st_size == 0:
        raise ResultError("it is empty")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        begin = data.find(HEAP)
        while begin >= 0:
            if begin % 8 == 0:
                _walk(data, begin)
            begin = data.find(HEAP, begin + 1)


def _walk(data: mmap.mmap, begin: int) -> None:
    end = begin + _whole(data, begin + 8, 8)
    here = begin + 16
    while here + 16 <= end <= len(data):
        size = _whole(data, here + 8, 8)
        free = _whole(data, here, 2) == 0  # what is free counts its own head, and comes last
        here += size if free else 16 + (size + 7) // 8 * 8
        if free:
            break
    if not end - 16 < here <= end:
        raise ResultError("its heap of texts is damaged")


def _whole(data: mmap.mmap, place: int, width: int) -> int:
    return int.from_bytes(data[place : place + width], "little")


def _target(link: Any) -> str:
    where = getattr(link, "filename", None)
    return f"the file {where!r}" if where is not None else "something else"


def _dataset(dataset: Any, name: str) -> int:
    """The bytes that a variable takes in memory; a ResultError where it is not plain data in this file."""
    properties = dataset.id.get_create_plist()
    if properties.get_external_count() > 0:
        raise ResultError(f"the data of {name!r} lie in another file: a file of results holds its data itself")
    if dataset.is_virtual:
        raise ResultError(f"{name!r} is put together from other files: a file of results holds its data itself")
    filters = [properties.get_filter(i)[0] for i in range(properties.get_nfilters())]
    for code in filters:
        if code not in FILTERS:
            raise ResultError(f"{name!r} needs the HDF5 filter {code}: allowed are {', '.join(FILTERS.values())}")
    if dataset.shape is None or len(dataset.shape) > MOST_DIMENSIONS:
        raise ResultError(f"{name!r} has the shape {dataset.shape}: at most {MOST_DIMENSIONS} dimensions are read")
    count = math.prod(dataset.shape)
    if _is_text(dataset.id.get_type()):
        return _text_bytes(dataset, name, count, filters)
    if dataset.dtype.kind not in "iufbS" or dataset.dtype.subdtype is not None:
        raise ResultError(f"{name!r} holds {dataset.dtype}: results are numbers and texts")
    return int(count * dataset.dtype.itemsize)


def _is_text(kind: Any) -> bool:
    """Whether an HDF5 type is a text of any length."""
    import h5py

    return isinstance(kind, h5py.h5t.TypeStringID) and bool(kind.is_variable_str())


def _text_bytes(dataset: Any, name: str, count: int, filters: list[int]) -> int:
    """The bytes of texts of any length. Each entry is a length and a place, and many may name the same long text:
    so the lengths are read and added up, without the texts."""
    import h5py

    if filters:
        raise ResultError(f"the texts of {name!r} are compressed: only numbers are read compressed")
    size, place = dataset.id.get_type().get_size(), dataset.id.get_offset()
    layout = dataset.id.get_create_plist().get_layout()
    total = count * 64
    if layout == h5py.h5d.CONTIGUOUS and place is not None:
        with open(dataset.file.filename, "rb") as raw:
            raw.seek(place)
            entries = raw.read(count * size)
        total += _lengths(entries, size)
    elif layout == h5py.h5d.CHUNKED:
        for i in range(dataset.id.get_num_chunks()):
            total += _lengths(dataset.id.read_direct_chunk(dataset.id.get_chunk_info(i).chunk_offset)[1], size)
    elif layout == h5py.h5d.COMPACT and count > 64:
        raise ResultError(f"the texts of {name!r} are stored in an unusual way")
    return total


def _lengths(entries: bytes, size: int) -> int:
    whole = len(entries) // size * size
    return int(np.frombuffer(entries[:whole], np.uint8).reshape(-1, size)[:, :4].copy().view("<u4").sum(dtype=np.int64))


HIDDEN = ("DIMENSION_LIST", "REFERENCE_LIST")
"""Attributes by which NetCDF ties variables to dimensions: references, which only the library reads."""


def _attributes(owner: Any, name: str, room: int) -> int:
    """The bytes of the attributes of a variable or of the file; a ResultError where one is not plain data."""
    total = 0
    if len(owner.attrs) > MOST_OBJECTS:
        raise ResultError(f"{name!r} has {len(owner.attrs)} attributes")
    for key in owner.attrs:
        if key in HIDDEN:
            continue
        attribute = owner.attrs.get_id(key)
        count = math.prod(attribute.shape)
        if _is_text(attribute.get_type()):
            if count > 1:
                raise ResultError(f"the attribute {key!r} of {name!r} is a list of texts: one text is read")
            total += 1000
        else:
            if attribute.dtype.kind not in "iufbS" or attribute.dtype.subdtype is not None:
                raise ResultError(f"the attribute {key!r} of {name!r} holds {attribute.dtype}")
            total += int(count * attribute.dtype.itemsize)
        if total > room:
            raise ResultError(f"the attributes of {name!r} take more memory than the file is worth")
    return total


# -- after data is read --------------------------------------------------------------------------------------------


def _shown_safely(data: xr.Dataset) -> xr.Dataset:
    """The data with texts that no terminal obeys: titles and units are printed sooner or later."""
    for attributes in (data.attrs, *(data[name].attrs for name in data.variables)):
        for key, value in attributes.items():
            if isinstance(value, str):
                attributes[key] = visible(value)
    return data


def _with_outcome(data: xr.Dataset) -> xr.Dataset:
    """What was read, with the name of its outcome: files of earlier versions have no more than its sentence."""
    sentence = str(data.attrs.get("status", ""))
    if sentence and "outcome" not in data.attrs:
        other = Status.FINISHED if sentence == "The sweep is complete." else Status.NOT_COMPUTED
        ended = next((status for status in Status if sentence.startswith(status.value)), other)
        data.attrs["outcome"] = ended.word
    return data


def checked(run: xr.Dataset, path: str | Path) -> xr.Dataset:
    """A run as it was read, if it is one and whole."""
    path = Path(path)
    kind = run.attrs.get("format", "not given")
    if not isinstance(kind, str) or kind != FORMAT:
        raise ResultError(
            f"{str(path)!r} is not a run written by stickslip (its format is {shown(kind)}, expected {FORMAT!r})"
        )
    named = [str(name) for name in np.ravel(run["state"].values)] if "state" in run else []
    missing = [name for name in (*RUN, *named) if name not in run]
    if missing:
        listed = ", ".join(missing[:10]) + (", …" if len(missing) > 10 else "")
        raise ResultError(f"{str(path)!r} is not a whole run: {visible(listed)} is missing")
    with _faults(path, "is not a run"):
        _check_layout(run, RUN | dict.fromkeys(named, (("time",), "f")) | (STEPS if "step_start" in run else {}))
        _check_attributes(run)
    for name, (_, kind) in RUN.items():
        if kind == "text":
            run[name] = (run[name].dims, run[name].values.astype(np.str_), run[name].attrs)
    return run


def _check_layout(run: xr.Dataset, layout: dict[str, tuple[tuple[str, ...], str]]) -> None:
    for name, (dimensions, kind) in layout.items():
        if name not in run:
            raise ResultError(f"the variable {name!r} is missing")
        variable = run[name]
        if variable.dims != dimensions:
            raise ResultError(f"{name!r} lies along {variable.dims}, not along {dimensions}")
        found = variable.dtype.kind
        texts = found == "U" or (found == "O" and all(isinstance(text, str) for text in variable.values.flat))
        # An empty array of texts comes back as one of numbers.
        if variable.size and not (texts if kind == "text" else found in "iuf" if kind == "f" else found in "iu"):
            raise ResultError(f"{name!r} holds {variable.dtype}, which is no {'text' if kind == 'text' else 'number'}")


def _check_attributes(run: xr.Dataset) -> None:
    for name in ("model_name", "title", "model", "method", "status", "outcome", "time_unit"):
        if not isinstance(run.attrs.get(name, ""), str):
            raise ResultError(f"the attribute {name!r} is not a text")
    values = parsed(run.attrs.get("parameters", "{}"), "parameters")
    if not isinstance(values, dict) or not all(isinstance(value, int | float) for value in values.values()):
        raise ResultError("the attribute 'parameters' is not a table of numbers")


def parsed(text: Any, name: str) -> Any:
    """The record in an attribute; a ResultError where it is none, or nested without end."""
    if not isinstance(text, str):
        raise ResultError(f"the attribute {name!r} is not a text")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise ResultError(f"the attribute {name!r} cannot be read as JSON") from None
    _check_depth(found, name)
    return found


def _check_depth(found: Any, name: str) -> None:
    level = [found]
    for _ in range(MOST_JSON):
        inner = [x.values() if isinstance(x, dict) else x for x in level if isinstance(x, dict | list)]
        level = [entry for entries in inner for entry in entries]
        if not level:
            return
    raise ResultError(f"the attribute {name!r} is nested more than {MOST_JSON} deep")
