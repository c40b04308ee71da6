"""What the user says about files, what one file gives, and what was done to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from l1kpca.tables.table import TableError

MOST_COLUMNS = 20_000


@dataclass(frozen=True)
class Reading:
    """What the user says about a table; None and empty where nothing was said.

    Attributes
    ----------
    id_column, label_column : str or None
        The names of the rows; the truth.
    ignored, only : tuple of str
        Columns that are no features; those that alone are.
    header : {"auto", "yes", "no"}
        Whether the first line of a text has the names of the columns.
    encoding, decimal, thousands : str or None
        How text and the numbers in it are written.
    missing : tuple of str
        Words for a missing cell, beside the usual ones.
    """

    id_column: str | None = None
    label_column: str | None = None
    ignored: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    header: str = "auto"
    encoding: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    missing: tuple[str, ...] = ()


class Notes:
    """What was changed, left out or not understood: each thing once, with how often it was met."""

    def __init__(self) -> None:
        self._met: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def add(self, sentence: str) -> None:
        """Something that is said once."""
        self._first.setdefault(sentence, "")

    def update(self, sentences: Iterable[str]) -> None:
        """Several such things."""
        for sentence in sentences:
            self.add(sentence)

    def count(self, what: str, example: str, times: int = 1) -> None:
        """Something that can happen often."""
        self._first.setdefault(what, example)
        self._met[what] += times

    def __iter__(self) -> Iterator[str]:
        for what, example in self._first.items():
            times = f": {self._met[what]}" if what in self._met else ""
            yield f"{what}{times}" + (f" (the first: {example})" if example else "")


@dataclass(frozen=True, eq=False, kw_only=True)
class Opened(ABC):
    """One file: its columns, and its rows as Arrow batches, as often as they are asked for.

    Attributes
    ----------
    names : tuple of str
        Of the columns, no two alike.
    names_given : bool
        Whether they are the file's own.
    id_column, truth_column : str or None
        Columns that the file itself marks as such.
    remarks : tuple of str
        What a reader should know of how the file was read.
    """

    names: tuple[str, ...]
    names_given: bool = True
    id_column: str | None = None
    truth_column: str | None = None
    remarks: tuple[str, ...] = ()

    @abstractmethod
    def batches(self, notes: Notes) -> Iterator[tuple[pa.RecordBatch, float]]:
        """Consecutive rows, with the share of the file that was read with them."""

    def ladder(self, kind: pa.DataType) -> tuple[pa.DataType, ...]:
        """The types that a column of a type is tried as, one after the other."""
        if pa.types.is_integer(kind):
            return pa.int64(), pa.float64(), pa.string()
        if pa.types.is_decimal(kind):
            return pa.float64(), pa.string()
        if pa.types.is_date(kind):
            return pa.timestamp("ms"), pa.string()
        single = pa.types.is_float16(kind) or kind == pa.float32()
        if single or kind == pa.float64():
            return (pa.float32(),) * single + (pa.float64(), pa.string())
        own = pa.types.is_temporal(kind) or pa.types.is_boolean(kind)
        return (kind, pa.string()) if own else (pa.string(),)

    def parsed(self, column: Any, kind: pa.DataType) -> Any:
        """Cells in a type; ArrowInvalid if that cannot be."""
        if kind != pa.string() or pa.types.is_temporal(column.type):
            return column.cast(kind)
        try:
            return column.cast(kind)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # lists, bytes that are no text
            cells = [None if cell is None else str(cell) for cell in column.to_pylist()]
            return pa.array(cells, pa.string())

    def retried(self, error: Exception) -> Opened:
        """Another way to read the file, after an error; raises if there is none."""
        raise error


def check_width(path: Any, width: int) -> None:
    """Refuse tables with more columns than can be looked at."""
    if width > MOST_COLUMNS:
        raise TableError(
            f"{path} has {width} columns; at most {MOST_COLUMNS} can be looked at: give a file with"
            " those that matter."
        )


def unique_names(names: Iterable[Any], notes: Notes) -> tuple[str, ...]:
    """Names for columns, each once: what has no name is called by its place.

    Examples
    --------
    >>> unique_names(["a", "", "a"], notes := Notes()), list(notes)
    (('a', 'column 2', 'a_2'), ['columns with the same name were renamed: a_2'])
    """
    wanted = [
        str(name).strip().strip("'\"").strip() or f"column {i}"
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
        shown = ", ".join(renamed[:8]) + (", ..." if len(renamed) > 8 else "")
        notes.add(f"columns with the same name were renamed: {shown}")
    return tuple(found)
