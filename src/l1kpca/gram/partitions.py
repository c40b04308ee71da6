"""Rows that stay in the partitions of a Dask array: work goes there, few numbers come back."""

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from l1kpca._typing import Array
from l1kpca.gram import partition_tasks as tasks
from l1kpca.gram.cluster import the_cluster
from l1kpca.gram.partition_tasks import View
from l1kpca.threads import tell

_GATHERED = 4  # sets of rows that were asked for last, and may be asked for again

Work = Callable[[View, Array, int], Array]
"""From a view, the rows of a partition and the number of its first row to a few numbers."""


class DaskRows:
    """The rows of a Dask array, in partitions of whole rows and known size.

    Only ``here()`` and ``rows[index]`` bring rows into this process.
    """

    on_workers = True

    def __init__(self, array: Any):
        self.array = array
        self.dtype = np.dtype(array.dtype)
        self.bytes_held = 0
        counts = np.array(array.chunks[0])
        self._firsts = (np.cumsum(counts) - counts)[counts > 0]
        self._cluster = the_cluster()
        blocks = zip(array.to_delayed().ravel(), counts, strict=True)
        self._set([block for block, count in blocks if count], array.shape[1])

    def _set(self, parts: list[Any], n_columns: int) -> None:
        self._parts = parts
        self.shape = self.array.shape[0], n_columns
        self.plain = View(np.zeros(n_columns, self.dtype), np.zeros((0, n_columns)))
        self._sent: tuple[Any, Any] = (None, None)
        self._gathered: dict[bytes, Array] = {}

    def here(self) -> Array:
        """All rows, in this process."""
        empty = np.empty((0, self.shape[1]), self.dtype)
        return np.concatenate([empty, *self._cluster.values(self._parts)])

    def held(self, memory: int) -> "DaskRows":
        """The rows, in the memory of the workers if they fit into ``memory`` bytes."""
        needed = self.shape[0] * self.shape[1] * self.dtype.itemsize
        return self.kept() if needed <= memory else self

    def kept(self, features: View | None = None) -> "DaskRows":
        """The same rows, or features of them, in the memory of the workers."""
        from dask.delayed import delayed

        held, parts, n_columns = copy(self), self._parts, self.shape[1]
        if features is not None:
            make = delayed(features.made, pure=False, traverse=False)
            parts, n_columns = [make(part) for part in parts], features.width
        held._set(self._cluster.hold(parts), n_columns)  # noqa: SLF001 (of this class)
        held.bytes_held = held.shape[0] * n_columns * self.dtype.itemsize
        return held

    @property
    def extremes(self) -> Array:
        """The rows with the largest and smallest entries and the longest ones; refuses NaN."""
        return self.run(tasks.extremes, tasks.joined)

    def variance(self) -> float:
        """Of all entries."""
        ones = tasks.Signs(np.zeros(self.shape[1]))
        totals = self.run(partial(tasks.sums, [ones]), tasks.added)[0]
        size = self.shape[0] * self.shape[1]
        mean = np.full(self.shape[1], totals[:-1].sum() / size, self.dtype)
        around = partial(tasks.sizes, tasks.lengths)
        view = replace(self.plain, origin=mean)
        return float(self.run(around, tasks.summarized, view)[0, 0]) / size

    @property
    def digest(self) -> str:
        """A hash of all partitions."""
        return self.run(tasks.digest, tasks.joined).tobytes().hex()

    def run(
        self, work: Work, merge: Any, view: View | None = None, only: Array | None = None
    ) -> Array:
        """The results of ``work`` on each partition, merged in a tree."""
        tell(0.0)
        view = self.plain if view is None else view
        if self._sent[0] is not view:  # sent once
            self._sent = view, self._cluster.send(view)
        numbers = range(len(self._parts)) if only is None else only.tolist()
        parts = [(self._parts[k], int(self._firsts[k])) for k in numbers]
        found = self._cluster.merged(work, self._sent[1], parts, merge)
        tell(1.0)
        return found

    def __getitem__(self, index: Array) -> Array:
        """Rows by their numbers, here."""
        index = np.asarray(index)
        key = index.tobytes()
        if key not in self._gathered:
            wanted, places = np.unique(index, return_inverse=True)
            parts = np.unique(np.searchsorted(self._firsts, wanted, side="right") - 1)
            rows = self.run(partial(tasks.rows_at, wanted), tasks.joined, only=parts)
            self._gathered = dict(list(self._gathered.items())[1 - _GATHERED :])
            self._gathered[key] = rows[places]
        return self._gathered[key]

    def mapped(self, work: Any, width: int, dtype: Any) -> Any:
        """The results of ``work`` on each partition, as a lazy Dask array."""
        from dask.array import from_array

        counts = np.array(self.array.chunks[0])
        firsts = from_array((np.cumsum(counts) - counts)[:, np.newaxis], chunks=1)
        return self.array.map_blocks(
            work,
            firsts,
            dtype=dtype,
            chunks=(self.array.chunks[0], (width,)),
            meta=np.empty((0, 0), dtype=dtype),
        )
