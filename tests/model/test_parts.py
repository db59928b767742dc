"""Parts, laws and systems: what is wrong is said in one sentence, and nothing is ever changed in place."""

from __future__ import annotations

import dataclasses
import math
from math import exp

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stickslip.errors import ModelError
from stickslip.model.classic_laws import Coulomb, Hyperbolic, PoppStelter, Stribeck
from stickslip.model.errors import check_name, check_number, shown
from stickslip.model.laws import FunctionLaw, Polynomial, Tabulated
from stickslip.model.parts import Base, Belt, Contact, Damper, Force, Mass, Spring, ground
from stickslip.model.system import Filippov, System

BLOCK, OTHER, BELT = Mass("block", m=1.0), Mass("other", m=2.0), Belt("belt", speed=0.2)


def block_on_belt(**changes) -> System:
    block, belt = Mass("block", m=1.0, x=1.1), Belt("belt", speed=0.2)
    law = Hyperbolic(mu_s=1.0, delta=3.0)
    return System(Spring(block, ground, k=1.0), Contact(block, belt, law=law, normal=2.0), **changes)


def relay(**changes) -> Filippov:
    values = {"f": lambda x, y, a=1.0: (y, -a * x), "G": lambda: (0.0, 1.0), "h": lambda y: y} | changes
    return Filippov(("x", "y"), **values)


def sentence(make) -> str:
    with pytest.raises(ModelError) as caught:
        make()
    message = str(caught.value)
    assert message and "\n" not in message
    return message


# Each case: what is done, and the part, the value and what is allowed, which the sentence must contain.
PARTS = {
    "negative mass": (lambda: Mass("block", m=-1.0), ["Mass 'block'", "m is -1", "positive number"]),
    "zero mass": (lambda: Mass("block", m=0), ["Mass 'block'", "m is 0", "positive"]),
    "NaN mass": (lambda: Mass("block", m=math.nan), ["Mass 'block'", "m is nan", "finite"]),
    "infinite start": (lambda: Mass("block", 1.0, x=math.inf), ["Mass 'block'", "x is inf", "finite"]),
    "text as mass": (lambda: Mass("block", m="heavy"), ["Mass 'block'", "'heavy'", "positive number"]),
    "boolean mass": (lambda: Mass("block", m=True), ["Mass 'block'", "True", "positive number"]),
    "array as mass": (lambda: Mass("block", m=numpy.ones(30)), ["Mass 'block'", "array", "positive number"]),
    "huge whole mass": (lambda: Mass("block", m=10**400), ["Mass 'block'", "inf", "finite"]),
    "function as mass": (
        lambda: Mass("block", m=lambda t: t),
        ["Mass 'block'", "m depends on 't'", "no number there"],
    ),
    "name with blank": (lambda: Mass("my block", 1.0), ["Mass", "'my block'", "letter followed by letters"]),
    "name is no text": (lambda: Mass(3, 1.0), ["Mass", "3", "letter followed by letters"]),
    "name of Python": (lambda: Mass("lambda", 1.0), ["Mass", "'lambda'", "word of Python"]),
    "infinite belt": (lambda: Belt("belt", math.inf), ["Belt 'belt'", "speed is inf", "finite"]),
    "base parameter": (
        lambda: Base("shaker", lambda t, u=math.nan: u * t),
        ["Base 'shaker'", "parameter u is nan", "finite"],
    ),
    "star arguments": (
        lambda: Base("shaker", lambda *t: 0.0),
        ["Base 'shaker'", "*t", "name every argument"],
    ),
    "negative stiffness": (
        lambda: Spring(BLOCK, ground, k=-1.0, name="coil"),
        ["Spring 'coil'", "k is -1", "zero or a positive number"],
    ),
    "spring without k": (lambda: Spring(BLOCK, ground), ["Spring", "either k", "or force"]),
    "spring with both": (
        lambda: Spring(BLOCK, ground, k=1.0, force=lambda e: e),
        ["Spring", "either k", "not both"],
    ),
    "spring on belt": (
        lambda: Spring(BLOCK, BELT, k=1.0),
        ["Spring", "'block'", "'belt'", "no position", "Base"],
    ),
    "spring on nothing": (lambda: Spring(BLOCK, None, k=1.0), ["Spring", "None", "two bodies"]),
    "spring on itself": (lambda: Spring(BLOCK, BLOCK, k=1.0), ["Spring", "'block'", "two different bodies"]),
    "spring without mass": (
        lambda: Spring(Base("a", 0.0), ground, k=1.0),
        ["Spring", "no Mass", "at least one"],
    ),
    "negative damping": (
        lambda: Damper(BLOCK, ground, c=-0.1),
        ["Damper", "c is -0.1", "zero or a positive"],
    ),
    "damper without c": (lambda: Damper(BLOCK, ground), ["Damper", "either c", "or force"]),
    "force on ground": (lambda: Force(ground, 1.0), ["Force", "ground", "must act on a Mass"]),
    "NaN force": (lambda: Force(BLOCK, math.nan, name="push"), ["Force 'push'", "nan", "finite"]),
    "zero normal force": (
        lambda: Contact(BLOCK, BELT, law=Coulomb(0.3), normal=0.0),
        ["Contact 'contact'", "normal is 0", "positive number"],
    ),
    "contact on belt": (lambda: Contact(BELT, ground, law=Coulomb(0.3)), ["Contact", "belt", "on a Mass"]),
    "contact on itself": (
        lambda: Contact(BLOCK, BLOCK, law=Coulomb(0.3)),
        ["Contact", "'block'", "two different bodies"],
    ),
    "contact on nothing": (
        lambda: Contact(BLOCK, None, law=Coulomb(0.3)),
        ["Contact", "None", "Mass, Rotor, Belt, Base or ground"],
    ),
    "zero weight": (
        lambda: Contact({BLOCK: 1.0, OTHER: 0.0}, BELT, law=Coulomb(0.3)),
        ["Contact", "weight of 'other' is 0", "leave that body out"],
    ),
    "NaN weight": (
        lambda: Contact({BLOCK: math.nan}, BELT, law=Coulomb(0.3)),
        ["Contact", "weight of 'block'", "nan", "finite"],
    ),
    "no weights": (lambda: Contact({}, BELT, law=Coulomb(0.3)), ["Contact", "{}", "map these to weights"]),
    "number as law": (lambda: Contact(BLOCK, BELT, law=0.3), ["Contact", "0.3", "law or a function"]),
}


