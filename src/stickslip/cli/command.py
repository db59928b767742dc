"""`stickslip simulate`: from what the user typed to the run, its summary, its file and its pictures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stickslip.cli import arguments, outputs
from stickslip.cli.progress import Progress
from stickslip.cli.screen import console, number, table
from stickslip.errors import ModelError
from stickslip.model.system import Model, System
from stickslip.status import Status

if TYPE_CHECKING:
    import xarray as xr
    from rich.console import Console

PICTURES = ("phase", "history", "friction", "modes", "characteristic")
ROOM = 1024**3
"""Bytes that the record of a run may take: one that needs more ends early, instead of taking the machine with it."""


@dataclass(frozen=True)
class Request:
    """What the user asked for."""

    model: str
    t: float
    settings: list[str]
    start: list[str]
    rtol: float
    samples: int | None
    dense: bool
    plots: list[Path]
    picture: str | None
    save: Path | None
    events: bool
    seed: int = 0


def perform(request: Request) -> bool:
    """Simulate, sum up, save, draw; whether the run reached its end."""
    model = arguments.read_model(request.model).with_(arguments.read_numbers("--set", request.settings))
    kinds = [outputs.picture_of(path, PICTURES, request.picture) for path in request.plots]
    outputs.check(request.plots, request.save)
    _check_pictures(model, kinds)
    saved = outputs.Saved()
    with Progress(request.t) as progress:
        run = _simulated(request, model, progress)
        progress.hold()
        saved.save(request.save, run)
    finished = str(run.attrs["outcome"]) == Status.FINISHED.word
    out = console()
    _print_summary(out, model, run)
    if request.events:
        _print_events(run)
    saved.tell(out)
    for path, kind in zip(request.plots, kinds, strict=True):
        out.print(f"drew {_draw(kind, model, run, path)}", soft_wrap=True)
    return finished


def _check_pictures(model: Model, kinds: list[str]) -> None:
    """Refuse pictures of what the model does not have."""
    if "characteristic" in kinds and not (isinstance(model, System) and model.friction):
        raise ModelError("this model has no friction law, so there is no characteristic to draw")
    if set(kinds) & {"friction", "modes"} and not model.contacts:
        raise ModelError("this model has no contact, so there is no friction and no mode to draw")


def _simulated(request: Request, model: Model, progress: Progress) -> xr.Dataset:
    # These imports take a second on a slow machine: they count as waiting, too.
    from stickslip import Exact, simulate

    method = Exact(rtol=request.rtol)
    method = Exact(rtol=request.rtol, most_steps=_most_steps(request, model, method.taylor_order))
    return simulate(
        model,
        request.t,
        start=arguments.read_numbers("--start", request.start),
        method=method,
        samples=request.samples,
        dense=request.dense,
        seed=request.seed,
        progress=progress,
    )


def _most_steps(request: Request, model: Model, order: int) -> int:
    """As many steps as there is room for."""
    from stickslip.result import POINTS_PER_STEP

    n, m = len(model.states), len(model.contacts)
    numbers = 4 + n  # an event
    if request.dense:
        numbers += 2 + m + (n + 2 * m) * (order + 1)
    elif request.samples is None:
        numbers += POINTS_PER_STEP * (1 + n + 3 * m)
    return ROOM // (8 * numbers)


def _draw(kind: str, model: Model, run: xr.Dataset, path: Path) -> Path:
    from stickslip import plot

    subject: Any = model if kind == "characteristic" else run
    return plot.save(getattr(plot, kind)(subject), path)


def _print_summary(out: Console, model: Model, run: xr.Dataset) -> None:
    from stickslip.cli import summary

    out.print(model.about.title or model.about.name or "Unnamed model", style="bold")
    outcome = str(run.attrs["outcome"])
    out.print(str(run.attrs["status"]), style="green" if outcome == Status.FINISHED.word else "yellow")
    if outcome == Status.TOO_MANY_STEPS.word:
        out.print("There is room for more with --no-dense --samples 10000.", style="yellow")
    if run.sizes["time"] == 0:
        return
    (start, end), unit = summary.span(run), f" {model.time_unit}" if model.time_unit else ""
    out.print(f"t = {number(start)} … {number(end)}{unit}, {run.sizes['event']} events\n")
    if model.contacts:
        rows = [(p.contact, str(p.stick), str(p.slip), f"{100 * p.fraction:.4g} %") for p in summary.phases(run)]
        out.print(table(rows, ("contact", "stick phases", "slip phases", "time in stick")))
        if elastic := summary.elastic_stops(run):
            out.print()
            out.print(table(elastic, ("elastic contact", "stops of the asperity", "stops of the block")))
        out.print(f"\n  {_period_line(run, unit)}\n")
    rows = [(e.state, number(e.least), number(e.greatest), model.units[e.state]) for e in summary.extrema(run)]
    out.print(table(rows, ("state", "least", "greatest", "unit" if any(model.units.values()) else "")))


def _period_line(run: xr.Dataset, unit: str) -> str:
    from stickslip.cli import summary

    found = summary.period(run)
    if found is None:
        few = int(((run["event_before"] == 0) & (run["event_after"] != 0)).sum()) < 3
        return f"no period: {'too few stick → slip events' if few else 'the stick → slip events do not repeat'}"
    cycle = "" if found.releases == 1 else f", {found.releases} releases of {found.contact} a cycle"
    cycle += "".join(f", {name} advances by {number(value)}" for name, value in found.advance.items())
    return f"period {number(found.value, 12)}{unit}{cycle} (the last two cycles agree to {found.agreement:.0e})"


def _print_events(run: xr.Dataset) -> None:
    """Plain lines, which other programs can read: a table would take long for a million events."""
    from stickslip.cli import summary

    contacts = run["event_contact"].values.tolist()
    width = max(map(len, ("contact", *contacts)))
    states = [str(name) for name in run["state"].values]
    print(f"\n{'time':<20}{'contact':<{width + 2}}{'change':<16}" + "".join(f"{name:>20}" for name in states))
    at_events = run["event_state"].values
    at_events = at_events * (abs(at_events) > summary.ROUND_OFF * summary.sizes(run)) + 0.0  # no round-off, no −0
    rows = zip(run["event_time"].values, contacts, summary.changes(run), at_events, strict=True)
    for time, contact, change, state in rows:
        numbers = "".join(f"{value:>20.12g}" for value in state)
        print(f"{time:<20.13g}{contact:<{width + 2}}{change:<16}{numbers}")
    print()
