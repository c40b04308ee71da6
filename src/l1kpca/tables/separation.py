"""How the cells of a text table are separated."""

import csv
import itertools
import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from l1kpca.tables.table import Layout, TableError
from l1kpca.tables.written import shortened

_DELIMITERS = (",", ";", "\t", "|"), ("^", "~", "\x01", "\x1f", "\xa6", "&", ":", " ")
_NO_MARK = "\x1e"  # separates nothing
_SAMPLE_ROWS = 300
_EVEN_ROWS = 3  # one after the other, where a table begins
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")


class Row(NamedTuple):
    """A row of a text table."""

    line: int  # how many lines are before it
    cells: list[str]
    kinds: list[str]  # of the cells


def separated(
    path: str, lines: list[str], layout: Layout, asked: str | None = None
) -> tuple[Layout, int, list[Row]]:
    """Separator, quote and width that make the best table: even, of numbers, of many columns.

    The separator that the user ``asked`` for is not guessed.
    """
    alone = _one_column(lines, layout)
    if alone and not (asked and asked in "".join(lines)):
        return alone
    best: tuple[float, ...] = ()
    found, text = None, "\n" + "".join(lines)
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


def _one_column(lines: list[str], layout: Layout) -> tuple[Layout, int, list[Row]] | None:
    """A table of one column of numbers, if nearly every line below the first is one."""
    alone = replace(layout, delimiter=_NO_MARK)
    rows = _first_rows(lines, alone)
    if not rows:  # a cell too long for a reader
        return None
    first, *below = [row.kinds[0] for row in rows]
    counts = Counter(below)
    numbers = counts["whole"] + counts["point"]
    if counts["comma"]:  # a decimal mark, if nothing else is there and the name has none
        named = first == "word" and "," not in rows[0].cells[0]
        numbers = numbers + counts["comma"] if named and not counts["word"] else 0
    return (alone, 1, rows) if numbers > len(below) / 2 else None


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
    cells = [pair for row in split for pair in zip(row.cells, row.kinds, strict=True)]
    numbers = [cell for cell, kind in cells if kind in ("whole", "point", "comma")]
    unsplit = [cell for cell, kind in cells if kind == "word" and not others.isdisjoint(cell)]
    numeric = round((len(numbers) - len(unsplit)) / len(cells), 2)
    return (round(count / len(rows), 1), -rows[first].line, numeric, width), width


def _first_rows(lines: list[str], layout: Layout) -> list[Row]:
    """The first rows that are not empty."""
    rows: list[Row] = []
    reader, line = cells_of(lines, layout), 0
    with suppress(csv.Error):  # the first lines are enough for a guess
        for cells in reader:
            if any(map(str.strip, cells)):
                kinds = map(cell_kind, cells, itertools.repeat(layout.missing))
                rows.append(Row(line, cells, [*kinds]))
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


def cell_kind(cell: str, missing: tuple[str, ...]) -> str:
    """A cell is "missing", a "word", or a number: "whole", with a "point" or with a "comma"."""
    cell = cell.strip()
    if cell in missing:
        return "missing"
    if _DECIMAL_COMMA.fullmatch(cell):
        return "comma"
    if not _NUMBER.fullmatch(cell):
        return "word"
    return "point" if "." in cell else "whole"
