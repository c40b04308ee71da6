"""Robust extraction: what components of noisy rows explain of the rows without the noise.

Low-rank rows, a share of them with noise on single entries (`l1kpca.datasets.make_low_rank`); four
components are found on the noisy rows, and their explained variation is taken on the normal rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from l1kpca._typing import Array
from l1kpca.datasets import LowRankData, make_low_rank
from l1kpca.experiments.base import Experiment, Settings
from l1kpca.experiments.methods import METHODS, expected_warnings, kernel_parameters
from l1kpca.experiments.metrics import best_variation, explained_variation
from l1kpca.journal import Row, Task
from l1kpca.peers import L2KernelPCA

NAME = "robustness"
CORRUPTED = (5, 10, 15, 20, 25, 30)
SIGMAS = (10.0, 15.0, 20.0, 25.0)
N_COMPONENTS = 4
_INSTANCES = 10
_CENTERED_INSTANCES = 3  # the paper does not center; a few instances show what it would change


def plan(settings: Settings) -> list[Task]:
    """One task for each kernel, share of corrupted rows and instance."""
    shape = (200, 20, 5) if settings.quick else (1000, 50, 10)
    shares = (5, 30) if settings.quick else CORRUPTED
    sigmas = (10.0, 25.0) if settings.quick else SIGMAS
    kernels: list[tuple[str, float | None]] = [("linear", None)]
    kernels += [("gaussian", sigma) for sigma in sigmas]
    return [
        _task(shape, instance, share, kernel, center)
        for instance in range(2 if settings.quick else _INSTANCES)
        for share in shares
        for kernel in kernels
        for center in ((False, True) if instance < _CENTERED_INSTANCES else (False,))
    ]


def _task(
    shape: tuple[int, int, int],
    instance: int,
    share: int,
    kernel: tuple[str, float | None],
    center: bool,
) -> Task:
    parameters = {
        "n_samples": shape[0],
        "n_features": shape[1],
        "rank": shape[2],
        "seed": instance,
        "corrupted": share,
        "kernel": kernel[0],
        "sigma": kernel[1],
        "center": center,
    }
    slow = 3.0 if kernel[0] == "gaussian" and shape[0] > 500 else 0.5
    return Task(NAME, "explained", parameters, seconds=slow)


def measure(task: Task, data_dir: Path | None) -> list[Row]:
    """The explained variation of each method on one instance."""
    at = task.parameters
    data = make_low_rank(
        at["n_samples"],
        at["n_features"],
        at["rank"],
        at["corrupted"] / 100,
        random_state=at["seed"],
    )
    kernel = {**kernel_parameters(at["kernel"], at["sigma"]), "center": at["center"]}
    with expected_warnings():
        best = best_variation(L2KernelPCA(N_COMPONENTS, **kernel).fit_transform(data.X_normal))
        return [
            {"method": name, "explained": explained_variation(_seen(name, data, kernel), best)}
            for name in METHODS
        ]


def _seen(method: str, data: LowRankData, kernel: dict[str, Any]) -> Array:
    """Scores of the normal rows on components of the noisy ones."""
    pca = METHODS[method](N_COMPONENTS, random_state=0, **kernel).fit(data.X)
    scores = pca.transform(data.X_normal)
    # The noisy rows have another mean in feature space; variation is about the normal rows' own.
    return scores - scores.mean(axis=0) if kernel["center"] else scores


EXPERIMENT = Experiment(NAME, plan, measure)
