"""Where a search starts, and the best of several starts: the only randomness in a search."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from itertools import chain, repeat
from typing import Any

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import ArpackError

from l1kpca import tuning
from l1kpca._typing import Array, Signs
from l1kpca.directions import loops
from l1kpca.directions.base import Direction, Finder
from l1kpca.directions.eigen import lanczos
from l1kpca.gram.base import Gram

_SMALL = 100  # most rows for which a dense decomposition takes no time
_SAMPLE_STEPS = 100

Start = Callable[[Gram, np.random.Generator, int], Signs]
"""Maps a Gram, a generator and a number of components to come to their starts, the columns of a
table.  Only `auto` knows more than one."""


def column(gram: Gram, rng: np.random.Generator, count: int = 1) -> Signs:
    r"""Signs of the column with the largest :math:`\sum_i |K_{ij}| / \sqrt{K_{jj}}` (the paper)."""
    return _best_column(gram, np.arange(gram.n_samples), gram.column_l1())


def auto(gram: Gram, rng: np.random.Generator, count: int = 1) -> Signs:
    """The components of a sample of the rows, extended to all rows.

    On the sample, Algorithm 1 runs from the paper's start.  The sample is always the same, whatever
    the seed.  If it has fewer components, the last one is repeated.
    """
    rows = sample(gram.n_samples)
    K = np.array(gram.columns(rows, rows), order="C")
    signs, scores = np.empty((2, count, len(rows)), dtype=K.dtype)
    found = loops.greedy(K, (_SAMPLE_STEPS, 0.0, True), signs, scores)
    if not found:  # nothing but rounding error, or K is not positive semidefinite
        return gram.table(list(norm(gram, rng).T) * count)
    signs, scores = signs[:found], scores[:found]
    # A component is c less its part in earlier ones, over the length: L A = S, L lower triangular.
    coef = linalg.solve_triangular(signs @ scores.T, signs, lower=True, check_finite=False)
    return extended(gram, coef, count)


def extended(gram: Gram, coef: Array, count: int) -> Signs:
    """Signs of ``count`` components of the sample, for all rows; the last one may be repeated."""
    wanted = coef[np.minimum(np.arange(count), len(coef) - 1)]
    return gram.signs(gram.apply(wanted.T, at=sample(gram.n_samples)))


@lru_cache(maxsize=4)
def sample(n: int) -> Array:
    """The sampled rows, always the same."""
    size = min(n, max(tuning.FEWEST_SAMPLED, min(n // tuning.SAMPLED_SHARE, tuning.MOST_SAMPLED)))
    return np.sort(np.random.default_rng(0).choice(n, size, replace=False))


def norm(gram: Gram, rng: np.random.Generator, count: int = 1) -> Signs:
    """Signs of the column of the row with the largest norm: the start of KPCA-L1."""
    return _best_column(gram, np.array([gram.diagonal().argmax()]), np.ones(1))


def eigen(gram: Gram, rng: np.random.Generator, count: int = 1) -> Signs:
    """Signs of the leading eigenvector: the L2 solution."""
    return gram.table([gram.signs(leading_eigenvector(gram))])


def random(gram: Gram, rng: np.random.Generator, count: int = 1) -> Signs:
    """Random signs."""
    return gram.table([gram.random_signs(rng)])


STARTS: dict[str, Start] = {
    "auto": auto,
    "column": column,
    "eigen": eigen,
    "norm": norm,
    "random": random,
}


def batch_size(start: Start, index: int, n_samples: int) -> int:
    """How many components share one pass over K from this one on; 0 if it shares an earlier pass.

    The same for any number of components that is asked for: 2, 8, then 16 at a time, or as many as
    fit into memory.
    """
    if start is not auto:
        return 1
    first, most = 0, max(1, tuning.BATCH_ENTRIES // n_samples)
    sizes = chain(tuning.COMPONENT_BATCHES, repeat(tuning.COMPONENT_BATCHES[-1]))
    while first < index:
        first += min(next(sizes), most)
    return min(next(sizes), most) if index == first else 0


def make_start(start: Any, n_samples: int) -> Start:
    """The start named ``start``, or one that returns the user's signs."""
    if isinstance(start, str):
        if start not in STARTS:
            raise ValueError(f"start={start!r} must be one of {list(STARTS)}, or an array of signs")
        return STARTS[start]
    signs = np.asarray(start)
    if signs.shape != (n_samples,) or not np.isin(signs, (-1, 1)).all():
        raise ValueError(
            f"start, given as an array, must hold n_samples={n_samples} signs, each -1 or 1;"
            f" got shape {signs.shape}"
        )

    def given(gram: Gram, rng: np.random.Generator, count: int = 1) -> Signs:
        return signs.astype(gram.dtype)[:, np.newaxis]

    return given


def best_of_starts(
    finder: Finder, gram: Gram, first: Signs, n_starts: int | None, rng: np.random.Generator
) -> Direction:
    """The best direction from ``first`` and random starts, in batches of eight.

    ``n_starts=None`` stops when 16 starts in a row have not raised the best value by more than 1e-4
    of it, or after 128 starts.
    """
    best: Direction | None = None
    least, tried, last_gain = -np.inf, 0, 0
    most = tuning.MAX_STARTS if n_starts is None else n_starts
    while best is None or (
        tried < most and (n_starts is not None or tried - last_gain < tuning.START_PATIENCE)
    ):
        starts = [] if tried else list(first.T)
        while len(starts) < min(tuning.START_BATCH, most - tried):
            starts.append(gram.random_signs(rng))
        for found in finder.find(gram, gram.table(starts)):
            tried += 1
            if best is None or found.value > least + tuning.START_IMPROVEMENT * abs(least):
                last_gain = tried
            if best is None or found.value > least:
                best, least = found, found.value
    return replace(best, n_starts=tried)


def leading_eigenvector(gram: Gram) -> Array:
    """Unit eigenvector of the largest eigenvalue; by Lanczos if there are many rows."""
    n = gram.n_samples
    if n <= _SMALL:
        return np.linalg.eigh(gram.columns(np.arange(n)))[1][:, -1].astype(gram.dtype)
    try:
        _, vectors = lanczos(gram, 1)
    except ArpackError as stopped:
        # Also if K is zero, when any vector will do.
        vectors = getattr(stopped, "eigenvectors", np.empty((n, 0)))
        if not vectors.size:
            vectors = np.cos(np.arange(n))[:, np.newaxis]
    return vectors[:, 0].astype(gram.dtype)


def _best_column(gram: Gram, index: Array, l1: Array) -> Signs:
    """Signs of the column of K[:, index] with the largest L1 norm relative to its row's length."""
    squared_norms = gram.diagonal()[index]
    # Rows that are zero up to rounding come last.
    floor = np.finfo(squared_norms.dtype).eps * len(l1) * max(squared_norms.max(), 0)
    usable = squared_norms > floor
    merit = np.where(usable, l1 / np.sqrt(np.where(usable, squared_norms, 1)), -1)
    best = index[[int(np.argmax(merit))]]
    return gram.table([gram.signs(gram.apply(np.ones(1, dtype=gram.dtype), at=best))])
