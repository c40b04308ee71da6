"""What a detector says about rows, as plain facts; how they look is decided elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from l1kpca.outliers import Drift, Judged
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
    """A table, of which perhaps only the most abnormal rows are at hand."""

    scores: np.ndarray  # of all rows
    flags: np.ndarray
    labels: np.ndarray | None
    rows: np.ndarray  # which of all rows, counted from 0, are at hand
    sample: Any  # a uniform sample of the rows as the detector sees them
    cells: Callable[[str], Any]  # from a column to the cells of the sample


@dataclass(frozen=True, eq=False)
class Cases:
    """Rows to be judged, with what a reader needs to recognize them."""

    X: Any  # what the detector sees, (n_rows, n_features): an array or an encoded table
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
class Promise:
    """What is known of the share of false flags, for every line."""

    n_reference: int = 0
    p_values: np.ndarray | None = None
    most_false: np.ndarray | None = None
    """With 95% confidence, of this row and all more abnormal ones no more are ordinary."""
    estimate: np.ndarray | None = None
    """Without reference rows, the estimated share of false flags among the same rows."""
    drift: Drift | None = None
    says: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Summary:
    """All facts about one run of a detector."""

    source: str
    whole: Whole  # all rows: their scores, flags and labels
    judged: Judged  # what the detector says about the rows at hand
    n_rows: int
    n_flagged: int
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
        ranks = np.empty(self.n_rows, dtype=np.uint32)
        ranks[np.argsort(-self.whole.scores, kind="stable")] = np.arange(1, self.n_rows + 1)
        return ranks


def cases_of(detector: Any, X: Any, labels: Any, names: Sequence[Any] | None) -> Cases:
    """Rows of an array or a data frame, with labels and names that fit to them."""
    rows, encoder = np.asarray(X), detector.encoder_
    n_rows, n_columns = rows.shape
    framed = hasattr(X, "columns")
    columns = [str(name) for name in X.columns] if framed else [f"x{j}" for j in range(n_columns)]
    index = getattr(X, "index", None) if framed else None
    if names is None and index is not None and type(index).__name__ != "RangeIndex":
        names = list(index)
    if names is not None and len(names) != n_rows:
        raise ValueError(f"names has {len(names)} entries, but X has {n_rows} rows: give one each")
    used = columns if encoder is None else encoder.columns_
    return Cases(
        X=rows if encoder is None else encoder.encode(X),
        columns=used,
        column_of=np.arange(n_columns) if encoder is None else encoder.column_of_,
        values=lambda column: rows[:, columns.index(column)],
        names=names,
        labels=None if labels is None else _checked_labels(labels, n_rows),
        left_out=[name for name in columns if name not in used],
    )


def _checked_labels(labels: Any, n_rows: int) -> np.ndarray:
    labels = np.asarray(labels)
    if labels.shape != (n_rows,):
        raise ValueError(
            f"labels has shape {labels.shape}, but X has {n_rows} rows: give one label for each row"
        )
    found = np.unique(labels).tolist()
    if found != [0, 1]:
        shown = ", ".join(map(repr, found[:5])) + (", ..." if len(found) > 5 else "")
        raise ValueError(
            f"labels must hold 1 for outliers and 0 for other rows, and both must occur: found"
            f" {shown}"
        )
    return labels.astype(np.int64)


def to_plain(summary: Summary) -> dict[str, Any]:
    """The facts as what JSON can hold; scores of single rows only for the top ones."""
    top = []
    for row in summary.top:
        reasons = [{k: plain_value(v) for k, v in asdict(one).items()} for one in row.reasons]
        top.append(asdict(row) | {"name": plain_value(row.name), "reasons": reasons})
    promise, drift = summary.promise, summary.promise.drift
    return {
        "source": summary.source,
        "n_rows": summary.n_rows,
        "n_flagged": summary.n_flagged,
        "cutoff": plain_value(summary.cutoff),
        "clear_line": summary.clear_line,
        "promise": {
            "n_reference": promise.n_reference,
            "drift": drift and {"found": drift.found, "evidence": drift.evidence},
            "says": list(promise.says),
        },
        "columns": list(summary.columns),
        "settings": dict(summary.settings),
        "notes": list(summary.notes),
        "agreement": summary.agreement and asdict(summary.agreement),
        "top": top,
    }
