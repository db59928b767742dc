"""Random friction: drawn once per phase, from a counter-based generator."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

import stickslip as ss
from stickslip.kernels.chance import normal_score, uniform

ETA = 0.6
TURN = 2 * pi / ETA


def self_excited(scatter: ss.Scatter | None, law: ss.FrictionLaw | None = None) -> ss.System:
    """hinrichs1998, characteristic II, F_N/c = 10, v₀ = 1, without excitation."""
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=1.0)
    contact = ss.Contact(block, belt, law=law or ss.Coulomb(0.4, 0.25), normal=10.0, scatter=scatter)
    return ss.System(ss.Spring(block, ss.ground, k=1.0), contact)


def periods(scatter: ss.Scatter, count: int, **keywords: object) -> np.ndarray:
    run = ss.simulate(self_excited(scatter), t=7.35 * count, dense=False, samples=2, **keywords)
    assert run.status == ss.Status.FINISHED.value
    return np.diff(run.event_time.values[run.event_before.values == 0])[5:]


def test_what_is_drawn_is_uniform_and_independent() -> None:
    """What it draws is uniform, and independent along events as along trajectories."""
    drawn = np.array([uniform(7, 3, 0, k) for k in range(20000)])
    assert stats.kstest(drawn, "uniform").pvalue > 1e-3
    assert abs(np.corrcoef(drawn[1:], drawn[:-1])[0, 1]) < 0.03
    neighbours = np.array([uniform(7, k, 0, 3) for k in range(20000)])
    assert stats.kstest(neighbours, "uniform").pvalue > 1e-3
    assert uniform(7, 3, 0, 5) != uniform(8, 3, 0, 5) != uniform(7, 3, 1, 5)


def test_the_known_answers_of_philox() -> None:
    """Salmon and others (2011), Random123: philox4x32-10 of counter 0 and key 0 begins 6627e8d5 e169c58d."""
    first, second = 0x6627E8D5, 0xE169C58D
    expected = (float(first // 64) * 2**27 + float(second // 32) + 0.5) / 2**53
    assert uniform(0, 0, 0, 0) == expected


def test_normal_scores() -> None:
    p = np.concatenate([10.0 ** -np.arange(1, 17), np.linspace(0.001, 0.999, 999)])
    np.testing.assert_allclose([normal_score(x) for x in p], stats.norm.ppf(p), rtol=2e-15, atol=2e-16)


def test_mean_and_spread_of_the_period() -> None:
    """hinrichs1998, Sec. 7.2: σ = 0.02 gives 7.341 ± 0.002 and 0.346 ± 0.003."""
    found = np.concatenate([periods(ss.Scatter(static=0.02, kinetic=0.02), 40_000, seed=seed) for seed in range(8)])
    assert found.mean() == pytest.approx(7.341, abs=0.002)
    assert found.std() == pytest.approx(0.346, abs=0.003)


def test_each_cycle_obeys_its_own_draws() -> None:
    """With μ₀ and μ of its phases, each period is that of the closed form, from stop to stop."""
    run = ss.simulate(self_excited(ss.Scatter(static=0.03, kinetic=0.03)), t=400, seed=5)
    state = lambda name: run.event_state.sel(state=name).values  # noqa: E731
    released = run.event_before.values == 0
    static = 10 * (0.4 + 0.03 * state("static_draw.contact"))
    np.testing.assert_allclose(state("x.block")[released][2:], static[released][2:])
    stopped = run.event_after.values == 0
    at = np.flatnonzero(stopped)[2:]
    kinetic = 10 * (0.25 + 0.03 * state("kinetic_draw.contact")[at - 1])
    np.testing.assert_allclose(state("x.block")[at], 2 * kinetic - state("x.block")[at - 1], atol=1e-9)


def test_the_same_seed_gives_the_same_run_on_every_target() -> None:
    scatter = ss.Scatter(static=0.02, kinetic=stats.uniform(-0.02, 0.04), correlation_time=10.0)
    compiled = periods(scatter, 20, seed=11)
    plain = periods(scatter, 20, seed=11, method=ss.Exact(target="python"))
    np.testing.assert_allclose(compiled, plain, rtol=1e-11)
    assert np.abs(compiled - periods(scatter, 20, seed=12)[: len(compiled)]).max() > 0.01


@pytest.mark.parametrize("distribution", [stats.norm(0, 0.02), stats.uniform(-0.03, 0.06), stats.gumbel_r(0, 0.01)])
def test_any_continuous_distribution(distribution) -> None:
    run = ss.simulate(self_excited(ss.Scatter(static=distribution)), t=60_000, dense=False, samples=2)
    drawn = run.event_state.sel(state="static_draw.contact").values[run.event_after.values == 0][1:]
    assert len(drawn) > 8000
    assert stats.kstest(drawn, distribution.cdf).pvalue > 1e-3


def test_draws_correlated_in_time() -> None:
    """The scores of successive stick phases, Δt apart, are correlated as exp(−Δt/τ)."""
    run = ss.simulate(self_excited(ss.Scatter(static=0.001, correlation_time=20.0)), t=150_000, dense=False, samples=2)
    stick = run.event_after.values == 0
    score = run.event_state.sel(state="score.contact").values[stick][20:]
    apart = float(np.diff(run.event_time.values[stick]).mean())
    correlation = np.corrcoef(score[1:], score[:-1])[0, 1]
    assert correlation == pytest.approx(np.exp(-apart / 20.0), abs=4 / np.sqrt(len(score)))
    assert score.std() == pytest.approx(1.0, abs=0.05)


def test_a_kinetic_draw_above_the_static_one_stops_the_contact_again() -> None:
    """Where μ₀ = μ, half of all releases are like that; the run goes on, and every breakaway is at its own limit."""
    run = ss.simulate(self_excited(ss.Scatter(static=0.05, kinetic=0.05), ss.Coulomb(0.3)), t=500, seed=2)
    assert run.status == ss.Status.FINISHED.value
    stuck = run["mode"].values[:, 0] == 0
    limit = 10 * (0.3 + 0.05 * run["static_draw.contact"].values)
    assert np.all(np.abs(run["force"].values[stuck, 0]) <= limit[stuck] + 1e-9)
    assert len(run.event_time) > 50


def phases_by_hand(seed: int, count: int, law: tuple[float, float], sigma: float) -> tuple[np.ndarray, np.ndarray]:
    """Static and kinetic scores of the self-excited oscillator's phases: those without length are drawn and passed."""
    chance = np.random.default_rng(seed)
    kept: tuple[list[float], list[float]] = ([], [])
    slips, x = 0, 10 * law[0]
    for _ in range(count):
        while True:
            slips = 1 - slips
            score = chance.standard_normal()
            level = 10 * (law[slips] + sigma * score)
            if (level < x) == bool(slips):  # slip needs less friction than the spring pulls, stick at least as much
                break
        kept[slips].append(score)
        x = 2 * level - x if slips else level
    return np.array(kept[0]), np.array(kept[1])


