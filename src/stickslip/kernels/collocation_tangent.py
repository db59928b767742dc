"""Derivatives of a step of collocation, as it was computed.

Derivatives of the stages by what the start depends on solve (D⊗1 − h ∂f) δY = D1⊗δy + h ∂f/∂p with the slopes at the
solution.
"""

from stickslip.kernels import flow
from stickslip.kernels.collocation import COLUMNS, SIZE, Collocation, set_matrix, set_stage
from stickslip.kernels.dense import factor_matrix, substitute_all
from stickslip.kernels.radau import LAST_STAGE, POINTS, ROW_SUMS, STAGES


def width_of(run: Collocation) -> int:
    """How many derivatives each variable has: by the start, the chosen parameters and the start time."""
    return flow.STATES + run.chosen + 1


def start_derivatives(run: Collocation) -> None:
    """Derivatives where the run begins."""
    width = width_of(run)
    for i in range(flow.STATES):
        for j in range(width):
            run.partial[i * width + j] = 1.0 if i == j else 0.0


def differentiate(run: Collocation, h: float) -> bool:
    """Take the derivatives of the state from the start of the step to its end; whether they exist."""
    width = width_of(run)
    set_matrix(run, h)
    run.factored += 1
    if not factor_matrix(run.matrix, SIZE, run.pivot):
        return False
    for k in range(STAGES):
        set_stage(run, k)
        flow.slopes_p(run.stage, run.time + POINTS[k] * h, run.parameter, run.slope_p)
        for i in range(flow.STATES):
            row = (k * flow.STATES + i) * width
            for j in range(width):
                run.right[row + j] = ROW_SUMS[k] * run.partial[i * width + j]
            for j in range(run.chosen):
                run.right[row + flow.STATES + j] += h * run.slope_p[i * COLUMNS + run.choice[j]]
            run.right[row + flow.STATES + run.chosen] += h * run.slope_p[i * COLUMNS + COLUMNS - 1]
    substitute_all(run.matrix, SIZE, run.pivot, run.right, width)
    for i in range(flow.STATES * width):
        run.partial[i] = run.right[LAST_STAGE * flow.STATES * width + i]
    return True
