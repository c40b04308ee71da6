"""Outlier detection on the paper's data: both rules beside the detectors of PyOD.

    python benchmarks/detection_table.py [--data-dir DIR] [--sets wbc,cardio]
                                          [--cost-only | --tables-only]

Every detector has its own default parameters; PyOD's KPCA, which by default keeps all components
and so has no distance to them left, also runs with as many components as columns.  PyOD's get
standardised columns (mean 0, deviation 1, constant ones dropped); ours get the rows as they are.
Detectors with a random part are run with five seeds, and the mean is given.  On mnist the default
detector and PyOD's KPCA also run in a fresh process each, where time and peak memory are measured.

Results go to ``benchmarks/results/detection.csv``; from there the tables of ``docs/detection.md``
are written between their markers.
"""

import argparse
import csv
import json
import re
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from pyod.models.ecod import ECOD
from pyod.models.iforest import IForest
from pyod.models.knn import KNN
from pyod.models.kpca import KPCA
from pyod.models.lof import LOF
from pyod.models.pca import PCA
from sklearn.metrics import average_precision_score, roc_auc_score

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA, datasets

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "detection.csv"
PAGE = ROOT / "docs" / "detection.md"
SEEDS = range(5)
COSTLY_SET = "mnist"
COSTLY = ("default", "PyOD KPCA", "PyOD KPCA, d components")


def default(seed):
    return KernelPCAOutlierDetector(random_state=seed)


def robust_linear(seed):
    return KernelPCAOutlierDetector(L1KernelPCA(0.8), max_samples=1000, random_state=seed)


def paper_gaussian(seed):
    return KernelPCAOutlierDetector(rule="paper")


def paper_linear(seed):
    pca = L1KernelPCA(solver="fixed_point", start="column", center=False)
    return KernelPCAOutlierDetector(pca, rule="paper")


OURS = {
    "default": (default, "**default** (robust rule, Gaussian)"),
    "robust linear": (robust_linear, "robust rule, linear"),
    "paper gaussian": (paper_gaussian, "paper's rule, Gaussian"),
    "paper linear": (paper_linear, "paper's rule, linear"),
}
THEIRS = {
    "PyOD IForest": lambda seed, d: IForest(random_state=seed),
    "PyOD PCA": lambda seed, d: PCA(),
    "PyOD KPCA": lambda seed, d: KPCA(),
    "PyOD KPCA, d components": lambda seed, d: KPCA(n_components=d),
    "PyOD KNN": lambda seed, d: KNN(),
    "PyOD ECOD": lambda seed, d: ECOD(),
    "PyOD LOF": lambda seed, d: LOF(),
}
RANDOM = ("default", "robust linear", "PyOD IForest")
DETECTORS = (*OURS, *THEIRS)
MEASURES = {"average_precision": "Average precision", "roc_auc": "ROC-AUC"}


