"""Every page with code is run, and says what its code prints; and what runs them notices a page that is wrong."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stickslip as ss

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def load() -> ModuleType:
    """docs/executed.py, which Sphinx loads from its folder."""
    spec = importlib.util.spec_from_file_location("executed", DOCS / "executed.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


executed = load()
NIGHTLY = (pytest.mark.nightly, pytest.mark.timeout(1800))
PAGES = [
    pytest.param(page, id=page.relative_to(ROOT).as_posix(), marks=NIGHTLY if executed.is_nightly(page) else ())
    for page in [ROOT / "README.md", *executed.pages()]
]


def besides_orbits(scope: dict[str, Any], folder: Path) -> None:
    (flip,) = scope["branch"].of_kind("flip")
    assert scope["doubled"].periods[0] == pytest.approx(2 * flip.orbit.period, rel=1e-3)
    assert scope["curve"].along("coupling.k")[-1] == 1.25
    assert ss.load(folder / "branch.nc").special[-1].value == pytest.approx(4.611989021, abs=1e-8)
    assert {path.name for path in folder.glob("*.png")} == {"phase.png", "branch.png", "two.png"}


def besides_memory(scope: dict[str, Any], folder: Path) -> None:
    (hopf,) = ss.follow(scope["steady"], "spring.k", to=0.005).special
    assert hopf.kind == "Hopf" and hopf.value == pytest.approx(0.0055, rel=1e-9)
    assert scope["law"].parameters() == {"mu": 0.3, "k": 100.0}


def besides_series(scope: dict[str, Any], folder: Path) -> None:
    """The motion is chaotic: what the model itself says, within the error."""
    in_time, per_release = scope["exponent"], ss.series.largest_exponent(scope["releases"])
    assert abs(in_time.exponent - 0.0221) < 2 * in_time.error < 0.004
    assert abs(per_release.exponent - 0.1597) < 2 * per_release.error < 0.03
    dimension = ss.series.correlation_dimension(scope["x"])
    assert abs(dimension.value - 1.95) < 2 * dimension.error < 0.3
    assert ss.series.spectrum(scope["x"]).attrs["peak"] == pytest.approx(0.1371, abs=0.001)
    written = {path.name for path in folder.iterdir()}
    assert written == {"divergence.png", "string.wav", "run.nc", "spectrum.png", "lyapunov.png"}


def besides_sweeps(scope: dict[str, Any], folder: Path) -> None:
    assert 0.1 < scope["spectrum"].per_cycle[0] < 0.22 and scope["spectrum"].lost == 1
    names = {path.name for path in folder.glob("*.png")}
    assert names == {"bifurcation.png", "map.png", "signature.png", "exponent.png", "return-map.png", "basins.png"}
    assert {path.name for path in folder.iterdir()} >= {"sweep.nc", "sweep.zarr", "speeds.zarr"}


def besides_identify(scope: dict[str, Any], folder: Path) -> None:
    low, high = scope["fit"].estimate.interval("lambda_1")
    assert (low, high) == (pytest.approx(1.173, abs=5e-4), pytest.approx(1.590, abs=5e-4))
    assert scope["again"]["delta"] == pytest.approx(3.003, abs=5e-3)
    assert len(list(folder.glob("*.png"))) == 5


def besides_papers(scope: dict[str, Any], folder: Path) -> None:
    assert (folder / "gallery" / "index.html").exists() and (folder / "rows.json").exists()


def besides_commands(scope: dict[str, Any], folder: Path) -> None:
    assert all((folder / name).exists() for name in ("run.nc", "methods.png", "sections.csv", "exponents.csv"))


def besides_readme(scope: dict[str, Any], folder: Path) -> None:
    assert scope["orbit"].period == pytest.approx(12.00103129483, abs=1e-10)
    assert {path.name for path in folder.iterdir()} >= {"phase.png", "belt.gif", "branch.png", "run.nc", "drilling.png"}


def besides_files(scope: dict[str, Any], folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} >= {"run.nc", "run.csv", "events.csv", "motion.csv"}


BESIDES = {
    "README.md": besides_readme,
    "docs/command-line.md": besides_commands,
    "docs/howto/files.md": besides_files,
    "docs/identify.md": besides_identify,
    "docs/memory.md": besides_memory,
    "docs/orbits.md": besides_orbits,
    "docs/papers.md": besides_papers,
    "docs/series.md": besides_series,
    "docs/sweeps.md": besides_sweeps,
}
"""What is held of a page besides what it says itself."""


def test_pages_that_are_held_besides_are_there():
    assert BESIDES.keys() <= {each.id for each in PAGES}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_what_its_code_prints(page, tmp_path):
    scope = executed.run(page, tmp_path)
    besides = BESIDES.get(page.relative_to(ROOT).as_posix())
    if besides is not None:
        besides(scope, tmp_path)
    text = page.read_text(encoding="utf-8")
    for name in re.findall(rf"\(/computed/{re.escape(name_in_computed(page))}/([^)]+)\)", text):
        assert (tmp_path / name).stat().st_size > 0, f"{page.name} shows {name}, and nothing makes it"


def name_in_computed(page: Path) -> str:
    return executed.name_of(page) if page.is_relative_to(DOCS) else "-"


PAGE = """# A page

