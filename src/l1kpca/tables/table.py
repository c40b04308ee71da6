"""A table, what is said about it, how its files are written, and what its columns can be."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import compute as pc

from l1kpca._typing import Progress

MOST_COLUMNS = 20_000
MISSING_WORDS = ("", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "None", "NONE", "?")
_CODE = r"^(?:0[0-9xX]|[0-9]{19,}$)"  # leading zeros, or more digits than a number keeps
_NUMBERS = {pa.int64(), pa.float32(), pa.float64()}
_NARROWEST = {
    pa.types.is_integer: pa.int64(), pa.types.is_float16: pa.float32(),
    pa.types.is_decimal: pa.float64(), pa.types.is_date: pa.timestamp("ms"),
}  # fmt: skip
Batches = Iterator[tuple[pa.RecordBatch, float]]
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
    header: bool | None = None  # whether the first line of a text names the columns
    encoding: str | None = None
    separator: str | None = None  # of the cells of a text
    decimal: str | None = None
    thousands: str | None = None
    missing: tuple[str, ...] = ()  # words for a missing cell, beside the usual ones


@dataclass(frozen=True)
class Layout:
    """How a text table is written."""

    encoding: str = "utf-8"
    errors: str = "strict"
    delimiter: str = ","
    quote: str = '"'
    decimal: str = "."
    thousands: str = ""
    skip: int = 0  # lines before the table
    header: int = 1  # lines of it that name the columns, or say what is in them
    names: tuple[str, ...] = ()
    id_column: str | None = None  # the first, if it has no name
    missing: tuple[str, ...] = MISSING_WORDS
    comment: str = ""
    even: bool = True  # whether every line has as many cells as names; others must be mended


@dataclass
class Notes:
    """What was changed, left out or not understood, each once with its count."""

    _met: dict[str, tuple[str, int]] = field(default_factory=dict)

    def add(self, what: str, example: str = "", times: int = 0) -> None:
        """Say a thing once; count it, with the first example, if it can happen often."""
        first, met = self._met.get(what, (example, 0))
        self._met[what] = first, met + times

    def __iter__(self) -> Iterator[str]:
        for what, (example, times) in self._met.items():
            count, first = f": {times}" if times else "", f" (the first: {example})"
            yield f"{what}{count}{first if example else ''}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Opened:
    """One file: its columns, and its rows as Arrow batches, as often as needed."""

    names: tuple[str, ...]  # of the columns, no two alike
    batches: Callable[[Any, Notes], Batches]  # of consecutive rows, with the share read so far
    layout: Layout | None = None  # of a text, whose cells are text until all are known
    retried: Callable[[Any, Exception], Layout] | None = None  # the layout to try after an error
    names_given: bool = True  # by the file itself, as is the truth
    truth_column: str | None = None


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
        apart = [self.id_column, said.label_column, self.truth_column, *said.ignored]
        return list(pd.Index(said.only or self.frame.columns).difference(apart, sort=False))

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


@dataclass
class Columns:
    """What the columns of all files can be, as far as they were read."""

    label_column: str | None = None
    labels: Counter[str] = field(default_factory=Counter)
    kinds: dict[str, pa.DataType | None] = field(default_factory=dict)
    holes: set[str] = field(default_factory=set)

    def learn(self, batch: pa.RecordBatch, layout: Layout | None) -> None:
        """Widen the types of the columns so that they hold the cells of a batch."""
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            known = self.kinds.setdefault(name, None)
            if name == self.label_column:
                for found in column.value_counts().to_pylist():
                    self.labels[label_word(found["values"])] += found["counts"]
            if column.null_count:
                self.holes.add(name)
            if column.null_count == len(column):
                continue
            kind = pa.int64() if layout else _kind(column.type)
            if known not in (None, kind):
                kind = pa.float64() if {known, kind} <= _NUMBERS else pa.string()
            while kind != pa.string():
                try:
                    _parsed(column, kind, layout)
                    break
                except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                    kind = pa.float64() if kind in _NUMBERS - {pa.float64()} else pa.string()
            self.kinds[name] = kind

    def frame(self, batch: pa.RecordBatch, layout: Layout | None) -> pd.DataFrame:
        """Rows as a data frame; the types are the same for every batch."""
        found = {}
        holed = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}.get
        for name, kind in self.kinds.items():
            kind = pa.string() if kind is None else kind
            if name in batch.schema.names:
                column = _parsed(batch.column(name), kind, layout)
            else:
                column = pa.nulls(batch.num_rows, kind)
            found[name] = column.to_pandas(types_mapper=holed if name in self.holes else None)
        return pd.DataFrame(found)


def _kind(own: pa.DataType) -> pa.DataType:
    """The narrowest type in which a column of this type is kept."""
    for fits, kind in _NARROWEST.items():
        if fits(own):
            return kind
    kept = pa.types.is_floating(own) or pa.types.is_temporal(own) or pa.types.is_boolean(own)
    return own if kept else pa.string()


def _parsed(cells: Any, kind: pa.DataType, layout: Layout | None) -> Any:
    """Cells as a type; ArrowInvalid if that is impossible, or if text looks like codes."""
    if layout is None or kind == pa.string():
        try:
            return cells.cast(kind)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            if kind != pa.string() or pa.types.is_temporal(cells.type):
                raise
            # Lists, and bytes that are no text.
            words = [None if cell is None else str(cell) for cell in cells.to_pylist()]
            return pa.array(words, pa.string())
    if layout.thousands:
        cells = pc.replace_substring(cells, layout.thousands, "")
    if layout.decimal != ".":
        cells = pc.replace_substring(cells, layout.decimal, ".")
    try:
        numbers = cells.cast(kind)
    except pa.ArrowInvalid:
        cells = pc.utf8_trim_whitespace(cells)
        empty = pc.is_in(cells, pa.array(layout.missing))
        cells = pc.if_else(empty, pa.scalar(None, pa.string()), cells)
        numbers = cells.cast(kind)
    whole = cells.filter(pc.equal(pc.find_substring(cells, "."), -1))
    if pc.any(pc.match_substring_regex(whole, _CODE)).as_py():
        raise pa.ArrowInvalid("codes are no numbers")
    return numbers
