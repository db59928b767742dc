"""What every command gives to programs: one JSON document, tables, exit codes; and nothing where it is to be quiet."""

import json
import math
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import stickslip as ss
from stickslip.cli import app, methods
from stickslip.cli.declare import DECLARED
from stickslip.cli.progress import Progress

GRID = ("--over", "x.block=-3:4:3", "--over", "v.block=-2:1:3", "--t", "30")
MAP = ("--over", "contact.normal=8:10:2", "--over", "base.eta=0.9:1.5:2", "--periods", "50", "20")
SWEEP = ("--over", "belt.speed=0.1,0.2", "--times", "50", "50")


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Run a command in a folder with a table and a run; the exit code, and what went to stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    v = np.random.default_rng(0).uniform(-1, 1, 200)
    force = -np.sign(v) * 4 / (1 + 3 * np.abs(v)) + np.random.default_rng(1).normal(0, 0.1, 200)
    ss.identify.write(tmp_path / "friction.csv", {"v": v, "f": force})
    t = np.arange(600) * 0.1
    ss.identify.write(tmp_path / "wave.csv", {"t": t, "x": np.cos(t) + 0.3 * np.cos(2.7 * t)})

    def run(*arguments):
        result = CliRunner().invoke(app, list(arguments))
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stdout, result.stderr

    return run


COMMANDS = {
    "models": ("models",),
    "one model": ("models", "block_on_belt"),
    "simulate": ("simulate", "block_on_belt", "--t", "100", "--events"),
    "compare": ("compare", "block_on_belt", "--t", "20", "--method", "exact", "--method", "henon:step=0.01"),
    "sound": ("sound", "bowed_string", "--out", "s.wav", "--seconds", "0.1"),
    "orbit": ("orbit", "block_on_belt"),
    "equilibria": ("equilibria", "block_on_belt"),
    "follow": ("follow", "block_on_belt", "belt.speed", "--to", "0.21"),
    "sweep": ("sweep", "block_on_belt", *SWEEP),
    "map": ("map", "forced_oscillator", *MAP),
    "lyapunov": ("lyapunov", "block_on_belt", "--t", "300"),
    "basins": ("basins", "coulomb_oscillator", *GRID),
    "series": ("series", "wave.csv", "--column", "x"),
    "identify": ("identify", "friction.csv", "--velocity", "v", "--force", "f", "--law", "hyperbolic"),
    "papers": ("papers",),
    "paper": ("paper", "leine1998", "fig2", "--quick"),
    "explore": ("explore", "block_on_belt", "--no-browser", "--port", "0", "--check"),
    "completion": ("completion", "bash"),
}

LISTS = ("papers", "paper")
"""Commands whose JSON is a list of rows, to a file or to stdout: --json takes a name, or a dash."""


def test_every_command_is_tried():
    assert {words[0] for words in COMMANDS.values()} == set(DECLARED)


