"""Ring-downs and stick times: the stated errors are the true ones."""

import numpy as np
import pytest
from scipy import stats

from stickslip.errors import IdentifyError
from stickslip.identify import aging, aging_verdict, breakaways, compare_aging, ringdown, sticking

TRIALS = 200
M, C, B = 6.08, 3956.0, 0.768  # hinrichs1998, Fig. 26
C_R, B_R = 150_000.0, 150.0


def covered(trials=TRIALS, level=0.95, beyond=0.002):
    low, high = stats.binom.interval(1 - beyond, trials, level)
    return range(int(low), int(high) + 1)


def swing(t, c, b, size=1e-5, offset=2e-6, phase=0.4):
    decay = b / (2 * M)
    return offset + size * np.exp(-decay * t) * np.cos(np.sqrt(c / M - decay**2) * t + phase)


def test_contact_stiffness_and_damping_are_recovered_as_stated():
    t = np.linspace(0, 0.25, 500)
    inside = {"c_R": 0, "b_R": 0}
    for seed in range(TRIALS):
        x = swing(t, C + C_R, B + B_R) + np.random.default_rng(seed).normal(0, 5e-7, 500)
        found = ringdown(t, x, mass=M, stiffness=C, damping=B)
        for name, truth in {"c_R": C_R, "b_R": B_R}.items():
            low, high = found.contact.interval(name)
            inside[name] += low <= truth <= high
    assert all(count in covered() for count in inside.values()), inside


def test_an_uncertain_mass_makes_the_stiffness_uncertain():
    t, inside = np.linspace(0, 0.25, 300), 0
    for seed in range(TRIALS):
        random = np.random.default_rng(seed)
        x = swing(t, C + C_R, B + B_R) + random.normal(0, 1e-7, 300)
        found = ringdown(t, x, mass=(M + random.normal(0, 0.06), 0.06), stiffness=C, damping=B)
        low, high = found.contact.interval("c_R")
        inside += low <= C_R <= high
    assert inside in covered()
    assert found.contact.error("c_R") == pytest.approx(0.06 / M * (C + C_R), rel=0.02)


@pytest.mark.parametrize(("c", "b"), [(400_000.0, 150.0), (150_000.0, 1500.0), (20_000.0, 1.0)])
def test_exact_ring_downs_are_found_from_nothing(c, b):
    t = np.sort(np.random.default_rng(1).uniform(0, 0.3, 800))  # sampled unevenly
    found = ringdown(t, swing(t, c, b), mass=M)
    assert (found["stiffness"], found["damping"]) == (pytest.approx(c, rel=1e-9), pytest.approx(b, rel=1e-8))
    assert found.damping_ratio == pytest.approx(b / (2 * np.sqrt(c * M)), rel=1e-8)
    assert found.curve(t) == pytest.approx(swing(t, c, b), abs=1e-14)
    assert np.all(np.abs(swing(t, c, b) - found["offset"]) <= found.envelope(t) * (1 + 1e-9) + 1e-20)


def test_a_ring_down_that_is_no_viscous_one_is_doubted():
    t = np.linspace(0, 1, 1000)
    coulomb = np.maximum(1 - 1.2 * t, 0.0) * np.cos(60 * t)  # dry friction: amplitudes fall along a straight line
    notes = ringdown(t, coulomb + np.random.default_rng(0).normal(0, 0.01, 1000), mass=1.0).notes
    assert any("residuals are no noise" in note for note in notes)
    assert not ringdown(
        t, np.exp(-3 * t) * np.cos(60 * t) + np.random.default_rng(0).normal(0, 0.01, 1000), mass=1.0
    ).notes
    short = ringdown(t[:100], np.cos(60 * t[:100]), mass=1.0)
    assert any("periods only" in note for note in short.notes)


def test_records_without_oscillation_are_refused():
    t = np.linspace(0, 1, 200)
    with pytest.raises(IdentifyError, match="oscillation"):
        ringdown(t, np.random.default_rng(0).normal(0, 1, 200) * 1e-3 + np.exp(-5 * t), mass=1.0)
    with pytest.raises(IdentifyError, match="no oscillation was found"):
        ringdown(t, np.random.default_rng(1).normal(0, 1, 200), mass=1.0)
    with pytest.raises(IdentifyError, match="all its samples are equal"):
        ringdown(t, np.ones(200), mass=1.0)
    with pytest.raises(IdentifyError, match="needs at least 8"):
        ringdown(t, np.cos(40 * t), mass=1.0, start=0.99)
    with pytest.raises(IdentifyError, match=r"time\[1\] = 0 does not lie after"):
        ringdown(np.zeros(20), np.ones(20), mass=1.0)


