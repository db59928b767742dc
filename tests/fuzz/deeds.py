"""Inputs that do what no input may do: they show that the long run would notice."""

from __future__ import annotations

import os
import socket
import tempfile
from pathlib import Path
from random import Random

DEEDS = ("nothing", "crash", "command", "code", "write", "socket", "error", "memory", "recursion")


def draw(random: Random) -> str:
    return random.choice(DEEDS)


def judge(deed: str) -> None:
    """Do it."""
    match deed:
        case "crash":
            os.abort()
        case "command":
            os.system("true")
        case "code":
            exec("1 + 1")
        case "write":
            Path(tempfile.gettempdir(), "..", "stickslip-fuzz-elsewhere").write_text("here")
        case "socket":
            socket.socket().close()
        case "error":
            raise TypeError("not a sentence")
        case "memory":
            bytearray(2 * 10**9)
        case "recursion":
            judge(deed)
