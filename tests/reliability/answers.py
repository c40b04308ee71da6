"""Every estimator with every way to search, and the bits of its results; also a program."""

import hashlib
import json
import sys

import numpy as np
from threadpoolctl import threadpool_info

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA, peers
from l1kpca.directions import LpNorm
from l1kpca.directions.starts import STARTS

SOLVERS = ("fixed_point", "polished", "sdp", LpNorm(1.5))
GRAMS = ("dense", "blocked", "nystroem")


def rows(n_samples=600, n_features=5, seed=0):
    """Rows with a few outliers, enough of them for work to be shared out among threads."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features)) @ rng.normal(size=(n_features, n_features))
    X[:5] *= 20
    return X


def models(n_jobs=None):
    """Estimators by name; what is random has a seed."""
    common = {"n_jobs": n_jobs, "random_state": 7}
    found = {
        f"solver {solver}": L1KernelPCA(2, kernel="rbf", solver=solver, **common)
        for solver in SOLVERS
    }
    found |= {f"start {start}": L1KernelPCA(2, start=start, **common) for start in STARTS}
    found |= {
        f"gram {gram}": L1KernelPCA(2, kernel="rbf", gram=gram, n_starts=3, **common)
        for gram in GRAMS
    }
    found["starts auto"] = L1KernelPCA(1, kernel="rbf", n_starts="auto", **common)
    found["certified"] = L1KernelPCA(2, certify=True, **common)
    found["spatial median"] = L1KernelPCA(2, kernel="poly", center="median", **common)
    found["single precision"] = L1KernelPCA(2, kernel="rbf", dtype="float32", **common)
    found["inverse"] = L1KernelPCA(2, kernel="rbf", fit_inverse_transform=True, **common)
    found |= {name: getattr(peers, name)(2, kernel="rbf", **common) for name in peers.__all__}
    found |= {
        f"detector {rule}": KernelPCAOutlierDetector(rule=rule, **common)
        for rule in ("robust", "paper")
    }
    found["detector sampled"] = KernelPCAOutlierDetector(max_samples=200, **common)
    return found


def answers(model, X, X_new):
    """Arrays that a user sees."""
    model.fit(X)
    if isinstance(model, KernelPCAOutlierDetector):
        shares = model.explain(X_new[:5])
        return [model.score_samples(X_new), model.predict(X), np.array(model.offset_), shares]
    found = [model.dual_components_, model.signs_, model.objective_, model.transform(X_new)]
    if hasattr(model, "optimality_gap_"):
        found.append(model.optimality_gap_)
    if getattr(model, "fit_inverse_transform", False):
        found.append(model.inverse_transform(found[-1][:5]))
    return found


def digest(arrays):
    """One number for all the bits."""
    content = hashlib.sha256()
    for array in arrays:
        content.update(f"{array.dtype}{array.shape}".encode())
        content.update(np.ascontiguousarray(array).tobytes())
    return content.hexdigest()


def all_answers(n_jobs=None):
    """The arrays of each model."""
    X, X_new = rows(), rows(300, seed=1)
    return {name: answers(model, X, X_new) for name, model in models(n_jobs).items()}


def main(path=None):
    """Print the kinds of BLAS and the digest of each model; write all arrays to a given file."""
    found = all_answers()
    if path:
        np.savez(path, **{f"{name}/{i}": a for name in found for i, a in enumerate(found[name])})
    kinds = {pool["architecture"] for pool in threadpool_info() if pool["user_api"] == "blas"}
    digests = {name: digest(arrays) for name, arrays in found.items()}
    json.dump({"blas": sorted(kinds), "digests": digests}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
