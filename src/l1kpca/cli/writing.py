"""Results as files: the input's columns with what was found beside them."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pandas.api import types

from l1kpca.cli.errors import InputError
from l1kpca.outputs import OutputError, check_writable, replacing

TABLE_SUFFIXES = (".csv", ".parquet", ".pq")
# A formula begins with one of these, or with the same in full width; a spreadsheet skips blanks and
# quotes before it.
_FORMULA = r"[ \u00a0\"]*[=+\-@\uff1d\uff0b\uff0d\uff20]"
# It can begin with the text, or after what a spreadsheet may take for the end of a cell; tabs and
# line ends that begin a text are dropped by some.
_FORMULA_STARTS = re.compile(rf"(?:^|(?<=[;|\t\r\n]))(?={_FORMULA})|^(?=[\t\r\n])")


@dataclass(frozen=True)
class WritingRules:
    """How files are written.

    Attributes
    ----------
    overwrite : bool
        Whether files that are there may be replaced.
    spreadsheet_safe : bool
        Whether text in CSV files that a spreadsheet would run as a formula is made harmless.
    """

    overwrite: bool = False
    spreadsheet_safe: bool = False


def check_outputs(
    inputs: Mapping[str, str | Path], outputs: Mapping[str, Path | None], rules: WritingRules
) -> None:
    """Refuse files that cannot be written, before any work is done.

    Parameters
    ----------
    inputs : mapping
        What is read and never overwritten: what it is called, and where it is.
    outputs : mapping
        Option and file.
    rules : WritingRules
        Whether files may be replaced.
    """
    taken = {os.path.realpath(path): name for name, path in inputs.items()}
    for option, path in outputs.items():
        if path is None:
            continue
        real = os.path.realpath(path)
        if real in taken:
            raise InputError(
                f"{option} {path} is also {taken[real]}; give every file a name of its own."
            )
        taken[real] = f"the file of {option}"
        if option == "--out" and path.suffix.lower() not in TABLE_SUFFIXES:
            raise InputError(
                f"--out {path} has a suffix that is not known; the kind of file is told by it:"
                f" {', '.join(TABLE_SUFFIXES)}."
            )
        check_writable(path, overwrite=rules.overwrite)


def with_columns(frame: pd.DataFrame, added: Mapping[str, Any]) -> tuple[pd.DataFrame, list[str]]:
    """The columns of a table with new ones after them.

    Parameters
    ----------
    frame : DataFrame
        The rows as they were read; not changed.
    added : mapping
        Name and values of the new columns.

    Returns
    -------
    together : DataFrame
        Shares the old columns.
    notes : list of str
        Says which names were taken already.
    """
    notes = []
    renamed = {}
    for name, values in added.items():
        free = name
        while free in frame.columns or (free != name and free in added):
            free = f"l1kpca_{free}"
        if free != name:
            notes.append(f"the data have a column {name!r}: the new one is called {free!r}")
        renamed[free] = np.asarray(values)
    new = pd.DataFrame(renamed, index=frame.index, copy=False)
    return pd.concat([frame, new], axis=1), notes


def write_table(frame: pd.DataFrame, path: Path, rules: WritingRules) -> None:
    """Write a table as CSV or Parquet, told by the suffix.

    Parameters
    ----------
    frame : DataFrame
        The table.
    path : Path
        The file; complete or not there.
    rules : WritingRules
        Whether a file may be replaced, and how text is written.
    """
    with replacing(path, overwrite=rules.overwrite) as temporary:
        if path.suffix.lower() == ".csv":
            safe = without_formulas(frame) if rules.spreadsheet_safe else frame
            quoting = csv.QUOTE_NONNUMERIC if rules.spreadsheet_safe else _quoting(safe)
            safe.to_csv(temporary, index=False, lineterminator="\n", quoting=quoting)
            return
        try:
            frame.to_parquet(temporary, index=False)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
            raise OutputError(
                f"{path} was not written: a column cannot be stored as Parquet"
                f" ({' '.join(str(error).split())}); write a .csv file instead."
            ) from error


def write_text(text: str, path: Path, rules: WritingRules) -> None:
    """Write a text file in UTF-8; it is complete or not there."""
    with replacing(path, overwrite=rules.overwrite) as temporary:
        temporary.write_text(text, encoding="utf-8")


def without_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    r"""A quote before every text that a spreadsheet would take for a formula.

    That is text that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line end, blanks and quotes
    before it aside; and the same within a text after ``;``, ``|``, a tab or a line end, where a
    spreadsheet with another separator begins a new cell.  Names of columns are treated alike.

    Parameters
    ----------
    frame : DataFrame
        Not changed; columns of numbers are passed on as they are.

    Returns
    -------
    safe : DataFrame

    Examples
    --------
    >>> import pandas as pd
    >>> without_formulas(pd.DataFrame({"note": ["=1+1", "fine"], "x": [-1.0, 2.0]})).to_csv()
    ",note,x\n0,'=1+1,-1.0\n1,fine,2.0\n"
    """
    safe = frame.copy(deep=False)
    for place, name in enumerate(frame.columns):
        values = frame.iloc[:, place]
        if not (types.is_numeric_dtype(values) or types.is_bool_dtype(values)):
            safe[name] = [_harmless(value) for value in values]
    return safe.set_axis(_harmless_names(frame.columns), axis="columns")


def _quoting(frame: pd.DataFrame) -> int:
    """Quote all text if some holds a carriage return, which would end a line without quotes."""
    texts = [values for _, values in frame.items() if not types.is_numeric_dtype(values)]
    cells = (cell for values in [*texts, frame.columns] for cell in values)
    broken = any(isinstance(cell, str) and "\r" in cell for cell in cells)
    return csv.QUOTE_NONNUMERIC if broken else csv.QUOTE_MINIMAL


def _harmless(value: Any) -> Any:
    return _FORMULA_STARTS.sub("'", value) if isinstance(value, str) else value


def _harmless_names(names: Sequence[Any]) -> list[Any]:
    return [_harmless(name) for name in names]
