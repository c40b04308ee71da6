"""One measurement of scale_run.py, in a process of its own: prints a JSON object.

    python benchmarks/scale_case.py '{"kind": "fit", "n": 10000, "settings": {"gram": "blocked"}}'

Peak memory is the largest resident size of the process, as the operating system counts it.
"""

import json
import os
import resource
import sys
import time
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np

from l1kpca.gram.memory import peak_resident

ROWS_WITH_DIRECTIONS = 10
FEATURES = 30
COMPONENTS = 10
ADDRESS_SPACE = 16 * 1024**3  # for the attempt of scikit-learn, so that it cannot take the machine


def make_rows(n, d=FEATURES, seed=0):
    """Ten directions, noise, and one row in fifty far off; in pieces, to leave no large trace."""
    rng = np.random.default_rng(seed)
    loadings = rng.standard_normal((ROWS_WITH_DIRECTIONS, d))
    X = np.empty((n, d))
    for start in range(0, n, 10_000):
        rows = X[start : start + 10_000]
        rows[:] = rng.standard_normal((len(rows), ROWS_WITH_DIRECTIONS)) @ loadings
        rows += 0.3 * rng.standard_normal(rows.shape)
        rows[::50] *= 4
    return X / np.sqrt(ROWS_WITH_DIRECTIONS)


def peak_megabytes():
    return peak_resident() / 1e6


