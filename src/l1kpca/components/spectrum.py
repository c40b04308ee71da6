"""Eigenpairs of a Gram matrix: all positive ones, or the leading ones."""

from typing import Any

import numpy as np
from scipy import linalg

from l1kpca._typing import Array
from l1kpca.components.base import negligible_variance
from l1kpca.directions.eigen import lanczos
from l1kpca.gram.base import Gram
from l1kpca.threads import spans

_COLUMNS = 256
_LOW_RANK = 8  # try for a rank below n / 8 before decomposing the whole matrix
_SMALL = 200  # most rows for which a dense decomposition takes no time


Spectrum = tuple[Array, Array]
"""Eigenvalues above rounding error, the largest first, and their unit eigenvectors, (n, r)."""


def leading_pairs(gram: Gram, count: int, memory: int) -> Spectrum:
    """The ``count`` largest eigenvalues, or all positive ones if they are fewer.

    A matrix of low rank is decomposed through its pivoted Cholesky factor, in O(n r^2).  Of any
    other, Lanczos finds a few pairs by products with K alone; for more, K is decomposed in full, in
    O(n^3), and must fit into ``memory`` bytes.
    """
    n = gram.n_samples
    factor = low_rank_factor(gram, min(2 * count, n // _LOW_RANK))
    if factor is not None:  # K = G^T G: the singular values of G are roots of the eigenvalues
        vectors, roots, _ = linalg.svd(factor.T, full_matrices=False, check_finite=False)
        values = roots**2
    elif n > _SMALL and count <= n // 4:
        values, vectors = lanczos(gram, count)
    else:
        K = whole_matrix(gram, memory)
        most = count >= n // 2
        how: Any = {"driver": "evd"} if most else {"subset_by_index": (n - count, n - 1)}
        values, vectors = linalg.eigh(K, overwrite_a=True, check_finite=False, **how)
    order = np.argsort(values)[::-1][:count]
    order = order[values[order] > negligible_variance(gram)]
    return values[order], vectors[:, order]


def leading_count(gram: Gram, share: float, memory: int) -> int:
    """How many leading eigenvalues it takes to reach a share of the trace."""
    wanted = share * float(gram.diagonal().sum())
    count = min(8, gram.n_samples)
    while True:
        reached = np.cumsum(leading_pairs(gram, count, memory)[0])
        enough = int(np.searchsorted(reached, wanted)) + 1
        if enough <= len(reached) or len(reached) < count or count == gram.n_samples:
            return max(1, min(enough, len(reached)))
        count = min(2 * count, gram.n_samples)


def low_rank_factor(gram: Gram, max_rank: int) -> Array | None:
    r"""G, (r, n), with :math:`K = G^T G` up to rounding, or None if the rank is above ``max_rank``.

    Cholesky with the largest remaining diagonal entry as pivot.  It reads one column of K per rank,
    and ends when the remaining trace is rounding error.  For an indefinite matrix that proves
    nothing, so one product with K checks the result.
    """
    n = gram.n_samples
    left = gram.diagonal().astype(gram.dtype)
    negligible = negligible_variance(gram)
    G = np.empty((max_rank, n), dtype=gram.dtype)
    rank = 0
    while left.sum() > negligible:
        pivot = int(np.argmax(left))
        if rank == max_rank or not left[pivot] > 0:
            return None
        column = gram.columns(np.array([pivot]))[:, 0] - G[:rank].T @ G[:rank, pivot]
        G[rank] = column / np.sqrt(left[pivot])
        left = np.maximum(left - G[rank] ** 2, 0)
        left[pivot] = 0
        rank += 1
    G = G[:rank]
    probe = np.cos(np.arange(n)).astype(gram.dtype)
    missed = np.abs(gram.apply(probe) - G.T @ (G @ probe)).max()  # a square might overflow
    return G if missed <= 100 * negligible else None


def whole_matrix(gram: Gram, memory: int) -> Array:
    """K as one new array, if it fits into ``memory`` bytes."""
    n = gram.n_samples
    needed = n**2 * gram.dtype.itemsize
    if needed > memory:
        raise ValueError(
            f"memory_limit={memory} bytes is too small for the {n} x {n} matrix that this method"
            f" decomposes: allow at least {needed} bytes, or use L1KernelPCA, which needs only"
            " products with it"
        )
    K = np.empty((n, n), dtype=gram.dtype)
    for columns in spans(n, _COLUMNS):
        K[columns] = gram.columns(np.arange(columns.start, columns.stop)).T
    return K
