"""What stands on the axes: names as formulas, units, the title and the notes of a run."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import xarray

GREEK = re.compile(
    "alpha|beta|gamma|delta|epsilon|zeta|eta|theta|kappa|lambda|mu|nu|xi|rho|sigma|tau|phi|chi|psi|omega"
)
FINISHED = "finished"
"""What the attribute `outcome` says of a run that reached its end, and of a sweep with all its points."""

WORDS = {"x": "position", "v": "velocity"}


def symbol(name: str) -> str:
    r"""A state's name as a formula.

    >>> symbol("x.block"), symbol("theta"), symbol("v")
    ('$x_\\mathrm{block}$', '$\\theta$', '$v$')
    """
    if not re.fullmatch(r"[A-Za-z0-9_.]+", name):
        return plain(name)
    quantity, _, owner = name.partition(".")
    subscript = rf"_\mathrm{{{_escape(owner)}}}" if owner else ""
    return f"${_letter(quantity)}{subscript}$"


def _letter(quantity: str) -> str:
    if GREEK.fullmatch(quantity):
        return rf"\{quantity}"
    return quantity if len(quantity) == 1 else rf"\mathrm{{{_escape(quantity)}}}"


def _escape(text: str) -> str:
    return text.replace("_", r"\_")


def parameter_symbol(name: str) -> str:
    r"""A law's parameter as a formula.

    >>> parameter_symbol("mu_s"), parameter_symbol("c0"), parameter_symbol("viscous")
    ('$\\mu_\\mathrm{s}$', '$c_\\mathrm{0}$', '$\\mathrm{viscous}$')
    """
    numbered = re.fullmatch(r"([a-z])([0-9]+)", name)
    head, _, index = name.partition("_")
    return symbol(".".join(numbered.groups()) if numbered else f"{head}.{index}" if index else name)


def plain(text: str) -> str:
    """Text that is not to be read as a formula."""
    return text.replace("$", r"\$")


def with_unit(label: str, unit: str) -> str:
    """The label followed by its unit, if there is one.

    >>> with_unit("time $t$", "s"), with_unit("time $t$", "")
    ('time $t$ (s)', 'time $t$')
    """
    return f"{label} ({plain(unit)})" if unit else label


def unit_of(run: xarray.Dataset, name: str) -> str:
    """The unit of a variable, "" where it has none."""
    return str(run[name].attrs.get("units", ""))


def state_label(run: xarray.Dataset, name: str) -> str:
    """The axis label of a state: word, formula, unit."""
    return named_state(name, unit_of(run, name), quantity_of(run, name))


def quantity_of(run: xarray.Dataset, name: str) -> str:
    """What a variable is ("angle"), "" where that is not said."""
    return str(run[name].attrs.get("quantity", ""))


def named_state(name: str, unit: str, quantity: str = "") -> str:
    r"""Word, formula and unit of a state.

    >>> named_state("x.block", "m"), named_state("x.disk", "rad", "angle")
    ('position $x_\\mathrm{block}$ (m)', 'angle $x_\\mathrm{disk}$ (rad)')
    """
    letter, _, owner = name.partition(".")
    word = quantity or (WORDS.get(letter, "") if owner else "")
    return with_unit(f"{word} {symbol(name)}".lstrip(), unit)


def time_label(run: xarray.Dataset) -> str:
    """The label of the time axis."""
    return with_unit("time $t$", str(run.attrs.get("time_unit", "")))


def force_label(run: xarray.Dataset) -> str:
    """The label of a friction force axis."""
    return with_unit(rf"{quantity_of(run, 'force') or 'friction force'} $\lambda$", unit_of(run, "force"))


def slip_velocity_label(run: xarray.Dataset) -> str:
    """The label of a sliding velocity axis."""
    return with_unit(r"sliding velocity $v_\mathrm{rel}$", unit_of(run, "slip_velocity"))


def title_of(run: xarray.Dataset, *details: str) -> str:
    """The model's name and what of it is shown."""
    return plain(" – ".join(part for part in (str(run.attrs.get("model_name", "")), *details) if part))


def notes_of(run: xarray.Dataset) -> list[str]:
    """The status of a run that stopped early, and what explains a picture that is empty."""
    early = run.attrs.get("outcome", FINISHED) != FINISHED
    notes = [str(run.attrs["status"])] if early else []
    return [*notes, "The run has a single sample."] if run["time"].size == 1 else notes


def visible_length(label: str) -> int:
    r"""About how many characters of a label with formulas are seen.

    >>> visible_length(r"position $x_\\mathrm{block}$ (m)")
    19
    """
    return len(re.sub(r"\\mathrm|[${}\\_]", "", label))


def names(run: xarray.Dataset, coordinate: str) -> list[str]:
    """The labels along "contact" or "state"."""
    return [str(name) for name in run[coordinate].values]


def check_name(name: str, known: Sequence[str], what: str, where: str = "run") -> str:
    """Return `name` if it is known; else raise a sentence that suggests another.

    >>> check_name("x.blok", ["x.block", "v.block"], "state")
    Traceback (most recent call last):
    ValueError: there is no state 'x.blok' in this run (did you mean 'x.block'?); there are: x.block, v.block
    """
    if name in known:
        return name
    close = difflib.get_close_matches(str(name), known, n=1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    shown = ", ".join(known[:20]) + (", …" if len(known) > 20 else "")
    raise ValueError(f"there is no {what} {name!r} in this {where}{hint}; there are: {shown or 'none'}")


def contact_index(run: xarray.Dataset, contact: str | None) -> int:
    """The place of a contact by name; the first one when no name is given."""
    known = names(run, "contact")
    if not known:
        raise ValueError("this run has no contact, so there is no friction to draw")
    return 0 if contact is None else known.index(check_name(contact, known, "contact"))
