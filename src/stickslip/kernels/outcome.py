"""How a run may end, as numbers: the one list of them. `status.py` has the sentence of each.

They are kept in files, so that each keeps its number for ever: a new one goes to the end.
"""

LEFT = -2  # given up in lockstep, and to be done again alone
NOT_COMPUTED = -1
FINISHED = 0
PAUSED = 1  # the record is full, or the step is over: the run goes on
INDETERMINATE = 2
CHATTERING = 3
LIFT_OFF = 4
NEGATIVE_FRICTION = 5
STALLED = 6
TOO_MANY_STEPS = 7
STEP_TOO_LARGE = 8
IMPOSSIBLE = 9
TOO_STEEP = 10
INTERRUPTED = 11
INCONSISTENT = 12
