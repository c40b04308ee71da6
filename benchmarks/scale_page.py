"""The page docs/scaling.md, from the results of scale_run.py; no figure is typed here."""

# ruff: noqa: E501  (paragraphs of a page, not code)

import numpy as np
from scale_words import count, duration, growth, size, table

EXACT = ("exact-10k", "exact-20k", "exact-40k", "exact-80k")
APPROXIMATE = ("nystroem-100k", "nystroem-300k", "nystroem-1M")
CLUSTER_ROWS = 10_000_000
CLUSTER_SIZES = (10, 100, 1000)
CLUSTER_CORES = 16
COMPONENTS = 10


def page(results):
    parts = [
        introduction(results),
        what_to_use(results),
        exact(results),
        beside_scikit_learn(results),
        nystroem(results),
        landmarks(results["mnist"]),
        cluster(results),
        STOPPING,
    ]
    return "\n".join(parts)


def introduction(results):
    machine = results["machine"]
    loads = [case["load"] for case in results.values() if "load" in case]
    versions = ", ".join(f"{k} {machine[k]}" for k in ("python", "numpy", "scikit-learn"))
    return f"""# Scaling

Kernel PCA by the book stores the kernel matrix: n^2 numbers. Here it need not be stored. This page says what to use for
how many rows, and what it costs.

Every figure is written by `benchmarks/scale_run.py`. Each case runs in a fresh process; peak memory is the
largest resident size of that process, as the operating system counts it. Data: {COMPONENTS} directions and noise in 30 columns, one row
in fifty far off; Gaussian kernel, {COMPONENTS} components, default settings otherwise.
Machine: {machine["cores"]} cores ({machine["processor"]}), {versions}. Other work ran on it at the same time (load average
{min(loads):.0f} to {max(loads):.0f} on {machine["cores"]} cores), so wall times are upper bounds. CPU seconds count what the fit itself used; divided by
the {machine["cores"]} cores they are the time on an idle machine.
"""


def what_to_use(results):
    idle = {
        name: results[name]["cpu_seconds"] / results["machine"]["cores"]
        for name in results
        if "cpu_seconds" in results[name]
    }
    rows = [
        ("up to about 10 000", "nothing to set", "K is stored", duration(idle["dense-10k"])),
        (
            "10 000 to 100 000",
            '`memory_limit="1GB"`',
            "exact; blocks of K are computed when needed",
            f"{duration(idle['exact-20k'])} (20 000) to {duration(idle['exact-80k'])} (80 000)",
        ),
        (
            "100 000 to millions",
            '`gram="nystroem"`',
            "K is approximated through landmark rows",
            f"{duration(idle['nystroem-100k'])} (100 000) to {duration(idle['nystroem-1M'])} (1 000 000)",
        ),
        ("more, or exact", "a Dask array as `X`", "the cluster of your `Client`", "see below"),
        ("any, linear kernel", "nothing to set", "K is never formed, only X is used", "O(n d)"),
    ]
    header = ("rows", "use", "what happens", f"{COMPONENTS} components, idle machine")
    return f"""## What to use when

{table(header, rows)}
`gram_` of the fitted estimator says what was chosen and why. `memory_limit` bounds the kernel matrix or its blocks; on
top of it come X, the components, and a few vectors of n numbers.
Rows may be a memory map (`np.load(path, mmap_mode="r")`): they are read block by block and never copied whole.
"""


