"""`compare`: one model, several methods, one table of what each costs and what it gets wrong."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np
import xarray as xr

from stickslip.arguments import check_model, check_progress
from stickslip.errors import ModelError
from stickslip.methods.base import Method
from stickslip.methods.exact import Exact, method_given
from stickslip.model.errors import shown
from stickslip.model.system import Model
from stickslip.progress import Progress, reporting
from stickslip.result import interpolate
from stickslip.simulation import simulate, uninterrupted
from stickslip.status import Status

REFERENCE = Exact(rtol=1e-15, order=24)
POINTS = 400


def compare(
    model: Model,
    methods: Sequence[Method] | Mapping[str, Method],
    t: float,
    *,
    start: Mapping[str, float] | None = None,
    progress: Progress = None,
) -> xr.Dataset:
    """Run a model with several methods and set them against Exact at the tightest tolerance.

    Ctrl-C keeps the methods that are done, and `outcome` in the attributes is "interrupted" instead of "finished".

    Parameters
    ----------
    model : System or Filippov
        The model.
    methods : sequence of methods, or mapping of str to method
        The methods, perhaps with names.
    t : float
        The time at which the runs end.
    start : mapping of str to float, optional
        Initial states by name; the model's own by default.
    progress : callable or bool, optional
        Called with the fraction of the methods done; by default a bar is shown, as in `simulate`.

    Returns
    -------
    xarray.Dataset
        Along `method`: `state_error` (largest difference of any state over the run, relative to that state's range),
        `event_error` (largest difference of event times, over the events that agree in kind), `events`, `events_agree`,
        `period` and `amplitude` (of the first state, from the last release to release), `evaluations` of the right-hand
        side (for Exact: series times their order), `steps`, `seconds` (without compiling), `status` and `outcome`.

    Raises
    ------
    ModelError
        If there are no methods, or one that is none.

    See Also
    --------
    Exact, Henon, Bisection, Switch, Smoothing, TimeStepping : the methods.
    plot.comparison : its picture.

    Examples
    --------
    >>> import stickslip as ss
    >>> table = ss.compare(ss.models.block_on_belt(), [ss.Exact(), ss.Henon(step=0.01)], t=30)
    >>> bool(table.events_agree.all())
    True
    """
    check_model(model)
    check_progress(progress)
    if not isinstance(methods, Mapping | Sequence) or isinstance(methods, str | bytes):
        raise ModelError(f"methods is {shown(methods)}: give a list, such as [Exact(), Henon(step=0.01)]")
    for method in methods.values() if isinstance(methods, Mapping) else methods:
        method_given(method)
    named = dict(methods) if isinstance(methods, Mapping) else {_label(method): method for method in methods}
    if not named:
        raise ModelError("compare needs at least one method, such as Exact() or Henon(step=0.01)")
    rows: list[dict[str, object]] = []
    status = Status.FINISHED
    try:
        with reporting(progress, "comparing methods", lambda part: part) as report:
            exact = uninterrupted(simulate(model, t, start=start, method=REFERENCE))
            for done, method in enumerate(named.values()):
                rows.append(_row(model, method, t, start, exact))
                report((done + 1) / len(named))
    except KeyboardInterrupt:
        if not rows:
            raise
        status = Status.INTERRUPTED
    columns = {name: ("method", np.array([row[name] for row in rows])) for name in rows[0]}
    coordinates = {"method": np.array(list(named)[: len(rows)], dtype=np.str_)}
    about = {"model_name": model.about.name, "title": model.about.title}
    attributes = {**about, "t": float(t), "reference": repr(REFERENCE), "outcome": status.word}
    return xr.Dataset(columns, coordinates, attributes)


def _label(method: Method) -> str:
    """The method as it is written, without what is at its default."""
    return repr(method).replace(", most_steps=100000000", "").replace(", target='cpu'", "").replace(", order=None", "")


def _row(
    model: Model, method: Method, t: float, start: Mapping[str, float] | None, exact: xr.Dataset
) -> dict[str, object]:
    simulate(model, t * 1e-3, start=start, method=method)  # compiles
    began = time.perf_counter()
    run = uninterrupted(simulate(model, t, start=start, method=method))
    seconds = time.perf_counter() - began
    agree, event_error = event_difference(run, exact)
    period, amplitude = cycle(run)
    order = method.taylor_order + 1 if isinstance(method, Exact) else 1
    return {
        "state_error": state_difference(run, exact),
        "event_error": event_error,
        "events": run.sizes["event"],
        "events_agree": agree,
        "period": period,
        "amplitude": amplitude,
        "evaluations": run.attrs["evaluations"] * order,
        "steps": run.attrs["steps"],
        "seconds": seconds,
        "status": run.attrs["status"],
        "outcome": run.attrs["outcome"],
    }


def state_difference(run: xr.Dataset, exact: xr.Dataset) -> float:
    """The largest difference of any state over the time that both cover, relative to that state's range."""
    if run.sizes["time"] < 2:
        return float("nan")
    times = np.linspace(float(run.time[0]), min(float(run.time[-1]), float(exact.time[-1])), POINTS)
    here, there = interpolate(run, times), interpolate(exact, times)
    worst = 0.0
    for name in exact.state.values:
        size = float(exact[name].max() - exact[name].min()) or 1.0
        worst = max(worst, float(np.abs(here[name] - there[name]).max()) / size)
    return worst


def event_difference(run: xr.Dataset, exact: xr.Dataset) -> tuple[bool, float]:
    """Whether both have the same sequence of events, and the largest difference in time up to where they do."""
    count = min(run.sizes["event"], exact.sizes["event"])
    same = np.ones(count, bool)
    for name in ("event_contact", "event_before", "event_after"):
        same &= run[name].values[:count] == exact[name].values[:count]
    agreeing = count if same.all() else int(np.argmin(same))
    difference = np.abs(run.event_time.values[:agreeing] - exact.event_time.values[:agreeing])
    complete = agreeing == run.sizes["event"] == exact.sizes["event"]
    return complete, float(difference.max()) if agreeing else float("nan")


def cycle(run: xr.Dataset) -> tuple[float, float]:
    """(period, amplitude of the first state) between the last two releases of the first contact that has any."""
    for contact in run.contact.values:
        released = (run.event_contact == contact) & (run.event_before == 0)
        times = run.event_time.values[released.values]
        if len(times) >= 2:
            motion = interpolate(run, np.linspace(times[-2], times[-1], POINTS))[str(run.state.values[0])]
            return float(times[-1] - times[-2]), float(motion.max() - motion.min()) / 2
    return float("nan"), float("nan")
