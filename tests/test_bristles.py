"""The bristle model of hinrichs1998, Sec. 7.1, as docs/bristles.md defines it."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.linalg import expm

import stickslip as ss
from stickslip.kernels.chance import uniform

ROOT = Path(__file__).parents[1]
M_H, M_G, S = 24, 15, 4.0
QUICK = ss.Exact(order=8)  # bonds break so often that steps are short


def oscillator(**bristles: float) -> ss.System:
    """hinrichs1998, m = c = 1, F_N/c = 10, v₀ = 1, without excitation."""
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=1.0)
    return ss.System(
        ss.Spring(block, ss.ground, k=1.0), ss.BristleContact(block, belt, **bristles), start={"v.block": 1.0}
    )


def simulate(system: ss.System, t: float, **keywords: object):
    run = ss.simulate(system, t=t, **({"dense": False, "samples": 2, "method": QUICK} | keywords))
    assert run.status == ss.Status.FINISHED.value
    return run


def breakaways(run) -> tuple[np.ndarray, np.ndarray]:
    """Times and places of stick → slip, but for the first, which comes from the start."""
    released = run.event_before.values == 0
    return run.event_time.values[released][1:], run.event_state.sel(state="x.block").values[released][1:]


def breakaway_statistics(mean: float, limit: float) -> tuple[float, float]:
    """Mean and standard deviation of the force of all bristles when the most stretched of them is at its limit.

    With β = 2 m_B u, u uniform, the force is k Σ (δ − (max β − β_i)). Given max u = b, the others are uniform on
    (0, b), and b has the density M b^(M − 1).
    """
    force_per_length = S / (M_H * limit)
    shortfall = mean * M_H * (M_H - 1) / (M_H + 1)
    variance = (M_H - 1) / 12 * M_H / (M_H + 2) + ((M_H - 1) / 2) ** 2 * M_H / ((M_H + 1) ** 2 * (M_H + 2))
    return S - force_per_length * shortfall, force_per_length * 2 * mean * np.sqrt(variance)


def sliding(mean: float, limit: float) -> float:
    """The mean friction in slip: a bristle is short of its limit by E β²/(2 E β) = 2 m_B/3."""
    return S * M_G / M_H * (1 - 2 * mean / (3 * limit))


def rigid_period(drop: float) -> float:
    """T = 2Δ/v₀ + 2(π − arctan(Δ/v₀)) of a rigid contact whose force drops by Δ at breakaway."""
    return 2 * drop + 2 * (np.pi - np.arctan(drop))


# -- every bond where the definition puts it -------------------------------------------------------------------------


def replayed(times: np.ndarray, mean: float, limit: float, w: float, seed: int) -> np.ndarray:
    """The friction force of bristles drawn at the speed w > 0 over the ground, bond by bond."""
    numbers = M_H + 3
    z = np.array([-2 * mean * uniform(seed, 0, 0, numbers - 1 - j) for j in range(M_H)])[:M_G]
    z -= z.mean()
    now, drawn, force = 0.0, 2 * numbers, []
    for time in times:
        while (wait := (z.min() + limit) / w) <= time - now:
            now += wait
            z -= w * wait
            z[z.argmin()] = -limit + 2 * mean * uniform(seed, 0, 0, drawn)
            drawn += 1
        z -= w * (time - now)
        now = time
        force.append(S / (M_H * limit) * z.sum())
    return np.array(force)


def test_every_bond_breaks_at_its_limit() -> None:
    """A mass so heavy that nothing slows it: then the bonds can be followed by hand."""
    mean, limit = 0.004, 0.01
    block = ss.Mass("block", m=1e13, v=0.3)
    system = ss.System(ss.BristleContact(block, ss.ground, mean=mean, limit=limit))
    times = np.linspace(0.0, 1.0, 401)
    run = simulate(system, 1.0, samples=times, seed=9)
    assert run.attrs["bond_breaks"] > 1000
    np.testing.assert_allclose(run.force.values[:, 0], replayed(times, mean, limit, 0.3, 9), atol=1e-10)


def test_sliding_friction_is_that_of_renewal_theory() -> None:
    """A bristle is short of its limit by the residual life of a renewal process: mean 2 m_B/3, variance 2 m_B²/9."""
    mean, limit = 0.001, 0.01
    block = ss.Mass("block", m=1e9, v=1.0)
    system = ss.System(ss.BristleContact(block, ss.ground, mean=mean, limit=limit))
    run = simulate(system, 40.0, samples=np.arange(1.0, 40.0, 0.004))  # twice the longest bond apart
    friction = -run.force.values[:, 0]
    spread = S / (M_H * limit) * mean * np.sqrt(2 * M_G / 9)
    assert friction.mean() == pytest.approx(sliding(mean, limit), abs=4 * spread / np.sqrt(len(friction)))
    assert friction.std() == pytest.approx(spread, rel=4 / np.sqrt(2 * len(friction)))
    assert run.attrs["bond_breaks"] == pytest.approx(M_G * 40.0 / mean, rel=0.01)


def test_each_new_bond_is_uniform() -> None:
    """What the mean deflection jumps by, at each bond."""
    mean = 0.003
    run = simulate(ss.System(ss.BristleContact(ss.Mass("block", m=1e9, v=1.0), ss.ground, mean=mean)), 1.0, dense=True)
    z, length = run.step_state.sel(state="deflection.contact").values, run.step_length.values
    ends = (z * length[:, None] ** np.arange(z.shape[1])).sum(1)
    jumps = (z[1:, 0] - ends[:-1]) * M_G
    jumps = jumps[np.abs(jumps) > 1e-12]  # some steps end without a bond
    assert len(jumps) == run.attrs["bond_breaks"] > 4000
    assert stats.kstest(jumps, stats.uniform(0, 2 * mean).cdf).pvalue > 1e-3


# -- the oscillator ---------------------------------------------------------------------------------------------------


def test_breakaway_tends_to_the_static_limit() -> None:
    """Mean and spread of the breakaway points for the three m_B of Fig. 22, and as it gets smaller.

    In stick the mass creeps at w = −v₀/(1 + M_H k) once transients are gone, so the damper adds c v₀/(1 + M_H k).
    """
    limit, damping = 0.01, 20.0
    means, spreads = [], []
    for mean, t in ((0.002, 300.0), (0.001, 150.0), (0.0005, 80.0), (0.0002, 30.0)):
        _, x = breakaways(simulate(oscillator(mean=mean, limit=limit, damping=damping), t, seed=4))
        force, spread = breakaway_statistics(mean, limit)
        expected = force + damping / (1 + S / limit)
        assert x.mean() == pytest.approx(expected, abs=4 * spread / np.sqrt(len(x)))
        means.append(x.mean())
        spreads.append(x.std(ddof=1))
        if len(x) > 20:
            assert spreads[-1] == pytest.approx(spread, rel=4 / np.sqrt(2 * len(x)))
    assert means == sorted(means) and spreads == sorted(spreads, reverse=True)
    assert means[-1] == pytest.approx(4.0, abs=0.05)


def test_the_period_tends_to_that_of_the_rigid_contact() -> None:
    """As δ and m_B vanish together. With the mean forces of the bristles the closed form errs by less than δ."""
    late = []
    for limit in (0.08, 0.04, 0.02):
        mean, damping = limit / 100, 0.6 * np.sqrt(S / limit)
        time, _ = breakaways(simulate(oscillator(mean=mean, limit=limit, damping=damping), 60.0))
        period = np.diff(time).mean()
        breakaway = breakaway_statistics(mean, limit)[0] + damping / (1 + S / limit)
        assert 0 < period - rigid_period(breakaway - sliding(mean, limit)) < limit
        late.append(period - rigid_period(1.5))
    assert late[0] > 1.5 * late[1] > 2.25 * late[2] > 0


def test_the_transient_after_slip_is_that_of_a_spring_and_a_damper() -> None:
    """In stick all is linear: x'' + c (x' − v₀) − M_H k z + x = 0, z' = v₀ − x'."""
    limit, damping = 0.01, 4.0
    run = simulate(oscillator(mean=0.0005, limit=limit, damping=damping), 12.0, dense=True, method=None)
    stop = int(np.flatnonzero(run.event_after.values == 0)[0])
    begin, end = run.event_time.values[stop : stop + 2]
    A = np.array([[0.0, 1.0, 0.0, 0.0], [-1.0, -damping, S / limit, damping], [0.0, -1.0, 0.0, 1.0], [0.0] * 4])
    times = np.linspace(begin, end, 50)[:-1]
    start = np.append(run.event_state.values[stop], 1.0)
    expected = np.array([expm(A * (time - begin)) @ start for time in times]).T
    found = ss.interpolate(run, times)
    for i, state in enumerate(("x.block", "v.block", "deflection.contact")):
        np.testing.assert_allclose(found[state], expected[i], atol=1e-10)
    assert found["force"].values.max() > 1.5 * found["x.block"].values[0]  # it overshoots


def test_the_energy_balances() -> None:
    system = oscillator(mean=0.002)
    run = simulate(system, 12.0, dense=True)
    assert run.attrs["bond_breaks"] > 30_000
    balance = ss.energy_balance(system, run)
    assert abs(float(balance.residual)) < 1e-9


def test_the_same_seed_gives_the_same_run_on_every_target() -> None:
    system = oscillator(mean=0.04, limit=0.1)
    compiled = simulate(system, 15.0, seed=3)
    plain = simulate(system, 15.0, seed=3, method=ss.Exact(order=8, target="python"))
    assert compiled.attrs["bond_breaks"] == plain.attrs["bond_breaks"] > 1000
    np.testing.assert_allclose(compiled.event_state, plain.event_state, atol=1e-9)
    other = simulate(system, 15.0, seed=4)
    assert np.abs(other.event_time.values[:4] - compiled.event_time.values[:4]).max() > 1e-3


def test_a_mirrored_block_on_the_ground_comes_to_rest() -> None:
    """Slip to both sides; the bonds of a slip are drawn relative to it, so the mirror image has the same."""
    runs = []
    for side in (1.0, -1.0):
        block = ss.Mass("block", m=1.0, x=0.0, v=20.0 * side)
        system = ss.System(ss.Spring(block, ss.ground, k=1.0), ss.BristleContact(block, ss.ground, damping=20.0))
        runs.append(simulate(system, 40.0))
    assert {*runs[0].event_before.values.tolist()} == {-1, 0, 1}
    np.testing.assert_allclose(runs[0].event_state, -runs[1].event_state, atol=1e-9)
    assert abs(float(runs[0]["v.block"][-1])) < 1e-6
    assert abs(float(runs[0]["x.block"][-1])) < S
    assert int(runs[0]["mode"][-1, 0]) == 0


def test_bristles_beside_a_rigid_contact() -> None:
    """The events of one contact leave the bonds of the other alone."""
    first, second, belt = ss.Mass("first", m=1.0), ss.Mass("second", m=1.0, x=3.0, v=1.0), ss.Belt("belt", speed=1.0)
    bristles = ss.BristleContact(first, belt, name="bristles", mean=0.002)
    rigid = ss.Contact(second, belt, law=ss.Coulomb(0.4, 0.25), normal=10.0, name="rigid")
    springs = (ss.Spring(first, ss.ground, k=1.0), ss.Spring(second, ss.ground, k=1.0))
    together = simulate(ss.System(*springs, bristles, rigid, start={"v.first": 1.0}), 20.0)
    alone = simulate(ss.System(springs[0], bristles, start={"v.first": 1.0}), 20.0)
    own = together.event_contact.values == "bristles"
    assert 4 <= own.sum() < len(own)
    np.testing.assert_allclose(together.event_time.values[own][0], alone.event_time.values[0], atol=1e-9)
    period = np.diff(together.event_time.values[~own & (together.event_before.values == 0)])
    np.testing.assert_allclose(period, rigid_period(1.5), atol=1e-9)


def test_one_bristle_breaks_at_the_static_limit() -> None:
    system = oscillator(bristles=1, slipping=1, mean=0.002, damping=0.0)
    run = simulate(system, 4.5, dense=True)
    force = run.step_force.values[:, 0] * run.step_length.values[:, None] ** np.arange(run.sizes["power"])
    stuck = np.flatnonzero(run.step_mode.values[:, 0] == 0)
    last = stuck[np.flatnonzero(np.diff(stuck) > 1)[0]] if np.any(np.diff(stuck) > 1) else stuck[-1]
    assert force[last].sum() == pytest.approx(S, abs=1e-11)


# -- what is refused --------------------------------------------------------------------------------------------------


def test_what_bristles_cannot_be() -> None:
    block, belt = ss.Mass("block", m=1.0), ss.Belt("belt", speed=1.0)
    with pytest.raises(ss.errors.ModelError, match=r"bristles is 2\.5: it must be a whole number"):
        ss.BristleContact(block, belt, bristles=2.5)  # type: ignore[arg-type]
    with pytest.raises(ss.errors.ModelError, match="30 of 24 bristles are to hold in slip"):
        ss.BristleContact(block, belt, slipping=30)
    with pytest.raises(ss.errors.ModelError, match="mean may be half the limit at most"):
        oscillator(mean=0.006)
    with pytest.raises(ss.errors.ModelError, match="mean may be half the limit at most"):
        oscillator().with_({"contact.limit": 0.001})
    with pytest.raises(ss.errors.ModelError, match="mean"):
        oscillator(mean=0.0)
    with pytest.raises(ss.errors.ModelError, match="mu_s"):
        oscillator(mu_s=-0.4)


def test_what_is_not_for_bristles() -> None:
    with pytest.raises(ss.errors.ModelError, match=r"periodic orbits.* are not for the bristles of 'contact'"):
        ss.find_orbit(oscillator(), guess=([4.0, 1.0, 0.0], 7.3))
    with pytest.raises(ss.errors.ModelError, match="find_equilibria cannot carry 'deflection'"):
        ss.find_equilibria(oscillator())
    with pytest.raises(ss.errors.ModelError, match="are not for the bristles of 'contact'"):
        ss.lyapunov(oscillator(), t=10.0)
    with pytest.raises(ss.errors.ModelError, match="cannot carry 'deflection'"):
        ss.simulate(oscillator(), t=1.0, method=ss.Switch())


def test_a_run_tells_that_no_bond_has_broken() -> None:
    run = simulate(oscillator(), 1e-6)
    assert run.attrs["bond_breaks"] == 0
    assert "bond_breaks" not in ss.simulate(ss.models.block_on_belt(), t=1.0).attrs


def test_bristles_are_known_by_their_structure() -> None:
    """Numbers of bristles belong to the equations: models that differ in them must not share compiled code."""
    assert oscillator().structure() != oscillator(slipping=14).structure()
    assert oscillator().structure() == oscillator(mean=0.002, mu_s=0.5).structure()
    assert oscillator().parameters["contact.mu_s"] == 0.4


def test_the_documented_call(capsys) -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs/bristles.md").read_text("utf-8"), re.M | re.S)
    exec(block, {})
    places, breaks = capsys.readouterr().out.rsplit("\n", 2)[:2]
    assert np.fromstring(places.strip("[]"), sep=" ") == pytest.approx([3.274] * 6, abs=0.4)
    assert int(breaks) > 200_000


def test_figure_22() -> None:
    """Near the rigid contact's breakaway point (η = 0.9, one per period: 3.7275), as far below it as m_B says."""
    points, breaks = runpy.run_path(str(ROOT / "bench/bristles_figure.py"))["breakaways"](0.0005, [0.9])
    assert breaks > 1_000_000
    assert points[:, 1].mean() == pytest.approx(3.7275 - 0.18, abs=0.1)
