"""The workers behind the current Dask client, or the threads of this process if there is none.

dask is imported when a Dask array is met, so that the core does not need it.
"""

import asyncio
from collections.abc import Callable
from concurrent import futures
from functools import partial
from time import monotonic
from typing import Any

import joblib
import numpy as np

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.gram import block_tasks
from l1kpca.gram.choose import free_memory
from l1kpca.threads import Workers, spans

_LOOK_SECONDS = 2  # between looks at who is alive
_BRANCHES = 16  # of the tree in which sums are added up


class _Cluster:
    """The workers behind a client: tasks are futures, whose values stay where they are.

    No task has side effects or insists on a worker, so the scheduler repeats what is lost with one.
    """

    def __init__(self, client: Any):
        self._client = client
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        self.n_threads = max(1, sum(worker["nthreads"] for worker in workers))
        self.memory = sum(worker["memory_limit"] or 0 for worker in workers) or free_memory()
        self._address = client.scheduler.address if client.scheduler else "unknown"

    @property
    def client(self) -> Any:
        """The client, as long as there is a scheduler behind it."""
        if self._client.status not in ("running", "connecting"):
            raise self._lost("is gone")
        return self._client

    def call(self, work: Callable[..., Any], *arguments: Any, home: Any = None) -> Any:
        """A task, started at once, if possible by one of the workers ``home``."""
        loose = home is not None
        return self.client.submit(
            work, *arguments, pure=False, workers=home, allow_other_workers=loose
        )

    def homes(self, kept: list[Any]) -> list[Any]:
        """Where kept values are; None if they are still to be computed."""
        found = self.client.who_has(kept)
        return [list(found.get(task.key, [])) or None for task in kept]

    def keep(self, tasks: list[Any]) -> list[Any]:
        """Tasks whose values stay on the workers."""
        return list(self.client.compute(tasks))

    hold = keep

    def values(self, tasks: list[Any]) -> list[Any]:
        """The values of lazy tasks, here."""
        return self.results(self.keep(tasks))

    def send(self, value: Any) -> Any:
        """The value where tasks can get it; not scattered, so that it can be made again."""
        return self.call(block_tasks.received, value)

    def results(self, tasks: list[Any]) -> list[Array]:
        """The values of tasks, here; raises what a task raised, or says who is gone."""
        from distributed import KilledWorker
        from distributed.comm.core import CommClosedError

        gathered = self.client.gather(tasks, asynchronous=True)
        coming = asyncio.run_coroutine_threadsafe(gathered, self.client.loop.asyncio_loop)
        seen = monotonic()
        try:
            while not futures.wait([coming], timeout=_LOOK_SECONDS).done:
                seen = monotonic() if self._n_alive() else seen
                if monotonic() - seen > tuning.NO_WORKER_SECONDS:
                    raise self._lost("has no worker left")
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

    def _n_alive(self) -> int:
        """How many workers there are; the client's own list may be out of date."""
        try:
            return len(self._client.sync(self.client.scheduler.ncores, callback_timeout=60))
        except (OSError, AttributeError) as lost:  # a time-out among them
            raise self._lost("is gone") from lost

    def _lost(self, what: str) -> ConnectionError:
        return ConnectionError(
            f"the cluster of the scheduler {self._address} {what}: start a cluster, make a Client,"
            " and fit again; with checkpoint=... a fit goes on where it was"
        )

    def merged(self, work: Any, sent: Any, parts: list[tuple[Any, int]], merge: Any) -> Array:
        """``work(sent, *part)`` of all parts, merged in a tree.

        Parts that are not kept are made for this pass and dropped.
        """
        from distributed import Future

        blocks, firsts = map(list, zip(*parts, strict=True))
        if not isinstance(blocks[0], Future):
            blocks = self.keep(blocks)
        send = partial(self.client.map, pure=False)
        level = send(work, [sent] * len(firsts), blocks, firsts)
        del blocks, parts
        while len(level) > 1:
            groups = [level[part] for part in spans(len(level), _BRANCHES)]
            level = send(merge, groups)
        return self.results(level)[0]


class _ThisProcess:
    """No cluster: the same tasks in the threads of this process."""

    def __init__(self) -> None:
        self.n_threads = joblib.cpu_count()
        self.memory = free_memory()

    def call(self, work: Callable[..., Any], *arguments: Any, home: Any = None) -> Any:
        from dask.delayed import delayed  # done when the value is asked for

        return delayed(work, pure=False)(*arguments)

    def homes(self, kept: list[Any]) -> list[Any]:
        return [None] * len(kept)

    def keep(self, tasks: list[Any]) -> list[Any]:
        from dask.base import persist

        return list(persist(*tasks))

    def results(self, tasks: list[Any]) -> list[Any]:
        from dask.base import compute

        return list(compute(*tasks))

    hold = values = results

    def send(self, value: Any) -> Any:
        return value

    def merged(self, work: Any, sent: Any, parts: list[tuple[Any, int]], merge: Any) -> Array:
        def one(part: Any, first: int) -> Any:
            return work(sent, part if isinstance(part, np.ndarray) else part.compute(), first)

        return merge(Workers(self.n_threads).run(one, parts, cost=np.inf))


def the_cluster() -> _Cluster | _ThisProcess:
    """The cluster of the current client if there is one."""
    try:
        from distributed import get_client

        return _Cluster(get_client())
    except (ImportError, ValueError):
        return _ThisProcess()
