"""From a Hopf point onto the orbit that is born there: as large, as slow and on that side as theory says."""

import math
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss

V = "belt.speed"


def chain(masses, springs, laws, speed: float) -> ss.System:
    """Masses on one belt, each tied to the ground and to the next, each with a cubic law of its own."""
    belt, parts, before = ss.Belt("belt", speed=speed), [], None
    for i, (m, k, law) in enumerate(zip(masses, springs, laws, strict=True)):
        mass = ss.Mass(f"m{i}", m=m)
        parts += [ss.Spring(mass, ss.ground, k=k, name=f"s{i}"), ss.Contact(mass, belt, law=law, name=f"c{i}")]
        if before is not None:
            parts.append(ss.Spring(before, mass, k=0.4, name=f"t{i}"))
        before = mass
    return ss.System(*parts)


def rates(masses, springs, laws, speed: float):
    """The same in plain numpy, as long as every mass is slower than the belt: ẍ from x and ẋ."""
    m, k, n = np.array(masses), np.array(springs), len(masses)
    K = np.diag(k)
    for i in range(1, n):
        K[i - 1 : i + 1, i - 1 : i + 1] += 0.4 * np.array([[1, -1], [-1, 1]])

    def friction(s, order=0):
        return np.array([np.polyval(np.polyder(np.array(c[::-1]), order), x) for c, x in zip(laws, s, strict=True)])

    def f(t, z):
        x, v = z[:n], z[n:]
        return np.concatenate([v, (-K @ x + friction(speed - v)) / m])

    def matrix() -> np.ndarray:
        slopes = friction(np.full(n, speed), 1)
        return np.block([[np.zeros((n, n)), np.eye(n)], [-K / m[:, None], -np.diag(slopes / m)]])

    rest = np.concatenate([np.linalg.solve(K, friction(np.full(n, speed))), np.zeros(n)])
    return f, matrix(), rest


def random_chains(count: int, n: int, seed: int):
    numbers = np.random.default_rng(seed)
    while count:
        laws = []
        for _ in range(n):
            c1, c2, c3 = numbers.uniform(0.3, 1.2), numbers.uniform(-0.3, 0.3), numbers.uniform(0.05, 0.6)
            lowest = (-c2 + math.sqrt(c2**2 + 3 * c1 * c3)) / (3 * c3)
            c0 = c1 * lowest - c2 * lowest**2 - c3 * lowest**3 + numbers.uniform(0.2, 1.0)
            laws.append((c0, -c1, c2, c3))
        yield numbers.uniform(0.3, 3.0, n), numbers.uniform(0.3, 3.0, n), laws
        count -= 1


def system(masses, springs, laws, speed: float) -> ss.System:
    return chain(masses, springs, [ss.Polynomial(list(law)) for law in laws], speed)


def hopf_points(model: ss.System, parameter: str, to: float) -> list[ss.SpecialPoint]:
    return ss.follow(ss.find_equilibria(model)[0], parameter, to=to).of_kind("Hopf")


def growth(masses, springs, laws, speed: float, omega: float) -> float:
    values = np.linalg.eigvals(rates(masses, springs, laws, speed)[1])
    return float(values[np.argmin(np.abs(values - 1j * omega))].real)


