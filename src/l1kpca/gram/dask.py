r"""K on a Dask cluster: rows are partitioned, blocks of K live on the workers.

With the rows in G groups, K has :math:`G (G + 1) / 2` blocks on and above the diagonal.  A product
is one task for each block, which gives its part for both of its groups, and one task for each
group, which adds up the parts.  A vector is sent in G pieces and comes back in G pieces, so the
bytes that move are proportional to n, and no machine but the caller's ever holds a whole vector.

dask is imported when a Dask array is met, so that the core does not need it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.gram import block_tasks
from l1kpca.gram.base import Gram, LowRank
from l1kpca.gram.choose import Resources, tile_side
from l1kpca.gram.cluster import the_cluster
from l1kpca.gram.projection import Projection
from l1kpca.gram.stored import BlockedGram
from l1kpca.kernels import Kernel, kernel_blocks
from l1kpca.threads import spans


@dataclass(frozen=True)
class Dask:
    """Hold K on the workers of a Dask cluster; what a Dask array as X selects.

    Blocks of K are kept in the memory of the workers if all of them fit into ``memory_limit``
    (None: half of the memory of the cluster), and computed anew in each product if not.
    """

    rows: Any
    """The training rows, a Dask array of shape (n_samples, n_features)."""

    def build(self, X: Any, kernel: Kernel, resources: Resources) -> Gram:
        """Build a `DaskGram`; X is the same rows in the memory of this process."""
        side = tile_side(X.dtype, resources, X.shape[0])
        local = BlockedGram(kernel_blocks(X, kernel), resources.workers, side)
        needed = X.shape[0] * (X.shape[0] + 1) // 2 * X.dtype.itemsize
        gram = DaskGram(self.rows.astype(X.dtype), local, keep=needed <= resources.memory)
        gram.bytes_held = needed if gram.keeps else 0
        return gram


def exact_is_possible(n_samples: int, itemsize: int, memory: int) -> bool:
    """Whether K fits into ``memory`` bytes, or a pass over it takes the cluster at most 30 s."""
    pairs = n_samples * (n_samples + 1) // 2
    seconds = pairs * tuning.PAIR_SECONDS / the_cluster().n_threads
    return pairs * itemsize <= memory or seconds <= tuning.CLUSTER_PASS_SECONDS


def cluster_memory() -> int:
    """Half of the memory of all workers; without a cluster, half of the free memory here."""
    return the_cluster().memory // 2


class DaskGram(Gram):
    """Products with K on a Dask cluster; what is small enough is done in this process.

    ``local`` has the same rows, for single columns, updates by few rows, and new rows.  With
    ``keep`` the workers keep the blocks of K.
    """

    def __init__(self, rows: Any, local: BlockedGram, keep: bool):
        self.local = local
        self.keeps = keep
        self.n_samples = local.n_samples
        self.dtype = local.dtype
        self.local_entries = tuning.LOCAL_ENTRIES
        self._cluster = cluster = the_cluster()
        in_a_group = block_tasks.group_rows(self.n_samples, keep, cluster.n_threads)
        self.groups = spans(self.n_samples, in_a_group)
        chunks = tuple(group.stop - group.start for group in self.groups)
        partitioned = rows.rechunk((chunks, (rows.shape[1],)))
        self._parts = parts = cluster.keep(list(partitioned.to_delayed().ravel()))
        pairs = [(a, b) for a in range(len(chunks)) for b in range(a, len(chunks))]
        kernel = local.blocks.kernel
        self._tiles: block_tasks.Tiles = partial(block_tasks.computed_tiles, kernel)
        self._blocks = {(a, b): [parts[a], parts[b]] for a, b in pairs}
        if keep:
            block = partial(cluster.call, block_tasks.stored_block, kernel)
            blocks = [block(parts[a], parts[b]) for a, b in pairs]
            self._tiles = block_tasks.stored_tiles
            self._blocks = dict(zip(pairs, ([kept] for kept in cluster.keep(blocks)), strict=True))

    def apply(self, V: Array, at: Array | None = None) -> Array:
        """K @ V, or K[:, at] @ V."""
        V = V.astype(self.dtype, copy=False)
        if at is None:
            pieces = [V[group] for group in self.groups]
            return self._sum_over_blocks(partial(block_tasks.products, self._tiles), pieces)
        if len(at) * self.n_samples <= self.local_entries:
            return self.local.apply(V, at=at)
        columns = np.asarray(self.local.blocks.X[at])
        work = partial(block_tasks.times_columns, self.local.blocks.kernel)
        call, shared = self._cluster.call, self._cluster.send((columns, V))
        return np.concatenate(self._cluster.results([call(work, p, shared) for p in self._parts]))

    def column_l1(self, minus: LowRank | None = None) -> Array:
        """sum_i |K - L^T R|_ij for each j."""
        nothing = np.zeros((1, self.n_samples), dtype=self.dtype)
        left, right = minus or (nothing, nothing)
        pieces = [(left[:, group], right[:, group]) for group in self.groups]
        return self._sum_over_blocks(partial(block_tasks.absolute_sums, self._tiles), pieces)

    def _sum_over_blocks(self, work: Callable[..., Any], pieces: list[Any]) -> Array:
        """Add up what ``work`` gives for each block and the pieces of its two groups."""
        call, sent = self._cluster.call, [self._cluster.send(piece) for piece in pieces]
        kept = [block[0] for block in self._blocks.values()] if self.keeps else []
        homes = self._cluster.homes(kept) if kept else [None] * len(self._blocks)
        parts = {
            (a, b): call(work, block, a == b, sent[a], sent[b], home=home)
            for ((a, b), block), home in zip(self._blocks.items(), homes, strict=True)
        }
        size = len(self.groups)
        lefts = [[parts[g, b] for b in range(g, size)] for g in range(size)]
        rights = [[parts[a, g] for a in range(g)] for g in range(size)]
        sums = list(map(partial(call, block_tasks.sum_of_sides), lefts, rights))
        return np.concatenate(self._cluster.results(sums))

    def diagonal(self) -> Array:
        """diag K."""
        return self.local.diagonal()

    def columns(self, index: Array, rows: Array | None = None) -> Array:
        """K[:, index], or K[rows][:, index], computed here: to move them would take longer."""
        return self.local.columns(index, rows)

    def projection(self, V: Array) -> Projection:
        """The map x -> k(x, X) @ V."""
        return self.local.projection(V)
