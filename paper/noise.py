"""Readings of the robust extraction experiment: what its text leaves open, and a search over it.

A reading is a dict: how the rank-10 matrix is drawn, how it is scaled, how the noise is drawn, the
share of the entries of a corrupted row that it hits, its size in deviations of the normal data.
"""

from itertools import product

import numpy as np
import pandas as pd
from scipy import linalg

from paper.claims import cells, part, sentence
from paper.methods import A1, L1_METHODS, L2, METHODS, R1, grid, kernel_parameters, standardize
from paper.published import EXPLAINED_LINEAR

CUT = "uniform matrix cut to the rank"
FACTORS = {
    "uniform x uniform": lambda rng, n, d, k: rng.uniform(size=(n, k)) @ rng.uniform(size=(k, d)),
    "normal x normal": lambda rng, n, d, k: _product(rng, n, d, np.ones(k)),
    "normal, scales 3 to 1": lambda rng, n, d, k: _product(rng, n, d, np.linspace(3, 1, k)),
    CUT: lambda rng, n, d, k: _cut(rng.uniform(-1, 1, (n, d)), k),
}
# Normal data first, then noise; the noisy data once more by themselves; not at all.
SCALINGS = ("normal data", "both apart", "none")
NOISES = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "uniform": lambda rng, shape: rng.uniform(-1, 1, shape),
    "positive": lambda rng, shape: rng.uniform(0, 1, shape),
}
READING = ["factors", "scaling", "noise", "share", "size"]
COARSE = {"share": (0.1, 0.5, 1.0), "size": (3.0, 6.0, 10.0, 15.0)}
FINE = {"share": (0.1, 0.3, 0.5, 0.7), "size": (8.0, 10.0, 12.0, 15.0)}
# What the search left within 2 points of all figures: measured once more, with all r, five seeds.
NEAREST = [
    dict(zip(READING, values, strict=True))
    for values in (
        ("uniform x uniform", "both apart", "normal", 0.5, 10.0),
        ("normal, scales 3 to 1", "both apart", "normal", 0.1, 15.0),
        (CUT, "both apart", "uniform", 0.5, 10.0),
        (CUT, "none", "uniform", 1.0, 6.0),
    )
]
CHOSEN = NEAREST[1]  # by its farthest figure over all r: that of every figure and claim
KINDS = {"factors": FACTORS, "scaling": SCALINGS, "noise": NOISES}
NEAR = {"factors": ("uniform x uniform", "normal, scales 3 to 1"), "scaling": SCALINGS[1:2]}
WIDE = {**KINDS, "scaling": SCALINGS[:2], "noise": ("normal", "positive")}
GRID = {
    "full": grid(part=["coarse"], shape=[(1000, 50, 10)], **KINDS)
    + grid(part=["fine"], shape=[(1000, 50, 10)], **NEAR, noise=["normal"], center=[False])
    + grid(part=["nearest"], shape=[(1000, 50, 10)], reading=NEAREST)
    + grid(part=["gaussian"], shape=[(400, 50, 10)], **WIDE),
    "quick": grid(part=["coarse"], shape=[(80, 12, 5)], factors=[*FACTORS][:2],
                  scaling=["normal data"], noise=["normal"])
    + grid(part=["gaussian"], shape=[(60, 12, 5)], factors=[*FACTORS][:1], scaling=["normal data"],
           noise=["normal"]),
}  # fmt: skip


def _product(rng, n, d, scales):
    k = len(scales)
    return rng.standard_normal((n, k)) * scales @ rng.standard_normal((k, d))


def _cut(X, rank):
    U, s, V = linalg.svd(X, full_matrices=False)
    return U[:, :rank] * s[:rank] @ V[:rank]


def instance(reading, shape, corrupted, seed):
    """Noisy and normal rows of one instance; ``corrupted`` is in percent."""
    rng = np.random.default_rng(seed)
    normal = FACTORS[reading["factors"]](rng, *shape)
    raw = reading["scaling"] == "none"
    normal = normal / normal.std() if raw else standardize(normal)
    # Drawn for every row, so that the noise of a row does not depend on how many are corrupted.
    mask = rng.permutation(len(normal)).argsort() < round(corrupted / 100 * len(normal))
    hit = rng.uniform(size=normal.shape) < reading["share"]
    noise = reading["size"] * NOISES[reading["noise"]](rng, normal.shape)
    noisy = normal + np.where(mask[:, None] & hit, noise, 0.0)
    return standardize(noisy) if reading["scaling"] == "both apart" else noisy, normal


