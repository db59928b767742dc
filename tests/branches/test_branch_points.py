"""Branch points: found whatever the step, located to round-off, and left on both sides of both branches."""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stickslip as ss
from stickslip.orbits.crossings import crossing

SYMMETRIC = [
    ("branch point", 1.0759679066), ("branch point", 0.8543992737), ("fold", 0.8194877656),
    ("fold", 1.1109707523), ("branch point", 0.7203219078), ("branch point", 0.6051959341),
]  # fmt: skip
"""What happens to the symmetric orbit of the Duffing oscillator below on the way from ω = 1.2 to 0.6."""


def relay(om: float = 1.2, push: float = 26.0) -> ss.Filippov:
    """A Duffing oscillator pushed to and fro: its friction changes sign with sin ωt."""
    return ss.Filippov(
        ("x", "v"),
        f=lambda x, v: (v, -0.2 * v - x - x**3),
        G=lambda push=push: (0.0, push),
        h=lambda t, om=om: math.sin(om * t),
    )


@cache
def symmetric(to: float = 0.6, step: float = 0.03) -> ss.Branch:
    return ss.follow(ss.find_orbit(relay()), "om", to=to, step=step)


def after_half_a_period(om: float, z: list[float], force: float) -> np.ndarray:
    """Half a period of the oscillator by SciPy, under a constant force."""
    end = solve_ivp(
        lambda t, z: (z[1], -0.2 * z[1] - z[0] - z[0] ** 3 + force),
        (0, math.pi / om),
        z,
        "DOP853",
        rtol=1e-12,
        atol=1e-12,
    )
    return end.y[:, -1]


def multipliers_by_differences(orbit: ss.Orbit) -> np.ndarray:
    """Of the map over one period, integrated by SciPy; the orbit must close in it."""
    om, sign = orbit.model.parameters["om"], float(orbit.signature.modes[0][0])

    def period(z) -> np.ndarray:
        return after_half_a_period(om, after_half_a_period(om, z, -26.0 * sign), 26.0 * sign)

    start, h = orbit.phases.states[0], 1e-5
    assert period(start) == pytest.approx(start, abs=1e-8)
    columns = [(period(start + step) - period(start - step)) / (2 * h) for step in h * np.eye(2)]
    return np.sort_complex(np.linalg.eigvals(np.column_stack(columns)).astype(complex))


def test_where_they_are() -> None:
    branch = symmetric()
    assert [point.kind for point in branch.special] == [kind for kind, _ in SYMMETRIC]
    assert [point.value for point in branch.special] == pytest.approx([value for _, value in SYMMETRIC], abs=1e-10)
    for point in branch.special:
        largest = multipliers_by_differences(point.orbit)[-1]
        assert largest == pytest.approx(1, abs=1e-5)
        assert point.note == ("pitchfork" if point.kind == "branch point" else "")
    # Stability changes at special points, and nowhere else.
    changes = np.flatnonzero(np.diff(branch.stable.astype(int))) + 1
    assert changes.tolist() == [point.after for point in branch.special]
    for number in (*changes, *(changes - 1)):
        unstable = abs(multipliers_by_differences(branch.points[number])[-1]) > 1
        assert unstable != branch.stable[number]


@pytest.mark.parametrize(
    ("to", "step"),
    [
        pytest.param(0.55, 0.03, marks=pytest.mark.nightly),
        (0.59, 0.1),
        (0.4, 0.3),
        pytest.param(0.01, 0.1, marks=pytest.mark.nightly),
        (1.06, 0.03),
        (1.0, 1.0),
    ],
)
def test_they_do_not_depend_on_the_step(to: float, step: float) -> None:
    expected = [(kind, value) for kind, value in SYMMETRIC if value > to][: 6 if to < 1 else 1]
    branch = ss.follow(ss.find_orbit(relay()), "om", to=to, step=step, most=330)
    found = branch.special[: len(expected)]
    assert [point.kind for point in found] == [kind for kind, _ in expected]
    assert [point.value for point in found] == pytest.approx([value for _, value in expected], abs=1e-10)


def mirrored(orbit: ss.Orbit) -> float:
    """How far the two halves of an orbit are from mirror images, and to which side."""
    first = int(np.argmin([mode[0] for mode in orbit.signature.modes]))
    asymmetry = orbit.phases.states[first] + orbit.phases.states[1 - first]
    return float(asymmetry[np.argmax(np.abs(asymmetry))])


