"""One file of a table, and what the columns of all files can be."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa
from pyarrow import compute as pc

from l1kpca.tables.separation import Layout
from l1kpca.tables.table import Notes, label_word

Batches = Iterator[tuple[pa.RecordBatch, float]]
_CODE = r"^(?:0[0-9xX]|[0-9]{19,}$)"  # leading zeros, or more digits than a number keeps


@dataclass(frozen=True, eq=False, kw_only=True)
class Opened:
    """One file: its columns, and its rows as Arrow batches, as often as needed."""

    names: tuple[str, ...]  # of the columns, no two alike
    batches: Callable[[Notes], Batches]  # of consecutive rows, with the share read so far
    retried: Callable[[Exception], "Opened"] | None = None  # after an error, in another way
    layout: Layout | None = None  # of a text, whose cells are text until all are known
    names_given: bool = True  # by the file itself, as are the id and the truth
    id_column: str | None = None
    truth_column: str | None = None
    remarks: tuple[str, ...] = ()  # on how the file was read


class Columns:
    """What the columns of all files can be, as far as they were read."""

    def __init__(self, label_column: str | None = None) -> None:
        self.label_column = label_column
        self.labels: Counter[str] = Counter()
        self.kinds: dict[str, pa.DataType | None] = {}
        self.holes: set[str] = set()

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
            ladder = _ladder(pa.int64() if layout else column.type)
            if known is not None:
                ladder = ladder[ladder.index(known) :] if known in ladder else (pa.string(),)
            for kind in ladder:
                try:
                    _parsed(column, kind, layout)
                except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                    continue
                self.kinds[name] = kind
                break

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


def _ladder(kind: pa.DataType) -> tuple[pa.DataType, ...]:
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
