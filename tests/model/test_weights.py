"""Springs, dampers and forces with weights against Lagrange's equations; rotors in their own words."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from tests.referee.equations import Mechanics
from tests.referee.motion import Referee

import stickslip as ss
from stickslip.cli.equations import written
from stickslip.errors import ModelError
from stickslip.model.files import dumps, loads
from stickslip.plot.labels import force_label, state_label
from stickslip.symbolic.equations import derive, symbol

NAMES = ("a", "b", "c")


def drawn(seed, contacts=True):
    """Three bodies, one of them a rotor, joined by what has random weights."""
    random = np.random.default_rng(seed)

    def weights(bodies):
        chosen = random.choice(len(bodies), size=random.integers(1, len(bodies) + 1), replace=False)
        return {bodies[i]: float(random.uniform(0.3, 2.0) * random.choice([-1, 1])) for i in chosen}

    a, b = (ss.Mass(n, m=float(random.uniform(0.5, 2)), x=float(random.normal())) for n in "ab")
    c = ss.Rotor("c", inertia=float(random.uniform(0.5, 2)), v=float(random.normal()))
    base = ss.Base("base", motion=lambda t, u=0.3, w=1.3: u * np.sin(w * t))
    bodies = [a, b, c]
    numbers = random.uniform(0.2, 2.0, 6).tolist()
    parts = [
        *(ss.Spring(body, ss.ground, k=1.0, name=f"to_ground_{body.name}") for body in bodies),
        ss.Spring(weights(bodies), base, k=numbers[0], name="lever"),
        ss.Spring(weights([*bodies, base]), ss.ground, force=lambda e, k3=numbers[1]: k3 * e**3, name="gear"),
        ss.Damper(weights(bodies), base, c=0.1 * numbers[2], name="seal"),
        ss.Force(weights(bodies), lambda t, x, v, f=numbers[3], d=0.1: f * np.cos(t) - d * v * x * x, name="push"),
        ss.Torque({c: numbers[5]}, 0.2, name="motor"),
    ]
    if contacts:
        belt = ss.Belt("belt", speed=0.3)
        parts.append(ss.Contact(weights(bodies), belt, law=ss.Coulomb(0.5, 0.3), normal=numbers[4], name="pad"))
    return ss.System(*parts)


def weighted(coordinates, pairs):
    return sum(weight * coordinates[body.name] for body, weight in pairs)


@pytest.mark.parametrize("seed", range(8))
def test_lagrange(seed):
    """d/dt ∂L/∂ẋ − ∂L/∂x + ∂P/∂ẋ = Q, with the potential of springs, Rayleigh's P of dampers, Q by virtual work."""
    system = drawn(seed, contacts=False)
    parts, p = system.interactions, {name: symbol(name) for name in system.parameters}
    t = sympy.Symbol("t", real=True)
    motion = p["base.u"] * sympy.sin(p["base.w"] * t)
    x = {n: symbol(f"x.{n}") for n in NAMES} | {"base": motion, "ground": sympy.Integer(0)}
    v = {n: symbol(f"v.{n}") for n in NAMES} | {"base": sympy.diff(motion, t), "ground": sympy.Integer(0)}
    stretch = {n: weighted(x, part.ends) for n, part in parts.items() if isinstance(part, ss.Spring)}
    potential = sum(p[f"to_ground_{n}.k"] * stretch[f"to_ground_{n}"] ** 2 / 2 for n in NAMES)
    potential += p["lever.k"] * stretch["lever"] ** 2 / 2 + p["gear.k3"] * stretch["gear"] ** 4 / 4
    dissipation = p["seal.c"] * weighted(v, parts["seal"].ends) ** 2 / 2
    own = {key: weighted(of, parts["push"].weights) for key, of in (("x", x), ("v", v))}
    push = p["push.f"] * sympy.cos(t) - p["push.d"] * own["v"] * own["x"] ** 2
    inertia = {"a": p["a.m"], "b": p["b.m"], "c": p["c.inertia"]}
    f = derive(system).f
    random = np.random.default_rng(seed + 100)
    for i, name in enumerate(NAMES):
        virtual = sympy.diff(own["x"], x[name]) * push
        virtual += p["motor.torque"] * {b.name: w for b, w in parts["motor"].weights}.get(name, 0)
        by_hand = (virtual - sympy.diff(potential, x[name]) - sympy.diff(dissipation, v[name])) / inertia[name]
        for _ in range(3):
            symbols = (by_hand - f[3 + i]).free_symbols | by_hand.free_symbols
            point = {s: random.uniform(0.5, 1.5) for s in symbols}
            assert float(f[3 + i].subs(point)) == pytest.approx(float(by_hand.subs(point)), rel=1e-12)


