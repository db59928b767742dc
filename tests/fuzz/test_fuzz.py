"""Thousands of inputs that nobody would write, and those that were wrong once."""

import tempfile
from pathlib import Path

import pytest
from tests.fuzz import guards, hunt
from tests.fuzz.deeds import DEEDS
from tests.fuzz.mutate import CORPUS
from tests.fuzz.worker import KINDS, drawn

KEPT = [(kind, path) for kind in hunt.ALL for path in sorted((CORPUS / kind).glob("*"))]


@pytest.mark.parametrize("kind, path", KEPT, ids=lambda value: getattr(value, "name", value))
def test_what_was_kept_is_taken_or_refused(kind: str, path: Path) -> None:
    data = path.read_bytes()
    KINDS[kind].judge(data if kind == "netcdf" else data.decode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.nightly)])
def test_thousands_of_inputs(count: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert hunt.campaign(count, seed=16) == []
    assert f"{count} inputs" in capsys.readouterr().out


def test_the_long_run_would_notice(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    failures = hunt.campaign(30, seed=1, kinds=("itself",))
    assert not [path.name for path in tmp_path.iterdir() if path.is_dir()]  # what crashed has left nothing
    done = {drawn("itself", 1, i) for i in range(30)}
    assert done == set(DEEDS)
    for said in (
        "SIGABRT",
        "os.system",
        "exec",
        "open for writing",
        "socket",
        "not a sentence",
        "MemoryError",
        "Recursion",
    ):
        assert any(said in line for line in failures), said
    assert len(failures) == len(DEEDS) - 1


def test_a_process_that_tries_nothing_is_no_failing_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where what it needs has another name by now: otherwise every input would be counted, one by one."""
    (tmp_path / "sitecustomize.py").write_text("raise SystemExit(1)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="ended before its first input"):
        hunt.campaign(5, seed=1, kinds=("itself",))


def test_inputs_are_the_same_in_every_process() -> None:
    for kind in hunt.ALL:
        assert drawn(kind, 3, 7) == drawn(kind, 3, 7)
    assert guards.SECONDS == 10 and guards.BYTES == 10**9
