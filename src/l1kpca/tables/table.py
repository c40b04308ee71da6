"""A table, what the user says about it, and what was done to it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

MOST_COLUMNS = 20_000
Progress = Callable[[float, float], None]  # called with done and total
_OUTLIER_WORDS = {
    "1", "true", "yes", "y", "t", "outlier", "anomaly", "anomalous", "abnormal", "fraud",
    "attack", "malicious", "bad", "defect", "positive",
}  # fmt: skip


class TableError(ValueError):
    """A table cannot be used; one sentence names the place and the way out."""


@dataclass(frozen=True)
class Reading:
    """What the user says about a table; None or empty where they say nothing."""

    id_column: str | None = None
    label_column: str | None = None
    ignored: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    header: str = "auto"  # or "yes", "no": whether the first line of a text names the columns
    encoding: str | None = None
    separator: str | None = None  # of the cells of a text
    decimal: str | None = None
    thousands: str | None = None
    missing: tuple[str, ...] = ()  # words for a missing cell, beside the usual ones


@dataclass(frozen=True, eq=False)
class Table:
    """Rows as they were read: all columns, in the order of the source."""

    frame: pd.DataFrame  # all of the ``n_rows`` rows, or a uniform sample of them
    source: str
    reading: Reading
    id_column: str | None = None  # by the user, or by the source itself, as is the truth
    truth_column: str | None = None
    names_given: bool = True
    notes: tuple[str, ...] = ()
    n_rows: int = 0
    label_counts: Mapping[str, int] | None = None
    again: Callable[[Progress], Iterator[pd.DataFrame]] | None = None

    def batches(self, progress: Progress = lambda done, total: None) -> Iterator[pd.DataFrame]:
        """All rows, batch by batch; at once if they are all in memory."""
        if self.again is None or len(self.frame) == self.n_rows:
            yield self.frame
        else:
            yield from self.again(progress)

    @property
    def feature_columns(self) -> list[str]:
        """Columns that describe the rows."""
        said = self.reading
        apart = {self.id_column, said.label_column, self.truth_column, *said.ignored}
        names = said.only or self.frame.columns
        return [name for name in names if name not in apart]

    def labels(self, frame: pd.DataFrame | None = None) -> np.ndarray | None:
        """The label column as 0 (inlier) and 1 (outlier); in doubt, the rarer value is 1."""
        name = self.reading.label_column
        if name is None:
            return None
        values = (self.frame if frame is None else frame)[name]
        words = values.map(label_word)
        known = [word for word, _ in Counter(self.label_counts or words).most_common()]
        where = f"{self.source}: the label column {name!r}"
        if "" in known:
            holes = values.isna().to_numpy()
            row = f"row {holes.argmax() + 1}" if holes.any() else "some rows"
            raise TableError(f"{where} has no value in {row}; fill it, or leave --label out.")
        if len(known) > 2:
            shown = ", ".join(map(repr, sorted(known)[:4]))
            raise TableError(f"{where} has more than two values ({shown}); give exactly two.")
        if len(known) == 1:
            raise TableError(f"{where} is {known[0]!r} in every row; leave --label out.")
        told = [word for word in known if word in _OUTLIER_WORDS]
        told = ["-1"] if "-1" in known else told  # as scikit-learn writes outliers
        outlier = told[0] if len(told) == 1 else known[-1]
        return (words == outlier).to_numpy().astype(np.int8)


def label_word(cell: Any) -> str:
    """A label in one spelling: 1, 1.0 and "1 " are the same."""
    return ("" if pd.isna(cell) else str(cell)).strip().casefold().removesuffix(".0")


def shown_list(names: list[str], at_most: int = 8) -> str:
    """Names for a message, cut short if there are many."""
    shown = ", ".join(names[:at_most])
    return f"{shown} and {len(names) - at_most} more" if len(names) > at_most else shown


class Notes:
    """What was changed, left out or not understood, each once with its count."""

    def __init__(self) -> None:
        self._met: dict[str, tuple[str, int]] = {}

    def add(self, what: str, example: str = "", times: int = 0) -> None:
        """Say a thing once; count it, with the first example, if it can happen often."""
        first, met = self._met.get(what, (example, 0))
        self._met[what] = first, met + times

    def __iter__(self) -> Iterator[str]:
        for what, (example, times) in self._met.items():
            count, first = f": {times}" if times else "", f" (the first: {example})"
            yield f"{what}{count}{first if example else ''}"


def unique_names(path: Any, names: Iterable[Any], notes: Notes) -> tuple[str, ...]:
    """Names for columns, each once, such as a, column 2, a_2 for a, nothing, a; not too many."""
    wanted = [
        " ".join(str(name).strip().strip("'\"").split()) or f"column {i}"
        for i, name in enumerate(names, start=1)
    ]
    if len(wanted) > MOST_COLUMNS:
        said = f"{path} has {len(wanted)} columns; give at most {MOST_COLUMNS} that matter."
        raise TableError(said)
    found: dict[str, str] = {}  # the new names, and the old ones
    taken = set(wanted)
    for name in wanted:
        free, number = name, 1
        while free in found or (free != name and free in taken):
            number += 1
            free = f"{name}_{number}"
        found[free] = name
    renamed = [new for new, old in found.items() if new != old]
    if renamed:
        notes.add(f"columns with the same name were renamed: {shown_list(renamed)}")
    return tuple(found)
