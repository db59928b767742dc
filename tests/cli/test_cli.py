"""The command line as a user meets it: what it prints, what it writes, how it fails."""

import os
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

import stickslip as ss
from stickslip.cli import app
from stickslip.model.library import LIBRARY

BELT = """
name = "belt"
[mass.block]
m = 1.0
x = 1.1
[belt.belt]
speed = 0.2
[spring.spring]
between = ["block", "ground"]
k = 1.0
[contact.contact]
on = "block"
against = "belt"
law = {kind = "hyperbolic", mu_s = 1.0, delta = 3.0}
"""
LIFT_OFF = BELT + 'normal = {formula = "1 - rate*t", rate = 0.02}\n'


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Run a command in an empty folder; the exit code and all it printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments):
        result = CliRunner().invoke(app, list(arguments))
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.output

    return run


def process(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "stickslip", *arguments], capture_output=True, text=True, check=False, **options
    )


def test_version(call):
    assert call("--version") == (0, f"stickslip {ss.__version__}\n")


def test_help_names_the_commands(call):
    code, text = call("--help")
    assert code == 0
    assert "models" in text and "simulate" in text


def test_models_lists_the_library(call):
    code, text = call("models")
    assert code == 0
    for name in LIBRARY:
        assert name in text
    assert "Block on a moving belt" in text


def test_models_describes_one(call):
    code, text = call("models", "block_on_belt")
    assert code == 0
    for piece in (
        "Nonlinear Dynamics",
        "v.block'  = (−spring.k·x.block + λ)/block.m",
        "v_rel = v.block − belt.speed",
        "belt.speed      0.2",
        "x.block  1.1",
        "12.00103129483",
    ):
        assert piece in text


@pytest.mark.parametrize("name", LIBRARY)
def test_every_model_can_be_described(call, name):
    assert call("models", name)[0] == 0


def test_simulate_prints_a_summary(call):
    code, text = call("simulate", "block_on_belt", "--t", "100")
    assert code == 0
    assert "The run reached the end time." in text
    assert "period 12.0010312948" in text
    assert "1.133944676" in text
    assert "62.27 %" in text


def test_simulate_saves_and_draws(call, tmp_path):
    code, text = call(
        "simulate", "block_on_belt", "--t", "30", "--save", "run.nc", "--plot", "phase.png", "--plot", "my-history.svg"
    )
    assert code == 0
    assert "wrote run.nc" in text and "drew phase.png" in text
    run = ss.load(tmp_path / "run.nc")
    assert run.attrs["model_name"] == "block_on_belt"
    assert float(run["time"][-1]) == 30
    assert (tmp_path / "phase.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "my-history.svg").read_text()


def test_settings_and_start_arrive_in_the_run(call, tmp_path):
    code, _ = call(
        "simulate", "block_on_belt", "--t", "5", "--set", "belt.speed=0.3", "--start", "x.block=0.5", "--save", "run.nc"
    )
    assert code == 0
    run = ss.load(tmp_path / "run.nc")
    assert '"belt.speed": 0.3' in run.attrs["parameters"]
    assert float(run["x.block"][0]) == 0.5


def test_library_models_take_arguments(call):
    code, text = call("simulate", "forced_oscillator:characteristic=II,eta=0.9", "--t", "300")
    assert code == 0
    assert "period 6.98131700798" in text  # 2π/η
    code, text = call("simulate", "chain:n=3", "--t", "10")
    assert code == 0
    assert "contact3" in text


def test_samples_and_no_dense(call, tmp_path):
    code, _ = call("simulate", "block_on_belt", "--t", "20", "--samples", "11", "--no-dense", "--save", "run.nc")
    assert code == 0
    run = ss.load(tmp_path / "run.nc")
    assert run["time"].values.tolist() == list(range(0, 21, 2))
    assert "step_start" not in run


def test_events_are_printed(call):
    code, text = call("simulate", "block_on_belt", "--t", "12", "--events")
    assert code == 0
    assert "3.365032613389      contact  slip− → stick" in text
    assert "t = 0 … 12, 2 events\n" in text
    assert "t = 0 … 10, 1 event\n" in call("simulate", "block_on_belt", "--t", "10")[1]


def test_rest_is_printed_as_zero(call):
    _, text = call("simulate", "coulomb_oscillator", "--t", "40", "--events")
    (line,) = [line for line in text.splitlines() if "→ stick" in line]
    assert line.split()[-1] == "0"
    assert float(line.split()[-2]) == pytest.approx(15 - 205**0.5, abs=1e-10)


@pytest.mark.parametrize("kind", ["phase", "history", "friction", "modes", "characteristic"])
def test_every_kind_of_picture(call, tmp_path, kind):
    code, _ = call("simulate", "block_on_belt", "--t", "30", "--plot", "picture.png", "--picture", kind)
    assert code == 0
    assert (tmp_path / "picture.png").stat().st_size > 5000


def test_a_model_file(call, tmp_path):
    (tmp_path / "belt.toml").write_text(BELT)
    code, text = call("simulate", "belt.toml", "--t", "100")
    assert code == 0
    assert "period 12.0010312948" in text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["blok_on_belt"], "there is no model 'blok_on_belt' (did you mean 'block_on_belt'?)"),
        (["missing.toml"], "missing.toml: the file cannot be read"),
        (["block_on_belt", "--t", "0"], "error: --t is 0: the end time must come after the start time"),
        (["block_on_belt", "--t", "nan"], "error: --t is nan"),
        (["block_on_belt", "--set", "belt.sped=1"], "no parameter 'belt.sped' (did you mean 'belt.speed'?)"),
        (["block_on_belt", "--set", "belt.speed"], "cannot read --set 'belt.speed': write --set NAME=VALUE"),
        (["block_on_belt", "--set", "belt.speed=fast"], "--set belt.speed is 'fast': it must be a number"),
        (["block_on_belt", "--set", "block.m=-1"], "it must be a positive number"),
        (["block_on_belt", "--set", "block.m=1", "--set", "block.m=2"], "--set gives 'block.m' twice"),
        (["block_on_belt", "--start", "y=1"], "there is no state 'y'"),
        (["block_on_belt", "--rtol", "1"], "error: --rtol is 1; it must lie between"),
        (["block_on_belt", "--samples", "1"], "error: --samples is 1: it must be a whole number, from 2"),
        (["block_on_belt", "--save", "run.txt"], "'run.txt' must end with .nc or .csv"),
        (["block_on_belt", "--save", "nowhere/run.nc"], "there is no folder 'nowhere'"),
        (["block_on_belt", "--plot", "phase.xyz"], "cannot draw into 'phase.xyz'"),
        (["block_on_belt", "--plot", "a.png", "--picture", "face"], "there is no picture 'face'"),
        (["chain:m=3"], "chain has no argument 'm'"),
        (["chain:n=3.5"], "chain: n is '3.5': it must be a whole number"),
        (["chain:n"], "write chain:NAME=VALUE"),
        (["forced_oscillator:characteristic=__import__('os')"], "it must be a word"),
        (["forced_oscillator:eta=big"], "forced_oscillator: eta is 'big': it must be a number"),
    ],
)
def test_mistakes_are_one_line(call, arguments, sentence):
    more = [] if "--t" in arguments else ["--t", "1"]
    code, text = call("simulate", *arguments, *more)
    assert code == 1
    assert text.startswith("error: ")
    assert text.count("\n") == 1
    assert sentence in text


