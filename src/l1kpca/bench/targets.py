"""What the library aims at, each target held against what was measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from l1kpca.bench import floors
from l1kpca.bench.from_rows import BLOCKED, FALLING, NORMAL
from l1kpca.bench.loading import IMPORT_OURS, IMPORT_SKLEARN
from l1kpca.bench.measured import Measured, NotMeasuredError, Reached, growth, over
from l1kpca.bench.stored import ALL, COLUMN, FEW, SOME, STARTS
from l1kpca.bench.works import DEFAULT, LINEAR_PCA, OURS, PLAIN, READ
from l1kpca.journal import QUICK

READS, FASTER = "time / reads of K", "scikit-learn's fastest / ours"
_ROWS, _LINEAR = "10000 rows x 50, Gaussian, 10 components", "200000 rows x 100, linear kernel"


@dataclass(frozen=True)
class Target:
    """One line of the table of targets.

    Attributes
    ----------
    case, measure : str
        What is measured where.
    bound : float
        What is aimed at.
    at_most : bool
        Whether the number must not exceed the bound, or must not fall below it.
    find : callable
        From what was measured to the number.
    floor : callable
        From what was measured to a sentence on the least that is possible.
    reason : str
        Why the target may be missed; shown where it is.
    """

    case: str
    measure: str
    bound: float
    at_most: bool
    find: Callable[[Measured], Reached]
    floor: Callable[[Measured], str]
    reason: str

    @property
    def aim(self) -> str:
        """The bound with its sense."""
        return f"{'≤' if self.at_most else '≥'} {self.bound:g}"


@dataclass(frozen=True)
class Judged:
    """A target and the number that was reached; None if it was not measured."""

    target: Target
    reached: Reached | None
    floor: str = ""
    is_quick: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the target was reached; None if not measured, or only on a small scale."""
        if self.reached is None or self.is_quick:
            return None
        value, bound = self.reached.value, self.target.bound
        return value <= bound if self.target.at_most else value >= bound

    @property
    def verdict(self) -> str:
        """The same in words."""
        if self.reached is not None and self.is_quick:
            return "not judged"
        return {True: "met", False: "not met", None: "not measured"}[self.met]


def judge(frame: pd.DataFrame) -> list[Judged]:
    """Hold every target against the rows of a run.

    Parameters
    ----------
    frame : DataFrame
        Tidy rows, complete or not.
    """
    measured = Measured(frame)
    is_quick = bool((frame["size"] == QUICK).any())
    return [_judged(target, measured, is_quick) for target in TARGETS]


def _judged(target: Target, measured: Measured, is_quick: bool) -> Judged:
    try:
        reached = target.find(measured)
    except NotMeasuredError:
        return Judged(target, None)
    try:
        floor = target.floor(measured)
    except NotMeasuredError:
        floor = ""
    return Judged(target, reached, floor, is_quick)


def _reads(method: str) -> Callable[[Measured], Reached]:
    def find(measured: Measured) -> Reached:
        row = measured.one(part="mnist", case=ALL, method=method)
        read = measured.one(part="mnist", case=ALL, method=READ)
        return over(row, read, times=row["n_components"])

    return find


def _ratio(top: str, bottom: str, **where: str) -> Callable[[Measured], Reached]:
    return lambda measured: over(
        measured.one(method=top, **where), measured.one(method=bottom, **where)
    )


def _faster(method: str, **where: str) -> Callable[[Measured], Reached]:
    return lambda measured: over(
        measured.fastest_sklearn(**where), measured.one(method=method, **where)
    )


def _memory_over_matrix(measured: Measured) -> Reached:
    row = _memory(measured, OURS)
    return _once((row["bytes_peak"] - row["bytes_before"]) / (8 * row["n"] ** 2))


def _blocked_memory(measured: Measured) -> Reached:
    """Whole processes: the fastest solver of scikit-learn is compared with K in blocks."""
    theirs = _memory(measured, measured.fastest_sklearn(part="rows")["method"])
    return _once(_memory(measured, BLOCKED)["bytes_peak"] / theirs["bytes_peak"])


def _linear_memory(measured: Measured) -> Reached:
    row = measured.one(part="memory", method=DEFAULT)
    return _once(1 + (row["bytes_peak"] - row["bytes_before"]) / (8 * row["n"] * row["d"]))


def _memory(measured: Measured, method: str) -> pd.Series:
    """At the n of the case from rows, or at the largest in a quick run."""
    sizes = measured.where(part="memory", method=method)["n"]
    wanted = [n for n in sizes if n <= floors.ROWS_OF_CASE]
    if not wanted:
        raise NotMeasuredError(f"no memory of {method}")
    return measured.one(part="memory", method=method, n=max(wanted))


def _exponent(kernel: str) -> Callable[[Measured], Reached]:
    return lambda measured: _once(growth(measured.where(part="growth", kernel=kernel, method=OURS)))


def _once(value: float) -> Reached:
    return Reached(float(value), float(value), float(value))


