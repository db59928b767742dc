"""What a walk along a path takes for a step: geometry alone."""

import numpy as np
import pytest

from stickslip.branches.walk import is_straight


def turned(angle: float) -> np.ndarray:
    return np.array([np.cos(angle), np.sin(angle)])


@pytest.mark.parametrize("angle", [0.0, 0.1, 0.4])
@pytest.mark.parametrize("length", [1e-6, 0.02, 3.0])
def test_an_arc_is_a_step(angle: float, length: float) -> None:
    """Of a circle the chord goes half way between both tangents."""
    assert is_straight(length * turned(angle / 2), turned(0.0), turned(angle), length)


@pytest.mark.parametrize("angle", [0.5, 2.0, np.pi])
def test_a_path_that_turns_is_none(angle: float) -> None:
    assert not is_straight(0.02 * turned(angle / 2), turned(0.0), turned(angle), 0.02)


@pytest.mark.parametrize("seed", range(20))
def test_a_step_across_is_none(seed: int) -> None:
    """From one of two parts of a path that lie side by side to the other, in any number of dimensions."""
    rng = np.random.default_rng(seed)
    along, across = np.linalg.qr(rng.standard_normal((rng.integers(2, 9), 2)))[0].T
    forward, aside = rng.uniform(0, 0.02), rng.uniform(0.02, 0.03)
    assert not is_straight(forward * along + aside * across, along, along, 0.02)
    assert not is_straight(-0.02 * along, along, along, 0.02), "backwards"
    assert not is_straight(0 * along, along, along, 0.02), "nowhere"