@pytest.mark.parametrize("law", [(0.3, 0.3), (0.3, 0.29)])
def test_phases_without_length_are_drawn_and_passed(law: tuple[float, float]) -> None:
    """Every stop and every release has its event and its own draw, distributed as in a simulation of draws alone."""
    run = ss.simulate(self_excited(ss.Scatter(0.05, 0.05), ss.Coulomb(*law)), t=100_000, dense=False, samples=2, seed=4)
    assert run.outcome == "finished"
    before, after = run.event_before.values, run.event_after.values
    assert set(zip(before.tolist(), after.tolist(), strict=True)) == {(0, -1), (-1, 0)}
    state = lambda name: run.event_state.sel(state=name).values  # noqa: E731
    found = state("static_draw.contact")[after == 0], state("kinetic_draw.contact")[after != 0]
    expected = phases_by_hand(1, 200_000, law, 0.05)
    for ours, theirs in zip(found, expected, strict=True):
        assert len(np.unique(ours)) == len(ours) > 10_000
        assert stats.ks_2samp(ours, theirs).pvalue > 1e-3
    share, same = (len(a) / (len(a) + len(b)) for a, b in (found, expected))
    assert share == pytest.approx(same, abs=4 * 0.5 / np.sqrt(len(before)))


def shaken(sigma: float) -> ss.System:
    """hinrichs1998, characteristic II, u₀ = 8, η = 0.6, on the ground: it reverses often, and seldom stops."""
    block, base = ss.Mass("block", m=1.0), ss.Base("base", motion=lambda t: 8.0 * cos(ETA * t))
    contact = ss.Contact(block, ss.ground, law=ss.Coulomb(0.4, 0.25), normal=10.0, scatter=ss.Scatter(sigma, sigma))
    return ss.System(ss.Spring(block, base, k=1.0), contact)


