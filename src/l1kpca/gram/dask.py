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

from l1kpca._typing import Array
from l1kpca.gram import block_tasks
from l1kpca.gram.base import DataGram, LowRank, Projection
from l1kpca.gram.blocked import BlockedGram
from l1kpca.gram.builders import Resources, tile_side
from l1kpca.gram.memory import free_memory
from l1kpca.gram.wrappers import Centered
from l1kpca.kernels import Kernel, kernel_blocks
from l1kpca.threads import available_cores, spans

_BOUND_ATTEMPTS = 3
_LOOK_SECONDS = 2  # between looks whether the workers are all there
_LOCAL_ENTRIES = 20_000_000  # of K; evaluating so few takes less time than asking the cluster


def is_dask(X: Any) -> bool:
    """Whether X is a collection of Dask; does not import it."""
    return type(X).__module__.partition(".")[0] == "dask"


@dataclass(frozen=True)
class Dask:
    """Hold K on the workers of a Dask cluster; what a Dask array as X selects.

    Blocks of K are kept in the memory of the workers if all of them fit into ``memory_limit``
    (None: half of the memory of the cluster), and computed anew in each product if not.

    Parameters
    ----------
    rows : dask array of shape (n_samples, n_features)
        The training rows.
    """

    rows: Any

    def collect(self) -> Array:
        """The rows in the memory of this process."""
        return np.asarray(self.rows)

    def build(self, X: Any, kernel: Kernel, resources: Resources) -> tuple[DataGram, int, float]:
        """Build a `DaskGram`; X is the same rows in the memory of this process."""
        side = tile_side(X.dtype, resources, X.shape[0])
        local = BlockedGram(kernel_blocks(X, kernel), resources.workers, side)
        needed = X.shape[0] * (X.shape[0] + 1) // 2 * X.dtype.itemsize
        gram = DaskGram(self.rows.astype(X.dtype), local, keep=needed <= resources.memory)
        return gram, needed if gram.keeps else 0, 0.0


def distributed_rows(X: Any) -> Dask:
    """The way to hold K for a Dask array; refuses what has no known rows and columns."""
    if not hasattr(X, "map_blocks"):
        raise ValueError(
            f"X is a {type(X).__name__} of Dask, but must be a Dask array: pass"
            " X.to_dask_array(lengths=True)"
        )
    if X.ndim != 2 or np.isnan(X.shape).any():
        raise ValueError(
            f"X of shape {X.shape} must be a Dask array of two dimensions with known chunk sizes:"
            " call X.compute_chunk_sizes() first"
        )
    return Dask(X.persist())


def cluster_memory() -> int:
    """Half of the memory of all workers; without a cluster half of what is free here."""
    return _cluster().memory // 2


def project_blocks(X: Any, projection: Projection, n_components: int, dtype: Any) -> Any:
    """Scores of the rows of a Dask array, as a Dask array with the same chunks of rows."""
    from dask.delayed import delayed

    rows = X if X.numblocks[1] == 1 else X.rechunk({1: -1})
    return rows.map_blocks(
        block_tasks.scores_of,
        delayed(projection, pure=False),
        np.dtype(dtype),
        dtype=dtype,
        chunks=(rows.chunks[0], (n_components,)),
        meta=np.empty((0, 0), dtype=dtype),
    )


def in_chunks_of(X: Any, scores: Array) -> Any:
    """Scores as a Dask array, with the chunks of the rows X."""
    from dask.array import from_array

    return from_array(scores, chunks=(X.chunks[0], (scores.shape[1],)))


