"""The pictures of docs/performance.md, from the results of speed.py."""

import matplotlib as mpl
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from benchmarks.speed_cases import CELLS, DEFAULT
from benchmarks.speed_targets import FASTEST, typical

# Colors that are told apart without seeing red and green (Okabe and Ito), and markers beside them.
STYLES = {DEFAULT: ("#000000", "P"), FASTEST: ("#D55E00", "^")}
LOOKS = {
    "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "grid.color": "#e6e6e6", "axes.axisbelow": True, "legend.frameon": False, "savefig.dpi": 130,
}  # fmt: skip


def against_n(cells):
    """Seconds against n for ten components: (panel, curve, x, y)."""
    for name in cells:
        case = CELLS[name]
        for curve in STYLES if case.n_components == 10 else ():
            yield f"10 components, {case.dtype}", curve, case.n, typical(cells, name, curve)


def against_p(cells):
    """Seconds against the number of components."""
    for name in cells:
        case = CELLS[name]
        for curve in STYLES if case.n in (1000, 5000) and case.dtype == "float64" else ():
            yield f"{case.n} rows, float64", curve, case.n_components, typical(cells, name, curve)


def draw(path, points, label):
    """A picture with a panel for each first entry of the points, a curve for each second one."""
    frame = pd.DataFrame(points, columns=["panel", "curve", "x", "y"])
    panels, handles = list(frame.groupby("panel", sort=False)), {}
    path.parent.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(LOOKS):
        figure = Figure(figsize=(3.2 * len(panels) + 1.8, 3.3), layout="constrained")
        FigureCanvasAgg(figure)
        shared = {"sharex": True, "sharey": True}  # also: enough range for few labels
        all_axes = figure.subplots(1, len(panels), squeeze=False, **shared).ravel()
        for axes, (title, own) in zip(all_axes, panels, strict=True):
            axes.set(title=title, xlabel=label)
            for curve, line in own.sort_values("x").groupby("curve", sort=False):
                color, marker = STYLES.get(curve, (None, "o"))
                (handles[curve],) = axes.loglog(
                    line["x"], line["y"], color=color, marker=marker, markersize=4
                )
        figure.supylabel("seconds", fontsize=9)
        figure.legend(handles.values(), handles.keys(), loc="outside right upper", fontsize=8)
        figure.savefig(path)