def explained(noisy, normal, sigma=None, center=False):
    """Percent of the most variation of the normal rows that the components of the noisy explain.

    For the linear kernel also by the other yardstick: their scores as vectors that explain."""
    kernel = kernel_parameters("gaussian" if sigma else "linear", sigma) | {"center": center}
    most, found = (METHODS[L2](4, **kernel).fit_transform(normal) ** 2).sum(), {}
    for name, method in METHODS.items():
        pca = method(4, random_state=0, **kernel).fit(noisy)
        seen = pca.transform(normal)
        # The noisy rows have another mean in feature space; variation is about the normal rows'.
        found[name] = 100 * ((seen - seen.mean(axis=0) * center) ** 2).sum() / most
        if not sigma:
            scores = linalg.qr(pca.transform(noisy), mode="economic")[0]
            found[f"{name}, scores"] = 100 * ((scores.T @ normal) ** 2).sum() / most
    return found


def measure(at):
    """Means over the seeds; one row for each share, size and r (for each width and centering)."""
    rows, search = [], at["part"]
    sizes = {"coarse": COARSE, "fine": FINE, "gaussian": {"share": (0.1, 1.0), "size": (3.0, 10.0)}}
    ways = grid(**sizes[search]) if search in sizes else [at["reading"]]
    shares = (5, 10, 15, 20, 25, 30) if search in ("fine", "nearest") else (5, 30)
    for how, r in product(ways, shares):
        seeds = range({"gaussian": 1, "nearest": 5}.get(search, 2))
        data = [instance({**at, **how}, at["shape"], r, seed) for seed in seeds]
        row = {**how, "corrupted": r}
        if search == "gaussian":
            rows += [
                {**row, **wide, **explained(*data[0], **wide)}
                for wide in grid(sigma=(10.0, 25.0), center=(False, True))
            ]
        else:
            rows.append({**row, **pd.DataFrame([explained(*pair) for pair in data]).mean()})
    return rows


def ranking(rows, yardstick=""):
    """Readings with their levels over r, and how far the farthest is from the paper's."""
    linear = part(rows, "coarse", "fine", "nearest")
    names = [f"{method}{yardstick}" for method in EXPLAINED_LINEAR]
    levels = linear.groupby([*READING, "part"])[names].mean()
    # Of a finer search, with all six r, if it has the reading.
    levels = levels.groupby(READING).last().set_axis([*EXPLAINED_LINEAR], axis=1)
    apart = (levels - pd.Series(EXPLAINED_LINEAR)).abs()
    found = {"off by at most": apart.max(axis=1), "within 2 points": (apart <= 2).sum(axis=1)}
    return levels.assign(**found).sort_values("off by at most")


def sentences(rows):
    levels, others, shown = ranking(rows), ranking(rows, ", scores"), gaussian_claims(rows)
    near, key = levels.iloc[0], dict(zip(READING, levels.index[0], strict=True))
    every = (levels["within 2 points"] == len(EXPLAINED_LINEAR)).sum()
    found = ", ".join(f"{m} {near[m]:.1f} ({level:.0f})" for m, level in EXPLAINED_LINEAR.items())
    off = {"off": near["off by at most"], "off_by_scores": others["off by at most"].iloc[0]}
    told = {"n": len(levels), "every": every or "none", "found": found, "kind": key["noise"]}
    counts = ", ".join(f"{count} show {name}" for name, count in shown.sum().items())
    return [
        sentence("readings of the linear kernel", **key, **off, **told, percent=100 * key["share"]),
        sentence("readings of the Gaussian kernel", n=len(shown), counts=counts),
    ]


def gaussian_claims(rows):
    """Which of the Gaussian claims each reading and centering shows, at the corners of r, sigma."""
    found = {}
    for key, corner in part(rows, "gaussian").groupby([*READING, "center"]):
        at = corner.set_index(["sigma", "corrupted"])[[*METHODS]]
        large = at.drop(index=(10.0, 5))
        others, least = large.drop(columns=L2).min(axis=1), large[L1_METHODS].min(axis=1)
        lead = at[A1] - at.drop(columns=A1).max(axis=1)
        span = at.loc[(10.0, 5)].max() - at.loc[(10.0, 5)].min()
        found[key] = {
            "all alike for small r and sigma": span <= 1,
            "L2-KPCA behind all others else": (others > large[L2]).all(),
            "the L1 methods ahead of R1-KPCA else": (least > large[R1]).all(),
            "Algorithm 1 best by a point for r = 30": (lead.xs(30, level="corrupted") >= 1).all(),
        }
        found[key]["all four"] = all(found[key].values())
    return pd.DataFrame(found).T.astype(bool)


def table(rows, yardstick=""):
    return cells(ranking(rows, yardstick).head(12), 1).reset_index()


def gaussian_table(rows):
    counts = gaussian_claims(rows).groupby(level=[0, 1, 2, 5]).sum()
    return counts.rename_axis(["factors", "scaling", "noise", "centered"]).astype(str)
