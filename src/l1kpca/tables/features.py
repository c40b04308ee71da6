"""Features of single columns: cells that cannot be read, and gaps between dates."""

import math

import numpy as np

from l1kpca import tuning
from l1kpca._typing import Array
from l1kpca.tables.written import DAY

_MOST = (0.01, 0.5, 0.99)  # ends and middle of most numbers
_FAR = 3 * math.pi  # times the range of most numbers: not a number that a cell could have


def far_out(numbers: Array) -> float:
    """What stands for infinity, a cell that cannot be read: a number far beyond most others.

    It is NaN, a hole, if more than a few cells cannot be read.
    """
    known, n_unread = numbers[np.isfinite(numbers)], int(np.isinf(numbers).sum())
    if not len(known) or n_unread > max(1, tuning.UNREAD_SHARE * (len(known) + n_unread)):
        return np.nan
    low, middle, high = np.quantile(known, _MOST, method="inverted_cdf").tolist()
    with np.errstate(over="ignore"):
        far = middle + _FAR * (high - low or np.ptp(known) or 1.0)
    return float(far) if np.isfinite(far) else np.nan


def gaps(days: Array, times: Array) -> Array:
    """The logarithm of the seconds since the last of ``times`` before; NaN if there is none."""
    times = np.append(np.nan, times)
    before = times[np.searchsorted(times[1:], days)]
    return np.log10(1 + (days - before) * DAY).round(6)
