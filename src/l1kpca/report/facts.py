"""What a detector says about rows, as plain facts; how they look is decided elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from l1kpca.outliers import Judged
from l1kpca.report.promises import Promise
from l1kpca.report.values import plain_value


@dataclass(frozen=True)
class Reason:
    """What one column of the data adds to the score of one row."""

    column: str
    value: Any  # its cell in this row
    contribution: float
    share: float  # of all that adds to the score
    expected: Any = None
    """What the cell should have been, given the others of its row, if it stands out."""


@dataclass(frozen=True)
class SuspiciousRow:
    """One of the most abnormal rows."""

    rank: int  # 1 for the most abnormal
    row: int  # its number in the data, from 1
    name: Any  # its id, None if the data have none
    score: float
    p_value: float | None  # against the reference rows, if there are any
    flagged: bool
    label: int | None  # the truth, if it is known: 1 is an outlier
    reasons: tuple[Reason, ...]  # the most responsible columns


@dataclass(frozen=True)
class Agreement:
    """How well scores agree with a known truth."""

    n_outliers: int
    average_precision: float
    roc_auc: float
    precision_at_n: float  # share of outliers among the `n_outliers` rows with the highest scores


@dataclass(frozen=True, eq=False)
class Whole:
    """A table of which only the most abnormal rows are at hand."""

    scores: np.ndarray  # of all rows
    flags: np.ndarray
    labels: np.ndarray | None
    rows: np.ndarray  # which of all rows, counted from 0, are at hand
    sample: Any  # a uniform sample of the rows as the detector sees them
    cells: Callable[[str], Any]  # from a column to the cells of the sample


@dataclass(frozen=True, eq=False)
class Cases:
    """Rows to be judged, with what a reader needs to recognize them."""

    X: Any  # what the detector sees, (n_rows, n_features)
    columns: Sequence[str]  # names of the columns that a reader knows
    column_of: np.ndarray  # for each feature, the place in `columns` it was made from
    values: Callable[[str], Any]
    """From a column to its cells as a reader knows them, one for each row."""
    names: Sequence[Any] | None = None  # ids of the rows
    labels: np.ndarray | None = None  # the truth: 1 is an outlier, 0 is not
    whole: Whole | None = None
    """The table that these rows are the most abnormal ones of; None if they are all."""
    left_out: Sequence[str] = ()  # columns of the data that are not looked at


@dataclass(frozen=True, eq=False)
class Summary:
    """All facts about one run of a detector."""

    source: str
    n_rows: int
    n_flagged: int
    judged: Judged  # what the detector says about the rows at hand
    scores: np.ndarray  # of all rows
    flags: np.ndarray
    cutoff: float  # scores above it are flagged
    columns: tuple[str, ...]  # those that were used
    top: tuple[SuspiciousRow, ...]
    contributions: np.ndarray
    """What each column adds to the scores of the top rows, (n_top, n_columns)."""
    promise: Promise
    agreement: Agreement | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)  # numbers, text and truth values
    clear_line: bool = True  # whether few rows are near the cut-off
    notes: tuple[str, ...] = ()  # what a reader should know about the data

    @property
    def ranks(self) -> np.ndarray:
        """1 is the most abnormal of all rows, the first one of equals."""
        ranks = np.empty(len(self.scores), dtype=np.uint32)
        order = np.argsort(-self.scores, kind="stable")
        ranks[order] = np.arange(1, len(ranks) + 1, dtype=np.uint32)
        return ranks


def to_plain(summary: Summary) -> dict[str, Any]:
    """The facts as what JSON can hold; scores of single rows only for the top ones."""
    top = []
    for row in summary.top:
        plain = asdict(row) | {"name": plain_value(row.name)}
        plain["reasons"] = [
            {name: plain_value(value) for name, value in reason.items()}
            for reason in plain["reasons"]
        ]
        top.append(plain)
    return {
        "source": summary.source,
        "n_rows": summary.n_rows,
        "n_flagged": summary.n_flagged,
        "cutoff": plain_value(summary.cutoff),
        "clear_line": summary.clear_line,
        "promise": summary.promise.to_plain(),
        "columns": list(summary.columns),
        "settings": dict(summary.settings),
        "notes": list(summary.notes),
        "agreement": None if summary.agreement is None else asdict(summary.agreement),
        "top": top,
    }