@pytest.mark.parametrize("case", PARTS)
def test_part_is_refused(case):
    make, pieces = PARTS[case]
    message = sentence(make)
    assert all(piece in message for piece in pieces), message


LAWS = {
    "negative static": (lambda: Hyperbolic(-1.0, 3.0), ["Hyperbolic.mu_s", "-1", "zero or a positive"]),
    "NaN": (lambda: Hyperbolic(1.0, math.nan), ["Hyperbolic.delta", "nan", "finite"]),
    "static below kinetic": (lambda: Coulomb(0.2, 0.3), ["Coulomb", "0.2", "0.3", "static ≥ kinetic"]),
    "stribeck speed": (lambda: Stribeck(1.0, 0.6, 0.0), ["Stribeck.v_s", "0", "positive number"]),
    "stribeck shape": (lambda: Stribeck(1.0, 0.6, 0.1, -2), ["Stribeck.shape", "-2", "positive number"]),
    "stribeck kinetic": (lambda: Stribeck(0.5, 0.6, 0.1, 0.5), ["Stribeck", "0.5", "static ≥ kinetic"]),
    "popp-stelter": (
        lambda: PoppStelter(0.4, 0.1, -1.0),
        ["PoppStelter.lambda_1", "-1", "zero or a positive"],
    ),
    "no coefficients": (lambda: Polynomial([]), ["Polynomial", "at least one"]),
    "negative at rest": (
        lambda: Polynomial([-0.1]),
        ["Polynomial", "-0.1", "slip speed 0", "zero or positive"],
    ),
    "static polynomial": (
        lambda: Polynomial([0.4], mu_s=0.3),
        ["Polynomial", "0.3", "0.4", "static ≥ kinetic"],
    ),
    "one point": (lambda: Tabulated([0], [0.4]), ["Tabulated", "1 speeds", "1 values", "at least two"]),
    "unequal table": (lambda: Tabulated([0, 1], [0.4]), ["Tabulated", "2 speeds", "1 values"]),
    "falling speeds": (
        lambda: Tabulated([0, 2, 1], [0.4, 0.3, 0.2]),
        ["Tabulated.speeds", "(0.0, 2.0, 1.0)", "must rise, from 0"],
    ),
    "table not from 0": (lambda: Tabulated([1, 2], [0.4, 0.3]), ["Tabulated.speeds", "must rise, from 0"]),
    "negative table": (
        lambda: Tabulated([0, 1], [0.4, -1]),
        ["Tabulated.values[1]", "-1", "zero or a positive"],
    ),
    "negative viscous": (lambda: Coulomb(0.3).with_viscous(-1.0), ["viscous", "-1", "zero or a positive"]),
    "negative law": (
        lambda: FunctionLaw(lambda v, mu=-0.3: mu),
        ["FunctionLaw", "coefficient -0.3", "slip speed 0", "zero or positive"],
    ),
    "law of position": (lambda: FunctionLaw(lambda v, x: x), ["depends on v, x", "slip speed v alone"]),
    "law fails at rest": (lambda: FunctionLaw(lambda v, a=1.0: a / v), ["fails at slip speed 0", "division"]),
    "static function": (lambda: FunctionLaw(lambda v: 0.5, 0.4), ["0.4", "0.5", "static ≥ kinetic"]),
}


