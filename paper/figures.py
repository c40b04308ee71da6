"""What the figures share: style, colors, and files."""

from contextlib import suppress

import matplotlib as mpl
from matplotlib.figure import Figure

from paper.methods import ALL_METHODS

STYLE = {
    "font.size": 9, "savefig.dpi": 130, "legend.frameon": False, "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True, "grid.color": "#e6e6e6",
}  # fmt: skip
# Colors that are told apart without seeing red and green (Okabe and Ito), and markers beside them.
BLUE, GREEN, ORANGE = "#0072B2", "#009E73", "#D55E00"
COLORS = dict(zip(ALL_METHODS, (BLUE, "#56B4E9", GREEN, "#E69F00", ORANGE, "#000000"), strict=True))
MARKERS = dict(zip(ALL_METHODS, "osDv^P", strict=True))


def panels(columns, size, rows=1, **shared):
    """A figure with a grid of axes, in reading order."""
    figure = Figure(figsize=size, layout="constrained")
    return figure, list(figure.subplots(rows, columns, squeeze=False, **shared).ravel())


def band(axes, groups, color, **style):
    """Mean and range of grouped values against the key of the groups."""
    mean = groups.mean()
    axes.fill_between(mean.index, groups.min(), groups.max(), color=color, alpha=0.13, linewidth=0)
    axes.plot(mean.index, mean, color=color, **style)


def save(draw, path):
    """Draw a figure into a PNG; False if the rows that it needs are not there."""
    with mpl.rc_context(STYLE), suppress(LookupError):
        figure = draw()
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path)
        return True
    return False
