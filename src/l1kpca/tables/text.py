"""Text tables in batches: fast if all lines are alike, else mended line by line."""

import codecs
import io
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute as pc
from pyarrow import csv as arrow_csv

from l1kpca.tables.layout import Layout, cells_of, guess_layout, other_encoding
from l1kpca.tables.records import Chunks, as_csv
from l1kpca.tables.table import Notes, Opened, Reading, TableError
from l1kpca.tables.written import shortened

BLOCK = 2**22  # bytes parsed at once; no line may be longer
_HEAD = 2**20
_CODE = r"^(?:0[0-9xX]|[0-9]{19,}$)"  # leading zeros, or more digits than a number keeps


def open_text(path: str, chunks: Chunks, reading: Reading, notes: Notes) -> "TextTable":
    """Look at the beginning of a text table, and say how it is written."""
    head, whole = b"", True
    for chunk in chunks([0.0]):
        head += chunk
        if len(head) >= _HEAD and re.search(rb"[\r\n]", head):
            whole = False
            break
        if len(head) > BLOCK:
            raise _too_long(path)
    layout = guess_layout(path, head, whole, reading, notes)
    return TextTable(names=layout.names, path=path, chunks=chunks, layout=layout, head=head).known()


@dataclass(frozen=True, eq=False, kw_only=True)
class TextTable(Opened):
    """A text file: all cells are text until it is known what the columns can be."""

    path: str
    chunks: Chunks
    layout: Layout
    head: bytes

    def known(self) -> "TextTable":
        """Add what follows from the layout."""
        layout, remarks = self.layout, []
        first, last = layout.names[0], layout.names[-1]
        if layout.errors == "replace":
            remarks += ["bytes that are not UTF-8 text are shown as \ufffd (else: --encoding)"]
        elif layout.encoding != "utf-8":
            remarks += [f"the text is taken to be in {layout.encoding} (else: --encoding)"]
        if first == "x0":
            remarks += [f"no line of column names was found: the columns are called x0 to {last}"]
        own_id = first if layout.header and first == "column 1" else None
        return replace(self, names_given=first != "x0", id_column=own_id, remarks=tuple(remarks))

    def ladder(self, kind: pa.DataType) -> tuple[pa.DataType, ...]:
        """Text may hold whole numbers or numbers."""
        return pa.int64(), pa.float64(), pa.string()

    def batches(self, notes: Notes) -> Iterator[tuple[pa.RecordBatch, float]]:
        """All cells as text."""
        layout, done = self.layout, [0.0]
        chunks = self.chunks(done)
        if layout.encoding != "utf-8" or layout.errors != "strict":
            text = codecs.iterdecode(chunks, layout.encoding, layout.errors)
            chunks = (part.encode("utf-8", "replace") for part in text)
        chunks = _with_line_ends(chunks, self.path)
        if not layout.even:
            chunks = as_csv(_mended(chunks, layout, notes))
            layout = replace(layout, skip=0, header=0, delimiter=",", quote='"')
        reader = arrow_csv.open_csv(
            io.BufferedReader(_Piped(chunks), BLOCK),
            read_options=arrow_csv.ReadOptions(
                block_size=BLOCK,
                skip_rows=layout.skip,
                column_names=layout.names,
                skip_rows_after_names=layout.header,
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=layout.delimiter, quote_char=layout.quote, newlines_in_values=True
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(layout.names, pa.string()),
                null_values=layout.missing,
                strings_can_be_null=True,
            ),
        )
        for batch in reader:
            empty = np.minimum.reduce([np.asarray(column.is_null()) for column in batch.columns])
            if empty.any():
                notes.count("rows without any value are left out", "", int(empty.sum()))
                batch = batch.filter(pa.array(~empty))
            yield batch, done[0]

    def parsed(self, column: Any, kind: pa.DataType) -> Any:
        """Cells as numbers; ArrowInvalid if one is not a number, or looks like a code."""
        if kind == pa.string():
            return column
        layout, cells = self.layout, column
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

    def retried(self, error: Exception) -> "TextTable":
        """In another encoding, or line by line."""
        layout, said = self.layout, str(error)
        if "straddl" in said:
            raise _too_long(self.path) from error
        if isinstance(error, UnicodeError) or "UTF8" in said:
            better = other_encoding(layout, self.head)
        else:
            better = replace(layout, even=False)
        if better == layout:
            reason = " ".join(said.split())[:200]
            raise TableError(f"{self.path} cannot be read as a table: {reason}.") from error
        return replace(self, layout=better).known()


def _too_long(path: str) -> TableError:
    return TableError(
        f"{path} has a line of more than {BLOCK >> 20} MB, or a quote that is never closed; give a"
        " table with a line for each row."
    )


class _Piped(io.RawIOBase):
    """A file of pieces that come one after the other."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._rest = filter(None, chunks), memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        self._rest = self._rest or memoryview(next(self._chunks, b""))
        taken = min(len(into), len(self._rest))
        into[:taken] = self._rest[:taken]
        self._rest = self._rest[taken:]
        return taken


def _with_line_ends(chunks: Iterator[bytes], path: str) -> Iterator[bytes]:
    """The same, until a line does not end: the reader's threads would read far ahead."""
    length = 0
    for chunk in chunks:
        end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))
        length = length + len(chunk) if end < 0 else len(chunk) - end - 1
        if length > 2 * BLOCK:
            raise _too_long(path)
        yield chunk


def lines_of(chunks: Iterator[bytes]) -> Iterator[str]:
    """The lines of a text in UTF-8; a very long one comes in pieces."""
    text = io.TextIOWrapper(io.BufferedReader(_Piped(chunks)), "utf-8-sig", "replace", newline="")
    return iter(lambda: text.readline(BLOCK), "")


def _mended(chunks: Iterator[bytes], layout: Layout, notes: Notes) -> Iterator[list[str]]:
    """Rows with as many cells as there are names; what is not one is counted."""
    lines = itertools.islice(lines_of(chunks), layout.skip, None)
    width = len(layout.names)
    for cells in itertools.islice(filter(any, cells_of(lines, layout)), layout.header, None):
        shown = shortened(layout.delimiter.join(cells))
        if layout.comment and cells[0].startswith(layout.comment):
            notes.count("comment lines are left out", shown)
        elif len(cells) == 1:
            notes.count(f"lines with one cell where others have {width} are left out", shown)
        elif any(cells[width:]):
            notes.count(f"lines with more than {width} cells are left out", shown)
        else:
            if len(cells) < width:
                notes.count(f"lines have fewer than {width} cells: the rest is missing", shown)
            yield [*cells[:width], *[""] * (width - len(cells))]
