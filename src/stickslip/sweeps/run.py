"""`sweep`: a model at many parameter values, on all cores."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Unpack

from stickslip.arguments import check_progress
from stickslip.model.errors import check_whole
from stickslip.model.system import Model, suggest
from stickslip.progress import Progress, Report, reporting
from stickslip.status import Status
from stickslip.sweeps.checkpoint import Checkpoint
from stickslip.sweeps.execute import Keep, cores, on_cluster, on_threads
from stickslip.sweeps.layout import Results, Sweep
from stickslip.sweeps.observation import SweepError
from stickslip.sweeps.plan import Plan
from stickslip.sweeps.prepare import Asked, check_size, plan_sweep
from stickslip.sweeps.stored import dataset_of

REPAIRS = 3
"""How often chunks of a store are computed that turn out to be damaged."""


class UnfinishedSweep(SweepError):
    """A sweep that could not go on, with what was computed until then in `partial`."""

    def __init__(self, message: str, partial: Sweep) -> None:
        super().__init__(message)
        self.partial = partial


def sweep(
    model: Model,
    over: Any,
    *,
    threads: int | None = None,
    checkpoint: str | Path | None = None,
    cluster: Any = None,
    progress: Progress = None,
    **asked: Unpack[Asked],
) -> Sweep:
    """Simulate a model at many parameter values and record what its motion does after a transient.

    Returns an `xarray.Dataset` along the swept parameters. Recorded points lie along `record` (NaN where there are
    fewer): every state under its name, `record_time`, `record_contact`, and `count` of them. Per point of the sweep:
    `status`, `events`, `n` and `m` (n stick→slip points in m periods of the excitation; both 0 where no period is
    found), `period`, `minimum` and `maximum` of every state, `stick_fraction`, `start_state`, `end_state`.

    Keywords
    - over: values by parameter, for a grid of any dimension: {"belt.speed": [...], "contact.normal": [...]}; or a list
      of points, [{"belt.speed": 0.1}, ...]. "start.x.block" sweeps where a state starts.
    - zip: the values in `over` (which may be a table) belong together, row by row, and make no grid.
    - observe: `stick_to_slip` (the default), `slip_to_stick`, `strobe`, `section(...)`, `maxima(...)`, or None to
      record nothing; `largest_exponent` and `signature` give one value per point; or several: a list, or a dictionary
      with names. Where several are recorded their names stand before those of variables, "strobe.x.block", and
      `observation_of` takes one out. Each takes a run of its own.
    - t: (transient, observed time); or periods: both in periods of the excitation, (300, 100) by default.
    - start: states by name, as the model has them by default; "stick": so, but with all contacts at rest; or
      "random", always the same for one `seed` (which is also that of random friction), in the ranges `within` by
      state (by default twice the range of the model's own motion).
    - carry: "up" or "down": along the first axis, each motion starts where the one before ended, to show hysteresis.
      Contacts that stick go on sticking, also on a belt whose speed has changed.
    - rtol: of the integration, 1e-9 by default. tolerance: how well a motion must repeat itself, relative to its
      extent, to be periodic, 1e-6 by default.
    - most: rows recorded per point, 500 by default; `truncated` says where there were more. most_steps: where to give
      up, after 10⁷ by default.
    - shortcut: whether a motion that has come to repeat itself, within rtol/16, leaves out whole cycles, which are told
      from one of them (on a GPU, and from 256 points on); True by default.
    - chunk: points per piece of work; threads: how many at once, by default one per core. Neither changes a number.
    - target: "cpu", or "cuda" for a GPU (one thread per trajectory; results agree within the tolerance).
    - checkpoint: a folder in which finished chunks are kept as they come; the same call goes on where it was stopped,
      and computes again what was damaged meanwhile. One process at a time writes to it. A result of more than 1 GB
      stays there, and is read as far as it is asked for: memory does not limit such a sweep.
    - cluster: a Dask client, cluster or scheduler address to run on, in place of threads. One that is lost ends the
      sweep by an error; what was computed is in the store, or in `partial` of the error.
    - progress: called with the number of points done and their total; by default a bar, as in `simulate`.

    A point that cannot be computed has its `status`, and the others go on. Ctrl-C keeps what is done.

    >>> import stickslip as ss
    >>> system = ss.models.forced_oscillator("III")
    >>> data = ss.sweep(system, {"base.eta": [0.9, 1.15, 1.5]}, periods=(100, 30))
    >>> data["n"].values.tolist(), data["m"].values.tolist()
    ([1, 2, 1], [1, 3, 2])
    """
    threads = None if threads is None else check_whole("threads", threads, 1, 10**4)
    check_progress(progress)
    for name in asked:
        if name not in Asked.__annotations__:
            raise TypeError(f"sweep has no keyword {name!r}{suggest(name, [*Asked.__annotations__, *OWN])}")
    plan = plan_sweep(model, over, **asked)
    at_once = 1 if plan.settings.target == "cuda" else threads or cores()
    if checkpoint is None:
        check_size(plan)
    for _ in range(REPAIRS):
        with reporting(progress, "sweeping", lambda done, total: float(done / total)) as report:
            results, interrupted = run_plan(plan, at_once, report, checkpoint, cluster)
        data = dataset_of(results) if isinstance(results, Checkpoint) else plan.assemble(results)
        if interrupted or not (isinstance(results, Checkpoint) and results.damaged):
            break
    else:
        raise SweepError(f"what is written to {str(checkpoint)!r} does not stay as it was: choose another disk")
    if interrupted:
        sentence = f"{Status.INTERRUPTED.value} {data.attrs['status']}"
        data = data.assign_attrs(status=sentence, outcome=Status.INTERRUPTED.word)
    return data


def _signature() -> inspect.Signature:
    """The signature of `sweep` with the keywords that it hands on in full, for help and for editors."""
    own = [each for each in inspect.signature(sweep).parameters.values() if each.kind != each.VAR_KEYWORD]
    known = {each.name for each in own}
    handed = [each for each in inspect.signature(plan_sweep).parameters.values() if each.name not in known]
    return inspect.Signature([*own[:2], *handed, *own[2:]], return_annotation="Sweep")


OWN = [name for name, each in inspect.signature(sweep).parameters.items() if each.kind == each.KEYWORD_ONLY]
sweep.__signature__ = _signature()  # type: ignore[attr-defined]


def run_plan(
    plan: Plan,
    threads: int,
    report: Report | None = None,
    checkpoint: str | Path | None = None,
    cluster: Any = None,
) -> tuple[Mapping[int, Results], bool]:
    """The results of all chunks by number, and whether the user interrupted."""
    plan.compile()
    if checkpoint is None:
        kept: dict[int, Results] = {}
        return kept, _completed(plan, threads, report, cluster, frozenset(), kept.__setitem__, kept)
    store = Checkpoint(checkpoint, plan)
    finished = store.sound()
    if len(finished) == len(plan.chunks):
        return store, False
    with store.alone():
        finished = store.sound(finished)  # another process may just have gone on with it
        return store, _completed(plan, threads, report, cluster, finished, store.keep, store)


def _completed(
    plan: Plan,
    threads: int,
    report: Report | None,
    cluster: Any,
    finished: frozenset[int],
    keep: Keep,
    results: Mapping[int, Results],
) -> bool:
    """Run the chunks that are not finished; whether the user interrupted. What was kept until a failure is told."""
    todo = [chunk.index for chunk in plan.chunks if chunk.index not in finished]
    done = sum(len(plan.points(plan.chunks[index])) for index in finished)

    def keep_and_report(index: int, found: Results) -> None:
        nonlocal done
        keep(index, found)
        done += len(found["status"])
        if report is not None:
            report(done, plan.count)

    try:
        if cluster is None:
            return on_threads(plan, todo, keep_and_report, threads)
        return on_cluster(plan, todo, keep_and_report, cluster)
    except SweepError as error:
        so_far = f"{str(error).rstrip('.')}. {done} of {plan.count} points are computed"
        if isinstance(results, Checkpoint):
            raise SweepError(
                f"{so_far}, and kept in {str(results.path)!r}: the same call goes on with the rest"
            ) from None
        raise UnfinishedSweep(f"{so_far}: they are in `partial` of this error", plan.assemble(results)) from None
