"""The scripts in examples/: each runs in an empty folder, writes its pictures and finds what is known otherwise."""

from __future__ import annotations

import importlib.util
from math import log
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import stickslip as ss

FOLDER = Path(__file__).parent.parent / "examples"
TASKS = ("brake", "drill_string_map", "hunting_stage", "hysteresis", "measured_friction")


@pytest.fixture
def script(tmp_path, monkeypatch, request) -> ModuleType:
    monkeypatch.chdir(tmp_path)
    spec = importlib.util.spec_from_file_location(request.param, FOLDER / f"{request.param}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def written(*names: str) -> None:
    """Pictures that are there, and not empty."""
    for name in names:
        assert Path(name).read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
        assert Path(name).stat().st_size > 10_000


@pytest.mark.parametrize("name", TASKS)
def test_a_task_takes_forty_lines(name):
    assert len((FOLDER / f"{name}.py").read_text().splitlines()) <= 40


@pytest.mark.parametrize("script", ["brake"], indirect=True)
def test_the_brake_is_quiet_where_damping_outweighs_the_falling_friction(script):
    quiet, squeal = script.main()
    written("brake.png", "squeal.png")
    # c = N |dmu/dv| at the speed of the disc, for both faces: 2 = 40·(0.5 − 0.3)/0.3·exp(−v/0.3).
    onset = 0.3 * log(40 * 0.2 / 0.3 / 2.0)
    assert [point.value for point in quiet.of_kind("Hopf")] == pytest.approx([onset, onset], rel=1e-9)
    (end,) = squeal.of_kind("grazing-sliding")
    faster, slower = (ss.simulate(script.brake(end.value * (1 + d)), 10, start=end.orbit.start) for d in (0.01, -0.01))
    last = [int(np.sum(run.event_time.values > 8)) for run in (faster, slower)]
    assert last[0] == 0 and last[1] > 20, "it squeals up to that speed, and no further"


@pytest.mark.parametrize("script", ["drill_string_map"], indirect=True)
def test_the_map_of_the_drill_string_ends_where_its_orbit_does(script):
    data, sticks = script.main()
    written("map.png")
    speeds = data["table.speed"].values
    (end,) = ss.follow(ss.find_orbit(ss.models.drill_string()), "table.speed", to=5).of_kind("grazing-sliding")
    last = speeds[sticks.sel({"damper.c": 0.1}).values].max()
    assert end.value - 2 * (speeds[1] - speeds[0]) < last <= end.value
    below = [speeds[sticks.isel({"damper.c": i}).values].max() for i in range(data.sizes["damper.c"])]
    assert np.all(np.diff(below) <= 0) and below[0] > 2 * below[-1], "damping makes the region smaller"


@pytest.mark.parametrize("script", ["hunting_stage"], indirect=True)
def test_the_stage_hunts(script):
    system, orbit, branch = script.main()
    written("hunting.png", "gain.png")
    (rest,) = ss.find_equilibria(system)
    assert rest.stable is False and rest.interval["integral"] == pytest.approx((-0.1, 0.1))  # |ki·integral| ≤ mu_s·N
    assert orbit.stable
    place = len(branch) // 2
    late = ss.simulate(branch.points[place].model, 400, samples=np.linspace(300, 400, 20_001))["x.slide"].values
    amplitude = float(branch.data["maximum"].sel(state="x.slide")[place])
    assert np.max(late) == pytest.approx(amplitude, rel=1e-5) and np.min(late) == pytest.approx(-amplitude, rel=1e-5)


@pytest.mark.parametrize("script", ["hysteresis"], indirect=True)
def test_both_attractors_of_the_drill_string(script):
    up, down, landscape = script.main()
    written("hysteresis.png", "basins.png")
    speeds = up["table.speed"].values
    assert speeds[up["events"].values > 0].max() == pytest.approx(4.5)  # its orbit ends at 4.612
    assert not down["events"].values.any(), "steady turning is stable at all of these speeds"
    orbit = ss.find_orbit(ss.models.drill_string(eta=4.2))
    kinds = {attractor.kind: attractor for attractor in landscape.attractors}
    assert len(kinds) == 2
    assert [a.period for a in landscape.attractors if a.period] == [pytest.approx(orbit.period, rel=1e-6)]


@pytest.mark.parametrize("script", ["measured_friction"], indirect=True)
def test_measured_friction_predicts_the_motion(script):
    fit, run, seen = script.main()
    written("fit.png", "motion.png")
    for name, true in (("mu_s", 0.4), ("mu_k", 0.25), ("v_s", 0.1)):
        low, high = fit.estimate.interval(name, 0.999)
        assert low < true < high
    periods = [ss.find_orbit(script.machine(law)).period for law in (fit.law, script.TRUE)]
    assert periods[0] == pytest.approx(periods[1], rel=0.03) and periods[0] != periods[1]
    assert float(run["x.block"].max()) == pytest.approx(float(seen["x.block"].max()), rel=0.02)
