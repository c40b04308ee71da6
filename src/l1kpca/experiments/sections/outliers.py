"""Outlier detection, for a reader."""

from __future__ import annotations

import pandas as pd

from l1kpca.experiments import paper
from l1kpca.experiments.claims.outliers import auc_table, paper_value
from l1kpca.experiments.methods import L2_KPCA, METHODS
from l1kpca.experiments.outlier_search import COUNTS, DRAWS, VARIANTS
from l1kpca.page_parts import ABSENT, Figure, Section, Table, paragraphs, shown

_COLUMNS = [(m, k) for k in ("linear", "gaussian") for m in METHODS]
_COLUMNS += [("LOF", ""), ("iForest", "")]
_ROUNDING, _APART = 1e-9, 0.02
_HEADS = [f"{m} {k}".strip() for m, k in _COLUMNS]

_TEXT = """\
Standardized columns, constant ones dropped; as many components as columns; the Gaussian kernel
exp(-|x - y|² / (2 d²)) with d columns; K not centered. The paper's rule; area under the
precision-recall curve by trapezoids.

With the linear kernel, as many components as columns leave no distance from the subspace: R1-KPCA
as implemented here then is L2-KPCA. The paper's R1-KPCA differs from its L2-KPCA, for a reason that
it does not give.

A perfect ranking on Musk gives 1 here and 0.9947 in the paper: 1 - 1/(2·97) = 0.9948 is what
trapezoids give if the curve is drawn from the point (0, 0) on, which may be how the paper drew it.
"""


def section(rows: pd.DataFrame) -> Section:
    """Text, tables and figures."""
    ours = auc_table(rows)
    names = paper.datasets_of(ours.index.get_level_values(0))
    cut = rows[rows["status"] == "cut off"]
    stopped = set(zip(cut["dataset"], cut["method"], cut["kernel"], strict=True))
    tables = [_beside(ours, names, stopped)]
    tables += [_measure(rows, names, m) for m in ("average_precision", "roc_auc")]
    tables.append(_spread(rows))
    search = rows[(rows["part"] == "search") & (rows["status"] == "done")]
    tables += [_search(search)] if len(search) else []
    return Section(
        "Outlier detection",
        [*paragraphs(_TEXT), *_all_apart(ours), *(_search_text(search) if len(search) else [])],
        [Figure("outliers", "Area under the precision-recall curve: ours and the paper's.")],
        tables,
    )


def _beside(ours: pd.Series, names: list[str], stopped: set[tuple[str, str, str]]) -> Table:
    lines = []
    for name in names:
        mine = [
            "cut off" if (name, m, k) in stopped else shown(ours.get((name, m, k)), 4)
            for m, k in _COLUMNS
        ]
        lines.append([f"{name}, ours", *mine])
        theirs = [shown(paper_value(name, m, k), 4) for m, k in _COLUMNS]
        lines.append([f"{name}, paper", *theirs])
    return Table("Area under the precision-recall curve", ["", *_HEADS], lines)


def _measure(rows: pd.DataFrame, names: list[str], measure: str) -> Table:
    values = auc_table(rows.assign(pr_auc=rows[measure]))
    lines = [[name, *(shown(values.get((name, m, k)), 3) for m, k in _COLUMNS)] for name in names]
    return Table(f"{measure.replace('_', ' ')}, ours".capitalize(), ["", *_HEADS], lines)


def _spread(rows: pd.DataFrame) -> Table:
    table = rows[(rows["part"] == "table") & (rows["status"] == "done")]
    table = table.assign(kernel=table["kernel"].fillna(""))
    areas = table.groupby(["dataset", "method", "kernel"], sort=False)["pr_auc"]
    summary = areas.agg(["size", "min", "max", "mean", "std"])
    summary = summary[summary["size"] > 1]
    moved = summary[summary["max"] - summary["min"] > _ROUNDING]
    lines = [
        [
            name,
            f"{method} {kernel}".strip(),
            f"{line['size']:.0f} {'rounds' if method == 'iForest' else 'row orders'}",
            *(shown(line[column], 4) for column in ("mean", "std", "min", "max")),
        ]
        for (name, method, kernel), line in moved.iterrows()
    ]
    title = (
        "Spread over orders of the rows, and over rounds of iForest, where there is any"
        f" ({len(summary) - len(moved)} of {len(summary)} have none)"
    )
    return Table(title, ["", "method", "over", "mean", "std", "least", "largest"], lines)


