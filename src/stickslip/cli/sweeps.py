"""`stickslip sweep` and `stickslip map`: from what the user typed to the sweep, its summary, its files and pictures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stickslip.cli import arguments, outputs
from stickslip.cli.progress import Progress
from stickslip.cli.screen import console, table
from stickslip.errors import ModelError
from stickslip.model.errors import check_number, shown
from stickslip.model.system import Model, suggest
from stickslip.status import Status

if TYPE_CHECKING:
    import xarray as xr
    from rich.console import Console

PICTURES = ("bifurcation", "poincare")
MEASURED = ("largest_exponent", "signature")
"""What a map can show when it is observed."""

QUANTITIES = (
    "periodicity", *MEASURED, "period", "events", "n", "m", "stick_fraction", "minimum", "maximum", "steps", "time",
)  # fmt: skip

MOST_VALUES = 10**8
"""More values of one parameter are a slip of the keyboard."""


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
    over = read_ranges(request.over)
    if dimensions == 2 and len(over) != 2:
        raise ModelError(
            f"a map needs two --over, not {len(over)}: --over contact.normal=1:15:60 --over base.eta=0.2:3:90"
        )
    outputs.check(request.plots, request.save)
    if request.plots:
        _check_pictures(request, len(over))
    saved = outputs.Saved()
    with Progress() as progress:
        data = _swept(request, model, over, progress)
        progress.hold()
        saved.save(request.save, data)
    out = console()
    _print_summary(out, model, data)
    saved.tell(out)
    for path in request.plots:
        out.print(f"drew {_draw(request, data, len(over), path)}", soft_wrap=True)
    return str(data.attrs["outcome"]) == Status.FINISHED.word


def read_ranges(texts: list[str]) -> dict[str, Any]:
    """The values of every name that is swept."""
    ranges = [read_range(text) for text in texts]
    names = [name for name, _ in ranges]
    for name in names:
        if names.count(name) > 1:
            raise ModelError(f"--over gives {name!r} twice: give it once")
    return dict(ranges)


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
        name = name.strip()
        if not equals or not name:
            raise ValueError
        if len(parts) == 3:
            count, first, last = int(parts[2]), float(parts[0]), float(parts[1])
            if count < 1 or count > MOST_VALUES or not np.isfinite(first) or not np.isfinite(last):
                raise ValueError
            return name, np.linspace(first, last, count)
        if len(parts) != 1:
            raise ValueError
        return name, np.array([float(value) for value in values.split(",")])
    except ValueError:
        raise ModelError(
            f"--over is {shown(text)}: write NAME=FIRST:LAST:COUNT, as belt.speed=0.02:0.5:2000, or NAME=a,b,c"
        ) from None


def read_observations(text: str) -> list[str] | None:
    """Names of observations with commas between them; "none" for none.

    >>> read_observations("stick_to_slip,signature"), read_observations("none")
    (['stick_to_slip', 'signature'], None)
    """
    return None if text == "none" else [name.strip() for name in text.split(",")]


def _swept(request: Request, model: Model, over: dict[str, Any], progress: Progress) -> xr.Dataset:
    check_number("--most", request.most, positive=True)
    from stickslip.sweeps.run import sweep

    def report(done: int, total: int) -> None:
        progress.show("sweeping", done, total)
        if done == total:
            progress.hold()

    return sweep(
        model,
        over,
        observe=read_observations(request.observe),
        times=tuple(request.times) if request.times else None,  # type: ignore[arg-type]
        periods=tuple(request.periods) if request.periods else None,  # type: ignore[arg-type]
        start=arguments.read_numbers("--start", request.start) or None,
        carry=request.carry,
        rtol=request.rtol,
        most=request.most,
        threads=request.threads,
        checkpoint=request.checkpoint,
        progress=report,
    )


def _check_pictures(request: Request, dimensions: int) -> None:
    """Refuse pictures of something that the sweep will not have, before the time is spent."""
    if dimensions > 2:
        raise ModelError(f"a sweep over {dimensions} parameters has no picture: leave out --plot, and --save it")
    if dimensions == 2 and request.quantity not in QUANTITIES:
        raise ModelError(f"there is no quantity {shown(request.quantity)}{suggest(request.quantity, QUANTITIES)}")
    if dimensions == 1 and not _recorded(request):
        raise ModelError(f"--observe {request.observe} records no points that could be drawn: leave out --plot")


def _recorded(request: Request) -> list[str]:
    """The observations that record points."""
    return [name for name in read_observations(request.observe) or [] if name not in MEASURED]


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
    recorded = _recorded(request)
    if len(recorded) > 1:  # that which the name of the file says, else the first
        from stickslip.sweeps.layout import observation_of

        data = observation_of(data, next((name for name in recorded if name in path.stem), recorded[0]))
    return Path(plot.save(plot.poincare(data) if kind == "poincare" else plot.bifurcation(data), path))
