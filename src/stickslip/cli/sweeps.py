"""`stickslip sweep` and `stickslip map`: from what the user typed to the sweep, its summary, its files and pictures."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stickslip.cli import arguments, observations, outputs
from stickslip.cli.commands.sweeps import Map, Sweep
from stickslip.cli.report import dataset_facts
from stickslip.cli.screen import table
from stickslip.errors import ModelError
from stickslip.model.errors import shown, suggest
from stickslip.model.system import Model
from stickslip.status import Status

if TYPE_CHECKING:
    import xarray as xr
    from rich.console import Console

    from stickslip.cli.progress import Progress
    from stickslip.cli.report import Report
    from stickslip.sweeps.observation import Observation

PICTURES = ("bifurcation", "poincare")
MEASURED = ("largest_exponent", "signature")
"""What a map can show when it is observed."""

OF_STATES, OF_CONTACTS = ("minimum", "maximum"), ("stick_fraction",)
"""What has a value for each state, or for each contact."""

QUANTITIES = ("periodicity", *MEASURED, "period", "events", "n", "m", *OF_CONTACTS, *OF_STATES, "steps", "time")

MOST_VALUES = 10**8
"""More values of one parameter are a slip of the keyboard."""


def perform(asked: Sweep | Map, report: Report) -> bool:
    """Sweep, sum up, save, draw; whether every point was reached."""
    model = arguments.set_model(asked)
    over = read_ranges(asked.over)
    is_map = isinstance(asked, Map)
    if is_map and len(over) != 2:
        raise ModelError(
            f"a map needs two --over, not {len(over)}: --over contact.normal=1:15:60 --over base.eta=0.2:3:90"
        )
    seen = _observed(asked)
    quantity = _quantity(asked, model) if isinstance(asked, Map) else ("periodicity", None)
    outputs.check(asked.plot, asked.save)
    if asked.plot and not is_map:
        _check_pictures(asked, len(over), seen)
    saved = outputs.Saved()
    with report.progress() as progress:
        data = _swept(asked, model, over, seen, progress)
        progress.hold()
        saved.save(asked.save, data)
    report.tell(model=model.about.called, parameters=dict(model.parameters))
    report.tell(status=data.attrs["status"], outcome=data.attrs["outcome"])
    if report.as_json:
        report.tell(**dataset_facts(data))
    _print_summary(report.out, model, data)
    saved.tell(report)
    for path in asked.plot:
        report.drew(_draw(data, quantity, seen, path))
    return str(data.attrs["outcome"]) == Status.FINISHED.word


def _observed(asked: Sweep | Map) -> list[Observation] | None:
    """What is recorded; for a map, what it shows."""
    if isinstance(asked, Sweep):
        return observations.read_all(asked.observe)
    word = asked.quantity.partition(":")[0]
    return [observations.read(asked.quantity)] if word in MEASURED else None


def _quantity(asked: Map, model: Model) -> tuple[str, str | None]:
    """What a map shows, and of which state or contact."""
    word, colon, which = asked.quantity.partition(":")
    if word not in QUANTITIES:
        raise ModelError(f"there is no quantity {shown(word)}{suggest(word, QUANTITIES)}")
    if not colon or word in MEASURED:
        return word, None
    known = model.states if word in OF_STATES else model.contacts if word in OF_CONTACTS else ()
    if which not in known:
        of = "state" if word in OF_STATES else "contact"
        raise ModelError(
            f"--quantity: there is no {of} {shown(which)}{suggest(which, known)}"
            if known
            else f"--quantity {word} has one value for each motion: leave out {shown(':' + which)}"
        )
    return word, which


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


def _swept(
    asked: Sweep | Map, model: Model, over: dict[str, Any], seen: list[Observation] | None, progress: Progress
) -> xr.Dataset:
    from stickslip.sweeps.run import sweep

    def report(done: int, total: int) -> None:
        progress.show("sweeping", done, total)
        if done == total:
            progress.hold()

    return sweep(
        model,
        over,
        observe=seen,
        times=asked.times,
        periods=asked.periods,
        start=arguments.read_numbers("--start", asked.start) or None,
        carry=getattr(asked, "carry", None),
        most=getattr(asked, "most", 1),
        rtol=asked.rtol,
        tolerance=asked.tolerance,
        most_steps=asked.most_steps,
        shortcut=asked.shortcut,
        seed=asked.seed,
        target=asked.target,
        threads=asked.threads,
        checkpoint=asked.checkpoint,
        progress=report,
    )


def _check_pictures(asked: Sweep | Map, dimensions: int, seen: list[Observation] | None) -> None:
    """Refuse pictures of something that the sweep will not have, before the time is spent."""
    if dimensions > 2:
        raise ModelError(f"a sweep over {dimensions} parameters has no picture: leave out --plot, and --save it")
    if dimensions == 1 and not _recorded(seen):
        raise ModelError("--observe records no points that could be drawn: leave out --plot")


def _recorded(seen: list[Observation] | None) -> list[str]:
    """The observations that record points."""
    from stickslip.sweeps.observation import Recorded

    return [each.name for each in seen or [] if isinstance(each, Recorded)]


def _print_summary(out: Console, model: Model, data: xr.Dataset) -> None:
    from stickslip.plot.sweeps import kinds_of

    out.print(arguments.title_of(model), style="bold")
    out.print(str(data.attrs["status"]))
    counted = Counter(kinds_of(data).ravel().tolist())
    rows = [(kind, str(count)) for kind, count in counted.most_common(12)]
    out.print(table(rows, ("motion n:m", "points")))


def _draw(data: xr.Dataset, quantity: tuple[str, str | None], seen: list[Observation] | None, path: Path) -> Path:
    from stickslip import plot

    if len(data["status"].dims) == 2:
        word, which = quantity
        if which is not None:
            data = data.assign({word: data[word].sel({"state" if word in OF_STATES else "contact": which}, drop=True)})
        return Path(plot.save(plot.parameter_map(data, word), path))
    recorded = _recorded(seen)
    if len(recorded) > 1:  # that which the name of the file says, else the first
        data = data.observation(next((name for name in recorded if name in path.stem), recorded[0]))
    kind = outputs.picture_of(path, PICTURES)
    return Path(plot.save(plot.poincare(data) if kind == "poincare" else plot.bifurcation(data), path))
