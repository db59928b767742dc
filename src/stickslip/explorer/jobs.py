"""What a page can ask for, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Job:
    """A job: where it is done, and whether it takes no longer than a person notices."""

    module: str
    quick: bool = False


JOBS: Mapping[str, Job] = {
    "describe": Job("description", quick=True),
    "motion": Job("motion", quick=True),
    "script": Job("scripts", quick=True),
    "sound": Job("sounds"),
    "diagram": Job("diagrams"),
    "map": Job("maps"),
    "section": Job("sections"),
    "orbit": Job("orbits"),
    "equilibria": Job("orbits"),
    "branch": Job("following"),
    "basins": Job("basins"),
    "data": Job("downloads"),
}
"""Those that are not quick have processes of their own, so that they never keep a slider waiting."""
