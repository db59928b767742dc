"""The README, the documents and the examples say what is true: what they show is run here."""

import re
import runpy
import shlex
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import stickslip as ss
from stickslip.cli import app
from stickslip.model import files

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
MODEL_FILES = ROOT / "docs" / "model-files.md"
ORBITS = ROOT / "docs" / "orbits.md"
SERIES = ROOT / "docs" / "series.md"
SWEEPS = ROOT / "docs" / "sweeps.md"
IDENTIFY = ROOT / "docs" / "identify.md"
MEMORY = ROOT / "docs" / "memory.md"
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


def blocks(document, language):
    """The code blocks of a document in one language."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", document.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [block for name, block in found if name == language]


def toml_models():
    found = [block for document in (README, MODEL_FILES) for block in blocks(document, "toml")]
    return [block for block in found if block.startswith("name")]


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_python_of_the_readme(elsewhere, capsys):
    scope = {}
    for block in blocks(README, "python"):
        exec(block, scope)
    status, period, x, orbit, _, *table = capsys.readouterr().out.splitlines()
    assert status == "The run reached the end time."
    assert float(period) == pytest.approx(12.00103129483, abs=1e-10)
    assert -0.56 < float(x.strip("[]")) < 1.14
    assert (elsewhere / "phase.png").exists() and (elsewhere / "branch.png").exists()
    assert orbit.startswith("12.00103129483") and orbit.endswith("slip- → stick")
    assert "grazing-sliding" in table[1] and "4.611989021" in table[1]


def test_the_commands_of_the_readme(elsewhere):
    (everything,) = [block for block in blocks(README, "") if "stickslip models" in block]
    commands = [shlex.split(line, comments=True) for line in everything.splitlines()]
    for _, *arguments in commands:
        assert CliRunner().invoke(app, arguments).exit_code == 0
    assert (elsewhere / "run.nc").exists()


def test_the_commands_of_the_command_line(elsewhere):
    (everything,) = blocks(ROOT / "docs" / "command-line.md", "")
    for line in everything.splitlines():
        result = CliRunner().invoke(app, shlex.split(line)[1:])
        assert result.exit_code == 0, result.output
    assert all((elsewhere / name).exists() for name in ("methods.png", "sections.csv", "exponents.csv"))


def test_the_python_and_the_commands_of_the_papers(elsewhere, capsys):
    """But for those that recompute a whole paper."""
    page = ROOT / "docs" / "papers.md"
    exec(*blocks(page, "python"), {})
    assert "Figure 2" in capsys.readouterr().out and (elsewhere / "gallery" / "index.html").exists()
    (everything,) = blocks(page, "")
    for line in everything.splitlines():
        _, command, *words = shlex.split(line, comments=True)
        if command == "papers" and "--all" not in words:
            assert CliRunner().invoke(app, [command, *words]).exit_code == 0
        elif words[:2] == ["leine1998", "fig2"]:
            assert CliRunner().invoke(app, [command, *words, "--quick"]).exit_code == 0
            assert (elsewhere / "rows.json").exists()


def test_the_python_of_the_orbits(elsewhere, capsys):
    scope = {}
    for block in blocks(ORBITS, "python"):
        exec(block, scope)
    printed = capsys.readouterr().out
    assert float(printed.splitlines()[6]) == pytest.approx(6.53058288421, abs=1e-10)
    (flip,) = scope["branch"].of_kind("flip")
    assert flip.value == pytest.approx(0.144251866, abs=1e-8)
    assert scope["doubled"].periods[0] == pytest.approx(2 * flip.orbit.period, rel=1e-3)
    assert scope["curve"].along("coupling.k")[-1] == 1.25
    assert scope["smooth"].period == pytest.approx(11.808, abs=1e-3)


def test_the_python_of_the_memory(elsewhere):
    scope = {}
    for block in blocks(MEMORY, "python"):
        exec(block, scope)
    assert scope["orbit"].period == pytest.approx(10.2695132736, abs=1e-9)
    (hopf,) = ss.follow(scope["steady"], "spring.k", to=0.005).special
    assert hopf.kind == "Hopf" and hopf.value == pytest.approx(0.0055, rel=1e-9)
    assert scope["law"].parameters() == {"mu": 0.3, "k": 100.0}


def test_the_commands_of_the_orbits(elsewhere):
    (everything,) = [block for block in blocks(ORBITS, "") if "stickslip orbit" in block]
    for _, *arguments in (shlex.split(line, comments=True) for line in everything.splitlines()):
        assert CliRunner().invoke(app, arguments).exit_code == 0, arguments
    assert ss.load(elsewhere / "branch.nc").special[-1].value == pytest.approx(4.611989021, abs=1e-8)
    assert {path.name for path in elsewhere.glob("*.png")} == {"phase.png", "branch.png", "two.png"}


def test_the_python_of_the_series(elsewhere, capsys):
    scope = {}
    for block in blocks(SERIES, "python"):
        exec(block, scope)
    peak, exponent, releases, dimension, sound = capsys.readouterr().out.splitlines()
    assert float(peak) == pytest.approx(0.1371, abs=0.001)
    value, error = (float(x) for x in re.search(r"exponent (\S+) ± (\S+) per unit time", exponent).groups())
    assert abs(value - 0.0221) < 2 * error < 0.004
    value, error = (float(x) for x in re.search(r"exponent (\S+) ± (\S+) per event", releases).groups())
    assert abs(value - 0.1597) < 2 * error < 0.03  # a chaotic motion: what the model itself says, within the error
    value, error = (float(x) for x in re.search(r"dimension (\S+) ± (\S+) ", dimension).groups())
    assert abs(value - 1.95) < 2 * error < 0.3 and sound == "1 s of v.string, 134.5 Hz, in real time"
    assert (elsewhere / "divergence.png").exists() and (elsewhere / "string.wav").exists()


def test_the_commands_of_the_series(elsewhere):
    (everything,) = [block for block in blocks(SERIES, "") if "stickslip series" in block]
    for _, *arguments in (shlex.split(line, comments=True) for line in everything.splitlines()):
        assert CliRunner().invoke(app, arguments).exit_code == 0, arguments
    assert {path.name for path in elsewhere.iterdir()} == {"run.nc", "spectrum.png", "lyapunov.png", "string.wav"}


def test_the_python_of_the_sweeps(elsewhere, capsys):
    pytest.importorskip("zarr")
    scope = {}
    for block in blocks(SWEEPS, "python"):
        exec(block, scope)
    printed = capsys.readouterr().out
    assert printed.splitlines()[0] == "1 1" and "[ True  True  True]" in printed
    assert "'stick → slip- → stick → slip-'" in printed and "\nTrue\n" in printed
    assert "orbit of period 6.53058: 0.60" in printed and "steady sliding: 0.40" in printed
    assert 0.1 < scope["spectrum"].per_cycle[0] < 0.22 and scope["spectrum"].lost == 1
    names = {path.name for path in elsewhere.glob("*.png")}
    assert names == {"bifurcation.png", "map.png", "signature.png", "exponent.png", "return-map.png", "basins.png"}


def test_the_commands_of_the_sweeps(elsewhere):
    pytest.importorskip("zarr")
    (everything,) = [block for block in blocks(SWEEPS, "") if "stickslip sweep" in block]
    for _, *arguments in (shlex.split(line, comments=True) for line in everything.splitlines()):
        assert CliRunner().invoke(app, arguments).exit_code == 0, arguments
    assert {path.name for path in elsewhere.iterdir()} >= {"sweep.nc", "sweep.zarr", "exponent.png", "basins.png"}


def test_friction_from_measurements(elsewhere, capsys):
    scope = {}
    for block in blocks(IDENTIFY, "python"):
        exec(block, scope)
    printed = capsys.readouterr().out
    assert "v was in mm/s: it is in m/s now." in printed and "The samples speak for popp_stelter" in printed
    assert "mu_0 = 0.400717 ± 0.0032" in printed and "c_R = 150316 ± 6.5e+02" in printed
    low, high = scope["fit"].estimate.interval("lambda_1")
    assert (low, high) == (pytest.approx(1.173, abs=5e-4), pytest.approx(1.590, abs=5e-4))
    assert ss.find_orbit(scope["system"]).period == pytest.approx(8.078, abs=5e-4)
    assert scope["again"]["delta"] == pytest.approx(3.003, abs=5e-3)
    write = ss.identify.write
    write("ring.csv", {"t": scope["contact"].time, "x": scope["contact"].displacement})
    write("stick.csv", {"t": scope["stuck"], "F": scope["breakaway"]})
    write("motion.csv", {"t": scope["t"], "x": scope["x"]})
    commands = [line for block in blocks(IDENTIFY, "") for line in block.splitlines()]
    assert len(commands) == 4
    for _, *arguments in map(shlex.split, commands):
        assert CliRunner().invoke(app, arguments).exit_code == 0, arguments
    assert len(list(elsewhere.glob("*.png"))) == 5


@pytest.mark.parametrize("text", toml_models(), ids=lambda text: text.splitlines()[0])
def test_the_model_files_that_are_shown(text):
    run = ss.simulate(files.loads(text), t=5)
    assert run.attrs["status"] == ss.Status.FINISHED.value


def test_the_laws_that_are_shown():
    excerpts = [block for block in blocks(MODEL_FILES, "toml") if not block.startswith("name")]
    lines = [line for block in excerpts for line in block.splitlines() if line.startswith("law = {")]
    assert len(lines) >= 3
    for line in lines:
        has_state = "lugre" in line or "rate" in line
        kind = "dynamiccontact" if has_state else "contact"
        shared = "[parameters]\nmu = 0.3\n" if '"mu"' in line else ""
        table = f'{shared}[mass.block]\nm = 1.0\n[{kind}.contact]\non = "block"\nagainst = "ground"\n{line}'
        assert files.loads(table).contacts == (() if has_state else ("contact",))


def test_every_kind_of_law_is_described():
    from stickslip.model.law_tables import DYNAMIC_LAWS, LAWS

    for kind in (*LAWS, *DYNAMIC_LAWS):
        assert f"| `{kind}` |" in MODEL_FILES.read_text(encoding="utf-8")


def test_the_slide_of_the_readme_is_the_example():
    (shown,) = blocks(README, "toml")
    assert tomllib.loads(shown) == tomllib.loads((ROOT / "examples" / "slide.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", sorted(ROOT.glob("examples/*.toml")), ids=lambda path: path.name)
def test_model_files_of_the_examples(path):
    run = ss.simulate(ss.load(path), t=1)
    assert run.attrs["status"] == ss.Status.FINISHED.value
    assert run.sizes["event"] > 0


@pytest.mark.parametrize("path", sorted(ROOT.glob("examples/*.py")), ids=lambda path: path.name)
def test_scripts_of_the_examples(path, elsewhere):
    runpy.run_path(str(path), run_name="__main__")
    assert list(elsewhere.glob("*.png"))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document):
    for target, place in re.findall(r"\]\(([^)#]*)(#[^)]*)?\)", document.read_text(encoding="utf-8")):
        if "://" not in target:
            path = document.parent / target if target else document
            assert path.exists(), target
            assert not place or place in anchors(path), f"{target}{place}"


def anchors(document):
    """The places in a document that a link can lead to: its headings in small letters, with dashes for spaces."""
    headings = re.findall(r"(?m)^#+ (.*)$", document.read_text(encoding="utf-8"))
    return {"#" + re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", ["architecture", "numerics", "lockstep", "compiler", "contributing"])
def test_files_named_by_the_pages_for_developers_exist(page):
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    for name in re.findall(r"`([a-z_/]+(?:\.pyi?|/))`", text):
        places = (ROOT / name, ROOT / "src" / name, ROOT / "src" / "stickslip" / name)
        assert any(place.exists() for place in places), name


def test_the_demonstration(elsewhere, capsys):
    from stickslip import demo

    assert demo.main() == 0
    assert "The numbers are right." in capsys.readouterr().out
    names = sorted(path.name for path in (elsewhere / "demo").iterdir())
    assert names == ["characteristic.png", "friction.png", "history.png", "modes.png", "phase.png"]
