"""K is never stored: its blocks are computed when a product needs them, and forgotten."""

import numpy as np

from l1kpca._typing import Array
from l1kpca.gram.base import DataGram, Projection
from l1kpca.gram.projections import KernelProjection
from l1kpca.gram.tiles import TiledGram
from l1kpca.gram.wrappers import Centered
from l1kpca.kernels import KernelBlocks, Rows
from l1kpca.threads import Workers, spans


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
        return self._apply_in_tiles(V) if at is None else self._apply_columns(V, at, None)

    def _apply_columns(self, V: Array, at: Array, rows: Array | None) -> Array:
        n_rows = self.n_samples if rows is None else len(rows)
        out = np.zeros((n_rows, *V.shape[1:]), dtype=self.dtype)

        def work(span: slice) -> None:
            for part in spans(len(at), self.tile_side):
                block = self.block(span if rows is None else rows[span], at[part])
                out[span] += block @ V[part]

        pieces = [(span,) for span in spans(n_rows, 4 * self.tile_side)]
        self.workers.run(work, pieces, cost=float(len(at)) * n_rows * self.blocks.X.shape[1])
        return out

    def diagonal(self) -> Array:
        """diag K."""
        return self.blocks.diagonal()

    def center(self, weights: Array) -> DataGram:
        """The Gram of the rows minus their weighted mean in feature space."""
        return Centered(self, weights)

    def projection(self, V: Array) -> Projection:
        """The map x -> k(x, X) @ V."""
        return KernelProjection(self.blocks, V, self.tile_side, self.workers)
