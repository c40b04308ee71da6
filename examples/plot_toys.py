"""
Points along a line, points along a spiral
==========================================

The two toys of the paper. Most points lie along a curve; two lie far out (triangles), and six lie
near, but off the curve (squares). In the plane of the first two components, standardized, a circle
is drawn around all ordinary points: an outlier inside of it cannot be told from them.
"""

import matplotlib.pyplot as plt
import numpy as np

from l1kpca import L1KernelPCA, datasets
from l1kpca.peers import L2KernelPCA

# sphinx_gallery_thumbnail_number = 2  # noqa: ERA001
KINDS = (
    ("along the curve", {"marker": "o", "s": 14, "color": "0.55", "linewidths": 0}),
    ("far", {"marker": "^", "s": 55, "color": "#0072B2", "edgecolors": "black"}),
    ("off the curve", {"marker": "s", "s": 45, "color": "#D55E00", "edgecolors": "black"}),
)
METHODS = {"L1KernelPCA": L1KernelPCA, "L2KernelPCA": L2KernelPCA}


def draw_points(ax, places, kind):
    for number, (name, look) in enumerate(KINDS):
        ax.scatter(*places[kind == number].T, label=name, **look)


def draw_scores(ax, name, X, kind, **settings):
    """The plane of two components, and the circle around the ordinary points."""
    pca = METHODS[name](2, center=False, random_state=0, **settings)
    scores = pca.fit_transform(X)
    scores = (scores - scores.mean(axis=0)) / scores.std(axis=0)
    radius = np.linalg.norm(scores, axis=1)
    boundary = radius[kind == 0].max()
    draw_points(ax, scores, kind)
    ax.add_patch(plt.Circle((0, 0), boundary, fill=False, linestyle="--"))
    inside = int((radius[kind == 2] <= boundary).sum())
    ax.set(title=f"{name}: {inside} of 6 squares inside", aspect="equal")
    ax.set(xlabel="component 1, standardized", ylabel="component 2, standardized")
    return pca


# %%
# A line
# ------
# With the linear kernel the components are directions in the plane. The squares pull both first
# directions away from the line, which lies at 30 degrees, but the L2 direction farther: so far that
# two squares come to lie among the ordinary points.

X, kind = datasets.make_line(random_state=0)
figure, axes = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained")
draw_points(axes[0], X, kind)
for ax, name, style in zip(axes[1:], METHODS, ("-", "--"), strict=True):
    first = draw_scores(ax, name, X, kind).components_[0]
    slope = np.degrees(np.arctan2(first[1], first[0])) % 180
    label = f"{name}, {slope:.1f} degrees"
    axes[0].axline((0, 0), tuple(first), color="black", linestyle=style, lw=1.5, label=label)
axes[0].set(title="Points and first components", xlabel="x", ylabel="y", aspect="equal")
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
plt.show()

# %%
# A spiral
# --------
# A spiral is no direction in the plane, but with a Gaussian kernel it has leading components too.
# The kernel here is narrow, of width 0.75, and not centered. The squares hardly have a neighbor at
# this width, and L1 components tell them apart; for L2 components they are ordinary. This depends
# on the width: with a kernel wider than 1, both methods take the squares for ordinary points.

X, kind = datasets.make_spiral(random_state=0)
figure, axes = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained")
draw_points(axes[0], X, kind)
axes[0].set(title="Points", xlabel="x", ylabel="y", aspect="equal")
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
for ax, name in zip(axes[1:], METHODS, strict=True):
    draw_scores(ax, name, X, kind, kernel="rbf", gamma=1 / (2 * 0.75**2))
plt.show()
