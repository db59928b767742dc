"""Shared and derived parameters: a model that has them is the model with plain numbers, in everything that is done."""

import math
import pickle
from math import sqrt

import numpy as np
import pytest

import stickslip as ss
from stickslip.errors import ModelError
from stickslip.model.files import dumps, loads

INDEPENDENT = ("mu", "part", "k", "m", "v0")


def tied(mu: float, part: float, k: float, m: float, v0: float) -> ss.System:
    """Two blocks on a belt that have one μ, one stiffness and one mass; everything else follows."""
    mu_, k_, m_ = ss.Parameter("mu", mu), ss.Parameter("k", k), ss.Parameter("m", m)
    left, right = ss.Mass("left", m=m_, x=0.3, unit="m"), ss.Mass("right", m=1.5 * m_, x=-0.2, unit="m")
    belt = ss.Belt("belt", speed=v0)
    return ss.System(
        ss.Spring(left, ss.ground, k=k_, name="first"),
        ss.Spring(right, ss.ground, k=k_ / 2 + 0.1, name="second"),
        ss.Spring(left, right, k=lambda k=k_, ratio=part: ratio * k / 4, name="coupling"),
        ss.Damper(left, ss.ground, c=lambda k=k_, m=m_: 0.02 * sqrt(k * m)),
        ss.Contact(left, belt, law=ss.Coulomb(mu_, mu_k=lambda mu_s, part=part: part * mu_s), name="a"),
        ss.Contact(right, belt, law=ss.Stribeck(mu_, 0.7 * mu_, v_s=0.5), normal=2.0, name="b"),
        time_unit="s",
        force_unit="N",
    )


def plain(mu: float, part: float, k: float, m: float, v0: float) -> ss.System:
    """The same, in numbers."""
    left, right = ss.Mass("left", m=m, x=0.3), ss.Mass("right", m=1.5 * m, x=-0.2)
    belt = ss.Belt("belt", speed=v0)
    return ss.System(
        ss.Spring(left, ss.ground, k=k, name="first"),
        ss.Spring(right, ss.ground, k=k / 2 + 0.1, name="second"),
        ss.Spring(left, right, k=part * k / 4, name="coupling"),
        ss.Damper(left, ss.ground, c=0.02 * sqrt(k * m)),
        ss.Contact(left, belt, law=ss.Coulomb(mu, part * mu), name="a"),
        ss.Contact(right, belt, law=ss.Stribeck(mu, 0.7 * mu, v_s=0.5), normal=2.0, name="b"),
    )


def drawn(seed: int) -> dict[str, float]:
    numbers = np.random.default_rng(seed)
    low, high = (0.3, 0.5, 0.5, 0.5, 0.1), (1.2, 0.95, 4.0, 2.0, 0.5)
    return dict(zip(INDEPENDENT, numbers.uniform(low, high).tolist(), strict=True))


def changes(values: dict[str, float]) -> dict[str, float]:
    """Values as the tied system calls them."""
    own = {"part": ("a.part", "coupling.ratio"), "v0": ("belt.speed",)}
    return {full: value for name, value in values.items() for full in own.get(name, (name,))}


@pytest.fixture(scope="module")
def model() -> ss.System:
    return tied(**drawn(0))


@pytest.mark.parametrize("seed", range(6))
def test_motions_are_those_of_plain_numbers(model: ss.System, seed: int) -> None:
    values = drawn(seed)
    ours, theirs = model.with_(changes(values)), plain(**values)
    for part in theirs.parts:
        assert {n: ours.local(part)[n] for n in theirs.local(part)} == pytest.approx(theirs.local(part), rel=1e-15)
    run, other = ss.simulate(ours, t=15), ss.simulate(theirs, t=15)
    assert len(run.event_time) == len(other.event_time) > 1
    assert np.allclose(run.event_time, other.event_time, rtol=1e-11)
    for state in ours.states:
        assert float(run[state][-1]) == pytest.approx(float(other[state][-1]), rel=1e-11, abs=1e-12)
    assert abs(float(ss.energy_balance(ours, run).residual)) < 1e-9


def points(count: int) -> list[dict[str, float]]:
    return [drawn(seed) for seed in range(count)]


