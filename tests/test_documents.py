"""Model files, links and examples of the documents are right; their code is run by tests/test_pages.py."""

import ast
import re
import runpy
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import stickslip as ss
from stickslip.cli import app
from stickslip.model import files

ROOT = Path(__file__).parents[1]
FILES = ROOT / "docs" / "howto" / "files.md"
MODEL_FILES = ROOT / "docs" / "model-files.md"
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def blocks(document, language):
    """The code blocks of a document in one language."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", document.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [block for name, block in found if name == language]


MADE = re.compile(r"^/computed/|gallery/index\.rst$")
"""What there is only on the site: pictures that pages compute, and the gallery."""


def toml_models():
    found = [block for document in (FILES, MODEL_FILES) for block in blocks(document, "toml")]
    return [block for block in found if re.match(r"(#.*\n)?name", block)]


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("text", toml_models(), ids=lambda text: text.splitlines()[0])
def test_the_model_files_that_are_shown(text):
    run = ss.simulate(files.loads(text), t=5)
    assert run.attrs["status"] == ss.Status.FINISHED.value


def test_the_laws_that_are_shown():
    excerpts = [block for block in blocks(MODEL_FILES, "toml") if not re.match(r"(#.*\n)?name", block)]
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


def test_the_slide_that_is_shown_is_the_example():
    (shown,) = blocks(FILES, "toml")
    assert tomllib.loads(shown) == tomllib.loads((ROOT / "examples" / "slide.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", sorted(ROOT.glob("examples/*.toml")), ids=lambda path: path.name)
def test_model_files_of_the_examples(path, elsewhere):
    """By the command that stands at their head."""
    (command,) = re.findall(r"(?m)^#     stickslip (.*)$", path.read_text(encoding="utf-8"))
    words = [str(ROOT / word) if word.startswith("examples/") else word for word in command.split()]
    result = CliRunner().invoke(app, [*words, "--save", "run.nc"])
    assert result.exit_code == 0, result.output
    run = ss.load("run.nc")
    assert str(path) in words and run.attrs["status"] == ss.Status.FINISHED.value
    assert run.sizes["event"] > 0 and Path("history.png").stat().st_size > 0


LONG = "brake.py"
"""The example that takes longest."""


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.name, marks=pytest.mark.nightly if path.name == LONG else ())
        for path in sorted(ROOT.glob("examples/*.py"))
    ],
)
def test_scripts_of_the_examples(path, elsewhere):
    runpy.run_path(str(path), run_name="__main__")
    assert list(elsewhere.glob("*.png"))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(document):
    for target, place in re.findall(r"\]\(([^)#]*)(#[^)]*)?\)", document.read_text(encoding="utf-8")):
        if "://" not in target and not MADE.search(target):
            path = document.parent / target if target else document
            assert path.exists(), target
            assert not place or place in anchors(path), f"{target}{place}"


def anchors(document):
    """The places in a document that a link can lead to: its headings in small letters, with dashes for spaces."""
    headings = re.findall(r"(?m)^#+ (.*)$", document.read_text(encoding="utf-8"))
    return {"#" + re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_version_is_the_same_everywhere():
    assert f"version: {ss.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## [{ss.__version__}]\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def benchmarks():
    """Each command of a benchmark that a page names, with the page: `python bench/forced.py --law stribeck`."""
    command = re.compile(r"python (?:-m )?(bench[/.]\w+(?:\.py)?)((?: [-\w/.]+)*)")
    return [
        pytest.param(script, words.split(), id=f"{page.name}: {script}{words}")
        for page in DOCUMENTS
        for script, words in sorted(set(command.findall(page.read_text(encoding="utf-8"))))
    ]


@pytest.mark.parametrize("script, words", benchmarks())
def test_benchmarks_that_pages_name_know_their_words(script, words):
    """They take too long to be run; but the script is there, and what is said to it stands in it as text."""
    path = ROOT / (script if script.endswith(".py") else f"{script.replace('.', '/')}.py")
    read = ast.parse(path.read_text(encoding="utf-8"))
    imported = {f"{name.name}.py" for node in ast.walk(read) if isinstance(node, ast.Import) for name in node.names}
    texts = {"FOLDER", "../other/src"}  # what stands for a folder of one's own
    for each in [path, *(path.parent / name for name in imported if (path.parent / name).exists())]:
        tree = ast.parse(each.read_text(encoding="utf-8"))
        texts |= {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and type(node.value) is str}
    assert [word for word in words if word not in texts] == []


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
