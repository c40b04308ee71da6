"""Back from scores to rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, sparse

from l1kpca._typing import Array
from l1kpca.kernels import Kernel

_FEATURE_GROUPS = 10


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
    """Solve (k(Z, Z) + alpha I) W = X once; without a component, the mean is all there is."""
    if scores.shape[1] == 0:
        return LinearInverse(np.zeros((0, X.shape[1])), np.asarray(X.mean(axis=0)).ravel())
    matrix = kernel(scores, scores)
    matrix.flat[:: len(matrix) + 1] += alpha
    dense = X.toarray() if sparse.issparse(X) else X
    return RidgeInverse(kernel, scores, linalg.solve(matrix, dense, assume_a="sym"))


def loadings(X: Any, coef: Array, weights: Array | None) -> LinearInverse:
    """Directions of the linear kernel in the space of the rows, and the center they start from."""
    center = np.zeros(X.shape[1], dtype=coef.dtype) if weights is None else weights @ X
    plain = sparse.csr_array(coef) @ X if sparse.issparse(X) else coef @ X
    plain = plain.toarray() if sparse.issparse(plain) else plain
    return LinearInverse(plain - np.outer(coef.sum(axis=1), center), center)


def least_squares_inverse(scores: Array, X: Any) -> LinearInverse:
    """The linear map from scores to rows with the least squared error."""
    mean_row = np.asarray(X.mean(axis=0)).ravel()
    mean_score = scores.mean(axis=0)
    centered = scores - mean_score
    covariance = centered.T @ (X - mean_row if not sparse.issparse(X) else X)
    weights = linalg.lstsq(centered.T @ centered, covariance)[0]
    return LinearInverse(weights, mean_row - mean_score @ weights)


def feature_groups(n_features: int) -> list[Array]:
    """Columns dealt out into at most ten groups."""
    count = min(n_features, _FEATURE_GROUPS)
    return [np.arange(first, n_features, count) for first in range(count)]
