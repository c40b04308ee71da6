"""Power and realised rates of false flags with clean reference rows; fills docs/promise.md.

    python -m benchmarks.promise [--only rates/6_cardio estimate]

The estimate without reference rows is made for all rows of a table, outliers among them, at the
detector's own line.
"""

import warnings
from functools import partial

import numpy as np

from benchmarks.detection_cases import CLEAN_COLUMNS, abnormality, load, paths
from benchmarks.results import options, publish, table
from l1kpca import KernelPCAOutlierDetector
from l1kpca.outliers.calibration import Calibration
from l1kpca.outliers.promises import benjamini_hochberg, estimated_false_share, most_false

RATES, N_SPLITS = (0.05, 0.1, 0.2), 3
DETECTORS = ("l1kpca", "PyOD KNN", "PyOD IForest")


def rates(path):
    """For each detector and split: shares false and found at each rate; was the bound broken?"""
    (X, y), found = load(path), {name: [] for name in DETECTORS}
    y = y == 1
    for split in range(N_SPLITS):
        ordinary = np.random.default_rng(split).permutation(np.flatnonzero(~y))
        ends = (np.array([0.35, 0.5]) * len(ordinary)).astype(int)
        train, reference, new = np.split(ordinary, ends)
        judged = np.r_[new, np.flatnonzero(y)]
        others = X[np.r_[reference, judged]]
        for name, runs in found.items():
            scores = abnormality(name.removeprefix("PyOD "), X[train], others, 0)
            compared, scores = np.split(scores, [len(reference)])
            p = Calibration(compared, np.zeros(len(compared)), reference).p_values(scores)
            run, truth, order = [], y[judged], np.argsort(-scores, kind="stable")
            for rate in RATES:
                flags = benjamini_hochberg(p, rate)
                run += [(flags & ~truth).sum() / max(flags.sum(), 1), flags[truth].mean()]
            most = most_false(compared, scores, 0.95)[order]
            runs.append([*map(float, run), bool((np.cumsum(~truth[order]) > most).any())])
    return found


def estimate(path):
    """Estimated and true share of false flags; None where the estimate is refused."""
    X, y = load(path)
    judged = KernelPCAOutlierDetector(random_state=0).fit_judge(X)
    last = np.argmin(np.where(judged.flagged, judged.abnormality, np.inf))
    try:
        told = estimated_false_share(judged.abnormality)[last]
    except ValueError:
        return None
    return [float(told), float((y[judged.flagged] != 1).mean())]


def rates_table(results):
    """Means over the tables; a table counts once."""
    tables, lines = [one for name, one in results.items() if name.startswith("rates/")], []
    for name in tables[0]:
        means = np.mean([np.mean(one[name], axis=0) for one in tables], axis=0)
        parts = [f"{false:.3f} / {power:.2f}" for false, power in means[:-1].reshape(-1, 2)]
        lines.append([name, *parts, f"{1 - means[-1]:.1%}"])
    heads = [f"{rate}: false / found" for rate in RATES]
    return table([f"{len(tables)} tables", *heads, "bound held"], lines)


def estimates(results):
    every = [one for name, one in results.items() if name.startswith("estimate/")]
    told, true = np.array([one for one in every if one]).T
    return (
        f"It was refused for {len(every) - len(told)} of {len(every)} tables. For the others it was"
        f" {told.mean():.0%} on average, where {true.mean():.0%} of the flags were false; more than"
        f" ten points too low in {(told < true - 0.1).sum()} of them, and too high in"
        f" {(told > true + 0.1).sum()}."
    )


if __name__ == "__main__":
    given = options(__doc__)
    warnings.simplefilter("ignore")
    files = sorted(p for p in paths(given.quick) if load(p)[0].shape[1] <= CLEAN_COLUMNS)
    tasks = {f"rates/{path.stem}": partial(rates, path) for path in files}
    tasks |= {f"estimate/{path.stem}": partial(estimate, path) for path in files}
    publish("promise", "promise.md", tasks, {"rates": rates_table, "estimates": estimates}, given)