LEINE = {"F_s": 1.0, "F_inf": 2.0, "a": 0.1, "beta": 2.0}  # leine1998, Eq. (18) and Fig. 6
DIETERICH = {"F_s": 3.0, "B": 0.2, "t_c": 0.5}


@pytest.mark.parametrize(
    ("law", "truth", "grown"),
    [
        ("exponential", LEINE, lambda t: 1 + (1 - np.exp(-0.1 * t))),
        ("logarithmic", DIETERICH, lambda t: 3 + 0.2 * np.log(1 + t / 0.5)),
    ],
)
def test_the_growth_of_static_friction_is_recovered_as_stated(law, truth, grown):
    inside = dict.fromkeys(truth, 0)
    for seed in range(TRIALS):
        random = np.random.default_rng(seed)
        t = 10 ** random.uniform(-1.5, 1.7, 150)
        fit = aging(t, grown(t) + random.normal(0, 0.02, 150), law)
        for name, value in truth.items():
            low, high = fit.estimate.interval(name)
            inside[name] += low <= value <= high
    assert all(count in covered() for count in inside.values()), inside


def test_the_law_of_growth_is_chosen_and_undetermined_times_are_named():
    random = np.random.default_rng(3)
    t = 10 ** random.uniform(-1, 2, 120)
    noise = random.normal(0, 0.02, 120)
    laws = {
        "exponential": 1 + (1 - np.exp(-0.1 * t)),
        "logarithmic": 3 + 0.2 * np.log(1 + t / 0.5),
        "constant": 2 + 0 * t,
    }
    for law, force in laws.items():
        fits = compare_aging(t, force + noise)
        assert fits[0].law == law
        word = "no growth" if law == "constant" else f"speak for the {law} law"
        assert word in aging_verdict(fits)
    long = 10 ** random.uniform(4, 6, 120)  # all much longer than t_c
    free = aging(long, 3 + 0.2 * np.log(1 + long / 0.5) + noise, "logarithmic")
    assert free.notes
    fixed = aging(long, 3 + 0.2 * np.log(1 + long / 0.5) + noise, "logarithmic", fixed={"t_c": 0.5})
    assert abs(fixed["B"] - 0.2) < 4 * fixed.estimate.error("B") and not fixed.notes


def test_hysteresis_keeps_stick_phases_whole():
    v = np.array([1.0, 0.05, 0.15, 0.05, 0.3, 0.05, 0.02, 1.0, 0.05, 1.0])
    assert sticking(v, 0.1) == [(1, 3), (5, 6)]
    assert sticking(v, 0.1, release=0.5) == [(1, 6)]
    assert sticking(v, 0.1, release=0.5, least=1) == [(1, 6), (8, 8)]


def stick_slip_record(seed, phases=30, dt=0.01, noise=0.01):
    """A record in which each stick phase lasts until the force reaches Eq. (18) of leine1998."""
    random = np.random.default_rng(seed)
    velocity, force, truth = [1.0] * 20, [0.6] * 20, []
    for _ in range(phases):
        length = int(random.uniform(30, 600))
        limit = 1 + (1 - np.exp(-0.1 * length * dt))
        velocity += [0.0] * length + [1.0] * 40
        force += np.linspace(0.2, limit, length).tolist() + [0.6] * 40
        truth.append((length * dt, limit))
    t = dt * np.arange(len(velocity))
    v = np.array(velocity) + random.normal(0, 0.02, len(t))
    return t, v, np.array(force) + random.normal(0, noise, len(t)), np.array(truth).T


def test_breakaway_forces_and_stick_times_of_a_record():
    t, v, force, (stick_time, limit) = stick_slip_record(0)
    found = breakaways(t, v, force, threshold=0.2)
    assert len(found) == 30 and found.ignored == 0
    assert found.stick_time == pytest.approx(stick_time, abs=0.011)
    z = (found.force - limit) / found.error
    assert np.abs(np.mean(z)) < 0.8 and 0.6 < np.std(z) < 1.6  # not drawn upwards, as the largest sample would be
    assert breakaways(t[100:], v[100:], force[100:], threshold=0.2).ignored <= 1
    fit = aging(found)
    assert abs(fit["a"] - 0.1) < 4 * fit.estimate.error("a")
    with pytest.raises(IdentifyError, match="no whole stick phase"):
        breakaways(t, v + 1, force, threshold=0.2)
