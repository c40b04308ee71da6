"""The two toys: points along a line and along a spiral, with far points and points off the curve.

The boundary is the smallest circle around all normal points in the standardized plane of the first
two components; squares (off the curve) and triangles (far) inside of it are counted.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import pairwise_kernels

from l1kpca._typing import Array
from l1kpca.datasets import make_line, make_spiral
from l1kpca.experiments.base import Experiment, Settings
from l1kpca.experiments.methods import METHODS, expected_warnings, kernel_parameters
from l1kpca.experiments.metrics import inside_boundary, standardized_radius
from l1kpca.journal import Row, Task

NAME = "toys"
SPIRAL_SIGMAS = (0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0)
_SEEDS = 10


def plan(settings: Settings) -> list[Task]:
    """The line, and the spiral for a range of kernel widths, with and without centering."""
    seeds = range(2 if settings.quick else _SEEDS)
    sigmas = (1.0, 4.0) if settings.quick else SPIRAL_SIGMAS
    lines = [
        Task(NAME, "line", {"seed": seed, "kernel": "linear", "sigma": None, "center": center})
        for seed in seeds
        for center in (False, True)
    ]
    spirals = [
        Task(NAME, "spiral", {"seed": seed, "kernel": "gaussian", "sigma": sigma, "center": center})
        for seed in seeds
        for sigma in sigmas
        for center in (False, True)
    ]
    return lines + spirals


def measure(task: Task, data_dir: Path | None) -> list[Row]:
    """Counts for each method; for the first seed also every point with its scores."""
    at = task.parameters
    make = make_line if task.part == "line" else make_spiral
    X, kind = make(random_state=at["seed"])
    K = pairwise_kernels(X, **_for_pairwise(at))
    K = K - K.mean(axis=0) - K.mean(axis=1)[:, np.newaxis] + K.mean() if at["center"] else K
    rows: list[Row] = []
    for name in METHODS:
        with expected_warnings():
            scores, coef = two_components(name, K)
        radius = standardized_radius(scores)
        counts = {"method": name, "row": "count", **inside_boundary(radius, kind)}
        counts["boundary"] = float(radius[kind == 0].max())
        if task.part == "line":
            loading = X.T @ coef * np.sign(X[:, 0] @ coef)
            counts |= {"loading_1": float(loading[0]), "loading_2": float(loading[1])}
        rows.append(counts)
        rows += _points(name, X, kind, scores) if at["seed"] == 0 else []
    return rows


def _for_pairwise(at: Row) -> dict[str, Any]:
    given = kernel_parameters(at["kernel"], at["sigma"])
    return {"metric": given.pop("kernel"), **given}


def two_components(method: str, K: Array) -> tuple[Array, Array]:
    """Scores on the first two components, and the coefficients of the first.

    Found one after the other, each on what the one before leaves of K. For all but R1-KPCA that is
    what they do anyway. R1-KPCA measures the distance from the whole subspace: of rows in a plane
    nothing is left by two components, and it would be L2-KPCA.

    Parameters
    ----------
    method : str
        A key of `METHODS`.
    K : ndarray of shape (n_samples, n_samples)
        The Gram matrix.
    """
    first = METHODS[method](1, kernel="precomputed", center=False, random_state=0)
    one = first.fit_transform(K)
    second = METHODS[method](1, kernel="precomputed", center=False, random_state=0)
    two = second.fit_transform(K - one @ one.T)
    return np.hstack([one, two]), first.dual_components_[:, 0]


def _points(method: str, X: Array, kind: Array, scores: Array) -> list[Row]:
    standardized = (scores - scores.mean(axis=0)) / scores.std(axis=0)
    table = np.column_stack([X, standardized]).tolist()
    return [
        {
            "method": method,
            "row": "point",
            "kind": int(kind[i]),
            **dict(zip(("x", "y", "score_1", "score_2"), values, strict=True)),
        }
        for i, values in enumerate(table)
    ]


EXPERIMENT = Experiment(NAME, plan, measure)
