"""Checks for several layers: numbers, seeds, memory limits, kernel matrices, size of values."""

import inspect
import math
import os
import re
import warnings
from functools import partial
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.extmath import row_norms
from sklearn.utils.validation import check_array, validate_data

from l1kpca import loops
from l1kpca._typing import Array
from l1kpca.kernels import NONNEGATIVE, SQUARES_NOTHING, Kernel, name_of
from l1kpca.threads import Workers, spans

_PIECES = 8
_LARGEST = float(np.finfo(np.float64).max)
_LOST = float(np.finfo(np.float64).tiny / np.finfo(np.float64).eps)  # smaller squares lost digits
_NOT_THE_USER = ("l1kpca", "sklearn")
_ADVICE = "scale the columns, for example with sklearn.preprocessing.StandardScaler"


def check_scale(X: Any, kernel: Kernel, n_samples: int) -> None:
    """Refuse rows for which c^T K c would overflow or vanish; X has the largest of all rows."""
    if callable(kernel.function):
        return
    what, limits = f"kernel={kernel.function!r}", np.finfo(X.dtype)
    with overflow_is_checked():
        diagonal = float(np.abs(kernel.diagonal(X)).max())
    sizes = [(diagonal * n_samples**2, what)]
    if kernel.function in NONNEGATIVE:
        sizes.append((2 * float(X.max()), what))  # the kernel divides by x + y
    squares = kernel.function not in SQUARES_NOTHING
    norm = float(row_norms(X, squared=True).max()) if squares else 0.0
    sizes.append((4 * norm, what))
    if kernel.function == "rbf":
        gamma = kernel.params["gamma"]
        sizes.append((8 * gamma * max(norm, 1.0), f"{what} with gamma={gamma:.3g}"))
    for size, said in sizes:
        if not size < float(limits.max):
            refuse_overflow(X.dtype, said)
    if squares and diagonal < limits.tiny / limits.eps and max(X.max(), -X.min()) > 0:
        refuse_underflow(X.dtype, what)


def check_sums(X: Array) -> None:
    """Refuse rows for which differences and means of a few values would overflow."""
    largest = max(float(np.fmax.reduce(X, axis=None)), -float(np.fmin.reduce(X, axis=None)))
    if np.isnan(largest):
        raise ValueError("X holds no value, only NaN: pass rows with numbers")
    if not largest < float(np.finfo(X.dtype).max) / 16:
        raise ValueError(
            f"X has values of up to {largest:.3g}: sums overflow in {X.dtype}; divide the columns"
            " by a number"
        )


def refuse_overflow(dtype: Any, what: str, advice: str = _ADVICE) -> None:
    """Refuse numbers whose sums overflow."""
    raise ValueError(
        f"X is too large for {what} in {dtype}: sums of kernel values overflow; {advice}"
    )


def refuse_underflow(dtype: Any, what: str, advice: str = _ADVICE) -> None:
    """Refuse numbers whose squares have lost digits."""
    raise ValueError(f"X is too small for {what} in {dtype}: kernel values vanish; {advice}")


overflow_is_checked = partial(np.errstate, over="ignore", invalid="ignore")
"""Silences NumPy's warnings; the caller checks the results."""


def check_results(results: Array, kernel: Any) -> Array:
    """The results; refuses any that overflowed."""
    if not np.isfinite(results).all():
        refuse_overflow(results.dtype, f"kernel={name_of(kernel)}")
    return results


def check_count(name: str, value: Any, at_least: int = 1) -> None:
    """Refuse anything but an integer that is large enough."""
    if not is_int(value) or value < at_least:
        raise ValueError(f"{name}={value!r} must be an integer of at least {at_least}")


def check_number(name: str, value: Any, at_least: float) -> None:
    """Refuse anything but a finite number that is large enough."""
    # NumPy cannot convert integers larger than every float.
    if not isinstance(value, Real) or not abs(value) <= _LARGEST:  # type: ignore[operator]
        raise ValueError(f"{name}={value!r} must be a finite number")
    if float(value) < at_least:
        raise ValueError(f"{name}={value!r} must be at least {at_least}")


def is_int(value: Any) -> bool:
    """Whether it is an integer, but not a bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_dask(X: Any) -> bool:
    """Whether X is a Dask collection, without importing Dask."""
    return type(X).__module__.partition(".")[0] == "dask"


def validated(estimator: Any, X: Any, **how: Any) -> Any:
    """scikit-learn's ``validate_data``, but dates and durations, which it counts, are refused."""
    dtype = getattr(X, "dtype", None)
    if getattr(dtype, "kind", "f") in "mM":
        raise ValueError(
            f"X holds dates or durations ({dtype}): give numbers, such as days since a date"
        )
    with overflow_is_checked():  # all entries are summed to see that they are finite
        return validate_data(estimator, X, **how)


