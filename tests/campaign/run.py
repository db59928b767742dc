"""Many cases on several processes until the time is over, and a table of what came out."""

from __future__ import annotations

import argparse
import itertools
import math
import time
import traceback
from collections import Counter
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from tests.campaign import bounds, itself, kept, orbits
from tests.campaign.draw import Case, Units, draw_case, draw_structure
from tests.campaign.judge import AGREES, DIFFERS, FALSE_END, SENSITIVE, UNJUDGED, Verdict, judge
from tests.campaign.shrink import shrunk
from tests.referee.motion import FINISHED

RAISED = "raised"


@dataclass
class Tally:
    """What came out so far."""

    outcomes: Counter[str] = field(default_factory=Counter)
    ends: Counter[tuple[str, str]] = field(default_factory=Counter)
    events: int = 0
    ambiguous: int = 0
    otherwise: int = 0
    failures: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        """Systems that were judged."""
        return sum(self.outcomes.values())

    def add(self, label: str, verdict: Verdict) -> str | None:
        """Count one verdict; returns a line where it is a failure."""
        self.outcomes[verdict.outcome] += 1
        self.events += verdict.events
        self.ambiguous += verdict.ambiguous
        self.otherwise += verdict.otherwise
        if verdict.end != FINISHED:
            confirmed = "not confirmed" if verdict.outcome in (DIFFERS, FALSE_END) else "confirmed"
            self.ends[verdict.end, confirmed] += 1
        if verdict.outcome in (DIFFERS, FALSE_END, UNJUDGED, RAISED):
            line = f"{label}  {verdict.outcome}: {verdict.parting or verdict.note}"
            self.failures.append(line)
            return line
        return None

    def merge(self, other: Tally) -> None:
        self.outcomes += other.outcomes
        self.ends += other.ends
        self.events += other.events
        self.ambiguous += other.ambiguous
        self.otherwise += other.otherwise
        self.failures += other.failures

    def table(self, seconds: float) -> str:
        rows = [("systems", self.count), ("events", self.events), ("agree", self.outcomes[AGREES])]
        rows += [("sensitive", self.outcomes[SENSITIVE]), ("silent differences", self.outcomes[DIFFERS])]
        rows += [("ended for a false reason", self.outcomes[FALSE_END])]
        known = (AGREES, SENSITIVE, DIFFERS, FALSE_END)
        rows += [(name, count) for name, count in sorted(self.outcomes.items()) if name not in known]
        rows += [("met modes that are equally consistent", self.ambiguous)]
        rows += [("took consistent modes that stick less than others", self.otherwise)]
        rows += [
            (f"ended early, {reason}, {confirmed}", count) for (reason, confirmed), count in sorted(self.ends.items())
        ]
        lines = [f"{name:<60} {count:>9}" for name, count in rows]
        return "\n".join([*lines, f"{'seconds':<60} {seconds:>9.0f}"])


@dataclass(frozen=True)
class Order:
    """What to do: the seed, how many parameter sets for each structure, how long each moves."""

    seed: int = 1
    sets: int = 20
    duration: float = 20.0
    plain: bool = False
    """In natural units and from t = 0 alone."""

    shrink: float = 0.0
    """For how many seconds each failure is made smaller, to be kept."""

    skip: tuple[str, ...] = ()
    """Cases with one of these features are left out."""

    def case(self, structure: int, numbers: int) -> Case:
        """A case from its numbers alone."""
        drawn = draw_structure(np.random.default_rng([self.seed, structure]))
        rng = np.random.default_rng([self.seed, structure, numbers])
        case = draw_case(drawn, rng, self.duration, f"{structure}:{numbers}")
        return replace(case, units=Units(), origin=0.0) if self.plain else case


