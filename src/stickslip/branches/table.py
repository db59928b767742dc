"""A branch as labelled data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stickslip._version import __version__
from stickslip.result import Result

if TYPE_CHECKING:
    from stickslip.branches.branch import Branch

FORMAT = "stickslip branch 1"


def dataset(branch: Branch) -> Result:
    """Along `point`: the parameter, period, stability, multipliers, signature, least and greatest value of every state;
    along `special`: kind, parameter, period, note, and the same extremes."""
    first = branch.points[0]
    states = list(first.model.states)
    multipliers = np.array([orbit.multipliers for orbit in branch.points])
    contacts = len(first.model.contacts)
    variables = {
        **{name: ("point", branch.along(name), {"units": first.model.unit_of(name)}) for name in _changing(branch)},
        "period": ("point", branch.periods, {"units": first.model.time_unit}),
        "stable": ("point", branch.stable),
        "multiplier_real": (("point", "multiplier"), multipliers.real),
        "multiplier_imag": (("point", "multiplier"), multipliers.imag),
        "signature": ("point", _texts([str(orbit.signature) for orbit in branch.points])),
        "minimum": (("point", "state"), branch.extremes[:, 0]),
        "maximum": (("point", "state"), branch.extremes[:, 1]),
        "special_kind": ("special", _texts([point.kind for point in branch.special])),
        "special_value": ("special", np.array([point.value for point in branch.special], float)),
        "special_period": ("special", np.array([point.orbit.period for point in branch.special], float)),
        "special_after": ("special", np.array([point.after for point in branch.special], int)),
        "special_note": ("special", _texts([point.note for point in branch.special])),
        "special_minimum": (("special", "state"), _extremes(branch, 0, len(states))),
        "special_maximum": (("special", "state"), _extremes(branch, 1, len(states))),
    }
    attributes = {
        "format": FORMAT,
        "version": __version__,
        "parameter": branch.parameter,
        "parameter_unit": first.model.unit_of(branch.parameter),
        "reason": branch.reason,
        "outcomes": " ".join(branch.outcomes),
        "meanings": " ".join(ending.outcome.meaning for ending in branch.endings),
        "model_name": first.model.about.name,
        "title": first.model.about.title,
        "method": repr(first.method),
        "contacts": contacts,
        "time_unit": first.model.time_unit,
    }
    units = [first.model.units[name] for name in states]
    quantities = [first.model.quantities.get(name, "") for name in states]
    coordinates = {
        "state": _texts(states),
        "unit": ("state", _texts(units)),
        "quantity": ("state", _texts(quantities)),
    }
    return Result(variables, coordinates, attributes)


def _changing(branch: Branch) -> list[str]:
    """The parameter of the branch, and on a curve of special points the one that follows it."""
    first, last = branch.points[0].model.parameters, branch.points[-1].model.parameters
    return [branch.parameter, *(name for name in first if name != branch.parameter and first[name] != last[name])]


def _texts(words: list[str]) -> np.ndarray:
    return np.array(words, dtype=np.str_) if words else np.zeros(0, "<U1")


def _extremes(branch: Branch, which: int, states: int) -> np.ndarray:
    """The extremes of special points, between those of the points around them."""
    values = np.array([point.extremes[which] for point in branch.special if point.extremes is not None])
    return values.reshape(-1, states)
