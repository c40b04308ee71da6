"""The figures of the benchmark by name; each reads tidy rows and runs nothing."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from l1kpca.plots.experiments_style import grid, log_scale, nothing

# Colors that are told apart without seeing red and green (Okabe and Ito), and markers beside them.
STYLES = {
    "Algorithm 1": ("#0072B2", "o"),
    "polished (default)": ("#000000", "P"),
    "p reads of K": ("#999999", ""),
    "scikit-learn dense": ("#E69F00", "v"),
    "scikit-learn arpack": ("#D55E00", "^"),
    "scikit-learn randomized": ("#CC79A7", "s"),
    "PCA": ("#F0C000", "x"),
    "KwakKernelPCA": ("#009E73", "D"),
    "plain NumPy": ("#56B4E9", "d"),
    'Algorithm 1, gram="blocked"': ("#56B4E9", "D"),
}
_MANY_DECADES = 1e3  # from here on, ticks at the powers of ten are enough
_KERNELS = ("gaussian", "linear")
_LABEL_GAP = 0.06  # least distance of two labels, in heights of the axes
_SHADES = ("#9ECAE1", "#4A98C9", "#1764AB", "#08306B")


def time_against_n(rows: pd.DataFrame) -> Figure:
    """Seconds against n, a panel for each kernel and p."""
    own = _cells(rows, "float64")
    counts = sorted(own["n_components"].unique())
    if own.empty:
        return nothing()
    kernels = [kernel for kernel in _KERNELS if (own["kernel"] == kernel).any()]
    figure, panels = grid(len(kernels), len(counts), (3.1 * len(counts) + 1, 3.3 * len(kernels)))
    places = [(kernel, p) for kernel in kernels for p in counts]
    for axes, (kernel, p) in zip(panels, places, strict=True):
        panel = own[(own["kernel"] == kernel) & (own["n_components"] == p)]
        _lines(axes, panel, "n")
        axes.set(title=f"{kernel}, p = {p:.0f}", xlabel="n")
    for axes in panels[:: len(counts)]:
        axes.set_ylabel("seconds")
    return figure


def time_against_p(rows: pd.DataFrame) -> Figure:
    """Seconds against p, a panel for each of the three largest n."""
    own = _cells(rows, "float64")
    own = own[own["kernel"] == "gaussian"]
    if own.empty:
        return nothing()
    sizes = sorted(own["n"].unique())[-3:]
    figure, panels = grid(1, len(sizes), (3.6 * len(sizes) + 1, 3.6))
    for axes, n in zip(panels, sizes, strict=True):
        _lines(axes, own[own["n"] == n], "n_components")
        axes.set(title=f"gaussian, n = {n:.0f}", xlabel="components p")
    panels[0].set_ylabel("seconds")
    return figure


def ratio_to_sklearn(rows: pd.DataFrame) -> Figure:
    """Time of scikit-learn's fastest solver over that of Algorithm 1, a line for each p."""
    places = [(kernel, dtype) for kernel in _KERNELS for dtype in ("float64", "float32")]
    found = [(*place, _fastest_over_ours(_cells(rows, place[1]), place[0])) for place in places]
    found = [(kernel, dtype, table) for kernel, dtype, table in found if not table.empty]
    if not found:
        return nothing()
    figure, panels = grid(1, len(found), (3.2 * len(found) + 0.6, 3.4))
    for axes, (kernel, dtype, table) in zip(panels, found, strict=True):
        ends = []
        for shade, p in zip(_SHADES, table.columns, strict=False):
            line = table[p].dropna()
            axes.plot(line.index, line, color=shade, marker="o")
            if len(line):
                ends.append((line.index[-1], line.iloc[-1], f"p = {p:.0f}", shade))
        axes.axhline(1, color="black", linewidth=0.8, linestyle="--")
        _finish(axes, ends, "n")
        axes.set(title=f"{kernel}, {dtype}", xlabel="n")
    panels[0].set_ylabel("scikit-learn's fastest / Algorithm 1")
    return figure


def memory_against_n(rows: pd.DataFrame) -> Figure:
    """Peak memory against n, and the bytes of K."""
    own = rows[rows["part"] == "memory"]
    if own.empty:
        return nothing()
    own = own[own["d"] == own["d"].min()]  # the Gaussian kernel; the linear one has more columns
    own = own.assign(megabytes=(own["bytes_peak"] - own["bytes_before"]) / 1e6)
    figure, (axes,) = grid(1, 1, (6.0, 4.0))
    sizes = sorted(own["n"].unique())
    bytes_of_matrix = [8 * n**2 / 1e6 for n in sizes]
    axes.plot(sizes, bytes_of_matrix, color="#999999", linestyle="--")
    ends = [(sizes[-1], bytes_of_matrix[-1], "bytes of K", "#666666")]
    ends += _curves(axes, own, "n", "megabytes")
    _finish(axes, ends, "n")
    axes.set(xlabel="n", ylabel="peak memory, MB")
    return figure


