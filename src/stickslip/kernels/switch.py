"""Leine's switch model integrated by the pair of Dormand and Prince, and its events located on the dense output.

`switch_model.py` has the right-hand side, `dormand_prince.py` the steps. The record needs ORDER = 4.
"""

import numpy as np

from stickslip.kernels import dormand_prince, model, outcome, recording, switch_model
from stickslip.kernels.dormand_prince import DormandPrince
from stickslip.kernels.records import Floats, Ints, Record, field
from stickslip.kernels.trajectory import Trajectory
from stickslip.kernels.watch import impossible

SAMPLES = 5
SAMPLE = (1.0 - np.cos((2.0 * np.arange(SAMPLES) + 1.0) * np.pi / (2 * SAMPLES))) / 2
"""Where v and λ are sampled in a step for their polynomials: inside it, since λ jumps where modes change."""

FITTED = np.linalg.inv(np.vander(SAMPLE, SAMPLES, increasing=True))
NO_CHANGE = 1e300
"""In place of when on a step a mode changes."""


class SwitchRecord(Record):
    """What is known of a finished step while it is kept."""

    most_steps: int = field("steps after which to give up")
    end_state: Floats = field("the state at its end", model.STATES)
    mode_after: Ints = field("the modes at its end", model.CONTACTS)
    v_sample: Floats = field("sliding velocities, sampled on the step", model.CONTACTS, SAMPLES)
    force_sample: Floats = field("friction forces, sampled on the step", model.CONTACTS, SAMPLES)
    rate: Floats = field("ż there", model.STATES)


def begin(trajectory: Trajectory, switch: switch_model.SwitchModel, pair: DormandPrince) -> int:
    """Modes, rates and a first step length at the start, from the state, time, tolerances and parameters."""
    switch_model.prepare(trajectory, switch)
    trajectory.steps = 0
    trajectory.events = 0
    trajectory.evaluations = 1
    pair.longest_step = dormand_prince.UNLIMITED
    failed = switch_model.set_rate(trajectory, switch, pair.rate[0])
    dormand_prince.note_sticking_forces(trajectory, switch, pair.sticking_force[0])
    for i in range(model.CONTACTS):
        pair.start_v[i] = switch.v[i]
    position = 0.0
    motion = 0.0
    for i in range(model.STATES):
        pair.largest[i] = abs(trajectory.state[i])
        if model.OWNER[i] >= 0:  # a stick time begins at zero: it is measured against the time scale of its contact
            pair.largest[i] = max(pair.largest[i], 1.0 / switch.centring[model.OWNER[i]])
        position = max(position, abs(trajectory.state[i]))
        motion = max(motion, abs(pair.rate[0, i]))
    whole = trajectory.end_time - trajectory.time
    pair.next_step = min(0.01 * position / motion, whole) if position > 0.0 and motion > 0.0 else 1e-6 * whole
    return outcome.INDETERMINATE if failed != 0 else outcome.FINISHED


def integrate(
    trajectory: Trajectory,
    switch: switch_model.SwitchModel,
    pair: DormandPrince,
    record: SwitchRecord,
    kept: recording.Recording,
    steps: recording.Steps,
    events: recording.Events,
) -> int:
    """Advance to the end time; FINISHED, PAUSED (record full) or the reason for stopping."""
    while trajectory.time < trajectory.end_time:
        if kept.steps + 2 > kept.step_room or kept.events + model.CONTACTS > kept.event_room:
            return outcome.PAUSED
        if trajectory.steps >= record.most_steps:
            return outcome.TOO_MANY_STEPS
        pair.start_time = trajectory.time
        for i in range(model.STATES):
            pair.start_state[i] = trajectory.state[i]
        for i in range(model.CONTACTS):
            trajectory.mode_before[i] = trajectory.mode[i]
        status = dormand_prince.take_step(trajectory, switch, pair)
        if status != outcome.FINISHED:
            return status
        trajectory.steps += 1
        for i in range(model.CONTACTS):
            status = impossible(trajectory, i, 1 - trajectory.at_rest[i])
            if status != outcome.FINISHED:
                trajectory.stopping_contact = i
                return status
        finish_step(trajectory, switch, pair, record, kept, steps, events)
    return outcome.FINISHED


