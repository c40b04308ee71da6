"""Threads for loops that release the GIL: who runs them, and on how many cores.

Work is cut into pieces that depend on the size of the data alone, never on the number of threads,
so a result is the same, bit for bit, whatever ``n_jobs`` is.  While the pieces run, BLAS is held to
one thread: two pools that fight over the same cores cost a factor of 2 to 5.
"""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

SMALL_WORK = 200_000
"""Below this many multiplications a hand-over to another thread costs more than it saves."""


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def thread_count(n_jobs: int | None) -> int:
    """Read scikit-learn's ``n_jobs``: None is all cores, -1 all, -2 all but one."""
    cores = available_cores()
    if n_jobs is None:
        return cores
    return max(1, cores + 1 + n_jobs) if n_jobs < 0 else n_jobs


@cache
def _pool(n_threads: int, _process_id: int) -> ThreadPoolExecutor:
    # One pool for each size, shared by all fits; the process id keeps a forked child from waiting
    # for threads that stayed with its parent.
    return ThreadPoolExecutor(n_threads, thread_name_prefix="l1kpca")


@dataclass(frozen=True)
class Workers:
    """Runs pieces of work in up to ``n_threads`` threads."""

    n_threads: int = 1

    def run(
        self, work: Callable[..., Any], pieces: Sequence[tuple[Any, ...]], cost: float
    ) -> list[Any]:
        """Call ``work(*piece)`` for each piece; the results keep the order of the pieces.

        Parameters
        ----------
        work : callable
            Must release the GIL to gain from threads.
        pieces : sequence of tuples
            Arguments of each call.
        cost : float
            Rough number of multiplications in all; small work stays in the calling thread.
        """
        if self.n_threads == 1 or len(pieces) == 1 or cost < SMALL_WORK:
            return [work(*piece) for piece in pieces]
        pool = _pool(self.n_threads, os.getpid())
        futures = [pool.submit(work, *piece) for piece in pieces]
        try:
            return [future.result() for future in futures]
        finally:
            for future in futures:
                future.cancel()


def spans(length: int, size: int) -> list[slice]:
    """Cut ``range(length)`` into consecutive slices of at most ``size``."""
    return [slice(i, min(i + size, length)) for i in range(0, length, size)]


class _BlasHold:
    """Counts who wants BLAS on one thread, so that overlapping fits restore the right number."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders = 0
        self._controller: ThreadpoolController | None = None
        self._limiter: Any = None

    def acquire(self) -> None:
        with self._lock:
            if self._holders == 0:
                self._controller = self._controller or ThreadpoolController()
                self._limiter = self._controller.limit(limits=1, user_api="blas")
            self._holders += 1

    def release(self) -> None:
        with self._lock:
            self._holders -= 1
            if self._holders == 0:
                self._limiter.restore_original_limits()


_blas_hold = _BlasHold()


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Hold BLAS to one thread inside the block; may be entered from several threads at once."""
    _blas_hold.acquire()
    try:
        yield
    finally:
        _blas_hold.release()
