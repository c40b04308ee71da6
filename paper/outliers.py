"""Outlier detection."""

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor

from paper import readings
from paper.claims import by_share, cells, listed, part, sentence, some
from paper.figures import COLORS, panels
from paper.methods import METHODS, grid, kernel_parameters, standardized
from paper.metrics import AREAS, detection_metrics, paper_abnormality
from paper.published import A1, AUC, DATASETS, KERNEL_PCAS, KERNELS, KWAK, L2, XIAO

# Row orders matter only where a start or ties can make a difference; slow methods are left out.
PERMUTED = dict.fromkeys(DATASETS[:4], (A1, KWAK, XIAO)) | {"musk": (A1,), "mnist": ()}
LARGE = 3000  # rows from which a decomposition of a full K takes long
STARTS = {KWAK: "norm", XIAO: "eigen"}


def tasks(names, permutations, rounds):
    """The table, and its spread over row orders and rounds."""
    table = []
    for name in names:
        at = {"part": ["table"], "dataset": [name]}
        for method in METHODS:
            orders = range(1 + permutations * (method in PERMUTED[name]))
            table += grid(**at, method=[method], kernel=KERNELS, seed=orders)
        table += grid(**at, method=["LOF"], kernel=[""], seed=[0])
        table += grid(**at, method=["iForest"], kernel=[""], seed=range(rounds))
    return table


GRID = {
    "full": tasks(DATASETS, 3, 10) + readings.GRID["full"],
    "quick": tasks(["wbc"], 1, 2) + readings.GRID["quick"],
}


def measure(at, data_dir):
    if at["part"] != "table":
        return readings.measure(at, data_dir, abnormality_of)
    X, y = standardized(at["dataset"], data_dir)
    if at["seed"] and at["method"] != "iForest":
        order = np.random.default_rng(at["seed"]).permutation(len(X))
        X, y = X[order], y[order]
    return [detection_metrics(y, abnormality_of(at["method"], at["kernel"], X, at["seed"]))]


def abnormality_of(method, kernel, X, seed, kept=0.8):
    if method == "iForest":
        forest = IsolationForest(n_estimators=100, max_samples=256, random_state=seed)
        return -forest.fit(X).score_samples(X)
    if method == "LOF":
        return -LocalOutlierFactor(n_neighbors=10).fit(X).negative_outlier_factor_
    how = {"center": False, "random_state": 0, **kernel_parameters(kernel)}
    if kernel == "gaussian" and len(X) > LARGE:
        how |= {"eigen_solver": "arpack"} if method == L2 else {}
        how |= {"start": STARTS[method]} if method in STARTS else {}
        method = A1 if method in STARTS else method
    # The start of Algorithm 1 looks at all of K for every component: then it is better kept.
    how |= {"gram": "dense"} if method == A1 else {}
    return paper_abnormality(METHODS[method](X.shape[1], **how).fit_transform(X), kept)


def finished(rows):
    """The complete rows of the table, with the column in which they are shown."""
    table = part(rows, "table")
    return table.assign(column=(table["method"] + " " + table["kernel"]).str.strip())


def areas(rows, measure="trapezoid"):
    """As in the paper, for the rows in the order of the file; iForest is the mean of its rounds."""
    table = finished(rows)
    table = table[(table["seed"] == 0) | (table["method"] == "iForest")]
    table = table.pivot_table(measure, "dataset", "column")
    return table.reindex(index=[n for n in DATASETS if n in table.index], columns=AUC.columns)


def all_areas(rows):
    apart = (areas(rows) - AUC).abs().unstack().dropna()
    evidence = f"{{}} areas are within 0.02; the median distance is {apart.median():.4f}"
    return by_share(apart <= 0.02, 0.5, evidence, held=0.9)


def no_choice(rows):
    apart = (areas(rows) - AUC)["L2-KPCA linear"].dropna()
    evidence = f"{{}} sets within 0.005; ours minus the paper's: {listed(apart, '+.4f')}"
    return by_share(apart.abs() <= 0.005, 0.5, evidence)


def obvious(rows):
    values = areas(rows).reindex(["breastw", "musk"])[KERNEL_PCAS].unstack().dropna()
    least = f"{some(values, 'BreastW and Musk').min():.3f} ({' on '.join(values.idxmin())})"
    return by_share(values >= 0.85, 0.8, f"{{}} areas are at least 0.85; the least is {least}")


