"""What is wrong with the most abnormal rows: cells, columns to blame, and kinds of trouble."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from l1kpca.report.columns import Column, chart, columns_of
from l1kpca.report.facts import Cases, Summary
from l1kpca.report.ranking import all_of, cells_of, column_contributions, picked
from l1kpca.report.values import short, within

_FAR = 3.0  # widths of the usual range, where a column has none
_MOST_EXPLAINED = 300
_MOST_COLUMNS = 40
_MOST_CHARTED = 100
_MOST_KINDS = 5
_N_BLAMED = 6  # columns of a row that can be its kind of trouble
_HEAT = (25, 30)
_MOST_CELLS = 2_000_000
_BYTES = 700_000
_OPERATIONS = 5e9
_STEPS_OF_EXPLAIN = 8
_TOGETHER = "No single value stands out, but the values of the row do not go together"
_OTHERS = "Other columns have unusual values"


def reasons(detector: Any, cases: Cases, summary: Summary, order: np.ndarray) -> dict[str, Any]:
    """Explain as many rows as is cheap, and show the cells of as many as a page can hold.

    Of each row, ``details`` has the places in ``columns``, the cells, the contributions (None if
    the row is not explained), what the columns that are not listed contribute together, and what
    the cells that stand out should have been.
    """
    n_features, known = len(cases.column_of), summary.contributions
    # An explanation of a row scores eight rows for each column.
    cost = _STEPS_OF_EXPLAIN * n_features * len(detector.pca_.X_fit_) * (n_features + 10)
    more = order[len(known) : int(min(_MOST_EXPLAINED, _OPERATIONS // cost))]
    if len(more):
        known = np.concatenate([known, column_contributions(detector, cases, more)])
    n_flagged = int(summary.judged.flagged[order].sum())
    n_looked = max(len(known), min(n_flagged, _MOST_CELLS // n_features))
    residual, expected, wrong = cells_of(detector, cases, order[:n_looked])
    whole = all_of(cases, summary.judged)
    columns = columns_of(cases, whole)
    details = list(within(_details(cases, order, known, columns, expected), _BYTES))
    # Where a row is not explained, the squares of its residuals tell who is to blame.
    weights = np.concatenate([known, residual[len(known) :] ** 2])[:n_flagged]
    adding = np.maximum(weights, 0)
    adding /= np.maximum(adding.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    blame = adding.sum(axis=0) / max(len(adding), 1)
    most = np.argsort(-blame, kind="stable")[:_MOST_CHARTED].tolist()
    named = sorted({*most}.union(*(row[0] for row in details)))
    for row in details:
        row[0] = np.searchsorted(named, row[0]).tolist()
    known_columns = [columns[j].facts(blame[j]) for j in named]
    rows, sample = np.asarray(picked(cases, order[:n_flagged])), np.asarray(whole.sample)
    for j in most:
        name = cases.columns[j]
        cells = whole.cells(name), np.asarray(cases.values(name), dtype=object)[order[:n_flagged]]
        known_columns[named.index(j)] |= chart(columns[j], cells, sample, rows)
    hot = np.sort(most[: _HEAT[1]])
    return {
        "n_explained": min(len(known), len(details)),
        "cells": {"count": int(wrong[:n_flagged].sum()), "rows": min(n_looked, n_flagged)},
        "kinds": _kinds(columns, rows[: len(adding)], adding),
        "details": details,
        "columns": known_columns,
        "heat": {
            "columns": np.searchsorted(named, hot).tolist(),
            "residual": np.round(residual[: _HEAT[0]][:, hot], 1).tolist(),
        },
    }


def _details(
    cases: Cases, order: np.ndarray, known: np.ndarray, columns: list[Column], expected: np.ndarray
) -> Iterator[list[Any]]:
    """What ``details`` has of each row; a row that is not explained lists its oddest columns."""
    X, features = np.asarray(cases.X), [column.feature for column in columns]
    low, median, high = np.array([[c.low, c.median, c.high] for c in columns]).T
    width = np.where(high > low, high - low, np.inf)
    cells = [cases.values(column) for column in cases.columns]
    for place, row in enumerate(order):
        explained = place < len(known)
        if explained:
            weight = known[place]
        else:
            off = np.abs(X[row, features] - median)
            weight = np.nan_to_num(np.where((off > 0) & (high <= low), _FAR, off / width))
        listed = np.argsort(-np.abs(weight), kind="stable")[:_MOST_COLUMNS].tolist()
        yield [
            listed,
            [short(cells[column][row]) for column in listed],
            [short(value, 5) for value in weight[listed]] if explained else None,
            short(weight.sum() - weight[listed].sum(), 5) if explained else None,
            [short(value, 3) for value in expected[place, listed]]
            if place < len(expected)
            else None,
        ]


def _kinds(columns: list[Column], rows: np.ndarray, shares: np.ndarray) -> list[dict[str, Any]]:
    """Flagged rows by what is wrong with them: a few reasons that cover as many as possible."""
    sides = np.column_stack([column.side(rows) for column in columns])
    places = np.argsort(np.argsort(-shares, axis=1, kind="stable"), axis=1)
    blamed = (places < _N_BLAMED) & (shares > 1 / (len(columns) + 1)) & (sides != 0)
    covers = {
        (j, side): blamed[:, j] & (sides[:, j] == side)
        for j in np.flatnonzero(blamed.any(axis=0)).tolist()
        for side in (1, -1)
    }
    covers[-1, 0] = ~blamed.any(axis=1)
    found: list[dict[str, Any]] = []
    left = np.ones(len(rows), dtype=bool)
    while left.any():
        last = len(found) == _MOST_KINDS
        j, side = max(covers, key=lambda one: int((covers[one] & left).sum()))
        chosen = np.flatnonzero(left if last else covers[j, side] & left)
        left[chosen] = False
        says = columns[j].says(side, rows[chosen]) if side else _TOGETHER
        of = columns[j].name if side and not last else None
        found.append({"says": _OTHERS if last else says, "column": of, "rows": chosen.tolist()})
    return found
