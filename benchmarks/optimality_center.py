"""What centering at the spatial median does to robust extraction and detection, and its cost.

    python benchmarks/optimality_center.py [--data-dir DIR] [--write]

Extraction: 1000 x 50 matrices of rank 10, noise on entries of a share of the rows; four linear
components of the noisy matrix; the variation of the clean matrix that they explain, in percent of
the best possible, mean over 5 seeds.  "one-sided" takes the absolute value of the noise, so that it
moves the mean.  Detection: the paper's rule (components that reach 80 % of the variance, scores
over their variances), area under the precision-recall curve.  Cost: seconds of the fit with the
median over seconds with the mean, best of 3.
"""

import argparse
import time
from itertools import product

import numpy as np
from optimality_docs import markdown, write
from sklearn.metrics import auc, precision_recall_curve

from l1kpca import L1KernelPCA, datasets

CENTERS = {"none": False, "mean": True, "median": "median"}
SETS = ("wbc", "ionosphere", "breastw", "cardio", "musk")
SEEDS = 5


def explained(X, X_clean, center):
    W = L1KernelPCA(4, center=center, random_state=0).fit(X).components_
    best = np.square(np.linalg.svd(X_clean, compute_uv=False)[:4]).sum()
    return 100 * np.square(X_clean @ W.T).sum() / best


def extraction_table():
    rows = []
    for noise, share in product(("symmetric", "one-sided"), (0.1, 0.2, 0.3)):
        found = {name: [] for name in CENTERS}
        for seed in range(SEEDS):
            data = datasets.make_low_rank(corrupted=share, random_state=seed)
            added = data.X - data.X_normal
            X = data.X_normal + (np.abs(added) if noise == "one-sided" else added)
            for name, center in CENTERS.items():
                found[name].append(explained(X, data.X_normal, center))
        rows.append([noise, f"{share:.0%}", *(f"{np.mean(found[name]):.2f}" for name in CENTERS)])
    return markdown(["noise", "rows with noise", *CENTERS], rows)


def detection(model, X, y):
    """The paper's rule."""
    scores = model.fit_transform(X)
    variance = scores.var(axis=0)
    order = np.argsort(-variance)
    kept = order[: int(np.searchsorted(np.cumsum(variance[order]), 0.8 * variance.sum())) + 1]
    outlying = (np.square(scores - scores.mean(axis=0)) / variance)[:, kept].sum(axis=1)
    precision, recall, _ = precision_recall_curve(y, outlying)
    return auc(recall, precision)


def detection_table(data_dir):
    rows = []
    for name, kernel in product(SETS, ("linear", "rbf")):
        X, y = datasets.load(name, data_dir, return_X_y=True)
        X = X[:, X.std(axis=0) > 0]
        X = (X - X.mean(axis=0)) / X.std(axis=0)
        areas, seconds = [], {}
        for label, center in CENTERS.items():
            model = L1KernelPCA(
                X.shape[1] - 1, kernel=kernel, gamma="paper", center=center, random_state=0
            )
            times = []
            for _ in range(3):
                begin = time.perf_counter()
                area = detection(model, X, y)
                times.append(time.perf_counter() - begin)
            areas.append(area)
            seconds[label] = min(times)
        ratio = f"{seconds['median'] / seconds['mean']:.2f}"
        kernel = "Gaussian" if kernel == "rbf" else kernel
        rows.append([name, kernel, *(f"{area:.4f}" for area in areas), ratio])
        print(*rows[-1], sep=" | ", flush=True)
    return markdown(["data", "kernel", *CENTERS, "time, median / mean"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    tables = {"extraction": extraction_table(), "detection": detection_table(options.data_dir)}
    for name, table in tables.items():
        print(f"\n{name}\n{table}")
        if options.write:
            write(name, table)


if __name__ == "__main__":
    main()
