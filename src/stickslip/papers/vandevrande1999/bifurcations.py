"""The bifurcations of two blocks on a belt, smoothed and of the discontinuous system itself: Table 3."""

from __future__ import annotations

from functools import cache

import numpy as np

import stickslip as ss
from stickslip.papers.found import Found, Value
from stickslip.papers.vandevrande1999.beside import printed
from stickslip.papers.vandevrande1999.blocks import EPS, RANGE, SPEED, branches
from stickslip.plot.style import INK, SERIES, STICK

EPSILONS = (3e4, 1e5, 3e5, 1e6, 1e7, 1e8)
FEW = (3e4, 1e5, 1e6)
"""The accuracy parameters for which all ten are found, in full and quickly."""

SMOOTHED = 1e-8
"""Accuracy where friction is smoothed: the same values come out with other steps and tolerances."""


def bifurcations(eps: float | None, quick: bool) -> dict[str, tuple[ss.Branch, ss.SpecialPoint]]:
    """The ten of Table 3, each with its branch.

    They are told by the order in which they come along a branch. −4 begins at the flip of −2: two flips, then the two
    folds between which it turns back and forth, then the flip that ends its second stable part.
    """
    one, left, right, two, four = branches(eps, quick).values()
    low, high = sorted(one.of_kind("flip"), key=lambda point: point.value)
    (first,) = two.of_kind("flip")
    upper, middle, lower = four.of_kind("flip")
    turn, turn_again = four.of_kind("fold")
    return {
        "left flip of +1": (one, low),
        "right flip of +1": (one, high),
        "flip of +2 (left)": (left, left.of_kind("flip")[0]),
        "fold of +2 (right)": (right, right.of_kind("fold")[0]),
        "flip of −2": (two, first),
        "left flip of −4": (four, middle),
        "right flip of −4": (four, upper),
        "lowest flip of −4": (four, lower),
        "left fold of −4": (four, turn),
        "right fold of −4": (four, turn_again),
    }


def criticality(point: ss.SpecialPoint) -> str:
    """Of a flip: super-critical, if the orbit of twice the period is stable beside it."""
    doubled = ss.follow(point, SPEED, to=RANGE, most=3)
    return "super-critical" if doubled.points[1].stable else "sub-critical"


@cache
def found_again(name: str, quick: bool) -> float:
    """An exact bifurcation, come to from the other side: from the second orbit beyond it, both ways, in other steps."""
    branch, point = bifurcations(None, quick)[name]
    start = branch.points[min(point.after + 1, len(branch) - 1)]
    reach = 1.5 * abs(start.model.parameters[SPEED] - point.value)
    again = ss.follow(start, SPEED, to=(point.value - reach, point.value + reach), step=0.1)
    near = [each for each in again.of_kind(point.kind) if abs(each.orbit.period / point.orbit.period - 1) < 1e-3]
    return float(min((each.value for each in near), key=lambda value: abs(value - point.value)))


def table3(quick: bool) -> Found:
    """Table 3 for ε = 10⁵, and the bifurcations of Eqs. (8) and (9) themselves."""
    smooth, exact = bifurcations(EPS, quick), bifurcations(None, quick)
    values = []
    for name, (_, point) in smooth.items():
        values.append(Value(f"V_dr of the {name}", point.value, SMOOTHED, {"ε": EPS}))
        if point.kind == "flip":
            values.append(Value(name, criticality(point), at={"ε": EPS}))
    for name, (_, point) in exact.items():
        accuracy = max(abs(found_again(name, quick) - point.value), 1e-12)
        values.append(
            Value(f"V_dr of the {name}", point.value, accuracy, {"ε": "exact"}, _moved(smooth[name][1], point))
        )
    (ax,) = ss.plot.panels(width=7.2, height=4.6)
    places = np.arange(len(exact))[::-1]
    for (_, limit), (_, point), place in zip(exact.values(), smooth.values(), places, strict=True):
        ax.plot([point.value, limit.value], [place, place], color="#bbbbbb", zorder=1)
    ax.plot([point.value for _, point in exact.values()], places, "D", color=INK, label="discontinuous system")
    ax.plot([point.value for _, point in smooth.values()], places, "o", color=SERIES[0], label="ε = 10⁵")
    numbers = [printed("table3", f"V_dr of the {name}", "ε")[1][0] for name in exact]
    ax.plot(numbers, places, "x", color=STICK, markersize=8, markeredgewidth=1.8, label="printed")
    ax.set(xlabel="belt velocity $V_\\mathrm{dr}$", yticks=places, yticklabels=list(exact))
    ax.legend(frameon=False)
    return Found(ax, values)


def _moved(smooth: ss.SpecialPoint, exact: ss.SpecialPoint) -> str:
    return f"{100 * (exact.value / smooth.value - 1):.1f} % above that for ε = 10⁵."


def limits(quick: bool) -> Found:
    """How each bifurcation of Table 3 moves with ε, to that of the discontinuous system."""
    exact = {name: point.value for name, (_, point) in bifurcations(None, quick).items()}
    chosen = FEW if quick else EPSILONS
    moving = {eps: {n: p.value for n, (_, p) in bifurcations(eps, quick).items()} for eps in chosen}
    left, right = panels = ss.plot.panels(2, width=5.4, height=4.6)
    values = []
    for number, (name, limit) in enumerate(exact.items()):
        color, dash = SERIES[number % 5], "-" if number < 5 else "--"
        path = np.array([moving[eps][name] for eps in chosen])
        left.semilogx(chosen, path, "o", color=color, linestyle=dash, markersize=3.5)
        left.axhline(limit, color=color, linestyle=dash, linewidth=0.7, alpha=0.6)
        right.loglog(chosen, limit - path, "o", color=color, linestyle=dash, markersize=3.5, label=name)
        last = (moving[eps][name] for eps in chosen[-2:])
        order = np.log10((limit - next(last)) / (limit - next(last))) / np.log10(chosen[-1] / chosen[-2])
        values += [Value(f"V_dr of the {name}", moving[eps][name], SMOOTHED, {"ε": eps}) for eps in chosen]
        values.append(Value(f"V_dr of the {name}", limit, 1e-10, {"ε": "exact"}))
        values.append(
            Value(f"order in 1/ε of the {name}", float(order), 0.01, {"ε": f"{chosen[-2]:g} … {chosen[-1]:g}"})
        )
    left.set(xlabel="accuracy parameter ε", ylabel="bifurcation at $V_\\mathrm{dr}$; thin: without smoothing")
    right.set(xlabel="accuracy parameter ε", ylabel="distance from the discontinuous system")
    right.legend(frameon=False, fontsize=7.5, handlelength=3.4)
    return Found(panels, values)
