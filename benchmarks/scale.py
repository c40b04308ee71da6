"""How far the library goes: measure it, and write docs/scaling.md.

    python -m benchmarks.scale                        a stopped run goes on
    python -m benchmarks.scale --only exact-80k mnist
    python -m benchmarks.scale --only workers         clusters; dask_ml must be installed
    python -m benchmarks.scale --page                 only write the page

Each case runs in a fresh process. Peak memory is the largest resident size of that process.
"""

import resource
import sys
from dataclasses import replace
from functools import partial

import numpy as np

from benchmarks import scale_page
from benchmarks.results import options, publish
from benchmarks.speed_cases import make_rows
from benchmarks.timing import asked_once, measured, peak_bytes, serve

D, COMPONENTS = 30, 10
ADDRESS_SPACE = 16 * 1024**3  # for the attempt of scikit-learn, so that it cannot take the machine
BOUNDED = {"gram": "blocked", "memory_limit": "1GB"}
CASES = {
    **{f"pass-{t}": ("one_pass", {"n": 16_000, "dtype": t}) for t in ("float64", "float32")},
    **{f"exact-{k}k": ("fit", {"n": 1000 * k, "settings": BOUNDED}) for k in (10, 20, 40, 80)},
    "dense-10k": ("fit", {"n": 10_000, "settings": {"gram": "dense"}}),
    **{f"nystroem-{k}k": ("fit", {"n": 1000 * k, "landmarks": 500}) for k in (100, 300, 1000)},
    **{f"scikit-learn-{k}k": ("scikit_learn", {"n": 1000 * k}) for k in (10, 80)},
    "mnist": ("landmarks_on_mnist", {"counts": [50, 100, 200, 500, 1000]}),
    **{f"workers-{m}M": ("on_workers", {"n": m * 10**6}) for m in (5, 10, 20)},
    "workers-10M-1": ("on_workers", {"n": 10**7, "n_workers": 1}),
    "workers-tasks": ("on_workers", {"n": 10**5, "partition": 1000}),
    "workers-dask_ml-10M": ("on_workers", {"n": 10**7, "method": "dask_ml"}),
    "landmarks-5M": ("on_workers", {"n": 5 * 10**6, "landmarks": 200, "memory": "2GB"}),
}


