"""The targets of the library, each measured and compared with what was aimed at."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.decomposition import PCA, KernelPCA
from sklearn.metrics.pairwise import rbf_kernel

from l1kpca import datasets
from l1kpca._typing import Array
from l1kpca.bench.timing import peak_memory, process_seconds, reader, side_by_side, timed
from l1kpca.estimators.l1_kernel_pca import L1KernelPCA

_SOLVERS = ("randomized", "arpack")
_FROM_ROWS = """
import numpy as np
from sklearn.decomposition import KernelPCA
from l1kpca import L1KernelPCA
X = np.random.default_rng(0).standard_normal((10000, 50))
L1KernelPCA(2, kernel="rbf", start="sampled").fit(X[:300])
"""
_LINEAR_ROWS = """
import numpy as np
from l1kpca import L1KernelPCA
X = np.random.default_rng(0).standard_normal((200000, 100))
L1KernelPCA(2, start="sampled").fit(X[:300])
"""


@dataclass(frozen=True)
class Target:
    """One line of the table: ``reached`` is held against ``bound`` in the given sense."""

    case: str
    measure: str
    bound: float
    at_most: bool
    reached: float
    spread: float = 0.0

    @property
    def met(self) -> bool:
        """Whether the target was reached."""
        return self.reached <= self.bound if self.at_most else self.reached >= self.bound


def scaled_rows(name: str, data_dir: Any) -> tuple[Array, float]:
    """Standardised rows of a data set of the paper, and the coefficient of its Gaussian kernel."""
    X, _ = datasets.load(name, data_dir=data_dir, return_X_y=True)
    deviation = X.std(axis=0)
    used = deviation > 0
    return (X[:, used] - X[:, used].mean(axis=0)) / deviation[used], 1 / (2 * X.shape[1] ** 2)


def fitter(K: Array, n_components: int, **settings: Any) -> Callable[[], object]:
    """Algorithm 1 on a stored kernel matrix."""
    settings = {"solver": "fixed_point", "start": "sampled", "random_state": 0, **settings}
    model = L1KernelPCA(n_components, kernel="precomputed", **settings)
    return lambda: model.fit(K)


def sklearn_fitter(K: Array, n_components: int, solver: str) -> Callable[[], object]:
    """scikit-learn's kernel PCA on a stored kernel matrix."""
    model = KernelPCA(
        n_components, kernel="precomputed", eigen_solver=solver, random_state=0, copy_X=False
    )
    return lambda: model.fit(K)


def plain_algorithm(K: Array, n_components: int) -> None:
    """Algorithm 1 in plain NumPy: the paper's start, full products, K deflated in place."""
    K = K.copy()
    for _ in range(n_components):
        c = np.sign(K[:, np.argmax(np.abs(K).sum(axis=0) / np.sqrt(K.diagonal()))])
        while True:
            image = K @ c
            new = np.where(image == 0, c, np.sign(image))
            if (new == c).all():
                break
            c = new
        K -= np.outer(image, image) / (c @ image)


def stored_matrix_targets(data_dir: Any) -> Iterator[Target]:
    """Cases on the kernel matrices of Mnist and Musk."""
    X, gamma = scaled_rows("mnist", data_dir)
    K = rbf_kernel(X, gamma=gamma)
    fitter(K[:2500, :2500].copy(), 2, n_starts=2)()
    for n_components, wanted in ((2, 20), (10, 4), (78, 1)):
        works = {name: sklearn_fitter(K, n_components, name) for name in _SOLVERS}
        works |= {"ours": fitter(K, n_components), "read": reader(K)}
        works |= {"column": fitter(K, n_components, start="column")}
        times = side_by_side(works)
        theirs = min(times[name].median for name in _SOLVERS)
        case = f"Mnist, {n_components} components"
        ours = times["ours"]
        yield _faster(case, theirs / ours.median, wanted, ours.spread)
        if n_components == 78:
            reads = 78 * times["read"].median
            yield Target(case, "time / 78 reads of K", 2.0, True, ours.median / reads, ours.spread)
            column = times["column"]
            name = f'{case}, start="column"'
            yield Target(
                name, "time / 78 reads of K", 4.0, True, column.median / reads, column.spread
            )
            yield _faster(name, theirs / column.median, 1, column.spread)
    starts = side_by_side({"one": fitter(K, 10), "many": fitter(K, 10, n_starts=16)})
    ratio = starts["many"].median / starts["one"].median
    yield Target("Mnist, 16 starts", "time / time of one start", 3.0, True, ratio)
    plain = timed(lambda: plain_algorithm(K, 10), 1).median
    ours = timed(fitter(K, 10, center=False))
    yield Target(
        "Mnist, 10 components", "plain NumPy Algorithm 1 / ours", 10, False, plain / ours.median
    )
    X, gamma = scaled_rows("musk", data_dir)
    K = rbf_kernel(X, gamma=gamma)
    works = {name: sklearn_fitter(K, 166, name) for name in (*_SOLVERS, "dense")}
    times = side_by_side(works | {"ours": fitter(K, 166)})
    theirs = min(times[name].median for name in works)
    yield _faster("Musk, 166 components", theirs / times["ours"].median, 1, times["ours"].spread)


