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
    """The logarithm of the seconds since the last of ``times`` before.

    If that one stands alone itself, at least half as long after its own last, the gap belongs to
    it: then the time to the next of ``times`` counts, if it is shorter.  So it does if there is
    none before.
    """
    times = np.concatenate([[np.nan, np.nan], times, [np.nan]])
    place = np.searchsorted(times[2:-1], days)
    since = days - times[place + 1]
    earlier = times[place + 1] - times[place]
    until = times[2:][np.searchsorted(times[2:-1], days, side="right")] - days
    alone = ~(earlier < since / 2)
    return np.log10(1 + np.where(alone, np.fmin(since, until), since) * DAY).round(6)
