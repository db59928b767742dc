"""Hénon's method and bisection: their orders, their agreement with Exact, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss
from stickslip.comparison import event_difference, state_difference
from stickslip.methods.base import Method


def event_errors(methods: list[Method], t: float = 30.0) -> np.ndarray:
    """Largest event-time error on the block on a belt, one per method."""
    system = ss.models.block_on_belt()
    exact = ss.simulate(system, t=t)
    errors = []
    for method in methods:
        agree, error = event_difference(ss.simulate(system, t=t, method=method), exact)
        assert agree
        errors.append(error)
    return np.array(errors)


def slope(steps: np.ndarray, errors: np.ndarray) -> float:
    return float(np.polyfit(np.log(steps), np.log(errors), 1)[0])


STEPS = 0.06 * 0.7 ** np.arange(7)


def test_henon_is_of_fourth_order() -> None:
    assert slope(STEPS, event_errors([ss.Henon(step=h) for h in STEPS])) == pytest.approx(4.0, abs=0.25)


def test_bisection_with_frozen_branch_is_of_fourth_order() -> None:
    assert slope(STEPS, event_errors([ss.Bisection(step=h) for h in STEPS])) == pytest.approx(4.0, abs=0.25)


def test_bisection_with_live_sign_is_of_first_order() -> None:
    """The error depends on where in a step the sign flips, so it scatters: many steps, and a looser slope."""
    steps = 0.04 * 0.8 ** np.arange(20)
    errors = event_errors([ss.Bisection(step=h, live=True) for h in steps])
    assert slope(steps, errors) == pytest.approx(1.0, abs=0.3)
    assert errors[-1] > 1e3 * event_errors([ss.Bisection(step=steps[-1])])[0]


def test_band_limits_the_accuracy_of_bisection() -> None:
    """wiercigroch1994 Eq. (6): the event is off by about band over acceleration, however small the step."""
    coarse, fine = event_errors([ss.Bisection(step=5e-3, band=1e-3), ss.Bisection(step=5e-3, band=1e-5)])
    assert 1e-5 < coarse < 2e-3
    assert 1e-7 < fine < 2e-5


@pytest.mark.parametrize("method", [ss.Henon, ss.Bisection])
@pytest.mark.parametrize("name", sorted(ss.models.LIBRARY))
def test_every_library_model(name: str, method: type[Method]) -> None:
    system = ss.models.LIBRARY[name]()
    t = {"bowed_string": 0.005, "compliant_oscillator": 1.5}.get(name, 20.0)
    # Bristles relax within 1/100, and the contact swings at 157/s: fixed steps must follow both.
    steps = {"lugre_block": 40000, "compliant_oscillator": 8000}.get(name, 4000)
    run = ss.simulate(system, t=t, method=method(step=t / steps))  # type: ignore[call-arg]
    exact = ss.simulate(system, t=t)
    agree, error = event_difference(run, exact)
    assert agree
    assert error < 1e-7 * t or run.sizes["event"] == 0
    assert state_difference(run, exact) < 1e-5
    assert run.attrs["evaluations"] >= 4 * run.attrs["steps"]


def test_compiled_equals_plain_python() -> None:
    system = ss.models.two_blocks()
    for method in (ss.Henon, ss.Bisection):
        compiled = ss.simulate(system, t=8, method=method(step=0.02))
        plain = ss.simulate(system, t=8, method=method(step=0.02, target="python"))
        np.testing.assert_allclose(compiled.event_time, plain.event_time, rtol=1e-12)
        np.testing.assert_allclose(compiled["x.block1"], plain["x.block1"], rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("system", "step"),
    [(ss.models.block_on_belt(), 3.0), (ss.models.forced_oscillator(eta=3.0), 1.0), (ss.models.bowed_string(), 1e-3)],
)
def test_a_step_too_large_is_noticed(system: ss.System, step: float) -> None:
    run = ss.simulate(system, t=50 * step, method=ss.Henon(step=step))
    assert run.attrs["status"].startswith(ss.Status.STEP_TOO_LARGE.value)


@pytest.mark.parametrize("value", [0.0, -0.1, float("nan"), "small"])
def test_bad_steps_are_refused(value: object) -> None:
    with pytest.raises(ss.errors.ModelError, match="step is"):
        ss.Henon(step=value)  # type: ignore[arg-type]
    with pytest.raises(ss.errors.ModelError, match="band"):
        ss.Bisection(step=0.1, band=-1.0)
