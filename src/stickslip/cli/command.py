"""`stickslip simulate`: from what the user typed to the run, its summary, its file and its pictures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stickslip.cli import arguments, methods, outputs
from stickslip.cli.screen import number, table
from stickslip.errors import ModelError
from stickslip.model.system import Model, System
from stickslip.status import Status

if TYPE_CHECKING:
    import xarray as xr
    from rich.console import Console

    from stickslip.cli.commands.motions import Simulate
    from stickslip.cli.progress import Progress
    from stickslip.cli.report import Report

PICTURES = ("phase", "history", "friction", "modes", "characteristic")
ROOM = 1024**3
"""Bytes that the record of a run may take: one that needs more ends early, instead of taking the machine with it."""

LITTLE = 5
"""The degree of the step polynomials of methods that are not Exact, at most."""


def perform(asked: Simulate, report: Report) -> bool:
    """Simulate, sum up, save, draw; whether the run reached its end."""
    model = arguments.set_model(asked)
    kinds = [outputs.picture_of(path, PICTURES, asked.picture) for path in asked.plot]
    outputs.check(asked.plot, asked.save)
    _check_pictures(model, kinds)
    saved = outputs.Saved()
    with report.progress(asked.t) as progress:
        run = _simulated(asked, model, progress)
        progress.hold()
        saved.save(asked.save, run)
    finished = str(run.attrs["outcome"]) == Status.FINISHED.word
    report.tell(**_facts(model, run))
    _print_summary(report.out, model, run)
    if asked.events:
        _tell_events(report, run)
    saved.tell(report)
    for path, kind in zip(asked.plot, kinds, strict=True):
        report.drew(_draw(kind, model, run, path))
    return finished


def _check_pictures(model: Model, kinds: list[str]) -> None:
    """Refuse pictures of what the model does not have."""
    if "characteristic" in kinds and not (isinstance(model, System) and model.friction):
        raise ModelError("this model has no friction law, so there is no characteristic to draw")
    if set(kinds) & {"friction", "modes"} and not model.contacts:
        raise ModelError("this model has no contact, so there is no friction and no mode to draw")


def _simulated(asked: Simulate, model: Model, progress: Progress) -> xr.Dataset:
    # These imports take a second on a slow machine: they count as waiting, too.
    from stickslip import Exact, simulate

    method: Any = methods.chosen(asked)
    order = method.taylor_order if isinstance(method, Exact) else LITTLE
    method = replace(method, most_steps=min(_most_steps(asked, model, order), method.most_steps))
    return simulate(
        model,
        asked.t,
        start_time=asked.start_time,
        start=arguments.read_numbers("--start", asked.start),
        method=method,
        samples=asked.samples,
        dense=asked.dense,
        seed=asked.seed,
        progress=progress,
    )


def _most_steps(asked: Simulate, model: Model, order: int) -> int:
    """As many steps as there is room for."""
    from stickslip.result import POINTS_PER_STEP

    n, m = len(model.states), len(model.contacts)
    numbers = 4 + n  # an event
    if asked.dense:
        numbers += 2 + m + (n + 2 * m) * (order + 1)
    elif asked.samples is None:
        numbers += POINTS_PER_STEP * (1 + n + 3 * m)
    return ROOM // (8 * numbers)


def _draw(kind: str, model: Model, run: xr.Dataset, path: Path) -> Path:
    from stickslip import plot

    subject: Any = model if kind == "characteristic" else run
    return plot.save(getattr(plot, kind)(subject), path)


def _print_summary(out: Console, model: Model, run: xr.Dataset) -> None:
    from stickslip.cli import summary

    out.print(arguments.title_of(model), style="bold")
    outcome = str(run.attrs["outcome"])
    out.print(_status(run, outcome), style="green" if outcome == Status.FINISHED.word else "yellow")
    if run.sizes["time"] == 0:
        return
    (start, end), unit = summary.span(run), f" {model.time_unit}" if model.time_unit else ""
    events = run.sizes["event"]
    out.print(f"t = {number(start)} … {number(end)}{unit}, {events} event{'' if events == 1 else 's'}\n")
    if model.contacts:
        rows = [(p.contact, str(p.stick), str(p.slip), f"{100 * p.fraction:.4g} %") for p in summary.phases(run)]
        out.print(table(rows, ("contact", "stick phases", "slip phases", "time in stick")))
        if elastic := summary.elastic_stops(run):
            out.print()
            out.print(table(elastic, ("elastic contact", "stops of the asperity", "stops of the block")))
        out.print(f"\n  {_period_line(run, unit)}\n")
    rows = [(e.state, number(e.least), number(e.greatest), model.units[e.state]) for e in summary.extrema(run)]
    out.print(table(rows, ("state", "least", "greatest", "unit" if any(model.units.values()) else "")))


def _status(run: xr.Dataset, outcome: str) -> str:
    """How the run ended, in the words of the command line."""
    if outcome == Status.TOO_MANY_STEPS.word:
        return "The allowed number of steps was used up: there is room for more with --no-dense --samples 10000."
    from stickslip.cli.commands.motions import Simulate
    from stickslip.cli.wording import said

    return said(str(run.attrs["status"]), Simulate)


def _period_line(run: xr.Dataset, unit: str) -> str:
    from stickslip.cli import summary

    found = summary.period(run)
    if found is None:
        few = int(((run["event_before"] == 0) & (run["event_after"] != 0)).sum()) < 3
        return f"no period: {'too few stick → slip events' if few else 'the stick → slip events do not repeat'}"
    cycle = "" if found.releases == 1 else f", {found.releases} releases of {found.contact} a cycle"
    cycle += "".join(f", {name} advances by {number(value)}" for name, value in found.advance.items())
    return f"period {number(found.value, 12)}{unit}{cycle} (the last two cycles agree to {found.agreement:.0e})"


def _tell_events(report: Report, run: xr.Dataset) -> None:
    """Plain lines, which other programs can read: a table would take long for a million events."""
    from stickslip.cli import summary

    contacts = run["event_contact"].values.tolist()
    width = max(map(len, ("contact", *contacts)))
    states = [str(name) for name in run["state"].values]
    at_events = run["event_state"].values
    report.tell(event_table=_event_rows(run))
    report.line(f"\n{'time':<20}{'contact':<{width + 2}}{'change':<16}" + "".join(f"{name:>20}" for name in states))
    at_events = at_events * (abs(at_events) > summary.ROUND_OFF * summary.sizes(run)) + 0.0  # no round-off, no −0
    rows = zip(run["event_time"].values, contacts, summary.changes(run), at_events, strict=True)
    for time, contact, change, state in rows:
        numbers = "".join(f"{value:>20.12g}" for value in state)
        report.line(f"{time:<20.13g}{contact:<{width + 2}}{change:<16}{numbers}")
    report.line("")


def _event_rows(run: xr.Dataset) -> list[dict[str, Any]]:
    states = [str(name) for name in run["state"].values]
    columns = [run[f"event_{name}"].values.tolist() for name in ("time", "contact", "before", "after", "state")]
    return [
        {"time": time, "contact": contact, "before": before, "after": after}
        | {"state": dict(zip(states, values, strict=True))}
        for time, contact, before, after, values in zip(*columns, strict=True)
    ]


def _facts(model: Model, run: xr.Dataset) -> dict[str, Any]:
    """What the summary says, for programs."""
    from stickslip.cli import summary

    told: dict[str, Any] = {
        "model": model.about.called,
        "parameters": dict(model.parameters),
        "method": run.attrs["method"],
        "status": run.attrs["status"],
        "outcome": run.attrs["outcome"],
        "steps": run.attrs["steps"],
        "events": run.sizes["event"],
    }
    if run.sizes["time"] == 0:
        return told
    found, (start, end) = summary.period(run) if model.contacts else None, summary.span(run)
    last = {str(name): float(run[str(name)].values[-1]) for name in run["state"].values}
    return told | {
        "time": {"start": start, "end": end, "unit": model.time_unit},
        "contacts": {
            p.contact: {"stick_phases": p.stick, "slip_phases": p.slip, "stick_fraction": p.fraction}
            for p in summary.phases(run)
        },
        "period": None if found is None else vars(found),
        "states": {
            e.state: {"least": e.least, "greatest": e.greatest, "last": last[e.state], "unit": model.units[e.state]}
            for e in summary.extrema(run)
        },
    }
