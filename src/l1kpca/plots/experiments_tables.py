"""Figures of robust extraction, outlier detection and time."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from l1kpca.plots.experiments_style import (
    COLORS,
    MARKERS,
    METHODS,
    column,
    grid,
    log_scale,
    nothing,
)


def _curves(axes: Axes, rows: pd.DataFrame) -> None:
    """Mean and range over the instances against the share of corrupted rows."""
    for method in METHODS:
        own = rows[rows["method"] == method].groupby("corrupted")["explained"]
        mean, low, high = own.mean(), own.min(), own.max()
        axes.fill_between(mean.index, low, high, color=COLORS[method], alpha=0.12, linewidth=0)
        axes.plot(mean.index, mean, color=COLORS[method], marker=MARKERS[method], label=method)
    axes.set_xlabel("corrupted rows r, %")


def robustness_linear(rows: pd.DataFrame) -> Figure:
    """Explained variation with the linear kernel."""
    own = rows[(rows["kernel"] == "linear") & (rows["center"] == False)]  # noqa: E712 (a column)
    if own.empty:
        return nothing()
    figure, (axes,) = grid(1, 1, (5.5, 3.8))
    _curves(axes, own)
    axes.set_ylabel("total explained variation, %")
    axes.legend()
    return figure


def _gaussian(rows: pd.DataFrame, center: bool) -> Figure:
    own = rows[(rows["kernel"] == "gaussian") & (rows["center"] == center)]
    if own.empty:
        return nothing()
    sigmas = sorted(own["sigma"].unique())
    figure, panels = grid(1, len(sigmas), (2.6 * len(sigmas) + 0.6, 3.4))
    for axes, sigma in zip(panels, sigmas, strict=True):
        _curves(axes, own[own["sigma"] == sigma])
        axes.set_title(f"σ = {sigma:g}")
        axes.sharey(panels[0])
    panels[0].set_ylabel("total explained variation, %")
    panels[-1].legend(fontsize=8)
    return figure


def robustness_gaussian(rows: pd.DataFrame) -> Figure:
    """Explained variation with the Gaussian kernel."""
    return _gaussian(rows, center=False)


def robustness_centered(rows: pd.DataFrame) -> Figure:
    """The same with K centered."""
    return _gaussian(rows, center=True)


def outliers(rows: pd.DataFrame) -> Figure:
    """Area under the precision-recall curve, ours (filled) and the paper's (open)."""
    table = rows[(rows["part"] == "table") & (rows["status"] == "done")]
    if table.empty:
        return nothing()
    names = list(dict.fromkeys(table["dataset"]))
    figure, panels = grid(1, len(names), (1.9 * len(names) + 1.6, 3.8))
    labels = [f"{m}, {k}" for k in ("linear", "gaussian") for m in METHODS] + ["LOF", "iForest"]
    for axes, name in zip(panels, names, strict=True):
        own = table[table["dataset"] == name]
        _dots(axes, own, labels)
        axes.set_title(name)
        axes.set_yticks(range(len(labels)), labels if axes is panels[0] else [""] * len(labels))
        axes.set_ylim(len(labels) - 0.5, -0.5)
    figure.supxlabel(
        "area under the precision-recall curve; filled: ours, line: its spread, open: the paper's",
        fontsize=9,
    )
    return figure


def _dots(axes: Axes, rows: pd.DataFrame, labels: list[str]) -> None:
    kernels = rows["kernel"].fillna("")
    names = rows["method"].where(kernels == "", rows["method"] + ", " + kernels)
    for place, label in enumerate(labels):
        own = rows[names == label]
        if own.empty:
            continue
        color = COLORS.get(label.split(",")[0], "#666666")
        values = own["pr_auc"]
        axes.plot([values.min(), values.max()], [place, place], color=color, linewidth=3, alpha=0.4)
        first = values.mean() if label == "iForest" else values[own["seed"] == 0].mean()
        axes.plot(first, place, "o", color=color)
        theirs = column(own, "paper").dropna()
        axes.plot(theirs.iloc[:1], [place] * len(theirs.iloc[:1]), "o", mfc="none", color="black")


def runtime(rows: pd.DataFrame) -> Figure:
    """Time over that of Algorithm 1, for the whole matrix; an arrow is a fit that was cut off."""
    own = rows[rows["gram"] == "dense"]
    if own.empty:
        return nothing()
    kernels = [kernel for kernel in ("linear", "gaussian") if (own["kernel"] == kernel).any()]
    figure, panels = grid(1, len(kernels), (5.0 * len(kernels), 3.6))
    for axes, kernel in zip(panels, kernels, strict=True):
        here = own[own["kernel"] == kernel]
        names = list(dict.fromkeys(here["dataset"]))
        for shift, method in enumerate(COLORS):
            _bars(axes, here, names, method, shift)
        axes.axhline(1, color="black", linewidth=0.8)
        log_scale(axes, "y")
        axes.set_xticks([i + 0.375 for i in range(len(names))], names)
        axes.set_title(f"{kernel} kernel")
    panels[0].set_ylabel("time over that of Algorithm 1")
    panels[-1].legend(ncols=2, fontsize=8)
    return figure


def _bars(axes: Axes, rows: pd.DataFrame, names: list[str], method: str, shift: int) -> None:
    label: str | None = method
    for place, name in enumerate(names):
        here = rows[rows["dataset"] == name].set_index("method")
        if "Algorithm 1" not in here.index or method not in here.index:
            continue
        unit, line = here.loc["Algorithm 1", "seconds"], here.loc[method]
        cut = line["status"] == "cut off"
        height = (line["budget"] if cut else line["seconds"]) / unit
        at = place + 0.15 * shift
        axes.bar(at, height, width=0.14, color=COLORS[method], label=label)
        axes.plot([at], [height], "^", color=COLORS[method], visible=bool(cut))
        theirs = line.get("paper", float("nan"))
        if theirs == theirs and theirs != float("inf"):
            axes.plot([at], [theirs], "o", mfc="none", color="black", markersize=4)
        label = None


FIGURES: dict[str, Callable[[pd.DataFrame], Figure]] = {
    "robustness_linear": robustness_linear,
    "robustness_gaussian": robustness_gaussian,
    "robustness_centered": robustness_centered,
    "outliers": outliers,
    "runtime": runtime,
}
