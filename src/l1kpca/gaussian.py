"""Blocks of the Gaussian kernel matrix of dense rows, with the digits that the rows have."""

from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.extmath import row_norms

from l1kpca._typing import ALL_ROWS, Array, Rows
from l1kpca.threads import spans

if TYPE_CHECKING:
    from l1kpca.kernels import Kernel

_NORM_ROWS = 65_536
_MEDIAN_ROWS = 10_000
_HARMLESS = 1e-9  # a rounding error of an exponent that need not be clipped


class GaussianBlocks:
    r"""Blocks of the Gaussian kernel on dense rows: a matrix product and an exponential in place.

    With :math:`z = \sqrt{2 \gamma} (x - m)` the exponent is
    :math:`z_i^T z_j - |z_i|^2 / 2 - |z_j|^2 / 2`, the product of :math:`(z_i, -|z_i|^2 / 2, 1)` and
    :math:`(z_j, 1, -|z_j|^2 / 2)`.  The kernel does not see the shift m, the median of each column:
    it keeps as many digits as possible, also in single precision, and outliers do not move it.
    Two rows far from m and close to each other, of which this sum would leave no digits, are
    subtracted from each other instead.  The rows z are made block by block: X may be a memory map
    and is never copied whole.
    """

    def __init__(self, X: Array, kernel: "Kernel"):
        self.X = X
        self.kernel = kernel
        self._scale = np.sqrt(2 * kernel.params["gamma"]).astype(X.dtype)
        self._shift = _middle(X)
        self._exponents = np.concatenate(
            [self._exponents_of(X[rows]) for rows in spans(len(X), _NORM_ROWS)]
        )
        self._clips = bool(self._can_overflow(self._exponents))

    def between(self, rows: Rows, columns: Rows) -> Array:
        """K[rows, columns]."""
        X_rows = self.X[rows]
        left = self._augmented(X_rows)
        left[:, -2] = self._exponents[rows]
        return self._evaluate(X_rows, left, columns, self._clips)

    def with_new(self, X_new: Array, columns: Rows = ALL_ROWS) -> Array:
        """k(X_new, X[columns])."""
        with np.errstate(over="ignore"):
            left = self._augmented(X_new)
            exponents = row_norms(left[:, :-2], squared=True) / -2
        if not np.isfinite(exponents).all():
            # So far from every training row that k is zero: any other row as far will do.
            far = np.sqrt(np.finfo(self.X.dtype).max / (64 * left.shape[1]))
            np.clip(left[:, :-2], -far, far, out=left[:, :-2])
            exponents = row_norms(left[:, :-2], squared=True) / -2
        left[:, -2] = exponents
        return self._evaluate(X_new, left, columns, self._clips or self._can_overflow(exponents))

    def diagonal(self) -> Array:
        """diag K."""
        return np.ones(len(self.X), dtype=self.X.dtype)

    def _exponents_of(self, X: Array) -> Array:
        return row_norms((X - self._shift) * self._scale, squared=True) / -2

    def _can_overflow(self, exponents: Array) -> bool:
        """Whether terms are so far below zero that their sum, at most zero, may come out above."""
        largest = -float(exponents.min(initial=0))
        return np.finfo(self.X.dtype).eps * self.X.shape[1] * largest > _HARMLESS

    def _augmented(self, X: Array) -> Array:
        """Rows (z, 1, 1)."""
        n_features = X.shape[1]
        out = np.ones((len(X), n_features + 2), dtype=self.X.dtype)
        np.subtract(X, self._shift, out=out[:, :n_features])
        out[:, :n_features] *= self._scale
        return out

    def _evaluate(self, X_left: Array, left: Array, columns: Rows, clip: bool) -> Array:
        X_right = self.X[columns]
        right = self._augmented(X_right)
        right[:, -1] = self._exponents[columns]
        block = left @ right.T
        if clip:
            self._subtract_far_rows(block, (X_left, left[:, -2]), (X_right, right[:, -1]))
            np.minimum(block, 0, out=block)
        return np.exp(block, out=block)

    def _subtract_far_rows(
        self, block: Array, left: tuple[Array, Array], right: tuple[Array, Array]
    ) -> None:
        """Exponents of rows far from the shift and close to each other, from their differences.

        The terms of an exponent are so large for these that their sum has lost its digits.
        """
        limits = np.finfo(self.X.dtype)
        far = [np.flatnonzero(-exponents > limits.eps ** (-1 / 3)) for _, exponents in (left, right)]
        X_far, exponents = (of[far[1]] for of in right)
        error = 4 * self.X.shape[1] * float(limits.eps)
        for i in far[0] if len(far[1]) else ():
            close = block[i, far[1]] - error * (left[1][i] + exponents) > np.log(limits.tiny)
            differences = (X_far[close] - left[0][i]) * self._scale
            block[i, far[1][close]] = row_norms(differences, squared=True) / -2


def _middle(X: Array) -> Array:
    """The median of each column, of rows at equal steps where there are many."""
    some = X[:: max(1, len(X) // _MEDIAN_ROWS)]
    half = len(some) // 2
    return np.partition(some, half, axis=0)[half]
