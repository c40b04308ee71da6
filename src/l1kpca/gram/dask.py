r"""K on a Dask cluster: rows are partitioned, and blocks of K live on the workers.

With the rows in G groups, K has :math:`G (G + 1) / 2` blocks on and above the diagonal.  A product
runs one task per block, which computes the block's part for both of its groups, and one task per
group, which adds up the parts.  A vector travels in G pieces each way, so the bytes moved are
proportional to n, and only the caller ever holds a whole vector.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial, reduce
from math import ceil, sqrt
from typing import Any

import numpy as np

from l1kpca import loops, tuning
from l1kpca._typing import Array
from l1kpca.gram.base import Gram, LowRank
from l1kpca.gram.choose import Resources, tile_side
from l1kpca.gram.cluster import the_cluster
from l1kpca.gram.projection import Projection
from l1kpca.gram.stored import BlockedGram
from l1kpca.kernels import Kernel, kernel_blocks
from l1kpca.threads import computing, spans

_BLOCKS_PER_THREAD = 4
_KEPT_SIDE = 5000  # most rows of a kept block: 200 MB


@dataclass(frozen=True)
class Dask:
    """Hold K on the workers of a Dask cluster; chosen if X is a Dask array.

    The workers keep the blocks of K if all of them fit into ``memory_limit`` (None: half of the
    cluster's memory); otherwise they recompute the blocks for each product.
    """

    rows: Any
    """The training rows, a Dask array of shape (n_samples, n_features)."""

    def build(self, X: Any, kernel: Kernel, resources: Resources) -> Gram:
        """Build a `DaskGram`; X holds the same rows in this process."""
        side = tile_side(X.dtype, resources, X.shape[0])
        local = BlockedGram(kernel_blocks(X, kernel), resources.workers, side)
        needed = X.shape[0] * (X.shape[0] + 1) // 2 * X.dtype.itemsize
        gram = DaskGram(self.rows.astype(X.dtype), local, keep=needed <= resources.memory)
        gram.bytes_held = needed if gram.keeps else 0
        return gram


def exact_is_possible(n_samples: int, itemsize: int, memory: int) -> bool:
    """Whether K fits into ``memory`` bytes, or the cluster can pass over it within 30 s."""
    pairs = n_samples * (n_samples + 1) // 2
    seconds = pairs * tuning.PAIR_SECONDS / the_cluster().n_threads
    return pairs * itemsize <= memory or seconds <= tuning.CLUSTER_PASS_SECONDS


def cluster_memory() -> int:
    """Half of the memory of all workers; without a cluster, half of the free memory here."""
    return the_cluster().memory // 2


class DaskGram(Gram):
    """Products with K on a Dask cluster; small ones run in this process.

    ``local`` has the same rows, for single columns, small updates and new rows.  With ``keep`` the
    workers keep the blocks of K.
    """

    def __init__(self, rows: Any, local: BlockedGram, keep: bool):
        self.local = local
        self.keeps = keep
        self.n_samples = local.n_samples
        self.dtype = local.dtype
        self.local_entries = tuning.LOCAL_ENTRIES
        self._kernel = kernel = local.blocks.kernel
        self._cluster = cluster = the_cluster()
        self.groups = spans(self.n_samples, _group_rows(self.n_samples, keep, cluster.n_threads))
        size = len(self.groups)
        chunks = tuple(group.stop - group.start for group in self.groups)
        partitioned = rows.rechunk((chunks, (rows.shape[1],)))
        self._parts = parts = cluster.keep(list(partitioned.to_delayed().ravel()))
        self._pairs = [(a, b) for a in range(size) for b in range(a, size)]
        self._blocks = [[parts[a], parts[b]] for a, b in self._pairs]
        self._tiles: Tiles = partial(_computed_tiles, kernel)
        if keep:
            blocks = cluster.calls(partial(_stored_block, kernel), self._blocks)
            self._blocks = [[kept] for kept in cluster.keep(blocks)]
            self._tiles = _stored_tiles

    def apply(self, V: Array, at: Array | None = None) -> Array:
        """K @ V, or K[:, at] @ V."""
        V = V.astype(self.dtype, copy=False)
        if at is None:
            pieces = [V[group] for group in self.groups]
            return self._sum_over_blocks(partial(_products, self._tiles), pieces)
        if len(at) * self.n_samples <= self.local_entries:
            return self.local.apply(V, at=at)
        shared = self._cluster.send((np.asarray(self.local.blocks.X[at]), V))
        work = partial(_times_columns, self._kernel)
        tasks = self._cluster.calls(work, [(part, shared) for part in self._parts])
        return np.concatenate(self._cluster.results(tasks))

    def column_l1(self, minus: LowRank | None = None) -> Array:
        """sum_i |K - L^T R|_ij for each j."""
        nothing = np.zeros((1, self.n_samples), dtype=self.dtype)
        left, right = minus or (nothing, nothing)
        pieces = [(left[:, group], right[:, group]) for group in self.groups]
        return self._sum_over_blocks(partial(_absolute_sums, self._tiles), pieces)

    def _sum_over_blocks(self, work: Callable[..., Any], pieces: list[Any]) -> Array:
        """Add up the results of ``work`` on each block and the pieces of its two groups."""
        sent, calls = [self._cluster.send(piece) for piece in pieces], self._cluster.calls
        blocks = zip(self._pairs, self._blocks, strict=True)
        given = [(block, a == b, sent[a], sent[b]) for (a, b), block in blocks]
        at = [kept for (kept,) in self._blocks] if self.keeps else None
        parts = dict(zip(self._pairs, calls(work, given, at), strict=True))
        groups = range(len(pieces))
        sides = [
            ([parts[g, b] for b in groups[g:]], [parts[a, g] for a in groups[:g]]) for g in groups
        ]
        return np.concatenate(self._cluster.results(calls(_sum_of_sides, sides)))

    def diagonal(self) -> Array:
        """diag K."""
        return self.local.diagonal()

    def columns(self, index: Array, rows: Array | None = None) -> Array:
        """K[:, index], or K[rows][:, index], computed here: moving them would take longer."""
        return self.local.columns(index, rows)

    def projection(self, V: Array) -> Projection:
        """The map x -> k(x, X) @ V."""
        return self.local.projection(V)


def _group_rows(n_samples: int, keep: bool, n_threads: int) -> int:
    """Rows per group: few enough for several blocks per thread, and for blocks to be kept."""
    count = ceil(sqrt(2 * _BLOCKS_PER_THREAD * n_threads))
    if keep:
        count = max(count, ceil(n_samples / _KEPT_SIDE))
    return ceil(n_samples / count)


# Tasks on one block of K: arrays in, arrays out.

Tile = tuple[slice, slice, Array]
Tiles = Callable[..., Iterator[Tile]]
"""Maps the inputs of a block of K to its tiles, each with its rows and columns."""


def _computed_tiles(kernel: Kernel, X_a: Array, X_b: Array) -> Iterator[Tile]:
    """Tiles of k(X_a, X_b), evaluated one by one."""
    blocks = kernel_blocks(X_b, kernel)
    for rows in spans(len(X_a), tuning.TILE_SIDE):
        for columns in spans(len(X_b), tuning.TILE_SIDE):
            yield rows, columns, blocks.with_new(X_a[rows], columns)


def _stored_tiles(K: Array) -> Iterator[Tile]:
    """Tiles of a kept block."""
    for rows in spans(K.shape[0], tuning.TILE_SIDE):
        for columns in spans(K.shape[1], tuning.TILE_SIDE):
            yield rows, columns, K[rows, columns]


def _stored_block(kernel: Kernel, X_a: Array, X_b: Array) -> Array:
    """The block k(X_a, X_b), to keep."""
    K = np.empty((len(X_a), len(X_b)), dtype=X_a.dtype)
    with computing():
        for rows, columns, tile in _computed_tiles(kernel, X_a, X_b):
            K[rows, columns] = tile
    return K


def _products(
    tiles: Tiles, block: list[Any], on_diagonal: bool, v_a: Array, v_b: Array
) -> tuple[Array, Array]:
    """K_ab v_b, and off the diagonal K_ab^T v_a."""
    left, right = np.zeros_like(v_a), np.zeros_like(v_b)
    with computing():
        for rows, columns, tile in tiles(*block):
            left[rows] += tile @ v_b[columns]
            if not on_diagonal:
                right[columns] += tile.T @ v_a[rows]
    return left, right


def _absolute_sums(
    tiles: Tiles, block: list[Any], on_diagonal: bool, low_a: LowRank, low_b: LowRank
) -> tuple[Array, Array]:
    """Row and column sums of |K - L^T R| in a block."""
    left, right = (np.zeros(low[0].shape[1], dtype=low[0].dtype) for low in (low_a, low_b))
    with computing():
        for rows, columns, tile in tiles(*block):
            low = low_a[0][:, rows].T @ low_b[1][:, columns]
            loops.absolute_sums(tile, 0, 0, low, left[rows], right[columns])
    return left, right


def _sum_of_sides(lefts: list[tuple[Array, Array]], rights: list[tuple[Array, Array]]) -> Array:
    """The sum for one group, over its blocks to the right of the diagonal and above it."""
    return reduce(np.add, [left for left, _ in lefts] + [right for _, right in rights])


def _times_columns(kernel: Kernel, X_a: Array, shared: tuple[Array, Array]) -> Array:
    """K[a, at] @ V from the rows X[at]."""
    X_at, V = shared
    out = np.zeros((len(X_a), *V.shape[1:]), dtype=V.dtype)
    return _products(partial(_computed_tiles, kernel), [X_a, X_at], True, out, V)[0]