@pytest.mark.parametrize("name", ss.errors.__all__)
def test_every_error_of_ours_is_one_line(call, monkeypatch, name):
    """Whatever it is an error of besides: that of a GPU is no ValueError."""
    from stickslip.cli import describe

    kind = getattr(ss.errors, name)

    def perform(*_):
        raise kind.__new__(kind, "this cannot be: do that")  # some ask for more than the message

    monkeypatch.setattr(describe, "perform", perform)
    assert call("models") == (1, "error: this cannot be: do that\n")


def test_a_gpu_that_is_not_there_is_one_line(call, monkeypatch):
    from stickslip.targets import device

    def missing():
        raise ss.errors.CudaError("target='cuda' needs a CUDA GPU")

    monkeypatch.setattr(device, "device", missing)
    over = ["--over", "belt.speed=0.1,0.2", "--times", "1", "1"]
    said = call("sweep", "block_on_belt", *over, "--target", "cuda")
    assert said == (1, "error: --target cuda needs a CUDA GPU\n")


def test_a_typo_in_a_model_file(call, tmp_path):
    (tmp_path / "typo.toml").write_text(BELT.replace("speed", "sped"))
    code, text = call("simulate", "typo.toml", "--t", "1")
    assert (code, text.count("\n")) == (1, 1)
    assert "typo.toml: [belt.belt]: unknown key 'sped' (did you mean 'speed'?)" in text


def test_wrong_usage_has_its_own_code(call):
    assert call("simulate", "block_on_belt")[0] == 2
    assert call("simulate", "block_on_belt", "--t", "soon")[0] == 2


def test_a_run_that_stops_early_keeps_its_results(call, tmp_path):
    (tmp_path / "lift.toml").write_text(LIFT_OFF)
    code, text = call("simulate", "lift.toml", "--t", "200", "--save", "run.nc", "--plot", "phase.png")
    assert code == 3
    assert "A normal force turned negative" in text
    run = ss.load(tmp_path / "run.nc")
    assert float(run["time"][-1]) == pytest.approx(50)
    assert (tmp_path / "phase.png").exists()


def test_a_run_without_end_leaves_room_on_the_machine(call, monkeypatch):
    from stickslip.cli import command

    monkeypatch.setattr(command, "ROOM", 100_000)
    code, text = call("simulate", "block_on_belt", "--t", "1e9")
    assert code == 3
    assert "The allowed number of steps was used up" in text
    assert "--no-dense" in text


def test_errors_go_to_stderr_and_results_to_stdout(tmp_path):
    failed = process("simulate", "nothing", "--t", "1", cwd=tmp_path)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr.startswith("error: there is no model 'nothing'")
    worked = process("simulate", "block_on_belt", "--t", "1", cwd=tmp_path)
    assert (worked.returncode, worked.stderr) == (0, "")


def test_a_terminal_without_unicode(tmp_path):
    plain = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    for arguments in (["models", "block_on_belt"], ["simulate", "block_on_belt", "--t", "20", "--events"]):
        assert process(*arguments, cwd=tmp_path, env=plain).returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send")
def test_interrupted_runs_are_saved(tmp_path):
    command = [sys.executable, "-m", "stickslip", "simulate", "block_on_belt", "--t", "1e9"]
    command += ["--no-dense", "--samples", "1000000", "--save", "run.nc", "--set", "belt.speed=0.25"]
    for patience in (2, 4, 8, 16, 32):  # a busy machine may take long to begin with the run
        running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(patience)
        running.send_signal(signal.SIGINT)
        output, errors = running.communicate(timeout=100)
        if "before there was a result" not in errors:
            break
    assert (running.returncode, errors) == (3, "")
    assert "The run was interrupted by the user." in output
    run = ss.load(tmp_path / "run.nc")
    assert run.attrs["status"].startswith("The run was interrupted by the user.")
    assert run.sizes["event"] > 100
    assert '"belt.speed": 0.25' in run.attrs["parameters"]
