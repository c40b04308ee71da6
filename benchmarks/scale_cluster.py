"""The part of docs/scaling.md on clusters, from the results of scale_run.py."""

# ruff: noqa: E501  (paragraphs of a page, not code)

import numpy as np
from scale_words import COMPONENTS, count, duration, size, table

CLUSTER_ROWS = 10_000_000
CLUSTER_SIZES = (10, 100, 1000)
CLUSTER_CORES = 16
FEATURES = 30


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
The bytes are O(n): a few vectors where blocks are kept, and where they are recomputed also the rows that a worker does not have
(X is 30 vectors here). The scheduler sees one vector in and one out; the rest goes between workers. The
process that fits keeps X, the components, and a few vectors. A worker that dies costs time and nothing else: what it held is computed again.

{ten_million(results)}"""


def moved(case):
    return case["bytes_between_workers_and_out"] + case["bytes_of_a_vector"]


def at_most(groups, n):
    """Bytes of a product if no block finds its rows at hand: rows and pieces in, parts and sums out."""
    return 8 * n * ((groups + 1) * (FEATURES + 1) + 2 * groups + 1)


def ten_million(results):
    n = CLUSTER_ROWS
    rate = results["pass-float64"]["core_nanoseconds_per_evaluation"] * 1e-9
    passes = results["exact-80k"]["passes_per_component"] * COMPONENTS
    core_seconds = passes * n**2 / 2 * rate
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
                size(at_most(groups, n) / workers),
                size(2 * (n / groups) * 30 * 8 + 8 * 512**2 * 4),
            )
        )
    header = (
        "workers",
        "cores",
        f"{COMPONENTS} components",
        "blocks",
        "bytes per product and worker, at most",
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
