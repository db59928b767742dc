"""Friction read from measurements: laws from velocities and forces, contact stiffness from ring-downs, static friction
from stick times, friction forces from the motion of an oscillator; every number with its error."""

from stickslip.errors import IdentifyError
from stickslip.identify.aging import AgingFit, aging, aging_verdict, compare_aging
from stickslip.identify.bins import Classes, classes
from stickslip.identify.comparison import Comparison, compare
from stickslip.identify.estimate import Estimate
from stickslip.identify.law_fit import LawFit, fit_law
from stickslip.identify.phases import Breakaways, breakaways, sticking
from stickslip.identify.reconstruct import Reconstruction, reconstruct
from stickslip.identify.ringdown import RingDown, ringdown
from stickslip.identify.samples import Samples
from stickslip.identify.tables import Table, read, write

__all__ = [
    "AgingFit",
    "Breakaways",
    "Classes",
    "Comparison",
    "Estimate",
    "IdentifyError",
    "LawFit",
    "Reconstruction",
    "RingDown",
    "Samples",
    "Table",
    "aging",
    "aging_verdict",
    "breakaways",
    "classes",
    "compare",
    "compare_aging",
    "fit_law",
    "read",
    "reconstruct",
    "ringdown",
    "sticking",
    "write",
]


def __dir__() -> list[str]:
    return sorted(__all__)
