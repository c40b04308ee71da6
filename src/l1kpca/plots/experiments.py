"""The figures of the reproduction by name; each reads tidy rows and runs nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from l1kpca.outputs import replacing
from l1kpca.plots import experiments_beyond, experiments_tables, experiments_toys
from l1kpca.plots.experiments_style import STYLE

FIGURES: dict[str, Callable[[pd.DataFrame], Figure]] = {
    **experiments_tables.FIGURES,
    **experiments_toys.FIGURES,
    **experiments_beyond.FIGURES,
}
"""From the name of a figure to a function that draws it from the rows of its experiment."""

_FORMATS = ("png", "svg")


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
    # Equal rows give equal files: no random names in the SVG, no date.
    with mpl.rc_context({**STYLE, "svg.hashsalt": name}):
        figure = FIGURES[name](rows[rows["status"].isin(["done", "cut off"])])
        if not figure.axes:
            return False
        FigureCanvasAgg(figure)
        for kind in _FORMATS:
            with replacing(folder / f"{name}.{kind}", overwrite=True) as temporary:
                metadata = {"Date": None} if kind == "svg" else None
                figure.savefig(temporary, format=kind, metadata=metadata)
    return True
