"""vandevrande1999: the catalogue is whole, tables come out as printed, and the exact bifurcations are exact."""

from __future__ import annotations

import math
from itertools import pairwise

import matplotlib
import pytest
from scipy.optimize import brentq
from tests.papers.two_blocks_map import bifurcation, repeated, slope

import stickslip as ss
from stickslip.papers import Row, paper
from stickslip.papers.found import PARAMETER, rows
from stickslip.papers.vandevrande1999.bifurcations import bifurcations, found_again
from stickslip.papers.vandevrande1999.blocks import SPEED, coexisting

matplotlib.use("agg")

ITEMS = {"fig2b", "fig3", "fig5", "fig6b", "fig7", *(f"table{n}" for n in range(1, 6)), "table3-limit"}

TABLES = {
    "table1": ["2.9e-1", "8.9e-2", "2.4e-2", "6.2e-3", "1.5e-3"],
    "table2": ["5.19e-2", "1.52e-2", "4.67e-3", "1.46e-3", "4.61e-4"],
    "table3": ["0.081", "0.141", "0.080", "0.165", "0.144", "0.113", "0.132", "0.1106", "0.104", "0.1112"],
    "table4": ["3.1e-1", "9.3e-2", "2.3e-2", "5.4e-3", "1.2e-3"],
    "table5": [
        *("1.02", "1.00e-1", "1.00e-2", "1.00e-3", "1.00e-4"),
        *("3.76", "3.93e-1", "3.98e-2", "3.99e-3", "4.00e-4"),
    ],
}
"""The numbers in the printed tables, row by row."""

EXACT = {
    "left flip of +1": 0.0840914135616,
    "right flip of +1": 0.1442518659541,
    "flip of +2 (left)": 0.0827977639246,
    "fold of +2 (right)": 0.1697425740080,
    "flip of −2": 0.1479043048520,
    "left flip of −4": 0.1203607828204,
    "right flip of −4": 0.1340234650743,
    "lowest flip of −4": 0.1160717380122,
    "left fold of −4": 0.1117423095681,
    "right fold of −4": 0.1169450170228,
}
"""The bifurcations of Table 3 of the discontinuous system."""


def table(name: str) -> list[Row]:
    """The rows of an item, computed quickly."""
    (item,) = paper("vandevrande1999").choose([name])
    found = item.recompute(True)
    matplotlib.pyplot.close("all")
    return rows("vandevrande1999", name, item.printed, found.values)


def check_agreement(found: list[Row], differing: int = 0) -> None:
    """All printed numbers agree, but for so many, which have a note."""
    assert [row for row in found if row.agrees is False and not row.note] == []
    assert sum(row.agrees is False for row in found) == differing


def test_the_catalogue_is_whole() -> None:
    assert {item.name for item in paper("vandevrande1999").items} == ITEMS


@pytest.mark.parametrize("name", TABLES)
def test_every_table_entry_has_a_row(name: str) -> None:
    (item,) = paper("vandevrande1999").choose([name])
    entries = [each for each in item.printed if not (each.is_word or each.quantity.startswith(PARAMETER))]
    assert [each.number for each in entries] == TABLES[name]


@pytest.mark.parametrize("name", ["table1", "table4", "table5", "fig6b"])
def test_tables(name: str) -> None:
    check_agreement(table(name))


def test_hopf_points_solve_their_scalar_equation() -> None:
    """d/dV of arctan(εV)/(1 + γV) is zero."""
    found = table("table2")
    check_agreement(found)
    speeds = {row.parameters["ε"]: row.value for row in found if row.quantity == "V_dr"}
    for eps, speed in speeds.items():

        def derivative(v: float, eps: float = float(eps)) -> float:
            return eps * (1 + 3 * v) / (1 + (eps * v) ** 2) - 3 * math.atan(eps * v)

        assert speed == pytest.approx(brentq(derivative, 1e-6, 1, xtol=1e-15), rel=1e-10)
    assert len(speeds) == 5


