"""
A cluster: more rows than this process could hold
=================================================

With a Dask array as ``X`` and the linear kernel, rows never leave the workers: of each partition,
a step of the search gets as many numbers as there are columns. Here the cluster is two processes on
this machine; with a real one, only the line that makes the client changes. The rows take 120 MB,
and this process is allowed to take 100 MB more than it has: what it could not hold, it can fit.
"""

import resource
from contextlib import contextmanager
from pathlib import Path

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from dask.distributed import Client, LocalCluster

from l1kpca import L1KernelPCA

N_ROWS, N_COLUMNS, PARTITION = 750_000, 20, 75_000
ALLOWED = 100_000_000


def make_rows(block_info):
    """Two strong directions and noise; one row in twenty is far off, always the same way."""
    rng = np.random.default_rng(block_info[None]["chunk-location"][0])
    directions = np.eye(N_COLUMNS)[:2] * [[3], [2]]
    X = rng.standard_normal((PARTITION, 2)) @ directions
    X += 0.5 * rng.standard_normal(X.shape)
    X[::20, 2] += 12 * rng.standard_normal(len(X[::20]))
    return X


@contextmanager
def at_most(more):
    """Let this process take no more than so many bytes beside those that it has; Linux only."""
    pages = int(Path("/proc/self/statm").read_text().split()[5])  # of data, stacks included
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (pages * resource.getpagesize() + more, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


def draw(pca, some):
    """Where the components point, and the scores of some rows."""
    _, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    axes[0].imshow(np.abs(pca.components_), cmap="cividis", aspect="auto")
    axes[0].set(title="Size of the loadings", xlabel="column", ylabel="component", yticks=[0, 1])
    axes[1].scatter(*some.T, s=3, color="#0072B2", linewidths=0)
    axes[1].set(title="Scores of 10,000 rows", xlabel="component 1", ylabel="component 2")
    plt.show()


# %%
# Worker processes import this file to get its functions, so the code that starts them goes under
# ``if __name__ == "__main__"``, as in every program with processes of its own.

if __name__ == "__main__":
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs="ERROR"
    )
    L1KernelPCA(2).fit(np.eye(N_COLUMNS))  # the first fit loads the compiled code
    with cluster, Client(cluster), at_most(ALLOWED):
        chunks = ((PARTITION,) * (N_ROWS // PARTITION), (N_COLUMNS,))
        X = da.map_blocks(make_rows, chunks=chunks, dtype=float)
        try:
            np.empty(X.shape)
        except MemoryError as error:
            print("all rows here:", error)
        pca = L1KernelPCA(2).fit(X)
        some = pca.transform(X)[::75].compute()  # Dask arrays until then
        print("signs:", pca.signs_)

    print("how K was held:", pca.gram_)
    draw(pca, some)
