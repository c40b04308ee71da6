"""Every method at every size: n, p, kernel and precision.

With the Gaussian kernel all get the stored matrix; with the linear kernel all get the rows, as a
user would give them.  Methods take turns.  A competitor whose time at the previous n, grown by its
exponent, exceeds the budget is not run and reported as cut off.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache, partial

from l1kpca._typing import Array
from l1kpca.bench.base import NAME, Context, Part, Settings
from l1kpca.bench.timing import as_rows, read, within
from l1kpca.bench.works import (
    DEFAULT,
    KWAK,
    LINEAR_PCA,
    OURS,
    PLAIN,
    READ,
    SKLEARN,
    Work,
    gaussian_matrix,
    kwak,
    linear_pca,
    load_compiled_code,
    make_rows,
    ours,
    plain_algorithm,
    sklearn_kernel_pca,
)
from l1kpca.journal import Row, Task

SIZES = (1000, 2000, 5000, 10_000, 20_000)
COMPONENTS = (2, 10, 50, 100)
QUICK_SIZES, QUICK_COMPONENTS = (100, 200), (2,)
COLUMNS = 128
"""Of the rows: more than the most components, so that the linear kernel has them all."""

_CUBIC = ("scikit-learn dense", KWAK)
_ALWAYS = (READ, OURS, DEFAULT, LINEAR_PCA)
_LENIENCE = 3  # times the budget for the fastest of scikit-learn
_BYTES_A_SECOND = 12e9  # of memory, for a first guess of what a task takes


def plan(settings: Settings) -> list[Task]:
    """All cells; within a kernel and a precision from small to large."""
    sizes = QUICK_SIZES if settings.quick else SIZES
    counts = QUICK_COMPONENTS if settings.quick else COMPONENTS
    return [
        _task(settings, kernel, dtype, n, p)
        for kernel in ("gaussian", "linear")
        for dtype in ("float64", "float32")
        for n in sizes
        for p in counts
    ]


def _task(settings: Settings, kernel: str, dtype: str, n: int, p: int) -> Task:
    at = {"kernel": kernel, "dtype": dtype, "n": n, "n_components": p}
    width = 8 if dtype == "float64" else 4
    reads = p * n * n * width / _BYTES_A_SECOND if kernel == "gaussian" else 0.4
    return Task(NAME, "grid", at, seconds=0.2 if settings.quick else 4 + 5.5 * reads)


def measure(task: Task, context: Context) -> list[Row]:
    """Time what is within the budget; say what is not."""
    at = task.parameters
    makers = _makers(at["kernel"], at["dtype"], at["n"], at["n_components"])
    expected = {name: predicted(name, task, context) for name in makers}
    cut_off = too_slow(expected, context.settings.budget)
    works = {name: make() for name, make in makers.items() if name not in cut_off}
    _warm_up(task)
    return as_rows(within(works, context.allowance, context.settings.repeats)) + [
        {"method": name, "cut_off": True, "predicted": expected[name]} for name in cut_off
    ]


def too_slow(expected: dict[str, float], budget: float) -> list[str]:
    """The methods that are not run.

    Ours always are, and the solver of scikit-learn that is expected to be its fastest gets three
    times the budget, since it is the one to be compared with.

    Parameters
    ----------
    expected : dict
        Seconds of each method.
    budget : float
        Seconds.

    Examples
    --------
    >>> too_slow({"Algorithm 1": 90.0, "scikit-learn arpack": 20.0, "plain NumPy": 20.0}, 8.0)
    ['plain NumPy']
    """
    rivals = [name for name in expected if name in SKLEARN]
    fastest = min(rivals, key=expected.__getitem__, default=None)
    return [
        name
        for name in expected
        if name not in _ALWAYS and expected[name] > budget * (_LENIENCE if name == fastest else 1)
    ]


def predicted(method: str, task: Task, context: Context) -> float:
    """Seconds that a method will take, from the cell with the next smaller n; 0 if unknown."""
    at = task.parameters
    sizes = QUICK_SIZES if context.settings.quick else SIZES
    place = sizes.index(at["n"])
    if place == 0:
        return 0.0
    smaller = sizes[place - 1]
    before = context.rows_of(replace(task, parameters={**at, "n": smaller}))
    growth = (at["n"] / smaller) ** (3 if method in _CUBIC else 2)
    return max(
        (
            growth * (row["predicted"] if row.get("cut_off") else row["seconds"])
            for row in before
            if row["method"] == method
        ),
        default=0.0,
    )


@lru_cache(maxsize=1)
def _rows(n: int, dtype: str) -> Array:
    return make_rows(n, COLUMNS, dtype)


@lru_cache(maxsize=1)
def _matrix(n: int, dtype: str) -> Array:
    return gaussian_matrix(_rows(n, dtype))


def _makers(kernel: str, dtype: str, n: int, p: int) -> dict[str, Callable[[], Work]]:
    """What makes each work; nothing large is made for a work that is not run."""
    X = _rows(n, dtype)
    return _for_rows(X, p) if kernel == "linear" else _for_matrix(_matrix(n, dtype), p)


def _for_matrix(K: Array, p: int) -> dict[str, Callable[[], Work]]:
    theirs = cache(K.copy)  # centered in place by scikit-learn

    def kernel_pca(solver: str) -> Work:
        return sklearn_kernel_pca(theirs(), p, solver, kernel="precomputed")

    return {
        READ: lambda: partial(read, K),
        OURS: partial(ours, K, p, kernel="precomputed"),
        DEFAULT: partial(ours, K, p, kernel="precomputed", solver="polished"),
        PLAIN: lambda: partial(plain_algorithm, K, p),
        KWAK: partial(kwak, K, p, kernel="precomputed"),
        **{name: partial(kernel_pca, solver) for name, solver in SKLEARN.items()},
    }


def _for_rows(X: Array, p: int) -> dict[str, Callable[[], Work]]:
    return {
        OURS: partial(ours, X, p),
        DEFAULT: partial(ours, X, p, solver="polished"),
        LINEAR_PCA: partial(linear_pca, X, p),
        PLAIN: lambda: lambda: plain_algorithm(X @ X.T, p),
        KWAK: partial(kwak, X, p),
        **{
            name: partial(sklearn_kernel_pca, X, p, solver, kernel="linear")
            for name, solver in SKLEARN.items()
        },
    }


def _warm_up(task: Task) -> None:
    at = task.parameters
    if at["kernel"] == "gaussian":
        K = _matrix(at["n"], at["dtype"])
        load_compiled_code(K)
        read(K)
        return
    for solver in ("fixed_point", "polished"):
        ours(_rows(at["n"], at["dtype"]), 1, solver=solver)()


GRID = Part("grid", plan, measure)