@pytest.mark.parametrize("case", LAWS)
def test_law_is_refused(case):
    make, pieces = LAWS[case]
    message = sentence(make)
    assert all(piece in message for piece in pieces), message


SYSTEMS = {
    "no mass": (lambda: System(BELT), ["no Mass", "at least one"]),
    "not a part": (lambda: System(BLOCK, "spring"), ["'spring'", "not a part", "Mass, Rotor, Spring"]),
    "two bodies, one name": (lambda: System(BLOCK, Mass("block", 2.0)), ["'block'", "names must differ"]),
    "two parts, one name": (
        lambda: System(Spring(BLOCK, ground, k=1.0, name="a"), Damper(BLOCK, ground, c=1.0, name="a")),
        ["'a'", "another `name`"],
    ),
    "body and part": (
        lambda: System(Spring(BLOCK, ground, k=1.0, name="block")),
        ["'block'", "another `name`"],
    ),
    "part name": (lambda: System(Spring(BLOCK, ground, k=1.0, name="a b")), ["Spring", "'a b'", "letter"]),
    "keyword": (lambda: System(Spring(BLOCK, ground, k=1.0, name="class")), ["Spring", "'class'", "Python"]),
    "law hides normal": (
        lambda: System(Contact(BLOCK, BELT, law=lambda v, normal=0.3: normal)),
        ["Contact 'contact'", "'normal'"],
    ),
    "law negative at belt speed": (
        lambda: System(Contact(BLOCK, Belt("belt", 9.0), law=Polynomial([0.4, -0.1]), name="pad")),
        ["pad", "-0.5", "slip speed 9", "zero or positive"],
    ),
    "unknown parameter": (
        lambda: block_on_belt().with_({"belt.sped": 0.3}),
        ["'belt.sped'", "did you mean 'belt.speed'", "contact.mu_s"],
    ),
    "NaN parameter": (
        lambda: block_on_belt().with_({"belt.speed": math.nan}),
        ["belt.speed", "nan", "finite"],
    ),
    "text as parameter": (
        lambda: block_on_belt().with_({"belt.speed": "1"}),
        ["belt.speed", "'1'", "number"],
    ),
    "negative mass later": (lambda: block_on_belt().with_({"block.m": -1}), ["Mass 'block'", "m is -1"]),
    "zero normal later": (
        lambda: block_on_belt().with_({"contact.normal": 0}),
        ["Contact 'contact'", "normal is 0", "positive"],
    ),
    "bad law later": (lambda: block_on_belt().with_({"contact.mu_s": -1}), ["contact.mu_s", "-1", "zero or"]),
    "too few states": (
        lambda: block_on_belt().start_state([1.0]),
        ["1 numbers", "2 states", "x.block, v.block"],
    ),
    "NaN state": (lambda: block_on_belt().start_state([1.0, math.nan]), ["start[1]", "nan", "finite"]),
    "unknown state": (
        lambda: block_on_belt().start_state({"x.blok": 1.0}),
        ["'x.blok'", "did you mean 'x.block'", "v.block"],
    ),
    "unknown start": (lambda: block_on_belt(start={"y.block": 1.0}), ["'y.block'", "there are: x.block"]),
    "no states": (
        lambda: Filippov((), f=lambda: (), G=lambda: (), h=lambda: 0.0),
        ["Filippov", "at least one state"],
    ),
    "relay without function": (lambda: relay(f=3.0), ["f is 3.0", "function of the states"]),
    "two defaults": (lambda: relay(h=lambda y, a=2.0: a * y), ["'a'", "1", "2", "same default"]),
    "negative limit": (lambda: relay(kinetic=-1.0), ["kinetic", "-1", "zero or a positive"]),
    "relay parameter": (lambda: relay().with_({"b": 1.0}), ["'b'", "there are: kinetic, a"]),
    "relay start": (lambda: relay(start={"z": 1.0}), ["'z'", "there are: x, y"]),
}


