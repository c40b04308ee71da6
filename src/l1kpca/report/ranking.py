"""The ranking of the rows: which are abnormal, and which of their columns are responsible."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from l1kpca.outliers import Judged
from l1kpca.report.facts import Agreement, Cases, Reason, Summary, SuspiciousRow, Whole
from l1kpca.report.promises import promised

_N_REASONS = 3


def summarize(
    detector: Any,
    cases: Cases,
    source: str,
    *,
    top: int = 20,
    judged: Judged | None = None,
    fdr: float | None = None,
    alpha: float | None = None,
) -> Summary:
    """Judge rows, rank them, and explain the most abnormal ones.

    ``judged`` is what the detector said about the rows, if it was asked; ``fdr`` is a false
    discovery rate, ``alpha`` the chance of a false flag, both by the reference rows.
    """
    judged = detector.judge(cases.X) if judged is None else judged
    scores = judged.abnormality
    if len(scores) != len(cases.X):
        raise ValueError(
            f"judged is about {len(scores)} rows, but X has {len(cases.X)}: pass what"
            " detector.judge(X) gives"
        )
    whole = all_of(cases, judged)
    everything = replace(judged, abnormality=whole.scores, flagged=whole.flags)
    everything, cutoff, promise = promised(detector, everything, fdr, alpha)
    judged = replace(judged, flagged=everything.flagged[whole.rows])
    order = np.argsort(-scores, kind="stable")[:top]
    contributions = column_contributions(detector, cases, order)
    p_values = None if promise.p_values is None else promise.p_values[whole.rows]
    return Summary(
        source=source,
        n_rows=len(whole.scores),
        n_flagged=int(everything.flagged.sum()),
        judged=judged,
        scores=whole.scores,
        flags=everything.flagged,
        cutoff=cutoff,
        clear_line=bool(getattr(detector, "clear_line_", True)),
        promise=promise,
        columns=tuple(cases.columns),
        top=_top(detector, cases, order, contributions, judged, p_values),
        contributions=contributions,
        agreement=agreement(whole.labels, whole.scores),
    )


def all_of(cases: Cases, judged: Judged) -> Whole:
    """The table that rows belong to, which may be themselves."""
    rows = np.arange(len(cases.X))
    return cases.whole or Whole(
        judged.abnormality, judged.flagged, cases.labels, rows, cases.X, cases.values
    )


def suspects(detector: Any, cases: Cases, top: int = 20) -> tuple[SuspiciousRow, ...]:
    """The most abnormal reference rows that have no label, of the table that they are from."""
    order, judged = detector.calibration_.suspects(top), detector.judge(cases.X)
    return _top(detector, cases, order, column_contributions(detector, cases, order), judged)


def _top(
    detector: Any,
    cases: Cases,
    order: np.ndarray,
    contributions: np.ndarray,
    judged: Judged,
    p_values: np.ndarray | None = None,
) -> tuple[SuspiciousRow, ...]:
    expected = cells_of(detector, cases, order)[1]
    return tuple(
        SuspiciousRow(
            rank=place + 1,
            row=int(all_of(cases, judged).rows[row]) + 1,
            name=None if cases.names is None else cases.names[row],
            score=float(judged.abnormality[row]),
            p_value=None if p_values is None else float(p_values[row]),
            flagged=bool(judged.flagged[row]),
            label=None if cases.labels is None else int(cases.labels[row]),
            reasons=_reasons(cases, row, contributions[place], expected[place]),
        )
        for place, row in enumerate(order.tolist())
    )


def agreement(labels: np.ndarray | None, scores: np.ndarray) -> Agreement | None:
    """Compare scores with the truth, if it is known: 1 is an outlier, 0 is not; both must occur."""
    if labels is None:
        return None
    n_outliers = int(labels.sum())
    highest = np.argsort(-scores, kind="stable")[:n_outliers]
    return Agreement(
        n_outliers=n_outliers,
        average_precision=float(average_precision_score(labels, scores)),
        roc_auc=float(roc_auc_score(labels, scores)),
        precision_at_n=float(labels[highest].mean()),
    )


def column_contributions(detector: Any, cases: Cases, rows: np.ndarray) -> np.ndarray:
    """What each column adds to the scores of some rows; features of one column are added up."""
    by_column = np.zeros((len(rows), len(cases.columns)))
    if len(rows):
        found = np.asarray(detector.explain(picked(cases, rows)))
        if found.shape == by_column.shape:  # a detector that knows the table has done it
            return found
        np.add.at(by_column.T, cases.column_of, found.T)
    return by_column


def picked(cases: Cases, rows: np.ndarray) -> Any:
    """Some rows, as the detector takes them."""
    return cases.X.iloc[rows] if hasattr(cases.X, "iloc") else cases.X[rows]


def cells_of(
    detector: Any, cases: Cases, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of some rows, residuals of the cells, expected values where they stand out, and whether."""
    shape = len(rows), len(cases.columns)
    residual, wrong = np.zeros(shape), np.zeros(shape, dtype=bool)
    expected = np.full(shape, None, dtype=object)
    if len(rows) and hasattr(detector, "cells"):
        found = detector.cells(picked(cases, rows))
        if found.flagged.shape == shape:  # a column of several features has no one number
            residual, wrong = np.asarray(found.residual, dtype=float), np.asarray(found.flagged)
            expected[wrong] = np.asarray(found.expected, dtype=object)[wrong]
            kinds = {} if getattr(cases.X, "encoder", None) is None else cases.X.encoder.kinds_
            for j in (j for j, name in enumerate(cases.columns) if kinds.get(name) == "date"):
                days = np.asarray(picked(cases, rows))[:, np.flatnonzero(cases.column_of == j)[0]]
                if not np.nan_to_num(days % 1).any():  # whole days
                    expected[wrong[:, j], j] = [day[:10] for day in expected[wrong[:, j], j]]
    return residual, expected, wrong


def _reasons(
    cases: Cases, row: int, contributions: np.ndarray, expected: np.ndarray
) -> tuple[Reason, ...]:
    """The columns that add most to the score of a row."""
    adding = contributions[contributions > 0].sum()
    found = []
    for place in np.argsort(-contributions, kind="stable")[:_N_REASONS]:
        column, adds = cases.columns[place], float(contributions[place])
        if adds > 0:
            value, share = cases.values(column)[row], adds / float(adding)
            found.append(Reason(column, value, adds, share, expected[place]))
    return tuple(found)
