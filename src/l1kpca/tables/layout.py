"""How a text table is written, guessed from its first lines."""

import csv
import itertools
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from l1kpca.tables.table import Layout, Notes, Reading, TableError, unique_names
from l1kpca.tables.written import ERRORS, NO_NUMBER, shortened

_DELIMITERS = (",", ";", "\t", "|"), ("^", "~", "\x01", "\x1f", "\xa6", "&", ":", " ")
_NO_MARK = "\x1e"  # separates nothing
_SAMPLE_ROWS = 300
_EVEN_ROWS = 3  # one after the other, where a table begins
_FEWEST_BELOW = 4  # rows, before the first can be one of units
_COMMENT = "#"
_ATTRIBUTE = re.compile(r"""\s*@attribute\s+(?P<name>'[^']*'|"[^"]*"|\S+)""", re.IGNORECASE)
_ARFF = re.compile(r"@(?:relation|attribute|data)\b", re.IGNORECASE)
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\d*[.,]\d+)(?:[eE][+-]?\d+)?")
_MISSING, _WORD, _WHOLE, _POINT, _COMMA = "?w0.,"  # kinds of cells
_NUMBERS = (_WHOLE, _POINT, _COMMA)


class Row(NamedTuple):
    """A row of a text table."""

    line: int  # how many lines are before it
    cells: list[str]
    kinds: str  # of the cells, a letter for each


def guess_layout(
    path: str, lines: list[str], layout: Layout, reading: Reading, notes: Notes
) -> Layout:
    """Guess from its first lines how a text table is written; the user's word wins."""
    layout, width, rows = _separated(path, lines, layout, reading.separator)
    start = _start(rows, width)
    before, rows, top = rows[:start], rows[start:], rows[start].line
    if reading.header is None and (grouped := _names_in_groups(rows)):
        if grouped == rows[1].cells:  # no use is made of the first line
            before, top = [*before, rows[0]], rows[1].line
        rows = [rows[1]._replace(cells=grouped), *rows[2:]]
    _, cells, kinds = zip(*rows, strict=True)
    counts = Counter("".join(kinds))
    commas = layout.delimiter != "," and counts[_COMMA] > counts[_POINT]
    decimal = reading.decimal or ("," if commas else ".")
    words = {_WORD, _COMMA} if decimal == "." else {_WORD}
    header = int(_has_header(rows, words) if reading.header is None else reading.header)
    while header and _is_unit_row(rows[header:], words):
        header += 1
    names = _names(cells, width) if header else _names_above(before, layout, width)
    if [row for row in before if not row.cells[0].startswith(_COMMENT)]:
        shown = shortened(layout.delimiter.join(before[0].cells))
        notes.add("lines before the table are left out", shown, top)
    if header > 1:
        said = "below the names are words where the columns have numbers, as units are: left out"
        notes.add(said, shortened(layout.delimiter.join(cells[1])), header - 1)
    comments = [own for own in cells if len(own) != width and own[0].startswith(_COMMENT)]
    even = {*map(len, cells[header:])} <= {len(names)} and layout.delimiter != " "
    one_line_each = header < 2 or rows[header - 1].line - rows[0].line + 1 == header
    return replace(
        layout, decimal=decimal, skip=rows[0].line, header=header,
        names=unique_names(path, names, notes), even=even and one_line_each,
        comment=_COMMENT if comments else "",
        id_column="column 1" if header and not names[0].strip("'\" ") else None,
    )  # fmt: skip


def _separated(
    path: str, lines: list[str], layout: Layout, asked: str | None
) -> tuple[Layout, int, list[Row]]:
    """Separator, quote and width that make the best table: even, of numbers, of many columns.

    The separator that the user ``asked`` for is not guessed.
    """
    text = "\n" + "".join(lines)
    alone = replace(layout, delimiter=_NO_MARK)
    rows = _first_rows(lines, alone)
    if _is_one_column(rows) and not (asked and asked in text):
        return alone, 1, rows
    best: tuple[float, ...] = ()
    found = None
    for marks in ((asked,),) if asked else _DELIMITERS:
        for mark, quote in itertools.product(marks, ('"', "'")):
            quotes = quote == '"' or re.search(rf"[\r\n{re.escape(mark)}]'", text)
            mixed = quote == "'" and f'{mark}"' in text
            if not quotes or mixed or mark not in text:
                continue
            tried = replace(layout, delimiter=mark, quote=quote)
            rows = _first_rows(lines, tried)
            fitness, width = _fitness(rows, {*marks} - {mark})
            if fitness > best:
                best, found = fitness, (tried, width, rows)
        if found is not None:
            return found
    first = shortened(" ".join(lines[0].split()))
    by = f"--separator {asked!r} is not in it" if asked else "separate two by , ; tabs or |"
    raise TableError(f"{path} has one column (line 1: {first}); {by}.")