def measured(work):
    """What ``work`` returns, with its wall and CPU seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    seconds = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
    return result, seconds


def count_entries():
    """Count the entries of K that are evaluated, in a counter that is returned."""
    from l1kpca.gram.blocked import BlockedGram

    entries, original = Counter(), BlockedGram.block

    def counted(self, rows, columns):
        found = original(self, rows, columns)
        entries["evaluated"] += found.size
        return found

    BlockedGram.block = counted
    return entries


def fit(n, settings, landmarks=None):
    from l1kpca import L1KernelPCA
    from l1kpca.gram.builders import Nystroem

    X = make_rows(n)
    before = peak_megabytes()
    entries = count_entries()
    if landmarks is not None:
        settings = settings | {"gram": Nystroem(n_landmarks=landmarks)}
    pca = L1KernelPCA(COMPONENTS, kernel="rbf", random_state=0, verbose=1, **settings)
    _, seconds = measured(lambda: pca.fit(X))
    return seconds | {
        "n": n,
        "rows_megabytes": X.nbytes / 1e6,
        "peak_megabytes": peak_megabytes(),
        "before_megabytes": before,
        "gram": str(pca.gram_),
        "lost_share": pca.gram_.lost_share,
        "entries": entries["evaluated"],
        "passes_per_component": entries["evaluated"] / (n * (n + 1) / 2) / COMPONENTS,
        "steps": [int(k) for k in pca.n_iter_],
        "objective": [float(value) for value in pca.objective_],
    }


def one_pass(n, dtype):
    """One product with K, nothing stored."""
    from l1kpca.gram.builders import Blocked, Resources
    from l1kpca.kernels import Kernel
    from l1kpca.threads import Workers, available_cores, single_threaded_blas

    X = make_rows(n).astype(dtype)
    kernel = Kernel("rbf", {"gamma": 1 / FEATURES})
    resources = Resources(10**9, Workers(available_cores()))
    with single_threaded_blas():
        gram, _, _ = Blocked().build(X, kernel, resources)
        v = np.ones(n, dtype=dtype)
        gram.apply(v)
        runs = [measured(lambda: gram.apply(v))[1] for _ in range(5)]
    best = min(runs, key=lambda run: run["seconds"])
    cpu = min(run["cpu_seconds"] for run in runs)
    return {
        "n": n,
        "dtype": dtype,
        "nanoseconds_per_entry": best["seconds"] / n**2 * 1e9,
        "core_nanoseconds_per_evaluation": cpu / (n * (n + 1) / 2) * 1e9,
    }


def scikit_learn(n):
    """KernelPCA of scikit-learn on the same rows, with a bound on its address space."""
    from sklearn.decomposition import KernelPCA

    X = make_rows(n)
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    found = {"n": n, "kernel_matrix_gigabytes": n**2 * 8 / 1e9, "allowed_bytes": ADDRESS_SPACE}
    try:
        _, seconds = measured(
            lambda: KernelPCA(
                COMPONENTS, kernel="rbf", eigen_solver="randomized", random_state=0
            ).fit(X)
        )
    except MemoryError as error:
        return found | {"error": f"{type(error).__name__}: {error}"}
    return found | seconds | {"peak_megabytes": peak_megabytes()}


def landmarks_on_mnist(counts, data_dir):
    """Objective and detection quality by the number of landmarks, beside the exact fit."""
    from sklearn.metrics import average_precision_score

    from l1kpca import L1KernelPCA
    from l1kpca.gram.builders import Nystroem

    with np.load(Path(data_dir) / "mnist.npz", allow_pickle=False) as file:
        X, y = file["X"], file["y"]
    X = X[:, X.std(axis=0) > 0]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    K = centered_kernel(X)
    settings = {"kernel": "rbf", "gamma": "paper", "random_state": 0}
    rows = []
    for count in [None, *counts]:
        gram = "dense" if count is None else Nystroem(n_landmarks=count)
        pca = L1KernelPCA(X.shape[1], gram=gram, **settings)
        scores, seconds = measured(partial(pca.fit_transform, X))
        rows.append(
            seconds
            | {
                "landmarks": count,
                "lost_share": pca.gram_.lost_share,
                "objective": exact_objective(K, pca.signs_[:COMPONENTS]),
                "average_precision": average_precision_score(y, paper_rule(scores)),
            }
        )
    return {"rows": rows, "n": len(X), "n_components": X.shape[1]}


def centered_kernel(X):
    from sklearn.metrics.pairwise import rbf_kernel

    K = rbf_kernel(X, gamma=1 / (2 * X.shape[1] ** 2))
    means = K.mean(axis=0)
    return K - means - means[:, np.newaxis] + means.mean()


def exact_objective(K, signs):
    """Sum of the L1 objectives that sign vectors reach on the exact matrix, deflated in turn."""
    scores, total = np.empty((0, len(K))), 0.0
    for c in signs.astype(float):
        image = K @ c - scores.T @ (scores @ c)
        value = np.sqrt(max(c @ image, 0))
        total += value
        scores = np.vstack([scores, image / value])
    return total


def paper_rule(scores, variance_kept=0.8):
    """Components with the largest variances that reach 80 % of the sum; squared standard scores."""
    variance = scores.var(axis=0)
    order = np.argsort(-variance)
    kept = order[: 1 + np.searchsorted(np.cumsum(variance[order]), variance_kept * variance.sum())]
    return (((scores - scores.mean(axis=0)) ** 2 / variance)[:, kept]).sum(axis=1)


def dask_product(sizes, n_workers):
    """Tasks and bytes of one product with K on a cluster of processes on this machine."""
    import dask.array as da
    from distributed import Client, LocalCluster

    from l1kpca.gram.blocked import BlockedGram
    from l1kpca.gram.dask import DaskGram
    from l1kpca.kernels import Kernel, kernel_blocks
    from l1kpca.threads import Workers

    rows = []
    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        for n in sizes:
            X = make_rows(n)
            blocks = kernel_blocks(X, Kernel("rbf", {"gamma": 1 / FEATURES}))
            local = BlockedGram(blocks, Workers(2), 512)
            for keep in (True, False):
                gram = DaskGram(da.from_array(X, chunks=(n // 4, FEATURES)), local, keep=keep)
                rows.append(_one_product(client, gram) | {"n": n, "kept": keep})
    return {"rows": rows, "n_workers": n_workers}


def _one_product(client, gram):
    def sent():
        return sum(
            client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values()
        )

    submitted, original = Counter(), client.submit

    def counting(*arguments, **options):
        submitted["tasks"] += 1
        return original(*arguments, **options)

    v = np.ones(gram.n_samples)
    gram.apply(v)
    before = sent()
    client.submit = counting
    _, seconds = measured(lambda: gram.apply(v))
    del client.submit
    return seconds | {
        "groups": len(gram.groups),
        "blocks": len(gram.groups) * (len(gram.groups) + 1) // 2,
        "tasks": submitted["tasks"],
        "bytes_between_workers_and_out": sent() - before,
        "bytes_of_a_vector": v.nbytes,
    }


KINDS = {
    "fit": fit,
    "one_pass": one_pass,
    "scikit_learn": scikit_learn,
    "landmarks": landmarks_on_mnist,
    "dask": dask_product,
}

if __name__ == "__main__":
    case = json.loads(sys.argv[1])
    result = KINDS[case.pop("kind")](**case)
    print(json.dumps(result | {"load": os.getloadavg()[0]}))
