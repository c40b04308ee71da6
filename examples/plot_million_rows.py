"""
A million rows
==============

A kernel matrix of a million rows has a million times a million entries: eight terabytes. With
``gram="nystroem"`` it is approximated through a few hundred landmark rows, and nothing larger than
the rows themselves is ever held. This page is built with 50,000 rows; set ``N_ROWS = 1_000_000``
for the full size, which took about a minute of processor time and 0.6 GB of memory in all.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

from l1kpca import L1KernelPCA
from l1kpca.gram.choose import Nystroem

N_ROWS = 50_000

# %%
# Rows near a torus in ten dimensions, in single precision, one percent of them ruined. To work
# with rows from a disk, pass a memory map (``np.load(path, mmap_mode="r")``): it is not copied.

rng = np.random.default_rng(0)
angles = rng.uniform(0, 2 * np.pi, (N_ROWS, 2))
around = 2 + np.cos(angles[:, 1])
torus = np.column_stack(
    [around * np.cos(angles[:, 0]), around * np.sin(angles[:, 0]), np.sin(angles[:, 1])]
)
X = np.empty((N_ROWS, 10), dtype=np.float32)
X[:, :3] = torus
X[:, 3:] = 0.1 * rng.standard_normal((N_ROWS, 7))
ruined = np.zeros(N_ROWS, dtype=bool)
ruined[rng.permutation(N_ROWS)[: N_ROWS // 100]] = True
X[ruined] += rng.normal(0, 2, (ruined.sum(), 10)).astype(np.float32)

# %%
# ``memory_limit`` says how much memory the Gram matrix may take. The features of all rows do not
# fit, so they are computed anew in each pass.

pca = L1KernelPCA(
    4,
    kernel="rbf",
    gamma=0.2,
    gram=Nystroem(n_landmarks=200),
    memory_limit="20MB",
    random_state=0,
)
begin = time.perf_counter()
scores = pca.fit_transform(X)
seconds = time.perf_counter() - begin
print(f"{N_ROWS} rows in {seconds:.1f} s; a full matrix would take {N_ROWS**2 * 4 / 1e9:.0f} GB")
print(pca.gram_)

# %%
# The first two components reveal the angle around the torus, which the model was not given.
# Ruined rows are far from all landmarks: the components see little of them.

shown = rng.permutation(np.flatnonzero(~ruined))[:6000]
figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
dots = axes[0].scatter(
    *scores[shown, :2].T, c=angles[shown, 0], s=3, cmap="twilight", rasterized=True
)
axes[0].set(title="Ordinary rows", xlabel="component 1", ylabel="component 2", aspect="equal")
figure.colorbar(dots, label="angle around the torus")

kept = np.linalg.norm(scores, axis=1)
bins = np.linspace(0, kept.max(), 60)
axes[1].hist(kept[~ruined], bins, density=True, color="0.75", label="ordinary rows")
axes[1].hist(
    kept[ruined], bins, density=True, histtype="step", color="#D55E00", lw=2, label="ruined rows"
)
axes[1].set(
    title="What four components see of a row",
    xlabel="length of the scores",
    ylabel="density",
)
axes[1].legend(loc="upper left")
plt.show()
