"""
A cluster: rows as a Dask array
===============================

With a Dask array as ``X``, the kernel matrix is cut into blocks that live on the workers of the
current client. The result is that of one machine. Here the cluster is two processes on this
machine; with a real one, only the line that makes the client changes.
"""

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from dask.distributed import Client, LocalCluster

from l1kpca import L1KernelPCA

N_ROWS = 2000


def moons():
    """Two half circles, and some rows far from both."""
    rng = np.random.default_rng(0)
    angles = np.pi * rng.uniform(size=N_ROWS)
    upper = np.arange(N_ROWS) % 2 == 0
    X = np.column_stack([np.cos(angles), np.sin(angles)])
    X[~upper] = [1, 0.5] - X[~upper]
    X += 0.08 * rng.standard_normal(X.shape)
    X[:40] = rng.uniform(-4, 5, (40, 2))
    return X, upper


def draw(X, scores, upper):
    """Rows beside their scores."""
    _, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for mask, marker, color, name in (
        (upper, "o", "#0072B2", "upper half circle"),
        (~upper, "s", "#E69F00", "lower half circle"),
    ):
        look = {"marker": marker, "color": color, "s": 11, "linewidths": 0, "alpha": 0.7}
        axes[0].scatter(*X[mask].T, label=name, **look)
        axes[1].scatter(*scores[mask].T, **look)
    axes[0].set(title="Rows", xlabel="x", ylabel="y", xlim=(-2, 3), ylim=(-1.5, 2))
    axes[0].legend(loc="upper right", fontsize=8)
    axes[1].set(title="Scores", xlabel="component 1", ylabel="component 2")
    plt.show()


# %%
# Worker processes import this file to know its functions, so what starts them stands behind
# ``if __name__ == "__main__"``, as in every program with processes of its own.

if __name__ == "__main__":
    rows, is_upper = moons()
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs="ERROR"
    )
    with cluster, Client(cluster):
        X = da.from_array(rows, chunks=(500, 2))
        pca = L1KernelPCA(2, kernel="rbf", gamma=2.0, random_state=0).fit(X)
        scores = pca.transform(X)  # a Dask array, not yet computed
        print(scores)
        scores = scores.compute()

    print("how K was held:", pca.gram_)
    here = L1KernelPCA(2, kernel="rbf", gamma=2.0, random_state=0).fit_transform(rows)
    print(f"largest difference from one machine: {np.abs(scores - here).max():.1e}")
    draw(rows, scores, is_upper)
