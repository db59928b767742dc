"""`stickslip orbit` and `stickslip follow` as a user meets them: what they print, what they write, how they fail."""

import os
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

import stickslip as ss
from stickslip.cli import app


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Run a command in an empty folder; the exit code and all it printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def run(*arguments):
        result = CliRunner().invoke(app, list(arguments))
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.output

    return run


@pytest.fixture(scope="module")
def cycle():
    """The two blocks in phase, whose branch has a flip at either side."""
    return ss.find_orbit(ss.models.two_blocks(), guess=[1.09, 1.19, 0.14, 0.14])


def rows(text, first):
    """The cells of the lines that begin with a word."""
    return [line.split() for line in text.splitlines() if line.strip().startswith(first)]


def test_orbit_prints_what_is_known_of_it(call):
    code, text = call("orbit", "block_on_belt")
    assert code == 0
    assert rows(text, "period") == [["period", "12.0010312948"]]
    assert rows(text, "multipliers") == [["multipliers", "1,", "0"]]
    assert rows(text, "signature") == [["signature", "slip−", "→", "stick"]]
    assert "\nstable\n" in text
    assert rows(text, "x.block")[0][1] == "1"  # released where spring force and static friction are equal
    (slip,), (stick,) = rows(text, "1 "), rows(text, "2 ")
    assert slip[2:] == ["slip−", "contact", "stops"] and stick[2:] == ["stick", "contact", "is", "released"]
    assert float(slip[1]) + float(stick[1]) == pytest.approx(12.00103129483, abs=2e-9)
    assert float(stick[1]) / 12.00103129483 == pytest.approx(0.6420, abs=1e-4)


def test_parameters_start_and_period_arrive(call):
    start = ["--start", "x.block=1.0", "--start", "v.block=2.0", "--period", "6.5"]
    code, text = call("orbit", "block_on_belt", "--set", "belt.speed=2", *start)
    assert code == 0
    assert float(rows(text, "period")[0][1]) == pytest.approx(6.47929523577, abs=1e-9)
    assert "slip− → slip+ → stick" in text


def test_an_excited_system(call):
    code, text = call("orbit", "forced_oscillator:eta=0.9")
    assert code == 0
    assert "6.98131700798 = 1 × the period of the excitation" in text


def test_orbit_saves_and_draws(call, tmp_path):
    names = ["phase.png", "history.svg", "multipliers.png", "friction.png", "modes.png"]
    plots = [word for name in names for word in ("--plot", name)]
    code, text = call("orbit", "drill_string", "--save", "orbit.nc", *plots)
    assert code == 0
    assert "wrote orbit.nc" in text
    for name in names:
        assert f"drew {name}" in text
        assert (tmp_path / name).stat().st_size > 5000
    assert ss.load(tmp_path / "orbit.nc").period == pytest.approx(6.53058288421, abs=1e-10)


def test_orbits_of_other_methods_have_no_phases(call):
    code, text = call("orbit", "block_on_belt", "--method", "smoothing", "--eps", "1e4")
    assert code == 0
    assert float(rows(text, "period")[0][1]) == pytest.approx(11.80799363, abs=1e-6)
    assert "signature" not in text and "phase" not in text


def test_all_orbits_go_to_numbered_files(call, tmp_path):
    code, text = call("orbit", "two_blocks", "--all", "9", "--save", "orbit.nc")
    assert code == 0
    assert [float(row[1]) for row in rows(text, "period")] == pytest.approx([26.1920363205, 16.1444004232], abs=1e-9)
    assert "orbit 2 of 2" in text
    assert len(ss.load(tmp_path / "orbit-1.nc").signature) == 16
    assert len(ss.load(tmp_path / "orbit-2.nc").signature) == 4


def test_follow_prints_special_points_and_the_end(call, tmp_path):
    code, text = call("follow", "drill_string", "table.speed", "--to", "5", "--plot", "branch.png", "--save", "b.nc")
    assert code == 0
    assert rows(text, "grazing-sliding") == [["grazing-sliding", "4.611989021", "6.43947489", "1,", "0"]]
    assert "beyond, it ceases to exist." in text
    assert (tmp_path / "branch.png").stat().st_size > 10_000
    branch = ss.load(tmp_path / "b.nc")
    assert branch.special[0].value == pytest.approx(4.611989021, abs=1e-9)
    assert f"{len(branch)} orbits, {len(branch)} of them stable; special points: 1" in text


def test_a_hopf_point_is_told_with_its_criticality(call):
    """As `Branch.table` tells it."""
    code, text = call("follow", "fault", "spring.k", "--set", "spring.k=0.006", "--to", "0.005", "--equilibrium")
    (point,) = ss.follow(ss.find_equilibria(ss.models.fault(k=0.006))[0], "spring.k", to=0.005).special
    assert code == 0 and point.note.split(",")[0] in text


