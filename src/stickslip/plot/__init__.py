"""Pictures: `phase`, `history`, `friction` and `modes` of a run, `animate` its machine, `machine` of a system,
`characteristic` of friction laws,
`comparison` of methods, `branch` for branches of orbits, `multipliers` in the complex plane, `bifurcation`,
`parameter_map` and `poincare` of sweeps, `probabilities` of what they recorded, `return_map` of release
points, `basins` of attraction, `exponents` as they settle; of series `spectrum`, `autocorrelation`,
`embedding`, `mutual_information`, `false_neighbours`, `correlation_sums` and `divergence`; of measurements
`fit`, `classes`, `ringdown`, `aging` and `reconstruction`; `panels` for several side by side; `save`.

Each draws on the axes given as `ax`, or on a new figure, and returns the matplotlib Axes (`history`: an
array of them).  matplotlib is imported when the first picture is drawn, not before.
"""

from stickslip.plot.animation import Animation, animate
from stickslip.plot.basins import basins
from stickslip.plot.branch import branch
from stickslip.plot.characteristic import characteristic
from stickslip.plot.comparison import comparison
from stickslip.plot.exponents import exponents
from stickslip.plot.friction import friction
from stickslip.plot.history import history
from stickslip.plot.identify import aging, classes, fit, reconstruction, ringdown
from stickslip.plot.modes import modes
from stickslip.plot.multipliers import multipliers
from stickslip.plot.panels import panels
from stickslip.plot.phase import phase
from stickslip.plot.probability import probabilities
from stickslip.plot.returnmap import return_map
from stickslip.plot.save import save
from stickslip.plot.scene import machine
from stickslip.plot.series import (
    autocorrelation,
    correlation_sums,
    divergence,
    embedding,
    false_neighbours,
    mutual_information,
    spectrum,
)
from stickslip.plot.sweeps import bifurcation, parameter_map, poincare

__all__ = [
    "Animation",
    "aging",
    "animate",
    "autocorrelation",
    "basins",
    "bifurcation",
    "branch",
    "characteristic",
    "classes",
    "comparison",
    "correlation_sums",
    "divergence",
    "embedding",
    "exponents",
    "false_neighbours",
    "fit",
    "friction",
    "history",
    "machine",
    "modes",
    "multipliers",
    "mutual_information",
    "panels",
    "parameter_map",
    "phase",
    "poincare",
    "probabilities",
    "reconstruction",
    "return_map",
    "ringdown",
    "save",
    "spectrum",
]


def __dir__() -> list[str]:
    return sorted(__all__)
