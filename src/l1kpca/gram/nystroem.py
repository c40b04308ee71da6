r"""Nystroem: K approximated through a few landmark rows L.

:math:`K \approx F F^T` with :math:`F = k(X, L)\, k(L, L)^{-1/2}`.  F is stored if it fits into
memory; if not, each pass evaluates :math:`k(X, L)`.
"""

from typing import Any

import numpy as np
from scipy import linalg, sparse

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.gram.base import Gram
from l1kpca.gram.factor import FactorGram, LandmarkRows
from l1kpca.kernels import Kernel, kernel_blocks, unit_of
from l1kpca.threads import Workers, spans


def choose_landmarks(X: Any, count: int, method: str, rng: np.random.Generator) -> Array:
    """Indices of landmark rows: ``"random"``, or spread out by ``"kmeans++"``."""
    n = X.shape[0]
    if method == "random":
        return np.sort(rng.choice(n, count, replace=False))
    from sklearn.cluster import kmeans_plusplus  # noqa: PLC0415 (slow, only needed here)

    candidates = np.arange(n)
    if n > max(tuning.SEEDING_ROWS, count):
        candidates = np.sort(rng.choice(n, max(tuning.SEEDING_ROWS, count), replace=False))
    seed = int(rng.integers(2**31))
    rows = X[candidates]
    # At this scale, no squared distance overflows or vanishes.
    _, picked = kmeans_plusplus(rows / unit_of(rows), count, random_state=seed)
    return np.unique(candidates[picked])


def nystroem_gram(X: Any, kernel: Kernel, index: Array, memory: int, workers: Workers) -> Gram:
    """The Gram of landmarks X[index]; features are stored if they fit into ``memory`` bytes."""
    landmarks = kernel_blocks(X[index] if sparse.issparse(X) else np.asarray(X[index]), kernel)
    whitening = _inverse_root(landmarks.between(slice(None), slice(None)))
    if getattr(X, "on_workers", False):
        from l1kpca.gram.dask_factor import landmark_gram  # noqa: PLC0415 (needs dask)

        return landmark_gram(X, kernel, landmarks, whitening, memory)
    similar = LandmarkRows(X, landmarks)
    entries = X.shape[0] * whitening.shape[1]
    many = entries * whitening.itemsize > tuning.SINGLE_FEATURES
    dtype = np.dtype(np.float32) if many else whitening.dtype
    # Twice: centering makes a second array.
    stored = 2 * entries * dtype.itemsize <= memory
    F = _features(similar, whitening, dtype, workers) if stored else similar
    gram = FactorGram(F, workers, kernel, landmarks.X, whitening)
    total = float(kernel.diagonal(X).sum())
    # What the approximation misses is positive semidefinite, so its trace is its size.
    gram.lost_share = max(0.0, 1.0 - float(gram.diagonal().sum()) / total) if total > 0 else 0.0
    return gram


def _inverse_root(K: Array) -> Array:
    """W with W^T K W = I, without the null space of K."""
    values, vectors = linalg.eigh(K)
    kept = values > len(values) * np.finfo(values.dtype).eps * max(values[-1], 0)
    return vectors[:, kept] / np.sqrt(values[kept])


def _features(
    similar: LandmarkRows, whitening: Array, dtype: np.dtype[Any], workers: Workers
) -> Array:
    """F for all rows, block by block."""
    F = np.empty((similar.shape[0], whitening.shape[1]), dtype=dtype)

    def work(rows: slice) -> None:
        F[rows] = similar[rows] @ whitening

    pieces = [(rows,) for rows in spans(len(F), tuning.LANDMARK_SPAN)]
    workers.run(work, pieces, cost=F.size * len(whitening))
    return F
