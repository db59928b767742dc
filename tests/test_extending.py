"""What the contributor's page shows: laws, contacts and observations of one's own, each in one short file."""

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss
from stickslip.model.behaviour import Behaviour, Seen

FOLDER = Path(__file__).parents[1] / "examples" / "extending"
EXAMPLES = sorted(FOLDER.glob("*.py"))


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_examples_are_short(file: Path) -> None:
    assert len(file.read_text(encoding="utf-8").splitlines()) < 80


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_the_page_shows_what_the_files_say(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    shown = text[text.index("@dataclass") : text.index("\n\n\ndef ")]
    assert shown in (FOLDER.parents[1] / "docs" / "contributing.md").read_text(encoding="utf-8")


def test_a_law_is_that_of_its_formula() -> None:
    """The law as a class of its own, and as a plain function: the same motion, in runs and in lockstep."""
    lorentz = load("lorentz_law")
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.1)

    def plain(v: float, mu_s: float = 0.5, mu_k: float = 0.3, v_s: float = 0.2) -> float:
        return mu_k + (mu_s - mu_k) / (1 + (v / v_s) ** 2)

    same = ss.System(ss.Spring(block, ss.ground, k=100.0), ss.Contact(block, belt, law=plain, normal=10.0))
    one, other = ss.simulate(lorentz.system(), t=10.0), ss.simulate(same, t=10.0)
    assert one.sizes["event"] == other.sizes["event"] > 10
    assert np.allclose(one["event_time"], other["event_time"], rtol=0, atol=1e-9)
    speeds = {"belt.speed": np.linspace(0.05, 0.4, 300)}
    data = ss.sweep(lorentz.system(), speeds, times=(20.0, 10.0), observe="stick_to_slip")
    assert set(np.unique(data["n"])) == {1}


@pytest.mark.parametrize("kind", ["law", "contact"])
def test_a_class_that_was_changed_is_compiled_anew(kind: str) -> None:
    """Two classes of one name, with other formulas: each has its own motion."""

    def system(factor: float) -> ss.System:
        @dataclass(frozen=True, eq=False)
        class Own(ss.FrictionLaw):
            mu: float

            @property
            def kinetic(self):
                return lambda v, mu: factor * mu / (1 + v)

        @dataclass(frozen=True, eq=False)
        class OwnContact(ss.Contact):
            def behaviour(self, seen: Seen) -> Behaviour:
                return Behaviour(kinetic=factor * seen.kinetic(seen.speed), static=factor * seen.static)

        block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.1)
        law = Own(0.4) if kind == "law" else (lambda v, mu=0.4: mu / (1 + v))
        contact = (ss.Contact if kind == "law" else OwnContact)(block, belt, law=law)
        return ss.System(ss.Spring(block, ss.ground, k=1.0), contact)

    reached = [float(np.abs(ss.simulate(system(factor), t=20.0)["x.block"]).max()) for factor in (1.0, 2.0)]
    assert reached[1] > 1.5 * reached[0]


# -- a kind of contact -------------------------------------------------------------------------------------------


def referee(end: float, speed: float = 0.2, length: float = 0.5, growth: float = 0.3) -> list[tuple[float, str]]:
    """The block with the flaking contact by DOP853, event by event: when it sticks, slips, and a layer flakes off."""
    mu_s, mu_k = 1.0, 0.6
    t, z, mode, found = 0.0, np.array([1.0, 0.0, 0.0]), -1, []
    while t < end:
        if mode == 0:  # it rides on the belt until the spring pulls as strongly as friction holds
            t += (mu_s - z[0]) / speed
            z, mode = np.array([mu_s, speed, 0.0]), -1
            found.append((t, "slip"))
            continue

        def rate(_: float, z: np.ndarray) -> list[float]:
            return [z[1], -z[0] + mu_k * (1 + growth * z[2] / length), speed - z[1]]

        def stops(_: float, z: np.ndarray) -> float:
            return z[1] - speed

        def flakes(_: float, z: np.ndarray) -> float:
            return length - z[2]

        stops.terminal = flakes.terminal = True
        stops.direction = 1
        begin = z + 1e-11 * np.array(rate(t, z)) if found and found[-1][1] == "slip" else z
        run = solve_ivp(rate, (t, end), begin, "DOP853", events=[stops, flakes], rtol=1e-12, atol=1e-13)
        t, z = run.t[-1], run.y[:, -1].copy()
        if run.t_events[1].size:
            z[2] = 0.0
            found.append((t, "flake"))
        elif run.t_events[0].size:
            z[1], z[2], mode = speed, 0.0, 0
            found.append((t, "stick"))
    return [(time, what) for time, what in found if time < end]


