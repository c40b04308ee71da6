"""How time and memory are measured: medians of repeats, and fresh processes."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from l1kpca._typing import Array
from l1kpca.loops import compiled
from l1kpca.threads import Workers, available_cores, spans

REPEATS = 5
_PEAK = """
import resource, sys
{setup}
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
{work}
print(before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@dataclass(frozen=True)
class Timing:
    """Seconds of several runs of the same work."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """Median of the runs."""
        return float(np.median(self.seconds))

    @property
    def spread(self) -> float:
        """(Longest - shortest) / median."""
        return (max(self.seconds) - min(self.seconds)) / self.median


def timed(work: Callable[[], object], repeats: int = REPEATS) -> Timing:
    """Run ``work`` several times and keep the seconds."""
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return Timing(tuple(seconds))


def side_by_side(
    works: dict[str, Callable[[], object]], repeats: int = REPEATS
) -> dict[str, Timing]:
    """Time several works in turn, so that a change of the machine's load meets all of them."""
    runs: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            runs[name].extend(timed(work, 1).seconds)
    return {name: Timing(tuple(seconds)) for name, seconds in runs.items()}


@compiled
def _read_rows(K: Array, v: Array, start: int, stop: int, out: Array) -> None:
    """out[start:stop] = K[start:stop] @ v: one streaming read of K."""
    for i in range(start, stop):
        total = v[0] * 0
        for j in range(K.shape[1]):
            total += K[i, j] * v[j]
        out[i] = total


def reader(K: Array) -> Callable[[], object]:
    """Work that reads all of K once, in all cores, as fast as a plain loop can."""
    workers = Workers(available_cores())
    v, out = np.ones(len(K), dtype=K.dtype), np.zeros(len(K), dtype=K.dtype)
    pieces = [(K, v, rows.start, rows.stop, out) for rows in spans(len(K), len(K) // 8 + 1)]
    return lambda: workers.run(_read_rows, pieces, cost=np.inf)


def peak_memory(setup: str, work: str) -> tuple[int, int]:
    """Largest resident size, in bytes, of a fresh process after ``setup`` and after ``work``."""
    script = _PEAK.format(setup=setup, work=work)
    done = subprocess.run(  # noqa: S603 (our own interpreter and script)
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    before, after = done.stdout.split()[-2:]
    return int(before) * 1024, int(after) * 1024


def process_seconds(statement: str, repeats: int = REPEATS) -> Timing:
    """Seconds that a fresh interpreter takes for ``statement``, its own start included."""
    command = [sys.executable, "-c", statement]
    return timed(
        lambda: subprocess.run(command, check=True, env=os.environ),  # noqa: S603 (as above)
        repeats,
    )
