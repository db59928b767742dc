"""What an item of a paper gives: values beside the printed ones, data, a picture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import xarray as xr

    from stickslip.model.system import Model

Number = float | int | str
"""A number, or a word where a paper states one: "chaotic", "unstable"."""

PARAMETER = "parameter "
"""How the quantity begins where it was not computed, but given."""

At = Mapping[str, float | int | str]
"""Parameters at which a value holds, by name."""


@dataclass(frozen=True)
class Value:
    """A value that was computed.

    Attributes
    ----------
    quantity : str
        What it is, in the words of the catalogue.
    value : float, int or str
        The value: a number, or a word such as "chaotic".
    accuracy : float
        How far it may be off, in absolute terms; 0 for counts and words.
    at : mapping of str to number or str
        The parameters at which it holds, as the catalogue has them.
    note : str
        What a reader should know besides, and where it is not what was printed: why.
    """

    quantity: str
    value: Number
    accuracy: float = 0.0
    at: At = field(default_factory=dict)
    note: str = ""


def parameters(model: Model, names: Mapping[str, str], at: At | None = None) -> list[Value]:
    """Parameters of a model as values, to be set beside those that a paper prints: the model is the paper's own.

    Parameters
    ----------
    model : System or Filippov
        What is simulated.
    names : mapping of str to str
        The names of parameters in the model by those in the paper.
    at : mapping, optional
        As in `Value`.

    Examples
    --------
    >>> import stickslip as ss
    >>> parameters(ss.models.block_on_belt(), {"v_dr": "belt.speed"})[0].value
    0.2
    """
    return [Value(f"{PARAMETER}{name}", model.parameters[own], at=at or {}) for name, own in names.items()]


@dataclass(frozen=True)
class Found:
    """What the function of an item returns.

    Attributes
    ----------
    picture : Axes, array of Axes, or Figure
        The picture, as the functions of `stickslip.plot` return it.
    values : sequence of Value
        Every printed number of the item, computed; and those that the paper does not print, if they are worth it.
    data : xarray.Dataset, optional
        What is drawn, to be kept in a file beside the picture.
    """

    picture: Any
    values: Sequence[Value] = ()
    data: xr.Dataset | None = None


@dataclass(frozen=True)
class Printed:
    """A number, or a word, that a paper prints, with the digits that it has there."""

    quantity: str
    number: str
    at: At = field(default_factory=dict)
    note: str = ""

    @property
    def is_word(self) -> bool:
        """Whether it is a word, such as "chaotic".

        >>> Printed("motion", "chaotic").is_word, Printed("e", "2.9e-1").is_word
        (True, False)
        """
        return not self.number.lstrip("-").replace(".", "", 1).replace("e-", "").replace("e", "").isdigit()

    @property
    def digits(self) -> int | None:
        """How many digits it has; None for words.

        >>> [Printed("", number).digits for number in ("2.9e-1", "0.1106", "1.00e-2", "123", "chaotic")]
        [2, 4, 3, 3, None]
        """
        return None if self.is_word else len(Decimal(self.number).as_tuple().digits)

    def agrees(self, value: Number) -> bool:
        """Whether a value, rounded to the digits printed, is what is printed; a word has to be the same.

        >>> Printed("e", "0.081").agrees(0.0814999), Printed("e", "0.081").agrees(0.0815001)
        (True, False)
        """
        if self.is_word or isinstance(value, str):
            return self.number == value
        if not math.isfinite(value):
            return False
        printed = Decimal(self.number)
        return Decimal(value).quantize(Decimal((0, (1,), int(printed.as_tuple().exponent))), ROUND_HALF_EVEN) == printed


@dataclass(frozen=True)
class Row:
    """A value beside what is printed, as `stickslip paper --json` writes it."""

    paper: str
    item: str
    quantity: str
    parameters: At
    value: Number
    accuracy: float
    printed: Number | None = None
    printed_digits: int | None = None
    agrees: bool | None = None
    note: str = ""

    @property
    def is_parameter(self) -> bool:
        """Whether it was given, not computed."""
        return self.quantity.startswith(PARAMETER)

    @property
    def ours(self) -> str:
        """The value in text, with the digits that its accuracy allows, at most twelve.

        >>> Row("", "", "", {}, 0.58152247705, 1e-9).ours, Row("", "", "", {}, 2.0, 0.0).ours
        ('0.581522477', '2')
        """
        if isinstance(self.value, str | int) or not math.isfinite(self.value):
            return str(self.value)
        digits = 12
        if self.accuracy > 0 and self.value:
            digits = math.floor(math.log10(abs(self.value))) - math.floor(math.log10(self.accuracy)) + 1
        return as_text(self.value, min(12, max(1, digits)), keep_zeros=self.accuracy > 0)

    @property
    def theirs(self) -> str:
        """What is printed, with the digits it has there; empty where nothing is.

        >>> Row("", "", "", {}, 0.1, 0, 0.004, 2).theirs, Row("", "", "", {}, 300, 0, 300.0, 3).theirs
        ('0.0040', '300')
        """
        if self.printed is None or isinstance(self.printed, str):
            return self.printed or ""
        return as_text(self.printed, self.printed_digits or 1, keep_zeros=True)

    @property
    def where(self) -> str:
        """The parameters in text.

        >>> Row("", "", "", {"case": "peak", "ε": 1e6}, 0.1, 0).where
        'case = peak, ε = 10⁶'
        """
        return ", ".join(f"{name} = {_parameter(value)}" for name, value in self.parameters.items())


def as_text(value: float, digits: int, keep_zeros: bool = False) -> str:
    """A number in text with a proper minus sign, large and small ones with a power of ten.

    >>> as_text(-0.004, 2, keep_zeros=True), as_text(4.764e-05, 3), as_text(3e-12, 1, keep_zeros=True)
    ('−0.0040', '4.76·10⁻⁵', '3·10⁻¹²')
    """
    text, _, exponent = f"{value:{'#' if keep_zeros else ''}.{digits}g}".partition("e")
    number = text.removesuffix(".").replace("-", "−")
    return f"{number}·{_power(int(exponent))}" if exponent else number


def _power(exponent: int) -> str:
    return "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _parameter(value: Number) -> str:
    if isinstance(value, str):
        return value
    decimal = math.log10(value) if value > 0 else 0.0
    return _power(round(decimal)) if abs(decimal) >= 3 and decimal.is_integer() else as_text(value, 6)


def tally(rows: Sequence[Row]) -> str:
    """How much of what is printed agrees, in words; empty where nothing is printed.

    >>> made = [Row("", "", "e", {}, 0.1, 0, 0.1, 1, True), Row("", "", "e", {}, 0.1, 0, 0.2, 1, False)]
    >>> tally(made)
    'as printed: 1 of 2 numbers'
    >>> chaos = Row("", "", "motion", {}, "chaotic", 0, "chaotic", None, True)
    >>> tally([*made, chaos, Row("", "", "parameter m", {}, 1, 0, 1, 1, True)])
    'as printed: 1 of 2 numbers, 1 of 1 words, 1 of 1 parameters'
    """
    kinds: dict[str, list[Row]] = {"numbers": [], "words": [], "parameters": []}
    for row in rows:
        if row.agrees is not None:
            kind = "parameters" if row.is_parameter else "words" if isinstance(row.printed, str) else "numbers"
            kinds[kind].append(row)
    told = [f"{_agreeing(each)} {kind}" for kind, each in kinds.items() if each]
    return f"as printed: {', '.join(told)}" if told else ""


def _agreeing(rows: Sequence[Row]) -> str:
    return f"{sum(bool(row.agrees) for row in rows)} of {len(rows)}"


def rows(paper: str, item: str, printed: Sequence[Printed], values: Sequence[Value]) -> list[Row]:
    """The values of an item beside what is printed, in the order of the values.

    Raises
    ------
    LookupError
        If something that is printed was not computed: then the item is not complete.
    """
    known = {_key(each.quantity, each.at): each for each in printed}
    missing = known.keys() - {_key(each.quantity, each.at) for each in values}
    if missing:
        raise LookupError(f"{paper} {item}: not computed: {', '.join(sorted(map(str, missing)))}")
    return [_row(paper, item, known.get(_key(each.quantity, each.at)), each) for each in values]


def _key(quantity: str, at: At) -> tuple[str, frozenset[tuple[str, str]]]:
    return quantity, frozenset((name, str(float(v) if not isinstance(v, str) else v)) for name, v in at.items())


def _row(paper: str, item: str, printed: Printed | None, value: Value) -> Row:
    plain = value.value if isinstance(value.value, str | int) else float(value.value)
    if printed is None:
        return Row(paper, item, value.quantity, value.at, plain, float(value.accuracy), note=value.note)
    number: Number = printed.number if printed.is_word else float(printed.number)
    note = " ".join(text for text in (printed.note, value.note) if text)
    return Row(
        paper,
        item,
        value.quantity,
        value.at,
        plain,
        float(value.accuracy),
        number,
        printed.digits,
        printed.agrees(value.value),
        note,
    )
