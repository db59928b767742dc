"""What is given is told from what is computed: a parameter that is printed is no result that agrees."""

import pytest

from stickslip.papers import paper
from stickslip.papers.found import PARAMETER, rows

GIVEN = {
    "leine1998": {
        "fig2": {"1", "3", "0.2"},  # m, k, F_s; δ; v_dr
        "fig3": {"1e6"},  # ε
        "fig4": {"1e6", "1e-6", "1e-8", "1.1", "0", "12"},  # ε, η, tolerance, x₀, T₀
        "fig5": {"0.1", "2"},  # a, β
        "fig6": {"0.1", "2", "10"},  # a, β, b
        "fig8": {"50", "7850", "79.6e9", "0.5", "1"},  # Appendix B
    },
    "vandevrande1999": {
        "fig2b": {"3"},  # γ
        "fig5": {"1.2", "1.3", "3", "1e5"},  # α, β, γ, ε
        "fig6b": {"0.05", "4.2", "0.5"},  # ζ, θ, μ/μ₀
        "table1": {"200"},  # N
        "table4": {"200"},
    },
    "hinrichs1998": {
        "fig3": {"0.25", "0.4", "0.3", "1.42", "0.1", "0.01"},
        "fig4": {"0", "1"},  # D, ω₀
        "fig6": {"10", "8"},
        "fig7": {"10", "8"},
        "fig22": {"24", "15", "0.0005", "0.001", "0.002"},
        "fig23": {"0.02"},
        "fig30": {"300"},
        "fig31b": {"5.632", "5610", "0.768", "14", "4000000", "400", "0.8", "0.55", "0.001", "0.0005", "0.015"},
    },
}
"""Numbers that the texts give as data of a figure, by paper and item."""

QUICK = [("leine1998", "fig2"), ("leine1998", "fig5"), ("vandevrande1999", "fig6b"), ("hinrichs1998", "fig3")]
"""Items that take a moment, beside those that other tests recompute."""


@pytest.mark.parametrize(("key", "name"), [(key, name) for key, items in GIVEN.items() for name in items])
def test_data_of_a_figure_are_parameters(key: str, name: str) -> None:
    (item,) = paper(key).choose([name])
    assert {each.number for each in item.printed if each.quantity.startswith(PARAMETER)} == GIVEN[key][name]


@pytest.mark.parametrize(("key", "name"), [*QUICK, ("hinrichs1998", "fig4")])
def test_they_are_read_back_from_the_model_that_was_run(key: str, name: str) -> None:
    (item,) = paper(key).choose([name])
    table = rows(key, name, item.printed, item.recompute(True).values)
    given = [row for row in table if row.is_parameter and row.printed is not None]
    assert given and all(row.agrees for row in given)