def test_the_kinetic_draw_at_a_reversal_knows_nothing_of_the_static_one() -> None:
    """A reversal without stick selects small static draws: the kinetic ones are as if nothing had been selected."""
    drawn, pulls = [], []
    for seed in range(8):
        run = ss.simulate(shaken(0.02), t=400 * TURN, dense=False, samples=2, seed=seed)
        reversals = (run.event_before.values != 0) & (run.event_after.values != 0)
        at = run.event_state.isel(event=reversals)
        drawn.append(at.sel(state="kinetic_draw.contact").values)
        pulls.append(8.0 * np.cos(ETA * run.event_time.values[reversals]) - at.sel(state="x.block").values)
    kinetic, pull = np.concatenate(drawn), np.abs(np.concatenate(pulls))
    error = 1 / np.sqrt(len(kinetic))
    assert error < 0.015 and abs(kinetic.mean()) < 4 * error and abs(kinetic.std() - 1) < 3 * error
    assert stats.kstest(kinetic, "norm").pvalue > 1e-3
    near = kinetic[pull < 4.4]  # where the static draw decides
    assert len(near) > 200 and abs(near.mean()) < 4 / np.sqrt(len(near))


def stops_by_hand(seed: int, count: int) -> float:
    """Stops per period of the same oscillator, from closed forms, with zeros between points of a fine grid."""
    chance, grid = np.random.default_rng(seed), np.arange(1, 1500) * 0.01
    wave = 8.0 / (1 - ETA**2)
    t, x, side, stops, limit, kinetic = 0.0, 0.0, 0, 0, 4.0, 0.0
    while t < count * TURN:
        a, b = x + side * kinetic - wave * cos(ETA * t), wave * ETA * sin(ETA * t)

        def guard(tau: Any) -> Any:
            if side == 0:  # noqa: B023
                return limit - np.abs(8.0 * np.cos(ETA * (t + tau)) - x)  # noqa: B023
            speed = b * np.cos(tau) - a * np.sin(tau) - wave * ETA * np.sin(ETA * (t + tau))  # noqa: B023
            return side * speed  # noqa: B023

        ahead = guard(grid)
        ends = np.flatnonzero((ahead[1:] <= 0) & (ahead[:-1] > 0))
        tau = brentq(guard, grid[ends[0]], grid[ends[0] + 1], xtol=1e-13)
        if side != 0:
            x = a * cos(tau) + b * sin(tau) - side * kinetic + wave * cos(ETA * (t + tau))
        t += tau
        pull = 8.0 * cos(ETA * t) - x
        if side != 0:
            limit = 10 * (0.4 + 0.02 * chance.standard_normal())
        side = 0 if side != 0 and abs(pull) <= limit else int(np.sign(pull))
        kinetic = 10 * (0.25 + 0.02 * chance.standard_normal())
        stops += side == 0
    return stops / count


