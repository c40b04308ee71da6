"""A stored symmetric matrix through its upper triangle: each entry is read once."""

from itertools import pairwise

import numpy as np

from l1kpca import loops
from l1kpca._typing import Array
from l1kpca.threads import Workers

MAX_PIECES = 16
"""Pieces of work; fixed, so that sums are taken in the same order for any number of threads."""


FEW_VECTORS = 3
"""So many products, one after the other, take less time than BLAS does with all of K."""


def are_few(V: Array) -> bool:
    """Whether V is one vector, or has few columns."""
    return 0 < V.size <= FEW_VECTORS * len(V)


def triangle_product(K: Array, V: Array, workers: Workers) -> Array:
    """K V for one vector or few, from the upper triangle of K."""
    V = V.astype(K.dtype, copy=False)
    if V.ndim == 1:
        return _product(K, V, workers)
    columns = [_product(K, np.ascontiguousarray(v), workers) for v in V.T]
    return np.column_stack(columns)


def _product(K: Array, v: Array, workers: Workers) -> Array:
    parts = np.zeros((MAX_PIECES, len(v)), dtype=K.dtype)
    pieces = [(K, v, *cut, part) for cut, part in zip(_equal_areas(len(v)), parts, strict=True)]
    workers.run(loops.symmetric_dot, pieces, cost=K.size)
    return parts.sum(axis=0)


class Triangle:
    """The upper triangle of K - C^T C, from which scores are taken off in place, one by one.

    For searches that look at all of the matrix: the pass that takes off a score also gives the
    norms of the columns, in half of the time of a pass that has eight scores to subtract.

    Parameters
    ----------
    K : array (n, n)
        Changed on and above its diagonal.
    column_l1 : array (n,)
        ``sum_i |K_ij|`` for each j.
    workers : Workers
        Threads.
    """

    def __init__(self, K: Array, column_l1: Array, workers: Workers):
        self.column_l1 = column_l1
        """``sum_i |K - C^T C|_ij`` for each j."""
        self._K = K
        self._workers = workers

    def take_off(self, scores: Array) -> None:
        """One more row of C."""
        n = len(scores)
        parts = np.zeros((MAX_PIECES, n), dtype=self._K.dtype)
        cuts = zip(_equal_areas(n), parts, strict=True)
        pieces = [(self._K, scores, *cut, part) for cut, part in cuts]
        self._workers.run(loops.take_off, pieces, cost=self._K.size)
        self.column_l1 = parts.sum(axis=0)

    def apply(self, V: Array) -> Array:
        """(K - C^T C) V for one vector or few."""
        return triangle_product(self._K, V, self._workers)


def _equal_areas(n: int) -> list[tuple[int, int]]:
    """Cut the rows of an upper triangle into pieces of equal area; those near the top are longer.

    Examples
    --------
    >>> _equal_areas(100)[:3], _equal_areas(100)[-1]
    ([(0, 3), (3, 6), (6, 9)], (75, 100))
    """
    cuts = (n * (1 - np.sqrt(1 - np.linspace(0, 1, MAX_PIECES + 1)))).astype(int)
    return list(pairwise(cuts.tolist()))
