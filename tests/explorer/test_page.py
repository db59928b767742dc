"""The page from end to end, in a real Chromium: what a user does, and what is then to be seen."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from tests.explorer.chromium import Browser, Page
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "src/stickslip/explorer/page"
STATIC = ROOT / "src/stickslip/explorer/static"
HOSTILE = """
[mass.block]
m = 1.0

[belt.belt]
speed = 0.2

[spring.spring]
between = ["block", "ground"]
force = {{formula = "__import__('os').system('touch {file}')"}}

[contact.pad]
on = "block"
against = "belt"
normal = 1.0
law = {{kind = "coulomb", mu_s = 0.4}}
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server on a free port."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "stickslip", "explore", "block_on_belt", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        try:
            line = next(line for line in process.stdout if "http://" in line)
            yield line[line.index("http://") :].split()[0].rstrip("/")
        finally:
            process.terminate()
            process.wait(10)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    with Browser() as found:
        yield found


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The explorer on the block on its belt, with its motion there; nobody complains in the console."""
    opened = browser.open(f"{address}/")
    opened.wait("explorer.motion && explorer.phase.plot.painted > 0", 60)  # a fresh cache has to be compiled
    yield opened
    complaints = opened.errors()
    opened.call("Page.close")
    assert complaints == []


@pytest.fixture
def swept(page: Page) -> Page:
    """The same, with its diagram there."""
    page.wait("explorer.diagram.points.count > 500 && !explorer.diagram.running", 90)
    return page


def curve(page: Page, name: str = "x.block") -> list[float]:
    """The values of the motion that is drawn."""
    found: list[float] = page.evaluate(f"Array.from(explorer.motion.values('{name}'))")
    return found


def slider(name: str) -> str:
    return f"input[type=range][data-name='{name}']"


def value(page: Page, name: str) -> float:
    return float(page.evaluate(f"document.querySelector(\"input[type=text][data-name='{name}']\").value"))


def in_plot(page: Page, plot: str, x: float, y: float) -> tuple[float, float]:
    """Where a point of a plot is in the window."""
    found = page.evaluate(
        f"(() => {{ const p = explorer.{plot}.plot, r = p.host.getBoundingClientRect(); "
        f"return [r.left + p.px({x}), r.top + p.py({y})]; }})()"
    )
    return float(found[0]), float(found[1])


def choose(page: Page, selector: str, option: str) -> None:
    """Choose an option of a select."""
    page.evaluate(
        f"(() => {{ const s = document.querySelector('{selector}'); s.value = '{option}'; "
        "s.dispatchEvent(new Event('change')); })()"
    )


def use(page: Page, text: str) -> None:
    """Give the page a model of one's own."""
    page.press("#model-open")
    page.wait("document.querySelector('#editor').open")
    page.evaluate("document.querySelector('#editor-text').select()")
    page.type(text)
    page.press("#editor-use")


def settled(page: Page) -> None:
    """Wait until the motion on the page is that of its view."""
    page.wait("!explorer.connection.isBusy('motion')")
    page.evaluate("new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))")


def test_dragging_a_slider_changes_the_curve(page: Page) -> None:
    before, seen = curve(page), page.evaluate("explorer.phase.plot.below.toDataURL()")
    start = page.middle(slider("belt.speed"))
    page.drag(start, (start[0] + 25, start[1]))
    settled(page)
    after = curve(page)
    assert value(page, "belt.speed") > 0.25
    assert page.evaluate("explorer.phase.plot.below.toDataURL()") != seen
    assert max(after) != pytest.approx(max(before), abs=1e-3)
    # The block sticks to the belt at the belt's speed: what is drawn is the motion of the slider's value.
    assert max(curve(page, "v.block")) == pytest.approx(value(page, "belt.speed"), abs=1e-9)


def test_back_undoes_a_whole_drag(page: Page) -> None:
    start = page.middle(slider("belt.speed"))
    page.drag(start, (start[0] + 25, start[1]))
    settled(page)
    page.press("#undo")
    page.wait("explorer.view.parameters['belt.speed'] === undefined")
    settled(page)
    assert value(page, "belt.speed") == 0.2
    page.press("#redo")
    page.wait("explorer.view.parameters['belt.speed'] > 0.25")


def test_undo_goes_no_farther_back_than_the_page(browser: Browser, address: str) -> None:
    page = browser.open(f"{address}/opening")
    page.go(f"{address}/")
    page.wait("explorer.motion")
    assert page.evaluate("document.querySelector('#undo').disabled") is True
    page.key("z")
    page.evaluate("explorer.setParameters({'belt.speed': 0.3})")
    page.key("z")
    page.wait("explorer.view.parameters['belt.speed'] === undefined")
    page.key("z")
    time.sleep(0.2)
    assert page.evaluate("[location.pathname, document.querySelector('#undo').disabled]") == ["/", True]
    page.call("Page.close")


def test_arrow_keys_move_a_slider(page: Page) -> None:
    page.evaluate(f'document.querySelector("{slider("belt.speed")}").focus()')
    page.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowRight", code="ArrowRight", windowsVirtualKeyCode=39)
    page.call("Input.dispatchKeyEvent", type="keyUp", key="ArrowRight", code="ArrowRight", windowsVirtualKeyCode=39)
    settled(page)
    assert 0.2 < value(page, "belt.speed") < 0.21


