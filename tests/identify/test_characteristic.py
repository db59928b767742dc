"""Friction laws from noisy samples: the stated errors are the true ones, and what cannot be known is named."""

from math import exp

import numpy as np
import pytest
from scipy import stats

import stickslip as ss
from stickslip.errors import IdentifyError
from stickslip.identify import Samples, classes, compare, fit_law

TRIALS = 200
LAWS = {
    "coulomb": ss.Coulomb(0.4, 0.25),
    "hyperbolic": ss.Hyperbolic(mu_s=1.0, delta=3.0),
    "stribeck": ss.Stribeck(mu_s=0.5, mu_k=0.3, v_s=0.2),
    "gaussian": ss.Stribeck(mu_s=0.5, mu_k=0.3, v_s=0.4, shape=2),
    "popp_stelter": ss.PoppStelter(0.4, 0.1, 1.42, 0.01),  # hinrichs1998, characteristic III
    "polynomial": ss.Polynomial([0.5, -0.2, 0.06]),
    "viscous": ss.Stribeck(mu_s=0.5, mu_k=0.3, v_s=0.2).with_viscous(0.05),
}


def covered(trials=TRIALS, level=0.95, beyond=0.002):
    """How often intervals of this level may hold the truth by chance: exact binomial limits."""
    low, high = stats.binom.interval(1 - beyond, trials, level)
    return range(int(low), int(high) + 1)


def measured(law, seed, noise=0.02, count=400, normal=20.0, fastest=3.0):
    """Velocities to both sides, and noisy friction forces against them."""
    random = np.random.default_rng(seed)
    v = random.uniform(-fastest, fastest, count)
    mu = np.array([law.kinetic_value(abs(x)) for x in v])
    return v, -np.sign(v) * normal * mu + random.normal(0, noise * normal, count)


@pytest.mark.parametrize(
    "name",
    [name if name not in ("gaussian", "viscous") else pytest.param(name, marks=pytest.mark.nightly) for name in LAWS],
)
def test_intervals_hold_the_truth_as_often_as_they_say(name):
    law = LAWS[name]
    template = ss.Hyperbolic(0.3, 1.0) if name == "hyperbolic" else law
    inside: dict[str, int] = {}
    for seed in range(TRIALS):
        estimate = fit_law(measured(law, seed), template, normal=20.0).estimate
        for parameter in estimate.names:
            low, high = estimate.interval(parameter)
            inside[parameter] = inside.get(parameter, 0) + (low <= law.parameters()[parameter] <= high)
    assert inside.keys() == law.parameters().keys() - ({"mu_s"} if name == "coulomb" else set())
    assert all(count in covered() for count in inside.values()), inside


@pytest.mark.nightly
@pytest.mark.parametrize("name", LAWS)
def test_intervals_over_thousands_of_trials(name):
    law, trials = LAWS[name], 2000
    inside: dict[str, int] = {}
    for seed in range(trials):
        estimate = fit_law(measured(law, 10_000 + seed), law, normal=20.0).estimate
        for parameter in estimate.names:
            low, high = estimate.interval(parameter)
            inside[parameter] = inside.get(parameter, 0) + (low <= law.parameters()[parameter] <= high)
    # The curves bend within the errors of their parameters: one in a hundred may be lost or gained by that.
    assert all(abs(count / trials - 0.95) < 0.01 + 3 * np.sqrt(0.05 * 0.95 / trials) for count in inside.values()), (
        inside
    )


def test_known_errors_give_normal_intervals():
    law = LAWS["hyperbolic"]
    inside = 0
    for seed in range(TRIALS):
        estimate = fit_law(measured(law, seed, count=12), law, normal=20.0, error=0.4).estimate
        assert estimate.freedom == np.inf
        low, high = estimate.interval("mu_s")
        inside += low <= 1.0 <= high
    assert inside in covered()


def test_few_samples_need_wider_intervals():
    law = ss.Coulomb(0.3)
    inside = 0
    for seed in range(TRIALS):
        estimate = fit_law(measured(law, seed, count=4), law, normal=20.0).estimate
        assert estimate.quantile() == pytest.approx(3.1824, abs=1e-3)  # Student's t, three degrees of freedom
        low, high = estimate.interval("mu_s")
        inside += low <= 0.3 <= high
    assert inside in covered()


