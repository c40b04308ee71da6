"""Mnist and Musk, as in the paper: the Gaussian kernel matrix is stored, components are found."""

from __future__ import annotations

from functools import lru_cache, partial
from pathlib import Path

from l1kpca import datasets
from l1kpca._typing import Array
from l1kpca.bench.base import NAME, Context, Part, Settings
from l1kpca.bench.timing import as_rows, read, side_by_side
from l1kpca.bench.works import (
    DEFAULT,
    OURS,
    PLAIN,
    READ,
    SKLEARN,
    Work,
    gaussian_matrix,
    load_compiled_code,
    ours,
    plain_algorithm,
    sklearn_kernel_pca,
)
from l1kpca.estimators.outliers.columns import by_mean_and_deviation
from l1kpca.journal import Row, Task

COLUMN, STARTS = 'Algorithm 1, start="column"', "Algorithm 1, 16 starts"
FEW, SOME, ALL = "few", "some", "all"
"""Cases of Mnist: 2, 10 and 78 components."""

_COMPONENTS = {FEW: 2, SOME: 10, ALL: 78}
_QUICK_COMPONENTS = {FEW: 1, SOME: 2, ALL: 3}
_STAND_IN = "wbc"  # in a quick run: it comes with the library


def plan_mnist(settings: Settings) -> list[Task]:
    """One task for each number of components."""
    counts = _QUICK_COMPONENTS if settings.quick else _COMPONENTS
    dataset = _STAND_IN if settings.quick else "mnist"
    expected = {FEW: 40.0, SOME: 110.0, ALL: 130.0}
    return [
        Task(
            NAME,
            "mnist",
            {"dataset": dataset, "case": case, "n_components": count},
            dataset=dataset,
            seconds=1.0 if settings.quick else expected[case],
        )
        for case, count in counts.items()
    ]


def plan_musk(settings: Settings) -> list[Task]:
    """All components, as many as there are columns."""
    dataset, count = (_STAND_IN, 4) if settings.quick else ("musk", 166)
    at = {"dataset": dataset, "case": ALL, "n_components": count}
    seconds = 1.0 if settings.quick else 45.0
    return [Task(NAME, "musk", at, dataset=dataset, seconds=seconds)]


@lru_cache(maxsize=1)
def _matrix(name: str, data_dir: Path | None) -> Array:
    """K of the paper: standardized columns, sigma = d."""
    X, _ = datasets.load(name, data_dir, return_X_y=True)
    return gaussian_matrix(by_mean_and_deviation(X)(X), gamma=1 / (2 * X.shape[1] ** 2))


def measure_mnist(task: Task, context: Context) -> list[Row]:
    """Reads of K, ours, scikit-learn's; for ten components also many starts and plain NumPy."""
    K = _matrix(task.parameters["dataset"], context.settings.data_dir)
    count = task.parameters["n_components"]
    # scikit-learn's dense solver takes O(n^3), five times as long as the others at this size.
    works = _works(K, count, ("arpack", "randomized"))
    works[COLUMN] = ours(K, count, kernel="precomputed", start="column")
    if task.parameters["case"] == SOME:
        works[STARTS] = ours(K, count, kernel="precomputed", n_starts=16)
        works[PLAIN] = lambda: plain_algorithm(K, count)
    return as_rows(side_by_side(works, context.settings.repeats))


def measure_musk(task: Task, context: Context) -> list[Row]:
    """Reads of K, ours, all of scikit-learn's solvers."""
    K = _matrix(task.parameters["dataset"], context.settings.data_dir)
    works = _works(K, task.parameters["n_components"], tuple(SKLEARN.values()))
    return as_rows(side_by_side(works, context.settings.repeats))


def _works(K: Array, count: int, solvers: tuple[str, ...]) -> dict[str, Work]:
    theirs = K.copy()  # centered in place by scikit-learn, again in each fit
    works: dict[str, Work] = {READ: partial(read, K), OURS: ours(K, count, kernel="precomputed")}
    works[DEFAULT] = ours(K, count, kernel="precomputed", solver="polished")
    for name, solver in SKLEARN.items():
        if solver in solvers:
            works[name] = sklearn_kernel_pca(theirs, count, solver, kernel="precomputed")
    load_compiled_code(K)
    works[READ]()
    return works


MNIST = Part("mnist", plan_mnist, measure_mnist)
MUSK = Part("musk", plan_musk, measure_musk)
