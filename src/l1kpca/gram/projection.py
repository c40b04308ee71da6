"""Projection of new rows: all that a fitted kernel PCA needs, as plain arrays."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.kernels import Kernel, KernelBlocks, kernel_blocks
from l1kpca.threads import Workers, advance, spans


@dataclass(frozen=True)
class Projected:
    """Rows projected on directions: scores, and squared distances to the center.

    The distances are None if k(x, x) is unknown.
    """

    scores: Array
    squared_norms: Array | None


@dataclass(frozen=True)
class Projection:
    r"""Scores :math:`(f(x) - o)\, A` of new rows x.

    The features f(x) are kernel values k(x, r) for some ``rows`` r; or x itself if there are no
    rows (linear kernel); or a row of the user's kernel matrix (``kernel`` is None).  Every kind of
    Gram ends up in this form.
    """

    kernel: Kernel | None
    rows: Any
    """(m, n_features), or None."""
    coef: Array
    """A, (m, n_components)."""
    origin: Array | None = None
    """o, (m,): the features of the center; None without a center."""
    weights: Array | None = None
    """The center as a combination of the rows, (m,)."""
    whitening: Array | None = None
    """W, (m, r), if the rows are landmarks: (f(x) - o) W is as long as x is far from the center."""

    def __call__(self, X_new: Any, workers: Workers | None = None) -> Projected:
        """Project new rows."""
        if self.rows is None and sparse.issparse(X_new):
            return self._of_sparse(X_new)
        n_new = X_new.shape[0]
        scores = np.zeros((n_new, self.coef.shape[1]), dtype=self.coef.dtype)
        norms = np.zeros(n_new, dtype=self.coef.dtype)
        in_tiles = self.rows is not None and self.whitening is None

        def work(span: slice) -> None:
            x = X_new[span]
            for columns in spans(len(self.coef), tuning.TILE_SIDE if in_tiles else len(self.coef)):
                features = x if self.rows is None else self.blocks.with_new(x, columns)
                if self.origin is not None:  # in place, unless this is the user's array
                    out = None if self.rows is None else features
                    features = np.subtract(features, self.origin[columns], out=out)
                scores[span] += features @ self.coef[columns]
                norms[span] += self._norms(features, columns)
                advance((span.stop - span.start) * self.coef[columns].size)

        pieces = list(zip(spans(n_new, tuning.TILE_SIDE), strict=True))
        (workers or Workers()).run(work, pieces, cost=n_new * self.coef.size)
        if self.kernel is None:
            return Projected(scores, None)
        if in_tiles:
            norms += self.kernel.diagonal(X_new)
            norms -= 0 if self.weights is None else self.weights @ self.origin
        return Projected(scores, np.maximum(norms, 0))

    def centered(self, weights: Array, means: Array) -> "Projection":
        r"""The same projection, centered at the weighted mean of the rows.

        With w the weights, m = K w and V the coefficients,
        :math:`(\phi(x) - \Phi w)^T (\Phi - \Phi w 1^T) V = (k(x, X) - m^T) (V - w 1^T V)`.
        """
        coef = self.coef - np.outer(weights, self.coef.sum(axis=0))
        return replace(self, coef=coef, origin=means, weights=weights)

    @cached_property
    def blocks(self) -> KernelBlocks:
        """Kernel values of other rows with the rows."""
        assert self.kernel is not None  # noqa: S101 (for mypy)
        return kernel_blocks(self.rows, self.kernel)

    def center_coef(self) -> Array:
        """The center as a combination of the rows."""
        if self.whitening is not None and self.origin is not None:
            return self.whitening @ (self.whitening.T @ self.origin)
        return np.zeros(len(self.coef), self.coef.dtype) if self.weights is None else self.weights

    def _of_sparse(self, X_new: Any) -> Projected:
        """Sparse rows, linear kernel: centers the results, not the rows."""
        scores = safe_sparse_dot(X_new, self.coef, dense_output=True)
        norms = row_norms(X_new, squared=True)
        if self.origin is not None:
            scores = scores - self.origin @ self.coef
            norms = norms - 2 * (X_new @ self.origin) + self.origin @ self.origin
        return Projected(scores, np.maximum(norms, 0))

    def _norms(self, features: Any, columns: slice) -> Any:
        """What these features add to |phi(x) - center|^2; k(x, x) comes later."""
        if self.kernel is None:
            return 0
        if self.whitening is not None:
            return row_norms(features @ self.whitening, squared=True)
        if self.rows is None:
            return row_norms(features, squared=True)
        return 0 if self.weights is None else -2 * (features @ self.weights[columns])
