"""`fundamental_matrix`: how a motion depends on where it began, as it goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from stickslip.arguments import check_model
from stickslip.arrays import Floats
from stickslip.errors import MotionError
from stickslip.kernels import outcome
from stickslip.methods.base import Method, record
from stickslip.methods.exact import Exact, method_given
from stickslip.model.system import Model
from stickslip.orbits.motion import BLOCK, MOST_STEPS, Motion
from stickslip.result import Result, state_attributes
from stickslip.simulation import samples_given, times_given
from stickslip.status import Status


def fundamental_matrix(
    model: Model,
    t: float,
    *,
    start: Mapping[str, float] | Sequence[float] | None = None,
    start_time: float = 0.0,
    method: Method | None = None,
    samples: int | ArrayLike = 401,
) -> Result:
    """The fundamental solution matrix Φ(t) = ∂z(t)/∂z(0) along a motion: what becomes of small changes of its start.

    With `Exact` it is carried through every event. Where a contact comes to stick Φ jumps and loses a direction; where
    a motion begins in stick, changes of the sliding velocity are gone at once. With `Smoothing` it solves the
    variational equation of the smoothed motion; with `Switch` it is made of differences of neighbouring motions.

    Parameters
    ----------
    model : System or Filippov
        The model.
    t : float
        The time at which the motion ends, in units of time.
    start : mapping or sequence of float, optional
        Initial states by name, or all of them in their order, as for `simulate`.
    start_time : float, default 0.0
        The time at which the motion begins, where Φ is the unit matrix.
    method : Method, optional
        `Exact()` by default; `Smoothing(...)` and `Switch(...)` give the matrix of their own equations.
    samples : int or array, default 401
        How many evenly spaced times, or which times.

    Returns
    -------
    xarray.Dataset
        `phi` along `time`, `state` and `start_state`: the change of a state with the start of a state. The states
        themselves stand beside it.

    Raises
    ------
    ModelError
        If the model, a start or a time cannot be, or friction is random.
    MotionError
        If the motion ends before that time.
    OrbitError
        If the method has no neighbouring motions.

    See Also
    --------
    find_orbit : over one period of an orbit, the eigenvalues of Φ are its Floquet multipliers.
    lyapunov : how changes grow in the long run.

    Examples
    --------
    >>> import stickslip as ss
    >>> orbit = ss.find_orbit(ss.models.block_on_belt())
    >>> after = ss.fundamental_matrix(orbit.model, orbit.period, start=[1.13394467644, 0.0])
    >>> sorted(abs(np.linalg.eigvals(after.phi[-1])).round(9).tolist())
    [0.0, 1.0]
    """
    check_model(model)
    method = method_given(method)
    begin, end = times_given(start_time, t)
    times = samples_given(samples, (begin, end))
    z = np.array(model.start_state(start), float)
    if isinstance(method, Exact):
        states, matrices = carried(Motion(model), z, begin, times)
    else:
        from stickslip.orbits.shooting import flow_for

        motion = Motion(model)  # refuses random friction
        states, matrices = flow_for(model, method, motion.parameters).fundamental(z, begin, times - begin)
    return _labelled(model, method, times, states, matrices)


def carried(motion: Motion, z: Floats, begin: float, times: Floats) -> tuple[Floats, Floats]:
    """States, and how they depend on the start, from one motion with all its events."""
    m, n = motion.field.program, motion.states
    trajectory = motion.workspace(z, begin, ())
    trajectory.end_time = begin
    _check(m.begin(trajectory), begin)
    trajectory.variation[:n] = motion.stopped(trajectory, np.eye(n))
    states, matrices = [], []
    for time in times:
        trajectory.end_time = float(time)
        code = outcome.PAUSED
        while code == outcome.PAUSED:
            code = m.march(trajectory, MOST_STEPS, *record(m, BLOCK))
        _check(code, float(trajectory.time))
        states.append(trajectory.state.copy())
        matrices.append((trajectory.variation[:n] if time > begin else np.eye(n)).T.copy())
    return np.array(states), np.array(matrices)


def _check(code: int, time: float) -> None:
    """Raise a sentence where the motion does not go on."""
    if code != outcome.FINISHED:
        raise MotionError(f"the motion ends at t = {time:.9g}: {Status.of(code).value}")


def _labelled(model: Model, method: Method, times: Floats, states: Floats, matrices: Floats) -> Result:
    names = np.array(model.states, dtype=np.str_)
    data = {name: ("time", states[:, i], state_attributes(model, name)) for i, name in enumerate(model.states)}
    return Result(
        data | {"phi": (("time", "state", "start_state"), matrices)},
        {"time": ("time", times, {"units": model.time_unit}), "state": names, "start_state": names},
        {"model_name": model.about.name, "title": model.about.title, "method": repr(method)},
    )
