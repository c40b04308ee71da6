"""A stored symmetric matrix through its upper triangle: each entry is read once."""

from collections.abc import Callable
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
        return _added_up(loops.symmetric_dot, K, V, workers)
    vectors = np.ascontiguousarray(V.T)
    return np.column_stack([_added_up(loops.symmetric_dot, K, v, workers) for v in vectors])


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
        self.column_l1 = _added_up(loops.take_off, self._K, scores, self._workers)

    def apply(self, V: Array) -> Array:
        """(K - C^T C) V for one vector or few."""
        return triangle_product(self._K, V, self._workers)


def _added_up(loop: Callable[..., None], K: Array, v: Array, workers: Workers) -> Array:
    """What a loop over rows of the triangle adds up, one vector for each piece of the rows."""
    parts = np.zeros((MAX_PIECES, len(v)), dtype=K.dtype)
    cuts = zip(_equal_areas(len(v)), parts, strict=True)
    workers.run(loop, [(K, v, *cut, part) for cut, part in cuts], cost=K.size)
    return parts.sum(axis=0)


def _equal_areas(n: int) -> list[tuple[int, int]]:
    """Cut the rows of an upper triangle into pieces of equal area; those near the top are longer.

    Examples
    --------
    >>> _equal_areas(100)[:3], _equal_areas(100)[-1]
    ([(0, 3), (3, 6), (6, 9)], (75, 100))
    """
    cuts = (n * (1 - np.sqrt(1 - np.linspace(0, 1, MAX_PIECES + 1)))).astype(int)
    return list(pairwise(cuts.tolist()))
