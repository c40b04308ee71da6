"""Text tables in batches: fast if all lines are alike, else mended line by line; JSON as CSV."""

import codecs
import csv
import io
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial, reduce
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
from pyarrow import compute as pc
from pyarrow import csv as arrow_csv

from l1kpca.tables.layout import cells_of, guess_layout
from l1kpca.tables.table import Batches, Layout, Notes, Opened, Reading, TableError
from l1kpca.tables.written import shortened

# Gives the bytes of a file from the start, and the share of it that was read to the list.
Chunks = Callable[[list[float]], Iterator[bytes]]
BLOCK = 2**22  # bytes parsed at once; no line may be longer
_PIECE = 2**20  # bytes
_CSV_ROWS = 100  # written at once; one at a time takes a third longer, more are no quicker
_FIRST_LINES = 10  # tell one object per line from one over several
_LARGEST_LIST = 2**26  # characters; all of it is in memory
_CONTROLS = bytes({*range(32)} - {1, *range(9, 14), 27, 31})


def open_text(path: str, chunks: Chunks, reading: Reading, notes: Notes) -> Opened:
    """Look at the beginning of a text table, and say how it is written."""
    start, whole = bytearray(), True
    for chunk in _with_line_ends(chunks([0.0]), path):
        start += chunk
        if len(start) >= _PIECE and re.search(rb"[\r\n]", start):
            whole = False
            break
    head = bytes(start)
    missing, thousands = (*Layout.missing, *reading.missing), reading.thousands or ""
    layout = _encoded(path, head, Layout(missing=missing, thousands=thousands), reading.encoding)
    text = codecs.getincrementaldecoder(layout.encoding)("replace").decode(head)
    lines = list(io.StringIO(text.lstrip("\ufeff"), newline=""))
    lines = lines if whole or len(lines) < 2 else lines[:-1]
    if not "".join(lines).strip():
        raise TableError(f"{path} is empty; give a file with a line for each row.")
    layout = guess_layout(path, lines, layout, reading, notes)
    return Opened(
        names=layout.names, batches=partial(_batches, path, chunks), layout=layout,
        retried=partial(_retried, path, head), names_given=layout.names[0] != "x0",
    )  # fmt: skip


def _encoded(path: str, head: bytes, layout: Layout, asked: str | None) -> Layout:
    if asked is not None:
        try:
            return replace(layout, encoding=codecs.lookup(asked).name)
        except LookupError:
            said = f"--encoding {asked} is not known; give one such as utf-8, utf-16 or cp1252."
            raise TableError(said) from None
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return replace(layout, encoding="utf-16")
    zeros, odd = head.count(0), head[1::2].count(0)
    if zeros > len(head) / 4 and odd in (0, zeros):
        return replace(layout, encoding="utf-16-le" if odd else "utf-16-be")
    if len(head) - len(head.translate(None, _CONTROLS)) > len(head) / 30:
        raise TableError(
            f"{path} is no table: it has bytes that no text has; give CSV, Parquet, Excel or .npz."
        )
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return _other_encoding(layout, head)
    return layout


def _other_encoding(layout: Layout, head: bytes) -> Layout:
    """The encoding of text that turns out not to be UTF-8."""
    text = head.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    proper = 0 < sum(letter > "\x7f" for letter in text) - bad >= bad
    if layout.encoding == "utf-8" and proper and layout.errors == "strict":
        return replace(layout, errors="replace")
    strange = layout.encoding == "cp1252" or re.search(rb"[\x81\x8d\x8f\x90\x9d]", head)
    return replace(layout, encoding="latin-1" if strange else "cp1252", errors="strict")


def _retried(path: str, head: bytes, layout: Layout, error: Exception) -> Layout:
    """In another encoding, or line by line."""
    said = str(error)
    if "straddl" in said:
        raise _too_long(path) from error
    strange = isinstance(error, UnicodeError) or "UTF8" in said
    better = _other_encoding(layout, head) if strange else replace(layout, even=False)
    if better == layout:
        reason = " ".join(said.split())[:200]
        raise TableError(f"{path} cannot be read as a table: {reason}.") from error
    return better


