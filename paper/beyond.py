"""Beyond the paper.

Starts and polishing: the same components searched for in other ways. Algorithm 1 stops where no
sign of K c differs from c; polishing goes on with single flips that raise the objective; several
starts keep the best.

Narrow kernels: the nearer K is to a diagonal matrix, the more sign vectors are fixed points of
Algorithm 1, which then stops at once at a poor one.

Steps: Theorem 2 bounds the gap by a factor rho below 1 at each step, but rho can be so near to 1
that the bound says little; the steps that are really needed are few.
"""

import time

import numpy as np
import pandas as pd
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

from l1kpca import L1KernelPCA
from l1kpca.datasets import make_low_rank
from paper.claims import HELD, NOT_HELD, by_share, some
from paper.figures import BLUE, GREEN, ORANGE, band, log_scale, panels
from paper.methods import A1, KERNELS, grid, kernel_parameters, standardized
from paper.metrics import detection_metrics, paper_abnormality
from paper.page import cells, ratio
from paper.rate import steps_of_algorithm_1

PLAIN = {"solver": "fixed_point", "start": "column"}
FLIPS = {"solver": "polished", "start": "column"}
# Searches for the same components, from the paper's to the most thorough.
VARIANTS = {
    A1: PLAIN,
    "start: sample": {**PLAIN, "start": "auto"},
    "start: largest row": {**PLAIN, "start": "norm"},
    "start: L2 solution": {**PLAIN, "start": "eigen"},
    "start: random": {**PLAIN, "start": "random"},
    "10 starts": {**PLAIN, "n_starts": 10},
    "polished": FLIPS,
    "polished, 10 starts": {**FLIPS, "n_starts": 10},
}
NARROW = {A1: PLAIN, "polished": FLIPS, "best known": {**FLIPS, "n_starts": 64}}
DATA = ("wbc", "ionosphere", "breastw", "cardio", "musk")
GAMMAS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
SIZES, LARGER = (250, 500, 1000, 2000, 4000), (8000, 16000, 32000)
GRID = {
    "full": [
        *grid(part=["variants"], dataset=DATA, kernel=KERNELS, variant=VARIANTS, seed=[0]),
        *grid(part=["narrow"], seed=range(5), gamma=GAMMAS, n_samples=[400]),
        *grid(part=["iterations"], seed=range(5), kernel=KERNELS, n_samples=SIZES),
        # With the linear kernel K is never formed, so that more rows can be had.
        *grid(part=["iterations"], seed=range(5), kernel=["linear"], n_samples=LARGER),
        *grid(part=["rate"], dataset=("wbc", "cardio", "musk"), kernel=KERNELS),
    ],
    "quick": [
        *grid(part=["variants"], dataset=["wbc"], kernel=KERNELS, variant=VARIANTS, seed=[0]),
        *grid(part=["narrow"], seed=[0], gamma=(0.1, 10.0), n_samples=[100]),
        *grid(part=["iterations"], seed=[0], kernel=KERNELS, n_samples=(100, 200, 400)),
        *grid(part=["rate"], dataset=["wbc"], kernel=KERNELS),
    ],
}


def measure(at, data_dir, budget):
    study = {"variants": variant, "narrow": narrow, "iterations": iterations, "rate": rate}
    return study[at["part"]](at, data_dir)


def variant(at, data_dir):
    """All components of a data set, searched for in one way."""
    X, y = standardized(at["dataset"], data_dir)
    how = {**kernel_parameters(at["kernel"]), **VARIANTS[at["variant"]]}
    pca = L1KernelPCA(X.shape[1], center=False, gram="dense", random_state=at["seed"], **how)
    begin = time.perf_counter()
    scores = pca.fit_transform(X)
    row = {"seconds": time.perf_counter() - begin, "n_iter": pca.n_steps_.sum()}
    row |= {"first": np.abs(scores[:, 0]).sum(), "total": np.abs(scores).sum()}  # L1 objectives
    return [row | detection_metrics(y, paper_abnormality(scores))]


def narrow(at, data_dir):
    """The first component with a kernel from wide to narrow; rows are standard normal."""
    X = np.random.default_rng(at["seed"]).standard_normal((at["n_samples"], 5))
    rows = []
    for name, how in NARROW.items():
        pca = L1KernelPCA(1, kernel="rbf", gamma=at["gamma"], random_state=0, **how)
        objective = np.abs(pca.fit_transform(X)).sum()
        rows.append({"variant": name, "objective": objective, "n_iter": pca.n_steps_[0]})
    return rows


