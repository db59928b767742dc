"""After how long a motion repeats itself, as its last returns show."""

from stickslip.kernels import model
from stickslip.kernels.observation import RING, Request, Result, Ring

SETTLING = 1e3  # times the tolerance: so far from its shorter period may a motion be that still closes in on it
SHRINKING = 0.7  # times what it was a period before: so does the distance of a motion that closes in
DIFFERENT = 1e300


def find_period(ring: Ring, request: Request, excitation_period: float, result: Result) -> None:
    """The period of the motion, n stick→slip points in m periods of the excitation; all 0 where none is found.

    Without excitation m is 1, and n counts the stick→slip points of one period.
    """
    kept = min(ring.count, RING)
    for lag in range(1, kept // 3 + 1):
        compared = min(kept - lag, max(2 * lag, kept // 2))
        if largest_difference(ring, result, lag, 0, compared, request.sameness) <= request.sameness:
            period = settled_lag(ring, result, lag, request.sameness)
            last = (ring.count - 1) % RING
            before = (ring.count - 1 - period) % RING
            result.n = ring.releases[last] - ring.releases[before]
            result.m = period if excitation_period > 0.0 else 1
            result.period = (
                period * excitation_period if excitation_period > 0.0 else ring.time[last] - ring.time[before]
            )
            return


def settled_lag(ring: Ring, result: Result, lag: int, tolerance: float) -> int:
    """The number of returns in the period to which the motion settles, where it is a part of the one found.

    Motion that closes in on its orbit from alternating sides repeats itself every other time first.
    """
    for part in range(1, lag // 2 + 1):
        if lag % part == 0:
            now = largest_difference(ring, result, part, 0, lag, SETTLING * tolerance)
            before = largest_difference(ring, result, part, lag, lag, DIFFERENT)
            if now <= SETTLING * tolerance and now <= SHRINKING * before:
                return part
    return lag


def largest_difference(ring: Ring, result: Result, lag: int, first: int, count: int, limit: float) -> float:
    """The largest difference between returns that lie `lag` apart, relative to the extent of the motion.

    Of the returns counted back from the last one, those from `first` on; DIFFERENT where their contacts differ. Once it
    is beyond `limit`, the rest is not looked at.
    """
    largest = 0.0
    for back in range(first, first + count):
        a = (ring.count - 1 - back) % RING
        b = (ring.count - 1 - back - lag) % RING
        if ring.contact[a] != ring.contact[b]:
            return DIFFERENT
        for i in range(model.STATES):
            low = result.lowest[i]
            high = result.highest[i]
            scale = high - low + 1e-6 * max(abs(low), abs(high))
            gap = abs(ring.state[a, i] - ring.state[b, i])
            if gap > 0.0:
                largest = max(largest, gap / scale)
        if largest > limit:
            return largest
    return largest
