"""Tables, detectors and planted outliers that benchmarks.detection measures."""

import os
import zlib
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score
from sklearn.preprocessing import StandardScaler

from benchmarks.results import DATA
from benchmarks.timing import measured
from l1kpca import KernelPCAOutlierDetector, L1KernelPCA, datasets

HIDDEN = ("breastw", "cardio", "Ionosphere", "pendigits", "thyroid", "vowels", "WDBC", "yeast")
SETTINGS = {"kernel": "rbf", "max_components": 50, "random_state": 0, "fit_inverse_transform": True}
INVERTIBLE = {
    "denoise, wide kernel": L1KernelPCA(0.8, gamma="wide", **SETTINGS),
    "denoise, narrower kernel": L1KernelPCA(0.95, gamma="median", **SETTINGS),
}
MOST = 2.9  # of a bounded value, where it stands for 11 spreads
ROWS, CLEAN_COLUMNS, MCD_COLUMNS = 5000, 600, 500
SEEDED = ("IForest", "MCD", "INNE", "GMM", "CBLOF", "PCA")
PEERS = ("IForest", "MCD", "INNE", "KNN", "LOF", "GMM", "ECOD", "COPOD", "HBOS", "CBLOF", "OCSVM",
         "PCA")  # fmt: skip


def paths(quick=False):
    found = (Path(os.environ["L1KPCA_DATA"] or DATA) / "adbench").glob("*.npz")
    ordered = sorted(found, key=lambda path: int(path.name.split("_")[0]))
    if not ordered:
        raise SystemExit("no tables found; set L1KPCA_DATA to the folder that holds adbench")
    return ordered[13:15] if quick else ordered


def load(path):
    """Rows, at most 5000 of them, and labels."""
    with np.load(path) as held:
        X, y = np.asarray(held["X"], dtype=float), held["y"].astype(int)
    rng = np.random.default_rng(zlib.crc32(path.name.encode()))
    kept = rng.choice(len(X), ROWS, replace=False) if len(X) > ROWS else slice(None)
    return X[kept], y[kept]


def tables(quick=False, widest=np.inf):
    """Name, rows and labels of each table of no more columns."""
    for path in paths(quick):
        X, y = load(path)
        if X.shape[1] <= widest:
            yield path.stem.partition("_")[2], X, y


def halves(X, y):
    """Half of the ordinary rows, to train on, and the rest with its labels."""
    ordinary = np.random.default_rng(0).permutation(np.flatnonzero(y == 0))
    train = ordinary[: len(ordinary) // 2]
    rest = np.setdiff1d(np.arange(len(y)), train)
    return X[train], X[rest], y[rest]


def ours(contamination="auto"):
    return KernelPCAOutlierDetector(contamination=contamination, random_state=0)


def abnormality(name, train, X, contamination="auto"):
    """How abnormal rows are to a detector that is fitted to others."""
    if name == "l1kpca":
        return -ours(contamination).fit(train).score_samples(X)
    scaler, seed = StandardScaler().fit(train), {"random_state": 0} if name in SEEDED else {}
    maker = getattr(import_module(f"pyod.models.{name.lower()}"), name)
    detector = maker(**seed).fit(scaler.transform(train))
    # A row is not its own neighbor.
    own = X is train
    scores = detector.decision_scores_ if own else detector.decision_function(scaler.transform(X))
    return np.nan_to_num(scores, posinf=1e300)


def scored(name, setting, quick=False):
    """ROC-AUC and average precision by table; None where a detector is not run."""
    found, clean = {}, setting == "clean"
    for table, X, y in tables(quick, CLEAN_COLUMNS if clean else np.inf):
        found[table] = None
        if name == "MCD" and X.shape[1] > MCD_COLUMNS:
            continue
        train, rest, labels = halves(X, y) if clean else (X, X, y)
        try:
            scores = abnormality(name, train, rest, 0 if clean else "auto")
        except ValueError as refused:
            if name != "CBLOF":  # which finds no large clusters in some tables
                raise
            print(f"{name}, {table}: {refused}")
            continue
        found[table] = [roc_auc_score(labels, scores), average_precision_score(labels, scores)]
    return found


def line(name, quick=False):
    """F1, share of ordinary rows flagged, share of outliers found, whether it is clear."""
    found = {}
    for table, X, y in tables(quick, CLEAN_COLUMNS):
        detector = ours() if name == "l1kpca" else IsolationForest(random_state=0)
        flagged = detector.fit_predict(X) == -1
        clear = bool(getattr(detector, "clear_line_", False))
        found[table] = [f1_score(y, flagged), flagged[y == 0].mean(), flagged[y == 1].mean(), clear]
    return found


def factors(n, d=20, noise=0.3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 5)) @ rng.normal(size=(5, d)) + noise * rng.normal(size=(n, d))


