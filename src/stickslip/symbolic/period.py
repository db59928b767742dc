"""How time appears in the equations of a model: as waves, of which frequencies, with which amplitudes.

Every expression that contains time is written as a sum of terms

    coefficient · cos or sin(Σ nᵢ ωᵢ t + φ) · functions of such sums

with whole numbers nᵢ. Which of them are there depends on the values of the parameters: an excitation of amplitude zero
is none. So the terms are told as data, with one question about the parameters for each; `stickslip.excitation` has the
answers and the period that follows from them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

import sympy

from stickslip.symbolic.equations import Equations
from stickslip.symbolic.memory import TIME
from stickslip.symbolic.printing import python

LARGEST_RATIO = 1000
"""Frequencies whose ratio needs larger whole numbers are taken as having no common period."""

HIGHEST_POWER = 16
"""Powers of waves up to this are multiplied out."""

EVEN = (sympy.Abs, sympy.cos, sympy.cosh)
ODD = (sympy.sign, sympy.sin, sympy.tan, sympy.sinh, sympy.tanh, sympy.atan)
NEITHER, IS_ODD, IS_EVEN = 0, 1, 2

Numbers = tuple[int, ...]


@dataclass(frozen=True)
class Wave:
    """cos (or sin, if `odd`) of Σ nᵢ ωᵢ t + φ, times functions of waves by their numbers."""

    numbers: Numbers
    phase: sympy.Expr = sympy.S.Zero
    odd: bool = False
    functions: tuple[int, ...] = ()


Sum = dict[Wave, sympy.Expr]
"""The coefficient of every wave: states and parameters, but no time."""


@dataclass
class Reading:
    """What was read: base frequencies ωᵢ, and functions of waves, each with its parity and the sums that it is a
    function of (none for time itself)."""

    parameters: frozenset[sympy.Symbol]
    bases: list[sympy.Expr] = field(default_factory=list)
    functions: dict[sympy.Expr, tuple[int, list[Sum]]] = field(default_factory=dict)

    # -- frequencies -----------------------------------------------------------------------------------------------

    def frequency(self, wave: sympy.Expr) -> sympy.Expr | None:
        """ω of a sine or cosine of ωt + φ; None where its argument is another function of time."""
        omega = sympy.diff(wave.args[0], TIME)
        return omega if omega.free_symbols <= self.parameters else None

    def gather(self, expressions: Iterable[sympy.Expr]) -> None:
        """Base frequencies of which all frequencies are whole multiples, as few as there are."""
        for expression in expressions:
            for wave in sorted(expression.atoms(sympy.sin, sympy.cos), key=str):
                omega = self.frequency(wave) if TIME in wave.free_symbols else None
                if omega is not None:
                    self._include(omega)

    def _include(self, omega: sympy.Expr) -> None:
        for i, base in enumerate(self.bases):
            ratio = _ratio(omega, base)
            if ratio is not None:
                self.bases[i] = base / ratio.denominator
                return
        self.bases.append(omega)

    def numbers(self, omega: sympy.Expr) -> Numbers:
        """A frequency in whole numbers of the base frequencies."""
        ratios = [_ratio(omega, base) for base in self.bases]
        first = next(i for i, ratio in enumerate(ratios) if ratio is not None)
        return tuple(int(ratio or 0) if i == first else 0 for i, ratio in enumerate(ratios))

    # -- sums of waves ---------------------------------------------------------------------------------------------

    def read(self, e: sympy.Expr) -> Sum:
        """An expression as a sum of waves."""
        if TIME not in e.free_symbols:
            return {self.constant: e}
        if e.is_Add:
            return _added(self.read(x) for x in e.args)
        if e.is_Mul:
            return _multiplied([self.read(x) for x in e.args], self.constant)
        if e.is_Pow and e.exp.is_Integer and 1 < e.exp <= HIGHEST_POWER:
            return _multiplied([self.read(e.base)] * int(e.exp), self.constant)
        if isinstance(e, sympy.sin | sympy.cos):
            omega = self.frequency(e)
            if omega is not None:
                wave = Wave(self.numbers(omega), e.args[0].xreplace({TIME: sympy.Integer(0)}), isinstance(e, sympy.sin))
                return _upright(wave, sympy.Integer(1))
        return {Wave(self.constant.numbers, functions=(self._function(e),)): sympy.Integer(1)}

    @property
    def constant(self) -> Wave:
        """What does not depend on time."""
        return Wave((0,) * len(self.bases))

    def _function(self, e: sympy.Expr) -> int:
        """The number of a function of time that is no polynomial of waves."""
        if e not in self.functions:
            inner = [] if e == TIME else [self.read(x) for x in _timed(e)]
            self.functions[e] = (_parity(e) if len(inner) == 1 else NEITHER), inner
        return list(self.functions).index(e)


def _ratio(omega: sympy.Expr, base: sympy.Expr) -> Fraction | None:
    """One frequency over another, where that is a ratio of small whole numbers."""
    ratio = sympy.simplify(omega / base)
    if not ratio.is_number or not ratio.is_real:
        return None
    value = Fraction(float(ratio)).limit_denominator(LARGEST_RATIO)
    near = abs(float(value) - float(ratio)) <= 1e-13 * abs(float(ratio))
    return value if near and 0 < abs(value.numerator) <= LARGEST_RATIO else None


def _timed(e: sympy.Basic) -> Iterator[sympy.Expr]:
    """The arguments of a function that contain time, those of its conditions among them."""
    for x in e.args:
        if TIME in x.free_symbols:
            if isinstance(x, sympy.Expr):
                yield x
            else:
                yield from _timed(x)


def _parity(e: sympy.Expr) -> int:
    """Whether a function of one argument is even or odd in it."""
    if e.is_Pow and e.exp.is_Integer:
        return IS_EVEN if e.exp % 2 == 0 else IS_ODD
    return IS_EVEN if isinstance(e, EVEN) else IS_ODD if isinstance(e, ODD) else NEITHER


def _added(sums: Iterable[Sum]) -> Sum:
    total: Sum = {}
    for one in sums:
        for wave, coefficient in one.items():
            total[wave] = total.get(wave, sympy.Integer(0)) + coefficient
    return total


def _multiplied(sums: Sequence[Sum], constant: Wave) -> Sum:
    total: Sum = {constant: sympy.Integer(1)}
    for one in sums:
        pairs = product(total.items(), one.items())
        total = _added(_product(*a, *b) for a, b in pairs)
    return total


def _product(a: Wave, x: sympy.Expr, b: Wave, y: sympy.Expr) -> Sum:
    """cos a cos b = ½ cos(a − b) + ½ cos(a + b), and so on."""
    functions = tuple(sorted(a.functions + b.functions))
    odd, half = a.odd != b.odd, sympy.Rational(1, 2) * x * y
    above = Wave(tuple(i + j for i, j in zip(a.numbers, b.numbers, strict=True)), a.phase + b.phase, odd, functions)
    below = Wave(tuple(i - j for i, j in zip(a.numbers, b.numbers, strict=True)), a.phase - b.phase, odd, functions)
    return _added([
        _upright(above, -half if a.odd and b.odd else half),
        _upright(below, -half if b.odd and not a.odd else half),
    ])  # fmt: skip


def _upright(wave: Wave, coefficient: sympy.Expr) -> Sum:
    """The same with the first number positive, so that equal waves are told as equal: cos(−x) = cos x."""
    first = next((n for n in wave.numbers if n), 0)
    if first < 0 or (first == 0 and wave.phase.could_extract_minus_sign()):
        wave = Wave(tuple(-n for n in wave.numbers), -wave.phase, wave.odd, wave.functions)
        coefficient = -coefficient if wave.odd else coefficient
    if first == 0 and wave.phase == 0 and wave.odd:
        return {}
    return {wave: coefficient}


# -- source ------------------------------------------------------------------------------------------------------------


def period_source(equations: Equations) -> str:
    """The waves of a model as data, and what of them depends on the parameters as plain Python.

    `TERMS` has (numbers, question, functions) of every wave, `FUNCTIONS` the parity of every function and the terms of
    its arguments; `frequencies` are the ωᵢ, and `present` answers the questions whether amplitudes are not zero.
    """
    reading = Reading(frozenset(equations.parameters))
    timed = [exact(x) for x in expressions(equations) if TIME in x.free_symbols]
    reading.gather(timed)
    questions: list[str] = []
    terms = tuple(term for x in timed for term in _terms(reading.read(x), reading.parameters, questions))
    functions = tuple(
        (parity, tuple(tuple(_terms(one, reading.parameters, questions, with_constant=True)) for one in inner))
        for parity, inner in reading.functions.values()
    )
    frequencies = [python(base) for base in reading.bases]
    slopes = [", ".join(python(sympy.diff(base, p)) for p in equations.parameters) for base in reading.bases]
    known = [f"    {x} = p[{i}]" for i, x in enumerate(equations.parameters)]
    lines = [
        f"TERMS = {terms!r}",
        f"FUNCTIONS = {functions!r}",
        f"ARITHMETIC = {all(map(_is_arithmetic, frequencies))}",
        *function_source("frequencies", "Base frequencies.", known, frequencies),
        *function_source("frequency_slopes", "Their derivatives by the parameters.", known, [f"[{x}]" for x in slopes]),
        _SURVIVES,
        *function_source("present", "Whether the amplitudes of the terms are not zero.", known, questions),
    ]
    return "\n".join(lines) + "\n"


_SURVIVES = '''

def survives(*waves):
    """Whether waves of one frequency, as (amplitude, phase), add up to more than round-off."""
    x = sum(a*cos(f) for a, f in waves)
    y = sum(a*sin(f) for a, f in waves)
    return abs(x) + abs(y) > 1e-15*len(waves)*sum(abs(a) for a, f in waves)
'''


def function_source(name: str, text: str, known: Sequence[str], values: Sequence[str]) -> list[str]:
    """A function of the parameters that returns a list."""
    return ["", "", f"def {name}(p):", f'    """{text}"""', *known, f"    return [{', '.join(values)}]"]


def expressions(e: Equations) -> list[sympy.Expr]:
    own = [x for pair in e.own_forces.values() for x in pair]
    return [*e.f, *e.h, *e.R, *e.S, *e.normal, *(x for row in e.G for x in row), *own]


def exact(e: sympy.Expr) -> sympy.Expr:
    """The same with decimal numbers as ratios, so that what cancels does so without a rest."""
    return e.xreplace({x: sympy.Rational(x) for x in e.atoms(sympy.Float)})


Term = tuple[Numbers, int, tuple[int, ...]]


def _terms(
    one: Sum, parameters: frozenset[sympy.Symbol], questions: list[str], with_constant: bool = False
) -> Iterator[Term]:
    """The terms of a sum, each with the number of the question whether it is there."""
    groups: dict[tuple[Numbers, tuple[int, ...]], list[tuple[Wave, sympy.Expr]]] = {}
    for wave, coefficient in one.items():
        if with_constant or any(wave.numbers) or wave.functions:
            groups.setdefault((wave.numbers, wave.functions), []).append((wave, coefficient))
    for (numbers, functions), waves in groups.items():
        question = _question(waves, parameters)
        if question is None:
            continue
        if question not in questions:
            questions.append(question)
        yield numbers, questions.index(question), functions


def _question(waves: Iterable[tuple[Wave, sympy.Expr]], parameters: frozenset[sympy.Symbol]) -> str | None:
    """Whether waves of one frequency do not cancel, as a formula in the parameters; None where they always do."""
    amplitudes: dict[tuple[sympy.Expr, sympy.Expr], dict[tuple[sympy.Expr, bool], sympy.Expr]] = {}
    for wave, coefficient in waves:
        fixed = wave.phase.free_symbols <= parameters
        for part in sympy.Add.make_args(sympy.expand(coefficient)):
            amplitude, rest = part.as_independent(*(part.free_symbols - parameters), as_Add=False)
            own = amplitudes.setdefault((rest, sympy.Integer(0) if fixed else wave.phase), {})
            at = (wave.phase if fixed else sympy.Integer(0), wave.odd)
            own[at] = own.get(at, sympy.Integer(0)) + amplitude
    answers = []
    for (rest, _), own in amplitudes.items():
        parts = {at: sympy.expand(x) for at, x in own.items()}
        parts = {at: x for at, x in parts.items() if x != 0}
        if parts:
            answers.append(_survival(parts) + "".join(f" and not ({x})" for x in _vanishing(rest, parameters)))
    return " or ".join(sorted(set(answers))) or None


def _survival(parts: dict[tuple[sympy.Expr, bool], sympy.Expr]) -> str:
    """Whether amplitudes at different phases do not cancel."""
    waves = [(x, phase - sympy.pi / 2 if odd else phase) for (phase, odd), x in parts.items()]
    waves = [(x, phase) for whole, phase in waves for x in sympy.Add.make_args(whole)]
    if len(waves) == 1:
        return "True" if waves[0][0].is_number else f"({python(waves[0][0])}) != 0"
    return f"survives({', '.join(f'({python(x)}, {python(phase)})' for x, phase in waves)})"


def _vanishing(e: sympy.Expr, parameters: frozenset[sympy.Symbol]) -> list[str]:
    """Formulas in the parameters whose truth makes an expression in states and parameters zero everywhere."""
    if e.free_symbols <= parameters:
        return [] if e.is_number else [f"({python(e)}) == 0"]
    if e.is_Mul:
        return [x for part in e.args for x in _vanishing(part, parameters)]
    if e.is_Add:
        parts = [" or ".join(_vanishing(part, parameters)) for part in e.args]
        return [" and ".join(f"({part})" for part in parts)] if all(parts) else []
    if e.is_Pow and e.exp.is_positive:
        return _vanishing(e.base, parameters)
    return _vanishing(e.args[0], parameters) if isinstance(e, (*ODD, sympy.Abs)) else []


def _is_arithmetic(formula: str) -> bool:
    """Whether a formula has sums, products and quotients alone: of arrays and of numbers these have the same bits.

    >>> _is_arithmetic("2*pi/(a + b)"), _is_arithmetic("2*pi/sqrt(a)"), _is_arithmetic("a**1.5")
    (True, False, False)
    """
    return all(isinstance(node, _ARITHMETIC) for node in ast.walk(ast.parse(formula, mode="eval")))


_ARITHMETIC = (
    ast.Expression, ast.BinOp, ast.UnaryOp, ast.Name, ast.Constant, ast.Load, ast.Add, ast.Sub, ast.Mult, ast.Div,
    ast.USub,
)  # fmt: skip