@pytest.mark.nightly
def test_sweeps_are_those_of_plain_numbers(model: ss.System) -> None:
    """Trajectories one by one, in lockstep, in chunks of a plan that was pickled; the plain system has no such axes."""
    few = points(300)
    over = [{"left.m" if n == "m" else n: x for n, x in changes(values).items()} for values in few]
    listed = [dict(plain(**values).parameters) for values in few]
    theirs = ss.sweep(plain(**few[0]), listed, times=(0, 12), rtol=1e-12)
    ours = ss.sweep(model, over, times=(0, 12), rtol=1e-12)
    assert np.array_equal(ours["events"], theirs["events"])
    assert np.allclose(ours["end_state"], theirs["end_state"], rtol=1e-7, atol=1e-8)
    plan = pickle.loads(pickle.dumps(ss.plan_sweep(model, over, times=(0, 12), rtol=1e-12)))
    whole = plan.assemble({chunk: plan.run(plan.chunks[chunk]) for chunk in range(len(plan.chunks))})
    assert np.array_equal(whole["end_state"], ours["end_state"])


def test_propagation_in_lockstep_and_one_by_one(model: ss.System) -> None:
    rows = np.array([list(model.with_(changes(values)).parameters.values()) for values in points(300)])
    starts = np.tile(model.start_state(), (300, 1))
    field = ss.Field.of(model, order=20)  # as runs and these sweeps have it
    together, _ = field.propagate(starts, 10.0, parameters=rows)
    alone, _ = field.propagate(starts[:50], 10.0, parameters=rows[:50])
    other = plain(**drawn(0))
    listed = np.array([list(plain(**values).parameters.values()) for values in points(300)])
    theirs, _ = ss.Field.of(other, order=20).propagate(starts, 10.0, parameters=listed)
    assert np.allclose(together, theirs, rtol=1e-7, atol=1e-8)
    assert np.allclose(alone, theirs[:50], rtol=1e-7, atol=1e-8)


def test_derivatives_follow_the_chain_rule(model: ss.System) -> None:
    """∂ż/∂p of the compiled system against differences of the plain one."""
    z, mode, values = np.array([0.4, -0.3, 0.1, 0.7]), (-1, 1), drawn(3)
    field = ss.Field.of(model.with_(changes(values)), target="python", order=8)
    slopes = dict(zip(field.model.parameters, field.jacobian(z, 0.0, mode)[1].T, strict=True))
    slopes["part"] = slopes.pop("a.part") + slopes.pop("coupling.ratio")
    slopes["v0"] = slopes.pop("belt.speed")
    for name in INDEPENDENT:
        step = 1e-6
        high, low = (
            ss.Field.of(plain(**{**values, name: values[name] + s}), target="python", order=8).evaluate(z, 0.0, mode)
            for s in (step, -step)
        )
        assert slopes[name] == pytest.approx((high.rate - low.rate) / (2 * step), rel=1e-6, abs=1e-8), name


def oscillator(law: ss.FrictionLaw) -> ss.System:
    block = ss.Mass("block", m=1.0)
    return ss.System(ss.Spring(block, ss.ground, k=1.0), ss.Contact(block, ss.Belt("belt", speed=0.5), law=law))


def exact_period(mu_s: float, mu_k: float, V: float = 0.5) -> float:
    """The stick-slip cycle of a block on a belt with static and kinetic friction, m = k = 1."""
    delta = mu_s - mu_k
    return 2 * delta / V + 2 * (math.pi - math.atan(delta / V))


def test_orbits_and_branches_along_a_shared_parameter() -> None:
    mu = ss.Parameter("mu", 1.0)
    system = oscillator(ss.Coulomb(mu, mu_k=0.6 * mu))
    orbit, other = ss.find_orbit(system), ss.find_orbit(oscillator(ss.Coulomb(1.0, 0.6)))
    assert orbit.period == pytest.approx(exact_period(1.0, 0.6), rel=1e-12)
    assert np.allclose(sorted(map(abs, orbit.multipliers)), sorted(map(abs, other.multipliers)), atol=1e-10)
    branch = ss.follow(orbit, "contact.mu_s", to=2.0)
    assert branch.parameter == "mu" and branch.along("mu")[-1] == 2.0
    assert branch.periods == pytest.approx([exact_period(x, 0.6 * x) for x in branch.along("mu")], rel=1e-10)
    with pytest.raises(ModelError, match=r"contact\.mu_k is no parameter, it follows from others: change mu"):
        ss.follow(orbit, "contact.mu_k", to=2.0)


