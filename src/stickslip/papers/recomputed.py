"""`recompute`: items of papers, several at a time, each kept in files as soon as it is done.

In the folder there is, for each item, `KEY/ITEM.svg` and `.png` (the picture), `KEY/ITEM.nc` (the data) and, put there
last, `KEY/ITEM.json`: the rows, how long it took, and which code made it. An item whose record is of the same code is
not done again, unless it is the quick version and all of it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from stickslip.errors import Busy, ModelError, WriteError
from stickslip.files import held, reason
from stickslip.papers.catalogue import Item
from stickslip.papers.crew import Crew
from stickslip.papers.keeping import Failed, Recomputed, attempt, kept, sweep_up

LOCK = ".stickslip-papers"

Report = Callable[[str, int, int], None]
"""Called with what is going on, how many items are done, and how many there are."""


def recompute(
    items: Sequence[Item],
    out: Path,
    *,
    quick: bool = False,
    workers: int = 1,
    report: Report = lambda doing, done, total: None,
) -> Generator[Recomputed | Failed]:
    """Recompute items and keep each in `out`; those that are done there already are read.

    Ctrl-C ends it with KeyboardInterrupt: the items that were given before are whole in the folder, those that were
    interrupted have left nothing.

    Parameters
    ----------
    items : sequence of Item
        Which ones, from `paper(key).choose(names)`.
    out : Path
        The folder, made if there is none.
    quick : bool, default False
        Whether to use fewer points, so that all items take a few minutes. Those that are there in full stay.
    workers : int, default 1
        How many items at a time; more than one are done by processes of their own.
    report : callable, optional
        Told how far it has come.

    Yields
    ------
    Recomputed or Failed
        Each item when it is done: first those that were done before, then the others in the order in which they are
        finished. One that fails does not stop the others.

    Raises
    ------
    WriteError
        If the folder cannot be written to, or its disk is full.
    ModelError
        If another process is writing into it.

    Examples
    --------
    >>> import tempfile
    >>> from stickslip.papers import paper
    >>> (done,) = recompute(paper("leine1998").choose(["fig2"]), Path(tempfile.mkdtemp()), quick=True)
    >>> done.file("svg").is_file(), all(row.agrees is not False for row in done.rows)
    (True, True)
    """
    with _own(out):
        before = [found for item in items if (found := kept(item, out)) is not None and (quick or not found.quick)]
        yield from before
        known = {found.item.label for found in before}
        left = [item for item in items if item.label not in known]
        if workers == 1 or len(left) < 2:
            running = _one_by_one(left, out, quick, report, len(items))
        else:
            running = Crew(min(workers, len(left)), out, quick).do(left, report, len(items))
        with closing(running):
            for each in running:
                if isinstance(each, Failed) and each.is_write:
                    raise WriteError(each.sentence)
                yield each


def _one_by_one(left: list[Item], out: Path, quick: bool, report: Report, total: int) -> Generator[Recomputed | Failed]:
    for number, item in enumerate(left):
        report(item.label, total - len(left) + number, total)
        yield attempt(item, out, quick)


@contextmanager
def _own(out: Path) -> Iterator[None]:
    """The folder, made and held: one process writes into it at a time, and what cannot be written is known at once."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        with held(out / LOCK):
            sweep_up(out)
            yield
    except Busy as error:
        raise ModelError(f"{str(out)!r} is in use by {error}: give another --out, or wait for it") from None
    except WriteError:
        raise
    except OSError as error:
        raise WriteError(f"cannot write into {str(out)!r}: {reason(error)}") from None
