"""Figures as files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from l1kpca.outputs import replacing
from l1kpca.plots.experiments_style import STYLE

_FORMATS = ("png", "svg")


def draw(
    names: Iterable[str],
    figures: Mapping[str, Callable[[pd.DataFrame], Figure]],
    rows: pd.DataFrame,
    folder: Path,
) -> list[str]:
    """Draw figures as ``<name>.png`` and ``<name>.svg``; equal rows give equal files.

    Parameters
    ----------
    names : iterable of str
        Keys of ``figures``.
    figures : mapping
        From the name of a figure to a function that draws it from rows.
    rows : DataFrame
        Tidy rows of a run.
    folder : Path
        Made if need be.

    Returns
    -------
    drawn : list of str
        The names of those whose rows are there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    usable = rows[rows["status"].isin(["done", "cut off"])]
    return [name for name in names if _save(name, figures[name], usable, folder)]


def _save(
    name: str, make: Callable[[pd.DataFrame], Figure], rows: pd.DataFrame, folder: Path
) -> bool:
    """Whether there was something to draw: a figure without axes is not saved."""
    # No random names in the SVG, no date.
    with mpl.rc_context({**STYLE, "svg.hashsalt": name}):
        figure = make(rows)
        if not figure.axes:
            return False
        FigureCanvasAgg(figure)
        for kind in _FORMATS:
            with replacing(folder / f"{name}.{kind}", overwrite=True) as temporary:
                metadata = {"Date": None} if kind == "svg" else None
                figure.savefig(temporary, format=kind, metadata=metadata)
    return True
