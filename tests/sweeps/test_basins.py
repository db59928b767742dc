"""Basins against single simulations, closed forms, and what must be one attractor."""

import json
from math import cos
from pathlib import Path

import matplotlib
import numpy as np
import pytest

import stickslip as ss
from stickslip import plot

matplotlib.use("agg")
M = ss.models


def test_an_interval_of_rest_is_one_attractor() -> None:
    data = ss.basins(
        M.coulomb_oscillator(), {"x.block": np.linspace(-5, 5, 21), "v.block": np.linspace(-5, 5, 20)}, t=40
    )
    (rest,) = data.attractors
    assert rest.kind == "rest"
    assert rest.interval is not None and rest.interval["x.block"] == (-1.0, 1.0)
    assert data.attractor.values.tolist() == np.zeros((21, 20)).tolist()
    assert data.fraction.values.tolist() == [1.0]
    # Without friction left to do, no later than after a few half swings of π each.
    assert 0 < float(data.transient_time.max()) < 4 * np.pi + 2 * 40 / 48


@pytest.mark.parametrize("calls", [1, 9, 20, 25])
def test_interrupted_it_keeps_what_is_known(calls: int) -> None:
    """While a few starts look for attractors, and while all are followed: what has arrived stays so."""
    grid = {"x.block": np.linspace(-5, 5, 21), "v.block": np.linspace(-5, 5, 20)}
    whole = ss.basins(M.coulomb_oscillator(), grid, t=40)
    seen: list[float] = []

    def impatient(part: float) -> None:
        seen.append(part)
        if len(seen) == calls:
            raise KeyboardInterrupt

    some = ss.basins(M.coulomb_oscillator(), grid, t=40, progress=impatient)
    known = some.attractor.values != -1
    assert some.attrs["outcome"] == "interrupted" and whole.attrs["outcome"] == "finished"
    assert some.attrs["status"].startswith(ss.Status.INTERRUPTED.value)
    assert f"{known.sum()} of 420 starts" in some.attrs["notes"]
    assert known.sum() < 420 and (known.any() or calls < 3)
    assert some.attractor.values[known].tolist() == whole.attractor.values[known].tolist()
    assert some.transient_time.values[known].tolist() == whole.transient_time.values[known].tolist()
    assert np.isnan(some.transient_time.values[~known]).all()


def test_two_coexisting_orbits() -> None:
    axis = np.linspace(-1, 1.5, 14)
    data = ss.basins(M.two_blocks(), {"x.block1": axis, "x.block2": axis}, t=1200)
    found = data.attractors
    assert [orbit.period for orbit in found] == pytest.approx([26.192036320, 16.144400423], abs=1e-8)
    assert data["attractor_kind"].values.tolist() == [orbit.kind for orbit in found] == ["orbit", "orbit"]
    assert data.attrs["unresolved"] == 0
    p = data.fraction.values
    assert np.sum(p) == pytest.approx(1)
    assert data.fraction_error.values == pytest.approx(np.sqrt(p * (1 - p) / 196))
    for i, k in ((0, 0), (3, 9), (7, 8), (12, 5), (6, 6)):
        start = {"x.block1": float(axis[i]), "x.block2": float(axis[k])}
        orbit = ss.find_orbit(M.two_blocks(), start)
        assert orbit.period == pytest.approx(found[int(data.attractor[i, k])].period, abs=1e-7)


def test_drilling_steadily_or_in_jerks() -> None:
    """The border of steady drilling is the motion that just touches the speed of the table: a spiral, traced back."""
    twist, speed = np.linspace(-8, 8, 33), np.linspace(-6, 3.8, 30)
    data = ss.basins(M.drill_string(), {"x.twist": twist, "v.twist": speed}, t=200)
    orbit, steady = data.attractors
    assert (orbit.kind, steady.kind) == ("orbit", "equilibrium")
    assert orbit.period == pytest.approx(6.53058288421, abs=1e-9)
    assert steady.state == pytest.approx({"x.twist": 0.0, "v.twist": 0.0}, abs=1e-9)
    assert data.attrs["unresolved"] == 0
    # While it slips, ψ obeys a linear oscillator with ζ = 0.05: steady where its free motion stays below v = η = 4.
    zeta, w = 0.05, np.sqrt(1 - 0.05**2)
    t = np.linspace(0, 2 * np.pi / w, 4001)[:, None, None]
    x, v = np.meshgrid(twist, speed, indexing="ij")
    free = np.exp(-zeta * t) * (v * np.cos(w * t) - (x + zeta * v) / w * np.sin(w * t))
    highest = np.max(free, axis=0)
    clear = np.abs(highest - 4) > 1e-3
    assert np.array_equal((data.attractor.values == 1)[clear], (highest < 4)[clear])
    assert np.sum(clear) > 980


