"""How far the library goes: measure it, and write docs/scaling.md.

python -m benchmarks.scale                        a stopped run goes on
python -m benchmarks.scale --only exact-80k mnist
python -m benchmarks.scale --only workers         clusters; dask_ml must be installed
python -m benchmarks.scale --page                 only write the page
"""

import resource
import sys
from functools import partial

import numpy as np

from benchmarks.results import count, duration, growth, options, publish, rows_table, size
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
    if "n" in settings:
        return settings | {"n": max(300, settings["n"] // 100)}
    return {"counts": [10], "name": "wbc"}


def fit(n, settings=None, landmarks=None):
    """Components of the Gaussian kernel."""
    from l1kpca import L1KernelPCA
    from l1kpca.gram.choose import Nystroem

    X = make_rows("scale", n, D)
    if landmarks is not None:
        settings = {"gram": Nystroem(landmarks), "memory_limit": "1GB"}
    pca = L1KernelPCA(COMPONENTS, kernel="rbf", random_state=0, verbose=1, **settings)
    _, wall, cpu = measured(lambda: pca.fit(X))
    found = {"rows": n, "wall time": wall, "CPU time": cpu, "X": X.nbytes}
    found |= {"peak memory": peak_bytes(), "gram": str(pca.gram_)}
    return found | {"share of trace K missed": float(pca.gram_.lost_share)}


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

    from l1kpca import L1KernelPCA
    from l1kpca.gram.choose import Nystroem
    from paper.methods import kernel_matrix, standardized
    from paper.metrics import paper_abnormality

    X, y = standardized(name)
    K = kernel_matrix(X, "gaussian", center=True)
    rows = []
    for number in [None, *counts]:
        gram = "dense" if number is None else Nystroem(number)
        pca = L1KernelPCA(X.shape[1], kernel="rbf", gamma="paper", gram=gram, random_state=0)
        scores, _, cpu = measured(partial(pca.fit_transform, X))
        quality = {
            "objective": exact_objective(K, pca.signs_[:COMPONENTS]),
            "average precision": float(average_precision_score(y, paper_abnormality(scores))),
            "share of trace K missed": float(pca.gram_.lost_share),
        }
        rows.append({"landmarks": number or "exact", "CPU time": cpu} | quality)
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
    how = {"threads_per_worker": 1, "memory_limit": memory, "dashboard_address": ":0"}
    with LocalCluster(n_workers=n_workers, **how) as cluster, Client(cluster) as client:
        chunks = ((partition,) * (n // partition), (D,))
        X = da.map_blocks(rows_of_block, partition, chunks=chunks, dtype=float).persist()
        wait(X)
        sent = partial(client.run, lambda dask_worker: dask_worker.transfer_outgoing_bytes_total)
        before = sum(sent().values())
        steps, wall, _ = measured(lambda: _fit_there(X, landmarks, method))
        moved = (sum(sent().values()) - before) / steps / len(chunks[0])
    found = {"rows": n, "workers": n_workers, "wall time": wall, "peak memory": peak_bytes()}
    return found | {"partitions": len(chunks[0]), "steps": steps, "bytes moved": moved}


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
    from l1kpca.gram.choose import Nystroem

    how = {"kernel": "rbf", "gamma": "median", "gram": Nystroem(landmarks)} if landmarks else {}
    return int(L1KernelPCA(COMPONENTS, random_state=0, **how).fit(X).n_steps_.sum())


TIMES = dict.fromkeys(("wall time", "CPU time", "CPU time / cores"), duration)
FITS = {"rows": count, **TIMES, "peak memory": size}


def power(cases, what):
    return f"{growth([case['rows'] for case in cases], [case[what] for case in cases]):.2f}"


def fits_of(results, start, *sizes):
    """The fits of so many thousand rows, with the time on idle cores."""
    found, cores = [results[f"{start}-{size}k"] for size in sizes], results["about"][-1]["cores"]
    return [case | {"CPU time / cores": case["CPU time"] / cores} for case in found]


def exact(results):
    cases, cores = fits_of(results, "exact", 10, 20, 40, 80), results["about"][-1]["cores"]
    double, single = results["pass-float64"], results["pass-float32"]
    for case in cases:
        n = case["rows"]
        case["K would take"] = 8 * n**2
        one_pass = n * (n + 1) / 2 * double * 1e-9
        case["a component in passes"] = case["CPU time"] / one_pass / COMPONENTS
    columns = FITS | {"K would take": size, "a component in passes": "{:.2f}"}
    return rows_table(cases, columns) + (
        "\n\nA pass looks at each pair of rows once; the last column is the CPU time of a component"
        f" over that of a pass. CPU time grows with the power {power(cases, 'CPU time')} of n, peak"
        f" memory with {power(cases, 'peak memory')}. One pass takes {double:.1f} ns of one core"
        f" for each pair in double precision and {single:.1f} ns in single precision"
        f' (`dtype="float32"`), that is {double / 2 / cores:.2f} and {single / 2 / cores:.2f} ns'
        f" for each entry of K on {cores} idle cores."
    )


def beside_scikit_learn(results):
    fails, theirs = results["scikit-learn-80k"], 'scikit-learn `KernelPCA("randomized")`'
    bounded = '`L1KernelPCA(memory_limit="1GB")`'
    names = {"scikit-learn-80k": theirs, "exact-80k": bounded, "scikit-learn-10k": theirs,
             "dense-10k": "`L1KernelPCA`, K stored", "exact-10k": bounded}  # fmt: skip
    rows = [results[name] | {"method": method} for name, method in names.items()]
    columns = {"rows": count, "method": "{}", "CPU time": duration, "peak memory": size}
    return (
        f"On {count(fails['rows'])} rows the kernel matrix takes {size(8 * fails['rows'] ** 2)}."
        f" `KernelPCA` ran here with {size(fails['allowed'])} of address space.\n\n"
        + rows_table(rows, columns)
    )


def nystroem(results):
    cases = fits_of(results, "nystroem", 100, 300, 1000)
    grows = f"\n\nCPU time grows with the power {power(cases, 'CPU time')} of n."
    return rows_table(cases, FITS | {"X": size, "share of trace K missed": "{:.1%}"}) + grows


def landmarks(results):
    rows, reached = results["mnist"], "objective, share of exact"
    rows = [row | {reached: row["objective"] / rows[0]["objective"]} for row in rows]
    columns = {"landmarks": "{}", **dict.fromkeys((reached, "average precision"), "{:.4f}")}
    return rows_table(rows, columns | {"share of trace K missed": "{:.2%}", "CPU time": duration})


def cluster(results):
    names = {
        **dict.fromkeys([f"workers-{m}" for m in ("5M", "10M-1", "10M", "20M")], "linear"),
        "workers-tasks": "linear, small partitions",
        "workers-dask_ml-10M": "`dask_ml` PCA, randomized",
        "landmarks-5M": "Gaussian, 200 landmarks, workers of 2 GB",
    }
    rows = [results[name] | {"method": names[name]} for name in names if name in results]
    columns = {"method": "{}", "rows": count, "workers": "{}", "wall time": duration}
    columns |= {"peak memory": size, "partitions": "{}", "steps": "{}", "bytes moved": size}
    two, large = [results[f"workers-{m}M"] for m in (5, 10, 20)], results["workers-20M"]
    steps = [case | {"a step": case["wall time"] / case["steps"]} for case in two]
    faster = results["workers-10M-1"]["wall time"] / two[1]["wall time"]
    return rows_table(rows, columns) + (
        f"\n\nThe time of a step grows with the power {power(steps, 'a step')} of n; two workers"
        f" are {faster:.2f} times as fast as one; the fit of {count(two[1]['rows'])} rows takes"
        f" {two[1]['wall time'] / results['workers-dask_ml-10M']['wall time']:.1f} times as long as"
        f" `dask_ml`.\n\n{a_billion(large, results['workers-tasks'])}"
    )


def a_billion(large, small):
    """What the rows and the tasks of a step cost, and with that a billion rows on many workers."""
    task = small["wall time"] / small["steps"] / small["partitions"]
    busy = large["wall time"] / large["steps"] - task * large["partitions"]
    row = busy * large["workers"] / large["rows"]
    partitions = 1e9 / large["rows"] * large["partitions"]
    times = [duration(large["steps"] * (row * 1e9 / m + task * partitions)) for m in (100, 1000)]
    return (
        f"A step of n rows in p partitions on m workers takes a n / m + b p, with a ="
        f" {row * 1e9:.0f} ns for a row and b = {task * 1e3:.1f} ms for a partition, which is the"
        " time of the scheduler: partitions of 1000 rows take hardly any other. With as many steps"
        f" as {count(large['rows'])} rows took, a billion rows in {count(partitions)} partitions"
        f" would take {times[0]} on 100 workers and {times[1]} on 1000. Fewer and larger"
        " partitions lower the second term."
    )


MAKERS = {part.__name__: part for part in (exact, nystroem, landmarks, cluster)}
MAKERS["scikit-learn"] = beside_scikit_learn


if __name__ == "__main__":
    if "--serve" in sys.argv:
        serve(fit, one_pass, scikit_learn, landmarks_on_mnist, on_workers)
        sys.exit()
    given = options(__doc__)
    tasks = {
        name: partial(asked_once, "benchmarks.scale", kind, **(few(how) if given.quick else how))
        for name, (kind, how) in CASES.items()
    }
    publish("scale", "scaling.md", tasks, MAKERS, given)
