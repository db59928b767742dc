"""hinrichs1998: the catalogue is whole, and items give what is printed and what is known exactly."""

from __future__ import annotations

import math

import matplotlib
import pytest

from stickslip.papers import paper
from stickslip.papers.found import rows

matplotlib.use("agg")


def row_by_quantity(name: str) -> dict[tuple[str, str], object]:
    """The rows of an item, by quantity and the values of the parameters."""
    (item,) = paper("hinrichs1998").choose([name])
    found = item.recompute(True)
    matplotlib.pyplot.close("all")
    table = rows("hinrichs1998", name, item.printed, found.values)
    assert all(row.agrees is not False or row.note for row in table)
    return {(row.quantity, " ".join(map(str, row.parameters.values()))): row for row in table}


def test_stops_of_figure_6() -> None:
    found = row_by_quantity("fig6")
    assert [row.value for row in found.values() if not row.is_parameter] == [0, 1, 2, 4]
    assert all(row.agrees for row in found.values())


def test_the_end_of_sticking_is_a_fold() -> None:
    found = {quantity: row.value for (quantity, _), row in row_by_quantity("fig7").items()}
    assert found["largest η with sticking"] == pytest.approx(0.5815224771, abs=1e-9)
    assert found["largest η at which every motion comes to stick"] == pytest.approx(0.5800209157, abs=1e-9)


def test_cycle_of_coulomb_friction_is_the_exact_one() -> None:
    """T = 2Δ/v₀ + 2 (π − arctan(Δ/v₀)) with Δ = 1.5 and v₀ = 1."""
    found = row_by_quantity("fig5")
    expected = 3 + 2 * (math.pi - math.atan(1.5))
    assert found["period of the limit cycle", "II"].value == pytest.approx(expected, abs=1e-11)
    assert [found["slip", name].value for name in ("I", "II", "III")] == ["arcs of circles"] * 2 + ["no circles"]


def test_motions_of_figure_8() -> None:
    assert all(row.agrees for row in row_by_quantity("fig8").values())


def test_a_coulomb_block_slides_twice_the_difference_beyond_its_limit() -> None:
    found = row_by_quantity("fig4")
    assert found["width of the dead zone", "II"].value == pytest.approx(3.0, abs=1e-9)
    assert found["width of the dead zone", "I"].value == pytest.approx(0.0, abs=1e-9)


def test_coexisting_motions() -> None:
    """A stop on either side, and none: the mirror image of a motion with one stop is another."""
    found = {quantity: row.value for (quantity, _), row in row_by_quantity("basins").items()}
    assert (found["motions with a stop"], found["motions without a stop"]) == (2, 1)


@pytest.mark.nightly
def test_islands_of_figure_31() -> None:
    """One release in two, three and four periods of the excitation, below 16.5 1/s: three islands, as the text says."""
    found = {quantity: row for (quantity, _), row in row_by_quantity("fig31b").items()}
    (islands,) = [row for quantity, row in found.items() if quantity.startswith("islands")]
    assert islands.value == 3 and islands.agrees
    assert found["displacements of an island as Ω grows"].agrees


@pytest.mark.nightly
def test_releases_of_figure_30_are_not_gaussian() -> None:
    found = row_by_quantity("fig30")
    assert found["distribution", "15.3 0.015"].agrees


def test_the_stiffer_contact_swings_faster_and_less() -> None:
    """√((c + c_R)/m) of Figures 28 and 27: c = 3956 N/m, c_R = 400 000 and 150 000 N/m."""
    found = {quantity: row.value for (quantity, _), row in row_by_quantity("fig28").items()}
    expected = math.sqrt((3956 + 400_000) / (3956 + 150_000))
    assert found["frequency of the transients over that of Figure 27"] == pytest.approx(expected, rel=1e-12)
    assert found["hysteresis against Figure 27"] == "smaller"


def test_free_oscillation_of_figure_13() -> None:
    """The second jump is half a period of the damped oscillator after the first."""
    found = {quantity: row.value for (quantity, _), row in row_by_quantity("fig13b").items()}
    half = math.pi / math.sqrt(3956 / 6.08 - (0.768 / (2 * 6.08)) ** 2)
    second = found["second jump of the friction force, after which it sticks, s"]
    assert second == pytest.approx(0.23 + half, abs=1e-12)
