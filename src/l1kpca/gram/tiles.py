"""What follows from square tiles of K alone, each tile looked at once for both of its triangles."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator
from typing import Any, TypeAlias

import numpy as np

from l1kpca import loops
from l1kpca._typing import Array
from l1kpca.gram.base import LowRank, Written
from l1kpca.gram.thin import Thin
from l1kpca.kernels import Rows
from l1kpca.threads import Workers, spans

_MAX_LANES = 32
_TILE_SIDE = 512

Steps: TypeAlias = Generator[float, None, Array]
"""Work done tile by tile: yields the cost of each tile, returns a sum."""


class TiledGram(ABC):
    """Base of the Grams that can give any block of K."""

    n_samples: int
    dtype: np.dtype[Any]
    workers: Workers
    tile_side: int = _TILE_SIDE

    @abstractmethod
    def block(self, rows: Rows, columns: Rows) -> Array:
        """K[rows, columns]; may be a view, so it must not be written to."""

    @abstractmethod
    def diagonal(self) -> Array:
        """diag K."""

    def columns(self, index: Array, rows: Array | None = None) -> Array:
        """K[:, index], or K[rows][:, index]."""
        if rows is not None:
            return np.array(self.block(rows, index))
        out = np.empty((self.n_samples, len(index)), dtype=self.dtype)

        def fill(rows: slice) -> None:
            out[rows] = self.block(rows, index)

        self._for_each_span(fill, out.size)
        return out

    def written(self, minus: LowRank) -> Written | None:
        """None: K is not stored."""
        return None  # a Gram that stores K overrides this

    def thin(self) -> Thin | None:
        """None: K has no rows of few columns."""
        return None  # a Gram that has them overrides this

    def rounding(self) -> float:
        """Size of the rounding errors in trace K."""
        return float(np.finfo(self.dtype).eps * np.abs(self.diagonal()).sum(dtype=np.float64))

    def column_l1(self, minus: LowRank | None = None) -> Array:
        """``sum_i |K - L^T R|_ij`` for each j."""
        tiles = spans(self.n_samples, self.tile_side)
        # BLAS takes a third longer for a transposed strip of L than for rows of its transpose.
        factors = None if minus is None else (np.ascontiguousarray(minus[0].T), minus[1])

        def work(lane: list[int]) -> Steps:
            sums = np.zeros(self.n_samples, dtype=self.dtype)
            low_rank = np.zeros((self.tile_side, self.tile_side), dtype=self.dtype)
            for i, j in pairs_of(lane, len(tiles)):
                self._add_absolute_sums(tiles[i], tiles[j], factors, low_rank, sums)
                yield rank * self.tile_side**2
            return sums

        rank = 1 if minus is None else len(minus[0])
        return self._sum_of_lanes(work, len(tiles), rank)

    def _add_absolute_sums(
        self, rows: slice, columns: slice, minus: LowRank | None, low_rank: Array, sums: Array
    ) -> None:
        """``low_rank`` is zero, or room for a tile of L R: taking it anew doubles the time."""
        by_row = np.zeros(rows.stop - rows.start, dtype=self.dtype)
        by_column = np.zeros(columns.stop - columns.start, dtype=self.dtype)
        if minus is not None:
            # For a single row and column, matmul does without BLAS: it takes ten times as long.
            product = np.multiply if len(minus[1]) == 1 else np.matmul
            part = low_rank[: len(by_row), : len(by_column)]
            product(minus[0][rows], minus[1][:, columns], out=part)
        loops.absolute_sums(*self._within(rows, columns), low_rank, by_row, by_column)
        sums[rows] += by_row
        if columns.start != rows.start:
            sums[columns] += by_column

    def _within(self, rows: slice, columns: slice) -> tuple[Array, int, int]:
        """A matrix with K[rows, columns] in it, and where that begins."""
        return self.block(rows, columns), 0, 0

    def _apply_in_tiles(self, V: Array) -> Array:
        """K @ V from the upper triangle of tiles."""
        tiles = spans(self.n_samples, self.tile_side)

        def work(lane: list[int]) -> Steps:
            out = np.zeros(V.shape, dtype=self.dtype)
            for i, j in pairs_of(lane, len(tiles)):
                tile = self.block(tiles[i], tiles[j])
                out[tiles[i]] += tile @ V[tiles[j]]
                if j > i:
                    out[tiles[j]] += tile.T @ V[tiles[i]]
                yield width * self.tile_side**2
            return out

        width = V.size // len(V)
        return self._sum_of_lanes(work, len(tiles), width)

    def _for_each_span(self, work: Callable[[slice], None], cost: float) -> None:
        pieces = [(rows,) for rows in spans(self.n_samples, 4 * self.tile_side)]
        self.workers.run(work, pieces, cost)

    def _sum_of_lanes(
        self, work: Callable[[list[int]], Steps], n_tiles: int, cost_per_entry: int
    ) -> Array:
        lanes = [(lane,) for lane in balanced_lanes(n_tiles)]
        cost = cost_per_entry * self.tile_side**2 * n_tiles * (n_tiles + 1) / 2
        parts = self.workers.run(work, lanes, cost)
        total = parts[0]
        for part in parts[1:]:
            total += part
        return total


def pairs_of(lane: list[int], n_tiles: int) -> Iterator[tuple[int, int]]:
    """The tiles on and above the diagonal in the rows of tiles of a lane."""
    return ((i, j) for i in lane for j in range(i, n_tiles))


def balanced_lanes(n_tiles: int) -> list[list[int]]:
    """Deal the rows of a triangle of tiles into lanes of about equal area.

    The lanes do not depend on the number of threads: each has its own sum, and the sums are added
    in a fixed order.

    Examples
    --------
    >>> balanced_lanes(3)
    [[0], [1], [2]]
    >>> [len(lane) for lane in balanced_lanes(128)] == [4] * 32
    True
    """
    count = min(_MAX_LANES, n_tiles)
    lanes: list[list[int]] = [[] for _ in range(count)]
    for i in range(n_tiles):
        round_number, place = divmod(i, count)
        lanes[place if round_number % 2 == 0 else count - 1 - place].append(i)
    return lanes
