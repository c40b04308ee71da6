"""Threads for loops that release the GIL.

The size of the data alone determines how work is cut into pieces, so results are the same, bit for
bit, for any ``n_jobs``.  While pieces run, BLAS is limited to one thread: two pools that compete
for the same cores are 2 to 5 times as slow.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, starmap
from typing import Any

import joblib
import numpy as np
from joblib.parallel import get_active_backend
from threadpoolctl import OpenBLASController, ThreadpoolController

from l1kpca import tuning

Listener = Callable[[float], None]  # receives the share done, from one thread at a time


def thread_count(n_jobs: int | None) -> int:
    """Threads for scikit-learn's ``n_jobs``, never more than the CPUs this process may use.

    None is all of these CPUs, or ``OMP_NUM_THREADS`` if that is fewer; or the number of a
    surrounding ``joblib.parallel_config``; or one inside joblib's workers.  -1 is all CPUs.
    """
    cores = joblib.cpu_count()
    if n_jobs is not None:
        return max(1, cores + 1 + n_jobs) if n_jobs < 0 else min(n_jobs, cores)
    backend, surrounding = get_active_backend()
    if backend.nesting_level:
        return 1
    if surrounding is not None:
        return thread_count(surrounding)
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return min(int(asked), cores) if asked.isdigit() and int(asked) > 0 else cores


@cache
def _pool(n_threads: int, _process_id: int) -> ThreadPoolExecutor:
    # The process id keeps a forked child from waiting for its parent's threads.
    return ThreadPoolExecutor(n_threads - 1, thread_name_prefix="l1kpca")


@dataclass(frozen=True)
class Workers:
    """Runs pieces of work in up to ``n_threads`` threads."""

    n_threads: int = 1

    def run(
        self, work: Callable[..., Any], pieces: Sequence[tuple[Any, ...]], cost: float
    ) -> list[Any]:
        """Call ``work(*piece)`` for each piece; the results keep the order of the pieces.

        ``cost`` is the rough total number of multiplications; small work stays in this thread.  If
        the caller is interrupted, waiting pieces are dropped, and running ones end when they next
        call `advance`.
        """
        if cost < tuning.SMALL_WORK:
            return list(starmap(work, pieces))
        run = _Run(work, pieces, cost)
        # The caller works too, so it never waits for a busy pool.
        n_others = min(self.n_threads, len(pieces)) - 1
        others = [_pool(self.n_threads, os.getpid()).submit(run.drain) for _ in range(n_others)]
        try:
            run.drain()
            for other in others:
                if not other.cancel():
                    other.result()
        except BaseException:
            run.stopped = True
            wait([other for other in others if not other.cancel()])
            raise
        return run.results

    def total(
        self, work: Callable[..., Any], pieces: Sequence[tuple[Any, ...]], cost: float
    ) -> Any:
        """The sum of what `run` returns, in the order of the pieces, holding few at a time."""
        total, added, lock = None, 0, threading.Lock()
        waiting: dict[int, Any] = {}

        def add(number: int, piece: tuple[Any, ...]) -> None:
            nonlocal total, added
            part = work(*piece)
            with lock:
                waiting[number] = part
                while added in waiting:
                    part = waiting.pop(added)
                    total = part if added == 0 else total + part
                    added += 1

        self.run(add, list(enumerate(pieces)), cost)
        return total


class _Stopped(BaseException):
    """Ends a piece whose run was stopped."""


class _Run:
    """A queue of pieces that several threads share, and that can be stopped."""

    def __init__(self, work: Callable[..., Any], pieces: Sequence[tuple[Any, ...]], cost: float):
        self.results: list[Any] = [None] * len(pieces)
        self.stopped = False
        self._work, self._left = work, deque(enumerate(pieces))
        self._cost, self._done = cost, 0.0
        self._listener, self._lock = _listener.get(), threading.Lock()

    def drain(self) -> None:
        """Run pieces until none is left; an error also stops the other threads."""
        outer = _current.set(self)
        try:
            while not self.stopped:
                try:
                    number, piece = self._left.popleft()
                except IndexError:
                    return
                self.results[number] = self._work(*piece)
        except _Stopped:
            return
        except BaseException:
            self.stopped = True
            raise
        finally:
            _current.reset(outer)

    def advance(self, done: float) -> None:
        """Record that work of this cost is done; end the piece if the run was stopped."""
        if self.stopped:
            raise _Stopped
        if self._listener is not None:
            with self._lock:
                self._done += done
                self._listener(min(self._done / self._cost, 1.0))


_current: ContextVar[_Run | None] = ContextVar("current", default=None)
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def advance(done: float) -> None:
    """Report work of this cost as done, from within a long piece."""
    if run := _current.get():
        run.advance(done)


def tell(share: float) -> None:
    """Report which share of work elsewhere is done."""
    if listener := _listener.get():
        listener(share)


def spans(length: int, size: int) -> list[slice]:
    """Cut ``range(length)`` into consecutive slices of at most ``size``."""
    starts = range(0, length, size)
    return list(map(slice, starts, [*starts[1:], length]))


def equal_areas(n: int, count: int) -> list[tuple[int, int]]:
    """Cut the rows of an upper triangle into pieces of equal area; later ones are longer."""
    cuts = (n * (1 - np.sqrt(1 - np.linspace(0, 1, count + 1)))).astype(int)
    return list(pairwise(cuts.tolist()))


_blas = cache(ThreadpoolController)
# Since 3.8, threadpoolctl lets only the thread that set a limit lift it; but of overlapping fits,
# the last may end in another thread than the one where the first began.
_let_go = getattr(OpenBLASController, "clear_controlling_thread", dict)

_blas_lock = threading.Lock()
_blas_holders: list[Any] = []  # one per block of `computing`; the last to end lifts the limit


@contextmanager
def computing(n_jobs: int | None = 1, listener: Listener | None = None) -> Iterator[Workers]:
    """The workers for ``n_jobs``, with BLAS limited to one thread; safe to enter concurrently."""
    with _blas_lock:
        limiter = _blas_holders[-1] if _blas_holders else _blas().limit(limits=1, user_api="blas")
        _blas_holders.append(limiter)
    token = _listener.set(listener)
    try:
        yield Workers(thread_count(n_jobs))
    finally:
        _listener.reset(token)
        with _blas_lock:
            _blas_holders.pop()
            if not _blas_holders:
                _let_go(force=True)
                limiter.restore_original_limits()
                _let_go(force=True)