def finish_step(
    trajectory: Trajectory,
    switch: switch_model.SwitchModel,
    pair: DormandPrince,
    record: SwitchRecord,
    kept: recording.Recording,
    steps: recording.Steps,
    events: recording.Events,
) -> None:
    """Locate and keep what changed on the step, keep its polynomials, and make ready for the next one."""
    h = trajectory.time - pair.start_time
    end = trajectory.time
    for i in range(model.STATES):
        record.end_state[i] = trajectory.state[i]
        pair.largest[i] = max(pair.largest[i], abs(trajectory.state[i]))
    for i in range(model.CONTACTS):
        record.mode_after[i] = trajectory.mode[i]
        pair.start_v[i] = switch.v[i]
    changes = find_changes(trajectory, switch, pair, record, h)
    first = h
    for i in range(model.CONTACTS):
        first = min(first, trajectory.root[i])
    if changes > 0:
        pair.longest_step = dormand_prince.UNLIMITED
        keep_events(trajectory, pair, record, changes, kept, events)
        for i in range(model.CONTACTS):
            trajectory.mode[i] = trajectory.mode_before[i]
    keep_piece(trajectory, switch, record, pair.start_time, first, steps[kept.steps])
    kept.steps += 1
    if first < h:
        for i in range(model.STATES):
            shift(trajectory.state_series[i], first)
        for i in range(model.CONTACTS):
            trajectory.mode_before[i] = record.mode_after[i]
        keep_piece(trajectory, switch, record, pair.start_time + first, h - first, steps[kept.steps])
        kept.steps += 1
    trajectory.time = end
    for i in range(model.CONTACTS):
        trajectory.mode[i] = record.mode_after[i]
        pair.sticking_force[0, i] = pair.sticking_force[dormand_prince.LAST_STAGE, i]
    for i in range(model.STATES):
        trajectory.state[i] = record.end_state[i]
        pair.rate[0, i] = pair.rate[dormand_prince.LAST_STAGE, i]


# -- events ------------------------------------------------------------------------------------------------------


def find_changes(
    trajectory: Trajectory, switch: switch_model.SwitchModel, pair: DormandPrince, record: SwitchRecord, h: float
) -> int:
    """When on the step each contact changes its mode, into `root`; how many do."""
    changes = 0
    for i in range(model.CONTACTS):
        trajectory.root[i] = NO_CHANGE
        if record.mode_after[i] != trajectory.mode_before[i]:
            changes += 1
            trajectory.events += 1
            trajectory.root[i] = locate(trajectory, switch, pair, record, i, h)
    return changes


def locate(
    trajectory: Trajectory,
    switch: switch_model.SwitchModel,
    pair: DormandPrince,
    record: SwitchRecord,
    contact: int,
    h: float,
) -> float:
    """When on the step the mode of a contact changes, by bisection on the dense output."""
    low = 0.0
    high = h
    while high - low > 1e-13 * (abs(pair.start_time) + h):
        middle = 0.5 * (low + high)
        if not (low < middle and middle < high):
            break
        go_to(trajectory, middle)
        trajectory.time = pair.start_time + middle
        switch_model.set_rate(trajectory, switch, record.rate)
        if trajectory.mode[contact] == trajectory.mode_before[contact]:
            low = middle
        else:
            high = middle
    return high


def go_to(trajectory: Trajectory, tau: float) -> None:
    """Put the state where the polynomials of the step have it a time tau after their start."""
    for i in range(model.STATES):
        row = trajectory.state_series[i]
        value = row[model.ORDER]
        for k in range(model.ORDER - 1, -1, -1):
            value = value * tau + row[k]
        trajectory.state[i] = value


def keep_events(
    trajectory: Trajectory,
    pair: DormandPrince,
    record: SwitchRecord,
    changes: int,
    kept: recording.Recording,
    events: recording.Events,
) -> None:
    """Keep all changes on the step, the earliest first."""
    for i in range(model.CONTACTS):
        trajectory.mode[i] = record.mode_after[i]
    for _ in range(changes):
        contact = 0
        for i in range(model.CONTACTS):
            if trajectory.root[i] < trajectory.root[contact]:
                contact = i
        go_to(trajectory, trajectory.root[contact])
        trajectory.time = pair.start_time + trajectory.root[contact]
        recording.remember_event(trajectory, contact, events[kept.events])
        kept.events += 1
        trajectory.root[contact] = NO_CHANGE


# -- the record --------------------------------------------------------------------------------------------------


def keep_piece(
    trajectory: Trajectory,
    switch: switch_model.SwitchModel,
    record: SwitchRecord,
    start: float,
    length: float,
    step: recording.Step,
) -> None:
    """Keep a step, or a part of it in which no mode changes: polynomials of the states, and of v and λ by sampling."""
    for q in range(SAMPLES):
        tau = SAMPLE[q] * length
        go_to(trajectory, tau)
        trajectory.time = start + tau
        switch_model.set_rate(trajectory, switch, record.rate)
        for i in range(model.CONTACTS):
            record.v_sample[i, q] = switch.v[i]
            record.force_sample[i, q] = switch.force[i]
    for i in range(model.CONTACTS):
        fit(record.v_sample[i], length, trajectory.v_series[i])
        fit(record.force_sample[i], length, trajectory.force_series[i])
        trajectory.mode[i] = trajectory.mode_before[i]
    trajectory.time = start
    trajectory.step_length = length
    recording.remember_step(trajectory, step)


def fit(samples: Floats, length: float, series: Floats) -> None:
    """The polynomial through samples."""
    power = 1.0
    for k in range(SAMPLES):
        total = 0.0
        for q in range(SAMPLES):
            total += FITTED[k, q] * samples[q]
        series[k] = total * power
        power /= length


def shift(series: Floats, tau: float) -> None:
    """Move the start of a polynomial by tau."""
    for i in range(model.ORDER):
        for k in range(model.ORDER - 1, i - 1, -1):
            series[k] += tau * series[k + 1]
