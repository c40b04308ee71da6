"""Outlier detection on public tables and planted outliers: measure it, and fill docs/detection.md.

    python -m benchmarks.detection [--only ours]

The tables are in ../shared/data/adbench. ``--only ours`` keeps the stored results of the peers,
which no change of this library moves.
"""

import warnings
from functools import partial

import numpy as np
import pandas as pd
from scipy import stats

from benchmarks import detection_cases as cases
from benchmarks.detection_cases import PEERS
from benchmarks.results import DOCS, folder_of, frame_table, options, publish, table
from paper.figures import BLUE, panels, save

OURS = "**l1kpca**"
SETTINGS = ("contaminated", "clean")
SETS = ("wbc", "ionosphere", "breastw", "cardio", "musk")
HOLES = ("wbc", "cardio", "breastw", "musk")
KINDS = {"far": "8 deviations more", "out of place": "in range, out of place"}


def tasks(quick=False):
    """Everything that is measured, by name: first ours, then the peers."""
    scored = partial(cases.scored, quick=quick)
    planted = partial(cases.planted, n=2000 if quick else 20_000)
    curves = partial(cases.curves, n_seeds=1 if quick else 3)
    ours = {
        **{setting: partial(scored, "l1kpca", setting) for setting in SETTINGS},
        "line": partial(cases.line, "l1kpca", quick),
        "planted": planted,
        "new cell": cases.new_cell,
        **{
            f"{kind}/{name}": partial(cases.culprits, name, kind) for kind in KINDS for name in SETS
        },
        "clean normal": cases.clean_normal,
        "many outliers": cases.many_outliers,
        **{f"holes/{name}": partial(cases.holes, name) for name in HOLES},
        "hidden cells": partial(cases.hidden_cells, quick),
        **{f"curves/{noise}": partial(curves, noise) for noise in (0.02, 0.1, 0.3)},
        "cost": cases.cost,
    }
    peers = {f"{s}/{name}": partial(scored, name, s) for s in SETTINGS for name in PEERS}
    peers["line"] = partial(cases.line, "IsolationForest", quick)
    peers |= {f"planted/{name}": partial(planted, name) for name in ("IForest", "MCD", "KNN")}
    return {f"ours/{k}": v for k, v in ours.items()} | {f"peers/{k}": v for k, v in peers.items()}


def all_of(results, setting):
    peers = each_of(results, f"peers/{setting}/")
    return {OURS: results[f"ours/{setting}"]} | {n: peers[n] for n in PEERS if n in peers}


def each_of(results, start):
    """Results on several tables or settings, or of several peers, by their name."""
    found = {key.removeprefix(start): results[key] for key in results if key.startswith(start)}
    return found or results[start]  # a KeyError that says what is missing


def measured(results, setting, place=0):
    """ROC-AUC (0) or average precision (1) by table and detector; none where it was not run."""
    held = pd.DataFrame(all_of(results, setting))
    return held.map(lambda both: both[place] if isinstance(both, list) else np.nan)


def ranks_of(values):
    """Mean rank of each detector over the tables that all were run on."""
    return values.dropna().rank(axis=1, ascending=False).mean()


def means(setting, results):
    """Means over all tables that a detector was run on, and mean ranks over those of all."""
    both = {name: measured(results, setting, k) for k, name in enumerate(("ROC-AUC", "AP"))}
    shown = {name: held.mean().map("{:.3f}".format) for name, held in both.items()}
    for name, held in both.items():
        shown[f"rank by {name}"] = ranks_of(held).map("{:.1f}".format)
    shown = pd.DataFrame(shown | {"tables": both["AP"].count()}).rename_axis("detector")
    return frame_table(shown.sort_values("ROC-AUC", ascending=False, kind="stable"))


def differences(setting, folder, results):
    """A picture of mean ranks with Nemenyi's critical difference, and what it shows in words."""
    areas = measured(results, setting).dropna()
    ranks, (n_tables, k) = ranks_of(areas), areas.shape
    critical = stats.studentized_range.ppf(0.95, k, np.inf) / np.sqrt(2)
    critical *= np.sqrt(k * (k + 1) / (6 * n_tables))
    ranks = ranks.rename(lambda name: name.strip("*")).sort_values()
    picture = partial(draw_ranks, ranks, critical, n_tables)
    save(picture, folder / "images" / f"ranks_{setting}.png")
    said = ", ".join(f"{name} {rank:.1f}" for name, rank in ranks.items())
    return (
        f"![Mean ranks by ROC-AUC: {said}; critical difference {critical:.1f}]"
        f"(images/ranks_{setting}.png)\n\nThe bar is Nemenyi's critical difference at 5%,"
        f" {critical:.1f}: {(ranks[1:] <= ranks.iloc[0] + critical).sum()} of the {k - 1} others"
        " are within it of the best."
    )


