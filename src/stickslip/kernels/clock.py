"""The clock: a time in two parts, so that it stays as fine as the steps however long a run is.

The time is `time` + `late`; the second part is below the last digit of the first. Waves are computed from both, with
the product of rate and time in two parts as well: their phase is as exact at t = 10⁷ as at the start.
"""

from math import cos, sin

from stickslip.kernels.machine import fused
from stickslip.kernels.trajectory import Trajectory


def rest_of_sum(a: float, b: float) -> float:
    """What the sum of two numbers loses in being rounded (Knuth's two-sum)."""
    total = a + b
    other = total - a
    return (a - (total - other)) + (b - other)


def set_clock(trajectory: Trajectory, time: float) -> None:
    """Put the clock at a time."""
    trajectory.time = time
    trajectory.late = 0.0


def advance_clock(trajectory: Trajectory, tau: float) -> None:
    """Put the clock forward by tau."""
    time = trajectory.time
    step = tau + trajectory.late
    trajectory.time = time + step
    trajectory.late = rest_of_sum(time, step)


def time_left(trajectory: Trajectory) -> float:
    """How long it is until the time to stop."""
    return (trajectory.end_time - trajectory.time) - trajectory.late


def shown_length(trajectory: Trajectory) -> float:
    """The length of the step as the first part of the clock shows it: the last one ends at the end time."""
    return trajectory.end_time - trajectory.time if trajectory.arrives == 1 else trajectory.step_length


def rest_of_angle(rate: float, phase: float, time: float, late: float) -> float:
    """What rate·time + phase loses where `time` alone is taken and the result rounded."""
    product = fused(rate, time, 0.0)  # not to be fused with the sum that follows
    lost = fused(rate, time, -product)
    return rest_of_sum(product, phase) + (lost + rate * late)


def line(rate: float, phase: float, time: float, late: float) -> float:
    """rate·t + phase for the time t in two parts: exact also where both nearly cancel, as in t − t₀."""
    return (fused(rate, time, 0.0) + phase) + rest_of_angle(rate, phase, time, late)


def wave_sine(rate: float, phase: float, time: float, late: float) -> float:
    """sin(rate·t + phase) for the time t in two parts."""
    angle = fused(rate, time, 0.0) + phase
    return sin(angle) + cos(angle) * rest_of_angle(rate, phase, time, late)


def wave_cosine(rate: float, phase: float, time: float, late: float) -> float:
    """cos(rate·t + phase) for the time t in two parts."""
    angle = fused(rate, time, 0.0) + phase
    return cos(angle) - sin(angle) * rest_of_angle(rate, phase, time, late)
