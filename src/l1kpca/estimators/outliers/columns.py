"""Columns made comparable before any distance is taken; learned once, then frozen."""

from dataclasses import dataclass

import numpy as np

from l1kpca._typing import Array

_MAD_TO_DEVIATION = 1.4826022185056018  # 1 / Phi^-1(3/4): MAD of a normal variable to its deviation
_BOUND = 3.0
_TINY = 1e-10


@dataclass(frozen=True)
class Columns:
    r"""x -> (x - center) / scale for the columns that are used, bounded if ``bound`` is finite.

    The bounded form is :math:`z / \sqrt{1 + (z / b)^2}`: it keeps the order of the values and is
    nearly z for ordinary ones, but no value counts for more than b deviations, so that one wild
    entry cannot decide all distances of its row.
    """

    used: Array
    center: Array
    scale: Array
    bound: float

    def __call__(self, X: Array) -> Array:
        """Standardise rows."""
        if not self.used.any():
            return np.zeros((len(X), 1), dtype=X.dtype)
        z = (X[:, self.used] - self.center) / self.scale
        return z / np.hypot(1, z / self.bound) if np.isfinite(self.bound) else z


def as_they_are(X: Array) -> Columns:
    """Columns that are not touched."""
    n_features = X.shape[1]
    return Columns(
        np.ones(n_features, dtype=bool), np.zeros(n_features), np.ones(n_features), np.inf
    )


def by_mean_and_deviation(X: Array) -> Columns:
    """The paper's: mean 0 and standard deviation 1."""
    used = X.max(axis=0) > X.min(axis=0)
    kept = X[:, used]
    return Columns(used, kept.mean(axis=0), kept.std(axis=0), np.inf)


def by_median_and_mad(X: Array) -> Columns:
    """Median 0 and median absolute deviation as of a standard normal variable, then bounded.

    Where more than half of the values agree, the median deviation is zero and the standard
    deviation is the only scale there is.
    """
    used = X.max(axis=0) > X.min(axis=0)
    kept = X[:, used]
    center = np.median(kept, axis=0)
    scale = _MAD_TO_DEVIATION * np.median(np.abs(kept - center), axis=0)
    spread = kept.std(axis=0)
    return Columns(used, center, np.where(scale > _TINY * spread, scale, spread), _BOUND)
