"""leine1998: the catalogue is whole, and items give what is printed and what is known exactly."""

from __future__ import annotations

import math

import matplotlib
import pytest

from stickslip.papers import paper
from stickslip.papers.found import Row, rows

matplotlib.use("agg")

PERIOD, STICK, X_MAX = 12.00103129483, 7.70503176935, 1.13394467644
ITEMS = {*(f"fig{n}" for n in (2, 3, 4, 5, 6, 8, 9, 10)), "cost"}
PRINTED = {
    "123", "110232", "1217", "3493510", "31.7", "1e1", "below 1e-5", "35.3", "8.8",  # Secs. 5 and 7
    "1", "3", "0.2", "2", "0.1", "50", "7850", "79.6e9", "0.5",  # Secs. 3 and 6, Appendix B
}  # fmt: skip
DEVIATES = {"123", "110232", "1217", "3493510", "31.7", "35.3"}


def row_by_quantity(name: str) -> dict[tuple[str, str], Row]:
    """The rows of an item, by quantity and the values of the parameters."""
    (item,) = paper("leine1998").choose([name])
    found = item.recompute(True)
    matplotlib.pyplot.close("all")
    table = rows("leine1998", name, item.printed, found.values)
    assert all(row.agrees is not False or row.note for row in table)
    return {(row.quantity, " ".join(map(str, row.parameters.values()))): row for row in table}


def test_the_catalogue_is_whole() -> None:
    items = paper("leine1998").items
    assert {item.name for item in items} == ITEMS
    assert {each.number for item in items for each in item.printed} >= PRINTED


def test_what_deviates_is_explained() -> None:
    printed = [each for item in paper("leine1998").items for each in item.printed]
    assert all(each.note for each in printed if each.number in DEVIATES)


def test_the_cycle_and_its_fundamental_matrix() -> None:
    """Φ_T = [[0, 0], [Φ₂₁, 1]]: where x is largest, every neighbour comes back to the cycle, and is late on it."""
    found = row_by_quantity("fig3")
    assert found["period", "exact"].value == pytest.approx(PERIOD, abs=1e-10)
    assert found["period", "smoothed"].value == pytest.approx(PERIOD - 0.011831187, abs=1e-7)
    assert found["stick time", "exact"].value == pytest.approx(STICK, abs=1e-10)
    assert found["largest displacement", "exact"].value == pytest.approx(X_MAX, abs=1e-10)
    assert [found["multiplier", str(i)].value for i in (1, 2)] == pytest.approx([1.0, 0.0], abs=1e-9)
    matrix = [found[f"Φ{ij} after a period", ""].value for ij in (11, 12, 21, 22)]
    assert matrix == pytest.approx([0.0, 0.0, 3.546277218, 1.0], abs=1e-8)
    assert found["the fundamental matrix jumps from", ""].agrees
    assert found["largest jump of an element", "stick to slip"].value < 1e-6


def test_the_switch_model_costs_less() -> None:
    """The printed counts belong to other codes; that smoothing takes ten times the points and operations does not."""
    points, cost = row_by_quantity("fig4"), row_by_quantity("cost")
    assert all(points["residual of the shooting", method].agrees for method in ("smoothing", "switch model"))
    assert points["period", "switch model"].value == pytest.approx(PERIOD, abs=1e-5)
    assert points["period", "smoothing"].value == pytest.approx(PERIOD - 0.0118312, abs=1e-5)
    assert cost["storage of smoothing over that of the switch model", ""].agrees
    assert cost["operations of smoothing over those of the switch model", ""].value > 5
    assert cost["integration points in stick", "smoothing"].value > 100
    assert cost["integration points in stick", "switch model"].value < 10


def test_two_periodic_motions_where_static_friction_grows() -> None:
    found = row_by_quantity("fig6")
    assert found["period", "1"].value == pytest.approx(14.42520189, abs=1e-7)
    assert found["largest multiplier in size", "1"].value == pytest.approx(-1.83874281, abs=1e-7)
    assert found["period", "2"].value == pytest.approx(27.18697789, abs=1e-7)
    assert found["shift of the phase portrait", ""].agrees and found["transition from stick to slip", ""].agrees


def test_the_violin_string() -> None:
    """ω_t/ω_l = (d/2) √(πG/f_t); the frequency of the periodic motion is 134.4966 Hz."""
    found = row_by_quantity("fig8")
    exact = 0.5e-3 * math.sqrt(math.pi * 79.6e9 / 50)
    assert found["frequency ratio ω_t/ω_l", "1.0"].value == pytest.approx(exact, rel=1e-12)
    assert found["frequency ratio ω_t/ω_l", "0.25"].agrees
    assert 1e3 / found["period, ms", "1.0"].value == pytest.approx(134.4966, abs=1e-4)
    assert [found["motion", d].value for d in ("1.0", "0.25")] == ["periodic", "chaotic"]
    exponent = found["largest exponent, 1/s", "0.25"]
    assert abs(exponent.value - 291) < 5 * exponent.accuracy < 120
    rolling = found["rolling of the string in stick, φ̇r/(ẋ − v_dr)", ""]  # the sign in the text is a misprint
    assert rolling.value == pytest.approx(-1.0, abs=1e-9) and rolling.agrees is False and rolling.note
    assert all(row.agrees for (_, at), row in found.items() if at == "B")
