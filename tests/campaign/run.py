"""Many cases on several processes until the time is over, and a table of what came out."""

from __future__ import annotations

import argparse
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from tests.campaign import itself
from tests.campaign.draw import Case, draw_case, draw_structure
from tests.campaign.judge import AGREES, DIFFERS, FALSE_END, SENSITIVE, UNJUDGED, Verdict, judge
from tests.referee.motion import FINISHED

SETS = 20
"""Parameter sets for each structure, which takes a second or more to compile."""


@dataclass
class Tally:
    """What came out so far."""

    outcomes: Counter[str] = field(default_factory=Counter)
    ends: Counter[tuple[str, str]] = field(default_factory=Counter)
    events: int = 0
    ambiguous: int = 0
    failures: list[str] = field(default_factory=list)

    def add(self, label: str, verdict: Verdict) -> str | None:
        """Count one verdict; returns a line where it is a failure."""
        self.outcomes[verdict.outcome] += 1
        self.events += verdict.events
        self.ambiguous += verdict.ambiguous
        if verdict.end != FINISHED:
            confirmed = "not confirmed" if verdict.outcome in (DIFFERS, FALSE_END) else "confirmed"
            self.ends[verdict.end, confirmed] += 1
        if verdict.outcome in (DIFFERS, FALSE_END, UNJUDGED, "raised"):
            line = f"{label}  {verdict.outcome}: {verdict.parting or verdict.note}"
            self.failures.append(line)
            return line
        return None

    def merge(self, other: Tally) -> None:
        self.outcomes += other.outcomes
        self.ends += other.ends
        self.events += other.events
        self.ambiguous += other.ambiguous
        self.failures += other.failures

    def table(self, seconds: float) -> str:
        systems = sum(self.outcomes.values())
        rows = [("systems", systems), ("events", self.events), ("agree", self.outcomes[AGREES])]
        rows += [("sensitive", self.outcomes[SENSITIVE]), ("silent differences", self.outcomes[DIFFERS])]
        rows += [("ended for a false reason", self.outcomes[FALSE_END])]
        known = (AGREES, SENSITIVE, DIFFERS, FALSE_END)
        rows += [(name, count) for name, count in sorted(self.outcomes.items()) if name not in known]
        rows += [("equally consistent modes met", self.ambiguous)]
        rows += [
            (f"ended early, {reason}, {confirmed}", count) for (reason, confirmed), count in sorted(self.ends.items())
        ]
        lines = [f"{name:<60} {count:>9}" for name, count in rows]
        return "\n".join([*lines, f"{'seconds':<60} {seconds:>9.0f}"])


def case_of(seed: int, structure: int, numbers: int, duration: float) -> Case:
    """A case from its numbers alone."""
    drawn = draw_structure(np.random.default_rng([seed, structure]))
    rng = np.random.default_rng([seed, structure, numbers])
    return draw_case(drawn, rng, duration, f"{structure}:{numbers}")


class SelfTally:
    """What came out of comparisons of the library with itself, by variation."""

    NAMES = ("compared", "sensitive", "differ", "not looked at", "ended early")

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {}
        self.failures: list[str] = []

    def add(self, comparison: itself.Comparison) -> None:
        numbers = (
            comparison.compared,
            comparison.sensitive,
            len(comparison.differ),
            comparison.not_looked_at,
            comparison.ended,
        )
        counts = self.counts.setdefault(comparison.variation, Counter())
        counts.update(dict(zip(self.NAMES, numbers, strict=True)))
        self.failures += comparison.differ
        for line in comparison.differ:
            print(line, flush=True)

    def fail(self, line: str) -> None:
        print(line, flush=True)
        self.failures.append(line)

    def merge(self, other: SelfTally) -> None:
        for name, counts in other.counts.items():
            self.counts.setdefault(name, Counter()).update(counts)
        self.failures += other.failures

    def table(self, seconds: float) -> str:
        lines = [f"{'variation':<25}" + "".join(f"{name:>15}" for name in self.NAMES)]
        for variation, counts in self.counts.items():
            lines.append(f"{variation:<25}" + "".join(f"{counts[name]:>15}" for name in self.NAMES))
        total = sum(counts["compared"] for counts in self.counts.values())
        return "\n".join([*lines, f"{total} comparisons in {seconds:.0f} s, {len(self.failures)} failures"])


def compare_structure(seed: int, structure: int, sets: int, duration: float) -> SelfTally:
    """One structure against itself under all variations."""
    tally = SelfTally()
    try:
        for comparison in itself.compare_structure(seed, structure, duration):
            tally.add(comparison)
    except Exception:  # a campaign goes on: what was raised is a finding
        tally.fail(f"{seed}/{structure} raised {traceback.format_exc(limit=-3)}".replace("\n", " | "))
    return tally


def run_structure(seed: int, structure: int, sets: int, duration: float) -> Tally:
    """All parameter sets of one structure against the referee."""
    tally = Tally()
    system = None
    for numbers in range(sets):
        label = f"{seed}/{structure}:{numbers}"
        try:
            case = case_of(seed, structure, numbers, duration)
            system = case.system() if system is None else case.system(system)
            line = tally.add(label, judge(case, system))
        except Exception:  # a campaign goes on: what was raised is a finding
            line = tally.add(label, Verdict("raised", note=traceback.format_exc(limit=-3).replace("\n", " | ")))
        if line:
            print(line, flush=True)
    return tally


KINDS = {"exact": (run_structure, Tally), "self": (compare_structure, SelfTally)}


def campaign(
    kind: str, seed: int, minutes: float, processes: int, sets: int, duration: float, first: int = 0
) -> Tally | SelfTally:
    """Structure after structure until the time is over."""
    end = time.monotonic() + 60 * minutes
    work, tally = KINDS[kind]
    total = tally()

    def structures() -> Iterator[int]:
        structure = first
        while time.monotonic() < end:
            yield structure
            structure += 1

    coming = structures()
    with ProcessPoolExecutor(processes) as pool:
        running: set[Future[Any]] = set()
        while True:
            while len(running) < processes and (structure := next(coming, None)) is not None:
                running.add(pool.submit(work, seed, structure, sets, duration))
            if not running:
                return total
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                total.merge(future.result())


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="python -m tests.campaign", description=__doc__)
    options.add_argument("--kind", choices=list(KINDS), default="exact")
    options.add_argument("--minutes", type=float, default=1.0)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--first", type=int, default=0, help="the first structure")
    options.add_argument("--sets", type=int, default=SETS, help="parameter sets for each structure")
    options.add_argument("--duration", type=float, default=20.0, help="in natural units of time")
    options.add_argument("--processes", type=int, default=2)
    options.add_argument("--only", help="STRUCTURE:NUMBERS, one case again")
    options.add_argument("--report", type=Path, help="write failures and the table to this file")
    return options


def show(seed: int, only: str, duration: float) -> None:
    """One case with all its numbers."""
    structure, numbers = map(int, only.split(":"))
    case = case_of(seed, structure, numbers, duration)
    for piece in case.structure.pieces:
        print(piece)
    print(case.values, case.start, f"origin {case.origin}", case.units, sep="\n")
    print(judge(case))


def main() -> None:
    options = parser().parse_args()
    if options.only:
        show(options.seed, options.only, options.duration)
        return
    began = time.monotonic()
    tally = campaign(options.seed, options.minutes, options.processes, options.sets, options.duration, options.first)
    table = tally.table(time.monotonic() - began)
    print(table)
    if options.report:
        options.report.write_text("\n".join([*tally.failures, "", table, ""]))
