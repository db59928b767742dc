"""`stickslip compare`: one model, several methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stickslip.cli import arguments, methods, outputs
from stickslip.cli.report import dataset_facts
from stickslip.cli.screen import number, table
from stickslip.model.errors import check_word
from stickslip.status import Status

if TYPE_CHECKING:
    import xarray as xr
    from rich.console import Console

    from stickslip.arrays import Bools
    from stickslip.cli.commands.motions import Compare
    from stickslip.cli.report import Report
    from stickslip.methods.base import Method

DEFAULT = ("exact", "henon:step=0.01", "bisection:step=0.01", "switch", "timestepping:step=0.01")
COSTS = ("seconds", "evaluations", "steps")


def perform(asked: Compare, report: Report) -> bool:
    """Run the model with every method, print, save, draw; whether all runs reached their end."""
    model = arguments.set_model(asked)
    chosen = _methods(asked.methods or list(DEFAULT))
    check_word("cost", asked.cost, COSTS, "--cost: ")
    outputs.check(asked.plot, asked.save)
    saved = outputs.Saved()
    with report.progress() as progress:
        from stickslip import compare

        start = arguments.read_numbers("--start", asked.start) or None
        found = compare(
            model, chosen, asked.t, start=start, progress=lambda part: progress.show("comparing methods", part, 1.0)
        )
        progress.hold()
        saved.save(asked.save, found)
    report.tell(model=model.about.called, t=asked.t, parameters=dict(model.parameters), **dataset_facts(found))
    report.out.print(arguments.title_of(model), style="bold")
    _print(report.out, found)
    saved.tell(report)
    report.draw(asked.plot, lambda plot: plot.comparison(found, asked.cost))
    return bool(_finished(found).all()) and found.attrs["outcome"] == Status.FINISHED.word


def _finished(found: xr.Dataset) -> Bools:
    """Which of the methods reached the end time."""
    return found["outcome"].values == Status.FINISHED.word  # type: ignore[no-any-return]


def _methods(words: list[str]) -> dict[str, Method]:
    """The methods by what the user calls them."""
    from stickslip.errors import ModelError

    for word in words:
        if words.count(word) > 1:
            raise ModelError(f"--method {word} is given twice: give it once")
    return {word: methods.read(word) for word in words}


def _print(out: Console, found: xr.Dataset) -> None:
    def row(one: xr.Dataset) -> tuple[str, ...]:
        agree = "" if bool(one["events_agree"]) else " (differ)"
        return (
            str(one["method"].values),
            number(float(one["state_error"]), 3),
            number(float(one["event_error"]), 3),
            f"{int(one['events'])}{agree}",
            number(float(one["period"]), 10),
            number(float(one["seconds"]), 3),
        )

    rows = [row(found.isel(method=i)) for i in range(found.sizes["method"])]
    heads = ("method", "state error", "event error", "events", "period", "seconds")
    out.print(table(rows, heads, most=len(rows)))
    early = ~_finished(found)
    for name, status in zip(found["method"].values[early], found["status"].values[early], strict=True):
        out.print(f"{name}: {status}", style="yellow", soft_wrap=True)
    if found.attrs["outcome"] != Status.FINISHED.word:
        out.print("The comparison was interrupted by the user.", style="yellow")
