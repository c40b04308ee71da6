"""Grams made of square tiles of K: stored, or recomputed for each product."""

from abc import abstractmethod
from collections.abc import Callable
from itertools import combinations_with_replacement

import numpy as np

from l1kpca import loops, tuning
from l1kpca._typing import Array
from l1kpca.gram.base import Centered, Gram, LowRank, Minus
from l1kpca.gram.column_sums import ColumnSums, written_out
from l1kpca.gram.projection import Projection
from l1kpca.kernels import KernelBlocks, Rows
from l1kpca.threads import Workers, advance, equal_areas, spans


class TiledGram(Gram):
    """Base of the Grams that can provide any block of K; each tile serves both triangles."""

    workers: Workers
    tile_side: int = tuning.TILE_SIDE

    @abstractmethod
    def block(self, rows: Rows, columns: Rows) -> Array:
        """K[rows, columns]; may be a view, so do not write to it."""

    def apply(self, V: Array, at: Array | None = None) -> Array:
        """K @ V, or K[:, at] @ V, from those columns alone."""
        V = V.astype(self.dtype, copy=False)
        if at is not None:
            return self._apply_columns(V, at)

        def add(rows: slice, columns: slice, out: Array, room: Array) -> None:
            tile = self.block(rows, columns)
            out[rows] += tile @ V[columns]
            if columns.start != rows.start:
                out[columns] += tile.T @ V[rows]

        return self._sum_over_tiles(add, V.shape, cost=V.size // len(V))

    def columns(self, index: Array, rows: Array | None = None) -> Array:
        """K[:, index], or K[rows][:, index]."""
        if rows is not None:
            return np.array(self.block(rows, index))
        out = np.empty((self.n_samples, len(index)), dtype=self.dtype)

        def fill(rows: slice) -> None:
            out[rows] = self.block(rows, index)

        pieces = list(zip(spans(self.n_samples, 4 * self.tile_side), strict=True))
        self.workers.run(fill, pieces, cost=out.size)
        return out

    def column_l1(self, minus: LowRank | None = None) -> Array:
        """``sum_i |K - L^T R|_ij`` for each j."""
        # BLAS takes a third longer for a transposed strip of L than for rows of its transpose.
        factors = None if minus is None else (np.ascontiguousarray(minus[0].T), minus[1])

        def add(rows: slice, columns: slice, sums: Array, room: Array) -> None:
            by_row = np.zeros(rows.stop - rows.start, dtype=self.dtype)
            by_column = np.zeros(columns.stop - columns.start, dtype=self.dtype)
            if factors is not None:
                np.matmul(
                    factors[0][rows],
                    factors[1][:, columns],
                    out=room[: len(by_row), : len(by_column)],
                )
            loops.absolute_sums(*self._within(rows, columns), room, by_row, by_column)
            sums[rows] += by_row
            if columns.start != rows.start:
                sums[columns] += by_column

        rank = 1 if minus is None else len(minus[0])
        return self._sum_over_tiles(add, (self.n_samples,), cost=rank)

    def _within(self, rows: slice, columns: slice) -> tuple[Array, int, int]:
        """A matrix in memory that contains K[rows, columns], and where that block begins."""
        return self.block(rows, columns), 0, 0

    def _apply_columns(self, V: Array, at: Array) -> Array:
        out = np.zeros((self.n_samples, *V.shape[1:]), dtype=self.dtype)

        def work(rows: slice) -> None:
            for part in spans(len(at), self.tile_side):
                out[rows] += self.block(rows, at[part]) @ V[part]
                advance(float(rows.stop - rows.start) * (part.stop - part.start))

        pieces = list(zip(spans(self.n_samples, 4 * self.tile_side), strict=True))
        self.workers.run(work, pieces, cost=float(len(at)) * self.n_samples)
        return out

    def _sum_over_tiles(
        self, add: Callable[[slice, slice, Array, Array], None], shape: tuple[int, ...], cost: int
    ) -> Array:
        """Sum what ``add`` adds for the tiles on and above the diagonal.

        Its last argument is scratch space for a tile, initially zero: allocating it each time would
        double the time.  The rows of tiles are dealt into lanes of about equal area.  Each lane has
        its own sum, and the sums are added in a fixed order, for any number of threads.
        """
        tiles = spans(self.n_samples, self.tile_side)

        def work(lane: list[int]) -> Array:
            total = np.zeros(shape, dtype=self.dtype)
            room = np.zeros((self.tile_side, self.tile_side), dtype=self.dtype)
            for i in lane:
                for j in range(i, len(tiles)):
                    add(tiles[i], tiles[j], total, room)
                    advance(cost * self.tile_side**2)
            return total

        cost_in_all = cost * self.tile_side**2 * len(tiles) * (len(tiles) + 1) / 2
        lanes = list(zip(balanced_lanes(len(tiles)), strict=True))
        return self.workers.total(work, lanes, cost_in_all)


class BlockedGram(TiledGram):
    """K is never stored: each pass evaluates half of the kernel matrix, in bounded memory."""

    def __init__(self, blocks: KernelBlocks, workers: Workers, tile_side: int):
        self.blocks = blocks
        self.n_samples = blocks.X.shape[0]
        self.dtype = np.dtype(blocks.X.dtype)
        self.workers = workers
        self.tile_side = tile_side
        tile = tile_side**2 * self.dtype.itemsize
        self.bytes_held = tuning.TILE_TEMPORARIES * workers.n_threads * tile

    def block(self, rows: Rows, columns: Rows) -> Array:
        """K[rows, columns], evaluated on demand."""
        return self.blocks.between(rows, columns)

    def diagonal(self) -> Array:
        """diag K."""
        return self.blocks.kernel.diagonal(self.blocks.X).astype(self.dtype, copy=False)

    def projection(self, V: Array) -> Projection:
        """The map x -> k(x, X) @ V."""
        return Projection(self.blocks.kernel, self.blocks.X, V)


class StoredGram(TiledGram):
    """K is stored, n^2 numbers: computed from data, or given by the user and never written to.

    ``blocks`` holds the rows and the kernel, None if K was given; ``row_sums`` is K 1, if known; a
    copy of K may take ``spare`` bytes; ``floor`` is a lower bound on rounding errors.
    """

    def __init__(
        self,
        K: Array,
        workers: Workers,
        blocks: KernelBlocks | None = None,
        row_sums: Array | None = None,
        spare: float = np.inf,
        floor: float = 0.0,
    ):
        self.K = K
        self.n_samples = len(K)
        self.dtype = K.dtype
        self.workers = workers
        self.blocks = blocks
        self.row_sums = row_sums
        self.bytes_held = K.nbytes
        self._spare = min(spare, tuning.LARGEST_COPY)
        self.few_rows = tuning.STORED_TIMES * tuning.SMALL_ROWS
        self.floor = floor
        self.floor = super().rounding()
        self._column_sums: ColumnSums | None = None

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
        if self.K.nbytes <= tuning.CACHED_BYTES:
            return self._apply_block(V) if at is None else self.K[at].T @ V
        if at is not None:
            return self._apply_columns(V, at)
        if V.ndim == 1:
            return self._triangle_product(V)
        if not 0 < V.shape[1] <= tuning.FEW_VECTORS:
            return self._apply_block(V)
        return np.column_stack([self._triangle_product(np.ascontiguousarray(v)) for v in V.T])

    def written(self) -> tuple[Array, LowRank]:
        """K itself, if its rows or columns are contiguous in memory."""
        nothing = np.empty((0, self.n_samples), dtype=self.dtype)
        by_columns = self.K.flags.f_contiguous
        return np.ascontiguousarray(self.K.T if by_columns else self.K), (nothing, nothing)

    def column_l1(self, minus: LowRank | None = None) -> Array:
        """``sum_i |K - L^T R|_ij`` for each j; subtracts many terms from a copy, and keeps it."""
        if minus is None or len(minus[0]) < tuning.MANY_SCORES or self.K.nbytes > self._spare:
            return super().column_l1(minus)
        if self._column_sums is None or not self._column_sums.go_on(*minus):
            self._column_sums = ColumnSums(self.K, *minus, self.workers)
        return self._column_sums.sums.copy()

    def columns(self, index: Array, rows: Array | None = None) -> Array:
        """K[:, index], or K[rows][:, index], from rows of K, which are contiguous in memory."""
        return self.K[index].T if rows is None else self.K[np.ix_(index, rows)].T

    def diagonal(self) -> Array:
        """diag K."""
        return self.K.diagonal().copy()

    def rounding(self) -> float:
        """Rounding error in trace K, computed once."""
        return self.floor

    def center(self, weights: Array) -> Gram:
        """The Gram of the rows minus their weighted mean; no pass over K if row sums are known."""
        known = self.row_sums is not None and np.ptp(weights) == 0
        means = weights[0] * self.row_sums if known else self.apply(weights)
        return Centered(self, weights, means)

    def minus(self, left: Array, right: Array) -> Gram:
        """K - L^T R, formed only if K is small and the terms are many."""
        room = min(tuning.CACHED_BYTES, self._spare / 2)
        if len(left) < tuning.MANY_SCORES or self.K.nbytes > room:
            return Minus(self, left, right)
        K = written_out(self.K, left, right, self.workers)
        return StoredGram(K, self.workers, spare=self._spare, floor=self.rounding())

    def projection(self, V: Array) -> Projection:
        """The map x -> k(x, X) @ V."""
        if self.blocks is None:
            return Projection(None, None, V)
        return Projection(self.blocks.kernel, self.blocks.X, V)

    def _apply_block(self, V: Array) -> Array:
        cost, out = V.size * self.n_samples, np.empty(V.shape, dtype=self.dtype)
        if cost < tuning.SMALL_WORK:
            return np.matmul(self.K, V, out=out)

        def work(rows: slice) -> None:
            out[rows] = self.K[rows] @ V

        size = self.n_samples // tuning.TRIANGLE_PIECES + 1
        self.workers.run(work, list(zip(spans(self.n_samples, size), strict=True)), cost)
        return out

    def _apply_columns(self, V: Array, at: Array) -> Array:
        if V.ndim == 2:
            return self.K[at].T @ V
        out = np.zeros(self.n_samples, dtype=self.dtype)
        pieces = [
            (self.K, at, V, span.start, span.stop, out)
            for span in spans(self.n_samples, tuning.UPDATE_SPAN)
        ]
        self.workers.run(loops.add_weighted_rows, pieces, cost=len(at) * self.n_samples)
        return out

    def _triangle_product(self, v: Array) -> Array:
        """K v from the upper triangle, reading each entry once."""
        cuts = equal_areas(self.n_samples, tuning.TRIANGLE_PIECES)
        parts = np.zeros((len(cuts), self.n_samples), dtype=self.dtype)
        pieces = [(self.K, v, *cut, part) for cut, part in zip(cuts, parts, strict=True)]
        self.workers.run(loops.symmetric_dot, pieces, cost=self.K.size)
        return parts.sum(axis=0)


def kernel_matrix(blocks: KernelBlocks, workers: Workers) -> Array:
    """All of K, evaluated on and above the diagonal and mirrored, in a single n x n array."""
    n = blocks.X.shape[0]
    K = np.empty((n, n), dtype=blocks.X.dtype)
    tiles = spans(n, min(tuning.TILE_SIDE, n // 2 + 1))  # at least three, for two threads

    def fill(i: int, j: int) -> None:
        tile = blocks.between(tiles[i], tiles[j])
        K[tiles[i], tiles[j]] = tile if i != j else (tile + tile.T) / 2
        if i != j:
            K[tiles[j], tiles[i]] = tile.T

    pairs = list(combinations_with_replacement(range(len(tiles)), 2))
    workers.run(fill, pairs, cost=float(n) ** 2 * blocks.X.shape[1])
    np.fill_diagonal(K, blocks.kernel.diagonal(blocks.X))
    return K


def balanced_lanes(n_tiles: int) -> list[list[int]]:
    """Deal the rows of a triangle of tiles into lanes of about equal area."""
    count = min(tuning.MAX_LANES, n_tiles)
    lanes: list[list[int]] = [[] for _ in range(count)]
    for i in range(n_tiles):
        turn, place = divmod(i, count)
        lanes[place if turn % 2 == 0 else count - 1 - place].append(i)
    return lanes
