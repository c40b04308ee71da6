"""Figures as files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from l1kpca.outputs import replacing
from l1kpca.plots.experiments_style import STYLE

_FORMATS = ("png", "svg")


def save(name: str, make: Callable[[], Figure], folder: Path) -> bool:
    """Draw a figure as ``<name>.png`` and ``<name>.svg``; equal figures give equal files.

    Parameters
    ----------
    name : str
        Of the files.
    make : callable
        Draws.
    folder : Path
        An existing folder.

    Returns
    -------
    drawn : bool
        False if the figure has no axes: there was nothing to draw.
    """
    # No random names in the SVG, no date.
    with mpl.rc_context({**STYLE, "svg.hashsalt": name}):
        figure = make()
        if not figure.axes:
            return False
        FigureCanvasAgg(figure)
        for kind in _FORMATS:
            with replacing(folder / f"{name}.{kind}", overwrite=True) as temporary:
                metadata = {"Date": None} if kind == "svg" else None
                figure.savefig(temporary, format=kind, metadata=metadata)
    return True