def test_follow_a_saved_orbit_and_what_bifurcates(call, tmp_path, cycle):
    cycle.save(tmp_path / "orbit.nc")
    code, text = call(
        "follow", "orbit.nc", "belt.speed", "--to", "0.1", "--branches", "--to", "0.146",
        "--save", "b.nc", "--plot", "period.png",
    )  # fmt: skip
    assert code == 0
    (flip,) = rows(text, "flip")
    assert [float(word) for word in flip[1:3]] == pytest.approx([0.144251866, 15.86071553], abs=1e-8)
    assert "From the flip at belt.speed = 0.144251866" in text
    one, two = ss.load(tmp_path / "b-1.nc"), ss.load(tmp_path / "b-2.nc")
    assert two.periods[0] / flip_period(one) == pytest.approx(2, abs=1e-3)
    assert (tmp_path / "period.png").exists()


def flip_period(branch):
    (flip,) = branch.of_kind("flip")
    return flip.orbit.period


def test_parameters_of_a_saved_orbit_may_be_changed(call, tmp_path, cycle):
    cycle.save(tmp_path / "orbit.nc")
    code, _ = call("follow", "orbit.nc", "belt.speed", "--set", "coupling.k=1.21", "--to", "0.135", "--save", "b.nc")
    assert code == 0
    assert ss.load(tmp_path / "b.nc").points[0].model.parameters["coupling.k"] == 1.21


def test_a_branch_that_ends_early_has_its_own_code(call):
    code, text = call("follow", "block_on_belt", "belt.speed", "--to", "0.3", "--most", "5")
    assert code == 3
    assert "The branch has 5 points" in text
    code, text = call("follow", "block_on_belt", "belt.speed", "--to", "0.3", "--step", "0.2")
    assert code == 0
    assert "The branch reached belt.speed = 0.3." in text


@pytest.mark.parametrize(
    ("words", "complete"),
    [
        (["reached"], True),
        (["reached", "ceased"], True),
        (["flipped"], True),
        (["closed"], True),
        (["returned"], False),
        (["refused"], False),
        (["reached", "interrupted"], False),
        (["stalled"], False),
    ],
)
def test_what_counts_as_an_early_end(words, complete):
    from stickslip.branches.outcome import Ending, Outcome
    from stickslip.cli.branches import Found

    endings = tuple(Ending(Outcome.of(word), 0.0, "") for word in words)
    assert Found("", ss.Branch("p", (), (), endings, None)).is_complete is complete


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["orbit", "blok_on_belt"], "there is no model 'blok_on_belt'"),
        (["orbit", "coulomb_oscillator"], "the motion comes to rest at x.block = 0.682"),
        (["orbit", "block_on_belt", "--period", "-1"], "period is -1: it must be a positive number"),
        (["orbit", "block_on_belt", "--period", "0.001"], "no periodic orbit was found"),
        (["orbit", "forced_oscillator", "--set", "base.eta=1.915", "--set", "base.u0=1"], "(--unstable)"),
        (["orbit", "block_on_belt", "--start", "y=1"], "there is no state 'y'"),
        (["orbit", "block_on_belt", "--method", "smoth"], "there is no method 'smoth' (did you mean 'smoothing'?)"),
        (["orbit", "block_on_belt", "--method", "smoothing"], "--method smoothing needs --eps"),
        (["orbit", "block_on_belt", "--eta", "1e-6"], "--eta does not go with --method exact: it is for switch"),
        (["orbit", "block_on_belt", "--plot", "nowhere/phase.png"], "there is no folder 'nowhere'"),
        (["orbit", "block_on_belt", "--save", "orbit.txt"], "'orbit.txt' must end with .nc or .csv"),
        (["orbit", "block_on_belt", "--all", "0"], "--all is 0"),
        (["orbit", "block_on_belt", "--all", "3", "--period", "12"], "--all tries random starts"),
        (["orbit", "missing.nc"], "there is no file 'missing.nc'"),
        (
            ["follow", "block_on_belt", "belt.sped", "--to", "1"],
            "no parameter 'belt.sped' (did you mean 'belt.speed'?)",
        ),
        (["follow", "block_on_belt", "belt.speed", "--to", "0.2"], "belt.speed is 0.2 already"),
        (["follow", "block_on_belt", "belt.speed", "--to", "1", "--to", "2"], "which is not between 1 and 2"),
        (["follow", "block_on_belt", "belt.speed", "--to", "1", "--to", "0.2"], "give the other end alone, --to 1"),
        (["follow", "block_on_belt", "belt.speed", *["--to", "1"] * 3], "--to is given 3 times"),
        (["follow", "block_on_belt", "belt.speed", "--to", "nan"], "it must be a number, and finite"),
        (["follow", "block_on_belt", "belt.speed", "--to", "1", "--step", "0"], "--step is 0"),
        (["follow", "block_on_belt", "belt.speed", "--to", "1", "--quantity", "max y"], "no state 'y' in this branch"),
        (["follow", "block_on_belt", "belt.speed", "--to", "1", "--plot", "nowhere/b.png"], "no folder 'nowhere'"),
    ],
)
def test_mistakes_are_one_line(call, arguments, sentence):
    code, text = call(*arguments)
    assert code == 1
    assert text.startswith("error: ")
    assert text.count("\n") == 1
    assert sentence in text