TARGETS = (
    Target(
        "Mnist, 78 components", READS, 2.0, True, _reads(OURS), floors.reads("mnist", ALL),
        "A search looks at more than K once: its start, the columns of the signs that flip in each"
        " step, and the scores of all earlier components, which are subtracted from each of these.",
    ),
    Target(
        "Mnist, 78 components", FASTER, 1.0, False, _faster(OURS, part="mnist", case=ALL),
        floors.reads("mnist", ALL),
        "Deflation looks at K anew for each component; a block method finds all at once.",
    ),
    Target(
        'Mnist, 78 components, start="column"', READS, 4.0, True, _reads(COLUMN),
        floors.reads("mnist", ALL),
        "The paper's start needs the absolute value of every entry of the deflated matrix, which is"
        " written anew for each component.",
    ),
    Target(
        'Mnist, 78 components, start="column"', FASTER, 1.0, False,
        _faster(COLUMN, part="mnist", case=ALL), floors.reads("mnist", ALL),
        "The paper's start looks at every entry of the deflated matrix for each component, a block"
        " method finds all components at once.",
    ),
    Target(
        "Mnist, 2 components", FASTER, 20.0, False, _faster(OURS, part="mnist", case=FEW),
        floors.reads("mnist", FEW),
        "Beside the components, K is read once to check that it is symmetric and finite and to take"
        " its means; a look that does not become cheaper with fewer components.",
    ),
    Target(
        "Mnist, 10 components", FASTER, 4.0, False, _faster(OURS, part="mnist", case=SOME),
        floors.reads("mnist", SOME),
        "Each component takes its own reads of K; scikit-learn's solvers share theirs.",
    ),
    Target(
        "Musk, 166 components", FASTER, 1.0, False, _faster(OURS, part="musk"),
        floors.reads("musk", ALL),
        "Searches of a few dozen steps, each of which takes a tenth of a millisecond of Python.",
    ),
    Target(
        _ROWS, FASTER, 4.0, False, _faster(OURS, part="rows"), floors.evaluation,
        "Evaluating the kernel is part of both times, and no method is spared it.",
    ),
    Target(
        _ROWS, "peak memory / bytes of K", 1.1, True, _memory_over_matrix, floors.matrix_bytes,
        "K is held once; what comes on top are tiles, scores and buffers of threads.",
    ),
    Target(
        f'{_ROWS}, gram="blocked"', FASTER, 1.0, False, _faster(BLOCKED, part="rows"),
        floors.evaluation,
        "Without a stored K the kernel is evaluated again in each pass.",
    ),
    Target(
        f'{_ROWS}, gram="blocked"', "peak memory of the process / scikit-learn's fastest", 0.3,
        True, _blocked_memory, floors.whole_processes,
        "The packages are part of both peaks, in ours also the compiler, numba; they are nearly all"
        " of it.",
    ),
    Target(
        "Mnist, 10 components, 16 starts", "time / time of one start", 3.0, True,
        _ratio(STARTS, OURS, part="mnist", case=SOME), floors.reads("mnist", SOME),
        "Searches from random signs take more steps than the one from a good start, and only the"
        " passes over K are shared.",
    ),
    *(
        Target(
            f"{_LINEAR}, 10 components, {rows}", "time / scikit-learn's PCA", 10.0, True,
            _ratio(DEFAULT, LINEAR_PCA, part="linear", case=rows), floors.pass_over_rows(rows),
            "PCA forms the covariance of the columns in one pass. Each search makes several passes"
            " over the rows, and directions that are nearly as good as each other take many steps.",
        )
        for rows in (FALLING, NORMAL)
    ),
    Target(
        f"{_LINEAR}, 10 components", "peak memory / bytes of X, X included", 3.0, True,
        _linear_memory, floors.rows_bytes,
        "The model keeps a copy of X, and centering makes another where the mean is large.",
    ),
    Target(
        "Mnist, 10 components", "plain NumPy Algorithm 1 / ours", 10.0, False,
        _ratio(PLAIN, OURS, part="mnist", case=SOME), floors.reads("mnist", SOME),
        "Plain NumPy runs at the speed of memory too, on one core but for products: what can be"
        " saved are its passes over K.",
    ),
    Target(
        'Mnist, 10 components, start="column"', "plain NumPy Algorithm 1 / ours", 10.0, False,
        _ratio(PLAIN, COLUMN, part="mnist", case=SOME), floors.reads("mnist", SOME),
        "The paper's start on both sides: the whole deflated matrix for each component.",
    ),
    Target(
        "stored K, 10 components", "exponent of the time in n", 2.1, True, _exponent("gaussian"),
        floors.exponent_of_reads,
        "Small matrices stay in the caches, large ones do not, and searches take more steps.",
    ),
    Target(
        "linear kernel, 10 components", "exponent of the time in n", 1.1, True,
        _exponent("linear"), floors.linear_exponent,
        "Few rows stay in the caches, many do not, and searches take more steps.",
    ),
    Target(
        "import l1kpca", "time / import sklearn.decomposition", 1.3, True,
        _ratio(IMPORT_OURS, IMPORT_SKLEARN, part="import"), floors.import_of_sklearn,
        "The package loads scikit-learn's base classes and pairwise kernels, and its own modules.",
    ),
)  # fmt: skip
"""In the order of the page."""
