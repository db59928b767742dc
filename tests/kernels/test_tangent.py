"""Small changes carried through every kind of event, against central differences of the motion itself."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import cos, sin
from typing import ClassVar

import numpy as np
import pytest

import stickslip as ss
from stickslip.field import Field
from stickslip.kernels.outcome import FINISHED
from stickslip.kernels.records import Records
from stickslip.model.behaviour import SLIP, Behaviour, Guard, Seen
from stickslip.orbits.motion import Motion, Run
from stickslip.symbolic.equations import derive
from stickslip.symbolic.tangent import tangent_source
from stickslip.targets.generated import NEIGHBOURS

M = ss.models


def slope(end: Callable[[float], np.ndarray], step: float) -> np.ndarray:
    """The derivative at zero, by central differences with one extrapolation."""
    wide, narrow = ((end(h) - end(-h)) / (2 * h) for h in (step, 0.5 * step))
    return (4 * narrow - wide) / 3


def differences(motion: Motion, z: np.ndarray, t: float, duration: float) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the end with respect to states, and to parameters and the start time."""
    size = float(np.max(np.abs(z)))

    def by_state(change: np.ndarray) -> Callable[[float], np.ndarray]:
        return lambda h: motion.run(z + h * change, t, duration).state

    def by_parameter(change: np.ndarray) -> Callable[[float], np.ndarray]:
        return lambda h: motion.with_parameters(motion.parameters + h * change).run(z, t, duration).state

    states = [slope(by_state(unit), 2e-6 * size) for unit in np.eye(len(z))]
    count = len(motion.parameters)
    changes = [
        slope(by_parameter(u), 2e-6 * max(p, 1e-3)) for u, p in zip(np.eye(count), motion.parameters, strict=True)
    ]
    time = slope(lambda h: motion.run(z, t + h, duration).state, 2e-6)
    return np.array(states).T, np.array([*changes, time]).T


def check(model: ss.System, z: Sequence[float], t: float, duration: float, tolerance: float = 2e-7) -> np.ndarray:
    """Compare, and return the event table."""
    motion = Motion(model)
    z = np.array(z, float)
    run = motion.run(z, t, duration, range(len(motion.parameters) + 1))
    assert run.status.finished
    by_state, by_parameter = differences(motion, z, t, duration)
    # Where static and kinetic friction are equal, changing one alone is not differentiable: static must not be less.
    p = model.parameters
    equal = "contact.mu_k" in p and p["contact.mu_k"] == p["contact.mu_s"]
    kept = [i for i, name in enumerate([*p, "time"]) if not (equal and name.startswith("contact.mu_"))]
    # What the round-off of the end leaves in a difference.
    noise = 1e-12 * np.max(np.abs(run.state))
    steps = np.array([*(2e-6 * np.maximum(motion.parameters, 1e-3)), 2e-6])
    error = np.abs(run.by_state - by_state)
    assert np.max(error) <= tolerance * np.max(np.abs(by_state)) + noise / (2e-6 * np.max(np.abs(z)))
    error = np.abs(run.by_parameter - by_parameter)[:, kept]
    allowed = tolerance * np.max(np.abs(by_parameter), axis=0) + noise / steps
    assert np.all(error <= allowed[kept])
    return run.events


LIBRARY = {
    "block_on_belt": (M.block_on_belt(), 20.0),
    "two_blocks": (M.two_blocks(), 20.0),
    "drill_string": (M.drill_string(), 20.0),
    "forced I": (M.forced_oscillator("I", eta=0.7), 20.0),
    "forced II": (M.forced_oscillator("II", eta=0.9), 20.0),
    "forced III": (M.forced_oscillator("III", eta=1.15), 20.0),
    "excited_oscillator": (M.excited_oscillator(), 20.0),
    "pendulum": (M.block_and_pendulum(), 5.0),
    "pendulum, Stribeck": (M.block_and_pendulum("stribeck"), 5.0),
    "bowed_string": (M.bowed_string(), 0.002),
    "coulomb_oscillator": (M.coulomb_oscillator(), 12.0),
    "chain": (M.chain(3), 20.0),  # as its orbit is compiled for test_find_orbit.py
}