def draw_ranks(ranks, critical, n_tables):
    """A dot for each detector, the best first, and a bar for what is not told from the best."""
    figure, (axes,) = panels(1, (6.5, 0.5 + 0.24 * len(ranks)))
    axes.axvspan(ranks.iloc[0], ranks.iloc[0] + critical, color=BLUE, alpha=0.15, lw=0)
    axes.plot(ranks, range(len(ranks)), "o", color="#000000")
    axes.set_yticks(range(len(ranks)), [f"{name}  {rank:.1f}" for name, rank in ranks.items()])
    axes.invert_yaxis()
    axes.grid(visible=False)
    axes.set_xlabel(f"mean rank by ROC-AUC over {n_tables} tables (1 is the best)")
    return figure


def line(results):
    """The automatic line, beside that of scikit-learn's IsolationForest."""
    lines = []
    for name, key in ((OURS, "ours/line"), ("IsolationForest", "peers/line")):
        f1, false, found, clear = np.array([*results[key].values()], dtype=float).mean(axis=0)
        clear = f"{clear:.0%}" if name == OURS else "-"
        lines.append([name, f"{f1:.3f}", f"{false:.1%}", f"{found:.0%}", clear])
    heads = ["line", "mean F1", "ordinary rows flagged", "outliers flagged", "clear line"]
    return table(heads, lines)


def planted(results):
    """Ranks of planted rows, and what happens to new rows with a wild cell."""
    lines = [[name, *ranks] for name, ranks in all_of(results, "planted").items()]
    heads = ["rank of", "cell + 200", "cell + 200", "shuffled", "shuffled", "shuffled"]
    share = results["ours/new cell"]
    return f"{table(heads, lines)}\n\nNew rows with one cell raised by 1000: {share:.0%} flagged."


def culprits(results):
    held = {said: pd.DataFrame(each_of(results, f"ours/{kind}/")) for kind, said in KINDS.items()}
    return shares_table(pd.concat(held), "{:.0%}", ["cell", ""])


def shares_table(held, form, heads):
    """Numbers by table, and their means."""
    held = held.assign(mean=held.mean(axis=1))
    return frame_table(held.map(form.format).rename_axis(heads))


def checks(results):
    clean = pd.DataFrame(results["ours/clean normal"], ["flagged, mean of 5", "most"]).T
    many = {f"{float(share):.0%}": f1 for share, f1 in results["ours/many outliers"].items()}
    many = pd.DataFrame(many, ["F1"]).map("{:.2f}".format)
    holes = pd.DataFrame(each_of(results, "ours/holes/"), ["all cells", "30% removed"])
    cost = results["ours/cost"]
    spent = (
        f"Fit and scores of 7603 rows of 100 columns: {cost['l1kpca']:.1f} CPU seconds"
        f" (PyOD's IForest {cost['IForest']:.1f})."
    )
    parts = [
        frame_table(clean.map("{:.1%}".format).rename_axis("columns")),
        frame_table(many.rename_axis("share of outliers")),
        shares_table(holes, "{:.3f}", "ROC-AUC"),
        spent,
    ]
    return "\n\n".join(parts)


def hidden(results):
    """Errors of predictions of hidden cells, and on how many tables the linear view is ahead."""
    held = pd.DataFrame(results["ours/hidden cells"])
    shown = frame_table(held.map("{:.2f}".format).rename_axis("median error, in spreads"))
    return (
        f"{shown}\n\n`cells` has the smallest error on"
        f" {(held.idxmin() == 'cells').sum()} of {held.shape[1]} tables."
    )


def curves(results):
    """ROC-AUC of planted curves with one spread for each column, and one for all."""
    held = {noise: pd.DataFrame(both).T for noise, both in each_of(results, "ours/curves/").items()}
    held = pd.concat(held).swaplevel().sort_index()
    held = held.set_axis(['scaling="columns"', '"common"'], axis=1)
    return frame_table(held.map("{:.2f}".format).rename_axis(["outliers", "noise"]))


def bad_at(results):
    """The tables on which others are furthest ahead."""
    peers = measured(results, "contaminated")
    ours, best, which = peers.pop(OURS), peers.max(axis=1), peers.idxmax(axis=1)
    worst = (ours - best).sort_values(kind="stable").index[:6]
    shown = pd.DataFrame({"ours": ours, "best peer": best}).map("{:.3f}".format)
    return frame_table(shown.assign(which=which).loc[worst].rename_axis("table"))


def makers(folder):
    """Functions from results to the parts of the page; pictures go to the folder of the page."""
    return {
        "contaminated": partial(means, "contaminated"),
        "clean": partial(means, "clean"),
        "differences": partial(differences, "contaminated", folder),
        "clean differences": partial(differences, "clean", folder),
        "bad at": bad_at,
        **{part.__name__: part for part in (line, planted, culprits, hidden, curves, checks)},
    }


if __name__ == "__main__":
    given = options(__doc__)
    warnings.simplefilter("ignore")
    parts = makers(folder_of(given.quick, DOCS))
    publish("detection", "detection.md", tasks(given.quick), parts, given)
