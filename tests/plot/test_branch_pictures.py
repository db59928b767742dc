"""What bifurcation diagrams show: which edges are solid, where the special points are, and what the legend says."""

from __future__ import annotations

from itertools import pairwise

import matplotlib
import numpy as np
import pytest
import xarray as xr
from matplotlib import pyplot
from matplotlib.colors import to_hex

import stickslip as ss
from stickslip import plot
from stickslip.plot import style
from stickslip.plot.path import end_of, path_of

matplotlib.use("agg")

REACHED = "The branch reached p = 1."
KINDS = [
    "fold", "flip", "Neimark–Sacker", "branch point", "grazing-sliding", "crossing-sliding", "switching-sliding",
    "adding-sliding", "Hopf",
]  # fmt: skip


def make_branch(
    values, heights, stable, special=(), periods=None, multipliers=None, meanings="arrived", reason=REACHED
):
    """A branch of two states that rises; `special` holds (kind, parameter, height, period)."""
    values, heights = np.array(values, float), np.array(heights, float)
    count = len(values)
    mu = np.array([[0.5 if s else -1.5, 1.0] for s in stable] if multipliers is None else multipliers, complex)
    kinds, at, above, their = zip(*special, strict=True) if special else ((), (), (), ())
    extremes = np.column_stack([heights, heights + 10])
    of_special = np.column_stack([np.array(above, float), np.array(above, float) + 10])
    return xr.Dataset(
        {
            "p": ("point", values),
            "period": ("point", np.full(count, 2.0) if periods is None else np.array(periods, float)),
            "stable": ("point", np.array(stable, bool)),
            "multiplier_real": (("point", "multiplier"), mu.real),
            "multiplier_imag": (("point", "multiplier"), mu.imag),
            "minimum": (("point", "state"), -extremes),
            "maximum": (("point", "state"), extremes),
            "special_kind": ("special", np.array(kinds, dtype=np.str_) if kinds else np.zeros(0, "<U1")),
            "special_value": ("special", np.array(at, float)),
            "special_period": ("special", np.array(their, float)),
            "special_after": ("special", np.searchsorted(heights, np.array(above, float))),
            "special_minimum": (("special", "state"), -of_special),
            "special_maximum": (("special", "state"), of_special),
        },
        {"state": ["x.block", "v.block"], "unit": ("state", ["m", "m/s"])},
        {"parameter": "p", "reason": reason, "meanings": meanings, "model_name": "made up", "time_unit": "s"},
    )


@pytest.fixture
def turning():
    """Stable up to a fold at p = 1, unstable on the way back, where a flip makes no difference; four points."""
    special = [("fold", 1.0, 3.0, 2.0), ("exchange of events", 0.3, 4.4, 2.0)]
    return make_branch([0.0, 0.5, 0.5, 0.0], [1.0, 2.0, 4.0, 5.0], [True, True, False, False], special)


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def drawn(ax, gid):
    return [line for line in ax.lines if line.get_gid() == gid]


def edges(line):
    """The edges of a line, as pairs of points."""
    points = line.get_xydata()
    return [(tuple(a), tuple(b)) for a, b in pairwise(points) if np.isfinite([a, b]).all()]


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_solid_and_dashed_meet_at_the_fold(turning):
    ax = plot.branch(turning)
    (solid,), (dashed,) = drawn(ax, "stable"), drawn(ax, "unstable")
    assert edges(solid) == [((0.0, 1.0), (0.5, 2.0)), ((0.5, 2.0), (1.0, 3.0))]
    assert edges(dashed) == [((1.0, 3.0), (0.5, 4.0)), ((0.5, 4.0), (0.3, 4.4)), ((0.3, 4.4), (0.0, 5.0))]
    assert solid.get_linewidth() > 1.5 * dashed.get_linewidth()
    assert solid.get_linestyle() == "-" and dashed.get_linestyle() != "-"
    assert solid.get_color() == dashed.get_color()


