"""What a walk along a path takes for a step: geometry alone; and what can be done from its special points."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from stickslip.branches.special import SpecialPoint
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


@pytest.mark.parametrize(
    ("kind", "margin", "at_rest", "expected"),
    [
        ("flip", None, False, True),
        ("Neimark–Sacker", None, False, True),
        ("fold", None, False, True),
        ("grazing-sliding", ("touch", 0), False, True),
        ("branch point", ("touch", 0), False, False),
        ("fold", None, True, True),
        ("Hopf", None, True, True),
        ("boundary equilibrium", ("touch", 0), True, False),
    ],
)
def test_which_special_points_have_curves_in_two_parameters(kind, margin, at_rest, expected):
    """Those of which `follow` with two parameters knows the equations."""
    orbit = SimpleNamespace(period=math.nan if at_rest else 2.0)
    assert SpecialPoint(kind, "belt.speed", 0.3, orbit, margin=margin).has_curve is expected
