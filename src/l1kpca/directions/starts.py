"""Where a search starts, and the best of several starts: the only randomness in a search."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.sparse.linalg import ArpackError

from l1kpca import tuning
from l1kpca._typing import Array, Signs
from l1kpca.directions.base import Direction, Finder, signs_of
from l1kpca.directions.eigen import lanczos
from l1kpca.gram.base import Gram
from l1kpca.gram.stored import StoredGram
from l1kpca.threads import Workers

_SMALL = 100  # most rows for which a dense decomposition takes no time

Start = Callable[[Gram, np.random.Generator], Signs]
"""Maps a Gram and a generator to a sign vector."""


def column(gram: Gram, rng: np.random.Generator) -> Signs:
    r"""Signs of the column with the largest :math:`\sum_i |K_{ij}| / \sqrt{K_{jj}}` (the paper)."""
    return _best_column(gram, np.arange(gram.n_samples), gram.column_l1())


def auto(gram: Gram, rng: np.random.Generator) -> Signs:
    """The paper's start on a sample of 128 rows, without a pass over K.

    The sample is random but always the same, whatever the seed.
    """
    rows = _sample(gram.n_samples)
    return _best_column(gram, rows, np.abs(gram.columns(rows, rows)).sum(axis=0))


@lru_cache(maxsize=4)
def _sample(n: int) -> Array:
    """The sampled rows, always the same."""
    draw = np.random.default_rng(0)
    return np.sort(draw.choice(n, min(n, tuning.START_ROWS), replace=False))


def norm(gram: Gram, rng: np.random.Generator) -> Signs:
    """Signs of the column of the row with the largest norm: the start of KPCA-L1."""
    return _best_column(gram, np.array([gram.diagonal().argmax()]), np.ones(1))


def eigen(gram: Gram, rng: np.random.Generator) -> Signs:
    """Signs of the leading eigenvector: the L2 solution."""
    vector = leading_eigenvector(gram)
    return signs_of(vector, previous=np.ones_like(vector))


def random(gram: Gram, rng: np.random.Generator) -> Signs:
    """Random signs."""
    return gram.random_signs(rng)


STARTS: dict[str, Start] = {
    "auto": auto,
    "column": column,
    "eigen": eigen,
    "norm": norm,
    "random": random,
}


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

    def given(gram: Gram, rng: np.random.Generator) -> Signs:
        return signs.astype(gram.dtype)

    return given


def best_of_starts(
    finder: Finder, gram: Gram, first: Start, n_starts: int | None, rng: np.random.Generator
) -> Direction:
    """The best direction from ``first`` and random starts, in batches of eight.

    With more than 4000 rows, random starts compete on a sample of the rows; the last search
    continues on all rows where the best of them ended.

    ``n_starts=None`` stops when 16 starts in a row have not raised the best value by more than 1e-4
    of it, or after 128 starts.
    """
    best: Direction | None = None
    least, tried, last_gain = -np.inf, 0, 0
    most = tuning.MAX_STARTS if n_starts is None else n_starts
    while best is None or (
        tried < most and (n_starts is not None or tried - last_gain < tuning.START_PATIENCE)
    ):
        count = min(tuning.START_BATCH, most - tried)
        if n_starts is not None and n_starts > 2 and gram.n_samples > tuning.SAMPLED_STARTS:
            starts = [first(gram, rng), _best_on_sample(finder, gram, most - 2, rng)]
            tried = most - 2
        else:
            starts = [(random if tried else first)(gram, rng)]
            while len(starts) < count:
                starts.append(random(gram, rng))
        for found in finder.find(gram, gram.table(starts)):
            tried += 1
            if best is None or found.value > least + tuning.START_IMPROVEMENT * abs(least):
                last_gain = tried
            if best is None or found.value > least:
                best, least = found, found.value
    return replace(best, n_starts=tried)


def _best_on_sample(finder: Finder, gram: Gram, count: int, rng: np.random.Generator) -> Signs:
    """Signs, for all rows, of the scores on the best direction of a sample."""
    size = max(tuning.FEWEST_SAMPLED, gram.n_samples // tuning.SAMPLED_SHARE)
    size = min(size, tuning.MOST_SAMPLED)
    rows = np.sort(rng.choice(gram.n_samples, size, replace=False))
    K = np.ascontiguousarray(gram.columns(rows, rows))
    sample = StoredGram(K, Workers(), floor=gram.rounding())
    starts = sample.table([random(sample, rng) for _ in range(count)])
    best = max(finder.find(sample, starts), key=lambda direction: direction.value)
    return gram.signs(gram.apply(best.coef, at=rows))


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
    return gram.signs(gram.apply(np.ones(1, dtype=gram.dtype), at=best))
