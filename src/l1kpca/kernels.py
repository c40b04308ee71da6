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

from l1kpca._typing import ALL_ROWS, Array, Rows
from l1kpca.gaussian import GaussianBlocks

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


def kernel_blocks(X: Any, kernel: Kernel) -> KernelBlocks:
    """The fastest way to evaluate ``kernel`` on the rows of ``X``."""
    if kernel.function == "rbf" and not sparse.issparse(X):
        return GaussianBlocks(X, kernel)
    return PairwiseBlocks(X, kernel)