def _all_apart(ours: pd.Series) -> list[str]:
    """Data sets on which every method differs from the paper in the same direction."""
    sentences = []
    for name in paper.datasets_of(ours.index.get_level_values(0)):
        pairs = [(value, paper_value(*key)) for key, value in ours.items() if key[0] == name]
        apart = [value - theirs for value, theirs in pairs if theirs is not None]
        if len(apart) == len(_COLUMNS) and (min(apart) > _APART or max(apart) < -_APART):
            sentences.append(
                f"On {name} all {len(apart)} areas differ from the paper's in the same direction,"
                f" by {min(apart):+.3f} to {max(apart):+.3f}, those of scikit-learn's LOF and"
                " iForest among them, which points to other rows or another measure in the paper"
                " rather than to the methods."
            )
    return sentences


def _search(search: pd.DataFrame) -> Table:
    means = search.groupby(["variant", "dataset", "kernel"])["pr_auc"].mean()
    keys = [
        (name, kernel)
        for name in paper.datasets_of(search["dataset"])
        for kernel in ("linear", "gaussian")
        if (search["dataset"].eq(name) & search["kernel"].eq(kernel)).any()
    ]
    lines = [["the paper", *(shown(paper.AUC[name, L2_KPCA, kernel], 4) for name, kernel in keys)]]
    for variant in VARIANTS:
        cells = [shown(means.get((variant, *key)), 4) for key in keys]
        if set(cells) != {ABSENT}:
            lines.append([variant, *cells])
    heads = [f"{name} {kernel}" for name, kernel in keys]
    return Table("What was tried: the area of L2-KPCA under other readings", ["", *heads], lines)


def _search_text(search: pd.DataFrame) -> list[str]:
    """What the search found, from its rows."""
    sentences = []
    for name in ("wbc", "ionosphere"):
        own = search[search["kernel"].eq("linear") & search["dataset"].eq(name)]
        if not set(own["variant"]) >= {*VARIANTS, COUNTS}:
            continue  # an incomplete run
        theirs = float(paper.AUC[name, L2_KPCA, "linear"] or 0)
        readings = own[own["variant"].isin(list(VARIANTS))]
        nearest = _nearest(readings, theirs)
        counts = _nearest(own[own["variant"] == COUNTS], theirs)
        sentences.append(
            f"L2-KPCA, linear, on {name}: the paper has {theirs:.4f}. The nearest of"
            f" {len(readings)} readings is “{nearest['variant']}” with {nearest['pr_auc']:.4f}; the"
            f" nearest number of components, {counts['kept']:.0f}, gives {counts['pr_auc']:.4f}."
        )
    draws = search.loc[search["variant"].eq(DRAWS) & search["kernel"].eq("linear"), "pr_auc"]
    return [" ".join(sentences), *([_draws_text(draws)] if len(draws) else [])]


def _nearest(rows: pd.DataFrame, value: float) -> pd.Series:
    return rows.iloc[(rows["pr_auc"] - value).abs().argmin()]


def _draws_text(draws: pd.Series) -> str:
    theirs = paper.AUC["wbc", L2_KPCA, "linear"]
    reached = draws.min() <= theirs <= draws.max()
    return (
        f"WBC holds 21 of 212 malignant cases, drawn at random: {len(draws)} other draws give"
        f" {draws.min():.3f} to {draws.max():.3f} (mean {draws.mean():.3f}), and"
        f" {(draws >= theirs).mean():.0%} of them reach the paper's {theirs:.4f}. Another draw"
        f" {'could' if reached else 'does not'} explain WBC."
    )
