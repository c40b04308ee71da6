"""Column norms of a stored K as scores are subtracted from it one by one."""

import numpy as np

from l1kpca import loops, tuning
from l1kpca._typing import Array
from l1kpca.threads import Workers, equal_areas, spans


def written_out(K: Array, left: Array, right: Array, workers: Workers) -> Array:
    """K - L^T R, as a new array."""
    out = np.empty_like(K, order="C")

    def write(rows: slice) -> None:
        np.subtract(K[rows], left[:, rows].T @ right, out=out[rows])

    pieces = [(rows,) for rows in spans(len(K), tuning.WRITTEN_ROWS)]
    workers.run(write, pieces, cost=len(left) * K.size)
    return out


class ColumnSums:
    """``sum_i |K - L^T R|_ij``, for factors that grow by one row at a time.

    Keeps the upper triangle of K - L^T R.  The pass that subtracts one more row also yields the
    sums, in a tenth of the time that subtracting 78 rows from K again would take.
    """

    def __init__(self, K: Array, left: Array, right: Array, workers: Workers):
        self._left = left.copy()
        self._workers = workers
        self._triangle = written_out(K, left, right, workers)
        self.sums = self._take_off(np.zeros(len(K), dtype=K.dtype))

    def go_on(self, left: Array, right: Array) -> bool:
        """Subtract the rows that are new; False if the earlier ones have changed."""
        known = len(self._left)
        more = left[known:]
        if not np.array_equal(left[:known], self._left) or not np.array_equal(more, right[known:]):
            return False
        for scores in more:
            self.sums = self._take_off(scores)
        self._left = left.copy()
        return True

    def _take_off(self, scores: Array) -> Array:
        n = len(scores)
        cuts = equal_areas(n, tuning.TRIANGLE_PIECES)
        parts = np.zeros((len(cuts), n), dtype=scores.dtype)
        pieces = [
            (self._triangle, scores, *cut, part) for cut, part in zip(cuts, parts, strict=True)
        ]
        self._workers.run(loops.take_off, pieces, cost=n * n)
        return parts.sum(axis=0)
