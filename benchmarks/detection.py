"""Outlier detection on public tables and planted outliers: measure it, and fill docs/detection.md.

    python -m benchmarks.detection [--only ours]

The tables are those of ADBench ("Classical"), in ../shared/data/adbench. Every detector has its
default parameters; PyOD's and isotree's get standardized columns, ours the columns as they are.
``--only ours`` keeps the stored results of the peers, which no change of this library moves.
"""

import warnings
from functools import partial

from benchmarks import detection_cases as cases
from benchmarks.detection_page import makers
from benchmarks.results import DOCS, folder_of, options, publish

SETTINGS = ("contaminated", "clean")
SETS = ("wbc", "ionosphere", "breastw", "cardio", "musk")
HOLES = ("wbc", "cardio", "breastw", "musk")


def tasks(quick=False):
    """Everything that is measured, by name: first ours, then the peers."""
    found = {}
    for setting in SETTINGS:
        found[f"ours/{setting}"] = partial(cases.scored, "l1kpca", setting, quick)
    found["ours/line"] = partial(cases.line, "l1kpca", quick)
    found["ours/planted"] = partial(cases.planted, n=2000 if quick else 20_000)
    found["ours/new cell"] = cases.new_cell
    for kind in ("far", "out of place"):
        for name in SETS:
            found[f"ours/{kind}/{name}"] = partial(cases.culprits, name, kind)
    found["ours/clean normal"] = cases.clean_normal
    found["ours/many outliers"] = cases.many_outliers
    for name in HOLES:
        found[f"ours/holes/{name}"] = partial(cases.holes, name)
    found["ours/hidden cells"] = partial(cases.hidden_cells, quick)
    for noise in (0.02, 0.1, 0.3):
        found[f"ours/curves/{noise}"] = partial(cases.curves, noise, n_seeds=1 if quick else 3)
    found["ours/cost"] = cases.cost
    for setting in SETTINGS:
        for name in cases.PEERS:
            found[f"peers/{setting}/{name}"] = partial(cases.scored, name, setting, quick)
    found["peers/line"] = partial(cases.line, "IsolationForest", quick)
    for name in ("IForest", "MCD", "KNN"):
        found[f"peers/planted/{name}"] = partial(cases.planted, name, n=2000 if quick else 20_000)
    return found


def main():
    given = options(__doc__)
    warnings.simplefilter("ignore")
    parts = makers(folder_of(given.quick, DOCS))
    publish("detection", "detection.md", tasks(given.quick), parts, given)


if __name__ == "__main__":
    main()
