"""Table files of every format, told by the content, then by the suffix."""

import bz2
import gzip
import itertools
import json
import lzma
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from l1kpca.files import read_arrays
from l1kpca.tables.table import (
    Batches,
    Notes,
    Opened,
    Reading,
    TableError,
    shown_list,
    unique_names,
)
from l1kpca.tables.text import Chunks, as_csv, json_chunks, open_text
from l1kpca.threads import spans

ROWS, TRUTH = "X", "y"  # in published benchmark files
_CHUNK = 2**20
_MOST_VALUES = 2_000_000  # of a batch
_LARGEST_UNPACKED = 2**31  # bytes of what must be in memory as a whole
_LARGEST_SHEET = 2**28  # bytes of XML, which take many times as much as cells
_ZIP = b"PK\x03\x04"
_PACKED = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
_WORKBOOKS = (_ZIP, b"\xd0\xcf\x11\xe0")
_WEB_PAGES = (b"<!doctype html", b"<html", b"<table")
_STARTS = {b"PAR1": "Parquet", b"ARROW1": "Arrow", b"\x93NUMPY": "numpy"}
_SUFFIXES = {
    ".parquet": "Parquet", ".pq": "Parquet", ".feather": "Arrow", ".arrow": "Arrow",
    ".npy": "numpy", ".npz": "numpy", ".mat": "mat", ".xlsx": "Excel", ".xlsm": "Excel",
    ".xls": "Excel",
}  # fmt: skip


def open_file(path: Path, reading: Reading, notes: Notes) -> Opened:
    """Open a table of any format; TableError if it is damaged or not a table."""
    with path.open("rb") as file:
        head = file.read(64)
    if head.removeprefix(b"\xef\xbb\xbf").lstrip().lower().startswith(_WEB_PAGES):
        raise TableError(
            f"{path} is a web page; open it in a spreadsheet, save the table as CSV and give that."
        )
    kind = _SUFFIXES.get(path.suffix.lower(), "text")
    # Many programs give text files this suffix; a workbook may be cut off.
    if kind == "Excel" and not any(head and s.startswith(head[:4]) for s in _WORKBOOKS):
        kind = "text"
    for start, found in _STARTS.items():
        kind = found if head.startswith(start) else kind
    try:
        if head.startswith(_ZIP) and kind == "text":
            with zipfile.ZipFile(path) as archive:
                inside = archive.namelist()
            arrays = "numpy" if all(name.endswith(".npy") for name in inside) else "text"
            kind = "Excel" if any(name.startswith("xl/") for name in inside) else arrays
        if kind in ("Parquet", "Arrow"):
            return _open_arrow(path, kind, notes)
        if kind in ("numpy", "mat"):
            return _open_arrays(path, notes)
        if kind == "Excel":
            reading = replace(reading, separator=",")  # as it is made into text
            return open_text(str(path), excel_chunks(path, notes), reading, notes)
        return _open_text(path, head, reading, notes)
    except (TableError, PermissionError, MemoryError, AssertionError):
        raise
    except Exception as error:  # readers of damaged files raise anything
        raise _damaged(path, kind) from error


def _damaged(path: Path, kind: str) -> TableError:
    return TableError(f"{path} is not a readable {kind} file, or it is damaged; write it again.")


