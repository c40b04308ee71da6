"""The figures of docs/performance.md, from the results of speed.py; none is typed."""

import csv
from collections import Counter
from functools import partial

from benchmarks import speed_plots as plots
from benchmarks.results import DOCS, folder_of, table
from benchmarks.speed_cases import CELLS, TIMED
from benchmarks.speed_targets import TARGETS


def makers(quick):
    """Functions from the results to the parts of the page."""
    return {"targets": partial(targets, quick), "pictures": partial(pictures, quick)}


def targets(quick, results):
    """The table of targets, and why some are not met; every time goes into a CSV file."""
    write_times(folder_of(quick, DOCS) / "performance.csv", results)
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


def write_times(path, results):
    """Seconds of every method in every round."""
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["case", "method", "round", "seconds"])
        for name in TIMED:
            for method, runs in results.get(name, {}).items():
                out.writerows([name, method, k, f"{s:.4g}"] for k, s in enumerate(runs))


def pictures(quick, results):
    """Time against n and against p, of the cells."""
    cells = {name: results[name] for name in CELLS}
    folder = folder_of(quick, DOCS) / "images" / "performance"
    parts = []
    for against, points in (("n", plots.against_n), ("p", plots.against_p)):
        plots.draw(folder / f"time_{against}.png", points(cells), against)
        parts.append(f"![Seconds against {against}.](images/performance/time_{against}.png)\n")
    return "\n".join(parts)
