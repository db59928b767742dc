"""What the pictures show: numbers, extents, labels, and sentences where nothing can be shown."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from math import exp

import matplotlib
import numpy as np
import pytest
import xarray
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.lines import Line2D

from stickslip import plot
from stickslip.errors import WriteError
from stickslip.model.classic_laws import Coulomb, Hyperbolic, PoppStelter, Stribeck
from stickslip.model.laws import Polynomial, Tabulated
from stickslip.model.parts import Belt, Contact, Mass, ground
from stickslip.model.system import System
from stickslip.plot import pieces as pieces_module
from stickslip.plot import style
from stickslip.plot.pieces import joined, latest, pieces, spans

matplotlib.use("agg")

RUN_PICTURES = [plot.phase, plot.history, plot.friction, plot.modes]

DENSE = ["step_start", "step_length", "step_mode", "step_state", "step_force", "step_slip_velocity"]
FINISHED = "The run reached the end of its time span."


def make_run(
    contacts: list[str],
    states: dict[str, str],
    start: list[float],
    length: list[float],
    modes: list[list[int]],
    powers: np.ndarray,
    status: str = FINISHED,
) -> xarray.Dataset:
    """A run with the step coefficients `powers[step, row]`; rows: states, forces, sliding velocities."""
    starts, lengths, mode = np.array(start), np.array(length), np.array(modes, dtype="int8")
    n, m = len(states), len(contacts)
    parts = powers[:, :n], powers[:, n : n + m], powers[:, n + m :]
    time = np.linspace(starts[0], starts[-1] + lengths[-1], 25)
    step = np.clip(np.searchsorted(starts, time, "right") - 1, 0, len(starts) - 1)
    tau = (time - starts[step])[:, None]
    at = [sum(part[step, :, k] * tau**k for k in range(part.shape[2])) for part in parts]
    rows = [
        (starts[i], contacts[j], mode[i - 1, j], mode[i, j], parts[0][i, :, 0])
        for i in range(1, len(starts))
        for j in range(m)
        if mode[i, j] != mode[i - 1, j]
    ]
    run = xarray.Dataset(
        {name: ("time", at[0][:, i], {"units": unit}) for i, (name, unit) in enumerate(states.items())}
    )
    return (
        run.assign(
            force=(("time", "contact"), at[1], {"units": "N"}),
            slip_velocity=(("time", "contact"), at[2], {"units": "m/s"}),
            mode=(("time", "contact"), mode[step]),
            event_time=("event", np.array([row[0] for row in rows], dtype=float)),
            event_contact=("event", np.array([row[1] for row in rows], dtype=str)),
            event_before=("event", np.array([row[2] for row in rows], dtype="int8")),
            event_after=("event", np.array([row[3] for row in rows], dtype="int8")),
            event_state=(("event", "state"), np.array([row[4] for row in rows], dtype=float).reshape(-1, n)),
            step_start=("step", starts),
            step_length=("step", lengths),
            step_mode=(("step", "contact"), mode),
            step_state=(("step", "state", "power"), parts[0]),
            step_force=(("step", "contact", "power"), parts[1]),
            step_slip_velocity=(("step", "contact", "power"), parts[2]),
        )
        .assign_coords(time=time, contact=contacts, state=list(states))
        .assign_attrs(model_name="block on a belt", status=status, time_unit="s", method="exact", version="0")
    )


@pytest.fixture
def run() -> xarray.Dataset:
    """One contact: slips back on [0, 1] and [1, 2], sticks on [2, 5], slips forward on [5, 6]."""
    powers = np.array(
        [  # x, v, force, slip velocity: coefficients of 1, τ, τ²
            [[1.0, -1.0, 0.25], [-1.0, 0.5, 0.0], [0.5, 0.1, 0.0], [-1.2, 0.5, 0.0]],
            [[0.25, -0.5, 0.35], [-0.5, 0.7, 0.0], [0.6, 0.4, 0.0], [-0.7, 0.7, 0.0]],
            [[0.1, 0.2, 0.0], [0.2, 0.0, 0.0], [-0.5, 0.5, 0.0], [0.0, 0.0, 0.0]],
            [[0.7, 0.2, 0.4], [0.2, 0.8, 0.0], [-0.9, 0.3, 0.0], [0.0, 0.8, 0.0]],
        ]
    )
    states = {"x.block": "m", "v.block": "m/s"}
    return make_run(["pad"], states, [0, 1, 2, 5], [1, 1, 3, 1], [[-1], [-1], [0], [1]], powers)


def many_blocks(count: int) -> xarray.Dataset:
    """`count` blocks, each with its contact; contact i sticks from 1 + i/count to 3, all others slip."""
    edges = np.r_[0.0, 1 + np.arange(count) / count, 3.0, 4.0]
    start, length = edges[:-1], np.diff(edges)
    number = np.arange(count)
    modes = [[0 if 1 + i / count <= t < 3 else -1 for i in number] for t in start]
    powers = np.zeros((len(start), 4 * count, 2))
    powers[:, :, 0] = np.tile(np.arange(4 * count), (len(start), 1))
    powers[:, :count, 0] += start[:, None]
    powers[:, :count, 1] = 1.0
    states = {f"x.m{i}": "m" for i in number} | {f"v.m{i}": "m/s" for i in number}
    return make_run([f"c{i}" for i in number], states, list(start), list(length), modes, powers)


@pytest.fixture(autouse=True)
def no_figures_left() -> Iterator[None]:
    """Each test starts and ends without open figures."""
    pyplot.close("all")
    yield
    pyplot.close("all")


def line(ax: Axes, label: str) -> Line2D:
    return next(item for item in ax.lines if item.get_label() == label)


def extents(ax: Axes, label: str) -> list[tuple[float, float]]:
    """Start and end of the bars with a label."""
    bars = [c for c in ax.collections if isinstance(c, PolyCollection) and c.get_label() == label]
    paths = [path.vertices[:, 0] for bar in bars for path in bar.get_paths()]
    return sorted((float(x.min()), float(x.max())) for x in paths)


def notes(ax: Axes) -> str:
    return " ".join(text.get_text() for text in ax.texts)


def at(run: xarray.Dataset, time: float, step: int, name: str = "step_state", row: int = 0) -> float:
    tau = time - float(run["step_start"][step])
    return float(np.polyval(run[name].values[step, row][::-1], tau))


class TestPieces:
    def test_steps_of_equal_mode_are_one_piece(self, run: xarray.Dataset) -> None:
        parts = pieces(run)
        assert [part.mode for part in parts] == [(-1,), (0,), (1,)]
        assert [(part.time[0], part.time[-1]) for part in parts] == [(0, 2), (2, 5), (5, 6)]

    def test_values_are_those_of_the_step_polynomials(self, run: xarray.Dataset) -> None:
        part = pieces(run)[0]
        second = part.time > 1
        tau = part.time[second] - 1
        assert np.count_nonzero(second) > 20
        np.testing.assert_allclose(part.states["x.block"][second], 0.25 - 0.5 * tau + 0.35 * tau**2, rtol=1e-14)
        np.testing.assert_allclose(part.force[0][second], 0.6 + 0.4 * tau, rtol=1e-14)
        np.testing.assert_allclose(part.slip_velocity[0][second], -0.7 + 0.7 * tau, atol=1e-14)

    def test_only_what_is_asked_for_is_evaluated(self, run: xarray.Dataset) -> None:
        (part,) = pieces(run, [], ["v.block"])
        assert part.mode == () and list(part.states) == ["v.block"] and part.force.shape == (0, len(part.time))

    def test_points_stay_bounded_and_keep_the_ends(self, run: xarray.Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
        long = run.isel(step=np.repeat([0, 2], 50))
        long["step_start"] = ("step", np.cumsum(np.r_[0, long["step_length"].values[:-1]]))
        for budget in (30, 99, 201, 1000):
            monkeypatch.setattr(pieces_module, "POINT_BUDGET", budget)
            parts = pieces(long)
            assert sum(len(part.time) for part in parts) <= budget + 2 * len(parts)
            assert [(part.time[0], part.time[-1]) for part in parts] == [(0, 50), (50, 200)]
            assert parts[1].states["x.block"][-1] == pytest.approx(0.1 + 0.2 * 3)

    def test_without_dense_output_events_cut_the_samples(self, run: xarray.Dataset) -> None:
        parts = pieces(run.drop_vars(DENSE))
        assert [part.mode for part in parts] == [(-1,), (0,), (1,)]
        assert [(part.time[0], part.time[-1]) for part in parts] == [(0, 2), (2, 5), (5, 6)]
        stick = parts[1]
        assert stick.states["x.block"][[0, -1]].tolist() == [0.1, 0.7]
        assert np.isnan(stick.force[0, [0, -1]]).all() and np.isfinite(stick.force[0, 1:-1]).all()
        np.testing.assert_allclose(stick.force[0, 1:-1], -0.5 + 0.5 * (stick.time[1:-1] - 2))

    @pytest.mark.parametrize("dense", [True, False])
    def test_spans_of_each_contact(self, dense: bool) -> None:
        run = many_blocks(3)
        run = run if dense else run.drop_vars(DENSE)
        assert spans(run, 0) == [(0, 1, -1), (1, 3, 0), (3, 4, -1)]
        assert spans(run, 2) == [(0, 1 + 2 / 3, -1), (1 + 2 / 3, 3, 0), (3, 4, -1)]

    def test_joined_curves_do_not_touch(self) -> None:
        np.testing.assert_array_equal(joined([np.ones(2), np.zeros(1)]), [1, 1, np.nan, 0])
        assert joined([]).size == 0

    def test_the_end_of_a_long_run(self, run: xarray.Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
        assert latest(run)[1] == []
        monkeypatch.setattr(pieces_module, "POINT_BUDGET", 24)
        shown, sentences = latest(run)
        assert shown["step_start"].values.tolist() == [2, 5]
        assert shown["event_time"].values.tolist() == [2, 5]
        assert sentences == ["Shown: the last 2 of 4 steps, from t = 2 on."]


class TestPhase:
    def test_slip_and_stick_are_drawn_apart_and_true(self, run: xarray.Dataset) -> None:
        ax = plot.phase(run)
        slip, stick = line(ax, "slip"), line(ax, "stick")
        assert stick.get_linewidth() > 2 * slip.get_linewidth() and stick.get_color() != slip.get_color()
        np.testing.assert_allclose(stick.get_ydata(), 0.2)
        assert np.min(stick.get_xdata()) == 0.1 and np.max(stick.get_xdata()) == pytest.approx(0.7)
        (gap,) = np.flatnonzero(np.isnan(slip.get_xdata()))
        x, v = slip.get_xdata()[gap + 1 :], slip.get_ydata()[gap + 1 :]
        tau = (v - 0.2) / 0.8
        np.testing.assert_allclose(x, 0.7 + 0.2 * tau + 0.4 * tau**2)

    def test_events_are_marked(self, run: xarray.Dataset) -> None:
        ax = plot.phase(run)
        released, caught = line(ax, "stick → slip"), line(ax, "slip → stick")
        np.testing.assert_allclose(released.get_xydata(), [[0.7, 0.2]])
        np.testing.assert_allclose(caught.get_xydata(), [[0.1, 0.2]])
        assert released.get_markerfacecolor() != caught.get_markerfacecolor()

    def test_labels_carry_units(self, run: xarray.Dataset) -> None:
        ax = plot.phase(run)
        assert ax.get_xlabel() == r"position $x_\mathrm{block}$ (m)"
        assert ax.get_ylabel() == r"velocity $v_\mathrm{block}$ (m/s)"
        assert ax.get_title("left") == "block on a belt"

    def test_chosen_states_and_contact(self) -> None:
        ax = plot.phase(many_blocks(3), y="v.m1", contact="c2")
        assert ax.get_xlabel() == r"position $x_\mathrm{m1}$ (m)"
        x = line(ax, "stick of c2").get_xdata()
        assert (x[0], x[-1]) == pytest.approx((1 + 1 + 2 / 3, 1 + 3))

    def test_unknown_names_raise_a_sentence_and_leave_no_figure(self, run: xarray.Dataset) -> None:
        with pytest.raises(ValueError, match=r"no state 'x.blok' .*did you mean 'x.block'.*x.block, v.block"):
            plot.phase(run, "x.blok")
        with pytest.raises(ValueError, match=r"no contact 'pat' in this run \(did you mean 'pad'\?\)"):
            plot.phase(run, contact="pat")
        assert pyplot.get_fignums() == []

    def test_one_state_is_no_plane(self, run: xarray.Dataset) -> None:
        with pytest.raises(ValueError, match="needs two states"):
            plot.phase(run.isel(state=[0]))

    def test_states_without_masses(self, run: xarray.Dataset) -> None:
        names = {"x.block": "theta", "v.block": "omega"}
        relay = run.rename(names).assign_coords(state=list(names.values()))
        ax = plot.phase(relay)
        assert (ax.get_xlabel(), ax.get_ylabel()) == (r"$\theta$ (m)", r"$\omega$ (m/s)")


class TestHistory:
    def test_panels_curves_and_labels(self, run: xarray.Dataset) -> None:
        axes = plot.history(run)
        assert [ax.get_ylabel() for ax in axes] == [
            "position\n" + r"$x_\mathrm{block}$ (m)",
            "velocity\n" + r"$v_\mathrm{block}$ (m/s)",
            "friction force\n" + r"$\lambda$ (N)",
        ]
        assert [ax.get_xlabel() for ax in axes] == ["", "", "time $t$ (s)"]
        x = line(axes[0], "block")
        for time, step in ((0.5, 0), (1.5, 1), (3.5, 2), (5.5, 3)):
            assert np.interp(time, x.get_xdata(), x.get_ydata()) == pytest.approx(at(run, time, step), abs=1e-3)

    def test_stick_is_shaded_from_event_to_event(self, run: xarray.Dataset) -> None:
        for picture in (run, run.drop_vars(DENSE)):
            for ax in plot.history(picture):
                assert extents(ax, "stick") == [(2, 5)]
                assert ax.get_xlim() == (0, 6)

    def test_force_jumps_are_not_connected(self, run: xarray.Dataset) -> None:
        ax = plot.history(run, "force")[0]
        ends = [(curve.get_xdata()[0], curve.get_ydata()[0]) for curve in ax.lines]
        assert ends == [(0, 0.5), (2, -0.5)]
        slip = ax.lines[0]
        assert np.isnan(slip.get_ydata()).sum() == 1

    def test_states_of_a_kind_share_a_panel(self) -> None:
        axes = plot.history(many_blocks(2))
        assert len(axes) == 4
        assert [curve.get_label() for curve in axes[1].lines] == ["m0", "m1"]
        assert axes[1].get_ylabel().split() == ["velocity", "$v$", "(m/s)"]
        assert extents(axes[3], "stick") == [(1, 3), (1.5, 3)]
        assert extents(axes[0], "stick") == []

    def test_sticking_force_is_thick_among_several(self) -> None:
        ax = plot.history(many_blocks(2), ["force"])[0]
        slip, stick = ax.lines[:2]
        assert stick.get_linewidth() > 1.5 * slip.get_linewidth()
        assert stick.get_color() == slip.get_color() != ax.lines[2].get_color()
        assert (stick.get_xdata()[0], stick.get_xdata()[-1]) == (1, 3)

    def test_many_blocks_stay_few_curves_and_say_so(self) -> None:
        axes = plot.history(many_blocks(50))
        assert len(axes) == 4
        assert [len(ax.lines) for ax in axes[:2]] == [6, 6]
        assert notes(axes[0]) == "Not shown: 88 of 100 states and 44 of 50 contacts."

    def test_many_kinds_of_states_stay_few_panels(self, run: xarray.Dataset) -> None:
        names = [f"z{i}" for i in range(20)]
        wide = run.isel(state=[0] * 20).assign_coords(state=names).assign(dict.fromkeys(names, run["x.block"]))
        axes = plot.history(wide)
        assert len(axes) == 8
        assert notes(axes[0]) == "Not shown: 13 of 20 states."

    def test_chosen_panels_on_given_axes(self, run: xarray.Dataset) -> None:
        ax = pyplot.figure().subplots()
        (drawn,) = plot.history(run, "v.block", ax=ax)
        assert drawn is ax
        two = pyplot.figure().subplots(2)
        assert list(plot.history(run, ["slip_velocity", "x.block"], ax=two)) == list(two)
        assert two[0].get_ylabel() == "sliding velocity\n" + r"$v_\mathrm{rel}$ (m/s)"

    def test_wrong_requests_raise_sentences(self, run: xarray.Dataset) -> None:
        with pytest.raises(ValueError, match=r"3 panels \(x, v, force\) and was given 1 axes"):
            plot.history(run, ax=pyplot.figure().subplots())
        with pytest.raises(ValueError, match=r"no state 'forse' in this run \(did you mean 'force'\?\)"):
            plot.history(run, "forse")
        with pytest.raises(ValueError, match="empty list"):
            plot.history(run, [])


class TestWindow:
    @pytest.mark.parametrize("dense", [True, False])
    @pytest.mark.parametrize("window", [(0.5, 5.5), (1.25, 1.75), (2.0, 5.0), (-1.0, 4.0), (4.9, 99.0)])
    def test_curves_are_those_of_the_whole_run(self, run: xarray.Dataset, window, dense: bool) -> None:
        """The same values at the same times; with dense output from one end of the window to the other."""
        given = run if dense else run.drop_vars(DENSE)
        axes = plot.history(given, ["x.block", "force"], window=window)
        assert axes[0].get_xlim() == window
        time, x = axes[0].lines[0].get_data()
        first, last = max(window[0], 0.0), min(window[1], 6.0)
        if dense:
            assert (time[0], time[-1]) == pytest.approx((first, last))
        assert time.min() >= first - 1e-12 and time.max() <= last + 1e-12
        number = np.clip(np.searchsorted(run["step_start"].values, time, "right") - 1, 0, 3)
        exact = [at(run, t, i) for t, i in zip(time, number, strict=True)]
        np.testing.assert_allclose(x, exact, atol=1e-12 if dense else 1e-9)

    def test_phases_and_events_are_cut(self, run: xarray.Dataset) -> None:
        ax = plot.phase(run, window=(1.0, 3.0))
        assert np.max(line(ax, "stick").get_xdata()) == pytest.approx(0.1 + 0.2 * 1.0)
        assert line(ax, "slip → stick").get_xydata().tolist() == [[0.1, 0.2]]
        assert not [item for item in ax.lines if item.get_label() == "stick → slip"]
        assert extents(plot.history(run, window=(1.0, 3.0))[0], "stick") == [(2.0, 3.0)]

    def test_a_window_that_is_none(self, run: xarray.Dataset) -> None:
        for window, sentence in (((3, 3), "from 3 to 3"), ((7, 9), "the run covers 0 to 6"), (4, "give two times")):
            with pytest.raises(ValueError, match=sentence):
                plot.history(run, window=window)
        with pytest.raises(ValueError, match="no sample there"):
            plot.history(run.drop_vars(DENSE), window=(0.01, 0.02))
        assert pyplot.get_fignums() == []


class TestMeasured:
    TIME = np.array([-1.0, 0.5, 2.5, 5.5, 9.0])

    @pytest.mark.parametrize("kind", ["dictionary", "dataset"])
    def test_dots_over_the_curves_within_the_time_of_the_run(self, run: xarray.Dataset, kind: str) -> None:
        columns = {"x.block": self.TIME**2, "force": -self.TIME, "temperature": self.TIME}
        table = {"time": self.TIME, **columns}
        if kind == "dataset":
            table = xarray.Dataset({n: ("time", v) for n, v in columns.items()}, {"time": self.TIME})
        axes = plot.history(run, measured=table)
        assert [ax.get_ylabel().split()[0] for ax in axes] == ["position", "friction"]
        for ax, values in zip(axes, (self.TIME**2, -self.TIME), strict=True):
            (dots,) = [item for item in ax.lines if item.get_gid() == "measured"]
            assert dots.get_xydata().tolist() == list(map(list, zip(self.TIME[1:4], values[1:4], strict=True)))
        assert {text.get_text() for text in axes[0].get_legend().get_texts()} == {"measured", "stick"}

    def test_contacts_have_a_row_each(self) -> None:
        run = many_blocks(2)
        time = np.linspace(0, 4, 9)
        table = {"time": time, "force": np.column_stack([time, 2 * time]), "x.m1": time}
        x, force = plot.history(run, ["x.m0", "x.m1", "force"], measured=table)
        dots = [item for item in force.lines if item.get_gid() == "measured"]
        assert [item.get_ydata()[-1] for item in dots] == [4.0, 8.0]
        assert [item.get_ydata()[-1] for item in x.lines if item.get_gid() == "measured"] == [4.0]

    def test_tables_that_do_not_belong_to_the_run(self, run: xarray.Dataset) -> None:
        for table, sentence in (
            ({"x.block": [1.0]}, "a table with a column 'time'"),
            (3, "measured is a int"),
            (
                {"time": [1.0], "y": [2.0]},
                "nothing in measured has a name of this run: it has time, y, the run x.block",
            ),
            ({"time": [1.0, 2.0], "x.block": [1.0]}, r"x.block has the shape \(1,\), but there are 2 times"),
        ):
            with pytest.raises(ValueError, match=sentence):
                plot.history(run, measured=table)


class TestManyTurns:
    def test_lines_grow_thin_and_pale_with_the_number_of_turns(self) -> None:
        """x = cos t, v = −sin t over 2, 20 and 200 periods, in steps of a twelfth of a period."""
        looks = []
        for periods in (2, 20, 200):
            start = np.arange(12 * periods) * np.pi / 6
            powers = np.zeros((len(start), 4, 8))
            for k in range(8):
                scale = float(np.prod(np.arange(1, k + 1)))
                powers[:, 0, k] = np.cos(start + k * np.pi / 2) / scale
                powers[:, 1, k] = np.cos(start + (k + 1) * np.pi / 2) / scale
            states = {"x.m": "", "v.m": ""}
            long = make_run(["c"], states, list(start), [np.pi / 6] * len(start), [[1]] * len(start), powers)
            drawn = line(plot.phase(long), "slip")
            looks.append((drawn.get_linewidth(), drawn.get_alpha()))
            assert np.allclose(np.hypot(*drawn.get_data()), 1.0, atol=1e-6)
        assert looks[0] == (style.SLIP_WIDTH, 1.0) and looks[0] > looks[1] > looks[2]
        assert looks[2][0] <= 0.25 * style.SLIP_WIDTH * 1.01


class TestRoom:
    def test_long_legends_are_below_and_leave_the_axes_their_width(self) -> None:
        """The axes have at least half of the figure, whatever the labels."""
        for labels in (["a", "b"], ["a label of thirty-nine letters " + str(i) for i in range(6)], ["x" * 70] * 2):
            laws = {f"{label}{i}": Coulomb(0.3 + 0.1 * i) for i, label in enumerate(labels)}
            ax = plot.characteristic(laws)
            ax.figure.draw_without_rendering()
            assert ax.get_position().width > 0.55 and ax.get_position().height > 0.3
            box = ax.get_legend().get_window_extent()
            assert not box.overlaps(ax.get_window_extent())

    def test_titles_are_words_and_are_broken_where_they_are_long(self, run: xarray.Dataset) -> None:
        assert plot.phase(run.assign_attrs(model_name="my_brake")).get_title("left") == "my brake"
        long = "A friction oscillator with self-excitation, excitation from outside, and whatever else there may be"
        ax = plot.phase(run.assign_attrs(title=long))
        ax.figure.draw_without_rendering()
        assert ax.get_title("left").replace("\n", " ") == long and "\n" in ax.get_title("left")
        title = next(text for text in (ax.title, ax._left_title, ax._right_title) if text.get_text())
        assert title.get_window_extent().x1 <= ax.figure.bbox.x1

    def test_angles_are_called_so(self, run: xarray.Dataset) -> None:
        run["x.block"].attrs["units"], run["v.block"].attrs["units"] = "rad", ""
        ax = plot.phase(run)
        assert ax.get_xlabel() == r"angle $x_\mathrm{block}$ (rad)"
        assert ax.get_ylabel() == r"angular velocity $v_\mathrm{block}$"

    def test_axes_in_a_subfigure(self, run: xarray.Dataset) -> None:
        ax = pyplot.figure(figsize=(8, 3)).subfigures(1, 2)[0].subplots()
        assert plot.phase(run, ax=ax) is ax


class TestFriction:
    def test_branches(self, run: xarray.Dataset) -> None:
        ax = plot.friction(run)
        slip, stick = line(ax, "slip"), line(ax, "stick")
        assert set(stick.get_xdata()) == {0.0}
        assert (np.min(stick.get_ydata()), np.max(stick.get_ydata())) == (-0.5, 1.0)
        v, force = slip.get_xdata(), slip.get_ydata()
        forward = v > 0
        np.testing.assert_allclose(force[forward], -0.9 + 0.3 * v[forward] / 0.8)
        assert np.isnan(v).sum() == 1
        assert ax.get_xlabel() == r"sliding velocity $v_\mathrm{rel}$ (m/s)"
        assert ax.get_ylabel() == r"friction force $\lambda$ (N)"

    def test_samples_are_dots(self, run: xarray.Dataset) -> None:
        slip = line(plot.friction(run.drop_vars(DENSE)), "slip")
        assert slip.get_linestyle() == "None" and slip.get_marker() == "."

    def test_chosen_contact(self) -> None:
        ax = plot.friction(many_blocks(3), "c1")
        assert ax.get_title("left") == "block on a belt – c1"
        assert set(line(ax, "stick").get_ydata()) == {7.0}

    def test_only_stick(self, run: xarray.Dataset) -> None:
        ax = plot.friction(run.isel(step=[2], event=[]))
        assert ax.get_xlim() == (-1, 1)
        assert [item.get_label() for item in ax.lines] == ["stick"]


class TestModes:
    def test_bars(self, run: xarray.Dataset) -> None:
        ax = plot.modes(run)
        assert extents(ax, "stick") == [(2, 5)]
        assert extents(ax, r"slip, $v_\mathrm{rel} < 0$") == [(0, 2)]
        assert extents(ax, r"slip, $v_\mathrm{rel} > 0$") == [(5, 6)]
        assert [text.get_text() for text in ax.get_yticklabels()] == ["pad"]
        assert ax.get_xlabel() == "time $t$ (s)"

    def test_legend_names_each_mode_once(self) -> None:
        legend = plot.modes(many_blocks(4)).get_legend()
        assert legend is not None
        assert [text.get_text() for text in legend.get_texts()] == ["stick", r"slip, $v_\mathrm{rel} < 0$"]

    def test_first_contact_on_top_and_rows_apart(self) -> None:
        ax = plot.modes(many_blocks(50))
        assert ax.get_ylim()[0] > ax.get_ylim()[1]
        assert len(ax.get_yticklabels()) == 50
        rows = ax.figure.get_figheight() / 50
        assert 0.15 < rows < 0.25
        assert len(plot.modes(many_blocks(150)).get_yticklabels()) == 50


class TestCharacteristic:
    def test_curve_and_static_limit(self) -> None:
        ax = plot.characteristic(Coulomb(0.4, 0.3), speeds=[0, 1, 2])
        curve = line(ax, "kinetic")
        assert curve.get_xydata().tolist() == [[0, 0.3], [1, 0.3], [2, 0.3]]
        dots = [item for item in ax.lines if item.get_marker() == "o"]
        assert [dot.get_xydata().tolist() for dot in dots] == [[[0, 0.4]], [[0, 0.3]]]
        assert ax.get_ylim()[0] == 0
        assert ax.get_title("left") == r"Coulomb: $\mu_\mathrm{s}$ = 0.4, $\mu_\mathrm{k}$ = 0.3"

    def test_continuous_law_has_one_dot(self) -> None:
        ax = plot.characteristic(Hyperbolic(1.0, 3.0))
        assert sum(item.get_marker() == "o" for item in ax.lines) == 1
        v, mu = line(ax, "kinetic").get_data()
        np.testing.assert_allclose(mu, 1 / (1 + 3 * np.asarray(v)))

    @pytest.mark.parametrize(
        "law",
        [
            Hyperbolic(1.0, 3.0),
            Stribeck(0.45, 0.2, 0.01),
            PoppStelter(0.4, 0.1, 1.42, 0.01),
            Polynomial([0.3, -0.1]),
            Coulomb(0.1).with_viscous(0.1),
            Tabulated([0, 50, 100], [0.5, 0.3, 0.28], 0.55),
        ],
    )
    def test_default_speeds_show_the_change(self, law: object) -> None:
        ax = plot.characteristic(law)
        v, mu = line(ax, "kinetic").get_data()
        change = np.abs(mu - mu[0])
        assert change[-1] > 0.5 * change.max() or isinstance(law, Polynomial | PoppStelter)
        assert 0.02 < np.argmax(change > 0.5 * change.max()) / len(v) < 0.8

    def test_labels_of_a_dictionary(self) -> None:
        def weakening(v: float, mu_k: float = 0.6) -> float:
            return mu_k + 0.4 * exp(-v)

        ax = plot.characteristic({"steel": Coulomb(0.3), "mine": weakening})
        labels = [text.get_text() for text in ax.get_legend().get_texts()]
        assert labels == ["steel", "mine", "static limit"]
        assert line(ax, "mine").get_ydata()[0] == 1.0

    def test_system_draws_each_law_once_with_current_values(self) -> None:
        belt, law = Belt("belt", 0.2), Hyperbolic(1.0, 3.0)
        a, b = Mass("a", 1.0), Mass("b", 1.0)
        own = Contact(a, ground, law=Coulomb(0.5), name="own")
        system = System(Contact(a, belt, law=law, name="p"), Contact(b, belt, law=law, name="q"), own, name="pair")
        ax = plot.characteristic(system.with_({"p.mu_s": 0.8}))
        assert line(ax, "p, q").get_ydata()[0] == 0.8
        assert line(ax, "own").get_ydata()[0] == 0.5
        assert ax.get_title("left") == "pair"

    def test_wrong_requests_raise_sentences(self) -> None:
        with pytest.raises(TypeError, match="draws friction laws"):
            plot.characteristic(3.0)
        with pytest.raises(ValueError, match="no friction law to draw"):
            plot.characteristic({})
        with pytest.raises(ValueError, match="none of them negative"):
            plot.characteristic(Coulomb(0.3), speeds=[-1, 1])

    def test_many_laws(self) -> None:
        ax = plot.characteristic({str(i): Coulomb(0.1 * (i + 1)) for i in range(30)})
        assert notes(ax) == "Not shown: 18 of 30 laws."


class TestEveryPicture:
    @pytest.mark.parametrize("draw", RUN_PICTURES)
    def test_a_run_that_stopped_early_says_why(self, draw, run: xarray.Dataset) -> None:
        sentence = "The step became too small at t = 6, where the law has no value."
        stopped = np.atleast_1d(draw(run.assign_attrs(status=sentence, outcome="stalled")))[0]
        assert notes(stopped) == sentence
        assert notes(np.atleast_1d(draw(run))[0]) == ""

    @pytest.mark.parametrize("draw", RUN_PICTURES)
    def test_a_single_sample(self, draw, run: xarray.Dataset) -> None:
        ax = np.atleast_1d(draw(run.isel(time=[0], event=[], step=[])))[0]
        assert "The run has a single sample." in notes(ax)
        assert all(item.get_marker() in ("o", ".") for item in ax.lines)
        ax.figure.canvas.draw()

    @pytest.mark.parametrize("draw", RUN_PICTURES)
    def test_no_samples_and_no_run(self, draw, run: xarray.Dataset) -> None:
        with pytest.raises(ValueError, match="no samples"):
            draw(run.isel(time=[]))
        with pytest.raises(TypeError, match=r"needs a run.*not a list"):
            draw([1, 2])

    def test_no_contact(self, run: xarray.Dataset) -> None:
        free = run.isel(contact=[], event=[])
        assert len(plot.history(free)) == 2
        assert plot.phase(free).get_legend() is None
        for draw in (plot.friction, plot.modes):
            with pytest.raises(ValueError, match="this run has no contact"):
                draw(free)

    @pytest.mark.parametrize("draw", RUN_PICTURES)
    def test_rc_parameters_and_given_axes_are_respected(self, draw, run: xarray.Dataset) -> None:
        before = dict(matplotlib.rcParams)
        figure = matplotlib.figure.Figure()
        draw(run, ax=figure.subplots(3) if draw is plot.history else figure.subplots())
        assert pyplot.get_fignums() == []
        draw(run)
        assert len(pyplot.get_fignums()) == 1
        assert dict(matplotlib.rcParams) == before

    def test_dollars_in_names_are_no_formulas(self, run: xarray.Dataset) -> None:
        ax = plot.phase(run.assign_attrs(model_name="5 $ and $", status="stopped at $x^$"))
        ax.figure.canvas.draw()
        assert ax.get_title("left") == r"5 \$ and \$"

    def test_matplotlib_is_imported_late(self) -> None:
        source = "import sys, stickslip.plot; sys.exit('matplotlib' in sys.modules)"
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        assert subprocess.run([sys.executable, "-c", source], env=environment, check=False).returncode == 0


class TestSave:
    @pytest.mark.parametrize(("suffix", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")])
    def test_suffix_names_the_format(self, suffix, magic, run: xarray.Dataset, tmp_path) -> None:
        path = plot.save(plot.history(run), tmp_path / f"run.{suffix}")
        assert path.read_bytes().startswith(magic)
        assert [file.name for file in tmp_path.iterdir()] == [f"run.{suffix}"]

    def test_unknown_suffix_and_missing_folder(self, run: xarray.Dataset, tmp_path) -> None:
        ax = plot.phase(run)
        with pytest.raises(ValueError, match=r"cannot save a picture as 'a.xyz': .*\.png"):
            plot.save(ax, tmp_path / "a.xyz")
        with pytest.raises(FileNotFoundError, match="there is no folder"):
            plot.save(ax, tmp_path / "nowhere" / "a.png")
        with pytest.raises(TypeError, match="needs Axes or a Figure"):
            plot.save("phase", tmp_path / "a.png")

    def test_a_failure_keeps_the_old_file(self, run: xarray.Dataset, tmp_path, monkeypatch) -> None:
        target = tmp_path / "a.png"
        target.write_bytes(b"old")
        ax = plot.phase(run)

        def fail(path, **_: object) -> None:
            path.write_bytes(b"half")
            raise OSError("disk full")

        monkeypatch.setattr(ax.figure, "savefig", fail)
        with pytest.raises(WriteError, match="disk full"):
            plot.save(ax, target)
        assert target.read_bytes() == b"old"
        assert list(tmp_path.iterdir()) == [target]

    def test_own_figures_are_released_users_are_kept(self, run: xarray.Dataset, tmp_path) -> None:
        plot.save(plot.phase(run), tmp_path / "a.png")
        assert pyplot.get_fignums() == []
        figure, ax = pyplot.subplots()
        plot.save(plot.phase(run, ax=ax), tmp_path / "b.png")
        assert pyplot.get_fignums() == [figure.number]
