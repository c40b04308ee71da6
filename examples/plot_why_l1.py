"""
Why the L1 norm
===============

Rows along a line, and in some of them one entry is ruined by large noise. The first component of
kernel PCA follows the ruined rows, because it maximizes squares; the first component of L1 kernel
PCA stays closer to the others.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import KernelPCA

from l1kpca import L1KernelPCA

LINE = np.array([0.8, 0.6])
SHARES = np.array([0, 5, 10, 15, 20, 25, 30])


def rows_along_a_line(share, seed, n_rows=300):
    """Rows near a line; in ``share`` percent of them large noise is added to one entry."""
    rng = np.random.default_rng(seed)
    X = np.outer(3 * rng.standard_normal(n_rows), LINE) + 0.3 * rng.standard_normal((n_rows, 2))
    ruined = rng.permutation(n_rows)[: n_rows * share // 100]
    X[ruined, 1] += 15 * rng.standard_normal(len(ruined))
    return X, ruined


def degrees_off(direction):
    """Angle between a direction and the line."""
    return np.degrees(np.arccos(min(1.0, abs(direction @ LINE) / np.linalg.norm(direction))))


def l2_direction(X):
    """First direction of scikit-learn's kernel PCA, linear kernel."""
    pca = KernelPCA(1).fit(X)
    return (X - X.mean(axis=0)).T @ pca.eigenvectors_[:, 0]


# %%
# Left: one data set, 10% of its rows ruined. Right: the angle between the first component and the
# line, over 30 data sets for each share of ruined rows.

X, ruined = rows_along_a_line(10, seed=0)
l1 = L1KernelPCA(1).fit(X).components_[0]
l2 = l2_direction(X)

figure, (rows, angles) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
rows.scatter(*X.T, s=12, color="0.6", label="rows")
rows.scatter(*X[ruined].T, s=24, color="black", marker="x", label="ruined rows")
for direction, name, color, style in (
    (l1, "L1KernelPCA", "tab:blue", "-"),
    (l2, "KernelPCA", "tab:orange", "--"),
):
    step = 9 * direction / np.linalg.norm(direction)
    rows.axline(
        X.mean(axis=0), X.mean(axis=0) + step, color=color, linestyle=style, lw=2.5, label=name
    )
rows.set(
    title="First component, 10% of the rows ruined", aspect="equal", xlim=(-25, 25), ylim=(-30, 30)
)
rows.legend(loc="lower right", frameon=False)

l1_angles = [
    [degrees_off(L1KernelPCA(1).fit(rows_along_a_line(s, k)[0]).components_[0]) for k in range(30)]
    for s in SHARES
]
l2_angles = [
    [degrees_off(l2_direction(rows_along_a_line(s, k)[0])) for k in range(30)] for s in SHARES
]
for values, name, color, style in (
    (l1_angles, "L1KernelPCA", "tab:blue", "o-"),
    (l2_angles, "KernelPCA", "tab:orange", "s--"),
):
    low, middle, high = np.percentile(values, [5, 50, 95], axis=1)
    angles.fill_between(SHARES, low, high, color=color, alpha=0.2, lw=0)
    angles.plot(SHARES, middle, style, color=color, lw=2, label=name)
angles.set(
    title="Angle to the true line, median and 5-95%",
    xlabel="ruined rows (%)",
    ylabel="degrees",
    ylim=(0, 60),
)
angles.legend(frameon=False)
plt.show()
