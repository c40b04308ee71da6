"""What the benchmark of speed measures, as data, and the process that measures it.

A case is rows, a kernel, a number of components and methods. Cases use only what every version of
the library has, so that two of them can be compared.
"""

import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from shutil import which
from typing import Any

import joblib
import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks.timing import peak_bytes, seconds_of, serve

OURS, DEFAULT = "Algorithm 1", "polished (default)"
COLUMN, STARTS = 'Algorithm 1, start="column"', "Algorithm 1, 16 starts"
LANDMARKS = "500 landmarks"
DENSE, ARPACK = "scikit-learn dense", "scikit-learn arpack"
RANDOMIZED, PCA = "scikit-learn randomized", "PCA"
NYSTROEM = "scikit-learn Nystroem(500) + PCA(10)"
HUBERT, ROBPY = "rrcov PcaHubert", "RobPy ROBPCA"
READ, PASS = "one read of K", "one product with X Xᵀ"
OWN = (OURS, DEFAULT, COLUMN, STARTS, LANDMARKS)

_L1, _KERNEL_PCA = ("l1kpca", "L1KernelPCA"), ("sklearn.decomposition", "KernelPCA")
_ESTIMATORS = {
    OURS: (*_L1, {"solver": "fixed_point"}),
    DEFAULT: (*_L1, {}),
    COLUMN: (*_L1, {"solver": "fixed_point", "start": "column"}),
    STARTS: (*_L1, {"solver": "fixed_point", "n_starts": 16}),
    LANDMARKS: (*_L1, {"gram": "nystroem"}),
    DENSE: (*_KERNEL_PCA, {"eigen_solver": "dense", "copy_X": False}),
    ARPACK: (*_KERNEL_PCA, {"eigen_solver": "arpack", "copy_X": False}),
    RANDOMIZED: (*_KERNEL_PCA, {"eigen_solver": "randomized", "copy_X": False}),
    PCA: ("sklearn.decomposition", "PCA", {}),
}
HUBERT_IN_R = """
suppressMessages(library(rrcov)); a <- commandArgs(TRUE)
X <- t(matrix(readBin(a[1], "double", as.numeric(a[2]) * as.numeric(a[3])), as.numeric(a[3])))
cat(system.time(PcaHubert(X, k = 10))[["elapsed"]])
"""