def test_a_click_on_the_diagram_shows_the_motion_there(swept: Page) -> None:
    page = swept
    i = page.evaluate("explorer.diagram.points.value.findIndex((v) => v > 0.35)")
    x, y = page.evaluate(f"[explorer.diagram.points.value[{i}], explorer.diagram.points.point[{i}]]")
    page.click(*in_plot(page, "diagram", x, y))
    page.wait("explorer.view.parameters['belt.speed'] > 0.3")
    settled(page)
    chosen = page.evaluate("explorer.view.parameters['belt.speed']")
    assert chosen == pytest.approx(x, abs=0.002)
    assert value(page, "belt.speed") == pytest.approx(chosen, rel=1e-6)
    assert max(curve(page, "v.block")) == pytest.approx(chosen, abs=1e-9)
    assert page.evaluate("explorer.diagram.plot.host.classList.contains('stale')") is False


def test_a_box_is_recomputed_and_can_be_left(swept: Page) -> None:
    page = swept
    low, high = page.evaluate("[explorer.view.diagram.low, explorer.view.diagram.high]")
    bottom, top = page.evaluate("explorer.diagram.plot.y")
    middle = (bottom + top) / 2
    page.drag(in_plot(page, "diagram", 0.2, top), in_plot(page, "diagram", 0.3, middle))
    page.wait("explorer.view.diagram.low > 0.19 && explorer.diagram.points.count > 100 && !explorer.diagram.running")
    values = page.evaluate("Array.from(explorer.diagram.points.value.subarray(0, explorer.diagram.points.count))")
    assert min(values) > 0.195 and max(values) < 0.305
    assert len(set(values)) > 100  # as many values as before, in a fifth of the range
    page.press("#diagram-back")
    page.wait(f"explorer.view.diagram.low === {low} && explorer.view.diagram.high === {high}")


def test_a_click_in_a_moved_picture_leaves_it_where_it_is(swept: Page) -> None:
    page = swept
    low, high = page.evaluate("explorer.diagram.plot.x")
    page.evaluate("explorer.diagram.plot.above.focus()")
    page.key("+")
    page.key("+")
    seen = page.evaluate("[explorer.diagram.plot.x, explorer.diagram.plot.y]")
    assert low < seen[0][0] < seen[0][1] < high
    x, y = (sum(ends) / 2 for ends in seen)
    page.click(*in_plot(page, "diagram", x, y))
    page.wait("explorer.view.parameters['belt.speed'] > 0.2")
    assert page.evaluate("[explorer.diagram.plot.x, explorer.diagram.plot.y]") == seen
    assert page.evaluate("document.querySelector('#diagram-here').hidden") is False
    page.press("#diagram-back")
    assert page.evaluate("explorer.diagram.plot.x") == [low, high]


def test_a_sweep_fills_in_and_can_be_stopped(swept: Page) -> None:
    page = swept
    page.evaluate(
        "explorer.commit({diagram: {...explorer.view.diagram, points: 20000, transient: 4000, observed: 2000}})"
    )
    page.press("#diagram-run")
    page.wait("explorer.diagram.running && explorer.diagram.points.count > 0")
    page.press("#diagram-run")
    page.wait("!explorer.diagram.running", 5)
    count = page.evaluate("explorer.diagram.points.count")
    assert "Stopped" in page.evaluate("document.querySelector('#diagram-status').textContent")
    time.sleep(0.5)
    assert page.evaluate("explorer.diagram.points.count") == count
    values = page.evaluate("new Set(explorer.diagram.points.value.subarray(0, explorer.diagram.points.count)).size")
    assert 0 < values < 20_000


def test_sweeps_up_and_down_are_overlaid(swept: Page) -> None:
    page = swept
    page.evaluate("explorer.commit({diagram: {...explorer.view.diagram, points: 60}})")
    choose(page, "#diagram-direction", "both")
    page.press("#diagram-run")
    page.wait("!explorer.diagram.running && explorer.diagram.points.count > 100", 60)
    ways = page.evaluate("[...new Set(explorer.diagram.points.up.subarray(0, explorer.diagram.points.count))].sort()")
    assert ways == [-1, 1]
    for way in ways:
        chosen = f"points.value.filter((_, i) => i < points.count && points.up[i] === {way})"
        assert page.evaluate(f"((points) => new Set({chosen}).size)(explorer.diagram.points)") == 60


def test_an_orbit_is_found_and_followed(page: Page) -> None:
    page.press("#orbit-find")
    page.wait("explorer.phase.orbit && !document.querySelector('#orbit-facts').hidden")
    facts = page.evaluate("document.querySelector('#orbit-list').textContent")
    assert "stable" in facts and "period" in facts
    period = page.evaluate("explorer.phase.orbit.header.period")
    releases = page.evaluate("explorer.motion.events.filter((e) => e.before === 0).map((e) => e.time)")
    assert period == pytest.approx(releases[-1] - releases[-2], rel=1e-6)
    page.press("#orbit-follow")
    page.wait("explorer.diagram.branches.grown[0]?.done", 25)
    branch = page.evaluate("explorer.diagram.branches.grown[0]")
    assert "ss.follow(" in page.evaluate("document.querySelector('#last-line').textContent")
    assert len(branch["value"]) > 5 and np.ptp(branch["value"]) > 0.1


def test_what_was_found_is_of_its_values_and_comes_back_with_the_address(page: Page) -> None:
    page.press("#orbit-find")
    period = page.wait("explorer.phase.orbit?.header.period")
    title = "document.querySelector('#orbit-title').textContent"
    page.evaluate("explorer.setParameters({'belt.speed': 0.3})")
    assert page.evaluate(f"[{title}, explorer.phase.faded]") == ["Periodic orbit, of other values", True]
    page.evaluate("explorer.setParameters({'belt.speed': 0.2})")
    assert page.evaluate(f"[{title}, explorer.phase.faded]") == ["Periodic orbit", False]
    page.call("Page.reload")
    page.wait("document.readyState === 'complete' && explorer.motion")
    assert page.wait("explorer.phase.orbit?.header.period") == period


