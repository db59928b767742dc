"""stickslip as in `forced_ours`, but every cycle of a motion that repeats itself is travelled, as the peers do."""

from functools import partial

import forced_ours

prepare = forced_ours.prepare
diagram = partial(forced_ours.diagram, shortcut=False)
operations = partial(forced_ours.operations, shortcut=False)
