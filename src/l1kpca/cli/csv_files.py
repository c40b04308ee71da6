"""Text tables: the layout is guessed from the first lines, then every line must keep to it."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
import pyarrow as pa
from pyarrow import csv as arrow_csv

from l1kpca.cli.errors import InputError

SUFFIXES = (".csv", ".tsv", ".txt")
MISSING_WORDS = ("", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "None", "NONE", "?")

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_BYTES = 262_144
_SAMPLE_ROWS = 200
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")


@dataclass(frozen=True)
class Layout:
    """How a text table is written."""

    delimiter: str
    decimal: str
    has_header: bool
    names: tuple[str, ...]


def read_csv(path: Path, header: str, text_column: str | None) -> tuple[pd.DataFrame, Layout]:
    """Read a text table.

    Parameters
    ----------
    path : Path
        The file.
    header : {"auto", "yes", "no"}
        Whether the first line holds the names of the columns.
    text_column : str or None
        A column to be kept as it is written, not read as numbers: an id may begin with zeros.

    Returns
    -------
    frame : DataFrame
        The cells, missing ones as missing.
    layout : Layout
        What was found out about the file.

    Raises
    ------
    InputError
        If the file is not such a table; names the line.
    """
    layout = _guess_layout(path, _sample(path), header)
    try:
        table = arrow_csv.read_csv(
            path,
            read_options=arrow_csv.ReadOptions(
                column_names=layout.names, skip_rows_after_names=int(layout.has_header)
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=layout.delimiter, newlines_in_values=True
            ),
            convert_options=arrow_csv.ConvertOptions(
                null_values=MISSING_WORDS,
                strings_can_be_null=True,
                decimal_point=layout.decimal,
                column_types={text_column: pa.string()} if text_column in layout.names else None,
            ),
        )
    except pa.ArrowInvalid as error:
        raise _diagnosed(path, layout, str(error)) from error
    if any(pa.types.is_binary(kind) for kind in table.schema.types):  # text that is not UTF-8
        raise _not_utf8(path)
    if not table.num_rows:
        raise InputError(f"{path} has a line of column names and no rows; give a file with rows.")
    holed = any(
        pa.types.is_integer(column.type) and column.null_count for column in table.itercolumns()
    )
    # Whole numbers stay whole where some are missing.
    whole = {pa.int64(): pd.Int64Dtype()}.get if holed else None
    return table.to_pandas(types_mapper=whole, split_blocks=True, self_destruct=True), layout


def line_of_row(path: Path, layout: Layout, row: int) -> int:
    """Number of the line on which a row of data begins; slow, for messages."""
    for found, (line, _) in enumerate(_records(path, layout)):
        if found == row:
            return line
    raise InputError(f"{path} changed while it was read; run the command again.")


def _records(path: Path, layout: Layout) -> Iterator[tuple[int, list[str]]]:
    """Every row of data with the line on which it begins."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file, delimiter=layout.delimiter)
        line, to_skip = 1, int(layout.has_header)
        for record in reader:
            if record and not to_skip:
                yield line, record
            to_skip -= bool(record and to_skip)
            line = reader.line_num + 1


def _sample(path: Path) -> list[str]:
    """The first lines as text, after a look at what kind of file this is."""
    with path.open("rb") as file:
        head = file.read(_SAMPLE_BYTES)
        whole = not file.read(1)
    if not head.strip(b"\xef\xbb\xbf \t\r\n"):
        raise InputError(f"{path} is empty; give a file with a line for each row.")
    if b"\0" in head or head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(
            f"{path} is not a text file in UTF-8 (line 1 already has bytes that no such file has);"
            " save it as CSV in UTF-8."
        )
    if not whole:
        head = head[: head.rfind(b"\n") + 1] or head
    try:
        return head.decode("utf-8-sig").splitlines(keepends=True)
    except UnicodeDecodeError:
        raise _not_utf8(path) from None


def _not_utf8(path: Path) -> InputError:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                byte = line[error.start]
                return InputError(
                    f"{path}, line {number}: byte 0x{byte:02X} is not UTF-8 text; save the file in"
                    " UTF-8 (for example: iconv -f LATIN1 -t UTF-8)."
                )
    return InputError(f"{path} is not UTF-8 text; save the file in UTF-8.")


