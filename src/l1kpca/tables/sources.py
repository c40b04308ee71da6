"""Read files, or a built-in data set, as one table, which may be larger than memory."""

import atexit
import difflib
import glob
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from l1kpca._typing import Progress
from l1kpca.tables.formats import array_table, open_file
from l1kpca.tables.table import (
    Columns,
    Layout,
    Notes,
    Opened,
    Reading,
    Table,
    TableError,
    shown_list,
)

BUILT_IN_TRUTH = "outlier"
MIN_ROWS = 3
_Kept = tuple[pa.RecordBatch, Layout | None, np.ndarray]  # rows, and a random key for each
_UNNAMED = re.compile(r"column \d+(?:_\d+)?")
_ANSWERS = {
    "fraud", "label", "labels", "target", "outlier", "class", "anomaly", "attack", "isfraud",
    "isoutlier", "isanomaly", "groundtruth", "truth", "malicious", "defect", "failure",
}  # fmt: skip


def read_table(
    source: str | Sequence[str], reading: Reading | None = None, *, most: int | None = None,
    seed: int = 0, fewest: int = MIN_ROWS, progress: Progress = lambda done, total: None,
) -> Table:  # fmt: skip
    """Read a table of any known kind, and give its columns their roles.

    ``source`` is files, globs, folders, ``"-"`` for the standard input, or the name of a data set.
    At most ``most`` rows, a uniform sample with ``seed``, stay in memory; None keeps all.
    A table of less than ``fewest`` rows is refused.
    """
    reading, notes, seen = reading or Reading(), Notes(), dict[Path, Any]()
    given = [source] if isinstance(source, str) else list(source)
    files = [opened for name in given for opened in _open(name, reading, notes, seen)]
    rng, found = np.random.default_rng(seed), None
    while found is None:  # a file that was misread is read again, in another way
        columns, met = Columns(reading.label_column), Notes()
        try:
            found = _first_pass(files, columns, most, rng, met, progress)
        finally:
            _check_unchanged(seen)
    kept, n_rows = found
    for sentence in met:
        notes.add(sentence)
    _note_missing(files, columns, notes)
    id_column, layout = reading.id_column, files[0].layout
    if id_column is None and layout is not None and layout.id_column in columns.kinds:
        id_column = layout.id_column
        notes.add("the first column has no name and is taken as the id of the rows")
    frames = [columns.frame(batch, how) for batch, how, _ in kept if batch.num_rows]
    table = Table(
        pd.concat(frames or [pd.DataFrame(columns=[*columns.kinds])], ignore_index=True),
        shown_list(given, 3), reading, id_column=id_column, truth_column=files[0].truth_column,
        names_given=False not in [file.names_given for file in files], n_rows=n_rows,
        label_counts=columns.labels, again=partial(_again, files, columns, seen),
    )  # fmt: skip
    _check_roles(table, fewest, notes)
    return replace(table, notes=tuple(notes))


def _note_missing(files: list[Opened], columns: Columns, notes: Notes) -> None:
    """Say which columns some of the files do not have."""
    having = Counter[str]()
    for file in files:
        having.update(file.names)
    for name in columns.kinds:
        if lacking := len(files) - having[name]:
            said = f"column {name!r} is missing in {lacking} of {len(files)} files"
            notes.add(f"{said}: no values there")


def _open(name: str, reading: Reading, notes: Notes, seen: dict[Path, Any]) -> list[Opened]:
    path, opened = Path(name), list[Opened]()
    if name == "-":  # read more than once, so kept in a file, which is gone when the program ends
        with tempfile.NamedTemporaryFile(prefix="l1kpca-", delete=False) as copy:
            path = Path(copy.name)
            atexit.register(path.unlink, missing_ok=True)
            shutil.copyfileobj(sys.stdin.buffer, copy)
    try:
        files = [path] if path.exists() else []
        if path.is_dir():
            inside = (file for file in path.rglob("*") if not file.name.startswith(("_", ".")))
            files = sorted(filter(Path.is_file, inside))
            if not files:
                raise TableError(f"{path} is a folder without files; give one with tables.")
        elif not files and glob.has_magic(name):
            files = [*map(Path, sorted(glob.glob(name, recursive=True)))]  # noqa: PTH207
        for file in files:
            if not file.is_file():
                raise TableError(f"{file} is not a regular file; save its content to one first.")
            found = file.stat()
            seen[file] = found.st_size, found.st_mtime_ns
            opened.append(open_file(file, reading, notes))
        return opened or [_built_in(name)]
    except TableError:
        raise
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TableError(f"{path} cannot be read: {reason}.") from error