def test_a_search_for_an_orbit_can_be_stopped(page: Page) -> None:
    page.evaluate("explorer.commit({model: {library: 'chain'}})")
    page.wait("explorer.description.title.toLowerCase().includes('chain')", 60)
    settled(page)
    for way in ("document.querySelector('#orbit-find').click()", "explorer.escape(document.querySelector('#help'))"):
        page.evaluate("document.querySelector('#orbit-find').click()")
        assert page.evaluate("document.querySelector('#orbit-find').textContent") == "Stop"
        page.evaluate(way)
        page.wait("!explorer.connection.isBusy('orbit')", 10)
        told = "['#orbit-find', '#orbit-status'].map((each) => document.querySelector(each).textContent.trim())"
        assert page.evaluate(told) == ["Find orbit", "Stopped."]
    page.press("#diagram-run")  # ends what was begun


def test_rest_in_a_whole_range_is_told_and_drawn(page: Page) -> None:
    choose(page, "#model", "coulomb_oscillator")
    page.wait("explorer.description.title.startsWith('Free')", 60)
    page.press("#equilibria-find")
    page.wait("explorer.phase.equilibria.length === 1")
    facts = page.evaluate("document.querySelector('#orbit-list').textContent")
    assert facts == "stable, in stickx.block from −1 to 1, v.block 0"
    assert page.evaluate("explorer.phase.plot.x.map((end) => Math.abs(end) > 1)") == [True, True]


def test_orbits_that_begin_at_an_equilibrium_have_two_lines(page: Page) -> None:
    """The largest and the smallest, as all orbits; equilibria have one, in whatever unit they are."""
    lines = page.evaluate(
        "(() => { const { branches, plot } = explorer.diagram, drawn = []; "
        "const view = {of: 'equilibrium', parameter: 'belt.speed', low: 0, high: 1, from: null}; "
        "const grown = (low) => ({view, value: [0.1, 0.2], low, high: [2e-13, 3e-13], stable: [1, 1], specials: []}); "
        "branches.grown.push(grown([-2e-13, -3e-13]), grown([2e-13, 3e-13])); "
        "branches.drawCurve = (pen, plot, branch, heights) => drawn.push(heights[0]); "
        "plot.paint(); delete branches.drawCurve; branches.grown.length = 0; return drawn; })()"
    )
    assert lines == [2e-13, -2e-13, 2e-13]


def test_a_menu_at_a_special_point_says_what_can_be_done(page: Page) -> None:
    page.evaluate(
        "explorer.commit({diagram: {...explorer.view.diagram, low: 0.5, high: 2}, parameters: {'belt.speed': 0.8}})"
    )
    page.press("#orbit-follow")
    page.wait("explorer.diagram.branches.grown[0]?.done && explorer.diagram.branches.grown[0].specials.length", 25)
    special = page.evaluate("explorer.diagram.branches.grown[0].specials[0]")
    page.click(*in_plot(page, "diagram", special["value"], special["quantity"]))
    items = page.wait(
        "document.querySelector('#menu') && [...document.querySelectorAll('#menu button')].map((b) => b.textContent)"
    )
    assert items == ["Show the motion here", *(action["label"] for action in special["actions"])]
    page.key("Escape")
    page.wait("!document.querySelector('#menu')")


def test_equilibria_are_marked_in_the_phase_plane(page: Page) -> None:
    page.press("#equilibria-find")
    found = page.wait("explorer.phase.equilibria.length && explorer.phase.equilibria")
    # The block rests where the spring holds what the belt rubs: k x = normal mu_s / (1 + delta v).
    assert found[0]["states"]["x.block"] == pytest.approx(1 / (1 + 3 * 0.2), rel=1e-6)
    assert found[0]["stable"] is False


def test_a_map_is_coloured_and_a_click_goes_there(page: Page) -> None:
    page.press("#tab-map")
    page.evaluate(
        "(({map}) => explorer.commit({map: {...map, x: {...map.x, points: 9}, y: {...map.y, points: 6}}}))"
        "(explorer.view)"
    )
    page.press("#map-run")
    page.wait("!explorer.map.running && explorer.map.raster.columns === 9", 60)
    assert page.evaluate("explorer.map.raster.rows") == 6
    assert page.evaluate("Array.from(explorer.map.raster.labels).includes(-1)") is False
    x, y = page.evaluate("['x', 'y'].map((axis) => explorer.view.map[axis]).map((a) => a.low + 0.7 * (a.high - a.low))")
    page.click(*in_plot(page, "map", x, y))
    names = page.evaluate("[explorer.view.map.x.parameter, explorer.view.map.y.parameter]")
    page.wait(f"explorer.view.parameters['{names[1]}'] !== undefined")
    assert value(page, names[0]) == pytest.approx(x, rel=0.02)
    assert value(page, names[1]) == pytest.approx(y, rel=0.02)


def test_basins_are_coloured_and_a_click_starts_there(page: Page) -> None:
    page.press("#tab-basins")
    page.evaluate(
        "explorer.commit({basins: {...explorer.view.basins, x: {...explorer.view.basins.x, points: 8}, "
        "y: {...explorer.view.basins.y, points: 8}}})"
    )
    page.press("#basins-run")
    page.wait("!explorer.basins.running && explorer.basins.raster.columns === 8", 60)
    page.click(*in_plot(page, "basins", 0.5, -0.5))
    page.wait("explorer.view.start['x.block'] !== undefined")
    settled(page)
    assert curve(page)[0] == pytest.approx(0.5, abs=0.02)
    assert curve(page, "v.block")[0] == pytest.approx(-0.5, abs=0.02)