def _is_one_column(rows: list[Row]) -> bool:
    """Whether nearly every line below the first is a number."""
    if not rows:  # a cell too long for a reader
        return False
    name = rows[0].cells[0]
    first, *below = (row.kinds for row in rows)
    counts = Counter(below)
    numbers = counts[_WHOLE] + counts[_POINT]
    if counts[_COMMA]:  # a decimal mark, if nothing else is there and the name has none
        named = first == _WORD and "," not in name
        numbers = numbers + counts[_COMMA] if named and not counts[_WORD] else 0
    return numbers > len(below) / 2


def _fitness(rows: list[Row], others: set[str]) -> tuple[tuple[float, ...], int]:
    """How good a table a separator makes, none if it separates nothing, and the usual width.

    Most rows are even.  The names are separated as the rows are: the first even row comes early.
    Cells are numbers, not words with ``others`` in them, which separate cells that are not.
    """
    split = [row for row in rows if len(row.cells) > 1]
    if not split:
        return (), 0
    width, count = Counter([len(row.cells) for row in split]).most_common(1)[0]
    fits = [len(row.cells) > 1 and abs(len(row.cells) - width) < 2 for row in rows]
    first = 0
    while first < len(rows) - 1 and not all(fits[first : first + _EVEN_ROWS]):
        first += 1
    _, cells, kinds = zip(*split, strict=True)
    known = "".join(kinds)
    words = itertools.compress(itertools.chain(*cells), map(_WORD.__eq__, known))
    unsplit = [word for word in words if not others.isdisjoint(word)]
    numbers = sum(map(known.count, _NUMBERS))
    numeric = round((numbers - len(unsplit)) / len(known), 2)
    return (round(count / len(rows), 1), -rows[first].line, numeric, width), width


def _first_rows(lines: list[str], layout: Layout) -> list[Row]:
    """The first rows that are not empty."""
    rows: list[Row] = []
    reader, line = cells_of(lines, layout), 0
    with suppress(csv.Error):  # the first lines are enough for a guess
        for cells in reader:
            if any(map(str.strip, cells)):
                kinds = map(_kind, cells, itertools.repeat(layout.missing))
                rows.append(Row(line, cells, "".join(kinds)))
            line = reader.line_num
            if len(rows) == _SAMPLE_ROWS:
                break
    return rows


def cells_of(lines: Iterable[str], layout: Layout) -> Any:
    """A reader of the cells of each line."""
    blank = layout.delimiter == " "
    lines = (line.strip(" ") for line in lines) if blank else lines
    mark, quote = layout.delimiter, layout.quote
    return csv.reader(lines, delimiter=mark, quotechar=quote, skipinitialspace=blank)


def _kind(cell: str, missing: tuple[str, ...]) -> str:
    cell = cell.strip()
    if cell in missing:
        return _MISSING
    if not _NUMBER.fullmatch(cell):
        return _WORD
    return _COMMA if "," in cell else _POINT if "." in cell else _WHOLE


def _start(rows: list[Row], width: int) -> int:
    """Where the table begins: at the first row that is about as wide as most."""
    marked = sum(row.cells[0].startswith(_COMMENT) for row in rows) < len(rows) / 2
    for place, (_, cells, _) in enumerate(rows):
        filled = sum(map(bool, map(str.strip, cells)))
        comment = (marked and cells[0].startswith(_COMMENT)) or _ARFF.match(cells[0])
        if len(cells) >= width - 1 and (filled > 1 or width < 3) and not comment:
            below = rows[place + 1].kinds if place + 1 < len(rows) else ""
            if not (len(cells) < width == len(below) and {*_NUMBERS}.isdisjoint(below)):
                return place  # else the next row has the names
    return 0


