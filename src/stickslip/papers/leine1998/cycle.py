"""The limit cycle of the block, smoothed, by the switch model, and exact: Figures 3 and 4, and what it costs.

m = k = F_s = 1, δ = 3, v_dr = 0.2 (Sec. 3); ε = 10⁶ (Eq. 12) and η = 10⁻⁶ (Sec. 5).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

import stickslip as ss
from stickslip.papers.found import PARAMETER, Found, Value
from stickslip.papers.panel import name_panel
from stickslip.plot.style import INK, SERIES, STICK_SHADE

Floats = NDArray[np.float64]

STEEP = 1e6
"""ε of Eq. (12)."""

METHODS: dict[str, ss.Switch | ss.Smoothing] = {
    "smoothing": ss.Smoothing(STEEP, rtol=1e-8, solver="BDF"),
    "switch model": ss.Switch(eta=1e-6, rtol=1e-8),
}
GUESS, GUESSED_PERIOD, ACCURACY = (1.1, 0.0), 12.0, 1e-5
"""Where shooting begins, and when it ends (Sec. 5)."""

APART = 3e-5
"""ξ of Eq. (15): the map of the switch model is rough below 10⁻⁶, and the second of x₀ is zero."""

SECTION_5 = "Sec. 4 says so; Sec. 5 says from stick to slip, which is a slip of the pen: friction is continuous there."


# -- Figure 3 ---------------------------------------------------------------------------------------------------------


def fig3(quick: bool) -> Found:
    """Figure 3: (a) motion, (b) the elements of the fundamental matrix, Eq. (25), with ε = 10⁶ and exact."""
    block = ss.models.block_on_belt()
    exact = ss.find_orbit(block)
    smoothed = ss.find_orbit(block, exact, method=ss.Smoothing(STEEP))
    start = [_largest_x(), 0.0]
    run = ss.simulate(block, t=exact.period, start=start)
    stick, slip = (float(time) for time in run.event_time)
    times = np.unique([*np.linspace(0, exact.period, 201 if quick else 801), *np.linspace(stick - 0.02, stick, 41)])
    of_smoothed = ss.fundamental_matrix(block, exact.period, start=start, method=ss.Smoothing(STEEP), samples=times)
    of_exact = ss.fundamental_matrix(block, exact.period, start=start, samples=times)
    steepness = Value(f"{PARAMETER}ε", ss.Smoothing(STEEP).eps)
    slope = float(ss.Field.of(block.smoothed(STEEP)).jacobian([0.0, 0.2])[0][1, 1])
    values = [
        Value("period", smoothed.period, 1e-8, {"law": "smoothed"}),
        Value("period", exact.period, 1e-10, {"law": "exact"}),
        Value("stick time", float(exact.phases.durations[1]), 1e-10, {"law": "exact"}),
        Value("largest displacement", start[0], 1e-10, {"law": "exact"}),
        *(Value("multiplier", float(m.real), 1e-9, {"number": i}) for i, m in enumerate(exact.multipliers, 1)),
        Value("slope of the smoothed friction at rest over −(2/π) ε F_s", slope / (-2 / np.pi * STEEP), 1e-12),
        *_jumps(stick, slip, start, exact.period),
        steepness,
    ]
    return Found(_draw_matrix(of_smoothed, of_exact), values, of_smoothed)


def _largest_x() -> float:
    """The largest displacement on the cycle, where the velocity is zero."""
    run = ss.simulate(ss.models.block_on_belt(), t=60)
    return float(ss.last_cycle(run, "block").samples[0, 0])


def _jumps(stick: float, slip: float, start: list[float], period: float) -> list[Value]:
    """By how much Φ jumps where stick begins and where it ends; and Φ after the whole period."""
    near = 1e-9
    samples = [stick - near, stick + near, slip - near, slip + near, period]
    phi = ss.fundamental_matrix(ss.models.block_on_belt(), period, start=start, samples=samples).phi.values
    sizes = {"slip to stick": np.abs(phi[1] - phi[0]).max(), "stick to slip": np.abs(phi[3] - phi[2]).max()}
    where = max(sizes, key=lambda name: sizes[name])
    return [
        Value("the fundamental matrix jumps from", where, note=SECTION_5 if where == "slip to stick" else ""),
        *(Value("largest jump of an element", float(size), 1e-6, {"from": name}) for name, size in sizes.items()),
        *(Value(f"Φ{i + 1}{j + 1} after a period", float(phi[4, i, j]), 1e-8) for i in range(2) for j in range(2)),
    ]


def _draw_matrix(of_smoothed: xr.Dataset, of_exact: xr.Dataset) -> Any:
    left, right = panels = ss.plot.panels(2, width=5.4, height=3.8)
    for name, label in (("x.block", "displacement $x$ [m]"), ("v.block", r"velocity $\dot x$ [m/s]")):
        left.plot(of_smoothed.time, of_smoothed[name], label=label)
    for (i, j), color in zip(np.ndindex(2, 2), SERIES, strict=False):
        right.plot(of_smoothed.time, of_smoothed.phi[:, i, j], color=color, label=f"$\\Phi_{{{i + 1}{j + 1}}}$")
        exact = {"label": "exact"} if i == j == 1 else {}
        right.plot(of_exact.time, of_exact.phi[:, i, j], color=INK, linestyle=(0, (2, 4)), linewidth=1, **exact)
    for ax, title in ((left, "(a) motion, ε = 10⁶"), (right, "(b) fundamental matrix, ε = 10⁶")):
        ax.set(xlabel="time [s]")
        ax.set_title(title, loc="left")
        ax.legend(frameon=False)
    return panels


# -- shooting ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shot:
    """A limit cycle found by shooting: its last period as a run, and the evaluations that all of it took."""

    period: float
    residual: float
    iterations: int
    evaluations: int
    run: ss.Run


@cache
def shoot(name: str) -> Shot:
    """Single shooting, Eqs. (5) to (8), by a method of `METHODS`."""
    x0, T, evaluations = np.array(GUESS), GUESSED_PERIOD, 0
    for iteration in range(20):
        run = _run(name, x0, T)
        xT = _end(run)
        evaluations += run.attrs["evaluations"]
        residual = float(np.abs(xT - x0).max())
        if residual < ACCURACY:
            return Shot(T, residual, iteration, evaluations, run)
        phi, more = _monodromy(name, x0, T, xT)
        evaluations += more
        matrix = np.block([[phi - np.eye(2), _rate(xT)[:, None]], [_rate(x0)[None, :], np.zeros((1, 1))]])
        step = np.linalg.solve(matrix, np.append(x0 - xT, 0.0))
        x0, T = x0 + step[:2], T + float(step[2])
    raise ArithmeticError(f"the {name} found no limit cycle")


def _run(name: str, x0: Floats, T: float) -> ss.Run:
    return ss.simulate(ss.models.block_on_belt(), t=T, start=list(x0), method=METHODS[name])


def _end(run: ss.Run) -> Floats:
    return np.array([float(run[name][-1]) for name in ("x.block", "v.block")])


def _rate(state: Floats) -> Floats:
    """f of Eq. (1): both ends lie in slip, where the laws do not differ."""
    return ss.Field.of(ss.models.block_on_belt()).evaluate(state).rate


def _monodromy(name: str, x0: Floats, T: float, xT: Floats) -> tuple[Floats, int]:
    """Φ_T, and the evaluations that it took on top: by neighbours, Eqs. (13) to (17), for the switch model; by the
    variational equation, which is integrated with the motion, for smoothing."""
    if name == "smoothing":
        block = ss.models.block_on_belt()
        found = ss.fundamental_matrix(block, T, start=list(x0), method=METHODS[name], samples=[T])
        return found.phi.values[0], 0
    neighbours = [_run(name, x0 + APART * unit, T) for unit in np.eye(2)]
    columns = [(_end(run) - xT) / APART for run in neighbours]
    return np.array(columns).T, sum(run.attrs["evaluations"] for run in neighbours)


# -- Figure 4 and the comparison --------------------------------------------------------------------------------------


def fig4(quick: bool) -> Found:
    """Figure 4: phase portraits (a) by smoothing, ε = 10⁶, and (b) by the switch model, with the steps taken."""
    panels, values = ss.plot.panels(2), []
    for name, letter, ax in zip(METHODS, "ab", panels, strict=True):
        shot = shoot(name)
        ss.plot.phase(shot.run, ax=ax)
        x, v = (shot.run.step_state.values[:, i, 0] for i in range(2))
        ax.plot(x, v, ".", color=INK, markersize=3, label=f"{shot.run.attrs['steps']} integration points")
        name_panel(ax, f"({letter}) {name}")
        ax.legend(*_only_points(ax), frameon=False, loc="center")
        at = {"method": name}
        values += [
            Value("integration points in the limit cycle", int(shot.run.attrs["steps"]), at=at),
            Value("residual of the shooting", "below 1e-5" if shot.residual < ACCURACY else "larger", at=at),
            Value("period", shot.period, 1e-5, at),
            Value("iterations", shot.iterations, at=at),
        ]
    return Found(panels, values + _settings())


def _settings() -> list[Value]:
    """From where both methods begin, and their own parameters."""
    smoothing, switch = METHODS.values()
    assert isinstance(smoothing, ss.Smoothing) and isinstance(switch, ss.Switch)
    given = {"ε": smoothing.eps, "η": switch.eta, "x₀₁": GUESS[0], "x₀₂": GUESS[1], "T₀": GUESSED_PERIOD}
    tolerance = Value(f"{PARAMETER}tolerance of the integration", switch.rtol, at={"method": "switch model"})
    return [tolerance, *(Value(PARAMETER + name, value) for name, value in given.items())]


def _only_points(ax: Any) -> tuple[list[Any], list[str]]:
    handles, labels = ax.get_legend_handles_labels()
    return handles[-1:], labels[-1:]


def cost(quick: bool) -> Found:
    """Section 5: what the limit cycle costs by smoothing and by the switch model, from the same guess."""
    shots = {name: shoot(name) for name in METHODS}
    flops = {name: operations(name, shot) for name, shot in shots.items()}
    steps = {name: int(shot.run.attrs["steps"]) for name, shot in shots.items()}
    smoothing, switch = METHODS
    values = [
        *(Value("floating-point operations", flops[name], at={"method": name}) for name in METHODS),
        Value("operations of smoothing over those of the switch model", flops[smoothing] / flops[switch]),
        Value("storage of smoothing over that of the switch model", steps[smoothing] / steps[switch]),
        *(Value("evaluations of the right-hand side", s.evaluations, at={"method": n}) for n, s in shots.items()),
        *(Value("integration points in stick", _in_stick(s.run), at={"method": n}) for n, s in shots.items()),
    ]
    (ax,) = ss.plot.panels(width=7.0, height=4.0)
    for name, shot in shots.items():
        ax.semilogy(shot.run.step_start, shot.run.step_length, ".-", linewidth=0.7, markersize=4, label=name)
    ax.axvspan(*shots[switch].run.event_time.values, **STICK_SHADE, label="stick")
    ax.set(xlabel="time [s]", ylabel="length of the step [s]")
    ax.set_title("Steps in one period of the limit cycle", loc="left")
    ax.legend(frameon=False)
    return Found(ax, values)


def operations(name: str, shot: Shot) -> int:
    """Floating-point operations, estimated. Switch model, n = 2: 12 for a right-hand side and 10n to put stages
    together. Smoothing, n = 6 with the variational equation: 40 for a right-hand side and 2n² to solve with the factors
    for each; 2n³/3 for the factors and 20n to predict and estimate the error in each step."""
    if name == "switch model":
        return shot.evaluations * (12 + 10 * 2)
    n, steps = 6, int(shot.run.attrs["steps"]) * (shot.iterations + 1)
    return round(shot.evaluations * (40 + 2 * n**2) + steps * (2 * n**3 / 3 + 20 * n))


def _in_stick(run: ss.Run) -> int:
    """Steps that begin in stick, a tenth of a time unit away from where it begins and ends."""
    begin, end = run.event_time.values
    return int(((run.step_start > begin + 0.1) & (run.step_start < end - 0.1)).sum())
