"""From a fitted detector and rows to plain facts; how they look is decided elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

N_REASONS = 3
_N_BINS = 40
_ROWS_AT_ONCE = 10_000

Advance = Callable[[int, int], None]


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
    cell : callable
        ``cell(row, column)`` is the value a reader knows.
    names : sequence or None
        Ids of the rows.
    labels : ndarray or None
        The truth: 1 is an outlier, 0 is not.
    """

    X: Any
    columns: Sequence[str]
    column_of: np.ndarray
    cell: Callable[[int, str], Any]
    names: Sequence[Any] | None = None
    labels: np.ndarray | None = None


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
        Histogram of the scores.
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


def summarize(
    detector: Any, cases: Cases, source: str, *, top: int = 20, advance: Advance | None = None
) -> Summary:
    """Score rows, rank them, and explain the most abnormal ones.

    Parameters
    ----------
    detector : object
        Fitted, with ``score_samples``, ``offset_`` and ``explain``.
    cases : Cases
        The rows.
    source : str
        Where they come from.
    top : int, default=20
        How many rows to explain.
    advance : callable, optional
        Called as ``advance(done, total)``, in rows, while rows are scored.

    Returns
    -------
    summary : Summary
        The facts.
    """
    scores = _abnormality(detector, cases.X, advance)
    order = np.argsort(-scores, kind="stable")
    ranks = np.empty(len(scores), dtype=np.int64)
    ranks[order] = np.arange(1, len(scores) + 1)
    cutoff = -float(detector.offset_)
    flags = scores > cutoff
    counts, edges = np.histogram(scores, bins=min(_N_BINS, len(scores)))
    return Summary(
        source=source,
        scores=scores,
        ranks=ranks,
        flags=flags,
        cutoff=cutoff,
        columns=tuple(cases.columns),
        top=_explained(detector, cases, order[:top], scores, flags),
        agreement=None if cases.labels is None else agreement(cases.labels, scores),
        bin_edges=tuple(edges.tolist()),
        bin_counts=tuple(counts.tolist()),
    )


def agreement(labels: np.ndarray, scores: np.ndarray) -> Agreement:
    """Compare scores with the truth.

    Parameters
    ----------
    labels : ndarray of shape (n_rows,)
        1 for an outlier, 0 for any other row; both must occur.
    scores : ndarray of shape (n_rows,)
        Higher is more abnormal.

    Returns
    -------
    agreement : Agreement

    Examples
    --------
    >>> import numpy as np
    >>> agreement(np.array([0, 0, 1, 1]), np.array([0.1, 0.9, 0.8, 0.7])).precision_at_n
    0.5
    """
    n_outliers = int(labels.sum())
    highest = np.argsort(-scores, kind="stable")[:n_outliers]
    return Agreement(
        n_outliers=n_outliers,
        average_precision=float(average_precision_score(labels, scores)),
        roc_auc=float(roc_auc_score(labels, scores)),
        precision_at_n=float(labels[highest].mean()),
    )


def _abnormality(detector: Any, X: Any, advance: Advance | None) -> np.ndarray:
    """-score_samples, a part of the rows at a time so that progress can be seen."""
    n_rows = len(X)
    scores = np.empty(n_rows)
    for begin in range(0, n_rows, _ROWS_AT_ONCE):
        rows = slice(begin, min(begin + _ROWS_AT_ONCE, n_rows))
        scores[rows] = -detector.score_samples(X[rows])
        if advance is not None:
            advance(rows.stop, n_rows)
    return scores


def _explained(
    detector: Any, cases: Cases, rows: np.ndarray, scores: np.ndarray, flags: np.ndarray
) -> tuple[SuspiciousRow, ...]:
    if not len(rows):
        return ()
    picked = cases.X.iloc[rows] if hasattr(cases.X, "iloc") else cases.X[rows]
    by_feature = np.asarray(detector.explain(picked))
    by_column = np.zeros((len(rows), len(cases.columns)))
    np.add.at(by_column.T, cases.column_of, by_feature.T)
    return tuple(
        SuspiciousRow(
            rank=place + 1,
            row=int(row) + 1,
            name=None if cases.names is None else cases.names[int(row)],
            score=float(scores[row]),
            flagged=bool(flags[row]),
            label=None if cases.labels is None else int(cases.labels[row]),
            reasons=_reasons(cases, int(row), by_column[place]),
        )
        for place, row in enumerate(rows)
    )


def _reasons(cases: Cases, row: int, contributions: np.ndarray) -> tuple[Reason, ...]:
    adding = contributions[contributions > 0].sum()
    largest = np.argsort(-contributions, kind="stable")[:N_REASONS]
    return tuple(
        Reason(
            column=cases.columns[place],
            value=cases.cell(row, cases.columns[place]),
            contribution=float(contributions[place]),
            share=float(contributions[place] / adding),
        )
        for place in largest
        if contributions[place] > 0
    )
