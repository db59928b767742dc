"""The main job from end to end: a block on a belt, its stick-slip cycle, and pictures of it.

    python -m stickslip.demo            pictures go to the folder demo/
    python -m stickslip.demo FOLDER

Uses what `import stickslip` gives and nothing else, so it is also an example to copy from.
"""

from __future__ import annotations

import sys
import time
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import stickslip as ss

if TYPE_CHECKING:
    import xarray as xr

END = 120.0
SAME = 1e-9
"""Successive cycles must agree to this in period, stick time and state; and the result with the exact values."""


@dataclass(frozen=True)
class Cycle:
    """A stick-slip cycle, from one stick → slip event to the next."""

    period: float
    stick_time: float
    slip_time: float
    x_max: float
    x_at_stick_onset: float
    agreement: float = 0.0


def find_cycle(run: xr.Dataset) -> Cycle:
    """The cycle at the end of a run, and how well it agrees with the cycle before it."""
    released = np.flatnonzero((run["event_before"].values == 0) & (run["event_after"].values != 0))
    if len(released) < 3:
        raise SystemExit("the run has fewer than three stick → slip events: there are no two cycles to compare")
    before, last = (_measured(run, *pair) for pair in (released[-3:-1], released[-2:]))
    differences = [abs(a - b) for a, b in zip(astuple(last), astuple(before), strict=True)]
    return replace(last, agreement=max(differences))


def _measured(run: xr.Dataset, first: int, second: int) -> Cycle:
    """The cycle between two stick → slip events."""
    times, states = run["event_time"].values, run["event_state"].values
    start, onset, end = times[first], times[first + 1], times[second]
    return Cycle(end - start, end - onset, onset - start, _highest(run, start, onset), states[first + 1, 0])


def _highest(run: xr.Dataset, start: float, end: float) -> float:
    """The greatest x between two times: look at a grid, then closer and closer around its best point."""
    best = -np.inf
    for _ in range(7):
        times = np.linspace(start, end, 101)
        x = ss.interpolate(run, times)["x.block"].values
        top = int(x.argmax())
        best = max(best, float(x[top]))
        start, end = times[max(top - 1, 0)], times[min(top + 1, 100)]
    return best


def draw(system: ss.System, run: xr.Dataset, folder: Path) -> list[Path]:
    """Every kind of picture, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    chain = ss.simulate(ss.models.chain(8), t=END)  # a timeline of modes is worth drawing for several contacts
    pictures = {
        "phase": ss.plot.phase(run),
        "history": ss.plot.history(run),
        "friction": ss.plot.friction(run),
        "characteristic": ss.plot.characteristic(system),
        "modes": ss.plot.modes(chain),
    }
    return [ss.plot.save(picture, folder / f"{name}.png") for name, picture in pictures.items()]


def report(cycle: Cycle, known: dict[str, float]) -> bool:
    """Print the cycle beside the exact values; whether all agree."""
    exact = {**known, "slip_time": known["period"] - known["stick_time"]}
    print(f"{'':20}{'computed':>18}{'exact':>18}{'difference':>14}")
    right = cycle.agreement <= SAME
    for name, value in exact.items():
        computed = getattr(cycle, name)
        print(f"{name.replace('_', ' '):20}{computed:18.11f}{value:18.11f}{computed - value:14.1e}")
        right = right and abs(computed - value) <= SAME
    print(f"Successive cycles agree to {cycle.agreement:.1e}.")
    return right


def main(folder: str = "demo") -> int:
    """Run the demonstration; the exit code says whether the numbers came out right."""
    system = ss.models.block_on_belt()
    print(f"{system.about.title}: {system.about.source}")
    began = time.perf_counter()
    run = ss.simulate(system, t=END)
    seconds = time.perf_counter() - began
    print(f"{run.attrs['status']} t = {END:g}, {run.sizes['event']} events, {seconds:.1f} s with compiling.")
    right = report(find_cycle(run), dict(system.about.known))
    print("The numbers are right." if right else f"The numbers differ by more than {SAME:g}.")
    print("Pictures: " + ", ".join(map(str, draw(system, run, Path(folder)))))
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
