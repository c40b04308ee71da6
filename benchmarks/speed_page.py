"""The figures of docs/performance.md, from the results of speed.py; none is typed.

The targets are lines of speed_targets.csv: ``method`` over ``unit`` times another method, where one
is named, in the results of a case; a reason that is left out is that of the line above. Large cases
have seconds and bytes.
"""

from collections import Counter, namedtuple
from functools import partial

import pandas as pd

from benchmarks.results import DOCS, ROOT, folder_of, table
from benchmarks.speed_cases import CELLS, DEFAULT, PASS, PCA, READ, TIMED
from benchmarks.timing import Spread, median, ratio
from paper.figures import ORANGE, panels, save

FASTEST = "scikit-learn's fastest"
ENOUGH = 0.8  # share of the rounds that must meet a target
STYLES = {DEFAULT: {"color": "#000000", "marker": "P"}, FASTEST: {"color": ORANGE, "marker": "^"}}


def holds(found, meets):
    """Whether the median meets something, and enough of the rounds."""
    return meets(found.value) and sum(map(meets, found.rounds)) >= ENOUGH * len(found.rounds)


def runs_of(results, case, method, of=""):
    """What a method took; of scikit-learn's solver with the smallest median for `FASTEST`."""
    own = results[case]
    if method != FASTEST:
        return [run[of == "bytes"] for run in own[method]] if of else own[method]
    solvers = [own[name] for name in own if name.startswith("scikit-learn")]
    if not solvers:
        raise KeyError(f"{case}: no solver of scikit-learn")
    most = max(map(len, solvers))  # one that was behind was not timed to the end
    return min((s for s in solvers if len(s) == most), key=lambda seconds: median(seconds).value)


def typical(results, case, method):
    return median(runs_of(results, case, method)).value


LINES = pd.read_csv(ROOT / "benchmarks" / "speed_targets.csv", dtype=str)
LINES["reason"] = LINES["reason"].ffill()


class Target(namedtuple("Target", LINES)):
    """One line of the table: what is measured, what is aimed at, such as "≤ 2", and why if not."""

    __slots__ = ()

    def meets(self, value):
        sense, bound = self.aim.split()
        return value <= float(bound) if sense == "≤" else value >= float(bound)

    def find(self, results):
        """What was reached, with its rounds."""
        if self.results == "cells":
            runs = [[runs_of(results, name, of) for of in (FASTEST, DEFAULT)] for name in CELLS]
            ratios = [ratio(*pair) for pair in runs]
            if self.method == "least":
                return min(ratios, key=lambda one: one.value)
            return Spread(float(sum(holds(one, lambda value: value >= 1) for one in ratios)))
        unit, own = float(self.unit or 1), runs_of(results, self.results, self.method, self.of)
        if self.over:
            return ratio(own, runs_of(results, self.results, self.over, self.of), unit)
        return median([value / unit for value in own])

    def least(self, results):
        """What no version could beat, in words."""
        if self.floor == "reads":
            p, one = int(self.results.rpartition("-")[2]), typical(results, self.results, READ)
            return f" Floor: {p} reads of K take {p * one:.3g} s."
        if self.floor == "products":
            one, pca = (typical(results, self.results, method) for method in (PASS, PCA))
            said = "ten products with X Xᵀ, one for each component, take"
            return f" Floor: {said} {10 * one / pca:.2g} times PCA."
        if self.floor == "loop":
            one = typical(results, self.results, "one loop")
            return f" Floor: to import numba and load one loop takes {one:.2g} s."
        return ""

    def judge(self, results):
        """Cells of the table: reached, rounds, verdict; and the reason if it is not met."""
        try:
            found = self.find(results)
        except KeyError:
            return ["-", "-", "**not measured**"], None
        met, count = holds(found, self.meets), sum(map(self.meets, found.rounds))
        rounds = "-"
        if found.rounds:
            ends = f"{min(found.rounds):.3g} to {max(found.rounds):.3g}"
            rounds = f"{ends}; {count} of {len(found.rounds)}"
        cells = [f"{found.value:.3g}", rounds, "met" if met else "**not met**"]
        return cells, None if met else self.reason + self.least(results)


TARGETS = [Target(*line) for line in LINES.fillna("").itertuples(index=False)]


def makers(quick):
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
            (case.n, case.n_components, case.dtype, curve, typical(results, name, curve))
            for name, case in CELLS.items()
            for curve in STYLES
        ],
        columns=["n", "p", "dtype", "curve", "seconds"],
    )
    ten, few = points["p"] == 10, points["n"].isin([1000, 5000]) & (points["dtype"] == "float64")
    titles = {
        "n": "10 components, " + points["dtype"][ten],
        "p": points["n"][few].map("{} rows, float64".format),
    }
    parts = []
    for against, title in titles.items():
        place = f"images/performance/time_{against}.png"
        own = points.loc[title.index].assign(title=title)
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
