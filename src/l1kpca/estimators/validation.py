"""Checks at the door of the estimators; below it, everything is trusted."""

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, validate_data

from l1kpca import loops
from l1kpca.estimators.scale import overflow_is_checked, refuse_overflow, refuse_underflow
from l1kpca.gamma_rules import GAMMA_RULES
from l1kpca.gram.builders import BUILDERS
from l1kpca.kernels import KERNEL_NAMES, NONNEGATIVE, Kernel, name_of
from l1kpca.threads import Workers, spans

_PIECES = 8
_PROBED_ROWS = 12
_LOST_SQUARES = float(np.finfo(np.float64).tiny) / float(np.finfo(np.float64).eps)
"""A sum of squares up to this size has lost digits to underflow."""


def check_parameters(estimator: Any) -> None:
    """Refuse values that no fit could use, one clear sentence for each."""
    _check_n_components(estimator.n_components)
    _check_kernel(estimator)
    _check_switches(estimator)
    check_number("alpha", estimator.alpha, at_least=0)
    check_number("degree", estimator.degree, at_least=0)
    check_number("coef0", estimator.coef0, at_least=-np.inf)
    if estimator.max_iter is not None:
        check_count("max_iter", estimator.max_iter)
    if not isinstance(estimator.center, bool | np.bool_) and not _is_one_of(
        estimator.center, ("median",)
    ):
        raise ValueError(f"center={estimator.center!r} must be True, False or 'median'")
    names = ["auto", *BUILDERS]
    if not hasattr(estimator.gram, "build") and not _is_one_of(estimator.gram, names):
        raise ValueError(
            f"gram={estimator.gram!r} must be one of {names}, or a Gram builder object"
        )
    if estimator.n_jobs is not None and (not _is_int(estimator.n_jobs) or estimator.n_jobs == 0):
        raise ValueError(f"n_jobs={estimator.n_jobs!r} must be None or an integer other than 0")
    if estimator.dtype is not None and not _is_precision(estimator.dtype):
        raise ValueError(f"dtype={estimator.dtype!r} must be None, 'float32' or 'float64'")
    _check_way_back(estimator)


def _check_way_back(estimator: Any) -> None:
    if not estimator.fit_inverse_transform or not isinstance(estimator.kernel, str):
        return
    if estimator.kernel == "precomputed":
        raise ValueError(
            "fit_inverse_transform=True needs the rows themselves, which kernel='precomputed' does"
            " not have: pass the rows and the kernel instead"
        )
    if estimator.kernel in NONNEGATIVE:
        raise ValueError(
            f"fit_inverse_transform=True cannot be used with kernel={estimator.kernel!r}, which"
            " takes no negative numbers, and scores are negative: use another kernel"
        )


def _check_switches(estimator: Any) -> None:
    for name in ("fit_inverse_transform", "copy_X"):
        value = getattr(estimator, name)
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"{name}={value!r} must be True or False")
    if not isinstance(estimator.verbose, Integral) or estimator.verbose < 0:
        raise ValueError(f"verbose={estimator.verbose!r} must be 0 or a positive integer")


def check_count(name: str, value: Any, at_least: int = 1) -> None:
    """Refuse anything but an integer that is large enough."""
    if not _is_int(value) or value < at_least:
        raise ValueError(f"{name}={value!r} must be an integer of at least {at_least}")


def _check_n_components(value: Any) -> None:
    if value is None or (_is_int(value) and value >= 1):
        return
    if isinstance(value, Real) and not isinstance(value, Integral) and 0 < float(value) < 1:
        return
    raise ValueError(
        f"n_components={value!r} must be an integer of at least 1, a share of the variance between"
        " 0 and 1, or None for all"
    )


def _check_kernel(estimator: Any) -> None:
    kernel, gamma = estimator.kernel, estimator.gamma
    names = [*KERNEL_NAMES, "precomputed"]
    if not callable(kernel) and not _is_one_of(kernel, names):
        raise ValueError(f"kernel={kernel!r} must be one of {names}, or a function of two rows")
    given = estimator.kernel_params
    if given is not None and not isinstance(given, Mapping):
        raise ValueError(
            f"kernel_params={given!r} must be a dict of keyword arguments of the kernel, or None"
        )
    if isinstance(gamma, str):
        if gamma not in GAMMA_RULES:
            raise ValueError(
                f"gamma={gamma!r} must be a number, None or one of {list(GAMMA_RULES)}"
            )
    elif gamma is not None:
        check_number("gamma", gamma, at_least=0)


def check_number(name: str, value: Any, at_least: float) -> None:
    """Refuse anything but a finite number that is large enough."""
    if not isinstance(value, Real) or not _is_finite(value):
        raise ValueError(f"{name}={value!r} must be a finite number")
    if float(value) < at_least:
        raise ValueError(f"{name}={value!r} must be at least {at_least}")


def _is_finite(value: Real) -> bool:
    try:
        return bool(np.isfinite(float(value)))
    except OverflowError:  # an integer beyond every float
        return False