class SelfTally:
    """What came out of comparisons of the library with itself, by variation."""

    NAMES = ("compared", "sensitive", "differ", "not looked at", "ended early")

    def __init__(self) -> None:
        self.ends: Counter[str] = Counter()
        self.counts: dict[str, Counter[str]] = {}
        self.failures: list[str] = []

    @property
    def count(self) -> int:
        """Comparisons that were made."""
        return sum(counts["compared"] for counts in self.counts.values())

    def add(self, comparison: itself.Comparison) -> None:
        numbers = (
            comparison.compared,
            comparison.sensitive,
            len(comparison.differ),
            comparison.not_looked_at,
            comparison.ended.total(),
        )
        counts = self.counts.setdefault(comparison.variation, Counter())
        counts.update(dict(zip(self.NAMES, numbers, strict=True)))
        self.ends += comparison.ended
        self.failures += comparison.differ
        for line in comparison.differ:
            print(line, flush=True)

    def fail(self, line: str) -> None:
        print(line, flush=True)
        self.failures.append(line)

    def merge(self, other: SelfTally) -> None:
        for name, counts in other.counts.items():
            self.counts.setdefault(name, Counter()).update(counts)
        self.ends += other.ends
        self.failures += other.failures

    def table(self, seconds: float) -> str:
        lines = [f"{'variation':<25}" + "".join(f"{name:>15}" for name in self.NAMES)]
        for variation, counts in self.counts.items():
            lines.append(f"{variation:<25}" + "".join(f"{counts[name]:>15}" for name in self.NAMES))
        lines += [f"ended early in both, {reason:<20} {count:>9}" for reason, count in sorted(self.ends.items())]
        return "\n".join([*lines, f"{self.count} comparisons in {seconds:.0f} s, {len(self.failures)} failures"])


def compare_structure(order: Order, structure: int) -> SelfTally:
    """One structure against itself under all variations."""
    tally = SelfTally()
    try:
        for comparison in itself.compare_structure(order.seed, structure, order.duration):
            tally.add(comparison)
    except Exception:  # a campaign goes on: what was raised is a finding
        tally.fail(f"{order.seed}/{structure} raised {traceback.format_exc(limit=-3)}".replace("\n", " | "))
    return tally


def run_structure(order: Order, structure: int) -> Tally:
    """All parameter sets of one structure against the referee."""
    tally = Tally()
    system = None
    for numbers in range(order.sets):
        label = f"{order.seed}/{structure}:{numbers}"
        case = order.case(structure, numbers)
        if {*order.skip} & {*case.features.split()}:
            continue
        try:
            system = case.system() if system is None else case.system(system)
            found = judge(case, system)
        except Exception:  # a campaign goes on: what was raised is a finding
            found = Verdict(RAISED, note=traceback.format_exc(limit=-3).replace("\n", " | "))
        line = tally.add(f"{label} [{case.features}]", found)
        if found.outcome == RAISED and numbers == 0:
            print(line, flush=True)
            break  # a model that cannot be compiled
        if line:
            print(line, flush=True)
            if order.shrink and found.outcome in (DIFFERS, FALSE_END):
                keep(case, found, label, order.shrink)
    return tally


def keep(case: Case, found: Verdict, label: str, seconds: float) -> None:
    """Make a failure smaller and write it to the kept cases."""

    def fails(smaller: Case) -> bool:
        again = judge(smaller)
        return (again.outcome, again.end) == (found.outcome, found.end)

    small = shrunk(case, fails, seconds)
    name = label.replace("/", "-").replace(":", "-")
    print(f"  kept as {kept.write(small, name, f'{found.outcome}: {found.end}')}", flush=True)


class OrbitTally:
    """What came out of orbits and branches."""

    def __init__(self, found: orbits.Found | bounds.Looked | None = None) -> None:
        self.counts = Counter(found.counts) if found else Counter()
        self.failures = list(found.failures) if found else []

    @property
    def count(self) -> int:
        """Systems of which an orbit was looked for."""
        return self.counts["systems"]

    def merge(self, other: OrbitTally) -> None:
        self.counts += other.counts
        self.failures += other.failures

    def table(self, seconds: float) -> str:
        lines = [f"{name:<60} {count:>9}" for name, count in self.counts.items()]
        return "\n".join([*lines, f"{'seconds':<60} {seconds:>9.0f}"])


