"""`sweep`: a model at many parameter values, on all cores."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stickslip.arguments import check_progress
from stickslip.errors import SweepError, UnfinishedSweep
from stickslip.model.errors import check_whole
from stickslip.model.system import Model
from stickslip.progress import Progress, Report, reporting
from stickslip.status import Status
from stickslip.sweeps.checkpoint import Checkpoint
from stickslip.sweeps.execute import Keep, cores, on_cluster, on_threads
from stickslip.sweeps.layout import Results, Sweep
from stickslip.sweeps.observation import Observe
from stickslip.sweeps.plan import Plan
from stickslip.sweeps.prepare import RTOL, check_room, check_size, plan_sweep
from stickslip.sweeps.stored import dataset_of

IN_HAND = 8
"""Chunks that are in hand at once where a GPU computes: it goes on with the next while the host puts one away."""

REPAIRS = 3
"""How often chunks of a store are computed that turn out to be damaged."""


def sweep(
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
    threads: int | None = None,
    checkpoint: str | Path | None = None,
    cluster: Any = None,
    progress: Progress = None,
) -> Sweep:
    """Simulate a model at many parameter values and record what its motion does after a transient.

    A point that cannot be computed has its `status`, and the others go on. Ctrl-C keeps what is done.

    Parameters
    ----------
    model : System or Filippov
        The model.
    over : mapping, or list of mappings
        Values by parameter, for a grid of any dimension: ``{"belt.speed": [...], "contact.normal": [...]}``; or a list
        of points, ``[{"belt.speed": 0.1}, ...]``. "start.x.block" sweeps where a state starts.
    observe : observation, str, list, mapping or None, default "stick_to_slip"
        What is recorded of every motion: one of `stickslip.observe`, its name, several of them, or a mapping that names
        them; None records nothing. Where several are recorded their names stand before those of variables,
        "strobe.x.block". In lockstep they share their transients; else each takes a run of its own.
    times : (float, float), optional
        Transient and observed time, in units of time.
    periods : (float, float), optional
        The same in periods of the excitation; (300, 100) by default where there is one.
    start : mapping or str, optional
        States by name, as the model has them by default; "stick": so, but with all contacts at rest; "random": drawn
        `within` ranges.
    within : mapping of str to (float, float), optional
        The range of random starts by state; by default twice the range of the model's own motion.
    seed : int, default 0
        Of random starts and of random friction.
    carry : {"up", "down"}, optional
        Along the first axis, each motion starts where the one before ended, to show hysteresis. Contacts that stick go
        on sticking, also on a belt whose speed has changed.
    zip : bool, default False
        The values in `over` (which may be a table) belong together, row by row, and make no grid.
    rtol : float, default 1e-9
        Relative tolerance of the integration. One motion is measured to 1e-12 by `simulate`; that a million of them
        stick, slip and repeat themselves is told by a thousandth of that effort.
    tolerance : float, default 1e-6
        How well a motion must repeat itself, relative to its extent, to be periodic.
    most : int, default 500
        Rows recorded per point; `truncated` says where there were more.
    most_steps : int, default 10**7
        Steps after which a motion is given up.
    shortcut : bool, default True
        Whether a motion that has come to repeat itself, within rtol/16, leaves out whole cycles, which are told from
        one of them.
    chunk : int, optional
        Points per piece of work; it changes no number.
    target : {"cpu", "cuda"}, default "cpu"
        "cuda" for a GPU: one thread per trajectory; results agree within the tolerance.
    threads : int, optional
        How many pieces are worked on at once, by default one per core; it changes no number.
    checkpoint : path, optional
        A folder in which finished chunks are kept as they come; the same call goes on where it was stopped, and
        computes again what was damaged meanwhile. One process at a time writes to it. A result of more than 1 GB stays
        there, and is read as far as it is asked for: memory does not limit such a sweep.
    cluster : Dask client, cluster or address, optional
        Where to run, in place of threads. One that is lost ends the sweep by an error; what was computed is in the
        store, or in `partial` of the error.
    progress : callable or bool, optional
        Called with the number of points done and their total; by default a bar is shown, as in `simulate`.

    Returns
    -------
    Sweep
        An `xarray.Dataset` along the swept parameters.
        Recorded points lie along `record` (NaN where there are fewer): every state under its name, `record_time`,
        `record_contact`, and `count` of them. They are kept packed, as `Sweep.packed` gives them; large arrays with a
        line per point are made when their values are asked for, so ask once. Per point of the sweep: `status`,
        `events`, `n` and `m` (n stick→slip points in m periods of the excitation; both −1 where no period is found),
        `period`, `minimum` and `maximum` of every state, `stick_fraction`, `start_state`, `end_state`.

    Raises
    ------
    SweepError
        If the sweep cannot be run as asked, or its cluster is lost (`UnfinishedSweep`, with what was computed).
    ModelError
        If the model has no such parameter or state.

    See Also
    --------
    plan_sweep : the same as a plan that is run piece by piece.
    stickslip.plot.bifurcation, stickslip.plot.parameter_map, stickslip.plot.poincare : its pictures.

    Examples
    --------
    >>> import stickslip as ss
    >>> system = ss.models.forced_oscillator("III")
    >>> data = ss.sweep(system, {"base.eta": [0.9, 1.15, 1.5]}, periods=(100, 30))
    >>> data["n"].values.tolist(), data["m"].values.tolist()
    ([1, 2, 1], [1, 3, 2])
    """
    threads = None if threads is None else check_whole("threads", threads, 1, 10**4)
    check_progress(progress)
    plan = plan_sweep(
        model,
        over,
        observe=observe,
        times=times,
        periods=periods,
        start=start,
        within=within,
        seed=seed,
        carry=carry,
        zip=zip,
        rtol=rtol,
        tolerance=tolerance,
        most=most,
        most_steps=most_steps,
        shortcut=shortcut,
        chunk=chunk,
        target=target,
    )
    at_once = threads or (IN_HAND if plan.settings.target == "cuda" else cores())
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
        size = points = 0

        def keep(index: int, found: Results) -> None:
            nonlocal size, points
            kept[index] = found
            size += sum(array.nbytes for array in found.values())
            points += len(found["status"])
            check_room(plan, size, points)

        return kept, _completed(plan, threads, report, cluster, frozenset(), keep, kept)
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
