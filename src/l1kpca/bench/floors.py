"""The least that is possible in a case, as a sentence made of what was measured."""

from __future__ import annotations

from collections.abc import Callable

from l1kpca.bench.from_rows import BLOCKED, EVALUATION, PASS
from l1kpca.bench.loading import IMPORT_SKLEARN
from l1kpca.bench.measured import Measured, growth
from l1kpca.bench.works import DEFAULT, LINEAR_PCA, OURS, READ

ROWS_OF_CASE = 10_000


def reads(part: str, case: str) -> Callable[[Measured], str]:
    """Reads of K, one for each component, beside what was reached."""

    def sentence(measured: Measured) -> str:
        read = measured.one(part=part, case=case, method=READ)
        count = int(read["n_components"])
        ours = measured.seconds(part=part, case=case, method=OURS)
        theirs = measured.fastest_sklearn(part=part, case=case)["seconds"]
        return (
            f"{count} reads of K take {count * read['seconds']:.3g} s, Algorithm 1 {ours:.3g} s,"
            f" scikit-learn {theirs:.3g} s"
        )

    return sentence


def evaluation(measured: Measured) -> str:
    """Evaluating K once."""
    seconds = measured.seconds(part="rows", method=EVALUATION)
    theirs = measured.fastest_sklearn(part="rows")["seconds"]
    return (
        f"evaluating K once takes {seconds:.3g} s, scikit-learn {theirs:.3g} s in all: a method"
        f" that needs no more than K would be {theirs / seconds:.1f} times faster"
    )


def matrix_bytes(measured: Measured) -> str:
    """K itself."""
    return "1.00, K itself"


def rows_bytes(measured: Measured) -> str:
    """X itself."""
    return "1.00, X itself"


def whole_processes(measured: Measured) -> str:
    """What processes hold before they begin."""
    rows = measured.where(part="memory", method=BLOCKED)
    row = rows[rows["n"] == rows["n"][rows["n"] <= ROWS_OF_CASE].max()].iloc[0]
    before, more = row["bytes_before"] / 1e6, (row["bytes_peak"] - row["bytes_before"]) / 1e6
    return (
        f"our process holds {before:.0f} MB of packages, compiled code and rows before it begins,"
        f" and {more:.0f} MB more in the fit"
    )


def pass_over_rows(case: str) -> Callable[[Measured], str]:
    """One product with X X^T."""

    def sentence(measured: Measured) -> str:
        seconds = measured.seconds(part="linear", case=case, method=PASS)
        theirs = measured.seconds(part="linear", case=case, method=LINEAR_PCA)
        ours = measured.seconds(part="linear", case=case, method=DEFAULT)
        return (
            f"one product with X Xᵀ takes {seconds:.3g} s, PCA {theirs:.3g} s in all, ours"
            f" {ours:.3g} s: ten products, one for each component, would be"
            f" {10 * seconds / theirs:.2g} times PCA"
        )

    return sentence


def exponent_of_reads(measured: Measured) -> str:
    """How reads of K grow."""
    rows = measured.where(part="growth", kernel="gaussian", method=READ)
    return f"one read of K grows with the exponent {growth(rows):.2f} in the same run"


def linear_exponent(measured: Measured) -> str:
    """One pass over X."""
    return "1, the exponent of X itself"


def import_of_sklearn(measured: Measured) -> str:
    """The import that is compared with."""
    seconds = measured.seconds(part="import", method=IMPORT_SKLEARN)
    return f"import sklearn.decomposition takes {seconds:.2f} s"
