"""How a text table is written, guessed from its beginning."""

import codecs
import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from l1kpca.tables.table import Notes, Reading, TableError, check_width, unique_names
from l1kpca.tables.written import NO_NUMBER, shortened

MISSING_WORDS = ("", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "None", "NONE", "?")

_DELIMITERS = (",", ";", "\t", "|"), ("^", "~", "\x01", "\x1f", "\xa6", "&", ":", " ")
_SAMPLE_ROWS = 300
_COMMENT = "#"
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
_CONTROLS = bytes({*range(32)} - {1, *range(9, 14), 27, 31})
_FEWEST_BELOW = 4  # rows, before the first can be one of units
_ARFF = re.compile(r"@(?:relation|attribute|data)\b", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""\s*@attribute\s+(?P<name>'[^']*'|"[^"]*"|\S+)""", re.IGNORECASE)
_YEAR = re.compile(r"(?:1[89]|20)\d\d")


@dataclass(frozen=True)
class Layout:
    """How a text table is written."""

    encoding: str
    errors: str = "strict"
    delimiter: str = ","
    quote: str = '"'
    decimal: str = "."
    thousands: str = ""
    skip: int = 0  # lines before the table
    header: int = 1  # lines of it that name the columns, or say what is in them
    names: tuple[str, ...] = ()
    missing: tuple[str, ...] = MISSING_WORDS
    comment: str = ""
    even: bool = True  # whether every line has as many cells as names; others must be mended


def guess_layout(path: str, head: bytes, whole: bool, reading: Reading, notes: Notes) -> Layout:
    """Guess from its first bytes how a text table is written; the user's word wins."""
    layout = _encoded(path, head, reading.encoding)
    text = codecs.getincrementaldecoder(layout.encoding)("replace").decode(head)
    lines = list(io.StringIO(text.lstrip("\ufeff"), newline=""))
    lines = lines if whole or len(lines) < 2 else lines[:-1]
    if not any(line.strip() for line in lines):
        raise TableError(f"{path} is empty; give a file with a line for each row.")
    layout = replace(layout, missing=(*MISSING_WORDS, *reading.missing))
    layout, width = _separated(path, lines, layout)
    check_width(path, width)
    rows = _records(lines, layout)
    start = _start(rows, width)
    if reading.header == "auto" and _is_group([row for _, row in rows[start:]], layout.missing):
        start += 1
    before, cells = [row for _, row in rows[:start]], [row for _, row in rows[start:]]
    kinds = [[_kind(cell, layout.missing) for cell in row] for row in cells]
    counts = Counter(itertools.chain(*kinds))
    commas = layout.delimiter != "," and counts["comma"] > counts["point"]
    decimal = reading.decimal or ("," if commas else ".")
    guessed = reading.header == "auto" and _has_header(cells, kinds, decimal)
    has_header = guessed or reading.header == "yes"
    header = int(has_header)
    while has_header and _is_unit_row(cells[header:], kinds[header:], decimal):
        header += 1
    names = cells[0] if has_header else _commented(before, layout, width)
    while len(names) > width and not names[-1].strip():
        names = names[:-1]
    if 0 < len(names) < width:  # R gives no name to the first column
        ends = all(not row[-1].strip() for row in cells[1:] if len(row) == width)
        blank = [""] * (width - len(names))
        names = [*names, *blank] if ends or len(blank) > 1 else [*blank, *names]
    if not all(row[0].startswith(_COMMENT) for row in before):
        shown = shortened(layout.delimiter.join(before[0]))
        notes.count("lines before the table are left out", shown, rows[start][0])
    if header > 1:
        said = "below the names are words where the columns have numbers, as units are: left out"
        notes.count(said, shortened(layout.delimiter.join(cells[1])), header - 1)
    comments = any(row[0].startswith(_COMMENT) and len(row) != width for row in cells)
    alike = all(len(row) == (len(names) or width) for row in cells[header:])
    one_line_each = rows[start + header - 1][0] - rows[start][0] + 1 == header
    return replace(
        layout,
        decimal=decimal,
        thousands=reading.thousands or "",
        skip=rows[start][0],
        header=header,
        names=unique_names(names, notes) if names else tuple(f"x{i}" for i in range(width)),
        comment=_COMMENT if comments else "",
        even=layout.delimiter != " " and alike and one_line_each,
    )


def _encoded(path: str, head: bytes, asked: str | None) -> Layout:
    if asked is not None:
        try:
            return Layout(codecs.lookup(asked).name)
        except LookupError:
            said = f"--encoding {asked} is not known; give one such as utf-8, utf-16 or cp1252."
            raise TableError(said) from None
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return Layout("utf-16")
    zeros = head.count(0)
    if zeros > len(head) / 4:
        odd = head[1::2].count(0)
        if max(odd, zeros - odd) == zeros:
            return Layout("utf-16-le" if odd else "utf-16-be")
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if controls > len(head) / 30:
        raise TableError(
            f"{path} is no table: it has bytes that no text has; give CSV, Parquet, Excel or .npz."
        )
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return other_encoding(Layout("utf-8"), head)
    return Layout("utf-8")


def other_encoding(layout: Layout, head: bytes) -> Layout:
    """The encoding of text that turns out not to be UTF-8."""
    text = head.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    proper = 0 < sum(letter > "\x7f" for letter in text) - bad >= bad
    if layout.encoding == "utf-8" and proper and layout.errors == "strict":
        return replace(layout, errors="replace")
    strange = layout.encoding == "cp1252" or re.search(rb"[\x81\x8d\x8f\x90\x9d]", head)
    return replace(layout, encoding="latin-1" if strange else "cp1252", errors="strict")


def _separated(path: str, lines: list[str], layout: Layout) -> tuple[Layout, int]:
    """Separator, quote and width that make the best table: even, of numbers, of many columns."""
    best: tuple[float, float, int] = (0.0, 0.0, 0)
    found = None
    for marks in _DELIMITERS:
        for mark, quote in itertools.product(marks, ('"', "'")):
            quotes = quote == '"' or any(f"{mark}'" in f"{mark}{line}" for line in lines)
            mixed = quote == "'" and any(f'{mark}"' in line for line in lines)
            if not quotes or mixed or not any(mark in line for line in lines):
                continue
            tried = replace(layout, delimiter=mark, quote=quote)
            rows = _records(lines, tried)
            filled = [cells for _, cells in rows if len(cells) > 1]
            if not filled:
                continue
            width, count = Counter(map(len, filled)).most_common(1)[0]
            kinds = Counter(_kind(c, layout.missing) for cells in filled for c in cells)
            numbers = kinds["whole"] + kinds["point"] + kinds["comma"]
            fitness = (round(count / len(rows), 1), round(numbers / kinds.total(), 2), width)
            if fitness > best:
                best, found = fitness, (tried, width)
        if found is not None:
            return found
    first = shortened(" ".join(lines[0].split()))
    raise TableError(f"{path} has one column (line 1: {first}); separate two by , ; tabs or |.")


def _records(lines: list[str], layout: Layout) -> list[tuple[int, list[str]]]:
    """The first rows that are not empty, each with the number of lines before it."""
    rows: list[tuple[int, list[str]]] = []
    reader, line = cells_of(lines, layout), 0
    with suppress(csv.Error):  # the first lines are enough for a guess
        for cells in reader:
            if any(map(str.strip, cells)):
                rows.append((line, cells))
            line = reader.line_num
            if len(rows) == _SAMPLE_ROWS:
                break
    return rows


def cells_of(lines: Iterable[str], layout: Layout) -> Any:
    """A reader of the cells of each line."""
    blank = layout.delimiter == " "
    return csv.reader(
        (line.strip(" ") for line in lines) if blank else lines,
        delimiter=layout.delimiter,
        quotechar=layout.quote,
        skipinitialspace=blank,
    )


def _start(rows: list[tuple[int, list[str]]], width: int) -> int:
    """Where the table begins: at the first row that is about as wide as most."""
    marked = sum(cells[0].startswith(_COMMENT) for _, cells in rows) < len(rows) / 2
    for place, (_, cells) in enumerate(rows):
        filled = sum(bool(cell.strip()) for cell in cells)
        comment = (marked and cells[0].startswith(_COMMENT)) or _ARFF.match(cells[0])
        if len(cells) >= width - 1 and (filled > 1 or width == 2) and not comment:
            below = rows[place + 1][1] if place + 1 < len(rows) else []
            words = all(_kind(cell, ()) == "word" for cell in below)
            if not (len(cells) < width == len(below) and words):  # else that has the names
                return place
    return 0


def _is_group(cells: list[list[str]], missing: tuple[str, ...]) -> bool:
    """Whether the first line names groups of columns, and the next one the columns."""
    first, second = ([*map(str.strip, row)] for row in cells[:2]) if len(cells) > 2 else ([], [])
    named = all(_kind(cell, missing) == "word" for cell in second)
    distinct = len({*second}) == len(second) == len(first) > len({*first} - {""})
    words = all(_kind(cell, missing) in ("word", "missing") for cell in first)
    columns = itertools.zip_longest(*cells[2:], fillvalue="")
    numbers = any("word" not in {_kind(cell, missing) for cell in column} for column in columns)
    return named and distinct and words and any(first) and numbers


def _commented(before: list[list[str]], layout: Layout, width: int) -> list[str]:
    """The names in the comments before a table without a header, if they are there."""
    lines = [layout.delimiter.join(row) for row in before]
    found = [match["name"] for line in lines if (match := _ATTRIBUTE.match(line))]
    if len(found) == width:
        return found
    if not before or not before[-1][0].startswith(_COMMENT):
        return []
    names: list[str] = next(cells_of([lines[-1].lstrip(_COMMENT + " ")], layout), [])
    words = all(_kind(name, layout.missing) in ("word", "missing") for name in names)
    return names if len(names) == width and words else []


def _has_header(cells: list[list[str]], kinds: list[list[str]], decimal: str) -> bool:
    """A first line of words, with a word above a column of numbers, or of years."""
    words = {"word", "comma"} if decimal == "." else {"word"}
    first, *rest = kinds
    if words.issuperset(first):
        return True
    for place, kind in enumerate(first):
        below = {row[place] for row in rest if len(row) == len(first)} - {"missing"}
        if kind in words and below and not below & words:
            return True
    years = [cell.strip() for cell in cells[0] if _YEAR.fullmatch(cell.strip())]
    counted = [cell for cell, kind in zip(cells[0], first, strict=True) if kind not in words]
    inside = sum(bool(_YEAR.fullmatch(cell.strip())) for row in cells[1:] for cell in row)
    rises = len(years) > 1 and years in (sorted(set(years)), sorted(set(years), reverse=True))
    if rises and len(years) == sum(map(bool, counted)) and inside < len(cells) - 1:
        return True
    # Words, and none of them again below.
    named = {"word", "missing"}.issuperset(first) and len(rest) > 2
    return named and all(
        kind == "missing" or cell not in {row[place] for row in cells[1:] if place < len(row)}
        for place, (cell, kind) in enumerate(zip(cells[0], first, strict=True))
    )


def _is_unit_row(cells: list[list[str]], kinds: list[list[str]], decimal: str) -> bool:
    """Whether the first row has no number, but words, in the columns that have numbers below."""
    if len(cells) < _FEWEST_BELOW or len(cells[0]) < 2:
        return False
    words, said = {"word", "comma"} if decimal == "." else {"word"}, []
    for place, (cell, kind) in enumerate(zip(cells[0], kinds[0], strict=True)):
        below = [row[place] for row in kinds[1:] if place < len(row)]
        n_words, n_missing = sum(k in words for k in below), below.count("missing")
        if 2 * n_words > len(below) - n_missing:  # a column of words, which a unit is not among
            if any(cell == row[place] != "" for row in cells[1:] if place < len(row)):
                return False
        elif n_missing < len(below):
            if kind != "missing" and (kind not in words or cell.strip().lower() in NO_NUMBER):
                return False
            said.append(kind in words)
    return sum(said) > len(said) / 2 and len(said) > 1


def _kind(cell: str, missing: tuple[str, ...]) -> str:
    cell = cell.strip()
    if cell in missing:
        return "missing"
    if _DECIMAL_COMMA.fullmatch(cell):
        return "comma"
    if not _NUMBER.fullmatch(cell):
        return "word"
    return "point" if "." in cell else "whole"