@pytest.mark.parametrize("name", LIBRARY)
def test_every_library_model(name: str) -> None:
    model, duration = LIBRARY[name]
    motion = Motion(model)
    z = motion.run(model.start_state(), 0.0, 1.37 * duration if name != "coulomb_oscillator" else 1.0).state
    z = z + 1e-3 * np.max(np.abs(z)) * np.sin(np.arange(len(z)) + 1)  # off the stick surface, and off symmetry
    # These two are less smooth on the scale of the steps: differences lose digits.
    events = check(
        model,
        z,
        0.3 if motion.is_forced else 0.0,
        duration,
        tolerance=5e-6 if name in ("bowed_string", "pendulum, Stribeck") else 2e-7,
    )
    assert len(events) >= 2


def block(law: ss.FrictionLaw, belt: ss.Belt, **more: float) -> ss.System:
    mass = ss.Mass("block", m=1.0)
    return ss.System(ss.Spring(mass, ss.ground, k=1.0), ss.Contact(mass, belt, law=law, normal=1.0), **more)


def modes(events: np.ndarray) -> list[tuple[int, int]]:
    return [(int(row[2]), int(row[3])) for row in events]


def test_crossing_without_stick() -> None:
    events = check(block(ss.Hyperbolic(mu_s=1.0, delta=3.0), ss.Belt("belt", speed=0.2)), [3.0, 1.0], 0.0, 5.0)
    assert (1, -1) in modes(events)


def test_release_with_a_jump_of_the_force() -> None:
    events = check(block(ss.Coulomb(mu_s=1.0, mu_k=0.5), ss.Belt("belt", speed=0.2)), [1.2, 0.0], 0.0, 12.0)
    assert (0, -1) in modes(events) and (-1, 0) in modes(events)


def test_a_belt_whose_speed_changes() -> None:
    belt = ss.Belt("belt", speed=lambda t, v=0.3, a=0.1, w=1.3: v + a * sin(w * t))
    events = check(block(ss.Coulomb(mu_s=1.0, mu_k=0.6), belt), [0.4, -0.2], 0.2, 14.0)
    assert (0, -1) in modes(events)


def test_a_normal_force_of_state_and_time() -> None:
    mass, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.3)
    contact = ss.Contact(
        mass,
        belt,
        law=ss.Hyperbolic(mu_s=1.0, delta=2.0),
        normal=lambda t, x_block, a=0.2: 1 + a * cos(t) + 0.1 * x_block,
    )
    check(ss.System(ss.Spring(mass, ss.ground, k=1.0), contact), [0.4, -0.2], 0.2, 14.0)


def test_a_tabulated_law_and_a_stiff_stop() -> None:
    law = ss.Tabulated([0.0, 0.1, 0.3, 0.8, 2.0], [1.0, 0.7, 0.55, 0.5, 0.52])
    check(block(law, ss.Belt("belt", speed=0.2)), [0.4, -0.2], 0.0, 14.0)
    mass = ss.Mass("block", m=1.0)
    stop = ss.Force(mass, lambda x, k=20.0, gap=0.3: ss.where(x > gap, -k * (x - gap), 0.0))
    contact = ss.Contact(mass, ss.Belt("belt", speed=0.2), law=ss.Hyperbolic(mu_s=1.0, delta=3.0), normal=1.0)
    check(ss.System(ss.Spring(mass, ss.ground, k=1.0), stop, contact), [0.1, -0.2], 0.0, 14.0)


