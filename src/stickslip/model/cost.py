"""What it costs to compile a model, estimated from its parts before anything is derived.

The unit is one operation of a formula: a name, a number, a sum. Where a formula has cases (where, min, max, abs, sign),
each counts as CASE, since it brings an event of its own. 1000 of them compile in some ten seconds, and the time grows
faster than their number.
"""

from __future__ import annotations

from typing import Any

from stickslip.errors import ModelError
from stickslip.model.dynamic import DynamicLaw, StateLaw
from stickslip.model.formula import Formula
from stickslip.model.laws import Law, Polynomial, Tabulated, WithAging, WithViscous
from stickslip.model.limits import MAX_COST
from stickslip.model.parts import Body, CompliantContact, Contact, Drive, Link, Moving, Part, Rubbing, State
from stickslip.model.scatter import DISTRIBUTIONS
from stickslip.model.system import Filippov, Model, System

MASS, SIMPLE, RUBBING, ASPERITY, SCATTER = 3, 1, 6, 15, 10
TRUST = "If you trust it, read it with load(path, trusted=True)"
LAW, DYNAMIC, UNKNOWN = 10, 40, 20


def costs(model: Model) -> dict[str, int]:
    """The cost of every part by name; of a Filippov system, of every function.

    >>> from stickslip.model.library import block_on_belt
    >>> costs(block_on_belt())
    {'block': 3, 'belt': 1, 'spring': 1, 'contact': 18}
    """
    if isinstance(model, System):
        following = dict.fromkeys(model.parts, 0)
        for name, term in model.derived.items():
            following[name.partition(".")[0]] += term.operations
        return {name: _part(name, part) + following[name] for name, part in model.parts.items()}
    if isinstance(model, Filippov):
        own = {key: _function(function) for key, function in model.functions.items()}
        return {"states": MASS * len(model.states), "contacts": RUBBING * len(model.contacts), **own}
    return {}


def check_cost(model: Model) -> None:
    """Refuse a model that takes long to compile."""
    for name, contact in model.friction.items() if isinstance(model, System) else ():
        slow = contact.scatter.slow() if contact.scatter is not None else None
        if slow is not None:
            raise ModelError(
                f"{name!r}: the distribution {slow!r} has quantiles that may take minutes to compute; a file may have "
                f"{', '.join(DISTRIBUTIONS)}. {TRUST}"
            )
    found = costs(model)
    total = sum(found.values())
    if total > MAX_COST:
        most = max(found, key=lambda name: found[name])
        raise ModelError(
            f"the model costs {total} operations, {found[most]} of them in {most!r}: a file may have {MAX_COST} at "
            f"most, since compiling more takes long. {TRUST}"
        )


def _part(name: str, part: Part) -> int:
    functions = part.functions(name)
    own = sum(_function(value) if key in functions else SIMPLE for key, value in part.values().items())
    if isinstance(part, Body):
        return MASS if isinstance(part, Moving) else own
    if isinstance(part, State):
        return SIMPLE + own
    if isinstance(part, Link | Drive):
        # The tension stands in the equation of every mass, with all bodies in it; two ends are the usual case.
        more = len(part.bodies()) - (2 if isinstance(part, Link) else 1)
        return own * (1 + more) + more
    if not isinstance(part, Rubbing):
        return own
    cost = RUBBING + len(part.weights) + _law(part.friction) + own
    if isinstance(part, CompliantContact):
        cost += ASPERITY
    return cost + (SCATTER if isinstance(part, Contact) and part.scatter is not None else 0)


def _law(law: Law) -> int:
    match law:
        case WithViscous():
            return 2 * SIMPLE + _law(law.law)
        case WithAging():
            return _function(law.growth) + _law(law.law)
        case Polynomial():
            return 2 * len(law.coefficients)
        case Tabulated():
            return LAW
        case StateLaw():
            return _function(law.rate) + 2 * _function(law.coefficient)
        case DynamicLaw():
            return DYNAMIC
    return _function(getattr(law, "function", None))


def _function(function: Any) -> int:
    if function is None:
        return LAW
    return function.operations if isinstance(function, Formula) else UNKNOWN
