"""Numbers that are too large or too small to be computed with, refused in words."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils.extmath import row_norms

from l1kpca._typing import Array
from l1kpca.kernels import NONNEGATIVE, SQUARES_NOTHING, Kernel, name_of

_ADVICE = "scale the columns, for example with sklearn.preprocessing.StandardScaler"


def check_scale(X: Any, kernel: Kernel) -> None:
    """Refuse rows for which the numbers on the way to c^T K c would overflow or vanish."""
    if callable(kernel.function):
        return
    what = f"kernel={name_of(kernel.function)}"
    with overflow_is_checked():
        diagonal = float(np.abs(kernel.diagonal(X)).max())
    refuse_overflow(diagonal * X.shape[0] ** 2, X.dtype, what)
    if kernel.function in NONNEGATIVE:
        refuse_overflow(2 * float(X.max()), X.dtype, what)  # x + y is a divisor
    if kernel.function in SQUARES_NOTHING:
        return
    norm = float(row_norms(X, squared=True).max())
    refuse_overflow(4 * norm, X.dtype, what)
    if kernel.function == "rbf":
        gamma = kernel.params["gamma"]
        refuse_overflow(8 * gamma * max(norm, 1.0), X.dtype, f"{what} with gamma={gamma:.3g}")
    if _is_lost(diagonal, X.dtype) and max(X.max(), -X.min()) > 0:
        refuse_underflow(diagonal, X.dtype, what)


def check_sums(X: Array) -> None:
    """Refuse rows for which differences and means of a few values would overflow."""
    largest = max(float(X.max()), -float(X.min()))
    if not largest < float(np.finfo(X.dtype).max) / 16:
        raise ValueError(
            f"X has values of up to {largest:.3g}: sums of them overflow in {X.dtype}; divide the"
            " columns by a number"
        )


def refuse_overflow(largest: float, dtype: Any, what: str, advice: str = _ADVICE) -> None:
    """Raise an error if numbers of this size, or twice it, do not exist."""
    if not largest < float(np.finfo(dtype).max):
        raise ValueError(
            f"X is too large for {what} in {dtype}: sums of kernel values overflow; {advice}"
        )


def refuse_underflow(largest: float, dtype: Any, what: str, advice: str = _ADVICE) -> None:
    """Raise an error if numbers of this size have lost their digits."""
    if _is_lost(largest, dtype):
        raise ValueError(f"X is too small for {what} in {dtype}: kernel values vanish; {advice}")


def _is_lost(size: float, dtype: Any) -> bool:
    limits = np.finfo(dtype)
    return size < float(limits.tiny) / float(limits.eps)


@contextmanager
def overflow_is_checked() -> Iterator[None]:
    """No warnings of NumPy inside: whoever enters looks at the results."""
    with np.errstate(over="ignore", invalid="ignore"):
        yield


def check_results(results: Array, kernel: Any) -> Array:
    """The results, unless one of them overflowed."""
    if not np.isfinite(results).all():
        refuse_overflow(np.inf, results.dtype, f"kernel={name_of(kernel)}")
    return results