@pytest.mark.parametrize("loss", ["huber", "cauchy"])
def test_outliers_do_not_draw_a_robust_fit(loss):
    law = LAWS["stribeck"]
    inside = {"squares": 0, loss: 0}
    for seed in range(40):
        v, force = measured(law, seed)
        wrong = np.random.default_rng(seed + 1000).choice(400, 20, replace=False)
        force[wrong] += np.sign(force[wrong]) * 8.0
        for kind in inside:
            low, high = fit_law((v, force), law, normal=20.0, loss=kind).estimate.interval("mu_k")
            inside[kind] += low <= 0.3 <= high
    assert inside["squares"] < 4
    # One outlier in twenty, all to one side, still moves the estimate a little.
    assert inside[loss] > (20 if loss == "huber" else 34)


@pytest.mark.parametrize("loss", [pytest.param("huber", marks=pytest.mark.nightly), "cauchy"])
def test_robust_intervals_where_there_are_no_outliers(loss):
    law = LAWS["hyperbolic"]
    inside = 0
    for seed in range(100):
        low, high = fit_law(measured(law, seed), law, normal=20.0, loss=loss).estimate.interval("delta")
        inside += low <= 3.0 <= high
    assert inside in covered(100)


def test_weights_follow_the_noise():
    law = LAWS["hyperbolic"]
    errors = {}
    for seed in range(20):
        random = np.random.default_rng(seed)
        v = random.uniform(0.01, 3, 400)
        deviation = np.where(v > 1, 0.5, 0.02)
        force = 1 / (1 + 3 * v) + random.normal(0, deviation)
        for kind, options in {"plain": {}, "weighted": {"weights": deviation**-2}}.items():
            fit = fit_law((v, force), law, **options)
            errors.setdefault(kind, []).append(fit["delta"] - 3.0)
    assert np.std(errors["weighted"]) < 0.3 * np.std(errors["plain"])


def test_exact_samples_give_the_law_back_from_a_poor_start():
    v = np.linspace(0.001, 3, 300)
    for law in (LAWS["stribeck"], LAWS["popp_stelter"], LAWS["viscous"], ss.Stribeck(0.5, 0.3, 0.3, 1.5)):
        force = np.array([law.kinetic_value(x) for x in v])
        poor = {name: 40 * value for name, value in law.parameters().items()}
        if "shape" in poor:
            poor["shape"] = 1.01
        from stickslip.identify.curves import rebuilt

        found = fit_law((v, force), rebuilt(law, poor)).law
        assert found.parameters() == pytest.approx(law.parameters(), rel=1e-6)


def test_every_law_by_name_is_ready_for_a_system():
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=0.5)
    for name in ("coulomb", "popp_stelter", "polynomial:3", "stribeck+viscous"):
        fit = fit_law(measured(LAWS["popp_stelter"], 3), name, normal=20.0)
        contact = ss.Contact(block, belt, law=fit.law, normal=20.0)
        run = ss.simulate(ss.System(ss.Spring(block, ss.ground, k=1.0), contact), t=2)
        assert run.attrs["status"] == ss.Status.FINISHED.value


def test_a_plain_function_comes_back_with_fitted_defaults():
    def weakening(v, mu_k=0.5, mu_s=0.5, *, v_s=1.0):
        return mu_k + (mu_s - mu_k) * exp(-v / v_s)

    fit = fit_law(measured(LAWS["stribeck"], 0), weakening, normal=20.0)
    truth = LAWS["stribeck"].parameters()
    assert all(abs(fit[name] - truth[name]) < 4 * fit.estimate.error(name) for name in truth)
    assert fit.law.function(0.0) == pytest.approx(fit["mu_s"])
    assert weakening(0.0) == 0.5  # the user's function stays as it was
    assert fit.label == "weakening"


def test_a_function_that_cannot_be_traced_is_fitted_by_differences():
    def kinked(v, mu=0.5, slope=0.1):
        return mu if v < 1 else mu + slope * (v - 1)

    v = np.linspace(0.01, 3, 200)
    found = fit_law((v, np.where(v < 1, 0.3, 0.3 + 0.05 * (v - 1))), kinked)
    assert (found["mu"], found["slope"]) == (pytest.approx(0.3, abs=1e-8), pytest.approx(0.05, abs=1e-8))