def test_excited_orbits_are_seen_at_their_phase() -> None:
    grid = {"x.block": np.linspace(-3, 5, 6), "v.block": np.linspace(-1, 1, 5)}
    data = ss.basins(M.forced_oscillator("II", eta=0.9), grid, t=200)
    (orbit,) = data.attractors
    assert orbit.period == pytest.approx(2 * np.pi / 0.9, abs=1e-9)
    assert data.fraction.values.tolist() == [1.0]


def test_rest_under_a_weak_excitation_is_one_attractor() -> None:
    """The base shakes too little to release the block: it rests wherever it came to rest."""
    block, base = ss.Mass("block", m=1.0), ss.Base("base", motion=lambda t, u=0.2, w=0.7: u * cos(w * t))
    contact = ss.Contact(block, ss.ground, law=ss.Coulomb(mu_s=1.0, mu_k=0.7), normal=1.0)
    shaken = ss.System(ss.Spring(block, base, k=1.0), contact)
    data = ss.basins(shaken, {"x.block": np.linspace(-3, 3, 7), "v.block": np.linspace(-2, 2, 6)}, t=150)
    (rest,) = data.attractors
    assert rest.kind == "rest"
    assert data.fraction.values.tolist() == [1.0]


def test_a_chaotic_attractor() -> None:
    """hinrichs1998 has 0.1597 per release for the exponent there, which is 0.0221 per unit time."""
    grid = {"x.block": np.linspace(-3, 5, 6), "v.block": np.linspace(-1.5, 1, 5)}
    data = ss.basins(M.forced_oscillator("III", eta=1.915, u0=1.0), grid, t=80)
    (chaos,) = data.attractors
    assert chaos.kind == "chaos" and data.fraction.values.tolist() == [1.0]
    assert chaos.exponent is not None and chaos.exponent_error is not None
    assert chaos.exponent == pytest.approx(0.0221, abs=4 * chaos.exponent_error)
    assert chaos.exponent_error < 0.002
    assert np.all(data.transient_time.values < 60)
    visits = data.points.sel(number=0, state="v.block").values
    assert np.ptp(visits) > 2 and np.max(visits) == pytest.approx(1.0, abs=1e-9)  # it rides on the belt, and slips back


LORENZ = ss.Filippov(
    ("x", "y", "z"),
    f=lambda x, y, z, sigma=10.0, r=24.2, b=8 / 3: (sigma * (y - x), x * (r - z) - y, x * y - b * z),
    G=lambda: (0.0, 0.0, 0.0),
    h=lambda: 1.0,
    start={"z": 23.2},
)


@pytest.mark.nightly
def test_chaos_beside_points_of_rest() -> None:
    """Between r = 24.06 and 24.74 the equations of Lorenz have a chaotic attractor and two stable points."""
    axis = np.linspace(-20, 20, 10)
    data = ss.basins(LORENZ, {"x": axis, "y": axis}, t=500)
    found = data.attractors
    assert [attractor.kind for attractor in found] == ["chaos", "equilibrium", "equilibrium"]
    assert found[0].exponent == pytest.approx(0.79, abs=0.03)
    place = np.sqrt(8 / 3 * 23.2)
    starts = np.array([[x, y, 23.2] for x in axis for y in axis])
    ends, _ = ss.Field.of(LORENZ).propagate(starts, 4000.0)
    at = {round(a.state["x"]): number for number, a in enumerate(found) if a.kind == "equilibrium"}
    truth = np.zeros(100, int)
    for sign in (1, -1):
        truth[np.max(np.abs(ends - [sign * place, sign * place, 23.2]), axis=1) < 0.1] = at[round(sign * place)]
    labels = data.attractor.values.ravel()
    assert np.array_equal(labels[labels >= 0], truth[labels >= 0])
    assert np.sum(labels >= 0) >= 95 and np.sum(truth > 0) > 5


@pytest.mark.nightly
def test_what_is_neither_an_orbit_nor_chaos_stays_unresolved() -> None:
    """Two free oscillations with an irrational ratio: a torus, on which neighbours stay neighbours."""
    torus = ss.Filippov(
        ("a", "b", "c", "d"),
        f=lambda a, b, c, d: (
            b + a * (1 - a * a - b * b), -a + b * (1 - a * a - b * b),
            1.618 * d + c * (1 - c * c - d * d), -1.618 * c + d * (1 - c * c - d * d),
        ),
        G=lambda: (0.0, 0.0, 0.0, 0.0),
        h=lambda: 1.0,
        start={"a": 1.0, "c": 1.0},
    )  # fmt: skip
    data = ss.basins(torus, {"a": [0.5, 1.5], "c": [0.5, 1.5]}, t=60, most=1)
    assert np.all(data.attractor.values == -1) and data.attrs["unresolved"] == 1
    assert "neighbours do not part" in data.attrs["notes"]
    assert data.attractors == []


