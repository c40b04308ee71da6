"""Blocks of a kernel's Gram matrix, evaluated on demand."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from l1kpca import loops, tuning
from l1kpca._typing import Array
from l1kpca.kernels.kernel import Kernel
from l1kpca.threads import spans

Rows = slice | Array
ALL_ROWS = slice(None)
_HARMLESS = 1e-9  # rounding error of an exponent


class KernelBlocks:
    """A kernel bound to rows; evaluates any block of their Gram matrix with scikit-learn."""

    def __init__(self, X: Any, kernel: Kernel):
        self.X, self.kernel = X, kernel

    def between(self, rows: Rows, columns: Rows) -> Array:
        """K[rows, columns]."""
        return self.with_new(self.X[rows], columns)

    def with_new(self, X_new: Any, columns: Rows = ALL_ROWS, room: Array | None = None) -> Array:
        """k(X_new, X[columns]); it may be written into ``room``, an array of its shape."""
        return self.kernel(X_new, self.X[columns]).astype(self.X.dtype, copy=False)


class GaussianBlocks(KernelBlocks):
    r"""Blocks of the Gaussian kernel on dense rows: a matrix product and an exponential in place.

    With :math:`z = \sqrt{2 \gamma} (x - m)` the exponent is the product of
    :math:`(z_i, -|z_i|^2 / 2, 1)` and :math:`(z_j, 1, -|z_j|^2 / 2)`.  Subtracting the medians m
    does not change the kernel, but preserves digits.  Rows z are computed block by block: X may be
    a memory map and is never copied as a whole.
    """

    def __init__(self, X: Array, kernel: Kernel):
        self.X, self.kernel = X, kernel
        self._scale = np.sqrt(2 * kernel.params["gamma"]).astype(X.dtype)
        self._shift = middle(X)
        self._exponents = np.empty(len(X), dtype=X.dtype)
        for rows in spans(len(X), tuning.ROW_SPAN):
            z = (X[rows] - self._shift) * self._scale
            self._exponents[rows] = row_norms(z, squared=True) / -2
        self._clips = bool(self._can_overflow(self._exponents))

    def between(self, rows: Rows, columns: Rows) -> Array:
        """K[rows, columns]."""
        X_left = self.X[rows]
        left = self._augmented(X_left, -2, self._exponents[rows])
        return self._evaluate(X_left, left, columns, self._clips)

    def with_new(self, X_new: Array, columns: Rows = ALL_ROWS, room: Array | None = None) -> Array:
        """k(X_new, X[columns]), in ``room`` if there is one."""
        with np.errstate(over="ignore"):
            left = self._augmented(X_new, -2, 1)
            exponents = row_norms(left[:, :-2], squared=True) / -2
        if not np.isfinite(exponents).all():
            # So far from every training row that k is zero, as it is for any other far row.
            far = np.sqrt(np.finfo(self.X.dtype).max / (64 * left.shape[1]))
            np.clip(left[:, :-2], -far, far, out=left[:, :-2])
            exponents = row_norms(left[:, :-2], squared=True) / -2
        left[:, -2] = exponents
        clips = self._clips or self._can_overflow(exponents)
        return self._evaluate(X_new, left, columns, clips, room)

    def _can_overflow(self, exponents: Array) -> bool:
        """Whether terms are so large that their sum, which is at most zero, may come out above."""
        largest = -float(exponents.min(initial=0))
        return np.finfo(self.X.dtype).eps * self.X.shape[1] * largest > _HARMLESS

    def _augmented(self, X: Array, place: int, exponents: Any) -> Array:
        """Rows (z, 1, 1), with the exponents in ``place`` of a one."""
        n_features = X.shape[1]
        out = np.ones((len(X), n_features + 2), dtype=self.X.dtype)
        np.subtract(X, self._shift, out=out[:, :n_features])
        out[:, :n_features] *= self._scale
        out[:, place] = exponents
        return out

    def _evaluate(
        self, X_left: Array, left: Array, columns: Rows, clips: bool, room: Array | None = None
    ) -> Array:
        X_right, exponents = self.X[columns], self._exponents[columns]
        block = np.matmul(left, self._augmented(X_right, -1, exponents).T, out=room)
        if clips:
            self._subtract_far_rows(block, (X_left, left[:, -2]), (X_right, exponents))
            np.minimum(block, 0, out=block)
        if block.dtype != np.float64:
            return np.exp(block, out=block)
        loops.exponentials(block.reshape(-1))
        return block

    def _subtract_far_rows(
        self, block: Array, left: tuple[Array, Array], right: tuple[Array, Array]
    ) -> None:
        """Correct exponents of rows far from zero but close to each other.

        Their sum has lost its digits, so the rows are subtracted from each other instead.  Each
        side holds rows x and their -|z|^2 / 2.
        """
        limits = np.finfo(block.dtype)
        rows, columns = (np.flatnonzero(-e > limits.eps ** (-1 / 3)) for _, e in (left, right))
        if not len(columns):
            return
        X_far, exponents = (of[columns] for of in right)
        error = 4 * X_far.shape[1] * float(limits.eps)
        for i in rows:
            close = block[i, columns] - error * (left[1][i] + exponents) > np.log(limits.tiny)
            differences = (X_far[close] - left[0][i]) * self._scale
            block[i, columns[close]] = row_norms(differences, squared=True) / -2


def kernel_blocks(X: Any, kernel: Kernel) -> KernelBlocks:
    """The fastest way to evaluate ``kernel`` on the rows of ``X``."""
    if kernel.function == "rbf" and not sparse.issparse(X):
        return GaussianBlocks(X, kernel)
    return KernelBlocks(X, kernel)


def middle(X: Array) -> Array:
    """The median of each column, over evenly spaced rows if there are many."""
    some = X[:: max(1, len(X) // tuning.MEDIAN_ROWS)]
    half = len(some) // 2
    return np.partition(some, half, axis=0)[half]
