"""Motions that repeat themselves: whole cycles of them need not be travelled.

At some releases a trajectory in lockstep marks its state. If it is there again at a later release, but for round-off,
or twice, and the second time no farther off than the first, and at the same phase of the excitation, it will do the
same again and again: CYCLE is how long that takes. So its transient goes on at once for as many cycles as fit before
its end; of the observed part one cycle is travelled, and those that are left out are told from it (`lockwatch.py`).
"There" means within a sixteenth of the tolerance, which is less than what the steps of a cycle add to the motion
anyway. That the distance does not grow tells stable orbits from unstable ones, to which chaotic motion comes close by
chance. A mark is set anew after ever more events, so that orbits which are reached late, or are long, are found as
well.
"""

from math import exp, log

from stickslip.kernels.lockevents import LARGEST
from stickslip.kernels.machine import LANES, any_lane, rough_exp2
from stickslip.kernels.model import (
    AGAIN,
    BEAT,
    BEATS,
    CYCLE,
    CYCLE_EVENTS,
    END,
    EVENTS,
    EXCITATION,
    FLASH,
    LATELY,
    LOG_TOLERANCE,
    N_STATES,
    STATE,
    TIME,
    WATCHED_LOW,
    Floats,
)

MARK, MARK_TIME, MARK_EVENTS, MISS = WATCHED_LOW, BEAT, BEATS, FLASH
"""State, time and number of events at a mark, and how far that was from the mark before, or -1: these places are free
until a trajectory is observed."""

NEARER = 4.0  # binary digits by which states agree better than within the tolerance
ROUND_OFF = 1e-14  # of states that are as good as the same
MARK_GROWTH, MARK_AFTER = 1.25, 6.0  # of the number of events at which marks are set
SHORTEST = 1e-9  # cycle, as a part of the time that is left


def look_back(W: Floats, released: bool) -> None:
    """Whether a trajectory that is being released was here before: AGAIN is the time since then, or 0.

    Where it is the same for the first time, or farther from the mark than when it was the same before (MISS), it is
    marked here.
    """
    if any_lane(released):
        near = rough_exp2(W[LOG_TOLERANCE] - NEARER)
        same = released
        miss = 0.0
        size = 0.0
        for i in range(N_STATES):
            distance = abs(W[STATE + i] - W[MARK + i])
            same = same and distance <= near * W[LATELY + i]
            miss += distance
            size += W[LATELY + i]
        settles = same and miss <= max(W[MISS], ROUND_OFF * size)
        W[AGAIN] = W[TIME] - W[MARK_TIME] if settles else W[AGAIN]
        W[CYCLE_EVENTS] = W[EVENTS] - W[MARK_EVENTS] if settles else W[CYCLE_EVENTS]
        due = released and W[EVENTS] >= MARK_GROWTH * W[MARK_EVENTS] + MARK_AFTER
        marks = due or (same and not settles)
        for i in range(N_STATES):
            W[MARK + i] = W[STATE + i] if marks else W[MARK + i]
        W[MARK_TIME] = W[TIME] if marks else W[MARK_TIME]
        W[MARK_EVENTS] = W[EVENTS] if marks else W[MARK_EVENTS]
        W[MISS] = (miss if same else -1.0) if marks else W[MISS]


def begin_marks(W: Floats, wanted: bool) -> None:
    """No mark yet; the first is set at the first release, or never."""
    for i in range(N_STATES):
        W[MARK + i] = LARGEST
    W[MARK_EVENTS] = -MARK_AFTER if wanted else LARGEST
    W[MISS] = -1.0


def skip_cycles(B: Floats, lane: int) -> None:
    """Go on for as many cycles as fit before the end, if the excitation is as it was at the mark."""
    cycle = cycle_found(B[AGAIN * LANES + lane], B[EXCITATION * LANES + lane], B[LOG_TOLERANCE * LANES + lane])
    left = B[END * LANES + lane] - B[TIME * LANES + lane]
    if cycle <= SHORTEST * left:
        return
    cycles = float(int(left / cycle))
    if B[TIME * LANES + lane] + cycles * cycle < B[END * LANES + lane]:
        B[TIME * LANES + lane] += cycles * cycle
        B[EVENTS * LANES + lane] += cycles * B[CYCLE_EVENTS * LANES + lane]
    B[CYCLE * LANES + lane] = cycle
    B[MARK_EVENTS * LANES + lane] = LARGEST
    for i in range(N_STATES):
        B[(MARK + i) * LANES + lane] = LARGEST


def cycle_found(between: float, period: float, log_tolerance: float) -> float:
    """The time after which a motion repeats itself that was the same after the time `between`; 0 if it does not."""
    if period <= 0.0:
        return between
    whole = float(int(between / period + 0.5)) * period
    return whole if abs(between - whole) <= exp((log_tolerance - NEARER) * log(2.0)) * period else 0.0
