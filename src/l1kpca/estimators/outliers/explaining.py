"""Which columns make a row abnormal."""

from collections.abc import Callable

import numpy as np

from l1kpca._typing import Array
from l1kpca.threads import spans

_STEPS = 8
_BATCH = 20_000


def contributions(
    abnormality: Callable[[Array], Array], X: Array, reference: Array, used: Array
) -> Array:
    """Split the abnormality of each row among its columns, exactly.

    The abnormality is followed along the straight line from the ``reference`` row to the row, in
    eight steps.  In each step the columns move one after the other, forward in one step and
    backward in the next; a column's contribution is the sum of the changes while it moved.  The
    changes telescope, so whatever the kernel, the contributions of a row add up to its abnormality
    minus that of the reference; the latter is shared out equally among the columns that are used.
    """
    columns = np.flatnonzero(used)
    out = np.zeros(X.shape, dtype=np.float64)
    if not columns.size:
        return out
    base = float(abnormality(reference[np.newaxis])[0])
    rows_at_once = max(1, _BATCH // (_STEPS * len(columns)))
    for rows in spans(len(X), rows_at_once):
        out[rows] = _along_the_line(abnormality, X[rows], reference, columns, base)
    out[:, columns] += base / len(columns)
    return out


def _along_the_line(
    abnormality: Callable[[Array], Array], X: Array, reference: Array, columns: Array, base: float
) -> Array:
    moves = [
        (step, column)
        for step in range(1, _STEPS + 1)
        for column in (columns if step % 2 else columns[::-1])
    ]
    path = np.empty((len(moves), *X.shape), dtype=X.dtype)
    here = np.where(np.isin(np.arange(X.shape[1]), columns), reference, X)
    for place, (step, column) in enumerate(moves):
        share = step / _STEPS
        here[:, column] = (1 - share) * reference[column] + share * X[:, column]
        path[place] = here
    values = abnormality(path.reshape(-1, X.shape[1])).reshape(len(moves), len(X))
    changes = np.diff(values, axis=0, prepend=base)
    out = np.zeros(X.shape)
    for place, (_, column) in enumerate(moves):
        out[:, column] += changes[place]
    return out
