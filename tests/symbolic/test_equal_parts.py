"""Loops over equal parts compute what formulas for each part do: on chains and on random networks of mixed parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from tests.campaign.draw import Case, Piece, Structure, draw_case, draw_structure
from tests.campaign.judge import AGREES, SENSITIVE, judge

import stickslip as ss
from stickslip.artifacts import generated
from stickslip.field import TARGETS, Field
from stickslip.symbolic.elimination import eliminated, reaches
from stickslip.symbolic.equal_parts import MANY, EqualParts, series_source
from stickslip.symbolic.equations import derive
from stickslip.symbolic.source import Source
from stickslip.targets.generated import EXACT


class WrittenOut(Source):
    """Formulas for each part, with loops over orders alone, as they are for any stick pattern."""

    def _taylor(self) -> list[str]:
        return self._looped()


FORMS = (WrittenOut, EqualParts)


@dataclass(frozen=True)
class InForm(ss.Exact):
    """The method with one form of the source, whatever the size of the model."""

    form: Any = EqualParts

    def compile(self, model: ss.System) -> Field:
        text = self.form(derive(model), self.taylor_order).module()
        field = Field(model, self.taylor_order, self.target)
        vars(field)["program"] = TARGETS[self.target].program(generated(text, lambda: text), EXACT)
        return field


def kernels_of(form: Any, system: ss.System, order: int = 8) -> Any:
    return InForm(order=order, target="python", form=form).compile(system).program.kernels


def copies(structure: Structure, count: int) -> Structure:
    """Equal structures beside each other, their first masses tied by springs; numbers are drawn for each."""
    pieces = list(structure.pieces)
    for i in range(1, count):
        names = {piece.name: f"{piece.name}_{i}" for piece in structure.pieces} | {"ground": "ground"}
        pieces += [
            replace(
                piece,
                name=names[piece.name],
                between=tuple(names[name] for name in piece.between),
                weights=tuple((names[name], weight) for name, weight in piece.weights),
            )
            for piece in structure.pieces
        ]
        pieces.append(Piece("spring", f"tie{i}", "linear", (f"m0_{i - 1}" if i > 1 else "m0", f"m0_{i}")))
    return Structure(tuple(pieces))


def network(seed: int, count: int = 1) -> Case:
    rng = np.random.default_rng([19, seed])
    case = draw_case(copies(draw_structure(rng), count), rng, duration=6.0)
    return replace(case, origin=0.0)


def stack(count: int) -> ss.System:
    """Masses on top of each other, each rubbing on the one below: every contact pushes its neighbours."""
    masses = [ss.Mass(f"m{i}", m=1.0 + 0.1 * i, x=2.0 * np.sin(2.0 * i + 1.0)) for i in range(count)]
    below = [ss.Belt("belt", speed=0.2), *masses[:-1]]
    law = ss.Hyperbolic(mu_s=0.4, delta=2.0)
    springs = [ss.Spring(mass, ss.ground, k=2.0 + 0.3 * i, name=f"spring{i}") for i, mass in enumerate(masses)]
    pairs = enumerate(zip(masses, below, strict=True))
    contacts = [ss.Contact(a, b, law=law, normal=2.0 - 0.1 * i, name=f"contact{i}") for i, (a, b) in pairs]
    return ss.System(*springs, *contacts)


# -- the same numbers ----------------------------------------------------------------------------------------------


def filled(kernels: Any, case: Case, modes: list[int]) -> Any:
    """A trajectory at the start of a case, in any modes, with all that generated functions fill."""
    system = case.system()
    trajectory = kernels.trajectory.Trajectory()
    trajectory.parameter[:] = list(system.parameters.values())
    trajectory.state[:] = system.start_state(case.start_in(system))
    trajectory.time, trajectory.step_guess = case.times[0] + 0.3, 0.1
    trajectory.mode[:] = modes
    kernels.model.constants(trajectory)
    kernels.model.ingredients(trajectory)
    kernels.model.sizes(trajectory)
    kernels.model.branches(trajectory, 0.0)
    trajectory.stopping_contact = kernels.model.taylor(trajectory)  # 1 where forces are not determined
    return trajectory


SERIES = ("state_series", "v_series", "force_series", "static_series", "guard_series", "resolved_series")
AT_ONCE = ("f", "v", "R", "S", "a", "G", "D", "v_size", "a_size", "S_size", "guard_size", "guard_rate_size")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # modes are drawn: a law is asked on the wrong side of zero
@pytest.mark.parametrize("seed", range(30))
def test_random_networks_have_the_same_series(seed: int) -> None:
    """Values agree within round-off, since common terms are added up otherwise; series to the bit, but where
    contacts push each other: those forces are solved for in another order."""
    case = network(seed, count=1 + seed % 3)
    system = case.system()
    kernels = [kernels_of(form, system) for form in FORMS]
    rng = np.random.default_rng(seed)
    coupled = derive(system).coupled
    alone = all(set(row) <= {i} for i, row in enumerate(coupled))
    for _ in range(3):
        modes = rng.integers(-1, 2, len(system.contacts)).tolist()
        one, other = (filled(each, case, modes) for each in kernels)
        assert one.stopping_contact == other.stopping_contact
        for name in AT_ONCE:
            np.testing.assert_allclose(getattr(other, name), getattr(one, name), rtol=1e-11, atol=1e-13, err_msg=name)
        assert one.branch.tolist() == other.branch.tolist()
        if one.stopping_contact == 0:
            for name in SERIES:
                a, b = getattr(one, name), getattr(other, name)
                if alone:
                    np.testing.assert_array_equal(b, a, err_msg=name)
                scale = np.abs(a).max(axis=0, initial=1e-300) if a.size else 1.0
                np.testing.assert_allclose(b / scale, a / scale, rtol=0, atol=1e-9, err_msg=name)


# -- the same motions ----------------------------------------------------------------------------------------------


def motion(system: ss.System, end: float, method: ss.Exact) -> tuple[Any, np.ndarray]:
    """Events and steps of a run."""
    steps: list[np.ndarray] = []
    start = np.array(system.start_state())
    found = method.integrate(method.compile(system), start, (0.0, end), lambda _: None, steps.append)
    assert found.status is ss.Status.FINISHED
    return found.events, np.concatenate(steps)


@pytest.mark.parametrize("target", ["python", "cpu", pytest.param("checked", marks=pytest.mark.nightly)])
def test_motions_of_a_chain_are_the_same(target: str) -> None:
    """In plain Python to the bit; a compiler may contract products and sums otherwise in a loop."""
    system = ss.models.chain(11).with_({f"coupling{i}.k": 0.5 + 0.1 * i for i in range(1, 11)})
    (events, steps), (looped_events, looped_steps) = (
        motion(system, 4.0, InForm(order=12, target=target, rtol=1e-8, form=form)) for form in FORMS
    )
    assert len(events) > 10
    np.testing.assert_array_equal(looped_events[:, 1:4], events[:, 1:4])
    np.testing.assert_allclose(looped_events, events, rtol=0, atol=1e-11)
    if target == "python":
        np.testing.assert_array_equal(looped_steps, steps)


def test_motions_of_a_stack_are_the_same() -> None:
    """The contacts push each other, so that their forces are solved for together: in another order."""
    (events, _), (looped_events, _) = (
        motion(stack(5), 9.0, InForm(order=12, target="python", rtol=1e-8, form=form)) for form in FORMS
    )
    assert len(events) > 10 and (events[:, 3] == 0).sum() > 3
    np.testing.assert_array_equal(looped_events[:, 1:4], events[:, 1:4])
    np.testing.assert_allclose(looped_events, events, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", [name for name in ss.models.LIBRARY if name not in ("chain", "bowed_string")])
def test_every_kind_of_contact_moves_as_it_does_written_out(name: str) -> None:
    """Also those with a memory, whose resets are written out in both forms."""
    system = ss.models.LIBRARY[name]()
    (events, steps), (looped_events, looped_steps) = (
        motion(system, 3.0, InForm(order=8, target="python", rtol=1e-6, form=form)) for form in FORMS
    )
    np.testing.assert_array_equal(looped_events[:, 1:4], events[:, 1:4])
    np.testing.assert_allclose(looped_events, events, rtol=0, atol=1e-10)
    np.testing.assert_allclose(looped_steps[:, :2], steps[:, :2], rtol=0, atol=1e-10)


@pytest.fixture(scope="module")
def fifty_five() -> tuple[ss.System, Any]:
    """A chain of equal blocks that begin at one place, and its motion in machine code."""
    system = ss.models.chain(55)
    start = dict.fromkeys(system.states, 0.0) | {name: 0.4 for name in system.states if name.startswith("x.")}
    return system, ss.simulate(system, 60.0, start=start, samples=2)


def test_simultaneous_events_in_fifties(fifty_five: tuple[ss.System, Any]) -> None:
    """Equal blocks at one place move as one: all stick and slip at once, when a single block does."""
    system, together = fifty_five
    alone = ss.simulate(ss.models.chain(1), 60.0, start={"x.block1": 0.4, "v.block1": 0.0})
    assert together.attrs["status"] == alone.attrs["status"] == ss.Status.FINISHED.value
    assert alone.sizes["event"] >= 8
    assert together.sizes["event"] == 55 * alone.sizes["event"]
    for name in ("event_time", "event_before", "event_after"):
        each = together[name].values.reshape(-1, 55)
        np.testing.assert_allclose(each, np.repeat(alone[name].values[:, None], 55, axis=1), rtol=0, atol=1e-10)
    assert all(set(group) == set(system.contacts) for group in together["event_contact"].values.reshape(-1, 55))


def test_fifty_five_are_let_go_at_the_start() -> None:
    """Beyond their limits they are released one after the other, in no time."""
    system = ss.models.chain(55)
    start = {n: 3.0 if n.startswith("x.") else system.parameters["belt.speed"] for n in system.states}
    run = ss.simulate(system, 0.2, start=start)
    assert run.attrs["status"] == ss.Status.FINISHED.value
    assert (run["step_mode"].values[0] == -1).all()


@pytest.mark.parametrize("seed", [12, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in (3, *range(20, 30)))])
def test_the_referee_agrees(seed: int) -> None:
    """Networks of equal parts with numbers of their own, in machine code, before a solver that shares no code."""
    case = network(seed, count=3)
    found = judge(case, method=InForm(most_steps=20_000))
    assert found.outcome in (AGREES, SENSITIVE), (found.outcome, found.note, case.features)
    assert found.events > 0


# -- what does not grow --------------------------------------------------------------------------------------------


def test_the_text_does_not_grow_with_the_chain() -> None:
    """But for tables: names from 10 to 99 are ordered alike, so that the loops are the same."""
    texts = [series_source(derive(ss.models.chain(n)), 8) for n in (40, 90)]
    short, long = ([line for line in text.splitlines() if "np.array" not in line] for text in texts)
    assert len(long) == len(short) < 250
    assert len(texts[1]) < 4 * len(texts[0])


def test_small_models_are_written_out() -> None:
    few, many = (series_source(derive(ss.models.chain(n)), 8) for n in (MANY - 1, MANY))
    assert "PART" not in few and "for part in" not in few
    assert "for part in" in many


def test_contacts_of_one_law_share_a_table() -> None:
    law = ss.Tabulated((0.0, 0.1, 1.0), (0.5, 0.3, 0.2))
    masses = [ss.Mass(f"m{i}", m=1.0 + i, x=0.1 * i) for i in range(9)]
    springs = [ss.Spring(mass, ss.ground, k=1.0) for mass in masses]
    belt = ss.Belt("belt", speed=0.2)
    system = ss.System(*springs, *(ss.Contact(mass, belt, law=law) for mass in masses))
    text = series_source(derive(system), 8)
    assert text.count("TABLE0 = np.array") == 1 and "TABLE1" not in text
    assert "for part in range(9):\n        trajectory.branch[part] = frozen_interval(TABLE0, ROWS0" in text


# -- sticking forces -----------------------------------------------------------------------------------------------


def test_the_band_is_as_good_as_a_dense_matrix() -> None:
    """Random matrices with the pattern of a stack, also such that rows must be exchanged, in random stick patterns."""
    kernels = kernels_of(EqualParts, stack(9))
    model, trajectory = kernels.model, kernels.trajectory.Trajectory()
    rng = np.random.default_rng(4)
    solved = 0
    for _ in range(200):
        kernels.linear.clear_band(trajectory)
        assert not trajectory.matrix[~pattern(model)].any()
        matrix = np.where(pattern(model), rng.normal(size=(9, 9)), 0.0)
        matrix[np.diag_indices(9)] *= rng.choice([0.0, 1e-3, 1.0], 9)
        trajectory.matrix[pattern(model)] = matrix[pattern(model)]
        trajectory.mode[:] = rng.integers(0, 2, 9) * rng.integers(0, 2)
        stuck = np.flatnonzero(trajectory.mode == 0)
        square = matrix[np.ix_(stuck, stuck)]
        count = kernels.linear.factor(trajectory)
        if np.linalg.cond(square) < 1e8:
            assert count == len(stuck)
            right = rng.normal(size=9)
            trajectory.right_side[:] = right
            kernels.linear.substitute(trajectory, count)
            np.testing.assert_allclose(square @ trajectory.solution[stuck], right[stuck], rtol=0, atol=1e-7)
            solved += 1
    assert solved > 100


def pattern(model: Any) -> np.ndarray:
    """Where the matrix may differ from zero."""
    coupled = np.zeros((model.CONTACTS, model.CONTACTS), bool)
    for i in range(model.CONTACTS):
        coupled[i, model.COUPLED[model.COUPLED_START[i] : model.COUPLED_START[i + 1]]] = True
    return coupled


@pytest.mark.parametrize("seed", range(10))
def test_the_order_of_elimination_keeps_the_band_narrow(seed: int) -> None:
    """A chain whose contacts are numbered at random has its band back; reaches say how far it goes."""
    rng = np.random.default_rng(seed)
    shuffled = rng.permutation(40)
    neighbours: list[list[int]] = [[] for _ in shuffled]
    for a in range(40):
        neighbours[shuffled[a]] = sorted(int(shuffled[b]) for b in (a - 1, a, a + 1) if 0 <= b < 40 and b != 20 != a)
        neighbours[shuffled[a]] = neighbours[shuffled[a]] or [int(shuffled[a])]
    order = eliminated(neighbours)
    assert sorted(order) == list(range(40))
    place = {contact: i for i, contact in enumerate(order)}
    reach = reaches(neighbours, order)
    for contact in range(40):
        assert all(abs(place[contact] - place[other]) <= 1 for other in neighbours[contact])
        assert place[contact] <= reach[contact] <= place[contact] + 1
