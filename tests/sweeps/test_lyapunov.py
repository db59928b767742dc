"""Lyapunov exponents against multipliers of orbits, published values, and what must be zero or lost."""

import numpy as np
import pytest

import stickslip as ss
from stickslip.field import Field
from stickslip.orbits.motion import Motion
from stickslip.sweeps.exponents import _March
from stickslip.targets.generated import NEIGHBOURS

M = ss.models
CHAOS = M.forced_oscillator("III", eta=1.915, u0=1.0)


def on_orbit(model: ss.System, periods: int, transient: int) -> tuple[np.ndarray, ss.Lyapunov]:
    """Exponents that the multipliers of an orbit give, and those along the orbit."""
    orbit = ss.find_orbit(model)
    with np.errstate(divide="ignore"):
        expected = np.log(np.abs(orbit.multipliers)) / orbit.period
    return expected, ss.lyapunov(model, t=periods * orbit.period, transient=transient * orbit.period, start=orbit.start)


def test_two_blocks_as_their_multipliers_say() -> None:
    expected, found = on_orbit(M.two_blocks(), 100, 60)
    assert found.lost == 2
    assert np.all(found.exponents[2:] == -np.inf)
    assert found.exponents[:2] == pytest.approx(expected[:2], abs=1e-8)


def test_block_and_pendulum_as_its_multipliers_say() -> None:
    """A complex pair turns the frame: its two exponents share their mean at any time, and each converges as 1/t."""
    expected, found = on_orbit(M.block_and_pendulum(), 1000, 600)
    assert found.lost == 1
    assert abs(found.exponents[0]) < 1e-9
    assert np.mean(found.exponents[1:3]) == pytest.approx(expected[1], abs=1e-8)
    assert found.exponents[1:3] == pytest.approx(expected[1:3], abs=2e-3)


def test_an_excited_orbit_as_its_multiplier_says() -> None:
    model = M.forced_oscillator("II", eta=0.9)
    orbit = ss.find_orbit(model)
    found = ss.lyapunov(model, t=50 * orbit.period, transient=50 * orbit.period, per="forcing")
    assert found.per_cycle[0] == pytest.approx(np.log(np.abs(orbit.multipliers[0])) / orbit.turns, abs=1e-9)
    assert found.cycle == pytest.approx(2 * np.pi / 0.9, abs=1e-12)


def test_block_on_belt_keeps_its_own_motion_alone() -> None:
    found = ss.lyapunov(M.block_on_belt(), t=50 * 12.00103129483, transient=120, per="release")
    assert found.releases == 50
    assert found.cycle == pytest.approx(12.00103129483, abs=1e-9)
    assert abs(found.exponents[0]) < 1e-8
    assert found.exponents[1] == -np.inf


def test_a_block_at_rest_may_rest_elsewhere() -> None:
    """In stick the velocity of neighbours is lost and their position stays: 0 and −inf, exactly."""
    found = ss.lyapunov(M.coulomb_oscillator(), t=100, transient=100)
    assert found.exponents.tolist() == [0.0, -np.inf]


def test_a_relay_slides_along_its_line() -> None:
    """On x + 0.4 y = 0 the motion is ẋ = −2.5 x; across it everything is lost."""
    relay = ss.Filippov(
        states=("x", "y"),
        f=lambda x, y, a=0.3: (y, -x - a * y),
        G=lambda: ((0.0,), (1.0,)),
        h=lambda x, y, b=0.4: x + b * y,
    )
    found = ss.lyapunov(relay, t=5, start=[1.3, 0.4], transient=5)
    assert found.exponents[0] == pytest.approx(-2.5, abs=1e-8)
    assert found.exponents[1] == -np.inf


def test_at_an_equilibrium_the_exponents_are_the_eigenvalues() -> None:
    """The motion does not move there, and would allow steps without end: the directions must not."""
    resting = ss.lyapunov(M.drill_string(), t=50_000, start=[0.0, 0.0], transient=100)
    assert np.sum(resting.exponents) == pytest.approx(-0.1, abs=1e-9)
    assert resting.exponents == pytest.approx([-0.05, -0.05], abs=1e-4)
    assert resting.lost == 0


def test_without_friction_the_exponents_are_the_damping() -> None:
    mass = ss.Mass("mass", m=1.0, x=1.0)
    system = ss.System(ss.Spring(mass, ss.ground, k=1.0), ss.Damper(mass, ss.ground, c=0.2))
    found = ss.lyapunov(system, t=1000)
    assert found.lost == 0
    assert np.sum(found.exponents) == pytest.approx(-0.2, abs=1e-10)
    assert found.exponents == pytest.approx([-0.1, -0.1], abs=1e-3)


def test_chaos_per_release() -> None:
    """hinrichs1998 gives the exponent of the map of stick → slip points: per release, not per period."""
    found = ss.lyapunov(CHAOS, t=3e4, transient=500, per="release", rtol=1e-9)
    assert found.lost == 1
    assert found.per_cycle_error[0] < 0.008
    assert found.per_cycle[0] == pytest.approx(0.1597, abs=4 * found.per_cycle_error[0])
    assert found.exponents[0] * found.cycle == pytest.approx(found.per_cycle[0], rel=1e-12)
    second = ss.lyapunov(M.forced_oscillator("II", eta=1.4, u0=0.5), t=1e5, transient=500, per="release", rtol=1e-9)
    assert second.per_cycle[0] == pytest.approx(0.162, abs=4 * second.per_cycle_error[0])


