"""`stickslip identify` by hand: what it prints, draws, writes and refuses."""

import re

import numpy as np
import pytest
from typer.testing import CliRunner

import stickslip as ss
from stickslip.cli import app
from stickslip.identify import read, write
from stickslip.model import files


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")

    def run(*arguments):
        result = CliRunner().invoke(app, ["identify", *arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.output

    return run


def parameter(text, name):
    """The value and the standard error that were printed."""
    line = next(line for line in text.replace("−", "-").splitlines() if line.split()[:1] == [name])
    return [float(word) for word in line.split()[1:3]]


@pytest.fixture
def friction(tmp_path):
    random = np.random.default_rng(0)
    v = random.uniform(-2000, 2000, 600)
    mu = 0.4 / (1 + 3 * np.abs(v) / 1000)
    force = -np.sign(v) * 20 * mu + random.normal(0, 0.1, 600)
    write(tmp_path / "friction.csv", {"v": v, "f": force}, {"v": "mm/s", "f": "N"})


def test_a_law_from_a_file(call, friction, tmp_path):
    code, text = call(
        "friction.csv", "--velocity", "v", "--force", "f", "--normal", "20", "--law", "hyperbolic",
        "--compare", "stribeck,polynomial", "--plot", "fit.png", "--plot", "classes.png", "--save", "means.csv",
    )  # fmt: skip
    assert code == 0
    assert "600 rows" in text and "v was in mm/s: it is in m/s now." in text
    value, error = parameter(text, "delta")
    assert abs(value - 3) < 4 * error and error < 0.1
    assert "The samples speak for hyperbolic" in text
    line = re.search(r"in a model file: (law = \{.*\})", text)[1]
    model = files.loads(f'[mass.block]\nm = 1.0\n[contact.contact]\non = "block"\nagainst = "ground"\n{line}')
    assert model.parameters["contact.delta"] == pytest.approx(value, rel=1e-5)
    assert len(read("means.csv")) == 20
    assert all((tmp_path / name).stat().st_size > 10_000 for name in ("fit.png", "classes.png"))


def test_fixed_parameters_and_other_options(call, friction):
    code, text = call(
        "friction.csv", "--velocity", "v", "--force", "f", "--normal", "20", "--law", "popp_stelter",
        "--fix", "lambda_2=0", "--fix", "mu_1=0", "--loss", "huber", "--side", "+", "--offset", "--slowest", "0.05",
    )  # fmt: skip
    assert code == 0 and re.search(r"lambda_2 +0 +fixed", text) and "offset" in text


@pytest.mark.parametrize("law", ["coulomb", "stribeck+viscous", "polynomial:3", "gaussian"])
def test_every_law_has_a_line_for_a_model_file(call, friction, law):
    code, text = call("friction.csv", "--velocity", "v", "--force", "f", "--normal", "20", "--law", law)
    assert code == 0
    line = re.search(r"in a model file: (law = \{.*\})", text)[1]
    assert files.loads(f'[mass.b]\nm = 1.0\n[contact.c]\non = "b"\nagainst = "ground"\n{line}').contacts == ("c",)


def test_a_ring_down(call, tmp_path):
    t = np.linspace(0, 0.25, 500)
    x = 1e-5 * np.exp(-12.4 * t) * np.cos(158.6 * t) + np.random.default_rng(0).normal(0, 2e-7, 500)
    write(tmp_path / "ring.csv", {"t": t, "x": x})
    code, text = call(
        "ring.csv", "--what", "ringdown", "--time", "t", "--displacement", "x", "--mass", "6.08", "--stiffness", "3956",
        "--damping", "0.768", "--plot", "ring.png",
    )  # fmt: skip
    value, error = parameter(text, "c_R")
    assert code == 0 and abs(value - (6.08 * (158.6**2 + 12.4**2) - 3956)) < 4 * error
    assert (tmp_path / "ring.png").exists()


def test_aging_from_pairs_and_from_a_record(call, tmp_path):
    random = np.random.default_rng(1)
    t = 10 ** random.uniform(-1, 1.7, 80)
    write(tmp_path / "pairs.csv", {"stuck": t, "F": 2 - np.exp(-0.1 * t) + random.normal(0, 0.02, 80)})
    code, text = call(
        "pairs.csv", "--what", "aging", "--stick-time", "stuck", "--force", "F", "--compare", "logarithmic,constant",
        "--plot", "aging.png",
    )  # fmt: skip
    assert code == 0 and "speak for the exponential law" in text and (tmp_path / "aging.png").exists()
    assert abs(parameter(text, "beta")[0] - 2) < 4 * parameter(text, "beta")[1]
    v = np.tile(np.r_[np.ones(50), np.zeros(100)], 6)
    force = np.tile(np.r_[0.6 * np.ones(50), np.linspace(0, 1, 100)], 6)
    write(tmp_path / "record.csv", {"t": 0.01 * np.arange(900), "v": v, "F": force})
    code, text = call(
        "record.csv", "--what", "aging", "--time", "t", "--velocity", "v", "--force", "F", "--threshold", "0.1",
        "--law", "constant",
    )  # fmt: skip
    assert code == 0 and "5 stick phases; 1 more are not whole" in text
    assert parameter(text, "F_s")[0] == pytest.approx(1.0, abs=0.02)


def test_a_reconstruction(call, tmp_path):
    run = ss.simulate(ss.models.block_on_belt(), t=30, start={"x.block": 1.1})
    t = np.linspace(0, 30, 1200)
    x = ss.interpolate(run, t)["x.block"].values + np.random.default_rng(0).normal(0, 3e-4, 1200)
    write(tmp_path / "x.csv", {"t": t, "x": x})
    code, text = call(
        "x.csv", "--what", "reconstruct", "--time", "t", "--displacement", "x", "--mass", "1", "--stiffness", "1",
        "--belt", "0.2", "--law", "hyperbolic", "--plot", "reconstruction.png", "--plot", "fit.png", "--save", "f.csv",
    )  # fmt: skip
    value, error = parameter(text, "delta")
    assert code == 0 and abs(value - 3) < 5 * error and error < 0.3
    assert len(read("f.csv")) == 1200
    assert (tmp_path / "reconstruction.png").exists() and (tmp_path / "fit.png").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["friction.csv", "--velocity", "v"], "characteristic needs the column of the force: say --force NAME"),
        (["friction.csv", "--velocity", "w", "--force", "f"], "friction.csv has no column 'w'; there are: v, f"),
        (["friction.csv", "--what", "ringdwon"], "did you mean 'ringdown'"),
        (["friction.csv", "--velocity", "v", "--force", "f", "--law", "stribek"], "did you mean 'stribeck'"),
        (["friction.csv", "--velocity", "v", "--force", "f", "--save", "x.nc"], "--save writes a table (.csv)"),
        (["none.csv", "--velocity", "v", "--force", "f"], "there is no file 'none.csv'"),
        (["friction.csv", "--what", "ringdown", "--time", "v", "--displacement", "f"], "needs the mass: say --mass"),
        (["bad.csv", "--velocity", "v", "--force", "f"], "bad.csv, line 3: 'oops' was found in the column 'v'"),
    ],
)
def test_mistakes_are_one_line(call, friction, tmp_path, arguments, message):
    (tmp_path / "bad.csv").write_text("v,f\n1,-1\noops,-1\n2,-1\n")
    code, text = call(*arguments)
    assert code == 1 and text.startswith("error: ") and len(text.splitlines()) == 1
    assert message in text


def test_bad_rows_can_be_left_out(call, tmp_path):
    (tmp_path / "bad.csv").write_text("v,f\n1,-1\noops,-1\n2,-1.1\n3,-0.9\n")
    code, text = call("bad.csv", "--velocity", "v", "--force", "f", "--law", "coulomb", "--skip-bad")
    assert code == 0 and "1 rows were left out" in text and "line 3: 'oops'" in text
