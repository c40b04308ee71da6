"""The figures of docs/performance.md, from the results of speed.py; none is typed."""

from collections import Counter
from functools import partial

import pandas as pd

from benchmarks.results import DOCS, folder_of, table
from benchmarks.speed_cases import CELLS, DEFAULT, TIMED
from benchmarks.speed_targets import FASTEST, TARGETS, typical
from paper.figures import ORANGE, panels, save

STYLES = {DEFAULT: {"color": "#000000", "marker": "P"}, FASTEST: {"color": ORANGE, "marker": "^"}}


def makers(quick):
    """Functions from the results to the parts of the page."""
    folder = folder_of(quick, DOCS)
    return {"targets": partial(targets, folder), "pictures": partial(pictures, folder)}


def targets(folder, results):
    """The table of targets, and why some are not met; every time goes into a CSV file."""
    times = [
        (name, method, number, f"{seconds:.4g}")
        for name in TIMED
        for method, runs in results.get(name, {}).items()
        for number, seconds in enumerate(runs)
    ]
    times = pd.DataFrame(times, columns=["case", "method", "round", "seconds"])
    times.to_csv(folder / "performance.csv", index=False)
    lines, missed, verdicts = [], {}, Counter()
    for target in TARGETS:
        cells, reason = target.judge(results)
        lines.append([target.case, target.measure, target.aim, *cells])
        verdicts[cells[-1].strip("*")] += 1
        if reason:
            missed.setdefault(reason, []).append(target.case)
    tally = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.items())
    columns = ["case", "measure", "target", "reached", "rounds: lowest to highest; meet it", ""]
    why = [f"* **{'; '.join(dict.fromkeys(names))}.** {reason}" for reason, names in missed.items()]
    heading = ["\nWhy some are not met:\n"] if missed else []
    whole = [f"**Of {len(TARGETS)} targets: {tally}.**\n", table(columns, lines), *heading, *why]
    return "\n".join(whole)


def pictures(folder, results):
    """Time against n and against p, of the cells."""
    points = pd.DataFrame(
        [
            {"n": case.n, "p": case.n_components, "dtype": case.dtype, "curve": curve}
            | {"seconds": typical(results, name, curve)}
            for name, case in CELLS.items()
            for curve in STYLES
        ]
    )
    ten, few = points["p"] == 10, points["n"].isin([1000, 5000]) & (points["dtype"] == "float64")
    shown = {"n": points[ten].assign(title="10 components, " + points["dtype"]),
             "p": points[few].assign(title=points["n"].map("{} rows, float64".format))}  # fmt: skip
    parts = []
    for against, own in shown.items():
        place = f"images/performance/time_{against}.png"
        save(partial(draw, own, against), folder / place)
        parts.append(f"![Seconds against {against}.]({place})\n")
    return "\n".join(parts)


def draw(points, against):
    """A panel for each title, a curve for each method."""
    groups = points.groupby("title", sort=False)
    figure, all_axes = panels(len(groups), (3.2 * len(groups) + 1.8, 3.3), sharex=True, sharey=True)
    for axes, (title, own) in zip(all_axes, groups, strict=True):
        axes.set(title=title, xlabel=against)
        for curve, line in own.groupby("curve", sort=False):
            line = line.sort_values(against)
            axes.loglog(line[against], line["seconds"], **STYLES[curve], markersize=4, label=curve)
    figure.supylabel("seconds", fontsize=9)
    figure.legend(*all_axes[0].get_legend_handles_labels(), loc="outside right upper", fontsize=8)
    return figure