def judge_orbits(order: Order, structure: int) -> OrbitTally:
    return OrbitTally(orbits.judge_orbits(order.seed, structure, min(order.sets, 4)))


def judge_branches(order: Order, structure: int) -> OrbitTally:
    return OrbitTally(orbits.judge_branches(order.seed, structure, min(order.sets, 2)))


def look_at_bounds(order: Order, structure: int) -> OrbitTally:
    """One parameter set of a structure in the checked build."""
    try:
        looked = bounds.look(order.case(structure, 0), f"{order.seed}/{structure}:0")
    except Exception:  # a campaign goes on: what was raised is a finding
        raised = f"{order.seed}/{structure} raised {traceback.format_exc(limit=-3)}".replace("\n", " | ")
        looked = bounds.Looked(Counter(systems=1), [raised])
    for line in looked.failures:
        print(line, flush=True)
    return OrbitTally(looked)


KINDS: dict[str, tuple[Callable[[Order, int], Any], type[Any]]] = {
    "exact": (run_structure, Tally),
    "self": (compare_structure, SelfTally),
    "orbits": (judge_orbits, OrbitTally),
    "follow": (judge_branches, OrbitTally),
    "bounds": (look_at_bounds, OrbitTally),
}


def campaign(
    kind: str,
    order: Order,
    minutes: float,
    processes: int,
    first: int = 0,
    enough: float = math.inf,
    report: Path | None = None,
) -> Any:
    """Structure after structure until the time is over or enough were looked at; the report is always up to date."""
    began = time.monotonic()
    work, tally = KINDS[kind]
    total = tally()
    structures = itertools.count(first)
    with ProcessPoolExecutor(processes) as pool:
        running: set[Future[Any]] = set()
        while True:
            while len(running) < processes and time.monotonic() < began + 60 * minutes and total.count < enough:
                running.add(pool.submit(work, order, next(structures)))
            if report:
                write_report(report, total, time.monotonic() - began)
            if not running:
                return total
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                total.merge(future.result())


def write_report(path: Path, tally: Any, seconds: float) -> None:
    """Failures and the table so far."""
    path.write_text("\n".join([*tally.failures, "", tally.table(seconds), ""]))


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="python -m tests.campaign", description=__doc__)
    options.add_argument("--kind", choices=list(KINDS), default="exact")
    options.add_argument("--minutes", type=float, default=1.0)
    options.add_argument("--count", type=float, default=math.inf, help="systems or comparisons that are enough")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--first", type=int, default=0, help="the first structure")
    options.add_argument("--sets", type=int, default=20, help="parameter sets for each structure")
    options.add_argument("--plain", action="store_true", help="natural units, from t = 0")
    options.add_argument("--shrink", type=float, default=0.0, help="seconds to make each failure smaller and keep it")
    options.add_argument("--duration", type=float, default=20.0, help="in natural units of time")
    options.add_argument("--processes", type=int, default=2)
    options.add_argument("--skip", nargs="*", default=[], help="leave out cases with a feature: late, units, table, …")
    options.add_argument("--only", help="STRUCTURE:NUMBERS, one case again")
    options.add_argument("--report", type=Path, help="keep failures and the table in this file")
    return options


def show(order: Order, only: str) -> None:
    """One case with all its numbers."""
    structure, numbers = map(int, only.split(":"))
    case = order.case(structure, numbers)
    for piece in case.structure.pieces:
        print(piece)
    print(case.values, case.start, f"origin {case.origin}", case.units, sep="\n")
    found = judge(case)
    print(found)
    if order.shrink and found.outcome in (DIFFERS, FALSE_END):
        keep(case, found, f"{order.seed}/{only}", order.shrink)


def main() -> None:
    options = parser().parse_args()
    order = Order(options.seed, options.sets, options.duration, options.plain, options.shrink, tuple(options.skip))
    if options.only:
        show(order, options.only)
        return
    began = time.monotonic()
    report: Path | None = options.report
    tally = campaign(options.kind, order, options.minutes, options.processes, options.first, options.count, report)
    print(tally.table(time.monotonic() - began))