def _built_in(name: str) -> Opened:
    from l1kpca import datasets  # noqa: PLC0415 (needed for data sets by name alone)

    if name not in datasets.names():
        if glob.has_magic(name):
            raise TableError(f"{name} matches no file; correct the pattern.")
        names = ", ".join(datasets.names())
        raise TableError(f"{name} does not exist; give a file, or a data set by name ({names}).")
    try:
        data = datasets.load(name)
    except (ValueError, FileNotFoundError) as error:
        raise TableError(f"{name}: {error}") from error
    return array_table(data.X, data.y, data.feature_names, BUILT_IN_TRUTH)


def _first_pass(
    files: list[Opened], columns: Columns, most: int | None, rng: np.random.Generator,
    notes: Notes, progress: Progress,
) -> tuple[list[_Kept], int] | None:  # fmt: skip
    """Learn the columns; returns a uniform sample of the rows, and their number.

    None if a file must be read in another way, which replaces it.
    """
    kept: list[_Kept] = []
    n_rows, n_kept, bound = 0, 0, 1.0
    for place, file in enumerate(files):
        try:
            for batch, done in file.batches(file.layout, notes):
                progress(place + done, len(files))
                columns.learn(batch, file.layout)
                keys = rng.random(batch.num_rows)
                n_rows += len(keys)
                low = keys <= bound
                some = batch if low.all() else batch.filter(pa.array(low))
                kept.append((some, file.layout, keys[low]))
                n_kept += int(low.sum())
                if most is not None and n_kept > 1.2 * most:
                    bound, kept = _smallest(kept, most)
                    n_kept = most
        except Exception as error:  # readers of damaged files raise anything
            ours = isinstance(error, TableError | MemoryError | AssertionError)
            if ours or file.retried is None:
                raise
            files[place] = replace(file, layout=file.retried(file.layout, error))
            return None
    if most is not None and n_kept > most:
        kept = _smallest(kept, most)[1]
    for name, kind in [*columns.kinds.items()]:
        if kind is None and _UNNAMED.fullmatch(name):
            del columns.kinds[name]
            notes.add("columns without a name and without values are left out", name, 1)
    if len(files) > 1:
        columns.holes.update(columns.kinds)
    return kept, n_rows


def _again(
    files: list[Opened], columns: Columns, seen: dict[Path, Any], progress: Progress
) -> Iterator[pd.DataFrame]:
    try:
        for place, file in enumerate(files):
            for batch, done in file.batches(file.layout, Notes()):
                _check_unchanged(seen)  # before rows are given away that were not there
                progress(place + done, len(files))
                yield columns.frame(batch, file.layout)
    finally:
        _check_unchanged(seen)


def _smallest(kept: list[_Kept], most: int) -> tuple[float, list[_Kept]]:
    """The largest of the smallest keys, and the rows that have these."""
    bound = np.partition(np.concatenate([keys for *_, keys in kept]), most - 1)[most - 1]
    low = [(batch, layout, keys, keys <= bound) for batch, layout, keys in kept]
    return bound, [(batch.filter(pa.array(at)), how, keys[at]) for batch, how, keys, at in low]


def _check_unchanged(seen: dict[Path, Any]) -> None:
    """Refuse files that are others now: their rows would not fit, and are to blame for errors."""
    for path, before in seen.items():
        with suppress(OSError):
            found = path.stat()
            if (found.st_size, found.st_mtime_ns) == before:
                continue
        raise TableError(f"{path} was changed while it was read; start again.")


def _check_roles(table: Table, fewest: int, notes: Notes) -> None:
    columns, reading = [*map(str, table.frame.columns)], table.reading
    if table.n_rows < fewest:
        rows = "1 row" if table.n_rows == 1 else f"{table.n_rows} rows"
        raise TableError(f"{table.source} has {rows}; give at least {fewest}.")
    given = {"--id": [reading.id_column], "--label": [reading.label_column]}
    for option, names in {**given, "--ignore": reading.ignored, "--only": reading.only}.items():
        for name in names:
            if name is None or name in columns:
                continue
            near = difflib.get_close_matches(name, columns, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are: {shown_list(columns)}."
            raise TableError(f"{table.source} has no column {name!r} for {option}; {hint}")
    if reading.id_column is not None and reading.id_column == reading.label_column:
        raise TableError(f"--id and --label both name the column {reading.id_column!r}; use two.")
    if reading.label_column is not None:
        return
    if (truth := table.truth_column) is not None:
        said = f"column {truth!r} holds the truth and is left out"
        notes.add(f"{said}; compare with it by --label {truth}")
    for name in table.feature_columns:
        if re.sub("[^a-z]", "", name.lower()) in _ANSWERS and table.frame[name].nunique() == 2:
            typed = f'"{name}"' if " " in name else name
            said = f"column {name!r} looks like the answer: if it is, say so by --label {typed}"
            notes.add(f"{said}, and it is compared with, not looked at")
