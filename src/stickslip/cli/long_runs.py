"""`stickslip lyapunov` and `stickslip basins`: where neighbours go, and where starts lead."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stickslip.cli import arguments, outputs
from stickslip.cli.progress import Progress
from stickslip.cli.screen import console, number, table
from stickslip.cli.sweeps import read_ranges
from stickslip.errors import ModelError
from stickslip.model.system import Model
from stickslip.status import Status


def _model(text: str, settings: Sequence[str]) -> Model:
    model: Model = arguments.read_model(text).with_(arguments.read_numbers("--set", settings))
    return model


def exponents(model: str, t: float, settings: Sequence[str], start: Sequence[str], per: str) -> bool:
    """Print the Lyapunov exponents; whether the run reached its end."""
    system = _model(model, settings)
    with Progress() as progress:
        from stickslip.sweeps.exponents import lyapunov

        found = lyapunov(
            system,
            t=t,
            start=arguments.read_numbers("--start", start) or None,
            per=per,
            progress=lambda done: progress.show("following neighbours", done),
        )
    out = console()
    out.print(system.about.title or system.about.name or "Unnamed model", style="bold")
    rows = [
        (number(a, 6), number(da, 2), number(b, 6), number(db, 2))
        for a, da, b, db in zip(found.exponents, found.error, found.per_cycle, found.per_cycle_error, strict=True)
    ]
    out.print(table(rows, ("exponent", "error", f"per {found.per}", "error")))
    out.print(f"{found.lost} directions are lost in stick (−inf). {found.status.value}")
    return found.status.finished


def basins(
    model: str, over: Sequence[str], t: float, settings: Sequence[str], plots: Sequence[Path], save: Path | None
) -> bool:
    """Print, draw and save which attractor each start leads to; whether all were followed and resolved."""
    system = _model(model, settings)
    grid = read_ranges(list(over))
    if len(grid) != 2:
        raise ModelError(f"basins need two --over, not {len(grid)}: --over x.block=-3:3:60 --over v.block=-2:2:60")
    outputs.check(plots, save)
    saved = outputs.Saved()
    with Progress() as progress:
        from stickslip.sweeps.basins import attractors_of
        from stickslip.sweeps.basins import basins as found_basins

        data = found_basins(system, grid, t=t, progress=lambda part: progress.show("following starts", part, 1.0))
        progress.hold()
        saved.save(save, data)
    out = console()
    out.print(system.about.title or system.about.name or "Unnamed model", style="bold")
    shares = [f"{100 * float(share):.1f} %" for share in data["fraction"].values]
    names = [str(attractor) for attractor in attractors_of(data)]
    unresolved = int((data["attractor"] == -1).sum())
    rows = list(zip(names, shares, strict=True))
    if unresolved:
        rows.append(("unresolved", f"{100 * data.attrs['unresolved']:.1f} %"))
    out.print(table(rows, ("attractor", "of the starts")))
    if data.attrs["notes"]:
        out.print(str(data.attrs["notes"]), soft_wrap=True)
    saved.tell(out)
    for path in plots:
        from stickslip import plot

        out.print(f"drew {plot.save(plot.basins(data), path)}", soft_wrap=True)
    return unresolved == 0 and str(data.attrs["outcome"]) == Status.FINISHED.word