def _batches(path: str, source: Chunks, layout: Layout, notes: Notes) -> Batches:
    """All cells as text."""
    if layout.errors == "replace":
        notes.add("bytes that are not UTF-8 text are shown as \ufffd (else: --encoding)")
    elif layout.encoding != "utf-8":
        notes.add(f"the text is taken to be in {layout.encoding} (else: --encoding)")
    if layout.names[0] == "x0":
        called = f"the columns are called x0 to {layout.names[-1]}"
        notes.add(f"no line of column names was found: {called}")
    done = [0.0]
    chunks = source(done)
    if layout.encoding != "utf-8" or layout.errors != "strict":
        text = codecs.iterdecode(chunks, layout.encoding, layout.errors)
        chunks = (part.encode("utf-8", "replace") for part in text)
    chunks = _with_line_ends(chunks, path)
    if not layout.even:
        chunks = as_csv(_mended(chunks, layout, notes))
        layout = replace(layout, skip=0, header=0, delimiter=",", quote='"')
    reader = arrow_csv.open_csv(
        io.BufferedReader(_Piped(chunks), BLOCK),
        read_options=arrow_csv.ReadOptions(
            block_size=BLOCK, skip_rows=layout.skip, column_names=layout.names,
            skip_rows_after_names=layout.header,
        ),
        parse_options=arrow_csv.ParseOptions(
            delimiter=layout.delimiter, quote_char=layout.quote, newlines_in_values=True
        ),
        convert_options=arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(layout.names, pa.string()), null_values=layout.missing,
            strings_can_be_null=True,
        ),
    )  # fmt: skip
    for batch in reader:
        known = reduce(pc.or_, map(pc.is_valid, batch.columns))
        if lost := known.false_count:
            notes.add("rows without any value are left out", times=lost)
            batch = batch.filter(known)
        yield batch, done[0]


def _too_long(path: str) -> TableError:
    return TableError(
        f"{path} has a line of more than {BLOCK >> 20} MB, or a quote that is never closed; give a"
        " table with a line for each row."
    )


@dataclass(eq=False)
class _Piped(io.RawIOBase):
    """A file of pieces that come one after the other."""

    chunks: Iterator[bytes]
    rest: memoryview | bytes = b""

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        self.rest = self.rest or memoryview(next(filter(None, self.chunks), b""))
        taken = min(len(into), len(self.rest))
        into[:taken] = self.rest[:taken]
        self.rest = self.rest[taken:]
        return taken


def _with_line_ends(chunks: Iterator[bytes], path: str) -> Iterator[bytes]:
    """The same, until a line does not end: the reader's threads would read far ahead."""
    length = 0
    for chunk in chunks:
        end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))
        length = length + len(chunk) if end < 0 else len(chunk) - end - 1
        if length > BLOCK:
            raise _too_long(path)
        yield chunk


def _lines_of(chunks: Iterator[bytes], errors: str = "replace") -> Iterator[str]:
    """The lines of a text in UTF-8; a very long one comes in pieces."""
    text = io.TextIOWrapper(io.BufferedReader(_Piped(chunks)), "utf-8-sig", errors, newline="")
    return iter(lambda: text.readline(BLOCK), "")


def _mended(chunks: Iterator[bytes], layout: Layout, notes: Notes) -> Iterator[list[str]]:
    """Rows with as many cells as there are names; what is not one is counted."""
    lines = itertools.islice(_lines_of(chunks, "strict"), layout.skip, None)
    width = len(layout.names)
    for cells in itertools.islice(filter(any, cells_of(lines, layout)), layout.header, None):
        shown = shortened(layout.delimiter.join(cells))
        if layout.comment and cells[0].startswith(layout.comment):
            notes.add("comment lines are left out", shown, 1)
        elif len(cells) == 1 < width:
            notes.add(f"lines with one cell where others have {width} are left out", shown, 1)
        elif any(cells[width:]):
            notes.add(f"lines with more than {width} cells are left out", shown, 1)
        else:
            if len(cells) < width:
                notes.add(f"lines have fewer than {width} cells: the rest is missing", shown, 1)
            yield [*cells[:width], *[""] * (width - len(cells))]