def few(settings):
    """The same with few rows."""
    if "n" in settings:
        return settings | {"n": max(300, settings["n"] // 100)}
    return {"counts": [10], "name": "wbc"}


def with_landmarks(count):
    """The way to hold K through so many landmark rows."""
    from l1kpca.gram.choose import BUILDERS

    return replace(BUILDERS["nystroem"], n_landmarks=count)


def fit(n, settings=None, landmarks=None):
    """Components of the Gaussian kernel."""
    from l1kpca import L1KernelPCA

    X = make_rows("scale", n, D)
    if landmarks is not None:
        settings = {"gram": with_landmarks(landmarks), "memory_limit": "1GB"}
    pca = L1KernelPCA(COMPONENTS, kernel="rbf", random_state=0, verbose=1, **settings)
    _, wall, cpu = measured(lambda: pca.fit(X))
    found = {"rows": n, "wall time": wall, "CPU time": cpu, "X": X.nbytes}
    found |= {"peak memory": peak_bytes(), "gram": str(pca.gram_)}
    found["share of trace K missed"] = float(pca.gram_.lost_share)
    return found | {"objective": pca.objective_.tolist()}


def one_pass(n, dtype):
    """Nanoseconds of one core for each pair of rows in a product with K, nothing stored."""
    from threadpoolctl import threadpool_limits

    from l1kpca import L1KernelPCA

    X = make_rows("scale", n, D).astype(dtype)
    gram = L1KernelPCA(1, kernel="rbf", gram="blocked", random_state=0).fit(X).training_gram()
    v = np.ones(n, dtype=dtype)
    with threadpool_limits(1):  # as a fit does: the library's own threads share the work
        _, *runs = [measured(lambda: gram.apply(v))[2] for _ in range(6)]
    return min(runs) / (n * (n + 1) / 2) * 1e9


def scikit_learn(n):
    """KernelPCA of scikit-learn on the same rows, with a bound on its address space."""
    from sklearn.decomposition import KernelPCA

    X = make_rows("scale", n, D)
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    pca = KernelPCA(COMPONENTS, kernel="rbf", eigen_solver="randomized", random_state=0)
    found = {"rows": n, "allowed": ADDRESS_SPACE, "peak memory": None}
    try:
        _, _, cpu = measured(lambda: pca.fit(X))
    except MemoryError as error:
        return found | {"CPU time": f"fails: {type(error).__name__}: {error}"}
    return found | {"CPU time": cpu, "peak memory": peak_bytes()}


def landmarks_on_mnist(counts, name="mnist"):
    """Objective and detection quality by the number of landmarks, beside the exact fit."""
    from sklearn.metrics import average_precision_score
    from sklearn.metrics.pairwise import rbf_kernel

    from benchmarks.optimality import centered, standardized
    from l1kpca import L1KernelPCA
    from paper.metrics import paper_abnormality

    X, y = standardized(name)
    K = centered(rbf_kernel(X, gamma=0.5 / X.shape[1] ** 2))
    rows = []
    for count in [None, *counts]:
        gram = "dense" if count is None else with_landmarks(count)
        pca = L1KernelPCA(X.shape[1], kernel="rbf", gamma="paper", gram=gram, random_state=0)
        scores, _, cpu = measured(partial(pca.fit_transform, X))
        quality = {
            "objective": exact_objective(K, pca.signs_[:COMPONENTS]),
            "average precision": float(average_precision_score(y, paper_abnormality(scores))),
            "share of trace K missed": float(pca.gram_.lost_share),
        }
        rows.append({"landmarks": count or "exact", "CPU time": cpu} | quality)
    return rows


def exact_objective(K, signs):
    """Sum of the L1 objectives that sign vectors reach on the exact matrix, deflated in turn."""
    scores, total = np.empty((0, len(K))), 0.0
    for c in signs.astype(float):
        image = K @ c - scores.T @ (scores @ c)
        value = np.sqrt(max(c @ image, 0))
        total += float(value)
        scores = np.vstack([scores, image / value])
    return total


def on_workers(n, n_workers=2, landmarks=None, memory="9GB", method="l1kpca", partition=500_000):
    """A fit of rows that are made on the workers and stay there; another method for comparison."""
    import dask.array as da
    from distributed import Client, LocalCluster, wait

    partition = min(n // 4, partition)
    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, memory_limit=memory,
                     dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
        chunks = ((partition,) * (n // partition), (D,))
        X = da.map_blocks(rows_of_block, partition, chunks=chunks, dtype=float).persist()
        wait(X)
        sent = partial(client.run, lambda dask_worker: dask_worker.transfer_outgoing_bytes_total)
        before = sum(sent().values())
        steps, wall, _ = measured(lambda: _fit_there(X, landmarks, method))
        moved = (sum(sent().values()) - before) / steps / len(chunks[0])
    return {"rows": n, "workers": n_workers, "wall time": wall, "peak memory": peak_bytes(),
            "partitions": len(chunks[0]), "steps": steps, "bytes moved": moved}  # fmt: skip


def rows_of_block(partition, block_info):
    """Ten directions and noise, one row in fifty far off; made where they are needed."""
    rng = np.random.default_rng(block_info[None]["chunk-location"][0])
    mix = np.random.default_rng(0).standard_normal((10, D)) * np.arange(10, 0, -1)[:, None]
    X = rng.standard_normal((partition, 10)) @ mix + rng.standard_normal((partition, D))
    X[::50] *= 8
    return X


def _fit_there(X, landmarks, method):
    """Fit; gives the number of steps."""
    if method == "dask_ml":
        from dask_ml.decomposition import PCA

        PCA(COMPONENTS, svd_solver="randomized", random_state=0).fit(X)
        return 1
    from l1kpca import L1KernelPCA

    how = {"kernel": "rbf", "gamma": "median", "gram": with_landmarks(landmarks or 1)}
    pca = L1KernelPCA(COMPONENTS, random_state=0, **(how if landmarks else {})).fit(X)
    return int(pca.n_steps_.sum())


def main():
    given = options(__doc__)
    tasks = {
        name: partial(asked_once, "benchmarks.scale", kind, **(few(how) if given.quick else how))
        for name, (kind, how) in CASES.items()
    }
    publish("scale", "scaling.md", tasks, scale_page.MAKERS, given)


if __name__ == "__main__":
    if "--serve" in sys.argv:
        serve(fit, one_pass, scikit_learn, landmarks_on_mnist, on_workers)
    else:
        main()
