"""Kernel functions k(x, y), rules for their coefficient, and their values on blocks of rows."""

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

from l1kpca import loops, tuning
from l1kpca._typing import Array
from l1kpca.threads import spans

NONNEGATIVE = ("chi2", "additive_chi2")  # accept no negative numbers
SQUARES_NOTHING = ("laplacian", "cosine", *NONNEGATIVE)  # accept rows of any size
GAMMA_RULES = ("paper", "median", "narrow", "wide", "scale")
_WIDTHS = {"median": 1.0, "narrow": 1 / 3, "wide": 2.0}  # in median distances between rows
KERNEL_NAMES = tuple(sorted(PAIRWISE_KERNEL_FUNCTIONS))
_HARMLESS = 1e-9  # rounding error of an exponent
Rows = slice | Array
ALL_ROWS = slice(None)


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


def resolve_gamma(gamma: float | str | None, X: Any) -> float:
    """Turn a rule for gamma, as listed in `L1KernelPCA`, into a number."""
    n_features = X.shape[1]
    if gamma is None:
        return 1.0 / n_features
    if gamma == "paper":
        return 1.0 / (2.0 * n_features**2)
    if not isinstance(gamma, str):
        return float(gamma)
    if gamma == "scale":
        (square, unit), times = _variance(X), float(n_features)
    else:
        (square, unit), times = _median_of_squared_distances(X), 2.0 * _WIDTHS[gamma] ** 2
    if square == 0:
        return 1.0
    limits = np.finfo(X.dtype)
    spread = times * square * unit * unit  # this order gives inf or 0, never an error
    if not float(limits.tiny) < spread < float(limits.max):
        lost = "vanish" if spread < 1 else "overflow"
        raise ValueError(
            f"gamma={gamma!r}: squares of X {lost} in {X.dtype}; scale the columns, for example"
            " with sklearn.preprocessing.StandardScaler, or give a number"
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
        some = X[:: max(1, len(X) // tuning.MEDIAN_ROWS)]
        self._shift = np.partition(some, len(some) // 2, axis=0)[len(some) // 2]  # the median
        self._exponents = np.empty(len(X), dtype=X.dtype)
        for rows in spans(len(X), tuning.ROW_SPAN):
            z = (X[rows] - self._shift) * self._scale
            self._exponents[rows] = row_norms(z, squared=True) / -2
        # Terms this large sum up to an exponent that may come out above zero, where none is.
        self._large = -_HARMLESS / (np.finfo(X.dtype).eps * X.shape[1])
        self._clips = bool(self._exponents.min(initial=0) < self._large)

    def between(self, rows: Rows, columns: Rows) -> Array:
        """K[rows, columns]."""
        return self.with_new(self.X[rows], columns, exponents=self._exponents[rows])

    def with_new(
        self,
        X_new: Array,
        columns: Rows = ALL_ROWS,
        room: Array | None = None,
        exponents: Array | None = None,
    ) -> Array:
        """k(X_new, X[columns]), in ``room`` if there is one; the exponents -|z|^2 / 2 if known."""
        with np.errstate(over="ignore"):
            left = self._augmented(X_new, -2, 1)
            if exponents is None:
                exponents = row_norms(left[:, :-2], squared=True) / -2
        if not np.isfinite(exponents).all():
            # So far from every training row that k is zero, as it is for any other far row.
            far = np.sqrt(np.finfo(self.X.dtype).max / (64 * left.shape[1]))
            np.clip(left[:, :-2], -far, far, out=left[:, :-2])
            exponents = row_norms(left[:, :-2], squared=True) / -2
        left[:, -2] = exponents
        X_right, others = self.X[columns], self._exponents[columns]
        block = np.matmul(left, self._augmented(X_right, -1, others).T, out=room)
        if self._clips or exponents.min(initial=0) < self._large:
            self._subtract_far_rows(block, (X_new, exponents), (X_right, others))
            np.minimum(block, 0, out=block)
        if block.dtype != np.float64:
            return np.exp(block, out=block)
        loops.exponentials(block.reshape(-1))
        return block

    def _augmented(self, X: Array, place: int, exponents: Any) -> Array:
        """Rows (z, 1, 1), with the exponents in ``place`` of a one."""
        n_features = X.shape[1]
        out = np.ones((len(X), n_features + 2), dtype=self.X.dtype)
        np.subtract(X, self._shift, out=out[:, :n_features])
        out[:, :n_features] *= self._scale
        out[:, place] = exponents
        return out

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
