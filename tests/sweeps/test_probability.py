"""Random friction in sweeps, and the probabilities of what they record."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss


def forced(sigma: float) -> ss.System:
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=1.0)
    base = ss.Base("base", motion=ss.Formula("u0*cos(eta*t)", ("t",), {"u0": 0.5, "eta": 1.5}))
    scatter = ss.Scatter(static=sigma, kinetic=sigma) if sigma else None
    contact = ss.Contact(block, belt, law=ss.Coulomb(0.4, 0.25), normal=10.0, scatter=scatter)
    return ss.System(ss.Spring(block, base, k=1.0), contact, start={"v.block": 1.0})


ETAS = {"base.eta": np.linspace(1.45, 1.55, 21)}


def test_a_point_draws_the_same_however_the_sweep_is_cut() -> None:
    whole = ss.sweep(forced(0.02), ETAS, periods=(20, 40), seed=3)
    for keywords in ({"chunk": 1}, {"chunk": 5, "threads": 1}):
        np.testing.assert_array_equal(
            ss.sweep(forced(0.02), ETAS, periods=(20, 40), seed=3, **keywords)["x.block"], whole["x.block"]
        )
    other = ss.sweep(forced(0.02), ETAS, periods=(20, 40), seed=4)
    assert np.nanmax(np.abs(other["x.block"].values[:, :5] - whole["x.block"].values[:, :5])) > 0.01
    first, second = whole["x.block"].values[:2, :5]
    assert np.abs(first - second).max() > 0.01  # neighbouring points do not share their draws


def test_probabilities_are_those_of_counting() -> None:
    diagram = ss.sweep(forced(0.02), ETAS, periods=(20, 200))
    found = ss.probabilities(diagram, classes=30, within=(3.0, 5.0))
    x = diagram["x.block"].values[7]
    inside = x[(x >= 3.0) & (x <= 5.0)]
    expected = np.histogram(inside, np.linspace(3.0, 5.0, 31))[0] / len(inside)
    np.testing.assert_allclose(found.probability.values[7], expected)
    np.testing.assert_allclose(found.probability.sum("class"), 1.0)
    shifted = ss.probabilities(diagram, classes=30, within=(0.5, 2.5), offset=2.5)
    np.testing.assert_allclose(shifted.probability, found.probability)


def test_without_chance_one_class_holds_all() -> None:
    found = ss.probabilities(ss.sweep(forced(0.0), {"base.eta": [1.5]}, periods=(200, 40)), classes=20, within=(4, 5))
    assert found.probability.values.max() == 1.0


def test_wrong_input() -> None:
    diagram = ss.sweep(forced(0.0), {"base.eta": [1.5]}, periods=(10, 10))
    with pytest.raises(ss.errors.ModelError, match="classes is 0"):
        ss.probabilities(diagram, classes=0)
    with pytest.raises(ss.errors.SweepError, match=r"no state 'y'"):
        ss.probabilities(diagram, "y")
    with pytest.raises(ss.errors.SweepError, match="with recorded points"):
        ss.probabilities(ss.sweep(forced(0.0), {"base.eta": [1.5]}, periods=(10, 10), observe=None))
    with pytest.raises(ss.errors.SweepError, match="the first number must be below"):
        ss.probabilities(diagram, within=(2.0, 1.0))


def test_the_pictures(tmp_path) -> None:
    found = ss.probabilities(ss.sweep(forced(0.02), ETAS, periods=(20, 60)))
    axes = ss.plot.probabilities(found)
    assert axes.get_xlabel() == r"$\eta$ of base"
    bars = ss.plot.probabilities(found.isel({"base.eta": 3}))
    assert bars.get_ylabel() == "probability of a class"
    assert ss.plot.save(axes, tmp_path / "map.png").stat().st_size > 10_000