@pytest.mark.nightly
def test_stops_of_the_shaken_oscillator_as_by_hand() -> None:
    """Independent draws give 0.0888 ± 0.0004 stops per period."""
    by_hand = [stops_by_hand(seed, 2000) for seed in range(40)]
    found = []
    for seed in range(40):
        run = ss.simulate(shaken(0.02), t=10_000 * TURN, dense=False, samples=2, seed=seed)
        found.append(np.sum(run.event_after.values == 0) / 10_000)
    errors = [np.std(each) / np.sqrt(40) for each in (found, by_hand)]
    assert np.mean(found) == pytest.approx(0.0888, abs=4 * np.hypot(errors[0], 0.0004))
    assert np.mean(found) == pytest.approx(np.mean(by_hand), abs=4 * np.hypot(*errors))


def test_without_amplitude_nothing_is_random() -> None:
    still = ss.simulate(self_excited(ss.Scatter(static=0.0, kinetic=0.0)), t=100)
    plain = ss.simulate(self_excited(None), t=100)
    np.testing.assert_allclose(still.event_time, plain.event_time, rtol=1e-12)


def test_wrong_scatter() -> None:
    with pytest.raises(ss.errors.ModelError, match="needs static, kinetic or both"):
        ss.Scatter()
    with pytest.raises(ss.errors.ModelError, match="must be a standard deviation or a continuous distribution"):
        ss.Scatter(static=stats.poisson(3))
    with pytest.raises(ss.errors.ModelError, match="static is -1"):
        ss.Scatter(static=-1.0)
    with pytest.raises(ss.errors.ModelError, match="seed is -1"):
        ss.simulate(self_excited(ss.Scatter(static=0.02)), t=1, seed=-1)
    with pytest.raises(ss.errors.ModelError, match="give Scatter"):
        self_excited(0.02)  # type: ignore[arg-type]


def test_random_friction_has_no_orbit() -> None:
    with pytest.raises(ss.errors.ModelError, match=r"contact.scatter_static is 0.02.*set it to 0"):
        ss.find_orbit(self_excited(ss.Scatter(static=0.02)))
    still = ss.find_orbit(self_excited(ss.Scatter(static=0.02)).with_({"contact.scatter_static": 0.0}))
    assert still.period == pytest.approx(ss.find_orbit(self_excited(None)).period, abs=1e-10)


@pytest.mark.parametrize(
    "scatter",
    [
        ss.Scatter(static=0.02, kinetic=0.01, correlation_time=5.0),
        ss.Scatter(kinetic=stats.uniform(-0.03, 0.06)),
        ss.Scatter(static=stats.gamma(2.5, loc=-0.01, scale=0.004), kinetic=0.01),
    ],
    ids=["gaussian", "uniform", "gamma"],
)
def test_model_files_hold_random_friction(scatter: ss.Scatter, tmp_path) -> None:
    system = self_excited(scatter)
    if scatter.static is None:
        system = system.with_({"contact.scatter_kinetic": 0.5})
    ss.save(system, tmp_path / "model.toml")
    read = ss.load(tmp_path / "model.toml")
    assert dict(read.parameters) == dict(system.parameters)
    runs = [ss.simulate(model, t=200, seed=3) for model in (system, read)]
    np.testing.assert_array_equal(runs[0].event_time, runs[1].event_time)


@pytest.mark.parametrize(
    "text, said",
    [
        ('{static = {distribution = "poisson"}}', "it must name a continuous distribution"),
        ('{static = {distribution = "os.system"}}', "it must name a continuous distribution"),
        ('{static = {distribution = "gamma"}}', "this distribution has 1 shape parameters"),
        ('{static = {distribution = "norm", width = 1}}', "unknown key 'width'"),
        ("{dynamic = 0.02}", "unknown key 'dynamic'"),
        ("{}", "needs static, kinetic or both"),
    ],
)
def test_wrong_scatter_in_a_file(text: str, said: str, tmp_path) -> None:
    path = tmp_path / "model.toml"
    path.write_text(
        '[mass.block]\nm = 1.0\n[contact.pad]\non = "block"\nagainst = "ground"\n'
        f'law = {{kind = "coulomb", mu_s = 0.4}}\nscatter = {text}\n'
    )
    with pytest.raises(ss.errors.ModelError, match=said):
        ss.load(path)
