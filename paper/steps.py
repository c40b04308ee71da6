"""Steps of Algorithm 1."""

import numpy as np
import pandas as pd

from benchmarks.results import growth
from l1kpca import L1KernelPCA
from l1kpca.datasets import make_low_rank
from paper.claims import HELD, NOT_HELD, by_share, listed, part, some
from paper.figures import BLUE, GREEN, ORANGE, band, panels
from paper.methods import KERNELS, grid, kernel_matrix, kernel_parameters, standardized

SIZES, LARGER = (250, 500, 1000, 2000, 4000), (8000, 16000, 32000)
GRID = {
    "full": grid(part=["iterations"], seed=range(5), kernel=KERNELS, n_samples=SIZES)
    # With the linear kernel K is never formed, so that more rows can be had.
    + grid(part=["iterations"], seed=range(5), kernel=["linear"], n_samples=LARGER)
    + grid(part=["rate"], dataset=("wbc", "cardio", "musk"), kernel=KERNELS),
    "quick": grid(part=["iterations"], seed=[0], kernel=KERNELS, n_samples=(100, 200, 400))
    + grid(part=["rate"], dataset=["wbc"], kernel=KERNELS),
}


def measure(at, data_dir):
    """Steps to the first component of low-rank rows with noise, or every step on a data set."""
    if at["part"] == "rate":
        X, _ = standardized(at["dataset"], data_dir)
        return steps_of_algorithm_1(kernel_matrix(X, at["kernel"]))
    X = make_low_rank(at["n_samples"], random_state=at["seed"]).X
    how = kernel_parameters(at["kernel"], 10.0)
    # Not centered, the first Gaussian component is nearly the mean, and there are no steps.
    pca = L1KernelPCA(1, center=True, solver="fixed_point", start="column", **how)
    return [{"n_iter": pca.fit(X).n_steps_[0]}]


def sign_steps(image_of, start):
    """Signs and their image at each step, from the signs of a start until none moves."""
    signs, following = None, np.where(start < 0, -1.0, 1.0)
    while signs is None or (following != signs).any():
        signs, image = following, image_of(following)
        yield signs, image
        following = np.where(image == 0, signs, np.sign(image))


def steps_of_algorithm_1(K, n_components=3):
    """Norm, bound and gap at each step of the first components, in plain array code on K.

    With |x^k| = sqrt(c^T K c) / |K c|_1 and rho(c) = c^T K c / |K c|_1, Theorem 2 rests on
    |x^{k+1}| - |x*| <= rho(c^k) (|x^k| - |x*|). Gaps are relative to the norm at the end; a row
    holds the bound on its gap by the step before, and the gap over that of the step before."""
    found = []
    for component in range(n_components):
        diagonal = np.where(K.diagonal() > 1e-12 * K.diagonal().max(), K.diagonal(), np.inf)
        start = K[:, np.argmax(np.abs(K).sum(axis=0) / np.sqrt(diagonal))]
        steps = list(sign_steps(K.__matmul__, start))
        value, l1 = np.transpose([(signs @ image, np.abs(image).sum()) for signs, image in steps])
        norm, rho = np.sqrt(value) / l1, value / l1
        rows = pd.DataFrame({"component": component, "gap": norm / norm[-1] - 1, "rho": rho})
        before = rows.shift()
        rows["bound"], rows["ratio"] = before["gap"] * before["rho"], rows["gap"] / before["gap"]
        found += rows.rename_axis("step").reset_index().to_dict("records")
        K = K - np.outer(steps[-1][1], steps[-1][1]) / value[-1]
    return found


def theorem_2(rows):
    steps = some(part(rows, "rate").dropna(subset="bound"), "rate")
    broken = (steps["gap"] > steps["bound"] + 1e-9).sum()
    largest = steps["rho"][steps["rho"] < 1 - 1e-9].max()
    return NOT_HELD if broken else HELD, (
        f"the bound is broken at {broken} of {len(steps)} steps; in the median step the gap shrinks"
        f" to {steps['ratio'].median():.2f} of itself, while the largest rho met is {largest:.5f}"
    )


def few_steps(rows):
    runs = part(rows, "iterations")
    exponents = {
        kernel: growth(own["n_samples"], own["n_iter"].clip(lower=1))
        for kernel, own in runs.groupby("kernel")
    }
    evidence = (
        f"steps grow as a power of the rows with exponent {listed(exponents, '.2f')}; at most"
        f" {runs['n_iter'].max():.0f} steps up to {runs['n_samples'].max():.0f} rows"
    )
    return by_share([value < 0.5 for value in exponents.values()], 0.5, evidence)


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
    ("steps", "Steps of Algorithm 1 against the number of rows.", plot_iterations),
    ("steps_rate", "The gap at each step, and the bound of Theorem 2.", plot_rate),
)
TABLES = (("Theorem 2 on real runs: gaps relative to the norm at the end", rate_table),)
