"""Exact: event-driven integration, every stick and slip phase by Taylor series, every event to round-off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stickslip.field import Field, compile
from stickslip.model.errors import ModelError, check_number
from stickslip.model.system import Model
from stickslip.status import Status

Floats = NDArray[np.float64]
_OUTCOMES = {
    0: Status.FINISHED,
    2: Status.INDETERMINATE,
    3: Status.CHATTERING,
    4: Status.LIFT_OFF,
    5: Status.NEGATIVE_FRICTION,
    6: Status.STALLED,
    7: Status.TOO_MANY_STEPS,
}
_PAUSED = 1
_CHUNK = 4_000_000  # numbers in one block of the record: a few milliseconds of work, a few tens of megabytes


@dataclass(frozen=True)
class Exact:
    """Event-driven Taylor integration with stick exact and events located on the step's own polynomial.

    `rtol` bounds the last terms of each step's series relative to the leading ones; `order` is the Taylor order
    (chosen from rtol when not given); `target` is "cpu" (compiled) or "python".

    >>> Exact(rtol=1e-10).taylor_order
    20
    """

    rtol: float = 1e-12
    order: int | None = None
    most_steps: int = 10**8
    target: str = "cpu"

    def __post_init__(self) -> None:
        check_number("Exact: rtol", self.rtol, positive=True)
        if not 1e-16 <= self.rtol <= 1e-2:
            raise ModelError(f"Exact: rtol is {self.rtol:g}; it must lie between 1e-16 and 1e-2")
        if self.order is not None and not 4 <= self.order <= 40:
            raise ModelError(f"Exact: order is {self.order}; it must lie between 4 and 40")

    @property
    def taylor_order(self) -> int:
        """High orders pay at tight tolerances, where they take longer steps."""
        if self.order is not None:
            return self.order
        return 20 if self.rtol <= 1e-9 else 16

    def compile(self, model: Model) -> Field:
        """The model, compiled for this method."""
        return compile(model, target=self.target, order=self.taylor_order)


@dataclass(frozen=True)
class Trajectory:
    """Raw outcome: rows of steps and events, how and where it ended."""

    steps: Floats
    events: Floats
    status: Status
    time: float
    contact: str | None

    @property
    def sentence(self) -> str:
        """The status, with where it happened when that matters."""
        if self.status.finished:
            return self.status.value
        where = f" (t = {self.time:.9g}" + (f", contact {self.contact!r})" if self.contact else ")")
        return self.status.value + where


def march(
    field: Field,
    method: Exact,
    start: Floats,
    times: tuple[float, float],
    report: Callable[[float], None],
    consume: Callable[[Floats], None] | None = None,
) -> Trajectory:
    """Integrate from `start` over `times`. Blocks of finished steps go to `consume`, or are kept."""
    m = field.program
    floats, integers = field.workspace()
    floats[: m.N_STATES] = start
    floats[m.TIME], floats[m.END], floats[m.TOLERANCE] = *times, method.rtol
    rows = int(np.clip(_CHUNK // m.STEP_WIDTH, 64, 4096))
    event_rows = rows * max(m.N_CONTACTS, 1)
    steps, events = np.zeros((rows, m.STEP_WIDTH)), np.zeros((event_rows, m.EVENT_WIDTH))
    flat = (steps.reshape(-1), events.reshape(-1), rows, event_rows)
    filled = np.zeros(2, np.int64)
    kept_steps: list[Floats] = []
    kept_events: list[Floats] = []
    if m.begin(floats, integers) != 0:
        raise ModelError(impossible_start(field, start, times[0]))
    status: Status | None = None
    while status is None:
        try:
            outcome = m.march(floats, integers, method.most_steps, *flat, filled)
            status = None if outcome == _PAUSED else _OUTCOMES[outcome]
            (consume or kept_steps.append)(steps[: filled[0]].copy())
            kept_events.append(events[: filled[1]].copy())
            filled[:] = 0
            report(float(floats[m.TIME]))
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
    named = status in (Status.LIFT_OFF, Status.NEGATIVE_FRICTION)
    return Trajectory(
        np.concatenate(kept_steps) if kept_steps else steps[:0],
        np.concatenate(kept_events),
        status,
        float(floats[m.TIME]),
        field.model.contacts[integers[m.CONTACT]] if named else None,
    )


def impossible_start(field: Field, start: Floats, t: float) -> str:
    """Why a start allows no mode."""
    at_rest = [c for c, v in zip(field.model.contacts, field.evaluate(start, t).v, strict=True) if v == 0]
    return (
        f"the start allows no consistent mode: with {', '.join(at_rest) or 'every contact'} at rest, no combination of "
        "stick and slip determines the friction forces; start with these contacts sliding, or remove a redundant one"
    )
