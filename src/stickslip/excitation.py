"""The period of an excitation, for given values of the parameters.

The equations are sums of waves (`symbolic/period.py`). Which of them are there depends on the parameters; the period is
the shortest after which all of those repeat themselves. The numbers of a wave count base frequencies. A function of
waves, such as |sin ωt|, has infinitely many harmonics: they lie at offset + modulus · (any whole number).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd, inf, pi
from typing import Any, Protocol, TypeAlias

import numpy as np

from stickslip.arrays import Floats

Values = Sequence[float] | Floats
NO_EXCITATION, NOT_PERIODIC = 0.0, -1.0
"""In place of a period: time does not matter; it matters, but no period can be seen in the equations."""

IS_ODD, IS_EVEN = 1, 2
Wave: TypeAlias = tuple[tuple[int, ...], int, tuple[int, ...]]
"""A wave: how often it has each base frequency, the number of its amplitude, and those of functions it is times."""


@dataclass(frozen=True)
class Harmonics:
    """offset + modulus · (any whole number), per base frequency; `endless` where time appears without a period."""

    offset: tuple[int, ...]
    modulus: tuple[int, ...]
    endless: bool = False

    @property
    def steps(self) -> tuple[int, ...]:
        """The largest numbers of which all harmonics are whole multiples; 0 where there are none."""
        return tuple(map(gcd, self.offset, self.modulus))


@dataclass(frozen=True)
class Excitation:
    """What excites: `number` times the base frequency `base`. Without base nothing does, or not periodically."""

    base: int | None = None
    number: int = 0
    periodic: bool = True

    @property
    def exists(self) -> bool:
        """Whether time matters at all."""
        return self.base is not None or not self.periodic


class Waves(Protocol):
    """What `symbolic/period.py` generates: the waves in the equations, and what their parameters say of them."""

    TERMS: Sequence[Wave]
    FUNCTIONS: Sequence[tuple[int, Sequence[Sequence[Wave]]]]
    ARITHMETIC: bool

    def present(self, parameters: Any) -> Sequence[bool]:
        """Which amplitudes are not zero."""

    def frequencies(self, parameters: Any) -> Sequence[Any]:
        """The base frequencies."""

    def frequency_slopes(self, parameters: Any) -> Sequence[Sequence[float]]:
        """How they change with the parameters."""


class Shifts(Waves, Protocol):
    """What `symbolic/translations.py` generates besides."""

    TIMED: bool

    def moving(self, parameters: Any) -> Sequence[float]:
        """How fast states advance."""

    def moving_slopes(self, parameters: Any) -> Sequence[Sequence[float]]:
        """How that changes with the parameters."""

    def free(self, parameters: Any) -> Sequence[Sequence[float]]:
        """Shifts of any length."""

    def turns(self, parameters: Any) -> Sequence[Sequence[float]]:
        """Shifts by one whole turn."""


class Excitations:
    """The waves in the equations of a model."""

    def __init__(self, program: Waves) -> None:
        self.program = program

    @property
    def timed(self) -> bool:
        """Whether time appears in the equations, be it with amplitudes that may be zero."""
        return bool(self.program.TERMS)

    def at(self, parameters: Values) -> Excitation:
        """What excites the model for these values of the parameters."""
        return self._excitation(self.program.present(parameters), self.program.frequencies(parameters))

    @cached_property
    def nominal(self) -> Excitation:
        """What excites it where no amplitude is zero."""
        bases = len(self.program.TERMS[0][0]) if self.timed else 0
        return self._excitation(_Always(), [1.0] * bases)

    def _excitation(self, present: Any, frequencies: Sequence[float]) -> Excitation:
        moving = [omega != 0 for omega in frequencies]
        functions: list[Harmonics] = []
        for number in range(len(self.program.FUNCTIONS)):
            functions.append(self._function(number, present, moving, functions))
        found = [_harmonics(term, moving, functions) for term in self.program.TERMS if present[term[1]]]
        if any(one.endless for one in found):
            return Excitation(periodic=False)
        steps = _common(found, len(moving))
        bases = [i for i, step in enumerate(steps) if step]
        if len(bases) > 1:
            return Excitation(periodic=False)
        return Excitation(bases[0], steps[bases[0]]) if bases else Excitation()

    def _function(self, number: int, present: Any, moving: Sequence[bool], functions: Sequence[Harmonics]) -> Harmonics:
        """The harmonics of a function of waves; of time itself where it has no arguments."""
        parity, arguments = self.program.FUNCTIONS[number]
        bases = len(moving)
        nothing = (0,) * bases
        if not arguments:
            return Harmonics(nothing, nothing, True)
        found = [_harmonics(term, moving, functions) for terms in arguments for term in terms if present[term[1]]]
        if any(one.endless for one in found):
            return Harmonics(nothing, nothing, True)
        steps = _common(found, bases)
        # What changes its sign after half a period makes an even function of it repeat itself then.
        alternating = sum(map(bool, steps)) == 1 and all(_alternates(one, steps) for one in found)
        if parity in (IS_ODD, IS_EVEN) and alternating:
            twice = tuple(2 * step for step in steps)
            return Harmonics(steps if parity == IS_ODD else nothing, twice)
        return Harmonics(nothing, steps)

    # -- periods ---------------------------------------------------------------------------------------------------

    def period(self, excitation: Excitation, parameters: Values) -> float:
        """The period of an excitation; 0 without any, −1 where it has none."""
        if excitation.base is None:
            return NO_EXCITATION if excitation.periodic else NOT_PERIODIC
        omega = abs(excitation.number * self.program.frequencies(parameters)[excitation.base])
        return 2 * pi / omega if omega else inf

    def slopes(self, excitation: Excitation, parameters: Values) -> Floats:
        """How the period changes with the parameters."""
        if excitation.base is None:
            return np.zeros(len(parameters))
        omega = self.program.frequencies(parameters)[excitation.base]
        slopes = np.array(self.program.frequency_slopes(parameters)[excitation.base], float)
        return np.asarray(-self.period(excitation, parameters) / omega * slopes, float)

    def periods(self, rows: Floats) -> Floats:
        """Nominal periods for many rows of parameters: those of the excitation, also where its amplitude is zero."""
        if self.nominal.base is None:
            if self.nominal.periodic:
                return np.full(len(rows), NO_EXCITATION)
            return np.array([self._computed(row) for row in rows])
        if not self.program.ARITHMETIC:
            return np.array([self._computed(row, self.nominal) for row in rows])
        with np.errstate(all="ignore"):  # what is divided by zero is told by its value
            omega = np.abs(self.nominal.number * np.asarray(self.program.frequencies(rows.T)[self.nominal.base]))
            return np.array(np.broadcast_to(2 * pi / omega, len(rows)), float)

    def _computed(self, row: Floats, excitation: Excitation | None = None) -> float:
        """The period at a row of parameters, by default of what excites there; infinite where it cannot be computed."""
        try:
            return self.period(self.at(row) if excitation is None else excitation, row)
        except (ArithmeticError, ValueError):
            return inf


class Translations:
    """The shifts of the states that the equations of a model do not feel (`symbolic/translations.py`).

    In z − `moving` t the excitations are `excitations`; `free` shifts may have any length, `turns` are whole.
    """

    def __init__(self, program: Shifts) -> None:
        self.program, self.excitations = program, Excitations(program)

    @property
    def timed(self) -> bool:
        """Whether time appears in the equations."""
        return bool(self.program.TIMED)

    def moving(self, parameters: Values) -> Floats:
        """How fast states advance."""
        return np.array(self.program.moving(parameters), float)

    def moving_slopes(self, parameters: Values) -> Floats:
        """How that changes with the parameters: one row for each state."""
        return np.array(self.program.moving_slopes(parameters), float).reshape(-1, len(parameters))

    def free(self, parameters: Values) -> Floats:
        """Shifts of any length, one in each row."""
        return self._rows(self.program.free(parameters), parameters)

    def turns(self, parameters: Values) -> Floats:
        """Shifts by one whole turn, one in each row."""
        return self._rows(self.program.turns(parameters), parameters)

    def _rows(self, rows: Any, parameters: Values) -> Floats:
        return np.array(rows, float).reshape(-1, len(self.program.moving(parameters)))


class _Always:
    """The answer to every question whether an amplitude is not zero."""

    def __getitem__(self, question: int) -> bool:
        return True


def _harmonics(term: Wave, moving: Sequence[bool], functions: Sequence[Harmonics]) -> Harmonics:
    """The harmonics of a wave times functions of waves."""
    numbers, _, factors = term
    offset = [n if moves else 0 for n, moves in zip(numbers, moving, strict=True)]
    modulus = [0] * len(offset)
    for factor in factors:
        offset = [a + b for a, b in zip(offset, functions[factor].offset, strict=True)]
        modulus = list(map(gcd, modulus, functions[factor].modulus))
    return Harmonics(tuple(offset), tuple(modulus), any(functions[factor].endless for factor in factors))


def _common(found: Sequence[Harmonics], bases: int) -> tuple[int, ...]:
    """The largest numbers, per base frequency, of which all harmonics are whole multiples."""
    return tuple(gcd(*(one.steps[i] for one in found)) if found else 0 for i in range(bases))


def _alternates(one: Harmonics, steps: Sequence[int]) -> bool:
    """Whether all harmonics are odd multiples of `steps`, so that the sign changes after half a period."""
    i = next(i for i, step in enumerate(steps) if step)
    return one.offset[i] // steps[i] % 2 == 1 and one.modulus[i] // steps[i] % 2 == 0
