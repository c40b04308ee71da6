"""The workers behind the current Dask client, or the threads of this process if there is none."""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from concurrent import futures
from functools import partial
from time import monotonic
from typing import Any

import joblib
import numpy as np

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.checks import read_memory_limit
from l1kpca.threads import Workers, spans

_LOOK_SECONDS = 2  # between checks on the workers
_BRANCHES = 16  # of the tree that merges results
# An idle worker steals tasks, and fetches their partitions in every step.  Dask never steals tasks
# that it believes to take no time; it recognizes them by name.
_NOT_STOLEN = "split-stage"


class _Cluster:
    """The workers behind a client; tasks are futures, and their values stay on the workers.

    No task has side effects or needs a certain worker, so the scheduler can redo lost work.
    """

    def __init__(self, client: Any):
        self._client = client
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        self.n_threads = max(1, sum(worker["nthreads"] for worker in workers))
        total = sum(worker["memory_limit"] or 0 for worker in workers)
        self.memory = total // 2 or read_memory_limit(None)
        self._address = client.scheduler.address if client.scheduler else "unknown"

    @property
    def client(self) -> Any:
        """The client, while its scheduler is alive."""
        if self._client.status not in ("running", "connecting"):
            raise self._lost("is gone")
        return self._client

    def call(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Start a task."""
        return self.client.submit(work, *arguments, pure=False)

    def calls(self, work: Any, arguments: list[Any], at: list[Any] | None = None) -> list[Any]:
        """One task per tuple of arguments, on a worker that holds the matching value in ``at``.

        If that worker is lost, another one fetches or recomputes the value.
        """
        start = partial(self.client.map, work, pure=False)
        if at is None:
            return list(start(*zip(*arguments, strict=True)))
        found = self._asked("who_has", keys=[kept.key for kept in at])
        homes = defaultdict(list)
        for number, kept in enumerate(at):
            homes[tuple(found.get(kept.key, ()))].append(number)
        tasks = [None] * len(at)
        for home, numbers in homes.items():
            where = {"workers": list(home), "allow_other_workers": True} if home else {}
            some = zip(*(arguments[number] for number in numbers), strict=True)
            for number, task in zip(numbers, start(*some, key=_NOT_STOLEN, **where), strict=True):
                tasks[number] = task
        return tasks

    def keep(self, tasks: list[Any]) -> list[Any]:
        """Start the tasks that are lazy; their values stay on the workers."""
        return list(self.client.compute(tasks))

    def send(self, value: Any) -> Any:
        """Give tasks access to a value; not scattered, so that it can be recomputed."""
        return self.call(_received, value)

    def merged(self, work: Any, sent: Any, parts: list[tuple[Any, int]], merge: Any) -> Array:
        """``work(sent, *part)`` for all parts, merged in a tree.

        Parts that are not kept are computed for this pass and then dropped.
        """
        blocks = self.keep([block for block, _ in parts])
        pieces = [(sent, block, first) for block, (_, first) in zip(blocks, parts, strict=True)]
        level = self.calls(work, pieces, at=blocks)
        del blocks, pieces, parts
        while len(level) > 1:
            level = self.calls(merge, [(level[some],) for some in spans(len(level), _BRANCHES)])
        return self.results(level)[0]

    def results(self, tasks: list[Any]) -> list[Any]:
        """The values of tasks, in this process; raises a task's error, or says what was lost."""
        from distributed import KilledWorker
        from distributed.comm.core import CommClosedError

        gathered = self.client.gather(self.keep(tasks), asynchronous=True)
        coming = asyncio.run_coroutine_threadsafe(gathered, self.client.loop.asyncio_loop)
        seen = monotonic()
        try:
            while not futures.wait([coming], timeout=_LOOK_SECONDS).done:
                if (stuck := self._stuck()) is None:
                    seen = monotonic()
                elif monotonic() - seen > tuning.NO_WORKER_SECONDS:
                    raise stuck
            return list(coming.result())
        except KilledWorker as lost:
            raise MemoryError(
                "one task killed several workers, most likely because its partition does not fit"
                " into their memory: use smaller partitions, or workers with more memory"
            ) from lost
        except (CommClosedError, futures.CancelledError, asyncio.CancelledError) as lost:
            raise self._lost("is gone") from lost
        finally:
            coming.cancel()

    def _stuck(self) -> Exception | None:
        """The error to raise if this lasts: no workers, or all busy ones are paused."""
        workers = self._asked("identity")["workers"]
        busy = {worker for worker, tasks in self._asked("processing").items() if tasks}
        paused = {worker for worker, state in workers.items() if state["status"] == "paused"}
        if not workers:
            return self._lost("has no worker left")
        if paused.issuperset(busy or workers):  # no other worker takes over their tasks
            return MemoryError(
                "the fit is waiting for workers paused for lack of memory: use workers with more"
                " memory, or a smaller memory_limit; with checkpoint=... a new fit resumes there"
            )
        return None

    def _asked(self, question: str, **about: Any) -> Any:
        """The scheduler's answer; the client's own lists may be out of date."""
        try:
            ask = getattr(self.client.scheduler, question)
            return self._client.sync(ask, callback_timeout=60, **about)
        except (OSError, AttributeError) as lost:  # timeouts included
            raise self._lost("is gone") from lost

    def _lost(self, what: str) -> ConnectionError:
        return ConnectionError(
            f"the cluster of the scheduler {self._address} {what}: start a cluster, make a Client,"
            " and fit again; with checkpoint=... the fit resumes where it stopped"
        )


def _received(value: Any) -> Any:
    """Return the value, as a task that can be rerun."""
    return value


class _ThisProcess:
    """No cluster: runs the same tasks in this process, in threads unless Dask is set otherwise."""

    def __init__(self) -> None:
        self.n_threads = joblib.cpu_count()
        self.memory = read_memory_limit(None)

    def call(self, work: Callable[..., Any], *arguments: Any) -> Any:
        from dask.delayed import delayed  # computed when its value is needed

        return delayed(work, pure=False)(*arguments)

    def calls(self, work: Any, arguments: list[Any], at: list[Any] | None = None) -> list[Any]:
        return [self.call(work, *some) for some in arguments]

    def results(self, tasks: list[Any]) -> list[Any]:
        from dask.base import compute

        return list(compute(*tasks))

    keep = results

    def send(self, value: Any) -> Any:
        return value

    def merged(self, work: Any, sent: Any, parts: list[tuple[Any, int]], merge: Any) -> Array:
        if isinstance(parts[0][0], np.ndarray):
            return merge(Workers(self.n_threads).run(partial(work, sent), parts, cost=np.inf))
        return merge(self.results(self.calls(partial(work, sent), parts)))


def the_cluster() -> _Cluster | _ThisProcess:
    """The cluster of the current client, or this process if there is none."""
    try:
        from distributed import get_client

        return _Cluster(get_client())
    except (ImportError, ValueError):
        return _ThisProcess()
