"""
From calibration to drift
=========================

A machine reports six measurements each minute. Some weeks are known to be ordinary. They say what
to expect, and how many of the flags of a new week are false at most. Months later, the same
reference tells that the machine is no longer the same.
"""

import matplotlib.pyplot as plt
import numpy as np

from l1kpca import KernelPCAOutlierDetector

rng = np.random.default_rng(0)
mixing = rng.normal(size=(2, 6))


def week(n_rows, n_strange=0, wear=0.0):
    """Measurements that follow two hidden states; strange rows break their relation."""
    rows = rng.normal(size=(n_rows, 2)) @ mixing + (0.2 + wear) * rng.normal(size=(n_rows, 6))
    rows[:n_strange] += rng.normal(scale=3, size=(n_strange, 6))
    return rows


# %%
# Ordinary weeks: the detector learns from 70% of the rows and keeps 30% to compare with.

detector = KernelPCAOutlierDetector(contamination=0, calibration=0.3, random_state=0)
detector.fit(week(3000))

# %%
# A new week with 30 strange rows. On average, at most one flag in ten is false; the bound says how
# many of these particular flags are, with 95% confidence.

batch = week(600, n_strange=30)
flagged = detector.select(batch, fdr=0.1)
most = detector.most_false(batch)
print(f"{flagged.sum()} rows flagged, {flagged[:30].sum()} of the 30 strange ones among them")
print(f"with 95% confidence, at most {most[flagged].max()} flags are false")
print(f"in truth, {flagged[30:].sum()} are")

# %%
# The bound holds at every line at once, so the line may be chosen after looking.

order = np.argsort(detector.score_samples(batch))[:60]
figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
p, look = detector.p_values(batch), {"color": ["0.7", "#D55E00"], "label": ["ordinary", "strange"]}
axes[0].hist([p[30:], p[:30]], bins=20, range=(0, 1), stacked=True, **look)
axes[0].set(xlabel="p-value", ylabel="rows", title="p-values of ordinary rows are uniform")
axes[0].legend()
count = np.arange(1, 61)
axes[1].plot(count, most[order], color="black", label="at most, with 95% confidence")
axes[1].plot(count, np.cumsum(order >= 30), color="#0072B2", label="in truth")
axes[1].axvline(flagged.sum(), color="0.5", linestyle="--", label="the line of fdr=0.1")
axes[1].set(xlabel="rows flagged", ylabel="false flags", title="False flags at every line")
axes[1].legend()
plt.show()

# %%
# Outliers among the reference rows
# ---------------------------------
# If somebody looks at the most suspicious reference rows and confirms that some are outliers, they
# are left out. Here all are ordinary, which changes nothing.

suspects = detector.calibration_.suspects(5)
print("reference rows to look at:", suspects)

# %%
# Drift
# -----
# Week by week the machine wears, and the evidence grows. Strange rows alone are no drift.

evidence, drift = [], None
for number in range(20):
    wear = 0.015 * max(0, number - 8)
    drift = detector.drift(week(200, n_strange=6, wear=wear), after=drift)
    evidence.append(drift.evidence)
print(drift)

figure, ax = plt.subplots(figsize=(10, 3.4), layout="constrained")
ax.semilogy(np.arange(1, 21), np.clip(evidence, 1e-3, 1e12), "o-", color="0.3")
ax.axhline(1 / drift.level, color="#D55E00", linestyle="--", label="alarm")
ax.axvline(9.5, color="0.6", lw=0.8)
ax.set(xlabel="week", ylabel="evidence", title="Wear begins in week 10", xticks=range(2, 21, 2))
ax.legend()
plt.show()
