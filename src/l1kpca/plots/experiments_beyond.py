"""Figures of what goes beyond the paper."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
from matplotlib.figure import Figure

from l1kpca.plots.experiments_style import grid, log_scale, nothing

_BLUE, _ORANGE, _GREEN = "#0072B2", "#D55E00", "#009E73"
_PAPER = "Algorithm 1"


def beyond_variants(rows: pd.DataFrame) -> Figure:
    """Objective, area and time of other searches, against Algorithm 1."""
    runs = rows[rows["part"] == "variants"]
    if runs.empty:
        return nothing()
    keys = ["dataset", "kernel"]
    unit = runs[runs["variant"] == _PAPER]
    joined = runs.merge(unit, on=keys, suffixes=("", "_unit"))
    measures = {
        "all objectives, %": 100 * (joined["total_objective"] / joined["total_objective_unit"] - 1),
        "area under the curve": joined["pr_auc"] - joined["pr_auc_unit"],
        "time, ratio": joined["seconds"] / joined["seconds_unit"],
    }
    names = [name for name in dict.fromkeys(runs["variant"]) if name != _PAPER]
    figure, panels = grid(1, len(measures), (10.5, 3.2))
    for axes, (title, values) in zip(panels, measures.items(), strict=True):
        for place, name in enumerate(names):
            own = values[joined["variant"] == name]
            axes.plot(own, [place] * len(own), "o", color=_BLUE, alpha=0.4, markersize=4)
            axes.plot(own.median(), place, "|", color=_ORANGE, markersize=16, markeredgewidth=2)
        axes.set_yticks(range(len(names)), names if axes is panels[0] else [""] * len(names))
        axes.invert_yaxis()
        axes.axvline(1 if "ratio" in title else 0, color="black", linewidth=0.8)
        axes.set_xlabel(f"{title}, against Algorithm 1")
    log_scale(panels[-1], "x")
    return figure


def beyond_narrow(rows: pd.DataFrame) -> Figure:
    """The first objective over the best known, from wide to narrow kernels."""
    runs = rows[rows["part"] == "narrow"]
    if runs.empty:
        return nothing()
    table = runs.pivot_table(index=["gamma", "seed"], columns="variant", values="objective")
    shares = table.div(table["best known"], axis=0).groupby("gamma")
    figure, (axes,) = grid(1, 1, (5.5, 3.4))
    for name, color in ((_PAPER, _ORANGE), ("polished", _BLUE)):
        mean, low, high = shares[name].mean(), shares[name].min(), shares[name].max()
        axes.fill_between(mean.index, low, high, color=color, alpha=0.15, linewidth=0)
        axes.plot(mean.index, mean, "o-", color=color, label=name)
    axes.set_xscale("log")
    axes.set_ylim(0, 1.05)
    axes.set_xlabel("γ: wide to narrow")
    axes.set_ylabel("objective over the best known")
    axes.legend()
    return figure


def beyond_iterations(rows: pd.DataFrame) -> Figure:
    """Steps of Algorithm 1 against the number of rows."""
    runs = rows[rows["part"] == "iterations"]
    if runs.empty:
        return nothing()
    figure, (axes,) = grid(1, 1, (5.5, 3.4))
    for kernel, color in (("linear", _BLUE), ("gaussian", _GREEN)):
        own = runs[runs["kernel"] == kernel].groupby("n_samples")["n_iter"]
        axes.fill_between(own.mean().index, own.min(), own.max(), color=color, alpha=0.15)
        axes.plot(own.mean().index, own.mean(), "o-", color=color, label=kernel)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("rows")
    axes.set_ylabel("steps to the first component")
    axes.legend()
    return figure


def beyond_rate(rows: pd.DataFrame) -> Figure:
    """The gap at each step of real runs, and the bound by the step before."""
    steps = rows[(rows["part"] == "rate") & (rows["step"].notna() if "step" in rows else False)]
    if steps.empty:
        return nothing()
    names = list(dict.fromkeys(zip(steps["dataset"], steps["kernel"], strict=True)))
    figure, panels = grid(2, (len(names) + 1) // 2, (3.3 * ((len(names) + 1) // 2), 5.2))
    for axes, (name, kernel) in zip(panels, names, strict=False):
        here = steps[(steps["dataset"] == name) & (steps["kernel"] == kernel)]
        for component, color in enumerate((_BLUE, _GREEN, _ORANGE)):
            own = here[(here["component"] == component) & (here["gap"] > 0)]
            axes.plot(
                own["step"], own["gap"], "o-", color=color, label=f"component {component + 1}"
            )
            axes.plot(own["step"], own["bound"], "x", color=color)
        axes.set_yscale("log")
        axes.set_title(f"{name}, {kernel}", fontsize=9)
        axes.set_xlabel("step")
    panels[0].set_ylabel("gap (dot), bound (cross)")
    panels[0].legend(fontsize=7)
    return figure


FIGURES: dict[str, Callable[[pd.DataFrame], Figure]] = {
    "beyond_variants": beyond_variants,
    "beyond_narrow": beyond_narrow,
    "beyond_iterations": beyond_iterations,
    "beyond_rate": beyond_rate,
}
