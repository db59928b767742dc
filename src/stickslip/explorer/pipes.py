"""Messages through the pipes between server and workers: a length, a number, a kind and bytes."""

from __future__ import annotations

import struct
from typing import IO, NamedTuple

_HEAD = struct.Struct("<IQB")

WORK, CANCEL = 1, 2
"""What a server sends: a job with its request, or the wish that a job ends."""

FRAME, DONE = 3, 4
"""What a worker sends: a frame for the page, or that a job has ended."""


class Message(NamedTuple):
    """A message: the number of the job, what it is, and its bytes."""

    number: int
    kind: int
    data: bytes = b""


def write(pipe: IO[bytes], message: Message) -> None:
    """Send a message."""
    pipe.write(_HEAD.pack(len(message.data), message.number, message.kind) + message.data)
    pipe.flush()


def read(pipe: IO[bytes]) -> Message | None:
    """The next message; None where the other side is gone."""
    head = pipe.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    length, number, kind = _HEAD.unpack(head)
    data = pipe.read(length)
    return Message(number, kind, data) if len(data) == length else None