def test_labels_and_legend(turning):
    ax = plot.branch(turning)
    assert ax.get_xlabel() == "$p$"
    assert ax.get_ylabel() == r"maximum of position $x_\mathrm{block}$ (m)"
    assert ax.get_title(loc="left") == "made up"
    assert labels(ax) == ["stable", "unstable", "fold", "exchange of events"]


def test_a_change_of_stability_without_special_point_leaves_no_gap():
    ax = plot.branch(make_branch([0, 1, 2, 3], [0, 1, 2, 3], [True, True, False, True]))
    (solid,), (dashed,) = drawn(ax, "stable"), drawn(ax, "unstable")
    assert edges(solid) == [((0, 0), (1, 1))]
    assert edges(dashed) == [((1, 1), (2, 2)), ((2, 2), (3, 3))]


def test_the_change_is_at_the_bifurcation_and_not_at_the_exchange():
    special = [("exchange of events", 0.2, 0.2, 2.0), ("flip", 0.5, 0.5, 2.0), ("exchange of events", 0.7, 0.7, 2.0)]
    ax = plot.branch(make_branch([0, 1], [0, 1], [True, False], special))
    (solid,) = drawn(ax, "stable")
    assert edges(solid)[-1][1] == (0.5, 0.5)


def test_special_points_find_their_places_on_a_branch_that_passes_twice():
    """The same parameter three times; heights tell the places apart, and so does the order."""
    values = np.concatenate([np.linspace(0, 2, 9), np.linspace(2, 1, 5)[1:], np.linspace(1, 3, 9)[1:]])
    heights = np.linspace(0, 1, len(values))
    special = [("flip", 1.6, 0.32, 2.0), ("fold", 2.01, 0.42, 2.0), ("flip", 1.6, 0.5, 2.0), ("flip", 1.6, 0.75, 2.0)]
    path = path_of(make_branch(values, heights, np.ones(len(values)), special))
    assert path.special.tolist() == [7, 10, 12, 18]
    around = [(path.parameter[i - 1], path.parameter[i + 1]) for i in path.special]
    assert around == [(1.5, 1.75), (2.0, 1.75), (1.75, 1.5), (1.5, 1.75)]
    assert len(path.stable) == len(values) + len(special) - 1


def test_every_special_point_has_its_marker():
    special = [(kind, 0.05 + 0.08 * i, 0.05 + 0.08 * i, 2.0) for i, kind in enumerate([*KINDS, "exchange of events"])]
    ax = plot.branch(make_branch([0, 1.2], [0, 1.2], [True, True], special))
    lines = drawn(ax, "special")
    assert sorted(line.get_label() for line in lines) == sorted([*KINDS, "exchange of events"])
    assert sum(len(line.get_xdata()) for line in lines) == len(special)
    looks = {(line.get_marker(), to_hex(line.get_markerfacecolor())) for line in lines}
    assert len(looks) == len(special)
    quiet = next(line for line in lines if line.get_label() == "exchange of events")
    assert all(quiet.get_markersize() < line.get_markersize() for line in lines if line is not quiet)


def test_unknown_kinds_are_drawn_too():
    ax = plot.branch(make_branch([0, 1], [0, 1], [True, True], [("boundary equilibrium", 0.5, 0.5, 2.0)]))
    assert labels(ax) == ["stable", "boundary equilibrium"]


@pytest.mark.parametrize(
    ("quantity", "first", "label"),
    [
        ("max v.block", 11.0, r"maximum of velocity $v_\mathrm{block}$ (m/s)"),
        ("min x.block", -1.0, r"minimum of position $x_\mathrm{block}$ (m)"),
        ("max |x.block|", 1.0, r"maximum of $|x_\mathrm{block}|$ (m)"),
        ("period", 2.0, "period $T$ (s)"),
    ],
)
def test_quantities(turning, quantity, first, label):
    ax = plot.branch(turning, quantity)
    assert drawn(ax, "stable")[0].get_ydata()[0] == first
    assert ax.get_ylabel() == label


