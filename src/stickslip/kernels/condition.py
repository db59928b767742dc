"""What numbers in a lane mean."""

RUNNING, ARRIVED, GIVEN_UP, PARKED = 0.0, 1.0, 2.0, -1.0
"""The condition of a lane: its trajectory is on its way, is at its end, or is left to the march; there is none."""

RELEASED, STOPPED, REVERSED = 1.0, 2.0, 3.0
"""How a contact changes its mode: from stick to slip, from slip to stick, from slip to slip the other way."""

ANY_CHANGE = 3.0
"""Stands for all of these where one of them is asked for."""

UNKNOWN = 9.0
"""The mode before the first of a contact that starts at rest."""

ENDLESS = 1e300
"""Stands for a time that never comes, and for what is in doubt."""
