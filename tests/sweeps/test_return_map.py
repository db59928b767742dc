"""The return map of releases against simulation, differences, orbits, and the exponent of the flow."""

import matplotlib
import numpy as np
import pytest

import stickslip as ss
from stickslip import plot

matplotlib.use("agg")
M = ss.models
CHAOS = M.forced_oscillator("III", eta=1.915, u0=1.0)


@pytest.fixture(scope="module")
def chaos() -> ss.ReturnMap:
    return ss.return_map(CHAOS)


def test_the_map_is_the_simulation(chaos: ss.ReturnMap) -> None:
    """Every observed release follows from the one before; and a run from a release point finds the next."""
    seen = chaos.points
    assert len(seen) >= 200
    assert chaos(seen[:-1]) == pytest.approx(seen[1:], abs=1e-8)
    t, state = chaos.start(2.1)
    assert t * 1.915 == pytest.approx(2.1)
    assert state["x.block"] == pytest.approx(4 + np.cos(2.1), abs=1e-12)
    run = ss.simulate(CHAOS, t=t + 40, start_time=t, start=state)
    released = run.event_time.values[run.event_before.values == 0]
    later = released[released > t + 1e-6][0]
    assert chaos(2.1) == pytest.approx(later * 1.915 % (2 * np.pi), abs=1e-8)


def test_slopes_are_those_of_the_map(chaos: ss.ReturnMap) -> None:
    x, h = np.array([0.3, 1.0, 1.8, 2.2, 2.6, 3.0, 3.5, 6.0]), 1e-6
    assert chaos.slope(x) == pytest.approx((chaos(x + h) - chaos(x - h)) / (2 * h), rel=1e-6, abs=1e-8)
    positions = ss.return_map(CHAOS, coordinate="x.block")
    x = np.array([3.2, 3.5, 3.7, 4.1, 4.5])
    assert positions.slope(x) == pytest.approx((positions(x + h) - positions(x - h)) / (2 * h), rel=1e-5, abs=1e-6)


def test_iterates_are_the_map_again_and_again(chaos: ss.ReturnMap) -> None:
    x = chaos.iterate([1.0, 2.0], 5)
    assert x.shape == (2, 6)
    for k in range(5):
        assert chaos(x[:, k]) == pytest.approx(x[:, k + 1], abs=1e-8)


def test_where_no_release_can_be_there_is_no_next(chaos: ss.ReturnMap) -> None:
    """The force must rise through its limit: v0 + u0 η sin φ > 0, so not at φ = 3π/2."""
    assert np.isnan(chaos(1.5 * np.pi))
    border = 2 * np.pi + np.arcsin(-1 / 1.915)
    assert np.isnan(chaos(border - 0.01)) and np.isfinite(chaos(border + 0.01))
    positions = ss.return_map(CHAOS, coordinate="x.block")
    assert np.isnan(positions(5.2))  # beyond 4 + u0
    with pytest.raises(ss.errors.ModelError, match=r"no release at x.block = 5.2"):
        positions.start(5.2)


def test_a_position_may_belong_to_two_phases(chaos: ss.ReturnMap) -> None:
    assert chaos.unique
    assert not ss.return_map(CHAOS, coordinate="x.block").unique
    assert ss.return_map(M.forced_oscillator("II", eta=0.9), coordinate="x.block").unique


def test_a_fixed_point_is_an_orbit() -> None:
    model = M.forced_oscillator("II", eta=0.9)
    (cycle,) = ss.return_map(model, coordinate="x.block").cycles(within=(3.6, 3.9))
    orbit = ss.find_orbit(model)
    assert cycle.points[0] == pytest.approx(3.7275233436, abs=1e-9)
    assert cycle.multiplier == pytest.approx(orbit.multipliers[0].real, abs=1e-9)
    assert cycle.stable


