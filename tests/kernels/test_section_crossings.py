"""Crossings on a step: every root of a polynomial, in order, with the side to which it leads."""

from typing import Any

import numpy as np
import pytest

import stickslip as ss
from stickslip.targets.generated import OBSERVE

ORDER = 10
FIELD = ss.Field.of(ss.models.block_on_belt(), target="python", order=ORDER, kernels=OBSERVE)
KERNELS = FIELD.program.kernels


def found(coefficients: np.ndarray, side_before: int = 0) -> tuple[list[float], list[int], int]:
    """Places, sides, and the side at the end."""
    trajectory, tally = FIELD.workspace(), KERNELS.observation.Tally()
    trajectory.polynomial[: len(coefficients)] = coefficients
    last = KERNELS.crossings.find_crossings(trajectory, tally, side_before, 1e-13 * float(np.abs(coefficients).sum()))
    count = tally.crossings
    return tally.crossing_place[:count].tolist(), tally.crossing_side[:count].tolist(), last


def with_roots(roots: Any, sign: float = 1.0) -> np.ndarray:
    return sign * np.polynomial.polynomial.polyfromroots(roots)


@pytest.mark.parametrize("seed", range(40))
def test_all_roots_in_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    inside = np.cumsum(rng.uniform(0.08, 0.25, rng.integers(0, 5)))
    inside = inside[inside < 0.97]
    outside = np.concatenate([rng.uniform(1.2, 3.0, rng.integers(0, 3)), -rng.uniform(0.2, 3.0, rng.integers(0, 3))])
    coefficients = with_roots([*inside, *outside], rng.choice([-1.0, 1.0]))
    places, sides, last = found(coefficients)
    np.testing.assert_allclose(places, inside, atol=1e-9)
    after = np.append(inside, 1.0)[1:]
    middles = np.polynomial.polynomial.polyval(0.5 * (inside + after), coefficients)
    assert sides == np.sign(middles).astype(int).tolist()
    assert last == np.sign(np.polynomial.polynomial.polyval(1.0, coefficients))


def test_where_two_steps_meet_a_crossing_counts_once() -> None:
    rising = np.array([0.0, 1.0])  # its zero at the start belongs to the step before, or to this one
    assert found(rising, side_before=-1) == ([0.0], [1], 1)
    assert found(rising, side_before=1) == ([], [], 1)
    assert found(rising, side_before=0) == ([], [], 1)


def test_what_touches_zero_does_not_cross() -> None:
    assert found(with_roots([0.5, 0.5])) == ([], [], 1)


@pytest.mark.parametrize("side", [-1, 0, 1])
def test_what_is_zero_stays_on_its_side(side: int) -> None:
    assert found(np.zeros(3), side) == ([], [], side)
