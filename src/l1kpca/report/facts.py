"""Plain facts about rows and what a detector says of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Reason:
    """What one column of the data adds to the score of one row.

    Attributes
    ----------
    column : str
        The column.
    value : object
        Its cell in this row.
    contribution : float
        What it adds to the score.
    share : float
        The same, as a share of all that adds to the score.
    """

    column: str
    value: Any
    contribution: float
    share: float


@dataclass(frozen=True)
class SuspiciousRow:
    """One of the most abnormal rows.

    Attributes
    ----------
    rank : int
        1 for the most abnormal.
    row : int
        Its number in the data, from 1.
    name : object
        Its id, None if the data have none.
    score : float
        Higher is more abnormal.
    flagged : bool
        Whether it is beyond the cut-off.
    label : int or None
        The truth, if it is known: 1 is an outlier.
    reasons : tuple of Reason
        The most responsible columns.
    """

    rank: int
    row: int
    name: Any
    score: float
    flagged: bool
    label: int | None
    reasons: tuple[Reason, ...]


@dataclass(frozen=True)
class Agreement:
    """How well scores agree with a known truth.

    Attributes
    ----------
    n_outliers : int
        Rows that are outliers in truth.
    average_precision, roc_auc : float
        Areas below the precision-recall and the ROC curve.
    precision_at_n : float
        Share of outliers among the `n_outliers` rows with the highest scores.
    """

    n_outliers: int
    average_precision: float
    roc_auc: float
    precision_at_n: float


@dataclass(frozen=True, eq=False)
class Cases:
    """Rows to be judged, with what a reader needs to recognize them.

    Attributes
    ----------
    X : array-like of shape (n_rows, n_features)
        What the detector sees.
    columns : sequence of str
        Names of the columns that a reader knows.
    column_of : ndarray of shape (n_features,)
        For each feature, the place in `columns` it was made from.
    values : callable
        ``values(column)`` are the cells of a column as a reader knows them, one for each row.
    names : sequence or None
        Ids of the rows.
    labels : ndarray or None
        The truth: 1 is an outlier, 0 is not.
    filled : mapping
        For columns with missing cells, how many were filled in.
    left_out : sequence of str
        Columns of the data that are not looked at.
    """

    X: Any
    columns: Sequence[str]
    column_of: np.ndarray
    values: Callable[[str], Any]
    names: Sequence[Any] | None = None
    labels: np.ndarray | None = None
    filled: Mapping[str, int] = field(default_factory=dict)
    left_out: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class Summary:
    """All facts about one run of a detector.

    Attributes
    ----------
    source : str
        Where the rows come from.
    scores, ranks, flags : ndarray of shape (n_rows,)
        Of each row: how abnormal it is, its place (1 is the most abnormal), whether it is beyond
        the cut-off.
    cutoff : float
        Scores above it are flagged.
    columns : tuple of str
        Columns that were used.
    top : tuple of SuspiciousRow
        The most abnormal rows.
    agreement : Agreement or None
        If the truth is known.
    bin_edges, bin_counts : tuple
        Histogram of the scores; bins are equally wide in the cube root of the score.
    settings : mapping
        How the detector was made.
    notes : tuple of str
        What a reader should know about the data.
    """

    source: str
    scores: np.ndarray
    ranks: np.ndarray
    flags: np.ndarray
    cutoff: float
    columns: tuple[str, ...]
    top: tuple[SuspiciousRow, ...]
    agreement: Agreement | None = None
    bin_edges: tuple[float, ...] = ()
    bin_counts: tuple[int, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.scores)

    @property
    def n_flagged(self) -> int:
        """Number of rows beyond the cut-off."""
        return int(self.flags.sum())
