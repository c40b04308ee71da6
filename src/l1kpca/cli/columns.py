"""One column of a table as numbers, or the sentence that says which cell is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from l1kpca.cli.errors import InputError
from l1kpca.cli.tables import Table

MOSTLY = 0.5
"""A column with at least this share of numbers is meant to be one of numbers."""


def as_numbers(table: Table, name: str) -> np.ndarray | None:
    """The column as float with NaN for missing, None if it is not one of numbers.

    Parameters
    ----------
    table : Table
        For the place of a cell in a message.
    name : str
        The column.

    Returns
    -------
    numbers : ndarray or None

    Raises
    ------
    InputError
        If a cell among numbers is text, or a number is infinite.
    """
    values = table.frame[name]
    if types.is_bool_dtype(values) or types.is_numeric_dtype(values):
        if types.is_complex_dtype(values):
            return None
        numbers = values.to_numpy(dtype=smallest_float(values.dtype), na_value=np.nan)
    elif is_time(values):
        return None
    else:
        numbers = _read_as_numbers(table, name, values)
    if numbers is not None and np.isinf(numbers).any():
        row = int(np.isinf(numbers).argmax())
        raise InputError(
            f"{table.source}, {table.locate(row)}: column {name!r} is infinite; correct the cell,"
            " or leave it empty."
        )
    return numbers


def _read_as_numbers(table: Table, name: str, values: pd.Series) -> np.ndarray | None:
    present = values.notna().to_numpy()
    parsed = pd.to_numeric(values.astype(object), errors="coerce").to_numpy(dtype=np.float64)
    bad = present & np.isnan(parsed)
    if bad.sum() > (1 - MOSTLY) * present.sum():
        return None
    if bad.any():
        row = int(bad.argmax())
        raise InputError(
            f"{table.source}, {table.locate(row)}: column {name!r} has the text"
            f" {shown_cell(values, row)} where other rows have numbers; correct the cell, leave it"
            f" empty, or pass {ignore_option(name)}."
        )
    return parsed


def smallest_float(dtype: Any) -> np.dtype:
    """Single precision for a column of single precision, double for any other."""
    single = isinstance(dtype, np.dtype) and dtype == np.float32
    return np.dtype(np.float32 if single else np.float64)


def is_time(values: pd.Series) -> bool:
    """Whether a column holds points or spans of time."""
    return types.is_datetime64_any_dtype(values) or types.is_timedelta64_dtype(values)


def ignore_option(name: str) -> str:
    """The option that leaves a column out, as it is typed."""
    return f'--ignore "{name}"' if " " in name else f"--ignore {name}"


def shown_cell(values: pd.Series, row: int) -> str:
    """A cell for a message."""
    text = str(values.iloc[row])
    return repr(text if len(text) <= 40 else f"{text[:37]}...")
