"""`plan_sweep`: what a user asks for, checked and made into a Plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from stickslip.arguments import check_flag, check_model
from stickslip.arrays import Floats
from stickslip.artifacts import formulas_of
from stickslip.errors import ModelError, SweepError
from stickslip.field import GROUP, TARGETS, compile_forcing
from stickslip.methods.exact import Exact
from stickslip.model import files
from stickslip.model.errors import check_number, check_whole, shown
from stickslip.model.system import Model
from stickslip.orbits.ranges import starting_ranges
from stickslip.sweeps.axes import Axes, axes_from
from stickslip.sweeps.observation import (
    LargestExponent,
    Named,
    Observe,
    Strobe,
    observations_from,
)
from stickslip.sweeps.plan import Duration, Plan, Start
from stickslip.sweeps.trajectories import Settings

RTOL = 1e-9
"""The tolerance of sweeps: what they classify is decided by far less than what one motion is measured to."""

PERIODS = (300.0, 100.0)
"""Transient and observed time of excited systems, in periods of the excitation."""

CHUNKS = {"cpu": 64, "lockstep": 256, "cuda": 2**16, "python": 64, "checked": 64}
"""Points per piece of work: enough to keep a core busy for a while, or a GPU full."""

MOST_CHUNKS = {"cuda": 16}
"""Large sweeps have larger pieces: a GPU is full for longer …"""

MOST_FILES = 1024
"""… and each piece has files of its own in a store."""

CHUNK_BYTES = {"cpu": 64e6, "cuda": 1e9, "python": 64e6, "checked": 64e6}
"""Room for the results of a piece."""

MOST_STROBES = 1e8
"""More states of one motion nobody can use, and a billion takes minutes to pass by."""

MOST_BYTES = 8e9
"""No sweep may record more than this in memory; to disk it may."""

TO_DISK = "observe less, or give checkpoint=FOLDER to keep them on disk"


def plan_sweep(
    model: Model,
    over: Any,
    *,
    observe: Observe = "stick_to_slip",
    times: tuple[float, float] | None = None,
    periods: tuple[float, float] | None = None,
    start: Mapping[str, float] | str | None = None,
    within: Mapping[str, tuple[float, float]] | None = None,
    seed: int = 0,
    carry: str | None = None,
    zip: bool = False,
    rtol: float = RTOL,
    tolerance: float = 1e-6,
    most: int = 500,
    most_steps: int = 10**7,
    shortcut: bool = True,
    chunk: int | None = None,
    target: str = "cpu",
) -> Plan:
    """A sweep as a `Plan`, to be run chunk by chunk, on any machines.

    Parameters
    ----------
    model : System or Filippov
        The model.
    over : mapping, or list of mappings
        Values by parameter, or a list of points, as for `sweep`.
    observe : observation, str, list, mapping or None, default "stick_to_slip"
        What is recorded of every motion, as for `sweep`.
    times : (float, float), optional
        Transient and observed time, in units of time.
    periods : (float, float), optional
        The same in periods of the excitation; (300, 100) by default where there is one.
    start : mapping or str, optional
        States by name, as the model has them by default; "stick", or "random".
    within : mapping of str to (float, float), optional
        The range of random starts by state; by default twice the range of the model's own motion.
    seed : int, default 0
        Of random starts and of random friction.
    carry : {"up", "down"}, optional
        Along the first axis, each motion starts where the one before ended.
    zip : bool, default False
        The values in `over` belong together, row by row, and make no grid.
    rtol : float, default 1e-9
        Relative tolerance of the integration.
    tolerance : float, default 1e-6
        How well a motion must repeat itself, relative to its extent, to be periodic.
    most : int, default 500
        Rows recorded per point.
    most_steps : int, default 10**7
        Steps after which a motion is given up.
    shortcut : bool, default True
        Whether a motion that has come to repeat itself leaves out whole cycles.
    chunk : int, optional
        Points per piece of work; it changes no number. By default it is chosen.
    target : {"cpu", "cuda"}, default "cpu"
        Where trajectories run.

    Returns
    -------
    Plan
        The plan.

    Raises
    ------
    SweepError
        If the sweep cannot be run as asked.
    ModelError
        If the model has no such parameter or state.

    See Also
    --------
    sweep : the same, run at once; it describes the parameters in full.

    Examples
    --------
    >>> import stickslip as ss
    >>> plan_sweep(ss.models.block_on_belt(), {"belt.speed": [0.1, 0.2]}, times=(100, 100)).count
    2
    """
    check_model(model)
    check_flag("zip", zip)
    check_flag("shortcut", shortcut)
    axes = axes_from(over, model, zip)
    observations = observations_from(observe, model)
    if carry is not None and (not isinstance(carry, str) or carry not in ("up", "down")):
        raise SweepError(f'carry is {shown(carry)}: it must be "up", "down" or None')
    Exact(rtol=rtol)
    if not isinstance(target, str) or target not in TARGETS:
        raise SweepError(f"there is no target {shown(target)} for sweeps; there are: {', '.join(TARGETS)}")
    period = _period(model)
    settings = Settings(
        float(rtol),
        check_number("tolerance", tolerance, positive=True),
        check_whole("most", most),
        check_whole("most_steps", most_steps),
        target,
        _travel_together(model, period, target, axes.count // (axes.shape[0] if carry else 1)),
        check_whole("seed", seed, 0, 2**63 - 1),
        bool(shortcut),
    )
    for name, what in observations:
        if isinstance(what, LargestExponent) and target != "cpu":
            raise SweepError(f'{name} is computed on the CPU alone: say target="cpu", or observe something else')
    duration = _duration(period, times, periods, observations)
    _check_strobes(duration, observations)
    text = _written(model)
    size = 1 if chunk is None else check_whole("chunk", chunk)
    plan = Plan(text, axes, observations, duration, _start(model, start), carry, settings, size, model)
    _check_names(plan)
    if chunk is None:
        plan = replace(plan, chunk_size=_chunk_size(plan))
    if within is not None and not isinstance(within, Mapping):
        raise SweepError(f"within is {shown(within)}: give a range by state, {{'x.block': (-1, 1)}}")
    if isinstance(start, str) and start == "random":
        return replace(plan, start=Start(plan.start.state, False, _ranges(plan, within or {}), seed))
    if within:
        raise SweepError('within gives the range of random starts: say start="random" with it')
    return plan


def _chunk_size(plan: Plan) -> int:
    """Points per piece of work; it follows from the sweep alone, so that a stopped one is gone on with anywhere."""
    target = plan.settings.target
    together = "lockstep" if plan.settings.lockstep and target != "cuda" else target
    size = max(CHUNKS[together], plan.count // MOST_CHUNKS.get(together, MOST_FILES))
    return max(1, min(size, int(CHUNK_BYTES[target] // plan.bytes_per_point)))


def _period(model: Model) -> float:
    """Of the excitation, with the parameters of the model: NO_EXCITATION or NOT_PERIODIC where there is none."""
    forcing = compile_forcing(model)
    try:
        return float(forcing(np.array(list(model.parameters.values()), float)))
    except (ArithmeticError, ValueError):
        return 1.0  # at other points of the sweep there is one


def _travel_together(model: Model, period: float, target: str, count: int) -> bool:
    """Whether so many motions travel in lockstep, where a motion returns at whole periods of the excitation or at
    releases: that of a model which has neither is left to the march."""
    enough = target == "cuda" or (target != "python" and count >= GROUP)
    return enough and (bool(model.contacts) or period > 0)


def _duration(period: float, times: Any, periods: Any, observations: Named) -> Duration:
    """Transient and observed time; in periods where there is an excitation and no time is given."""
    why = (
        "this model has no excitation" if period == 0 else "the excitation of this model has no period that can be seen"
    )
    for _, what in observations:
        if isinstance(what, Strobe) and what.every is None and period in (0, -1):
            raise SweepError(f"{why}: give the time between strobes, Strobe(every=time)")
        if isinstance(what, LargestExponent) and what.per == "forcing" and period in (0, -1):
            raise SweepError(f"{why}: ask for the exponent per time")
    if times is not None and periods is not None:
        raise SweepError("give either times= or periods=, not both")
    if times is not None:
        return Duration(*_pair("times", times), in_periods=False)
    if period in (0, -1):
        raise SweepError(f"{why}: give times=(transient, observed time)")
    return Duration(*_pair("periods", PERIODS if periods is None else periods), in_periods=True)


def _check_strobes(duration: Duration, observations: Named) -> None:
    """Strobes without number would be passed one by one, though few of them can be kept."""
    for _, what in observations:
        if isinstance(what, Strobe) and what.every is not None and not duration.in_periods:
            count = duration.recorded / what.every
            if count > MOST_STROBES:
                raise SweepError(
                    f"Strobe(every={what.every:g}) asks for {count:.1e} states of every motion: give a longer time "
                    f"between strobes, {duration.recorded / MOST_STROBES:.1e} at least"
                )


def _pair(what: str, value: Any) -> tuple[float, float]:
    if not isinstance(value, tuple | list | np.ndarray) or len(value) != 2:
        raise SweepError(f"{what} is {shown(value)}: give two numbers, (transient, observed)")
    return (
        check_number(f"{what}: the transient", value[0], nonnegative=True),
        check_number(f"{what}: the observed time", value[1], positive=True),
    )


def _start(model: Model, start: Any) -> Start:
    if isinstance(start, str):
        if start not in ("random", "stick"):
            raise SweepError(f'start is {shown(start)}: give states by name, "stick", "random" or nothing')
        return Start(tuple(model.start_state()), in_stick=start == "stick")
    return Start(tuple(model.start_state(start)))


def _written(model: Model) -> str:
    """The text of a model; where there is none, a remark that says why."""
    try:
        return files.dumps(model, formulas_of(model))
    except ModelError as error:
        return f"# {error}"


def _check_names(plan: Plan) -> None:
    """Refuse an axis that has the name of a result: both would be found under it."""
    for name in plan.axes.names:
        if name in plan.layout:
            others = [other for other, own in plan.model.aliases.items() if own == name]
            way = f"sweep it by its name {others[0]!r}, or rename" if others else "rename"
            raise SweepError(f"{name!r} is the name of a result of sweeps as well: {way} the parameter")


def check_size(plan: Plan) -> None:
    """Refuse a sweep whose results do not fit into memory, even if nothing was recorded."""
    least = sum(kind.bytes_per_point for kind in plan.layout.values() if not kind.counted_by)
    if plan.count * least > MOST_BYTES:
        raise SweepError(f"{plan.count} points take {plan.count * least / 1e9:.0f} GB: {TO_DISK}")


def check_room(plan: Plan, size: int, points: int) -> None:
    """Refuse to go on where so many bytes of some points are all that fits into memory."""
    if size > MOST_BYTES:
        raise SweepError(
            f"{points} points have recorded {size / 1e9:.1f} GB, and no more than {MOST_BYTES / 1e9:g} GB are kept in "
            f"memory: make `most` smaller (it is {plan.settings.most}), {TO_DISK}"
        )


def _ranges(plan: Plan, within: Mapping[str, tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """The ranges of random starts."""
    model = plan.model

    def extremes() -> tuple[Floats, Floats]:
        name = plan.axes.names[0]
        own = model.parameters.get(model.aliases.get(name, name), 0.0)
        alone = replace(plan, axes=Axes((name,), (np.array([own], float),), True), carry=None, observations=())
        found = alone.run(alone.chunks[0])
        low, high = found["minimum"][0], found["maximum"][0]
        if not np.all(np.isfinite(low)):
            raise SweepError("the model's own motion stops early, so it gives no range for random starts: give within=")
        return low, high

    return tuple(starting_ranges(model, within, extremes, SweepError))
