"""From a rule for the coefficient of a kernel, and rows, to a number."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances

from l1kpca.threads import spans

GAMMA_RULES = ("paper", "median", "scale")
_MEDIAN_ROWS = 1000
_SPAN = 65_536


def resolve_gamma(gamma: float | str | None, X: Any) -> float:
    r"""Turn a rule for the kernel coefficient into a number.

    ``None`` is :math:`1/d`; ``"paper"`` is :math:`1/(2 d^2)`, the Gaussian of width :math:`d`;
    ``"scale"`` is :math:`1/(d \operatorname{var} X)`; ``"median"`` is :math:`1/(2 m^2)` with
    :math:`m` the median distance between rows (over at most 1000 evenly spaced rows).
    """
    n_features = X.shape[1]
    if gamma is None:
        return 1.0 / n_features
    if gamma == "paper":
        return 1.0 / (2.0 * n_features**2)
    if gamma == "scale":
        return _inverse_of_squares(*_variance(X), n_features, X.dtype, gamma)
    if gamma == "median":
        return _inverse_of_squares(*_median_of_squared_distances(X), 2.0, X.dtype, gamma)
    return float(gamma)


def _inverse_of_squares(
    square: float, unit: float, times: float, dtype: np.dtype[Any], rule: str
) -> float:
    """1 / (times square unit^2), or 1 where there is nothing to measure by."""
    if square == 0:
        return 1.0
    limits = np.finfo(dtype)
    spread = times * square * unit * unit  # in this order: inf or 0, but no error
    if not float(limits.tiny) < spread < float(limits.max):
        raise ValueError(
            f"gamma={rule!r} cannot be found in {dtype}: squares of the values of X"
            f" {'vanish' if spread < 1 else 'overflow'}; scale the columns, for example with"
            " sklearn.preprocessing.StandardScaler, or give a number"
        )
    return 1.0 / spread


def _median_of_squared_distances(X: Any) -> tuple[float, float]:
    """Between rows that differ, over at most 1000 evenly spaced rows; and the unit of length."""
    picked = np.unique(np.linspace(0, X.shape[0] - 1, _MEDIAN_ROWS).astype(int))
    rows, unit = _in_units(X[picked])
    if not sparse.issparse(rows):
        rows -= rows[0]
    squares = euclidean_distances(rows, squared=True)[np.triu_indices(len(picked), 1)]
    rounding = 16 * np.finfo(X.dtype).eps * squares.max(initial=0)
    squares = squares[squares > rounding]
    return (float(np.median(squares)) if squares.size else 0.0), unit


def _variance(X: Any) -> tuple[float, float]:
    """Variance of all entries, without a copy of X; and the unit of length."""
    size = X.shape[0] * X.shape[1]
    unit = _unit(X)
    if sparse.issparse(X):
        values = X.data / unit
        mean = values.sum(dtype=np.float64) / size
        squares = np.sum((values - mean) ** 2) + (size - X.nnz) * mean**2
    else:
        parts = spans(len(X), _SPAN)
        mean = sum((X[rows] / unit).sum(dtype=np.float64) for rows in parts) / size
        squares = sum(np.sum((X[rows] / unit - mean) ** 2) for rows in parts)
    rounding = (16 * np.finfo(np.float64).eps * mean) ** 2  # of the mean itself
    return (float(squares / size) if squares > size * rounding else 0.0), unit


def _unit(X: Any) -> float:
    """A power of two near the largest entry of X: dividing by it costs no digit."""
    largest = max(float(X.max()), -float(X.min()))
    return float(np.ldexp(1.0, int(np.frexp(largest)[1]) - 1)) if largest > 0 else 1.0


def _in_units(X: Any) -> tuple[Any, float]:
    unit = _unit(X)
    return X / unit, unit
