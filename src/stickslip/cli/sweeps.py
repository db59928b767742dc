"""`stickslip sweep` and `stickslip map`: from what the user typed to the sweep, its summary, its files and pictures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stickslip.cli import arguments, outputs
from stickslip.cli.progress import Progress
from stickslip.cli.screen import console, table
from stickslip.model.errors import ModelError, check_number, shown
from stickslip.model.system import Model

if TYPE_CHECKING:
    import xarray as xr
    from rich.console import Console

PICTURES = ("bifurcation", "poincare")


@dataclass(frozen=True)
class Request:
    """What the user asked for."""

    model: str
    over: list[str]
    settings: list[str]
    start: list[str]
    observe: str
    times: list[float]
    periods: list[float]
    carry: str | None
    rtol: float
    most: int
    threads: int | None
    checkpoint: Path | None
    quantity: str
    plots: list[Path]
    save: Path | None


def perform(request: Request, dimensions: int) -> bool:
    """Sweep, sum up, save, draw; whether every point was reached."""
    model = arguments.read_model(request.model).with_(arguments.read_numbers("--set", request.settings))
    over = dict(read_range(text) for text in request.over)
    if dimensions == 2 and len(over) != 2:
        raise ModelError(
            f"a map needs two --over, not {len(over)}: --over contact.normal=1:15:60 --over base.eta=0.2:3:90"
        )
    outputs.check(request.plots, request.save)
    data = _swept(request, model, over)
    out = console()
    _print_summary(out, model, data)
    if request.save is not None:
        from stickslip import storage

        out.print(f"wrote {storage.save(data, request.save)}", soft_wrap=True)
    for path in request.plots:
        out.print(f"drew {_draw(request, data, len(over), path)}", soft_wrap=True)
    return "complete" in str(data.attrs["status"])


def read_range(text: str) -> tuple[str, Any]:
    """NAME=FIRST:LAST:COUNT as the name and its values; NAME=a,b,c gives them one by one.

    >>> name, values = read_range("belt.speed=0.1:0.3:3")
    >>> name, values.tolist()
    ('belt.speed', [0.1, 0.2, 0.3])
    """
    import numpy as np

    name, equals, values = text.partition("=")
    parts = values.split(":")
    try:
        if not equals or not name:
            raise ValueError
        if len(parts) == 3:
            count = int(parts[2])
            if count < 1:
                raise ValueError
            return name, np.linspace(float(parts[0]), float(parts[1]), count)
        if len(parts) != 1:
            raise ValueError
        return name, np.array([float(value) for value in values.split(",")])
    except ValueError:
        raise ModelError(
            f"--over is {shown(text)}: write NAME=FIRST:LAST:COUNT, as belt.speed=0.02:0.5:2000, or NAME=a,b,c"
        ) from None


def _swept(request: Request, model: Model, over: dict[str, Any]) -> xr.Dataset:
    check_number("--most", request.most, positive=True)
    with Progress() as progress:
        from stickslip.sweeps.run import sweep

        def report(done: int, total: int) -> None:
            progress.show("sweeping", done, total)

        return sweep(
            model,
            over,
            observe=None if request.observe == "none" else request.observe,
            t=tuple(request.times) if request.times else None,  # type: ignore[arg-type]
            periods=tuple(request.periods) if request.periods else None,  # type: ignore[arg-type]
            start=arguments.read_numbers("--start", request.start) or None,
            carry=request.carry,
            rtol=request.rtol,
            most=request.most,
            threads=request.threads,
            checkpoint=request.checkpoint,
            progress=report,
        )


def _print_summary(out: Console, model: Model, data: xr.Dataset) -> None:
    from stickslip.plot.sweeps import kinds_of

    out.print(model.about.title or model.about.name or "Unnamed model", style="bold")
    out.print(str(data.attrs["status"]))
    counted = Counter(kinds_of(data).ravel().tolist())
    rows = [(kind, str(count)) for kind, count in counted.most_common(12)]
    out.print(table(rows, ("motion n:m", "points")))


def _draw(request: Request, data: xr.Dataset, dimensions: int, path: Path) -> Path:
    from stickslip import plot

    if dimensions == 2:
        return Path(plot.save(plot.parameter_map(data, request.quantity), path))
    kind = outputs.picture_of(path, PICTURES)
    return Path(plot.save(plot.poincare(data) if kind == "poincare" else plot.bifurcation(data), path))
