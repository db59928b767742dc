"""`stickslip series` and `stickslip sound` by hand: what they print, write, draw and refuse."""

import re
import wave

import numpy as np
import pytest
from typer.testing import CliRunner

import stickslip as ss
from stickslip.cli import app


def call(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, " ".join(result.output.split())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = [0.1, 0.1]
    for _ in range(3000):
        values.append(1 - 1.4 * values[-1] ** 2 + 0.3 * values[-2])
    (tmp_path / "henon.csv").write_text("n,x\n" + "".join(f"{i},{x!r}\n" for i, x in enumerate(values)))
    times = 0.01 * np.arange(2000)
    rows = "".join(f"{t:.2f},{x:.9f}\n" for t, x in zip(times, np.sin(6 * np.pi * times), strict=True))
    (tmp_path / "sine.csv").write_text("t [s],x [m]\n" + rows)
    return tmp_path


def test_everything_about_a_table_of_events(folder) -> None:
    code, text = call("series", "henon.csv", "--column", "x", "--events", "--plot", "lyapunov.png", "--plot", "a.png")
    assert code == 0 and "3002 values, one per event" in text and "embedding: 2 coordinates, delay 1" in text
    exponent = float(re.search(r"largest exponent ([\d.]+) ± [\d.]+ per event, chaotic", text)[1])
    assert exponent == pytest.approx(0.419, rel=0.03)
    assert "correlation dimension 1." in text
    assert (folder / "lyapunov.png").stat().st_size > 10_000 and (folder / "a.png").stat().st_size > 10_000


def test_one_thing_about_a_table_in_time(folder) -> None:
    code, text = call("series", "sine.csv", "--column", "x", "--what", "spectrum", "--plot", "out.pdf")
    assert code == 0 and "highest peak at 3.0" in text and "Hz" in text and "exponent" not in text
    assert (folder / "out.pdf").exists()


def test_a_saved_run(folder) -> None:
    ss.save(ss.simulate(ss.models.block_on_belt(), t=600), "run.nc")
    code, text = call("series", "run.nc", "--after", "50", "--what", "spectrum")
    peak = float(re.search(r"highest peak at ([\d.]+)", text)[1])
    assert code == 0 and text.startswith("x.block: ") and abs(peak - 1 / 12.00103) < 0.001
    code, text = call("series", "run.nc", "--column", "v.block", "--events", "--after", "50")
    assert code == 0 and "46 values, one per event" in text and "the series 'v.block' is constant" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["henon.csv"], "say which column: --column NAME; there are: n, x"),
        (["henon.csv", "--column", "y"], "there is no column 'y'"),
        (["henon.csv", "--column", "x"], "no column called t or time"),
        (["henon.csv", "--column", "x", "--events", "--what", "chaos"], "must be one of spectrum, autocorrelation"),
        (["henon.csv", "--column", "x", "--events", "--after", "3"], "--after is for saved runs"),
        (["sine.csv", "--column", "x", "--plot", "a.docx"], "end the name with one of"),
        (["absent.csv", "--column", "x"], "there is no file"),
        (["absent.nc"], "there is no file"),
    ],
)
def test_what_is_refused(folder, arguments, message) -> None:
    code, text = call("series", *arguments)
    assert code == 1 and message in text and "Traceback" not in text


def test_sound(folder) -> None:
    code, text = call("sound", "block_on_belt", "--out", "squeak.wav", "--seconds", "0.5")
    assert code == 0 and "wrote squeak.wav" in text and "units of time a second" in text
    assert float(re.search(r"pitch ([\d.]+) Hz", text)[1]) == pytest.approx(220, rel=1e-3)
    with wave.open("squeak.wav") as file:
        assert file.getnframes() / file.getframerate() == pytest.approx(0.5, abs=1e-3)


def test_a_sound_in_real_time(folder) -> None:
    code, text = call("sound", "bowed_string", "--out", "string.wav", "--seconds", "0.3", "--quantity", "v.string")
    assert code == 0 and "real time" in text
    assert float(re.search(r"pitch ([\d.]+) Hz", text)[1]) == pytest.approx(134.4966, rel=1e-3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["block_on_belt", "--out", "squeak.mp3"], "must end with .wav"),
        (["block_on_belt", "--out", "nowhere/squeak.wav"], "there is no folder"),
        (["block_on_belt", "--out", "a.wav", "--quantity", "v.blok"], "did you mean 'v.block'?"),
        (["block_on_belt", "--out", "a.wav", "--seconds", "0"], "--seconds is 0"),
        (["coulomb_oscillator", "--out", "a.wav"], "say how fast to play its beginning, with --speed"),
    ],
)
def test_sounds_that_are_refused(folder, arguments, message) -> None:
    code, text = call("sound", *arguments)
    assert code == 1 and message in text and "Traceback" not in text
    assert not list(folder.glob("*.wav*"))
