"""The stages of a step of Radau collocation for the smoothed equations.

A step from y to y + Z₅, h long, has increments Z₁ … Z₅ at the Radau points c₁ … c₅ = 1, such that the polynomial of
degree five through them has the rates of the equations at all of them:

    D Z = h f(t + c h, y + Z)                                       D = A⁻¹ differentiates that polynomial

Newton's method solves this with analytic slopes; the matrix D⊗1 − h ∂f is factored anew only where it converges slowly.
"""

from math import isfinite

from stickslip.kernels import flow, radau
from stickslip.kernels.dense import factor_matrix, substitute_one
from stickslip.kernels.radau import DIFFERENCES, POINTS, STAGES, basis
from stickslip.kernels.records import Floats, Ints, Record, field

SIZE = STAGES * flow.STATES
COLUMNS = flow.PARAMETERS + 2
WIDEST = flow.STATES + flow.PARAMETERS + 2
MOST_KINKS = 5 * flow.STATES
MOST_ITERATIONS = 12
PREDICTED_STEPS = 3.0  # so many last steps ahead does their polynomial predict


class Collocation(Record):
    """A smoothed motion: how it is integrated, where it is, its derivatives, and the present step."""

    # Settings.
    parameter: Floats = field("the parameters of the model, then ε", flow.PARAMETERS + 1)
    end_time: float = field("when to stop")
    tolerance: float = field("error that a step may have, relative to `weight`")
    precision: float = field("to which the stages are found, relative to `weight`")
    dense_tolerance: float = field("error between the ends of a step; 0: any")
    floor: Floats = field("`weight` at least; below 0: that fraction of the largest value so far", flow.STATES)
    most_steps: int = field("steps after which to give up")
    kinks: int = field("how many kinks the equations have")
    kink_level: Floats = field("the value at which each is", MOST_KINKS)
    kink_variable: Ints = field("the variable that passes it", MOST_KINKS)
    derivatives: int = field("1 if derivatives are wanted")
    chosen: int = field("by how many parameters")
    choice: Ints = field("by which", flow.PARAMETERS + 2)

    # Where it is.
    time: float = field("the time")
    state: Floats = field("y at the start of the step", flow.STATES)
    largest: Floats = field("the largest value that each variable has had", flow.STATES)
    partial: Floats = field("∂y/∂(start, chosen parameters, start time), row by row", flow.STATES * WIDEST)
    steps: int = field("steps")
    rejected: int = field("steps that were given up")
    evaluations: int = field("evaluations of the rates")
    factored: int = field("matrices of stages that were factored")

    # The step.
    next_step: float = field("the length to try next")
    last_step: float = field("the length of the last step")
    last_error: float = field("its error")
    at_beginning: int = field("1 if there is no last step to go on from")
    refused: int = field("1 after a step that was given up")
    weight: Floats = field("what errors are measured against", flow.STATES)
    increment: Floats = field("Z: what each stage adds to y", STAGES, flow.STATES)
    last_increment: Floats = field("those of the last step", STAGES, flow.STATES)
    landing_step: float = field("the length with which the step ends at a kink")
    landing_kink: int = field("which kink that is; -1: none")
    landings: int = field("how often a length was tried")

    # Work space.
    stage: Floats = field("y at one stage", flow.STATES)
    rate: Floats = field("dy/dt there", flow.STATES)
    slope: Floats = field("∂(dy/dt)/∂y there, row by row", flow.STATES * flow.STATES)
    slope_p: Floats = field("∂(dy/dt)/∂(parameters, ε, t) there, row by row", flow.STATES * COLUMNS)
    update: Floats = field("right-hand side of Newton's method, and what it adds to Z", SIZE)
    matrix: Floats = field("D⊗1 − h ∂f, row by row, factored in place", SIZE * SIZE)
    pivot: Ints = field("its rows in the order of elimination", SIZE)
    right: Floats = field("right-hand sides of derivatives, row by row", SIZE * WIDEST)
    embedded: Floats = field("what the embedded formula makes of Z", flow.STATES)
    difference: Floats = field("how far it is from the step, not filtered", flow.STATES)
    error: Floats = field("the same, filtered", flow.STATES)
    filter: Floats = field("1 − h γ ∂f, row by row, factored in place", flow.STATES * flow.STATES)
    filter_pivot: Ints = field("its rows in the order of elimination", flow.STATES)


