"""
An ensemble of PyOD detectors
=============================

``l1kpca.adapters.L1KPCA`` is a PyOD detector like any other. Which detector suits some data is
rarely known beforehand; the average of the standardized scores of several is a safe choice.
"""

import matplotlib.pyplot as plt
import numpy as np
from pyod.models.hbos import HBOS
from pyod.models.iforest import IForest
from pyod.models.knn import KNN
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.preprocessing import StandardScaler

from l1kpca import datasets
from l1kpca.adapters import L1KPCA

X, y = datasets.load("wbc", return_X_y=True)
X = StandardScaler().fit_transform(X)
print(f"{len(X)} tumors with {X.shape[1]} measurements, {y.sum()} of them malignant")

# %%
# Fit, and bring the scores to mean 0 and standard deviation 1 before they are averaged.

detectors = {
    "L1KPCA": L1KPCA(contamination=0.05, random_state=0),
    "IForest": IForest(contamination=0.05, random_state=0),
    "KNN": KNN(contamination=0.05),
    "HBOS": HBOS(contamination=0.05),
}
scores = {name: one.fit(X).decision_scores_ for name, one in detectors.items()}
standardized = {name: (one - one.mean()) / one.std() for name, one in scores.items()}
scores["average"] = np.mean(list(standardized.values()), axis=0)

# %%
# How well the malignant tumors come first. The average is not the best here; it is a choice for
# when nobody can say beforehand which detector would be.

names = list(scores)
measures = {"ROC AUC": roc_auc_score, "average precision": average_precision_score}
figure, axes = plt.subplots(1, 2, figsize=(10, 3.4), sharey=True, layout="constrained")
for ax, (measure, function) in zip(axes, measures.items(), strict=True):
    values = [function(y, scores[name]) for name in names]
    looks = [("#0072B2", "")] + [("0.75", "")] * 3 + [("#D55E00", "///")]
    for place, (value, (color, hatch)) in enumerate(zip(values, looks, strict=True)):
        ax.barh(place, value, color=color, hatch=hatch, edgecolor="black", linewidth=0.6)
        ax.text(value + 0.01, place, f"{value:.3f}", va="center")
    ax.set(title=measure, xlim=(0, 1.12), xlabel="1 is best")
axes[0].set_yticks(range(len(names)), names)
axes[0].invert_yaxis()
plt.show()

# %%
# Which detectors agree
# ---------------------
# Rows that all detectors put high are safe bets. Where they differ it pays to look closer, and
# ``explain`` says which measurements make L1KPCA call a row abnormal.

order = np.argsort(-scores["average"])[:30]
ranks = np.array([np.argsort(np.argsort(-scores[name])) + 1 for name in names[:-1]])[:, order]
figure, ax = plt.subplots(figsize=(10, 3), layout="constrained")
picture = ax.imshow(np.log10(ranks), cmap="cividis_r", aspect="auto", vmin=0, vmax=2)
malignant = np.flatnonzero(y[order])
ax.plot(malignant, np.full(len(malignant), -0.75), "v", color="black", clip_on=False)
ax.set_yticks(range(len(names) - 1), names[:-1])
ax.set_title("Ranks of the same rows by each detector", pad=22)
ax.set(xlabel="the 30 rows with the highest average, in order; triangles mark malignant tumors")
bar = figure.colorbar(picture, label="rank")
bar.set_ticks([0, 1, 2], labels=["1", "10", "100"])
plt.show()

first = order[0]
shares = detectors["L1KPCA"].explain(X[first : first + 1])[0]
print(f"row {first}: largest contributions from columns", np.argsort(-shares)[:3].tolist())
