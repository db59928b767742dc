"""`stickslip lyapunov` and `stickslip basins`: where neighbours go, and where starts lead."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from stickslip.cli import arguments, outputs
from stickslip.cli.commands.sweeps import Lyapunov
from stickslip.cli.report import dataset_facts
from stickslip.cli.screen import number, table
from stickslip.cli.sweeps import read_ranges
from stickslip.errors import ModelError
from stickslip.status import Status

if TYPE_CHECKING:
    import xarray as xr
    from rich.console import Console

    from stickslip.cli.commands.sweeps import Basins
    from stickslip.cli.report import Report
    from stickslip.sweeps.exponents import Lyapunov as Exponents


def perform(asked: Lyapunov | Basins, report: Report) -> bool:
    """Exponents or basins; whether the work came to its end."""
    return _exponents(asked, report) if isinstance(asked, Lyapunov) else _basins(asked, report)


# -- exponents ---------------------------------------------------------------------------------------------------------


def _exponents(asked: Lyapunov, report: Report) -> bool:
    """Print, save and draw the Lyapunov exponents; whether the run reached its end."""
    model = arguments.set_model(asked)
    outputs.check(asked.plot, asked.save)
    saved = outputs.Saved()
    with report.progress() as progress:
        from stickslip.sweeps.exponents import lyapunov

        found = lyapunov(
            model,
            t=asked.t,
            transient=asked.transient,
            start=arguments.read_numbers("--start", asked.start) or None,
            count=asked.count,
            renormalise=asked.renormalise,
            per=asked.per,
            rtol=asked.rtol,
            progress=lambda done: progress.show("following neighbours", done, 1.0),
        )
        progress.hold()
        if asked.save is not None:
            saved.save(asked.save, found if asked.save.suffix.lower() == ".csv" else found.history)
    report.tell(**_exponent_facts(found))
    report.out.print(arguments.title_of(model), style="bold")
    _print_exponents(report.out, found)
    saved.tell(report)
    report.draw(asked.plot, lambda plot: plot.exponents(found))
    return found.status.finished


def _exponent_facts(found: Exponents) -> dict[str, Any]:
    names = ("exponents", "error", "per", "cycle", "per_cycle", "per_cycle_error", "lost", "releases", "dimension")
    return {
        "model": found.model.about.called,
        "parameters": dict(found.model.parameters),
        "status": found.status,
        "outcome": found.status.word,
        **{name: getattr(found, name) for name in names},
    }


def _print_exponents(out: Console, found: Exponents) -> None:
    rows = [
        (number(a, 6), number(da, 2), number(b, 6), number(db, 2))
        for a, da, b, db in zip(found.exponents, found.error, found.per_cycle, found.per_cycle_error, strict=True)
    ]
    out.print(table(rows, ("exponent", "error", f"per {found.per}", "error"), most=len(rows)))
    out.print(f"dimension by Kaplan and Yorke {number(found.dimension, 6)}")
    out.print(f"{found.lost} directions are lost in stick (−inf). {found.status.value}")


# -- basins ------------------------------------------------------------------------------------------------------------


def _basins(asked: Basins, report: Report) -> bool:
    """Print, draw and save which attractor each start leads to; whether all were followed and resolved."""
    model = arguments.set_model(asked)
    grid = read_ranges(asked.grid)
    if len(grid) != 2:
        raise ModelError(f"basins need two --over, not {len(grid)}: --over x.block=-3:3:60 --over v.block=-2:2:60")
    outputs.check(asked.plot, asked.save)
    saved = outputs.Saved()
    with report.progress() as progress:
        from stickslip.sweeps.basins import basins

        data = basins(
            model,
            grid,
            t=asked.t,
            start=arguments.read_numbers("--start", asked.start) or None,
            near=asked.near,
            most=asked.most,
            forcing=asked.forcing,
            progress=lambda part: progress.show("following starts", part, 1.0),
        )
        progress.hold()
        saved.save(asked.save, data)
    report.tell(model=model.about.called, parameters=dict(model.parameters), **_basin_facts(data))
    report.out.print(arguments.title_of(model), style="bold")
    _print_basins(report.out, data)
    saved.tell(report)
    report.draw(asked.plot, lambda plot: plot.basins(data))
    return not _unresolved(data) and str(data.attrs["outcome"]) == Status.FINISHED.word


def _unresolved(data: xr.Dataset) -> int:
    return int((data["attractor"] == -1).sum())


def _basin_facts(data: xr.Dataset) -> dict[str, Any]:
    told = {name: data.attrs[name] for name in ("status", "outcome", "notes", "unresolved")}
    return told | {"attractors": [asdict(each) for each in data.attractors], **dataset_facts(data)}


def _print_basins(out: Console, data: xr.Dataset) -> None:
    shares = [f"{100 * float(share):.1f} %" for share in data["fraction"].values]
    rows = list(zip(map(str, data.attractors), shares, strict=True))
    if _unresolved(data):
        rows.append(("unresolved", f"{100 * data.attrs['unresolved']:.1f} %"))
    out.print(table(rows, ("attractor", "of the starts"), most=len(rows)))
    if data.attrs["notes"]:
        out.print(str(data.attrs["notes"]), soft_wrap=True)