def test_a_formula_and_a_table_are_fitted():
    formula = ss.Formula("mu/(1 + delta*v)", ("v",), {"mu": 0.5, "delta": 1.0})
    fit = fit_law(measured(LAWS["hyperbolic"], 1), formula, normal=20.0)
    assert fit["delta"] == pytest.approx(3.0, abs=4 * fit.estimate.error("delta"))
    table = ss.Tabulated([0, 0.5, 1, 2, 3], [0.3] * 5)
    truth = ss.Tabulated([0, 0.5, 1, 2, 3], [0.5, 0.4, 0.3, 0.3, 0.35])
    found = fit_law(measured(truth, 1), table, normal=20.0)
    for i, value in enumerate(truth.values):
        assert found[f"value{i}"] == pytest.approx(value, abs=4 * found.estimate.error(f"value{i}"))
    assert isinstance(found.law, ss.Tabulated)


def test_forces_measured_the_other_way_and_on_one_side():
    v, force = measured(LAWS["hyperbolic"], 5)
    against, along = (fit_law((v, s * force), "hyperbolic", normal=20.0) for s in (1, -1))
    assert against.estimate.values == pytest.approx(along.estimate.values, rel=1e-12)
    assert (against.sense, along.sense) == (-1.0, 1.0)
    right = fit_law((v, force), "hyperbolic", normal=20.0, side="+")
    assert len(right.samples) == np.sum(v > 0)
    with pytest.raises(IdentifyError, match="sense='against' or sense='along'"):
        fit_law((v, np.abs(force)), "hyperbolic", normal=20.0)


def test_a_zero_that_is_off_is_found():
    inside = 0
    for seed in range(TRIALS):
        v, force = measured(LAWS["hyperbolic"], seed)
        estimate = fit_law((v, force + 1.5), "hyperbolic", normal=20.0, offset=True).estimate
        low, high = estimate.interval("offset")
        inside += low <= 1.5 <= high
    assert inside in covered()


def test_the_static_coefficient_comes_from_breakaway_forces():
    law, inside = ss.Coulomb(0.4, 0.25), 0
    for seed in range(TRIALS):
        breakaway = 20 * 0.4 + np.random.default_rng(seed + 500).normal(0, 0.5, 15)
        fit = fit_law(measured(law, seed), ss.Coulomb(0.3, 0.3), normal=20.0, breakaway=breakaway)
        low, high = fit.estimate.interval("mu_s")
        inside += low <= 0.4 <= high
        assert fit.law.static_value() == fit["mu_s"]
    assert inside in covered()
    kept = fit_law(measured(law, 0), law, normal=20.0)
    assert kept["mu_s"] == 0.4 and "mu_s is not seen in slip: it keeps 0.4" in kept.notes[0]


def test_breakaway_forces_of_a_continuous_law_are_samples_at_rest():
    law = LAWS["hyperbolic"]
    data = measured(law, 0)
    without = fit_law(data, law, normal=20.0).estimate
    breakaway = 20.0 + np.random.default_rng(7).normal(0, 0.4, 200)
    with_them = fit_law(data, law, normal=20.0, breakaway=breakaway).estimate
    assert with_them.error("mu_s") < 0.5 * without.error("mu_s")


def test_parameters_that_the_samples_do_not_determine_are_named():
    one_speed = ([0.5] * 10, 0.3 + np.random.default_rng(0).normal(0, 0.01, 10))
    fit = fit_law(one_speed, "hyperbolic")
    assert fit.estimate.undetermined == ("mu_s", "delta")
    assert "do not determine mu_s and delta separately" in fit.notes[0]
    assert fit.estimate.error("delta") == np.inf
    fixed = fit_law(one_speed, "hyperbolic", fixed={"delta": 1.0})
    assert fixed.estimate.undetermined == () and fixed["mu_s"] == pytest.approx(0.45, abs=0.02)
    assert fixed.estimate.error("delta") == 0.0

    def unused(v, mu=0.3, nothing=1.0):
        return mu + 0 * nothing * v

    assert fit_law(measured(ss.Coulomb(0.3), 0), unused, normal=20.0)["nothing"] == 1.0


def test_three_speeds_do_not_determine_a_cubic():
    v = np.repeat([0.1, 0.5, 1.0], 20)
    fit = fit_law((v, 0.4 - 0.1 * v + np.random.default_rng(0).normal(0, 0.01, 60)), "polynomial:3")
    assert set(fit.estimate.undetermined) >= {"c1", "c2", "c3"}