class DaskGram:
    """Products with K on a Dask cluster; what is small enough is done in this process.

    ``local`` has the same rows, for single columns, updates by few rows, and new rows.  With
    ``keep`` the workers keep the blocks of K.
    """

    def __init__(self, rows: Any, local: BlockedGram, keep: bool):
        self.local = local
        self.keeps = keep
        self.n_samples = local.n_samples
        self.dtype = local.dtype
        self.local_entries = _LOCAL_ENTRIES
        self._cluster = cluster = _cluster()
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

        def tasks(shared: list[Any]) -> list[Any]:
            return [self._cluster.call(work, part, shared[0]) for part in self._parts]

        return np.concatenate(self._cluster.results(tasks, [(columns, V)], kept=[]))

    def column_l1(self, minus: LowRank | None = None) -> Array:
        """sum_i |K - L^T R|_ij for each j."""
        nothing = np.zeros((1, self.n_samples), dtype=self.dtype)
        left, right = minus or (nothing, nothing)
        pieces = [(left[:, group], right[:, group]) for group in self.groups]
        return self._sum_over_blocks(partial(block_tasks.absolute_sums, self._tiles), pieces)

    def written(self, minus: LowRank) -> None:
        """None: the blocks are the cluster's."""

    def thin(self) -> None:
        """None: the rows are the cluster's."""

    def _sum_over_blocks(self, work: Callable[..., Any], pieces: list[Any]) -> Array:
        """Add up what ``work`` gives for each block and the pieces of its two groups."""
        kept = [block[0] for block in self._blocks.values()] if self.keeps else []

        def tasks(sent: list[Any]) -> list[Any]:
            call = self._cluster.call
            parts = {
                (a, b): call(work, block, a == b, sent[a], sent[b], near=block[0])
                for (a, b), block in self._blocks.items()
            }
            count = len(self.groups)
            return [
                call(
                    block_tasks.sum_of_sides,
                    [parts[g, b] for b in range(g, count)],
                    [parts[a, g] for a in range(g)],
                )
                for g in range(count)
            ]

        return np.concatenate(self._cluster.results(tasks, pieces, kept))

    def diagonal(self) -> Array:
        """diag K."""
        return self.local.diagonal()

    def columns(self, index: Array, rows: Array | None = None) -> Array:
        """K[:, index], or K[rows][:, index], computed here: to move them would take longer."""
        return self.local.columns(index, rows)

    def rounding(self) -> float:
        """Size of the rounding errors in trace K."""
        return self.local.rounding()

    def center(self, weights: Array) -> DataGram:
        """The Gram of the rows minus their weighted mean in feature space."""
        return Centered(self, weights)

    def projection(self, V: Array) -> Projection:
        """The map x -> k(x, X) @ V."""
        return self.local.projection(V)


class _Cluster:
    """The workers behind a client: tasks are futures, whose values stay where they are."""

    def __init__(self, client: Any):
        self._client = client
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        self.n_threads = max(1, sum(worker["nthreads"] for worker in workers))
        self.memory = sum(worker["memory_limit"] or 0 for worker in workers) or free_memory()
        self._homes: dict[str, str] = {}

    def call(self, work: Callable[..., Any], *arguments: Any, near: Any = None) -> Any:
        """A task, under way at once; where the value of ``near`` is, as long as that is known."""
        home = None if near is None else self._homes.get(near.key)
        return self._client.submit(work, *arguments, pure=False, workers=home)

    def keep(self, tasks: list[Any]) -> list[Any]:
        """Tasks whose values stay on the workers; lost ones are computed again by themselves."""
        return list(self._client.compute(tasks))

    def results(
        self, tasks: Callable[[list[Any]], list[Any]], pieces: list[Any], kept: list[Any]
    ) -> list[Array]:
        """The values of ``tasks(sent)``, where ``sent`` stands for the pieces on the workers.

        Work on what is kept is bound to the worker that has it: a block of K must not travel.  If
        such a worker is lost, the work is begun anew, in the end bound to nothing.  A piece is sent
        as a task that returns it, not scattered: the scheduler can then make it again.
        """
        for attempt in range(_BOUND_ATTEMPTS + 1):
            bound = kept if attempt < _BOUND_ATTEMPTS else []
            found = self._client.who_has(bound) if bound else {}
            self._homes = {key: addresses[0] for key, addresses in found.items() if addresses}
            wanted = tasks([self.call(block_tasks.received, piece) for piece in pieces])
            if self._all_done(wanted):
                break
        return list(self._client.gather(wanted))

    def _all_done(self, wanted: list[Any]) -> bool:
        """Wait; False if a worker is gone to which work was bound."""
        from distributed import wait

        while True:
            try:
                wait(wanted, timeout=_LOOK_SECONDS)
            except TimeoutError:
                alive = self._client.scheduler_info(n_workers=-1)["workers"]
                if not set(self._homes.values()) <= alive.keys():
                    return False
            else:
                return True


class _ThisProcess:
    """No cluster: the same tasks in the threads of this process."""

    def __init__(self) -> None:
        self.n_threads = available_cores()
        self.memory = free_memory()

    def call(self, work: Callable[..., Any], *arguments: Any, near: Any = None) -> Any:
        from dask.delayed import delayed  # done when the value is asked for

        return delayed(work, pure=False)(*arguments)

    def keep(self, tasks: list[Any]) -> list[Any]:
        from dask.base import persist

        return list(persist(*tasks))

    def results(
        self, tasks: Callable[[list[Any]], list[Any]], pieces: list[Any], kept: list[Any]
    ) -> list[Array]:
        from dask.base import compute

        return list(compute(*tasks(pieces)))


def _cluster() -> _Cluster | _ThisProcess:
    """The cluster of the current client if there is one."""
    try:
        from distributed import get_client

        return _Cluster(get_client())
    except (ImportError, ValueError):
        return _ThisProcess()