def small(page: Page, tab: str, points: int = 6) -> None:
    """Compute a map or basins with few points."""
    page.press(f"#tab-{tab}")
    page.evaluate(
        f"(({{{tab}: v}}) => explorer.commit({{{tab}: {{...v, x: {{...v.x, points: {points}}}, "
        f"y: {{...v.y, points: {points}}}}}}}))(explorer.view)"
    )
    page.press(f"#{tab}-run")
    page.wait(f"!explorer.{tab}.running && explorer.{tab}.raster.columns === {points}", 60)


def told(page: Page, tab: str) -> tuple[bool, bool]:
    """Whether a panel says that it shows another view: by its picture, and in words."""
    stale = page.evaluate(f"explorer.{tab}.plot.host.classList.contains('stale')")
    return stale, "has changed since" in page.evaluate(f"document.querySelector('#{tab}-status').textContent")


@pytest.mark.parametrize(("tab", "none"), [("map", "belt.speed"), ("basins", "x.block"), ("section", "")])
def test_what_was_computed_for_another_view_says_so(page: Page, tab: str, none: str) -> None:
    """And no more when the view is again as it was, be it by a value that is the default."""
    if tab == "section":
        page.press("#tab-section")
        page.wait("!explorer.section.running && explorer.section.hasPoints", 60)
    else:
        small(page, tab)
    assert told(page, tab) == (False, False)
    start = page.middle(slider("spring.k"))
    page.drag(start, (start[0] + 20, start[1]))
    settled(page)
    assert told(page, tab) == (True, True)
    page.evaluate("explorer.setParameters({'spring.k': 1})")
    assert told(page, tab) == (False, False)
    if none:  # what an axis goes over does not matter
        part = "parameters" if tab == "map" else "start"
        page.evaluate(f"explorer.commit({{{part}: {{...explorer.view.{part}, '{none}': 0.3}}}})")
        assert told(page, tab) == (False, False)


@pytest.mark.parametrize(("tab", "axis", "other"), [("map", "parameter", "spring.k"), ("basins", "state", "v.block")])
def test_of_other_axes_nothing_is_left(page: Page, tab: str, axis: str, other: str) -> None:
    """No key to colours that are not there, and no word that what is drawn over it were of other values."""
    small(page, tab, 3)
    choose(page, f"#{tab}-x-{axis}", other)
    assert page.evaluate(f"explorer.{tab}.raster.rows") == 0
    assert page.evaluate(f"document.querySelector('#{tab}-legend').childElementCount") == 0
    assert told(page, tab) == (False, False)
    assert page.evaluate(f"document.querySelector('#{tab}-status').textContent").startswith("Run computes")


@pytest.mark.parametrize("tab", ["map", "basins"])
def test_a_box_of_a_map_is_left_by_a_key(page: Page, tab: str) -> None:
    small(page, tab)
    whole = page.evaluate(f"[explorer.{tab}.plot.x, explorer.{tab}.plot.y]")
    diagram = page.evaluate("JSON.stringify(explorer.view.diagram)")
    (left, right), (bottom, top) = whole
    box = in_plot(page, tab, left, top), in_plot(page, tab, (left + right) / 2, (bottom + top) / 2)
    page.drag(*box)
    page.wait(f"explorer.{tab}.running")
    page.wait(f"!explorer.{tab}.running", 60)
    assert page.evaluate(f"explorer.{tab}.plot.x[1]") == pytest.approx((left + right) / 2, abs=0.02 * (right - left))
    page.key("Backspace")
    page.wait(
        f"JSON.stringify([explorer.{tab}.plot.x, explorer.{tab}.plot.y]) === '{json.dumps(whole)}'.replaceAll(' ', '')"
    )
    page.wait(f"!explorer.{tab}.running", 60)
    assert page.evaluate("JSON.stringify(explorer.view.diagram)") == diagram


def test_kinds_with_one_colour_have_one_entry(page: Page) -> None:
    """There are more kinds of motion than colours."""
    kinds = [("1:1", "#0072b2"), ("11:1", "#999999"), ("12:1", "#999999")]
    legend = [{"key": i, "label": label, "colour": colour} for i, (label, colour) in enumerate(kinds)]
    header = json.dumps({"done": True, "legend": legend})
    frame = f"{{header: {header}, array: () => [0, 1, 2], shapes: new Map([['colour', [1, 3]]])}}"
    page.evaluate(f"explorer.map.computed = explorer.view.map; explorer.map.receive({frame})")
    shown = page.evaluate("[...document.querySelectorAll('#map-legend li')].map((e) => e.textContent)")
    assert shown == ["1:1", "11:1, 12:1"]
    # In a file the key stands below the picture: without it nobody knows what the colours mean.
    page.press("#tab-map")
    picture, height = page.evaluate("[explorer.map.plot.svg(), explorer.map.plot.height]")
    heights = [float(each) for each in re.findall(r'y="([\d.]+)"[^>]*>(?:1:1|11:1, 12:1)<', picture)]
    assert len(heights) == 2 and min(heights) > height
    assert float(re.search(r'<svg[^>]* height="([\d.]+)"', picture)[1]) > max(heights)


def test_the_cobweb_goes_step_by_step(page: Page) -> None:
    choose(page, "#model", "two_blocks")
    page.wait("explorer.description.title.startsWith('Two')", 60)
    settled(page)
    page.press("#tab-section")
    page.wait("!explorer.section.running && explorer.section.arrays.get('cobweb')?.length > 3", 60)
    choose(page, "#section-kind", "return")
    before = page.evaluate("explorer.section.plot.above.toDataURL()")
    page.press("#cobweb-step")
    page.press("#cobweb-step")
    page.wait(f"explorer.section.steps === 2 && explorer.section.plot.above.toDataURL() !== {json.dumps(before)}")
    page.press("#python-open")
    page.wait("document.querySelector('#python-script').textContent.includes('ss.plot.return_map(releases)')")
    # Where the cobweb goes is where the map sends it.
    first, second = page.evaluate("Array.from(explorer.section.arrays.get('cobweb').slice(0, 2))")
    curve = np.reshape(np.array(page.evaluate("Array.from(explorer.section.arrays.get('curve'))"), float), (2, -1))
    whole = curve[:, np.isfinite(curve[1])]
    assert second == pytest.approx(np.interp(first, *whole), abs=0.02 * np.ptp(whole[1]))
    assert 0 < np.sum(np.isnan(curve[1])) < 10  # the map jumps, and no line is drawn there
    assert np.nanmax(np.abs(np.diff(curve[1]))) < 0.15 * np.ptp(curve[0])


