"""Threads for loops that release the GIL: who runs them, and on how many cores.

Work is cut into pieces that depend on the size of the data alone, never on the number of threads,
so a result is the same, bit for bit, whatever ``n_jobs`` is.  While the pieces run, BLAS is held to
one thread: two pools that fight over the same cores cost a factor of 2 to 5.

A piece that may take long is a generator that yields between its steps.  At each step it can be
stopped (Ctrl-C), and whoever listens (`reporting_to`) hears how far the work has come.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any

from threadpoolctl import OpenBLASController, ThreadpoolController

SMALL_WORK = 200_000
"""Below this many multiplications a hand-over to another thread costs more than it saves."""


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def thread_count(n_jobs: int | None) -> int:
    """Read scikit-learn's ``n_jobs``: None is all cores, -1 all, -2 all but one; never more."""
    cores = available_cores()
    if n_jobs is None:
        return cores
    return max(1, cores + 1 + n_jobs) if n_jobs < 0 else min(n_jobs, cores)


@cache
def _pool(n_threads: int, _process_id: int) -> ThreadPoolExecutor:
    # One pool for each size, shared by all fits; the process id keeps a forked child from waiting
    # for threads that stayed with its parent.  The caller is a thread too.
    return ThreadPoolExecutor(n_threads - 1, thread_name_prefix="l1kpca")


@dataclass(frozen=True)
class Workers:
    """Runs pieces of work in up to ``n_threads`` threads."""

    n_threads: int = 1

    def run(
        self, work: Callable[..., Any], pieces: Sequence[tuple[Any, ...]], cost: float
    ) -> list[Any]:
        """Call ``work(*piece)`` for each piece; the results keep the order of the pieces.

        When the caller is interrupted, pieces that wait are dropped and pieces that run end at
        their next step, so neither the caller nor the end of the process waits for them.

        Parameters
        ----------
        work : callable
            Must release the GIL to gain from threads.  A generator function does its piece in
            steps: each ``yield`` gives the part of ``cost`` done since the last one.
        pieces : sequence of tuples
            Arguments of each call.
        cost : float
            Rough number of multiplications in all; small work stays in the calling thread.
        """
        run = _Run(work, pieces, cost)
        n_threads = 1 if cost < SMALL_WORK else min(self.n_threads, len(pieces))
        if n_threads <= 1:
            run.drain()
            return run.results
        pool = _pool(self.n_threads, os.getpid())
        # The caller works too: it costs less than waiting, and nobody waits for a busy pool.
        others = [pool.submit(run.drain) for _ in range(n_threads - 1)]
        try:
            run.drain()
            for other in others:
                if not other.cancel():
                    other.result()
        except BaseException:
            run.stop()
            wait([other for other in others if not other.cancel()])
            raise
        return run.results


class _Run:
    """Pieces that several threads take from one queue, step by step; can be stopped."""

    def __init__(self, work: Callable[..., Any], pieces: Sequence[tuple[Any, ...]], cost: float):
        self.results: list[Any] = [None] * len(pieces)
        self._work = work
        self._left = deque(enumerate(pieces))
        self._cost = cost
        self._per_piece = cost / max(len(pieces), 1)
        self._done = 0.0
        self._stopped = False
        self._listener = _listener.get()
        self._lock = threading.Lock()

    def stop(self) -> None:
        """Let no piece go further than its present step."""
        self._stopped = True

    def drain(self) -> None:
        """Do pieces until none is left; an error stops the other threads too."""
        try:
            while self._left and not self._stopped:
                try:
                    number, piece = self._left.popleft()
                except IndexError:  # another thread was quicker
                    return
                self.results[number] = self._do(piece)
        except BaseException:
            self.stop()
            raise

    def _do(self, piece: tuple[Any, ...]) -> Any:
        """Do one piece; the result of a stopped piece is None."""
        result = self._work(*piece)
        if not isinstance(result, Generator):
            self._advance(self._per_piece)
            return result
        while not self._stopped:
            try:
                self._advance(next(result))
            except StopIteration as end:
                return end.value
        result.close()
        return None

    def _advance(self, done: float) -> None:
        if self._listener is not None and self._cost > 0:
            with self._lock:
                self._done += done
                self._listener(min(self._done / self._cost, 1.0))


_listener: ContextVar[Callable[[float], None] | None] = ContextVar("listener", default=None)


@contextmanager
def reporting_to(listener: Callable[[float], None] | None) -> Iterator[None]:
    """Inside the block, tell ``listener`` the share that is done of whatever run is under way.

    The listener may be called from any thread, by one at a time.
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


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
                _let_any_thread_set_limits()
                self._limiter.restore_original_limits()
                _let_any_thread_set_limits()


def _let_any_thread_set_limits() -> None:
    """From 3.8 on, threadpoolctl heeds only the thread that set a limit, until that lets go.

    The last of several overlapping fits may end in another thread than the first began in.
    """
    let_go = getattr(OpenBLASController, "clear_controlling_thread", None)
    if let_go is not None:
        let_go(force=True)


_blas_hold = _BlasHold()


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Hold BLAS to one thread inside the block; may be entered from several threads at once."""
    _blas_hold.acquire()
    try:
        yield
    finally:
        _blas_hold.release()
