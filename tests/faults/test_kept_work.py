"""A short part of the faults of stores, results and clusters; `make faults` has more."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def failures(area: str, count: int) -> str:
    """In a process of its own, which forks: one that has threads must not."""
    program = f"from tests.faults import {area}; print('failures', {area}.campaign({count}, 1))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not fork")
@pytest.mark.parametrize("area", [pytest.param("stores", marks=pytest.mark.nightly), "results"])
def test_no_fault_loses_anything(area: str) -> None:
    pytest.importorskip("zarr")
    assert failures(area, 3) == "failures []"


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not fork")
def test_no_cluster_that_dies_loses_anything() -> None:
    pytest.importorskip("distributed")
    assert failures("cluster", 40) == "failures []"
