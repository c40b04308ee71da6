r"""Nystroem: K is approximated through a few landmark rows L.

:math:`K \approx F F^T` with :math:`F = k(X, L)\, k(L, L)^{-1/2}`, so the result is a `FactorGram`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, sparse
from sklearn.cluster import kmeans_plusplus

from l1kpca._typing import Array
from l1kpca.gram.factor import FactorGram
from l1kpca.kernels import Kernel, KernelBlocks, kernel_blocks
from l1kpca.threads import Workers, spans

_SPAN = 8192
_SEEDING_ROWS = 20_000


@dataclass(frozen=True)
class LandmarkFeatures:
    """f(x) = k(x, L) k(L, L)^(-1/2)."""

    landmarks: KernelBlocks
    whitening: Array

    def __call__(self, X: Any) -> Array:
        """Map rows to features."""
        return self.landmarks.with_new(X) @ self.whitening


def choose_landmarks(X: Any, count: int, method: str, rng: np.random.Generator) -> Array:
    """Indices of landmark rows: ``"random"``, or spread out by ``"kmeans++"``."""
    n = X.shape[0]
    if method == "random":
        return np.sort(rng.choice(n, count, replace=False))
    candidates = np.arange(n)
    if n > max(_SEEDING_ROWS, count):
        candidates = np.sort(rng.choice(n, max(_SEEDING_ROWS, count), replace=False))
    seed = int(rng.integers(2**31))
    _, picked = kmeans_plusplus(X[candidates], count, random_state=seed)
    return np.unique(candidates[picked])


def landmark_features(X: Any, kernel: Kernel, index: Array) -> LandmarkFeatures:
    """Features of the landmarks, with the null space of k(L, L) left out."""
    landmarks = kernel_blocks(X[index] if sparse.issparse(X) else np.asarray(X[index]), kernel)
    everything = slice(None)
    values, vectors = linalg.eigh(landmarks.between(everything, everything))
    kept = values > len(values) * np.finfo(values.dtype).eps * max(values[-1], 0)
    return LandmarkFeatures(landmarks, vectors[:, kept] / np.sqrt(values[kept]))


def nystroem_gram(X: Any, features: LandmarkFeatures, workers: Workers) -> FactorGram:
    """F for all rows, block by block."""
    n = X.shape[0]
    F = np.empty((n, features.whitening.shape[1]), dtype=features.whitening.dtype)

    def work(rows: slice) -> None:
        F[rows] = features(X[rows])

    workers.run(work, [(rows,) for rows in spans(n, _SPAN)], cost=F.size * X.shape[1])
    return FactorGram(F, features, workers)


def lost_share(gram: FactorGram, exact_diagonal: Array) -> float:
    """Share of trace K that F F^T misses; what it misses is positive, so this is its size."""
    total = float(exact_diagonal.sum())
    return max(0.0, 1.0 - float(gram.diagonal().sum()) / total) if total > 0 else 0.0
