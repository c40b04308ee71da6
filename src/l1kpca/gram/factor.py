"""K = F F^T, never formed: the linear kernel, and anything with a feature map of few columns."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from l1kpca._typing import Array
from l1kpca.gram.base import DataGram, Expansion, Projected, Projection
from l1kpca.gram.thin import Thin, rows_times, times_rows
from l1kpca.gram.tiles import TiledGram
from l1kpca.gram.wrappers import Centered
from l1kpca.kernels import Rows
from l1kpca.threads import Workers, spans

_SPAN = 16_384


class FeatureMap(Protocol):
    """x -> f(x), with k(x, y) = f(x)^T f(y)."""

    def __call__(self, X: Any) -> Any:
        """Map rows to features."""

    def expansion(self, vectors: Array) -> Expansion | None:
        """The columns of ``vectors``, in the space of the features, as combinations of rows."""


@dataclass(frozen=True)
class Identity:
    """f(x) = x: the linear kernel."""

    def __call__(self, X: Any) -> Any:
        """Return the rows themselves."""
        return X

    def expansion(self, vectors: Array) -> None:
        """Vectors are rows here: nothing to expand."""


@dataclass(frozen=True)
class Shifted:
    """f(x) - center."""

    features: FeatureMap
    center: Array

    def __call__(self, X: Any) -> Array:
        """Map rows to features and subtract the center."""
        return np.asarray(self.features(X)) - self.center

    def expansion(self, vectors: Array) -> Expansion | None:
        """As without the center, which becomes the offset."""
        raw = self.features.expansion(np.column_stack([vectors, self.center]))
        if raw is None:
            return None
        return Expansion(raw.blocks, raw.coef[:-1], raw.offset + raw.coef[-1])


@dataclass(frozen=True)
class FactorProjection:
    """x -> f(x) @ (F^T V), in blocks of rows; no block of the kernel matrix is formed."""

    features: FeatureMap
    weights: Array

    def __call__(self, X_new: Any) -> Projected:
        """Project new rows."""
        scores, norms = [], []
        for rows in spans(X_new.shape[0], _SPAN):
            mapped = self.features(X_new[rows])
            scores.append(safe_sparse_dot(mapped, self.weights, dense_output=True))
            norms.append(row_norms(mapped, squared=True))
        return Projected(np.concatenate(scores), np.concatenate(norms))

    def expansion(self) -> Expansion | None:
        """Over the rows that the features are made of, if there are such."""
        return self.features.expansion(self.weights)


class FactorGram(TiledGram):
    """Products with F F^T through F, dense or scipy sparse: O(n d) each.

    ``offset`` is the squared length of a center that was subtracted from the rows of F.
    """

    def __init__(self, F: Any, features: FeatureMap, workers: Workers, offset: float = 0.0):
        self.F = F
        self.features = features
        self.offset = offset
        self.n_samples = F.shape[0]
        self.dtype = F.dtype
        self.workers = workers

    def apply(self, V: Array, at: Array | None = None) -> Array:
        """F (F^T V), or F (F[at]^T V)."""
        return rows_times(self.F, self._inner(V, at), self.workers)

    def _inner(self, V: Array, at: Array | None = None) -> Array:
        return times_rows(self.F, V.astype(self.dtype, copy=False), self.workers, at)

    def block(self, rows: Rows, columns: Rows) -> Array:
        """K[rows, columns]."""
        return safe_sparse_dot(self.F[rows], self.F[columns].T, dense_output=True)

    def diagonal(self) -> Array:
        """diag K: the squared norms of the rows of F."""
        return self._squared_norms.copy()

    @cached_property
    def _squared_norms(self) -> Array:
        return row_norms(self.F, squared=True)

    def center(self, weights: Array) -> DataGram:
        """The Gram of the rows minus their weighted mean.

        The mean is taken off a copy of F only where it is larger than what is left of most rows:
        taken off the products, it would cost digits.  An F that is sparse or on disk is not copied.
        """
        mean = self._inner(weights)
        offset = float(mean @ mean)
        is_small = 2 * offset <= float(np.median(self._squared_norms))
        if is_small or sparse.issparse(self.F) or isinstance(self.F, np.memmap):
            return Centered(self, weights)
        return FactorGram(self.F - mean, Shifted(self.features, mean), self.workers, offset)

    def thin(self) -> Thin | None:
        """The rows of F, unless they are sparse."""
        if sparse.issparse(self.F):
            return None
        zero = np.zeros((1, self.F.shape[1]), dtype=self.dtype)
        return Thin(self.F, self._squared_norms, zero[0], zero[:0], self.workers)

    def rounding(self) -> float:
        """Size of the rounding errors in trace K, those of the subtracted center among them."""
        eps = float(np.finfo(self.dtype).eps)
        return super().rounding() + eps**2 * self.n_samples * self.offset

    def projection(self, V: Array) -> Projection:
        """The map x -> f(x)^T F^T V."""
        return FactorProjection(self.features, self._inner(V))


def linear_gram(X: Any, workers: Workers) -> FactorGram:
    """The linear kernel: F = X."""
    return FactorGram(X.tocsr() if sparse.issparse(X) else X, Identity(), workers)