def iterations(at, data_dir):
    """Steps of Algorithm 1 to the first component of low-rank rows with noise.

    Centered: else the first Gaussian component is nearly the mean, and there are no steps."""
    X = make_low_rank(at["n_samples"], random_state=at["seed"]).X
    pca = L1KernelPCA(1, center=True, **PLAIN, **kernel_parameters(at["kernel"], 10.0))
    return [{"n_iter": pca.fit(X).n_steps_[0]}]


def rate(at, data_dir):
    X, _ = standardized(at["dataset"], data_dir)
    linear = at["kernel"] == "linear"
    K = linear_kernel(X) if linear else rbf_kernel(X, gamma=1 / (2 * X.shape[1] ** 2))
    return steps_of_algorithm_1(K)


def part(rows, name):
    return some(rows[rows["part"] == name], name)


def theorem_2(rows):
    """Theorem 2: the gap to the end point shrinks at least by the factor rho(c) at each step.

    Held if the bound is kept, up to rounding, at every step of the first three components."""
    steps = some(part(rows, "rate").dropna(subset="bound"), "rate")
    broken = (steps["gap"] > steps["bound"] + 1e-9).sum()
    largest = steps["rho"][steps["rho"] < 1 - 1e-9].max()
    return NOT_HELD if broken else HELD, (
        f"the bound is broken at {broken} of {len(steps)} steps; in the median step the gap shrinks"
        f" to {steps['ratio'].median():.2f} of itself, while the largest rho met is {largest:.5f}"
    )


def few_steps(rows):
    """The number of steps does not explode with the number of rows (the point of Theorem 2).

    Held if the fitted exponent of steps against rows is below one half for both kernels, partly if
    for one."""
    runs = part(rows, "iterations")
    exponents = {
        kernel: np.polyfit(np.log(own["n_samples"]), np.log(own["n_iter"].clip(lower=1)), 1)[0]
        for kernel, own in runs.groupby("kernel")
    }
    found = ", ".join(f"{kernel} {value:.2f}" for kernel, value in exponents.items())
    evidence = (
        f"steps grow as a power of the rows with exponent {found}; at most"
        f" {runs['n_iter'].max():.0f} steps up to {runs['n_samples'].max():.0f} rows"
    )
    return by_share([value < 0.5 for value in exponents.values()], 0.5, evidence)


def relative(rows):
    """Objectives, area and time of each variant against Algorithm 1 on the same data and kernel."""
    runs = part(rows, "variants")
    unit = runs[["dataset", "kernel"]].merge(runs[runs["variant"] == A1]).set_index(runs.index)
    first, total, times = (runs[name] / unit[name] for name in ("first", "total", "seconds"))
    gains = {"first": 100 * (first - 1), "total": 100 * (total - 1), "time": times}
    return runs.assign(**gains, area=runs["pr_auc"] - unit["pr_auc"])


def plot_variants(rows):
    runs = relative(rows)
    names = list(VARIANTS)[1:]
    measures = {"total": "all objectives, %", "area": "area under the curve", "time": "time, ratio"}
    figure, axes = panels(len(measures), (10.5, 3.2))
    for panel, (column, title) in zip(axes, measures.items(), strict=True):
        for place, name in enumerate(names):
            own = runs.loc[runs["variant"] == name, column]
            panel.plot(own, [place] * len(own), "o", color=BLUE, alpha=0.4, markersize=4)
            panel.plot(own.median(), place, "|", color=ORANGE, markersize=16, markeredgewidth=2)
        panel.set_yticks(range(len(names)), names if panel is axes[0] else [""] * len(names))
        panel.invert_yaxis()
        panel.axvline(1 if column == "time" else 0, color="black", linewidth=0.8)
        panel.set_xlabel(f"{title}, against Algorithm 1")
    log_scale(axes[-1], "x")
    return figure