@dataclass(frozen=True)
class Case:
    """What is measured in one go."""

    rows: str  # a data set, or a kind of `make_rows`
    kernel: str  # "stored" for a given Gaussian K, or what is evaluated: "rbf" or "linear"
    n_components: int
    methods: tuple  # that take turns
    n: int = 0  # shape of made rows
    d: int = 0
    dtype: str = "float64"
    settings: Any = None  # further parameters of L1KernelPCA

    def small(self):
        """The same in a second: a data set that comes with the library, or few rows."""
        rows = self.rows if self.n else "wbc"
        p = min(self.n_components, 3)
        return replace(self, rows=rows, n=self.n and max(80, self.n // 50), n_components=p)


NORMAL, FALLING, FAR = "normal", "falling", "far"
_STORED = (READ, OURS, ARPACK, RANDOMIZED)
_LINEAR = (DEFAULT, PCA, PASS)
HUBERT_ROWS = (500, 2000, 20_000)
CELLS = {
    f"cell-{n}-{dtype}-{p}": Case(
        FAR, "rbf", p, (DEFAULT, *((DENSE,) if n <= 1000 else ()), ARPACK, RANDOMIZED),
        n, 50, dtype, {"gamma": 1 / 8})
    for n in (500, 1000, 2000, 5000, 10_000) for dtype in ("float64", "float32")
    for p in (2, 10, 50, 100)
    if p <= n // 10 and not (n == 10_000 and (p > 50 or dtype == "float32"))
}  # fmt: skip
TIMED = {
    **CELLS,
    "mnist-2": Case("mnist", "stored", 2, _STORED),
    "mnist-10": Case("mnist", "stored", 10, (*_STORED, STARTS)),
    "mnist-78": Case("mnist", "stored", 78, (*_STORED, COLUMN)),
    **{
        f"linear-{kind}-{n // 1000}k": Case(kind, "linear", 10, _LINEAR, n, d)
        for n, d in ((20_000, 50), (200_000, 100)) for kind in (FAR, NORMAL)
    },
    **{
        f"hubert-{n}": Case(FAR, "linear", 10, (DEFAULT, HUBERT, ROBPY), n, 50)
        for n in HUBERT_ROWS
    },
}  # fmt: skip
LARGE = {  # methods in processes of their own: time and peak memory
    "exact-80k": Case("scale", "rbf", 10, (DEFAULT,), 80_000, 30,
                      settings={"gram": "blocked", "memory_limit": "1GB"}),
    "landmarks-200k": Case("scale", "rbf", 10, (LANDMARKS, NYSTROEM), 200_000, 30),
    "landmarks-1M": Case("scale", "rbf", 10, (LANDMARKS, NYSTROEM), 1_000_000, 30),
    "landmarks-1M-bounded": Case("scale", "rbf", 10, (LANDMARKS,), 1_000_000, 30,
                                 settings={"memory_limit": "1.3GB"}),
}  # fmt: skip
SHORTER = ("landmarks-200k",)  # of these, seconds a fit
CASES = {**TIMED, **LARGE}


def make_rows(kind, n, d, dtype="float64"):
    """Random rows: "normal" has no structure at all, the slowest case for iterations; "falling" has
    columns of variance 1/j, as real data have; "far" too, and one row in fifty ten times as long;
    "scale" is ten directions, noise, and one row in fifty far off.
    """
    rng = np.random.default_rng(0)
    if kind == "scale":
        loadings = rng.standard_normal((10, d)) / np.sqrt(10)
        X = np.empty((n, d))
        for start in range(0, n, 10_000):  # in pieces, to leave no large trace in memory
            rows = X[start : start + 10_000]
            rows[:] = rng.standard_normal((len(rows), 10)) @ loadings
            rows += 0.3 / np.sqrt(10) * rng.standard_normal(rows.shape)
            rows[::50] *= 4
        return X
    X = rng.standard_normal((n, d))
    X /= 1 if kind == NORMAL else np.sqrt(np.arange(1, d + 1))
    X[: n // 50 if kind == FAR else 0] *= 10
    return X.astype(dtype)


def stored_matrix(case):
    """K of the Gaussian kernel: of the paper for a data set, else of the mean squared distance."""
    if case.n:
        X = make_rows(case.rows, case.n, case.d, case.dtype)
        return rbf_kernel(X, gamma=1 / float(2 * X.var(axis=0).sum()))
    from l1kpca import datasets

    X, _ = datasets.load(case.rows, return_X_y=True)
    used = X[:, X.std(axis=0) > 0]
    return rbf_kernel((used - used.mean(axis=0)) / used.std(axis=0), gamma=0.5 / X.shape[1] ** 2)


def read(K):
    """K v with v = 1, by rows, on all cores: one read of K, the yardstick of the targets."""
    cores = joblib.cpu_count()
    with ThreadPoolExecutor(cores) as pool:
        return np.concatenate(list(pool.map(_row_sums(), np.array_split(K, 4 * cores))))


@cache
def _row_sums():
    import numba  # not where memory is measured

    @numba.njit(nogil=True, fastmath={"reassoc", "contract"})
    def sums_of(rows):
        sums = np.zeros(len(rows), rows.dtype)
        for i in range(len(rows)):
            total = sums[i]
            for j in range(rows.shape[1]):
                total += rows[i, j]
            sums[i] = total
        return sums

    return sums_of


def can_run(method):
    if method == HUBERT:
        ask = ["Rscript", "-e", "library(rrcov)"]
        return which("Rscript") is not None and not subprocess.run(ask, check=False).returncode
    return method != ROBPY or find_spec("robpy") is not None


def hubert(X):
    """Seconds of ROBPCA in R."""
    with tempfile.NamedTemporaryFile() as file:
        X.astype(float).tofile(file.name)
        command = ["Rscript", "-e", HUBERT_IN_R, file.name, *map(str, X.shape)]
        return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def nystroem(X):
    from sklearn import decomposition, kernel_approximation, pipeline

    how = {"n_components": min(500, len(X)), "gamma": 1 / X.shape[1], "random_state": 0}
    features = kernel_approximation.Nystroem(**how)
    return pipeline.make_pipeline(features, decomposition.PCA(10)).fit_transform(X)


_WORKS = {
    READ: read,
    PASS: lambda X: X @ (X.T @ np.ones(len(X))),
    HUBERT: hubert,
    ROBPY: lambda X: import_module("robpy.pca").ROBPCA(n_components=10).fit(X),
    NYSTROEM: nystroem,
}


def make_work(method, case, X) -> Callable[[], object]:
    """What one run of a method does; X is what it gets, K where that is stored."""
    if method in _WORKS:
        return partial(_WORKS[method], X)
    module, name, settings = _ESTIMATORS[method]
    settings = {"n_components": case.n_components, "random_state": 0, **settings}
    stored = case.kernel == "stored"
    if method != PCA:
        settings["kernel"] = "precomputed" if stored else case.kernel
    if name == "KernelPCA" and stored:
        X = X.copy()  # centered in place: it is spared the copy of each fit
    if method in OWN:
        settings |= case.settings or {}
    elif case.settings:
        settings["gamma"] = case.settings["gamma"]
    return lambda: getattr(import_module(module), name)(**settings).fit(X)


_works = {}


def prepare(name, methods, small=False):
    """Make the rows of a case, and load compiled code by fits of few components."""
    case = CASES[name].small() if small else CASES[name]
    shape = case.rows, case.n, case.d, case.dtype
    X = stored_matrix(case) if case.kernel == "stored" else make_rows(*shape)
    _works.clear()
    for method in methods:
        _works[method] = make_work(method, case, X)
        if method in (*OWN, READ):
            make_work(method, replace(case, n_components=2), X)()


def run_once(method):
    return _works[method]() if method == HUBERT else seconds_of(_works[method])


def large(name, method, small=False):
    """Seconds of one fit and the most bytes that its process held; code is loaded before."""
    case = CASES[name].small() if small else CASES[name]
    X = make_rows(case.rows, case.n, case.d)
    make_work(method, replace(case, n_components=2), X[: min(len(X) // 4, 20_000)])()
    return seconds_of(make_work(method, case, X)), peak_bytes()


def first_call(n):
    """Seconds of a fit in a process that has loaded nothing yet; without rows, of one loop."""
    loop = partial(import_module("l1kpca.loops").exponentials, np.zeros(1))
    case = Case(NORMAL, "rbf", 2, (), n, 10)
    return seconds_of(make_work(DEFAULT, case, make_rows(NORMAL, n, 10)) if n else loop)


if __name__ == "__main__" and "--serve" in sys.argv:
    warnings.simplefilter("ignore")  # components beyond the rank, searches that stall
    serve(prepare, run_once, large, first_call)
