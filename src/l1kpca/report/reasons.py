"""What is wrong with the most abnormal rows: cells, columns to blame, and kinds of trouble."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from l1kpca.report.columns import Column, chart, columns_of
from l1kpca.report.facts import Cases, Summary
from l1kpca.report.ranking import all_of, cells_of, column_contributions, picked
from l1kpca.report.values import packed, short, within

_FAR = 3.0  # widths of the usual range, where a column has none
_MOST_EXPLAINED = 300
_MOST_LOOKED = 20_000
_FEWEST_LOOKED = 2000  # so that a line drawn below that of the program has its kinds, too
_MOST_COLUMNS = 40
_MOST_CHARTED = 100
_MOST_KINDS = 5
_N_BLAMED = 6  # columns of a row that can be its kind of trouble
_HEAT = (25, 30)
_MOST_CELLS = 2_000_000
_BYTES = 700_000
_OPERATIONS = 5e9
_STEPS_OF_EXPLAIN = 8
_NONE = 0xFFFF
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
    wanted = min(max(_FEWEST_LOOKED, 2 * n_flagged), _MOST_LOOKED, _MOST_CELLS // n_features)
    looked = order[: max(len(known), wanted)]
    residual, expected, wrong = cells_of(detector, cases, looked)
    whole = all_of(cases, summary.judged)
    columns = columns_of(cases, whole)
    details = list(within(_details(cases, order, known, columns, expected), _BYTES))
    # Where a row is not explained, the squares of its residuals tell who is to blame.
    shares = np.maximum(np.concatenate([known, residual[len(known) :] ** 2]), 0)
    shares /= np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    blame = shares[:n_flagged].sum(axis=0) / max(len(shares[:n_flagged]), 1)
    most = np.argsort(-blame, kind="stable")[:_MOST_CHARTED].tolist()
    named = sorted({*most}.union(*(row[0] for row in details)))
    for row in details:
        row[0] = np.searchsorted(named, row[0]).tolist()
    known_columns = [columns[j].facts(blame[j]) for j in named]
    rows, sample = np.asarray(picked(cases, looked)), np.asarray(whole.sample)
    flagged = np.asarray(picked(cases, order[:n_flagged]))
    for j in most:
        name = cases.columns[j]
        cells = whole.cells(name), np.asarray(cases.values(name), dtype=object)[order[:n_flagged]]
        known_columns[named.index(j)] |= chart(columns[j], cells, sample, flagged)
    hot = np.sort(most[: _HEAT[1]])
    charted = [columns[j] for j in most]
    codes = _codes(charted, most, rows, shares)
    return {
        "n_explained": min(len(known), len(details)),
        "n_cells": int(wrong[:n_flagged].sum()),
        "kinds": _kinds(charted, codes[:n_flagged]),
        "trouble": {
            "columns": np.searchsorted(named, most).tolist(),
            "codes": packed(codes, "u2"),
            "cells": packed(wrong.sum(axis=1).cumsum(), "u4"),
        },
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


def _codes(
    charted: list[Column], places: list[int], rows: np.ndarray, shares: np.ndarray
) -> np.ndarray:
    """What may be the kind of trouble of each row: few numbers, which the page sorts rows by.

    A number is 4 (place + 1) + 2 (above the usual range) + (far from it), for the place of a column
    among the charted ones; 0 if no column is to blame.
    """
    order = np.argsort(np.argsort(-shares, axis=1, kind="stable"), axis=1)
    blamed = (order < _N_BLAMED) & (shares > 1 / (shares.shape[1] + 1))
    codes = np.full((len(rows), len(charted)), _NONE)
    for place, (j, column) in enumerate(zip(places, charted, strict=True)):
        side, far = column.side(rows)
        is_code = blamed[:, j] & (side != 0)
        codes[is_code, place] = (4 * (place + 1) + 2 * (side > 0) + far)[is_code]
    unlisted = blamed.copy()
    unlisted[:, places] = False
    alone = ~unlisted.any(axis=1) & (codes == _NONE).all(axis=1)
    codes = np.sort(codes, axis=1)[:, :_N_BLAMED]
    codes = np.pad(codes, ((0, 0), (0, _N_BLAMED - codes.shape[1])), constant_values=_NONE)
    codes[alone, 0] = 0
    return codes


def _kinds(charted: list[Column], codes: np.ndarray) -> list[dict[str, Any]]:
    """Flagged rows by what is wrong with them: a few reasons that cover as many as possible.

    The page does the same for any other line (``kindsOf`` in ``first.js``).
    """
    found: list[dict[str, Any]] = []
    left = np.arange(len(codes))
    while len(left):
        here = codes[left]
        covered = np.bincount(here[here != _NONE] // 2, minlength=1)
        best = int(covered.argmax())
        if len(found) == _MOST_KINDS or not covered[best]:
            return [*found, {"says": _OTHERS, "column": None, "rows": left.tolist()}]
        chosen = (here // 2 == best).any(axis=1)
        says, name = _TOGETHER, None
        if best:
            column = charted[best // 2 - 1]
            n_far = int((here[chosen] == 2 * best + 1).sum())
            says, name = column.says(best % 2 == 1, 2 * n_far > chosen.sum()), column.name
        found.append({"says": says, "column": name, "rows": left[chosen].tolist()})
        left = left[~chosen]
    return found
