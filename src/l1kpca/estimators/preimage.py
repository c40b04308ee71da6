"""Pre-images under the Gaussian kernel, by a fixed point iteration."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from l1kpca._typing import Array
from l1kpca.gram.base import Expansion
from l1kpca.gram.projections import KernelProjection
from l1kpca.threads import Workers, spans

_MAX_STEPS = 200
_SMALLEST_MOVE = 1e-6  # in widths of the kernel
_ENTRIES = 2**20  # of a block of kernel values
_BLOCK_ROWS = 512


@dataclass(frozen=True)
class FixedPointInverse:
    r"""The row whose image in feature space is nearest to a point P of the subspace.

    With :math:`P = \sum_l g_l \phi(x_l)` and k(x, x) = 1,

    .. math:: \|\phi(x) - P\|^2 = 1 - 2 f(x) + \|P\|^2, \qquad f(x) = \sum_l g_l k(x, x_l),

    so the pre-image maximises f.  Where f > 0, its gradient points from x to

    .. math:: T(x) = \sum_l g_l k(x, x_l)\, x_l \Big/ \sum_l g_l k(x, x_l),

    the step of Mika et al.  A step to T(x) that does not raise f is halved until it does: no
    iterate is further from P than the one before it, also where weights g are negative and the
    bare iteration would diverge.

    References
    ----------
    S. Mika, B. Schölkopf, A. Smola, K.-R. Müller, M. Scholz and G. Rätsch, "Kernel PCA and
    De-Noising in Feature Spaces", NIPS 1998.
    """

    expansion: Expansion
    workers: Workers

    def __call__(self, scores: Array, start: Array | None = None) -> Array:
        """Rows from scores.

        The search begins at the nearest of the known rows, or at the row of ``start`` if that is
        nearer.
        """
        blocks = self.expansion.blocks
        weights = self._weights(scores)
        rows = self.nearest_rows(weights)
        if start is not None:
            start = start.astype(rows.dtype, copy=False)
            nearer = self.closeness(start, weights) > self.closeness(rows, weights)
            rows[nearer] = start[nearer]

        def work(part: slice) -> Iterator[float]:
            for _ in self._climb(rows[part], weights[part]):
                yield weights[part].size * rows.shape[1] / _MAX_STEPS

        pieces = [(part,) for part in self._parts(len(rows))]
        self.workers.run(work, pieces, cost=float(weights.size) * rows.shape[1])
        return rows.astype(blocks.X.dtype, copy=False)

    def closeness(self, rows: Array, weights: Array) -> Array:
        """f(x): the larger, the nearer to P."""
        parts = self._parts(len(rows))
        return np.concatenate([self._kernel(rows[p], weights[p]).sum(axis=1) for p in parts])

    def nearest_rows(self, weights: Array) -> Array:
        """For each point the known row with the largest f, as a dense array."""
        blocks = self.expansion.blocks
        index = [
            KernelProjection(blocks, weights[part].T, _BLOCK_ROWS, self.workers)(
                blocks.X
            ).scores.argmax(axis=0)
            for part in self._parts(len(weights))
        ]
        nearest = blocks.X[np.concatenate(index)]
        return nearest.toarray() if hasattr(nearest, "toarray") else np.array(nearest)

    def _weights(self, scores: Array) -> Array:
        dtype = self.expansion.offset.dtype
        return self.expansion.offset + scores.astype(dtype, copy=False) @ self.expansion.coef

    def _parts(self, n_points: int) -> list[slice]:
        return spans(n_points, max(1, _ENTRIES // len(self.expansion.offset)))

    def _kernel(self, rows: Array, weights: Array) -> Array:
        return self.expansion.blocks.with_new(rows) * weights

    def _evaluate(self, rows: Array, weights: Array) -> tuple[Array, Array]:
        """f and T; where f is not above rounding error, T is the row itself."""
        K = self._kernel(rows, weights)
        value = K.sum(axis=1)
        rounding = np.finfo(K.dtype).eps * np.abs(K).sum(axis=1)
        usable = value > rounding
        with np.errstate(all="ignore"):  # a quotient that is no number is not used
            goal = np.asarray(K @ self.expansion.blocks.X) / value[:, None]
        usable &= np.isfinite(goal).all(axis=1)
        return value, np.where(usable[:, None], goal, rows)

    def _climb(self, rows: Array, weights: Array) -> Iterator[None]:
        """Move ``rows`` in place, step by step."""
        width = np.sqrt(self.expansion.blocks.kernel.params["gamma"])
        smallest = max(_SMALLEST_MOVE, float(np.sqrt(np.finfo(rows.dtype).eps)))
        value, goal = self._evaluate(rows, weights)
        share = np.ones(len(rows), dtype=rows.dtype)
        moving = np.arange(len(rows))
        for _ in range(_MAX_STEPS):
            step = share[moving, None] * (goal[moving] - rows[moving])
            moving, step = _longer(moving, step, smallest / width)
            if not moving.size:
                return
            tried = rows[moving] + step
            tried_value, tried_goal = self._evaluate(tried, weights[moving])
            better = tried_value > value[moving]
            kept = moving[better]
            rows[kept], goal[kept] = tried[better], tried_goal[better]
            value[kept] = tried_value[better]
            share[moving] = np.where(better, 1, share[moving] / 2)
            yield


def _longer(index: Array, steps: Array, length: float) -> tuple[Array, Array]:
    """Those points whose steps are longer than ``length``."""
    longer = np.linalg.norm(steps, axis=1) > length
    return index[longer], steps[longer]
