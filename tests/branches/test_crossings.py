"""Where orbits pass through a section: how often, in which direction, and as lines along a branch."""

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot

import stickslip as ss

matplotlib.use("agg")

V = "belt.speed"


@pytest.fixture(scope="module")
def branch() -> ss.Branch:
    return ss.follow(ss.find_orbit(ss.models.block_on_belt()), V, to=0.15)


def test_a_block_turns_once_each_way() -> None:
    orbit = ss.find_orbit(ss.models.block_on_belt())
    down = orbit.crossings("v.block", direction="down")
    assert down["x.block"].values == pytest.approx([1.13394467644], abs=1e-10)
    assert down["v.block"].values == pytest.approx([0.0], abs=1e-12)
    both = orbit.crossings("v.block", direction="both")
    assert both.sizes["time"] == 2 and float(both["x.block"].min()) == pytest.approx(
        float(orbit.crossings("v.block")["x.block"][0]), abs=1e-12
    )


def test_an_orbit_passes_as_often_up_as_down_wherever_it_is_begun() -> None:
    """What happens where the period closes is counted once: also if it begins on the section, or an ulp beside it."""
    orbit = ss.find_orbit(ss.models.two_blocks())
    levels = [float(orbit.start[name]) for name in ("x.block1", "x.block2")]
    for name, level in zip(("x.block1", "x.block2"), levels, strict=True):
        for value in (level, np.nextafter(level, 9), np.nextafter(level, -9)):
            up, down = (orbit.crossings(name, value, direction).sizes["time"] for direction in ("up", "down"))
            assert up == down > 0


def test_period_four_passes_four_times() -> None:
    """vandevrande1999 Fig. 5b."""
    assert ss.find_orbit(ss.models.two_blocks()).crossings("v.block1").sizes["time"] == 4


def test_a_contact_stands_for_its_sliding_velocity() -> None:
    orbit = ss.find_orbit(ss.models.drill_string())
    points = orbit.crossings("contact", -1.0, "down")
    assert points["v.twist"].values == pytest.approx([3.0], abs=1e-11)


def test_crossings_of_a_branch(branch: ss.Branch) -> None:
    table = branch.crossings("v.block", direction="down")
    largest = branch.extremes[:, 1, 0]
    assert table["crossings"].dims == ("point", "crossing", "state")
    assert table["crossings"].values[:, 0, 0] == pytest.approx(largest, abs=1e-9)
    ax = ss.plot.branch(table, "crossings x.block")
    (line,) = (line for line in ax.lines if line.get_gid() == "stable")
    assert np.sort(line.get_ydata()) == pytest.approx(np.sort(largest), abs=1e-9)
    assert ax.get_ylabel() == r"position $x_\mathrm{block}$ where v.block = 0, down"
    pyplot.close("all")


def test_what_cannot_be_is_refused(branch: ss.Branch) -> None:
    with pytest.raises(ss.errors.ResultError, match=r"no state or contact 'v\.blok' \(did you mean 'v\.block'\?\)"):
        branch.points[0].crossings("v.blok")
    with pytest.raises(ss.errors.ModelError, match="there is no direction 'sideways'; there are: up, down, both"):
        branch.points[0].crossings("v.block", direction="sideways")
    with pytest.raises(ss.errors.PictureError, match="this branch has no crossings"):
        ss.plot.branch(branch, "crossings x.block")
    (rest,) = ss.find_equilibria(ss.models.block_on_belt().smoothed(1e3))
    with pytest.raises(ss.errors.OrbitError, match="equilibria pass through no section"):
        ss.follow(rest, V, to=0.19).crossings("v.block")
