"""The smoothed equations integrated by Radau collocation: five stages, order nine, exact derivatives of every step.

`collocation.py` finds the stages of a step, `collocation_error.py` estimates its error, `collocation_kinks.py` ends it
where the equations have a kink, `collocation_tangent.py` takes derivatives along.
"""

from math import isfinite

from stickslip.kernels import collocation_error, collocation_kinks, collocation_tangent, flow, outcome
from stickslip.kernels.collocation import Collocation, find_stages
from stickslip.kernels.radau import LAST_STAGE, STAGES
from stickslip.kernels.records import Floats, Record, Records, field

GROWTH = 8.0  # of a step over the last one, at most


class SmoothStep(Record):
    """One step of a smoothed motion."""

    start: float = field("when it begins")
    length: float = field("how long it is")
    state: Floats = field("y at its start", flow.STATES)
    increment: Floats = field("Z: what each stage adds to y", STAGES, flow.STATES)


class SmoothRecording(Record):
    """How much of a record is filled."""

    room: int = field("steps that there is room for; 0: none is kept")
    steps: int = field("steps that are kept")


def begin(run: Collocation) -> None:
    """Derivatives at the start, and a guess at the first step where there is none; state and settings are given."""
    for i in range(flow.STATES):
        run.stage[i] = run.state[i]
        run.largest[i] = abs(run.state[i])
    collocation_tangent.start_derivatives(run)
    run.at_beginning = 1
    run.refused = 0
    collocation_kinks.forget_kink(run)
    run.last_error = 1.0
    run.last_step = 0.0
    if run.next_step <= 0.0:
        flow.rates(run.stage, run.time, run.parameter, run.rate)
        run.evaluations += 1
        collocation_error.weigh(run)
        speed = 0.0
        for i in range(flow.STATES):
            speed = max(speed, abs(run.rate[i]) / run.weight[i])
        run.next_step = run.end_time - run.time
        if speed * run.next_step > 1e-2:
            run.next_step = 1e-2 / speed


def integrate(run: Collocation, recording: SmoothRecording, steps: Records[SmoothStep]) -> int:
    """Advance to the end time; FINISHED, PAUSED (record full) or the reason for stopping."""
    while run.time < run.end_time:
        if recording.room > 0 and recording.steps >= recording.room:
            return outcome.PAUSED
        if run.steps >= run.most_steps:
            return outcome.TOO_MANY_STEPS
        if run.next_step <= 1e-15 * max(abs(run.time), abs(run.end_time)):
            return outcome.STALLED
        left = run.end_time - run.time
        h = length_of_step(run, left)
        collocation_error.weigh(run)
        if not find_stages(run, h):
            reject(run, 0.4 * h)
            continue
        if not collocation_kinks.lands(run, h):
            run.rejected += 1
            continue
        error = collocation_error.estimate(run, h)
        if not isfinite(error):
            reject(run, 0.1 * h)
            continue
        factor = 0.9 * max(error, 1e-20) ** (-0.5 / STAGES)
        if error > 1.0:
            reject(run, h * min(max(factor, 0.1), 0.9))
            continue
        if run.derivatives != 0 and not collocation_tangent.differentiate(run, h):
            return outcome.STALLED
        if recording.room > 0:
            remember(run, steps[recording.steps], h)
            recording.steps += 1
        accept(run, h, error, factor, left)
    return outcome.FINISHED


def length_of_step(run: Collocation, left: float) -> float:
    """The length to try: as it was chosen, but with no sliver before the end, or up to a kink."""
    h = run.next_step
    if h >= 0.999 * left:
        h = left
    elif h > 0.5 * left:
        h = 0.5 * left
    return min(run.landing_step, left) if run.landing_kink >= 0 else h


def reject(run: Collocation, h: float) -> None:
    """Try again with a shorter step."""
    run.next_step = h
    collocation_kinks.forget_kink(run)
    run.rejected += 1
    run.refused = 1


def accept(run: Collocation, h: float, error: float, factor: float, left: float) -> None:
    """Move on to the end of the step, and choose the length of the next."""
    if run.at_beginning == 0:  # Gustafsson's predictive controller: the trend of the last two errors goes on
        trend = factor * h / run.last_step * (run.last_error / max(error, 1e-20)) ** (0.5 / STAGES)
        factor = min(factor, trend)
    factor = min(max(factor, 0.1), GROWTH)
    if run.refused != 0:
        factor = min(factor, 1.0)
    run.last_error = max(error, 1e-2)
    run.last_step = h
    for i in range(flow.STATES):
        for k in range(STAGES):
            run.last_increment[k, i] = run.increment[k, i]
        run.state[i] += run.increment[LAST_STAGE, i]
        run.largest[i] = max(run.largest[i], abs(run.state[i]))
    run.time = run.end_time if h == left else run.time + h
    run.next_step = max(run.next_step, factor * h) if h < run.next_step else factor * h
    collocation_kinks.forget_kink(run)
    run.at_beginning = 0
    run.refused = 0
    run.steps += 1


def remember(run: Collocation, step: SmoothStep, h: float) -> None:
    """Keep the step."""
    step.start = run.time
    step.length = h
    for i in range(flow.STATES):
        step.state[i] = run.state[i]
        for k in range(STAGES):
            step.increment[k, i] = run.increment[k, i]
