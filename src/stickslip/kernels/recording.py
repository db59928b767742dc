"""What a run keeps: its steps, with their polynomials, and its events."""

from stickslip.kernels import clock, model
from stickslip.kernels.records import Floats, Record, Records, field
from stickslip.kernels.trajectory import Trajectory


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


Steps = Records[Step]
Events = Records[Event]


class Recording(Record):
    """How much of a record is filled."""

    step_room: int = field("steps that there is room for")
    event_room: int = field("events that there is room for")
    steps: int = field("steps that are kept")
    events: int = field("events that are kept")


def remember_step(trajectory: Trajectory, step: Step) -> None:
    """Keep the modes and polynomials of the step."""
    step.start = trajectory.time
    step.length = clock.shown_length(trajectory)
    for i in range(model.STATES):
        for k in range(model.ORDER + 1):
            step.state_series[i, k] = trajectory.state_series[i, k]
    for i in range(model.CONTACTS):
        step.mode[i] = float(trajectory.mode[i])
        for k in range(model.ORDER + 1):
            step.v_series[i, k] = trajectory.v_series[i, k]
            step.force_series[i, k] = trajectory.force_series[i, k]


def remember_events(trajectory: Trajectory, recording: Recording, events: Events) -> None:
    """Keep every change of mode: time, contact, mode before and after, and state."""
    for i in range(model.CONTACTS):
        if trajectory.mode[i] != trajectory.mode_before[i]:
            remember_event(trajectory, i, events[recording.events])
            recording.events += 1


def remember_event(trajectory: Trajectory, contact: int, event: Event) -> None:
    """Keep the change of one contact."""
    event.time = trajectory.time
    event.contact = float(contact)
    event.mode_before = float(trajectory.mode_before[contact])
    event.mode_after = float(trajectory.mode[contact])
    for j in range(model.STATES):
        event.state[j] = trajectory.state[j]
