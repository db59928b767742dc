"""The package as others get it: what is in wheel and sdist, and whether they work where nothing else is installed.

python -m tests.wheel dist [PYTHON …]      each PYTHON gets an environment of its own; by default the one that runs this
"""

import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"


def needed() -> set[str]:
    """Every file that git knows of the package, but for the text of the explorer's page, whose bundle is there."""
    listed = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {name.removeprefix("src/") for name in listed.splitlines() if "/explorer/page/" not in name}


def check_contents(wheel: Path, sdist: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert inside == needed(), f"{wheel.name} differs in {sorted(inside ^ needed())[:5]}"
    assert {"stickslip/py.typed", "stickslip/explorer/static/page.js", "stickslip/__init__.pyi"} <= inside
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    missing = {f"src/{name}" for name in needed()} | {"README.md", "LICENSE", "docs/index.md", "tests/wheel.py"}
    assert missing <= names, f"{sdist.name} lacks {sorted(missing - names)[:5]}"
    print(f"{wheel.name}: {len(inside)} files, {wheel.stat().st_size / 1e6:.1f} MB; {sdist.name}: {len(names)} files")


def try_out(package: Path, python: str, folder: Path) -> None:
    """Install it into an environment of its own, away from the sources, and use it."""
    place = folder / f"{Path(python).name}-{package.suffix.strip('.')}"
    subprocess.run([python, "-m", "venv", place], check=True)
    home = place / "elsewhere"
    home.mkdir()

    def run(*words: str) -> str:
        done = subprocess.run([place / "bin" / words[0], *words[1:]], cwd=home, capture_output=True, text=True)
        assert done.returncode == 0, f"{' '.join(words)}: {done.stdout}{done.stderr}"
        return done.stdout

    run("pip", "install", "--quiet", "--disable-pip-version-check", f"{package}[explore]")
    assert "simulate" in run("stickslip", "--help")
    assert "The run reached the end time." in run("stickslip", "simulate", "block_on_belt", "--t", "10")
    assert "vandevrande1999" in run("stickslip", "papers")
    assert "127.0.0.1" in run("stickslip", "explore", "--check", "--json")
    where = run("python", "-c", "import stickslip; print(stickslip.__file__)").strip()
    assert Path(where).is_relative_to(place), f"{where} was imported"
    print(f"{package.name} works with {run('python', '--version').strip()}")


def main(folder: str, *pythons: str) -> None:
    dist = Path(folder).resolve()
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    check_contents(wheel, sdist)
    with tempfile.TemporaryDirectory() as scratch:
        for python in pythons or (sys.executable,):
            try_out(wheel, python, Path(scratch))
        try_out(sdist, (pythons or (sys.executable,))[0], Path(scratch))


if __name__ == "__main__":
    main(*sys.argv[1:])