def test_a_force_that_jumps_with_the_position() -> None:
    """The jump is an event of its own, with its own saltation."""
    mass = ss.Mass("block", m=1.0)
    step = ss.Force(mass, lambda x, f=0.5: ss.where(x > 0.2, -f, f))
    contact = ss.Contact(mass, ss.Belt("belt", speed=0.2), law=ss.Hyperbolic(mu_s=1.0, delta=3.0), normal=1.0)
    check(ss.System(ss.Spring(mass, ss.ground, k=1.0), step, contact), [0.9, -0.6], 0.0, 6.0)


def test_events_of_uncoupled_contacts_at_the_same_time() -> None:
    """Two equal blocks that do not feel each other have all their events at once; each keeps its own derivatives."""
    belt, law = ss.Belt("belt", speed=0.2), ss.Hyperbolic(mu_s=1.0, delta=3.0)
    a, b = ss.Mass("a", m=1.0), ss.Mass("b", m=1.0)
    twins = ss.System(
        *(ss.Spring(m, ss.ground, k=1.0, name=f"spring_{m.name}") for m in (a, b)),
        *(ss.Contact(m, belt, law=law, normal=1.0, name=f"contact_{m.name}") for m in (a, b)),
    )
    both = Motion(twins).run([1.1, 1.1, 0.0, 0.0], 0.0, 30.0, [])
    alone = Motion(block(law, belt)).run([1.1, 0.0], 0.0, 30.0, [])
    assert len(both.events) == 2 * len(alone.events)
    for first in (0, 1):
        own = both.by_state[np.ix_([first, 2 + first], [first, 2 + first])]
        assert np.allclose(own, alone.by_state, atol=1e-12)
    assert np.allclose(both.by_state[np.ix_([0, 2], [1, 3])], 0.0, atol=1e-12)


def test_a_relay() -> None:
    relay = ss.Filippov(
        states=("x", "y"),
        f=lambda x, y, a=0.3: (y, -x - a * y),
        G=lambda: ((0.0,), (1.0,)),
        h=lambda x, y, b=0.4: x + b * y,
        kinetic=1.0,
    )
    events = check(relay, [1.3, 0.4], 0.0, 3.0)
    assert len(events) >= 1


def test_coming_to_rest_loses_a_direction() -> None:
    """Saltation at slip → stick is diag(1, 0) for a block (leine1998 Sec. 4): δv is gone, δx stays."""
    motion = Motion(M.block_on_belt())
    stop = motion.run([1.1, 0.0], 0.0, 6.0).events[0]
    assert (stop[2], stop[3]) == (-1, 0)
    before = motion.run([1.1, 0.0], 0.0, stop[0] - 0.1, [])
    after = motion.run([1.1, 0.0], 0.0, stop[0] + 0.1, [])
    slip = motion.phase((-1,), before.state, before.time, stop[0] - before.time, [])
    reached = slip.by_state[:2] @ before.by_state
    assert np.allclose(after.by_state, np.diag([1.0, 0.0]) @ reached, atol=1e-12)


@dataclass(frozen=True, eq=False)
class Worn(ss.Contact):
    """What it has slid makes friction larger, and begins anew where there is enough of it: a guard, with a jump."""

    length: float = field(default=0.7, kw_only=True)
    rules: ClassVar[Mapping[str, str]] = {**ss.Contact.rules, "length": "positive"}

    def internal_states(self) -> tuple[str, ...]:
        return ("worn", *super().internal_states())

    def behaviour(self, seen: Seen) -> Behaviour:
        worn, length = seen.state("worn"), seen.parameter("length")
        return Behaviour(
            rates={"worn": seen.mode * seen.velocity},
            kinetic=seen.kinetic(seen.speed) * (1 + worn / 4),
            at_stick={"worn": worn + length / 8},  # so that friction does not begin above its static limit
            guards=(Guard(length - worn, SLIP, jumps={"worn": length / 5 + seen.velocity / 10}),),
        )


@pytest.mark.parametrize("end", [3.0, 7.0, 16.0])
def test_jumps_at_guards_of_a_contact_s_own(end: float) -> None:
    mass, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.2)
    contact = Worn(mass, belt, law=ss.Hyperbolic(mu_s=1.0, delta=3.0), normal=1.0, name="pad")
    model = ss.System(ss.Spring(mass, ss.ground, k=1.0), contact)
    check(model, [1.3, -0.4, 0.1], 0.0, end)