def closes(f, orbit: ss.Orbit) -> float:
    """How far an integrator that knows nothing of this library misses the start after one period."""
    end = solve_ivp(f, (0, orbit.period), orbit.state, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    return float(np.max(np.abs(end - orbit.state)))


@pytest.mark.parametrize(("n", "count"), [(1, 4), pytest.param(2, 4, marks=pytest.mark.nightly), (2, 1)])
def test_what_is_born_is_as_large_as_the_first_lyapunov_coefficient_says(n: int, count: int) -> None:
    """ρ² = −α'(p − p₀)/(ω l₁), where 2ρ|q| is how far states swing, |q| = 1, and α the growth of the critical pair."""
    for masses, springs, laws in random_chains(count, n, seed=7):
        fast = max(float(np.max(np.roots(np.polyder(np.array(law[::-1]))))) for law in laws) * 1.3
        (point, *_) = hopf_points(system(masses, springs, laws, fast), V, 0.4 * fast)
        omega, l1 = point.numbers["omega"], point.numbers["l1"]
        h = 1e-5
        slope = (
            growth(masses, springs, laws, point.value + h, omega)
            - growth(masses, springs, laws, point.value - h, omega)
        ) / (2 * h)
        side = -np.sign(l1 * slope)
        branch = ss.follow(point, V, to=(point.value - 0.02, point.value + 0.02))
        assert branch.points[0].period == pytest.approx(2 * math.pi / omega, rel=1e-12)
        assert branch.values[0] == point.value and np.ptp(branch.extremes[0]) == np.ptp(branch.extremes[0, 0])
        assert np.sign(branch.values[1] - point.value) == side
        assert branch.points[1].stable == (l1 < 0)
        # Squares of swings over the distance, at two distances, and from there to none.
        A = rates(masses, springs, laws, point.value)[1]
        values, vectors = np.linalg.eig(A)
        q = vectors[:, np.argmin(np.abs(values - 1j * omega))]
        swing = np.ptp(branch.extremes[1:4], axis=1) / (4 * np.abs(q))
        distance = branch.values[1:4] - point.value
        ratio = np.mean(swing**2, axis=1) / distance
        limit = np.polyfit(distance, ratio, 1)[1]
        assert limit == pytest.approx(-slope / (omega * l1), rel=0.02)
        for orbit in branch.points[1:3]:
            f = rates(masses, springs, laws, orbit.model.parameters[V])[0]
            assert closes(f, orbit) < 1e-8


@cache
def falling() -> ss.SpecialPoint:
    """Friction 1 − 0.9 v + 0.3 v³ has its minimum at the speed 1."""
    (point,) = hopf_points(chain([1.0], [1.0], [ss.Polynomial([1.0, -0.9, 0.0, 0.3])], 1.2), V, 0.5)
    return point


@pytest.mark.parametrize(
    ("to", "outcome", "last"), [(0.5, "reached", 0.5), (1.2, "returned", 0.8), ((0.5, 1.5), "reached", 0.5)]
)
def test_the_way_is_that_of_the_orbit_whichever_way_it_was_to_go(to, outcome: str, last: float) -> None:
    branch = ss.follow(falling(), V, to=to)
    assert branch.outcomes == (outcome,) and branch.values[-1] == pytest.approx(last, abs=1e-12)
    (grazing,) = branch.special
    assert grazing.kind == "grazing-sliding" and grazing.value == pytest.approx(0.9142757362, abs=1e-9)
    assert np.all(np.diff(branch.values) < 0)


def test_what_is_born_is_what_is_found_by_simulation() -> None:
    branch = ss.follow(falling(), V, to=0.8)
    orbit = ss.find_orbit(chain([1.0], [1.0], [ss.Polynomial([1.0, -0.9, 0.0, 0.3])], 0.8))
    assert branch.points[-1].period == pytest.approx(orbit.period, abs=1e-10)
    back = ss.follow(orbit, V, to=1.2).of_kind("Hopf")[0]
    assert ss.follow(back, V, to=0.8).points[-1].period == pytest.approx(orbit.period, abs=1e-10)


def test_the_equilibrium_is_followed_from_the_points_orbit() -> None:
    assert isinstance(ss.follow(falling().orbit, V, to=0.8).points[-1], ss.Equilibrium)
    back = ss.follow(ss.find_orbit(falling().orbit.model.with_({V: 0.95}), [0.5, 0.9]), V, to=1.2).special[-1]
    assert isinstance(back.orbit, ss.Orbit) and isinstance(ss.follow(back.orbit, V, to=0.8).points[-1], ss.Equilibrium)


def test_a_subcritical_point_leads_onto_an_unstable_orbit() -> None:
    """With x = r cos t, ṙ = r (mu + r² − r⁴): the orbit born at 0 is unstable and turns back at mu = −1/4, r² = 1/2."""
    model = ss.Filippov(
        ("x", "y"),
        f=lambda x, y, mu=-0.5: (
            mu * x - y + x * (x**2 + y**2) - x * (x**2 + y**2) ** 2,
            mu * y + x + y * (x**2 + y**2) - y * (x**2 + y**2) ** 2,
        ),
        G=lambda: (0.0, 0.0),
        h=lambda x: x + 100.0,
        kinetic=lambda v: 1.0,
    )
    (point,) = ss.follow(ss.find_equilibria(model, guess=[0, 0])[0], "mu", to=0.5).of_kind("Hopf")
    assert point.note.startswith("subcritical")
    branch = ss.follow(point, "mu", to=(-0.5, 0.5))
    (fold,) = branch.special
    assert fold.kind == "fold" and fold.value == pytest.approx(-0.25, abs=1e-9)
    assert branch.outcomes == ("reached",) and branch.values[-1] == 0.5
    assert not branch.points[1].stable and branch.points[-1].stable
    squares = branch.extremes[:, 1, 0] ** 2
    assert branch.values == pytest.approx(squares**2 - squares, abs=1e-6)
    assert branch.periods == pytest.approx(2 * math.pi, rel=1e-9)


@pytest.mark.nightly
def test_smoothed_friction_through_a_canard_explosion() -> None:
    """vandevrande1999 Table 2: 1.52e-02 for ε = 1e3; nearly all of the cycle's size is gained right beside it."""
    model, method = ss.models.block_on_belt(v_dr=0.03), ss.Smoothing(eps=1e3)
    orbit = ss.find_orbit(model, method=method)
    point = ss.follow(orbit, V, to=1e-3).special[-1]
    assert f"{point.value:.2e}" == "1.52e-02"
    branch = ss.follow(point, V, to=0.03)
    assert branch.outcomes == ("reached",) and branch.points[-1].period == pytest.approx(orbit.period, rel=1e-8)
    assert branch.periods[1] == pytest.approx(2 * math.pi, rel=0.01)


def test_the_drill_string_from_one_hopf_point_to_the_other() -> None:
    """vandevrande1999 Table 5, κ = 1: the cycle is born at 1.02e+00 and vanishes at 3.76e+00."""
    smoothed = ss.models.drill_string(eta=5.0).smoothed(1.0, "quartic_one_sided")
    death, birth = hopf_points(smoothed, "table.speed", 0.5)
    branch = ss.follow(birth, "table.speed", to=(0.5, 30.0), step=0.1)
    assert [point.kind for point in branch.special] == ["fold", "Hopf"] and branch.outcomes == ("born",)
    assert branch.special[-1].value == pytest.approx(death.value, rel=1e-10)
    other = ss.follow(death, "table.speed", to=(0.5, 30.0), step=0.1)
    assert other.outcomes == ("born",) and other.special[-1].value == pytest.approx(birth.value, rel=1e-10)


def test_a_curve_of_hopf_points_is_still_one() -> None:
    curve = ss.follow(falling(), ("c0.c1", V), to=-1.2)
    assert curve.along(V)[-1] == pytest.approx(math.sqrt(1.2 / 0.9), rel=1e-10)
