"""The block on a belt, smoothed by an arctangent: Figures 2b and 3, Tables 1 and 2."""

from __future__ import annotations

from functools import cache

import numpy as np

import stickslip as ss
from stickslip.papers.found import PARAMETER, Found, Value, parameters
from stickslip.papers.panel import name_panel
from stickslip.papers.vandevrande1999.beside import SAMPLES, draw_orbits, draw_printed, draw_rest, error
from stickslip.plot.style import SERIES

EPSILONS = (1e2, 1e3, 1e4, 1e5, 1e6)
"""The columns of Tables 1 and 2; the figures show the first three."""

SPEED = "belt.speed"
GAMMA = 3.0


@cache
def orbit(eps: float | None) -> ss.Orbit:
    """The cycle at V_dr = 0.2, smoothed with Eq. (4) or, without ε, that of Eq. (3) itself."""
    model = ss.models.block_on_belt(v_dr=0.2, delta=GAMMA)
    return ss.find_orbit(model) if eps is None else ss.find_orbit(model, orbit(None), method=ss.Smoothing(eps))


@cache
def rest(eps: float | None) -> ss.Branch:
    """The equilibrium, Eq. (6), from V_dr = 0.2 to nearly none."""
    model = ss.models.block_on_belt(v_dr=0.2, delta=GAMMA)
    (start,) = ss.find_equilibria(model if eps is None else model.smoothed(eps))
    return ss.follow(start, SPEED, to=1e-4)


def friction(eps: float | None, v: np.ndarray) -> np.ndarray:
    """F* of Eqs. (3) and (4): what accelerates the block at X = 0."""
    model = ss.models.block_on_belt(v_dr=0.2, delta=GAMMA)
    field = ss.Field.of(model if eps is None else model.smoothed(eps))
    return np.array([field.evaluate([0.0, 0.2 + each]).rate[1] for each in v])


def fig2b(quick: bool) -> Found:
    """Figure 2b, Eqs. (3) and (4): friction over the relative velocity; the slope at rest is −2ε/π."""
    v = np.linspace(-0.2, 0.2, 800)  # rest is not among them
    (ax,) = ss.plot.panels(width=6.0, height=4.0)
    exact = friction(None, v)
    ax.plot([*v[v < 0], 0, 0, *v[v > 0]], [*exact[v < 0], 1, -1, *exact[v > 0]], "k", linewidth=3, alpha=0.35)
    values = []
    for eps, color in zip(EPSILONS[:3], SERIES, strict=False):
        ax.plot(v, friction(eps, v), color=color, label=f"ε = {eps:g}")
        step = 1e-4 / eps
        ends = friction(eps, np.array([step, -step]))
        values.append(
            Value("slope at V_rel = 0, over ε", float(ends[0] - ends[1]) / (2 * step * eps), 1e-6, {"ε": eps})
        )
    ax.set(xlabel="relative velocity $V_\\mathrm{rel}$", ylabel="friction $F^*$")
    ax.legend(frameon=False)
    largest = float(np.max(np.abs(orbit(None).data["slip_velocity"])))
    values += [
        Value("largest |V_rel|", largest, 1e-6, {"V_dr": 0.2}),
        Value("smallest μ/μ₀", 1 / (1 + GAMMA * largest), 1e-6, {"V_dr": 0.2}),
        *parameters(orbit(None).model, {"γ": "contact.delta"}),
    ]
    return Found(ax, values)


