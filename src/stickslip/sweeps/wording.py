"""What rows of a sweep are, in words: "at release", "at maxima of x.block"."""

from __future__ import annotations

from collections.abc import Mapping

from stickslip.kernels import observation as kernel
from stickslip.model.system import Model
from stickslip.sweeps.layout import Sweep
from stickslip.sweeps.observation import Codes, Named, Recorded

PASSING: Mapping[int, str] = {1: " rising", -1: " falling", 0: ""}


def told(data: Sweep, model: Model, observations: Named) -> Sweep:
    """The Dataset with what its rows are in the attributes `where` and `long_name` of every recorded state."""
    for name, what in observations:
        if not isinstance(what, Recorded):
            continue
        words = where(what.codes(model), model)
        for state in model.states:
            variable = data[f"{name}.{state}" if name else state]
            variable.attrs |= {"where": words, "long_name": f"{state} {words}"}
    return data


def where(codes: Codes, model: Model) -> str:
    """At which points of the motion rows were recorded.

    >>> from stickslip.model.library import two_blocks
    >>> from stickslip.sweeps.observation import Change
    >>> release = Codes(kernel.CHANGES, 1, changes=(Change.RELEASE,))
    >>> where(release, two_blocks()), where(Codes(kernel.MAXIMA, 0, -1), two_blocks())
    ('at release of contact2', 'at maxima of x.block1')
    """
    if codes.kind == kernel.CHANGES:
        change = " or ".join(f"at {each.value}" for each in codes.changes)
        return change if codes.which == kernel.ALL_CONTACTS else f"{change} of {model.contacts[codes.which]}"
    if codes.kind == kernel.STROBE:
        unit = f" {model.time_unit}" if model.time_unit else ""
        return f"every {codes.period:g}{unit}" if codes.period else "once per period of the excitation"
    states = len(model.states)
    is_state = codes.which < states
    quantity = model.states[codes.which] if is_state else f"sliding velocity of {model.contacts[codes.which - states]}"
    if codes.kind == kernel.MAXIMA:
        return f"at maxima of {quantity}"
    return f"where {quantity} = {codes.level:g}{PASSING[codes.direction]}"