def test_the_slope_at_rest_is_that_of_the_arctangent() -> None:
    slopes = [row.value for row in table("fig2b") if row.quantity.startswith("slope")]
    assert slopes == pytest.approx([-2 / math.pi] * 3, rel=1e-5)


@pytest.mark.nightly
@pytest.mark.parametrize("which", [0, pytest.param(1, marks=pytest.mark.nightly)])
def test_in_phase_flips_are_those_of_the_map(which: int) -> None:
    """+1 of the discontinuous system, against a map of one number by scipy alone."""
    flips = ss.follow(coexisting()[0], SPEED, to=(0.08, 0.15)).of_kind("flip")
    assert len(flips) == 2
    _check_by_map(("left flip of +1", "right flip of +1")[which], flips[which])


@pytest.mark.nightly
@pytest.mark.parametrize("name", EXACT)
def test_exact_bifurcations(name: str) -> None:
    """Each of the ten to 1e-9, three times: as known, come to from the other side, and by the map."""
    _, point = bifurcations(None, True)[name]
    assert point.value == pytest.approx(EXACT[name], abs=1e-11)
    assert found_again(name, True) == pytest.approx(point.value, abs=1e-11)
    _check_by_map(name, point)


def _check_by_map(name: str, point: ss.SpecialPoint) -> None:
    """Within 1e-10 of it the map has a cycle with the multiplier of a flip, or of a fold."""
    orbit, multiplier = point.orbit, -1.0 if point.kind == "flip" else 1.0
    at_rest = [i for i, mode in enumerate(orbit.signature.modes) if tuple(mode) == (0, 0)]
    start = dict(zip(orbit.model.states, orbit.phases.states[at_rest[0]], strict=True))
    d, times = start["x.block2"] - start["x.block1"], len(at_rest)
    assert repeated(d, point.value, times) == pytest.approx(d, abs=1e-10)
    assert slope(d, point.value, times) == pytest.approx(multiplier, abs=1e-6)
    assert bifurcation(d, point.value, times, multiplier)[1] == pytest.approx(point.value, abs=1e-10)
    assert point.value == pytest.approx(EXACT[name], abs=1e-11)


@pytest.mark.nightly
def test_table_3() -> None:
    """All but the flip at 0.1106 as printed; the exact ones within what they say of themselves."""
    found = table("table3")
    check_agreement(found, differing=1)
    (missed,) = (row for row in found if row.agrees is False)
    assert missed.quantity == "V_dr of the lowest flip of −4" and missed.value == pytest.approx(0.11040656, abs=1e-8)
    exact = {row.quantity.removeprefix("V_dr of the "): row for row in found if row.parameters["ε"] == "exact"}
    assert exact.keys() == EXACT.keys()
    for name, row in exact.items():
        assert row.accuracy < 1e-9 and row.value == pytest.approx(EXACT[name], abs=1e-11)


@pytest.mark.nightly
def test_bifurcations_move_up_to_the_exact_ones() -> None:
    found = table("table3-limit")
    for name, limit in EXACT.items():
        path = [row.value for row in found if row.quantity == f"V_dr of the {name}" and row.parameters["ε"] != "exact"]
        distances = [limit - value for value in path]
        assert len(path) == 3 and all(a > b > 0 for a, b in pairwise(distances))
        (order,) = (row.value for row in found if row.quantity == f"order in 1/ε of the {name}")
        assert 0.5 < order < 2 / 3


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "differing"), [("fig2b", 1), ("fig3", 0), ("fig5", 1), ("fig7", 0)])
def test_figures(name: str, differing: int) -> None:
    check_agreement(table(name), differing)


@pytest.mark.nightly
def test_the_cycle_of_the_drill_string_ends_where_the_bit_just_stops() -> None:
    ends = {row.parameters["κ"]: row.value for row in table("fig7") if row.quantity == "largest η of the cycle"}
    assert ends["exact"] == pytest.approx(4.611989021, abs=1e-9)
    assert ends[1.0] > ends[0.1] > ends[0.01] > ends["exact"]
