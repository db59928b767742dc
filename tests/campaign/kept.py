"""Cases that are kept as model files: a model with its start, and above it, in comments, from when to when it moves."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.campaign.draw import Case, Units

import stickslip as ss
from stickslip.model import files

FOLDER = Path(__file__).parent / "kept"


@dataclass(frozen=True)
class Kept:
    """A case from a file; it has what the judge asks of a `Case`."""

    name: str
    model: ss.System
    times: tuple[float, float]
    units: Units
    fed: float = 0.0

    def system(self, like: ss.System | None = None) -> ss.System:
        return self.model

    def start_in(self, system: ss.System) -> Mapping[str, float]:
        return dict(self.model.start)


def write(case: Case, name: str, why: str) -> Path:
    """Keep a case."""
    system = case.system()
    system = system.with_(start=case.start_in(system))
    first, last = case.times
    header = [
        f'why = "{why}"',
        f"times = [{first!r}, {last!r}]",
        f"units = [{case.units.mass!r}, {case.units.length!r}, {case.units.time!r}]  # typical mass, length and time",
    ]
    path = FOLDER / f"{name}.toml"
    FOLDER.mkdir(exist_ok=True)
    path.write_text("\n".join([*(f"# {line}" for line in header), "", files.dumps(system)]))
    return path


def read(path: Path) -> Kept:
    """A case that was kept."""
    text = path.read_text()
    header = "\n".join(line.removeprefix("# ") for line in text.split("\n\n", 1)[0].splitlines())
    about = tomllib.loads(header)
    return Kept(path.stem, files.loads(text), (about["times"][0], about["times"][1]), Units(*about["units"]))


def all_kept() -> list[Path]:
    return sorted(FOLDER.glob("*.toml"))
