"""Kernel functions k(x, y): their parameters, and fast evaluation on blocks of rows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Protocol

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import (
    PAIRWISE_KERNEL_FUNCTIONS,
    pairwise_kernels,
)
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from l1kpca._typing import Array
from l1kpca.far_rows import middle, subtract_far_rows
from l1kpca.threads import spans

Rows = slice | Array
ALL_ROWS = slice(None)

_PARAMETERS = {
    "poly": ("gamma", "degree", "coef0"),
    "polynomial": ("gamma", "degree", "coef0"),
    "rbf": ("gamma",),
    "laplacian": ("gamma",),
    "sigmoid": ("gamma", "coef0"),
    "chi2": ("gamma",),
}
_INDEFINITE = ("sigmoid",)
_NEGATIVE_DISTANCES = ("additive_chi2",)
NONNEGATIVE = ("chi2", "additive_chi2")
"""Kernels of rows without negative numbers."""
SQUARES_NOTHING = ("laplacian", "cosine", *NONNEGATIVE)
"""Kernels that take rows of any size: they form no product of rows that are not unit rows."""
_NORM_ROWS = 65_536
_HARMLESS = 1e-9  # a rounding error of an exponent that need not be clipped
KERNEL_NAMES = tuple(sorted(PAIRWISE_KERNEL_FUNCTIONS))


@dataclass(frozen=True)
class Kernel:
    """A kernel function with its parameters.

    Parameters
    ----------
    function : str or callable
        A name known to scikit-learn's `pairwise_kernels`, or a function of two rows.
    params : mapping
        Keyword arguments of the function.

    Examples
    --------
    >>> import numpy as np
    >>> Kernel("rbf", {"gamma": 0.5})(np.array([[0.0], [2.0]]), np.array([[0.0]])).round(3)
    array([[1.   ],
           [0.135]])
    """

    function: str | Callable[..., float]
    params: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, X: Any, Y: Any) -> Array:
        """Evaluate k on all pairs of rows."""
        # A power of a negative number, or an overflow: said below, in words.
        with np.errstate(invalid="ignore", over="ignore"):
            K = self._pairwise(X, Y)
        if not self.is_positive and not np.isfinite(K).all():
            raise ValueError(
                f"kernel={name_of(self.function)} returned NaN or infinity; a kernel must return a"
                " finite number for every pair of rows: check the function and the scale of X"
            )
        return K

    def _pairwise(self, X: Any, Y: Any) -> Array:
        if self.function == "cosine":
            # scikit-learn takes rows shorter than 10 eps for zero.
            return safe_sparse_dot(unit_rows(X), unit_rows(Y).T, dense_output=True)
        metric = one_number_of(self.function) if callable(self.function) else self.function
        return pairwise_kernels(X, Y, metric=metric, **self.params)

    @property
    def is_positive(self) -> bool:
        """Whether every Gram matrix of this kernel is known to be positive semidefinite."""
        if callable(self.function):
            return False
        if self.function in ("poly", "polynomial"):
            return (
                self.params.get("coef0", 1) >= 0
                and float(self.params.get("degree", 3)).is_integer()
            )
        return self.function not in _INDEFINITE + _NEGATIVE_DISTANCES

    def diagonal(self, X: Any) -> Array:
        """k(x, x) for each row, without forming the pairs."""
        if self.function in ("rbf", "laplacian", "chi2"):
            return np.ones(X.shape[0], dtype=X.dtype)
        if self.function == "additive_chi2":
            return np.zeros(X.shape[0], dtype=X.dtype)
        if self.function == "cosine":
            return (_largest_of_rows(X) > 0).astype(X.dtype)
        squares = row_norms(X, squared=True)
        if self.function == "linear":
            return squares
        if self.function in ("poly", "polynomial", "sigmoid"):
            inner = self._gamma(X) * squares + self.params.get("coef0", 1)
            return (
                np.tanh(inner)
                if self.function == "sigmoid"
                else inner ** self.params.get("degree", 3)
            )
        return np.array([self(X[i : i + 1], X[i : i + 1])[0, 0] for i in range(X.shape[0])])

    def _gamma(self, X: Any) -> float:
        gamma = self.params.get("gamma")
        return 1.0 / X.shape[1] if gamma is None else gamma


def name_of(function: str | Callable[..., Any]) -> str:
    """The name under which a kernel is shown to a user."""
    return (
        repr(function) if isinstance(function, str) else getattr(function, "__name__", "callable")
    )


def one_number_of(function: Callable[..., Any]) -> Callable[..., float]:
    """The function, which raises an error where it returns anything but one real number."""

    def checked(x: Any, y: Any, **params: Any) -> float:
        value = function(x, y, **params)
        if isinstance(value, np.ndarray) and value.size == 1:
            value = value.item()
        if not isinstance(value, Real | np.bool_):
            kind = f"shape {value.shape}" if isinstance(value, np.ndarray) else repr(value)
            raise ValueError(
                f"kernel={name_of(function)} returned {kind} for two rows; a kernel must return one"
                " real number for every pair of rows"
            )
        return float(value)

    return checked


def unit_rows(X: Any) -> Any:
    """Rows at length one, rows of zeros as they are; no square overflows or vanishes."""
    for length in (_largest_of_rows, row_norms):
        lengths = length(X)
        lengths = np.where(lengths > 0, lengths, 1).astype(X.dtype, copy=False)
        if sparse.issparse(X):
            X = X.copy()
            X.data /= np.repeat(lengths, np.diff(X.indptr))
        else:
            X = np.ascontiguousarray(X / lengths[:, np.newaxis])  # sums in one order
    return X


def _largest_of_rows(X: Any) -> Array:
    """The largest entry of each row, in absolute value."""
    if sparse.issparse(X):
        return abs(X).max(axis=1).toarray().ravel()
    return np.maximum(X.max(axis=1), -X.min(axis=1))


def make_kernel(function: Any, given: Mapping[str, Any], extra: Mapping[str, Any] | None) -> Kernel:
    """A kernel with those of the ``given`` parameters that it takes.

    Callables take ``extra`` (``kernel_params``) instead, as in scikit-learn's ``KernelPCA``.
    """
    if callable(function):
        return Kernel(function, dict(extra or {}))
    return Kernel(function, {name: given[name] for name in _PARAMETERS.get(function, ())})


class KernelBlocks(Protocol):
    """A kernel bound to training rows: gives any block of their Gram matrix."""

    @property
    def X(self) -> Any:
        """The rows."""

    @property
    def kernel(self) -> Kernel:
        """The kernel."""

    def between(self, rows: Rows, columns: Rows) -> Array:
        """K[rows, columns]."""

    def with_new(self, X_new: Any, columns: Rows = ALL_ROWS) -> Array:
        """k(X_new, X[columns])."""

    def diagonal(self) -> Array:
        """diag K."""


@dataclass(frozen=True)
class PairwiseBlocks:
    """Blocks of any kernel, by scikit-learn's `pairwise_kernels`."""

    X: Any
    kernel: Kernel

    def between(self, rows: Rows, columns: Rows) -> Array:
        """K[rows, columns]."""
        return self.kernel(self.X[rows], self.X[columns]).astype(self.X.dtype, copy=False)

    def with_new(self, X_new: Any, columns: Rows = ALL_ROWS) -> Array:
        """k(X_new, X[columns])."""
        return self.kernel(X_new, self.X[columns]).astype(self.X.dtype, copy=False)

    def diagonal(self) -> Array:
        """diag K."""
        return np.asarray(self.kernel.diagonal(self.X), dtype=self.X.dtype)


