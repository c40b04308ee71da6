"""Two toys."""

import numpy as np
import pandas as pd
from matplotlib.patches import Circle

from l1kpca.datasets import make_line, make_spiral
from paper import spirals
from paper.claims import by_share, cells, listed, some, verdict_of
from paper.figures import BLUE, COLORS, MARKERS, ORANGE, panels
from paper.methods import A1, L1_METHODS, L2, METHODS, grid, kernel_matrix
from paper.metrics import inside_boundary

SIGMAS = (0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0)
GRID = {
    size: grid(part=["line"], sigma=[None], seed=range(seeds), center=[False, True])
    + grid(part=["spiral"], sigma=sigmas, seed=range(seeds), center=[False, True])
    + spirals.GRID[size]
    for size, seeds, sigmas in (("full", 10, SIGMAS), ("quick", 2, (1.0, 4.0)))
}


def measure(at, data_dir):
    """Counts for each method; for the first line also every point with its scores."""
    if at["part"] == "search":
        return spirals.measure(at)
    line = at["part"] == "line"
    X, kind = (make_line if line else make_spiral)(random_state=at["seed"])
    K = kernel_matrix(X, "linear" if line else "gaussian", at["sigma"], at["center"])
    rows = []
    for name in METHODS:
        scores, coef = spirals.two_components(name, K)
        radius = np.hypot(*scores.T)
        row = {"method": name, "row": "count", **inside_boundary(radius, kind)}
        row["boundary"] = radius[kind == 0].max()
        if line:
            row["loading_1"], row["loading_2"] = X.T @ coef * np.sign(X[:, 0] @ coef)
        rows.append(row)
        for point in np.column_stack([X, scores, kind]) if line and at["seed"] == 0 else ():
            columns = zip(("x", "y", "score_1", "score_2", "kind"), point, strict=True)
            rows.append({"method": name, "row": "point", **dict(columns)})
    return rows


def counts(rows, part):
    return some(rows[(rows["part"] == part) & (rows["row"] == "count")], part)


def by_setting(rows, column):
    """One line for each setting, one column for each method."""
    return rows.fillna({"sigma": 0}).pivot_table(column, ["sigma", "center", "seed"], "method")


def same_loading(rows):
    line = counts(rows, "line")
    angles = np.degrees(np.arctan2(line["loading_2"], line["loading_1"]))
    table = by_setting(line.assign(angle=angles), "angle")[L1_METHODS]
    apart = table.max(axis=1) - table.min(axis=1)
    most = f"at most {apart.max():.2f} degrees apart"
    return by_share(apart <= 1, 0.5, f"the same within 1 degree in {{}} settings; {most}")


def triangles(rows):
    inside = by_setting(counts(rows, "line"), "triangles_inside")
    evidence = "no triangle inside the boundary in {} runs of a method"
    return by_share((inside == 0).to_numpy().ravel(), 0.8, evidence)


def squares_line(rows):
    inside = by_setting(counts(rows, "line"), "squares_inside")
    decisions = (inside[L2] > 0) & (inside.drop(columns=L2) == 0).all(axis=1)
    found = listed(inside.mean()[[*METHODS]], ".1f")
    return by_share(decisions, 0.5, f"so in {{}} settings; squares inside on average: {found}")


def squares_spiral(rows):
    inside = by_setting(counts(rows, "spiral"), "squares_inside")
    alone = (inside[A1] == 0) & (inside.drop(columns=A1) > 0).all(axis=1)
    better = (inside[A1] == 0) & (inside[L2] > 0)
    return verdict_of(alone.mean() >= 0.5, better.any()), (
        f"Algorithm 1 keeps all squares out and L2-KPCA does not in {better.sum()} of"
        f" {len(inside)} settings, always together with another method; alone in {alone.sum()}"
        if not alone.any()
        else f"Algorithm 1 alone keeps all squares out in {alone.sum()} of {len(inside)} settings"
    )


CENTERING = {False: "not centered", True: "centered"}
KINDS = {
    0: {"label": "normal", "marker": "o", "s": 12, "color": "#9a9a9a"},
    1: {"label": "far (triangles)", "marker": "^", "s": 42, "color": "#CC79A7"},
    2: {"label": "off the curve (squares)", "marker": "s", "s": 30, "color": ORANGE},
}


