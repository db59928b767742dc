"""The drill string, smoothed by a quartic: Figures 6b and 7, Tables 4 and 5."""

from __future__ import annotations

from functools import cache

import numpy as np

import stickslip as ss
from stickslip.papers.found import PARAMETER, Found, Value
from stickslip.papers.panel import name_panel
from stickslip.papers.vandevrande1999.beside import SAMPLES, draw_orbits, draw_printed, draw_rest, error, printed
from stickslip.plot.style import SERIES, STICK

KAPPAS = (1e0, 1e-1, 1e-2, 1e-3, 1e-4)
"""The columns of Tables 4 and 5; the figures show the first three."""

SHAPE = "quartic_one_sided"
"""Eq. (18)."""

SPEED = "table.speed"
ZETA, THETA = 0.05, 4.2
FARTHEST = {None: 6.0, 1e0: 14.0, 1e-1: 8.0, 1e-2: 6.0}
"""The table speed η to which the cycle is followed, by κ: beyond where it turns back."""


@cache
def orbit(kappa: float | None) -> ss.Orbit:
    """The cycle at η = 4, smoothed or, without κ, that of Eq. (17) itself."""
    model = ss.models.drill_string(eta=4.0, zeta=ZETA, theta=THETA)
    if kappa is None:
        return ss.find_orbit(model)
    return ss.find_orbit(model, orbit(None), method=ss.Smoothing(1 / kappa, SHAPE))


@cache
def rest(kappa: float | None) -> ss.Branch:
    """The equilibrium, Eq. (20), from 5κ to nearly no speed; beyond 4κ, and without smoothing, it is at ψ = 0."""
    eta = 14.0 if kappa is None else 5 * kappa
    model = ss.models.drill_string(eta=eta, zeta=ZETA, theta=THETA)
    (start,) = ss.find_equilibria(model if kappa is None else model.smoothed(1 / kappa, SHAPE))
    return ss.follow(start, SPEED, to=eta / 500)


def torque(kappa: float | None, speed: np.ndarray) -> np.ndarray:
    """T/k of Eqs. (13) and (18) over the speed φ₁′ = η − ψ′ of the bit: at ψ = 0 what is left of ψ″ is −T/k − θ."""
    model = ss.models.drill_string(eta=4.0, zeta=ZETA, theta=THETA)
    field = ss.Field.of(model if kappa is None else model.smoothed(1 / kappa, SHAPE))
    rates = np.array([field.evaluate([0.0, 4.0 - each]).rate[1] for each in speed])
    return -(rates + 2 * ZETA * (4.0 - speed) + THETA)


def fig6b(quick: bool) -> Found:
    """Figure 6b, Eqs. (13) and (18): the friction torque over the speed of the bit. The quartic has its peak at κ."""
    speed = np.geomspace(1e-5, 6, 600)
    (ax,) = ss.plot.panels(width=6.0, height=4.0)
    exact = torque(None, speed)
    ax.plot([0, 0, *speed], [2 * THETA, -2 * THETA, *exact], "k", linewidth=3, alpha=0.35)
    values = [Value("T/k in slip", float(exact[0]), 1e-12, {"κ": "exact"})]
    for kappa, color in zip(KAPPAS[:3], SERIES, strict=False):
        ax.plot(speed, torque(kappa, speed), color=color, label=f"κ = {kappa:g}")
        peak, end = torque(kappa, kappa * np.array([1.0, 4.0]))
        values.append(Value("T/k at φ₁′ = κ", float(peak), 1e-12, {"κ": kappa}))
        values.append(Value("T/k at φ₁′ = 4κ", float(end), 1e-12, {"κ": kappa}))
    ax.set(xlabel="speed of the bit $\\varphi_1'$", ylabel="friction torque $T/k$", xlim=(-0.2, 6))
    ax.legend(frameon=False)
    own = ss.models.drill_string(eta=4.0, zeta=ZETA, theta=THETA).parameters
    given = {"ζ": own["damper.c"] / 2, "θ": own["torque.theta"], "μ/μ₀": own["contact.mu_k"] / own["contact.mu_s"]}
    return Found(ax, values + [Value(PARAMETER + name, value) for name, value in given.items()])


@cache
def branch(kappa: float | None, quick: bool) -> ss.Branch:
    """The cycle from η = 4 both ways: down to where it is born, up to where it turns or ends, and a little beyond."""
    low = 0.06 if kappa is None else kappa / 2
    step, most = (0.03, 150) if quick else (0.015, 300)
    return ss.follow(orbit(kappa), SPEED, to=(low, FARTHEST[kappa]), step=step, most=most)


