"""
Strange hours of a machine
==========================

Three sensors of a machine (temperature, current, vibration) are summed up hour by hour. A few hours
are strange, each in its own way. A detector that knows nothing of these ways ranks the hours, and
says which measurement makes an hour strange.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from l1kpca import KernelPCAOutlierDetector
from l1kpca.plots import ContributionsDisplay, OutlierMapDisplay

# %%
# Six weeks of measurements, one a minute. The load follows day and night; temperature and current
# follow the load, temperature with a delay; vibration grows with the current.

rng = np.random.default_rng(0)
n_hours, per_hour = 6 * 7 * 24, 60
minutes = np.arange(-24 * 60, n_hours * per_hour)  # a day to warm up, dropped below
load = 1 + 0.5 * np.sin(2 * np.pi * minutes / (24 * 60)) + 0.05 * rng.standard_normal(len(minutes))
kept = 1 - 1 / 90  # of the heat, from one minute to the next
warmth = np.convolve(load, (1 - kept) * kept ** np.arange(720))[: len(load)]
signals = {
    "temperature": 40 + 20 * warmth + 0.3 * rng.standard_normal(len(minutes)),
    "current": 5 * load + 0.2 * rng.standard_normal(len(minutes)),
    "vibration": (0.5 + 0.2 * load) * rng.standard_normal(len(minutes)),
}
signals = {name: values[24 * 60 :] for name, values in signals.items()}


def hour(number):
    return slice(number * per_hour, (number + 1) * per_hour)


signals["temperature"][hour(200)] = 52.0  # the sensor hangs
signals["current"][hour(430)] += 12 * (rng.uniform(size=per_hour) < 0.1)  # spikes
signals["vibration"][hour(610)] *= 2.5  # a bearing
signals["temperature"][hour(815)] += np.linspace(0, 8, per_hour)  # overheating
strange = {200: "sensor hangs", 430: "spikes", 610: "bearing", 815: "overheating"}

# %%
# Each hour becomes a row of simple features.

features = {}
for name, values in signals.items():
    windows = values.reshape(n_hours, per_hour)
    features[f"{name} mean"] = windows.mean(axis=1)
    features[f"{name} deviation"] = windows.std(axis=1)
    features[f"{name} range"] = np.ptp(windows, axis=1)
    features[f"{name} trend"] = windows[:, -10:].mean(axis=1) - windows[:, :10].mean(axis=1)
X = pd.DataFrame(features)

detector = KernelPCAOutlierDetector(random_state=0).fit(X)
abnormality = -detector.score_samples(X)
rank = np.argsort(np.argsort(-abnormality)) + 1
for number, what in strange.items():
    print(f"hour {number}, {what}: rank {rank[number]} of {n_hours}")

# %%
# Over time, the strange hours stand out. The cut-off leaves about one in forty ordinary hours above
# it: what matters is the order.

figure, ax = plt.subplots(figsize=(10, 3.4), layout="constrained")
ax.plot(np.arange(n_hours) / 24, abnormality, color="0.5", lw=0.8)
ax.axhline(-detector.offset_, color="black", linestyle="--", lw=1, label="cut-off")
for number, what in strange.items():
    ax.plot(number / 24, abnormality[number], "^", color="#D55E00", mec="black", ms=8)
    ax.annotate(what, (number / 24, abnormality[number]), xytext=(6, 4), textcoords="offset points")
ax.set(xlabel="day", ylabel="abnormality", title="Abnormality of each hour")
ax.set_ylim(0, 1.15 * abnormality.max())
ax.legend(loc="upper right")
plt.show()

# %%
# Why
# ---
# Left: the outlier map. Hours far to the right are extreme in the usual way, hours far up break the
# relation between the measurements. Right: what makes the hour of the bearing strange.

figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
OutlierMapDisplay.from_estimator(detector, X, ax=axes[0])
axes[0].set(title="All hours")
axes[0].legend(loc="lower left")
ContributionsDisplay.from_estimator(detector, X.iloc[[610]], n_columns=6, ax=axes[1])
axes[1].set(title="Hour 610: a bearing")
plt.show()
