"""How a text table is written, guessed from its beginning."""

import codecs
import io
import itertools
import re
from collections import Counter
from dataclasses import replace

from l1kpca.tables.separation import Row, cell_kind, cells_of, separated
from l1kpca.tables.table import MISSING_WORDS, Layout, Notes, Reading, TableError, unique_names
from l1kpca.tables.written import ERRORS, NO_NUMBER, shortened

_COMMENT = "#"
_CONTROLS = bytes({*range(32)} - {1, *range(9, 14), 27, 31})
_FEWEST_BELOW = 4  # rows, before the first can be one of units
_ARFF = re.compile(r"@(?:relation|attribute|data)\b", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""\s*@attribute\s+(?P<name>'[^']*'|"[^"]*"|\S+)""", re.IGNORECASE)
_YEAR = re.compile(r"(?:1[89]|20)\d\d")


def guess_layout(path: str, head: bytes, whole: bool, reading: Reading, notes: Notes) -> Layout:
    """Guess from its first bytes how a text table is written; the user's word wins."""
    missing, thousands = (*MISSING_WORDS, *reading.missing), reading.thousands or ""
    layout = _encoded(path, head, reading.encoding)
    layout = replace(layout, missing=missing, thousands=thousands)
    text = codecs.getincrementaldecoder(layout.encoding)("replace").decode(head)
    lines = list(io.StringIO(text.lstrip("\ufeff"), newline=""))
    lines = lines if whole or len(lines) < 2 else lines[:-1]
    if not "".join(lines).strip():
        raise TableError(f"{path} is empty; give a file with a line for each row.")
    layout, width, rows = separated(path, lines, layout, reading.separator)
    start = _start(rows, width)
    before, rows, top = rows[:start], rows[start:], rows[start].line
    if reading.header is None and (grouped := _names_in_groups(rows)):
        if grouped == rows[1].cells:  # no use is made of the first line
            before, top = [*before, rows[0]], rows[1].line
        rows = [rows[1]._replace(cells=grouped), *rows[2:]]
    counts = Counter(itertools.chain.from_iterable(row.kinds for row in rows))
    commas = layout.delimiter != "," and counts["comma"] > counts["point"]
    decimal = reading.decimal or ("," if commas else ".")
    words = {"word", "comma"} if decimal == "." else {"word"}
    header = int(_has_header(rows, words) if reading.header is None else reading.header)
    while header and _is_unit_row(rows[header:], words):
        header += 1
    names = _names(rows, width) if header else _names_above(before, layout, width)
    if not all(row.cells[0].startswith(_COMMENT) for row in before):
        shown = shortened(layout.delimiter.join(before[0].cells))
        notes.add("lines before the table are left out", shown, top)
    if header > 1:
        said = "below the names are words where the columns have numbers, as units are: left out"
        notes.add(said, shortened(layout.delimiter.join(rows[1].cells)), header - 1)
    comments = any(row.cells[0].startswith(_COMMENT) and len(row.cells) != width for row in rows)
    alike = all(len(row.cells) == len(names) for row in rows[header:]) and layout.delimiter != " "
    one_line_each = header < 2 or rows[header - 1].line - rows[0].line + 1 == header
    return replace(
        layout, decimal=decimal, skip=rows[0].line, header=header,
        names=unique_names(path, names, notes), comment=_COMMENT if comments else "",
        even=alike and one_line_each,
    )  # fmt: skip


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


def _start(rows: list[Row], width: int) -> int:
    """Where the table begins: at the first row that is about as wide as most."""
    marked = sum(row.cells[0].startswith(_COMMENT) for row in rows) < len(rows) / 2
    for place, (_, cells, _) in enumerate(rows):
        filled = sum(map(bool, map(str.strip, cells)))
        comment = (marked and cells[0].startswith(_COMMENT)) or _ARFF.match(cells[0])
        if len(cells) >= width - 1 and (filled > 1 or width < 3) and not comment:
            below = rows[place + 1].cells if place + 1 < len(rows) else []
            words = all(cell_kind(cell, ()) == "word" for cell in below)
            if not (len(cells) < width == len(below) and words):  # else that has the names
                return place
    return 0


def _names_in_groups(rows: list[Row]) -> list[str]:
    """The names in the second line, if the first one names groups of columns.

    Names that are alike, or in the first line alone, are given with that of the group.
    """
    columns = itertools.zip_longest(*(row.kinds for row in rows[1:]))
    # A name stands above cells that are no words; a row of missing cells names nothing.
    named = any(own == "word" and "word" not in below for own, *below in columns if below)
    if not named or not {*rows[0].kinds, *rows[1].kinds} <= {"word", "missing"}:
        return []
    groups, names = (
        [cell.strip() if kind == "word" else "" for cell, kind in zip(cells, own, strict=True)]
        for _, cells, own in rows[:2]
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


def _names(rows: list[Row], width: int) -> list[str]:
    """The names in the first row, one for each column."""
    names = rows[0].cells
    while len(names) > width and not names[-1].strip():
        names = names[:-1]
    if len(names) < width:  # R gives no name to the first column
        ends = not any(row.cells[-1].strip() for row in rows[1:] if len(row.cells) == width)
        blank = [""] * (width - len(names))
        names = [*names, *blank] if ends or len(blank) > 1 else [*blank, *names]
    return names


def _names_above(before: list[Row], layout: Layout, width: int) -> list[str]:
    """The names in the lines before a table; if there are none, x0, x1, ..."""
    lines = [layout.delimiter.join(row.cells) for row in before]
    names = [match["name"] for line in lines if (match := _ATTRIBUTE.match(line))]
    if len(names) != width:
        last = lines[-1] if before and before[-1].cells[0].startswith(_COMMENT) else ""
        names = next(cells_of([last.lstrip(_COMMENT + " ")], layout), [])
        if not {cell_kind(name, layout.missing) for name in names} <= {"word", "missing"}:
            names = []
    return names if len(names) == width else [f"x{i}" for i in range(width)]


def _has_header(rows: list[Row], words: set[str]) -> bool:
    """A first line of words, with a word above a column of numbers, or of years."""
    (_, cells, kinds), *rest = rows
    if words.issuperset(kinds):
        return True
    for place, kind in enumerate(kinds):
        below = {row.kinds[place] for row in rest if len(row.kinds) == len(kinds)} - {"missing"}
        if kind in words and below and not below & words:
            return True
    years = [cell.strip() for cell in cells if _YEAR.fullmatch(cell.strip())]
    counted = [cell for cell, kind in zip(cells, kinds, strict=True) if kind not in words and cell]
    inside = sum(bool(_YEAR.fullmatch(cell.strip())) for row in rest for cell in row.cells)
    rises = len(years) > 1 and years in (sorted(set(years)), sorted(set(years), reverse=True))
    if rises and len(years) == len(counted) and inside < len(rest):
        return True
    # Words, and none of them again below.
    named = {"word", "missing"}.issuperset(kinds) and len(rest) > 2
    return named and not any(
        cell in _below(rest, place)
        for place, (cell, kind) in enumerate(zip(cells, kinds, strict=True))
        if kind != "missing"
    )


def _is_unit_row(rows: list[Row], words: set[str]) -> bool:
    """Whether the first row has no number, but words, in the columns that have numbers below."""
    if len(rows) < _FEWEST_BELOW or len(rows[0].cells) < 2:
        return False
    (_, cells, own), *rest = rows
    said = []
    for place, (cell, kind) in enumerate(zip(cells, own, strict=True)):
        below = [row.kinds[place] for row in rest if place < len(row.kinds)]
        n_words, n_missing = sum(map(below.count, words)), below.count("missing")
        if 2 * n_words > len(below) - n_missing:  # a column of words, which a unit is not among
            if cell and cell in _below(rest, place):
                return False
        elif n_missing < len(below):
            no_unit = kind not in words or cell.strip().lower() in NO_NUMBER | ERRORS
            if kind != "missing" and no_unit:
                return False
            said.append(kind in words)
    return sum(said) > len(said) / 2 and len(said) > 1


def _below(rows: list[Row], place: int) -> set[str]:
    return {row.cells[place] for row in rows if place < len(row.cells)}
