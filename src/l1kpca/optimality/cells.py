r"""The exact optimum when K has a small rank: the cells of an arrangement of hyperplanes.

With :math:`K = F F^T`, F of r columns, the best c is :math:`\operatorname{sgn}(F w)` for some w: a
cell between the hyperplanes :math:`f_i^T w = 0`.  Each cell touches a plane on which some r - 2 of
the rows vanish, and in a plane the cells are sorted by angle.
"""

from itertools import combinations, islice, product
from math import comb
from time import monotonic

import numpy as np

from l1kpca._typing import Array
from l1kpca.components.spectrum import low_rank_factor
from l1kpca.gram.base import Gram
from l1kpca.loops import compiled

MAX_RANK = 6
_SUBSETS = 512
_MOVE = 1e-12
_PROBE_SEED = 0


def small_factor(gram: Gram) -> Array | None:
    """F with K = F F^T up to rounding, (n_samples, rank); None if the rank is above 6."""
    factor = low_rank_factor(gram, MAX_RANK)
    return None if factor is None else factor.T.astype(np.float64)


def cell_steps(n: int, rank: int) -> int:
    """How many cells to look at."""
    return comb(n, rank - 2) * (n - rank + 2) * 2 ** (rank - 2) if rank > 1 else 1


def best_cell(F: Array, deadline: float) -> tuple[Array, bool]:
    """The sign vector with the largest |F^T c|^2, and whether all cells were seen in time."""
    signs = np.ones(len(F))
    rows, rank = np.flatnonzero(F.any(axis=1)), F.shape[1]
    used = np.ascontiguousarray(F[rows])
    if rank == 1:
        return np.where(F[:, 0] < 0, -1.0, 1.0), True
    if len(rows) <= rank:  # every combination of signs is a cell
        patterns = np.array([*product([1.0, -1.0], repeat=len(rows))])
        signs[rows] = patterns[np.argmax(np.square(patterns @ used).sum(axis=1))]
        return signs, True
    # Duplicates and the like are moved apart: no more than r - 2 rows may vanish on a plane.  The
    # values are those of the rows as they are.
    noise = np.random.default_rng(_PROBE_SEED).standard_normal(used.shape)
    moved = used + _MOVE * np.linalg.norm(used, axis=1, keepdims=True) * noise
    best, value, in_time = np.ones(len(rows)), -np.inf, True
    every = combinations(range(len(rows)), rank - 2)
    while in_time and (taken := list(islice(every, _SUBSETS))):
        subsets = np.array(taken, dtype=np.int64).reshape(len(taken), rank - 2)
        order, begin = _sweeps(moved, _planes(moved, subsets), subsets)
        value = cell_search(used, order, begin, subsets, value, best)
        in_time = monotonic() <= deadline
    signs[rows] = best
    return signs, in_time


def _planes(rows: Array, subsets: Array) -> Array:
    """An orthonormal basis, (m, rank, 2), of the plane orthogonal to the rows of each subset."""
    if subsets.shape[1] == 0:
        return np.eye(2)[np.newaxis]
    left = np.linalg.svd(np.swapaxes(rows[subsets], 1, 2), full_matrices=True)[0]
    return np.ascontiguousarray(left[:, :, -2:])


def _sweeps(rows: Array, planes: Array, subsets: Array) -> tuple[Array, Array]:
    """The order in which a turning w crosses the rows, the subset last; the first signs."""
    g = rows @ planes  # (m, n, 2)
    angles = np.arctan2(-g[..., 0], g[..., 1]) % np.pi
    begin = np.where(np.where(g[..., 0] != 0, g[..., 0], g[..., 1]) < 0, -1.0, 1.0)
    np.put_along_axis(angles, subsets, np.inf, axis=1)
    np.put_along_axis(begin, subsets, 0.0, axis=1)
    return np.argsort(angles, axis=1), begin


@compiled
def cell_search(
    F: Array, order: Array, begin: Array, subsets: Array, least: float, best: Array
) -> float:
    """Best |F^T c|^2 over the cells that planes pass through; ``best`` becomes its c.

    Plane q crosses the rows in the ``order[q]``, from the signs ``begin[q]`` on.  ``subsets[q]``
    vanish on it: their signs are tried in all ways.
    """
    n, rank = F.shape
    free = subsets.shape[1]
    for q in range(order.shape[0]):
        signs = begin[q]
        total = signs @ F
        for i in order[q, : n - free]:
            for bits in range(1 << free):
                value = 0.0
                for k in range(rank):
                    entry = total[k]
                    for s in range(free):
                        entry += (2.0 * ((bits >> s) & 1) - 1.0) * F[subsets[q, s], k]
                    value += entry * entry
                if value > least:
                    least = value
                    best[:] = signs
                    for s in range(free):
                        best[subsets[q, s]] = 2.0 * ((bits >> s) & 1) - 1.0
            signs[i] = -signs[i]
            for k in range(rank):
                total[k] += 2.0 * signs[i] * F[i, k]
    return least