@pytest.mark.nightly
def test_chaos_per_release_to_three_digits() -> None:
    found = ss.lyapunov(CHAOS, t=1e7, transient=1000, per="release", rtol=1e-9)
    assert found.per_cycle[0] == pytest.approx(0.1597, abs=5e-4)
    second = ss.lyapunov(M.forced_oscillator("II", eta=1.4, u0=0.5), t=1e7, transient=1000, per="release")
    assert second.per_cycle[0] == pytest.approx(0.162, abs=2e-3)


def test_a_thin_bowed_string_is_chaotic() -> None:
    found = ss.lyapunov(M.bowed_string(diameter=0.25e-3), t=6.0, rtol=1e-9)
    assert found.largest == pytest.approx(294, abs=4 * found.error[0])
    assert found.error[0] < 20
    assert abs(found.exponents[1]) < 5
    assert found.exponents[2] < -200
    assert found.lost == 1
    assert 2.8 < found.dimension < 3


def test_the_steps_between_orthonormalisations_do_not_matter() -> None:
    often, seldom = (ss.lyapunov(M.two_blocks(), t=300, renormalise=k) for k in (1, 5))
    assert often.exponents[:2] == pytest.approx(seldom.exponents[:2], abs=1e-9)
    assert often.lost == seldom.lost == 2


def test_fewer_exponents_are_the_largest() -> None:
    some, all_ = (ss.lyapunov(M.two_blocks(), t=300, count=k) for k in (1, None))
    assert len(some.exponents) == 1
    assert some.exponents[0] == pytest.approx(all_.exponents[0], abs=1e-9)


def test_the_history_ends_with_the_result() -> None:
    found = ss.lyapunov(M.two_blocks(), t=200)
    assert found.history.exponent.values[-1].tolist() == pytest.approx(found.exponents.tolist())
    assert float(found.history.time[-1]) == pytest.approx(200)
    assert found.status is ss.Status.FINISHED


def test_a_run_that_stops_says_so() -> None:
    """The normal force falls with time until the contact opens."""
    mass = ss.Mass("mass", m=1.0, x=1.0)
    contact = ss.Contact(mass, ss.Belt("belt", speed=0.1), law=ss.Coulomb(mu_s=0.3), normal=lambda t: 5.0 - 0.1 * t)
    found = ss.lyapunov(ss.System(ss.Spring(mass, ss.ground, k=1.0), contact), t=60, transient=5)
    assert found.status is ss.Status.LIFT_OFF
    assert float(found.history.time[-1]) < 45


def test_interrupted_it_keeps_what_is_measured() -> None:
    def impatient(part: float) -> None:
        if part == 0.25:
            raise KeyboardInterrupt

    whole, part = (ss.lyapunov(M.two_blocks(), t=200, progress=each) for each in (None, impatient))
    assert part.status is ss.Status.INTERRUPTED
    assert float(part.history.time[-1]) == pytest.approx(50)
    at = whole.history.exponent.sel(time=50, method="nearest").values
    assert part.exponents.tolist() == pytest.approx(at.tolist())


def test_interrupted_in_the_transient_nothing_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_March, "settle", interrupted)
    found = ss.lyapunov(M.two_blocks(), t=200)
    assert found.status is ss.Status.INTERRUPTED
    assert np.isnan(found.exponents).tolist() == [True] * 4 and found.lost == 0 and found.history.sizes["time"] == 0


def test_compiled_as_in_plain_python() -> None:
    rows = []
    for target in ("cpu", "python"):
        field = Field.of(M.two_blocks(), target=target, order=20, kernels=NEIGHBOURS)
        march = _March(Motion(M.two_blocks(), 1e-10, field), M.two_blocks().start_state(None), 1)
        march.settle(4.0, 4)
        march.to(20.0)
        rows.append(march.row())
    assert rows[0][2:4] == pytest.approx(rows[1][2:4], abs=1e-9)
    assert rows[0].tolist()[4:] == rows[1].tolist()[4:] == [-np.inf, -np.inf]


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"t": -1}, "t is -1: it must be a positive number"),
        ({"t": 10, "transient": -1}, "transient is -1"),
        ({"t": 10, "count": 3}, "count is 3: it must be a whole number, from 1 to 2, the number of states"),
        ({"t": 10, "renormalise": 0}, "renormalise is 0: it must be a whole number, 1 or more"),
        ({"t": 10, "per": "turn"}, "per is 'turn': it must be one of time, forcing, release"),
        ({"t": 10, "per": "forcing"}, "the equations show no excitation"),
        ({"t": 10, "start": {"x.blok": 1}}, "x.blok"),
    ],
)
def test_wrong_input_gets_a_sentence(keywords: dict[str, object], words: str) -> None:
    with pytest.raises(ss.errors.ModelError, match=words):
        ss.lyapunov(M.block_on_belt(), **keywords)
