"""Figures of the two toys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from l1kpca.plots.experiments_style import COLORS, MARKERS, METHODS, grid, nothing

_KINDS: dict[int, dict[str, Any]] = {
    0: {"marker": "o", "s": 12, "color": "#9a9a9a"},
    1: {"marker": "^", "s": 42, "color": "#CC79A7"},
    2: {"marker": "s", "s": 30, "color": "#D55E00"},
}
_NAMES = {0: "normal", 1: "far (triangles)", 2: "off the curve (squares)"}
_SHOWN_SIGMA = 2.0


def _scatter(axes: Axes, points: pd.DataFrame, x: str, y: str) -> None:
    for kind, look in _KINDS.items():
        own = points[points["kind"] == kind]
        axes.scatter(own[x], own[y], label=_NAMES[kind], linewidth=0, **look)


def _points(rows: pd.DataFrame, part: str) -> pd.DataFrame:
    """The points of one setting: not centered, and of the kernel widths the one nearest to 2."""
    own = rows[(rows["part"] == part) & (rows["row"] == "point") & (rows["center"] == False)]  # noqa: E712
    if part == "line" or own.empty:
        return own
    widths = own["sigma"].unique()
    return own[own["sigma"] == widths[np.argmin(np.abs(widths - _SHOWN_SIGMA))]]


def toy_line(rows: pd.DataFrame) -> Figure:
    """The points, and the first loading of each method."""
    points = _points(rows, "line")
    if points.empty:
        return nothing()
    figure, (axes,) = grid(1, 1, (6.8, 4.4))
    _scatter(axes, points[points["method"] == METHODS[0]], "x", "y")
    counts = rows[(rows["part"] == "line") & (rows["row"] == "count") & (rows["seed"] == 0)]
    counts = counts[counts["center"] == False].set_index("method")  # noqa: E712 (a column)
    reach = float(points["x"].abs().max())
    for method, style in zip(METHODS, ("-", "--", ":", "-", "-"), strict=True):
        if method not in counts.index:
            continue
        loading = counts.loc[method, ["loading_1", "loading_2"]].to_numpy(dtype=float)
        ends = reach / loading[0] * np.outer([-1, 1], loading)
        axes.plot(ends[:, 0], ends[:, 1], style, color=COLORS[method], label=method)
    axes.set_aspect("equal")
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def toy_spiral(rows: pd.DataFrame) -> Figure:
    """The points."""
    points = _points(rows, "spiral")
    if points.empty:
        return nothing()
    figure, (axes,) = grid(1, 1, (6.6, 4.4))
    _scatter(axes, points[points["method"] == METHODS[0]], "x", "y")
    axes.set_aspect("equal")
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def _scores(rows: pd.DataFrame, part: str) -> Figure:
    points = _points(rows, part)
    if points.empty:
        return nothing()
    figure, panels = grid(1, len(METHODS), (2.6 * len(METHODS), 3.1))
    for axes, method in zip(panels, METHODS, strict=True):
        own = points[points["method"] == method]
        _scatter(axes, own, "score_1", "score_2")
        radius = np.hypot(own["score_1"], own["score_2"])
        boundary = float(radius[own["kind"] == 0].max())
        axes.add_patch(Circle((0, 0), boundary, fill=False, color="#0072B2"))
        inside = int(((radius <= boundary) & (own["kind"] == 2)).sum())
        axes.set_title(f"{method}\n{inside} of 6 squares inside", fontsize=9)
        axes.set_aspect("equal", adjustable="datalim")
        axes.set_xlabel("component 1")
    panels[0].set_ylabel("component 2 (standardized)")
    if part == "spiral":
        figure.suptitle(f"Gaussian kernel, σ = {points['sigma'].iloc[0]:g}, not centered")
    return figure


def toy_line_scores(rows: pd.DataFrame) -> Figure:
    """The line in the plane of the first two components, with the boundary."""
    return _scores(rows, "line")


def toy_spiral_scores(rows: pd.DataFrame) -> Figure:
    """The spiral in the plane of the first two components, with the boundary."""
    return _scores(rows, "spiral")


def toy_spiral_widths(rows: pd.DataFrame) -> Figure:
    """Squares inside the boundary against the width of the kernel."""
    counts = rows[(rows["part"] == "spiral") & (rows["row"] == "count")]
    if counts.empty:
        return nothing()
    figure, panels = grid(1, 2, (9.0, 3.4))
    for axes, center in zip(panels, (False, True), strict=True):
        own = counts[counts["center"] == center]
        for method in METHODS:
            mean = own[own["method"] == method].groupby("sigma")["squares_inside"].mean()
            axes.plot(mean.index, mean, color=COLORS[method], marker=MARKERS[method], label=method)
        axes.set_xscale("log")
        widths = sorted(own["sigma"].unique())
        axes.set_xticks(widths, [f"{sigma:g}" for sigma in widths], minor=False)
        axes.minorticks_off()
        axes.set_ylim(-0.3, 6.3)
        axes.set_title("centered" if center else "not centered")
        axes.set_xlabel("kernel width σ")
    panels[0].set_ylabel("squares inside the boundary, of 6")
    panels[0].legend(fontsize=8)
    return figure


FIGURES: dict[str, Callable[[pd.DataFrame], Figure]] = {
    "toy_line": toy_line,
    "toy_line_scores": toy_line_scores,
    "toy_spiral": toy_spiral,
    "toy_spiral_scores": toy_spiral_scores,
    "toy_spiral_widths": toy_spiral_widths,
}
