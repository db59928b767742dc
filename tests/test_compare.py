"""The comparison of methods."""

from __future__ import annotations

import numpy as np
import pytest

import stickslip as ss


@pytest.fixture(scope="module")
def table() -> object:
    methods = [ss.Exact(rtol=1e-10), ss.Henon(step=0.02), ss.Henon(step=0.01), ss.Bisection(step=0.02)]
    return ss.compare(ss.models.block_on_belt(), methods, t=60)


def test_errors_and_costs(table) -> None:  # type: ignore[no-untyped-def]
    assert table.method.values[0] == "Exact(rtol=1e-10)"
    assert table.events_agree.all()
    np.testing.assert_allclose(table.period, 12.00103129483, atol=1e-6)
    np.testing.assert_allclose(table.amplitude, (1.13394467644 + 0.54100635387) / 2, atol=0.02)
    exact, coarse, fine, _ = table.state_error.values
    assert exact < 1e-8 < fine < coarse
    assert coarse / fine == pytest.approx(16, rel=0.4)  # fourth order
    assert (table.evaluations.values[1:] > table.evaluations.values[0]).all()
    assert (table.seconds > 0).all()


def test_each_method_says_how_it_ended() -> None:
    methods = {"whole": ss.Exact(rtol=1e-10), "short": ss.Exact(most_steps=5)}
    found = ss.compare(ss.models.block_on_belt(), methods, t=60)
    assert found["outcome"].values.tolist() == ["finished", "too_many_steps"]
    assert found["status"].values[1].startswith(ss.Status.TOO_MANY_STEPS.value)


def test_progress_is_reported() -> None:
    seen: list[float] = []
    ss.compare(ss.models.drill_string(), [ss.Exact(), ss.Henon(step=0.02)], t=5, progress=seen.append)
    assert seen == [0.5, 1.0]


def test_no_method_is_refused() -> None:
    with pytest.raises(ss.errors.ModelError, match="at least one method"):
        ss.compare(ss.models.drill_string(), [], t=5)


def test_picture(table) -> None:  # type: ignore[no-untyped-def]
    ax = ss.plot.comparison(table, cost="evaluations")
    assert ax.get_xscale() == "log"
    drawn = np.concatenate([line.get_ydata() for line in ax.lines if line.get_linestyle() == "-"])
    np.testing.assert_allclose(np.sort(drawn), np.sort(table.state_error.values))
    with pytest.raises(ValueError, match="there is no cost"):
        ss.plot.comparison(table, cost="money")
