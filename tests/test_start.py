"""A start that cannot be in the mode asked for is refused in one line: the contact, the value, the rule."""

from __future__ import annotations

import pytest

import stickslip as ss


@pytest.mark.parametrize(
    ("start", "mode", "message"),
    [
        ({"v.block": 0.5}, "stick", "contact 'contact' cannot start in stick: its sliding velocity is 0.3, not 0"),
        (
            {"v.block": 0.5},
            "slip-",
            "contact 'contact' cannot start in slip-: its sliding velocity is 0.3, not negative",
        ),
        (
            {"x.block": 1.5, "v.block": 0.2},
            "stick",
            "contact 'contact' cannot start in stick: holding it takes the force 1.5, and its static limit is 1",
        ),
        ({}, "stuck", "the mode of 'contact' is 'stuck'; it must be one of stick, slip+, slip-"),
    ],
)
def test_impossible_starts_are_refused(start: dict[str, float], mode: str, message: str) -> None:
    with pytest.raises(ss.errors.ModelError) as refusal:
        ss.simulate(ss.models.block_on_belt(v_dr=0.2), t=1, start=start, mode={"contact": mode})
    assert str(refusal.value) == message


def test_a_possible_start_is_accepted() -> None:
    run = ss.simulate(
        ss.models.block_on_belt(v_dr=0.2), t=1, start={"x.block": 0.5, "v.block": 0.2}, mode={"contact": "stick"}
    )
    assert int(run["mode"][0, 0]) == 0


def test_unknown_contact_is_named() -> None:
    with pytest.raises(ss.errors.ModelError, match="there is no contact 'contct' \\(did you mean 'contact'\\?\\)"):
        ss.simulate(ss.models.block_on_belt(), t=1, mode={"contct": "stick"})
