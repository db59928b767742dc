"""When a motion counts as one that repeats itself: the numbers that the march (repeat.py) and lockstep (lockrepeat.py)
share."""

NEARER_BITS = 4.0  # binary digits by which states agree better than within the tolerance
NEARER = 1.0 / 16.0  # the same as a part of the tolerance
ROUND_OFF = 1e-14  # of states that are as good as the same
MARK_GROWTH, MARK_AFTER = 1.25, 6.0  # of the number of events at which marks are set
SHORTEST = 1e-9  # cycle, as a part of the time that is left
FADING = 0.97  # of what a state has lately been, per step
