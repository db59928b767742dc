"""Pictures of sweeps show the points that were recorded, and each kind of motion in its colour."""

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot

import stickslip as ss
from stickslip.plot.sweeps import kinds_of, signatures_of

matplotlib.use("agg")
FORCED = ss.models.forced_oscillator("III")


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def diagram():
    return ss.sweep(FORCED, {"base.eta": [0.9, 1.15, 1.5]}, periods=(100, 30))


@pytest.fixture(scope="module")
def grid():
    return ss.sweep(
        FORCED, {"contact.normal": [8.0, 10.0], "base.eta": [0.9, 1.5, 2.4]}, periods=(100, 30), observe=None
    )


def test_every_recorded_point_is_in_the_diagram(diagram):
    ax = ss.plot.bifurcation(diagram)
    (points,) = [line for line in ax.lines if line.get_gid() == "points"]
    assert len(points.get_xdata()) == int(np.isfinite(diagram["x.block"].values).sum())
    at = points.get_ydata()[points.get_xdata() == 1.5]
    assert np.allclose(at, 4.3896839145, atol=1e-6)
    assert ax.get_xlabel() == r"$\eta$ of base"
    assert ax.get_ylabel() == r"position $x_\mathrm{block}$ at release"


def test_many_points_are_drawn_by_density(diagram):
    wide = ss.sweep(FORCED, {"base.eta": np.linspace(0.3, 0.5, 400)}, periods=(5, 60), most=200)
    assert int(np.isfinite(wide["x.block"].values).sum()) > 30_000
    ax = ss.plot.bifurcation(wide)
    assert [mesh.get_gid() for mesh in ax.collections] == ["density"]


def test_kinds_have_their_colours(grid):
    words = kinds_of(grid)
    assert words[1].tolist() == ["1:1", "1:2", "1:3"]
    ax = ss.plot.parameter_map(grid)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert set(labels) == set(words.ravel().tolist())
    (mesh,) = ax.collections
    assert len(np.unique(mesh.get_array())) == len(labels)


def test_kinds_of_motion_in_words(grid):
    """In the conventions of n and m for "no period": −1 and −1, or 0 and 0."""
    shape = (1, 8)
    n = np.array([[2, -1, 0, 0, 0, -1, 1, 1]])
    m = np.array([[3, -1, 0, 1, 0, -1, 1, 1]])
    events = np.array([[12, 9, 9, 8, 0, 0, 2, 0]])
    stick = np.array([[0.5, 0.5, 0.5, 0.0, 0.0, 1.0, 0.5, 0.2]])[..., None]
    status = np.array([[0, 0, 0, 0, 0, 0, 3, 0]])
    dims = ("contact.normal", "base.eta")
    data = grid.isel({"contact.normal": [0], "base.eta": np.zeros(8, int)}).assign(
        n=(dims, n), m=(dims, m), events=(dims, events), status=(dims, status),
        stick_fraction=((*dims, "contact"), stick),
    )  # fmt: skip
    expected = ["2:3", "no period", "no period", "no stick", "steady sliding", "rest", "failed", "steady sliding"]
    assert kinds_of(data).reshape(shape).tolist() == [expected]


