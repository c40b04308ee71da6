"""Write tables: the columns of the input, and what was found beside them."""

import itertools
import re
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pandas.api import types
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from l1kpca.files import OutputError, replacing

SUFFIXES = (".csv", ".parquet", ".pq")
# A formula begins with one of these, also in full width, after blanks and quotes; at the start of a
# text, or after what a spreadsheet may take for the end of a cell.  Some drop tabs and line ends.
_FORMULA = r"[ \u00a0\"]*[=+\-@\uff1d\uff0b\uff0d\uff20]"
_FORMULA_STARTS = re.compile(rf"(?:^|(?<=[;|\t\r\n]))(?={_FORMULA})|^(?=[\t\r\n])")


def free_names(taken: Iterable[str], wanted: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Unused names for new columns, and notes on those that were taken."""
    taken, wanted, names, notes = {*taken}, [*wanted], {}, []
    for name in wanted:
        free = name
        while free in taken or (free != name and free in wanted):
            free = f"l1kpca_{free}"
        if free != name:
            notes.append(f"the data have a column {name!r}: the new one is called {free!r}")
        names[name] = free
    return names, notes


def write_table(
    frames: Iterable[pd.DataFrame], path: Path, *, overwrite: bool = False,
    spreadsheet_safe: bool = False,
) -> None:  # fmt: skip
    """Write frames, one after the other, as CSV or Parquet, told by the suffix; all or nothing.

    ``spreadsheet_safe`` makes text in CSV harmless that a spreadsheet would run as a formula.
    """
    is_csv = path.suffix.lower() == ".csv"
    with replacing(path, overwrite=overwrite) as temporary, temporary.open("wb") as file:
        try:
            plain = map(partial(_plain, safe=spreadsheet_safe), frames) if is_csv else frames
            tables = map(partial(pa.Table.from_pandas, preserve_index=False), plain)
            first = next(tables)
            if is_csv:
                opened = arrow_csv.CSVWriter(file, first.schema)
            else:
                words = [f.name for f in first.schema if not pa.types.is_floating(f.type)]
                opened = parquet.ParquetWriter(file, first.schema, use_dictionary=words)
            with opened as writer:
                for table in itertools.chain([first], tables):
                    writer.write_table(table.cast(first.schema))
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
            why = f"it cannot hold a column ({' '.join(str(error).split())})"
            raise OutputError(f"{path} was not written: {why}.") from error


def _plain(frame: pd.DataFrame, *, safe: bool) -> pd.DataFrame:
    """Numbers and text; what is neither becomes text."""
    frame = frame.copy(deep=False)
    for name, values in frame.items():
        if not (types.is_numeric_dtype(values) or types.is_string_dtype(values.dtype)):
            # Before version 3, pandas makes text of what is missing, too.
            frame[name] = values.astype("str").where(values.notna())
    return without_formulas(frame) if safe else frame


def without_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """Put a quote before every text and name that a spreadsheet would take for a formula."""
    safe = frame.copy(deep=False)
    for place, name in enumerate(frame.columns):
        values = frame.iloc[:, place]
        if not (types.is_numeric_dtype(values) or types.is_bool_dtype(values)):
            safe[name] = [_harmless(value) for value in values]
    return safe.set_axis([_harmless(name) for name in frame.columns], axis="columns")


def _harmless(value: Any) -> Any:
    return _FORMULA_STARTS.sub("'", value) if isinstance(value, str) else value
