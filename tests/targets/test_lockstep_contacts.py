"""Many contacts in lockstep: chains, and towers whose contacts push each other, against the march."""

from __future__ import annotations

import numpy as np
import pytest
from tests.targets.test_lockstep import ORDER, check_as_one_by_one, ensemble

import stickslip as ss
from stickslip.field import Field
from stickslip.symbolic.equations import derive
from stickslip.symbolic.lanes import MOST_CONTACTS, LaneSource


def tower(floors: int, law: object = None) -> ss.System:
    """Masses on top of each other, each on a spring; the lowest is on a belt. All contacts push each other."""
    belt = ss.Belt("belt", speed=0.3)
    masses = [ss.Mass(f"mass{i}", m=1.0 + 0.3 * i) for i in range(floors)]
    springs = [ss.Spring(m, ss.ground, k=0.5 + 0.25 * i, name=f"spring{i}") for i, m in enumerate(masses)]
    contacts = [
        ss.Contact(
            m,
            masses[i + 1] if i + 1 < floors else belt,
            law=law or ss.Hyperbolic(0.9, 1.0 + 0.3 * i),
            normal=1.0 + 0.8 * i,
            name=f"contact{i}",
        )
        for i, m in enumerate(masses)
    ]
    return ss.System(*springs, *contacts)


MODELS = {
    "chain of three": (lambda: ss.models.chain(3), 20.0, 0.3),
    "chain of five": (lambda: ss.models.chain(5), 12.0, 0.3),
    "chain of eight": (lambda: ss.models.chain(8), 8.0, 0.3),
    "tower of three": (lambda: tower(3), 20.0, 0.3),
    "tower of four": (lambda: tower(4), 15.0, 0.3),
}
QUICK = ("chain of three", "tower of three")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.nightly) for name in MODELS]
)
def test_as_one_by_one(name, monkeypatch):
    make, end, spread = MODELS[name]
    check_as_one_by_one(make(), end, spread, monkeypatch)


def given_up(field, starts, parameters, end, monkeypatch):
    """How many are left to the march; what all come to must be the same."""
    alone = field._one_by_one(starts, parameters, (0.0, end), 1e-10, 10**7)
    again, plain = [], Field._one_by_one
    monkeypatch.setattr(Field, "_one_by_one", lambda self, *a: again.append(len(a[0])) or plain(self, *a))
    together = field._in_lockstep(starts, parameters, (0.0, end), 1e-10, 10**7, False)
    np.testing.assert_array_equal(together[1], alone[1])
    assert np.quantile(np.abs(together[0] - alone[0]).max(axis=1), 0.99) < 1e-8
    return sum(again)


def test_what_is_given_up_where_static_friction_is_larger(monkeypatch):
    """Contacts that push each other may have several consistent modes: where one alone is let go, it is known which."""
    field = ss.Field.of(tower(3, ss.Coulomb(0.9, 0.7)), order=ORDER)
    starts, parameters = ensemble(field.model, 0.3, 500)
    assert given_up(field, starts, parameters, 20.0, monkeypatch) < 50


def test_contacts_that_are_let_go_together(monkeypatch):
    """Equal blocks that begin alike do the same at the same time, again and again: none is given up for that."""
    belt, blocks = ss.Belt("belt", speed=0.2), [ss.Mass(f"block{i}", m=1.0) for i in range(3)]
    parts = [ss.Spring(block, ss.ground, k=1.0, name=f"spring{i}") for i, block in enumerate(blocks)]
    parts += [ss.Contact(b, belt, law=ss.Stribeck(1.0, 0.6, 0.3), name=f"contact{i}") for i, b in enumerate(blocks)]
    field = ss.Field.of(ss.System(*parts), order=ORDER)
    starts = np.tile(np.linspace(-0.5, 0.5, 40)[:, None] * np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]), (1, 1))
    parameters = np.tile(field.parameters, (40, 1))
    assert given_up(field, starts, parameters, 40.0, monkeypatch) == 0


def test_which_are_left_alone():
    """One contact more than vectors are written for."""
    assert LaneSource(derive(ss.models.chain(MOST_CONTACTS)), 8).serves()
    assert not LaneSource(derive(ss.models.chain(MOST_CONTACTS + 1)), 8).serves()


def test_the_text_grows_with_contacts_and_not_with_their_patterns():
    """Stick patterns are not written out: twice as many contacts have twice the text, or little more."""
    lengths = [len(LaneSource(derive(ss.models.chain(n)), 8).module()) for n in (4, 8)]
    assert lengths[1] < 2.2 * lengths[0]
