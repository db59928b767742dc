"""Ctrl-C ends compiled work at once, wherever it is, and what is done is kept."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import stickslip as ss
from stickslip import simulation
from stickslip.field import FEW_STEPS
from stickslip.kernels.records import Records
from stickslip.targets import interrupt

FORCED = ss.models.forced_oscillator("III")
FEW, MANY = np.linspace(0.5, 2.0, 40), np.linspace(0.5, 2.0, 300)
AGES = 1e9
"""A time that takes hours."""

SOON = 1.0
"""Seconds from the signal to the end, on a busy machine: by itself it takes some milliseconds."""


@contextmanager
def interrupted_after(seconds: float) -> Iterator[list[float]]:
    """Send this process what Ctrl-C does; the list has when."""
    sent: list[float] = []

    def send() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(seconds, send)
    timer.start()
    try:
        yield sent
    finally:
        timer.cancel()


def sweep(etas: np.ndarray, **keywords: Any) -> Callable[[], Any]:
    return lambda: ss.sweep(FORCED, {"base.eta": etas}, **keywords)


@pytest.mark.parametrize(
    "work",
    [
        sweep(FEW, times=(AGES, 1.0)),
        sweep(FEW, times=(1.0, AGES)),
        sweep(FEW, times=(1.0, AGES), observe=ss.observe.Strobe()),
        sweep(MANY, times=(AGES, 1.0), shortcut=False),
        sweep(MANY, times=(1.0, AGES), shortcut=False),
        sweep(1e14 * FEW, times=(1.0, 1.0)),
        sweep(1e14 * MANY, times=(1.0, 1.0)),
    ],
    ids=["transient", "observed", "strobes", "lockstep", "lockstep observed", "fast", "fast in lockstep"],
)
def test_a_sweep_ends_at_once(work: Callable[[], Any]) -> None:
    ss.sweep(FORCED, {"base.eta": FEW}, times=(1.0, 1.0))
    ss.sweep(FORCED, {"base.eta": MANY}, times=(1.0, 1.0))  # compiled now, so that the signal finds it computing
    with interrupted_after(0.3) as sent:
        found = work()
    assert time.monotonic() - sent[0] < SOON
    assert found.attrs["outcome"] == "interrupted"
    assert (found.status.values == ss.Status.NOT_COMPUTED.code).all()


def test_what_comes_after_an_interruption_runs() -> None:
    """Threads are used again, with the same numbers: none remembers that it was stopped."""
    with interrupted_after(0.2):
        sweep(FEW, times=(AGES, 1.0))()
    again = sweep(FEW, times=(10.0, 10.0))()
    assert again.attrs["outcome"] == "finished" and not interrupt._halted and not interrupt._under_way


def test_single_motions_end_at_once() -> None:
    model = ss.models.block_on_belt()
    field = ss.Field.of(model, order=20)
    start = np.array([model.start_state(None)])
    with interrupted_after(0.3) as sent, pytest.raises(KeyboardInterrupt):
        field.propagate(start, 1e12)
    assert time.monotonic() - sent[0] < SOON
    ends, outcome = field.propagate(start, 100.0)
    alone, _ = field.propagate(start, 100.0, most_steps=10**6)
    assert outcome[0, 0] == 0 and (ends == alone).all()


@pytest.mark.parametrize("also_before", [False, True], ids=["finished", "interrupted"])
def test_a_run_that_is_put_together_is_kept(monkeypatch: pytest.MonkeyPatch, also_before: bool) -> None:
    """However often it is pressed: what is put together takes seconds where there are a million steps."""
    finish = simulation._Collector.finish

    def pressed(collector: simulation._Collector) -> Any:
        for _ in range(3):
            signal.raise_signal(signal.SIGINT)
        return finish(collector)

    def report(time: float) -> None:
        if also_before:
            raise KeyboardInterrupt

    monkeypatch.setattr(simulation._Collector, "finish", pressed)
    run = ss.simulate(ss.models.block_on_belt(), 20.0, progress=report)
    assert run.attrs["outcome"] == "interrupted" and float(run["time"][-1]) == 20.0


@pytest.mark.parametrize("most_steps", [10**9, 1000, 1])
@pytest.mark.parametrize("pause_after", [1, 1000, 1500, 4242, 10**9])
def test_motions_that_pause_are_the_same(pause_after: int, most_steps: int) -> None:
    """The first steps are made at once, then Ctrl-C can end them: wherever that is, nothing is lost or done twice."""
    model = ss.models.block_on_belt()
    field = ss.Exact().compile(model)
    starts = np.array([[x, 0.0] for x in (1.1, 0.3, -2.0)])
    end = 2000.0
    ends, outcome = field.propagate(starts, end, rtol=1e-12, most_steps=most_steps)
    kernels, trajectory = field.program.kernels.ensemble, field.workspace()
    trajectory.tolerance = 1e-12
    ensemble, begin, found = kernels.Ensemble(), Records(kernels.Start, 3), Records(kernels.End, 3)
    ensemble.end_time, ensemble.most_steps, ensemble.pause_after, ensemble.count = end, most_steps, pause_after, 3
    begin.column("state")[:], begin.column("parameter")[:] = starts, list(model.parameters.values())
    calls = 0
    while ensemble.first < 3 and calls < 10_000:
        ensemble.first = field.program.at_once.propagate(trajectory, ensemble, begin, found)
        calls += 1
    assert (ends == found.column("state")).all()
    assert (outcome[:, 0] == found.column("status")).all() and (outcome[:, 1] == found.column("events")).all()
    assert calls > 1 or pause_after >= 3 * most_steps or pause_after > 4242
    status = ss.Status.FINISHED if most_steps > 1000 else ss.Status.TOO_MANY_STEPS
    assert (outcome[:, 0] == status.code).all()


def test_a_long_motion_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """What takes more steps than are made at once is not begun anew."""
    model = ss.models.block_on_belt()
    field = ss.Exact().compile(model)
    begun_after: list[int] = []

    def watched(plain: Callable[..., int]) -> Callable[..., int]:
        def call(trajectory: Any, *rest: Any) -> int:
            begun_after.append(int(trajectory.steps))
            return plain(trajectory, *rest)

        return call

    for program in (field.program.at_once, field.program):
        monkeypatch.setattr(program, "propagate", watched(program.propagate))
    _, outcome = field.propagate(np.array([model.start_state(None)]), 1e5)
    assert outcome[0, 0] == 0 and outcome[0, 1] > 10_000
    assert begun_after == [0, FEW_STEPS]


def test_strobes_without_number_are_refused() -> None:
    with pytest.raises(ss.errors.SweepError, match=r"Strobe\(every=1e-12\) asks for 1\.0e\+13 states .* at least"):
        sweep(FEW, times=(10.0, 10.0), observe=ss.observe.Strobe(every=1e-12))()


def test_strobes_that_cannot_be_kept_cost_nothing() -> None:
    began = time.monotonic()
    found = sweep(FEW[:4], times=(10.0, 10.0), observe=ss.observe.Strobe(every=1e-6), most=100)()
    assert found.truncated.all() and (found["count"] == 100).all() and time.monotonic() - began < 5
    whole = sweep(FEW[:4], times=(10.0, 10.0), observe=ss.observe.Strobe(every=0.1))()
    wanted = np.broadcast_to(10 + 1e-6 * np.arange(1, 101), (4, 100))
    np.testing.assert_allclose(found.record_time.values, wanted, rtol=1e-12)
    assert (whole["count"] == 100).all()
