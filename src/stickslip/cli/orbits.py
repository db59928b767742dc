"""`stickslip orbit`: from what the user typed to the orbit, what is known of it, its file and its pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from stickslip.cli import arguments, methods, outputs
from stickslip.cli.screen import number, table
from stickslip.errors import ModelError
from stickslip.model.errors import shown
from stickslip.model.system import Model

if TYPE_CHECKING:
    from rich.console import Console

    from stickslip.cli.commands.orbits import Orbit as OrbitCommand
    from stickslip.cli.commands.orbits import Search
    from stickslip.cli.progress import Progress
    from stickslip.cli.report import Report
    from stickslip.orbits.orbit import Orbit
    from stickslip.orbits.signature import Event

PICTURES = ("phase", "history", "friction", "modes", "multipliers")


def perform(asked: OrbitCommand, report: Report) -> bool:
    """Find, sum up, save, draw; whether the search came to its end."""
    outputs.check(asked.plot, asked.save)
    saved = outputs.Saved()
    with report.progress() as progress:
        found, done = ([found_orbit(asked)], None) if asked.starts is None else _all_orbits(asked, progress)
        progress.hold()
        saved.save(asked.save, *found)
    finished = done == asked.starts
    report.tell(model=found[0].model.about.called, orbits=[facts(orbit) for orbit in found], starts=done)
    for i, orbit in enumerate(found, 1):
        if i > 1:
            report.out.print()
        print_orbit(report.out, orbit, f", orbit {i} of {len(found)}" if len(found) > 1 else "")
    saved.tell(report)
    for path in asked.plot:
        for i, orbit in enumerate(found, 1):
            report.drew(_draw(orbit, outputs.numbered(path, i, len(found))))
    if not finished:
        report.tell(status=f"The search was interrupted by the user after {done} of {asked.starts} starts.")
        report.out.print(f"\n{report.facts['status']}", style="yellow")
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
    model, start = model_of(search), arguments.read_numbers("--start", search.start)
    method = methods.chosen(search, methods.WITH_ORBITS)
    from stickslip import find_orbit

    if search.is_saved:
        orbit = _unchanged(search)
        return find_orbit(model, orbit) if search.settings else orbit
    guess: Any = start or None if search.period is None else (start, search.period)
    return find_orbit(model, guess, method=method, forcing=search.forcing, unstable=search.unstable)


def _unchanged(search: Search) -> Orbit:
    if search.start or search.period is not None or search.method != "exact":
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


def _all_orbits(asked: OrbitCommand, progress: Progress) -> tuple[list[Orbit], int]:
    """The orbits that random starts lead to, and how many starts were tried before the user had enough."""
    from stickslip import find_orbits

    count = asked.starts or 0
    if count < 1:
        raise ModelError(f"--all is {count}: give how many random starts to try")
    if asked.is_saved or asked.start or asked.period is not None or asked.method != "exact":
        raise ModelError(
            "--all tries random starts of a model: it goes with --set, not with --start, --period, --method"
        )
    model, done = model_of(asked), 0

    def report(tried: int, total: int) -> None:
        nonlocal done
        done = tried
        progress.show("searching", tried, total)

    found = find_orbits(
        model, starts=count, seed=asked.seed, forcing=asked.forcing, unstable=asked.unstable, progress=report
    )
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
    out.print(arguments.title_of(model) + more, style="bold")
    out.print("stable" if orbit.stable else "unstable", style="green" if orbit.stable else "yellow")
    out.print(table(_properties(orbit)))
    rows = [(name, number(value, 12), model.units[name]) for name, value in orbit.start.items()]
    out.print()
    out.print(table(rows, ("state", "start", "unit" if any(model.units.values()) else "")))
    if _has_phases(orbit):
        out.print()
        out.print(table(_phases(orbit), ("phase", "duration", *model.contacts, "ends when"), most=len(orbit.signature)))


def facts(orbit: Orbit) -> dict[str, Any]:
    """All of it, for programs."""
    return {
        "period": orbit.period,
        "turns": orbit.turns,
        "stable": bool(orbit.stable),
        "multipliers": [complex(value) for value in orbit.multipliers],
        "signature": str(orbit.signature) if _has_phases(orbit) else None,
        "start": orbit.start,
        "start_time": orbit.start_time,
        "phases": [
            {"mode": dict(zip(orbit.model.contacts, modes, strict=True)), "duration": duration}
            for modes, duration in zip(orbit.signature.modes, orbit.phases.durations.tolist(), strict=True)
        ]
        if _has_phases(orbit)
        else None,
        "parameters": dict(orbit.model.parameters),
        "method": repr(orbit.method),
    }


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
    return ", ".join(complex_text(complex(value), digits) for value in orbit.multipliers)


def complex_text(value: complex, digits: int) -> str:
    """A complex number, real where it is."""
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