def fig3(quick: bool) -> Found:
    """Figure 3: (a) periodic solutions at V_dr = 0.2, (b) max|X| over V_dr, with the equilibria of Eq. (6)."""
    names = {f"ε = {eps:g}": eps for eps in EPSILONS[:3]}
    left, right = panels = ss.plot.panels(2)
    draw_orbits(left, orbit(None), {name: orbit(eps) for name, eps in names.items()}, "x.block", "v.block")
    step = 0.08 if quick else 0.03
    branches = {name: ss.follow(orbit(eps), SPEED, to=1e-3, step=step) for name, eps in names.items()}
    exact = ss.follow(orbit(None), SPEED, to=1e-3, step=step)
    right.plot(exact.values, np.abs(exact.extremes[:, :, 0]).max(axis=1), "k", linewidth=3, alpha=0.35)
    ss.plot.branch(branches, "max |x.block|", ax=right)
    draw_rest(right, rest(None), "#999999", width=3)
    left.plot(rest(None).extremes[0, 0, 0], 0, "kx")
    for eps, color in zip(EPSILONS[:3], SERIES, strict=False):
        left.plot(rest(eps).extremes[0, 0, 0], 0, "x", color=color)
        draw_rest(right, rest(eps), color)
    values = [value for eps in (None, *EPSILONS[:3]) for value in _of_cycle(eps)]
    for eps, branch in zip(EPSILONS, branches.values(), strict=False):
        followed = branch.of_kind("Hopf")
        born = (followed or rest(eps).of_kind("Hopf"))[0].value
        ours = "is followed down to it" if followed else "stops short of it, among canards"
        note = f"The branch {ours}; that of the paper stops short of it."
        values.append(Value("V_dr at which the cycle is born", born, 1e-10, {"ε": eps}, note))
    stability = "stable" if rest(None).stable.any() else "unstable"
    values.append(Value("equilibrium of the discontinuous model", stability))
    left.set(xlabel="displacement $X$", ylabel="velocity $X'$")
    left.legend(frameon=False, fontsize=8)
    right.set(xlabel="belt velocity $V_\\mathrm{dr}$", ylabel="maximum of $|X|$")
    name_panel(left, "(a) $V_\\mathrm{dr}$ = 0.2", legend=True)
    name_panel(right, "(b)")
    return Found(panels, values)


def _of_cycle(eps: float | None) -> list[Value]:
    """Stability and period of the cycle at V_dr = 0.2."""
    at: dict[str, float | str] = {"ε": "exact" if eps is None else eps}
    return [
        Value("periodic solution at V_dr = 0.2", "stable" if orbit(eps).stable else "unstable", at=at),
        Value("period at V_dr = 0.2", orbit(eps).period, 1e-9 if eps is None else 1e-7, at),
    ]


def table1(quick: bool) -> Found:
    """Table 1: the error e of Eq. (5) by ε."""
    errors = {eps: error(orbit(eps), orbit(None), "block") for eps in EPSILONS}
    order = np.polyfit(np.log10(EPSILONS[2:]), np.log10([errors[eps] for eps in EPSILONS[2:]]), 1)[0]
    values = [Value("e", e, 1e-6, {"ε": eps}) for eps, e in errors.items()]
    values.append(Value("slope of log e over log ε for ε ≥ 10⁴", float(order), 0.02))
    values += [Value("period", orbit(eps).period, 1e-7, {"ε": eps}) for eps in EPSILONS]
    values.append(Value("period", orbit(None).period, 1e-10, {"ε": "exact"}))
    values.append(Value(f"{PARAMETER}N", SAMPLES))
    (ax,) = ss.plot.panels(width=6.0, height=4.0)
    ax.loglog(errors.keys(), errors.values(), "o-", label="recomputed")
    draw_printed(ax, "table1", "e", "ε")
    ax.set(xlabel="accuracy parameter ε", ylabel="error $e$ of the periodic solution, Eq. (5)")
    ax.legend(frameon=False)
    return Found(ax, values)


def table2(quick: bool) -> Found:
    """Table 2: Hopf points of the equilibrium by ε. As ε grows they go to V_dr = 0 like √(2/πγε)."""
    points = {eps: rest(eps).of_kind("Hopf")[0] for eps in EPSILONS}
    values = []
    for eps, point in points.items():
        values.append(Value("V_dr", point.value, 1e-12, {"ε": eps}))
        values.append(Value("Hopf point", point.note.split(",")[0].replace("critical", "-critical"), at={"ε": eps}))
    note = "Without smoothing the equilibrium is unstable for every V_dr."
    values.append(Value("Hopf points", len(rest(None).of_kind("Hopf")), at={"ε": "exact"}, note=note))
    (ax,) = ss.plot.panels(width=6.0, height=4.0)
    steepness = np.geomspace(30, 3e6, 100)
    limit = np.sqrt(2 / (np.pi * GAMMA * steepness))
    ax.loglog(steepness, limit, color="#999999", linewidth=1, label="$\\sqrt{2/\\pi\\gamma\\varepsilon}$")
    ax.loglog(list(points), [point.value for point in points.values()], "o", label="recomputed")
    draw_printed(ax, "table2", "V_dr", "ε")
    ax.set(xlabel="accuracy parameter ε", ylabel="Hopf point $V_\\mathrm{dr}$")
    ax.legend(frameon=False)
    return Found(ax, values)
