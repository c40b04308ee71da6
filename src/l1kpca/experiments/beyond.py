"""Beyond the paper: starts and polishing, narrow kernels, steps against rows, the linear rate."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

from l1kpca import L1KernelPCA
from l1kpca._typing import Array
from l1kpca.datasets import make_low_rank
from l1kpca.experiments.base import Experiment, Settings
from l1kpca.experiments.detection_data import standardized
from l1kpca.experiments.linear_rate import steps_of_algorithm_1
from l1kpca.experiments.methods import expected_warnings, kernel_parameters
from l1kpca.experiments.metrics import detection_metrics, l1_dispersion, paper_abnormality
from l1kpca.journal import Row, Task

NAME = "beyond"
VARIANTS: dict[str, dict[str, Any]] = {
    "Algorithm 1": {"solver": "fixed_point", "start": "column"},
    "start: 64 columns": {"solver": "fixed_point", "start": "sampled"},
    "start: largest row": {"solver": "fixed_point", "start": "norm"},
    "start: L2 solution": {"solver": "fixed_point", "start": "eigen"},
    "start: random": {"solver": "fixed_point", "start": "random"},
    "10 starts": {"solver": "fixed_point", "start": "column", "n_starts": 10},
    "polished": {"solver": "polished", "start": "column"},
    "polished, 10 starts": {"solver": "polished", "start": "column", "n_starts": 10},
}
"""Searches for the same components, from the paper's to the most thorough."""
GAMMAS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
_SETS = ("wbc", "ionosphere", "breastw", "cardio", "musk")
_MANY_STARTS = 64


def plan(settings: Settings) -> list[Task]:
    """Four small studies."""
    tasks = [
        Task(NAME, "variants", at, dataset=at["dataset"], seconds=2.0)
        for at in _variants(settings.quick)
    ]
    for seed in range(1 if settings.quick else 5):
        tasks += [Task(NAME, "narrow", at, seconds=0.5) for at in _widths(settings.quick, seed)]
        tasks += [
            Task(NAME, "iterations", at, seconds=at["n_samples"] / 4000)
            for at in _sizes(settings.quick, seed)
        ]
    return tasks + [
        Task(NAME, "rate", {"dataset": name, "kernel": kernel}, dataset=name, seconds=2.0)
        for name in (("wbc",) if settings.quick else ("wbc", "cardio", "musk"))
        for kernel in ("linear", "gaussian")
    ]


def _variants(quick: bool) -> list[Row]:
    return [
        {"dataset": name, "kernel": kernel, "variant": variant, "seed": 0}
        for name in (("wbc",) if quick else _SETS)
        for kernel in ("linear", "gaussian")
        for variant in VARIANTS
    ]


def _widths(quick: bool, seed: int) -> list[Row]:
    return [
        {"seed": seed, "gamma": gamma, "n_samples": 100 if quick else 400}
        for gamma in ((0.1, 10.0) if quick else GAMMAS)
    ]


def _sizes(quick: bool, seed: int) -> list[Row]:
    # With the linear kernel K is never formed, so that more rows can be had.
    sizes = {"linear": (250, 32000), "gaussian": (250, 4000)}
    if quick:
        sizes = dict.fromkeys(sizes, (100, 400))
    return [
        {"seed": seed, "kernel": kernel, "n_samples": n, "center": True}
        for kernel, (least, most) in sizes.items()
        for n in _doubled(least, most)
    ]


def _doubled(least: int, most: int) -> list[int]:
    sizes = [least]
    while 2 * sizes[-1] <= most:
        sizes.append(2 * sizes[-1])
    return sizes


def measure(task: Task, data_dir: Path | None) -> list[Row]:
    """Rows of one study."""
    with expected_warnings():
        return _STUDIES[task.part](task.parameters, data_dir)


def _study_variant(at: Row, data_dir: Path | None) -> list[Row]:
    X, y = standardized(at["dataset"], data_dir)
    pca = L1KernelPCA(
        X.shape[1],
        center=False,
        gram="dense",
        random_state=at["seed"],
        **kernel_parameters(at["kernel"]),
        **VARIANTS[at["variant"]],
    )
    begin = time.perf_counter()
    scores = pca.fit_transform(X)
    seconds = time.perf_counter() - begin
    return [
        {
            "seconds": seconds,
            "n_iter": int(pca.n_iter_.sum()),
            "first_objective": l1_dispersion(scores[:, 0]),
            "total_objective": l1_dispersion(scores),
            **detection_metrics(y, paper_abnormality(scores)),
        }
    ]


def _study_narrow(at: Row, data_dir: Path | None) -> list[Row]:
    """The first component with a kernel from wide to narrow; rows are standard normal."""
    X = np.random.default_rng(at["seed"]).standard_normal((at["n_samples"], 5))
    searches: dict[str, dict[str, Any]] = {
        "Algorithm 1": {"solver": "fixed_point", "start": "column"},
        "polished": {"solver": "polished", "start": "column"},
        "best known": {"solver": "polished", "start": "column", "n_starts": _MANY_STARTS},
    }
    rows: list[Row] = []
    for name, search in searches.items():
        pca = L1KernelPCA(1, kernel="rbf", gamma=at["gamma"], random_state=0, **search)
        objective = l1_dispersion(pca.fit_transform(X))
        rows.append({"variant": name, "objective": objective, "n_iter": int(pca.n_iter_[0])})
    return rows


def _study_iterations(at: Row, data_dir: Path | None) -> list[Row]:
    """Steps of Algorithm 1 to the first component of low-rank rows with noise."""
    data = make_low_rank(at["n_samples"], random_state=at["seed"])
    pca = L1KernelPCA(
        1,
        solver="fixed_point",
        start="column",
        center=at["center"],  # else the first Gaussian component is nearly the mean: no steps
        **kernel_parameters(at["kernel"], 10.0),
    )
    return [{"n_iter": int(pca.fit(data.X).n_iter_[0])}]


def _study_rate(at: Row, data_dir: Path | None) -> list[Row]:
    X, _ = standardized(at["dataset"], data_dir)
    gamma = 1 / (2 * X.shape[1] ** 2)
    K: Array = linear_kernel(X) if at["kernel"] == "linear" else rbf_kernel(X, gamma=gamma)
    return steps_of_algorithm_1(K)


_STUDIES: dict[str, Callable[[Row, Path | None], list[Row]]] = {
    "variants": _study_variant,
    "narrow": _study_narrow,
    "iterations": _study_iterations,
    "rate": _study_rate,
}

EXPERIMENT = Experiment(NAME, plan, measure)
