"""Dask arrays and data frames: checks, maps, samples, and rows by partition."""

from collections.abc import Sequence
from functools import partial
from itertools import compress
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from l1kpca._typing import Array
from l1kpca.gram import partition_tasks as tasks
from l1kpca.gram.cluster import the_cluster
from l1kpca.gram.partition_tasks import View
from l1kpca.gram.projection import Projection
from l1kpca.threads import computing, tell


def dask_array(X: Any, dtype: Any = None, lengths: bool = True) -> Any:
    """A Dask array of floats, in chunks of whole rows, from a Dask array or data frame.

    Chunk sizes must be known, unless ``lengths=False``.
    """
    if hasattr(X, "to_dask_array"):
        X = X.to_dask_array(lengths=_lengths(parts_of(X)) if lengths else None)
    if not hasattr(X, "map_blocks") or X.ndim != 2 or (lengths and np.isnan(X.shape).any()):
        raise ValueError(
            f"X is a {type(X).__name__} of shape {getattr(X, 'shape', 'unknown')}, but must be a"
            " Dask data frame, or a Dask array of two dimensions with known chunk sizes: call"
            " X.compute_chunk_sizes() first"
        )
    X = X if X.numblocks[1] == 1 else X.rechunk({1: -1})
    if dtype is None:
        dtype = X.dtype if X.dtype in (np.float32, np.float64) else np.float64
    return X.astype(dtype)


def example_of(X: Any) -> Any:
    """X, or for a Dask data frame an empty pandas one with the same columns."""
    return X._meta if hasattr(X, "to_dask_array") else X  # noqa: SLF001


def parts_of(X: Any) -> list[Any]:
    """The partitions of a Dask array or data frame, as delayed values."""
    found = X.to_delayed()
    return list(found.ravel() if isinstance(found, np.ndarray) else found)


def _lengths(parts: list[Any]) -> list[int]:
    from dask.delayed import delayed

    return the_cluster().results([delayed(len)(part) for part in parts])


def project_blocks(X: Any, projection: Projection) -> Any:
    """Scores of the rows of a Dask array, as a Dask array with the same chunks of rows."""
    from dask.delayed import delayed

    X = dask_array(X, projection.coef.dtype, lengths=False)
    sent = delayed(projection, pure=False)
    return map_rows(X, _scores_of, projection.coef.shape[1], sent)


def _scores_of(block: Array, projection: Projection) -> Array:
    if not np.isfinite(block).all():
        raise ValueError(tasks.HOLES)
    with computing():
        return projection(block).scores.astype(block.dtype, copy=False)


def map_rows(rows: Any, work: Any, width: int, *beside: Any) -> Any:
    """The results of ``work`` on each chunk of rows, as a Dask array with ``width`` columns."""
    chunks, meta = (rows.chunks[0], (width,)), np.empty((0, 0), dtype=rows.dtype)
    return rows.map_blocks(work, *beside, dtype=rows.dtype, chunks=chunks, meta=meta)


def in_chunks_of(X: Any, scores: Array) -> Any:
    """Scores as a Dask array with the chunks of X."""
    from dask.array import from_array

    return from_array(scores, chunks=(X.chunks[0], (scores.shape[1],)))


def on_partitions(X: Any, work: Any, *sent: Any) -> list[Any]:
    """``work(part, *sent)`` for each partition, as delayed values; ``sent`` travels once."""
    from dask.delayed import delayed

    there = [delayed(value, pure=False, traverse=False) for value in sent]
    return [delayed(work)(part, *there) for part in parts_of(X)]


def joined(values: Sequence[Any], X: Any, example: Any) -> Any:
    """One collection from delayed parts like ``example``, one per partition of X."""
    if not isinstance(example, np.ndarray):
        from dask import dataframe

        return dataframe.from_delayed(values, meta=example.iloc[:0], verify_meta=False)
    from dask import array

    shapes = [(count, *example.shape[1:]) for count in X.chunks[0]]
    parts = zip(values, shapes, strict=True)
    return array.concatenate([array.from_delayed(v, n, example.dtype) for v, n in parts])