def unclear(rows):
    ours = areas(rows)[KERNEL_PCAS].drop(index=["breastw", "musk"], errors="ignore")
    mine = ours[[f"{A1} linear", f"{A1} gaussian"]].dropna()
    lead = (mine.max(axis=1) - ours.drop(columns=mine.columns).max(axis=1)).dropna()
    evidence = f"so on {{}} sets; its lead: {listed(lead, '+.3f')}"
    return by_share(lead >= -0.01, 0.5, evidence, held=0.75)


def consistent(rows):
    ours = areas(rows)
    behind = (ours.max(axis=1) - ours[f"{A1} gaussian"]).dropna()
    evidence = f"within 0.02 of the best of twelve on {{}} sets; behind by {listed(behind, '.3f')}"
    return by_share(behind <= 0.02, 0.5, evidence)


def lof(rows):
    behind = (areas(rows).max(axis=1) - areas(rows)["LOF"]).dropna()
    evidence = f"clearly behind on {{}} sets; behind the best by {listed(behind, '.3f')}"
    return by_share(behind > 0.02, 0.8, evidence)


def iforest(rows):
    ours = areas(rows).loc[["wbc", "breastw", "musk", "mnist"]]
    forest, best = ours["iForest"], ours.drop(columns="iForest").max(axis=1)
    decisions = (forest >= best - 0.02) == [True, True, False, False]
    found = ", ".join(f"{name} {forest[name]:.3f} against {best[name]:.3f}" for name in ours.index)
    evidence = f"so on {{}} sets: iForest and the best of the others: {found}"
    return by_share(decisions, 0.5, evidence)


def sentences(rows):
    apart = {name: (areas(rows, name) - AUC).abs().unstack().dropna() for name in AREAS}
    within = ", ".join(f"{name} {(a <= 0.02).sum()}" for name, a in apart.items() if name != "ROC")
    said = sentence("areas of all kinds", n=len(apart["trapezoid"]), within=within)
    return [said, *readings.sentences(rows)]


def plot_areas(rows):
    ours, table = areas(rows), finished(rows)
    places = range(len(AUC.columns))
    figure, axes = panels(len(ours), (1.9 * len(ours) + 1.6, 3.8))
    for panel, name in zip(axes, ours.index, strict=True):
        values = table[table["dataset"] == name].groupby("column")["trapezoid"]
        for place, column in enumerate(AUC.columns):
            color = COLORS.get(column.rpartition(" ")[0], "#666666")
            if column in values.groups:
                ends = [values.min()[column], values.max()[column]]
                panel.plot(ends, [place, place], color=color, linewidth=3, alpha=0.4)
            panel.plot(ours.loc[name, column], place, "o", color=color)
        panel.plot(AUC.loc[name], places, "ko", mfc="none")
        panel.set(title=name, ylim=(len(places) - 0.5, -0.5))
        panel.set_yticks(places, AUC.columns if panel is axes[0] else [""] * len(places))
    figure.supxlabel("area; filled: ours, line: its spread, open: the paper's", fontsize=9)
    return figure


def beside(rows):
    """One line for each model, one column for each data set: ours, then the paper's."""
    ours, paper = cells(areas(rows), 3), cells(AUC, 3)
    return (ours + " (" + paper.loc[ours.index] + ")").T.rename_axis("ours (the paper's)")


def other_areas(rows, measure):
    return cells(areas(rows, measure), 4).T.rename_axis("")


def spread(rows):
    groups = finished(rows).groupby(["dataset", "column"], sort=False)["trapezoid"]
    summary = groups.agg(["size", "mean", "std", "min", "max"]).query("size > 1")
    moved = cells(summary[summary["max"] - summary["min"] > 1e-9], 4).astype(object)
    moved["size"] = summary["size"].astype(str)
    moved.loc[("elsewhere", f"{len(summary) - len(moved)} of {len(summary)} have none"), :] = ""
    return moved.rename_axis(["", "method"])


AREA, SPREAD = "Area under the precision-recall curve", "Spread over orders of the rows"
CLAIMS = (all_areas, no_choice, obvious, unclear, consistent, lof, iforest)
MAIN = "table"
FIGURES = (("outliers", f"{AREA}: ours and the paper's.", plot_areas),)
TABLES = (
    (AREA, beside),
    (f"{AREA}, ours, by trapezoids", other_areas, "trapezoid"),
    (f"{AREA}, ours, the curve from the origin", other_areas, "from the origin"),
    ("Average precision, ours", other_areas, "average precision"),
    ("Area under the ROC curve, ours", other_areas, "ROC"),
    (f"{SPREAD}, and over rounds of iForest, where there is any", spread),
    ("Ionosphere under other readings: the nearest, and single changes", readings.ionosphere_table),
    ("L2-KPCA, linear, under other readings on all sets but Mnist", readings.others_table),
)