@pytest.mark.parametrize("seed", [0, 3, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in (1, 2))])
def test_motion_and_energy(seed):
    """Events and states are the referee's, and the work of all parts is the change of kinetic energy."""
    system = drawn(seed)
    run = ss.simulate(system, t=15)
    found = Referee(Mechanics(system)).motion(system.start_state(), 15.0)
    assert run["event_after"].values.tolist() == [event.after for event in found.events]
    assert run["event_time"].values == pytest.approx([event.elapsed for event in found.events], abs=1e-8)
    assert len(found.events) > 1
    assert abs(float(ss.energy_balance(system, run).residual)) < 1e-9


@pytest.mark.parametrize("seed", range(2))
def test_files_keep_weights(seed):
    text = {"gear.force": "k3*e**3", "push.force": "f*cos(t) - d*v*x**2", "base.motion": "u*sin(w*t)"}
    system = drawn(seed)
    again = loads(dumps(system, text))
    assert dict(again.parameters) == dict(system.parameters) and again.start == system.start
    assert again.units == system.units
    assert {name: system.units[name] for name in system.states} == {
        "x.a": "", "x.b": "", "x.c": "rad", "v.a": "", "v.b": "", "v.c": ""
    }  # fmt: skip
    point = [0.3, -0.2, 0.5, 0.7, 0.1, -0.4]
    ours, theirs = (ss.Field.of(model, target="python").evaluate(point, 0.7, mode=[1]) for model in (system, again))
    assert ours.rate == pytest.approx(theirs.rate, rel=1e-14)


def test_a_weight_is_a_lever():
    """A spring at a lever w has the stiffness w²k, and w times the force."""
    a, b = ss.Mass("a", 1.0, x=0.4), ss.Mass("a", 1.0, x=0.4)
    levered = ss.System(ss.Spring({a: 3.0}, ss.ground, k=2.0), ss.Force({a: 3.0}, 0.5))
    plain = ss.System(ss.Spring(b, ss.ground, k=18.0), ss.Force(b, 1.5))
    ours, theirs = (float(ss.simulate(model, t=5)["x.a"][-1]) for model in (levered, plain))
    assert ours == pytest.approx(theirs, abs=1e-13)


def test_weights_are_part_of_the_structure():
    a = ss.Mass("a", 1.0)

    def spring(weight):
        return ss.System(ss.Spring({a: weight}, ss.ground, k=2.0)).structure()

    def force(weight):
        return ss.System(ss.Force({a: weight}, 1.0)).structure()

    assert spring(1.0) == ss.System(ss.Spring(a, ss.ground, k=5.0)).structure()
    assert spring(1.0) != spring(2.0) and force(1.0) != force(2.0)


def test_a_rack_and_its_pinion_as_equations_and_as_a_file():
    pinion, rack = ss.Rotor("pinion", inertia=2e-3), ss.Mass("rack", m=4.0)
    system = ss.System(
        ss.Spring({pinion: 0.05, rack: -1.0}, ss.ground, k=1e6, name="teeth"), ss.Torque(pinion, 1.5, name="motor")
    )
    rates = dict(written(system).rates)
    assert rates["v.pinion'"].endswith("/pinion.inertia") and "motor.torque" in rates["v.pinion'"]
    assert rates["v.rack'"].endswith("/rack.m")
    text = dumps(system)
    assert "[rotor.pinion]\ninertia = 0.002" in text and "unit" not in text
    assert 'between = [{pinion = 0.05, rack = -1.0}, "ground"]' in text
    assert '[torque.motor]\non = "pinion"\ntorque = 1.5' in text
    assert dict(loads(text).parameters) == dict(system.parameters)


