r"""K on a Dask cluster: rows are partitioned, and blocks of K live on the workers.

With the rows in G groups, K has :math:`G (G + 1) / 2` blocks on and above the diagonal.  A product
runs one task per block, which computes the block's part for both of its groups, and one task per
group, which adds up the parts.  A vector travels in G pieces each way, so the bytes moved are
proportional to n, and only the caller ever holds a whole vector.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial, reduce
from itertools import combinations_with_replacement
from math import ceil, sqrt
from typing import Any

import numpy as np

from l1kpca import loops, tuning
from l1kpca._typing import Array
from l1kpca.gram.base import Gram, LowRank
from l1kpca.gram.choose import Blocked, Resources
from l1kpca.gram.cluster import the_cluster
from l1kpca.gram.collections import parts_of
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

    rows: Any  #: The training rows, a Dask array of shape (n_samples, n_features).

    def build(self, X: Any, kernel: Kernel, resources: Resources) -> Gram:
        """Build a `DaskGram`; X holds the same rows in this process."""
        local = Blocked().build(X, kernel, resources)
        keep = _pairs(X.shape[0]) * X.dtype.itemsize <= resources.memory
        return DaskGram(self.rows.astype(X.dtype), local, keep)


def _pairs(n_samples: int) -> int:
    return n_samples * (n_samples + 1) // 2


def exact_is_possible(n_samples: int, itemsize: int, memory: int) -> bool:
    """Whether K fits into ``memory`` bytes, or the cluster can pass over it within 30 s."""
    seconds = _pairs(n_samples) * tuning.PAIR_SECONDS / the_cluster().n_threads
    return _pairs(n_samples) * itemsize <= memory or seconds <= tuning.CLUSTER_PASS_SECONDS


class DaskGram(BlockedGram):
    """Products with K on a Dask cluster; small ones run in this process, as those of ``local``.

    With ``keep`` the workers keep the blocks of K.
    """

    def __init__(self, rows: Any, local: BlockedGram, keep: bool):
        super().__init__(local.blocks, local.workers, local.tile_side)
        self.bytes_held = _pairs(self.n_samples) * self.dtype.itemsize if keep else 0
        self.local_entries = tuning.LOCAL_ENTRIES
        self._cluster = cluster = the_cluster()
        count = ceil(sqrt(2 * _BLOCKS_PER_THREAD * cluster.n_threads))
        count = max(count, ceil(self.n_samples / _KEPT_SIDE)) if keep else count
        self.groups = spans(self.n_samples, ceil(self.n_samples / count))
        chunks = tuple(group.stop - group.start for group in self.groups)
        partitioned = rows.rechunk((chunks, (rows.shape[1],)))
        self._parts = parts = cluster.keep(parts_of(partitioned))
        self._pairs = list(combinations_with_replacement(range(len(parts)), 2))
        self._blocks = [[parts[a], parts[b]] for a, b in self._pairs]
        self._evaluated = None if keep else self.blocks.kernel
        """The kernel, if each pass evaluates the blocks."""
        if keep:
            blocks = cluster.calls(partial(_stored_block, self.blocks.kernel), self._blocks)
            self._blocks = [[kept] for kept in cluster.keep(blocks)]

    def apply(self, V: Array, at: Array | None = None) -> Array:
        """K @ V, or K[:, at] @ V."""
        V = V.astype(self.dtype, copy=False)
        if at is None:
            pieces = [V[group] for group in self.groups]
            return self._sum_over_blocks(partial(_products, self._evaluated), pieces)
        if len(at) * self.n_samples <= self.local_entries:
            return super().apply(V, at)
        rows, sent = map(self._cluster.send, (np.asarray(self.blocks.X[at]), V))
        work = partial(_products, self.blocks.kernel)
        given = [([part, rows], True, None, sent) for part in self._parts]
        results = self._cluster.results(self._cluster.calls(work, given))
        return np.concatenate([left for left, _ in results])

    def column_l1(self, minus: LowRank | None = None) -> Array:
        """sum_i |K - L^T R|_ij for each j."""
        nothing = np.zeros((1, self.n_samples), dtype=self.dtype)
        left, right = minus or (nothing, nothing)
        pieces = [(left[:, group], right[:, group]) for group in self.groups]
        return self._sum_over_blocks(partial(_absolute_sums, self._evaluated), pieces)

    def _sum_over_blocks(self, work: Callable[..., Any], pieces: list[Any]) -> Array:
        """Add up the results of ``work`` on each block and the pieces of its two groups."""
        sent, calls = [self._cluster.send(piece) for piece in pieces], self._cluster.calls
        blocks = zip(self._pairs, self._blocks, strict=True)
        given = [(block, a == b, sent[a], sent[b]) for (a, b), block in blocks]
        at = [kept for (kept,) in self._blocks] if self._evaluated is None else None
        parts = dict(zip(self._pairs, calls(work, given, at), strict=True))
        groups = range(len(pieces))
        sides = [
            ([parts[g, b] for b in groups[g:]], [parts[a, g] for a in groups[:g]]) for g in groups
        ]
        return np.concatenate(self._cluster.results(calls(_sum_of_sides, sides)))


# Tasks on one block of K: arrays in, arrays out.


def _tiles(kernel: Kernel | None, block: list[Array]) -> Iterator[tuple[slice, slice, Array]]:
    """Tiles of a kept block, or of k(X_a, X_b), evaluated one by one; with rows and columns."""
    left, right = block[0], block[-1]
    blocks = None if kernel is None else kernel_blocks(right, kernel)
    for rows in spans(len(left), tuning.TILE_SIDE):
        for columns in spans(left.shape[1] if blocks is None else len(right), tuning.TILE_SIDE):
            tile = left[rows, columns] if blocks is None else blocks.with_new(left[rows], columns)
            yield rows, columns, tile


def _stored_block(kernel: Kernel, X_a: Array, X_b: Array) -> Array:
    """The block k(X_a, X_b), to keep."""
    K = np.empty((len(X_a), len(X_b)), dtype=X_a.dtype)
    with computing():
        for rows, columns, tile in _tiles(kernel, [X_a, X_b]):
            K[rows, columns] = tile
    return K


def _products(
    kernel: Kernel | None, block: list[Array], on_diagonal: bool, v_a: Any, v_b: Array
) -> tuple[Array, Any]:
    """K_ab v_b, and off the diagonal K_ab^T v_a."""
    left = np.zeros((len(block[0]), *v_b.shape[1:]), dtype=v_b.dtype)
    right = None if on_diagonal else np.zeros_like(v_b)
    with computing():
        for rows, columns, tile in _tiles(kernel, block):
            left[rows] += tile @ v_b[columns]
            if right is not None:
                right[columns] += tile.T @ v_a[rows]
    return left, right


def _absolute_sums(
    kernel: Kernel | None, block: list[Array], on_diagonal: bool, low_a: LowRank, low_b: LowRank
) -> tuple[Array, Array]:
    """Row and column sums of |K - L^T R| in a block."""
    left, right = (np.zeros(low[0].shape[1], dtype=low[0].dtype) for low in (low_a, low_b))
    with computing():
        for rows, columns, tile in _tiles(kernel, block):
            low = low_a[0][:, rows].T @ low_b[1][:, columns]
            loops.absolute_sums(tile, 0, 0, low, left[rows], right[columns])
    return left, right


def _sum_of_sides(lefts: list[tuple[Array, Array]], rights: list[tuple[Array, Array]]) -> Array:
    """The sum for one group, over its blocks to the right of the diagonal and above it."""
    return reduce(np.add, [left for left, _ in lefts] + [right for _, right in rights])
