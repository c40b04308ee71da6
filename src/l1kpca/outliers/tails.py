"""How surprising a value is among those that were seen, on one scale for whatever was measured."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from l1kpca._typing import Array

_STEEPEST = 6.0  # logarithm of surprise over that of the value, where quantiles agree
_KNOTS = 5
_NORMAL_10 = stats.norm.ppf(0.1)
_POINTS = np.linspace(1, 8, 57)  # deviations above the median
_SMALLEST = 1e-3  # of the last quantile: below, values do not differ


@dataclass(frozen=True, eq=False)
class Tail:
    """The surprise -log P(larger) of a value, by a few quantiles of ordinary values.

    Between the quantiles the surprise is a power of the value.  Beyond the last one the power goes
    on if it is below 1, as in a heavy tail; else its tangent does, as in the tail of a sum of
    squares.  It is never bounded: of two values the larger one is the more surprising.

    Attributes
    ----------
    value, surprise : ndarray
        Logarithms, at the quantiles; the first may be repeated.
    """

    value: Array
    surprise: Array

    def __call__(self, values: Array) -> Array:
        """The surprise of values."""
        x = np.log(np.maximum(values, np.exp(self.value[0] - 50)))
        inside = np.interp(x, self.value, self.surprise) + _STEEPEST * np.minimum(
            x - self.value[0], 0
        )
        ratio = np.maximum(values / np.exp(self.value[-1]), 1)
        power = self._last_power
        beyond = ratio**power if power < 1 else 1 + power * (ratio - 1)
        return np.exp(inside) * beyond

    def at(self, surprise: float) -> float:
        """The value with a surprise that is at least that of the first quantile."""
        y, power = np.log(surprise), self._last_power
        ratio = np.exp(max(y - float(self.surprise[-1]), 0))
        beyond = ratio ** (1 / power) if power < 1 else 1 + (ratio - 1) / power
        return float(np.exp(np.interp(y, self.surprise, self.value)) * beyond)

    @property
    def array(self) -> Array:
        """Both as one array; ``Tail(*array)`` is the tail again."""
        return np.stack([self.value, self.surprise])

    @property
    def _last_power(self) -> float:
        rise, run = self.surprise[-1] - self.surprise[-2], self.value[-1] - self.value[-2]
        return min(_STEEPEST, float(rise / run)) if run > 0 else _STEEPEST


def fit_tail(values: Array, quantiles: tuple[float, ...], *, normal: bool = False) -> Tail:
    """The tail of values of at least 0, by up to five quantiles; equal ones are one.

    Quantiles that less than three values exceed are left out: those may be what is looked for.
    With ``normal``, the tail is at least as long as that of the size of a normal variable.
    """
    values = values if len(values) else np.zeros(1)
    few = [level for level in quantiles if level <= most_level(len(values))]
    quantiles = tuple(few) or quantiles[:1]
    found = np.quantile(values, quantiles, method="inverted_cdf")
    unit = found[-1] or np.min(values[values > 0], initial=np.inf)
    found = np.maximum(found, _SMALLEST * unit if np.isfinite(unit) else 1.0)
    if normal:
        found = np.maximum(found, stats.norm.ppf((1 + np.array(quantiles)) / 2))
    distinct = np.append(np.diff(found) > 1e-9 * found[1:], True)  # the last of equal ones
    surprise = -np.log1p(-np.array(quantiles))
    knots = np.log([found[distinct], surprise[distinct]])
    return Tail(*np.pad(knots, ((0, 0), (_KNOTS - knots.shape[1], 0)), mode="edge"))


def most_level(n: int) -> float:
    """The largest share of n values that leaves three beyond it."""
    return 1 - 3 / n


def surplus(values: Array) -> float:
    """The share of values that is too many for normal ones, judged by their lower half."""
    low, middle = np.quantile(values, [0.1, 0.5])
    spread = (middle - low) / -_NORMAL_10
    if not spread > 0:
        return float(np.mean(values > middle))
    up_to = np.searchsorted(np.sort(values), middle + spread * _POINTS, side="right")
    return max(float((1 - up_to / len(values) - stats.norm.sf(_POINTS)).max()), 0.0)
