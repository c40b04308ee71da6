"""How surprising a value is among those that were seen, on one scale for whatever was measured."""

from typing import NamedTuple

import numpy as np
from scipy import stats

from l1kpca import tuning
from l1kpca._typing import Array

_STEEPEST = 4.0  # power of a tail whose two quantiles agree, and of its fall below them
_SMALLEST = 1e-3  # of the upper quantile: below, values do not differ


class Tail(NamedTuple):
    """The surprise -log P(larger) of values, by two quantiles of ordinary values.

    It is a power of the value through both; ``value`` is the upper one, ``surprise`` its surprise.
    Below the lower one it falls steeply: small values surprise nobody.  Beyond the upper one its
    tangent goes on if the power is above 1, as for sums of squares.  It is never bounded.
    """

    value: float
    surprise: float
    power: float

    def __call__(self, values: Array) -> Array:
        """The surprise of values."""
        ratio = values / self.value
        inside = np.minimum(ratio, 1) ** self.power
        inside *= np.minimum(ratio * 2 ** (1 / self.power), 1) ** (_STEEPEST - self.power)
        beyond = np.maximum(ratio, 1)
        beyond = beyond**self.power if self.power < 1 else 1 + self.power * (beyond - 1)
        return self.surprise * inside * beyond

    def at(self, surprise: float) -> float:
        """The value with this surprise."""
        ratio = surprise / self.surprise
        if ratio < 0.5:
            return float(self.value * 2 ** (-1 / self.power) * (2 * ratio) ** (1 / _STEEPEST))
        bent = ratio > 1 and self.power > 1
        found = 1 + (ratio - 1) / self.power if bent else ratio ** (1 / self.power)
        return float(self.value * found)


def fit_tail(values: Array, level: float, *, normal: bool = False) -> Tail:
    """The tail of values of at least 0, by their ``level`` quantile and one half as surprising.

    If that leaves fewer than three values beyond it, it is a lower one, at least the median.  With
    ``normal``, the tail is at least as long as that of the size of a normal variable.
    """
    values = values if len(values) else np.zeros(1)
    rare = 1 - min(level, max(0.5, 1 - 3 / len(values)))
    levels = np.array([1 - np.sqrt(rare), 1 - rare])
    low, high = np.quantile(values, levels, method="inverted_cdf")
    if not high:
        least = np.min(values[values > 0], initial=np.inf)
        high = least if np.isfinite(least) else 1.0
    low = max(low, _SMALLEST * high)
    if normal:
        low, high = np.maximum([low, high], stats.norm.ppf((1 + levels) / 2))
    run = max(np.log(high / low), np.log(2) / _STEEPEST)
    return Tail(*np.array([high, -np.log(rare), np.log(2) / run]))


def surplus(values: Array) -> float:
    """The share of values that is too many for normal ones, judged by their lower half.

    Three standard errors are taken off, so that a few values must show it more clearly.
    """
    levels, points = np.array([0.1, 0.5]), np.linspace(1, 8, 57)  # deviations above the median
    (low, middle), normal_10 = np.quantile(values, levels), stats.norm.ppf(0.1)
    spread = (middle - low) / -normal_10
    if not spread > 0:
        return float(np.mean(values > middle))
    # Standard errors of the share beyond a point: of the count, and of the point, which the two
    # quantiles tell.
    density, rest = stats.norm.pdf(stats.norm.ppf(levels)), stats.norm.sf(points)
    covariance = (np.minimum.outer(levels, levels) - np.outer(levels, levels)) / density[:, None]
    slopes = np.stack([points / normal_10, 1 - points / normal_10])
    point = np.einsum("ip,ij,jp->p", slopes, covariance / density, slopes)
    errors = np.sqrt(stats.norm.pdf(points) ** 2 * point + rest * (1 - rest))
    doubt = tuning.SURPLUS_ERRORS * errors / np.sqrt(len(values))
    up_to = np.searchsorted(np.sort(values), middle + spread * points, side="right")
    return max(float((1 - up_to / len(values) - rest - doubt).max()), 0.0)
