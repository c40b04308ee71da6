"""Columns made comparable before any distance is taken; learned once, then frozen."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import stats

from l1kpca._typing import Array
from l1kpca.estimators.advice import warn_user
from l1kpca.outliers.cells import Cells
from l1kpca.threads import spans

MAD_TO_DEVIATION = 1 / stats.norm.ppf(0.75)  # of a normal variable
_TINY = 1e-10
_CURVE_COLUMNS, _CURVE_ROWS, _ALIKE = 30, 500, 0.9
_VALUES = 1_000_000  # of the columns that are looked at at once
_Measure = Callable[[Array], tuple[Array, Array]]


@dataclass(frozen=True, eq=False)
class Columns:
    r"""How columns are scaled: each value to :math:`w z / \sqrt{1 + (z / b)^2}`.

    Here :math:`z = (x - c) / s` with the center c and the spread s of its column.  With the soft
    bound b, one wild entry cannot decide all distances of its row.

    Attributes
    ----------
    used : ndarray of shape (n_features,), bool
        Columns that vary; the others are dropped.
    median : ndarray of shape (n_features,) or None
        The row that ``explain`` compares with; a kernel matrix has none.
    center, spread, weight : ndarray of shape (n_used,) or None
        One number for each column that is used; without them values are left as they are.
    bound : float
        Infinity is no bound.
    cells : Cells or None
        What is expected in a hole; a kernel matrix has none.
    """

    used: Array
    median: Array | None = None
    center: Array | None = None
    spread: Array | None = None
    weight: Array | None = None
    bound: float = np.inf
    cells: Cells | None = None

    def __call__(self, X: Array) -> Array:
        """Scale rows, with holes filled by what is expected there."""
        X = X if self.cells is None else self.cells.fill(X)
        if self.center is None:
            return X
        if not self.used.any():
            return np.zeros((len(X), 1), dtype=X.dtype)
        z = X[:, self.used]
        limit = np.finfo(z.dtype).max
        with np.errstate(over="ignore"):
            z -= self.center
            z /= self.spread
            # Beyond the largest number is as far as any number can be.
            np.clip(z, -limit, limit, out=z)
            if np.isfinite(self.bound):
                z /= np.hypot(1, z / self.bound)
            if self.weight is not None:
                z *= self.weight
                np.clip(z, -limit, limit, out=z)
        return z

    def at_least(self, least: Array) -> "Columns":
        """The same with spreads of at least so much; where that is not 0, the column is used."""
        if self.center is None or self.weight is not None:
            return self
        used = self.used | (least > 0)
        center, spread = np.array([self.median, np.zeros(len(used))])
        center[self.used], spread[self.used] = self.center, self.spread
        return replace(self, used=used, center=center[used], spread=np.maximum(spread, least)[used])


def learn_columns(
    X: Array, center_and_spread: _Measure, bound: float, scaling: str | None
) -> Columns:
    """Find the medians, and center and spread of the columns that vary.

    With ``scaling="common"`` the columns keep their spreads relative to each other: each is bounded
    by its own spread, then all are divided by one, the root of the mean squared spread.
    """
    median, center, spread = measured(X, center_and_spread)
    if scaling is None:
        return Columns(np.ones(X.shape[1], dtype=bool), median)
    used, weight = varying(X), None
    center, spread = center[used], spread[used]
    if scaling == "common" and used.any():
        weight = spread / spread.max()
        weight /= np.sqrt(np.mean(weight**2))
    return Columns(used, median, center, spread, weight, bound)


def measured(X: Array, center_and_spread: _Measure) -> Array:
    """Median, center and spread of each column without its holes; 0 where there is no value."""
    found = np.zeros((3, X.shape[1]), dtype=X.dtype)
    for group in spans(X.shape[1], max(1, _VALUES // len(X))):  # never a copy of all rows
        values = np.ascontiguousarray(X[:, group])  # in any order, sums are rounded alike
        whole = [values]
        if np.isnan(values).any():
            whole = [column[~np.isnan(column), np.newaxis] for column in values.T]
        each = [_in_any_unit(columns, center_and_spread) for columns in whole]
        found[:, group] = np.concatenate(each, axis=1)
    return found


def _in_any_unit(values: Array, center_and_spread: _Measure) -> Array:
    """No square of what has size 1 overflows or vanishes, whatever the unit of a column."""
    if not len(values):
        return np.zeros((3, values.shape[1]))
    median = np.median(values, axis=0)
    deviations = values - median
    largest = np.maximum(deviations.max(axis=0), -deviations.min(axis=0))
    deviations /= np.where(largest > 0, largest, 1)
    center, spread = center_and_spread(deviations)
    return np.stack([median, median + largest * center, spread * largest])


def median_and_mad(X: Array) -> tuple[Array, Array]:
    """Median and MAD of columns, the latter as of a standard normal variable.

    Where more than half of the values agree, the median deviation is zero and the standard
    deviation is the only spread there is.
    """
    center, deviation = np.median(X, axis=0), X.std(axis=0)
    mad = MAD_TO_DEVIATION * np.median(np.abs(X - center), axis=0)
    return center, np.where(mad > _TINY * deviation, mad, deviation)


def mean_and_deviation(X: Array) -> tuple[Array, Array]:
    """Mean and standard deviation of columns."""
    return X.mean(axis=0), X.std(axis=0)


def varying(X: Array) -> Array:
    """Which columns are not constant, whatever their holes."""
    return np.fmax.reduce(X, axis=0) > np.fmin.reduce(X, axis=0)


def is_one_curve(X: Array) -> bool:
    """Whether many columns, each much like its neighbor and in its unit, look like one curve.

    Such columns (spectra, images) are ruined if each is divided by its own spread.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)

    Returns
    -------
    is_curve : bool
    """
    rows = X[:: max(1, len(X) // _CURVE_ROWS)]
    if X.shape[1] < _CURVE_COLUMNS or len(rows) < 3 or np.isnan(rows).any():
        return False
    with np.errstate(all="ignore"):
        rows = rows - rows.mean(axis=0)
        size = np.sqrt((rows**2).mean(axis=0))
        alike = (rows[:, 1:] * rows[:, :-1]).mean(axis=0) / (size[1:] * size[:-1])
        steps = np.maximum(size[1:] / size[:-1], size[:-1] / size[1:])
    return bool(np.median(alike) > _ALIKE and np.median(steps) < 2)


def warn_of_dropped(X: Array, used: Array, names: Array | None) -> None:
    """Say once what is not looked at."""
    dropped = (np.arange(len(used)) if names is None else names)[~used]
    if len(dropped) and used.any():
        shown = ", ".join(map(str, dropped[:5])) + (", ..." if len(dropped) > 5 else "")
        empty = " or empty" if np.isnan(np.fmax.reduce(X, axis=0)).any() else ""
        which = f"{len(dropped)} of {len(used)} columns are constant{empty}"
        warn_user(f"{which} and were dropped: {shown}")
