r"""The exact optimum when K has a small rank: the cells of an arrangement of hyperplanes.

With :math:`K = F F^T`, F of r columns, :math:`c^T K c = \|F^T c\|^2`, and the best c is
:math:`\operatorname{sgn}(F w)` for some w: one of the cells into which the hyperplanes
:math:`f_i^T w = 0` cut the space.  Each cell touches a plane on which some r - 2 of the rows
vanish; in that plane the cells follow each other by angle.  So r = 2 is a sort, r = 3 takes n
sorts, r = 4 takes n (n - 1) / 2.
"""

from itertools import combinations, islice
from math import comb
from time import monotonic

import numpy as np

from l1kpca._typing import Array
from l1kpca.components.spectrum import low_rank_factor
from l1kpca.gram.base import Gram
from l1kpca.optimality import loops

MAX_RANK = 6
_SUBSETS = 512
_MOVE = 1e-12
_PROBE_SEED = 0


def small_factor(gram: Gram) -> Array | None:
    """F with K = F F^T up to rounding, (n_samples, rank); None if the rank is above 6."""
    factor = low_rank_factor(gram, MAX_RANK)
    return None if factor is None else factor.T.astype(np.float64)


def cell_steps(n: int, rank: int) -> int:
    """How many cells are looked at."""
    if rank <= 1:
        return 1
    return comb(n, rank - 2) * (n - rank + 2) * 2 ** (rank - 2)


def best_cell(F: Array, deadline: float) -> tuple[Array, bool]:
    """The sign vector with the largest |F^T c|^2, and whether all cells were seen in time."""
    signs = np.ones(len(F))
    rows = np.flatnonzero(F.any(axis=1))
    rank = F.shape[1]
    used = np.ascontiguousarray(F[rows])
    if rank == 1:
        return np.where(F[:, 0] < 0, -1.0, 1.0), True
    if len(rows) <= rank:  # every combination of signs is a cell
        bits = (np.arange(2 ** len(rows))[:, np.newaxis] >> np.arange(len(rows))) & 1
        patterns = 1.0 - 2.0 * bits
        signs[rows] = patterns[np.argmax(np.square(patterns @ used).sum(axis=1))]
        return signs, True
    # Rows in special position (whole numbers, duplicates) are moved apart by one part in 10^12, so
    # that no more than r - 2 of them vanish on a plane; values are those of the rows as they are.
    size = np.linalg.norm(used, axis=1, keepdims=True)
    noise = np.random.default_rng(_PROBE_SEED).standard_normal(used.shape)
    moved = used + _MOVE * size * noise
    best, value, in_time = np.ones(len(rows)), -np.inf, True
    every = combinations(range(len(rows)), rank - 2)
    while in_time and (taken := list(islice(every, _SUBSETS))):
        subsets = np.array(taken, dtype=np.int64).reshape(len(taken), rank - 2)
        order, begin = _sweeps(moved, _planes(moved, subsets), subsets)
        value = loops.cell_search(used, order, begin, subsets, value, best)
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
    """For each plane: the rows in the order in which a turning w crosses them, and the first signs.

    Rows of the subset come last, with sign zero.
    """
    g = rows @ planes  # (m, n, 2)
    angles = np.arctan2(-g[..., 0], g[..., 1]) % np.pi
    begin = np.where(np.where(g[..., 0] != 0, g[..., 0], g[..., 1]) < 0, -1.0, 1.0)
    np.put_along_axis(angles, subsets, np.inf, axis=1)
    np.put_along_axis(begin, subsets, 0.0, axis=1)
    return np.argsort(angles, axis=1), begin
