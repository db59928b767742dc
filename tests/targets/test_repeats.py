"""Trajectories in lockstep that leave out cycles in which they repeat themselves, and those that travel them all."""

import numpy as np
import pytest
import xarray as xr

import stickslip as ss
from stickslip.artifacts import artifact
from stickslip.kernels.lockrepeat import cycle_found

FORCED = ss.models.forced_oscillator("III")
ETAS = {"base.eta": np.linspace(0.6, 2.6, 256)}
SPEEDS = {"belt.speed": np.linspace(0.05, 0.5, 256)}
WHOLE = ("status", "n", "m", "events", "count", "truncated", "end_mode", "record_contact")


def compared(model, over, **asked):
    """Both sweeps; every whole number in them must be the same, at every point."""
    short, full = (ss.sweep(model, over, shortcut=shortcut, **asked) for shortcut in (True, False))
    for name in WHOLE:
        np.testing.assert_array_equal(short[name], full[name], name)
    return short, full


def distance(short, full, name):
    """The largest difference at points where the motion is periodic."""
    periodic = full["m"].values > 0
    gap = np.abs(short[name].values - full[name].values)[periodic]
    np.testing.assert_array_equal(np.isnan(short[name].values), np.isnan(full[name].values))
    return np.nanmax(gap)


@pytest.mark.parametrize(
    ("observe", "asked"),
    [
        (ss.observe.StickToSlip(), {"periods": (100, 40)}),
        (ss.observe.SlipToStick(), {"periods": (100.3, 40.6)}),  # ends between strobes
        (ss.observe.StickToSlip(), {"periods": (100, 40), "most": 7}),  # more rows than there is room for
        (ss.observe.Strobe(), {"periods": (100, 40)}),
        (ss.observe.Strobe(every=1.7), {"periods": (100, 40)}),  # strobes that do not repeat themselves
        (ss.observe.StickToSlip(), {"times": (400.0, 150.0)}),
    ],
    ids=["releases", "ends of slip", "few rows", "strobe", "own strobe", "time"],
)
def test_excited_motion(observe, asked):
    short, full = compared(FORCED, ETAS, observe=observe, **asked)
    assert short["steps"].sum() < 0.85 * full["steps"].sum()
    for name in ("end_state", "minimum", "maximum", "stick_fraction", "record_time", "x.block", "v.block", "period"):
        assert distance(short, full, name) < 1e-7, name
    np.testing.assert_array_equal(short["time"], full["time"])


def test_motion_without_excitation():
    """The limit cycle of a belt is the same from the second release on: three cycles in place of a hundred."""
    short, full = compared(ss.models.block_on_belt(), SPEEDS, times=(500.0, 300.0))
    assert short["steps"].sum() < 0.1 * full["steps"].sum()
    for name in ("minimum", "maximum", "stick_fraction", "period", "x.block"):
        assert distance(short, full, name) < 2e-8, name
    # Errors of the period add up; of both, the whole one is not the better one.
    exact = ss.sweep(ss.models.block_on_belt(), SPEEDS, times=(500.0, 300.0), rtol=1e-13, shortcut=False)
    errors = [distance(data, exact, "record_time") for data in (short, full)]
    assert errors[0] < 1e-6 and errors[0] < 3 * errors[1]


def test_two_contacts():
    short, full = compared(ss.models.two_blocks(), {"belt.speed": np.linspace(0.06, 0.2, 256)}, times=(600.0, 300.0))
    assert short["steps"].sum() < 0.8 * full["steps"].sum()
    for name in ("minimum", "maximum", "stick_fraction", "period", "x.block1", "x.block2"):
        assert distance(short, full, name) < 2e-8, name


def test_end_states_and_events():
    field = ss.Field.of(ss.models.block_on_belt(), order=14)  # that of sweeps
    parameters = np.tile(field.parameters, (256, 1))
    parameters[:, list(field.model.parameters).index("belt.speed")] = SPEEDS["belt.speed"]
    starts = np.tile([1.1, 0.0], (256, 1))
    short, full = (
        field.propagate(starts, 300.0, parameters=parameters, rtol=1e-11, shortcut=shortcut)
        for shortcut in (True, False)
    )
    assert np.abs(short[0] - full[0]).max() < 1e-8
    np.testing.assert_array_equal(short[1], full[1])