def test_maximum_and_minimum_together(turning):
    ax = plot.branch(turning, "x.block")
    assert [line.get_ydata()[0] for line in drawn(ax, "stable")] == [1.0, -1.0]
    assert sum(len(line.get_xdata()) for line in drawn(ax, "special")) == 2 * turning.sizes["special"]
    assert ax.get_ylabel().startswith("maximum and minimum of position")


def test_multipliers_along_the_parameter():
    mu = [[0.5, 1.0, 0.0], [1.0, -1.5, 0.0]]
    data = make_branch([0, 1], [0, 1], [True, False], [("flip", 0.5, 0.5, 2.0)], multipliers=mu)
    ax = plot.branch(data, "multipliers")
    # The trivial multiplier is left out, whatever its place; the flip is on the unit line.
    assert [line.get_ydata().tolist() for line in drawn(ax, "stable")] == [[0.5, 1.0], [0.0, 0.0]]
    assert [line.get_ydata().tolist() for line in drawn(ax, "unstable")] == [[1.0, 1.5], [0.0, 0.0]]
    assert drawn(ax, "special")[0].get_xydata().tolist() == [[0.5, 1.0]]
    assert any(list(line.get_ydata()) == [1.0, 1.0] and line.get_gid() is None for line in ax.lines)


def test_large_multipliers_have_a_scale_on_which_the_unit_line_is_seen():
    ax = plot.branch(make_branch([0, 1], [0, 1], [True, False], multipliers=[[0.5, 1], [-1200, 1]]), "multipliers")
    assert ax.get_yscale() == "symlog"


def test_a_branch_that_ends_on_a_shorter_period_does_not_fall_to_it():
    data = make_branch([0, 1], [0, 1], [True, True], [("flip", 1.1, 1.1, 2.0)], periods=[4.0, 4.0])
    ax = plot.branch(data, "period")
    assert drawn(ax, "special")[0].get_ydata().tolist() == [4.0]


@pytest.mark.parametrize(
    ("meanings", "end"),
    [("arrived", None), ("vanished", 2), ("vanished arrived", 0), ("arrived vanished", 2), ("early", None), ("", None)],
)
def test_where_the_motion_ceases_to_exist(meanings, end):
    data = make_branch([0, 0.5, 1], [0, 1, 2], [True, True, True], meanings=meanings)
    assert end_of(data) == end
    ax = plot.branch(data)
    rings = drawn(ax, "end")
    assert [ring.get_xdata().tolist() for ring in rings] == ([[data["p"].values[end]]] if end is not None else [])
    assert ("ceases to exist" in labels(ax)) == (end is not None)


def test_reasons_that_the_picture_does_not_show_are_printed():
    reason = "The branch was interrupted by the user."
    assert list(plot.branch(make_branch([0, 1], [0, 1], [True, True], reason=reason)).texts) == []
    data = make_branch([0, 1], [0, 1], [True, True], meanings="arrived early", reason=reason)
    assert [text.get_text() for text in plot.branch(data).texts] == ["The branch was interrupted by the user."]


def test_where_the_return_map_has_no_derivative_stability_is_that_of_the_neighbour():
    mu = [[0.5, 1.0], [0.5, 1.0], [np.nan, np.nan]]
    ax = plot.branch(make_branch([0, 1, 2], [0, 1, 2], [True, True, False], multipliers=mu))
    assert drawn(ax, "unstable") == []
    assert len(edges(drawn(ax, "stable")[0])) == 2


def test_equilibria_have_no_period():
    data = make_branch([0, 1], [1, 2], [True, False], [("Hopf", 0.5, 1.5, np.nan)], periods=[np.nan, np.nan])
    data["minimum"] = data["maximum"]
    ax = plot.branch(data)
    assert labels(ax) == ["stable", "unstable", "Hopf"]
    assert ax.get_ylabel() == r"position $x_\mathrm{block}$ (m)"
    assert len(drawn(plot.branch(data, "x.block"), "stable")) == 1
    with pytest.raises(ValueError, match="there is no period to draw"):
        plot.branch(data, "period")
    for draw in (lambda: plot.branch(data, "multipliers"), lambda: plot.multipliers(data)):
        with pytest.raises(ValueError, match="equilibria have eigenvalues"):
            draw()
    both = plot.branch({"rest": data, "cycle": make_branch([0, 1], [1, 2], [True, True])}, "period")
    assert labels(both)[:2] == ["rest", "cycle"]


