"""What is usual in each column."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from l1kpca.report.facts import Cases
from l1kpca.report.packing import short
from l1kpca.report.values import shown_value

USUAL = (0.05, 0.95)
"""The usual range holds 90 % of the rows."""
_FAR = 3.0


@dataclass(frozen=True, eq=False)
class Usual:
    """Median and usual range of each feature.

    Attributes
    ----------
    median, low, high : ndarray of shape (n_features,)
        The median, and the points that 5 % and 95 % of the rows do not reach.
    """

    median: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def deviation(self, row: np.ndarray) -> np.ndarray:
        """How far the features of a row are from the median, in widths of the usual range."""
        off = np.abs(row - self.median)
        width = self.high - self.low
        ratio = np.divide(off, width, out=np.full(len(off), _FAR), where=width > 0)
        return np.where(off > 0, ratio, 0.0)


def usual(X: Any) -> Usual:
    """Look at all rows.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
        Rows.

    Returns
    -------
    usual : Usual

    Examples
    --------
    >>> import numpy as np
    >>> facts = usual(np.arange(101.0).reshape(-1, 1))
    >>> facts.median.tolist(), facts.low.tolist(), facts.high.tolist()
    ([50.0], [5.0], [95.0])
    """
    low, median, high = np.quantile(np.asarray(X), (USUAL[0], 0.5, USUAL[1]), axis=0)
    return Usual(median, low, high)


def column_facts(cases: Cases, facts: Usual, column: int) -> dict[str, Any]:
    """What is usual in one column, as what JSON can hold.

    Parameters
    ----------
    cases : Cases
        The rows.
    facts : Usual
        Of their features.
    column : int
        Place in ``cases.columns``.

    Returns
    -------
    plain : dict
        Name with median and range; for a column of text, with its most frequent value.
    """
    name = cases.columns[column]
    features = np.flatnonzero(cases.column_of == column)
    if len(features) == 1:
        at = int(features[0])
        numbers = {"median": facts.median[at], "low": facts.low[at], "high": facts.high[at]}
        return {"name": short(str(name))} | {k: short(float(v)) for k, v in numbers.items()}
    cells = Counter(map(shown_value, cases.values(name)))
    value, count = cells.most_common(1)[0]
    return {"name": short(str(name)), "usual": value, "share": short(count / cells.total())}