def _guess_layout(path: Path, lines: list[str], header: str) -> Layout:
    candidates = [(_fitness(rows := _rows(lines, mark)), mark, rows) for mark in _DELIMITERS]
    _, delimiter, rows = max(candidates, key=lambda candidate: candidate[0])
    width = len(rows[0])
    if width < 2:
        raise InputError(
            f"{path} has one column (line 1: {_short(lines[0])}); give at least two, separated by"
            " commas, semicolons, tabs or |."
        )
    decimal = "," if delimiter == ";" and _has_decimal_commas(rows) else "."
    has_header = _looks_like_header(rows, decimal) if header == "auto" else header == "yes"
    layout = Layout(delimiter, decimal, has_header, tuple(f"x{i}" for i in range(width)))
    return replace(layout, names=_names(path, rows[0])) if has_header else layout


def _rows(lines: list[str], delimiter: str) -> list[list[str]]:
    reader = csv.reader(lines, delimiter=delimiter)
    rows: list[list[str]] = []
    try:
        for row in reader:
            if row:
                rows.append(row)
            if len(rows) == _SAMPLE_ROWS:
                break
    except csv.Error:
        pass  # the first lines are enough for a guess; the reader proper names the bad one
    return rows or [[""]]


def _fitness(rows: list[list[str]]) -> tuple[float, float, int]:
    """How much a delimiter makes a table of the lines: even width first, then numbers."""
    widths = Counter(map(len, rows))
    width, count = widths.most_common(1)[0]
    if width < 2 and len(rows[0]) < 2:
        return (0.0, 0.0, 0)
    cells = [cell for row in rows for cell in row]
    numbers = sum(_is_number(cell, ".") or _is_number(cell, ",") for cell in cells)
    return (count / len(rows), numbers / len(cells), width)


def _has_decimal_commas(rows: list[list[str]]) -> bool:
    cells = [cell.strip() for row in rows for cell in row]
    commas = sum(bool(_DECIMAL_COMMA.fullmatch(cell)) for cell in cells)
    points = sum("." in cell and _is_number(cell, ".") for cell in cells)
    return commas > points


def _looks_like_header(rows: list[list[str]], decimal: str) -> bool:
    """A first line without numbers, or with a word above a column of numbers."""
    first, rest = rows[0], rows[1:]
    words = [_is_word(cell, decimal) for cell in first]
    if all(words):
        return True
    for place, is_word in enumerate(words):
        below = [row[place] for row in rest if len(row) == len(first)]
        below = [cell for cell in below if cell.strip() not in MISSING_WORDS]
        if is_word and below and all(_is_number(cell, decimal) for cell in below):
            return True
    return False


def _is_word(cell: str, decimal: str) -> bool:
    return cell.strip() not in MISSING_WORDS and not _is_number(cell, decimal)


def _is_number(cell: str, decimal: str) -> bool:
    if decimal == "," and _DECIMAL_COMMA.fullmatch(cell.strip()):
        return True
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # Python reads 1_000, nobody else does


def _names(path: Path, header: list[str]) -> tuple[str, ...]:
    names = [name.strip() or f"column {i}" for i, name in enumerate(header, start=1)]
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise InputError(
            f"{path}, line 1: the column name {repeated[0]!r} is used"
            f" {names.count(repeated[0])} times; give every column its own name."
        )
    return tuple(names)


def _diagnosed(path: Path, layout: Layout, complaint: str) -> InputError:
    """Find the line that the fast reader stumbled over, and say it in one sentence."""
    width, begin = len(layout.names), "line 1" if layout.has_header else "the first line"
    try:
        for line, record in _records(path, layout):
            if len(record) != width:
                return InputError(
                    f"{path}, line {line}: {len(record)} cells where {begin} has {width}; correct"
                    " the line (a cell that holds the separator must be in double quotes)."
                )
    except UnicodeDecodeError:
        return _not_utf8(path)
    except csv.Error as error:
        complaint = str(error)
    return InputError(f"{path} cannot be read as a table: {' '.join(complaint.split())}.")


def _short(text: str) -> str:
    text = " ".join(text.split())
    return repr(text if len(text) <= 40 else f"{text[:37]}...")
