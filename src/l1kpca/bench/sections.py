"""The sections of the page beside the targets; each is made of tidy rows alone."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from l1kpca.bench.grid_tables import exponents, grid_tables
from l1kpca.bench.loading import COLD, GAUSSIAN_COLUMNS, SECOND, WARM
from l1kpca.bench.measured import Measured
from l1kpca.bench.techniques import TECHNIQUES
from l1kpca.page_parts import ABSENT, Figure, Section, Table, paragraphs, ratio

_METHOD = """
Times are medians of the clock on the wall, with compiled code loaded. Methods take turns within a
case: each round runs all of them once, so that a change of the machine's load meets all. Five
rounds, three for a method that takes more than ten seconds; in the grid fewer where time is short,
as the column of repeats says. A ratio is one of medians; beside it stand the lowest and the
highest ratio of a single round.

One read of K is the product y = K v with a vector of ones, by rows, in a compiled loop on all
cores: all n² entries stream through the cores once, and only the n sums are written. "p reads" is p
times the median of one. The library itself may do with less, since it reads one triangle alone.

scikit-learn's `KernelPCA` gets a matrix of its own with `copy_X=False`, so it is spared a copy of
K, and BLAS keeps its threads. Its fastest is the solver with the smallest median in the case.

Peak memory is that of a fresh process: the largest resident size (VmHWM on Linux), counted from the
moment when packages, compiled code and rows are loaded. Where a target speaks of the bytes of K or
X, what was resident at that moment is subtracted; where it compares whole processes, it is not.
Imports are timed inside fresh interpreters, without the start of the interpreter.
"""
_GRID = """
All methods on rows with 128 columns of variance 1/j; the Gaussian kernel has the width of the mean
squared distance. With the Gaussian kernel all methods get the stored matrix. With the linear kernel
all get the rows: ours never forms K, the kernel PCAs of others do. Up to 2000 rows, `start="auto"`
is the paper's start, which looks at all pairs of rows and needs no seed; beyond, it looks at a
sample: hence the bend of the linear kernel there.

Columns of other methods are multiples of the time of Algorithm 1. "cut off": the time at the next
smaller n, grown by n² (n³ for the dense solver and `KwakKernelPCA`), exceeds the budget of a
method, so it was not run; the solver of scikit-learn that is expected to be its fastest gets three
times the budget.
"""
_MEMORY = """
Gaussian kernel from rows with 50 columns, 10 components, in megabytes on top of packages and rows;
in brackets the multiple of the bytes of K.
"""
_LOADING = """
Fit of 1000 rows with the Gaussian kernel in a fresh process. With an empty cache numba compiles the
loops; later processes load them from its cache.
"""
_TECHNIQUES = """
Each technique on and off on 6000 rows, 10 components where whole fits are compared, unless it says
otherwise. The last line
of a technique has it; the factor is the time of a line over that of the last.
"""


def all_sections(frame: pd.DataFrame) -> list[Section]:
    """All sections that there are rows for; the others have no tables."""
    measured = Measured(frame)
    return [make(measured) for make in _MAKERS]


def method_text() -> list[str]:
    """How it is measured."""
    return paragraphs(_METHOD.strip())


def _grid(measured: Measured) -> Section:
    figures = [
        Figure("speed_time_n", "Time against n for each number of components p, float64."),
        Figure("speed_ratio", "How many times faster than scikit-learn's fastest solver."),
        Figure("speed_time_p", "Time against the number of components p, at the largest n."),
    ]
    text = paragraphs(_GRID.strip())
    return Section("Time against n and p", text, figures, grid_tables(measured))


def _growth(measured: Measured) -> Section:
    text = ["Exponents a of the fit t = b nᵃ, or t = b pᵃ, by least squares of logarithms."]
    return Section("Growth", text, [], exponents(measured))


def _memory(measured: Measured) -> Section:
    rows = measured.where(part="memory")
    if rows.empty:
        return Section("Memory", [])
    figures = [Figure("speed_memory", "Peak memory against n, packages and rows subtracted.")]
    linear = [
        [row["method"], f"{row['n']:.0f}", *_linear_memory(row)]
        for _, row in rows[rows["d"] != GAUSSIAN_COLUMNS].iterrows()
    ]
    columns = ["method", "n", "on top of X, MB", "with X, multiple of X"]
    tables = [
        _gaussian_memory(rows[rows["d"] == GAUSSIAN_COLUMNS]),
        Table("Linear kernel, 100 columns", columns, linear),
    ]
    return Section("Memory", paragraphs(_MEMORY.strip()), figures, tables)


def _gaussian_memory(rows: pd.DataFrame) -> Table:
    methods = list(dict.fromkeys(rows["method"]))
    lines = []
    for n, own in rows.groupby("n"):
        used = {row["method"]: row["bytes_peak"] - row["bytes_before"] for _, row in own.iterrows()}
        cells = [
            f"{used[name] / 1e6:.0f} ({used[name] / (8 * n**2):.2f})" if name in used else ABSENT
            for name in methods
        ]
        lines.append([f"{n:.0f}", *cells])
    return Table("Gaussian kernel", ["n", *methods], lines)


def _linear_memory(row: pd.Series) -> list[str]:
    used, size = row["bytes_peak"] - row["bytes_before"], 8 * row["n"] * row["d"]
    return [f"{used / 1e6:.0f}", ratio(1 + used / size)]


def _loading(measured: Measured) -> Section:
    imports = measured.where(part="import")
    calls = measured.where(part="first call")
    lines = [[row["method"], *_timed(row)] for _, row in imports.iterrows()]
    names = {COLD: "first call, empty cache", WARM: "first call, filled cache"}
    names[SECOND] = "second call in the same process"
    lines += [[names[row["method"]], *_timed(row)] for _, row in calls.iterrows()]
    table = Table("Seconds", ["", "median", "spread", "repeats"], lines)
    return Section("Import and first call", paragraphs(_LOADING.strip()), [], [table] * bool(lines))


def _timed(row: pd.Series) -> list[str]:
    return [f"{row['seconds']:.3g}", f"{row['spread']:.0%}", f"{row['repeats']:.0f}"]


def _techniques(measured: Measured) -> Section:
    lines = []
    for technique in TECHNIQUES:
        rows = measured.where(part="techniques", technique=technique.name)
        for place, (_, row) in enumerate(rows.iterrows()):
            factor = row["seconds"] / rows["seconds"].iloc[-1]
            name = technique.about if place == 0 else ""
            cells = [f"{1000 * row['seconds']:.3g}", f"{row['spread']:.0%}", ratio(factor)]
            lines.append([name, row["method"], *cells])
    columns = ["technique", "choice", "milliseconds", "spread", "factor"]
    tables = [Table("On and off", columns, lines)] if lines else []
    return Section("What each technique brought", paragraphs(_TECHNIQUES.strip()), [], tables)


_MAKERS: tuple[Callable[[Measured], Section], ...] = (
    _techniques,
    _grid,
    _growth,
    _memory,
    _loading,
)
