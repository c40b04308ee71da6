"""K is never stored: its blocks are computed when a product needs them, and forgotten."""

import numpy as np

from l1kpca._typing import Array
from l1kpca.gram.base import DataGram, Projection
from l1kpca.gram.projections import KernelProjection
from l1kpca.gram.tiles import TiledGram
from l1kpca.gram.wrappers import Centered
from l1kpca.kernels import KernelBlocks, Rows
from l1kpca.threads import Workers


class BlockedGram(TiledGram):
    """Products with K in bounded memory; each pass evaluates half of the kernel matrix."""

    def __init__(self, blocks: KernelBlocks, workers: Workers, tile_side: int):
        self.blocks = blocks
        self.n_samples = blocks.X.shape[0]
        self.dtype = np.dtype(blocks.X.dtype)
        self.workers = workers
        self.tile_side = tile_side

    def block(self, rows: Rows, columns: Rows) -> Array:
        """K[rows, columns], evaluated now."""
        return self.blocks.between(rows, columns)

    def apply(self, V: Array, at: Array | None = None) -> Array:
        """K @ V, or K[:, at] @ V, evaluating only those columns."""
        V = V.astype(self.dtype, copy=False)
        if at is None:
            return self._apply_in_tiles(V)
        out = np.zeros((self.n_samples, *V.shape[1:]), dtype=self.dtype)

        def work(rows: slice) -> None:
            for start in range(0, len(at), self.tile_side):
                part = slice(start, start + self.tile_side)
                out[rows] += self.block(rows, at[part]) @ V[part]

        self._for_each_span(work, cost=len(at) * self.n_samples * self.blocks.X.shape[1])
        return out

    def diagonal(self) -> Array:
        """diag K."""
        return self.blocks.diagonal()

    def center(self, weights: Array) -> DataGram:
        """The Gram of the rows minus their weighted mean in feature space."""
        return Centered(self, weights, self.workers)

    def projection(self, V: Array) -> Projection:
        """The map x -> k(x, X) @ V."""
        return KernelProjection(self.blocks, V, self.tile_side, self.workers)