@pytest.mark.parametrize("number", [0, 1, 4, 5])
def test_the_other_branch_is_that_of_orbits_without_symmetry(number: int) -> None:
    point = symmetric().special[number]
    branch = ss.follow(point, "om", to=(0.5, 1.3), most=6)
    at = len(branch) // 2
    assert branch.values[at] == pytest.approx(point.value, abs=1e-12) and abs(mirrored(branch.points[at])) < 1e-9
    for step in (1, 3):
        left, right = branch.points[at - step], branch.points[at + step]
        assert min(abs(mirrored(left)), abs(mirrored(right))) > 1e-2
        assert mirrored(left) * mirrored(right) < 0  # one is like the mirror image of the other
        for orbit in (left, right):
            assert multipliers_by_differences(orbit) == pytest.approx(np.sort_complex(orbit.multipliers), abs=1e-5)


def test_the_simulation_leaves_the_symmetric_orbit() -> None:
    """Below the first branch point the motion ends on an orbit that begins there, above on the symmetric one."""
    point = symmetric().special[0]
    branch = ss.follow(point, "om", to=1.0, most=12)
    orbit = min(branch.points, key=lambda orbit: abs(orbit.model.parameters["om"] - 1.072))
    assert orbit.stable and abs(mirrored(orbit)) > 0.1
    for om, without in ((orbit.model.parameters["om"], True), (1.08, False)):
        period = 2 * math.pi / om
        start = {name: value + 1e-3 for name, value in point.orbit.start.items()}
        time = point.orbit.start_time * point.value / om
        run = ss.simulate(relay(om), time + 1200 * period, start_time=time, start=start)
        x = ss.interpolate(run, np.linspace(run.time.values[-1] - period, run.time.values[-1], 4000))["x"].values
        assert bool(abs(x.max() + x.min()) > 1e-2) is without
        if without:
            extremes = branch.extremes[branch.points.index(orbit)][:, 0]
            assert sorted(abs(extremes)) == pytest.approx(sorted([-x.min(), x.max()]), abs=1e-3)


def test_a_pitchfork_met_from_the_side() -> None:
    """An orbit that sticks longer on one side than on the other meets its mirror image in a symmetric one."""
    orbit = ss.find_orbit(ss.models.forced_oscillator("II", eta=0.5, u0=8.0, v0=0.0))
    branch = ss.follow(orbit, "base.eta", to=0.4)
    (point,) = branch.of_kind("branch point")
    assert point.value == pytest.approx(0.47812036, abs=5e-9) and point.note == "pitchfork"
    assert point.orbit.multipliers[0] == pytest.approx(1, abs=1e-9)
    assert [p.value for p in branch.of_kind("fold")] == pytest.approx([0.5815224771], abs=1e-9)
    # The other branch is symmetric, and goes on to where the first does not.
    other = ss.follow(point, "base.eta", to=0.4)
    assert other.reason == "The branch reached base.eta = 0.4." and other.special == ()
    assert all(orbit.phases.durations[:2] == pytest.approx(orbit.phases.durations[2:], abs=1e-8) for orbit in other)
    assert np.all(other.stable)
    # From above the symmetric orbit itself leads to the same point, and loses its stability there.
    above = ss.follow(ss.find_orbit(orbit.model.with_({"base.eta": 0.62})), "base.eta", to=0.47)
    assert above.of_kind("branch point")[0].value == pytest.approx(point.value, abs=1e-11)
    for eta, same in ((0.482, False), (0.474, True)):
        model, period = orbit.model.with_({"base.eta": eta}), 2 * math.pi / eta
        begin = point.orbit.start_time * point.value / eta
        run = ss.simulate(model, begin + 900 * period, start_time=begin, start=point.orbit.start | {"x.block": 6.4})
        lengths = np.diff(run.event_time.values)[run.event_after.values[:-1] == 0][-2:]
        assert bool(abs(lengths[0] - lengths[1]) < 1e-4) is same


def test_a_contact_that_never_moves_hides_nothing() -> None:
    """Its velocity is zero all the time: one equation less, or the determinant has no sign."""
    model = ss.Filippov(
        ("x", "v", "w"),
        f=lambda x, v, w: (v, -0.2 * v - x - x**3, 0.2 - w),
        G=lambda: ((0.0, 0.0), (26.0, 0.0), (0.0, 1.0)),
        h=lambda w, t, om=1.2: (math.sin(om * t), w),
        contacts=("push", "hold"),
    )
    branch = ss.follow(ss.find_orbit(model, [-0.7, 5.6, 0.0]), "om", to=1.0)
    assert [point.value for point in branch.special] == pytest.approx([SYMMETRIC[0][1]], abs=1e-10)


