"""The error of a step of collocation.

It is estimated from an embedded formula of order five that uses the rate at the start, filtered by (1 − h γ ∂f)⁻¹, as
in Hairer & Wanner, Solving Ordinary Differential Equations II, Sec. IV.8. A step of order nine does much better than
that, but only where it resolves the motion; in stick, where little moves, a bound on the difference e of the formulas
alone would miss that it does not. So two estimates go on from e, and the larger counts:

    e²/b        the motion bends by b within the step: b falls like h², e like h⁶, so this like h¹⁰
    e ρ⁴        its Chebyshev coefficients fall by ρ from one to the next
"""

from math import inf

from stickslip.kernels import flow
from stickslip.kernels.collocation import Collocation
from stickslip.kernels.dense import factor_matrix, substitute_one
from stickslip.kernels.radau import EMBEDDED, GAMMA, LAST_STAGE, POINTS, STAGES, TERMS


def weigh(run: Collocation) -> None:
    """What the errors of a step are measured against."""
    for i in range(flow.STATES):
        size = abs(run.state[i])
        floor = run.floor[i]
        if floor < 0.0:
            floor = 1e-6 - floor * run.largest[i]
        run.weight[i] = size + floor


def estimate(run: Collocation, h: float) -> float:
    """The error of the step against the tolerance.

    Stiffness may change by orders of magnitude within a step. So both ends filter the estimate, and the larger counts.
    """
    for i in range(flow.STATES):
        run.stage[i] = run.state[i]
    flow.rates(run.stage, run.time, run.parameter, run.rate)
    run.evaluations += 1
    for i in range(flow.STATES):
        total = 0.0
        for k in range(STAGES):
            total += EMBEDDED[k] * run.increment[k, i]
        run.embedded[i] = total
        run.difference[i] = total + h * GAMMA * run.rate[i]
    worst = error_between(run) if run.dense_tolerance > 0.0 else 0.0
    for end in range(2):
        set_filter(run, h, end)
        if not factor_matrix(run.filter, flow.STATES, run.filter_pivot):
            return inf
        for i in range(flow.STATES):
            run.error[i] = run.difference[i]
        error = filtered(run)
        if error > 1.0 and (run.at_beginning != 0 or run.refused != 0):
            error = estimated_again(run, h)
        worst = max(worst, error)
    return worst


def set_filter(run: Collocation, h: float, end: int) -> None:
    """1 − h γ ∂f at the start of the step (end = 0) or at its end (1)."""
    for i in range(flow.STATES):
        run.stage[i] = run.state[i] + end * run.increment[LAST_STAGE, i]
    flow.slopes(run.stage, run.time + end * h, run.parameter, run.slope)
    for i in range(flow.STATES):
        for j in range(flow.STATES):
            run.filter[i * flow.STATES + j] = -h * GAMMA * run.slope[i * flow.STATES + j]
        run.filter[i * flow.STATES + i] += 1.0


def estimated_again(run: Collocation, h: float) -> float:
    """The estimate with the rate where the first one leads to, which is less pessimistic where the motion is stiff."""
    for i in range(flow.STATES):
        run.stage[i] = run.state[i] + run.error[i]
    flow.rates(run.stage, run.time, run.parameter, run.rate)
    run.evaluations += 1
    for i in range(flow.STATES):
        run.error[i] = run.embedded[i] + h * GAMMA * run.rate[i]
    return filtered(run)


def filtered(run: Collocation) -> float:
    """Solve with the factors of the filter for the error, in place; its size against the tolerance."""
    substitute_one(run.filter, flow.STATES, run.filter_pivot, run.error)
    worst = 0.0
    for i in range(flow.STATES):
        difference = abs(run.error[i])
        size = run.weight[i] * run.tolerance
        if difference > worst * size:
            whole = run.increment[LAST_STAGE, i]
            bend = difference
            for k in range(LAST_STAGE):
                bend = max(bend, abs(run.increment[k, i] - POINTS[k] * whole))
            fourth = abs(term_of(run, i, 2))
            falling = min(max(fourth, abs(term_of(run, i, 3))) / max(abs(term_of(run, i, 1)), fourth), 1.0)
            worst = max(worst, difference / size * max(difference / bend, falling * falling * falling * falling))
    return worst


def term_of(run: Collocation, i: int, m: int) -> float:
    """The Chebyshev coefficient of degree 2 + m of variable i."""
    term = 0.0
    for k in range(STAGES):
        term += TERMS[m, k] * run.increment[k, i]
    return term


def error_between(run: Collocation) -> float:
    """The error of the polynomial between the ends of the step, against the tolerance.

    Chebyshev coefficients fall from the last but two and three to the last two, and as fast again to what is left out.
    (In pairs, as even or odd ones may vanish.) That is like h⁶; its power is comparable with the error at the end.
    """
    worst = 0.0
    for i in range(flow.STATES):
        before = max(abs(term_of(run, i, 0)), abs(term_of(run, i, 1)))
        last = max(abs(term_of(run, i, 2)), abs(term_of(run, i, 3)))
        if last > 0.0:
            worst = max(worst, last * (last / max(last, before)) / (run.weight[i] * run.dense_tolerance))
    return worst ** (2.0 * STAGES / (STAGES + 1.0))
