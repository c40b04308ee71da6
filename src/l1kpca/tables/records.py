"""JSON and Excel files as CSV."""

import csv
import io
import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from l1kpca.tables.table import Notes, TableError, shown_list
from l1kpca.tables.written import shortened

# Gives the bytes of a file from the start, and the share of it that was read to the list.
Chunks = Callable[[list[float]], Iterator[bytes]]
_PIECE = 2**20
_FIRST_LINES = 10  # tell one object per line from one over several
_LARGEST_LIST = 2**26  # characters; all of it is in memory


def as_csv(rows: Iterable[Iterable[Any]]) -> Iterator[bytes]:
    """Rows of cells as CSV in UTF-8, a piece at a time."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in rows:
        writer.writerow(row)
        if out.tell() >= _PIECE:
            yield out.getvalue().encode("utf-8", "replace")
            out.seek(0)
            out.truncate()
    yield out.getvalue().encode("utf-8", "replace")


def json_chunks(path: str, lines: Callable[[list[float]], Iterator[str]], notes: Notes) -> Chunks:
    """JSON objects, one per line or all in one list, as CSV with a column for every name."""
    names: dict[str, None] = {}
    for found in _objects(path, lines([0.0]), notes):
        names.update(dict.fromkeys(found))

    def rows(done: list[float]) -> Iterator[list[str]]:
        yield list(names)
        for found in _objects(path, lines(done), Notes()):
            yield [_cell(found.get(name)) for name in names]

    return lambda done: as_csv(rows(done))


def _objects(path: str, lines: Iterator[str], notes: Notes) -> Iterator[dict[str, Any]]:
    lines = filter(str.strip, lines)
    some = [*itertools.islice(lines, _FIRST_LINES)]
    lines = itertools.chain(some, lines)
    listed = some and some[0].lstrip("\ufeff \t").startswith("[")
    if listed or len(some) < 2 or not any(isinstance(_loaded(line), dict) for line in some):
        text = io.StringIO()
        for line in lines:
            if text.tell() + text.write(line) > _LARGEST_LIST:
                raise TableError(
                    f"{path} is one JSON value of more than {_LARGEST_LIST >> 20} MB; write JSONL."
                )
        try:
            found = json.loads(text.getvalue().lstrip("\ufeff"))
        except (ValueError, RecursionError) as error:
            raise TableError(f"{path} is not readable as JSON: {error}.") from error
        everything: Iterable[Any] = _rows_in(found)
    else:
        everything = map(_loaded, lines)
    for one in everything:
        if isinstance(one, dict):
            yield dict(_flat(one))
        else:
            notes.count("records that are no JSON object are left out", shortened(str(one).strip()))


def _rows_in(found: Any) -> list[Any]:
    """The records of a document, nested in the ways of pandas and others."""
    rows = [found]
    if isinstance(found, list):
        named = len(found) > 1 and all(isinstance(row, list) for row in found)
        return _zipped(found[0], found[1:]) if named else found
    parts = [*found.values()] if isinstance(found, dict) else []
    inside = [p for p in parts if isinstance(p, list) and p and isinstance(p[0], dict | list)]
    if inside and isinstance(found.get("columns"), list):
        rows = _zipped(found["columns"], inside[0])
    elif len(inside) == 1:
        rows = _rows_in(inside[0])
    elif parts and all(isinstance(part, list) for part in parts):  # a list for each column
        rows = _zipped(found, itertools.zip_longest(*parts))
    elif parts and all(isinstance(part, dict) for part in parts):  # an object for each row, or
        keys = {key: None for part in parts for key in part}  # for each column
        rows = parts
        if len(keys) > len(parts):
            rows = [{name: part.get(key) for name, part in found.items()} for key in keys]
    return rows


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


def excel_chunks(path: Path, notes: Notes) -> Chunks:
    """The first sheet of a workbook that has a table, as CSV."""
    try:
        sheets = pd.read_excel(
            path, sheet_name=None, header=None, dtype=object, keep_default_na=False
        )
    except ImportError as error:
        said = f"{path} needs a package: pip install 'l1kpca[excel]', or save the sheet as CSV."
        raise TableError(said) from error
    name = next((n for n, s in sheets.items() if len(s) > 3 and s.shape[1] > 1), next(iter(sheets)))
    sheet = sheets.pop(name)
    if sheets:
        notes.update([f"the sheet {name!r} is read, not: {shown_list(list(sheets))}"])
    rows = [[str(cell).removesuffix(" 00:00:00") for cell in row] for row in sheet.to_numpy()]
    return lambda done: as_csv(rows)
