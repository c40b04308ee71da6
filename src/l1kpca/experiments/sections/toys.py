"""The toys, for a reader."""

from __future__ import annotations

import pandas as pd

from l1kpca.experiments.methods import METHODS
from l1kpca.page_parts import Figure, Section, Table, paragraphs, shown

_TEXT = """\
Two far points on the curve (triangles) and six points off it (squares). In the plane of the first
two standardized components, the boundary is the smallest circle around all normal points; a method
fails for each outlier inside of it.

The paper shows its points in pictures only. On the line, the places of ours were searched for, so
that L2-KPCA fails. On the spiral nothing was searched: a range of kernel widths and both centerings
are counted.

R1-KPCA takes its two components one after the other: both at once leave no distance in a plane, and
would be those of L2-KPCA.
"""


def section(rows: pd.DataFrame) -> Section:
    """Text, tables and figures."""
    counts = rows[(rows["status"] == "done") & (rows["row"] == "count")]
    line, spiral = counts[counts["part"] == "line"], counts[counts["part"] == "spiral"]
    return Section(
        "Two toys",
        paragraphs(_TEXT),
        [
            Figure("toy_line", "The line, and the first loading of each method."),
            Figure("toy_line_scores", "The line in the plane of the first two components."),
            Figure("toy_spiral", "The spiral."),
            Figure("toy_spiral_scores", "The spiral in the plane of the first two components."),
            Figure("toy_spiral_widths", "Squares inside the boundary against the kernel width."),
        ],
        [_line(line), _spiral(spiral)],
    )


def _line(counts: pd.DataFrame) -> Table:
    lines = []
    for kind in ("triangles", "squares"):
        for inside in (True, False):
            number = {
                m: counts.loc[counts["method"] == m, f"{kind}_inside"].mean() for m in METHODS
            }
            total = 2 if kind == "triangles" else 6
            values = [shown(number[m] if inside else total - number[m], 1) for m in METHODS]
            lines.append([f"{kind} {'inside' if inside else 'outside'}", *values])
    return Table("Line: mean count over seeds and centerings", ["", *METHODS], lines)


def _spiral(counts: pd.DataFrame) -> Table:
    lines = []
    for (sigma, center), group in counts.groupby(["sigma", "center"]):
        cells = []
        for method in METHODS:
            own = group[group["method"] == method]
            cells.append(
                f"{own['squares_inside'].mean():.1f} / {own['triangles_inside'].mean():.1f}"
            )
        lines.append([f"σ = {sigma:g}, {'centered' if center else 'not centered'}", *cells])
    title = "Spiral: squares (of 6) / triangles (of 2) inside the boundary, mean over seeds"
    return Table(title, ["", *METHODS], lines)