def find_stages(run: Collocation, h: float) -> bool:
    """Increments of a step, from the polynomial of the last one where that reaches; whether they are found."""
    if run.at_beginning == 0 and h <= PREDICTED_STEPS * run.last_step:
        extrapolate(run, h)
        if newton(run, h):
            return True
    for k in range(STAGES):
        for i in range(flow.STATES):
            run.increment[k, i] = 0.0
    return newton(run, h)


def extrapolate(run: Collocation, h: float) -> None:
    """Increments that the polynomial of the last step predicts."""
    for k in range(STAGES):
        x = 1.0 + POINTS[k] * h / run.last_step
        for i in range(flow.STATES):
            run.increment[k, i] = -run.last_increment[radau.LAST_STAGE, i]
        for j in range(STAGES):
            product = basis(x, j)
            for i in range(flow.STATES):
                run.increment[k, i] += product * run.last_increment[j, i]


def newton(run: Collocation, h: float) -> bool:
    """Solve for the increments from those that are there; whether it converges."""
    factored = False
    before = 0.0
    for iteration in range(MOST_ITERATIONS):
        if not set_residual(run, h):
            return False
        if not factored:
            set_matrix(run, h)
            if not factor_matrix(run.matrix, SIZE, run.pivot):
                return False
            run.factored += 1
            factored = True
        substitute_one(run.matrix, SIZE, run.pivot, run.update)
        size = add_update(run)
        if not isfinite(size):
            return False
        if size <= run.precision:
            return True
        if iteration > 0:
            ratio = size / before
            if ratio >= 2.0:
                return False
            if ratio < 1.0 and size * ratio <= run.precision:
                return True
            if ratio > 0.02:
                factored = False
        elif size > 1e-3:
            factored = False
        before = size
    return False


def add_update(run: Collocation) -> float:
    """Add Newton's update to the increments; its size."""
    size = 0.0
    for k in range(STAGES):
        for i in range(flow.STATES):
            run.increment[k, i] += run.update[k * flow.STATES + i]
            size = max(size, abs(run.update[k * flow.STATES + i]) / run.weight[i])
    return size


def set_stage(run: Collocation, k: int) -> None:
    """The variables at a stage."""
    for i in range(flow.STATES):
        run.stage[i] = run.state[i] + run.increment[k, i]


def set_residual(run: Collocation, h: float) -> bool:
    """What the equations of the stages lack, as the right-hand side of an update; whether it is finite."""
    for k in range(STAGES):
        set_stage(run, k)
        flow.rates(run.stage, run.time + POINTS[k] * h, run.parameter, run.rate)
        run.evaluations += 1
        for i in range(flow.STATES):
            total = h * run.rate[i]
            for j in range(STAGES):
                total -= DIFFERENCES[k, j] * run.increment[j, i]
            if not isfinite(total):
                return False
            run.update[k * flow.STATES + i] = total
    return True


def set_matrix(run: Collocation, h: float) -> None:
    """D⊗1 − h ∂f with the slopes at the present stages."""
    for i in range(SIZE * SIZE):
        run.matrix[i] = 0.0
    for k in range(STAGES):
        set_stage(run, k)
        flow.slopes(run.stage, run.time + POINTS[k] * h, run.parameter, run.slope)
        for i in range(flow.STATES):
            row = (k * flow.STATES + i) * SIZE
            for j in range(STAGES):
                run.matrix[row + j * flow.STATES + i] = DIFFERENCES[k, j]
            for j in range(flow.STATES):
                run.matrix[row + k * flow.STATES + j] -= h * run.slope[i * flow.STATES + j]
