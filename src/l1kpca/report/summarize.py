"""From a fitted detector and rows to plain facts; how they look is decided elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from l1kpca.report.facts import Agreement, Cases, Reason, Summary, SuspiciousRow

N_REASONS = 3
_N_BINS = 60
_ROWS_AT_ONCE = 10_000

Advance = Callable[[int, int], None]


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
    counts, roots = np.histogram(np.cbrt(scores), bins=min(_N_BINS, len(scores)))
    return Summary(
        source=source,
        scores=scores,
        ranks=ranks,
        flags=flags,
        cutoff=cutoff,
        columns=tuple(cases.columns),
        top=_explained(detector, cases, order[:top], scores, flags),
        agreement=None if cases.labels is None else agreement(cases.labels, scores),
        bin_edges=tuple((roots**3).tolist()),
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


def column_contributions(detector: Any, cases: Cases, rows: np.ndarray) -> np.ndarray:
    """What each column adds to the scores of some rows; features of one column are added up.

    Parameters
    ----------
    detector : object
        Fitted, with ``explain``.
    cases : Cases
        All rows.
    rows : ndarray of int
        Places of those to explain.

    Returns
    -------
    contributions : ndarray of shape (len(rows), n_columns)
    """
    picked = cases.X.iloc[rows] if hasattr(cases.X, "iloc") else cases.X[rows]
    by_feature = np.asarray(detector.explain(picked))
    by_column = np.zeros((len(rows), len(cases.columns)))
    np.add.at(by_column.T, cases.column_of, by_feature.T)
    return by_column


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
    by_column = column_contributions(detector, cases, rows)
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
            value=cases.values(cases.columns[place])[row],
            contribution=float(contributions[place]),
            share=float(contributions[place] / adding),
        )
        for place in largest
        if contributions[place] > 0
    )