def test_one_coefficient_is_one_parameter() -> None:
    """Coulomb(μ) has one coefficient: swept, it is that of stick and of slip."""
    single, both = oscillator(ss.Coulomb(0.6)), oscillator(ss.Coulomb(0.6, 0.6))
    assert [name for name in single.parameters if "mu" in name] == ["contact.mu_s"]
    assert single.law_values("contact") == {"mu_s": 0.6}
    values, start = np.linspace(0.2, 1.0, 7), {"x.block": 1.5}
    ours = ss.sweep(single, {"contact.mu_s": values}, times=(0, 20), start=start)
    listed = [{"contact.mu_s": x, "contact.mu_k": x} for x in values]
    theirs = ss.sweep(both, listed, times=(0, 20), start=start)
    assert np.allclose(ours["end_state"], theirs["end_state"], rtol=1e-9, atol=1e-10)
    assert len(np.unique(ours["end_state"].isel(state=0).round(6))) == 7
    with pytest.raises(ModelError, match=r"no parameter 'contact\.mu_k' \(did you mean 'contact\.mu_s'"):
        single.with_({"contact.mu_k": 0.3})


def test_files_keep_what_follows(model: ss.System) -> None:
    """Also from plain functions, whose formulas are known from tracing."""
    text = dumps(model, ss.Field.of(model, target="python", order=8).formulas)
    copy = loads(text)
    assert copy.parameters == model.parameters and [*copy.parameters] == [*model.parameters]
    assert copy.units == model.units and dumps(copy) == text
    for seed in range(5):
        changed = changes(drawn(seed))
        for part in model.parts:
            assert copy.with_(changed).local(part) == pytest.approx(model.with_(changed).local(part), rel=1e-14)
    run, other = (ss.simulate(each, t=10) for each in (copy, model))
    assert np.allclose(run["x.left"][-1], other["x.left"][-1], rtol=1e-11)


def test_a_saved_model_of_plain_functions(tmp_path) -> None:
    def law(v, mu_k=0.4, mu_s=0.5, v_s=0.2):
        return mu_k + (mu_s - mu_k) * math.exp(-v / v_s)

    block = ss.Mass("block", m=1.0)
    push = ss.Force(block, lambda t, amplitude=0.3, eta=1.2: amplitude * math.cos(eta * t))
    system = ss.System(push, ss.Contact(block, ss.ground, law=law, normal=lambda t, x_block: 2 + 0.1 * x_block))
    copy = ss.load(ss.save(system, tmp_path / "x.toml"))
    assert copy.parameters == system.parameters
    assert copy.friction["contact"].friction.kinetic_value(0.3) == pytest.approx(law(0.3), rel=1e-15)


FILE = """
time_unit = "s"
force_unit = "N"
[parameters]
mu = 0.5
k = 20.0
[mass.block]
m = 2.0
unit = "m"
[spring.spring]
between = ["block", "ground"]
k = "k"
[damper.damper]
between = ["block", "ground"]
c = {formula = "2*zeta*sqrt(k*2)", zeta = 0.05}
[contact.pad]
on = "block"
against = "ground"
normal = "10*mu"
law = {kind = "coulomb", mu_s = "mu", mu_k = "0.8*mu_s"}
"""


def test_a_file() -> None:
    system = loads(FILE)
    assert dict(system.parameters) == {"k": 20.0, "mu": 0.5, "block.m": 2.0, "damper.zeta": 0.05}
    assert system.local("pad") == {"normal": 5.0, "mu_s": 0.5, "mu_k": 0.4}
    assert system.with_({"spring.k": 80.0}).local("damper")["c"] == pytest.approx(0.1 * sqrt(160))
    assert [system.unit_of(n) for n in ("k", "spring.k", "damper.c", "block.m", "pad.normal", "mu")] == [
        "N/m", "N/m", "N·s/m", "kg", "N", "",
    ]  # fmt: skip


