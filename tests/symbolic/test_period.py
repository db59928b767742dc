"""The period of excitations: the shortest one, of those waves whose amplitude is not zero."""

import math
from math import pi

import numpy as np
import pytest

import stickslip as ss
from stickslip.field import compile_excitations, compile_forcing

SCOPE = {name: getattr(math, name) for name in ("sin", "cos", "tanh", "exp")} | {"where": ss.where}


def pushed(formula: str) -> ss.System:
    """A mass pushed by a force of this formula."""
    mass = ss.Mass("mass", m=1.0)
    return ss.System(
        ss.Spring(mass, ss.ground, k=1.0),
        ss.Force(mass, eval(f"lambda {formula}", dict(SCOPE)), name="push"),
        ss.Contact(mass, ss.ground, law=ss.Coulomb(mu_s=0.3), normal=1.0),
    )


def period_of(model: ss.System) -> float:
    excitations = compile_excitations(model)
    values = list(model.parameters.values())
    return excitations.period(excitations.at(values), values)


@pytest.mark.parametrize(
    ("formula", "period"),
    [
        ("t, a=1.0: a*sin(t)", 2 * pi),
        ("t, a=1.0: a*sin(t)**2", pi),
        ("t, a=1.0: a*sin(t)*cos(t)", pi),
        ("t, a=1.0: a*sin(t)**3", 2 * pi),
        ("t, a=0.1: a*(3*sin(t) - 4*sin(t)**3)", 2 * pi / 3),
        ("t: sin(t)**2 + cos(t)**2", 0),
        ("t: abs(sin(t))", pi),
        ("t: abs(sin(t))*sin(t)", 2 * pi),
        ("t, b=0.5: abs(b + sin(t))", 2 * pi),
        ("t, b=0.0: abs(b + sin(t))", pi),
        ("t, a=1.0: tanh(a*sin(t))*sin(t)", pi),
        ("t, a=1.0: cos(a*sin(t))", pi),
        ("t, a=1.0: 1/(2 + sin(t)**2)", pi),
        ("t, a=1.0: where(sin(t) > 0, a, -a)", 2 * pi),
        ("t, om=1.5: sin(2*om*t)*cos(4*om*t)", 2 * pi / 3),
        ("t, om=-2.0: sin(om*t)", pi),
        ("t: sin(t) + cos(1.5*t)", 4 * pi),
        ("t: sin(t) + cos(1.4142135623730951*t)", -1),
        ("t, o1=1.0, o2=1.3: sin(o1*t) + sin(o2*t)", -1),
        ("t: sin(t + 0.2*sin(t))", -1),
        ("t, r=0.1: r*t", -1),
        # Amplitudes that are zero.
        ("t, a=0.0: a*sin(t)", 0),
        ("t, a=0.0: tanh(a*sin(t))", 0),
        ("t, om=0.0: sin(om*t)", 0),
        ("t, r=0.0: r*t", 0),
        ("t, a=0.3, b=0.3: a*sin(t) - b*sin(t)", 0),
        ("t: sin(t) + sin(t + 2*3.141592653589793/3) + sin(t + 4*3.141592653589793/3)", 0),
        ("t, a=0.0, b=1.0: a*sin(t) + b*cos(2*t)", pi),
        ("t, o1=1.0, o2=1.3, b=0.0: sin(o1*t) + b*sin(o2*t)", 2 * pi),
        ("t, x, v, a=0.0, b=0.0: (a*x + b*v)*sin(t)", 0),
        ("t, x, v, a=0.0, b=1.0: (a*x + b*v)*sin(t)**2", pi),
        ("t, x, u=0.0: (x - u*sin(t))**3", 0),
        ("t, x, u=0.1: (x - u*sin(t))**3", 2 * pi),
    ],
)
def test_the_shortest_period(formula: str, period: float) -> None:
    assert period_of(pushed(formula)) == pytest.approx(period, abs=1e-12)


def random_formula(numbers: np.random.Generator) -> str:
    """A polynomial of waves of commensurate frequencies, and now and then a function of one."""

    def wave() -> str:
        name, n = numbers.choice(["sin", "cos"]), int(numbers.integers(1, 5))
        return f"{name}({n}*t + {numbers.choice([0.0, round(float(numbers.uniform(0, 6)), 2)])})"

    def factor() -> str:
        kind = numbers.integers(6)
        if kind == 0:
            return f"abs({wave()})"
        if kind == 1:
            return f"tanh({wave()}*{wave()})"
        return wave() if kind < 4 else f"{wave()}**{int(numbers.integers(2, 4))}"

    def term() -> str:
        amplitude = numbers.choice([0.0, 0.7, 1.3])
        return "*".join([str(amplitude), *(factor() for _ in range(numbers.integers(1, 4)))])

    return " + ".join(term() for _ in range(numbers.integers(1, 4)))


def measured_period(formula: str) -> float:
    """The shortest part of 2π after which a formula repeats itself at many times; 0 for a constant."""
    times = np.random.default_rng(1).uniform(0, 50, 60)
    values = [np.array([eval(formula, dict(SCOPE), {"t": t + shift}) for t in times]) for shift in (0.0, 0.3711)]
    if np.ptp(np.concatenate(values)) < 1e-12:
        return 0.0
    for parts in range(48, 0, -1):
        shifted = np.array([eval(formula, dict(SCOPE), {"t": t + 2 * pi / parts}) for t in times])
        if np.max(np.abs(shifted - values[0])) < 1e-9:
            return 2 * pi / parts
    raise AssertionError(formula)


@pytest.mark.parametrize("seed", range(3))
def test_random_excitations_against_their_values(seed: int) -> None:
    numbers = np.random.default_rng(seed)
    for _ in range(8):
        formula = random_formula(numbers)
        assert period_of(pushed(f"t: {formula}")) == pytest.approx(measured_period(formula), abs=1e-12), formula


def test_the_period_keeps_its_waves_where_parameters_change() -> None:
    """A sweep or a branch passes amplitudes of zero: the beat stays what it is."""
    model = pushed("t, a=0.0, b=1.0, om=2.0: a*sin(om*t) + b*cos(2*om*t)")
    values = np.array(list(model.parameters.values()))
    assert compile_forcing(model)(values) == pytest.approx(pi) and period_of(model) == pytest.approx(pi / 2)
    excitations, full = compile_excitations(model), model.with_({"push.a": 1.0})
    excitation = excitations.at(list(full.parameters.values()))
    assert excitations.period(excitation, values) == pytest.approx(pi)
    slope = excitations.slopes(excitation, values)[list(model.parameters).index("push.om")]
    assert slope == pytest.approx(-pi / 2)
