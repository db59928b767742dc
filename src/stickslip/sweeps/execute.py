"""Where the chunks of a sweep are run: on the threads of this machine, or on a cluster.

For developers: a way to run chunks takes the plan, the numbers of the chunks to do and `keep`, which is called in this
process with each finished chunk. It returns whether the user interrupted; what was kept until then is kept.
"""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ThreadPoolExecutor, as_completed, wait
from contextlib import suppress
from itertools import islice
from typing import Any

from stickslip.errors import SweepError
from stickslip.sweeps.layout import Results
from stickslip.sweeps.plan import Plan
from stickslip.targets import interrupt

Keep = Callable[[int, Results], None]
AHEAD = 2
"""Chunks that are begun before others are kept, for each thread."""

RETRIES = 5
"""How often in a row a cluster may lose everything it has in hand."""

PATIENCE = 60.0
"""Seconds for which a cluster may be without workers, or its scheduler silent."""

SIGN_OF_LIFE, LOOK = 1.0, 0.02
"""Seconds between two questions whether a cluster lives, and between two looks at what it has done."""

UNFINISHED = "the cluster did not finish the sweep"


def cores() -> int:
    """Cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def on_threads(plan: Plan, todo: Sequence[int], keep: Keep, threads: int) -> bool:
    """On the cores of this machine; compiled code frees the interpreter.

    No more chunks are begun than `keep` can follow: what waits to be kept would fill the memory.
    """
    halt = threading.Event()
    waiting = iter(todo)
    running: dict[Future[Results], int] = {}
    workers: list[int] = []
    pool = ThreadPoolExecutor(
        threads, thread_name_prefix="sweep", initializer=lambda: workers.append(threading.get_ident())
    )

    def begin(count: int) -> None:
        for index in islice(waiting, count):
            running[pool.submit(plan.run, plan.chunks[index], halt.is_set)] = index

    try:
        begin(AHEAD * threads)
        while running:
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                index = running.pop(future)
                begin(1)
                keep(index, future.result())
        return False
    except KeyboardInterrupt:
        halt.set()
        interrupt.halt(workers)
        with suppress(KeyboardInterrupt):  # a second one does not wait for what is in hand, but loses nothing else
            _wind_up(plan, running, keep)
        return True
    except BaseException:
        interrupt.halt(workers)
        raise
    finally:
        halt.set()
        pool.shutdown(wait=False, cancel_futures=True)
        interrupt.let_go_on(workers)


def _wind_up(plan: Plan, running: dict[Future[Results], int], keep: Keep) -> None:
    """Keep those of the chunks in hand that come to their end."""
    for future in running:
        future.cancel()
    for future in as_completed([future for future in running if not future.cancelled()]):
        results = future.result()
        if plan.is_complete(results):
            with suppress(KeyboardInterrupt):  # from a report: once is enough
                keep(running[future], results)


def on_cluster(plan: Plan, todo: Sequence[int], keep: Keep, cluster: Any) -> bool:
    """On the workers of Dask distributed. What a worker that dies had in hand is computed again by another.

    Chunks may take hours, so nobody waits for a chunk, but for a sign of life of the cluster.
    """
    client, own = _client(_distributed(), cluster)
    left = list(todo)
    tries = RETRIES
    try:
        while left and tries:
            _wait_for_life(client)
            before = len(left)
            # Data that is shared dies with its worker, and takes the tasks that wait for it along: then once more.
            for index, results in _completed(client, plan, tuple(left)):
                keep(index, results)
                left.remove(index)
            tries = RETRIES if len(left) < before else tries - 1
        if left:
            raise SweepError(f"{UNFINISHED}: {len(left)} chunks were lost with their workers, {RETRIES} times in a row")
        return False
    except KeyboardInterrupt:
        return True
    finally:
        if own:
            with suppress(Exception):  # a scheduler that is gone cannot be taken leave of
                client.close(timeout=5)


def _completed(client: Any, plan: Plan, todo: Sequence[int]) -> Iterator[tuple[int, Results]]:
    """Chunks that the cluster finishes, as they come, until all are or some are lost.

    No more are begun than are taken from here.
    """
    waiting = iter(todo)
    futures: dict[Any, int] = {}
    try:
        shared = client.scatter(plan, broadcast=True, timeout=PATIENCE)

        def begin(count: int) -> None:
            for i in islice(waiting, count):
                futures[client.submit(run_chunk, shared, i, pure=False, retries=RETRIES)] = i

        begin(AHEAD * max(1, sum(client.nthreads().values())))
        while futures:
            for future in _done(client, futures):
                index, results = futures.pop(future), _result(client, future)
                if results is None:
                    return
                begin(1)
                yield index, results
    except SweepError:
        raise
    except (OSError, CancelledError) as error:  # of the cluster; whether it comes back is seen later
        warnings.warn(f"the cluster has lost its work: {_words(error)}", stacklevel=2)
    finally:
        for future in futures:
            future.release()


def _done(client: Any, futures: Iterable[Any]) -> list[Any]:
    """The futures that have come to their end, good or bad; waited for as long as the cluster lives."""
    looked = time.monotonic()
    while True:
        # By looking, not by being told: a scheduler that dies tells nothing.
        if done := [future for future in futures if future.done()]:
            return done
        time.sleep(LOOK)
        if time.monotonic() > looked + SIGN_OF_LIFE:
            _wait_for_life(client)
            looked = time.monotonic()


def _result(client: Any, future: Any) -> Results | None:
    """What a future brings; None where it was lost on the way."""
    if future.status == "error":
        error = future.exception(timeout=PATIENCE)
        if type(error).__name__ == "KilledWorker":
            return None
        raise SweepError(f"{UNFINISHED}: {_words(error)}")
    patience = PATIENCE
    while future.status not in ("cancelled", "lost"):
        try:
            results: Results = future.result(timeout=patience)
            return results
        except CancelledError:
            break
        except TimeoutError:  # its worker has died and it is computed again, or it is large: once more, more patiently
            _wait_for_life(client)
            patience *= 2
    return None


def _wait_for_life(client: Any) -> None:
    """Go on as soon as the cluster has a scheduler and workers; refuse to wait for them too long."""
    begin = time.monotonic()
    while ailing := _ailing(client):
        if client.status == "closed" or time.monotonic() > begin + PATIENCE:
            raise SweepError(f"{UNFINISHED}: {ailing}, for {time.monotonic() - begin:.0f} s")
        time.sleep(LOOK)


def _ailing(client: Any) -> str:
    """What a cluster lacks; nothing if it is well."""
    if client.status == "running":
        try:
            return "" if client.nthreads() else "it has no workers"
        except (OSError, CancelledError):
            pass
    return "its scheduler does not answer"


def _words(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__


def run_chunk(plan: Plan, index: int) -> Results:
    """The results of one chunk: what a worker is asked to do."""
    return plan.run(plan.chunks[index])


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise SweepError("cluster= needs Dask distributed: pip install 'stickslip[cluster]'") from None
    return distributed


def _client(dask: Any, cluster: Any) -> tuple[Any, bool]:
    """A client of the cluster, and whether it is ours to close."""
    if isinstance(cluster, dask.Client):
        return cluster, False
    try:
        return dask.Client(cluster), True
    except (OSError, ValueError, TypeError) as error:
        raise SweepError(
            f"no cluster answers at {cluster!r}: {error}; give a Client, a cluster or its address"
        ) from None
