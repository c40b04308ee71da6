"""A program that fits many small models and says what is left behind, as JSON."""

import json
import sys
import threading
from pathlib import Path

import numpy as np

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA, peers

WARM_UP = 600
"""Fits until the allocator has what it needs for several threads."""


def resident_bytes():
    """Memory of this process that is in RAM."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return 1024 * int(line.split()[1])
    raise RuntimeError("no VmRSS")


def system_threads():
    """Threads of this process, those of BLAS among them."""
    return len(list(Path("/proc/self/task").iterdir()))


def fit_one(k, X):
    """One of several kinds of small fits, with its use afterwards."""
    kind = k % 6
    if kind == 0:
        L1KernelPCA(2, kernel="rbf", random_state=k).fit(X).transform(X)
    elif kind == 1:
        L1KernelPCA(2, random_state=k, n_jobs=2).fit(X).inverse_transform(X[:, :2])
    elif kind == 2:
        L1KernelPCA(1, kernel="laplacian", gram="blocked", n_jobs=2, start="random").fit(X)
    elif kind == 3:
        KernelPCAOutlierDetector(random_state=k).fit(X).score_samples(X)
    elif kind == 4:
        peers.L2KernelPCA(2, kernel="rbf").fit(X).transform(X)
    else:
        try:
            L1KernelPCA(0).fit(X)  # a refused fit leaves nothing behind either
        except ValueError:
            return


def fit_many(count):
    """Small fits, and now and then one that is large enough for a pool of two threads."""
    X = np.random.default_rng(0).normal(size=(150, 4))
    large = np.random.default_rng(0).normal(size=(700, 4))
    for k in range(count):
        fit_one(k, X)
        if k % 50 == 0:
            L1KernelPCA(1, kernel="rbf", n_jobs=2).fit(large)


def state():
    """What a leak would raise."""
    return resident_bytes(), threading.active_count(), system_threads()


def main(n_fits):
    """Fit, and compare with what there was after the first fits."""
    fit_many(WARM_UP)
    before = state()
    fit_many(n_fits)
    after = state()
    keys = ("resident", "python_threads", "system_threads")
    json.dump({key: [b, a] for key, b, a in zip(keys, before, after, strict=True)}, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]))
