"""How much a page may ask for: every limit once. A page may be anybody's who has its address."""

from __future__ import annotations

MESSAGE_BYTES = 262_144
"""Of a request."""

MODEL_BYTES = 200_000
"""Of a model's text."""

CHANNELS = 32
"""Of a page: in each of them one job is worked on."""

CHANNEL_LENGTH = 40
"""Characters of the name of a channel."""

CLIENTS = 64
"""Pages at the same time."""

NAMES = 5_000
"""Parameters or states that a view may change."""

SAMPLES = 20_000
"""Times of a motion."""

STEPS = 2_000_000
"""Steps of a motion."""

KEPT_BYTES = 2**28
"""Of the steps of a motion that is kept whole, for a sound or a file."""

DIAGRAM_POINTS = 20_000
"""Values of the parameter of a diagram."""

MAP_POINTS = 160_000
"""Points of a map."""

BASIN_POINTS = 40_000
"""Starts of which basins are asked."""

RECORDS = 500
"""Points of a diagram that are kept for one value of the parameter."""

SECTION_POINTS = 5_000
"""Points of a section."""

BRANCHES = 24
"""Branches of a view."""

BRANCH_POINTS = 400
"""Points of a branch in one direction."""

SOUND_SECONDS = 30.0
"""Of a sound."""

WAITING_BYTES = 32 * 2**20
"""What may wait for a page to be read; while there is more, nothing is computed for it."""

WHOLE_ARGUMENT = 200
"""The largest whole number that an argument of a library model may be: there are so many masses in a chain."""

TOLD = {
    "message": MESSAGE_BYTES, "model": MODEL_BYTES, "samples": SAMPLES, "diagram": DIAGRAM_POINTS, "map": MAP_POINTS,
    "basins": BASIN_POINTS, "branches": BRANCHES, "sound": SOUND_SECONDS,
}  # fmt: skip
"""What a page is told of them."""
