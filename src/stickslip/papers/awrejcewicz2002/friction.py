"""The sign function, the two laws, and both smoothed by an arctangent: Figures 2 to 6."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import stickslip as ss
from stickslip.papers.found import Found, Value

EPSILONS = (1e0, 1e2, 1e4)
"""The slopes ε that Figures 5 and 6 show."""

LAWS = {"Stribeck": "stribeck", "peak": "hyperbolic"}
"""The two cases by their names in the paper, and in the library."""


def sign(v: NDArray[np.float64], eps: float) -> NDArray[np.float64]:
    """Eq. (5): the sign function as an arctangent."""
    return 2 / np.pi * np.arctan(eps * v)


def law_of(case: str) -> ss.FrictionLaw:
    """The friction law of a case."""
    contact = ss.models.block_and_pendulum(LAWS[case]).parts["contact"]
    assert isinstance(contact, ss.Contact) and isinstance(contact.law, ss.FrictionLaw)
    return contact.law


def coefficient(case: str, v: NDArray[np.float64]) -> NDArray[np.float64]:
    """μ/μ₀ of Eq. (6), the Stribeck case, or Eq. (7), the peak, at the speeds |v|."""
    law = law_of(case)
    return np.array([law.kinetic_value(abs(speed)) for speed in v])


def fig2(quick: bool) -> Found:
    """Figure 2, Eq. (5): the arctangent in place of the sign."""
    v = np.linspace(-1, 1, 2001)
    (ax,) = ss.plot.panels()
    for eps in (1e0, 1e1, 1e2, 1e4):
        ax.plot(v, sign(v, eps), label=f"ε = {eps:g}")
    ax.set(xlabel="relative velocity $v_\\mathrm{rel}$", ylabel="approximation of the sign")
    ax.legend(frameon=False)
    off = {eps: 1 - float(sign(np.array(0.1), eps)) for eps in EPSILONS}
    values = [Value("1 − sgn at v_rel = 0.1", each, 1e-12, {"ε": eps}) for eps, each in off.items()]
    return Found(ax, values)


def fig3(quick: bool) -> Found:
    """Figure 3, Eq. (6): the Stribeck curve."""
    return _law("Stribeck")


def fig4(quick: bool) -> Found:
    """Figure 4, Eq. (7): the peak."""
    return _law("peak")


def fig5(quick: bool) -> Found:
    """Figure 5: the Stribeck curve times Eq. (5)."""
    return _smoothed("Stribeck")


def fig6(quick: bool) -> Found:
    """Figure 6: the peak times Eq. (5); more of it is left than of the Stribeck curve."""
    found = _smoothed("peak")
    left = {case: _largest(case, EPSILONS[-1]) for case in LAWS}
    better = Value("the law that is approximated better", max(left, key=lambda case: left[case]))
    return Found(found.picture, [*found.values, better])


def _largest(case: str, eps: float) -> float:
    """The largest μ/μ₀ that the arctangent leaves."""
    v = np.geomspace(1e-6, 1.0, 4001)
    return float((coefficient(case, v) * sign(v, eps)).max())


def _law(case: str) -> Found:
    law = law_of(case)
    speeds = np.linspace(0, 0.1 if case == "Stribeck" else 20, 401)
    values = [
        Value("μ/μ₀ at rest", law.static_value()),
        Value("μ/μ₀ at the speed of the belt", law.kinetic_value(2.0), 1e-12),
    ]
    ax = ss.plot.characteristic({f"{case} curve": law}, speeds)
    ax.set_ylabel("friction coefficient $\\mu/\\mu_0$")
    return Found(ax, values)


def _smoothed(case: str) -> Found:
    """Both curves near rest, where they differ, and the largest friction that is left of the peak."""
    reach = 0.08 if case == "Stribeck" else 1.0
    v = np.linspace(-reach, reach, 4001)
    (ax,) = ss.plot.panels()
    values = []
    for eps in EPSILONS:
        smoothed = coefficient(case, v) * sign(v, eps)
        ax.plot(v, smoothed, label=f"ε = {eps:g}")
        values.append(Value("largest μ/μ₀", _largest(case, eps), 1e-5, {"ε": eps}))
    for side in (-1, 1):
        mine = v * side > 0
        ax.plot(v[mine], side * coefficient(case, v)[mine], "k--", linewidth=1, label="exact" if side > 0 else None)
    ax.set(xlabel="relative velocity $v_\\mathrm{rel}$", ylabel="μ/μ₀ · sgn")
    ax.set_title(f"{case} curve", loc="left")
    ax.legend(frameon=False)
    return Found(ax, values)