def test_two_blocks_make_a_map_of_one_number() -> None:
    """Released while both stick: the orbit of period 16.14 is a fixed point, that of 26.19 a cycle of three."""
    releases = ss.return_map(M.two_blocks())
    assert releases.modes == {"contact1": 0, "contact2": 0}
    fixed = releases.cycles(within=(0.9, 1.2))
    assert [cycle.multiplier for cycle in fixed] == pytest.approx([-0.89637815], abs=1e-7)
    three = [cycle for cycle in releases.cycles(3) if cycle.stable]
    assert [cycle.multiplier for cycle in three] == pytest.approx([-0.6585037], abs=1e-6)


def test_cycles_of_chaos_are_orbits(chaos: ss.ReturnMap) -> None:
    """The map never meets its diagonal but where it jumps; every longer cycle closes, and none is stable."""
    assert chaos.cycles(1) == []
    cycles = chaos.cycles(4)
    assert cycles
    for cycle in cycles:
        x = chaos.iterate(cycle.points[0], 4)
        assert x[-1] == pytest.approx(x[0], abs=1e-6)
        assert np.sort(x[:4]) == pytest.approx(cycle.points, abs=1e-6)
        assert abs(cycle.multiplier) > 1


def test_the_exponent_of_the_map_is_that_of_the_flow() -> None:
    """hinrichs1998: 0.1597 for characteristic III, 0.162 for II; whatever the coordinate."""
    for model, expected in ((CHAOS, 0.1597), (M.forced_oscillator("II", eta=1.4, u0=0.5), 0.162)):
        for coordinate in ("phase", "x.block"):
            value, error = ss.return_map(model, coordinate=coordinate, rtol=1e-9).lyapunov(10_000)
            assert error < 0.006
            assert value == pytest.approx(expected, abs=4 * error)


@pytest.mark.nightly
def test_the_exponent_of_the_map_to_three_digits() -> None:
    value, _ = ss.return_map(CHAOS, rtol=1e-9).lyapunov(2_000_000)
    assert value == pytest.approx(0.1597, abs=5e-4)
    value, _ = ss.return_map(M.forced_oscillator("II", eta=1.4, u0=0.5), rtol=1e-9).lyapunov(1_000_000)
    assert value == pytest.approx(0.162, abs=2e-3)


def test_the_picture_shows_the_map(chaos: ss.ReturnMap) -> None:
    axes = plot.return_map(chaos, start=1.0, turns=3, points=200)
    curve = next(line for line in axes.lines if line.get_label() == "next release")
    x, y = curve.get_xdata(), curve.get_ydata()
    drawn = np.isfinite(y)
    assert y[drawn] == pytest.approx(chaos(x[drawn]), abs=1e-9)
    web = next(line for line in axes.lines if line.get_label() == "3 turns")
    path = chaos.iterate(1.0, 3)
    assert web.get_xdata() == pytest.approx(np.repeat(path, 2)[:-1])
    assert web.get_ydata() == pytest.approx([path[0], *np.repeat(path, 2)[2:]])
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize(
    ("model", "keywords", "words"),
    [
        (M.block_on_belt(), {}, "fill a set of dimension 0: a map of one number needs a curve"),
        (M.bowed_string(), {}, "fill a set of dimension 2"),
        (M.coulomb_oscillator(), {}, "never released from stick"),
        (CHAOS, {"contact": "contct"}, "there is no contact 'contct'.*contact"),
        (CHAOS, {"coordinate": "x.blok"}, "there is no coordinate 'x.blok'.*x.block"),
        (M.two_blocks(), {"coordinate": "phase"}, "there is no coordinate 'phase'"),
        (CHAOS, {"rtol": 0}, "rtol is 0"),
    ],
)
def test_wrong_input_gets_a_sentence(model: ss.System, keywords: dict[str, object], words: str) -> None:
    with pytest.raises(ss.errors.ModelError, match=words):
        ss.return_map(model, **keywords)


def test_wrong_numbers_get_a_sentence(chaos: ss.ReturnMap) -> None:
    for call in (lambda: chaos.iterate(1.0, 0), lambda: chaos.cycles(1.5), lambda: chaos.cycles(within=(2, 1))):
        with pytest.raises(ss.errors.ModelError):
            call()
