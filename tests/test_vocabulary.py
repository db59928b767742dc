"""One name has one meaning: what was renamed is gone, and what is public is written once."""

import inspect

import pytest

import stickslip as ss

GONE = {
    ss: (
        "compile", "smooth", "Smooth", "stick_to_slip", "slip_to_stick", "strobe", "section", "maxima",
        "largest_exponent", "signature", "observation_of", "attractors_of", "load_model", "save_model", "to_wav",
        "Sound", "ModelError", "OrbitError", "ResultError", "SweepError",
    ),
    ss.models: ("characteristic",),
    ss.identify: ("characteristic", "CharacteristicFit"),
    ss.System: ("starting", "replacing"),
}  # fmt: skip


@pytest.mark.parametrize("home, name", [(home, name) for home, names in GONE.items() for name in names])
def test_old_names_are_gone(home: object, name: str) -> None:
    assert not hasattr(home, name)


def test_times_are_one_thing_each() -> None:
    assert {"t", "start_time"} <= set(inspect.signature(ss.simulate).parameters)
    for verb in (ss.sweep, ss.plan_sweep):
        assert "t" not in inspect.signature(verb).parameters
        assert {"times", "periods"} <= set(inspect.signature(verb).parameters)
    with pytest.raises(ss.errors.ModelError, match="it is the end time; say start_time="):
        ss.simulate(ss.models.block_on_belt(), t=(0.0, 1.0))


def test_every_error_is_a_stickslip_error() -> None:
    errors = [getattr(ss.errors, name) for name in ss.errors.__all__]
    assert len(errors) > 10 and all(issubclass(error, ss.StickslipError) for error in errors)


@pytest.mark.parametrize("wrong, meant", [("simulat", "simulate"), ("Contatc", "Contact"), ("find_orbt", "find_orbit")])
def test_what_was_meant_is_told(wrong: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=f"stickslip has no '{wrong}': did you mean '{meant}'"):
        getattr(ss, wrong)


def test_the_public_names_are_few() -> None:
    """There were 91 before states, rotors, parameters and tables came."""
    assert len(ss.__all__) <= 85
