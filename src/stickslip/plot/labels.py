"""What stands on the axes: names as formulas, units, the title and the notes of a run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stickslip.errors import PictureError
from stickslip.model.errors import check_mapping, check_string, shown, suggest

if TYPE_CHECKING:
    import xarray

GREEK = re.compile(
    "alpha|beta|gamma|delta|epsilon|zeta|eta|theta|kappa|lambda|mu|nu|xi|rho|sigma|tau|phi|chi|psi|omega"
)
FINISHED = "finished"
"""What the attribute `outcome` says of a run that reached its end, and of a sweep with all its points."""

WORDS = {"x": "position", "v": "velocity"}
TURNING = {"x": "angle", "v": "angular velocity"}
OF_PARTS = {
    "m": "mass $m$",
    "inertia": "moment of inertia",
    "k": "stiffness $k$",
    "c": "damping $c$",
    "normal": "normal force",
    "eps": "steepness",
}
"""Parameters that parts have by these names, in words; others are words themselves, or formulas."""


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


def parameter_label(data: xarray.Dataset, name: str) -> str:
    """The axis label of a parameter: words, and its unit where the data has one."""
    return with_unit(parameter_words(name), unit_of(data, name))


def parameter_words(name: str) -> str:
    r"""A parameter in words: what it is, and of which part.

    >>> parameter_words("belt.speed"), parameter_words("contact.normal"), parameter_words("pad.mu_s")
    ('speed of belt', 'normal force of contact', '$\\mu_\\mathrm{s}$ of pad')
    >>> parameter_words("start.x.block"), parameter_words("gain")
    ('initial position $x_\\mathrm{block}$', 'gain')
    """
    owner, _, own = name.rpartition(".")
    if owner.startswith("start"):
        return f"initial {named_state(name.removeprefix('start.'), '')}"
    words = OF_PARTS.get(own, "") if owner else ""
    return (words or _word_or_symbol(own)) + (f" of {plain(owner)}" if owner else "")


def _word_or_symbol(name: str) -> str:
    """Names of one letter, Greek ones, and those with an index are formulas; others are words already."""
    head = re.split(r"[_0-9]", name)[0]
    if len(head) == 1 or GREEK.fullmatch(head):
        return parameter_symbol(name)
    return plain(name.replace("_", " "))


def plain(text: str) -> str:
    """Text that is not to be read as a formula."""
    return text.replace("$", r"\$")


def check_data(data: Any, needed: Iterable[str], maker: str) -> None:
    """Raise a sentence if `data` is not what `maker` returns: a dataset with these variables."""
    if not set(needed) <= set(getattr(data, "coords", ())) | set(getattr(data, "data_vars", ())):
        raise PictureError(f"{shown(data)} cannot be drawn: give what {maker} returned")


def check_found(found: Any, needed: Iterable[str], maker: str) -> None:
    """Raise a sentence if `found` is not what `maker` returns: an object with these attributes."""
    if isinstance(found, type) or not all(hasattr(found, each) for each in needed):
        raise PictureError(f"{shown(found)} cannot be drawn: give what {maker} returned")


def units_given(units: Mapping[str, str] | None) -> Mapping[str, str]:
    """Units that a user gave by name; none by default."""
    if units is None:
        return {}
    check_mapping("units", units, "{'velocity': 'm/s', 'force': 'N'}")
    return units


def with_unit(label: str, unit: str) -> str:
    """The label followed by its unit, if there is one.

    >>> with_unit("time $t$", "s"), with_unit("time $t$", "")
    ('time $t$ (s)', 'time $t$')
    """
    check_string("a unit", unit)
    return f"{label} ({plain(unit)})" if unit else label


def unit_of(run: xarray.Dataset, name: str) -> str:
    """The unit of a variable, "" where it has none, or is not there."""
    return str(run[name].attrs.get("units", "")) if name in run.variables else ""


def state_label(run: xarray.Dataset, name: str) -> str:
    """The axis label of a state: word, formula, unit."""
    return named_state(name, unit_of(run, name), quantity_of(run, name))


def quantity_of(run: xarray.Dataset, name: str) -> str:
    """What a variable is: what the data says ("angle"), else by its name, and by the unit of what turns; or ""."""
    said = str(run[name].attrs.get("quantity", "")) if name in run.variables else ""
    quantity, _, owner = name.partition(".")
    turns = re.match(r"(rad|deg|°)(?![a-zA-Z])", unit_of(run, f"x.{owner}"))
    return said or (TURNING.get(quantity, "") if owner and turns else "")


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
    """The label of a sliding velocity axis; its unit is that of all velocities, where they have the same."""
    units = {unit_of(run, name) for name in names(run, "state") if name.startswith("v.")}
    unit = unit_of(run, "slip_velocity") or (units.pop() if len(units) == 1 else "")
    return with_unit(r"sliding velocity $v_\mathrm{rel}$", unit)


def recorded_label(data: xarray.Dataset, name: str) -> str:
    """The axis label of a state that a sweep recorded: what it is, and at which points of the motion."""
    label, where = state_label(data, name), str(data[name].attrs.get("where", ""))
    if where == f"at maxima of {name}":
        return f"maxima of {label}"
    return f"{label} {_with_symbols(where)}".rstrip()


def _with_symbols(words: str) -> str:
    """Words in which names of states are formulas."""
    return re.sub(r"\b[xv]\.[A-Za-z0-9_]+", lambda found: symbol(found[0]), plain(words))


def title_of(run: xarray.Dataset, *details: str) -> str:
    """The model in words, and what of it is shown."""
    named = str(run.attrs.get("title", "")) or str(run.attrs.get("model_name", "")).replace("_", " ")
    return plain(" – ".join(part for part in (named, *details) if part))


def title_of_model(model: object, *details: str) -> str:
    """The same of a model, "" where it says nothing about itself."""
    about = getattr(model, "about", None)
    named = getattr(about, "title", "") or str(getattr(about, "name", "")).replace("_", " ")
    return plain(" – ".join(part for part in (named, *details) if part))


def notes_of(run: xarray.Dataset) -> list[str]:
    """The status of a run that stopped early, and what explains a picture that is empty."""
    early = run.attrs.get("outcome", FINISHED) != FINISHED
    notes = [str(run.attrs["status"])] if early else []
    single = run["time"].size == 1 and run.sizes.get("step", 0) == 0
    return [*notes, "The run has a single sample."] if single else notes


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

    >>> check_name("x.blok", ["x.block"], "state")
    Traceback (most recent call last):
    stickslip.errors.PictureError: there is no state 'x.blok' in this run (did you mean 'x.block'?); there are: x.block
    """
    if isinstance(name, str) and name in known:
        return name
    raise PictureError(f"there is no {what} {shown(name)} in this {where}{suggest(name, known)}")


def contact_index(run: xarray.Dataset, contact: str | None) -> int:
    """The place of a contact by name; the first one when no name is given."""
    known = names(run, "contact")
    if not known:
        raise PictureError("this run has no contact, so there is no friction to draw")
    return 0 if contact is None else known.index(check_name(contact, known, "contact"))
