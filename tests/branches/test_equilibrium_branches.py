"""Equilibria followed along a parameter, and their Hopf points and folds along two."""

import numpy as np
import pytest

import stickslip as ss
from stickslip import follow


def flow(states, f):
    """A smooth system: its contact is far away and does nothing."""
    nothing = (0.0,) * len(states)
    return ss.Filippov(states, f=f, G=lambda: nothing, h=lambda x: x + 100.0)


def cubic(r=1.0, c=-2.0):
    return flow(("x",), lambda x, r=1.0, c=-2.0: (c + r * x - x**3,)).with_({"r": r, "c": c})


def takens(b1=-0.5, b2=-1.0):
    return flow(("x", "y"), lambda x, y, b1=-0.5, b2=-1.0: (y, b1 + b2 * y + x * x - x * y)).with_(
        {"b1": b1, "b2": b2}
    )  # fmt: skip


def smoothed_block(eps=1e2):
    (rest,) = ss.find_equilibria(ss.models.block_on_belt().smoothed(eps))
    return rest


def test_points_of_a_branch_are_equilibria():
    (rest,) = ss.find_equilibria(ss.models.block_on_belt())
    branch = follow(rest, "belt.speed", to=1.0)
    assert branch.reason == "The branch reached belt.speed = 1." and branch.values[-1] == 1.0
    for point in branch:
        speed = point.model.parameters["belt.speed"]
        assert point.state["x.block"] == pytest.approx(1 / (1 + 3 * speed), abs=1e-12)
    assert branch.extremes[-1, :, 0] == pytest.approx([0.25, 0.25])
    assert not branch.stable.any() and np.isnan(branch.periods).all() and branch.special == ()


def test_slip_ends_where_the_belt_stops():
    (rest,) = ss.find_equilibria(ss.models.block_on_belt())
    branch = follow(rest, "belt.speed", to=-0.1)
    (end,) = branch.special
    assert end.kind == "boundary equilibrium" and end.value == pytest.approx(0, abs=1e-14)
    assert end.orbit.state["x.block"] == pytest.approx(1, abs=1e-12)
    assert "it stops sliding" in branch.reason


def test_a_sliding_mode_ends_at_the_static_limit():
    relay = ss.Filippov(("x", "y"), f=lambda x, y, c=0.3: (c - x, 2 * c), G=lambda: (0.0, 1.0), h=lambda y: y)
    (rest,) = ss.find_equilibria(relay)
    branch = follow(rest, "c", to=(-2.0, 2.0))
    assert [point.kind for point in branch.special] == ["boundary equilibrium"] * 2
    assert [point.value for point in branch.special] == pytest.approx([-0.5, 0.5], abs=1e-13)
    assert "its force reaches the static limit" in branch.reason


def test_hopf_point_of_a_smoothed_block():
    """d/dV of arctan(εV)/(1 + γV) vanishes there."""
    branch = follow(smoothed_block(), "belt.speed", to=1e-3)
    (point,) = branch.special
    V = point.value
    slope = 1e2 / (1 + (1e2 * V) ** 2) / (1 + 3 * V) - 3 * np.arctan(1e2 * V) / (1 + 3 * V) ** 2
    assert slope == pytest.approx(0, abs=1e-11)
    assert point.kind == "Hopf" and point.numbers["omega"] == pytest.approx(1, abs=1e-12)
    assert point.note.startswith("supercritical, l1 = -576.6") and point.numbers["l1"] < 0
    assert list(branch.stable) == sorted(branch.stable)
    assert repr(point) == "<Hopf at belt.speed = 0.05187132436>"
    assert "eigenvalues" in branch.table() and "supercritical" in branch.table()


def test_branches_of_equilibria_as_data(tmp_path):
    branch = follow(smoothed_block(), "belt.speed", to=1e-3)
    data = branch.data
    assert data["minimum"].values == pytest.approx(data["maximum"].values)
    assert list(data["special_kind"].values) == ["Hopf"] and "supercritical" in str(data["special_note"].values[0])
    assert str(data["signature"].values[0]) == "free"
    again = ss.load(ss.save(branch, tmp_path / "branch.nc"))
    assert again.data.equals(data) and again.endings == branch.endings and again.values[-1] == branch.values[-1]
    assert again.special[0].numbers == branch.special[0].numbers and again.special[0].orbit.kind == "slip"
    for kept, point in zip(again.points, branch.points, strict=True):
        assert (kept.state, kept.mode, kept.force, kept.stable) == (point.state, point.mode, point.force, point.stable)


def test_pairs_that_cross_together_are_all_found():
    """Every mode of the chain loses its damping at the same speed, that of the single block."""
    (rest,) = ss.find_equilibria(ss.models.chain(4).smoothed(1e2))
    points = follow(rest, "belt.speed", to=1e-3).of_kind("Hopf")
    assert [point.value for point in points] == pytest.approx([0.05187132436396626] * 4, abs=1e-12)
    assert [point.numbers["omega"] for point in points] == pytest.approx(
        [np.sqrt(3 - 2 * np.cos(np.pi * k / 4)) for k in (3, 2, 1, 0)], abs=1e-10
    )


