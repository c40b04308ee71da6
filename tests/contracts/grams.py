"""The table of every Gram, bare and wrapped, each beside the explicit matrix that it stands for."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from dask.array import from_array
from scipy import sparse

from l1kpca.gram.blocked import BlockedGram
from l1kpca.gram.builders import Nystroem, Resources
from l1kpca.gram.dask import DaskGram
from l1kpca.gram.dense import DenseGram, PrecomputedGram
from l1kpca.gram.factor import linear_gram
from l1kpca.gram.nystroem import LandmarkGram, landmark_features
from l1kpca.gram.wrappers import Deflated
from l1kpca.kernels import Kernel, kernel_blocks
from l1kpca.threads import Workers
from oracles import centered, joint_gram


def tanh_of_distance(x, y, width=3.0):
    """A callable kernel with a parameter; not known to be positive."""
    return float(1 - np.tanh(np.abs(x - y).sum() / width))


POSITIVE_KERNELS = {
    "linear": Kernel("linear"),
    "rbf": Kernel("rbf", {"gamma": 0.7}),
    "poly": Kernel("poly", {"gamma": 0.5, "degree": 2, "coef0": 1.0}),
    "polynomial": Kernel("polynomial", {"gamma": 0.5, "degree": 3, "coef0": 0.5}),
    "laplacian": Kernel("laplacian", {"gamma": 0.4}),
    "cosine": Kernel("cosine"),
    "chi2": Kernel("chi2", {"gamma": 0.5}),
}
OTHER_KERNELS = {
    "sigmoid": Kernel("sigmoid", {"gamma": 0.5, "coef0": -0.3}),
    "additive_chi2": Kernel("additive_chi2"),
    "callable": Kernel(tanh_of_distance, {"width": 2.0}),
}
KERNELS = POSITIVE_KERNELS | OTHER_KERNELS


def _dense(X, kernel, workers, tile):
    gram = DenseGram(kernel_blocks(X, kernel), workers, block_rows=tile)
    gram.tile_side = tile
    return gram


def _precomputed(X, kernel, workers, tile):
    K = kernel(X, X).astype(X.dtype)
    gram = PrecomputedGram((K + K.T) / 2, workers)
    gram.tile_side = tile
    return gram


def _blocked(X, kernel, workers, tile):
    return BlockedGram(kernel_blocks(X, kernel), workers, tile)


def _factor(X, kernel, workers, tile):
    gram = linear_gram(X, workers)
    gram.tile_side = tile
    return gram


def _sparse_factor(X, kernel, workers, tile):
    return _factor(sparse.csr_array(X), kernel, workers, tile)


def _nystroem(landmarks):
    def build(X, kernel, workers, tile):
        builder = Nystroem(n_landmarks=len(X), landmarks=landmarks)
        gram, _, _ = builder.build(X, kernel, Resources(10**9, workers))
        gram.tile_side = tile
        return gram

    return build


def _streamed(X, kernel, workers, tile):
    gram = LandmarkGram(X, landmark_features(X, kernel, np.arange(len(X))), workers)
    gram.tile_side = tile
    return gram


def _dask(keep):
    def build(X, kernel, workers, tile):
        gram = DaskGram(from_array(X, chunks=(7, 2)), _blocked(X, kernel, workers, tile), keep=keep)
        gram.local_entries = 0
        return gram

    return build


@dataclass(frozen=True)
class Held:
    """One way to hold K: how it is built, and for which kernels."""

    build: Callable[..., Any]
    kernels: tuple[str, ...]
    takes_rows: bool = True
    """Whether new rows are rows, and not rows of a kernel matrix."""


GRAMS = {
    "dense": Held(_dense, tuple(KERNELS)),
    "precomputed": Held(_precomputed, tuple(KERNELS), takes_rows=False),
    "blocked": Held(_blocked, tuple(KERNELS)),
    "factor": Held(_factor, ("linear",)),
    "sparse factor": Held(_sparse_factor, ("linear",)),
    "nystroem random": Held(_nystroem("random"), ("linear", "rbf", "laplacian", "chi2")),
    "nystroem kmeans++": Held(_nystroem("kmeans++"), ("linear", "rbf", "laplacian", "chi2")),
    "dask kept": Held(_dask(keep=True), ("rbf", "sigmoid")),
    "dask recomputed": Held(_dask(keep=False), ("rbf", "callable")),
    "nystroem streamed": Held(_streamed, ("linear", "rbf", "laplacian", "chi2")),
}
CENTERS = ("bare", "mean", "weights")
WRAPPERS = (*CENTERS, "deflated", "deflated mean")
CASES = [(name, kernel) for name, held in GRAMS.items() for kernel in held.kernels]
"""Every way to hold K, with every kernel it takes."""
WRAPPED_CASES = [
    (name, kernel, wrapper)
    for name, kernel in CASES
    for wrapper in WRAPPERS
    if wrapper in ("bare", "mean") or kernel in ("linear", "rbf", "sigmoid")
]
"""Those, wrapped: the mean for all kernels, the rest for one of each kind."""


@dataclass
class Example:
    """A Gram, the matrix it stands for, and what is needed to question it."""

    gram: Any
    K: Any
    """The matrix, in double precision."""
    center: Any
    """Weights of the center, None if not centered."""
    scores: Any
    """Scores that were deflated, (k, n)."""
    coef: Any
    """Their dual vectors, (k, n)."""
    tolerance: float
    """Of entries of K."""


def rows(n, dtype, seed=0, d=4):
    """Rows that every kernel takes: positive, with a zero row and a duplicate."""
    X = np.random.default_rng(seed).uniform(0, 2, size=(n, d))
    X[n // 2] = X[1]
    X[n // 3] = 0
    return X.astype(dtype)


def explicit(kernel_name, X):
    """K by scikit-learn, in double precision."""
    kernel = KERNELS[kernel_name]
    return joint_gram(kernel.function, X, X[:0], **kernel.params)


@cache
def example(gram_name, kernel_name, wrapper, dtype):
    """One small member of the family, in tiles of 7 rows."""
    return build_example(gram_name, kernel_name, wrapper, dtype, n=23, tile=7)


def build_example(gram_name, kernel_name, wrapper, dtype, n, tile, threads=1):
    """Build one member of the family."""
    X, workers = rows(n, dtype), Workers(threads)
    gram = GRAMS[gram_name].build(X, KERNELS[kernel_name], workers, tile)
    K = explicit(kernel_name, X)
    tolerance = (1e-11 if dtype == "float64" else 2e-4) * np.abs(K).max()
    center = scores = coef = None
    if wrapper in ("mean", "weights", "deflated mean"):
        weights = np.full(n, 1.0)
        if wrapper == "weights":
            weights = np.random.default_rng(1).uniform(0, 1, n)
        center = (weights / weights.sum()).astype(dtype)
        gram = gram.center(center)
        K = centered(K, center.astype(float))
    if wrapper.startswith("deflated"):
        coef, scores = orthonormal_directions(K)
        K = K - scores.T @ scores
        gram = Deflated(gram, scores.astype(dtype))
    return Example(gram, K, center, scores, coef, tolerance)


def orthonormal_directions(K, count=2, seed=2):
    """Dual vectors a_j with a_i^T K a_j = delta_ij, and their scores K a_j, as rows."""
    rng = np.random.default_rng(seed)
    coef, scores = [], []
    residual = K
    while len(coef) < count:
        c = rng.choice([-1.0, 1.0], len(K))
        value = c @ residual @ c
        if value <= 1e-6 * np.abs(K).max():  # an indefinite K: draw again
            continue
        image = residual @ c
        a = c - sum((s @ c) * b for b, s in zip(coef, scores, strict=True))
        coef.append(a / np.sqrt(value))
        scores.append(image / np.sqrt(value))
        residual = residual - np.outer(image, image) / value
    return np.array(coef), np.array(scores)
