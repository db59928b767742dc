"""`stickslip papers` and `stickslip paper`: figures and tables of the literature, recomputed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from stickslip.cli import outputs
from stickslip.cli.commands.papers import Papers
from stickslip.cli.screen import table
from stickslip.errors import ModelError
from stickslip.model.errors import visible
from stickslip.papers.catalogue import catalogue, paper
from stickslip.papers.found import tally

if TYPE_CHECKING:
    from rich.console import Console

    from stickslip.cli.commands.papers import Paper
    from stickslip.cli.report import Report
    from stickslip.papers.catalogue import Item
    from stickslip.papers.found import Row
    from stickslip.papers.keeping import Failed, Recomputed

MOST_WORKERS = 4
"""Processes that recompute items at a time: sweeps within them use all cores anyway."""


def perform(asked: Papers | Paper, report: Report) -> bool:
    """List the papers, or recompute items; whether all of them are done."""
    if asked.json not in (None, "-"):
        path = Path(str(asked.json))
        outputs.check([], path, (path.suffix.lower(),))
    if not isinstance(asked, Papers):
        return _recompute(paper(asked.key).choose(asked.items), asked, report)
    items = [item for each in catalogue().values() for item in each.items]
    if asked.all:
        return _recompute(items, asked, report)
    if asked.quick or asked.out != Papers().out:
        raise ModelError("--quick and --out go with --all; without it the papers are listed")
    _list(report)
    _write_json(
        asked, report, [{"paper": i.paper, "item": i.name, "title": i.title, "caption": i.caption} for i in items]
    )
    return True


def _list(report: Report) -> None:
    for each in catalogue().values():
        report.out.print(f"{each.key}: {each.title}", style="bold", soft_wrap=True)
        report.out.print(f"  {each.authors}: {each.source}", soft_wrap=True)
        report.out.print(table([(item.name, item.title, item.caption) for item in each.items], most=100))
        report.out.print()


def _recompute(items: Sequence[Item], asked: Papers | Paper, report: Report) -> bool:
    """Recompute, print, write the rows and the gallery; whether every item is done."""
    done, failed = _run(items, asked, report)
    place = {item.label: number for number, item in enumerate(items)}
    done.sort(key=lambda each: place[each.item.label])
    for each in done:
        if isinstance(asked, Papers):
            report.out.print(_summary(each), soft_wrap=True)
        else:
            _print(report.out, each)
    _sum_up(report.out, done, len(items))
    _write_json(asked, report, [asdict(row) for each in done for row in each.rows])
    from stickslip.papers.gallery import write_gallery

    pages = write_gallery(asked.out)
    report.wrote(pages if isinstance(asked, Papers) else pages.with_name(f"{asked.key}.html"))
    for failure in failed:
        print(visible(f"error: {failure.item.label}: {failure.sentence}"), file=sys.stderr)
    return len(done) == len(items)


def _run(items: Sequence[Item], asked: Papers | Paper, report: Report) -> tuple[list[Recomputed], list[Failed]]:
    """What is done, and what has failed; after Ctrl-C, so far."""
    import matplotlib

    from stickslip.papers.keeping import Failed
    from stickslip.papers.recomputed import recompute

    matplotlib.use("agg")  # pictures go to files: no window is needed, nor a screen
    workers = min(MOST_WORKERS, os.cpu_count() or 1)
    done: list[Recomputed] = []
    failed: list[Failed] = []
    with report.progress() as progress:
        running = recompute(items, asked.out, quick=asked.quick, workers=workers, report=progress.show)
        try:
            with closing(running):
                for each in running:
                    failed.append(each) if isinstance(each, Failed) else done.append(each)
        except KeyboardInterrupt:
            if not done:
                raise
        progress.hold()
    return done, failed


def _write_json(asked: Papers | Paper, report: Report, rows: list[dict[str, object]]) -> None:
    if asked.json == "-":
        report.document = rows
    elif asked.json is not None:
        from stickslip.papers.keeping import write_json

        write_json(Path(str(asked.json)), rows)
        report.wrote(Path(str(asked.json)))


def _summary(done: Recomputed) -> str:
    """An item in a line."""
    return ", ".join(text for text in (f"{done.item.label}: {done.seconds:.1f} s", tally(done.rows)) if text)


def _print(out: Console, done: Recomputed) -> None:
    out.print(f"{done.item.paper}, {done.item.title}: {done.item.caption}", style="bold", soft_wrap=True)
    if done.rows:
        lines = [_line(row) for row in done.rows]
        out.print(table(lines, ("printed", "", "ours", "quantity"), most=len(lines)))
    for note in dict.fromkeys(row.note for row in done.rows if row.note):
        out.print(f"  {note}", soft_wrap=True)
    out.print()


def _line(row: Row) -> tuple[str, ...]:
    """A row; the words come last, since they may take several lines."""
    mark = "" if row.agrees is None else "agrees" if row.agrees else "differs"
    return row.theirs, mark, row.ours, ": ".join(text for text in (row.quantity, row.where) if text)


def _sum_up(out: Console, done: list[Recomputed], total: int) -> None:
    told = tally([row for each in done for row in each.rows])
    out.print(", ".join(text for text in (f"{len(done)} of {total} items", told) if text), soft_wrap=True)