@pytest.mark.parametrize("name", COMMANDS)
def test_json_is_one_document_and_nothing_else(call, name):
    """Strict JSON: no NaN, no Infinity; --quiet prints nothing at all, with the same exit code."""
    code, out, errors = call(*COMMANDS[name], "--json", *(["-"] if name in LISTS else []))
    found = json.loads(out, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert (code, errors) == (0, "") and isinstance(found, list if name in LISTS else dict) and out.count("\n") == 1
    CHECKS.get(name, lambda found: None)(found)
    assert call(*COMMANDS[name], "--quiet") == (0, "", "")


def _simulated(found):
    run = ss.simulate(ss.models.block_on_belt(), 100.0)
    assert found["outcome"] == "finished" and found["period"]["value"] == pytest.approx(12.00103129483, abs=1e-10)
    assert found["states"]["x.block"]["last"] == float(run["x.block"][-1])  # every digit
    assert [event["time"] for event in found["event_table"]] == run["event_time"].values.tolist()


def _exponents(found):
    assert found["exponents"][1] == "-Infinity" and found["lost"] == 1 and abs(found["exponents"][0]) < 0.05


def _orbit(found):
    (orbit,) = found["orbits"]
    exact = ss.find_orbit(ss.models.block_on_belt())
    assert orbit["period"] == exact.period and orbit["start"] == exact.start and orbit["stable"]
    assert [m["real"] for m in orbit["multipliers"]] == exact.multipliers.real.tolist()


def _equilibrium(found):
    (one,) = found["equilibria"]
    assert (one["state"]["x.block"], one["stable"], one["kind"]) == (0.625, False, "slip")


def _swept(found):
    data = ss.sweep(ss.models.block_on_belt(), {"belt.speed": [0.1, 0.2]}, times=(50, 50))
    assert found["coordinates"]["belt.speed"] == [0.1, 0.2] and found["outcome"] == "finished"
    recorded = found["variables"]["x.block"]
    assert recorded["dimensions"] == list(data["x.block"].dims)
    values = np.array([[math.nan if x is None else x for x in row] for row in recorded["values"]])
    assert np.array_equal(values, data["x.block"].values, equal_nan=True)


def _compared(found):
    assert found["coordinates"]["method"] == ["exact", "henon:step=0.01"]
    assert found["variables"]["state_error"]["values"][0] < 1e-9


def _branch(found):
    (branch,) = found["branches"]
    assert branch["complete"] and branch["points"][-1]["value"] == 0.21 and branch["points"][0]["stable"]


def _basin(found):
    assert found["attractors"][0]["kind"] == "rest" and found["variables"]["fraction"]["values"] == [1.0]


def _fitted(found):
    delta = found["estimates"][0]["parameters"]["delta"]
    assert abs(delta["value"] - 3) < 4 * delta["error"] and found["rows"] == 200


CHECKS = {
    "simulate": _simulated,
    "lyapunov": _exponents,
    "orbit": _orbit,
    "equilibria": _equilibrium,
    "sweep": _swept,
    "compare": _compared,
    "follow": _branch,
    "basins": _basin,
    "identify": _fitted,
    "series": lambda found: found["spectrum"]["peak"] == pytest.approx(1 / (2 * math.pi), rel=0.1),
}


@pytest.mark.parametrize(
    ("arguments", "heads"),
    [
        (("simulate", "block_on_belt", "--t", "20"), ["time", "x.block", "v.block"]),
        (("orbit", "block_on_belt"), ["time", "x.block", "v.block"]),
        (("follow", "block_on_belt", "belt.speed", "--to", "0.21"), ["belt.speed", "period"]),
        (("sweep", "block_on_belt", *SWEEP), ["belt.speed"]),
        (("basins", "coulomb_oscillator", *GRID), ["x.block", "v.block", "attractor"]),
        (("lyapunov", "block_on_belt", "--t", "100"), ["exponent", "error"]),
        (("compare", "block_on_belt", "--t", "9", "--method", "exact"), ["method", "state_error"]),
        (("equilibria", "block_on_belt"), ["x.block", "stability"]),
    ],
)
def test_tables(call, tmp_path, arguments, heads):
    code, out, _ = call(*arguments, "--save", "table.csv", "--json")
    assert code == 0 and json.loads(out)["files"] == ["table.csv"]
    first = (tmp_path / "table.csv").read_text().splitlines()[0]
    assert set(heads) <= {re.sub(r" \[.*\]", "", head) for head in first.split(",")}


def test_errors_leave_stdout_empty(call):
    code, out, errors = call("simulate", "nothing", "--t", "1", "--json")
    assert (code, out) == (1, "") and errors.startswith("error: there is no model 'nothing'")
    code, out, errors = call("simulate", "nothing", "--t", "1", "--quiet")
    assert (code, out) == (1, "") and errors.startswith("error: ")


def test_a_picture_that_fails_loses_no_number(call, monkeypatch):
    def fail(*_):
        raise OSError("no room")

    monkeypatch.setattr(ss.plot, "save", fail)
    code, out, errors = call("simulate", "block_on_belt", "--t", "5", "--plot", "a.png", "--json")
    assert code == 1 and "no room" in errors and json.loads(out)["outcome"] == "finished"


# -- methods -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "method"),
    [
        ((), ss.Exact()),
        (("--rtol", "1e-9", "--order", "12"), ss.Exact(rtol=1e-9, order=12)),
        (("--method", "henon", "--step", "0.01"), ss.Henon(step=0.01)),
        (("--method", "bisection", "--step", "0.01", "--band", "1e-6"), ss.Bisection(step=0.01, band=1e-6)),
        (("--method", "bisection", "--step", "0.01", "--live"), ss.Bisection(step=0.01, live=True)),
        (("--method", "timestepping", "--step", "0.01", "--theta", "0.7"), ss.TimeStepping(step=0.01, theta=0.7)),
        (("--method", "switch", "--eta", "1e-5", "--rtol", "1e-9"), ss.Switch(eta=1e-5, rtol=1e-9)),
        (("--method", "smoothing", "--eps", "1e3", "--shape", "tanh"), ss.Smoothing(eps=1e3, shape="tanh")),
    ],
)  # fmt: skip
def test_methods_are_the_same_as_in_python(call, options, method):
    """The last state, digit by digit."""
    code, out, _ = call("simulate", "block_on_belt", "--t", "12", *options, "--json")
    run = ss.simulate(ss.models.block_on_belt(), 12.0, method=method)
    assert code == 0 and json.loads(out)["states"]["x.block"]["last"] == float(run["x.block"][-1])


