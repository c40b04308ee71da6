"""Compiled inner loops: arrays in, arrays out, the GIL released.

Each has a plain NumPy twin in the tests.  numba is loaded when a loop is first called, so that
importing the package stays as fast as importing scikit-learn.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from l1kpca._typing import Array

_SQUARE = 256  # side of the squares in which a large matrix is compared with its transpose


def _compiled(plain: Callable[..., Any]) -> Callable[..., Any]:
    """Compile at the first call and keep the result on disk for later processes."""
    machine_code: list[Callable[..., Any]] = []

    @wraps(plain)
    def call(*arguments: Any) -> Any:
        if not machine_code:
            import numba

            machine_code.append(
                numba.njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})(plain)
            )
        return machine_code[0](*arguments)

    return call


@_compiled
def rows_dot(K: Array, v: Array, start: int, stop: int, out: Array) -> None:
    """out[start:stop] = K[start:stop] @ v."""
    for i in range(start, stop):
        total = v[0] * 0
        for j in range(K.shape[1]):
            total += K[i, j] * v[j]
        out[i] = total


@_compiled
def symmetric_dot(K: Array, v: Array, start: int, stop: int, out: Array) -> None:
    """out += (rows start..stop of the upper triangle of K, mirrored) @ v: each entry read once."""
    n = K.shape[0]
    for i in range(start, stop):
        weight = v[i]
        total = K[i, i] * weight
        for j in range(i + 1, n):
            total += K[i, j] * v[j]
            out[j] += K[i, j] * weight
        out[i] += total


@_compiled
def add_weighted_rows(
    rows: Array, index: Array, weights: Array, start: int, stop: int, out: Array
) -> None:
    """out[start:stop] += sum_k weights[k] rows[index[k], start:stop], four rows at a time."""
    k, count = 0, index.shape[0]
    while k + 4 <= count:
        a, b, c, d = index[k], index[k + 1], index[k + 2], index[k + 3]
        wa, wb, wc, wd = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
        for j in range(start, stop):
            out[j] += wa * rows[a, j] + wb * rows[b, j] + wc * rows[c, j] + wd * rows[d, j]
        k += 4
    while k < count:
        a, wa = index[k], weights[k]
        for j in range(start, stop):
            out[j] += wa * rows[a, j]
        k += 1


@_compiled
def absolute_sums(tile: Array, minus: Array, by_row: Array, by_column: Array) -> None:
    """Add the row and column sums of |tile - minus| to by_row and by_column."""
    for i in range(tile.shape[0]):
        total = by_row[0] * 0
        for j in range(tile.shape[1]):
            value = abs(tile[i, j] - minus[i, j])
            total += value
            by_column[j] += value
        by_row[i] += total


@_compiled
def largest_asymmetry(K: Array, start: int, stop: int) -> tuple[float, float]:
    """Largest |K_ij - K_ji| and |K_ij| over rows start..stop; NaN where K has NaN or inf."""
    n = K.shape[0]
    worst, largest, poison = 0.0, 0.0, 0.0
    for top in range(start, stop, _SQUARE):
        for left in range(0, n, _SQUARE):
            for i in range(top, min(top + _SQUARE, stop)):
                for j in range(left, min(left + _SQUARE, n)):
                    worst = max(worst, abs(K[i, j] - K[j, i]))
                    largest = max(largest, abs(K[i, j]))
                    poison += K[i, j] * 0
    return worst + poison, largest + poison