@pytest.mark.parametrize("case", SYSTEMS)
def test_system_is_refused(case):
    make, pieces = SYSTEMS[case]
    message = sentence(make)
    assert all(piece in message for piece in pieces), message


# Names and numbers


@pytest.mark.parametrize("name", ["a", "lambda_1", "x" * 64, "match", "A1_"])
def test_names_that_are_allowed(name):
    check_name("a part", name)


@pytest.mark.parametrize("name", ["", "1a", "_a", "a-b", "a.b", "ä", "a\n", "x" * 65, "if", "None", None, 1.0])
def test_names_that_are_not(name):
    assert "\n" not in sentence(lambda: check_name("a part", name))


def test_numbers_of_other_libraries_are_numbers():
    value = check_number("m", numpy.float32(0.5), positive=True)
    assert value == 0.5 and type(value) is float


def test_shown_is_one_short_line():
    assert shown("a\nb") == r"'a\nb'"
    assert "\n" not in shown(numpy.ones((9, 9)))
    assert len(shown("x" * 1000)) == 80
    assert len(shown(10**5000)) <= 80


# Parameters


def test_parameters_are_named_by_part_in_the_order_of_the_parts():
    assert block_on_belt().parameters == {
        "block.m": 1.0,
        "belt.speed": 0.2,
        "spring.k": 1.0,
        "contact.normal": 2.0,
        "contact.mu_s": 1.0,
        "contact.delta": 3.0,
    }
    assert [*block_on_belt().parameters][:3] == ["block.m", "belt.speed", "spring.k"]


def test_arguments_with_defaults_are_parameters():
    def weakening(v, mu_k=0.6, mu_s=1.0, v_s=0.2):
        return mu_k + (mu_s - mu_k) * exp(-v / v_s)

    push = Force(BLOCK, lambda t, amplitude=0.5, eta=2.0: amplitude * t * eta, name="push")
    system = System(push, Contact(BLOCK, BELT, law=weakening, normal=lambda t, load=3.0: load))
    assert system.local("push") == {"amplitude": 0.5, "eta": 2.0}
    assert system.local("contact") == {"load": 3.0, "mu_k": 0.6, "mu_s": 1.0, "v_s": 0.2}
    assert system.law_values("contact") == {"mu_k": 0.6, "mu_s": 1.0, "v_s": 0.2}


def two_contacts(first, second) -> System:
    return System(
        Contact(BLOCK, BELT, law=first, normal=1.0, name="left"),
        Contact(OTHER, BELT, law=second, normal=2.0, name="right"),
    )


def test_contacts_share_parameters_only_through_one_law_object():
    law = Coulomb(0.4, 0.3)
    shared, apart = two_contacts(law, law), two_contacts(Coulomb(0.4, 0.3), Coulomb(0.4, 0.3))
    assert "right.mu_s" in apart.parameters and "right.mu_s" not in shared.parameters
    assert shared.structure() != apart.structure()

    changed = shared.with_({"right.mu_k": 0.1})
    assert changed.law_values("left")["mu_k"] == changed.law_values("right")["mu_k"] == 0.1
    assert changed.parameters["left.mu_k"] == 0.1

    changed = apart.with_({"right.mu_k": 0.1})
    assert changed.law_values("left")["mu_k"] == 0.3 and changed.law_values("right")["mu_k"] == 0.1


def test_numbered_names():
    system = System(Spring(BLOCK, ground, k=1.0), Spring(OTHER, ground, k=2.0), Damper(BLOCK, ground, c=3.0))
    numbers = {name: value for name, value in system.parameters.items() if not name.endswith(".m")}
    assert numbers == {"spring1.k": 1.0, "spring2.k": 2.0, "damper.c": 3.0}


