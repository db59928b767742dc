"""wiercigroch1994: the catalogue is whole, and items give what is printed with the values that were chosen."""

from __future__ import annotations

import math

import matplotlib
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

import stickslip as ss
from stickslip.papers import paper
from stickslip.papers.found import Row, rows

matplotlib.use("agg")

ITEMS = {*(f"fig{n}" for n in (1, 3, 4, 5, 6)), "autocorrelation"}

BEYOND = "above a critical normal force"
"""What the summary says of it does not come out with the values that were chosen."""


def row_by_quantity(name: str) -> dict[tuple[str, str], Row]:
    """The rows of an item, by quantity and the values of the parameters."""
    (item,) = paper("wiercigroch1994").choose([name])
    found = item.recompute(True)
    matplotlib.pyplot.close("all")
    table = rows("wiercigroch1994", name, item.printed, found.values)
    assert all(row.agrees for row in table if row.printed is not None and row.quantity != BEYOND)
    return {(row.quantity, " ".join(map(str, row.parameters.values()))): row for row in table}


def test_the_catalogue_is_whole() -> None:
    """1.68 is the only number that the text prints as a result; where it prints no values, those chosen are told."""
    items = paper("wiercigroch1994").items
    assert {item.name for item in items} == ITEMS
    assert "1.68" in {each.number for item in items for each in item.printed}
    assert all(item.chosen for item in items)


def test_characteristics() -> None:
    found = row_by_quantity("fig1")
    apart = [found["largest difference of f_C/N at the same speed", letter].value for letter in "abcd"]
    assert max(apart[:3]) < 1e-5 and apart[3] == pytest.approx(0.0488, abs=1e-3)


def test_relaxation_vibration() -> None:
    """The period, integrated apart from this with SciPy, phase by phase, is 7.77540798."""
    found = row_by_quantity("fig3")
    assert found["period", ""].value == pytest.approx(7.77540798, abs=1e-8)
    assert found["f_sys less friction in stick, at most", ""].value < 1e-12


def slip_map(v0: float, start: np.ndarray) -> np.ndarray:
    """Eq. (7) with v < 0 over one period of the excitation, by SciPy."""

    def rate(t: float, z: np.ndarray) -> list[float]:
        speed = v0 - z[1]
        mu = 0.3 / (1 + 1.42 * speed) + 0.1 + 0.01 * speed**2
        return [z[1], -z[0] - 2 * 0.093 * z[1] + 5 * mu + 0.7 * math.cos(2 * t)]

    return solve_ivp(rate, (0, math.pi), start, rtol=1e-12, atol=1e-13).y[:, -1]


@pytest.mark.nightly
def test_windows_of_periodic_motion_remain() -> None:
    found = row_by_quantity("fig5")
    assert [found[BEYOND, v0].value for v0 in ("0.5", "1.0")] == ["periodic responses as well"] * 2
    assert all(found[BEYOND, v0].agrees is False and found[BEYOND, v0].note for v0 in ("0.5", "1.0"))


@pytest.mark.nightly
def test_speeds_at_which_motions_end() -> None:
    """Upward, motions with stick end at the critical speed; downward, the motion without stick has a multiplier −1."""
    found = row_by_quantity("fig4")
    critical = found["critical v₀", "2.0"].value
    assert critical == pytest.approx(1.681591661, abs=1e-8)
    for v0, releases in ((critical - 5e-4, True), (critical + 5e-4, False)):
        run = ss.simulate(ss.models.excited_oscillator(xi=0.093, beta=0.7, eta=2.0, load=5.0, v0=v0), t=3000)
        assert (float(run.event_time[-1]) > 2900) is releases
    lower = found["v₀ where the motion without stick loses stability, downward", "2.0"].value
    orbit = fsolve(lambda z: slip_map(lower, z) - z, [0.87, 0.07], xtol=1e-12)
    columns = [(slip_map(lower, orbit + h) - slip_map(lower, orbit - h)) / 2e-5 for h in 1e-5 * np.eye(2)]
    assert min(np.linalg.eigvals(np.array(columns).T).real) == pytest.approx(-1.0, abs=1e-6)


def test_maps_change() -> None:
    found = row_by_quantity("fig6")
    assert [found["motion", v0].value for v0 in ("0.75", "0.78")] == ["period 2", "chaotic"]
    exponent = found["largest exponent, per unit time", "0.78"]
    assert abs(exponent.value - 0.02033) < 5 * exponent.accuracy < 0.01


def test_the_autocorrelation_of_chaos_decays() -> None:
    found = row_by_quantity("autocorrelation")
    stays, decays = (found["largest autocorrelation after 80 to 100 periods", v0].value for v0 in ("0.75", "0.78"))
    assert stays > 0.9 and decays < 0.75