def fig7(quick: bool) -> Found:
    """Figure 7: (a) periodic solutions at η = 4, (b) max|ψ| over η, with the equilibria of Eq. (20)."""
    names = {f"κ = {kappa:g}": kappa for kappa in KAPPAS[:3]}
    left, right = panels = ss.plot.panels(2)
    draw_orbits(left, orbit(None), {name: orbit(kappa) for name, kappa in names.items()}, "x.twist", "v.twist")
    exact = branch(None, quick)
    right.plot(exact.values, np.abs(exact.extremes[:, :, 0]).max(axis=1), "k", linewidth=3, alpha=0.35)
    ss.plot.branch({name: branch(kappa, quick) for name, kappa in names.items()}, "max |x.twist|", ax=right)
    draw_rest(right, rest(None), "#999999", width=3)
    for kappa, color in zip(KAPPAS[:3], SERIES, strict=False):
        draw_rest(right, rest(kappa), color)
    values = [value for kappa in (None, *KAPPAS[:3]) for value in _of_cycle(kappa, quick)]
    values.append(Value("equilibrium of the discontinuous model", "stable" if rest(None).stable.all() else "unstable"))
    left.set(xlabel="relative angle $\\psi$", ylabel="velocity $\\psi'$")
    left.legend(frameon=False, fontsize=8)
    right.set(xlabel="table speed $\\eta$", ylabel="maximum of $|\\psi|$", xlim=(0, 14))
    name_panel(left, "(a) $\\eta$ = 4", legend=True)
    name_panel(right, "(b)")
    return Found(panels, values)


def _of_cycle(kappa: float | None, quick: bool) -> list[Value]:
    """Stability and period of the cycle at η = 4, and the largest η at which it exists."""
    at: dict[str, float | str] = {"κ": "exact" if kappa is None else kappa}
    found, followed = orbit(kappa), branch(kappa, quick)
    ends = [point for point in followed.special if point.kind in ("fold", "grazing-sliding")]
    last = max(ends, key=lambda point: point.value) if ends else None
    note = (
        f"By a {last.kind}."
        if last
        else "So far single shooting comes, towards the fold: beyond, neighbours part too fast."
    )
    return [
        Value("periodic solution at η = 4", "stable" if found.stable else "unstable", at=at),
        Value("period at η = 4", found.period, 1e-9 if kappa is None else 1e-7, at),
        Value(
            "largest η of the cycle",
            last.value if last else float(followed.values.max()),
            1e-8 if last else 1e-4,
            at,
            note,
        ),
    ]


def table4(quick: bool) -> Found:
    """Table 4: the error e of Eq. (19) by κ."""
    errors = {kappa: error(orbit(kappa), orbit(None), "twist") for kappa in KAPPAS}
    order = np.polyfit(np.log10(KAPPAS[2:]), np.log10([errors[kappa] for kappa in KAPPAS[2:]]), 1)[0]
    values = [Value("e", e, 1e-6, {"κ": kappa}) for kappa, e in errors.items()]
    values.append(Value("slope of log e over log κ for κ ≤ 10⁻²", float(order), 0.02))
    values += [Value("period", orbit(kappa).period, 1e-7, {"κ": kappa}) for kappa in KAPPAS]
    values.append(Value("period", orbit(None).period, 1e-10, {"κ": "exact"}))
    values.append(Value(f"{PARAMETER}N", SAMPLES))
    (ax,) = ss.plot.panels(width=6.0, height=4.0)
    ax.loglog(errors.keys(), errors.values(), "o-", label="recomputed")
    draw_printed(ax, "table4", "e", "κ")
    ax.set(xlabel="accuracy parameter κ", ylabel="error $e$ of the periodic solution, Eq. (19)")
    ax.legend(frameon=False)
    return Found(ax, values)


def table5(quick: bool) -> Found:
    """Table 5: Hopf points of the equilibrium by κ. As κ goes to 0 they go to κ and 4κ, peak and end of Eq. (18)."""
    values, found = [], {}
    for kappa in KAPPAS:
        onset, backwards = sorted(rest(kappa).of_kind("Hopf"), key=lambda point: point.value)
        found[kappa] = onset.value, backwards.value
        for name, point in (("η_super", onset), ("η_sub", backwards)):
            word = point.note.split(",")[0].replace("critical", "-critical")
            values += [
                Value(name, point.value, 1e-12, {"κ": kappa}),
                Value(f"Hopf point {name}", word, at={"κ": kappa}),
            ]
    note = "Without smoothing the equilibrium is stable for every η."
    values.append(Value("Hopf points", len(rest(None).of_kind("Hopf")), at={"κ": "exact"}, note=note))
    (ax,) = ss.plot.panels(width=6.0, height=4.0)
    kappas = np.array(KAPPAS)
    for column, (name, marker) in enumerate((("η_super", "o"), ("η_sub", "s"))):
        ratio = np.array([found[kappa][column] for kappa in KAPPAS]) / kappas
        ax.semilogx(kappas, ratio, f"{marker}-", label=f"$\\eta_\\mathrm{{{name[2:]}}}$")
    for name in ("η_super", "η_sub"):
        at, numbers = printed("table5", name, "κ")
        label = "printed" if name == "η_sub" else "_"
        ax.plot(at, np.array(numbers) / at, "x", color=STICK, markersize=8, markeredgewidth=1.8, label=label)
    ax.set(xlabel="accuracy parameter κ", ylabel="Hopf points η, over κ")
    ax.legend(frameon=False)
    return Found(ax, values)
