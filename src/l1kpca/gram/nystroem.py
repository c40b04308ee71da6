r"""Nystroem: K is approximated through a few landmark rows L.

:math:`K \approx F F^T` with :math:`F = k(X, L)\, k(L, L)^{-1/2}`.  If F fits into memory it is
stored, in a `FactorGram`; if not, a `LandmarkGram` computes :math:`k(X, L)` anew in each pass.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import linalg, sparse
from sklearn.utils.extmath import row_norms

from l1kpca._typing import Array
from l1kpca.gram.base import DataGram, Expansion, Projection
from l1kpca.gram.factor import FactorGram, FactorProjection
from l1kpca.gram.tiles import TiledGram
from l1kpca.kernels import Kernel, KernelBlocks, Rows, kernel_blocks
from l1kpca.threads import Workers, spans

_SPAN = 4096
_SEEDING_ROWS = 20_000


@dataclass(frozen=True)
class LandmarkFeatures:
    """f(x) = (k(x, L) - shift) W, with W = k(L, L)^(-1/2) and a shift that centers the rows."""

    landmarks: KernelBlocks
    whitening: Array
    shift: Array

    def __call__(self, X: Any) -> Array:
        """Map rows to features."""
        return (self.similarities(X) - self.shift) @ self.whitening

    def similarities(self, X: Any) -> Array:
        """k(x, L): the part that is cheap."""
        return self.landmarks.with_new(X)

    def expansion(self, vectors: Array) -> Expansion:
        r"""Over the landmarks: :math:`v^T f(x) = (W v)^T k(L, x)`, and the center W W^T s."""
        center = self.whitening @ (self.whitening.T @ self.shift)
        return Expansion(self.landmarks, (self.whitening @ vectors).T, center)


def choose_landmarks(X: Any, count: int, method: str, rng: np.random.Generator) -> Array:
    """Indices of landmark rows: ``"random"``, or spread out by ``"kmeans++"``."""
    n = X.shape[0]
    if method == "random":
        return np.sort(rng.choice(n, count, replace=False))
    from sklearn.cluster import kmeans_plusplus  # noqa: PLC0415 (slow, and needed here alone)

    candidates = np.arange(n)
    if n > max(_SEEDING_ROWS, count):
        candidates = np.sort(rng.choice(n, max(_SEEDING_ROWS, count), replace=False))
    seed = int(rng.integers(2**31))
    _, picked = kmeans_plusplus(_without_unit(X[candidates]), count, random_state=seed)
    return np.unique(candidates[picked])


def _without_unit(X: Any) -> Any:
    """Rows of size one, so that no squared distance overflows or vanishes."""
    largest = max(float(X.max()), -float(X.min()))
    # A power of two: dividing by it costs no digit.
    return X / float(np.ldexp(1.0, int(np.frexp(largest)[1]) - 1)) if largest > 0 else X


def landmark_features(X: Any, kernel: Kernel, index: Array) -> LandmarkFeatures:
    """Features of the landmarks, with the null space of k(L, L) left out."""
    landmarks = kernel_blocks(X[index] if sparse.issparse(X) else np.asarray(X[index]), kernel)
    everything = slice(None)
    values, vectors = linalg.eigh(landmarks.between(everything, everything))
    kept = values > len(values) * np.finfo(values.dtype).eps * max(values[-1], 0)
    whitening = vectors[:, kept] / np.sqrt(values[kept])
    return LandmarkFeatures(landmarks, whitening, np.zeros(len(index), dtype=values.dtype))


def nystroem_gram(X: Any, features: LandmarkFeatures, workers: Workers) -> FactorGram:
    """F for all rows, block by block."""
    n = X.shape[0]
    F = np.empty((n, features.whitening.shape[1]), dtype=features.whitening.dtype)

    def work(rows: slice) -> None:
        F[rows] = features(X[rows])

    workers.run(work, [(rows,) for rows in spans(n, _SPAN)], cost=F.size * len(features.shift))
    return FactorGram(F, features, workers)


class LandmarkGram(TiledGram):
    r"""Products with :math:`F F^T`, where no more than a span of rows of F is ever there.

    :math:`F F^T V = S W (W^T (S^T V))` with :math:`S = k(X, L) - 1 s^T`, s the shift.  Each product
    evaluates S twice (once for an update of a few rows), n times the number of landmarks, and never
    multiplies S by W.
    """

    def __init__(self, X: Any, features: LandmarkFeatures, workers: Workers):
        self.X = X
        self.features = features
        self.n_samples = X.shape[0]
        self.dtype = features.whitening.dtype
        self.workers = workers
        self._diagonal = np.empty(self.n_samples, dtype=self.dtype)

        def work(rows: slice) -> None:
            self._diagonal[rows] = row_norms(features(X[rows]), squared=True)

        self._for_each_span(work, cost=self.n_samples * features.whitening.size)

    def apply(self, V: Array, at: Array | None = None) -> Array:
        """F (F^T V), or F (F[at]^T V)."""
        weights = self.features.whitening @ self._inner(V.astype(self.dtype, copy=False), at)
        out = np.empty((self.n_samples, *V.shape[1:]), dtype=self.dtype)
        offset = self.features.shift @ weights

        def work(rows: slice) -> None:
            out[rows] = self.features.similarities(self.X[rows]) @ weights - offset

        self._for_each_span(work, cost=self._cost(self.n_samples))
        return out

    def _inner(self, V: Array, at: Array | None = None) -> Array:
        """F^T V, or F[at]^T V, summed over spans in a fixed order."""

        def work(part: slice) -> Array:
            rows = part if at is None else at[part]
            return self.features.similarities(self.X[rows]).T @ V[part]

        pieces = [(part,) for part in spans(len(V), _SPAN)]
        parts = self.workers.run(work, pieces, cost=self._cost(len(V)))
        inner = -np.multiply.outer(self.features.shift, V.sum(axis=0))
        return self.features.whitening.T @ sum(parts, start=inner)

    def _cost(self, n_rows: int) -> float:
        return float(n_rows) * len(self.features.shift) * self.X.shape[1]

    def block(self, rows: Rows, columns: Rows) -> Array:
        """K[rows, columns]."""
        return self.features(self.X[rows]) @ self.features(self.X[columns]).T

    def columns(self, index: Array, rows: Array | None = None) -> Array:
        """K[:, index], or K[rows][:, index]."""
        if rows is not None:
            return self.block(rows, index)
        return self.apply(np.eye(len(index), dtype=self.dtype), at=index)

    def diagonal(self) -> Array:
        """diag K: the squared norms of the rows of F."""
        return self._diagonal.copy()

    def rounding(self) -> float:
        """Size of the rounding errors in trace K, those of the subtracted shift among them."""
        eps = float(np.finfo(self.dtype).eps)
        offset = self.features.shift @ self.features.whitening
        return super().rounding() + eps**2 * self.n_samples * float(offset @ offset)

    def center(self, weights: Array) -> DataGram:
        """Subtract the weighted mean from the similarities."""

        def work(rows: slice) -> Array:
            return self.features.similarities(self.X[rows]).T @ weights[rows]

        pieces = [(rows,) for rows in spans(self.n_samples, _SPAN)]
        mean = np.sum(self.workers.run(work, pieces, cost=self._cost(self.n_samples)), axis=0)
        centered = replace(self.features, shift=mean)
        return LandmarkGram(self.X, centered, self.workers)

    def projection(self, V: Array) -> Projection:
        """The map x -> f(x)^T F^T V."""
        return FactorProjection(self.features, self._inner(V.astype(self.dtype, copy=False)))


def lost_share(gram: TiledGram, exact_diagonal: Array) -> float:
    """Share of trace K that F F^T misses; what it misses is positive, so this is its size."""
    total = float(exact_diagonal.sum())
    return max(0.0, 1.0 - float(gram.diagonal().sum()) / total) if total > 0 else 0.0
