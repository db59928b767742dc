"""`stickslip orbit`: from what the user typed to the orbit, what is known of it, its file and its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stickslip.cli import arguments, outputs
from stickslip.cli.progress import Progress
from stickslip.cli.screen import console, number, table
from stickslip.errors import ModelError
from stickslip.model.errors import shown
from stickslip.model.system import Model, suggest

if TYPE_CHECKING:
    from rich.console import Console

    from stickslip.methods.base import Method
    from stickslip.orbits.orbit import Orbit
    from stickslip.orbits.signature import Event

PICTURES = ("phase", "history", "friction", "modes", "multipliers")
METHODS = ("exact", "smooth", "switch")


@dataclass(frozen=True)
class Search:
    """Which orbit is meant: a model (or a saved orbit) with its parameters, and where to look."""

    model: str
    settings: list[str]
    start: list[str]
    period: float | None
    method: str
    eps: float | None
    eta: float | None
    unstable: bool = False

    @property
    def is_saved(self) -> bool:
        """Whether MODEL is the file of an orbit."""
        return self.model.endswith(".nc")


def perform(search: Search, count: int | None, plots: Sequence[Path], save: Path | None) -> bool:
    """Find, sum up, save, draw; whether the search came to its end."""
    outputs.check(plots, save)
    saved = outputs.Saved()
    with Progress() as progress:
        found, done = ([found_orbit(search)], None) if count is None else _all_orbits(search, count, progress)
        progress.hold()
        saved.save(save, *found)
    out = console()
    for i, orbit in enumerate(found, 1):
        if i > 1:
            out.print()
        print_orbit(out, orbit, f", orbit {i} of {len(found)}" if len(found) > 1 else "")
    saved.tell(out)
    for path in plots:
        for i, orbit in enumerate(found, 1):
            out.print(f"drew {_draw(orbit, outputs.numbered(path, i, len(found)))}", soft_wrap=True)
    finished = done == count
    if not finished:
        out.print(f"\nThe search was interrupted by the user after {done} of {count} starts.", style="yellow")
    return finished


# -- finding -----------------------------------------------------------------------------------------------------------


def model_of(search: Search) -> Model:
    """The model with its parameters set; of a saved orbit, that which it belongs to."""
    settings = arguments.read_numbers("--set", search.settings)
    model = saved_orbit(search.model).model if search.is_saved else arguments.read_model(search.model)
    changed: Model = model.with_(settings)
    return changed


def found_orbit(search: Search) -> Orbit:
    """The orbit that is meant."""
    model, method, start = model_of(search), method_of(search), arguments.read_numbers("--start", search.start)
    from stickslip import find_orbit

    if search.is_saved:
        orbit = _unchanged(search)
        return find_orbit(model, orbit) if search.settings else orbit
    guess: Any = start or None if search.period is None else (start, search.period)
    return find_orbit(model, guess, method=method, unstable=search.unstable)


def _unchanged(search: Search) -> Orbit:
    if search.start or search.period is not None or search.method != METHODS[0]:
        raise ModelError(
            f"{shown(search.model)} is an orbit already: it takes --set, but no --start, --period, --method"
        )
    return saved_orbit(search.model)


def saved_orbit(path: str) -> Orbit:
    """The orbit in a file."""
    from stickslip import Orbit, load

    orbit = load(path)
    if not isinstance(orbit, Orbit):
        kind = "a run" if hasattr(orbit, "variables") else "a branch"
        raise ModelError(f"{shown(path)} holds {kind}, not an orbit: give a model, or the file of an orbit")
    return orbit


def method_of(search: Search) -> Method:
    """The method by its name and number."""
    from stickslip import Exact, Smoothing, Switch

    if search.method not in METHODS:
        raise ModelError(f"there is no method {shown(search.method)}{suggest(search.method, METHODS)}")
    for name, given, needs in (("--eps", search.eps, "smooth"), ("--eta", search.eta, "switch")):
        if given is not None and search.method != needs:
            raise ModelError(f"{name} belongs to --method {needs}, not to {search.method}")
    if search.method == "smooth":
        if search.eps is None:
            raise ModelError("--method smooth needs --eps, the steepness of the smoothed friction, as in --eps 1e4")
        return Smoothing(eps=search.eps)
    if search.method == "switch":
        return Switch() if search.eta is None else Switch(eta=search.eta)
    return Exact()


def _all_orbits(search: Search, count: int, progress: Progress) -> tuple[list[Orbit], int]:
    """The orbits that random starts lead to, and how many starts were tried before the user had enough."""
    from stickslip import find_orbits

    if count < 1:
        raise ModelError(f"--all is {count}: give how many random starts to try")
    if search.is_saved or search.start or search.period is not None or search.method != METHODS[0]:
        raise ModelError(
            "--all tries random starts of a model: it goes with --set, not with --start, --period, --method"
        )
    model, done = model_of(search), 0

    def report(tried: int, total: int) -> None:
        nonlocal done
        done = tried
        progress.show("searching", tried, total)

    found = find_orbits(model, starts=count, unstable=search.unstable, progress=report)
    if not found:
        raise ModelError(
            f"none of {count} random starts led to a periodic orbit: try more, --unstable for orbits that motions "
            "only pass by, or --start and --period"
        )
    return found, done


# -- printing ----------------------------------------------------------------------------------------------------------


def print_orbit(out: Console, orbit: Orbit, more: str = "") -> None:
    """Period, stability, multipliers, signature, start, and the phases."""
    model = orbit.model
    out.print((model.about.title or model.about.name or "Unnamed model") + more, style="bold")
    out.print("stable" if orbit.stable else "unstable", style="green" if orbit.stable else "yellow")
    out.print(table(_properties(orbit)))
    rows = [(name, number(value, 12), model.units[name]) for name, value in orbit.start.items()]
    out.print()
    out.print(table(rows, ("state", "start", "unit" if any(model.units.values()) else "")))
    if _has_phases(orbit):
        out.print()
        out.print(table(_phases(orbit), ("phase", "duration", *model.contacts, "ends when"), most=len(orbit.signature)))


def _properties(orbit: Orbit) -> list[tuple[str, str]]:
    unit = f" {orbit.model.time_unit}" if orbit.model.time_unit else ""
    excited = f" = {orbit.turns} × the period of the excitation" if orbit.turns else ""
    rows = [
        ("period", number(orbit.period, 12) + unit + excited),
        ("multipliers", multipliers_line(orbit)),
    ]
    return [*rows, ("signature", str(orbit.signature).replace("slip-", "slip−"))] if _has_phases(orbit) else rows


def multipliers_line(orbit: Orbit, digits: int = 10) -> str:
    """All multipliers, largest first."""
    return ", ".join(_complex(complex(value), digits) for value in orbit.multipliers)


def _complex(value: complex, digits: int) -> str:
    if abs(value.imag) <= 1e-12 * abs(value):
        return number(value.real, digits)
    sign = "+" if value.imag > 0 else "−"
    return f"{number(value.real, digits)} {sign} {number(abs(value.imag), digits)}i"


def _has_phases(orbit: Orbit) -> bool:
    """Whether the orbit is made of phases; those of smoothed systems are not."""
    from stickslip import Exact

    return isinstance(orbit.method, Exact)


def _phases(orbit: Orbit) -> list[tuple[str, ...]]:
    words = {0: "stick", 1: "slip+", -1: "slip−"}
    signature = orbit.signature
    rows = zip(signature.modes, orbit.phases.durations.tolist(), signature.events, strict=True)
    return [
        (str(i), number(duration), *(words[mode] for mode in modes), _ending(orbit, event))
        for i, (modes, duration, event) in enumerate(rows, 1)
    ]


def _ending(orbit: Orbit, event: Event) -> str:
    if event.kind not in ("stop", "release"):
        return "the period is over"
    return f"{orbit.model.contacts[event.contact]} {'stops' if event.kind == 'stop' else 'is released'}"


# -- files -------------------------------------------------------------------------------------------------------------


def _draw(orbit: Orbit, path: Path) -> Path:
    from stickslip import plot

    kind = outputs.picture_of(path, PICTURES)
    if kind == "phase":
        return plot.save(orbit.plot(), path)
    return plot.save(getattr(plot, kind)(orbit if kind == "multipliers" else orbit.data), path)
