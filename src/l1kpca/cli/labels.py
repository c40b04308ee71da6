"""The truth about rows, as 0 and 1."""

from __future__ import annotations

import numpy as np
import pandas as pd

from l1kpca.cli.columns import shown_cell
from l1kpca.cli.errors import InputError
from l1kpca.cli.tables import Table

_OUTLIER_WORDS = ("1", "1.0", "true")
_INLIER_WORDS = ("0", "0.0", "false")


def read_labels(table: Table) -> np.ndarray | None:
    """The label column as 0 (inlier) and 1 (outlier).

    Parameters
    ----------
    table : Table
        With or without a label column.

    Returns
    -------
    labels : ndarray of int8, or None
        None if the table has no label column.

    Raises
    ------
    InputError
        If a label is missing or something else, or all are the same.
    """
    name = table.label_column
    if name is None:
        return None
    values = table.frame[name]
    words = values.astype(str).str.strip().str.lower()
    outlier, inlier = words.isin(_OUTLIER_WORDS), words.isin(_INLIER_WORDS)
    wrong = ~(outlier | inlier).to_numpy() | values.isna().to_numpy()
    if wrong.any():
        row = int(wrong.argmax())
        cell = "no value" if pd.isna(values.iloc[row]) else shown_cell(values, row)
        raise InputError(
            f"{table.source}, {table.locate(row)}: the label column {name!r} has {cell}; it must"
            " hold 0 (inlier) and 1 (outlier) only."
        )
    if outlier.all() or inlier.all():
        only = 1 if outlier.all() else 0
        raise InputError(
            f"{table.source}: the label column {name!r} is {only} in every row, so that there is"
            " nothing to compare; leave --label out."
        )
    return outlier.to_numpy().astype(np.int8)
