"""What a run keeps: its steps, with their polynomials, and its events."""

from stickslip.kernels import model
from stickslip.kernels.records import Floats, Record, field


class Step(Record):
    """One step: its modes, and its series in the time since its start."""

    start: float = field("when it begins")
    length: float = field("how long it is")
    mode: Floats = field("slip signs: 0 stick", model.CONTACTS)
    state_series: Floats = field("order k of every state", model.STATES, model.ORDER + 1)
    v_series: Floats = field("of sliding velocities", model.CONTACTS, model.ORDER + 1)
    force_series: Floats = field("of friction forces", model.CONTACTS, model.ORDER + 1)


class Event(Record):
    """One contact changes its mode."""

    time: float = field("when")
    contact: float = field("which contact")
    mode_before: float = field("its mode before")
    mode_after: float = field("its mode after")
    state: Floats = field("the state then", model.STATES)


class Recording(Record):
    """How much of a record is filled."""

    step_room: int = field("steps that there is room for")
    event_room: int = field("events that there is room for")
    steps: int = field("steps that are kept")
    events: int = field("events that are kept")
