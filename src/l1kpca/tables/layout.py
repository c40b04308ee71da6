"""How a text table is written, guessed from its beginning."""

import codecs
import io
import itertools
import re
from collections import Counter
from dataclasses import replace

from l1kpca.tables.separation import MISSING_WORDS, Layout, cell_kind, cells_of, separated
from l1kpca.tables.table import Notes, Reading, TableError, unique_names
from l1kpca.tables.written import ERRORS, NO_NUMBER, shortened

_COMMENT = "#"
_CONTROLS = bytes({*range(32)} - {1, *range(9, 14), 27, 31})
_FEWEST_BELOW = 4  # rows, before the first can be one of units
_ARFF = re.compile(r"@(?:relation|attribute|data)\b", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""\s*@attribute\s+(?P<name>'[^']*'|"[^"]*"|\S+)""", re.IGNORECASE)
_YEAR = re.compile(r"(?:1[89]|20)\d\d")


def guess_layout(path: str, head: bytes, whole: bool, reading: Reading, notes: Notes) -> Layout:
    """Guess from its first bytes how a text table is written; the user's word wins."""
    layout = replace(
        _encoded(path, head, reading.encoding),
        missing=(*MISSING_WORDS, *reading.missing),
        thousands=reading.thousands or "",
    )
    text = codecs.getincrementaldecoder(layout.encoding)("replace").decode(head)
    lines = list(io.StringIO(text.lstrip("\ufeff"), newline=""))
    lines = lines if whole or len(lines) < 2 else lines[:-1]
    if not "".join(lines).strip():
        raise TableError(f"{path} is empty; give a file with a line for each row.")
    layout, width, (places, cells, kinds) = separated(path, lines, layout, reading.separator)
    start = _start(cells, width)
    if reading.header == "auto" and _is_group(cells[start:], kinds[start:]):
        start += 1
    places, before, cells, kinds = places[start:], cells[:start], cells[start:], kinds[start:]
    counts = Counter(itertools.chain(*kinds))
    commas = layout.delimiter != "," and counts["comma"] > counts["point"]
    decimal = reading.decimal or ("," if commas else ".")
    guessed = reading.header == "auto" and _has_header(cells, kinds, decimal)
    header = int(guessed or reading.header == "yes")
    while header and _is_unit_row(cells[header:], kinds[header:], decimal):
        header += 1
    names = _names(cells if header else [[]], before, layout, width)
    if not all(row[0].startswith(_COMMENT) for row in before):
        shown = shortened(layout.delimiter.join(before[0]))
        notes.add("lines before the table are left out", shown, places[0])
    if header > 1:
        said = "below the names are words where the columns have numbers, as units are: left out"
        notes.add(said, shortened(layout.delimiter.join(cells[1])), header - 1)
    comments = any(row[0].startswith(_COMMENT) and len(row) != width for row in cells)
    alike = {*map(len, cells[header:])} <= {len(names)} and layout.delimiter != " "
    one_line_each = header < 2 or places[header - 1] - places[0] + 1 == header
    return replace(
        layout,
        decimal=decimal,
        skip=places[0],
        header=header,
        names=unique_names(path, names, notes),
        comment=_COMMENT if comments else "",
        even=alike and one_line_each,
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


def _start(rows: list[list[str]], width: int) -> int:
    """Where the table begins: at the first row that is about as wide as most."""
    marked = sum(cells[0].startswith(_COMMENT) for cells in rows) < len(rows) / 2
    for place, cells in enumerate(rows):
        filled = sum(map(bool, map(str.strip, cells)))
        comment = (marked and cells[0].startswith(_COMMENT)) or _ARFF.match(cells[0])
        if len(cells) >= width - 1 and (filled > 1 or width < 3) and not comment:
            below = rows[place + 1] if place + 1 < len(rows) else []
            words = all(cell_kind(cell, ()) == "word" for cell in below)
            if not (len(cells) < width == len(below) and words):  # else that has the names
                return place
    return 0


def _is_group(cells: list[list[str]], kinds: list[list[str]]) -> bool:
    """Whether the first line names groups of columns, and the next one the columns."""
    if len(cells) < 3:
        return False
    first, second = ([*map(str.strip, row)] for row in cells[:2])
    distinct = len({*second}) == len(second) == len(first) > len({*first} - {""})
    words = {*kinds[1]} == {"word"} and {"word", "missing"}.issuperset(kinds[0])
    columns = itertools.zip_longest(*kinds[2:])
    return distinct and words and any(first) and any("word" not in column for column in columns)


def _names(
    cells: list[list[str]], before: list[list[str]], layout: Layout, width: int
) -> list[str]:
    """The names in the first row, or in the comments before it; if there are none, x0, x1, ..."""
    names, lines = cells[0], [layout.delimiter.join(row) for row in before]
    if not names:
        names = [match["name"] for line in lines if (match := _ATTRIBUTE.match(line))]
        if len(names) != width:
            last = lines[-1] if before and before[-1][0].startswith(_COMMENT) else ""
            names = next(cells_of([last.lstrip(_COMMENT + " ")], layout), [])
            kinds = {cell_kind(name, layout.missing) for name in names}
            words = kinds <= {"word", "missing"}
            names = names if len(names) == width and words else []
    while len(names) > width and not names[-1].strip():
        names = names[:-1]
    if 0 < len(names) < width:  # R gives no name to the first column
        ends = not any(row[-1].strip() for row in cells[1:] if len(row) == width)
        blank = [""] * (width - len(names))
        names = [*names, *blank] if ends or len(blank) > 1 else [*blank, *names]
    return names or [f"x{i}" for i in range(width)]


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
        n_words, n_missing = sum(map(below.count, words)), below.count("missing")
        if 2 * n_words > len(below) - n_missing:  # a column of words, which a unit is not among
            if cell and cell in [row[place] for row in cells[1:] if place < len(row)]:
                return False
        elif n_missing < len(below):
            if kind != "missing" and (
                kind not in words or cell.strip().lower() in NO_NUMBER | ERRORS
            ):
                return False
            said.append(kind in words)
    return sum(said) > len(said) / 2 and len(said) > 1