def test_one_word_for_each_method():
    assert {methods.class_of(word).__name__ for word in methods.CLASSES} == {
        name for name in dir(ss) if isinstance(getattr(ss, name), type) and name in methods.CLASSES.values()
    }
    assert methods.read("bisection:step=0.1,live=yes") == ss.Bisection(step=0.1, live=True)
    assert methods.read("smoothing:eps=1e3,shape=tanh") == ss.Smoothing(eps=1e3, shape="tanh")
    assert methods.read("exact:order=10") == ss.Exact(order=10)


def test_a_run_may_begin_later(call):
    code, out, _ = call("simulate", "forced_oscillator", "--t", "30", "--start-time", "10", "--json")
    run = ss.simulate(ss.models.forced_oscillator(), 30.0, start_time=10.0)
    found = json.loads(out)
    assert code == 0 and found["time"]["start"] == 10.0
    assert found["states"]["x.block"]["last"] == float(run["x.block"][-1])


# -- sweeps and long runs ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "observe"),
    [
        ("section:x.block=0.5:down", ss.observe.Section("x.block", 0.5, "down")),
        ("maxima:x.block", ss.observe.Maxima("x.block")),
        ("strobe:every=2.0", ss.observe.Strobe(2.0)),
        ("stick_to_slip:contact", ss.observe.StickToSlip("contact")),
    ],
)
def test_observations(call, words, observe):
    code, _, _ = call("sweep", "block_on_belt", *SWEEP, "--observe", words, "--save", "s.nc", "--plot", "b.png")
    data = ss.sweep(ss.models.block_on_belt(), {"belt.speed": [0.1, 0.2]}, times=(50, 50), observe=observe)
    found = ss.load("s.nc")
    assert code == 0 and found["count"].values.tolist() == data["count"].values.tolist()
    assert np.array_equal(found["x.block"].values, data["x.block"].values, equal_nan=True)


@pytest.mark.parametrize(
    "quantity", ["periodicity", "period", "events", "n", "stick_fraction:contact", "maximum:v.block", "steps", "time"]
)
def test_quantities_of_maps(call, tmp_path, quantity):
    code, _, _ = call("map", "forced_oscillator", *MAP, "--quantity", quantity, "--plot", "map.png")
    assert code == 0 and (tmp_path / "map.png").stat().st_size > 5000


@pytest.mark.parametrize(
    ("quantity", "sentence"),
    [
        ("maximum:y", "there is no state 'y'"),
        ("period:x.block", "has one value for each motion"),
        ("perod", "'period'"),
    ],
)
def test_quantities_that_are_not_there(call, quantity, sentence):
    code, out, errors = call("map", "forced_oscillator", *MAP, "--quantity", quantity)
    assert (code, out) == (1, "") and sentence in errors


