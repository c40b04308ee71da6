"""The table of every Gram, bare and wrapped, each beside the explicit matrix that it stands for.

To have a new Gram tested, add one line to `GRAMS`.
"""

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
from dask.array import from_array
from scipy import sparse

from l1kpca import tuning
from l1kpca.gram.choose import Factor, Nystroem, Resources, nystroem_gram
from l1kpca.gram.dask import DaskGram
from l1kpca.gram.stored import BlockedGram, StoredGram, kernel_matrix
from l1kpca.kernels import Kernel, kernel_blocks
from l1kpca.threads import Workers
from oracles import centered, joint_gram
from toys.forgetful import Forgetful


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
CENTERS = ("bare", "mean", "weights")
DEFLATED = ("deflated", "deflated mean")
MINUS = ("minus", "minus mean", "minus many")
WRAPPERS = (*CENTERS, *DEFLATED, *MINUS)


def _dense(X, kernel, workers, tile):
    blocks = kernel_blocks(X, kernel)
    gram = StoredGram(kernel_matrix(blocks, workers), workers, blocks)
    gram.tile_side = tile
    return gram


def _precomputed(X, kernel, workers, tile):
    K = kernel(X, X).astype(X.dtype)
    K = (K + K.T) / 2
    gram = StoredGram(K, workers, row_sums=K.sum(axis=1))
    gram.tile_side = tile
    return gram


def _blocked(X, kernel, workers, tile):
    return BlockedGram(kernel_blocks(X, kernel), workers, tile)


def _factor(X, kernel, workers, tile):
    return Factor().build(X, kernel, Resources(10**9, workers))


def _sparse_factor(X, kernel, workers, tile):
    return _factor(sparse.csr_array(X), kernel, workers, tile)


def _factor_on_disk(X, kernel, workers, tile):
    return _factor(X.view(np.memmap), kernel, workers, tile)


def _nystroem(landmarks):
    def build(X, kernel, workers, tile):
        builder = Nystroem(n_landmarks=len(X), landmarks=landmarks)
        return builder.build(X, kernel, Resources(10**9, workers))

    return build


def _streamed(X, kernel, workers, tile):
    return nystroem_gram(X, kernel, np.arange(len(X)), memory=0, workers=workers)


def _dask(keep):
    def build(X, kernel, workers, tile):
        gram = DaskGram(from_array(X, chunks=(9, 2)), _blocked(X, kernel, workers, tile), keep=keep)
        gram.local_entries = 0
        return gram

    return build


def _among(X, kernel, workers, tile):
    """The given rows in order, picked out of twice as many in another order."""
    n = len(X)
    place = np.random.default_rng(14).permutation(2 * n)
    whole = np.vstack([X, X[::-1] / 2])[place]
    rows = np.argsort(place)[:n]
    return StoredGram(_dense(whole, kernel, workers, tile).columns(rows, rows), workers)


def _toy(X, kernel, workers, tile):
    return Forgetful().build(X, kernel, Resources(10**9, workers))


@dataclass(frozen=True)
class Held:
    """One way to hold K: how it is built, and for which kernels."""

    build: Callable[..., Any]
    kernels: tuple[str, ...]
    small_rows: int = tuning.SMALL_ROWS
    """Rows up to which K is small."""
    wrappers: tuple[str, ...] = WRAPPERS
    """In double precision; those that share the code of another Gram here take a few."""
    single: tuple[str, ...] = ("bare", "mean", "deflated mean")
    """In single precision."""


_FEW = ("bare", "mean", "deflated mean")
GRAMS = {
    "dense": Held(_dense, tuple(KERNELS), single=WRAPPERS),
    "dense unwritten": Held(_dense, ("rbf",), small_rows=0),
    "precomputed": Held(_precomputed, ("rbf", "linear", "sigmoid"), wrappers=_FEW),
    "blocked": Held(_blocked, tuple(KERNELS)),
    "factor": Held(_factor, ("linear",)),
    "factor on disk": Held(_factor_on_disk, ("linear",), wrappers=_FEW),
    "sparse factor": Held(_sparse_factor, ("linear",), wrappers=_FEW),
    "nystroem random": Held(_nystroem("random"), ("rbf", "laplacian"), wrappers=_FEW),
    "nystroem kmeans++": Held(_nystroem("kmeans++"), ("linear", "chi2"), wrappers=_FEW),
    "nystroem streamed": Held(_streamed, ("rbf", "linear")),
    "dask kept": Held(_dask(keep=True), ("rbf",), wrappers=_FEW, single=("mean",)),
    "dask recomputed": Held(_dask(keep=False), ("sigmoid",), wrappers=_FEW, single=("bare",)),
    "among": Held(_among, ("rbf",), wrappers=_FEW),
    "toy": Held(_toy, ("rbf", "callable")),
}
CASES = [(name, kernel) for name, held in GRAMS.items() for kernel in held.kernels]
"""Every way to hold K, with every kernel it takes."""


def _wrapped(name, kernel):
    """One kernel in every wrapper and both precisions, an indefinite one in few, others in one."""
    held = GRAMS[name]
    if kernel == held.kernels[0]:
        return [(w, "float64") for w in held.wrappers] + [(w, "float32") for w in held.single]
    return [(w, "float64") for w in (_FEW if kernel == "sigmoid" else ("mean",))]


WITH_DTYPE = [(*case, *wrapped) for case in CASES for wrapped in _wrapped(*case)]
"""Those, wrapped, in double and single precision."""


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


@contextmanager
def written_up_to(n_rows):
    """Searches of so many rows are compiled and a K of as many is small, one of more is not."""
    with (
        patch.object(tuning, "SMALL_ROWS", n_rows),
        patch.object(tuning, "CACHED_BYTES", 8 * n_rows**2),
    ):
        yield


@cache
def example(gram_name, kernel_name, wrapper, dtype):
    """One small member of the family, in tiles of 7 rows."""
    return build_example(gram_name, kernel_name, wrapper, dtype, n=23, tile=7)


def build_example(gram_name, kernel_name, wrapper, dtype, n, tile, threads=1):
    """Build one member of the family."""
    held = GRAMS[gram_name]
    X, K = rows(n, dtype), explicit(kernel_name, rows(n, dtype))
    tolerance = (1e-11 if dtype == "float64" else 2e-4) * np.abs(K).max()
    center = scores = coef = None
    with written_up_to(held.small_rows):
        gram = held.build(X, KERNELS[kernel_name], Workers(threads), tile)
        if wrapper == "weights" or "mean" in wrapper:
            weights = np.random.default_rng(1).uniform(0 if wrapper == "weights" else 1, 1, n)
            center = (weights / weights.sum()).astype(dtype)
            gram, K = gram.center(center), centered(K, center.astype(float))
        if wrapper in DEFLATED:
            coef, scores = orthonormal_directions(K)
            K = K - scores.T @ scores
            for a, s in zip(coef.astype(dtype), scores.astype(dtype), strict=True):
                gram = gram.without(a, s)
        if wrapper in MINUS:
            left, right = symmetric_factors(18 if "many" in wrapper else 3, n)
            K = K - left.T @ right
            gram = gram.minus(left.astype(dtype), right.astype(dtype))
    return Example(gram, K, center, scores, coef, tolerance)


def symmetric_factors(rank, n, seed=3):
    """L and R, (rank, n), with a symmetric L^T R that is not positive semidefinite."""
    rng = np.random.default_rng(seed)
    left = rng.normal(size=(rank, n)) / np.sqrt(rank)
    return left, rng.choice([-0.5, 1.0], rank)[:, np.newaxis] * left


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