def check_kernel_matrix(K: np.ndarray, workers: Workers) -> tuple[np.ndarray, np.ndarray]:
    """K in row-major order and its row sums, if it is square, finite and symmetric."""
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f"X of shape {K.shape} must be square when kernel='precomputed': pass the kernel"
            " between all training rows"
        )
    K = np.ascontiguousarray(K.T if K.flags.f_contiguous else K)
    difference, size, sums = _asymmetry(K, workers)
    what, advice = "kernel='precomputed'", "divide it by a number"
    limits = np.finfo(K.dtype)
    if not 2 * len(K) * size < float(limits.max):  # a bound on c^T K c
        refuse_overflow(K.dtype, what, advice)
    if 0 < size < limits.tiny / limits.eps:
        refuse_underflow(K.dtype, what, advice)
    if difference > np.sqrt(limits.eps) * size:
        raise ValueError(
            "X must be symmetric when kernel='precomputed', but entries differ from their mirror"
            f" image by up to {np.abs(K - K.T).max():.3g}: pass (K + K.T) / 2 if that is noise"
        )
    return K, sums


def _asymmetry(K: np.ndarray, workers: Workers) -> tuple[float, float, np.ndarray]:
    """Frobenius norms of K - K^T and of K, and the row sums; refuses NaN and infinity.

    |(K - K^T) v|^2, for random signs v, estimates the square of the first, which is its mean.
    """
    n = len(K)
    v = np.random.default_rng(0).choice(np.array([-1, 1], dtype=K.dtype), n)
    pieces = spans(n, max(1, -(-n // _PIECES)))
    sums, right = np.empty((2, n), dtype=K.dtype)
    left = np.zeros((len(pieces), n), dtype=K.dtype)
    works = [(K, v, s.start, s.stop, sums, right, left[k]) for k, s in enumerate(pieces)]
    with overflow_is_checked():
        size = float(np.sum(workers.run(loops.both_products, works, cost=K.size)))
        difference = float(np.linalg.norm((right - left.sum(axis=0)).astype(np.float64)))
    if np.isfinite(difference) and np.isfinite(size) and size >= _LOST:
        return difference, float(np.sqrt(size)), sums
    with overflow_is_checked():
        check_array(K, input_name="X", estimator="kernel='precomputed'")
    unit = float(np.abs(K).max()) or 1.0
    scaled = K / unit
    difference = unit * float(np.linalg.norm(scaled - scaled.T))
    return difference, unit * float(np.linalg.norm(scaled)), sums


def warn_user(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the innermost frame that is neither ours nor scikit-learn's."""
    depth, frame = 1, inspect.currentframe()
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] not in _NOT_THE_USER:
            break
        depth, frame = depth + 1, frame.f_back
    warnings.warn(text, category, stacklevel=depth)


def check_seed(random_state: Any) -> np.random.RandomState:
    """The generator of a ``random_state``."""
    try:
        return check_random_state(random_state)
    except ValueError as error:
        said = "must be None, an integer between 0 and 2**32 - 1, or a RandomState"
        raise ValueError(f"random_state={random_state!r} {said}") from error


def read_memory_limit(limit: int | float | str | None) -> int:
    """Bytes in ``limit``; None means half of the free memory."""
    if limit is None:
        return free_memory() // 2
    text = str(limit).strip().upper()
    match = re.fullmatch(r"(\d+(?:\.\d+)?(?:E\+?\d+)?)\s*([KMGT]?)(I?)B?", text)
    number = float(match[1]) if match else 0.0
    if match is None or not 0 < number < math.inf:
        raise ValueError(
            f"memory_limit={limit!r} must be a positive number of bytes, a string like '2GB', or"
            " None"
        )
    return int(number * (1024 if match[3] else 1000) ** " KMGT".index(match[2] or " "))


def free_memory() -> int:
    """Bytes available without swapping, within the limit of a container if there is one."""
    candidates = [2 * 10**9]
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        found = re.search(r"MemAvailable:\s+(\d+) kB", meminfo.read_text())
        candidates = [int(found[1]) * 1024] if found else candidates
    elif "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
        candidates = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2]
    allowed, used = Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")
    if allowed.exists() and (text := allowed.read_text().strip()).isdigit():
        candidates.append(int(text) - int(used.read_text()))
    return max(min(candidates), 0)
