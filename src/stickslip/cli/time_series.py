"""`stickslip series`: what a table or a saved run says about a motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stickslip.cli import outputs
from stickslip.cli.report import dataset_facts
from stickslip.cli.screen import number
from stickslip.errors import ModelError, SeriesError
from stickslip.model.errors import shown

if TYPE_CHECKING:
    import xarray as xr

    from stickslip.cli.commands.measurements import Series as SeriesCommand
    from stickslip.cli.report import Report
    from stickslip.series import Series

KINDS = ("spectrum", "autocorrelation", "embedding", "dimension", "lyapunov")
PICTURES = (*KINDS, "information", "neighbours")


def perform(asked: SeriesCommand, report: Report) -> bool:
    """Analyse a series, print what was found, draw."""
    if asked.what is not None and asked.what not in KINDS:
        raise ModelError(f"--what is {shown(asked.what)}: it must be one of {', '.join(KINDS)}")
    default = asked.what or KINDS[0]
    kinds = [_picture(path, default) for path in asked.plot]
    outputs.check(asked.plot, None)
    listed = [asked.what] if asked.what else list(KINDS)
    with report.progress() as progress:
        series = _read(asked)
        found: dict[str, Any] = {}
        for kind in dict.fromkeys([*listed, *kinds]):
            progress.show(f"looking at the {kind}")
            found[kind] = _look(kind, series, needed=kind == asked.what or kind in kinds)
    report.tell(name=series.name, count=len(series), **{kind: _facts(found[kind]) for kind in listed})
    report.out.print(f"{series.name or 'series'}: {len(series)} values, {series.pace}", style="bold")
    for kind in listed:
        sentence = found[kind] if isinstance(found[kind], str) else _SENTENCES[kind](found[kind])
        report.out.print(sentence, soft_wrap=True)
    for path, kind in zip(asked.plot, kinds, strict=True):
        report.drew(_draw(kind, found[kind], path))
    return True


def _facts(found: Any) -> dict[str, Any]:
    """What was found, or why nothing was, for programs."""
    if isinstance(found, str):
        return {"why": found}
    if hasattr(found, "data_vars"):
        return {**found.attrs, **dataset_facts(found)}
    if hasattr(found, "attrs"):
        return {**found.attrs, "points": found.values}
    told = {each.name: getattr(found, each.name) for each in fields(found)}
    return {"summary": found.summary} | {
        name: dataset_facts(value) if hasattr(value, "data_vars") else value for name, value in told.items()
    }


def _look(kind: str, series: Series, needed: bool) -> Any:
    """What is found; where nobody asked for it alone, a sentence will do that says why there is nothing."""
    from stickslip.errors import SeriesError

    try:
        return _COMPUTED[kind](series)
    except SeriesError as error:
        if needed:
            raise
        return f"{kind}: {error}"


def _picture(path: Path, default: str) -> str:
    """What the name of the file says, else what was asked for."""
    return outputs.picture_of(path, (default, *(kind for kind in PICTURES if kind != default)))


def _read(asked: SeriesCommand) -> Series:
    if asked.file.suffix == ".nc":
        return _from_run(asked)
    from stickslip.series import from_csv
    from stickslip.tables import read_text_table

    if asked.after is not None:
        raise ModelError("--after is for saved runs: take the rows before it out of the table")
    if asked.column is None:
        heads = ", ".join(head.text for head in read_text_table(asked.file, SeriesError).heads)
        raise ModelError(f"say which column: --column NAME; there are: {heads}")
    return from_csv(asked.file, asked.column, asked.time, asked.interval, asked.events)


def _from_run(asked: SeriesCommand) -> Series:
    from stickslip import reading
    from stickslip.series import from_events, from_run

    run = reading.load(asked.file)
    if asked.time is not None:
        raise ModelError("--time is for tables: a run knows its time")
    column = asked.column or str(run["state"].values[0])
    if asked.events:
        later = run["event_time"].values >= (run["time"].values[0] if asked.after is None else asked.after)
        return from_events(run.isel(event=later), column)
    return from_run(run, column, asked.interval, after=asked.after)


def _computed(name: str) -> Callable[[Any], Any]:
    """A verb of the series, imported when it is called."""

    def call(series: Any) -> Any:
        from stickslip import series as verbs

        return getattr(verbs, name)(series)

    return call


def _embedded(series: Any) -> Any:
    from stickslip.series import choose, embed

    chosen = choose(series)
    return embed(series, max(2, chosen.dimension), chosen.delay)  # a delay plot has two coordinates


_COMPUTED: dict[str, Callable[[Any], Any]] = {
    "spectrum": _computed("spectrum"),
    "autocorrelation": _computed("autocorrelation"),
    "embedding": _embedded,
    "dimension": _computed("correlation_dimension"),
    "lyapunov": _computed("largest_exponent"),
    "information": _computed("mutual_information"),
    "neighbours": _computed("false_neighbours"),
}
_DRAWN = {
    "spectrum": "spectrum",
    "autocorrelation": "autocorrelation",
    "embedding": "embedding",
    "dimension": "correlation_sums",
    "lyapunov": "divergence",
    "information": "mutual_information",
    "neighbours": "false_neighbours",
}


def _spectrum_sentence(data: xr.Dataset) -> str:
    clock = str(data.attrs["clock"])
    unit = "Hz" if clock == "s" else f"per {clock or 'unit time'}"
    peak, resolution = float(data.attrs["peak"]), float(data.attrs["resolution"])
    return f"spectrum: highest peak at {number(peak, 6)} {unit}, resolution {number(resolution, 3)}"


def _autocorrelation_sentence(data: xr.Dataset) -> str:
    time = float(data.attrs["time"])
    below = f"below 1/e from lag {number(time, 4)} on" if time == time else "never below 1/e"
    return f"autocorrelation: {below}"


def _embedding_sentence(points: xr.DataArray) -> str:
    delay = float(points.attrs["delay"]) * float(points.attrs["interval"])
    return f"embedding: {points.attrs['dimension']} coordinates, delay {number(delay, 4)}"


_SENTENCES: dict[str, Callable[[Any], str]] = {
    "spectrum": _spectrum_sentence,
    "autocorrelation": _autocorrelation_sentence,
    "embedding": _embedding_sentence,
    "dimension": lambda found: str(found.summary),
    "lyapunov": lambda found: str(found.summary),
}


def _draw(kind: str, found: Any, path: Path) -> Path:
    from stickslip import plot

    return Path(plot.save(getattr(plot, _DRAWN[kind])(found), path))