def test_the_motion_can_be_heard(page: Page) -> None:
    page.press("#sound")
    page.wait("explorer.sound.source?.buffer.getChannelData(0).some((value) => value !== 0)")
    page.press("#sound")
    assert page.evaluate("explorer.sound.source") is None


def test_pictures_and_data_are_saved(page: Page, browser: Browser) -> None:
    for number, name in ((1, "motion.png"), (2, "motion.svg"), (3, "motion.csv"), (4, "motion.nc")):
        page.press("#save-phase")
        page.press(f"#menu button:nth-of-type({number})")
        file = browser.downloads / name
        deadline = time.monotonic() + 20
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert file.exists(), name
    assert (browser.downloads / "motion.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    drawn = (browser.downloads / "motion.svg").read_text()
    assert drawn.startswith("<svg") and drawn.count("<path") > 3 and "v.block" in drawn
    assert "x.block" in (browser.downloads / "motion.csv").read_text().splitlines()[0]
    assert (browser.downloads / "motion.nc").read_bytes()[1:4] == b"HDF"


def test_branches_are_saved_as_well(page: Page, browser: Browser) -> None:
    page.evaluate("explorer.commit({diagram: {...explorer.view.diagram, low: 0.19, high: 0.21}})")
    page.press("#orbit-follow")
    page.wait("explorer.diagram.branches.grown[0]?.done", 25)
    page.press("#save-diagram")
    page.press("#menu button:nth-of-type(5)")
    file = browser.downloads / "branch.csv"
    deadline = time.monotonic() + 20
    while not file.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    head, *rows = file.read_text().splitlines()
    values = sorted(float(row.split(",")[head.split(",").index("belt.speed")]) for row in rows)
    assert values == pytest.approx(sorted(page.evaluate("explorer.diagram.branches.grown[0].value")), rel=1e-12)


def test_reload_gives_the_same_view(page: Page) -> None:
    page.evaluate("explorer.commit({parameters: {'belt.speed': 0.31}, start: {'x.block': 0.4}, motion: {t: 40}})")
    page.press("#tab-section")
    settled(page)
    before, fragment = curve(page), page.evaluate("location.hash")
    page.call("Page.reload")
    page.wait("document.readyState === 'complete' && explorer.motion && explorer.view.start['x.block'] === 0.4")
    settled(page)
    assert page.evaluate("location.hash") == fragment
    assert curve(page) == before
    assert page.evaluate("document.querySelector('#panel-section').hidden") is False
    assert value(page, "belt.speed") == 0.31


def test_the_script_that_is_shown_gives_the_same_numbers(page: Page, tmp_path: Path) -> None:
    page.evaluate("explorer.commit({parameters: {'belt.speed': 0.27}, motion: {t: 40}})")
    settled(page)
    page.press("#python-open")
    page.wait("document.querySelector('#python-script').textContent.includes('0.27')")
    script = page.evaluate("document.querySelector('#python-script').textContent")
    more = "\nimport json, sys\njson.dump(run['x.block'].values.tolist(), open(sys.argv[1], 'w'))\n"
    (tmp_path / "view.py").write_text(script + more)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "MPLBACKEND": "Agg"}
    command = [sys.executable, "view.py", str(tmp_path / "x.json")]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, timeout=120)
    assert json.loads((tmp_path / "x.json").read_text()) == curve(page)


def test_a_hostile_formula_is_refused_with_a_sentence(page: Page, tmp_path: Path) -> None:
    use(page, HOSTILE.format(file=tmp_path / "taken"))
    sentence = page.wait("document.querySelector('#editor-error').textContent")
    assert "spring" in sentence and "formula" in sentence
    assert not (tmp_path / "taken").exists()
    assert page.evaluate("explorer.description.title") == "Block on a moving belt"
    page.press("#editor-close")
    # It is the formula that was refused: with another one the same text is a model.
    use(page, HOSTILE.format(file="").replace("__import__('os').system('touch ')", "2*e"))
    page.wait("explorer.view.model.text && !document.querySelector('#editor').open")
    page.wait(
        "explorer.description.parameters.some((each) => each.name === 'contact.mu_s' || each.name === 'pad.mu_s')"
    )
    settled(page)
    assert max(curve(page, "v.block")) == pytest.approx(0.2, abs=1e-9)


RELAY = """
[filippov]
states = ["x", "y"]
f = ["y", "-a*x"]
G = ["0", "1"]
h = "y + c*x"
parameters = {a = 2.0, c = 0.2}
start = {x = 1.0, y = 0.3}
"""
SLOW_FAULT = """
[mass.block]
m = 1.0e-5

[mass.slider]
m = 1.0e3

[belt.plate]
speed = 1.0e-6

[spring.crust]
between = ["slider", "ground"]
k = 5.0e9

[spring.beam]
between = ["block", "slider"]
k = 1.0

[dynamiccontact.fault]
on = "slider"
against = "plate"
law = {kind = "dahl", mu = 0.5, sigma_0 = 1.0e6}
"""


def opened(page: Page, text: str) -> None:
    """Use a model of one's own, and wait for its motion."""
    before = page.evaluate("explorer.described")
    use(page, text)
    page.wait(f"!document.querySelector('#editor').open && explorer.described !== {json.dumps(before)}", 60)
    settled(page)