def abnormality(name, X, seed):
    """Scores of the training rows, higher is more abnormal."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*columns are constant and were dropped")
        if name in OURS:
            return -OURS[name][0](seed).fit(X).score_samples(X)
        used = X[:, np.ptp(X, axis=0) > 0]
        standardized = (used - used.mean(axis=0)) / used.std(axis=0)
        return THEIRS[name](seed, used.shape[1]).fit(standardized).decision_scores_


def judged(y, scores):
    return {
        "average_precision": average_precision_score(y, scores),
        "roc_auc": roc_auc_score(y, scores),
    }


def accuracy(name, X, y):
    """Mean over the seeds of both measures."""
    found = [
        judged(y, abnormality(name, X, seed)) for seed in (SEEDS if name in RANDOM else SEEDS[:1])
    ]
    return {measure: float(np.mean([one[measure] for one in found])) for measure in MEASURES}


def measure_here(name, data_set, data_dir):
    """Time and memory of one fit with the scores of its rows; meant for a process of its own."""
    X, y = datasets.load(data_set, data_dir, return_X_y=True)
    before = peak_bytes()
    start, start_cpu = time.perf_counter(), time.process_time()
    scores = abnormality(name, X, 0)
    cost = {
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - start_cpu,
        "before_bytes": before,
        "peak_bytes": peak_bytes(),
    }
    return judged(y, scores) | cost


def peak_bytes():
    """Largest resident size of this process so far."""
    status = Path("/proc/self/status")
    if status.exists():  # not getrusage, which on Linux remembers the process that started this one
        return int(re.search(r"VmHWM:\s+(\d+) kB", status.read_text())[1]) * 1024
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024


def measure_apart(name, data_set, data_dir):
    """`measure_here` in a fresh process."""
    command = [sys.executable, __file__, "--measure", name, "--sets", data_set]
    if data_dir:
        command += ["--data-dir", data_dir]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(run.stdout.splitlines()[-1])


def run(sets, data_dir, cost_only):
    """Rows (data set, detector, measure, value) of all results."""
    for data_set in sets:
        X, y = datasets.load(data_set, data_dir, return_X_y=True)
        for name in DETECTORS:
            costly = data_set == COSTLY_SET and name in COSTLY
            if cost_only and not costly:
                continue
            found = measure_apart(name, data_set, data_dir) if costly else {}
            if not costly or name in RANDOM:
                found |= accuracy(name, X, y)
            shown = {key: round(value, 4) for key, value in found.items()}
            print(data_set, name, shown, flush=True)
            for measure, value in found.items():
                yield data_set, name, measure, value


def save(rows):
    """Write results; what was not run now stays."""
    values = {row[:3]: row[3] for row in read()} if RESULTS.exists() else {}
    values |= {row[:3]: f"{row[3]:.6g}" for row in rows}
    order = {name: place for place, name in enumerate((*datasets.names(), *DETECTORS))}
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["data", "detector", "measure", "value"])
        for key in sorted(values, key=lambda key: (order[key[0]], order[key[1]], key[2])):
            writer.writerow([*key, values[key]])


def read():
    with RESULTS.open(newline="") as file:
        return [tuple(row.values()) for row in csv.DictReader(file)]


def accuracy_table(values, measure):
    """A row for each detector, a column for each data set, and the means."""
    sets = [name for name in datasets.names() if (name, "default", measure) in values]
    lines = [
        f"| {MEASURES[measure]} | {' | '.join(sets)} | mean |",
        f"|---|{'---:|' * (len(sets) + 1)}",
    ]
    for name in DETECTORS:
        found = [values[data_set, name, measure] for data_set in sets]
        label = OURS[name][1] if name in OURS else name
        cells = " | ".join(f"{value:.3f}" for value in found)
        lines.append(f"| {label} | {cells} | **{np.mean(found):.3f}** |")
    return "\n".join(lines)


def cost_table(values):
    lines = [
        "| | seconds | CPU seconds | peak memory, MB | of it beyond data and imports |",
        "|---|---:|---:|---:|---:|",
    ]
    for name in COSTLY:
        seconds, cpu, peak, before = (
            values[COSTLY_SET, name, measure]
            for measure in ("seconds", "cpu_seconds", "peak_bytes", "before_bytes")
        )
        cells = f"{seconds:.1f} | {cpu:.1f} | {peak / 1e6:.0f} | {(peak - before) / 1e6:.0f}"
        lines.append(f"| {name} | {cells} |")
    return "\n".join(lines)


def comparison(values):
    """The default beside the best of the others: means, and the largest distance to the best."""
    sets = [name for name in datasets.names() if (name, "default", "roc_auc") in values]
    found = {
        measure: np.array(
            [[values[one, name, measure] for one in sets] for name in ("default", *THEIRS)]
        )
        for measure in MEASURES
    }
    names = list(THEIRS)
    parts = []
    for measure, label in (("roc_auc", "ROC-AUC"), ("average_precision", "average precision")):
        ours, *theirs = found[measure].mean(axis=1)
        best = int(np.argmax(theirs))
        side = "above" if ours > theirs[best] else "below"
        parts.append(
            f"mean {label} is {ours:.3f}, {abs(ours - theirs[best]):.3f} {side} the best"
            f" of the others ({names[best]}, {theirs[best]:.3f})"
        )
    ours, *theirs = (found["roc_auc"].max(axis=0) - found["roc_auc"]).max(axis=1)
    least = int(np.argmin(theirs))
    return (
        f"Over the {len(sets)} data sets the default's {'; its '.join(parts)}. Each detector has a"
        f" set on which it is furthest behind the best; for the default that is {ours:.3f} of"
        f" ROC-AUC, the smallest figure of the others is {theirs[least]:.3f} ({names[least]})."
    )


def tables():
    """The generated parts of the page, by the names of their markers."""
    values = {row[:3]: float(row[3]) for row in read()}
    parts = {measure: accuracy_table(values, measure) for measure in MEASURES}
    return parts | {"cost": cost_table(values), "comparison": comparison(values)}


def filled(text, parts):
    """The page with each generated part between its markers."""
    for name, part in parts.items():
        pattern = rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)"
        text, found = re.subn(pattern, rf"\g<1>{part}\n\g<2>", text, flags=re.DOTALL)
        if found != 1:
            raise SystemExit(f"{PAGE} must hold the markers of {name} once, not {found} times")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", help="folder with <name>.npz; else L1KPCA_DATA")
    parser.add_argument("--sets", default=",".join(datasets.names()), help="data sets to run")
    parser.add_argument(
        "--tables-only", action="store_true", help="write the tables of old results"
    )
    parser.add_argument("--cost-only", action="store_true", help="measure time and memory again")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure_here(given.measure, given.sets, given.data_dir)))
        return
    if not given.tables_only:
        save(run(given.sets.split(","), given.data_dir, given.cost_only))
    PAGE.write_text(filled(PAGE.read_text(), tables()))
    print(comparison({row[:3]: float(row[3]) for row in read()}))


if __name__ == "__main__":
    main()
