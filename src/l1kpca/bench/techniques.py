"""What each technique brings: the same work with and without it, in turn.

Where a parameter of the library switches a technique off, whole fits are compared; else the inner
step alone, on the library's own classes and written the plain way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from l1kpca._typing import Array
from l1kpca.bench.base import NAME, Context, Part, Settings
from l1kpca.bench.timing import Works, as_rows, read, side_by_side
from l1kpca.bench.works import gaussian_matrix, make_rows, ours
from l1kpca.directions.fixed_point import SignFixedPoint
from l1kpca.directions.starts import sampled
from l1kpca.gram.base import Gram
from l1kpca.gram.dense import PrecomputedGram
from l1kpca.gram.factor import FactorGram, Identity
from l1kpca.journal import Row, Task
from l1kpca.threads import Workers, available_cores, single_threaded_blas, spans

_COLUMNS = 50
_VECTORS = 16


@dataclass(frozen=True)
class Technique:
    """A comparison: works by name, the one without the technique first, the library's own last.

    Attributes
    ----------
    name : str
        In the tasks.
    about : str
        What the technique is, for a reader.
    works : callable
        From rows, K and the number of components to works.
    """

    name: str
    about: str
    works: Callable[[Array, Array, int], Works]


def _fits(*choices: tuple[str, dict[str, object]]) -> Callable[[Array, Array, int], Works]:
    """Whole fits to a stored K that differ in some parameters."""

    def works(X: Array, K: Array, p: int) -> Works:
        return {name: ours(K, p, kernel="precomputed", **given) for name, given in choices}

    return works


def _precisions(X: Array, K: Array, p: int) -> Works:
    single = K.astype(np.float32)
    return {
        "float64": ours(K, p, kernel="precomputed"),
        "float32": ours(single, p, kernel="precomputed"),
    }


def _reads(X: Array, K: Array, p: int) -> Works:
    v = np.ones(len(K))
    gram = PrecomputedGram(K, Workers(available_cores()))
    return {
        "BLAS, K @ v": lambda: K @ v,
        "all of K, by a compiled loop": partial(read, K),
        "one triangle of K": lambda: gram.apply(v),
    }


def _updates(X: Array, K: Array, p: int) -> Works:
    stored = PrecomputedGram(K, Workers(available_cores()))
    gram = stored.center(np.full(len(K), 1 / len(K)))
    start = sampled(gram, np.random.default_rng(0))
    return {
        "a whole product in each step": lambda: with_whole_products(gram, start),
        "columns of flipped signs": lambda: SignFixedPoint().find(gram, start),
    }


class AllRows(FactorGram):
    """The linear kernel, held so that each step computes all entries of K c."""

    def thin(self) -> None:
        """None: no sign is followed."""


def _followed_signs(X: Array, K: Array, p: int) -> Works:
    many = make_rows(10 * len(X), X.shape[1])
    workers = Workers(available_cores())
    followed, computed = (kind(many, Identity(), workers) for kind in (FactorGram, AllRows))
    start = sampled(followed, np.random.default_rng(0))
    return {
        "all entries of K c": lambda: SignFixedPoint().find(computed, start),
        "entries that may change their sign": lambda: SignFixedPoint().find(followed, start),
    }


def with_whole_products(gram: Gram, c: Array) -> Array:
    r"""Algorithm 1 by :math:`c \leftarrow \operatorname{sgn}(K c)`, K read in each step.

    Parameters
    ----------
    gram : Gram
        Holds K.
    c : array (n,)
        Signs to begin with.
    """
    while True:
        image = gram.apply(c)
        new = np.where(image == 0, c, np.sign(image))
        if (new == c).all():
            return c
        c = new


def _blas_threads(X: Array, K: Array, p: int) -> Works:
    V = np.ones((len(K), _VECTORS))
    workers = Workers(available_cores())
    pieces = [(K[rows], V) for rows in spans(len(K), len(K) // 8 + 1)]

    def product() -> None:
        workers.run(np.matmul, pieces, cost=np.inf)

    def held() -> None:
        with single_threaded_blas():
            product()

    return {"BLAS with threads of its own": product, "BLAS held to one thread": held}


def _deflations(X: Array, K: Array, p: int) -> Works:
    written, scores = K.copy(), np.full((len(K), p), 1 / len(K))
    workers = Workers(available_cores())
    gram = PrecomputedGram(K, workers)
    y, c = scores[:, 0].copy(), np.ones(len(K))
    parts = spans(len(K), len(K) // 8 + 1)

    def write(rows: slice) -> None:
        written[rows] -= y[rows, np.newaxis] * y

    def in_place() -> None:
        workers.run(write, [(rows,) for rows in parts], cost=np.inf)
        gram.apply(c)

    return {
        "K deflated in place, then one product": in_place,
        "product with K - S Sᵀ, K not written": lambda: gram.apply(c) - scores @ (scores.T @ c),
    }


def _copies(X: Array, K: Array, p: int) -> Works:
    half = len(K) // 2
    name = "16 scores at a time taken off a copy of K"
    return _with_copies(name, K[:half, :half].copy(), 15 * p)


def _copies_for_columns(X: Array, K: Array, p: int) -> Works:
    name = "each score taken off the triangle of a copy of K"
    return _with_copies(name, K, 6 * p, start="column")


def _with_copies(name: str, K: Array, p: int, **settings: Any) -> Works:
    return {
        "all earlier scores subtracted in each step": ours(
            K, p, kernel="precomputed", memory_limit=K.nbytes // 2, **settings
        ),
        name: ours(K, p, kernel="precomputed", **settings),
    }


def _many_starts(X: Array, K: Array, p: int) -> Works:
    one = [
        ours(K, p, kernel="precomputed", start="random", random_state=k) for k in range(_VECTORS)
    ]
    return {
        "16 fits, one after the other": lambda: [fit() for fit in one],
        "16 starts side by side": ours(
            K, p, kernel="precomputed", start="random", n_starts=_VECTORS
        ),
    }


def _evaluations(X: Array, K: Array, p: int) -> Works:
    gamma = 1 / (2 * X.var(axis=0).sum())
    return {
        "scikit-learn's rbf_kernel": partial(rbf_kernel, X, gamma=gamma),
        "one triangle in tiles, mirrored": partial(gaussian_matrix, X, gamma),
    }


def _linear_kernel(X: Array, K: Array, p: int) -> Works:
    return {"X Xᵀ stored": ours(X, p, gram="dense"), "X alone": ours(X, p, gram="factor")}


TECHNIQUES = (
    Technique("read", "One product with a stored K", _reads),
    Technique("update", "Steps of one search of Algorithm 1", _updates),
    Technique("deflation", "Deflation before one product", _deflations),
    Technique("copy", "Many components: 150 of 3000 rows", _copies),
    Technique("columns", "Many components, the paper's start: 60 of 6000", _copies_for_columns),
    Technique("start", "Where each search begins", _fits(
        ("the paper's column", {"start": "column"}),
        ("leading eigenvector", {"start": "eigen"}),
        ("random signs", {"start": "random"}),
        ("largest norm", {"start": "norm"}),
        ("best of 64 columns", {"start": "sampled"}),
    )),
    Technique("starts", "Sixteen random starts", _many_starts),
    Technique("threads", "Threads", _fits(("one", {"n_jobs": 1}), ("all cores", {}))),
    Technique("blas", "Sixteen products at once, in our threads", _blas_threads),
    Technique("precision", "Precision of K", _precisions),
    Technique("kernel", "Evaluating the Gaussian kernel", _evaluations),
    Technique("linear", "The linear kernel", _linear_kernel),
    Technique("signs", "Its steps: one search on 60 000 rows", _followed_signs),
    Technique("polish", "What polishing costs", _fits(
        ("Algorithm 1 alone", {"solver": "fixed_point"}),
        ("polished (default)", {"solver": "polished"}),
    )),
)  # fmt: skip
"""In the order of the page."""


def plan(settings: Settings) -> list[Task]:
    """One task for each technique, all on the same rows."""
    at = {"n": 200, "n_components": 2} if settings.quick else {"n": 6000, "n_components": 10}
    seconds = 0.2 if settings.quick else 8.0
    return [
        Task(NAME, "techniques", {**at, "technique": technique.name}, seconds=seconds)
        for technique in TECHNIQUES
    ]


def measure(task: Task, context: Context) -> list[Row]:
    """Time with and without, in turn."""
    at = task.parameters
    X = make_rows(at["n"], _COLUMNS)
    (technique,) = [known for known in TECHNIQUES if known.name == at["technique"]]
    works = technique.works(X, gaussian_matrix(X), at["n_components"])
    for work in works.values():
        work()  # loads the compiled code
    return as_rows(side_by_side(works, context.settings.repeats))


PART = Part("techniques", plan, measure)
