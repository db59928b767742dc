"""Laws with a state of their own: their formulas, how contacts take them, what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import stickslip as ss
from stickslip.model import files

BLOCK, BELT = ss.Mass("block", m=1.0, x=0.3), ss.Belt("belt", speed=0.5)
LUGRE = {"mu_s": 1.0, "mu_k": 0.6, "v_s": 0.2, "sigma_0": 100.0, "sigma_1": 3.0, "sigma_2": 0.1}
ROCK = {"mu_star": 0.6, "a": 0.06, "b": 0.09, "D_c": 0.2, "v_star": 0.5}
BRISTLES = {"rate": lambda v, z, mu=0.3, k=100.0: v - k * abs(v) * z / mu, "coefficient": lambda z, k=100.0: k * z}

LAWS: dict[str, Callable[[], ss.DynamicLaw]] = {
    "dahl": lambda: ss.Dahl(mu=0.3, sigma_0=100.0),
    "lugre": lambda: ss.LuGre(**LUGRE),
    "elasto-plastic": lambda: ss.ElastoPlastic(**LUGRE, breakaway=0.004),
    "aging": lambda: ss.DieterichRuina(**ROCK),
    "slip": lambda: ss.DieterichRuina(**ROCK, evolution="slip"),
    "own": lambda: ss.StateLaw(**BRISTLES, initial=1e-4),
}


def system(law: ss.DynamicLaw) -> ss.System:
    return ss.System(ss.Spring(BLOCK, ss.ground, k=1.0), ss.DynamicContact(BLOCK, BELT, law=law, normal=2.0))


def sentence(make: Callable[[], object]) -> str:
    with pytest.raises(ss.errors.ModelError) as caught:
        make()
    return str(caught.value)


@pytest.mark.parametrize("name", LAWS)
def test_jacobian_is_analytic(name: str) -> None:
    """∂ż/∂z against central differences, at a point with and one without signs changed."""
    model = system(LAWS[name]())
    field = ss.Field.of(model, order=20)  # that of runs, which compile it anyway
    for z in ([0.3, 0.1, 0.0031], [0.3, 0.9, 0.0071], [0.2, 0.8, 0.45]):
        if model.internal_states[0].startswith("bristle") and z[2] > 0.1:
            continue
        by_state, _ = field.jacobian(z, 0.0)
        for j in range(3):
            step = 1e-6 * max(abs(z[j]), 1e-2)
            ahead, behind = (field.evaluate(np.array(z) + s * np.eye(3)[j] * step, 0.0).rate for s in (1, -1))
            assert np.allclose(by_state[:, j], (ahead - behind) / (2 * step), rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("name", LAWS)
def test_a_run_holds_its_model_and_its_energy(name: str) -> None:
    model = system(LAWS[name]())
    run = ss.simulate(model, t=10)
    assert run.attrs["status"].startswith("The run reached the end")
    copy = files.loads(run.attrs["model"])
    assert copy.parameters == model.parameters and copy.start == model.start and copy.states == model.states
    again = ss.simulate(copy, t=10)
    assert abs(float(again["x.block"][-1] - run["x.block"][-1])) < 1e-12
    assert abs(float(ss.energy_balance(model, run).residual)) < 1e-12


@pytest.mark.parametrize("name", ["lugre", "elasto-plastic", "slip"])
def test_a_stiff_solver_agrees(name: str) -> None:
    """Radau collocation on the same equations: another integrator, another program."""
    model = system(LAWS[name]())
    exact = ss.simulate(model, t=6, samples=[6.0])
    radau = ss.simulate(model, t=6, samples=[6.0], method=ss.Smoothing(eps=1e3, rtol=1e-11))
    for state in model.states:
        assert float(radau[state][0]) == pytest.approx(float(exact[state][0]), rel=1e-7, abs=1e-8)


def test_every_target_agrees() -> None:
    for name in ("lugre", "elasto-plastic", "aging"):
        model = system(LAWS[name]())
        runs = [
            ss.simulate(model, t=0.5, samples=[0.5], method=ss.Exact(target=target)) for target in ("cpu", "python")
        ]
        for state in model.states:
            assert float(runs[0][state][0]) == pytest.approx(float(runs[1][state][0]), rel=1e-13)


def test_names_starts_and_units() -> None:
    mass = ss.Mass("slider", m=1.0, unit="m")
    contact = ss.DynamicContact(mass, ss.ground, law=ss.DieterichRuina(**ROCK), name="fault")
    rock = ss.System(contact, time_unit="s")
    assert rock.states == ("x.slider", "v.slider", "state.fault") and rock.contacts == ()
    assert rock.start["state.fault"] == 0.2 / 0.5 and rock.units["state.fault"] == "s"
    assert ss.System(contact, start={"state.fault": 7.0}).start["state.fault"] == 7.0
    bristles = ss.System(ss.DynamicContact(mass, ss.ground, law=ss.Dahl(0.3, 100.0)))
    assert bristles.internal_states == ("bristle.contact",) and bristles.units["bristle.contact"] == "m"
    exchanged = ss.System(ss.Contact(mass, ss.ground, law=ss.Coulomb(0.3), name="fault")).with_(
        parts={"fault": contact}
    )
    assert exchanged.start["state.fault"] == 0.2 / 0.5


def test_steady_sliding_of_lugre_is_stribeck() -> None:
    law = ss.LuGre(**LUGRE)
    plain = ss.Stribeck(1.0, 0.6, 0.2, shape=2).with_viscous(0.1)
    for v in (0.01, 0.1, 0.3, 2.0):
        assert abs(law.rate_value(v, law.steady(v))) < 1e-15
        assert law.coefficient_value(v, law.steady(v)) == pytest.approx(plain.kinetic_value(v), rel=1e-14)
        assert law.coefficient_value(-v, law.steady(-v)) == pytest.approx(-plain.kinetic_value(v), rel=1e-14)


def test_steady_sliding_of_rock() -> None:
    """μ_ss(v) = μ* + (a − b) ln(v/v*), over twelve decades."""
    for evolution in ("aging", "slip"):
        law = ss.DieterichRuina(mu_star=0.6, a=0.01, b=0.015, D_c=1e-5, v_star=1e-6, evolution=evolution)
        for v in np.logspace(-12, 0, 13):
            theta = 1e-5 / v
            # The slip law adds 1e-12·v* to |v|, which shows where v itself is hardly more.
            assert abs(law.rate_value(v, theta)) < (1e-12 if evolution == "aging" else 2e-18 / v + 1e-12)
            assert law.coefficient_value(v, theta) == pytest.approx(0.6 - 0.005 * math.log(v / 1e-6), abs=1e-14)
            assert law.coefficient_value(-v, theta) == -law.coefficient_value(v, theta)


REFUSED: dict[str, tuple[Callable[[], object], list[str]]] = {
    "bristles in a Contact": (
        lambda: ss.Contact(BLOCK, BELT, law=ss.LuGre(**LUGRE), name="pad"),
        ["Contact 'pad'", "LuGre", "DynamicContact"],
    ),
    "bristles in a CompliantContact": (
        lambda: ss.CompliantContact(BLOCK, BELT, law=ss.Dahl(0.3, 10.0), stiffness=1.0),
        ["a CompliantContact", "Dahl", "DynamicContact"],
    ),
    "plain law": (
        lambda: ss.DynamicContact(BLOCK, BELT, law=ss.Coulomb(0.3)),
        ["a DynamicContact", "slip speed alone", "Contact", "LuGre"],
    ),
    "plain function": (
        lambda: ss.DynamicContact(BLOCK, BELT, law=lambda v, mu=0.3: mu, name="pad"),
        ["DynamicContact 'pad'", "StateLaw"],
    ),
    "no law": (lambda: ss.DynamicContact(BLOCK, BELT, law=3), ["has the law 3", "LuGre"]),
    "no stiffness": (lambda: ss.Dahl(0.3, 0.0), ["Dahl.sigma_0", "0", "positive"]),
    "text": (lambda: ss.LuGre(**{**LUGRE, "v_s": "fast"}), ["LuGre.v_s", "'fast'"]),
    "breakaway too large": (
        lambda: ss.ElastoPlastic(**LUGRE, breakaway=0.006),
        ["ElastoPlastic", "breakaway is 0.006", "0.006"],
    ),
    "unknown evolution": (
        lambda: ss.DieterichRuina(**ROCK, evolution="ageing"),
        ["evolution", "'ageing'", "aging, slip"],
    ),
    "no direct effect": (lambda: ss.DieterichRuina(**{**ROCK, "a": 1e-4}), ["mu_star/a is 6000", "Contact"]),
    "later": (lambda: system(ss.Dahl(0.3, 10.0)).with_({"contact.mu": -1.0}), ["contact.mu", "-1", "positive"]),
    "unknown variable": (
        lambda: ss.StateLaw(rate=lambda v, w: v, coefficient=lambda z: z),
        ["StateLaw.rate", "'w'", "default values"],
    ),
    "two defaults": (
        lambda: ss.StateLaw(rate=lambda v, k=1.0: k * v, coefficient=lambda z, k=2.0: k * z),
        ["'k'", "2", "1", "same default"],
    ),
    "fails at its start": (
        lambda: ss.StateLaw(rate=lambda v, z: 1 / z, coefficient=lambda z: z),
        ["rate fails", "z = 0", "start"],
    ),
    "infinite": (
        lambda: ss.StateLaw(rate=lambda v: v, coefficient=lambda z: float("inf")),
        ["coefficient is inf", "finite"],
    ),
    "nothing to smooth": (lambda: system(ss.Dahl(0.3, 10.0)).smoothed(eps=1e3), ["no Contact"]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_is_refused(case: str) -> None:
    make, pieces = REFUSED[case]
    message = sentence(make)
    assert all(piece in message for piece in pieces) and "\n" not in message, message


def test_branching_function_is_refused() -> None:
    law = ss.StateLaw(rate=lambda v, z: v if v > z else z, coefficient=lambda z: z)
    assert "branches with `if`" in sentence(lambda: ss.simulate(system(law), t=1))
