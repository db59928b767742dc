"""`make mutants`: makes each deliberate mistake in a copy of the package and says which ones no test notices.

python -m tests.mutants [WORD …]      those alone whose names contain a word
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.mutants.changes import CHANGES, Change

ROOT = Path(__file__).parents[2]
PATIENCE = 600
"""Seconds after which tests that hang have noticed."""


def main(words: Iterable[str]) -> int:
    chosen = [change for change in CHANGES if all(word in change.name for word in words)]
    with tempfile.TemporaryDirectory(prefix="stickslip-mutants-") as folder:
        scratch = Path(folder)
        shutil.copytree(ROOT / "src", scratch / "src", ignore=shutil.ignore_patterns("__pycache__"))
        everything = sorted({test for change in chosen for test in change.tests})
        if not passes(scratch, everything):
            print("The tests fail as it is: nothing can be said about mistakes.")
            return 1
        survivors = [change for change in chosen if not is_noticed(change, scratch)]
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} mistakes are noticed.")
    return 1 if survivors else 0


def is_noticed(change: Change, scratch: Path) -> bool:
    """Make the mistake, run its tests, and put the text right again."""
    file = scratch / "src" / "stickslip" / change.file
    text = file.read_text(encoding="utf-8")
    if text.count(change.old) != 1:
        print(f"STALE     {change.name}: its text is {text.count(change.old)} times in {change.file}", flush=True)
        return False
    file.write_text(text.replace(change.old, change.new), encoding="utf-8")
    try:
        noticed = not passes(scratch, change.tests)
    finally:
        file.write_text(text, encoding="utf-8")
    print(f"{'noticed' if noticed else 'SURVIVES':<9} {change.name}", flush=True)
    return noticed


def passes(scratch: Path, tests: Iterable[str]) -> bool:
    """Whether these tests pass with the package as it is in the scratch folder."""
    command = [sys.executable, "-m", "pytest", "-x", "-n", "0", "-m", "", "-p", "no:cacheprovider", *tests]
    variables = {
        "PYTHONPATH": str(scratch / "src"),
        "STICKSLIP_CACHE": str(scratch / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=os.environ | variables, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    if done.returncode > 2:  # neither a test that failed nor a package that cannot be imported, but pytest itself
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
