"""Why single rows are abnormal: their columns, the most responsible first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from l1kpca.report.columns import Usual, column_facts, usual
from l1kpca.report.facts import Cases
from l1kpca.report.packing import short, within
from l1kpca.report.summarize import column_contributions
from l1kpca.report.values import plain_value

_MOST_EXPLAINED = 300
_MOST_COLUMNS = 40
_BYTES = 800_000
_OPERATIONS = 5e9
_STEPS_OF_EXPLAIN = 8


@dataclass(frozen=True)
class Details:
    """What a page knows about single rows, the most abnormal first.

    Attributes
    ----------
    rows : list
        For each row: places in `columns`, cells, contributions (None if the row is not explained)
        and what the columns that are not listed contribute together.
    columns : list of dict
        What is usual in each column that is listed.
    n_explained : int
        How many rows have contributions.
    """

    rows: list[list[Any]]
    columns: list[dict[str, Any]]
    n_explained: int


def details(detector: Any, cases: Cases, order: np.ndarray, at_least: int) -> Details:
    """Explain as many rows as is cheap, and show the cells of as many as a page can hold.

    Parameters
    ----------
    detector : KernelPCAOutlierDetector
        Fitted.
    cases : Cases
        The rows.
    order : ndarray of int
        Rows, the most abnormal first.
    at_least : int
        So many rows are explained whatever it costs.

    Returns
    -------
    details : Details
    """
    explained = order[: max(at_least, affordable(detector))]
    contributions = column_contributions(detector, cases, explained)
    facts = usual(cases.X)
    rows = list(within(_rows(cases, order, contributions, facts), _BYTES))
    named = sorted({column for row in rows for column in row[0]})
    place = {column: at for at, column in enumerate(named)}
    for row in rows:
        row[0] = [place[column] for column in row[0]]
    return Details(
        rows,
        [column_facts(cases, facts, column) for column in named],
        min(len(contributions), len(rows)),
    )


def affordable(detector: Any) -> int:
    """How many rows can be explained within seconds.

    Parameters
    ----------
    detector : KernelPCAOutlierDetector
        Fitted; an explanation of a row scores eight rows for each column.

    Returns
    -------
    n_rows : int
    """
    n_features, n_training = detector.n_features_in_, len(detector.pca_.X_fit_)
    one_row = _STEPS_OF_EXPLAIN * n_features * n_training * (n_features + 10)
    return int(min(_MOST_EXPLAINED, _OPERATIONS // one_row))


def _rows(
    cases: Cases, order: np.ndarray, contributions: np.ndarray, facts: Usual
) -> Iterator[list[Any]]:
    X = np.asarray(cases.X)
    cells = [cases.values(column) for column in cases.columns]
    for place, row in enumerate(order):
        known = place < len(contributions)
        if known:
            weight = contributions[place]
        else:
            weight = np.zeros(len(cases.columns))
            np.maximum.at(weight, cases.column_of, facts.deviation(X[row]))
        listed = np.argsort(-np.abs(weight), kind="stable")[:_MOST_COLUMNS]
        yield [
            listed.tolist(),
            [short(plain_value(cells[column][row])) for column in listed],
            [short(float(value)) for value in weight[listed]] if known else None,
            short(float(weight.sum() - weight[listed].sum())) if known else None,
        ]
