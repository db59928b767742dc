"""The summary of a run against what is known exactly about it."""

import numpy as np
import pytest

import stickslip as ss
from stickslip.cli import summary


@pytest.fixture(scope="module")
def run():
    return ss.simulate(ss.models.block_on_belt(), t=100)


def test_phases_cover_the_run(run):
    (phases,) = summary.phases(run)
    assert (phases.contact, phases.stick, phases.slip) == ("contact", 9, 9)
    inside = np.linspace(0, 100, 20001)
    share = np.mean(ss.interpolate(run, inside)["mode"].values == 0)
    assert phases.fraction == pytest.approx(share, abs=1e-3)


def test_period_of_the_cycle(run):
    period = summary.period(run)
    assert period is not None
    assert period.value == pytest.approx(ss.models.block_on_belt().about.known["period"], abs=1e-10)
    assert (period.contact, period.releases) == ("contact", 1)
    assert period.agreement < 1e-12


def test_extrema_lie_on_the_polynomials_not_on_the_samples(run):
    x, v = summary.extrema(run)
    assert x.greatest == pytest.approx(1.13394467644, abs=1e-10)
    assert v.greatest == pytest.approx(0.2, abs=1e-15)
    assert x.greatest > float(run["x.block"].max())


def test_no_period_where_nothing_repeats():
    at_rest = ss.simulate(ss.models.coulomb_oscillator(), t=40)
    assert summary.period(at_rest) is None


def test_a_longer_pattern_counts_its_releases(run):
    """Every second release moved a little, as in motion of twice the period."""
    doubled = run.copy(deep=True)
    released = np.flatnonzero(doubled["event_before"].values == 0)
    doubled["event_time"].values[released[::2]] += 0.01
    period = summary.period(doubled)
    assert period is not None
    assert period.releases == 2
    assert period.value == pytest.approx(2 * 12.00103129483, abs=1e-9)


def test_a_slide_that_advances_evenly():
    slide, drive = ss.Mass("slide", m=1.0), ss.Base("drive", motion=lambda t, feed=0.1: feed * t)
    law = ss.Coulomb(mu_s=1.0, mu_k=0.5)
    system = ss.System(ss.Spring(slide, drive, k=1.0), ss.Contact(slide, ss.ground, law=law, normal=1.0))
    period = summary.period(ss.simulate(system, t=100))
    assert period is not None
    jump = (1.0 - 0.5) / 1.0  # T = 2Δ/V + (2/ω)(π − arctan(Δω/V)), Δ = (F_s − F_k)/k
    exact = 2 * jump / 0.1 + 2 * (np.pi - np.arctan(jump / 0.1))
    assert period.value == pytest.approx(exact, abs=1e-10)
    assert list(period.advance) == ["x.slide"]
    assert period.advance["x.slide"] == pytest.approx(0.1 * exact, abs=1e-10)


def test_a_slow_transient_is_not_taken_for_a_cycle(run):
    """Releases that creep, each by a little less than the one before."""
    creeping = run.copy(deep=True)
    released = np.flatnonzero(creeping["event_before"].values == 0)
    creeping["event_state"].values[released, 0] += 0.01 * 0.9 ** np.arange(len(released))
    assert summary.period(creeping) is None


def test_sparse_samples_of_a_long_run():
    run = ss.simulate(ss.models.block_on_belt(), t=100, samples=3, dense=False)
    (phases,) = summary.phases(run)
    assert (phases.stick, phases.slip) == (9, 9)
    x, _ = summary.extrema(run)
    assert x.least == pytest.approx(-0.54100635387, abs=1e-9)  # from the events, where the samples are too few


def test_changes_in_words(run):
    assert summary.changes(run)[:2] == ["slip− → stick", "stick → slip−"]
