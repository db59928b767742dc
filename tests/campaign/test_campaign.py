"""The judge notices what is wrong, kept failures stay right, and a short campaign finds nothing."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import numpy as np
import pytest
from tests.campaign import kept
from tests.campaign.draw import Case, Piece, Structure, Units, draw_structure
from tests.campaign.itself import VARIATIONS, Batch, compare
from tests.campaign.judge import AGREES, DIFFERS, FALSE_END, SENSITIVE, judge, verdict
from tests.campaign.records import Change, simulated
from tests.campaign.run import Order, run_structure
from tests.campaign.shrink import shrunk

BLOCK = Structure(
    (
        Piece("mass", "m0"),
        Piece("belt", "belt0", "constant"),
        Piece("spring", "spring0", "linear", ("m0", "ground")),
        Piece("contact", "contact0", "constant", ("belt0",), (("m0", 1.0),), "hyperbolic"),
    )
)
NUMBERS = {"m0.m": 1.0, "spring0.k": 1.0, "belt0.speed": 0.3, "contact0.normal": 1.0}
LAW = {"contact0.mu_s": 0.5, "contact0.delta": 2.0}
CASE = Case(BLOCK, NUMBERS | LAW, {"x.m0": 0.2, "v.m0": 0.0}, 20.0)


LONG = {"denormal-velocity", "later-start", "lifted", "shaken-table"}
"""Kept cases that the referee takes long for: it is asked by night."""

KEPT = [
    pytest.param(path, id=path.stem, marks=(pytest.mark.nightly,) if path.stem in LONG else ())
    for path in kept.all_kept()
]


@pytest.fixture(scope="module")
def run():
    system = CASE.system()
    return system, simulated(CASE, system)


def altered(record, **changes):
    return replace(record, **changes)


def test_what_is_right_agrees(run):
    system, record = run
    assert record.count >= 4
    assert verdict(CASE, system, record).outcome == AGREES


def test_an_event_a_millionth_late_is_noticed(run):
    system, record = run
    events = list(record.changes["contact0"])
    events[3] = Change(events[3].elapsed + 1e-6, events[3].before, events[3].after)
    assert verdict(CASE, system, altered(record, changes={"contact0": events})).outcome == DIFFERS


@pytest.mark.nightly
def test_an_event_that_is_missing_is_noticed(run):
    system, record = run
    events = record.changes["contact0"]
    assert verdict(CASE, system, altered(record, changes={"contact0": [*events[:2], *events[4:]]})).outcome == DIFFERS


@pytest.mark.parametrize("which", ["states", "frictions"])
def test_a_number_that_is_off_is_noticed(run, which):
    system, record = run
    values = {name: series.copy() for name, series in getattr(record, which).items()}
    next(iter(values.values()))[7] += 1e-5
    assert verdict(CASE, system, altered(record, **{which: values})).outcome == DIFFERS


def test_an_end_without_a_reason_is_noticed(run):
    system, record = run
    assert verdict(CASE, system, altered(record, end="chattering", elapsed=9.0)).outcome == FALSE_END


@pytest.mark.parametrize("units", [Units(1e-9, 1e9, 1e-5), Units(3e8, 2e-7, 4e6)])
@pytest.mark.parametrize("origin", [0.0, 1e6])
def test_units_and_origin_are_those_of_the_case(units, origin):
    assert judge(replace(CASE, units=units, origin=origin)).outcome == AGREES


@pytest.fixture(scope="module")
def late():
    """A case with two excitations that begins late."""
    structure = Structure((*BLOCK.pieces, Piece("force", "force0", "waves", ("m0",))))
    waves = {"force0.a": 0.5, "force0.b": 0.3, "force0.w": 1.3, "force0.u": 2.9, "force0.p": 0.1, "force0.q": 0.2}
    return replace(CASE, structure=structure, values=CASE.values | waves, origin=1e5, duration=5.0)


def end_of(case, like):
    return simulated(case, case.system(like)).states["x.m0"][-1]


def test_a_moved_origin_is_the_same_motion(late):
    system = late.system()
    early = late.moved(0.0)
    assert early.values["force0.p"] != late.values["force0.p"]
    assert end_of(early, system) == pytest.approx(end_of(late, system), abs=1e-8)


@pytest.mark.parametrize("units", [Units(3.3, 0.7, 1e-7), Units(1e-9, 7e5, 0.13)])
def test_excitations_begin_alike_in_other_units_however_late(late, units):
    """Frequencies are rounded there, which at t = 10⁷ alone would move them by 10⁻⁸."""

    def angle(case):
        with mpmath.workdps(40):
            turns = mpmath.mpf(case.scaled["force0.u"]) * mpmath.mpf(case.times[0]) + mpmath.mpf(
                case.values["force0.q"]
            )
            return turns / (2 * mpmath.pi)

    late = replace(late, origin=1e7 / 3)
    turned = angle(late.in_units(units)) - angle(late)
    assert abs(turned - round(turned)) < 1e-15
    assert late.in_units(units).times == replace(late, units=units).times


def test_a_failure_is_made_small():
    """What fails here has a cubic spring; all else goes."""
    structure = draw_structure(np.random.default_rng([1, 13]))
    pieces = tuple(replace(p, form="cubic") if p.kind == "spring" else p for p in structure.pieces)
    case = Order().case(13, 0)
    case = replace(
        case, structure=Structure(pieces), values=case.values | dict.fromkeys(Structure(pieces).quantities(), 0.37)
    )

    def fails(smaller):
        return any(piece.form == "cubic" for piece in smaller.structure.pieces)

    small = shrunk(case, fails, seconds=20.0)
    kinds = [piece.kind for piece in small.structure.pieces]
    assert (kinds.count("spring"), kinds.count("contact"), len(kinds) - kinds.count("mass")) == (1, 1, 2)
    assert set(small.values.values()) <= {1.0}


def test_a_kept_case_is_read_as_it_was_written(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "FOLDER", tmp_path)
    case = replace(CASE, units=Units(2.0, 3.0, 5.0), origin=7.0)
    again = kept.read(kept.write(case, "example", "none"))
    assert again.times == case.times
    assert again.units == case.units
    assert dict(again.model.parameters) == dict(case.system().parameters)
    assert again.model.start == case.start_in(again.model)


@pytest.mark.parametrize("path", KEPT)
def test_kept_cases_are_right(path):
    assert judge(kept.read(path)).outcome == AGREES


@pytest.mark.parametrize("structure", [0, *(pytest.param(each, marks=pytest.mark.nightly) for each in (1, 2))])
def test_random_systems_against_the_referee(structure):
    tally = run_structure(Order(seed=11, sets=5), structure)
    assert tally.failures == []
    assert tally.outcomes[AGREES] > tally.outcomes[SENSITIVE]


def test_a_random_system_against_itself():
    batch = Batch(11, 0, 10.0)
    plain = batch.ends(batch.cases)
    assert plain.outcome[:, 1].sum() > len(batch.cases)
    for variation in VARIATIONS:
        assert compare(batch, plain, variation.ends(batch), variation, 11).differ == []


@pytest.mark.nightly
@pytest.mark.parametrize("structure", range(100, 140))
def test_many_random_systems_against_the_referee(structure):
    assert run_structure(Order(seed=11, sets=20), structure).failures == []


@pytest.mark.nightly
@pytest.mark.parametrize("structure", range(100, 120))
def test_many_random_systems_against_themselves(structure):
    batch = Batch(11, structure, 20.0)
    plain = batch.ends(batch.cases)
    assert [
        line for variation in VARIATIONS for line in compare(batch, plain, variation.ends(batch), variation, 11).differ
    ] == []