def test_a_neutral_saddle_is_no_hopf_point():
    """Eigenvalues μ + 1 and −1 have the sum zero at μ = 0."""
    model = flow(("x", "y"), lambda x, y, mu=-0.5: ((mu + 1) * x, -y))
    (rest,) = ss.find_equilibria(model)
    assert follow(rest, "mu", to=0.5).special == ()


def test_a_conservative_system_has_no_hopf_points():
    mass, belt = ss.Mass("mass", m=1.0), ss.Belt("belt", speed=1.0)
    model = ss.System(ss.Spring(mass, ss.ground, k=1.0), ss.Contact(mass, belt, law=ss.Coulomb(mu_s=1.0), normal=1.0))
    (rest,) = ss.find_equilibria(model)
    branch = follow(rest, "belt.speed", to=3.0)
    assert branch.special == () and branch.stable.all()


def test_folds_of_a_cubic():
    (rest,) = ss.find_equilibria(cubic())
    branch = follow(rest, "c", to=2.0)
    limit = 2 / (3 * np.sqrt(3))
    assert [point.kind for point in branch.special] == ["fold", "fold"]
    assert [point.value for point in branch.special] == pytest.approx([limit, -limit], abs=1e-14)
    assert branch.special[0].orbit.state["x"] == pytest.approx(-1 / np.sqrt(3), abs=1e-14)
    assert branch.values[-1] == 2.0


def test_pitchfork_and_the_branch_that_bifurcates():
    (rest,) = ss.find_equilibria(cubic(r=-1.0, c=0.0))
    (point,) = follow(rest, "r", to=2.0).special
    assert point.kind == "branch point" and point.value == pytest.approx(0, abs=1e-12)
    other = follow(point, "r", to=2.0)
    assert abs(other.points[-1].state["x"]) == pytest.approx(np.sqrt(2), abs=1e-12)
    assert other.stable[1:].all()  # at the branch point itself an eigenvalue is zero


def test_a_pitchfork_from_the_side_and_both_sides_of_it():
    rest = max(ss.find_equilibria(cubic(r=1.0, c=0.0)), key=lambda e: e.state["x"])
    branch = follow(rest, "r", to=-1.0)
    (point,) = branch.special
    assert point.kind == "branch point" and point.value == pytest.approx(0, abs=1e-12)
    assert branch.points[-1].state["x"] == pytest.approx(-np.sqrt(3), abs=1e-12)  # the mirror image, at r = 3
    straight = follow(point, "r", to=-1.0)
    assert [abs(e.state["x"]) for e in straight] == pytest.approx([0] * len(straight), abs=1e-9)
    (rest,) = ss.find_equilibria(cubic(r=-1.0, c=0.0))
    (point,) = follow(rest, "r", to=2.0).special
    both = ss.follow(point, "r", to=(-1.0, 2.0))
    ends = sorted([both.points[0].state["x"], both.points[-1].state["x"]])
    assert ends == pytest.approx([-np.sqrt(2), np.sqrt(2)], abs=1e-12)


def test_transcritical_branch():
    model = flow(("x",), lambda x, r=-1.0: (r * x - x * x,))
    rest = min(ss.find_equilibria(model), key=lambda e: abs(e.state["x"]))
    (point,) = follow(rest, "r", to=1.0).of_kind("branch")
    other = follow(point, "r", to=0.5)
    assert other.points[-1].state["x"] == pytest.approx(0.5, abs=1e-12)


def test_hopf_points_of_a_smoothed_block_along_two_parameters():
    (point,) = follow(smoothed_block(), "belt.speed", to=1e-3).special
    curve = follow(point, ("contact.eps", "belt.speed"), to=1e6)
    assert curve.values[-1] == 1e6 and curve.special == ()
    for eps, V in zip(curve.values, curve.along("belt.speed"), strict=True):
        # (1 + γV) ε/(1 + ε²V²) = γ arctan(εV)
        assert (1 + 3 * V) * eps / (1 + (eps * V) ** 2) == pytest.approx(3 * np.arctan(eps * V), rel=1e-9)
    (alone,) = follow(smoothed_block(1e6), "belt.speed", to=1e-5).special
    assert curve.along("belt.speed")[-1] == pytest.approx(alone.value, rel=1e-12)


def test_folds_along_two_parameters_meet_in_a_cusp():
    (rest,) = ss.find_equilibria(cubic())
    fold = follow(rest, "c", to=2.0).special[0]
    curve = follow(fold, ("r", "c"), to=-1.0)
    assert np.abs(curve.along("c")) == pytest.approx(2 * (curve.along("r") / 3) ** 1.5, abs=1e-10)
    (cusp,) = curve.special
    assert cusp.kind == "cusp" and cusp.value == pytest.approx(0, abs=1e-10)
    assert curve.along("c")[-1] < 0  # the other fold