def plot_planes(rows):
    """The line, and below it the spiral of the search that is nearest to the paper's picture."""
    points = _points(rows)
    X, kind, how = spirals.draw(spirals.nearest(rows))
    figure, axes = panels(len(METHODS), (2.3 * len(METHODS), 5.6), rows=2)
    for place, (method, scores) in enumerate(spirals.scores_of(X, how).items()):
        _plane(axes[place], points[points["method"] == method], method)
        own = pd.DataFrame(scores, columns=["score_1", "score_2"])
        _plane(axes[place + len(METHODS)], own.assign(kind=kind), method)
    axes[0].set_ylabel("the line")
    axes[len(METHODS)].set_ylabel(f"a spiral, σ = {how['sigma']:.2g}, {CENTERING[how['center']]}")
    return figure


def _plane(panel, own, method):
    """Scores of one method with the boundary of the normal points."""
    _scatter(panel, own, "score_1", "score_2", "datalim")
    radius = np.hypot(own["score_1"], own["score_2"])
    boundary = radius[own["kind"] == 0].max()
    panel.add_patch(Circle((0, 0), boundary, fill=False, color=BLUE))
    inside = ((radius <= boundary) & (own["kind"] == 2)).sum()
    panel.set_title(f"{method}\n{inside} of 6 squares inside", fontsize=9)


def _points(rows):
    """The points on the line, not centered."""
    return some(rows[(rows["row"] == "point") & (rows["center"] == False)], "line")  # noqa: E712


def _scatter(axes, points, x, y, adjustable):
    for kind, look in KINDS.items():
        own = points[points["kind"] == kind]
        axes.scatter(own[x], own[y], linewidth=0, **look)
    axes.set_aspect("equal", adjustable=adjustable)


def plot_line(rows):
    points, count = _points(rows), counts(rows, "line")
    figure, (axes,) = panels(1, (6.8, 4.4))
    _scatter(axes, points[points["method"] == A1], "x", "y", "box")
    count = count[(count["seed"] == 0) & ~count["center"]].set_index("method")
    ends = np.array([-1, 1]) * points["x"].abs().max()
    for method, style in zip(METHODS, ("-", "--", ":", "-", "-"), strict=True):
        slope = count.loc[method, "loading_2"] / count.loc[method, "loading_1"]
        axes.plot(ends, slope * ends, style, color=COLORS[method], label=method)
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def plot_widths(rows):
    figure, axes = panels(2, (9.0, 3.4))
    for panel, (center, own) in zip(axes, counts(rows, "spiral").groupby("center"), strict=False):
        mean = own.pivot_table("squares_inside", "sigma", "method")[[*METHODS]]
        mean.plot(ax=panel, color=COLORS, style=[f"{MARKERS[m]}-" for m in METHODS], logx=True)
        panel.set_xticks(mean.index, [f"{sigma:g}" for sigma in mean.index])
        panel.minorticks_off()
        panel.set(ylim=(-0.3, 6.3), title=CENTERING[center], xlabel="kernel width σ")
    axes[0].set_ylabel("squares inside the boundary, of 6")
    return figure


def line_table(rows):
    names = {"triangles_inside": "triangles, of 2", "squares_inside": "squares, of 6"}
    inside = counts(rows, "line").groupby("method")[[*names]].mean().rename(columns=names)
    return cells(inside.T[[*METHODS]].rename_axis(""), 1)


def spiral_table(rows):
    groups = counts(rows, "spiral").groupby(["sigma", "center", "method"])
    squares, triangles = (groups[f"{k}_inside"].mean().unstack() for k in ("squares", "triangles"))
    table = cells(squares, 1) + " / " + cells(triangles, 1)
    return table[[*METHODS]].rename(index=CENTERING, level=1).rename_axis(["σ", "K"])


sentences = spirals.sentences
CLAIMS = (same_loading, triangles, squares_line, squares_spiral)
FIGURES = (
    ("toys", "The line, and of the random spirals the one nearest to the paper's.", plot_planes),
    ("toy_line", "The line, and the first loading of each method.", plot_line),
    ("toy_spiral_widths", "Squares inside the boundary against the kernel width.", plot_widths),
)
INSIDE = "inside the boundary, mean over seeds"
TABLES = (
    (f"Line: outliers {INSIDE} and centerings", line_table),
    (f"Spiral: squares (of 6) / triangles (of 2) {INSIDE}", spiral_table),
)
