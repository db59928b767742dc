"""Whatever a user has asked to be written: where that cannot be, a sentence names the file, and the old one stays."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stickslip as ss
from stickslip import files, identify, series

RUN = ss.simulate(ss.models.block_on_belt(), 40.0)
WRITERS: dict[str, Callable[[Path], Any]] = {
    "run.nc": lambda path: ss.save(RUN, path),
    "run.csv": lambda path: ss.save(RUN, path),
    "picture.png": lambda path: ss.plot.save(ss.plot.phase(RUN), path),
    "sound.wav": lambda path: series.to_wav(RUN, path),
    "table.csv": lambda path: identify.write(path, {"x": np.arange(3.0)}),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_is_told_with_the_name(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / name
    path.write_text("old")

    def full(_: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "put_on_disk", full)
    with pytest.raises(ss.errors.WriteError, match=f"cannot write '.*{name}': No space left on device"):
        WRITERS[name](path)
    assert [file.name for file in tmp_path.iterdir()] == [name] and path.read_text() == "old"
