"""Messages of the verbs in the words of the command line, over all that can be provoked here."""

import re

import pytest
from typer.testing import CliRunner

from stickslip.cli import app
from stickslip.cli.commands.measurements import Identify
from stickslip.cli.commands.motions import Compare, Simulate
from stickslip.cli.commands.orbits import Orbit
from stickslip.cli.commands.sweeps import Sweep
from stickslip.cli.declare import DECLARED
from stickslip.cli.wording import said, typed_names

SWEEP = ("sweep", "forced_oscillator", "--over", "base.eta=1,2")
SIMULATE = ("simulate", "block_on_belt", "--t", "10")
LYAPUNOV = ("lyapunov", "block_on_belt", "--t", "5")
BASINS = ("basins", "block_on_belt", "--over", "x.block=0:1:3", "--over", "v.block=0:1:3", "--t", "5")
IDENTIFY = ("identify", "c.csv", "--velocity", "v", "--force", "F")


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.csv").write_text("v;F\n0,1;-2\n0,2;-3\n")

    def run(*arguments):
        result = CliRunner().invoke(app, list(arguments))
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.output

    return run


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("simulate", "block_on_belt", "--t", "5", "--start-time", "9"), "--t is 5: the end time must come after"),
        ((*SIMULATE, "--rtol", "1"), "--rtol is 1; it must lie between"),
        ((*SIMULATE, "--order", "90"), "--order is 90: it must be a whole number, from 6 to 30"),
        ((*SIMULATE, "--seed", "-1"), "--seed is -1: it must be a whole number"),
        ((*SIMULATE, "--method", "RK45"), "there is no method 'RK45'"),
        ((*SIMULATE, "--method", "henon"), "--method henon needs --step"),
        ((*SIMULATE, "--method", "henon", "--step", "0"), "--step is 0: it must be a positive number"),
        ((*SIMULATE, "--method", "henon", "--step", "1", "--eta", "1"), "--eta does not go with --method henon"),
        ((*SIMULATE, "--method", "smoothing"), "--method smoothing needs --eps"),
        ((*SIMULATE, "--method", "smoothing", "--eps", "-1"), "--eps is -1: it must be a positive number"),
        ((*SIMULATE, "--method", "switch", "--eta", "1"), "--eta is 1 and the speed of 'belt' is 0.2"),
        ((*SIMULATE, "--method", "timestepping", "--step", "1", "--theta", "2"), "--theta is 2; it must lie between"),
        (("sweep", "block_on_belt", "--over", "belt.speed=0.1,0.2"), "give --times TRANSIENT OBSERVED"),
        ((*SWEEP, "--times", "1", "2", "--periods", "3", "4"), "give either --times or --periods, not both"),
        ((*SWEEP, "--times", "-1", "10"), "--times: the transient is -1"),
        ((*SWEEP, "--most", "0"), "--most is 0: it must be a whole number"),
        ((*SWEEP, "--carry", "left"), "--carry is 'left'"),
        ((*SWEEP, "--tolerance", "0"), "--tolerance is 0: it must be a positive number"),
        ((*SWEEP, "--observe", "strobe:every=0"), "--observe strobe: every is 0: it must be a positive number"),
        ((*SWEEP, "--observe", "strobe:often"), "write strobe:every=2.0"),
        ((*SWEEP, "--observe", "section"), "write section:x.block=0.5:down"),
        ((*SWEEP, "--observe", "section:x.block=a"), "--observe section: the value is 'a': it must be a number"),
        ((*SWEEP, "--observe", "section:x.block=1:left"), "--observe section: the direction is 'left'"),
        ((*SWEEP, "--observe", "section:x.blok"), "--observe: there is no state or contact 'x.blok'"),
        ((*SWEEP, "--observe", "largest_exponent:per=day"), "--observe largest_exponent: per is 'day'"),
        ((*SWEEP, "--observe", "strobe,none"), "--observe none stands alone"),
        (
            ("sweep", "block_on_belt", "--over", "belt.speed=1,2", "--times", "1", "1", "--observe", "strobe"),
            "--observe strobe:every=TIME",
        ),
        ((*LYAPUNOV, "--count", "9"), "--count is 9: it must be a whole number, from 1 to 2"),
        ((*LYAPUNOV, "--per", "day"), "--per is 'day': it must be one of time, forcing, release"),
        ((*LYAPUNOV, "--transient", "-1"), "--transient is -1"),
        ((*BASINS, "--near", "0"), "--near is 0: it must be a positive number"),
        ((*BASINS, "--forcing", "-1"), "--forcing is -1"),
        (("compare", "block_on_belt", "--t", "1", "--method", "henon"), "henon needs a step: write henon:step=VALUE"),
        (("compare", "block_on_belt", "--t", "1", "--method", "henon:step=0"), "--method henon: step is 0"),
        (("compare", "block_on_belt", "--t", "1", "--method", "henon:stp=0"), "henon has no setting 'stp'"),
        (("compare", "block_on_belt", "--t", "1", "--method", "exact:order=x"), "exact: order is 'x'"),
        (("compare", "block_on_belt", "--t", "1", "--method", "exact", "--method", "exact"), "is given twice"),
        (("compare", "block_on_belt", "--t", "1", "--cost", "money"), "there is no cost 'money'"),
        (("orbit", "block_on_belt", "--period", "-3"), "--period is -3: it must be a positive number"),
        (("orbit", "block_on_belt", "--method", "henon"), "--method henon only simulates"),
        (("orbit", "coulomb_oscillator"), "with --start NAME=VALUE --period TIME, or use `stickslip equilibria`"),
        (("equilibria", "block_on_belt", "--start", "x.blok=1"), "error: there is no state 'x.blok'"),
        (("equilibria", "block_on_belt", "--save", "e.txt"), "'e.txt' must end with .nc or .csv"),
        (("completion", "tcsh"), "there is no completion for the shell 'tcsh'"),
        (IDENTIFY, "say --decimal ,; mend the row, or leave bad rows out (--skip-bad)"),
        ((*IDENTIFY, "--decimal", "x"), "--decimal is 'x'"),
        (("series", "c.csv", "--column", "F"), "(--time), how far apart the rows are (--interval), or that they are "),
    ],
)
def test_messages_name_options(call, arguments, sentence):
    code, text = call(*arguments)
    assert code == 1 and text.startswith("error: ") and text.count("\n") == 1
    assert sentence in text
    kind = DECLARED[arguments[0]]
    names = "|".join(typed_names(kind))
    assert re.search(rf"(?<![\w.:,-])({names})=(?!VALUE|TIME)", text) is None, "an argument as Python has it"


@pytest.mark.parametrize(
    ("message", "kind", "sentence"),
    [
        ("give times=(transient, observed time)", Sweep, "give --times TRANSIENT OBSERVED"),
        ("say decimal=','", Identify, "say --decimal ,"),
        ("use shape=\"quartic\" or 'x'", Simulate, "use --shape quartic or 'x'"),
        ("simulate it with dense=True", Simulate, "simulate it with --dense"),
        ("say dense=False", Simulate, "say --no-dense"),
        ("say start_time= for where it begins", Simulate, "say --start-time for where it begins"),
        ("method is 3: give one, such as Exact(rtol=1e-9)", Simulate, "--method exact --rtol 1e-9"),
        ("such as Exact() or Henon(step=0.01)", Compare, "such as --method exact or --method henon:step=0.01"),
        ("Try a guess=(start, period) nearer to it", Orbit, "Try --start NAME=VALUE --period TIME nearer to it"),
        ("x.start=3 and restart=4 stay", Orbit, "x.start=3 and restart=4 stay"),
        ("forced_oscillator: eta is 'big'", Simulate, "forced_oscillator: eta is 'big'"),
    ],
)
def test_each_way_to_write_an_argument(message, kind, sentence):
    assert sentence in said(message, kind)
