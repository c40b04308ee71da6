"""Looking up what was measured, and ratios of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from l1kpca.bench.works import SKLEARN

_COLUMNS = [
    "part", "case", "kernel", "dtype", "n", "d", "n_components", "technique", "method", "cut_off",
    "seconds", "spread", "repeats", "runs", "bytes_before", "bytes_peak",
]  # fmt: skip


class NotMeasuredError(LookupError):
    """The rows that a number needs are not there."""


@dataclass(frozen=True)
class Reached:
    """A number that a target is held against.

    Attributes
    ----------
    value : float
        Ratio of medians, or an exponent.
    lowest, highest : float
        Over the rounds, each of which timed both sides; the value itself if there are none.
    repeats : int
        How many rounds; 0 where nothing was repeated.
    """

    value: float
    lowest: float
    highest: float
    repeats: int = 0


class Measured:
    """The tidy rows of a run.

    Parameters
    ----------
    frame : DataFrame
        As `l1kpca.bench.run` returns them.
    """

    def __init__(self, frame: pd.DataFrame):
        columns = frame.columns.union(_COLUMNS, sort=False)  # some parts may not have been run
        self.rows = frame[frame["status"] == "done"].reindex(columns=columns)

    def where(self, **wanted: Any) -> pd.DataFrame:
        """The rows that have these values."""
        rows = self.rows
        for name, value in wanted.items():
            rows = rows[rows[name] == value]
        return rows

    def one(self, **wanted: Any) -> pd.Series:
        """The only row that has these values."""
        rows = self.where(**wanted)
        if len(rows) != 1:
            raise NotMeasuredError(f"{len(rows)} rows for {wanted}")
        return rows.iloc[0]

    def seconds(self, **wanted: Any) -> float:
        """Median seconds of a method."""
        return float(self.one(**wanted)["seconds"])

    def fastest_sklearn(self, **wanted: Any) -> pd.Series:
        """The row of scikit-learn's quickest solver in a case."""
        rows = self.where(**wanted)
        rows = rows[rows["method"].isin(list(SKLEARN)) & rows["seconds"].notna()]
        if rows.empty:
            raise NotMeasuredError(f"no solver of scikit-learn for {wanted}")
        return rows.loc[rows["seconds"].idxmin()]

    def largest(self, part: str, **wanted: Any) -> int:
        """The largest n of a part."""
        rows = self.where(part=part, **wanted)
        if rows.empty:
            raise NotMeasuredError(f"no rows of {part}")
        return int(rows["n"].max())


def over(numerator: pd.Series, denominator: pd.Series, times: float = 1.0) -> Reached:
    """Ratio of the medians of two methods, and its range over the rounds that both took part in.

    Parameters
    ----------
    numerator, denominator : Series
        Rows with ``seconds`` and ``runs``.
    times : float, default=1
        What the denominator is multiplied by.

    Examples
    --------
    >>> ours = pd.Series({"seconds": 2.0, "runs": [2.0, 1.0, 3.0]})
    >>> theirs = pd.Series({"seconds": 4.0, "runs": [4.0, 4.0, 4.0]})
    >>> over(theirs, ours).value
    2.0
    >>> over(ours, theirs).highest
    0.75
    """
    pairs = list(zip(numerator["runs"], denominator["runs"], strict=False))
    ratios = [top / (times * bottom) for top, bottom in pairs]
    value = numerator["seconds"] / (times * denominator["seconds"])
    return Reached(float(value), min(ratios), max(ratios), len(ratios))


def exponent(sizes: Any, seconds: Any) -> float:
    r"""The a of :math:`t = b\,n^a`, by least squares of :math:`\log t` on :math:`\log n`.

    Parameters
    ----------
    sizes, seconds : array-like
        At least two of each.

    Examples
    --------
    >>> round(exponent([10, 20, 40], [3.0, 12.0, 48.0]), 6)
    2.0
    """
    if len(sizes) < 2:
        raise NotMeasuredError("an exponent needs two sizes")
    return float(np.polyfit(np.log(np.asarray(sizes)), np.log(np.asarray(seconds)), 1)[0])


def growth(rows: pd.DataFrame, by: str = "n") -> float:
    """The exponent of the seconds of some rows in one of their columns."""
    return exponent(rows[by].to_numpy(float), rows["seconds"].to_numpy(float))