def test_exponents_as_in_python(call, tmp_path):
    code, out, _ = call(
        "lyapunov", "two_blocks", "--t", "200", "--transient", "50", "--count", "2", "--per", "release", "--start",
        "x.block1=0.4", "--save", "settling.nc", "--plot", "exponents.png", "--json",
    )  # fmt: skip
    found = ss.lyapunov(ss.models.two_blocks(), t=200, transient=50, count=2, per="release", start={"x.block1": 0.4})
    assert code == 0 and json.loads(out)["per_cycle"] == pytest.approx(found.per_cycle.tolist(), abs=0)
    assert (tmp_path / "exponents.png").exists() and (tmp_path / "settling.nc").exists()


def test_equilibria_are_printed(call):
    code, out, _ = call("equilibria", "coulomb_oscillator")
    assert code == 0 and "rest in stick: stable" in out and "−1 … 1" in out
    code, out, _ = call("equilibria", "block_on_belt", "--set", "belt.speed=0.4", "--save", "e.nc")
    assert code == 0 and "steady sliding: unstable" in out and "eigenvalues" in out
    assert ss.load("e.nc").state["x.block"] == pytest.approx(1 / 2.2, abs=1e-14)


def test_an_equilibrium_is_followed(call):
    code, out, _ = call("follow", "block_on_belt", "belt.speed", "--to", "0.4", "--equilibrium", "--save", "b.nc")
    assert code == 0 and "equilibria" in out and "wrote b.nc" in out
    branch = ss.load("b.nc")  # x = 1/(1 + 3 v) in steady sliding
    assert branch.points[-1].state["x.block"] == pytest.approx(1 / 2.2, abs=1e-12)


def test_methods_are_compared(call, tmp_path):
    code, out, _ = call("compare", "block_on_belt", "--t", "30", "--method", "exact", "--method", "henon:step=0.01",
                        "--plot", "c.png", "--cost", "steps")  # fmt: skip
    rows = {
        line.split()[0]: line.split()[1:]
        for line in out.replace("−", "-").splitlines()
        if line.startswith(("  exact", "  henon"))
    }
    assert code == 0 and float(rows["exact"][0]) < 1e-9 < float(rows["henon:step=0.01"][0]) < 1e-4
    assert (tmp_path / "c.png").exists()


def test_a_method_that_fails_is_told(call):
    code, out, _ = call("compare", "block_on_belt", "--t", "30", "--method", "exact", "--method", "henon:step=5")
    assert code == 3 and "henon:step=5: The fixed step is too large" in out


def test_interrupted_comparisons_keep_what_is_done(call, monkeypatch):
    shown = Progress.show

    def interrupting(self, *what):
        if self.reports == 1:
            self._interrupted(signal.SIGINT, None)
        shown(self, *what)

    monkeypatch.setattr(Progress, "show", interrupting)
    words = ("compare", "block_on_belt", "--t", "20")
    code, out, _ = call(*words, "--method", "exact", "--method", "henon:step=0.01", "--method", "switch", "--json")
    found = json.loads(out)
    assert code == 3 and 1 <= len(found["coordinates"]["method"]) < 3


# -- help and completion -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DECLARED)
def test_help_has_no_types_of_python(call, name):
    code, out, _ = call(name, "--help")
    assert code == 0 and re.search(r"<\w|\[\[|\{|list\[|\b(INTEGER|FLOAT|TEXT|PATH)\b|\bNone\b", out) is None
    assert all(len(line) <= 120 for line in out.splitlines())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(call, shell):
    code, out, _ = call("completion", shell)
    assert code == 0 and "_STICKSLIP_COMPLETE" in out and "stickslip" in out


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("stickslip simulate block_o", {"block_on_belt"}),
        ("stickslip sim", {"simulate"}),
        ("stickslip simulate block_on_belt --set belt", {"belt.speed="}),
        ("stickslip sweep block_on_belt --over contact.m", {"contact.mu_s="}),
        ("stickslip simulate block_on_belt --start x", {"x.block="}),
        ("stickslip follow drill_string table.s", {"table.speed"}),
        ("stickslip simulate block_on_belt --method h", {"henon"}),
        ("stickslip simulate nothing --set x", set()),
    ],
)
def test_what_a_shell_completes(tmp_path, typed, found):
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1), "_STICKSLIP_COMPLETE": "complete_bash"}
    done = subprocess.run(
        [sys.executable, "-m", "stickslip"], env=os.environ | words, cwd=tmp_path, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert set(done.stdout.split()) == found and done.stderr == ""
