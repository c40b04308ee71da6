"""Which columns make a row abnormal."""

from collections.abc import Callable

import numpy as np

from l1kpca._typing import Array
from l1kpca.threads import spans

_STEPS = 8
_BATCH_ROWS = 20_000
_BATCH_VALUES = 4_000_000


def contributions(
    abnormality: Callable[[Array], Array], X: Array, reference: Array, used: Array
) -> Array:
    """Split the abnormality of each row among its columns, exactly.

    The abnormality is followed along the straight line from the ``reference`` row to the row, in
    eight steps.  In each step the columns move one after the other, forward in one step and
    backward in the next; a column's contribution is the sum of the changes while it moved.  The
    changes telescope, so whatever the kernel, the contributions of a row add up to its abnormality
    minus that of the reference; the latter is shared out equally among the columns that are used.
    The holes of a row are holes of its reference, too, and contribute nothing.
    """
    columns = np.flatnonzero(used)
    out = np.zeros(X.shape, dtype=np.float64)
    if not columns.size:
        return out
    places = max(1, min(_BATCH_ROWS, _BATCH_VALUES // X.shape[1]))
    rows_at_once = max(1, places // (_STEPS * len(columns)))
    for rows in spans(len(X), rows_at_once):
        out[rows] = _along_the_line(abnormality, X[rows], reference, columns, places)
    return out


def _along_the_line(
    abnormality: Callable[[Array], Array],
    X: Array,
    reference: Array,
    columns: Array,
    places: int,
) -> Array:
    """Changes of the abnormality; at most ``places`` rows on the way are held at once."""
    turns = [columns if step % 2 else columns[::-1] for step in range(1, _STEPS + 1)]
    moved = np.concatenate(turns)
    share = np.repeat(np.arange(1, _STEPS + 1) / _STEPS, len(columns))
    moving = np.isin(np.arange(X.shape[1]), columns) & ~np.isnan(X)
    here = np.where(moving, reference, X)
    before = abnormality(here)
    # A row without a cell has to put its abnormality somewhere.
    shared = np.where(moving.any(axis=1, keepdims=True), moving, True)
    out = before[:, np.newaxis] * shared / shared.sum(axis=1, keepdims=True)
    for moves in spans(len(moved), max(1, places // len(X))):
        path = np.empty((moves.stop - moves.start, *X.shape), dtype=X.dtype)
        for place, column, s in zip(path, moved[moves], share[moves], strict=True):
            here[:, column] = (1 - s) * reference[column] + s * X[:, column]
            place[:] = here
        values = abnormality(path.reshape(-1, X.shape[1])).reshape(len(path), len(X))
        changes = np.diff(values, axis=0, prepend=before[np.newaxis])
        for column, change in zip(moved[moves], changes, strict=True):
            out[:, column] += change
        before = values[-1]
    return out
