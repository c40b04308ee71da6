"""Where a search begins: the only place where randomness enters."""

from collections.abc import Callable

import numpy as np
from scipy.sparse.linalg import ArpackError

from l1kpca._typing import Array, Signs
from l1kpca.directions.base import signs_of
from l1kpca.directions.eigen import lanczos
from l1kpca.gram.base import Gram

_SMALL = 100  # rows up to which a dense decomposition takes no time

Start = Callable[[Gram, np.random.Generator], Signs]
"""From a Gram and a generator to one sign vector."""

SAMPLED_COLUMNS, SAMPLED_ROWS = 64, 1024
CHEAP_ROWS = 2000
"""Up to here the full pass of the paper's start takes milliseconds, and no seed matters."""


def column(gram: Gram, rng: np.random.Generator) -> Signs:
    r"""Signs of the column with the largest :math:`\sum_i |K_{ij}| / \sqrt{K_{jj}}` (the paper)."""
    merit = _per_norm(gram.column_l1(), gram.diagonal())
    return _signs_of_column(gram, int(np.argmax(merit)))


def sampled(gram: Gram, rng: np.random.Generator) -> Signs:
    """The paper's start among 64 random columns, judged by 1024 random rows: no pass over K."""
    n = gram.n_samples
    index = rng.choice(n, min(n, SAMPLED_COLUMNS), replace=False)
    rows = np.sort(rng.choice(n, min(n, SAMPLED_ROWS), replace=False))
    merit = _per_norm(np.abs(gram.columns(index, rows)).sum(axis=0), gram.diagonal()[index])
    return _signs_of_column(gram, int(index[np.argmax(merit)]))


def norm(gram: Gram, rng: np.random.Generator) -> Signs:
    """Signs of the column of the row with the largest norm: the start of KPCA-L1."""
    return _signs_of_column(gram, int(np.argmax(gram.diagonal())))


def eigen(gram: Gram, rng: np.random.Generator) -> Signs:
    """Signs of the leading eigenvector: the L2 solution."""
    vector = leading_eigenvector(gram)
    return signs_of(vector, previous=np.ones_like(vector))


def random(gram: Gram, rng: np.random.Generator) -> Signs:
    """Signs drawn at random."""
    return rng.choice(np.array([-1, 1], dtype=gram.dtype), gram.n_samples)


def auto(gram: Gram, rng: np.random.Generator) -> Signs:
    """The paper's start while a full pass over K is cheap, else the sampled one."""
    return (column if looks_at_all(auto, gram.n_samples) else sampled)(gram, rng)


def looks_at_all(start: Start, n_samples: int) -> bool:
    """Whether a start looks at every entry of a K with so many rows."""
    return start is column or (start is auto and n_samples <= CHEAP_ROWS)


STARTS: dict[str, Start] = {
    "auto": auto,
    "column": column,
    "sampled": sampled,
    "eigen": eigen,
    "norm": norm,
    "random": random,
}


def several(first: Start, count: int, gram: Gram, rng: np.random.Generator) -> Signs:
    """``first`` and, for the other columns, random signs: (n, count)."""
    return np.column_stack([first(gram, rng), *(random(gram, rng) for _ in range(count - 1))])


def leading_eigenvector(gram: Gram) -> Array:
    """Unit eigenvector of the largest eigenvalue, by Lanczos if there are many rows."""
    n = gram.n_samples
    if n <= _SMALL:
        return np.linalg.eigh(gram.columns(np.arange(n)))[1][:, -1].astype(gram.dtype)
    try:
        _, vectors = lanczos(gram, 1)
    except ArpackError as stopped:
        # Also where K is zero: any vector is as good as any other then.
        vectors = getattr(stopped, "eigenvectors", np.empty((n, 0)))
        if not vectors.size:
            vectors = np.cos(np.arange(n))[:, np.newaxis]
    return vectors[:, 0].astype(gram.dtype)


def _signs_of_column(gram: Gram, index: int) -> Signs:
    entries = gram.columns(np.array([index]))[:, 0]
    return signs_of(entries, previous=np.ones_like(entries))


def _per_norm(l1: Array, squared_norms: Array) -> Array:
    """l1 / sqrt(squared_norms), where rows that are zero up to rounding come last."""
    floor = np.finfo(squared_norms.dtype).eps * len(l1) * max(squared_norms.max(), 0)
    usable = squared_norms > floor
    return np.where(usable, l1 / np.sqrt(np.where(usable, squared_norms, 1)), -1)
