"""What goes between page, server and workers, as bytes: see docs/explorer-protocol.md."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

ALIGNED = 8
"""Arrays begin at multiples of this, so that a page can look at them where they are."""

DTYPES: Mapping[str, np.dtype[Any]] = {
    "f8": np.dtype("<f8"),
    "f4": np.dtype("<f4"),
    "i4": np.dtype("<i4"),
    "i1": np.dtype("i1"),
}
_LENGTH = struct.Struct("<I")


def frame(header: Mapping[str, Any], arrays: Mapping[str, Any] | None = None) -> bytes:
    """A header and arrays as one binary frame.

    >>> data = frame({"id": 7}, {"time": np.array([0.0, 1.0])})
    >>> header, arrays = unframed(data)
    >>> header["id"], arrays["time"].tolist()
    (7, [0.0, 1.0])
    """
    parts: list[bytes] = []
    listed: list[dict[str, Any]] = []
    offset = 0
    for name, values in (arrays or {}).items():
        array = np.ascontiguousarray(values)
        kind = f"{array.dtype.kind}{array.dtype.itemsize}"
        data = array.astype(DTYPES[kind], copy=False).tobytes()
        listed.append({"name": name, "dtype": kind, "shape": list(array.shape), "offset": offset})
        padded = data + bytes(-len(data) % ALIGNED)
        parts.append(padded)
        offset += len(padded)
    text = json.dumps({**header, "arrays": listed}, default=_plain, allow_nan=False).encode()
    text += b" " * (-(len(text) + _LENGTH.size) % ALIGNED)
    return b"".join([_LENGTH.pack(len(text)), text, *parts])


def unframed(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The header and the arrays of a frame."""
    (length,) = _LENGTH.unpack_from(data)
    begin = _LENGTH.size + length
    header: dict[str, Any] = json.loads(data[_LENGTH.size : begin])
    arrays = {}
    for each in header["arrays"]:
        count = math.prod(each["shape"])
        found = np.frombuffer(data, DTYPES[each["dtype"]], count, begin + each["offset"])
        arrays[each["name"]] = found.reshape(each["shape"])
    return header, arrays


def finite(value: Any) -> float | None:
    """A number as JSON has it: None where there is none."""
    number = float(value)
    return number if math.isfinite(number) else None


def _plain(value: Any) -> Any:
    """Numbers of numpy as those of Python."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be sent to the page")