def _is_int(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_one_of(value: Any, names: Sequence[str]) -> bool:
    """Whether it is one of the names; an array, which compares entry by entry, is not."""
    return isinstance(value, str) and value in names


def _is_precision(dtype: Any) -> bool:
    try:
        return np.dtype(dtype).name in ("float32", "float64")
    except TypeError:
        return False


def refuse_dates(X: Any) -> None:
    """Refuse arrays of dates and durations, which NumPy would take for counts of something."""
    dtype = getattr(X, "dtype", None)
    if getattr(dtype, "kind", "f") in "mM":
        raise ValueError(
            f"X holds dates or durations ({dtype}): give numbers, for example days since a date"
        )


def check_rows(estimator: BaseEstimator, X: Any, *, reset: bool) -> Any:
    """X as a finite float array or CSR matrix; at fit also remembers its columns."""
    refuse_dates(X)
    precomputed = estimator.kernel == "precomputed"
    given = X
    asked = estimator.dtype
    precisions = [np.float64, np.float32] if asked is None else np.dtype(asked)
    with overflow_is_checked():  # scikit-learn sums all entries to see whether they are finite
        X = validate_data(
            estimator,
            X,
            accept_sparse=False if precomputed else "csr",
            dtype=precisions,
            # The pass over a kernel matrix that checks its symmetry also finds NaN and infinity.
            ensure_all_finite=not (precomputed and reset),
            reset=reset,
        )
    if isinstance(given, np.memmap) and np.may_share_memory(X, given):
        return given  # on disk, and perhaps larger than memory: neither copied nor hidden
    if reset and not precomputed and estimator.copy_X:
        X = X.copy()
    if not reset and sparse.issparse(X) and not sparse.issparse(estimator.X_fit_):
        X = X.toarray()  # as the training rows
    return X


def check_kernel_matrix(K: np.ndarray, workers: Workers) -> tuple[np.ndarray, np.ndarray]:
    """K and its row sums, if it is square, finite and symmetric.

    In row-major order, copied only if it was not.
    """
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f"X of shape {K.shape} must be square when kernel='precomputed': pass the kernel"
            " between all training rows"
        )
    if K.flags.f_contiguous:
        K = K.T
    K = np.ascontiguousarray(K)
    difference, size, sums = _asymmetry(K, workers)
    what, advice = "kernel='precomputed'", "divide it by a number"
    refuse_overflow(2 * len(K) * size, K.dtype, what, advice)  # a bound on c^T K c
    if size > 0:
        refuse_underflow(size, K.dtype, what, advice)
    if difference > np.sqrt(np.finfo(K.dtype).eps) * size:
        raise ValueError(
            "X must be symmetric when kernel='precomputed', but entries differ from their mirror"
            f" image by up to {np.abs(K - K.T).max():.3g}: pass (K + K.T) / 2 if that is noise"
        )
    return K, sums


def _asymmetry(K: np.ndarray, workers: Workers) -> tuple[float, float, np.ndarray]:
    """Frobenius norms of K - K^T and of K, and the row sums; NaN and infinity are refused.

    |(K - K^T) v|^2 stands for the first, squared: that is its mean over random signs v, and for a
    single pair of entries that differ it is exact.
    """
    n = len(K)
    v = np.random.default_rng(0).choice(np.array([-1, 1], dtype=K.dtype), n)
    pieces = spans(n, max(1, -(-n // _PIECES)))
    sums, right = np.empty((2, n), dtype=K.dtype)
    left = np.zeros((len(pieces), n), dtype=K.dtype)
    works = [(K, v, s.start, s.stop, sums, right, left[k]) for k, s in enumerate(pieces)]
    with np.errstate(over="ignore", invalid="ignore"):
        size = float(np.sum(workers.run(loops.both_products, works, cost=K.size)))
        difference = float(np.linalg.norm((right - left.sum(axis=0)).astype(np.float64)))
    if np.isfinite(difference) and np.isfinite(size) and size > _LOST_SQUARES:
        return difference, float(np.sqrt(size)), sums
    with overflow_is_checked():
        check_array(K, input_name="X", estimator="kernel='precomputed'")
    unit = float(np.abs(K).max())
    if unit == 0:
        return 0.0, 0.0, sums
    scaled = K / unit
    difference = unit * float(np.linalg.norm(scaled - scaled.T))
    return difference, unit * float(np.linalg.norm(scaled)), sums


def check_kernel_function(kernel: Kernel, X: Any) -> None:
    """Refuse a function that gives k(x, y) and k(y, x) different values, seen on a few rows."""
    if not callable(kernel.function):
        return
    rows = np.unique(np.linspace(0, X.shape[0] - 1, _PROBED_ROWS).astype(int))
    K = kernel(X[rows], X[rows].copy())  # a copy: scikit-learn mirrors k of rows with themselves
    difference = float(np.abs(K - K.T).max())
    if difference > np.sqrt(np.finfo(X.dtype).eps) * float(np.abs(K).max()):
        raise ValueError(
            f"kernel={name_of(kernel.function)} is not symmetric: k(x, y) and k(y, x) differ by up"
            f" to {difference:.3g}; return the same number for both"
        )


def check_seed(random_state: Any) -> np.random.RandomState:
    """The generator of a ``random_state``."""
    try:
        return check_random_state(random_state)
    except ValueError as error:
        raise ValueError(
            f"random_state={random_state!r} must be None, an integer between 0 and 2**32 - 1, or a"
            " numpy.random.RandomState"
        ) from error