```python
print("a period of", 12.00103)
print("and 7 flips")
```

```output
{}
```
"""


@pytest.mark.parametrize(
    "said, right",
    [
        ("a period of 12.00103\nand 7 flips", True),
        ("a period of 12.001\nand 7 flips", True),
        ("a period of 12.0\n…", True),
        ("…\nand 7 flips", True),
        ("a period of …\nand 7 flips", True),
        ("a period of 12.00105\nand 7 flips", False),
        ("a period of 12.003\nand 7 flips", False),
        ("a period of 13\nand 7 flips", False),
        ("a period of 12.001\nand 8 flips", False),
        ("a period of 12.001\nand 7 folds", False),
        ("a period of 12.001", False),
        ("a period of 12.001\nand 7 flips\nand more", False),
        ("…\nand 8 flips", False),
        ("the period of …\nand 7 flips", False),
    ],
)
def test_a_page_that_says_something_else_is_found(said, right, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE.format(said), encoding="utf-8")
    if right:
        executed.run(page, tmp_path)
    else:
        with pytest.raises(executed.Differs, match=r"page\.md, line \d+"):
            executed.run(page, tmp_path)


def test_a_command_that_fails_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```console\n$ stickslip simulate no_such_model\n```\n", encoding="utf-8")
    with pytest.raises(executed.Differs, match="no_such_model"):
        executed.run(page, tmp_path)


@given(st.floats(-1e6, 1e6).filter(lambda x: abs(x) > 1e-3), st.integers(1, 9))
def test_a_number_agrees_to_the_digits_that_are_said(x, digits):
    said = f"x = {x:.{digits}e}"
    unit = 10.0 ** (int(said.partition("e")[2]) - digits)
    assert executed.agrees(said, f"x = {x!r}")
    assert not executed.agrees(said, f"x = {x + 2 * unit!r}") and not executed.agrees(said, f"x = {x - 2 * unit!r}")


def test_every_public_name_is_in_the_reference():
    """Each once, below the module that its page is about."""
    modules = ("errors", "identify", "models", "observe", "plot", "series")
    listed = []
    for page in sorted((DOCS / "reference").glob("*.md")):
        module = ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith(".. currentmodule:: "):
                module = line.removeprefix(".. currentmodule:: stickslip").strip(".")
            elif re.fullmatch(r" {3}\w+", line):
                listed.append(".".join(filter(None, (module, line.strip()))))
    assert len(listed) == len(set(listed))
    names = {name for name in ss.__all__ if name not in (*modules, "__version__", "StickslipError")}
    errors = {name for name in ss.errors.__all__ if name != "StickslipError"}
    for module in modules:
        names |= {
            f"{module}.{name}" for name in getattr(ss, module).__all__ if module == "errors" or name not in errors
        }
    assert set(listed) == names
