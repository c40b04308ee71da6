"""From a file or the name of a built-in data set to one kind of table."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from l1kpca import datasets
from l1kpca.cli import array_files, csv_files
from l1kpca.cli.errors import InputError, library_errors_explained

PARQUET_SUFFIXES = (".parquet", ".pq")
BUILT_IN_TRUTH = "outlier"
MIN_COLUMNS = 2
MIN_ROWS = 3


def _row_number(row: int) -> str:
    return f"row {row + 1}"


@dataclass(frozen=True, eq=False)
class Table:
    """Rows as they were read.

    Attributes
    ----------
    frame : DataFrame
        All columns, in the order of the source.
    source : str
        How the source is called in messages.
    id_column, label_column : str or None
        Columns that are not features: what a row is called, and whether it is an outlier.
    truth_column : str or None
        A column that the source itself marks as the truth; never a feature.
    ignored : tuple of str
        Columns that the user leaves out.
    names_given : bool
        Whether the columns have names of their own.
    notes : tuple of str
        What the user should know about the reading.
    locate : callable
        Says where a row, counted from 0, is found in the source.
    """

    frame: pd.DataFrame
    source: str
    id_column: str | None = None
    label_column: str | None = None
    truth_column: str | None = None
    ignored: tuple[str, ...] = ()
    names_given: bool = True
    notes: tuple[str, ...] = ()
    locate: Callable[[int], str] = _row_number

    @property
    def feature_columns(self) -> list[str]:
        """Columns that describe the rows."""
        apart = {self.id_column, self.label_column, self.truth_column, *self.ignored}
        return [name for name in self.frame.columns if name not in apart]


@dataclass(frozen=True)
class Roles:
    """What the user says about the columns; None and empty where nothing was said."""

    id_column: str | None = None
    label_column: str | None = None
    ignored: tuple[str, ...] = ()
    header: str = "auto"


def read_table(source: str, roles: Roles | None = None) -> Table:
    """Read a table of any known kind and give its columns their roles.

    Parameters
    ----------
    source : str
        A CSV, Parquet, ``.npy``, ``.npz`` or ``.mat`` file, or the name of a data set.
    roles : Roles, optional
        Which column is the id, which the label, which to leave out.

    Returns
    -------
    table : Table
        At least three rows and two columns.

    Raises
    ------
    InputError
        If there is no such source, or it cannot be read.
    """
    roles = Roles() if roles is None else roles
    path = Path(source)
    if source in datasets.names() and not path.is_file():
        table = _read_built_in(source)
    else:
        table = _read_file(_checked_path(path), roles)
    table = _with_roles(table, roles)
    rows, columns = table.frame.shape
    if columns < MIN_COLUMNS:
        raise InputError(f"{source} has one column; give at least {MIN_COLUMNS}.")
    if rows < MIN_ROWS:
        raise InputError(
            f"{source} has {rows} row{'s' if rows != 1 else ''}; give at least {MIN_ROWS}."
        )
    return table


def _checked_path(path: Path) -> Path:
    known = ", ".join((*csv_files.SUFFIXES, *PARQUET_SUFFIXES, *array_files.SUFFIXES))
    try:
        if path.is_dir():
            raise InputError(f"{path} is a directory; give a file.")
        if not path.exists():
            names = ", ".join(datasets.names())
            raise InputError(
                f"{path} does not exist; give a file, or a data set by name ({names})."
            )
        if not path.is_file():
            raise InputError(f"{path} is not a regular file; save its content to one first.")
        path.open("rb").close()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{path} cannot be read: {reason}.") from error
    if path.suffix.lower() not in (*csv_files.SUFFIXES, *PARQUET_SUFFIXES, *array_files.SUFFIXES):
        raise InputError(
            f"{path} has a suffix that is not known; the kind of file is told by it: {known}."
        )
    return path


def _read_built_in(name: str) -> Table:
    with library_errors_explained(name):
        data = datasets.load(name)
    frame = pd.DataFrame(data.X, columns=list(data.feature_names), copy=False)
    frame[BUILT_IN_TRUTH] = data.y
    return Table(frame, name, truth_column=BUILT_IN_TRUTH)


def _read_file(path: Path, roles: Roles) -> Table:
    suffix = path.suffix.lower()
    if suffix in csv_files.SUFFIXES:
        return _read_text(path, roles)
    if suffix in PARQUET_SUFFIXES:
        return _read_parquet(path)
    frame, truth = array_files.read_arrays(path)
    return Table(frame, str(path), truth_column=truth, names_given=False)


def _read_text(path: Path, roles: Roles) -> Table:
    frame, layout = csv_files.read_csv(path, roles.header, roles.id_column)

    def locate(row: int) -> str:
        return f"line {csv_files.line_of_row(path, layout, row)}"

    table = Table(frame, str(path), names_given=layout.has_header, locate=locate)
    if not layout.has_header:
        last = frame.shape[1] - 1
        return replace(
            table,
            notes=(f"no line of column names was found: the columns are called x0 to x{last}",),
        )
    # What pandas writes as its index: a first column without a name.
    if layout.names[0] == "column 1" and roles.id_column is None:
        note = "the first column has no name and is taken as the id of the rows"
        return replace(table, id_column="column 1", notes=(note,))
    return table


def _read_parquet(path: Path) -> Table:
    try:
        with parquet.ParquetFile(path, memory_map=True) as file:
            names = file.schema_arrow.names
            table = file.read()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(
            f"{path} is not a readable Parquet file, or it is damaged; write it again."
        ) from error
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise InputError(
            f"{path}: the column name {repeated[0]!r} is used more than once; give every column"
            " its own name."
        )
    # Each column is freed as soon as it is converted: the table is never held twice.
    frame = table.to_pandas(split_blocks=True, self_destruct=True)
    del table
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    frame.columns = frame.columns.map(str)
    return Table(frame, str(path))


def _with_roles(table: Table, roles: Roles) -> Table:
    asked = (("--id", roles.id_column), ("--label", roles.label_column))
    for option, name in (*asked, *(("--ignore", name) for name in roles.ignored)):
        if name is not None and name not in table.frame.columns:
            raise InputError(_no_such_column(table, option, name))
    if roles.id_column is not None and roles.id_column == roles.label_column:
        raise InputError(f"--id and --label both name the column {roles.id_column!r}; use two.")
    notes = table.notes
    if table.truth_column is not None and roles.label_column is None:
        note = (
            f"column {table.truth_column!r} holds the truth and is left out; compare with it by"
            f" --label {table.truth_column}"
        )
        notes = (*notes, note)
    return replace(
        table,
        id_column=roles.id_column or table.id_column,
        label_column=roles.label_column,
        ignored=roles.ignored,
        notes=notes,
    )


def _no_such_column(table: Table, option: str, name: str) -> str:
    columns = list(map(str, table.frame.columns))
    near = difflib.get_close_matches(name, columns, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {shown_list(columns)}."
    return f"{table.source} has no column {name!r} for {option}; {hint}"


def shown_list(names: list[str], at_most: int = 8) -> str:
    """Names for a message, the last ones left out if there are many."""
    shown = ", ".join(names[:at_most])
    return f"{shown} and {len(names) - at_most} more" if len(names) > at_most else shown
