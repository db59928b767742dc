"""stickslip as in `ours`, but every cycle of a motion that repeats itself is travelled, as the peers do."""

from functools import partial

import ours

prepare = ours.prepare
ensemble = partial(ours.ensemble, shortcut=False)
operations = partial(ours.operations, shortcut=False)
