"""How K is cut for a cluster, and what a worker does with a block: arrays in, arrays out."""

from collections.abc import Callable, Iterator
from functools import partial, reduce
from math import ceil, sqrt
from typing import Any

import numpy as np

from l1kpca import loops, tuning
from l1kpca._typing import Array
from l1kpca.gram.base import LowRank
from l1kpca.gram.projection import Projection
from l1kpca.kernels import Kernel, kernel_blocks
from l1kpca.threads import computing, spans

_BLOCKS_PER_THREAD = 4
_KEPT_SIDE = 5000  # rows of a block that is kept: 200 MB

Tiles = Callable[..., Iterator[tuple[slice, slice, Array]]]
"""From what is known of a block of K to its tiles, each with its rows and columns."""


def group_rows(n_samples: int, keep: bool, n_threads: int) -> int:
    """Rows of a group: small enough for a few blocks per thread, and for a block to be kept."""
    count = ceil(sqrt(2 * _BLOCKS_PER_THREAD * n_threads))
    if keep:
        count = max(count, ceil(n_samples / _KEPT_SIDE))
    return ceil(n_samples / count)


def received(piece: Any) -> Any:
    """The piece itself: a task that returns it can be repeated."""
    return piece


def computed_tiles(kernel: Kernel, X_a: Array, X_b: Array) -> Iterator[tuple[slice, slice, Array]]:
    """Tiles of k(X_a, X_b), evaluated one by one."""
    blocks = kernel_blocks(X_b, kernel)
    for rows in spans(len(X_a), tuning.TILE_SIDE):
        for columns in spans(len(X_b), tuning.TILE_SIDE):
            yield rows, columns, blocks.with_new(X_a[rows], columns)


def stored_tiles(K: Array) -> Iterator[tuple[slice, slice, Array]]:
    """Tiles of a block that was kept."""
    for rows in spans(K.shape[0], tuning.TILE_SIDE):
        for columns in spans(K.shape[1], tuning.TILE_SIDE):
            yield rows, columns, K[rows, columns]


def stored_block(kernel: Kernel, X_a: Array, X_b: Array) -> Array:
    """k(X_a, X_b), to be kept."""
    K = np.empty((len(X_a), len(X_b)), dtype=X_a.dtype)
    with computing():
        for rows, columns, tile in computed_tiles(kernel, X_a, X_b):
            K[rows, columns] = tile
    return K


def products(
    tiles: Tiles, block: list[Any], on_diagonal: bool, v_a: Array, v_b: Array
) -> tuple[Array, Array]:
    """K_ab v_b, and K_ab^T v_a unless that is the same."""
    left, right = np.zeros_like(v_a), np.zeros_like(v_b)
    with computing():
        for rows, columns, tile in tiles(*block):
            left[rows] += tile @ v_b[columns]
            if not on_diagonal:
                right[columns] += tile.T @ v_a[rows]
    return left, right


def absolute_sums(
    tiles: Tiles, block: list[Any], on_diagonal: bool, low_a: LowRank, low_b: LowRank
) -> tuple[Array, Array]:
    """Row and column sums of |K - L^T R| in a block."""
    left, right = (np.zeros(low[0].shape[1], dtype=low[0].dtype) for low in (low_a, low_b))
    with computing():
        for rows, columns, tile in tiles(*block):
            low = low_a[0][:, rows].T @ low_b[1][:, columns]
            loops.absolute_sums(tile, 0, 0, low, left[rows], right[columns])
    return left, right


def sum_of_sides(lefts: list[tuple[Array, Array]], rights: list[tuple[Array, Array]]) -> Array:
    """The parts of one group, from the blocks to the right of the diagonal and above it."""
    return reduce(np.add, [left for left, _ in lefts] + [right for _, right in rights])


def times_columns(kernel: Kernel, X_a: Array, shared: tuple[Array, Array]) -> Array:
    """K[a, at] @ V from the rows X[at]."""
    X_at, V = shared
    out = np.zeros((len(X_a), *V.shape[1:]), dtype=V.dtype)
    return products(partial(computed_tiles, kernel), [X_a, X_at], True, out, V)[0]


def scores_of(block: Array, projection: Projection, dtype: Any) -> Array:
    """Scores of new rows."""
    block = np.asarray(block, dtype=dtype)
    if not np.isfinite(block).all():
        raise ValueError("X contains NaN or infinity: drop or fill those entries first")
    with computing():
        return projection(block).scores.astype(dtype, copy=False)