def plot_narrow(rows):
    table = part(rows, "narrow").pivot_table("objective", ["gamma", "seed"], "variant")
    shares = table.div(table["best known"], axis=0).groupby("gamma")
    figure, (axes,) = panels(1, (5.5, 3.4))
    for name, color in ((A1, ORANGE), ("polished", BLUE)):
        band(axes, shares[name], color, marker="o", label=name)
    axes.set(xscale="log", ylim=(0, 1.05), xlabel="γ: wide to narrow", ylabel="over the best known")
    axes.legend()
    return figure


def plot_iterations(rows):
    runs = part(rows, "iterations")
    figure, (axes,) = panels(1, (5.5, 3.4))
    for kernel, color in (("linear", BLUE), ("gaussian", GREEN)):
        groups = runs[runs["kernel"] == kernel].groupby("n_samples")["n_iter"]
        band(axes, groups, color, marker="o", label=kernel)
    axes.set(xscale="log", xlabel="rows", ylabel="steps to the first component")
    axes.set_ylim(bottom=0)
    axes.legend()
    return figure


def plot_rate(rows):
    steps = part(rows, "rate")
    groups = list(steps[steps["gap"] > 0].groupby(["dataset", "kernel"], sort=False))
    columns = (len(groups) + 1) // 2
    figure, axes = panels(columns, (3.3 * columns, 5.2), rows=2)
    for panel, ((name, kernel), here) in zip(axes, groups, strict=False):
        for component, color in enumerate((BLUE, GREEN, ORANGE)):
            own = here[here["component"] == component]
            label = f"component {component + 1}"
            panel.plot(own["step"], own["gap"], "o-", color=color, label=label)
            panel.plot(own["step"], own["bound"], "x", color=color)
        panel.set(yscale="log", xlabel="step", title=f"{name}, {kernel}")
    axes[0].set_ylabel("gap (dot), bound (cross)")
    axes[0].legend(fontsize=7)
    return figure


def variants_table(rows):
    groups, table = relative(rows).groupby("variant", sort=False), {}
    titles = {"first": "first objective, %", "total": "all objectives, %", "area": "area"}
    for column, title in titles.items():
        form = "{:+.3f}" if column == "area" else "{:+.2f}"
        mean, low, high = (groups[column].agg(f).map(form.format) for f in ("mean", "min", "max"))
        table[title] = mean + " (" + low + " to " + high + ")"
    return pd.DataFrame({**table, "time, median ratio": groups["time"].median().map(ratio)})


def areas_table(rows):
    keys = ["dataset", "kernel"]
    return cells(part(rows, "variants").pivot_table("pr_auc", keys, "variant", sort=False), 3)


def narrow_table(rows):
    means = part(rows, "narrow").pivot_table("objective", "gamma", "variant")[[*NARROW]]
    share = cells(100 * means[A1] / means["best known"], 1) + " %"
    return cells(means, 1).assign(**{"Algorithm 1 over best": share}).rename_axis("γ")


def rate_table(rows):
    lines = {}
    for key, group in part(rows, "rate").groupby(["dataset", "kernel"], sort=False):
        counts = group.groupby("component")["step"].max()
        lines[key] = {
            "steps of components 1 to 3": ", ".join(f"{count:.0f}" for count in counts),
            "median ratio of gaps": f"{group['ratio'].median():.3f}",
            "largest rho": f"{group.loc[group['rho'] < 1 - 1e-9, 'rho'].max():.6f}",
            "least slack": f"{(group['bound'] - group['gap']).min():.1e}",
        }
    return pd.DataFrame(lines).T.rename_axis(["dataset", "kernel"])


CLAIMS = (theorem_2, few_steps)
FIGURES = (
    ("beyond_variants", "Objective and time of other searches against Algorithm 1.", plot_variants),
    ("beyond_narrow", "The first objective over the best known, wide to narrow.", plot_narrow),
    ("beyond_iterations", "Steps of Algorithm 1 against the number of rows.", plot_iterations),
    ("beyond_rate", "The gap at each step, and the bound of Theorem 2.", plot_rate),
)
TABLES = (
    ("Against Algorithm 1: mean over data sets and kernels (least to largest)", variants_table),
    ("Area under the precision-recall curve by how components were searched for", areas_table),
    ("First L1 objective with a kernel from wide to narrow: mean over seeds", narrow_table),
    ("Theorem 2 on real runs: gaps relative to the norm at the end", rate_table),
)