def test_a_contact_with_a_state_a_guard_and_a_reset() -> None:
    system = load("flaking_contact").system()
    run = ss.simulate(system, t=40.0)
    expected = referee(40.0)
    changes = [time for time, what in expected if what != "flake"]
    assert np.allclose(run["event_time"], changes, rtol=0, atol=1e-8)
    assert sum(what == "flake" for _, what in expected) > 5
    path = run["path.contact"]
    assert float(path.max()) <= 0.5 + 1e-12
    target = ss.simulate(system, t=40.0, method=ss.Exact(target="python"))
    assert np.allclose(target["event_time"], run["event_time"], rtol=0, atol=1e-12)


def test_its_orbit_closes_and_its_branch_goes_on() -> None:
    system = load("flaking_contact").system()
    orbit = ss.find_orbit(system)
    ends = [time for time, what in referee(60.0) if what == "slip"]
    assert orbit.period == pytest.approx(ends[-1] - ends[-2], abs=1e-8)
    assert np.abs(orbit.multipliers).max() == pytest.approx(1.0)
    branch = ss.follow(orbit, "contact.growth", to=0.4)
    assert branch.complete
    other = ss.find_orbit(load("flaking_contact").system(growth=0.4))
    assert branch.points[-1].period == pytest.approx(other.period, abs=1e-9)


def test_its_energy_is_accounted_for() -> None:
    """Its friction grows with the path, so it is not what the law alone says."""
    system = load("flaking_contact").system()
    balance = ss.energy_balance(system, ss.simulate(system, t=40.0))
    assert abs(float(balance.residual)) < 1e-10


# -- an observation ----------------------------------------------------------------------------------------------


def test_an_observation_in_lockstep_and_one_by_one() -> None:
    """Rows of 300 motions in lockstep, and of some of them alone; and what a run says of one."""
    own = load("reversals")
    amplitudes = np.linspace(0.2, 2.0, 300)
    options = {"periods": (50, 20), "observe": own.Reversals()}
    together = ss.sweep(own.shaken_block(), {"base.a": amplitudes}, **options)
    some = amplitudes[::30]
    alone = ss.sweep(own.shaken_block(), {"base.a": some}, **options)
    assert np.array_equal(together["count"][::30], alone["count"])
    assert set(np.unique(together["count"])) == {0, 40}
    rows = together["record_time"][::30, : alone.sizes["record"]]
    assert np.allclose(rows, alone["record_time"], rtol=0, atol=1e-6, equal_nan=True)
    run = ss.simulate(own.shaken_block().with_({"base.a": float(some[-1])}), t=70 * 2 * np.pi)
    turned = (run["event_before"] != 0) & (run["event_after"] != 0) & (run["event_time"] > 50 * 2 * np.pi)
    assert int(turned.sum()) == 40
    assert np.allclose(run["event_time"][turned], alone["record_time"][-1], rtol=0, atol=1e-6)


def test_an_observation_says_what_it_is() -> None:
    own = load("reversals")
    data = ss.sweep(own.shaken_block(), {"base.a": [1.0]}, periods=(5, 5), observe=own.Reversals("contact"))
    assert data["x.block"].attrs["where"] == "at the reversal of slip of contact"
