"""A table, what the user says about it, the file behind it, and what was done to it."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

MOST_COLUMNS = 20_000
Progress = Callable[[float, float], None]  # called with done and total
_OUTLIER_WORDS = {
    "1", "true", "yes", "y", "t", "outlier", "anomaly", "anomalous", "abnormal", "fraud",
    "attack", "malicious", "bad", "defect", "positive",
}  # fmt: skip


class TableError(ValueError):
    """A table cannot be used; one sentence names the place and the way out."""


@dataclass(frozen=True, eq=False)
class Table:
    """Rows as they were read: all columns, in the order of the source."""

    frame: pd.DataFrame  # all of the ``n_rows`` rows, or a uniform sample of them
    source: str
    id_column: str | None = None
    label_column: str | None = None
    truth_column: str | None = None  # the source itself marks it as the truth
    ignored: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
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
        apart = {self.id_column, self.label_column, self.truth_column, *self.ignored}
        names = self.only or self.frame.columns
        return [name for name in names if name not in apart]

    def labels(self, frame: pd.DataFrame | None = None) -> np.ndarray | None:
        """The label column as 0 (inlier) and 1 (outlier); in doubt, the rarer value is 1."""
        name = self.label_column
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


@dataclass(frozen=True)
class Reading:
    """What the user says about a table; None or empty where they say nothing."""

    id_column: str | None = None
    label_column: str | None = None
    ignored: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    header: str = "auto"  # or "yes", "no": whether the first line of a text names the columns
    encoding: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    missing: tuple[str, ...] = ()  # words for a missing cell, beside the usual ones


class Notes:
    """What was changed, left out or not understood, each once with its count."""

    def __init__(self) -> None:
        self._met: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def update(self, sentences: Iterable[str]) -> None:
        """Add sentences, each once."""
        self._first |= {s: "" for s in sentences if s not in self._first}

    def count(self, what: str, example: str, times: int = 1) -> None:
        """Count something that can happen often."""
        self._first.setdefault(what, example)
        self._met[what] += times

    def __iter__(self) -> Iterator[str]:
        for what, example in self._first.items():
            times = f": {self._met[what]}" if what in self._met else ""
            yield f"{what}{times}" + (f" (the first: {example})" if example else "")


@dataclass(frozen=True, eq=False, kw_only=True)
class Opened(ABC):
    """One file: its columns, and its rows as Arrow batches, as often as needed."""

    names: tuple[str, ...]  # of the columns, no two alike
    names_given: bool = True  # by the file itself, as are the id and the truth
    id_column: str | None = None
    truth_column: str | None = None
    remarks: tuple[str, ...] = ()  # on how the file was read

    @abstractmethod
    def batches(self, notes: Notes) -> Iterator[tuple[pa.RecordBatch, float]]:
        """Consecutive rows, with the share of the file read so far."""

    def ladder(self, kind: pa.DataType) -> tuple[pa.DataType, ...]:
        """The types to try for a column of this type, in order."""
        if pa.types.is_integer(kind):
            return pa.int64(), pa.float64(), pa.string()
        if pa.types.is_float16(kind) or kind == pa.float32():
            return pa.float32(), pa.float64(), pa.string()
        if pa.types.is_decimal(kind) or kind == pa.float64():
            return pa.float64(), pa.string()
        if pa.types.is_date(kind):
            return pa.timestamp("ms"), pa.string()
        own = pa.types.is_temporal(kind) or pa.types.is_boolean(kind)
        return (kind, pa.string()) if own else (pa.string(),)

    def parsed(self, column: Any, kind: pa.DataType) -> Any:
        """Cells as a type; ArrowInvalid if that is impossible."""
        if kind != pa.string() or pa.types.is_temporal(column.type):
            return column.cast(kind)
        try:
            return column.cast(kind)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # lists, bytes that are no text
            cells = [None if cell is None else str(cell) for cell in column.to_pylist()]
            return pa.array(cells, pa.string())

    def retried(self, error: Exception) -> "Opened":
        """Another way to read the file, after an error; raises if there is none."""
        raise error


def stamp(path: Path) -> tuple[int, int] | None:
    """The size of a file, and when it was written."""
    with suppress(OSError):
        found = path.stat()
        return found.st_size, found.st_mtime_ns
    return None


def check_unchanged(seen: Mapping[Path, Any]) -> None:
    """Refuse files whose `stamp` is another one now: their rows would not fit those read before."""
    for path, before in seen.items():
        if stamp(path) != before:
            raise TableError(f"{path} was changed while it was read; start again.")


@contextmanager
def unchanged(seen: Mapping[Path, Any]) -> Iterator[None]:
    """A look at the files; what goes wrong in it is blamed on a change if there was one."""
    try:
        yield
    except Exception:
        check_unchanged(seen)
        raise
    check_unchanged(seen)


def check_width(path: Any, width: int) -> None:
    """Refuse tables with too many columns."""
    if width > MOST_COLUMNS:
        raise TableError(f"{path} has {width} columns; give at most {MOST_COLUMNS} that matter.")


def unique_names(names: Iterable[Any], notes: Notes) -> tuple[str, ...]:
    """Names for columns, each once, such as a, column 2, a_2 for a, nothing, a."""
    wanted = [
        " ".join(str(name).strip().strip("'\"").split()) or f"column {i}"
        for i, name in enumerate(names, start=1)
    ]
    found: dict[str, None] = {}
    taken = set(wanted)
    for name in wanted:
        free, number = name, 1
        while free in found or (free != name and free in taken):
            number += 1
            free = f"{name}_{number}"
        found[free] = None
    renamed = [new for new, old in zip(found, wanted, strict=True) if new != old]
    if renamed:
        notes.update([f"columns with the same name were renamed: {shown_list(renamed)}"])
    return tuple(found)