def test_time_without_a_period():
    """Where an excitation has no period that can be seen, a state that comes again says nothing, not even here."""
    block, belt, base = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.2), ss.Base("base", motion=lambda t: 1e-9 * t)
    contact = ss.Contact(block, belt, law=ss.Coulomb(0.4, 0.25), normal=1.0)
    short, full = compared(ss.System(ss.Spring(block, base, k=1.0), contact), SPEEDS, times=(60.0, 60.0), rtol=1e-6)
    xr.testing.assert_equal(short, full)
    assert full["events"].sum() > 1000


def test_loose_tolerances():
    """Where steps are so bad that periods are in doubt, they are no worse if cycles are left out."""
    over = {"base.eta": np.linspace(0.2, 3.0, 2000)}
    exact, short, full = (
        ss.sweep(FORCED, over, observe=None, rtol=rtol, shortcut=shortcut)["m"].values
        for rtol, shortcut in ((1e-9, False), (1e-6, True), (1e-6, False))
    )
    assert (short != exact).sum() <= (full != exact).sum() < 60


@pytest.fixture(scope="module")
def kernels():
    """The kernels of lockstep as plain Python."""
    return artifact(FORCED, "lanes", 8).library()


def marked(kernels):
    """A lane without a mark that looks for repetitions."""
    lane = kernels.lane.Lane()
    lane.log_tolerance, lane.recent_size[:] = np.log2(1e-8), 1.0
    kernels.lockrepeat.clear_mark(lane, True)
    return lane


@pytest.mark.parametrize(
    ("misses", "found"),
    [
        ([1e-16], [True]),  # the same but for round-off
        ([1e-10, 0.9e-10], [False, True]),  # it settles
        ([1e-10, 1.1e-10, 1.2e-10], [False, False, False]),  # it leaves an unstable orbit
        ([1e-10, 1.1e-10, 1.0e-10], [False, False, True]),
        ([1e-8, 0.9e-8], [False, False]),  # not the same within rtol/16
    ],
)
def test_what_comes_close_by_chance_goes_away_again(kernels, misses, found):
    lane = marked(kernels)
    lane.state[:], lane.events = [0.5, 1.0], 2.0
    kernels.lockrepeat.note_recurrence(lane, True)
    for miss, is_found in zip(misses, found, strict=True):
        lane.state[0] += miss
        lane.time += 3.0
        lane.events += 2.0
        kernels.lockrepeat.note_recurrence(lane, True)
        assert (lane.recurrence == pytest.approx(3.0)) == is_found


def test_events_of_a_cycle_that_ends_where_a_mark_is_due(kernels):
    """Twelve events after the mark, which is set anew at once; they are counted from where it was."""
    lane = marked(kernels)
    lane.state[0] = 1.0
    for events in (2.0, 14.0):
        lane.events = lane.time = events
        kernels.lockrepeat.note_recurrence(lane, True)
    assert lane.recurrence == lane.cycle_events == 12.0
    assert lane.mark_events == 14.0


def test_the_phase_decides():
    """The same state at another phase of the excitation is not the same."""
    log_tolerance = np.log2(1e-8)
    assert cycle_found(3.0, 0.0, log_tolerance) == 3.0  # no excitation
    assert cycle_found(3.0 * 0.7 + 1e-11, 0.7, log_tolerance) == pytest.approx(2.1, abs=1e-15)
    assert cycle_found(2.5 * 0.7, 0.7, log_tolerance) == 0.0
    assert cycle_found(3.0 * 0.7 + 1e-8, 0.7, log_tolerance) == 0.0
    assert cycle_found(0.1, 0.7, log_tolerance) == 0.0  # not even one period


def test_it_is_said_how():
    with pytest.raises(ValueError, match="shortcut is 'no': it must be True or False"):
        ss.sweep(FORCED, ETAS, shortcut="no")
