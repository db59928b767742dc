"""The picture of the layers, docs/pictures/layers.svg, drawn from the table in docs/architecture.md.

A column for each group, its layers in boxes from top to bottom. Boxes of the straight line, which are bold in the
table, are filled, and a ribbon leads through them.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from pathlib import Path

from tests.layers.page import Layer

PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "layers.svg"

EDGE = 18
"""What is left free around it."""

COLUMN, GAP = 108, 10
BOX, BETWEEN = 25, 7
"""The width of a column and what is between two; the height of a box and what is between two."""

WIDE = COLUMN - 12
"""The width of a box."""

TOP = 132
"""Where the first boxes begin, below the icons and titles."""

COLOURS = ("#6b7280", "#0072b2", "#0a84a8", "#0b8f8c", "#2f8f5b", "#7d8a1f", "#b0801a", "#cc6f14", "#d55e00")
"""From grey over the blue of slip to the orange of stick, as pictures of motions have them."""

SANS = "-apple-system, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', sans-serif"
SERIF = "Georgia, 'Times New Roman', 'DejaVu Serif', serif"
MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"

CAPTIONS = {
    "ground": "known to all",
    "model": "parts and laws",
    "equations": "and their source",
    "machine code": "loops on numbers",
    "trajectory": "one motion",
    "results": "labelled data",
    "data": "read and fitted",
    "motions": "found, followed",
    "ways in": "Python and shell",
}
ICONS = {
    "ground": "M-22 11H22 M-16 4H16 M-10 -3H10 M-4 -10H4",
    "model": "M-24 11H24 M-5 -11H15V7H-5Z M-24 -10V6 M-24 -2H-21L-19 -7L-16 3L-13 -7L-10 3L-8 -2H-5 "
    "M-18 11L-22 15 M-8 11L-12 15 M2 11L-2 15 M12 11L8 15 M22 11L18 15",
    "equations": "",
    "machine code": "M-11 -11H11V11H-11Z M-5 -5H5V5H-5Z M-6 -11V-16 M0 -11V-16 M6 -11V-16 M-6 11V16 M0 11V16 M6 11V16 "
    "M-11 -6H-16 M-11 0H-16 M-11 6H-16 M11 -6H16 M11 0H16 M11 6H16",
    "trajectory": "M-27 10L-14 -10Q-11 -14 -9 -6L-6 6Q-4 12 -1 8L10 -10Q13 -14 15 -6L18 6Q20 12 23 8L27 2",
    "results": "M-20 -13H20V13H-20Z M-20 -5H20 M-20 4H20 M-8 -13V13 M6 -13V13",
    "data": "M-21 -14V13H22 M-16 10C-10 -8 2 -4 20 -10 M-12 -6l3 3m0 -3l-3 3 M-4 3l3 3m0 -3l-3 3 M4 -12l3 3m0 -3l-3 3 "
    "M13 -2l3 3m0 -3l-3 3",
    "motions": "M-24 0A24 13 0 1 1 24 0A24 13 0 1 1 -24 0 M-4 -1C-6 4 5 5 8 1C11 -4 2 -8 -6 -7C-18 -5 -18 3 -10 6 "
    "M-14.5 7L-10 6L-12 2",
    "ways in": "M-23 -14H23V14H-23Z M-15 -6L-8 0L-15 6 M-3 7H9",
}
"""Drawn around the origin, in lines: steps down to the ground, a block on a belt, (a formula), a chip, stick and slip,
a table, a curve through points, a motion inside a cycle, a terminal."""

FORMULA = "ż = f + Gλ"
"""In the place of an icon for the equations: the one form that all models have."""


def drawn(layers: Iterable[Layer]) -> str:
    """The picture as the text of an SVG file."""
    columns = [list(rows) for _, rows in groupby(layers, lambda layer: layer.group)]
    width = 2 * EDGE + len(columns) * (COLUMN + GAP) - GAP
    height = TOP + max(map(len, columns)) * (BOX + BETWEEN) + 56
    places = {
        layer.name: (EDGE + i * (COLUMN + GAP) + (COLUMN - WIDE) // 2, TOP + j * (BOX + BETWEEN))
        for i, column in enumerate(columns)
        for j, layer in enumerate(column)
    }
    line = [places[layer.name] for column in columns for layer in column if layer.straight]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="{SANS}">',
        "<title>The layers of stickslip: each imports only what is left of it, or above it in its column</title>",
        *_gradient(width),
        f'<rect width="{width}" height="{height}" rx="14" fill="#ffffff"/>',
        *(line for i, column in enumerate(columns) for line in _column(i, column[0].group, height)),
        f'<path d="{_ribbon(line)}" fill="none" stroke="url(#way)" stroke-width="7" stroke-linecap="round" '
        'stroke-opacity="0.38"/>',
        *(_box(layer, *places[layer.name], COLOURS[i]) for i, column in enumerate(columns) for layer in column),
        *_arrow(width, height - 24),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _gradient(width: int) -> Iterator[str]:
    """All colours from left to right, for what runs through all columns."""
    ends = f'x1="{EDGE}" x2="{width - EDGE}" y1="0" y2="0"'
    yield f'<defs><linearGradient id="way" gradientUnits="userSpaceOnUse" {ends}>'
    for i, colour in enumerate(COLOURS):
        yield f'<stop offset="{(i + 0.5) / len(COLOURS):.4f}" stop-color="{colour}"/>'
    yield "</linearGradient></defs>"


def _column(i: int, group: str, height: int) -> Iterator[str]:
    x, colour = EDGE + i * (COLUMN + GAP), COLOURS[i]
    centre = x + COLUMN / 2
    yield (
        f'<rect x="{x}" y="{EDGE}" width="{COLUMN}" height="{height - EDGE - 50}" rx="10" fill="{colour}" '
        'fill-opacity="0.07"/>'
    )
    if ICONS[group]:
        yield (
            f'<path transform="translate({centre:g} {EDGE + 30})" d="{ICONS[group]}" fill="none" stroke="{colour}" '
            'stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"/>'
        )
    else:
        yield _text(
            centre, EDGE + 36, FORMULA, f'font-size="18" font-style="italic" font-family="{SERIF}" fill="{colour}"'
        )
    yield _text(centre, TOP - 42, group, f'font-size="13" font-weight="600" fill="{colour}"')
    yield _text(centre, TOP - 25, CAPTIONS[group], 'font-size="11" fill="#666666"')


def _box(layer: Layer, x: float, y: float, colour: str) -> str:
    fill, ink = (colour, "#ffffff") if layer.straight else ("#ffffff", "#333333")
    return (
        f'<rect x="{x}" y="{y}" width="{WIDE}" height="{BOX}" rx="6" fill="{fill}" stroke="{colour}" '
        'stroke-opacity="0.55"/>'
        + _text(x + WIDE / 2, y + BOX / 2 + 4, layer.name, f'font-size="11" font-family="{MONO}" fill="{ink}"')
    )


def _ribbon(places: list[tuple[float, float]]) -> str:
    """The way through the boxes of the straight line: down a column, and in a curve to the next."""
    way = []
    for (x, y), (next_x, next_y) in pairwise(places):
        if x == next_x:
            way.append(f"M{x + WIDE / 2:g} {y + BOX}V{next_y}")
        else:
            begin, end, half = x + WIDE, next_x, BOX / 2
            middle = (begin + end) / 2
            way.append(f"M{begin} {y + half}C{middle:g} {y + half} {middle:g} {next_y + half} {end} {next_y + half}")
    return " ".join(way)


def _arrow(width: int, y: float) -> Iterator[str]:
    """What the picture says, under all of it."""
    left, right = EDGE + 8, width - EDGE - 8
    yield (
        f'<path d="M{right} {y}H{left + 2} M{left + 9} {y - 6}L{left} {y}L{left + 9} {y + 6}" fill="none" '
        'stroke="url(#way)" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round"/>'
    )
    yield f'<rect x="{width / 2 - 190}" y="{y - 10}" width="380" height="20" fill="#ffffff"/>'
    yield _text(
        width / 2, y + 4, "imports point to the left, and upwards in a column", 'font-size="12.5" fill="#444444"'
    )


def _text(x: float, y: float, text: str, style: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="middle" {style}>{text}</text>'