def test_pictures_speak_of_angles_and_torques():
    run = ss.simulate(ss.models.drill_string(), t=1)
    assert state_label(run, "x.twist") == r"angle $x_\mathrm{twist}$ (rad)"
    assert state_label(run, "v.twist") == r"angular velocity $v_\mathrm{twist}$"
    assert force_label(run) == r"friction torque $\lambda$"
    disc = ss.Rotor("disc", inertia=0.1)
    brake = ss.System(ss.Contact({disc: 0.12}, ss.ground, law=ss.Coulomb(0.4)), force_unit="N")
    assert force_label(ss.simulate(brake, t=1)) == r"friction force $\lambda$ (N)"
    block = ss.simulate(ss.models.block_on_belt(), t=1)
    assert state_label(block, "x.block") == r"position $x_\mathrm{block}$"
    assert force_label(block) == r"friction force $\lambda$"


A, B, DISK, BELT = ss.Mass("a", 1.0), ss.Mass("b", 1.0), ss.Rotor("disk", inertia=1.0), ss.Belt("belt")
REFUSED = {
    "zero weight": (lambda: ss.Spring({A: 1.0, B: 0.0}, ss.ground, k=1.0), "the weight of 'b' is 0"),
    "no weights": (lambda: ss.Damper({}, ss.ground, c=1.0), "maps no body to a weight"),
    "weight that is no number": (lambda: ss.Spring({A: "long"}, ss.ground, k=1.0), "weight of 'a' is 'long'"),
    "both ends": (lambda: ss.Spring({A: 2.0, B: 1.0}, B, k=1.0), "both ends at 'b'"),
    "nothing moves": (lambda: ss.Spring({ss.ground: 2.0}, ss.Base("base"), k=1.0), "attached to no Mass"),
    "spring on a belt": (lambda: ss.Spring({A: 1.0, BELT: 2.0}, ss.ground, k=1.0), "a Belt has a speed but no"),
    "name for a body": (lambda: ss.Spring({"a": 1.0}, ss.ground, k=1.0), "attached to 'a'"),
    "force on a belt": (lambda: ss.Force({A: 1.0, BELT: 1.0}, 1.0), "must act on a Mass or a Rotor"),
    "force on nothing": (lambda: ss.Force({}, 1.0), "must act on a Mass or a Rotor"),
    "torque on a mass": (lambda: ss.Torque(A, 1.0), "'a', which is no Rotor"),
    "negative inertia": (lambda: ss.Rotor("disk", inertia=-1.0), "Rotor 'disk': inertia is -1"),
    "inertia that is a function": (lambda: ss.Rotor("disk", inertia=lambda t: t), "inertia depends on .t."),
    "changed inertia": (
        lambda: ss.System(ss.Spring(DISK, ss.ground, k=1.0)).with_({"disk.inertia": 0.0}),
        "Rotor 'disk': inertia is 0",
    ),
    "weights in a file": (
        lambda: loads('[mass.a]\nm = 1.0\n[spring.s]\nbetween = [{a = "x"}, "ground"]\nk = 1.0'),
        r"\[spring.s\]: between: a is 'x'",
    ),
    "m of a rotor in a file": (lambda: loads("[rotor.disk]\nm = 1.0"), "unknown key 'm'"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused_in_a_sentence(case):
    make, message = REFUSED[case]
    with pytest.raises(ModelError, match=message):
        make()


def test_a_contact_can_be_copied_with_changes() -> None:
    """`dataclasses.replace` gives the same contact with another field, weights included."""
    from dataclasses import replace

    block, pinion, belt = ss.Mass("block", m=1.0), ss.Rotor("pinion", inertia=1.0), ss.Belt("belt", speed=1.0)
    contact = ss.Contact({block: 1.0, pinion: -0.05}, belt, law=ss.Coulomb(0.4, 0.25), normal=10.0)
    copied = replace(contact, normal=5.0)
    assert copied.weights == contact.weights and copied.normal == 5.0
    with pytest.raises(ss.errors.ModelError, match="it must act on a Mass or a Rotor"):
        replace(contact, on=((belt, 1.0),))