def test_hopf_points_change_their_criticality_at_a_bautin_point():
    model = flow(
        ("x", "y"),
        lambda x, y, mu=-0.5, s=-1.0: (
            mu * x - 2 * y + s * x * (x * x + y * y) - x * (x * x + y * y) ** 2,
            2 * x + mu * y + s * y * (x * x + y * y) - y * (x * x + y * y) ** 2,
        ),
    )
    (point,) = follow(ss.find_equilibria(model, guess=[0, 0])[0], "mu", to=1.0).of_kind("Hopf")
    (bautin,) = follow(point, ("s", "mu"), to=1.0).special
    assert bautin.kind == "Bautin" and bautin.value == pytest.approx(0, abs=1e-12)


def test_hopf_points_end_at_a_bogdanov_takens_point():
    """Hopf points of the normal form: b2 = x, b1 = −x², x < 0."""
    stable = min(ss.find_equilibria(takens()), key=lambda e: e.state["x"])
    (point,) = follow(stable, "b2", to=(-3.0, 3.0)).of_kind("Hopf")
    assert point.value == pytest.approx(-np.sqrt(0.5), abs=1e-13)
    curve = follow(point, ("b1", "b2"), to=1.0)
    assert curve.along("b2") ** 2 == pytest.approx(-curve.along("b1"), abs=1e-10)
    assert curve.special[-1].kind == "Bogdanov–Takens" and curve.special[-1].value == pytest.approx(0, abs=1e-8)
    assert "their frequency is zero there" in curve.reason


def test_folds_pass_a_bogdanov_takens_point():
    stable = min(ss.find_equilibria(takens()), key=lambda e: e.state["x"])
    (fold,) = follow(stable, "b1", to=1.0).of_kind("fold")
    (point,) = follow(fold, ("b2", "b1"), to=1.0).special
    assert point.kind == "Bogdanov–Takens" and point.value == pytest.approx(0, abs=1e-12)


def test_tabulated_laws_have_hopf_points_of_unknown_kind():
    mass, belt = ss.Mass("mass", m=1.0), ss.Belt("belt", speed=0.5)
    law = ss.Tabulated([0, 0.5, 1, 2, 3], [1.0, 0.9, 0.7, 0.65, 0.8])
    model = ss.System(
        ss.Spring(mass, ss.ground, k=1.0), ss.Damper(mass, ss.ground, c=0.1), ss.Contact(mass, belt, law=law)
    )
    (point,) = follow(ss.find_equilibria(model)[0], "belt.speed", to=2.5).special
    assert point.kind == "Hopf" and point.note.startswith("not decided") and np.isnan(point.numbers["l1"])
    with pytest.raises(ss.errors.OrbitError, match="a tabulated law has no second derivatives"):
        follow(point, ("damper.c", "belt.speed"), to=0.3)


def test_a_value_that_the_model_refuses_ends_the_branch():
    (rest,) = ss.find_equilibria(ss.models.drill_string())
    branch = follow(rest, "spring.k", to=-1.0)
    assert "must be" in branch.reason and branch.values[-1] < 1e-3


def test_wrong_input_is_answered_by_a_sentence():
    (rest,) = ss.find_equilibria(ss.models.block_on_belt())
    (interval,) = ss.find_equilibria(ss.models.coulomb_oscillator())
    with pytest.raises(ss.errors.OrbitError, match="fill an interval, which has no branch"):
        follow(interval, "spring.k", to=3)
    with pytest.raises(ss.errors.ModelError, match=r"there is no parameter 'belt\.sped' \(did you mean 'belt\.speed'"):
        follow(rest, "belt.sped", to=1)
    with pytest.raises(ss.errors.ModelError, match="3 is no name of a parameter"):
        follow(rest, 3, to=1)
    with pytest.raises(ss.errors.OrbitError, match="two different ones"):
        follow(rest, ("belt.speed", "belt.speed"), to=1)
    with pytest.raises(ss.errors.OrbitError, match="an equilibrium has no branch in two parameters"):
        follow(rest, ("belt.speed", "spring.k"), to=1)
    with pytest.raises(ss.errors.OrbitError, match=r"belt\.speed is 0\.2 already"):
        follow(rest, "belt.speed", to=0.2)
    with pytest.raises(ss.errors.OrbitError, match=r"belt\.speed is 0\.2, which is not between 1 and 2"):
        follow(rest, "belt.speed", to=(1, 2))
    with pytest.raises(ss.errors.OrbitError, match="give one value, or two"):
        follow(rest, "belt.speed", to=(0.1, 0.3, 0.5))
    with pytest.raises(ss.errors.ModelError, match="follow: to is 'far': it must be a number"):
        follow(rest, "belt.speed", to="far")
    end = follow(rest, "belt.speed", to=-0.1).special[0]
    with pytest.raises(ss.errors.OrbitError, match="a boundary equilibrium has no branch in two parameters"):
        follow(end, ("spring.k", "belt.speed"), to=2)