def test_a_weakly_determined_parameter_is_said_to_be_one():
    fit = fit_law(measured(ss.Coulomb(0.3), 4), "stribeck", normal=20.0)
    assert any("hardly determine v_s" in note or "limit" in note for note in fit.notes)


@pytest.mark.parametrize("name", ["hyperbolic", "stribeck", "popp_stelter", "polynomial", "stribeck+viscous"])
@pytest.mark.parametrize("truth", ["hyperbolic", "popp_stelter"])
def test_units_do_not_matter(name, truth):
    v, force = measured(LAWS[truth], 2)
    here = fit_law((v, force), name)
    there = fit_law((1e-6 * v, 1e9 * force), name)
    assert there.estimate.at_bound == here.estimate.at_bound
    speeds = np.array([0.0, 0.5, 2.0])
    assert there.coefficient(1e-6 * speeds) == pytest.approx(1e9 * here.coefficient(speeds), rel=1e-6)
    z = [here.estimate.error(x) / abs(here[x]) for x in here.estimate.names if x not in here.estimate.at_bound]
    same = [there.estimate.error(x) / abs(there[x]) for x in there.estimate.names if x not in there.estimate.at_bound]
    assert same == pytest.approx(z, rel=1e-4)


def test_a_parameter_at_its_limit_has_no_error():
    random = np.random.default_rng(1)
    v = random.uniform(0.01, 1, 200)
    fit = fit_law((v, 0.3 + 0.1 * v + random.normal(0, 0.01, 200)), "hyperbolic")  # it rises: delta < 0 is barred
    assert fit.estimate.at_bound == ("delta",) and fit["delta"] == 0.0
    assert np.isnan(fit.estimate.error("delta")) and "delta ended at its limit 0" in fit.notes[0]
    assert fit["mu_s"] == pytest.approx(np.mean(0.3 + 0.1 * v), abs=0.005)
    assert fit.lack_of_fit < 1e-6
    bounded = fit_law(measured(LAWS["hyperbolic"], 0), "hyperbolic", normal=20.0, bounds={"delta": (0, 2)})
    assert bounded["delta"] == 2.0


def test_the_right_law_does_not_lack_fit():
    low = [fit_law(measured(LAWS["stribeck"], seed), "stribeck", normal=20.0).lack_of_fit for seed in range(100)]
    assert stats.kstest(low, "uniform").pvalue > 0.01


def test_a_band_holds_the_curve_as_often_as_it_says():
    law, speeds = LAWS["popp_stelter"], np.array([0.0, 0.5, 1.0, 2.9])
    truth = np.array([law.kinetic_value(v) for v in speeds])
    inside = np.zeros(4, int)
    for seed in range(TRIALS):
        low, high = fit_law(measured(law, seed), law, normal=20.0).band(speeds)
        inside += (low <= truth) & (truth <= high)
    assert all(count in covered() for count in inside)


def test_a_run_of_simulate_gives_its_own_law_back():
    run = ss.simulate(ss.models.block_on_belt(), t=50, start={"x.block": 1.1})
    fit = fit_law(run, "hyperbolic", normal=1.0)
    assert (fit["mu_s"], fit["delta"]) == (pytest.approx(1.0, abs=1e-9), pytest.approx(3.0, abs=1e-8))
    assert len(fit.samples) < run.sizes["time"]  # samples in stick are left out


def test_correlated_errors_are_noticed_and_taken_account_of():
    inside = {"plain": 0, "memory": 0}
    for seed in range(100):
        random = np.random.default_rng(seed)
        v = random.permutation(np.linspace(0.05, 2, 600))
        noise = np.convolve(random.normal(0, 0.02, 619), np.ones(20) / 20, "valid")
        samples = Samples(v, 0.3 + noise, time=np.arange(600.0))
        for kind, memory in {"plain": 0, "memory": 40}.items():
            fit = fit_law(samples, "coulomb", memory=memory)
            low, high = fit.estimate.interval("mu_k")
            inside[kind] += low <= 0.3 <= high
            assert any("correlated" in note for note in fit.notes) == (kind == "plain")
    assert inside["plain"] < 60
    assert inside["memory"] > 85


@pytest.mark.parametrize("name", ["coulomb", "hyperbolic", "stribeck", "gaussian", "popp_stelter", "polynomial"])
def test_the_right_law_is_chosen(name):
    chosen = [compare(measured(LAWS[name], seed, noise=0.01), normal=20.0).best.label for seed in range(25)]
    assert chosen.count(name) >= 23


