"""What is generated from the equations of a model: one table of sources, each written when it is first asked for.

An artifact is a module whose text a function of `symbolic/` writes. It is kept in the cache under the structure of the
model, so that models which differ by numbers alone share it, and nothing is derived where it is found there. Some
stand in the place of a kernel file and are compiled with kernels (`programs`), others are run as they are (`modules`).
"""

from __future__ import annotations

import hashlib
import importlib
import json
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from stickslip.errors import ModelError
from stickslip.model.system import Model, System
from stickslip.targets.generated import Generated, plain


@dataclass(frozen=True)
class Artifact:
    """One kind of generated module.

    `writer` is a function of `symbolic/`, as "file.function", of the equations and what else shapes the text; `place`
    is the kernel file that the module stands for, "" where it stands alone. `refuses` says what it is for, where that
    takes small changes: it is refused for kinds of contacts through which these are not carried.
    """

    writer: str
    place: str = ""
    refuses: str = ""


ARTIFACTS: Mapping[str, Artifact] = {
    "series": Artifact("equal_parts.series_source", "model"),
    "tangent": Artifact(
        "tangent.tangent_source", "model", "periodic orbits, their branches, return maps and exponents"
    ),
    "lanes": Artifact("lanes.lane_source", "model"),
    "smooth": Artifact("flow.smooth_source", "flow"),
    "stiff": Artifact("flow.stiff_source", "flow"),
    "jacobian": Artifact("jacobian.jacobian_source"),
    "balance": Artifact("balance.balance_source", refuses="equilibria"),
    "forms": Artifact("normal_form.forms_source"),
    "forcing": Artifact("period.period_source"),
    "translations": Artifact("translations.translation_source"),
    "formulas": Artifact("source.formulas_source"),
}
"""Taylor series of a motion, and with those of its variations; those of motions in lockstep, a text that is empty where
the model has what lockstep does not do; smoothed equations for solvers of SciPy, and for `kernels/stiff.py`;
derivatives of the rates; conditions of rest, and their second and third derivatives; the waves in the equations; shifts
that the equations do not feel; the formulas of plain functions."""


def artifact(model: Model, name: str, *shaped_by: int | str) -> Generated:
    """The generated module of that name; `shaped_by` is what the writer takes besides the equations.

    >>> from stickslip.model.library import block_on_belt
    >>> artifact(block_on_belt(), "jacobian").module().derivatives.__name__
    'derivatives'
    """
    kind = ARTIFACTS[name]
    if kind.refuses:
        _refuse(model, kind.refuses)

    def text() -> str:
        # SymPy is slow to import and not needed when the module is found in the cache.
        from stickslip.symbolic.equations import derive

        file, function = kind.writer.split(".")
        source: str = getattr(importlib.import_module(f"stickslip.symbolic.{file}"), function)(
            derive(model), *shaped_by
        )
        return source if kind.place else plain(source)

    return generated("|".join([key_of(model), name, *map(str, shaped_by)]), text, kind.place or "model")


def _refuse(model: Model, what: str) -> None:
    for name, part in model.friction.items() if isinstance(model, System) else ():
        if without := part.without_variation(name):
            raise ModelError(f"{what} are not for {without}")


def module(model: Model, name: str) -> ModuleType:
    """An artifact that stands alone, ready to be called."""
    return artifact(model, name).module()


def formulas_of(model: Model) -> dict[str, Any]:
    """The formula of every plain function in a model, by part, as it was traced.

    >>> import stickslip as ss
    >>> block = ss.Mass("block", m=1.0)
    >>> formulas_of(ss.System(ss.Contact(block, ss.ground, law=lambda v, mu=0.5: mu / (1 + v))))
    {'contact.law': 'mu/(v + 1)'}
    """
    return dict(json.loads(module(model, "formulas").FORMULAS))


def generated(key: str, text: Callable[[], str], place: str = "model") -> Generated:
    """A generated module, which is written when it is not in the cache yet."""

    def written() -> str:
        try:
            return text()
        except RecursionError:
            raise ModelError("the formulas of this model are nested too deep to be compiled: shorten them") from None

    return Generated(key, written, place)


_keys: weakref.WeakKeyDictionary[Model, str] = weakref.WeakKeyDictionary()


def key_of(model: Model) -> str:
    """What identifies the equations of a model; unknown code is told apart by its generated source."""
    key = _keys.get(model)
    if key is None:
        key = model.structure()
        if key is None:
            key = hashlib.sha256(_traced(model).encode()).hexdigest()
        _keys[model] = key
    return key


def _traced(model: Model) -> str:
    from stickslip.symbolic.equal_parts import series_source
    from stickslip.symbolic.equations import derive

    return series_source(derive(model), 8)
