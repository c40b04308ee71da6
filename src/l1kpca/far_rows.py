"""Distances of rows that lie far out: what keeps their digits, and those of the others."""

import numpy as np
from sklearn.utils.extmath import row_norms

from l1kpca._typing import Array

_MEDIAN_ROWS = 1000


def middle(X: Array) -> Array:
    """The median of each column, of rows at equal steps where there are many.

    Rows shifted by it are small but for outliers, which a mean would follow.
    """
    some = X[:: max(1, len(X) // _MEDIAN_ROWS)]
    half = len(some) // 2
    return np.partition(some, half, axis=0)[half]


def subtract_far_rows(
    block: Array, left: tuple[Array, Array], right: tuple[Array, Array], scale: float
) -> None:
    r"""Correct the exponents in ``block`` of rows far from zero and close to each other, in place.

    An exponent :math:`-|z_i - z_j|^2 / 2` that was summed from :math:`z_i^T z_j` and the two
    :math:`-|z|^2 / 2` has lost its digits where these are large and it is not.  There the rows are
    subtracted from each other.

    Parameters
    ----------
    block : ndarray of shape (m, n)
        The sums.
    left, right : pairs of ndarrays of shapes (m, d) and (m,), (n, d) and (n,)
        Rows x, and -|z|^2 / 2 of each; z is x, shifted and times ``scale``.
    scale : float
    """
    limits = np.finfo(block.dtype)
    rows, columns = (np.flatnonzero(-e > limits.eps ** (-1 / 3)) for _, e in (left, right))
    if not len(columns):
        return
    X_far, exponents = (of[columns] for of in right)
    error = 4 * X_far.shape[1] * float(limits.eps)
    for i in rows:
        close = block[i, columns] - error * (left[1][i] + exponents) > np.log(limits.tiny)
        differences = (X_far[close] - left[0][i]) * scale
        block[i, columns[close]] = row_norms(differences, squared=True) / -2