@pytest.mark.parametrize("name", ["stribeck", "popp_stelter"])
def test_laws_that_cannot_be_told_apart_are_said_to_be(name):
    missed, clear = 0, 0
    for seed in range(25):
        found = compare(measured(LAWS[name], seed, noise=0.1), normal=20.0)
        missed += name not in (found.best.label, *found.rivals, *found.richer)
        clear += found.clear
        assert found.clear or "do not tell" in found.verdict or "not excluded" in found.verdict
    assert missed <= 1 and clear <= 2


def test_a_comparison_without_the_right_law_says_so():
    found = compare(measured(LAWS["popp_stelter"], 0, noise=0.005), ["coulomb", "hyperbolic"], normal=20.0)
    assert "a law that fits is not among these" in found.verdict
    assert sum(found.evidence(name) for name in found.fits) == pytest.approx(1.0)
    refused = compare(([0.5, 0.5, 0.5], [0.3, 0.31, 0.3]), ["coulomb", "hyperbolic"])
    assert list(refused.fits) == ["coulomb"] and "separately" in refused.refused["hyperbolic"]


def test_classes_have_means_deviations_and_counts():
    law = ss.Stribeck(0.25, 0.15, 0.003)
    random = np.random.default_rng(0)
    speeds = np.repeat([0.0005, 0.001, 0.002, 0.005, 0.01], 200)  # a few speeds, as in Fig. 12
    mu = np.array([law.kinetic_value(v) for v in speeds]) + random.normal(0, 0.02, 1000)
    found = classes((speeds, 50 * mu), normal=50.0)
    assert found.speed.tolist() == [0.0005, 0.001, 0.002, 0.005, 0.01]
    assert found.count.tolist() == [200] * 5
    assert found.deviation == pytest.approx(np.full(5, 0.02), rel=0.15)
    truth = np.array([law.kinetic_value(v) for v in found.speed])
    assert np.all(np.abs(found.mean - truth) < 4 * found.error)
    table = found.law(mu_s=0.3)
    assert table.kinetic_value(0.005) == pytest.approx(found.mean[3]) and table.static_value() == 0.3
    wide = classes((speeds, 50 * mu), [0, 0.0015, 0.02], normal=50.0)
    assert wide.count.tolist() == [400, 600]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_law(([1, 2], [1.0]), "coulomb"), "force has 1 values where the other columns have 2"),
        (lambda: fit_law(([1, np.nan], [1, 1]), "coulomb"), r"velocity\[1\] is nan"),
        (lambda: fit_law(([1, 2], [1, 1]), "columb"), "did you mean 'coulomb'"),
        (lambda: fit_law(([1, 2], [1, 1]), "polynomial:x"), "degree"),
        (lambda: fit_law(([1, 2], [1, 1]), "coulomb", fixed={"mu": 1}), "no parameter of the law"),
        (lambda: fit_law(([1, 2], [1, 1]), "coulomb", normal=0.0), "a normal force is positive"),
        (lambda: fit_law(([1, 2], [1, 1]), "coulomb", loss="l1"), "there is no loss 'l1'"),
        (lambda: fit_law(([1], [1]), "hyperbolic"), "cannot determine 2 parameters"),
        (lambda: fit_law(([0, 0], [1, 1]), "hyperbolic"), "no sample slips"),
        (lambda: fit_law(([1, 2], [1, 1]), "coulomb", slowest=5), "slowest = 5"),
        (lambda: fit_law(([1, 2], [1, 1]), 3), "the law is 3"),
        (lambda: fit_law(3, "coulomb"), "give a pair"),
        (lambda: fit_law(([1, 2, 3], [0, 0, 0]), "coulomb"), "zero at all samples"),
        (lambda: fit_law(([1, 2, 3], [1, 1.2, 1.1]), "polynomial:1", sense="against"), "no friction law"),
        (lambda: fit_law(([1, 2], [1, 1]), "coulomb", error=1.0, weights=[1, 1]), "both error and weights"),
        (lambda: compare(([1, 2], [1, 1]), criterion="dic"), "no criterion 'dic'"),
        (lambda: classes(([1, 2], [1, 1]), 0), "cannot be 0 classes"),
        (lambda: classes(([1, 2], [1, 1]), 2).law(), "a table needs two"),
    ],
)
def test_mistakes_are_sentences(call, message):
    with pytest.raises(IdentifyError, match=message):
        call()
