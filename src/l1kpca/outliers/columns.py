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
    """

    used: Array  #: Columns that vary; the others are dropped.
    median: Array | None = None  #: The row that ``explain`` compares with.
    center: Array | None = None  #: c of each column that is used; None leaves values as they are.
    spread: Array | None = None  #: s.
    weight: Array | None = None  #: w.
    bound: float = np.inf  #: b.
    cells: Cells | None = None  #: What is expected in a hole; a kernel matrix has none.

    def __call__(self, X: Array) -> Array:
        """Scale rows, with holes filled by what is expected there."""
        if self.cells is not None and (some := np.isnan(X).any(axis=1)).any():
            X = X.copy()
            X[some] = self.cells.filled(X[some])[0]
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


def measured(X: Array, center_and_spread: _Measure) -> Array:
    """Median, center and spread of each column without its holes; 0 where there is no value."""
    found = np.zeros((3, X.shape[1]), dtype=X.dtype)
    for group in spans(X.shape[1], max(1, _VALUES // len(X))):  # never a copy of all rows
        values = np.ascontiguousarray(X[:, group])  # in any order, sums are rounded alike
        whole, start = [values], group.start
        if np.isnan(values).any():
            whole = [column[~np.isnan(column), np.newaxis] for column in values.T]
        for columns in whole:
            at = slice(start, start := start + columns.shape[1])
            if len(columns):
                median = np.median(columns, axis=0)
                deviations = columns - median
                largest = np.maximum(deviations.max(axis=0), -deviations.min(axis=0))
                # No square of what has size 1 overflows or vanishes, whatever the unit.
                deviations /= np.where(largest > 0, largest, 1)
                center, spread = center_and_spread(deviations)
                found[:, at] = median, median + largest * center, spread * largest
    return found


def median_and_mad(X: Array) -> tuple[Array, Array]:
    """Median and MAD of columns; where more than half of the values agree, standard deviation.

    The MAD is scaled to the deviation of a normal variable.
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