def rows_targets() -> Iterator[Target]:
    """Cases from rows, the kernel evaluated too: time and memory."""
    X = np.random.default_rng(0).standard_normal((10_000, 50))
    ours = L1KernelPCA(10, kernel="rbf", solver="fixed_point", random_state=0)
    blocked = L1KernelPCA(10, kernel="rbf", solver="fixed_point", random_state=0, gram="blocked")
    theirs = KernelPCA(10, kernel="rbf", eigen_solver="randomized", random_state=0)
    times = side_by_side(
        {"o": partial(ours.fit, X), "b": partial(blocked.fit, X), "t": partial(theirs.fit, X)},
        repeats=3,
    )
    case = "10000 rows x 50, Gaussian, 10 components"
    yield _faster(case, times["t"].median / times["o"].median, 4, times["o"].spread)
    base, peak = peak_memory(_FROM_ROWS, f"{_code(ours)}.fit(X)")
    stored = X.shape[0] ** 2 * 8
    yield Target(case, "peak memory / bytes of K", 1.1, True, (peak - base) / stored)
    name = f'{case}, gram="blocked"'
    yield _faster(name, times["t"].median / times["b"].median, 1, times["b"].spread)
    base, blocked_peak = peak_memory(_FROM_ROWS, f"{_code(blocked)}.fit(X)")
    their_base, their_peak = peak_memory(
        _FROM_ROWS, 'KernelPCA(10, kernel="rbf", eigen_solver="randomized").fit(X)'
    )
    share = (blocked_peak - base) / (their_peak - their_base)
    yield Target(name, "peak memory / scikit-learn's", 0.3, True, share)


def linear_targets() -> Iterator[Target]:
    """Cases of the linear kernel, where K is never formed."""
    X = np.random.default_rng(0).standard_normal((200_000, 100))
    ours = L1KernelPCA(10, random_state=0)
    theirs = PCA(10, svd_solver="covariance_eigh")
    times = side_by_side({"ours": lambda: ours.fit(X), "pca": lambda: theirs.fit(X)}, repeats=3)
    case = "linear kernel, 200000 rows x 100, 10 components"
    ratio = times["ours"].median / times["pca"].median
    yield Target(case, "time / scikit-learn's PCA", 10, True, ratio, times["ours"].spread)
    base, peak = peak_memory(_LINEAR_ROWS, "L1KernelPCA(10, random_state=0).fit(X)")
    yield Target(
        case, "peak memory / bytes of X, X included", 3.0, True, 1 + (peak - base) / X.nbytes
    )


def growth_targets() -> Iterator[Target]:
    """Exponents of the time in the number of rows, at a fixed number of components."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((16_000, 20))
    sizes = np.array([2000, 4000, 8000, 16_000])
    K = rbf_kernel(X)
    seconds = [timed(fitter(K[:n, :n].copy(), 10), 3).median for n in sizes.tolist()]
    yield Target("stored K, 10 components", "exponent in n", 2.1, True, _exponent(sizes, seconds))
    sizes = np.array([25_000, 50_000, 100_000, 200_000])
    X = rng.standard_normal((200_000, 50))
    model = L1KernelPCA(10, random_state=0, solver="fixed_point")
    seconds = [timed(partial(model.fit, X[:n]), 3).median for n in sizes]
    yield Target(
        "linear kernel, 10 components", "exponent in n", 1.1, True, _exponent(sizes, seconds)
    )


def import_targets() -> Iterator[Target]:
    """What it costs to load the package."""
    ours = process_seconds("import l1kpca", 9)
    theirs = process_seconds("import sklearn.decomposition", 9)
    ratio = ours.median / theirs.median
    yield Target("import l1kpca", "time / import sklearn.decomposition", 1.3, True, ratio)


def all_targets(data_dir: Any) -> Iterator[Target]:
    """Measure everything, one line after the other."""
    yield from import_targets()
    yield from stored_matrix_targets(data_dir)
    yield from rows_targets()
    yield from linear_targets()
    yield from growth_targets()


def _faster(case: str, factor: float, wanted: float, spread: float) -> Target:
    return Target(case, "scikit-learn's fastest / ours", wanted, False, factor, spread)


def _exponent(sizes: Array, seconds: list[float]) -> float:
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def _code(model: L1KernelPCA) -> str:
    changed = {k: v for k, v in model.get_params().items() if v != getattr(L1KernelPCA(), k)}
    return f"L1KernelPCA({', '.join(f'{k}={v!r}' for k, v in changed.items())})"
