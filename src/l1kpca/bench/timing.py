"""How time is measured: medians of repeats, and works that take turns."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from l1kpca._typing import Array
from l1kpca.journal import Row
from l1kpca.loops import compiled
from l1kpca.threads import Workers, available_cores, spans

REPEATS = 5
FEWEST_REPEATS = 3
LONG = 10.0
"""Seconds from which three repeats must do instead of five."""

Works = Mapping[str, Callable[[], object]]
"""Names of methods, and what each of them does."""

_PIECES = 8  # of the rows in a read: a few for each thread, so that none waits long
_QUICK_WORK = 0.5  # seconds; repeated also where time is short


@dataclass(frozen=True)
class Timing:
    """Seconds of several runs of the same work.

    Examples
    --------
    >>> timing = Timing((2.0, 1.0, 4.0))
    >>> timing.median, timing.spread
    (2.0, 1.5)
    """

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """Median of the runs."""
        return float(np.median(self.seconds))

    @property
    def spread(self) -> float:
        """(Longest - shortest) / median."""
        return (max(self.seconds) - min(self.seconds)) / self.median

    def row(self, method: str) -> Row:
        """The tidy row of a method."""
        return {
            "method": method,
            "seconds": self.median,
            "spread": self.spread,
            "repeats": len(self.seconds),
            "runs": [round(value, 7) for value in self.seconds],
        }


def side_by_side(works: Works, repeats: int = REPEATS) -> dict[str, Timing]:
    """Time works in turn, so that a change of the machine's load meets all of them.

    Parameters
    ----------
    works : mapping of str to callable
        What to time.
    repeats : int, default=5
        Rounds; a work that takes more than ten seconds takes part in the first three alone.
    """
    runs: dict[str, list[float]] = {name: [] for name in works}
    for number in range(repeats):
        for name, work in works.items():
            if number < FEWEST_REPEATS or max(runs[name]) < LONG:
                runs[name].append(seconds_of(work))
    return {name: Timing(tuple(seconds)) for name, seconds in runs.items()}


def within(works: Works, allowance: float, repeats: int = REPEATS) -> dict[str, Timing]:
    """The same in about ``allowance`` seconds: each work once, and again what is quick or fits.

    Parameters
    ----------
    works : mapping of str to callable
        What to time.
    allowance : float
        Seconds; the first round is never cut.
    repeats : int, default=5
        Most rounds.

    Examples
    --------
    >>> found = within({"pass": lambda: None}, allowance=1.0)
    >>> len(found["pass"].seconds)
    5
    """
    begin = time.perf_counter()
    runs = {name: [seconds_of(work)] for name, work in works.items()}
    for rounds_left in range(repeats - 1, 0, -1):
        spare = (allowance - (time.perf_counter() - begin)) / rounds_left
        chosen = _that_fit({name: seconds[0] for name, seconds in runs.items()}, spare)
        for name in [name for name in works if name in chosen]:
            runs[name].append(seconds_of(works[name]))
    return {name: Timing(tuple(seconds)) for name, seconds in runs.items()}


def as_rows(timings: Mapping[str, Timing]) -> list[Row]:
    """The tidy rows of several methods."""
    return [timing.row(name) for name, timing in timings.items()]


def _that_fit(expected: dict[str, float], spare: float) -> set[str]:
    """The quickest works whose times add up to no more than ``spare``, and all that are quick."""
    chosen = {name for name, seconds in expected.items() if seconds <= _QUICK_WORK}
    for name in sorted(expected, key=expected.__getitem__):
        spare -= expected[name]
        if spare < 0:
            break
        chosen.add(name)
    return chosen


def seconds_of(work: Callable[[], object]) -> float:
    """Seconds of one run."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


@compiled
def _read_rows(K: Array, v: Array, start: int, stop: int, out: Array) -> None:
    """out[start:stop] = K[start:stop] @ v, each entry read once; four rows share a read of v."""
    i = start
    while i + 4 <= stop:
        a, b, c, d = K[i], K[i + 1], K[i + 2], K[i + 3]
        ta = tb = tc = td = v[0] * 0
        for j in range(K.shape[1]):
            ta += a[j] * v[j]
            tb += b[j] * v[j]
            tc += c[j] * v[j]
            td += d[j] * v[j]
        out[i], out[i + 1], out[i + 2], out[i + 3] = ta, tb, tc, td
        i += 4
    while i < stop:
        total = v[0] * 0
        for j in range(K.shape[1]):
            total += K[i, j] * v[j]
        out[i] = total
        i += 1


def read(K: Array) -> Array:
    """y = K v with v = 1, by rows, in all cores: one read of K, the yardstick of the targets.

    All n^2 entries stream through the cores once, each is multiplied and added once, and nothing
    but the n sums is written.

    Parameters
    ----------
    K : array (n, n)
        A stored matrix.

    Returns
    -------
    y : array (n,)
        The sums of the rows.

    Examples
    --------
    >>> read(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([3., 7.])
    """
    v, out = np.ones(len(K), dtype=K.dtype), np.zeros(len(K), dtype=K.dtype)
    rows = spans(len(K), len(K) // _PIECES + 1)
    pieces = [(K, v, part.start, part.stop, out) for part in rows]
    Workers(available_cores()).run(_read_rows, pieces, cost=np.inf)
    return out
