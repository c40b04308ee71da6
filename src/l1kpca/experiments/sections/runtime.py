"""Time, for a reader."""

from __future__ import annotations

import pandas as pd

from l1kpca.experiments import paper
from l1kpca.experiments.claims.runtime import time_ratios
from l1kpca.experiments.methods import ALGORITHM_1, ALL_METHODS, METHODS, POLISHED
from l1kpca.page_parts import (
    ABSENT,
    Figure,
    Section,
    Table,
    paragraphs,
    ratio,
    shown,
)

_TEXT = """\
From standardized rows to all components, K included, each fit in a process of its own with the
compiled code loaded; the best of three where a fit is short. Ratios are to Algorithm 1 in the same
run. Two cores; other work on the machine moves them.

All methods get the whole matrix (dense), as in the paper. With the linear kernel the library itself
works on the columns instead (factor), which is a table of its own.

The peers are implemented as well as they can be: KPCA-L1 and L1-KPCA decompose K once, where the
paper's versions do so for every component. Their ratios are therefore far below the paper's.

A fit that used up the time budget was cut off and is shown as “>” with the budget.
"""


def section(rows: pd.DataFrame) -> Section:
    """Text, tables and figures."""
    tables = [_beside(rows)]
    tables += [_ratios(rows, "factor")] if rows["gram"].eq("factor").any() else []
    cpu = "Seconds of all threads together, which other work on the machine hardly changes"
    memory = "Megabytes that the fit adds to the process at its peak"
    tables += [
        _by_method(rows, "seconds", "Seconds", digits=3),
        _by_method(rows, "cpu_seconds", cpu, digits=3),
        _by_method(rows, "n_iter", "Steps, all components together"),
        _by_method(rows, "peak_megabytes", memory),
        _work(rows),
    ]
    return Section(
        "Time for all components",
        paragraphs(_TEXT),
        [Figure("runtime", "Time over that of Algorithm 1: ours and the paper's.")],
        tables,
    )


def _cut(rows: pd.DataFrame, gram: str) -> set[tuple[str, str, str]]:
    cut = rows[(rows["status"] == "cut off") & (rows["gram"] == gram)]
    return set(zip(cut["dataset"], cut["kernel"], cut["method"], strict=True))


def _ratio_cells(
    ratios: pd.DataFrame, key: tuple[str, str], cut: set[tuple[str, str, str]]
) -> list[str]:
    line = ratios.loc[key]
    return [
        ("> " if (*key, method) in cut else "") + ratio(line.get(method)) for method in ALL_METHODS
    ]


def _beside(rows: pd.DataFrame) -> Table:
    ratios, cut = time_ratios(rows), _cut(rows, "dense")
    lines = []
    for name in paper.datasets_of(ratios.index.get_level_values(0)):
        for kernel in ("linear", "gaussian"):
            if (name, kernel) in ratios.index:
                cells = _ratio_cells(ratios, (name, kernel), cut)
                lines.append([f"{name} {kernel}, ours", *cells])
                theirs = [ratio(paper.time_ratio(name, m, kernel)) for m in METHODS]
                lines.append([f"{name} {kernel}, paper", *theirs, ABSENT])
    title = "Time over that of Algorithm 1, the whole matrix for every method"
    return Table(title, ["", *ALL_METHODS], lines)


def _ratios(rows: pd.DataFrame, gram: str) -> Table:
    ratios, cut = time_ratios(rows, gram), _cut(rows, gram)
    lines = [
        [f"{name} linear", *_ratio_cells(ratios, (name, "linear"), cut)]
        for name in paper.datasets_of(ratios.index.get_level_values(0))
    ]
    title = "Time over that of Algorithm 1, linear kernel on the columns (factor)"
    return Table(title, ["", *ALL_METHODS], lines)


def _by_method(rows: pd.DataFrame, column: str, title: str, digits: int = 0) -> Table:
    """One number for each method; the budget where it was cut off."""
    lines = []
    for (name, kernel, gram), group in rows.groupby(["dataset", "kernel", "gram"], sort=False):
        by_method = group.set_index("method").reindex(list(ALL_METHODS))
        cells = [shown(value, digits) for value in by_method[column]]
        cut = by_method["status"].eq("cut off")
        if column == "seconds":
            marks = [f"> {budget:.0f}" for budget in by_method["budget"].fillna(0)]
        else:
            marks = ["cut off"] * len(cells)
        cells = [mark if c else cell for cell, mark, c in zip(cells, marks, cut, strict=True)]
        lines.append([f"{name} {kernel}, {gram}", *cells])
    return Table(title, ["", *ALL_METHODS], lines)


def _work(rows: pd.DataFrame) -> Table:
    lines = []
    counted = rows[rows["status"].eq("done") & rows["method"].isin([ALGORITHM_1, POLISHED])]
    for _, line in counted.iterrows():
        numbers = [shown(line[c], 0) for c in ("n_components", "n_iter", "flips")]
        place = f"{line['dataset']} {line['kernel']}, {line['gram']}"
        lines.append([place, line["method"], *numbers, shown(line["passes"], 1)])
    title = (
        "Work of Algorithm 1 and of the polished search; a product that needs only some columns of"
        " K counts in proportion"
    )
    heads = ["", "method", "components", "steps", "flips", "products with K"]
    return Table(title, heads, lines)
