"""awrejcewicz2002: the catalogue is whole, and the errors of the orbits are those computed elsewhere."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from stickslip.papers import paper
from stickslip.papers.found import rows

matplotlib.use("agg")

KNOWN = {("peak", 10.0): 5.84e-2, ("peak", 1e3): 4.18e-3, ("Stribeck", 1e3): 1.68e-2, ("Stribeck", 1e5): 1.90e-3}
"""e of Eq. (16), from a shooting method of its own."""

PERIODS = [1.0192966810, 1.0111155032]
"""Of the peak and the Stribeck curve, from motions that have settled."""


@pytest.mark.nightly
def test_table_1_on_the_orbits_of_figure_10() -> None:
    (item,) = paper("awrejcewicz2002").choose(["table1"])
    table = rows("awrejcewicz2002", "table1", item.printed, item.recompute(True).values)
    matplotlib.pyplot.close("all")
    assert len(table) == 14 and all(row.printed is not None and row.note for row in table)
    found = {(row.parameters["case"], float(row.parameters["ε"])): row.value for row in table}
    for key, expected in KNOWN.items():
        assert found[key] == pytest.approx(expected, rel=5e-3)
    assert found["Stribeck", 100.0] == "no such orbit"


def test_motions_of_figures_10_and_11() -> None:
    """Periods from motions that have settled; every printed parameter is that of the model."""
    for name in ("fig10", "fig11"):
        (item,) = paper("awrejcewicz2002").choose([name])
        table = rows("awrejcewicz2002", name, item.printed, item.recompute(True).values)
        matplotlib.pyplot.close("all")
        assert all(row.agrees for row in table if row.printed is not None)
        if name == "fig10":
            assert sum(row.quantity == "motion" for row in table) == 4  # both laws, exact and with ε = 10⁴
            assert [row.value for row in table if row.quantity == "period"] == pytest.approx(PERIODS, abs=1e-9)


def test_the_largest_friction_that_is_left() -> None:
    """Of μ(v)·(2/π)·arctan(εv), by its maximum with scipy, for the law of Eq. (7) with γ = 0.2."""
    (item,) = paper("awrejcewicz2002").choose(["fig6"])
    found = {row.at["ε"]: row.value for row in item.recompute(True).values if row.quantity == "largest μ/μ₀"}
    matplotlib.pyplot.close("all")
    for eps, value in found.items():
        left = minimize_scalar(_lost, args=(eps,), bounds=(0, 1), method="bounded")
        assert value == pytest.approx(1 - left.fun, abs=1e-5)


def _lost(v: float, eps: float) -> float:
    return float(1 - 2 / np.pi * np.arctan(eps * v) / (1 + 0.2 * v))
