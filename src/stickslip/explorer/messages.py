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
    """A header and arrays as one binary frame; what is not finite in the header is null, since JSON has no word for it.

    >>> data = frame({"id": 7, "interval": (-math.inf, 1.0)}, {"time": np.array([0.0, 1.0])})
    >>> header, arrays = unframed(data)
    >>> header["id"], header["interval"], arrays["time"].tolist()
    (7, [None, 1.0], [0.0, 1.0])
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
    text = _text({**header, "arrays": listed}).encode()
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


def _text(header: dict[str, Any]) -> str:
    """A header in JSON."""
    try:
        return json.dumps(header, default=_plain, allow_nan=False)
    except ValueError:  # few headers have such numbers, and to look for them takes longer than to write
        return json.dumps(_finite(header), allow_nan=False)


def _finite(value: Any) -> Any:
    """A value with None where a number is not finite."""
    if isinstance(value, float):
        return finite(value)
    if isinstance(value, Mapping):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return _finite(_plain(value)) if isinstance(value, np.generic | np.ndarray) else value


def _plain(value: Any) -> Any:
    """Numbers of numpy as those of Python."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be sent to the page")
