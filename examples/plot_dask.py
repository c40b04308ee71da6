"""
A cluster: more rows than this process could hold
=================================================

With a Dask array as ``X`` and the linear kernel, rows never leave the workers: of each partition,
a step of the search gets as many numbers as there are columns. Here the cluster is two processes on
this machine; with a real one, only the line that makes the client changes.
"""

import resource

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from dask.distributed import Client, LocalCluster

from l1kpca import L1KernelPCA

N_ROWS, N_COLUMNS, PARTITION = 500_000, 20, 62_500


def make_rows(block_info):
    """Two strong directions and noise; one row in twenty is far off, always the same way."""
    rng = np.random.default_rng(block_info[None]["chunk-location"][0])
    directions = np.eye(N_COLUMNS)[:2] * [[3], [2]]
    X = rng.standard_normal((PARTITION, 2)) @ directions
    X += 0.5 * rng.standard_normal(X.shape)
    X[::20, 2] += 12 * rng.standard_normal(len(X[::20]))
    return X


def draw(pca, some):
    """Where the components point, and the scores of some rows."""
    _, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    axes[0].imshow(np.abs(pca.components_), cmap="cividis", aspect="auto")
    axes[0].set(title="Size of the loadings", xlabel="column", ylabel="component", yticks=[0, 1])
    axes[1].scatter(*some.T, s=3, color="#0072B2", linewidths=0)
    axes[1].set(title="Scores of 10 000 rows", xlabel="component 1", ylabel="component 2")
    plt.show()


# %%
# Worker processes import this file to know its functions, so what starts them stands behind
# ``if __name__ == "__main__"``, as in every program with processes of its own.

if __name__ == "__main__":
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs="ERROR"
    )
    with cluster, Client(cluster):
        chunks = ((PARTITION,) * (N_ROWS // PARTITION), (N_COLUMNS,))
        X = da.map_blocks(make_rows, chunks=chunks, dtype=float)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        pca = L1KernelPCA(2).fit(X)
        taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        some = pca.transform(X)[::50].compute()  # Dask arrays until then
        print("signs:", pca.signs_)

    print("how K was held:", pca.gram_)
    print(
        f"the rows take {8 * N_ROWS * N_COLUMNS / 1e6:.0f} MB, this process took {taken / 1e3:.0f}"
    )
    draw(pca, some)