WRONG = {
    "unknown name": ('"0.8*mu_s"', '"0.8*mus"', ["[contact.pad]", "mu_k is '0.8*mus'", "did you mean 'mu_s'"]),
    "circle": ('mu_s = "mu"', 'mu_s = "mu_k/0.8"', ["mu_s follows from mu_k follows from mu_s", "as a number"]),
    "unused": ("k = 20.0", "k = 20.0\nspare = 1.0", ["no parameter 'spare'"]),
    "number in quotes": ("m = 2.0", 'm = "2.0"', ["[mass.block]", "m is '2.0'", "without quotes"]),
    "not allowed": ("mu = 0.5", "mu = -0.5", ["mu_s is -0.5", "zero or a positive"]),
    "no value": ('"10*mu"', '"10/(mu - 0.5)"', ["normal has no value", "mu = 0.5", "division by zero"]),
    "two meanings": ('"mu", mu_k = "0.8*mu_s"', '"mu", mu_k = "0.8*mu", mu = 3', ["unknown key 'mu'"]),
    "unit of nothing": ("[parameters]", '[units]\npush = "N"\n[parameters]', ["units", "no parameter 'push'"]),
}


@pytest.mark.parametrize("case", WRONG)
def test_mistakes_in_files_are_sentences(case: str) -> None:
    old, new, pieces = WRONG[case]
    assert FILE.count(old) == 1
    with pytest.raises(ModelError) as error:
        loads(FILE.replace(old, new))
    assert all(piece in str(error.value) for piece in pieces), str(error.value)


def test_formulas_of_formulas_of_strangers_do_not_grow_without_bound() -> None:
    coefficients = ", ".join(f'"c{i + 1}*c{i + 1} + c{i + 1}*c{i + 1}"' for i in range(7))
    text = FILE.replace('{kind = "coulomb", mu_s = "mu", mu_k = "0.8*mu_s"}', "LAW")
    with pytest.raises(ModelError, match="operations"):
        loads(text.replace("LAW", f'{{kind = "polynomial", coefficients = [{coefficients}, 0.5], mu_s = 9.0}}'))
    chain = ", ".join(f'"c{i + 1}"' for i in range(12))
    with pytest.raises(ModelError, match="more than 8 steps"):
        loads(text.replace("LAW", f'{{kind = "polynomial", coefficients = [{chain}, 0.5]}}'))


def block() -> ss.Mass:
    return ss.Mass("block", m=1.0)


SPEED = ss.Parameter("speed", 1.0)
WRONG_IN_PYTHON = {
    "two of one name": (
        lambda: ss.Coulomb(ss.Parameter("mu", 0.5), 0.8 * ss.Parameter("mu", 0.4)),
        ["two parameters 'mu'", "make one Parameter"],
    ),
    "function of time": (lambda: ss.Spring(block(), ss.ground, k=lambda t: t), ["k depends on 't'", "no number there"]),
    "circle": (
        lambda: ss.Coulomb(lambda mu_k: mu_k, lambda mu_s: mu_s),
        ["mu_s follows from mu_k follows from mu_s", "give one of them as a number"],
    ),
    "negative": (
        lambda: ss.Spring(block(), ss.ground, k=0 - ss.Parameter("k", 1.0)),
        ["k is -1", "zero or a positive"],
    ),
    "name with a dot": (lambda: ss.Parameter("a.b", 1.0), ["a Parameter", "a letter followed by"]),
    "name of a function": (lambda: ss.Parameter("exp", 1.0), ["'exp'", "meaning in formulas"]),
    "no number": (lambda: ss.Parameter("mu", "much"), ["Parameter 'mu'", "it must be a number"]),
    "twice": (
        lambda: ss.System(ss.Spring(block(), ss.ground, k=lambda k=1.0: k)),
        ["Spring", "two parameters 'k'", "rename"],
    ),
    "start": (lambda: ss.Mass("block", m=1.0, x=ss.Parameter("x0", 1.0)), ["x is Parameter", "it must be a number"]),
    "Filippov": (
        lambda: ss.Filippov(("y",), f=lambda y, a=SPEED: a * y, G=lambda: 1.0, h=lambda y: y),
        ["f has Parameter", "shared by their names"],
    ),
}