def test_a_system_given_by_its_equations_is_shown_in_its_own_words(page: Page) -> None:
    opened(page, RELAY)
    assert page.evaluate("[explorer.phase.x, explorer.phase.y]") == ["x", "y"]
    assert page.evaluate("[explorer.law.plot.xLabel, explorer.law.plot.yLabel]") == [
        "switching function",
        "relay force",
    ]
    assert page.evaluate("document.querySelector('#controls .part').textContent") == "Parameters"
    page.press("#diagram-run")  # ends what was begun


def test_what_cannot_stick_is_not_drawn_as_sticking(page: Page) -> None:
    """The contact is the second mass's, numbers are far from one, and its friction is drawn all the same."""
    opened(page, SLOW_FAULT)
    assert page.evaluate("[explorer.phase.x, explorer.phase.y]") == ["x.slider", "v.slider"]
    modes = page.evaluate("[...new Set(explorer.motion.mode('fault'))].sort()")
    assert modes and 0 not in modes
    assert page.evaluate("explorer.motion.stretches('').every(({mode}) => mode !== 0)")  # nor what does not rub
    force, law = (page.evaluate(f"Array.from(explorer.motion.values('{n}.fault'))") for n in ("force", "law"))
    assert max(map(abs, force)) == pytest.approx(0.5, rel=0.2) and max(law[len(law) // 2 :]) == pytest.approx(0.5)
    fields = page.evaluate("[...document.querySelectorAll('#controls input[type=text]')].map((f) => f.value)")
    assert "5e9" in fields and "1e-6" in fields and max(map(len, fields)) <= 7
    assert page.evaluate("[...document.querySelectorAll('#controls .kind')].map((k) => k.textContent)")[-2] == (
        "Dynamic contact"
    )


def test_a_stretch_of_time_is_of_its_model(page: Page) -> None:
    page.evaluate("explorer.history.choose([50, 80])")
    page.evaluate("explorer.commit({motion: {t: 40}})")
    settled(page)
    assert page.evaluate("explorer.history.plot.x") == [0, 40]
    page.evaluate("explorer.history.choose([5, 8])")
    choose(page, "#model", "coulomb_oscillator")
    page.wait("explorer.description.title.startsWith('Free')", 60)
    settled(page)
    assert page.evaluate("explorer.history.plot.x[0]") == 0


def test_axes_have_two_numbers_at_least_all_of_them_in_the_picture(page: Page) -> None:
    for low, high in ((-5.3, 5.3), (0, 0.999), (9.7e-7, 1.03e-6), (-4e8, 3), (0.1, 2.0)):
        drawn = page.evaluate(
            "(() => { const { plot } = explorer.law, texts = [], context = plot.below.getContext('2d'); "
            "const original = context.fillText; context.textAlign; "
            "context.fillText = (text, x, y) => texts.push([text, x, y, context.measureText(text).width]); "
            f"[plot.x, plot.y] = [[{low}, {high}], [{low}, {high}]]; plot.paint(); context.fillText = original; "
            "return [texts, plot.width, plot.bottom]; })()"
        )
        texts, width, bottom = drawn
        across = sorted((x - w / 2, x + w / 2) for _, x, y, w in texts if y == bottom + 6)
        assert len(across) >= 2 and len(texts) - len(across) - 2 >= 2, (low, high)
        assert across[-1][1] <= width, (low, high)
        assert all(a[1] < b[0] for a, b in itertools.pairwise(across)), (low, high)


def test_folded_out_boxes_fold_in_again(page: Page) -> None:
    more = "document.querySelector('#panel-diagram details.more').open"
    page.press("#panel-diagram details.more summary")
    assert page.evaluate(more) is True
    page.click(*page.middle("#title"))
    assert page.evaluate(more) is False
    page.press("#panel-diagram details.more summary")
    page.evaluate("document.querySelector('#diagram-points').focus()")
    page.key("Escape")
    assert page.evaluate(more) is False
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    # The space bar is the box's own here, and does not stop the animation.
    page.call("Input.dispatchKeyEvent", type="keyDown", key=" ", code="Space", text=" ", windowsVirtualKeyCode=32)
    page.call("Input.dispatchKeyEvent", type="keyUp", key=" ", code="Space", windowsVirtualKeyCode=32)
    page.wait(more)
    assert page.evaluate("explorer.playback.playing") is True


def test_a_sound_that_is_not_wanted_any_more_is_not_heard(page: Page) -> None:
    page.press("#sound")
    page.press("#sound")
    page.wait("!explorer.connection.isBusy('sound')")
    assert page.evaluate("[explorer.sound.source, document.querySelector('#sound').ariaPressed]") == [None, "false"]


def test_the_address_holds_the_return_map_and_how_long_a_map_settles(page: Page) -> None:
    page.press("#tab-section")
    page.wait("!explorer.section.running && explorer.section.hasPoints", 60)
    choose(page, "#section-kind", "return")
    assert page.evaluate("explorer.section.arrays.get('now').length > 2")
    page.press("#tab-map")
    page.evaluate(
        "(() => { const f = document.querySelector('#map-transient'); f.value = '70'; "
        "f.dispatchEvent(new Event('change')); })()"
    )
    page.call("Page.reload")
    page.wait("document.readyState === 'complete' && explorer.motion")
    assert page.evaluate("document.querySelector('#section-kind').value") == "return"
    assert page.evaluate("document.querySelector('#cobweb').hidden") is False
    assert page.evaluate("[explorer.view.diagram.transient, explorer.view.show]") == [70, "map"]


def test_the_clock_has_as_many_digits_at_every_time(page: Page) -> None:
    shown = []
    for length, time_ in ((200, 0), (200, 163.04), (12, 3.14159), (0.05, 0.0123456), (2e6, 1234567.8), (3e-9, 1e-9)):
        page.evaluate(f"explorer.motion.time = new Float64Array([0, {length}])")
        shown.append(page.evaluate(f"explorer.mark({time_}), document.querySelector('#clock').textContent.trim()"))
    assert shown == ["t = 0.0", "t = 163.0", "t = 3.14", "t = 0.01235", "t = 1234568", "t = 1.000·10⁻⁹"]
    page.evaluate("explorer.asked = ''; explorer.askMotion()")
    settled(page)


def test_a_diagram_without_points_says_why(swept: Page) -> None:
    page = swept
    page.evaluate("explorer.commit({diagram: {...explorer.view.diagram, points: 10, on: 'release', observed: 1e-3}})")
    page.press("#diagram-run")
    sentence = page.wait(
        "!explorer.diagram.running && (({textContent: t}) => t.startsWith('No points') && t)"
        "(document.querySelector('#diagram-status'))",
        60,
    )
    assert "release" in sentence


def test_a_motion_that_broke_off_says_so_in_full(page: Page) -> None:
    choose(page, "#model", "two_blocks")
    page.wait("explorer.description.title.startsWith('Two')", 60)
    page.evaluate("explorer.commit({motion: {t: 1e9}})")
    page.wait("document.querySelector('#motion-status.error') !== null", 60)
    status = "document.querySelector('#motion-status')"
    assert page.evaluate(f"{status}.scrollWidth <= {status}.clientWidth && {status}.textContent.includes('steps')")


def test_an_impossible_value_is_refused_beside_its_field(page: Page) -> None:
    field = "input[type=text][data-name='block.m']"
    for text, told in (("much", 'block.m is "much"'), ("-1", "m is -1")):
        page.evaluate(
            f"(() => {{ const f = document.querySelector(\"{field}\"); f.value = '{text}'; "
            "f.dispatchEvent(new Event('change')); })()"
        )
        error = "document.getElementById('control-block.m-error').textContent"
        sentence = page.wait(f"{error}.includes('{told}') && {error}")
        assert len(sentence.split()) > 4


def test_what_a_panel_cannot_do_is_told_beside_its_field(swept: Page) -> None:
    page = swept
    page.evaluate("explorer.commit({diagram: {...explorer.view.diagram, points: 1e9}})")
    page.press("#diagram-run")
    sentence = page.wait("document.querySelector('#diagram-points-error')?.textContent")
    assert "1000000000" in sentence
    assert page.evaluate("document.querySelector('#diagram-points').getAttribute('aria-invalid')") == "true"
    page.evaluate(
        "(() => { const f = document.querySelector('#diagram-points'); f.value = '50'; "
        "f.dispatchEvent(new Event('change')); })()"
    )
    page.press("#diagram-run")
    page.wait("!explorer.diagram.running && explorer.diagram.points.count > 0", 60)
    assert page.evaluate("document.querySelector('#diagram-points-error')") is None


def test_how_long_a_map_settles_is_refused_beside_the_field_of_the_map(page: Page) -> None:
    page.press("#tab-map")
    page.evaluate("explorer.commit({diagram: {...explorer.view.diagram, transient: -1}})")
    page.press("#map-run")
    sentence = page.wait("document.querySelector('#map-transient-error')?.textContent")
    assert sentence == "the transient is -1: it must not be negative"


def test_another_origin_is_refused(address: str) -> None:
    socket = address.replace("http", "ws", 1) + "/socket"
    with connect(socket, origin=address) as opened:  # type: ignore[arg-type]
        opened.send(json.dumps({"id": 1, "channel": "ping", "job": "ping"}))
        assert opened.recv(timeout=10)
    with pytest.raises(InvalidStatus, match="403"), connect(socket, origin="http://example.org"):  # type: ignore[arg-type]
        pass


def test_a_page_of_another_origin_cannot_reach_it(browser: Browser, address: str) -> None:
    stranger = browser.open("data:text/html,<p>elsewhere")
    outcome = stranger.evaluate(
        f"new Promise((done) => {{ const s = new WebSocket('{address.replace('http', 'ws', 1)}/socket'); "
        "s.onopen = () => done('open'); s.onerror = () => done('refused'); })"
    )
    stranger.call("Page.close")
    assert outcome == "refused"


def test_a_lost_connection_is_told_and_found_again(page: Page) -> None:
    page.evaluate("explorer.connection.socket.close()")
    page.wait("document.querySelector('#connection').textContent.includes('lost')")
    # What was not even sent can be given up as well.
    page.evaluate("document.querySelector('#map-run').click()")
    page.evaluate("document.querySelector('#map-run').click()")
    assert page.evaluate("[explorer.map.running, document.querySelector('#map-run').textContent]") == [False, "Run"]
    page.wait("document.querySelector('#connection').dataset.open === 'true'")
    start = page.middle(slider("belt.speed"))
    page.drag(start, (start[0] + 15, start[1]))
    settled(page)
    assert max(curve(page, "v.block")) == pytest.approx(value(page, "belt.speed"), abs=1e-9)


@pytest.mark.parametrize(
    "damaged",
    [
        {"model": 7, "show": "nonsense"},
        {"parameters": 7, "start": [], "motion": {"t": "x"}},
        {"page": {"phase": ["a", "b"], "history": ["q"], "contact": "w", "heights": "x", "ran": 5}},
        pytest.param({"page": {"phase": 5, "history": 7, "ran": [1]}}, marks=pytest.mark.nightly),
        pytest.param({"map": {"x": None}, "show": "map"}, marks=pytest.mark.nightly),
        {"basins": {"x": {}, "t": None}, "show": "basins", "page": {"ran": ["basins"]}},
        pytest.param({"section": {"x": 7}, "show": "section"}, marks=pytest.mark.nightly),
        {"diagram": {"low": None, "points": "a"}, "branches": 5},
        {"model": {"library": "nonsense"}, "branches": [None]},
    ],
)
def test_a_damaged_address_opens_what_is_whole_of_it(
    browser: Browser, address: str, damaged: dict[str, object]
) -> None:
    page = browser.open(f"{address}/#{quote(json.dumps(damaged))}")
    page.wait("explorer.motion && explorer.phase.plot.painted > 0", 60)
    assert page.evaluate("explorer.description.title") == "Block on a moving belt"
    page.press("#tab-basins")
    page.press("#tab-map")
    assert page.evaluate("explorer.map.plot.x.every(Number.isFinite)")
    complaints = page.errors()
    page.call("Page.close")
    assert complaints == []


def test_a_model_of_an_address_that_cannot_be_stays_in_the_editor(browser: Browser, address: str) -> None:
    text = "[mass.block]\nm = -1\n"
    page = browser.open(f"{address}/#{quote(json.dumps({'model': {'text': text}}))}")
    page.wait("explorer.motion && explorer.phase.plot.painted > 0", 60)
    assert page.evaluate("document.querySelector('#editor').open") is True
    assert page.evaluate("document.querySelector('#editor-text').value") == text
    assert "m is -1" in page.evaluate("document.querySelector('#editor-error').textContent")
    assert page.evaluate("explorer.description.title") == "Block on a moving belt"
    page.call("Page.close")


def test_a_sentence_beside_a_field_goes_when_the_panel_is_run_again(swept: Page) -> None:
    """The range is refused at its end, and mended at its beginning."""
    page = swept
    page.evaluate("explorer.commit({diagram: {...explorer.view.diagram, low: 5, points: 30}})")
    page.press("#diagram-run")
    page.wait("document.querySelector('#diagram-high-error') !== null")
    page.evaluate("explorer.commit({diagram: {...explorer.view.diagram, low: 0.1}})")
    page.press("#diagram-run")
    page.wait("!explorer.diagram.running && explorer.diagram.points.count > 0", 60)
    assert (
        page.evaluate("document.querySelectorAll('#panel-diagram [aria-invalid], #panel-diagram .error').length") == 0
    )


def test_what_a_lost_connection_interrupts_can_be_run_again(swept: Page) -> None:
    page = swept
    page.evaluate(
        "explorer.commit({diagram: {...explorer.view.diagram, points: 20000, transient: 4000, observed: 2000}})"
    )
    page.press("#diagram-run")
    page.wait("explorer.diagram.running && explorer.diagram.points.count > 0")
    page.evaluate("explorer.connection.socket.close()")
    page.wait("document.querySelector('#diagram-status').textContent.includes('lost')")
    page.wait("document.querySelector('#connection').dataset.open === 'true'")
    assert page.evaluate("explorer.diagram.running") is False
    page.evaluate("explorer.commit({diagram: {...explorer.view.diagram, points: 20, transient: 50, observed: 20}})")
    page.press("#diagram-run")
    page.wait("!explorer.diagram.running && explorer.diagram.points.count > 0", 60)


def test_it_fits_on_a_phone(browser: Browser, address: str) -> None:
    phone = browser.open()
    phone.resize(390, 844, 2.0, mobile=True)
    phone.go(f"{address}/")
    phone.wait("explorer.motion")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    # What is scrolled to can be pressed: the phase plane that stays in sight does not lie over it.
    phone.evaluate("scrollTo(0, document.body.scrollHeight)")
    phone.press("#tab-section")
    phone.wait("explorer.view.show === 'section'", 5)
    phone.call("Page.close")


def test_every_field_has_a_name(page: Page) -> None:
    """What a screen reader says of it: its label, or what stands in it."""
    nameless: list[str] = page.evaluate(
        "[...document.querySelectorAll('button, input, select, textarea, canvas[role]')].filter((e) => "
        "!(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.[0]?.textContent.trim())).map((e) => e.id)"
    )
    assert nameless == []


def served(address: str, path: str) -> Any:
    with urllib.request.urlopen(address + path, timeout=10) as reply:
        return reply.read()


def test_the_bundle_is_served(address: str) -> None:
    for name in ("page.js", "page.css"):
        assert served(address, f"/static/{name}") == (STATIC / name).read_bytes()


def test_the_lock_file_names_versions_and_no_places() -> None:
    lock = json.loads((PAGE / "package-lock.json").read_text())
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert {"node_modules/esbuild", "node_modules/typescript"} <= packages.keys()
    assert all(entry["integrity"].startswith("sha512-") and "resolved" not in entry for entry in packages.values())


@pytest.mark.timeout(600)  # the compiler comes from the network where it is not there yet
def test_the_shipped_bundle_is_the_built_one(tmp_path: Path, npm: str) -> None:
    """Built again from the sources with the versions of the lock file; types are checked on the way."""
    work = tmp_path / "page"
    shutil.copytree(PAGE, work, ignore=shutil.ignore_patterns("node_modules"))
    modules = PAGE / "node_modules"
    if modules.is_dir():
        (work / "node_modules").symlink_to(modules)
    else:
        subprocess.run([npm, "ci", "--silent"], cwd=work, check=True, timeout=240)
    subprocess.run([npm, "run", "--silent", "check"], cwd=work, check=True, timeout=120)
    subprocess.run(["node", "build.mjs", str(tmp_path / "static")], cwd=work, check=True, timeout=60)
    built = {file.name: file.read_bytes() for file in (tmp_path / "static").iterdir()}
    assert built == {file.name: file.read_bytes() for file in STATIC.iterdir()}