@pytest.mark.parametrize("detuning", [0.0, 1e-3])
def test_two_multipliers_at_once(detuning: float) -> None:
    """Two oscillators beside each other, equal or nearly so: no determinant changes its sign where both branch."""
    model = ss.Filippov(
        ("x", "v", "y", "w"),
        f=lambda x, v, y, w, e=detuning: (v, -0.2 * v - x - x**3, w, -0.2 * w - y - (1 + e) * y**3),
        G=lambda: (0.0, 26.0, 0.0, 26.0),
        h=lambda t, om=1.2: math.sin(om * t),
    )
    branch = ss.follow(ss.find_orbit(model, [-0.7, 5.63, -0.7, 5.63]), "om", to=1.04)
    assert branch.special[-1].value == pytest.approx(SYMMETRIC[0][1], abs=1e-8)
    assert len(branch.special) == (1 if detuning == 0 else 2)
    assert ("several multipliers at once" in branch.special[0].note) is (detuning == 0)
    assert branch.stable[0] and not branch.stable[-1]


def test_two_flips_within_one_step() -> None:
    """The multiplier is a little beyond −1 for a moment; both ends of a step see nothing of it."""
    third = ss.follow(ss.find_orbit(relay(push=20.3)), "om", to=0.65, step=0.1).of_kind("branch point")[2]
    for step in (0.03, 0.1):
        flips = ss.follow(third, "om", to=0.5, step=step, most=22).of_kind("flip")[:2]
        assert [point.value for point in flips] == pytest.approx([0.642672, 0.642154], abs=1e-6)
        orbit = ss.find_orbit(relay(0.5 * (flips[0].value + flips[1].value), 20.3), flips[0].orbit)
        assert -1.01 < min(orbit.multipliers.real) < -1


def test_a_branch_point_is_saved_with_its_branch(tmp_path) -> None:
    again = ss.load(symmetric().save(tmp_path / "branch.nc"))
    other = ss.follow(again.special[0], "om", to=1.0, most=4)
    assert abs(mirrored(other.points[-1])) > 1e-2
    with pytest.raises(ss.errors.OrbitError, match="a branch point cannot be followed in two parameters"):
        ss.follow(again.special[0], ("push", "om"), to=27.0)


# -- crossings of paths whose formula is known -----------------------------------------------------------------------


@dataclass
class Plane:
    """x₂ = c x₀, and a function of x₀ and p, the last unknown, that is zero along two curves."""

    function: object
    tolerance: float = 1e-12

    def residual(self, u):
        x, y, p = u
        value, by_x, by_p = self.function(x, p)
        return np.array([value, y - 0.5 * x]), np.array([[by_x, 0.0, by_p], [-0.5, 1.0, 0.0]])


def transcritical(x, p):
    return x * (x - p) + x**3, 2 * x - p + 3 * x**2, -x


def pitchfork(x, p):
    return p * x - x**3 + x**2 * p**2, p - 3 * x**2 + 2 * x * p**2, x + 2 * x**2 * p


@pytest.mark.parametrize(
    ("function", "slopes"), [(transcritical, [(0, 0, 1), (1, 0.5, 1)]), (pitchfork, [(0, 0, 1), (1, 0.5, 0)])]
)
def test_crossings_and_their_tangents(function, slopes) -> None:
    met = crossing(Plane(function), np.array([0.11, 0.04, -0.07]), np.ones(3))
    assert met is not None and met.u == pytest.approx([0, 0, 0], abs=1e-12)
    for wanted in slopes:
        direction = np.array(wanted, float) / np.linalg.norm(wanted)
        assert max(abs(direction @ tangent) for tangent in met.tangents) == pytest.approx(1, abs=1e-9)
    known = np.array(slopes[0], float)
    assert abs(met.along(known) @ known) > abs(met.across(known) @ known)


@pytest.mark.parametrize("gap", [1e-3, -1e-3])
def test_paths_that_pass_each_other_do_not_cross(gap: float) -> None:
    def imperfect(x, p):
        value, by_x, by_p = pitchfork(x, p)
        return value + gap, by_x, by_p

    assert crossing(Plane(imperfect), np.array([0.05, 0.03, -0.04]), np.ones(3)) is None


def test_a_single_point_is_no_crossing() -> None:
    isolated = Plane(lambda x, p: (x**2 + p**2, 2 * x, 2 * p))
    assert crossing(isolated, np.array([0.05, 0.03, -0.04]), np.ones(3)) is None