def exact(results):
    cases = [results[name] for name in EXACT]
    cores = results["machine"]["cores"]
    header = (
        "rows",
        "wall time",
        "CPU time",
        f"on {cores} idle cores",
        "peak memory",
        "K would take",
        "passes per component",
    )
    rows = [
        (
            count(case["n"]),
            duration(case["seconds"]),
            duration(case["cpu_seconds"]),
            duration(case["cpu_seconds"] / cores),
            size(case["peak_megabytes"] * 1e6),
            size(case["n"] ** 2 * 8),
            f"{case['passes_per_component']:.2f}",
        )
        for case in cases
    ]
    double, single = results["pass-float64"], results["pass-float32"]
    return f"""## Exact, in bounded memory

`L1KernelPCA({COMPONENTS}, kernel="rbf", memory_limit="1GB").fit(X)`, nothing of K stored:

{table(header, rows)}
A pass looks at each pair of rows once. CPU time grows with the power {growth(cases, "cpu_seconds"):.2f} of n, peak memory with
{growth(cases, "peak_megabytes"):.2f}. One pass takes {double["core_nanoseconds_per_evaluation"]:.1f} ns of one core for each pair in
double precision and {single["core_nanoseconds_per_evaluation"]:.1f} ns in single precision (`dtype="float32"`), that is
{double["core_nanoseconds_per_evaluation"] / 2 / cores:.2f} and {single["core_nanoseconds_per_evaluation"] / 2 / cores:.2f} ns for each entry of K on {cores} idle cores.
"""


def beside_scikit_learn(results):
    fails, works = results["scikit-learn-80k"], results["scikit-learn-10k"]
    ours, small, dense = results["exact-80k"], results["exact-10k"], results["dense-10k"]
    header = ("rows", "method", "CPU time", "peak memory")
    rows = [
        (count(fails["n"]), "scikit-learn `KernelPCA`", f"fails: {fails['error']}", "-"),
        (
            count(ours["n"]),
            '`L1KernelPCA(memory_limit="1GB")`',
            duration(ours["cpu_seconds"]),
            size(ours["peak_megabytes"] * 1e6),
        ),
        (
            count(works["n"]),
            "scikit-learn `KernelPCA`",
            duration(works["cpu_seconds"]),
            size(works["peak_megabytes"] * 1e6),
        ),
        (
            count(dense["n"]),
            "`L1KernelPCA`, K stored",
            duration(dense["cpu_seconds"]),
            size(dense["peak_megabytes"] * 1e6),
        ),
        (
            count(small["n"]),
            '`L1KernelPCA(memory_limit="1GB")`',
            duration(small["cpu_seconds"]),
            size(small["peak_megabytes"] * 1e6),
        ),
    ]
    return f"""## Beside scikit-learn

On {count(fails["n"])} rows the kernel matrix takes {fails["kernel_matrix_gigabytes"]:.0f} GB, and `KernelPCA` needs more than one copy.
It ran here with {size(fails["allowed_bytes"])} of address space.

{table(header, rows)}"""


def nystroem(results):
    cases = [results[name] for name in APPROXIMATE]
    cores = results["machine"]["cores"]
    header = (
        "rows",
        "wall time",
        "CPU time",
        f"on {cores} idle cores",
        "peak memory",
        "X",
        "share of trace K missed",
    )
    rows = [
        (
            count(case["n"]),
            duration(case["seconds"]),
            duration(case["cpu_seconds"]),
            duration(case["cpu_seconds"] / cores),
            size(case["peak_megabytes"] * 1e6),
            size(case["rows_megabytes"] * 1e6),
            f"{case['lost_share']:.1%}",
        )
        for case in cases
    ]
    return f"""## Approximate: landmarks

`gram="nystroem"` replaces K by F F^T with features F of 500 landmark rows, spread out by k-means++. `Nystroem(n_landmarks=...)` as `gram`
sets their number and how they are chosen; without it, `memory_limit` bounds it. If F does not fit into `memory_limit`,
it is computed anew in each pass, span by span. With `memory_limit="1GB"`:

{table(header, rows)}
CPU time grows with the power {growth(cases, "cpu_seconds"):.2f} of n. What the approximation misses is positive semidefinite, so its trace is its size; `gram_.lost_share` gives it as a share of trace K.
"""


def landmarks(mnist):
    best = mnist["rows"][0]
    header = (
        "landmarks",
        "objective, share of exact",
        "average precision",
        "share of trace K missed",
        "CPU time",
    )
    rows = [
        (
            "exact" if case["landmarks"] is None else str(case["landmarks"]),
            f"{case['objective'] / best['objective']:.4f}",
            f"{case['average_precision']:.4f}",
            f"{case['lost_share']:.2%}",
            duration(case["cpu_seconds"]),
        )
        for case in mnist["rows"]
    ]
    return f"""### How many landmarks

Mnist ({count(mnist["n"])} rows, standardized columns, `gamma="paper"`). Objective: what the sign vectors of the first {COMPONENTS} components reach on the
exact matrix. Average precision: the paper's detection rule on {mnist["n_components"]} components (or as many as the landmarks give).

{table(header, rows)}"""


