"""`stickslip sweep` and `stickslip map` by hand: what they print, write, draw and refuse."""

import signal

import pytest
from typer.testing import CliRunner

import stickslip as ss
from stickslip.cli import app
from stickslip.cli.progress import Progress


def call(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.output


def test_sweep(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, text = call(
        "sweep", "forced_oscillator", "--over", "base.eta=0.9,1.15,1.5", "--periods", "100", "30",
        "--plot", "bifurcation.png", "--save", "sweep.nc",
    )  # fmt: skip
    assert code == 0 and "The sweep is complete." in text
    for kind in ("1:1", "2:3", "1:2"):
        assert kind in text
    data = ss.load("sweep.nc")
    assert data["n"].values.tolist() == [1, 2, 1] and (tmp_path / "bifurcation.png").stat().st_size > 10_000


def test_map(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, text = call(
        "map", "forced_oscillator", "--over", "contact.normal=8:10:2", "--over", "base.eta=0.9:1.5:2",
        "--periods", "100", "30", "--plot", "map.png",
    )  # fmt: skip
    assert code == 0 and "1:1" in text and (tmp_path / "map.png").exists()


def test_several_observations(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, _ = call(
        "sweep", "forced_oscillator", "--over", "base.eta=0.9,1.5", "--periods", "50", "20", "--observe",
        "stick_to_slip,strobe,signature", "--plot", "strobe.png", "--save", "sweep.nc",
    )  # fmt: skip
    data = ss.load("sweep.nc")
    assert code == 0 and data["strobe.count"].values.tolist() == [20, 20]
    assert data["signature"].values.tolist() == ["stick → slip-"] * 2 and (tmp_path / "strobe.png").exists()


def test_a_map_of_exponents(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, _ = call(
        "map", "forced_oscillator", "--over", "contact.normal=8:10:2", "--over", "base.eta=0.9:1.5:2", "--periods",
        "50", "20", "--quantity", "largest_exponent", "--plot", "map.png", "--save", "map.nc",
    )  # fmt: skip
    assert code == 0 and (tmp_path / "map.png").exists()
    assert (ss.load("map.nc")["largest_exponent"] < 0).all()


def test_lyapunov() -> None:
    code, text = call("lyapunov", "block_on_belt", "--t", "600")
    assert code == 0 and "-inf" in text.replace("−", "-") and "1 directions are lost in stick" in text


def test_basins(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, text = call(
        "basins", "coulomb_oscillator", "--over", "x.block=-3:4:3", "--over", "v.block=-2:1:3", "--t", "30",
        "--plot", "basins.png",
    )  # fmt: skip
    assert code == 0 and "rest in stick" in text and "100.0 %" in text and (tmp_path / "basins.png").exists()


def test_interrupted_they_keep_what_is_known(tmp_path, monkeypatch) -> None:
    """Ctrl-C asks for an end at the next report; what is known by then is printed and saved, and the exit code is 3."""
    monkeypatch.chdir(tmp_path)
    shown = Progress.show

    def interrupting(self, *what) -> None:
        if self.reports == 20:
            self._interrupted(signal.SIGINT, None)
        shown(self, *what)

    monkeypatch.setattr(Progress, "show", interrupting)
    run = ["--over", "x.block=-5:5:21", "--over", "v.block=-5:5:20", "--t", "40", "--save", "b.nc", "--plot", "b.png"]
    code, text = call("basins", "coulomb_oscillator", *run)
    assert code == 3 and ss.Status.INTERRUPTED.value in text and (tmp_path / "b.png").exists()
    data = ss.load(tmp_path / "b.nc")
    assert data.attrs["outcome"] == "interrupted" and 0 < int((data["attractor"] == 0).sum()) < 420
    code, text = call("lyapunov", "two_blocks", "--t", "200")
    assert code == 3 and ss.Status.INTERRUPTED.value in text and "nan" not in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("sweep", "forced_oscillator", "--over", "base.eta=0.2:3"), "write NAME=FIRST:LAST:COUNT"),
        (("sweep", "forced_oscillator", "--over", "base.etta=0.2:3:4"), "base.etta"),
        (("map", "forced_oscillator", "--over", "base.eta=0.2:3:4"), "a map needs two --over"),
        (("sweep", "forced_oscillator", "--over", "base.eta=1,2", "--observe", "nothing"), "no observation 'nothing'"),
        (("basins", "block_on_belt", "--over", "x.block=0:1:3", "--t", "10"), "basins need two --over"),
        (("lyapunov", "block_on_belt", "--t", "-5"), "-5"),
        (("sweep", "forced_oscillator", "--over", "base.eta=1,2", "--plot", "no/such.png"), "there is no folder"),
        (("sweep", "forced_oscillator", "--over", "base.eta=1", "--over", "base.eta=2"), "gives 'base.eta' twice"),
        (("sweep", "forced_oscillator", "--over", "eta=1,2"), "did you mean 'base.eta'"),
        (("sweep", "forced_oscillator", "--over", "base.eta=nan:1:3"), "write NAME=FIRST:LAST:COUNT"),
        (
            ("sweep", "forced_oscillator", "--over", "base.eta=1,2", "--observe", "signature", "--plot", "a.png"),
            "no points",
        ),
        (
            (
                "map",
                "forced_oscillator",
                "--over",
                "base.eta=1,2",
                "--over",
                "base.u0=1,2",
                "--quantity",
                "perod",
                "--plot",
                "map.png",
            ),
            "did you mean 'period'",
        ),
    ],
)
def test_mistakes_are_one_line(arguments: tuple[str, ...], words: str) -> None:
    code, text = call(*arguments)
    assert code == 1 and words in text and len(text.strip().splitlines()) == 1
