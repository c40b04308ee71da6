"""Grams that are stored: computed from data, or given by the user."""

from typing import Any

import numpy as np

from l1kpca import loops
from l1kpca._typing import Array
from l1kpca.gram.base import DataGram, LowRank, Projection
from l1kpca.gram.projections import KernelProjection, PrecomputedProjection
from l1kpca.gram.tiles import TiledGram
from l1kpca.gram.triangle import MAX_PIECES, are_few, triangle_product
from l1kpca.gram.wrappers import Centered
from l1kpca.kernels import KernelBlocks, Rows
from l1kpca.threads import Workers, spans

_WRITTEN_ROWS = 64
_LARGEST_COPY = 2**30
_SPAN = 4096  # of the accumulator in the update: small enough for the first-level cache


class StoredGram(TiledGram):
    """Products with a stored, symmetric matrix ``K``, each entry read once."""

    spare: int = _LARGEST_COPY
    """Bytes that a changed copy of K may take."""
    tile_side = 384  # with its low-rank part in the second-level cache

    def __init__(self, K: Array, workers: Workers):
        self.K = K
        self.n_samples = len(K)
        self.dtype = K.dtype
        self.workers = workers

    def block(self, rows: Rows, columns: Rows) -> Array:
        """K[rows, columns]."""
        if isinstance(rows, slice):
            return self.K[rows, columns]
        return self.K[np.ix_(rows, np.arange(self.n_samples)[columns])]

    def _within(self, rows: slice, columns: slice) -> tuple[Array, int, int]:
        return self.K, rows.start, columns.start

    def apply(self, V: Array, at: Array | None = None) -> Array:
        """K @ V, or K[:, at] @ V."""
        V = V.astype(self.dtype, copy=False)
        if at is not None:
            return self._apply_columns(V, at)
        return triangle_product(self.K, V, self.workers) if are_few(V) else self._apply_block(V)

    def _apply_block(self, V: Array) -> Array:
        out = np.empty(V.shape, dtype=self.dtype)

        def work(rows: slice) -> None:
            out[rows] = self.K[rows] @ V

        pieces = [(rows,) for rows in spans(self.n_samples, self.n_samples // MAX_PIECES + 1)]
        self.workers.run(work, pieces, cost=V.size * self.n_samples)
        return out

    def _apply_columns(self, V: Array, at: Array) -> Array:
        if V.ndim == 2:
            return self.K[at].T @ V
        out = np.zeros(self.n_samples, dtype=self.dtype)
        pieces = [
            (self.K, at, V, span.start, span.stop, out) for span in spans(self.n_samples, _SPAN)
        ]
        self.workers.run(loops.add_weighted_rows, pieces, cost=len(at) * self.n_samples)
        return out

    def columns(self, index: Array, rows: Array | None = None) -> Array:
        """K[:, index], or K[rows][:, index]; from rows of K, which lie together in memory."""
        return self.K[index].T if rows is None else self.K[np.ix_(index, rows)].T

    def diagonal(self) -> Array:
        """diag K."""
        return self.K.diagonal().copy()

    def written(self, minus: LowRank) -> "WrittenGram | None":
        """K - L^T R in a copy of K."""
        if self.K.nbytes > self.spare:
            return None
        return WrittenGram(self, minus)


class WrittenGram(StoredGram):
    """K - L^T R, written out; what is taken off it later changes it in place."""

    def __init__(self, gram: StoredGram, minus: LowRank):
        super().__init__(np.empty_like(gram.K, order="C"), gram.workers)
        self._rounding = gram.rounding()
        self._write(gram.K, minus)

    def written(self, minus: LowRank) -> "WrittenGram":
        """The same object, less L^T R."""
        self._write(self.K, minus)
        return self

    def rounding(self) -> float:
        """That of the K before: its errors are still there."""
        return self._rounding

    def _write(self, K: Array, minus: LowRank) -> None:
        left, right = minus

        def write(rows: slice) -> None:
            np.subtract(K[rows], left[:, rows].T @ right, out=self.K[rows])

        pieces = [(rows,) for rows in spans(self.n_samples, _WRITTEN_ROWS)]
        self.workers.run(write, pieces, cost=len(left) * K.size)


class DenseGram(StoredGram):
    """K computed once from data and kept, n^2 numbers."""

    def __init__(self, blocks: KernelBlocks, workers: Workers, block_rows: int):
        self.blocks = blocks
        self.block_rows = block_rows
        super().__init__(_symmetric_matrix(blocks, workers), workers)

    def center(self, weights: Array) -> DataGram:
        """The Gram of the rows minus their weighted mean in feature space."""
        return Centered(self, weights)

    def projection(self, V: Array) -> Projection:
        """The map x -> k(x, X) @ V."""
        return KernelProjection(self.blocks, V, self.block_rows, self.workers)


class PrecomputedGram(StoredGram):
    """The user's own matrix, read and never written to; ``row_sums`` are K 1 if that is known."""

    def __init__(self, K: Array, workers: Workers, row_sums: Array | None = None):
        super().__init__(K, workers)
        self.row_sums = row_sums

    def center(self, weights: Array) -> DataGram:
        """The Gram of the rows minus their weighted mean; no pass over K if its sums are known."""
        is_mean = self.row_sums is not None and np.ptp(weights) == 0
        means = weights[0] * self.row_sums if is_mean else None
        return Centered(self, weights, means)

    def projection(self, V: Array) -> Projection:
        """The map from rows k(x, X), given by the user, to k(x, X) @ V."""
        return PrecomputedProjection(V)


def _symmetric_matrix(blocks: KernelBlocks, workers: Workers) -> Array:
    """All of K, evaluated on and above the diagonal and mirrored; no second n x n array."""
    n = blocks.X.shape[0]
    K = np.empty((n, n), dtype=blocks.X.dtype)
    tiles = spans(n, StoredGram.tile_side)

    def fill(i: int, j: int) -> None:
        tile = blocks.between(tiles[i], tiles[j])
        K[tiles[i], tiles[j]] = tile if i != j else (tile + tile.T) / 2
        if i != j:
            K[tiles[j], tiles[i]] = tile.T

    pairs: list[tuple[Any, ...]] = [(i, j) for i in range(len(tiles)) for j in range(i, len(tiles))]
    workers.run(fill, pairs, cost=float(n) ** 2 * blocks.X.shape[1])
    np.fill_diagonal(K, blocks.diagonal())
    return K