def test_steady_sliding_has_its_class():
    """A block on a belt whose damper is stronger than the friction falls slides steadily; else it sticks and slips."""
    over = {"damper.c": [0.1, 0.4], "table.speed": [3.5, 8.0]}
    data = ss.sweep(ss.models.drill_string(), over, times=(150, 60))
    assert kinds_of(data).tolist() == [["1:1", "steady sliding"], ["steady sliding", "steady sliding"]]
    ax = ss.plot.parameter_map(data)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["1:1", "steady sliding"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("speed of table", "damping $c$ of damper")


def test_units_of_parameters_are_shown(grid):
    grid["base.eta"].attrs["units"] = "1/s"
    assert ss.plot.parameter_map(grid).get_xlabel() == r"$\eta$ of base (1/s)"
    del grid["base.eta"].attrs["units"]


@pytest.mark.parametrize(
    ("what", "label"),
    [
        (ss.observe.SlipToStick(), r"position $x_\mathrm{block}$ at the onset of stick"),
        (ss.observe.Strobe(), r"position $x_\mathrm{block}$ once per period of the excitation"),
        (ss.observe.Strobe(every=2.0), r"position $x_\mathrm{block}$ every 2"),
        (ss.observe.Maxima("x.block"), r"maxima of position $x_\mathrm{block}$"),
        (ss.observe.Maxima("v.block"), r"position $x_\mathrm{block}$ at maxima of $v_\mathrm{block}$"),
        (ss.observe.Section("v.block", 0.5), r"position $x_\mathrm{block}$ where $v_\mathrm{block}$ = 0.5 rising"),
        (
            ss.observe.Section("contact", -1.0, "both"),
            r"position $x_\mathrm{block}$ where sliding velocity of contact = -1",
        ),
    ],
)
def test_labels_say_what_was_recorded(what, label):
    data = ss.sweep(FORCED, {"base.eta": [0.9]}, periods=(5, 20), observe=what)
    assert ss.plot.bifurcation(data).get_ylabel() == label


def test_sweeps_up_and_down_are_told_apart():
    """Up to 4.61 the drill string has both motions: going up it sticks and slips there, going down it does not."""
    over = {"table.speed": np.linspace(3.5, 5.5, 9)}
    up, down = (ss.sweep(ss.models.drill_string(), over, times=(150, 40), carry=way) for way in ("up", "down"))
    ax = ss.plot.bifurcation(down, ax=ss.plot.bifurcation(up))
    first, second = (line for line in ax.lines if line.get_gid() == "points")
    assert first.get_color() != second.get_color() and first.get_markersize() > second.get_markersize()
    assert len(first.get_xdata()) == up["count"].sum() > 20 and len(second.get_xdata()) == down["count"].sum() == 0
    silent = [line for line in ax.lines if line.get_gid() == "silent"]
    assert [len(line.get_xdata()) // 2 for line in silent] == [int((up["count"] == 0).sum()), 9]
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["parameter going up", "parameter going down", "no events: ends of\nthe motion"]
    again = ss.plot.bifurcation(up, label="mine", color="crimson")
    assert again.lines[0].get_color() == "crimson" and again.get_legend().get_texts()[0].get_text() == "mine"


def test_exponents_have_units():
    for what, words in (
        (ss.observe.LargestExponent(), "per unit time"),
        (ss.observe.LargestExponent(per="forcing"), "per period of the excitation"),
        (ss.observe.LargestExponent(per="release"), "per release"),
    ):
        over = {"contact.normal": [10.0, 10.2], "base.eta": [0.9, 1.5]}
        data = ss.sweep(FORCED, over, periods=(20, 20), observe=what)
        bar = ss.plot.parameter_map(data, "largest_exponent").figure.axes[1]
        assert bar.get_ylabel() == f"largest Lyapunov exponent ({words})"
        error = ss.plot.parameter_map(data, "largest_exponent_error").figure.axes[1]
        assert error.get_ylabel() == "largest exponent error"
    data["largest_exponent"].attrs["units"] = "1/s"
    assert ss.plot.parameter_map(data, "largest_exponent").figure.axes[1].get_ylabel().endswith("(1/s)")


def test_a_number_over_two_parameters(grid):
    ax = ss.plot.parameter_map(grid, "stick_fraction")
    (mesh,) = ax.collections
    assert np.allclose(np.ravel(mesh.get_array()), grid["stick_fraction"].values[:, :, 0].ravel())


def test_a_poincare_map():
    data = ss.sweep(FORCED, {"base.eta": [1.5]}, observe=ss.observe.Strobe(), periods=(100, 30))
    ax = ss.plot.poincare(data)
    (points,) = [line for line in ax.lines if line.get_gid() == "points"]
    assert len(points.get_xdata()) == int(data["count"][0])
    assert len(np.unique(np.round(points.get_xdata(), 6))) == 2  # the motion repeats itself after two periods


def test_mistakes_are_sentences(diagram, grid):
    with pytest.raises(ValueError, match=r"over one parameter; this one is over contact\.normal, base\.eta"):
        ss.plot.bifurcation(grid)
    with pytest.raises(ValueError, match=r"grid of two parameters; this one is over base\.eta"):
        ss.plot.parameter_map(diagram)
    with pytest.raises(ValueError, match=r"no state .x\.blok."):
        ss.plot.bifurcation(diagram, "x.blok")
    with pytest.raises(ValueError, match="not a sweep"):
        ss.plot.bifurcation(ss.simulate(FORCED, t=5))


def test_a_sweep_is_saved_and_loaded(diagram, tmp_path):
    again = ss.load(ss.save(diagram, tmp_path / "sweep.nc"))
    assert again.equals(diagram)
    ss.plot.bifurcation(again)


@pytest.fixture(scope="module")
def measured():
    return ss.sweep(
        FORCED, {"contact.normal": [10.0, 10.2], "base.eta": [0.9, 1.15, 1.5]}, periods=(150, 50),
        observe=["largest_exponent", "signature"],
    )  # fmt: skip


def test_signatures_have_their_colours(measured):
    ax = ss.plot.parameter_map(measured, "signature")
    labels = {text.get_text() for text in ax.get_legend().get_texts()}
    (mesh,) = ax.collections
    assert labels == {"stick → slip-", "2 × (stick → slip-)"}
    same = measured["signature"].values == "stick → slip-"
    codes = np.reshape(mesh.get_array(), same.shape)
    assert len(np.unique(codes[same])) == len(np.unique(codes[~same])) == 1 and len(np.unique(codes)) == 2


def test_exponents_are_white_at_zero(measured):
    ax = ss.plot.parameter_map(measured, "largest_exponent")
    (mesh,) = ax.collections
    assert np.allclose(np.ravel(mesh.get_array()), measured["largest_exponent"].values.ravel())
    assert mesh.norm(0.0) == 0.5 and mesh.norm(-1e9) <= 0 < 1 <= mesh.norm(1e9)
    assert np.allclose(mesh.cmap(0.5)[:3], 1, atol=0.05)


def test_long_signatures_that_differ_have_names_that_differ(measured):
    words = np.array([["s → " * 40 + "a", "s → " * 40 + "b", ""], ["x", "x", "y"]])
    data = measured.assign(signature=(measured["signature"].dims, words))
    shown = signatures_of(data)
    assert len(np.unique(shown)) == 5 and shown[0, 2] == "no period"


def test_a_diagram_is_drawn_a_part_at_a_time(monkeypatch):
    data = ss.sweep(FORCED, {"base.eta": np.linspace(0.3, 0.5, 60)}, periods=(5, 60), most=200)
    counts = []
    for dense, block in ((30_000, 10**6), (30_000, 500), (1000, 10**6), (1000, 500)):
        monkeypatch.setattr("stickslip.plot.sweeps.DENSE", dense)
        monkeypatch.setattr("stickslip.plot.sweeps.BLOCK", block)
        ax = ss.plot.bifurcation(data)
        drawn = ax.collections[0].get_array().filled(0) if ax.collections else ax.lines[0].get_ydata()
        counts.append(np.asarray(drawn, float))
    np.testing.assert_array_equal(counts[0], counts[1])
    np.testing.assert_array_equal(counts[2], counts[3])
    assert counts[2].sum() == len(counts[0]) == int(data["count"].sum())


def test_one_of_several_observations_is_drawn():
    data = ss.sweep(
        FORCED, {"base.eta": [0.9, 1.5]}, periods=(50, 20), observe=[ss.observe.StickToSlip(), ss.observe.Strobe()]
    )
    with pytest.raises(ValueError, match=r"has recorded stick_to_slip, strobe: choose one, data.observation"):
        ss.plot.bifurcation(data)
    ax = ss.plot.bifurcation(data.observation("strobe"))
    assert len(ax.lines[0].get_xdata()) == 40
