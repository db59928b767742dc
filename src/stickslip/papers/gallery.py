"""The gallery: static pages, which need no network and no server, of what a folder holds of the papers.

`index.html` shows the papers; each has a page with every picture beside our words for what the paper shows, the printed
numbers beside ours, how long it took, and the source of the function. `gallery.css` is their look.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import stickslip as ss
from stickslip.files import output_file
from stickslip.notebook import Markup, safe
from stickslip.papers.catalogue import Item, Paper, catalogue
from stickslip.papers.found import Row, as_text, tally
from stickslip.papers.keeping import Recomputed, kept
from stickslip.papers.source import coloured, file_of, source_of

STYLE = Path(__file__).with_name("gallery.css")
INCHES = 200 / 96
"""Pixels of a picture in a file for each that it has on a page."""

WIDE = 2.1
"""How much wider than high a picture is that takes the whole page."""

HEADS = ("Quantity", "at", "printed", "ours", "accuracy", "")
LETTERS = "abcdefghijklmnopqrstuvwxyz"
Done = dict[str, Recomputed]
"""What is done of a paper, by the names of items."""


def write_gallery(out: Path) -> Path:
    """Write the pages of all that a folder holds; give the first of them.

    Raises
    ------
    WriteError
        If a page cannot be written; no page is there in part.

    Examples
    --------
    >>> import tempfile
    >>> from stickslip.papers import paper, recompute
    >>> out = Path(tempfile.mkdtemp())
    >>> _ = list(recompute(paper("leine1998").choose(["fig2"]), out, quick=True))
    >>> write_gallery(out).name, (out / "leine1998.html").is_file()
    ('index.html', True)
    """
    done = {key: _done(each, out) for key, each in catalogue().items()}
    shown = [each for each in catalogue().values() if done[each.key]]
    for number, each in enumerate(shown):
        beside = shown[max(number - 1, 0) : number], shown[number + 1 : number + 2]
        _write(out / f"{each.key}.html", _paper_page(each, done[each.key], beside))
    _write(out / "index.html", _index(list(catalogue().values()), done))
    return out / "index.html"


def _done(paper: Paper, out: Path) -> Done:
    return {item.name: found for item in paper.items if (found := kept(item, out)) is not None}


def _write(path: Path, page: str) -> None:
    with output_file(path) as temporary:
        temporary.write_text(page, encoding="utf-8")


# -- pages -------------------------------------------------------------------------------------------------------------


def _page(title: str, body: str, description: str) -> str:
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{safe(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="description" content="{safe(description)}">\n<meta name="color-scheme" content="light dark">\n'
        f"<style>\n{STYLE.read_text(encoding='utf-8')}</style>\n</head>\n<body>\n{body}\n"
        f"<footer><p>Written by stickslip {safe(ss.__version__)}.</p></footer>\n</body>\n</html>\n"
    )


def _index(papers: Sequence[Paper], done: dict[str, Done]) -> str:
    rows = [row for each in done.values() for found in each.values() for row in found.rows]
    count = sum(len(each) for each in done.values())
    total = sum(len(each.items) for each in papers)
    body = (
        '<header class="top"><h1>The papers, recomputed</h1>'
        '<p class="lede">The figures and tables of papers on stick-slip vibrations, computed anew with exact '
        "transitions between stick and slip, the printed numbers beside ours, and the code that made each.</p>"
        f"{_tally(rows, f'{count} of {total} figures, tables and results')}</header>\n"
        f'<main class="papers">{"".join(_card(each, done[each.key]) for each in papers)}</main>'
    )
    return _page("The papers, recomputed", body, "Figures and tables of papers on stick-slip vibrations, recomputed.")


def _card(paper: Paper, done: Done) -> str:
    name = _title(paper) if not done else f'<a href="{paper.key}.html">{_title(paper)}</a>'
    cover = done.get(paper.cover) or next(iter(done.values()), None)
    picture = "" if cover is None else f'<a class="cover" href="{paper.key}.html">{_picture(cover)}</a>'
    rows = [row for found in done.values() for row in found.rows]
    entries = "".join(_entry(item, done, f"{paper.key}.html") for item in paper.items)
    return (
        f'<article class="paper">{picture}<div><h2>{name}</h2>{_origin(paper)}<p>{_prose(paper.about)}</p>'
        f"{_tally(rows, f'{len(done)} of {len(paper.items)} items')}"
        f'<ul class="contents">{entries}</ul></div></article>\n'
    )


def _paper_page(paper: Paper, done: Done, beside: tuple[Sequence[Paper], Sequence[Paper]]) -> str:
    rows = [row for found in done.values() for row in found.rows]
    body = (
        f'<nav class="way" aria-label="Papers">{_way(beside)}</nav>\n'
        f'<header class="top"><h1>{_title(paper)}</h1>{_origin(paper)}<p class="lede">{_prose(paper.about)}</p>'
        f"{_tally(rows, f'{len(done)} of {len(paper.items)} items, {_duration(done)}')}</header>\n"
        '<nav aria-label="Figures and tables"><ul class="contents">'
        f"{''.join(_entry(item, done) for item in paper.items)}</ul></nav>\n"
        f"<main>{''.join(_section(item, done.get(item.name)) for item in paper.items)}</main>\n"
        f'<nav class="way" aria-label="Papers">{_way(beside)}</nav>'
    )
    return _page(f"{paper.title}: {paper.source}", body, f"{paper.authors}: {paper.title}, recomputed.")


def _way(beside: tuple[Sequence[Paper], Sequence[Paper]]) -> str:
    before, after = beside
    links = ['<a href="index.html">All papers</a>']
    links += [f'<a href="{each.key}.html" rel="prev">← {safe(each.key)}</a>' for each in before]
    links += [f'<a href="{each.key}.html" rel="next">{safe(each.key)} →</a>' for each in after]
    return " ".join(links)


def _title(paper: Paper) -> str:
    return safe(paper.title)


def _origin(paper: Paper) -> str:
    """Authors and journal; the link leads to the network, and nothing of the page does."""
    source = safe(paper.source)
    if paper.doi:
        source = f'<a href="https://doi.org/{safe(paper.doi)}">{source}</a>'
    return f'<p class="origin">{safe(paper.authors)}<br>{source}</p>'


def _entry(item: Item, done: Done, page: str = "") -> str:
    """A link to an item, with a mark that says how its numbers compare."""
    found = done.get(item.name)
    if found is None:
        return f'<li class="missing" title="not recomputed in this folder">{safe(item.title)}</li>'
    differ = sum(row.agrees is False for row in found.rows)
    agree = any(row.agrees for row in found.rows)
    mark = f'<span class="differs">{differ} ≠</span>' if differ else '<span class="agrees">✓</span>' if agree else ""
    return f'<li><a href="{page}#{item.name}">{safe(item.title)}</a>{mark}</li>'


def _tally(rows: Sequence[Row], what: str) -> str:
    """How much of what is printed agrees, in words; and of the results, as a bar."""
    told = tally(rows)
    if not told:
        return f'<p class="tally">{safe(what)}</p>'
    results = [row for row in rows if row.agrees is not None and not row.is_parameter]
    bar = ""
    if results:
        share = 100 * sum(bool(row.agrees) for row in results) / len(results)
        bar = f'<span class="bar" aria-hidden="true"><span style="width:{share:.1f}%"></span></span>'
    return f'<p class="tally">{bar}{safe(told[0].upper() + told[1:])}. {safe(what)}.</p>'


def _duration(done: Done) -> str:
    return f"computed in {_seconds(sum(found.seconds for found in done.values()))}"


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds / 60:.1f} min"


def _prose(text: str) -> Markup:
    """Words of the catalogue as HTML, with indices where they are.

    >>> _prose("μ₀F_N/c < 10, block_on_belt")
    'μ₀F<sub>N</sub>/c &lt; 10, block_on_belt'
    """
    return Markup(re.sub(r"(?<![A-Za-z_])([^\W\d_])_(\w{1,4})\b", r"\1<sub>\2</sub>", safe(text)))


# -- items -------------------------------------------------------------------------------------------------------------


def _section(item: Item, found: Recomputed | None) -> str:
    head = f'<h2><a href="#{item.name}">{safe(item.title)}</a></h2><p class="caption">{_prose(item.caption)}</p>'
    if found is None:
        absent = f"Not recomputed in this folder: <code>stickslip paper {item.label}</code>"
        return f'<section id="{item.name}">{head}<p class="absent">{absent}</p></section>\n'
    words = f"<h3>The paper says</h3><p>{_prose(item.says)}</p>"
    if item.chosen:
        words += f"<h3>What was chosen</h3><p>{_prose(item.chosen)}</p>"
    width, height = _size(found.file("png"))
    shape = "wide" if width > WIDE * height else "beside"
    return (
        f'<section id="{item.name}">{head}<div class="{shape}"><figure>'
        f'<a href="{item.paper}/{item.name}.svg">{_picture(found)}</a></figure>'
        f'<div class="words">{words}</div></div>{_numbers(found.rows)}{_made(found)}{_source(item)}</section>\n'
    )


def _picture(found: Recomputed) -> Markup:
    """The picture, drawn from lines where the browser can, else from pixels."""
    item, (width, height) = found.item, _size(found.file("png"))
    place = f"{item.paper}/{item.name}"
    return Markup(
        f'<picture><source type="image/svg+xml" srcset="{place}.svg"><img src="{place}.png" width="{width}" '
        f'height="{height}" style="--width:{width / 16:.1f}rem" loading="lazy" '
        f'alt="{safe(item.title)}: {safe(item.caption)}"></picture>'
    )


def _size(png: Path) -> tuple[int, int]:
    """Width and height of a picture on a page; they stand at the beginning of the file."""
    with open(png, "rb") as file:
        head = file.read(24)
    return round(int.from_bytes(head[16:20]) / INCHES), round(int.from_bytes(head[20:24]) / INCHES)


def _numbers(rows: Sequence[Row]) -> str:
    """What was computed; what was given is folded, as long as it is as printed."""
    given = [row for row in rows if row.is_parameter]
    computed = _table([row for row in rows if not row.is_parameter])
    if not given:
        return computed
    printed = [row for row in given if row.agrees is not None]
    same = sum(bool(row.agrees) for row in printed)
    opened = "" if same == len(printed) else " open"
    summary = f"<summary>Parameters: {same} of {len(printed)} as printed</summary>"
    return f"{computed}<details{opened}>{summary}{_table(given)}</details>"


def _table(rows: Sequence[Row]) -> str:
    """Printed numbers beside ours; columns without an entry are left out, and reasons are below, once each."""
    if not rows:
        return ""
    notes = list(dict.fromkeys(row.note for row in rows if row.note))
    lines = [_cells(row, LETTERS[notes.index(row.note) % 26] if row.note else "") for row in rows]
    filled = [number for number in range(len(HEADS)) if any(line[number] for line in lines)]
    head = "".join(f'<th scope="col"{_kind(number)}>{HEADS[number]}</th>' for number in filled)
    body = "".join(
        f"<tr{_agreement(row)}>{''.join(f'<td{_kind(number)}>{line[number]}</td>' for number in filled)}</tr>"
        for row, line in zip(rows, lines, strict=True)
    )
    reasons = "".join(f"<li>{_prose(note)}</li>" for note in notes)
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="Numbers">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        + (f'<ol class="notes">{reasons}</ol>' if reasons else "")
    )


def _kind(column: int) -> str:
    return ' class="number"' if HEADS[column] in ("printed", "ours") else ' class="quiet"' if column in (1, 4) else ""


def _agreement(row: Row) -> str:
    return "" if row.agrees is None else ' class="agrees"' if row.agrees else ' class="differs"'


def _cells(row: Row, letter: str) -> tuple[str, ...]:
    accuracy = f"± {as_text(row.accuracy, 1)}" if row.accuracy > 0 else ""
    reference = f"<sup>{letter}</sup>" if letter else ""
    where, theirs, ours = _prose(row.where), safe(row.theirs), safe(row.ours)
    return _prose(row.quantity), where, theirs, ours, accuracy, _mark(row) + reference


def _mark(row: Row) -> str:
    if row.agrees is None:
        return ""
    if row.agrees:
        return '<span class="agrees">✓ agrees</span>'
    if isinstance(row.value, str) or isinstance(row.printed, str) or not row.printed:
        return '<span class="differs">≠ differs</span>'
    return f'<span class="differs">≠ {_deviation(float(row.value), row.printed)}</span>'


def _deviation(ours: float, printed: float) -> str:
    """How far off, in parts of what is printed.

    >>> _deviation(0.5815, 0.55), _deviation(0.1, 0.4)
    ('+5.7 %', '−75 %')
    """
    part = 100 * (ours - printed) / abs(printed)
    return f"{part:+.2g} %".replace("-", "−") if abs(part) < 100 else f"{ours / printed:.2g} times"


def _made(found: Recomputed) -> str:
    """How long it took, and the files."""
    place = f"{found.item.paper}/{found.item.name}"
    links = [f'<a href="{place}.{suffix}">{suffix.upper()}</a>' for suffix in ("svg", "png")]
    links += [f'<a href="{place}.nc">data (NetCDF)</a>'] if found.has_data else []
    links += [f'<a href="{place}.json">numbers (JSON)</a>']
    quick = ", with fewer points (quick)" if found.quick else ""
    return f'<p class="made">Computed in {_seconds(found.seconds)}{quick}. {" · ".join(links)}</p>'


def _source(item: Item) -> str:
    path = f"stickslip/papers/{item.paper}/{file_of(item).name}"
    return (
        f"<details><summary>The code: <code>{safe(item.function)}</code></summary>"
        f'<p class="made">{safe(path)}</p><pre tabindex="0"><code>{coloured(source_of(item))}</code></pre></details>'
    )
