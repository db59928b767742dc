"""What every method has in common: it integrates one trajectory and says how that went.

For developers: a method is a frozen dataclass with `integrate`. Blocks of steps go to `consume` as they are finished:
rows of start, length, modes, and the polynomials of states, sliding velocities and forces (see `result.Steps`).
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from stickslip.arrays import Floats
from stickslip.errors import ModelError
from stickslip.field import Field
from stickslip.kernels.outcome import PAUSED
from stickslip.kernels.recording import Events, Recording, Steps
from stickslip.kernels.records import Records
from stickslip.kernels.trajectory import Trajectory
from stickslip.model.errors import check_whole, check_word
from stickslip.model.listing import Listing
from stickslip.model.system import Model, System
from stickslip.status import Status
from stickslip.targets.program import Program

Report = Callable[[float], None]
Consume = Callable[[Floats], None]

TARGETS = ("cpu", "python", "checked")
"""Where one trajectory can be integrated."""

CHUNK = 4_000_000
"""Numbers in one block of the record: a few milliseconds of work, a few tens of megabytes."""


@dataclass(frozen=True)
class Summary:
    """Events (time, contact, mode before and after, state), how and where the run ended, what it cost, and what kernels
    of kinds of contacts have counted."""

    events: Floats
    status: Status
    time: float
    contact: str | None
    steps: int
    evaluations: int
    counts: Mapping[str, int] = dataclasses.field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """The status, with where it happened when that matters."""
        if self.status.finished:
            return self.status.value
        where = f" (t = {self.time:.9g}" + (f", contact {self.contact!r})" if self.contact else ")")
        return self.status.value + where


class Method(metaclass=Listing):
    """How one trajectory is integrated."""

    _listed: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def compile(self, model: Model) -> Field:
        """The model, compiled for this method."""

    @abstractmethod
    def integrate(
        self, field: Field, start: Floats, times: tuple[float, float], report: Report, consume: Consume
    ) -> Summary:
        """Integrate from `start` over `times`."""


def check_run(method: Any) -> None:
    """Refuse what all methods have in common, where it is wrong: when to give up, and where to run."""
    name = type(method).__name__
    object.__setattr__(method, "most_steps", check_whole(f"{name}: most_steps", method.most_steps))
    check_word("target", getattr(method, "target", "cpu"), TARGETS, f"{name}: ")


@dataclass(frozen=True)
class Loop:
    """The kernels that integrate: `begin(trajectory)`, and `advance(trajectory, recording, steps, events)`, which
    returns PAUSED when its record is full; `settings` are fields of the trajectory."""

    begin: Callable[[Trajectory], int]
    advance: Callable[[Trajectory, Recording, Steps, Events], int]
    settings: Mapping[str, float] = dataclasses.field(default_factory=dict)


def march(
    field: Field, start: Floats, times: tuple[float, float], report: Report, consume: Consume, loop: Loop
) -> Summary:
    """Run a compiled kernel block by block."""
    trajectory = field.workspace()
    trajectory.state[:] = start
    trajectory.time, trajectory.end_time = times
    trajectory.step_guess = 1.0
    for name, value in loop.settings.items():
        setattr(trajectory, name, value)
    recording, steps, events = record(field.program)
    kept: list[Floats] = []
    outcome = loop.begin(trajectory)
    if outcome == Status.LIFT_OFF.code:
        raise ModelError(
            f"the normal force of contact {field.model.contacts[trajectory.stopping_contact]!r} is negative at the "
            "start: a contact cannot pull; start where it is pressed, or give a normal force that is zero there"
        )
    if outcome != Status.FINISHED.code:
        raise ModelError(impossible_start(field, start, times[0]))
    status: Status | None = None
    blocks = 0
    while status is None:
        try:
            outcome = loop.advance(trajectory, recording, steps, events)
            status = None if outcome == PAUSED else Status.of(outcome)
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        try:
            _keep(consume, steps.floats[: recording.steps].copy(), kept, events.floats[: recording.events].copy())
            report(float(trajectory.time))
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
            if len(kept) == blocks:  # what was just computed is not kept yet
                _keep(consume, steps.floats[: recording.steps].copy(), kept, events.floats[: recording.events].copy())
        blocks = len(kept)
        recording.steps = recording.events = 0
    named = status in (Status.LIFT_OFF, Status.NEGATIVE_FRICTION, Status.TOO_STEEP)
    return Summary(
        events=np.concatenate(kept),
        status=status,
        time=float(trajectory.time),
        contact=field.model.contacts[trajectory.stopping_contact] if named else None,
        steps=int(trajectory.steps),
        evaluations=int(trajectory.evaluations),
        counts={name: int(trajectory.count[place]) for name, place in field.sizes.TOLD.items()},
    )


def record(m: Program, rows: int | None = None) -> tuple[Recording, Steps, Events]:
    """Room for steps and their events, and how much of it is filled: see kernels/recording.py."""
    kernels = m.kernels.recording
    rows = int(np.clip(CHUNK // kernels.Step.FLOATS, 64, 4096)) if rows is None else rows
    recording = kernels.Recording()
    recording.step_room = rows
    contacts = max(m.kernels.model.CONTACTS, 1)
    # All contacts may change at once, but hardly at every step: with many of them that would be room for gigabytes.
    recording.event_room = max(2 * contacts, min(rows * contacts, CHUNK // kernels.Event.FLOATS))
    return recording, Records(kernels.Step, rows), Records(kernels.Event, int(recording.event_room))


def refuse_memory(model: Model, method: str, known: tuple[str, ...] = ()) -> None:
    """Raise a sentence for internal states that change with the mode of a contact, where a method cannot carry them."""
    for contact, part in model.friction.items() if isinstance(model, System) else ():
        for kind in part.internal_states():
            if kind not in known:
                raise ModelError(
                    f"{method} cannot carry {kind!r}, an internal state of {contact!r}: use the method Exact, or a "
                    "contact without memory"
                )


def _keep(consume: Consume, steps: Floats, kept: list[Floats], events: Floats) -> None:
    consume(steps)
    kept.append(events)


def impossible_start(field: Field, start: Floats, t: float) -> str:
    """Why a start allows no mode."""
    at_rest = [c for c, v in zip(field.model.contacts, field.evaluate(start, t).v, strict=True) if v == 0]
    return (
        f"the start allows no consistent mode: with {', '.join(at_rest) or 'every contact'} at rest, no combination of "
        "stick and slip determines the friction forces; start with these contacts sliding, or remove a redundant one"
    )