def _open_arrow(path: Path, kind: str, notes: Notes) -> Opened:
    """A Parquet or Arrow file."""
    of_parquet = kind == "Parquet"
    with pa.OSFile(str(path)) as file:
        schema = parquet.read_schema(file) if of_parquet else pa.ipc.open_file(file).schema
    own = json.loads((schema.metadata or {}).get(b"pandas", b"{}")).get("index_columns", [])
    found = ["index" if name in own and name.startswith("__") else name for name in schema.names]
    names = unique_names(path, found, notes)

    def batches(_: None, notes: Notes) -> Batches:
        size = max(1, min(65_536, _MOST_VALUES // len(names)))
        with pa.OSFile(str(path)) as file:  # mapped pages would count as memory in use
            if of_parquet:
                whole = parquet.ParquetFile(file, pre_buffer=False, buffer_size=_CHUNK)
                found, total = whole.iter_batches(size), whole.metadata.num_rows / size
            else:
                reader = pa.ipc.open_file(file)
                total = reader.num_record_batches
                found = map(reader.get_batch, range(total))
            for place, batch in enumerate(found, start=1):
                for start in range(0, batch.num_rows, size):
                    columns = [
                        c.dictionary_decode() if pa.types.is_dictionary(c.type) else c
                        for c in batch.slice(start, size).columns
                    ]
                    yield pa.RecordBatch.from_arrays(columns, names), min(1.0, place / total)

    def retried(_: None, error: Exception) -> NoReturn:
        raise _damaged(path, kind) from error

    return Opened(names=names, batches=batches, retried=retried)


def array_table(
    rows: Any, labels: np.ndarray | None, names: Iterable[str] = (), truth: str = TRUTH
) -> Opened:
    """A matrix as a table; columns without names are called x0, x1, ..."""
    given = tuple(map(str, names))
    columns = given or tuple(f"x{i}" for i in range(rows.shape[1]))
    columns += () if labels is None else (truth,)

    def batches(_: None, notes: Notes) -> Batches:
        for at in spans(len(rows), max(1, _MOST_VALUES // rows.shape[1])):
            cells = [*np.asfortranarray(_rows(rows, at)).T]
            cells += [] if labels is None else [labels[at]]
            arrays = []
            for column in cells:  # Arrow knows nothing wider, and this machine's byte order alone
                wide = column.dtype.type is np.longdouble
                kind = np.dtype(float) if wide else column.dtype.newbyteorder("=")
                arrays.append(pa.array(column.astype(kind, copy=False), from_pandas=True))
            yield pa.RecordBatch.from_arrays(arrays, names=columns), at.stop / len(rows)

    known = None if labels is None else truth
    return Opened(names=columns, batches=batches, names_given=bool(given), truth_column=known)


def _rows(rows: Any, at: slice) -> Any:
    """Some of the rows; of a mapped file they are read, as it ends the process if it shrinks."""
    if not isinstance(rows, np.memmap):
        return rows[at]
    (n, width), count, offset = rows.shape, at.stop - at.start, rows.offset
    pieces = [(at.start * width, count * width)]
    if not rows.flags.c_contiguous:
        pieces = [(column * n + at.start, count) for column in range(width)]
    read = partial(np.fromfile, rows.filename, rows.dtype)
    found = [read(size, offset=offset + first * rows.itemsize) for first, size in pieces]
    if sum(map(len, found)) < count * width:
        raise ValueError(f"{rows.filename} ends before its last row")
    return found[0].reshape(-1, width) if rows.flags.c_contiguous else np.array(found).T


def _open_arrays(path: Path, notes: Notes) -> Opened:
    """Rows are the array ``X`` or the only one; ``y`` is the truth of each row."""
    arrays: dict[str, Any] = {}
    try:
        if zipfile.is_zipfile(path):
            _check_unpacked(path)
        elif path.suffix.lower() == ".npy":
            with suppress(Exception):  # never all of it in memory
                arrays = {ROWS: np.load(path, mmap_mode="r", allow_pickle=False)}
        arrays = arrays or read_arrays(path)
    except ValueError as error:
        raise TableError(str(error)) from error
    except MemoryError as error:
        raise TableError(f"{path} says that it is larger than it can be; save it again.") from error
    if ROWS not in arrays and len(arrays) != 1:
        found = ", ".join(sorted(arrays)) or "none"
        raise TableError(f"{path} has no array X (found: {found}); store the rows as X.")
    name = ROWS if ROWS in arrays else next(iter(arrays))
    rows = arrays[name]
    where = f"{path}: the array {name} of shape {rows.shape}"
    if not (np.issubdtype(rows.dtype, np.number) or rows.dtype == bool) or np.iscomplexobj(rows):
        raise TableError(f"{where} holds {rows.dtype} values; it must hold real numbers.")
    if rows.ndim != 2:
        raise TableError(f"{where} is not a matrix; give one with a row for each case.")
    if rows.shape[1] == 0:
        raise TableError(f"{where} has no columns; give at least one.")
    labels = np.asarray(arrays[TRUTH]).ravel() if name != TRUTH and TRUTH in arrays else None
    if labels is not None and len(labels) != len(rows):
        raise TableError(
            f"{path} has {len(rows)} rows in {name} and {len(labels)} labels in y; give one each."
        )
    opened = array_table(rows, labels)
    unique_names(path, opened.names, notes)  # not too many
    return opened


def _check_unpacked(path: Path, largest: int = _LARGEST_UNPACKED) -> None:
    with zipfile.ZipFile(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
    if size > largest:
        raise TableError(f"{path} unpacks to {size >> 20} MB; unpack it, or store it as Parquet.")


def _open_text(path: Path, head: bytes, reading: Reading, notes: Notes) -> Opened:
    unpacked: Any = _member if head.startswith(_ZIP) else nullcontext
    for start, opener in _PACKED.items():
        unpacked = opener if head.startswith(start) else unpacked

    def chunks(done: list[float]) -> Iterator[bytes]:
        size = path.stat().st_size or 1
        with path.open("rb") as raw, unpacked(raw) as file:
            while chunk := file.read(_CHUNK):
                done[0] = raw.tell() / size
                yield chunk

    found: Chunks = chunks
    if next(chunks([0.0]), b"").lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
        reading = replace(reading, header=True, encoding="utf-8", separator=",")
        found = json_chunks(str(path), chunks, notes)
    return open_text(str(path), found, reading, notes)


def _member(raw: IO[bytes]) -> IO[bytes]:
    """The only file of an archive."""
    archive, aside = zipfile.ZipFile(raw), ("__MACOSX", ".")
    members = [m for m in archive.filelist if not (m.is_dir() or m.filename.startswith(aside))]
    if len(members) != 1:
        said = f"holds {len(members)} files; unpack it, and give the right ones."
        raise TableError(f"{raw.name} {said}")
    return archive.open(members[0])


def excel_chunks(path: Path, notes: Notes) -> Chunks:
    """The first sheet of a workbook that has a table, as CSV."""
    _check_unpacked(path, _LARGEST_SHEET)
    try:
        with pd.ExcelFile(path) as file:
            how: Any = {"header": None, "dtype": object, "keep_default_na": False}
            sheets = pd.read_excel(file, sheet_name=None, **how)
            for place in file.book.worksheets if file.engine == "openpyxl" else ():
                for cell in itertools.chain(*place.iter_rows()):
                    if cell.data_type == "e":  # such as #REF!, which pandas takes for missing
                        sheets[place.title].iat[cell.row - 1, cell.column - 1] = cell.value
    except ImportError as error:
        said = f"{path} needs a package: pip install 'l1kpca[excel]', or save the sheet as CSV."
        raise TableError(said) from error
    name = next((n for n, s in sheets.items() if len(s) > 3 and s.shape[1] > 1), next(iter(sheets)))
    sheet = sheets.pop(name)
    if sheets:
        notes.add(f"the sheet {name!r} is read, not: {shown_list(list(sheets))}")
    rows = [[str(cell).removesuffix(" 00:00:00") for cell in row] for row in sheet.to_numpy()]
    return lambda done: as_csv(rows)
