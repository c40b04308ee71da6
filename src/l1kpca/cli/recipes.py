"""How a table becomes a matrix: learned once, then frozen and applied to any row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from l1kpca.cli.columns import as_numbers, shown_cell, smallest_float
from l1kpca.cli.errors import InputError
from l1kpca.cli.tables import Table, shown_list

MISSING_POLICIES = ("median", "error")


@dataclass(frozen=True)
class ColumnRecipe:
    """How one column becomes features.

    Attributes
    ----------
    name : str
        The column.
    levels : tuple of str
        Values that get a 0/1 feature each; empty for a column of numbers.
    median : float
        What stands in for a missing number.
    """

    name: str
    levels: tuple[str, ...] = ()
    median: float = 0.0


@dataclass(frozen=True)
class Recipe:
    """How a table becomes a matrix; the same for training rows and for any row after them."""

    columns: tuple[ColumnRecipe, ...]

    @property
    def feature_names(self) -> list[str]:
        """Names of the columns of the matrix."""
        return [
            name
            for column in self.columns
            for name in ([f"{column.name}={v}" for v in column.levels] or [column.name])
        ]

    @property
    def source_index(self) -> np.ndarray:
        """For each feature, the place of the column that it comes from."""
        widths = [max(len(column.levels), 1) for column in self.columns]
        return np.repeat(np.arange(len(self.columns)), widths)

    def apply(self, table: Table, missing: str) -> tuple[pd.DataFrame, list[str]]:
        """Make the matrix.

        Parameters
        ----------
        table : Table
            Must have all columns of the recipe; others are not looked at.
        missing : {"median", "error"}
            Whether missing values are filled or refused.

        Returns
        -------
        X : DataFrame
            Finite numbers, one column for each feature.
        notes : list of str
            What was filled, and levels that were never seen before.
        """
        lacking = [c.name for c in self.columns if c.name not in table.frame.columns]
        if lacking:
            raise InputError(_other_columns(table, self, lacking))
        X = np.empty((len(table.frame), len(self.feature_names)), dtype=_float_type(table, self))
        filled: dict[str, int] = {}
        notes: list[str] = []
        at = 0
        for column in self.columns:
            width = max(len(column.levels), 1)
            into = X[:, at : at + width]
            at += width
            if column.levels:
                holes = _write_levels(table, column, into, notes)
            else:
                holes = _write_numbers(table, column, into[:, 0])
            if holes.any():
                filled[column.name] = int(holes.sum())
                _refuse_missing(table, column.name, holes, missing)
        notes += _filled_note(filled)
        return pd.DataFrame(X, columns=self.feature_names, copy=False), notes

    def to_plain(self) -> dict[str, Any]:
        """The recipe as what JSON can hold."""
        return {"columns": [asdict(column) for column in self.columns]}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Recipe:
        """The recipe again."""
        return cls(
            tuple(
                ColumnRecipe(str(c["name"]), tuple(map(str, c["levels"])), float(c["median"]))
                for c in plain["columns"]
            )
        )


def _write_numbers(table: Table, column: ColumnRecipe, into: np.ndarray) -> np.ndarray:
    values = table.frame[column.name]
    nothing = np.full(len(into), np.nan)
    numbers = as_numbers(table, column.name) if values.notna().any() else nothing
    if numbers is None:
        row = int(values.notna().to_numpy().argmax())
        raise InputError(
            f"{table.source}, {table.locate(row)}: column {column.name!r} has the text"
            f" {shown_cell(values, row)}, but the model knows it as a column of numbers;"
            " correct the file."
        )
    holes = np.isnan(numbers)
    into[:] = numbers
    into[holes] = column.median
    return holes


def _write_levels(
    table: Table, column: ColumnRecipe, into: np.ndarray, notes: list[str]
) -> np.ndarray:
    values = table.frame[column.name]
    holes = values.isna().to_numpy()
    text = values.astype(str).to_numpy(dtype=object)
    for place, level in enumerate(column.levels):
        into[:, place] = (text == level) & ~holes
    unseen = ~holes & ~into.any(axis=1)
    if unseen.any():
        example = text[int(unseen.argmax())]
        notes.append(
            f"column {column.name!r} has {int(unseen.sum())} values that the model never saw, such"
            f" as {example[:40]!r}: they count as none of the known ones"
        )
    return holes


def _refuse_missing(table: Table, name: str, holes: np.ndarray, missing: str) -> None:
    if missing == "error":
        row = int(holes.argmax())
        raise InputError(
            f"{table.source}, {table.locate(row)}: column {name!r} has no value, which --missing"
            " error refuses; fill it, or pass --missing median."
        )


def _filled_note(filled: dict[str, int]) -> list[str]:
    if not filled:
        return []
    total = sum(filled.values())
    columns = shown_list([f"{name}: {count}" for name, count in filled.items()])
    what = "value was" if total == 1 else "values were"
    return [f"{total} missing {what} filled in, numbers by the median of their column ({columns})"]


def _other_columns(table: Table, recipe: Recipe, lacking: list[str]) -> str:
    expected = [column.name for column in recipe.columns]
    return (
        f"{table.source} lacks {'the column' if len(lacking) == 1 else 'columns'}"
        f" {shown_list([repr(name) for name in lacking])}; the model was fitted on"
        f" {len(expected)} columns: {shown_list(expected)}."
    )


def _float_type(table: Table, recipe: Recipe) -> np.dtype:
    """Single precision only if all columns are of it."""
    return np.result_type(*(smallest_float(table.frame[c.name].dtype) for c in recipe.columns))
