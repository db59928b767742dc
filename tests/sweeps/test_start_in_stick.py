"""Sweeps that start in stick: every contact is at rest then, however contacts act on each other."""

from __future__ import annotations

from math import cos

import numpy as np
import pytest

import stickslip as ss


def stack(masses: list[float]) -> ss.System:
    """Masses on top of each other, all of them sliding, on a belt."""
    belt = ss.Belt("belt", speed=0.7)
    blocks = [ss.Mass(f"m{i}", m, x=0.1 * i, v=1.0 + i) for i, m in enumerate(masses)]
    below = [belt, *blocks]
    return ss.System(
        *(ss.Spring(block, ss.ground, k=1.0, name=f"spring{i}") for i, block in enumerate(blocks)),
        ss.Force(blocks[-1], lambda t, a=0.3: a * cos(1.3 * t)),
        *(ss.Contact(b, below[i], law=ss.Coulomb(0.9, 0.5), name=f"c{i}") for i, b in enumerate(blocks)),
    )


EQUAL, HEAVY_ON_LIGHT, FOUR = [1.0, 1.0], [0.1, 10.0], [1.0, 0.2, 5.0, 0.7]


@pytest.mark.parametrize(
    ("masses", "points"),
    [
        pytest.param(EQUAL, 1, marks=pytest.mark.nightly),
        pytest.param(EQUAL, 300, marks=pytest.mark.nightly),
        (HEAVY_ON_LIGHT, 1),
        (HEAVY_ON_LIGHT, 300),
        (FOUR, 1),
        pytest.param(FOUR, 300, marks=pytest.mark.nightly),
    ],
)
def test_coupled_contacts_start_at_rest(masses: list[float], points: int) -> None:
    """Alone and in lockstep; on a belt that moves and, with its speed zero, at the very origin."""
    for speed in (0.7, 0.0):
        model = stack(masses).with_({"belt.speed": speed})
        values = np.linspace(1.0, 1.1, points)
        data = ss.sweep(model, {"spring0.k": values}, start="stick", times=(0.01, 0.02), observe=None)
        velocities = data["start_state"].sel(state=[f"v.m{i}" for i in range(len(masses))]).values
        np.testing.assert_allclose(velocities, speed, rtol=4e-16)
        assert np.all(data["end_mode"] == 0) and np.all(data["events"] == 0)


def test_what_sticks_is_carried_along() -> None:
    """A stack that sticks as a whole goes on sticking on a belt whose speed has changed."""
    data = ss.sweep(
        stack([1.0, 3.0, 0.5]), {"belt.speed": [0.0, 0.05, 0.1]}, start="stick", carry="up", times=(0.5, 0.5)
    )
    assert np.all(data["end_mode"] == 0)
    velocities = data["start_state"].sel(state=["v.m0", "v.m1", "v.m2"]).values
    np.testing.assert_allclose(velocities, [[0.0] * 3, [0.05] * 3, [0.1] * 3], rtol=4e-16)
