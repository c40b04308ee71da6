"""The grid as tables: a line for each n and p, and the exponents of growth."""

from __future__ import annotations

import pandas as pd

from l1kpca.bench.measured import Measured, NotMeasuredError, growth
from l1kpca.bench.works import DEFAULT, KWAK, LINEAR_PCA, OURS, PLAIN, READ, SKLEARN
from l1kpca.page_parts import ABSENT, Table, ratio

OTHERS = (*SKLEARN, LINEAR_PCA, KWAK, PLAIN)
"""In the order of the columns."""


def grid_tables(measured: Measured) -> list[Table]:
    """A table for each kernel and precision."""
    rows = measured.where(part="grid")
    if rows.empty:
        return []
    groups = rows.groupby(["kernel", "dtype"], sort=False)
    return [_table(f"{kernel} kernel, {dtype}", own) for (kernel, dtype), own in groups]


def _table(title: str, rows: pd.DataFrame) -> Table:
    others = [name for name in OTHERS if (rows["method"] == name).any()]
    has_reads = (rows["method"] == READ).any()
    columns = ["n", "p", "Algorithm 1, s", "spread", "repeats", "polished, s"]
    columns += ["p reads, s", "Algorithm 1 / p reads"] if has_reads else []
    lines = []
    for (n, p), own in rows.groupby(["n", "n_components"]):
        cells = own.set_index("method")
        ours = cells.loc[OURS]
        line = [f"{n:.0f}", f"{p:.0f}", _seconds(ours["seconds"])]
        line += [f"{ours['spread']:.0%}", f"{ours['repeats']:.0f}"]
        line.append(_seconds(cells.loc[DEFAULT, "seconds"]))
        if has_reads:
            reads = p * cells.loc[READ, "seconds"]
            line += [_seconds(reads), ratio(ours["seconds"] / reads)]
        lines.append(line + [_multiple(cells, name, ours["seconds"]) for name in others])
    return Table(title[0].upper() + title[1:], columns + others, lines)


def _seconds(value: float) -> str:
    return f"{value:.3g}"


def _multiple(cells: pd.DataFrame, name: str, seconds: float) -> str:
    """The time of a method in units of ours."""
    if name not in cells.index:
        return ABSENT
    theirs = cells.loc[name, "seconds"]
    return "cut off" if pd.isna(theirs) else ratio(theirs / seconds)


def exponents(measured: Measured) -> list[Table]:
    """Growth of the time in n at the p of most sizes, and in p at the largest n."""
    rows = measured.where(part="grid")
    rows = rows[rows["seconds"].notna()]
    lines = []
    for kernel in ("gaussian", "linear"):
        own = measured.where(part="growth", kernel=kernel)
        for method, part in own.groupby("method", sort=False):
            lines.append(_line(f"{kernel}, {method}", part, "n"))
    for (kernel, dtype), own in rows.groupby(["kernel", "dtype"], sort=False):
        own = own[own["method"].isin([OURS, DEFAULT])]
        for p, part in own[own["method"] == OURS].groupby("n_components"):
            lines.append(_line(f"{kernel}, {dtype}, {OURS}, p = {p:.0f}", part, "n"))
        largest = own[own["n"] == own["n"].max()]
        for method, part in largest.groupby("method", sort=False):
            name = f"{kernel}, {dtype}, {method}, n = {largest['n'].max():.0f}"
            lines.append(_line(name, part, "n_components"))
    columns = ["case", "grows with", "from", "to", "exponent"]
    found = [line for line in lines if line]
    return [Table("Fitted exponents", columns, found)] if found else []


def _line(name: str, rows: pd.DataFrame, by: str) -> list[str]:
    try:
        found = growth(rows, by)
    except NotMeasuredError:
        return []
    letter = "n" if by == "n" else "p"
    return [name, letter, f"{rows[by].min():.0f}", f"{rows[by].max():.0f}", f"{found:.2f}"]
