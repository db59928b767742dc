"""Where the chunks of a sweep are run: on the threads of this machine, or on a cluster.

For developers: a way to run chunks takes the plan, the numbers of the chunks to do and `keep`, which is called in this
process with each finished chunk. It returns whether the user interrupted; what was kept until then is kept.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from itertools import islice
from typing import Any

from stickslip.sweeps.layout import Results
from stickslip.sweeps.observation import SweepError
from stickslip.sweeps.plan import Plan
from stickslip.targets import interrupt

Keep = Callable[[int, Results], None]
AHEAD = 2
"""Chunks that are begun before others are kept, for each thread."""

RETRIES = 5
"""How often a chunk is tried again on a cluster whose workers die."""


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

    def stop() -> None:
        halt.set()
        interrupt.halt(workers)

    def begin_work() -> None:
        workers.append(threading.get_ident())

    with ThreadPoolExecutor(threads, thread_name_prefix="sweep", initializer=begin_work) as pool:

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
            stop()
            for future in running:
                future.cancel()
            done, _ = wait([future for future in running if not future.cancelled()])
            for future in done:
                results = future.result()
                if plan.is_complete(results):
                    with suppress(KeyboardInterrupt):  # once is enough
                        keep(running[future], results)
            return True
        except BaseException:
            stop()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
        finally:
            interrupt.let_go_on(workers)


def on_cluster(plan: Plan, todo: Sequence[int], keep: Keep, cluster: Any) -> bool:
    """On the workers of Dask distributed. What a worker that dies had in hand is computed again by another."""
    dask = _distributed()
    client, own = _client(dask, cluster)
    left = list(todo)
    try:
        for _ in range(RETRIES):
            # Data that is shared dies with its worker, and takes the tasks that wait for it along: then once more.
            for index, results in _completed(dask, client, plan, tuple(left)):
                keep(index, results)
                left.remove(index)
            if not left:
                return False
        raise SweepError(f"the cluster did not finish the sweep: {len(left)} chunks were lost with their workers")
    except KeyboardInterrupt:
        return True
    finally:
        if own:
            client.close()


def _completed(dask: Any, client: Any, plan: Plan, todo: Sequence[int]) -> Iterator[tuple[int, Results]]:
    """Chunks that the cluster finishes, as they come; no more are begun than are taken from here."""
    shared = client.scatter(plan, broadcast=True)
    waiting = iter(todo)
    futures: dict[Any, int] = {}

    def begin(count: int) -> list[Any]:
        chosen = islice(waiting, count)
        begun = {client.submit(run_chunk, shared, i, pure=False, retries=RETRIES): i for i in chosen}
        futures.update(begun)
        return list(begun)

    finished = dask.as_completed(begin(AHEAD * max(1, sum(client.nthreads().values()))))
    try:
        for future in finished:
            index = futures.pop(future)
            finished.update(begin(1))
            if future.status == "error":
                raise SweepError(f"the cluster did not finish the sweep: {future.exception()}")
            if future.status == "finished":  # futures that were cancelled come, too
                yield index, future.result()
    finally:
        client.cancel(list(futures))


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
