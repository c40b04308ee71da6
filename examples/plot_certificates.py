"""
How good is the answer? Certificates
====================================

To maximize an L1 norm over directions is a hard problem, and a search may end at a local optimum.
``certify`` bounds from above what any direction could reach: the gap between this bound and the
value reached is proven. ``exact`` finds the best direction of all, for small problems.
"""

import matplotlib.pyplot as plt
import numpy as np

from l1kpca import L1KernelPCA, datasets
from l1kpca.optimality import certify, exact
from l1kpca.plots import ConvergenceDisplay

X = datasets.make_low_rank(40, 10, rank=3, corrupted=0.2, noise_scale=5.0, random_state=0).X

# %%
# A model, and its certificate
# ----------------------------
# Each search climbs from its start. The dashed lines are what no direction can exceed.

pca = L1KernelPCA(3, start="norm", random_state=0).fit(X)
certificate = certify(pca)
for j, gap in enumerate(certificate.gap):
    print(
        f"component {j + 1}: reached {certificate.value[j]:.0f},"
        f" at most {certificate.upper_bound[j]:.0f}: gap {gap:.2%}"
    )

display = ConvergenceDisplay.from_estimator(pca, certificate=certificate)
display.ax_.set(title="Three searches, and what they can reach at most")
plt.show()

# %%
# The gap of the first component, from the cheapest bound to the tightest: the largest eigenvalue; a
# semidefinite relaxation, the default; the same, tightened by cutting the problem into parts. At
# zero, the component is proven to be the best.

first = L1KernelPCA(1, random_state=0).fit(X)
gaps = {
    "spectral": certify(first, bound="spectral").gap[0],
    "relaxation": certify(first).gap[0],
    "tightened": certify(first, max_nodes=10).gap[0],
}
for name, gap in gaps.items():
    print(f"{name:12} gap {gap:8.3%}")

# %%
# Where searches end
# ------------------
# Algorithm 1 from 200 random starts: all end high, but only some at the optimum. ``exact`` proves
# where that is. By default, ``L1KernelPCA`` begins at a good place and goes on with single sign
# flips where Algorithm 1 ends; ``n_starts`` keeps the best of several searches.

ends = [
    L1KernelPCA(1, start="random", solver="fixed_point", random_state=seed)
    .fit(X)
    .objective_trace_[0][-1]
    for seed in range(200)
]
best = exact(first)
reached = np.array(ends) / best.value
print(f"the optimum: {best.value:.1f} ({best.status})")
print(f"reached by {np.mean(reached > 1 - 1e-9):.0%} of the random starts")
print(f"reached by the default: {certify(first).value[0] / best.value:.4%} of it")

figure, ax = plt.subplots(figsize=(8, 3.4), layout="constrained")
ax.hist(reached, 40, color="0.6", label="200 random starts, Algorithm 1")
ax.axvline(1, color="#0072B2", lw=2, label="proven optimum")
ax.axvline(
    (1 + gaps["relaxation"]) * first.objective_trace_[0][-1] / best.value,
    color="black",
    linestyle="--",
    label="bound of the relaxation",
)
ax.set(
    title="Where searches for the first component end",
    xlabel="objective, as a share of the optimum",
    ylabel="searches",
)
ax.legend(loc="upper center", bbox_to_anchor=(0.75, 1), fontsize=9)
plt.show()
