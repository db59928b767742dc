"""What a limit cycle costs with the switch model and with a smoothed law: the comparison of leine1998, Sec. 5.

    python bench/leine_counts.py

Both find the cycle of the block on a belt by the same single shooting (Eqs. 5–8), from the same guess, x = [1.1, 0] and
T = 12, to the same accuracy, 1e-5. The switch model is integrated by an explicit Runge–Kutta pair with tolerance 1e-8
and its monodromy matrix taken by differences (Eqs. 13–17). The smoothed law (Eq. 12, ε = 1e6) is integrated by a BDF
method with the same tolerance, together with its variational equation (Eq. 25).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import atan, pi

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

import stickslip as ss
from stickslip.methods.switch import Switch

Floats = NDArray[np.float64]
EXACT_PERIOD = 12.00103129483
GUESS, GUESSED_PERIOD = (1.1, 0.0), 12.0
ACCURACY, TOLERANCE = 1e-5, 1e-8
PERTURBATION = 3e-5  # absolute: the map of the switch model has noise near 1e-6, and one start value is zero
BELT, DELTA = 0.2, 3.0
PRINTED = {"switch": (123, 110232), "smoothed": (1217, 3493510)}
NOTE = """
Points: steps in the final cycle. Evaluations: of two states for the switch model; of six, with the variational
equation, for the smoothed law. Operations are an estimate by rules of thumb, stated in this script.
The printed counts belong to codes that the paper does not name, and they change under perturbations of one unit in
the last place: they are no target, the comparison is. The error is against the exact cycle of the discontinuous law;
that of the smoothed law is a property of its ε, not of the integration."""


class Flow(ABC):
    """A model with a way to integrate it, which counts what that costs."""

    points = 0  # of the last integration
    evaluations = 0
    operations = 0.0  # of floating-point numbers, by the rules of thumb below

    @abstractmethod
    def end(self, start: Floats, time: float) -> Floats:
        """The state after a time."""

    @abstractmethod
    def monodromy(self, start: Floats, time: float, end: Floats) -> Floats:
        """How that state depends on the start."""

    @abstractmethod
    def rate(self, state: Floats) -> Floats:
        """The right-hand side."""


class SwitchFlow(Flow):
    """The switch model of the library.

    Operations: 12 for a right-hand side of two states, and 10 for each state to combine the stages.
    """

    def __init__(self, eta: float = 1e-6) -> None:
        self.system = ss.models.block_on_belt()
        self.method = Switch(eta=eta, rtol=TOLERANCE)
        self.right_hand_side = self.method.right_hand_side(self.system)

    def end(self, start: Floats, time: float) -> Floats:
        run = ss.simulate(self.system, t=time, start=list(start), method=self.method, samples=2, dense=False)
        self.points = run.attrs["steps"]
        self.evaluations += run.attrs["evaluations"]
        self.operations += run.attrs["evaluations"] * (12 + 10 * 2)
        return np.array([run[name].values[-1] for name in self.system.states])

    def monodromy(self, start: Floats, time: float, end: Floats) -> Floats:
        moved = [self.end(start + PERTURBATION * unit, time) for unit in np.eye(len(start))]
        return (np.array(moved).T - end[:, None]) / PERTURBATION

    def rate(self, state: Floats) -> Floats:
        return self.right_hand_side(0.0, state)


class SmoothedFlow(Flow):
    """Eq. (12). The sliding velocity is the state: ẋ − v_dr would cancel where the law is steep.

    Operations: 40 for a right-hand side with its variational equation, 2n² to solve for a correction, 2n³/3 for each
    factorisation, and 20n for each step to predict and to estimate the error; n = 6.
    """

    def __init__(self, epsilon: float = 1e6) -> None:
        self.epsilon = epsilon

    def slopes(self, v: float) -> tuple[float, float]:
        """First and second derivative of the smoothed friction force."""
        weight, side = 1 + DELTA * abs(v), np.sign(v)
        flat = 1 + (self.epsilon * v) ** 2
        value, first, second = atan(self.epsilon * v), self.epsilon / flat, -2 * self.epsilon**3 * v / flat**2
        slope = first / weight - value * DELTA * side / weight**2
        bend = second / weight - 2 * first * DELTA * side / weight**2 + 2 * value * DELTA**2 / weight**3
        return -2 / pi * slope, -2 / pi * bend

    def field(self, t: float, y: Floats) -> list[float]:
        x, v, *columns = y
        slope, _ = self.slopes(v)
        force = -2 / pi * atan(self.epsilon * v) / (1 + DELTA * abs(v))
        varied = [rate for a, b in (columns[:2], columns[2:]) for rate in (b, -a + slope * b)]
        return [v + BELT, -x + force, *varied]

    def jacobian(self, t: float, y: Floats) -> Floats:
        slope, bend = self.slopes(y[1])
        matrix = np.kron(np.eye(3), [[0.0, 1.0], [-1.0, slope]])
        matrix[3, 1], matrix[5, 1] = bend * y[3], bend * y[5]
        return matrix

    def end(self, start: Floats, time: float) -> Floats:
        begin = [start[0], start[1] - BELT, 1.0, 0.0, 0.0, 1.0]
        found = solve_ivp(self.field, (0, time), begin, method="BDF", jac=self.jacobian, rtol=TOLERANCE, atol=TOLERANCE)
        self.points = len(found.t) - 1
        self.evaluations += found.nfev + found.njev
        n = len(begin)
        self.operations += (found.nfev + found.njev) * (40 + 2 * n**2) + found.nlu * 2 * n**3 / 3 + self.points * 20 * n
        self.fundamental = found.y[2:, -1].reshape(2, 2).T
        return np.asarray(found.y[:2, -1] + [0.0, BELT])

    def monodromy(self, start: Floats, time: float, end: Floats) -> Floats:
        return self.fundamental

    def rate(self, state: Floats) -> Floats:
        return np.array(self.field(0.0, np.array([state[0], state[1] - BELT, 1.0, 0.0, 0.0, 1.0]))[:2])


@dataclass(frozen=True)
class Cycle:
    """A limit cycle found by shooting, and what it cost."""

    start: Floats
    period: float
    iterations: int
    points: int
    evaluations: int
    operations: float


def shoot(flow: Flow, most_iterations: int = 20) -> Cycle:
    """Single shooting, Eqs. (5)–(8)."""
    start, period = np.array(GUESS), GUESSED_PERIOD
    n = len(start)
    for iteration in range(most_iterations):
        end = flow.end(start, period)
        if np.abs(end - start).max() < ACCURACY:
            return Cycle(start, period, iteration, flow.points, flow.evaluations, flow.operations)
        matrix = np.zeros((n + 1, n + 1))
        matrix[:n, :n] = flow.monodromy(start, period, end) - np.eye(n)
        matrix[:n, n] = flow.rate(end)
        matrix[n, :n] = flow.rate(start)
        correction = np.linalg.solve(matrix, np.append(start - end, 0.0))
        while period + correction[n] <= 0:  # a far guess must not lead to a negative period
            correction /= 2
        start, period = start + correction[:n], float(period + correction[n])
    raise ArithmeticError(f"no limit cycle within {most_iterations} iterations")


def main() -> None:
    """Print the table."""
    cycles = {"switch": shoot(SwitchFlow()), "smoothed": shoot(SmoothedFlow())}
    titles = f"{'':10}{'period':>13}{'error':>10}{'iterations':>12}{'points':>8}{'evaluations':>13}{'operations':>12}"
    print(f"{titles}   printed")
    for name, cycle in cycles.items():
        points, flops = PRINTED[name]
        print(
            f"{name:10}{cycle.period:13.8f}{cycle.period - EXACT_PERIOD:10.1e}{cycle.iterations:12d}{cycle.points:8d}"
            f"{cycle.evaluations:13d}{cycle.operations:12.0f}   {points} points, {flops} operations"
        )
    switch, smoothed = cycles["switch"], cycles["smoothed"]
    print(
        f"{'ratio':45}{smoothed.points / switch.points:8.1f}{smoothed.evaluations / switch.evaluations:13.1f}"
        f"{smoothed.operations / switch.operations:12.1f}   {1217 / 123:.1f} and {3493510 / 110232:.1f}"
    )
    print(NOTE)


if __name__ == "__main__":
    main()
