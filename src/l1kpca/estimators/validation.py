"""Checks at the door of the estimators; below it, everything is trusted."""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.extmath import row_norms
from sklearn.utils.validation import check_array, validate_data

from l1kpca import loops
from l1kpca.gram.builders import BUILDERS
from l1kpca.kernels import ADDS_DIFFERENCES, GAMMA_RULES, KERNEL_NAMES, Kernel, name_of
from l1kpca.threads import Workers, spans

_ROWS = 512


def check_parameters(estimator: Any) -> None:
    """Refuse values that no fit could use, one clear sentence for each."""
    _check_n_components(estimator.n_components)
    _check_kernel(estimator)
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
    if estimator.fit_inverse_transform and estimator.kernel == "precomputed":
        raise ValueError(
            "fit_inverse_transform=True needs the rows themselves, which kernel='precomputed' does"
            " not have: pass the rows and the kernel instead"
        )


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
    if isinstance(gamma, str):
        if gamma not in GAMMA_RULES:
            raise ValueError(
                f"gamma={gamma!r} must be a number, None or one of {list(GAMMA_RULES)}"
            )
    elif gamma is not None:
        check_number("gamma", gamma, at_least=0)


def check_number(name: str, value: Any, at_least: float) -> None:
    """Refuse anything but a finite number that is large enough."""
    if not isinstance(value, Real) or not np.isfinite(float(value)):
        raise ValueError(f"{name}={value!r} must be a finite number")
    if float(value) < at_least:
        raise ValueError(f"{name}={value!r} must be at least {at_least}")


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


def check_rows(estimator: BaseEstimator, X: Any, *, reset: bool) -> Any:
    """X as a finite float array or CSR matrix; at fit also remembers its columns."""
    precomputed = estimator.kernel == "precomputed"
    given = X
    X = validate_data(
        estimator,
        X,
        accept_sparse=False if precomputed else "csr",
        dtype=[np.float64, np.float32] if estimator.dtype is None else np.dtype(estimator.dtype),
        # The pass over a kernel matrix that checks its symmetry also finds NaN and infinity.
        ensure_all_finite=not (precomputed and reset),
        reset=reset,
    )
    if isinstance(given, np.memmap) and np.may_share_memory(X, given):
        return given  # on disk, and perhaps larger than memory: neither copied nor hidden
    if reset and not precomputed and estimator.copy_X:
        X = X.copy()
    return X


def check_scale(X: Any, kernel: Kernel) -> None:
    """Refuse rows for which the numbers on the way to c^T K c would overflow."""
    if callable(kernel.function):
        return
    with np.errstate(over="ignore", invalid="ignore"):
        largest = float(np.abs(kernel.diagonal(X)).max()) * X.shape[0] ** 2
        if kernel.function not in ADDS_DIFFERENCES:
            largest = max(largest, 4 * float(row_norms(X, squared=True).max()))
    _check_overflow(largest, X.dtype, f"kernel={name_of(kernel.function)}")


def _check_overflow(largest: float, dtype: Any, what: str) -> None:
    if not largest < np.finfo(dtype).max:
        raise ValueError(
            f"X is too large for {what} in {dtype}: sums of kernel values overflow; scale the"
            " columns, for example with sklearn.preprocessing.StandardScaler"
        )


def check_kernel_matrix(K: np.ndarray, workers: Workers) -> np.ndarray:
    """K, if it is square, finite and symmetric; in row-major order, copied only if it was not."""
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f"X of shape {K.shape} must be square when kernel='precomputed': pass the kernel"
            " between all training rows"
        )
    if K.flags.f_contiguous:
        K = K.T
    K = np.ascontiguousarray(K)
    pieces = [(K, span.start, span.stop) for span in spans(len(K), _ROWS)]
    difference, size = np.sum(workers.run(loops.asymmetry, pieces, cost=K.size), axis=0)
    if not (np.isfinite(difference) and np.isfinite(size)):
        check_array(K, input_name="X", estimator="kernel='precomputed'")
        largest = np.abs(K).max()
        _check_overflow(float(largest) * K.size, K.dtype, "kernel='precomputed'")
        difference, size = np.sum(((K - K.T) / largest) ** 2), np.sum((K / largest) ** 2)
    if difference > np.finfo(K.dtype).eps * size:
        raise ValueError(
            "X must be symmetric when kernel='precomputed', but entries differ from their mirror"
            f" image by up to {np.abs(K - K.T).max():.3g}: pass (K + K.T) / 2 if that is noise"
        )
    return K
