"""Columns made comparable before any distance is taken; learned once, then frozen."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from l1kpca._typing import Array
from l1kpca.estimators.notices import warn_user
from l1kpca.threads import spans

_MAD_TO_DEVIATION = 1.4826022185056018  # 1 / Phi^-1(3/4): MAD of a normal variable to its deviation
_BOUND = 3.0
_TINY = 1e-10
_VALUES = 1_000_000  # of the columns that are looked at at once


@dataclass(frozen=True)
class Columns:
    r"""x -> (x - center) / scale for the columns that are used, bounded if ``bound`` is finite.

    The bounded form is :math:`z / \sqrt{1 + (z / b)^2}`: it keeps the order of the values and is
    nearly z for ordinary ones, but no value counts for more than b deviations, so that one wild
    entry cannot decide all distances of its row.  Without a center, rows are left as they are.
    """

    used: Array
    center: Array | None
    scale: Array | None
    bound: float

    def __call__(self, X: Array) -> Array:
        """Standardise rows."""
        if self.center is None:
            return X
        if not self.used.any():
            return np.zeros((len(X), 1), dtype=X.dtype)
        z = X[:, self.used]
        with np.errstate(over="ignore"):
            z -= self.center
            z /= self.scale
        # Beyond the largest number is as far as any number can be.
        limit = np.finfo(z.dtype).max
        np.clip(z, -limit, limit, out=z)
        if np.isfinite(self.bound):
            z /= np.hypot(1, z / self.bound)
        return z


def as_they_are(X: Array) -> Columns:
    """Columns that are not touched."""
    return Columns(np.ones(X.shape[1], dtype=bool), None, None, np.inf)


def standardized_by(rule: str, X: Array, names: Array) -> Columns:
    """As the rule asks; columns that are dropped are named in a warning."""
    columns = by_mean_and_deviation(X) if rule == "paper" else by_median_and_mad(X)
    warn_of_dropped(columns, names)
    return columns


def by_mean_and_deviation(X: Array) -> Columns:
    """The paper's: mean 0 and standard deviation 1."""
    used = X.max(axis=0) > X.min(axis=0)
    center, scale = [], []
    for kept in _groups(X, used):
        median, deviations, largest = _around_the_median(kept)
        center.append(median + largest * deviations.mean(axis=0))
        scale.append(largest * deviations.std(axis=0))
    return Columns(used, np.concatenate(center), np.concatenate(scale), np.inf)


def by_median_and_mad(X: Array) -> Columns:
    """Median 0 and median absolute deviation as of a standard normal variable, then bounded.

    Where more than half of the values agree, the median deviation is zero and the standard
    deviation is the only scale there is.
    """
    used = X.max(axis=0) > X.min(axis=0)
    center, scale = [], []
    for kept in _groups(X, used):
        median, deviations, largest = _around_the_median(kept)
        spread = deviations.std(axis=0)
        mad = _MAD_TO_DEVIATION * np.median(np.abs(deviations), axis=0)
        center.append(median)
        scale.append(largest * np.where(mad > _TINY * spread, mad, spread))
    return Columns(used, np.concatenate(center), np.concatenate(scale), _BOUND)


def medians(X: Array) -> Array:
    """Median of each column."""
    groups = _groups(X, np.ones(X.shape[1], dtype=bool))
    return np.concatenate([np.median(group, axis=0) for group in groups])


def warn_of_dropped(columns: Columns, names: Array) -> None:
    """Say once what is not looked at."""
    dropped = names[~columns.used]
    if len(dropped) and columns.used.any():
        shown = ", ".join(str(name) for name in dropped[:5]) + (", ..." if len(dropped) > 5 else "")
        warn_user(f"{len(dropped)} of {len(names)} columns are constant and were dropped: {shown}")


def _groups(X: Array, used: Array) -> Iterator[Array]:
    """A few of the used columns at a time, so that no copy of all rows is made; at least one."""
    index = np.flatnonzero(used)
    for group in spans(len(index), max(1, _VALUES // len(X))) or [slice(0)]:
        yield X[:, index[group]]


def _around_the_median(X: Array) -> tuple[Array, Array, Array]:
    """Medians, deviations from them in units of the largest, and the largest.

    No square of what has size 1 overflows or vanishes, whatever the unit of a column.
    """
    median = np.median(X, axis=0)
    deviations = X - median
    largest = np.maximum(deviations.max(axis=0), -deviations.min(axis=0))
    deviations /= largest
    return median, deviations, largest
