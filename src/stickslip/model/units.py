"""Units as texts: what a quantity is measured in, put together from the units of force, length and time.

Nothing is converted. A unit that cannot be known is "", and so is that of a plain number.
"""

from __future__ import annotations

from dataclasses import dataclass

ANGLES = ("rad", "deg", "°")
FAMILIAR = {
    "N·s²/m": "kg",
    "kN·s²/m": "t",
    "N·s²/mm": "t",
    "N·m·s²/rad": "kg·m²",
}
"""Units that have a name of their own."""

_POWERS = {1: "", 2: "²", 3: "³"}


@dataclass(frozen=True)
class Dimension:
    """Powers of force, length (or angle) and time."""

    force: int = 0
    length: int = 0
    time: int = 0


FORCE, LENGTH, TIME = Dimension(force=1), Dimension(length=1), Dimension(time=1)
SPEED, PER_SPEED, PER_SQUARE_SPEED = Dimension(0, 1, -1), Dimension(0, -1, 1), Dimension(0, -2, 2)
PER_LENGTH, PER_TIME = Dimension(length=-1), Dimension(time=-1)
MASS, STIFFNESS, DAMPING = Dimension(1, -1, 2), Dimension(1, -1, 0), Dimension(1, -1, 1)


def force_along(length: str, force: str, other: str = "m") -> str:
    """The unit of what acts along a coordinate: of a torque where that is an angle, force times the `other` length.

    >>> force_along("m", "N"), force_along("rad", "N"), force_along("rad", "N·m")
    ('N', 'N·m', 'N·m')
    """
    if length not in ANGLES or not force or force.endswith("m"):
        return force
    return f"{force}·{other}"


def unit_text(dimension: Dimension | None, force: str, length: str, time: str) -> str:
    """The unit of a quantity, from those of force, length and time; "" where one that it needs is not known.

    >>> unit_text(DAMPING, "N", "m", "s"), unit_text(MASS, "N", "m", "s"), unit_text(PER_SPEED, "", "m", "s")
    ('N·s/m', 'kg', 's/m')
    >>> unit_text(STIFFNESS, "N·m", "rad", "s"), unit_text(MASS, "", "m", "s")
    ('N·m/rad', '')
    """
    if dimension is None:
        return ""
    powers = [(force, dimension.force), (time, dimension.time), (length, dimension.length)]
    if any(power and not unit for unit, power in powers):
        return ""
    above = [_power(unit, power) for unit, power in powers if power > 0]
    below = [_power(unit, -power) for unit, power in powers if power < 0]
    text = "·".join(above) or ("1" if below else "")
    if below:
        text += f"/{below[0]}" if len(below) == 1 else f"/({'·'.join(below)})"
    return FAMILIAR.get(text, text)


def _power(unit: str, power: int) -> str:
    simple = unit if power == 1 or not any(sign in unit for sign in "·/ ") else f"({unit})"
    return f"{simple}{_POWERS.get(power, f'^{power}')}"
