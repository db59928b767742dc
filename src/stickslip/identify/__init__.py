"""Friction read from measurements: laws from velocities and forces, contact stiffness from ring-downs, static friction
from stick times, friction forces from the motion of an oscillator; every number with its error."""

from stickslip.identify.bins import Classes, classes
from stickslip.identify.characteristic import CharacteristicFit, characteristic
from stickslip.identify.comparison import Comparison, compare
from stickslip.identify.errors import IdentifyError
from stickslip.identify.estimate import Estimate
from stickslip.identify.samples import Samples

__all__ = [
    "CharacteristicFit",
    "Classes",
    "Comparison",
    "Estimate",
    "IdentifyError",
    "Samples",
    "characteristic",
    "classes",
    "compare",
]
