"""Dask arrays and data frames at the door: checked, cut into partitions, mapped, drawn from.

dask is imported when a Dask collection is met, so that the core does not need it.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from l1kpca._typing import Array
from l1kpca.gram import block_tasks
from l1kpca.gram.cluster import the_cluster
from l1kpca.gram.projection import Projection


def dask_array(X: Any, dtype: Any = None, lengths: bool = True) -> Any:
    """A Dask array of floats, in chunks of whole rows, from a Dask array or data frame.

    Refuses unknown chunk sizes, unless ``lengths=False``.
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
    """X, or for a Dask data frame an empty one of pandas with the same columns."""
    return X._meta if hasattr(X, "to_dask_array") else X  # noqa: SLF001


def parts_of(X: Any) -> list[Any]:
    """The partitions of a Dask array or data frame, still to be computed."""
    found = X.to_delayed()
    return list(found.ravel() if isinstance(found, np.ndarray) else found)


def _lengths(parts: list[Any]) -> list[int]:
    from dask.delayed import delayed

    return the_cluster().values([delayed(len)(part) for part in parts])


def project_blocks(X: Any, projection: Projection, n_components: int, dtype: Any) -> Any:
    """Scores of the rows of a Dask array, as a Dask array with the same chunks of rows."""
    work = partial(block_tasks.scores_of, dtype=np.dtype(dtype))
    return map_rows(dask_array(X, dtype, lengths=False), work, n_components, projection)


def map_rows(rows: Any, work: Any, width: int, *sent: Any) -> Any:
    """The results of ``work`` on each chunk of rows, as a Dask array with ``width`` columns."""
    from dask.delayed import delayed

    return rows.map_blocks(
        work,
        *(delayed(value, pure=False) for value in sent),
        dtype=rows.dtype,
        chunks=(rows.chunks[0], (width,)),
        meta=np.empty((0, 0), dtype=rows.dtype),
    )


def in_chunks_of(X: Any, scores: Array) -> Any:
    """Scores as a Dask array, with the chunks of the rows X."""
    from dask.array import from_array

    return from_array(scores, chunks=(X.chunks[0], (scores.shape[1],)))


def on_partitions(X: Any, work: Any, *sent: Any) -> list[Any]:
    """``work(part, *sent)`` for each partition, still to be computed; ``sent`` goes out once."""
    from dask.delayed import delayed

    there = [delayed(value, pure=False, traverse=False) for value in sent]
    return [delayed(work)(part, *there) for part in parts_of(X)]


def joined(values: Sequence[Any], X: Any, example: Any) -> Any:
    """One collection from delayed parts like the example, one for each partition of X."""
    if not isinstance(example, np.ndarray):
        from dask import dataframe

        return dataframe.from_delayed(values, meta=example.iloc[:0], verify_meta=False)
    from dask import array

    shapes = [(count, *example.shape[1:]) for count in X.chunks[0]]
    parts = zip(values, shapes, strict=True)
    return array.concatenate([array.from_delayed(v, n, example.dtype) for v, n in parts])


def drawn(X: Any, most: int, rng: np.random.Generator) -> tuple[Any, int]:
    """At most ``most`` rows, drawn uniformly and brought here, and the number of all rows."""
    from dask.delayed import delayed

    X = X if hasattr(X, "to_dask_array") else dask_array(X, lengths=False)
    parts = parts_of(X)
    ends = np.cumsum(_lengths(parts))
    total = int(ends[-1])
    rows = np.sort(rng.choice(total, min(total, most), replace=False, shuffle=False))
    places = np.split(rows, np.searchsorted(rows, ends[:-1]))
    pick, firsts = delayed(_safe_indexing), [0, *ends[:-1]]
    picked = [pick(part, at - n) for part, at, n in zip(parts, places, firsts, strict=True)]
    found = the_cluster().values(picked)
    if isinstance(found[0], np.ndarray):
        return np.concatenate(found), total
    from dask.dataframe.dispatch import concat

    return concat(found), total