def drawn(X: Any, most: int, rng: np.random.Generator) -> tuple[Any, int]:
    """At most ``most`` rows, drawn uniformly and gathered here, and the total number of rows."""
    from dask.delayed import delayed

    X = X if hasattr(X, "to_dask_array") else dask_array(X, lengths=False)
    parts = parts_of(X)
    ends = np.cumsum([0, *_lengths(parts)])
    total = int(ends[-1])
    rows = np.sort(rng.choice(total, min(total, most), replace=False, shuffle=False))
    places = np.split(rows, np.searchsorted(rows, ends[1:-1]))
    pick, firsts = delayed(_safe_indexing), ends[:-1]
    picked = [pick(part, at - n) for part, at, n in zip(parts, places, firsts, strict=True)]
    found = the_cluster().results(picked)
    if isinstance(found[0], np.ndarray):
        return np.concatenate(found), total
    from dask.dataframe.dispatch import concat

    return concat(found), total


class DaskRows:
    """The rows of a Dask array, in partitions of whole rows and known sizes.

    Only ``here()`` and ``rows[index]`` bring rows into this process.
    """

    def __init__(self, array: Any, parts: list[Any] | None = None, n_columns: int | None = None):
        self.array, self.dtype = array, np.dtype(array.dtype)
        counts = np.array(array.chunks[0])
        self._firsts = (np.cumsum(counts) - counts)[counts > 0]
        self._parts = parts or list(compress(array.to_delayed().ravel(), counts))
        self.shape = len(array), array.shape[1] if n_columns is None else n_columns
        self.bytes_held = self.shape[0] * self.shape[1] * self.dtype.itemsize if parts else 0
        self.plain = View(np.zeros(self.shape[1], self.dtype), np.zeros((0, self.shape[1])))
        self._cluster = the_cluster()
        self._sent: tuple[Any, Any] = (None, None)
        self._gathered = b"", np.empty((0, self.shape[1]), self.dtype)

    def here(self) -> Array:
        """All rows, in this process."""
        empty = np.empty((0, self.shape[1]), self.dtype)
        return np.concatenate([empty, *self._cluster.results(self._parts)])

    def held(self, memory: int, features: View | None = None) -> "DaskRows":
        """The rows or features of them, kept by the workers if they fit into ``memory`` bytes."""
        from dask.delayed import delayed

        parts, width = self._parts, self.shape[1]
        if features is not None:
            make = delayed(features.made, pure=False, traverse=False)
            parts, width = [make(part) for part in parts], features.width
        if self.shape[0] * width * self.dtype.itemsize > memory:
            return self
        return DaskRows(self.array, self._cluster.keep(parts), width)

    @property
    def extremes(self) -> Array:
        """The rows with the largest and smallest entries, and the longest rows; rejects NaN."""
        return self.run(tasks.extremes, np.concatenate)

    def variance(self) -> float:
        """Variance of all entries."""
        # Dask's own gives NaN where a chunk is empty.
        (mean,) = self._cluster.results([self.array.mean(dtype=np.float64)])
        return float(self._cluster.results([((self.array - mean) ** 2).mean()])[0])

    @property
    def digest(self) -> str:
        """A hash of all partitions."""
        return self.run(tasks.digest, np.concatenate).tobytes().hex()

    def run(
        self, work: Any, merge: Any, view: View | None = None, only: Array | None = None
    ) -> Array:
        """``work(view, rows, first)`` for each partition and its first index, merged in a tree."""
        tell(0.0)
        view = self.plain if view is None else view
        if self._sent[0] is not view:  # sent once
            self._sent = view, self._cluster.send(view)
        parts = list(zip(self._parts, self._firsts.tolist(), strict=True))
        parts = parts if only is None else [parts[number] for number in only]
        found = self._cluster.merged(work, self._sent[1], parts, merge)
        tell(1.0)
        return found

    def __getitem__(self, index: Array) -> Array:
        """Rows by index, in this process; the latest ones are kept."""
        if self._gathered[0] != index.tobytes():
            wanted, places = np.unique(index, return_inverse=True)
            parts = np.unique(np.searchsorted(self._firsts, wanted, side="right") - 1)
            rows = self.run(partial(tasks.rows_at, wanted), np.concatenate, only=parts)
            self._gathered = index.tobytes(), rows[places]
        return self._gathered[1]
