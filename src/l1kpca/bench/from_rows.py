"""From rows to components: the kernel is evaluated too, or for the linear kernel never formed."""

from __future__ import annotations

from functools import partial

import numpy as np

from l1kpca._typing import Array
from l1kpca.bench.base import NAME, Context, Part, Settings
from l1kpca.bench.timing import as_rows, read, side_by_side
from l1kpca.bench.works import (
    DEFAULT,
    LINEAR_PCA,
    OURS,
    READ,
    SKLEARN,
    Work,
    gaussian_matrix,
    linear_pca,
    make_rows,
    ours,
    sklearn_kernel_pca,
)
from l1kpca.journal import Row, Task

BLOCKED = 'Algorithm 1, gram="blocked"'
EVALUATION, PASS = "evaluating K alone", "one product with X Xᵀ"


def normal_rows(n_samples: int, n_features: int) -> Array:
    """Standard normal rows: no structure at all, the slowest case for iterations."""
    return np.random.default_rng(0).standard_normal((n_samples, n_features))


NORMAL, FALLING = "standard normal", "variances 1/j"
ROWS_OF = {NORMAL: normal_rows, FALLING: make_rows}
"""Rows of the linear kernel."""


def plan_rows(settings: Settings) -> list[Task]:
    """The Gaussian kernel of 10000 rows."""
    n, d, p = (300, 5, 2) if settings.quick else (10_000, 50, 10)
    at = {"n": n, "d": d, "n_components": p}
    return [Task(NAME, "rows", at, seconds=1.0 if settings.quick else 110.0)]


def measure_rows(task: Task, context: Context) -> list[Row]:
    """Ours with K stored and in blocks, and scikit-learn's iterative solvers."""
    at = task.parameters
    X, p = normal_rows(at["n"], at["d"]), at["n_components"]
    works: dict[str, Work] = {
        OURS: ours(X, p, kernel="rbf"),
        DEFAULT: ours(X, p, kernel="rbf", solver="polished"),
        BLOCKED: ours(X, p, kernel="rbf", gram="blocked"),
        EVALUATION: lambda: gaussian_matrix(X, 1 / at["d"]),
    }
    for name, solver in SKLEARN.items():
        if solver != "dense":
            works[name] = sklearn_kernel_pca(X, p, solver, kernel="rbf")
    for gram in ("dense", "blocked"):
        ours(X[:2500], 1, kernel="rbf", gram=gram, solver="polished")()
    return as_rows(side_by_side(works, context.settings.repeats))


def plan_linear(settings: Settings) -> list[Task]:
    """The linear kernel of 200000 rows, without structure and with some."""
    n, d, p = (600, 5, 2) if settings.quick else (200_000, 100, 10)
    seconds = {NORMAL: 90.0, FALLING: 60.0}
    return [
        Task(
            NAME,
            "linear",
            {"case": case, "n": n, "d": d, "n_components": p},
            seconds=1.0 if settings.quick else seconds[case],
        )
        for case in (NORMAL, FALLING)
    ]


def measure_linear(task: Task, context: Context) -> list[Row]:
    """Ours, and scikit-learn's PCA by the covariance matrix."""
    at = task.parameters
    X, p = ROWS_OF[at["case"]](at["n"], at["d"]), at["n_components"]
    v = np.ones(at["n"])
    works: dict[str, Work] = {
        OURS: ours(X, p),
        DEFAULT: ours(X, p, solver="polished"),
        LINEAR_PCA: linear_pca(X, p),
        PASS: lambda: X @ (X.T @ v),
    }
    ours(X[:2500], 1, solver="polished")()
    return as_rows(side_by_side(works, context.settings.repeats))


def plan_growth(settings: Settings) -> list[Task]:
    """Doubling numbers of rows, for a stored K and for the linear kernel."""
    dense = [200, 300, 400] if settings.quick else [2000, 4000, 8000, 16_000]
    linear = [400, 800, 1600] if settings.quick else [25_000, 50_000, 100_000, 200_000]
    p = 2 if settings.quick else 10
    return [
        Task(
            NAME,
            "growth",
            {"kernel": kernel, "sizes": sizes, "n_components": p},
            seconds=1.0 if settings.quick else seconds,
        )
        for kernel, sizes, seconds in (("gaussian", dense, 60.0), ("linear", linear, 30.0))
    ]


def measure_growth(task: Task, context: Context) -> list[Row]:
    """Seconds of Algorithm 1 at each size; for a stored K also of one read of it."""
    at = task.parameters
    X = make_rows(max(at["sizes"]), 50)
    whole = gaussian_matrix(X) if at["kernel"] == "gaussian" else X
    rows: list[Row] = []
    for n in at["sizes"]:
        data = whole[:n, :n].copy() if at["kernel"] == "gaussian" else whole[:n]
        kernel = "precomputed" if at["kernel"] == "gaussian" else "linear"
        works = {OURS: ours(data, at["n_components"], kernel=kernel)}
        if at["kernel"] == "gaussian":
            works[READ] = partial(read, data)
        for work in works.values():
            work()  # loads the compiled code, and brings the data to where it stays
        found = as_rows(side_by_side(works, context.settings.repeats))
        rows += [{"n": n, **row} for row in found]
    return rows


ROWS = Part("rows", plan_rows, measure_rows)
LINEAR = Part("linear", plan_linear, measure_linear)
GROWTH = Part("growth", plan_growth, measure_growth)