def _names_in_groups(rows: list[Row]) -> list[str]:
    """The names in the second line, if the first one names groups of columns.

    Names that are alike, or in the first line alone, are given with that of the group.
    """
    if len(rows) < 3 or not {*rows[0].kinds, *rows[1].kinds} <= {_WORD, _MISSING}:
        return []
    columns = itertools.zip_longest(*(row.kinds for row in rows[1:]))
    # A name stands above cells that are no words; a row of missing cells names nothing.
    if not any(own == _WORD and _WORD not in below for own, *below in columns):
        return []
    groups, names = (
        [cell.strip() if kind == _WORD else "" for cell, kind in zip(cells, kinds, strict=True)]
        for _, cells, kinds in rows[:2]
    )
    if not len(names) == len(groups) > len({*groups} - {""}) > 0:
        return []
    if len({*names} - {""}) == len(names):
        return rows[1].cells
    group, joined = "", list[str]()
    for above, name in zip(groups, names, strict=True):
        if not above and joined[-1:] == [group]:  # that was the name of one column
            return []
        group = above or group
        joined.append(f"{group} {name}".strip())
    return joined if len({*joined} - {""}) == len(names) else []


def _names(cells: tuple[list[str], ...], width: int) -> list[str]:
    """The names in the first row, one for each column."""
    names, *rows = cells
    while len(names) > width and not names[-1].strip():
        names = names[:-1]
    blank = [""] * (width - len(names))
    if len(blank) == 1 and any(row[-1].strip() for row in rows if len(row) == width):
        return [*blank, *names]  # R gives no name to the first column
    return [*names, *blank]


def _names_above(before: list[Row], layout: Layout, width: int) -> list[str]:
    """The names in the lines before a table; if there are none, x0, x1, ..."""
    lines = [layout.delimiter.join(row.cells) for row in before]
    names = [match["name"] for line in lines if (match := _ATTRIBUTE.match(line))]
    if len(names) != width:
        last = lines[-1] if lines and lines[-1].startswith(_COMMENT) else ""
        names = next(cells_of([last.lstrip(_COMMENT + " ")], layout), [])
        if {*_NUMBERS} & {_kind(name, layout.missing) for name in names}:
            names = []
    return names if len(names) == width else [f"x{i}" for i in range(width)]


def _has_header(rows: list[Row], words: set[str]) -> bool:
    """A first line of words, with a word above a column of numbers, or of years."""
    (_, cells, kinds), *rest = rows
    if words.issuperset(kinds):
        return True
    even = [row.kinds for row in rest if len(row.kinds) == len(kinds)]
    for own, *below in zip(kinds, *even, strict=True):
        found = {*below} - {_MISSING}
        if own in words and found and not found & words:
            return True
    years = [cell.strip() for cell in cells if _YEAR.fullmatch(cell.strip())]
    counted = [cell for cell, kind in zip(cells, kinds, strict=True) if kind not in words and cell]
    inside = sum(bool(_YEAR.fullmatch(cell.strip())) for row in rest for cell in row.cells)
    rises = len(years) > 1 and years in (sorted(set(years)), sorted(set(years), reverse=True))
    if rises and len(years) == len(counted) and inside < len(rest):
        return True
    # Words, and none of them again below.
    named = {_WORD, _MISSING}.issuperset(kinds) and len(rest) > 2
    columns = zip(cells, kinds, itertools.zip_longest(*(row.cells for row in rest)), strict=False)
    return named and not any(kind != _MISSING and cell in below for cell, kind, below in columns)


def _is_unit_row(rows: list[Row], words: set[str]) -> bool:
    """Whether the first row has no number, but words, in the columns that have numbers below."""
    if len(rows) < _FEWEST_BELOW or len(rows[0].cells) < 2:
        return False
    _, (cells, *others), (kinds, *below) = zip(*rows, strict=True)
    counted = []
    columns = itertools.zip_longest(*below, fillvalue=""), itertools.zip_longest(*others)
    for cell, own, found, column in zip(cells, kinds, *columns, strict=False):
        n_words, n_missing = sum(map(found.count, words)), found.count(_MISSING)
        n = len(found) - found.count("") - n_missing
        if 2 * n_words > n:  # a column of words, which a unit is not among
            if cell and cell in column:
                return False
        elif n:
            said = own in words and cell.strip().lower() not in NO_NUMBER | ERRORS
            if own != _MISSING and not said:
                return False
            counted.append(said)
    return sum(counted) > len(counted) / 2 and len(counted) > 1
