"""What the figures of the reproduction share."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

STYLE: Any = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "axes.axisbelow": True,
    "legend.frameon": False,
    "savefig.dpi": 130,
    "figure.facecolor": "white",
}

METHODS = ("Algorithm 1", "KPCA-L1", "L1-KPCA", "R1-KPCA", "L2-KPCA")
# Colors that are told apart without seeing red and green (Okabe and Ito), and markers beside them.
COLORS = dict(
    zip(
        (*METHODS, "Polished"),
        ("#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00", "#000000"),
        strict=True,
    )
)
MARKERS = dict(zip((*METHODS, "Polished"), "osDv^P", strict=True))


def grid(rows: int, columns: int, size: tuple[float, float]) -> tuple[Figure, list[Axes]]:
    """A figure with a grid of axes, in reading order."""
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False)
    return figure, list(axes.ravel())


def log_scale(axes: Axes, name: str) -> None:
    """A logarithmic axis with plain numbers at a few places."""
    axis = axes.xaxis if name == "x" else axes.yaxis
    axes.set(**{f"{name}scale": "log"})
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=9))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter("{x:g}")


def nothing() -> Figure:
    """A figure without axes: there are no rows to draw."""
    return Figure()


def column(rows: pd.DataFrame, name: str) -> pd.Series:
    """A column, empty if no row has it."""
    return rows[name] if name in rows else pd.Series(index=rows.index, dtype=object)
