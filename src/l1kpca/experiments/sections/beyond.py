"""Beyond the paper, for a reader."""

from __future__ import annotations

import pandas as pd

from l1kpca.experiments import paper
from l1kpca.experiments.beyond import VARIANTS
from l1kpca.page_parts import Figure, Section, Table, paragraphs, ratio, shown

_MEASURES = {"first": 2, "total": 2, "area": 3}
_NARROW = ("Algorithm 1", "polished", "best known")

_TEXT = """\
Starts and polishing: the same components searched for in other ways. Algorithm 1 stops where no
sign of K c differs from c; polishing goes on with single flips that raise the objective; several
starts keep the best.

Narrow kernels: the nearer K is to a diagonal matrix, the more sign vectors are fixed points of
Algorithm 1, which then stops at once at a poor one.

Steps: Theorem 2 bounds the gap by a factor rho below 1 at each step, but rho can be so near to 1
that the bound says little; the steps that are really needed are few.
"""


def section(rows: pd.DataFrame) -> Section:
    """Text, tables and figures."""
    done = rows[rows["status"] == "done"]
    parts = {name: done[done["part"] == name] for name in ("variants", "narrow", "rate")}
    tables = []
    if len(parts["variants"]):
        tables.append(_variants(parts["variants"]))
        tables.append(_detail(parts["variants"]))
    if len(parts["narrow"]):
        tables.append(_narrow(parts["narrow"]))
    if len(parts["rate"]):
        tables.append(_rate(parts["rate"]))
    return Section(
        "Beyond the paper",
        paragraphs(_TEXT),
        [
            Figure("beyond_variants", "Objective and time of other searches, against Algorithm 1."),
            Figure("beyond_narrow", "The first objective over the best known, wide to narrow."),
            Figure("beyond_iterations", "Steps of Algorithm 1 against the number of rows."),
            Figure("beyond_rate", "The gap at each step, and the bound of Theorem 2."),
        ],
        tables,
    )


def _relative(runs: pd.DataFrame) -> pd.DataFrame:
    """Objective, area and time against Algorithm 1 on the same data and kernel."""
    keys = ["dataset", "kernel"]
    unit = runs[runs["variant"] == "Algorithm 1"]
    joined = runs.merge(unit, on=keys, suffixes=("", "_unit"))
    gain = {
        name: 100 * (joined[f"{name}_objective"] / joined[f"{name}_objective_unit"] - 1)
        for name in ("first", "total")
    }
    return joined.assign(
        **gain,
        area=joined["pr_auc"] - joined["pr_auc_unit"],
        time=joined["seconds"] / joined["seconds_unit"],
    )


def _variants(runs: pd.DataFrame) -> Table:
    relative = _relative(runs)
    lines = []
    for variant in VARIANTS:
        own = relative[relative["variant"] == variant]
        if own.empty:
            continue
        cells = [_range(own[name], digits) for name, digits in _MEASURES.items()]
        lines.append([variant, *cells, ratio(own["time"].median())])
    heads = ["", "first objective, %", "all objectives, %", "area", "time, median ratio"]
    title = "Against Algorithm 1: mean over data sets and kernels (least to largest)"
    return Table(title, heads, lines)


def _range(values: pd.Series, digits: int) -> str:
    mean, low, high = (f"{v:+.{digits}f}" for v in (values.mean(), values.min(), values.max()))
    return f"{mean} ({low} to {high})"


def _detail(runs: pd.DataFrame) -> Table:
    areas = runs.pivot_table(index=["dataset", "kernel"], columns="variant", values="pr_auc")
    lines = [
        [f"{name} {kernel}", *(shown(areas.loc[(name, kernel)].get(v), 3) for v in VARIANTS)]
        for name in paper.datasets_of(areas.index.get_level_values(0))
        for kernel in ("linear", "gaussian")
        if (name, kernel) in areas.index
    ]
    title = "Area under the precision-recall curve by how the components were searched for"
    return Table(title, ["", *VARIANTS], lines)


def _narrow(runs: pd.DataFrame) -> Table:
    means = runs.pivot_table(index="gamma", columns="variant", values="objective")
    lines = [
        [
            f"γ = {gamma:g}",
            *(shown(line[name], 1) for name in _NARROW),
            f"{100 * line['Algorithm 1'] / line['best known']:.1f} %",
        ]
        for gamma, line in means.iterrows()
    ]
    title = "First L1 objective with a kernel from wide to narrow: mean over seeds"
    return Table(title, ["", *_NARROW, "Algorithm 1 over best"], lines)


def _rate(steps: pd.DataFrame) -> Table:
    lines = []
    for (name, kernel), group in steps.groupby(["dataset", "kernel"], sort=False):
        counts = group.groupby("component")["step"].max()
        moving = group[group["bound"].notna()]
        slack = (moving["bound"] - moving["gap"]).min()
        largest = group.loc[group["rho"] < 1 - 1e-9, "rho"].max()
        cells = [", ".join(f"{c:.0f}" for c in counts), shown(moving["ratio"].median(), 3)]
        lines.append([f"{name} {kernel}", *cells, shown(largest, 6), f"{slack:.1e}"])
    heads = ["", "steps of components 1 to 3", "median ratio of gaps", "largest rho", "least slack"]
    return Table("Theorem 2 on real runs: gaps relative to the norm at the end", heads, lines)
