"""Kernel functions k(x, y), their parameters, and rules for their coefficient."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import (
    PAIRWISE_KERNEL_FUNCTIONS,
    euclidean_distances,
    pairwise_kernels,
)
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.threads import spans

_PARAMETERS = {
    "poly": ("gamma", "degree", "coef0"),
    "polynomial": ("gamma", "degree", "coef0"),
    "rbf": ("gamma",),
    "laplacian": ("gamma",),
    "sigmoid": ("gamma", "coef0"),
    "chi2": ("gamma",),
}
NONNEGATIVE = ("chi2", "additive_chi2")  # accept no negative numbers
SQUARES_NOTHING = ("laplacian", "cosine", *NONNEGATIVE)  # accept rows of any size
GAMMA_RULES = ("paper", "median", "narrow", "wide", "scale")
_WIDTHS = {"median": 1.0, "narrow": 1 / 3, "wide": 2.0}  # in median distances between rows
KERNEL_NAMES = tuple(sorted(PAIRWISE_KERNEL_FUNCTIONS))


@dataclass(frozen=True)
class Kernel:
    """A kernel, by its name in scikit-learn or as a function of two rows, and its arguments."""

    function: str | Callable[..., float]
    params: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, X: Any, Y: Any) -> Array:
        """Evaluate k on all pairs of rows."""
        if self.function == "cosine":  # scikit-learn treats rows shorter than 10 eps as zero
            return safe_sparse_dot(unit_rows(X), unit_rows(Y).T, dense_output=True)
        metric = one_number_of(self.function) if callable(self.function) else self.function
        with np.errstate(invalid="ignore", over="ignore"):  # reported below
            K = pairwise_kernels(X, Y, metric=metric, **self.params)
        if not self.is_positive and not np.isfinite(K).all():
            raise ValueError(
                f"kernel={name_of(self.function)} returned NaN or infinity: check the function and"
                " the scale of X"
            )
        return K

    @property
    def is_positive(self) -> bool:
        """Whether every Gram matrix of this kernel is known to be positive semidefinite."""
        if callable(self.function):
            return False
        if self.function in ("poly", "polynomial"):
            degree = float(self.params.get("degree", 3))
            return self.params.get("coef0", 1) >= 0 and degree.is_integer()
        return self.function not in ("sigmoid", "additive_chi2")

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
            gamma = self.params.get("gamma")
            inner = (1.0 / X.shape[1] if gamma is None else gamma) * squares
            inner = inner + self.params.get("coef0", 1)
            sigmoid = self.function == "sigmoid"
            return np.tanh(inner) if sigmoid else inner ** self.params.get("degree", 3)
        return np.array([self(X[i : i + 1], X[i : i + 1])[0, 0] for i in range(X.shape[0])])


def name_of(function: str | Callable[..., Any]) -> str:
    """How messages name a kernel."""
    known = isinstance(function, str)
    return repr(function) if known else getattr(function, "__name__", "callable")


def one_number_of(function: Callable[..., Any]) -> Callable[..., float]:
    """The function, but raising an error unless it returns one real number."""

    def checked(x: Any, y: Any, **params: Any) -> float:
        value = function(x, y, **params)
        if isinstance(value, np.ndarray) and value.size == 1:
            value = value.item()
        if not isinstance(value, Real | np.bool_):
            kind = f"shape {value.shape}" if isinstance(value, np.ndarray) else repr(value)
            raise ValueError(
                f"kernel={name_of(function)} returned {kind} for two rows; return one real number"
                " for each pair"
            )
        return float(value)

    return checked


def unit_rows(X: Any) -> Any:
    """Rows scaled to length one, zero rows unchanged; no square overflows or vanishes."""
    for length in (_largest_of_rows, row_norms):
        lengths = length(X)
        lengths = np.where(lengths > 0, lengths, 1).astype(X.dtype, copy=False)
        if sparse.issparse(X):
            X = X.copy()
            X.data /= np.repeat(lengths, np.diff(X.indptr))
        else:
            X = np.ascontiguousarray(X / lengths[:, np.newaxis])  # fixes the order of sums
    return X


def _largest_of_rows(X: Any) -> Array:
    if sparse.issparse(X):
        return abs(X).max(axis=1).toarray().ravel()
    return np.maximum(X.max(axis=1), -X.min(axis=1))


def make_kernel(function: Any, given: Mapping[str, Any], extra: Mapping[str, Any] | None) -> Kernel:
    """A kernel with the ``given`` parameters that it accepts; callables get ``extra``."""
    if callable(function):
        return Kernel(function, dict(extra or {}))
    return Kernel(function, {name: given[name] for name in _PARAMETERS.get(function, ())})


def resolve_gamma(gamma: float | str | None, X: Any) -> float:
    """Turn a rule for gamma, as listed in `L1KernelPCA`, into a number."""
    n_features = X.shape[1]
    if gamma is None:
        return 1.0 / n_features
    if gamma == "paper":
        return 1.0 / (2.0 * n_features**2)
    if gamma == "scale":
        return _inverse_of_squares(*_variance(X), n_features, X.dtype, gamma)
    if gamma in _WIDTHS:
        times = 2.0 * _WIDTHS[gamma] ** 2
        return _inverse_of_squares(*_median_of_squared_distances(X), times, X.dtype, gamma)
    return float(gamma)


def _inverse_of_squares(
    square: float, unit: float, times: float, dtype: np.dtype[Any], rule: str
) -> float:
    """1 / (times square unit^2), or 1 if the square is zero."""
    if square == 0:
        return 1.0
    limits = np.finfo(dtype)
    spread = times * square * unit * unit  # this order gives inf or 0, never an error
    if not float(limits.tiny) < spread < float(limits.max):
        lost = "vanish" if spread < 1 else "overflow"
        raise ValueError(
            f"gamma={rule!r}: squares of X {lost} in {dtype}; scale the columns, for example with"
            " sklearn.preprocessing.StandardScaler, or give a number"
        )
    return 1.0 / spread


def _median_of_squared_distances(X: Any) -> tuple[float, float]:
    """The median over distinct pairs of at most 1000 evenly spaced rows, and the unit of length."""
    picked = np.unique(np.linspace(0, X.shape[0] - 1, tuning.MEDIAN_ROWS).astype(int))
    rows = X[picked]
    unit = unit_of(rows)
    rows = rows / unit
    if not sparse.issparse(rows):
        rows -= rows[0]
    squares = euclidean_distances(rows, squared=True)[np.triu_indices(len(picked), 1)]
    rounding = 16 * np.finfo(X.dtype).eps * squares.max(initial=0)
    squares = squares[squares > rounding]
    return (float(np.median(squares)) if squares.size else 0.0), unit


def _variance(X: Any) -> tuple[float, float]:
    """Variance of all entries, without copying X, and the unit of length."""
    if hasattr(X, "variance"):  # rows on a cluster
        return X.variance(), 1.0
    size = X.shape[0] * X.shape[1]
    unit = unit_of(X)
    if sparse.issparse(X):
        values = X.data / unit
        mean = values.sum(dtype=np.float64) / size
        squares = np.sum((values - mean) ** 2) + (size - X.nnz) * mean**2
    else:
        parts = spans(len(X), tuning.ROW_SPAN)
        mean = sum((X[rows] / unit).sum(dtype=np.float64) for rows in parts) / size
        squares = sum(np.sum((X[rows] / unit - mean) ** 2) for rows in parts)
    rounding = (16 * np.finfo(np.float64).eps * mean) ** 2  # of the mean itself
    return (float(squares / size) if squares > size * rounding else 0.0), unit


def unit_of(X: Any) -> float:
    """A power of two near the largest entry of X; dividing by it is exact."""
    largest = max(float(X.max()), -float(X.min()))
    return float(np.ldexp(1.0, int(np.frexp(largest)[1]) - 1)) if largest > 0 else 1.0
