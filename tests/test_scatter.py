"""Random friction: drawn once per phase, from a counter-based generator."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import stickslip as ss
from stickslip.kernels.chance import normal_score, uniform


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
    found = np.concatenate([periods(ss.Scatter(static=0.02, kinetic=0.02), 40_000, seed=seed) for seed in range(3)])
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


def test_without_amplitude_nothing_is_random() -> None:
    still = ss.simulate(self_excited(ss.Scatter(static=0.0, kinetic=0.0)), t=100)
    plain = ss.simulate(self_excited(None), t=100)
    np.testing.assert_allclose(still.event_time, plain.event_time, rtol=1e-12)


def test_wrong_scatter() -> None:
    with pytest.raises(ss.ModelError, match="needs static, kinetic or both"):
        ss.Scatter()
    with pytest.raises(ss.ModelError, match="must be a standard deviation or a continuous distribution"):
        ss.Scatter(static=stats.poisson(3))
    with pytest.raises(ss.ModelError, match="static is -1"):
        ss.Scatter(static=-1.0)
    with pytest.raises(ss.ModelError, match="seed is -1"):
        ss.simulate(self_excited(ss.Scatter(static=0.02)), t=1, seed=-1)
    with pytest.raises(ss.ModelError, match="give Scatter"):
        self_excited(0.02)  # type: ignore[arg-type]


def test_random_friction_has_no_orbit() -> None:
    with pytest.raises(ss.ModelError, match=r"contact.scatter_static is 0.02.*set it to 0"):
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
    ss.save_model(system, tmp_path / "model.toml")
    read = ss.load_model(tmp_path / "model.toml")
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
    with pytest.raises(ss.ModelError, match=said):
        ss.load_model(path)