def test_guards_that_release_are_refused() -> None:
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=1.0)
    system = ss.System(ss.Spring(block, ss.ground, k=1.0), ss.BristleContact(block, belt))
    with pytest.raises(ss.errors.ModelError, match="guards that release a contact"):
        tangent_source(derive(system), 8)


TABLE = ss.Tabulated([0.0, 0.1, 0.3, 0.8, 2.0], [1.0, 0.7, 0.55, 0.5, 0.52])
CHECKED = {
    "two_blocks": M.two_blocks(),
    "forced": M.forced_oscillator("III", eta=1.15),
    "table": block(TABLE, ss.Belt("belt", speed=0.2)),
    "aging": M.aging_block(),
    "compliant": M.compliant_oscillator(28),
}


@pytest.mark.parametrize(
    "name",
    [name if name in ("table", "compliant") else pytest.param(name, marks=pytest.mark.nightly) for name in CHECKED],
)
def test_no_index_is_out_of_bounds(name: str) -> None:
    """Runs, phases, exponents and releases with every index compared with its size, which raises; and as always."""
    model = CHECKED[name]
    found = []
    for target in ("cpu", "checked"):
        motion = Motion(model, 1e-12, Field.of(model, target=target, order=8, kernels=NEIGHBOURS))
        every = range(len(motion.parameters) + 1)
        run = motion.run(model.start_state(), 0.0, 20.0, every)
        parts = [run.by_state, run.by_parameter, run.events, *phases(motion, run.state, every)]
        found.append([*parts, released_on_the_way(motion), released(motion, run)])
    assert len(run.events) > 2 and np.any(found[0][-1] != 0)
    for plain, compared in zip(*found, strict=True):
        size = np.max(np.abs(plain), initial=0.0)
        np.testing.assert_allclose(plain, compared, rtol=1e-9, atol=1e-9 * size)


def phases(motion: Motion, z: np.ndarray, every: Sequence[int]) -> list[np.ndarray]:
    """What all directions change at the end of a phase, and where contacts enter their modes."""
    slip, stick = (1,) * motion.contacts, (0,) * motion.contacts
    entry = motion.enter(slip, stick, z, 0.0, every[:-1])
    phase = motion.phase(stick, z, 0.0, 0.01, every)
    return [entry.by_state, entry.by_parameter, phase.by_state, phase.by_parameter, phase.rates_by_parameter]


def released_on_the_way(motion: Motion) -> np.ndarray:
    """How many contacts are released while the growth of all directions is measured."""
    kernels, trajectory = motion.field.program.kernels, motion.workspace(motion.model.start_state(), 0.0, [])
    growth = kernels.exponents.Growth()
    growth.scale[:], growth.renormalise = 1.0, 2
    assert motion.field.program.begin(trajectory) == FINISHED
    assert motion.field.program.measure_growth(trajectory, growth, 20.0, 10**6) == FINISHED
    return np.array([growth.releases])


def released(motion: Motion, run: Run) -> np.ndarray:
    """Two releases after each of the first two of a run, with their derivatives."""
    returns = motion.field.program.kernels.returns
    rows = [row for row in run.events if row[2] == 0][:2]
    section, starts, releases = returns.Section(), Records(returns.Release, len(rows)), Records(returns.Release, 4)
    section.contact, section.side, section.patience = int(rows[0][1]), int(rows[0][3]), 40.0
    section.turns, section.starts, section.most_steps = 2, len(rows), 10**6
    for start, row in zip(starts, rows, strict=True):
        start.time, start.state[:], start.time_slope = row[0], row[4:], 1.0
    motion.field.program.next_releases(
        motion.workspace(run.state, 0.0), section, starts, releases, Records(returns.Sequel, len(rows))
    )
    return releases.floats