def test_the_steady_motion_of_a_smoothed_block():
    """It loses its stability with rising belt speed, in a Hopf bifurcation: steady below, so solid at the left."""
    (steady,) = ss.find_equilibria(ss.models.block_on_belt().smoothed(1e4))
    branch = ss.follow(steady, "belt.speed", to=1e-4)
    ax = branch.plot()
    (hopf,) = drawn(ax, "special")
    assert hopf.get_label() == "Hopf"
    assert hopf.get_xdata()[0] == pytest.approx(0.004669614952, abs=1e-10)
    assert np.nanmax(drawn(ax, "stable")[0].get_xdata()) == hopf.get_xdata()[0]
    assert np.nanmin(drawn(ax, "unstable")[0].get_xdata()) == hopf.get_xdata()[0]


def test_extremes_that_were_not_kept_are_read_off():
    data = make_branch([0, 1, 2], [0, 1, 2], [True, True, True], [("Hopf", 1.5, 1.7, 2.0)])
    ax = plot.branch(data.drop_vars(["special_minimum", "special_maximum"]))
    assert drawn(ax, "special")[0].get_xydata().tolist() == [[1.5, 1.5]]


def test_several_branches_have_their_colours(turning):
    other = make_branch([0, 1], [6, 7], [True, True], periods=[4.0, 5.0])
    ax = plot.branch([turning, other])
    assert [line.get_color() for line in drawn(ax, "stable")] == list(style.SERIES[:2])
    assert labels(ax)[:2] == ["period 2 … 2", "period 4 … 5"]
    assert labels(plot.branch({"+1": turning, "+2": other}))[:2] == ["+1", "+2"]


def test_a_single_point_is_seen():
    (line,) = drawn(plot.branch(make_branch([0.5], [1.0], [True])), "stable")
    assert line.get_marker() == "o"


def test_a_second_parameter_as_ordinate(turning):
    ax = plot.branch(turning.assign({"coupling.k": ("point", np.array([3.0, 4.0, 5.0, 6.0]))}), "coupling.k")
    assert drawn(ax, "stable")[0].get_ydata()[:2].tolist() == [3.0, 4.0]
    assert ax.get_ylabel() == "stiffness $k$ of coupling"


def test_units_of_parameters_are_shown(turning):
    data = turning.assign({"coupling.k": ("point", np.array([3.0, 4.0, 5.0, 6.0]), {"units": "N/m"})})
    assert plot.branch(data, "coupling.k").get_ylabel() == "stiffness $k$ of coupling (N/m)"


def test_marks_do_not_hide_each_other():
    """Nine special points at nearly one place: every mark is apart from all others, and its data stay true."""
    special = [(kind, 0.5 + 1e-5 * i, 0.5 + 1e-5 * i, 2.0) for i, kind in enumerate(KINDS)]
    ax = plot.branch(make_branch([0, 1], [0, 1], [True, True], special))
    ax.figure.draw_without_rendering()
    lines = drawn(ax, "special")
    marks = np.concatenate([line.get_transform().transform(line.get_xydata()) for line in lines]) * 72 / ax.figure.dpi
    apart = np.hypot(*(marks[:, None] - marks[None]).transpose(2, 0, 1)) + 1e9 * np.eye(len(marks))
    assert len(marks) == len(KINDS) and apart.min() > 6.0
    assert np.allclose(sorted(float(line.get_xdata()[0]) for line in lines), [place for _, place, *_ in special])
    assert sorted(labels(ax)) == sorted(["stable", *KINDS])


