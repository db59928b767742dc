"""How large a model may be: every limit once, with its reason.

A model file may come from anybody. What it asks for is known before it is compiled, and refused in a sentence where it
would take a machine for long or fill its memory. Models built in Python are their author's own: only limits marked with
* hold for them.
"""

from __future__ import annotations

MAX_BYTES = 1_000_000
"""Of a model file."""

MAX_KEY_PARTS = 50
"""Of a dotted key: reading one takes a time that grows with their square; no model needs more than three."""

MAX_PARTS = 5000
"""Parts of a model, states and contacts of a Filippov system."""

MAX_TEXT = 10_000
"""Characters of a title, a source, a unit."""

MAX_LENGTH = 2000
"""* Characters of a formula."""

MAX_NODES = 400
"""* Names, numbers and operations of a formula."""

MAX_DEPTH = 40
"""* Levels of a formula."""

MAX_STEPS = 8
"""* In which a number follows from others."""

MAX_EXPONENT = 64
"""* Of powers of powers."""

MAX_BRANCHES = 40
"""* Cases of a formula in where, min, max, abs and sign."""

MAX_EXACT = 1000
"""* Whole numbers in formulas up to here stay whole (v**2, not v**2.0); larger ones are floats."""

MAX_COEFFICIENT = 10**300
"""* Of symbolic terms: beyond, a float does not hold them."""

MAX_COEFFICIENTS = 64
"""* Of a polynomial: each is an operation, and a curve with more turns than this is a table."""

MAX_POINTS = 50_000
"""* Of a tabulated law. They are data, not code: compiling takes the same time for ten and for some thousand."""

MAX_BRISTLES = 100_000
"""* Of a contact with bristles."""

MAX_COST = 1000
"""Operations of all parts together, as `model/cost.py` counts them: compiling so many takes some ten seconds."""