def planted(name="l1kpca", n=20_000, noise=0.3):
    """Ranks of two wild cells and three rows of shuffled values among many rows."""
    X, rng = factors(n, noise=noise), np.random.default_rng(1)
    X[0, 3] += 200
    X[1, 11] += 200
    for row in (2, 3, 4):
        X[row] = X[row, rng.permutation(X.shape[1])]
    scores = abnormality(name, X, X)
    return [int((scores > scores[row]).sum()) + 1 for row in range(5)]


def new_cell(n=2000, size=1000.0, n_new=100):
    """Share of new rows with one wild cell that are flagged."""
    X, new, rng = factors(n), factors(n + n_new)[n:], np.random.default_rng(1)
    new[np.arange(n_new), rng.integers(X.shape[1], size=n_new)] += size
    return float((ours().fit(X).predict(new) == -1).mean())


def culprits(name, kind, n_rows=200):
    """A cell of each of 200 ordinary rows is changed: flags, and the cell named first by views."""
    X, y = datasets.load(name, return_X_y=True)
    rng = np.random.default_rng(0)
    detector = ours().fit(X)
    used = np.flatnonzero(detector.columns_.used)
    rows = X[rng.choice(np.flatnonzero(y == 0), n_rows)].copy()
    column = rng.choice(used, n_rows)
    at = np.arange(n_rows), column
    if kind == "far":
        rows[at] += 8 * X.std(axis=0)[column]
    else:  # "out of place": the 1 % or 99 % point of its column, whichever is at the other end
        low, middle, high = np.quantile(X, [0.01, 0.5, 0.99], axis=0)
        rows[at] = np.where(rows[at] > middle[column], low[column], high[column])
    cells = np.abs(detector.cells(rows).residual)
    return {
        "rows flagged": float((detector.predict(rows) == -1).mean()),
        "first by cells": float((cells.argmax(axis=1) == column).mean()),
        "first by explain": float((detector.explain(rows).argmax(axis=1) == column).mean()),
    }


def clean_normal(n=1000, n_seeds=5):
    """Largest share flagged of normal rows without outliers, by the number of columns."""
    found = {}
    for d in (2, 3, 5, 10, 20, 50):
        shares = []
        for seed in range(n_seeds):
            rng = np.random.default_rng(seed)
            X = rng.normal(size=(n, d)) @ (rng.normal(size=(d, d)) if seed % 2 else np.eye(d))
            shares.append(float((ours().fit_predict(X) == -1).mean()))
        found[d] = [float(np.mean(shares)), max(shares)]
    return found


def many_outliers(n=1000, d=8):
    """F1 of "auto" by the share of outliers, which are clusters on two sides."""
    found = {}
    for share in (0.01, 0.05, 0.1, 0.2, 0.3, 0.4):
        rng, k = np.random.default_rng(0), int(n * share)
        X = rng.normal(size=(n, d))
        X[:k] = 2 * rng.normal(size=(k, d)) + 12 * rng.choice([-1, 1], size=d)
        X[:k:2] *= -1
        found[share] = float(f1_score(np.arange(n) < k, ours().fit_predict(X) == -1))
    return found