def test_the_picture_and_the_attributes(tmp_path: Path) -> None:
    data = ss.basins(M.drill_string(), {"x.twist": np.linspace(-6, 6, 9), "v.twist": np.linspace(-3, 3, 7)}, t=150)
    assert [entry["kind"] for entry in json.loads(data.attrs["attractors"])] == ["equilibrium", "orbit"]
    axes = plot.basins(data)
    (mesh,) = axes.collections
    assert axes.get_title(loc="left") == "Torsional stick-slip of a drill string"
    assert np.array_equal(np.asarray(mesh.get_array()).ravel(), data.attractor.values.T.ravel())
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts[0].startswith("A: steady sliding\n") and texts[1].startswith("B: orbit of period 6.53058\n")
    assert axes.get_xlabel().startswith("angle")
    marks = {line.get_gid(): line for line in axes.lines}
    assert np.asarray(marks["attractor0"].get_xdata()).tolist() == pytest.approx([0.0, 0.0])
    orbit = marks["attractor1"]
    assert np.ptp(np.asarray(orbit.get_xdata())) > 5 and orbit.get_linestyle() == "-" and orbit.get_marker() == "None"
    assert [text.get_text() for text in axes.texts] == ["A", "B"]
    path = ss.save(data, tmp_path / "basins.nc")
    assert ss.load(path).equals(data) and ss.load(path).attractors == data.attractors
    matplotlib.pyplot.close("all")
    with pytest.raises(ValueError, match="needs the dataset that basins returns"):
        plot.basins(data.drop_vars("fraction"))


@pytest.mark.parametrize(
    ("grid", "keywords", "words"),
    [
        ({"x.block": [0.0]}, {"t": 1}, "the grid has 1 states: give two"),
        ({"x.block": [0.0], "v.blok": [0.0]}, {"t": 1}, "there is no state 'v.blok'.*v.block"),
        ({"x.block": [0.0], "v.block": [np.nan]}, {"t": 1}, "the values of 'v.block' is nan: values must be finite"),
        ({"x.block": [0.0], "v.block": []}, {"t": 1}, "there are no values of 'v.block' on the grid"),
        ({"x.block": [0.0], "v.block": [1.0, 0.0, 2.0]}, {"t": 1}, "the values of 'v.block' must rise or fall"),
        ({"x.block": [0.0], "v.block": ["a"]}, {"t": 1}, "they must be numbers"),
        (3, {"t": 1}, "the grid is 3: give values of two states by name"),
        ({"x.block": [0.0], "v.block": [0.0]}, {"t": 1, "forcing": -1}, "basins: forcing is -1"),
        ({"x.block": [0.0], "v.block": [0.0]}, {"t": 0}, "t is 0: it must be a positive number"),
        ({"x.block": [0.0], "v.block": [0.0]}, {"t": 1, "near": -1}, "near is -1"),
        ({"x.block": [0.0], "v.block": [0.0]}, {"t": 1, "most": -1}, "most is -1"),
    ],
)
def test_wrong_input_gets_a_sentence(grid: dict[str, list[float]], keywords: dict[str, object], words: str) -> None:
    with pytest.raises(ss.errors.ModelError, match=words):
        ss.basins(M.coulomb_oscillator(), grid, **keywords)


def test_attractors_of_one_description_are_told_apart():
    """A block between two wells, shaken: an orbit of the same period in each."""
    block = ss.Mass("block", m=1.0)
    system = ss.System(
        ss.Spring(block, ss.ground, force=lambda e: e**3 - e),
        ss.Damper(block, ss.ground, c=0.15),
        ss.Force(block, lambda t, a=0.15, w=1.5: a * cos(w * t)),
        ss.Contact(block, ss.ground, law=ss.Coulomb(0.3, 0.2), normal=0.05),
    )
    data = ss.basins(system, {"x.block": np.linspace(-2, 2, 6), "v.block": np.linspace(-1, 1, 5)}, t=300)
    first, second = (text.get_text().split("\n") for text in plot.basins(data).get_legend().get_texts())
    assert first[0][3:] == second[0][3:] == "orbit of period 4.18879" and (first[0][0], second[0][0]) == ("A", "B")
    values = [float(lines[1].partition(" = ")[2].replace("−", "-")) for lines in (first, second)]
    assert sorted(values) == pytest.approx([-1.18, 0.716], abs=1e-2)
    assert values == pytest.approx(data["points"].sel(state="x.block").values[:, 0].tolist(), abs=5e-3)
