"""Outlier detection on six data sets: the paper's rule on five kernel PCAs, LOF and iForest.

Columns are standardized and constant ones dropped; d components of the linear kernel and of the
Gaussian kernel of width d, with d the number of columns, not centered.
"""

from __future__ import annotations

from pathlib import Path

from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor

from l1kpca import datasets
from l1kpca._typing import Array
from l1kpca.experiments import paper
from l1kpca.experiments.base import Experiment, Settings
from l1kpca.experiments.detection_data import standardized
from l1kpca.experiments.methods import (
    ALGORITHM_1,
    ALL_METHODS,
    KPCA_L1,
    L1_METHODS,
    METHODS,
    expected_warnings,
    kernel_parameters,
)
from l1kpca.experiments.metrics import detection_metrics, paper_abnormality
from l1kpca.experiments.outlier_search import SEARCHED, search, variants_for
from l1kpca.journal import Row, Task

NAME = "outliers"
KERNELS = ("linear", "gaussian")
LOF, IFOREST = "LOF", "iForest"
_PERMUTATIONS = 5
_ROUNDS = 10
_LARGE = {"musk": 20.0, "mnist": 60.0}  # about how many seconds a slow method takes


def plan(settings: Settings) -> list[Task]:
    """The table, its spread over row orders and rounds, and the search for what differs."""
    names = ["wbc"] if settings.quick else datasets.names()
    tasks = [task for name in names for task in _table(name, settings)]
    for name in [name for name in names if name in SEARCHED]:
        for variant in variants_for(name):
            parameters = {"dataset": name, "variant": variant}
            tasks.append(Task(NAME, "search", parameters, dataset=name, seconds=0.5))
    return tasks


def _table(name: str, settings: Settings) -> list[Task]:
    tasks = [
        _task(name, method, kernel, permutation)
        for method in METHODS
        for kernel in KERNELS
        for permutation in range(_orders(name, method, settings) + 1)
    ]
    tasks.append(_task(name, LOF, None, 0))
    rounds = 2 if settings.quick else _ROUNDS
    return tasks + [_task(name, IFOREST, None, seed) for seed in range(rounds)]


def _orders(name: str, method: str, settings: Settings) -> int:
    """How many permutations of the rows: only where a start or ties can make a difference."""
    if method not in L1_METHODS:
        return 0
    if name == "mnist" and method != ALGORITHM_1:
        return 0
    if name == "musk" and method not in (ALGORITHM_1, KPCA_L1):
        return 0
    return 1 if settings.quick else _PERMUTATIONS


def _task(name: str, method: str, kernel: str | None, seed: int) -> Task:
    parameters = {"dataset": name, "method": method, "kernel": kernel, "seed": seed}
    slow = _LARGE.get(name, 0.5) if kernel == "gaussian" else 1.0
    # Only decompositions of a large matrix can take long; a process of its own has its price.
    budgeted = kernel == "gaussian" and name in _LARGE
    return Task(NAME, "table", parameters, budgeted, dataset=name, seconds=slow)


def measure(task: Task, data_dir: Path | None) -> list[Row]:
    """Areas under the curves for one method on one data set."""
    at = task.parameters
    if task.part == "search":
        return search(at["dataset"], at["variant"], data_dir)
    areas = detection_metrics(*_judged(at, data_dir))
    return [{**areas, "paper": paper.AUC[at["dataset"], at["method"], at["kernel"]]}]


def _judged(at: Row, data_dir: Path | None) -> tuple[Array, Array]:
    """Labels, and how abnormal the method finds each row."""
    if at["method"] == IFOREST:
        X, y = standardized(at["dataset"], data_dir)
        forest = IsolationForest(n_estimators=100, max_samples=256, random_state=at["seed"])
        return y, -forest.fit(X).score_samples(X)
    X, y = standardized(at["dataset"], data_dir, permutation=at["seed"])
    if at["method"] == LOF:
        with expected_warnings():  # many equal rows: the method says that it needs more neighbors
            return y, -LocalOutlierFactor(n_neighbors=10).fit(X).negative_outlier_factor_
    return y, paper_abnormality(_scores(at["method"], at["kernel"], X))


def _scores(method: str, kernel: str, X: Array) -> Array:
    # The start of Algorithm 1 looks at all of K for every component: then it is better kept.
    gram = "dense" if method == ALGORITHM_1 else "auto"
    pca = ALL_METHODS[method](
        X.shape[1], center=False, gram=gram, random_state=0, **kernel_parameters(kernel)
    )
    with expected_warnings():
        return pca.fit_transform(X)


EXPERIMENT = Experiment(NAME, plan, measure)
