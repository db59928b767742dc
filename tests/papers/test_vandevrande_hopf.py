"""vandevrande1999: Hopf points of smoothed systems, Tables 2 and 5, to the digits printed."""

import pytest

import stickslip as ss
from stickslip.branches.follow import follow

TABLE_2 = {1e2: "5.19e-02", 1e3: "1.52e-02", 1e4: "4.67e-03", 1e5: "1.46e-03", 1e6: "4.61e-04"}
"""ε, and the belt speed V_dr of the supercritical Hopf point of the block on a belt."""

TABLE_5 = {
    1.0: ("1.02e+00", "3.76e+00"),
    1e-1: ("1.00e-01", "3.93e-01"),
    1e-2: ("1.00e-02", "3.98e-02"),
    1e-3: ("1.00e-03", "3.99e-03"),
    1e-4: ("1.00e-04", "4.00e-04"),
}
"""κ, and the speeds η of the supercritical and of the subcritical Hopf point of the drill string."""


@pytest.mark.parametrize("eps", TABLE_2)
def test_table_2(eps):
    (rest,) = ss.find_equilibria(ss.models.block_on_belt().smoothed(eps))
    (point,) = follow(rest, "belt.speed", to=1e-5).special
    assert f"{point.value:.2e}" == TABLE_2[eps]
    assert point.kind == "Hopf" and point.note.startswith("supercritical")


@pytest.mark.parametrize("kappa", TABLE_5)
def test_table_5(kappa):
    model = ss.models.drill_string(eta=5 * kappa).smoothed(1 / kappa, "quartic_one_sided")
    (rest,) = ss.find_equilibria(model)
    branch = follow(rest, "table.speed", to=kappa / 2)
    backwards, onset = branch.special
    assert [point.kind for point in branch.special] == ["Hopf", "Hopf"]
    assert (f"{onset.value:.2e}", f"{backwards.value:.2e}") == TABLE_5[kappa]
    assert onset.note.startswith("supercritical") and backwards.note.startswith("subcritical")
    for point in (onset, backwards):
        # Measured from steady drilling, ψ = −θη(η − 4κ)³/27κ⁴.
        eta = point.value
        expected = -4.2 * eta * (eta - 4 * kappa) ** 3 / (27 * kappa**4)
        assert point.orbit.state["x.twist"] == pytest.approx(expected, rel=1e-9)
