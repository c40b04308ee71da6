"""Deciding how each column of the training rows becomes numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from l1kpca.cli.columns import as_numbers, ignore_option, is_time
from l1kpca.cli.errors import InputError
from l1kpca.cli.recipes import ColumnRecipe, Recipe
from l1kpca.cli.tables import Table, shown_list

MAX_LEVELS = 10
"""Text columns with more distinct values are left out."""
_FEWEST_COUNTED = 10


def learn_recipe(table: Table) -> tuple[Recipe, list[str]]:
    """Decide for each feature column of a table how it becomes numbers.

    Parameters
    ----------
    table : Table
        The training rows.

    Returns
    -------
    recipe : Recipe
        At least two features.
    notes : list of str
        Which columns are encoded or left out, and why.
    """
    notes: list[str] = []
    columns = []
    for name in table.feature_columns:
        values = table.frame[name]
        if not values.notna().any():
            raise InputError(
                f"{table.source}: column {name!r} has no values at all; remove it, or pass"
                f" {ignore_option(name)}."
            )
        numbers = as_numbers(table, name)
        if numbers is not None:
            notes += _counter_note(name, numbers)
            columns.append(ColumnRecipe(name, median=float(np.nanmedian(numbers))))
        elif (levels := _levels(name, values, notes)) is not None:
            columns.append(ColumnRecipe(name, levels=levels))
    recipe = Recipe(tuple(columns))
    if len(recipe.feature_names) < 2:
        left = shown_list(recipe.feature_names) or "none"
        raise InputError(
            f"{table.source} has fewer than two columns of data that can be used (found: {left});"
            " give at least two columns of numbers."
        )
    return recipe, notes


def unused_columns(table: Table, recipe: Recipe) -> list[str]:
    """Feature columns of a table that a recipe does not look at."""
    used = {column.name for column in recipe.columns}
    return [name for name in table.feature_columns if name not in used]


def _counter_note(name: str, numbers: np.ndarray) -> list[str]:
    """A hint that a column may be no measurement but a number given to each row."""
    with np.errstate(over="ignore"):
        counts = len(numbers) >= _FEWEST_COUNTED and (np.diff(numbers) == 1).all()
    if not counts:
        return []
    option = f'--id "{name}"' if " " in name else f"--id {name}"
    return [f"column {name!r} counts the rows: if it is an id, say so by {option}"]


def _levels(name: str, values: pd.Series, notes: list[str]) -> tuple[str, ...] | None:
    """The values of a text column worth a feature each; None if it is left out."""
    if is_time(values):
        notes.append(f"column {name!r} holds times and is left out")
        return None
    present = values.dropna()
    # Lists and other things that cannot be compared are looked at as text.
    found = sorted(set(present.astype(str).unique()))
    if len(found) > MAX_LEVELS:
        notes.append(
            f"column {name!r} is text with {len(found)} different values (more than {MAX_LEVELS})"
            " and is left out"
        )
        return None
    if len(found) == 1:
        notes.append(f"column {name!r} has the same value in every row and is left out")
        return None
    notes.append(f"column {name!r} is text: each of its {len(found)} values becomes a 0/1 column")
    return tuple(found)
