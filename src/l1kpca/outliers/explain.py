"""Which columns make a row abnormal."""

from collections.abc import Callable

import numpy as np

from l1kpca._typing import Array
from l1kpca.threads import spans
from l1kpca.tuning import EXPLAIN_MOVES

_MOST_STEPS = 8
_BATCH_ROWS = 20_000
_BATCH_VALUES = 4_000_000


def contributions(
    abnormality: Callable[[Array], Array], X: Array, reference: Array, used: Array
) -> Array:
    """Split the abnormality of each row among its columns, exactly.

    The abnormality is followed along the straight line from the ``reference`` row to the row, in
    two to eight steps.  In each step the columns move one after the other, forward in one step and
    backward in the next; a column's contribution is the sum of the changes while it moved.  The
    changes telescope, so whatever the kernel, the contributions of a row add up to its abnormality
    minus that of the reference; the latter is shared out equally among the columns that are used.
    The holes of a row are holes of its reference, too, and contribute nothing.
    """
    columns, out = np.flatnonzero(used), np.zeros(X.shape, dtype=np.float64)
    if not columns.size:
        return out
    steps = 2 * int(np.clip(EXPLAIN_MOVES // (2 * len(columns)), 1, _MOST_STEPS // 2))
    n_moves = steps * len(columns)
    places = max(2, min(_BATCH_ROWS, _BATCH_VALUES // X.shape[1]))
    for rows in spans(len(X), max(1, places // (n_moves + 1))):
        x = X[rows]
        for moves in spans(n_moves, places - 1):
            shares, moved = _path(moves, steps, columns, X.shape[1])
            path = (1 - shares) * reference + shares * x[:, np.newaxis]
            values = abnormality(path.reshape(-1, X.shape[1])).reshape(path.shape[:2])
            np.add.at(out[rows].T, moved, np.diff(values, axis=1).T)
            if moves.start == 0:
                moving = used & ~np.isnan(x)
                # A row without a cell has to put its abnormality somewhere.
                moving = np.where(moving.any(axis=1, keepdims=True), moving, used)
                out[rows] += values[:, :1] * moving / moving.sum(axis=1, keepdims=True)
    return out


def _path(moves: slice, steps: int, columns: Array, n_columns: int) -> tuple[Array, Array]:
    """How far each column is at the places around some moves, and the columns that move."""
    step, done = np.divmod(np.arange(moves.start, moves.stop + 1), len(columns))
    forth = np.arange(len(columns))
    turn = np.where(step[:, np.newaxis] % 2, forth[::-1], forth)
    shares = np.ones((len(step), n_columns))
    shares[:, columns] = (step[:, np.newaxis] + (turn < done[:, np.newaxis])) / steps
    return shares, columns[np.where(step % 2, len(columns) - 1 - done, done)[:-1]]