def as_csv(rows: Iterable[Iterable[Any]]) -> Iterator[bytes]:
    """Rows of cells as CSV in UTF-8, some at a time."""
    writer = csv.writer(SimpleNamespace(write=str), lineterminator="\n")
    lines = map(writer.writerow, rows)  # writerow returns what write returns
    some = partial(itertools.islice, lines, _CSV_ROWS)
    return iter(lambda: "".join(some()).encode("utf-8", "replace"), b"")


def json_chunks(path: str, chunks: Chunks, notes: Notes) -> Chunks:
    """JSON objects, one per line or all in one list, as CSV with a column for every name."""
    names = dict.fromkeys(itertools.chain(*_objects(path, chunks([0.0]), notes)))

    def rows(done: list[float]) -> Iterator[Iterable[Any]]:
        yield names
        for found in _objects(path, chunks(done), Notes()):
            yield map(_cell, map(found.get, names))

    return lambda done: as_csv(rows(done))


def _objects(path: str, chunks: Iterator[bytes], notes: Notes) -> Iterator[dict[str, Any]]:
    more = filter(str.strip, _lines_of(chunks))
    some = [*itertools.islice(more, _FIRST_LINES)]
    lines = itertools.chain(some, more)
    records: Iterable[Any] = map(_loaded, lines)
    listed = some and some[0].lstrip().startswith("[")
    if listed or len(some) < 2 or dict not in map(type, map(_loaded, some)):
        text = ""
        for line in lines:
            text += line
            if len(text) > _LARGEST_LIST:
                raise TableError(
                    f"{path} is one JSON value of more than {_LARGEST_LIST >> 20} MB; write JSONL."
                )
        try:
            records = _rows_in(json.loads(text))
        except (ValueError, RecursionError) as error:
            raise TableError(f"{path} is not readable as JSON: {error}.") from error
    for one in records:
        if isinstance(one, dict):
            yield dict(_flat(one))
        else:
            shown = shortened(str(one).strip())
            notes.add("records that are no JSON object are left out", shown, 1)


def _rows_in(found: Any) -> list[Any]:
    """The records of a document, nested in the ways of pandas and others."""
    if isinstance(found, list):
        named = len(found) > 1 and all(isinstance(row, list) for row in found)
        return _zipped(found[0], found[1:]) if named else found
    parts = [*found.values()] if isinstance(found, dict) else []
    inside = [p for p in parts if isinstance(p, list) and p and isinstance(p[0], dict | list)]
    if inside and isinstance(found.get("columns"), list):
        return _zipped(found["columns"], inside[0])
    if len(inside) == 1:
        return _rows_in(inside[0])
    kinds = {*map(type, parts)}
    if kinds == {list}:  # a list for each column
        return _zipped(found, itertools.zip_longest(*parts))
    if kinds == {dict}:  # an object for each column, or for each row
        keys = dict.fromkeys(itertools.chain(*parts))
        if len(keys) > len(parts):
            parts = [{name: part.get(key) for name, part in found.items()} for key in keys]
        return parts
    return [found]


def _zipped(names: Iterable[Any], rows: Iterable[Iterable[Any]]) -> list[Any]:
    names = [*map(str, names)]
    return [dict(zip(names, row, strict=False)) for row in rows]


def _flat(found: dict[str, Any], above: str = "", depth: int = 8) -> Iterator[tuple[str, Any]]:
    """The fields of an object; those of objects within it are named after both."""
    for name, value in found.items():
        if depth and value and isinstance(value, dict):
            yield from _flat(value, f"{above}{name}.", depth - 1)
        else:
            yield f"{above}{name}", value


def _loaded(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return line


def _cell(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)
