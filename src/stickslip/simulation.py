"""`simulate`: run a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from stickslip import result
from stickslip.arguments import check_flag, check_model, check_progress, numbers
from stickslip.errors import ModelError
from stickslip.field import Field
from stickslip.files import interrupts_noted
from stickslip.methods.base import Method
from stickslip.methods.exact import method_given
from stickslip.model import files
from stickslip.model.errors import check_mapping, check_number, check_whole, shown, suggest
from stickslip.model.system import Model
from stickslip.progress import Progress, reporting
from stickslip.result import Run
from stickslip.status import Status

MOST_SAMPLES = 10**8
"""More times than this take gigabytes."""

MODES = {"stick": 0, "slip+": 1, "slip-": -1}


def simulate(
    model: Model,
    t: float,
    *,
    start: Mapping[str, float] | Sequence[float] | None = None,
    start_time: float = 0.0,
    mode: Mapping[str, str] | None = None,
    method: Method | None = None,
    samples: int | ArrayLike | None = None,
    dense: bool = True,
    seed: int = 0,
    progress: Progress = None,
) -> Run:
    """Simulate a model and return the labelled run.

    A run that stops early keeps everything computed until then, and ``run.attrs["status"]`` says why.

    Parameters
    ----------
    model : System or Filippov
        The model.
    t : float
        The time at which the run ends, in units of time.
    start : mapping or sequence of float, optional
        Initial states by name, or all of them in their order; those not named are as the model has them.
    start_time : float, default 0.0
        The time at which the run begins.
    mode : mapping of str to str, optional
        A mode that contacts must start in, by contact: "stick", "slip+" or "slip-". It follows from the state, so this
        only makes sure of it.
    method : Method, default Exact()
        How the motion is integrated: `Exact`, or a method of the literature.
    samples : int or array, optional
        How many evenly spaced times, or which times; by default several in each step.
    dense : bool, default True
        Keep the step polynomials, which `interpolate` needs.
    seed : int, default 0
        Of random friction (`Scatter`); the same seed gives the same run.
    progress : callable or bool, optional
        Called now and then with the time reached. By default a bar is shown on terminals and in notebooks after a
        second; with False never, with True also where output goes to a file.

    Returns
    -------
    Run
        An `xarray.Dataset`:
        states, `mode`, `force` and `slip_velocity` along `time`; the event table along `event`; the step polynomials
        along `step`, from which `interpolate` gives any time.

    Raises
    ------
    ModelError
        If the model, a start, a time or a mode cannot be.

    See Also
    --------
    interpolate : the run at any times.
    sweep : many runs, at other values of the parameters.
    stickslip.plot.history, stickslip.plot.phase : its pictures.

    Examples
    --------
    >>> import stickslip as ss
    >>> run = ss.simulate(ss.models.block_on_belt(), t=100)
    >>> run.attrs["status"]
    'The run reached the end time.'
    """
    check_model(model)
    check_progress(progress)
    check_flag("dense", dense)
    method = method_given(method)
    times = times_given(start_time, t)
    state = np.array(model.start_state(start))
    field = replace(method.compile(model), seed=check_seed(seed))
    if mode is not None:
        _check_mode(field, state, times[0], mode)
    wanted = None if samples is None else samples_given(samples, times)
    collector = _Collector(model, wanted, dense)
    with reporting(progress, "simulating", lambda t: (t - times[0]) / (times[1] - times[0]), seldom=False) as report:
        run = method.integrate(field, state, times, report, collector.add)
    came: list[int] = []
    with interrupts_noted(came):  # what was computed is put together, which takes a while where there is much of it
        sampled_times, sampled_values, steps = collector.finish()
    if came and run.status.finished:
        run = replace(run, status=Status.INTERRUPTED)
    try:
        text = files.dumps(model, field.formulas)
    except ModelError as error:
        text = f"# {error}"
    attributes = result.attributes_of(model, text, repr(method), run.sentence, run.status)
    attributes |= {"steps": run.steps, "evaluations": run.evaluations, **run.counts}
    return result.build(model, sampled_times, sampled_values, run.events, steps, attributes)


def uninterrupted(run: Run) -> Run:
    """A run as it is; one that the user stopped stops the work it is for."""
    if run.attrs["outcome"] == Status.INTERRUPTED.word:
        raise KeyboardInterrupt
    return run


def check_seed(seed: int) -> int:
    """A seed is a whole number that fits 63 bits."""
    return check_whole("seed", seed, 0, 2**63 - 1)


class _Collector:
    """Turns blocks of steps into samples as they arrive, and keeps the steps if asked to."""

    def __init__(self, model: Model, wanted: np.ndarray | None, dense: bool) -> None:
        self.states, self.contacts = len(model.states), len(model.contacts)
        self.wanted, self.dense = wanted, dense
        self.blocks: list[np.ndarray] = []
        self.pieces: list[tuple[np.ndarray, dict[str, np.ndarray]]] = []
        self.reached = -np.inf

    def add(self, rows: np.ndarray) -> None:
        if self.dense:
            self.blocks.append(rows)
            return
        steps = result.Steps(rows, self.states, self.contacts)
        if len(steps):
            self._sample(steps)

    def _sample(self, steps: result.Steps) -> None:
        end = steps.start[-1] + steps.length[-1]
        if self.wanted is None:
            times = result.sample_times(steps)[1 if self.pieces else 0 :]
        else:
            times = self.wanted[(self.wanted > self.reached) & (self.wanted <= end)]
        samples = result.sampled(steps, times)
        self.pieces.append((times, samples))
        self.reached = end

    def finish(self) -> tuple[np.ndarray, dict[str, np.ndarray], result.Steps | None]:
        kept = None
        if self.dense:
            rows = np.concatenate(self.blocks)
            kept = result.Steps(rows, self.states, self.contacts)
            if len(kept):
                self._sample(kept)
        if not self.pieces:
            nothing = np.zeros((0, self.contacts))
            empty = {"state": np.zeros((0, self.states)), "slip_velocity": nothing, "force": nothing}
            return np.zeros(0), empty | {"mode": nothing.astype(np.int8)}, kept
        names = self.pieces[0][1]
        values = {name: np.concatenate([piece[name] for _, piece in self.pieces]) for name in names}
        return np.concatenate([times for times, _ in self.pieces]), values, kept


def times_given(start_time: float, t: float) -> tuple[float, float]:
    """Begin and end of a run, checked."""
    if isinstance(t, tuple | list):
        raise ModelError(f"t is {shown(t)}: it is the end time; say start_time= for where the run begins")
    first, last = check_number("start_time", start_time), check_number("t", t)
    if last <= first:
        raise ModelError(f"t is {last:g}: the end time must come after the start time, {first:g}")
    return first, last


def samples_given(samples: int | ArrayLike, times: tuple[float, float]) -> np.ndarray:
    """The times to sample between two others, checked."""
    if not isinstance(samples, Sequence | np.ndarray | xr.DataArray):
        return np.linspace(*times, check_whole("samples", samples, 2, MOST_SAMPLES, ", or an array of times"))
    wanted = numbers("samples", samples)
    if len(wanted) == 0 or not np.all(np.diff(wanted) > 0):
        raise ModelError("samples must be a number, or times that rise")
    if wanted[0] < times[0] or wanted[-1] > times[1]:
        raise ModelError(
            f"samples run from {wanted[0]:g} to {wanted[-1]:g}, outside the run from {times[0]:g} to {times[1]:g}"
        )
    return wanted


def _check_mode(field: Field, state: np.ndarray, t: float, mode: Mapping[str, str]) -> None:
    """Refuse a start that is not in the mode asked for."""
    check_mapping("mode", mode, "{'contact': 'stick'}")
    contacts = field.model.contacts
    point = field.evaluate(state, t)
    for name, wanted in mode.items():
        if name not in contacts:
            raise ModelError(f"there is no contact {shown(name)}{suggest(str(name), contacts)}")
        if not isinstance(wanted, str) or wanted not in MODES:
            raise ModelError(f"the mode of {name!r} is {shown(wanted)}; it must be one of {', '.join(MODES)}")
        i = contacts.index(name)
        sign = MODES[wanted]
        if point.v[i] != 0 and sign != int(np.sign(point.v[i])):
            needed = "0" if sign == 0 else "positive" if sign > 0 else "negative"
            raise ModelError(
                f"contact {name!r} cannot start in {wanted}: its sliding velocity is {point.v[i]:g}, not {needed}"
            )
        if point.v[i] == 0 and sign == 0 and abs(point.force[i]) > point.static[i]:
            raise ModelError(
                f"contact {name!r} cannot start in stick: holding it takes the force {point.force[i]:g}, "
                f"and its static limit is {point.static[i]:g}"
            )