class GaussianBlocks:
    r"""Blocks of the Gaussian kernel on dense rows: a matrix product and an exponential in place.

    With :math:`z = \sqrt{2 \gamma} (x - m)` the exponent is
    :math:`z_i^T z_j - |z_i|^2 / 2 - |z_j|^2 / 2`, the product of :math:`(z_i, -|z_i|^2 / 2, 1)` and
    :math:`(z_j, 1, -|z_j|^2 / 2)`.  The shift to the medians, which the kernel does not see, keeps
    as many digits as possible, also in single precision.  These rows are made block by block: X may
    be a memory map and is never copied whole.
    """

    def __init__(self, X: Array, kernel: Kernel):
        self.X = X
        self.kernel = kernel
        self._scale = np.sqrt(2 * kernel.params["gamma"]).astype(X.dtype)
        self._shift = middle(X)
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
            ends = (X_left, left[:, -2]), (X_right, right[:, -1])
            subtract_far_rows(block, *ends, self._scale)
            np.minimum(block, 0, out=block)
        return np.exp(block, out=block)


def kernel_blocks(X: Any, kernel: Kernel) -> KernelBlocks:
    """The fastest way to evaluate ``kernel`` on the rows of ``X``."""
    if kernel.function == "rbf" and not sparse.issparse(X):
        return GaussianBlocks(X, kernel)
    return PairwiseBlocks(X, kernel)