def test_mistakes_are_sentences(turning):
    with pytest.raises(ValueError, match=r"no state 'x\.blok' in this branch \(did you mean 'x\.block'\?\)"):
        plot.branch(turning, "max x.blok")
    other = turning.rename(p="q").assign_attrs(parameter="q")
    with pytest.raises(ValueError, match="along one parameter, not along p and q"):
        plot.branch([turning, other])
    with pytest.raises(TypeError, match="needs a branch, which follow returns, not a str"):
        plot.branch("branch.nc")
    with pytest.raises(ValueError, match="one parameter, not along none"):
        plot.branch([])
    with pytest.raises(ValueError, match="this branch has no points"):
        plot.branch(turning.isel(point=[]))


def test_on_given_axes(turning):
    _, axes = pyplot.subplots()
    assert plot.branch(turning, ax=axes) is axes


def test_multipliers_of_an_orbit():
    ax = plot.multipliers([1.0, -0.4 + 0.3j, -0.4 - 0.3j, 0.0, 0.0, -1.5])
    inside, outside = (line for line in ax.lines if line.get_marker() == "o")
    assert inside.get_xdata().tolist() == [1.0, -0.4, -0.4, 0.0, 0.0]
    assert outside.get_xdata().tolist() == [-1.5]
    assert [text.get_text() for text in ax.texts] == ["×2"]
    assert ax.get_aspect() == 1.0
    (circle,) = ax.patches
    assert circle.get_radius() == 1.0


def test_multipliers_far_out_are_told():
    ax = plot.multipliers([1.0, -20.79])
    assert ax.texts[0].get_text() == "A multiplier lies outside the picture; the largest modulus is 20.79."
    assert ax.get_xlim()[0] > -2


def test_multipliers_of_a_branch_are_coloured_along_the_parameter():
    data = make_branch([0, 1, 2], [0, 1, 2], [True, True, False], multipliers=[[0.5, 1], [1, 0.2j], [-1.2, 1]])
    ax = plot.multipliers(data)
    (points,) = ax.collections
    assert points.get_array().tolist() == [0, 1, 2]
    assert points.get_offsets().tolist() == [[0.5, 0], [0, 0.2], [-1.2, 0]]
    with pytest.raises(TypeError, match="needs an Orbit, a branch or numbers, not a str"):
        plot.multipliers("orbit")


def test_the_drill_string(tmp_path):
    """leine1998: the stick-slip cycle ends at ω = 4.611989 by grazing-sliding, stable to the end."""
    orbit = ss.find_orbit(ss.models.drill_string())
    branch = ss.follow(orbit, "table.speed", to=5)
    ax = branch.plot(quantity="period")
    assert drawn(ax, "unstable") == []
    (ring,), (grazing,) = drawn(ax, "end"), drawn(ax, "special")
    assert grazing.get_label() == "grazing-sliding"
    assert grazing.get_xydata() == pytest.approx(np.array([[4.611989021, 6.43947489]]), abs=1e-8)
    assert ring.get_xydata() == pytest.approx(grazing.get_xydata(), abs=1e-8)
    assert plot.save(ax, tmp_path / "branch.png").stat().st_size > 10_000
    assert plot.multipliers(branch).get_title(loc="left") == "Torsional stick-slip of a drill string"
    assert plot.multipliers(orbit).get_title(loc="left") == "Torsional stick-slip of a drill string"


def test_the_phase_plane_of_an_orbit_is_closed_and_shows_both_events():
    ax = ss.find_orbit(ss.models.drill_string()).plot()
    slip, stick, released, caught = ax.lines
    assert [line.get_label() for line in ax.lines] == ["slip", "stick", "stick → slip", "slip → stick"]
    corner = released.get_xydata()[0]
    assert stick.get_xydata()[-1] == pytest.approx(corner, abs=1e-9)
    assert slip.get_xydata()[0] == pytest.approx(corner, abs=1e-9)
    assert stick.get_xydata()[0] == pytest.approx(caught.get_xydata()[0], abs=1e-9)
