"""Twenty pages that drag a slider at the same time: how long each waits for its curve, and what is left afterwards.

    python bench/explorer_load.py [--clients 20] [--seconds 60] [--model block_on_belt]

Each page asks for the next motion when the one before has come, at most sixty times a second, as the page itself does.
Server and workers are processes of their own; so is this one, which decodes what it gets. Memory is that of the server
and of all its workers: warm before, after a minute, and some seconds after all have left.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

from websockets.asyncio.client import connect

from stickslip.explorer.messages import unframed

EVENT = 1 / 60
"""Seconds between two events of a slider."""


async def asked(socket, number: int, job: str, view: dict, **more: object) -> tuple[dict, dict]:
    await socket.send(json.dumps({"id": number, "channel": job, "job": job, "view": view, **more}))
    while True:
        header, arrays = unframed(await socket.recv())
        if header["id"] == number and header["done"]:
            return header, arrays


async def drag(url: str, model: str, which: int, seconds: float, taken: list[float], errors: list[str]) -> None:
    async with connect(url, max_size=None) as socket:
        header, _ = await asked(socket, 0, "describe", {"model": {"library": model}})
        view = header["view"]
        name, low, high = (view["diagram"][key] for key in ("parameter", "low", "high"))
        end, number = time.monotonic() + seconds, 1
        while time.monotonic() < end:
            begin = time.perf_counter()
            part = ((number + 13 * which) % 200) / 200
            changed = {**view, "parameters": {name: low + (high - low) * part}}
            header, arrays = await asked(socket, number, "motion", changed, samples=2000)
            if "error" in header or len(arrays["time"]) < 2:
                errors.append(str(header))
            taken.append(time.perf_counter() - begin)
            number += 1
            await asyncio.sleep(max(0.0, EVENT - taken[-1]))


def family(parent: int) -> list[tuple[Path, list[str]]]:
    """A process and its children, with what the kernel says of each."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if parent in (int(folder.name), int(fields[1])):
            found.append((folder, fields))
    return found


def memory(parent: int) -> float:
    """Megabytes of a process and of its children."""
    texts = [(folder / "status").read_text() for folder, _ in family(parent)]
    return sum(int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024 for text in texts)


def processor_time(parent: int) -> float:
    """Seconds that a process and its children have computed."""
    ticks = sum(int(fields[11]) + int(fields[12]) for _, fields in family(parent))
    return ticks / os.sysconf("SC_CLK_TCK")


async def load(url: str, arguments: argparse.Namespace, seconds: float) -> tuple[list[float], list[str]]:
    taken: list[float] = []
    errors: list[str] = []
    clients = (drag(url, arguments.model, i, seconds, taken, errors) for i in range(arguments.clients))
    await asyncio.gather(*clients)
    return taken, errors


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--model", default="block_on_belt")
    arguments = parser.parse_args()
    command = [sys.executable, "-m", "stickslip", "explore", "--no-browser", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        url = re.search(r"http://\S+", server.stdout.readline())[0].replace("http", "ws") + "socket"
        asyncio.run(load(url, arguments, 3.0))
        time.sleep(3)
        before, spent = memory(server.pid), processor_time(server.pid)
        taken, errors = asyncio.run(load(url, arguments, arguments.seconds))
        during, spent = memory(server.pid), processor_time(server.pid) - spent
        time.sleep(5)
        after = memory(server.pid)
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(10)
    milliseconds = sorted(1000 * each for each in taken)
    what = f"{arguments.clients} pages, {arguments.seconds:g} s, {arguments.model}"
    print(f"{what}: {len(taken)} motions, {len(errors)} errors")
    nearly_all = milliseconds[int(0.95 * len(milliseconds))]
    middle = statistics.median(milliseconds)
    print(f"median {middle:.1f} ms, 95 % within {nearly_all:.1f} ms, longest {milliseconds[-1]:.0f} ms")
    print(f"processor time of server and workers: {1000 * spent / len(taken):.2f} ms for each motion")
    print(f"memory of server and workers: {before:.0f} MB before, {during:.0f} MB at the end, {after:.0f} MB after")


if __name__ == "__main__":
    main()
