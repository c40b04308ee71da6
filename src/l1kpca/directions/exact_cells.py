r"""The exact optimum when K has a small rank: the cells of an arrangement of hyperplanes.

With :math:`K = F F^T`, F of r columns, :math:`c^T K c = \|F^T c\|^2`, and the best c is
:math:`\operatorname{sgn}(F w)` for some w: one of the cells into which the hyperplanes
:math:`f_i^T w = 0` cut the space.  Each cell touches a plane on which some r - 2 of the rows
vanish; in that plane the cells follow each other by angle.  So r = 2 is a sort, r = 3 takes n
sorts, r = 4 takes n (n - 1) / 2.
"""

from collections.abc import Iterator
from itertools import combinations, islice
from math import comb
from time import monotonic

import numpy as np

from l1kpca import sign_loops
from l1kpca._typing import Array
from l1kpca.gram.base import Gram

MAX_RANK = 6
_SUBSETS = 512
_MOVE = 1e-12
_PROBE_SEED = 0


def small_factor(gram: Gram, max_rank: int = MAX_RANK) -> Array | None:
    """F with K = F F^T up to rounding, (n_samples, rank); None if the rank is above ``max_rank``.

    A pivoted Cholesky factorization: as many columns of K as the rank.

    Examples
    --------
    >>> import numpy as np
    >>> from l1kpca.gram.dense import PrecomputedGram
    >>> from l1kpca.threads import Workers
    >>> small_factor(PrecomputedGram(np.full((3, 3), 4.0), Workers()))
    array([[2.],
           [2.],
           [2.]])
    """
    left = np.asarray(gram.diagonal(), dtype=np.float64)
    n, total = len(left), float(np.abs(left).sum())
    negligible = 10 * np.sqrt(n) * gram.rounding()
    F = np.empty((n, 0))
    while float(np.abs(left).sum()) > negligible:
        pivot = int(np.argmax(left))
        if F.shape[1] == max_rank or left[pivot] <= 0:
            return None
        column = np.asarray(gram.columns(np.array([pivot]))[:, 0], dtype=np.float64)
        column = (column - F @ F[pivot]) / np.sqrt(left[pivot])
        F = np.column_stack([F, column])
        left = left - column**2
    return F if _is_factor(gram, F, total) else None


def _is_factor(gram: Gram, F: Array, total: float) -> bool:
    """Whether F F^T acts as K does: a diagonal of zeros alone does not say so for any K."""
    probe = np.random.default_rng(_PROBE_SEED).standard_normal(len(F))
    off = np.asarray(gram.apply(probe.astype(gram.dtype)), dtype=np.float64) - F @ (F.T @ probe)
    noise = np.sqrt(len(F)) * np.sqrt(np.finfo(gram.dtype).eps) * max(total, gram.rounding())
    return bool(np.abs(off).max() <= noise)


def cell_steps(n: int, rank: int) -> int:
    """How many cells are looked at.

    Examples
    --------
    >>> cell_steps(100, 2), cell_steps(100, 3)
    (100, 19800)
    """
    if rank <= 1:
        return 1
    return comb(n, rank - 2) * (n - rank + 2) * 2 ** (rank - 2)


def best_cell(F: Array, deadline: float) -> tuple[Array, bool]:
    """The sign vector with the largest |F^T c|^2, and whether all cells were seen in time."""
    signs = np.ones(len(F))
    rows = np.flatnonzero(np.abs(F).max(axis=1, initial=0) > 0)
    rank = F.shape[1]
    if rank <= 1 or len(rows) <= rank:
        return _best_of_few(F, signs, rows), True
    used = np.ascontiguousarray(F[rows])
    # Rows in special position (whole numbers, duplicates) are moved apart by one part in 10^12, so
    # that no more than r - 2 of them vanish on a plane; values are those of the rows as they are.
    size = np.linalg.norm(used, axis=1, keepdims=True)
    noise = np.random.default_rng(_PROBE_SEED).standard_normal(used.shape)
    moved = used + _MOVE * size * noise
    best, value = np.ones(len(rows)), -np.inf
    for subsets in _chunks(len(rows), rank - 2):
        order, begin = _sweeps(moved, _planes(moved, subsets), subsets)
        value = sign_loops.cell_search(used, order, begin, subsets, value, best)
        if monotonic() > deadline:
            signs[rows] = best
            return signs, False
    signs[rows] = best
    return signs, True


def _best_of_few(F: Array, signs: Array, rows: Array) -> Array:
    """Rank one, or no more rows than the rank: every combination of signs is a cell."""
    if F.shape[1] == 1:
        return np.where(F[:, 0] < 0, -1.0, 1.0)
    patterns = 1.0 - 2.0 * ((np.arange(2 ** len(rows))[:, np.newaxis] >> np.arange(len(rows))) & 1)
    values = np.square(patterns @ F[rows]).sum(axis=1)
    signs[rows] = patterns[int(np.argmax(values))]
    return signs


def _chunks(n: int, size: int) -> Iterator[Array]:
    """All subsets of ``size`` of n rows, some hundreds at a time."""
    subsets = combinations(range(n), size)
    while taken := list(islice(subsets, _SUBSETS)):
        yield np.array(taken, dtype=np.int64).reshape(len(taken), size)


def _planes(rows: Array, subsets: Array) -> Array:
    """An orthonormal basis, (m, rank, 2), of the plane orthogonal to the rows of each subset."""
    if subsets.shape[1] == 0:
        return np.eye(2)[np.newaxis]
    left = np.linalg.svd(np.swapaxes(rows[subsets], 1, 2), full_matrices=True)[0]
    return np.ascontiguousarray(left[:, :, -2:])


def _sweeps(rows: Array, planes: Array, subsets: Array) -> tuple[Array, Array]:
    """For each plane: the rows in the order in which a turning w crosses them, and the first signs.

    Rows of the subset come last, with sign zero.
    """
    g = rows @ planes  # (m, n, 2)
    angles = np.arctan2(-g[..., 0], g[..., 1]) % np.pi
    begin = np.where(np.where(g[..., 0] != 0, g[..., 0], g[..., 1]) < 0, -1.0, 1.0)
    np.put_along_axis(angles, subsets, np.inf, axis=1)
    np.put_along_axis(begin, subsets, 0.0, axis=1)
    return np.argsort(angles, axis=1), begin