def _cells(rows: pd.DataFrame, dtype: str) -> pd.DataFrame:
    """What was timed in the grid, one read of K turned into p reads."""
    own = rows[rows["part"] == "grid"]
    if own.empty:
        return own
    own = own[(own["dtype"] == dtype) & own["seconds"].notna()].copy()
    is_read = own["method"] == "one read of K"
    own.loc[is_read, "seconds"] *= own.loc[is_read, "n_components"]
    return own.assign(method=own["method"].replace("one read of K", "p reads of K"))


def _lines(axes: Axes, rows: pd.DataFrame, by: str) -> None:
    _finish(axes, _curves(axes, rows, by, "seconds"), by)


def _curves(
    axes: Axes, rows: pd.DataFrame, by: str, value: str
) -> list[tuple[float, float, str, str]]:
    """A line for each method; where each ends, its name and color."""
    ends = []
    for method, (color, marker) in STYLES.items():
        own = rows[rows["method"] == method].sort_values(by)
        if own.empty:
            continue
        style = "--" if method == "p reads of K" else "-"
        axes.plot(own[by], own[value], color=color, marker=marker, linestyle=style, markersize=4)
        ends.append((own[by].iloc[-1], own[value].iloc[-1], method, color))
    return ends


def _finish(axes: Axes, ends: list[tuple[float, float, str, str]], by: str) -> None:
    """Logarithmic axes, and names at the ends of the lines."""
    log_scale(axes, "x")
    log_scale(axes, "y")
    axes.autoscale_view()  # the limits are needed now, not when the figure is drawn
    low, high = axes.get_ylim()
    if high > _MANY_DECADES * low:
        axes.yaxis.set_major_locator(LogLocator())
    if by == "n":
        axes.xaxis.set_major_formatter(lambda n, _: f"{n / 1000:g}k" if n >= 1000 else f"{n:g}")
    to_axes = axes.transData + axes.transAxes.inverted()
    heights = [float(to_axes.transform((x, y))[1]) for x, y, _, _ in ends]
    for place, height in zip(_order(heights), spread_out(sorted(heights), _LABEL_GAP), strict=True):
        _, _, name, color = ends[place]
        axes.annotate(
            name, (1.02, height), xycoords="axes fraction", color=color, fontsize=7, va="center"
        )


def _order(heights: list[float]) -> list[int]:
    return sorted(range(len(heights)), key=heights.__getitem__)


def spread_out(heights: list[float], gap: float) -> list[float]:
    """Rising heights moved as little as need be to be ``gap`` apart, none above 1 if they fit.

    Parameters
    ----------
    heights : list of float
        From low to high.
    gap : float
        Least distance of two.

    Examples
    --------
    >>> spread_out([0.0, 0.5, 0.5], 0.25)
    [0.0, 0.5, 0.75]
    >>> spread_out([0.5, 1.0, 1.0], 0.25)
    [0.5, 0.75, 1.0]
    """
    placed: list[float] = []
    for height in heights:
        placed.append(max(height, placed[-1] + gap) if placed else height)
    top = 1.0
    for place in reversed(range(len(placed))):
        placed[place] = min(placed[place], top)
        top = placed[place] - gap
    return placed


def _fastest_over_ours(rows: pd.DataFrame, kernel: str) -> pd.DataFrame:
    """A line for each n, a column for each p."""
    if rows.empty:
        return pd.DataFrame()
    own = rows[rows["kernel"] == kernel]
    theirs = own[own["method"].str.startswith("scikit-learn")]
    fastest = theirs.pivot_table("seconds", "n", "n_components", aggfunc="min")
    ours = own[own["method"] == "Algorithm 1"].pivot_table("seconds", "n", "n_components")
    return (fastest / ours).dropna(how="all")


FIGURES: dict[str, Callable[[pd.DataFrame], Figure]] = {
    "speed_time_n": time_against_n,
    "speed_ratio": ratio_to_sklearn,
    "speed_time_p": time_against_p,
    "speed_memory": memory_against_n,
}
"""From the name of a figure to a function that draws it from the rows of a run."""
