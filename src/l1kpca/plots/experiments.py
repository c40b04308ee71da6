"""The figures of the reproduction by name; each reads tidy rows and runs nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from l1kpca.plots import experiments_beyond, experiments_tables, experiments_toys
from l1kpca.plots.files import save

FIGURES: dict[str, Callable[[pd.DataFrame], Figure]] = {
    **experiments_tables.FIGURES,
    **experiments_toys.FIGURES,
    **experiments_beyond.FIGURES,
}
"""From the name of a figure to a function that draws it from the rows of its experiment."""


def draw(name: str, rows: pd.DataFrame, folder: Path) -> bool:
    """Draw one figure as ``<name>.png`` and ``<name>.svg``.

    Parameters
    ----------
    name : str
        A key of `FIGURES`.
    rows : DataFrame
        Tidy rows of the experiment that it belongs to.
    folder : Path
        An existing folder.

    Returns
    -------
    drawn : bool
        False if the rows for it were not run.
    """
    usable = rows[rows["status"].isin(["done", "cut off"])]
    return save(name, lambda: FIGURES[name](usable), folder)
