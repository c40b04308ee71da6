"""From scores back to rows: linear maps, kernel ridge regression, and pre-images."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, sparse

from l1kpca._typing import Array
from l1kpca.gram.projection import Projection
from l1kpca.kernels import Kernel
from l1kpca.threads import Workers, advance, spans

_MAX_STEPS = 200
_SMALLEST_MOVE = 1e-6  # in widths of the kernel
_ENTRIES = 2**20  # of a block of kernel values


@dataclass(frozen=True)
class LinearInverse:
    """z -> z W + offset."""

    weights: Array
    offset: Array

    def __call__(self, scores: Array) -> Array:
        """Rows from scores."""
        return scores @ self.weights + self.offset


@dataclass(frozen=True)
class RidgeInverse:
    """Kernel ridge regression of the rows on their scores, as in scikit-learn's ``KernelPCA``."""

    kernel: Kernel
    scores: Array
    dual_coef: Array

    def __call__(self, scores: Array) -> Array:
        """Rows from scores."""
        return self.kernel(scores, self.scores) @ self.dual_coef


def ridge_inverse(
    kernel: Kernel, scores: Array, X: Any, alpha: float
) -> RidgeInverse | LinearInverse:
    """Solve (k(Z, Z) + alpha I) W = X; without components, only the mean is left."""
    if scores.shape[1] == 0:
        return LinearInverse(np.zeros((0, X.shape[1])), np.asarray(X.mean(axis=0)).ravel())
    matrix = kernel(scores, scores)
    matrix.flat[:: len(matrix) + 1] += alpha
    dense = X.toarray() if sparse.issparse(X) else X
    return RidgeInverse(kernel, scores, linalg.solve(matrix, dense, assume_a="sym"))


def loadings(X: Any, coef: Array, weights: Array | None, projection: Projection) -> LinearInverse:
    """The linear kernel's directions among the rows, and the center."""
    if projection.rows is None and projection.origin is not None:
        return LinearInverse(projection.coef.T.copy(), projection.origin)
    center = np.zeros(X.shape[1], dtype=coef.dtype) if weights is None else weights @ X
    plain = sparse.csr_array(coef) @ X if sparse.issparse(X) else coef @ X
    plain = plain.toarray() if sparse.issparse(plain) else plain
    return LinearInverse(plain - np.outer(coef.sum(axis=1), center), center)


def least_squares_inverse(scores: Array, X: Array) -> LinearInverse:
    """The linear map from scores to rows with the least squared error."""
    mean_row, mean_score = X.mean(axis=0), scores.mean(axis=0)
    centered = scores - mean_score
    weights = linalg.lstsq(centered.T @ centered, centered.T @ (X - mean_row))[0]
    return LinearInverse(weights, mean_row - mean_score @ weights)


@dataclass(frozen=True)
class FixedPointInverse:
    r"""The row whose image is nearest to a point P, as in `FittedKernelPCA.inverse_transform`.

    As k(x, x) = 1, it maximizes :math:`f(x) = \sum_l g_l k(x, x_l)`.  Where f > 0, its gradient
    points from x to the step T(x) of Mika et al.; a step that does not raise f is halved.
    """

    projection: Projection
    workers: Workers

    def __call__(self, scores: Array, start: Array | None = None) -> Array:
        """Rows from scores, starting at the nearest known row, or at ``start`` if it is nearer."""
        coef, known = self.projection.coef, self.projection.rows
        weights = self.projection.center_coef() + scores.astype(coef.dtype, copy=False) @ coef.T
        parts = spans(len(weights), max(1, _ENTRIES // len(coef)))
        kernel = self.projection.kernel
        found = (Projection(kernel, known, weights[p].T)(known, self.workers) for p in parts)
        nearest = known[np.concatenate([projected.scores.argmax(axis=0) for projected in found])]
        rows = nearest.toarray() if sparse.issparse(nearest) else np.array(nearest)
        if start is not None:
            start = start.astype(rows.dtype, copy=False)
            own, other = (
                np.concatenate([self._evaluate(x[p], weights[p])[0] for p in parts])
                for x in (start, rows)
            )
            rows[own > other] = start[own > other]
        pieces = [(rows[part], weights[part]) for part in parts]
        self.workers.run(self._climb, pieces, cost=float(weights.size) * rows.shape[1])
        return rows.astype(known.dtype, copy=False)

    def _evaluate(self, rows: Array, weights: Array) -> tuple[Array, Array]:
        """f and T; where f is only rounding error, T is the row itself."""
        K = self.projection.blocks.with_new(rows) * weights
        value = K.sum(axis=1)
        usable = value > np.finfo(K.dtype).eps * np.abs(K).sum(axis=1)
        with np.errstate(all="ignore"):  # quotients that are not finite are not used
            goal = np.asarray(K @ self.projection.rows) / value[:, None]
        usable &= np.isfinite(goal).all(axis=1)
        return value, np.where(usable[:, None], goal, rows)

    def _climb(self, rows: Array, weights: Array) -> None:
        """Move ``rows`` uphill in place, step by step."""
        width = np.sqrt(self.projection.blocks.kernel.params["gamma"])
        smallest = max(_SMALLEST_MOVE, float(np.sqrt(np.finfo(rows.dtype).eps)))
        value, goal = self._evaluate(rows, weights)
        share = np.ones(len(rows), dtype=rows.dtype)
        moving = np.arange(len(rows))
        for _ in range(_MAX_STEPS):
            step = share[moving, None] * (goal[moving] - rows[moving])
            longer = np.linalg.norm(step, axis=1) > smallest / width
            moving, step = moving[longer], step[longer]
            if not moving.size:
                return
            tried = rows[moving] + step
            tried_value, tried_goal = self._evaluate(tried, weights[moving])
            better = tried_value > value[moving]
            kept = moving[better]
            rows[kept], goal[kept] = tried[better], tried_goal[better]
            value[kept] = tried_value[better]
            share[moving] = np.where(better, 1, share[moving] / 2)
            advance(float(weights.size) * rows.shape[1] / _MAX_STEPS)