@settings(deadline=None)
@given(st.floats(0.01, 100), st.floats(-10, 10), st.floats(0, 10))
def test_with_returns_a_changed_copy(m, speed, delta):
    system = block_on_belt()
    before = dict(system.parameters)
    changed = system.with_({"block.m": m, "belt.speed": speed}).with_({"contact.delta": delta})
    assert dict(system.parameters) == before
    assert dict(changed.parameters) == before | {"block.m": m, "belt.speed": speed, "contact.delta": delta}
    assert changed.structure() == system.structure() and changed.start == system.start


def test_starting_returns_a_changed_copy():
    system = block_on_belt()
    moved = system.with_(start={"v.block": 0.2})
    assert moved.start == {"x.block": 1.1, "v.block": 0.2}
    assert system.start == {"x.block": 1.1, "v.block": 0.0}


def test_a_refused_change_leaves_no_trace():
    system = block_on_belt()
    with pytest.raises(ModelError):
        system.with_({"belt.speed": 0.5, "block.m": -1.0})
    assert system.parameters["belt.speed"] == 0.2


def test_parts_and_parameters_cannot_be_assigned():
    with pytest.raises(dataclasses.FrozenInstanceError):
        BLOCK.m = 3.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        Coulomb(0.3).mu_s = 0.5
    with pytest.raises(TypeError):
        block_on_belt().parameters["block.m"] = 3.0


def test_units_follow_mass_and_time():
    rotor = Mass("rotor", m=1.0, unit="rad")
    units = System(rotor, OTHER, time_unit="s").units
    assert [units[name] for name in ("x.rotor", "v.rotor", "x.other", "v.other")] == ["rad", "rad/s", "", ""]
    assert System(rotor, OTHER).units["v.rotor"] == ""  # no unit of time, no unit of speed


def test_structure_is_about_equations_not_values():
    def system(shape=1.0, force=None):
        law = Stribeck(1.0, 0.6, 0.2, shape)
        parts = [Contact(BLOCK, BELT, law=law)] + ([Force(BLOCK, force)] if force else [])
        return System(*parts).structure()

    assert system() == system()
    assert len({system(1), system(2), system(1.5), system(2.5)}) == 3
    assert system(force=lambda t: t) != system(force=lambda t: 2 * t)
    assert system(force=lambda t, a=1.0: a * t) == system(force=lambda t, a=2.0: a * t)


# Laws


@pytest.mark.parametrize(
    ("law", "v", "value"),
    [
        (Coulomb(0.4, 0.25), 3.0, 0.25),
        (Coulomb(0.4), 3.0, 0.4),
        (Hyperbolic(1.0, 3.0), 2.0, 1 / 7),
        (Stribeck(1.0, 0.6, 0.2), 0.2, 0.6 + 0.4 / math.e),
        (Stribeck(1.0, 0.6, 0.2, 2), 0.4, 0.6 + 0.4 * math.exp(-4)),
        (Stribeck(1.0, 0.6, 0.2, 0.5), 0.8, 0.6 + 0.4 * math.exp(-2)),
        (PoppStelter(0.4, 0.1, 1.42, 0.01), 2.0, 0.3 / 3.84 + 0.1 + 0.04),
        (Polynomial([0.5, -0.25, 0.125]), 2.0, 0.5),
        (Tabulated([0, 1, 2], [0.4, 0.3, 0.3]), 1.0, 0.3),
        (Tabulated([0, 1, 2], [0.4, 0.3, 0.3]), 99.0, 0.3),
        (Coulomb(0.4, 0.25).with_viscous(0.1), 3.0, 0.55),
        (FunctionLaw(lambda v, a=0.2: a + v), 0.5, 0.7),
    ],
)
def test_kinetic_coefficient(law, v, value):
    assert law.kinetic_value(v) == pytest.approx(value, rel=1e-9)


@settings(deadline=None)
@given(st.lists(st.floats(0, 2), min_size=2, max_size=6), st.data())
def test_tabulated_passes_through_its_points_and_stays_between(values, data):
    steps = data.draw(st.lists(st.floats(0.1, 2), min_size=len(values) - 1, max_size=len(values) - 1))
    speeds = [0.0, *numpy.cumsum(steps)]
    law = Tabulated(speeds, values)
    for speed, value in zip(law.speeds, values, strict=True):
        assert law.kinetic_value(speed) == pytest.approx(value, abs=1e-9)
    for i in range(len(steps)):
        low, high = sorted(values[i : i + 2])
        middle = law.kinetic_value((law.speeds[i] + law.speeds[i + 1]) / 2)
        assert low - 1e-9 <= middle <= high + 1e-9
