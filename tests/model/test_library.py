"""Where the models of the library start."""

import pytest

import stickslip as ss
from stickslip.model.library import LIBRARY

ELSEWHERE = {
    "block_on_belt",
    "two_blocks",
    "bowed_string",
    "coulomb_oscillator",
    "chain",
    "aging_block",
    "lugre_block",
    "fault",
}


@pytest.mark.parametrize("name", LIBRARY)
def test_models_start_where_they_are_carried_along_or_say_why_not(name):
    system = LIBRARY[name]()
    if name in ELSEWHERE:
        assert "starts" in LIBRARY[name].__doc__ or "start at" in LIBRARY[name].__doc__
        return
    assert "starts" not in LIBRARY[name].__doc__
    assert all(system.start[f"x.{mass.name}"] == 0 for mass in system.masses)
    assert ss.simulate(system, t=0.01, samples=2)["mode"].values[0].tolist() == [0] * len(system.contacts)


@pytest.mark.parametrize("speed", [0.3, 2.0])
def test_a_start_goes_with_the_speed_of_the_belt(speed):
    for system in (
        ss.models.drill_string(eta=speed),
        ss.models.forced_oscillator(v0=speed),
        ss.models.excited_oscillator(v0=speed),
        ss.models.block_and_pendulum(v_b=speed),
    ):
        assert system.start[f"v.{system.masses[0].name}"] == speed