def cluster(results):
    dask = results["dask"]
    header = (
        "rows",
        "blocks of K",
        "tasks",
        "bytes of a vector",
        "bytes moved",
        "vectors moved",
        "blocks are",
    )
    rows = [
        (
            count(case["n"]),
            str(case["blocks"]),
            str(case["tasks"]),
            size(case["bytes_of_a_vector"]),
            size(moved(case)),
            f"{moved(case) / case['bytes_of_a_vector']:.1f}",
            "kept" if case["kept"] else "recomputed",
        )
        for case in dask["rows"]
    ]
    return f"""## A cluster

A Dask array as `X` selects the cluster of the current `Client`, or the threads of this process if there is none:

```python
client = Client(...)  # any cluster
X = dask.array.from_zarr("rows.zarr")
pca = L1KernelPCA(10, kernel="rbf").fit(X)
scores = pca.transform(X)  # a Dask array
```

The rows are cut into G groups; K has G (G + 1) / 2 blocks on and above the diagonal. Blocks are kept in the memory of the workers if all
fit, else computed anew in each product. A product is a task for each block and two for each group. One product, measured
on {dask["n_workers"]} worker processes; bytes moved are those that the workers sent and those of the vector that went in:

{table(header, rows)}
The bytes are a fixed number of vectors, whatever n: O(n). The scheduler sees one vector in and one out; the rest goes between workers. The
process that fits keeps X, the components, and a few vectors. A worker that dies costs time and nothing else: what it held is computed again.

{ten_million(results)}"""


def moved(case):
    return case["bytes_between_workers_and_out"] + case["bytes_of_a_vector"]


def ten_million(results):
    n = CLUSTER_ROWS
    rate = results["pass-float64"]["core_nanoseconds_per_evaluation"] * 1e-9
    passes = results["exact-80k"]["passes_per_component"] * COMPONENTS
    core_seconds = passes * n**2 / 2 * rate
    ratio = max(
        moved(case) / case["bytes_of_a_vector"] / case["groups"] for case in results["dask"]["rows"]
    )
    lines = []
    for workers in CLUSTER_SIZES:
        threads = workers * CLUSTER_CORES
        groups = int(np.ceil(np.sqrt(8 * threads)))
        lines.append(
            (
                str(workers),
                str(threads),
                duration(core_seconds / threads),
                str(groups * (groups + 1) // 2),
                size(ratio * groups * n * 8),
                size(2 * (n / groups) * 30 * 8 + 8 * 512**2 * 4),
            )
        )
    header = (
        "workers",
        "cores",
        f"{COMPONENTS} components",
        "blocks",
        "bytes moved per product",
        "memory per core",
    )
    single = results["pass-float32"]["core_nanoseconds_per_evaluation"] * 1e-9
    landmark = results["nystroem-1M"]["cpu_seconds"] * n / results["nystroem-1M"]["n"]
    return f"""### What ten million rows would need

Computed from the rates above, not run. K would take {size(n**2 * 8)}, so blocks are recomputed. {COMPONENTS} components take {passes:.0f} passes,
{core_seconds:.2g} core seconds in double precision ({core_seconds * single / rate:.2g} in single precision). W workers of {CLUSTER_CORES} cores:

{table(header, lines)}
X itself is {size(n * 30 * 8)}, once over all workers and once where the fit runs. The same rows through 500 landmarks would take
{duration(landmark / results["machine"]["cores"])} on {results["machine"]["cores"]} idle cores.
"""


STOPPING = """## Stopping and going on

`verbose=1` shows a bar: components done, how far the pass under way is, and the time left. Ctrl-C ends a fit within a
second or so, also in the middle of a pass, and leaves the estimator unfitted. With `checkpoint="fit.npz"` each finished component is kept:
a new fit with the same data and settings goes on from there, also after the process was killed, and ends with the same result. A file of
other data or other settings is refused.
"""