def test_a_file_that_holds_something_else(call, tmp_path, cycle):
    ss.save(ss.simulate(ss.models.block_on_belt(), t=5), tmp_path / "run.nc")
    code, text = call("follow", "run.nc", "belt.speed", "--to", "0.3")
    assert (code, text.count("\n")) == (1, 1)
    assert "'run.nc' holds a run, not an orbit" in text
    cycle.save(tmp_path / "orbit.nc")
    code, text = call("follow", "orbit.nc", "belt.speed", "--to", "0.3", "--period", "3")
    assert code == 1
    assert "'orbit.nc' is an orbit already" in text


def test_wrong_usage_has_its_own_code(call):
    assert call("follow", "block_on_belt", "belt.speed")[0] == 2
    assert call("orbit")[0] == 2


def test_help_names_the_commands(call):
    text = call("--help")[1]
    assert "orbit" in text and "follow" in text


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
def test_interrupted_branches_are_kept(tmp_path, cycle):
    cycle.save(tmp_path / "orbit.nc")
    command = [sys.executable, "-m", "stickslip", "follow", "orbit.nc", "belt.speed", "--to", "0.1"]
    command += ["--step", "1e-5", "--most", "1000000", "--save", "b.nc"]
    for patience in (2, 4, 8, 16, 32):  # a busy machine may take long to begin
        running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(patience)
        running.send_signal(signal.SIGINT)
        output, errors = running.communicate(timeout=50)
        if running.returncode == 3 and len(ss.load(tmp_path / "b.nc")) > 10:
            break
        assert (running.returncode, errors) in [(3, ""), (130, "interrupted before there was a result\n")]
    assert (running.returncode, errors) == (3, "")
    assert "The branch was interrupted by the user." in output


def test_an_interrupted_search_keeps_its_orbits(call, monkeypatch):
    """The exit code is that of a run that stopped early; with nothing found it is that of nothing done."""
    from stickslip.cli import progress
    from stickslip.orbits import find

    asked = []
    show = progress.Progress.show

    def interrupted(self, what, done=0, end=None):
        asked.append(done)
        self.asked = done >= 2  # as after Ctrl-C
        show(self, what, done, end)

    monkeypatch.setattr(progress.Progress, "show", interrupted)
    code, text = call("orbit", "block_on_belt", "--all", "9", "--save", "orbit.nc")
    assert code == 3 and asked == [1, 2]
    assert "The search was interrupted by the user after 2 of 9 starts." in text
    assert ss.load("orbit.nc").period == pytest.approx(12.00103129483, abs=1e-9)
    monkeypatch.setattr(find, "_settled", lambda *arguments: None)
    assert call("orbit", "block_on_belt", "--all", "9")[0] == 130


def test_a_run_that_is_interrupted_ends_the_search(monkeypatch):
    """The run itself keeps what it has, but what it has is no reason to go on with the next start."""
    from stickslip.orbits import guess

    runs = []

    def simulate(*arguments, **keywords):
        run = ss.simulate(*arguments, **keywords)
        runs.append(run)
        if len(runs) == 8:
            run.attrs["outcome"] = ss.Status.INTERRUPTED.word
        return run

    monkeypatch.setattr(guess, "simulate", simulate)
    found = ss.find_orbits(ss.models.block_on_belt(), starts=20)
    assert len(runs) == 8 and len(found) == 1


def test_a_run_that_is_interrupted_is_not_taken_for_an_orbit(monkeypatch):
    """Half a period is neither drawn nor kept as the orbit's data, nor is it a motion that settles nowhere."""
    from stickslip import simulation
    from stickslip.sweeps import search

    def interrupted(*arguments, **keywords):
        return ss.simulate(*arguments, **keywords).assign_attrs(outcome=ss.Status.INTERRUPTED.word)

    orbit = ss.find_orbit(ss.models.block_on_belt())
    with monkeypatch.context() as patch:
        patch.setattr(simulation, "simulate", interrupted)
        patch.setattr(search, "simulate", interrupted)
        with pytest.raises(KeyboardInterrupt):
            _ = orbit.data
        grid = {"x.block": [0.5, 1.0], "v.block": [0.0, 0.2]}
        found = ss.basins(ss.models.block_on_belt(), grid, t=100)
        assert found.attrs["outcome"] == "interrupted"
    assert float(orbit.data["time"][-1] - orbit.data["time"][0]) == pytest.approx(orbit.period)


def test_a_terminal_without_unicode(tmp_path):
    plain = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "stickslip", "orbit", "block_on_belt"]
    assert subprocess.run(command, cwd=tmp_path, env=plain, check=False, capture_output=True).returncode == 0