def holes(name, share=0.3):
    """ROC-AUC with all cells, and with a share of them removed at random."""
    X, y = datasets.load(name, return_X_y=True)
    holey = np.where(np.random.default_rng(0).random(X.shape) < share, np.nan, X)
    return [roc_auc_score(y, abnormality("l1kpca", Z, Z)) for Z in (X, holey)]


def cost(n=7603, d=100):
    """CPU seconds of fit and scores, the least of three."""
    X = factors(n, d)
    return {
        name: min(measured(partial(abnormality, name, X, X))[2] for _ in range(3))
        for name in ("l1kpca", "IForest")
    }


def hidden_cells(quick=False, n_rows=200, rounds=5):
    """Cells are hidden one at a time: median error of each prediction, in spreads of the column.

    Half of the rows are learned from. The components get the median in the place of the hidden cell
    and then, five times, what ``denoise`` makes of it."""
    found = {}
    for table, X, _ in tables(quick):
        if table not in HIDDEN and not quick:
            continue
        rng = np.random.default_rng(0)
        order = rng.permutation(len(X))
        train, rest = X[order[: len(X) // 2]], X[order[len(X) // 2 :]][:n_rows]
        detector = ours().fit(train)
        columns = detector.columns_
        hidden = np.argwhere(rng.random((len(rest), columns.used.sum())) < 0.1)
        row, place = hidden.T
        column = np.flatnonzero(columns.used)[place]
        truth, unit = rest[row, column], columns.spread[place]
        guesses = {
            "median": columns.median[column],
            "cells": detector.cells(rest).expected[row, column],
        }
        for said, pca in INVERTIBLE.items():
            pca = clone(pca).fit(detector.pca_.X_fit_)
            z, at = columns(rest)[row], np.arange(len(row))
            z[at, place] = (columns.median[column] - columns.center[place]) / unit
            for _ in range(rounds):
                z[at, place] = np.clip(pca.denoise(z)[at, place], -MOST, MOST)
            z = z[at, place]
            guesses[said] = columns.center[place] + unit * z / np.sqrt(1 - (z / columns.bound) ** 2)
        found[table] = {
            said: float(np.median(np.abs(guess - truth) / unit)) for said, guess in guesses.items()
        }
    return found


def curves(noise, n=500, d=200, n_seeds=3):
    """ROC-AUC by scaling for spectra-like curves with 5 % of planted outliers.

    A row is a mixture of three substances, each with four peaks in the left two thirds, and noise
    of one size. Outliers have some of an unknown substance, peaks that are shifted, or a small
    narrow peak where the others are flat.
    """
    x, y, found = np.linspace(0, 1, d), np.arange(n) < n // 20, {}
    for kind in ("unknown substance", "shifted peaks", "peak where others are flat"):
        for scaling in ("columns", "common"):
            scores = []
            for seed in range(n_seeds):
                rng = np.random.default_rng(seed)
                at, amount = rng.uniform(0.05, 0.6, (4, 4)), rng.lognormal(0, 0.3, (n, 4))
                amount[:, 3] = (0.3 if kind == "unknown substance" else 0) * y
                moved = x - (0.02 if kind == "shifted peaks" else 0) * y[:, np.newaxis]
                X = noise * rng.normal(size=(n, d))
                for substance, place in zip(amount.T, at, strict=True):
                    peaks = np.exp(-(((moved[:, :, np.newaxis] - place) / 0.03) ** 2))
                    X += substance[:, np.newaxis] * peaks.sum(axis=2)
                if kind == "peak where others are flat":
                    X[y] += 0.3 * np.exp(-(((x - 0.85) / 0.01) ** 2))
                detector = KernelPCAOutlierDetector(scaling=scaling, random_state=0).fit(X)
                scores.append(roc_auc_score(y, -detector.score_samples(X)))
            found.setdefault(kind, {})[scaling] = float(np.mean(scores))
    return found