@pytest.mark.parametrize("case", WRONG_IN_PYTHON)
def test_mistakes_in_python_are_sentences(case: str) -> None:
    make, pieces = WRONG_IN_PYTHON[case]
    with pytest.raises(ModelError) as error:
        make()
    assert all(piece in str(error.value) for piece in pieces), str(error.value)


def test_sweeps_ask_for_what_follows() -> None:
    """A number may be allowed at both ends of a range and not between: it is asked for at every point."""
    a = ss.Parameter("a", 0.1)
    mass = block()
    system = ss.System(
        ss.Spring(mass, ss.ground, k=(a - 0.5) ** 2 - 0.04), ss.Contact(mass, ss.ground, ss.Coulomb(0.1))
    )
    values = np.linspace(0, 1, 11)
    data = ss.sweep(system, {"a": values}, times=(0, 1))
    refused = (data["status"] != data["status"][0]).values
    assert refused.tolist() == [(x - 0.5) ** 2 - 0.04 < 0 for x in values.tolist()] and 0 < refused.sum() < 11
    with pytest.raises(ModelError, match=r"spring\.k is no parameter, it follows from others: change a"):
        ss.sweep(system, {"spring.k": [1.0]}, times=(0, 1))


def test_an_axis_with_the_name_of_a_result() -> None:
    mass = ss.Mass("block", m=ss.Parameter("m", 1.0))
    system = ss.System(ss.Spring(mass, ss.ground, k=1.0), ss.Contact(mass, ss.ground, ss.Coulomb(0.1)))
    with pytest.raises(
        ModelError, match=r"'m' is the name of a result of sweeps as well: sweep it by its name 'block\.m'"
    ):
        ss.plan_sweep(system, {"m": [1.0, 2.0]}, times=(0, 1))
    assert ss.plan_sweep(system, {"block.m": [1.0, 2.0]}, times=(0, 1)).count == 2


def test_a_fit_finds_what_a_law_follows_from() -> None:
    v = np.random.default_rng(0).uniform(0.05, 2, 400)
    truth = ss.Stribeck(0.5, 0.35, v_s=0.3)
    force = np.array([-truth.kinetic_value(x) for x in v]) + np.random.default_rng(1).normal(0, 1e-4, 400)
    mu = ss.Parameter("mu", 0.3)
    fit = ss.identify.fit_law((v, force), ss.Stribeck(mu, 0.7 * mu, v_s=0.5))
    assert {*fit.estimate.parameters} == {"mu", "v_s"}
    assert fit["mu"] == pytest.approx(0.5, abs=1e-4) and fit["v_s"] == pytest.approx(0.3, abs=1e-3)
    assert fit.law.parameters()["mu_k"] == pytest.approx(0.7 * fit["mu"], rel=1e-14)


def test_units_of_parameters_and_forces() -> None:
    pad, disk = ss.Mass("pad", m=1.0, unit="m"), ss.Rotor("disk", inertia=2.0)
    system = ss.System(
        ss.Spring(pad, ss.ground, k=1.0, name="k1"),
        ss.Spring(disk, ss.ground, k=1.0, name="k2"),
        ss.Torque(disk, 3.0),
        ss.Force(pad, lambda t, a=1.0: a * t, name="push"),
        ss.Contact(pad, ss.Belt("belt", speed=0.2), law=ss.Hyperbolic(0.5, 3.0), normal=2.0),
        time_unit="s",
        force_unit="N",
        units={"push.a": "N/s"},
    )
    expected = {
        "pad.m": "kg", "disk.inertia": "kg·m²", "k1.k": "N/m", "k2.k": "N·m/rad", "torque.torque": "N·m",
        "push.a": "N/s", "belt.speed": "m/s", "contact.normal": "N", "contact.delta": "s/m", "contact.mu_s": "",
        "v.disk": "rad/s",
    }  # fmt: skip
    assert {name: system.unit_of(name) for name in expected} == expected
    run = ss.simulate(system, t=1)
    assert (run["force"].attrs["units"], run["slip_velocity"].attrs["units"]) == ("N", "m/s")
    assert ss.interpolate(run, [0.5])["force"].attrs["units"] == "N"
    assert ss.sweep(system, {"k1.k": [1.0, 2.0]}, times=(0, 1))["k1.k"].attrs["units"] == "N/m"
    with pytest.raises(ModelError, match="no state or parameter 'k1'"):
        system.unit_of("k1")
