"""The parts of docs/detection.md that come from the results of benchmarks.detection."""

from functools import partial

import numpy as np
import pandas as pd
from scipy import stats

from benchmarks.detection_cases import PEERS
from benchmarks.results import table
from paper.figures import BLUE, panels, save

OURS = "**l1kpca**"
NO_EIF = "(EIF needs isotree, which has no wheel for this Python and did not build in 15 minutes.)"


def all_of(results, setting):
    """What each detector reached."""
    start = f"peers/{setting}/"
    peers = {name: results[start + name] for name in PEERS if start + name in results}
    return {OURS: results[f"ours/{setting}"]} | peers


def each_of(results, kind):
    """Results of ours on several tables or settings, by their name."""
    start = f"ours/{kind}/"
    found = {key.removeprefix(start): results[key] for key in results if key.startswith(start)}
    return found or results[start]  # a KeyError that says what is missing


def ranks_of(results, setting, measure):
    """Mean rank of each detector over the tables that all were run on, and how many these are."""
    scores = pd.DataFrame(all_of(results, setting)).dropna().map(lambda both: both[measure])
    return scores.rank(axis=1, ascending=False).mean(), len(scores)


def percent(*values):
    return [f"{100 * value:.0f}%" for value in values]


def means(setting, results):
    """Means over all tables that a detector was run on, and mean ranks over those of all."""
    ranks = [ranks_of(results, setting, measure)[0] for measure in (0, 1)]
    lines = []
    for name, by_table in all_of(results, setting).items():
        values = np.array([value for value in by_table.values() if value])
        cells = [f"{value:.3f}" for value in values.mean(axis=0)]
        lines.append([name, *cells, *(f"{rank[name]:.1f}" for rank in ranks), len(values)])
    lines.sort(key=lambda line: line[1], reverse=True)
    heads = ["detector", "ROC-AUC", "AP", "rank by ROC-AUC", "rank by AP", "tables"]
    shown = [line[0] for line in lines]
    missing = [name for name in PEERS if name not in shown]
    if len(shown) == 1:  # no rank without anyone beside
        heads, lines = heads[:3], [line[:3] for line in lines]
    note = f"\n\nNot measured in this setting: {', '.join(missing)}." if missing else ""
    note += f" {NO_EIF}" if "EIF" in missing else ""
    return table(heads, lines) + note


def differences(setting, folder, results):
    """A picture of mean ranks with Nemenyi's critical difference, and what it shows in words."""
    ranks, n_tables = ranks_of(results, setting, 0)
    k = len(ranks)
    if k == 1:
        return "Mean ranks need the peers, which were not measured yet in this setting."
    critical = stats.studentized_range.ppf(0.95, k, np.inf) / np.sqrt(2)
    critical *= np.sqrt(k * (k + 1) / (6 * n_tables))
    ranks = sorted((rank, name.strip("*")) for name, rank in ranks.items())
    picture = partial(draw_ranks, ranks, critical, n_tables)
    save(picture, folder / "images" / f"ranks_{setting}.png")
    said = ", ".join(f"{name} {rank:.1f}" for rank, name in ranks)
    within = sum(rank <= ranks[0][0] + critical for rank, _ in ranks) - 1
    return (
        f"![Mean ranks by ROC-AUC: {said}; critical difference {critical:.1f}]"
        f"(images/ranks_{setting}.png)\n\nThe bar is Nemenyi's critical difference at 5%,"
        f" {critical:.1f}: {within} of the {k - 1} others are within it of the best."
    )


def draw_ranks(ranks, critical, n_tables):
    """A dot for each detector, the best first, and a bar for what is not told from the best."""
    figure, (axes,) = panels(1, (6.5, 0.5 + 0.24 * len(ranks)))
    best, places = ranks[0][0], range(len(ranks))
    axes.axvspan(best, best + critical, color=BLUE, alpha=0.15, lw=0)
    axes.plot([rank for rank, _ in ranks], places, "o", color="#000000")
    axes.set_yticks(places, [f"{name}  {rank:.1f}" for rank, name in ranks])
    axes.invert_yaxis()
    axes.grid(visible=False)
    axes.set_xlabel(f"mean rank by ROC-AUC over {n_tables} tables (1 is the best)")
    return figure


def line(results):
    """The automatic line, beside that of scikit-learn's IsolationForest."""
    held = {OURS: results["ours/line"]}
    if "peers/line" in results:
        held["IsolationForest"] = results["peers/line"]
    lines = []
    for name, by_table in held.items():
        f1, false, found, clear = np.array(list(by_table.values()), dtype=float).mean(axis=0)
        clear = percent(clear) if name == OURS else "-"
        lines.append([name, f"{f1:.3f}", f"{100 * false:.1f}%", *percent(found), *clear])
    heads = ["line", "mean F1", "ordinary rows flagged", "outliers flagged", "clear line"]
    return table(heads, lines)


def planted(results):
    """Ranks of planted rows, and what happens to new rows with a wild cell."""
    lines = [[name, *ranks] for name, ranks in all_of(results, "planted").items()]
    heads = ["rank of", "cell + 200", "cell + 200", "shuffled", "shuffled", "shuffled"]
    (share,) = percent(results["ours/new cell"])
    return f"{table(heads, lines)}\n\nNew rows with one cell raised by 1000: {share} flagged."


def culprits(results):
    """One changed cell in each of 200 ordinary rows."""
    lines = []
    for kind, said in (("far", "8 deviations more"), ("out of place", "in range, out of place")):
        held = pd.DataFrame(each_of(results, kind))
        shares = held.assign(mean=held.mean(axis=1)).iterrows()
        lines += [[said, measure, *percent(*values)] for measure, values in shares]
    return table(["cell", "", *held, "mean"], lines)


def checks(results):
    """Clean normal rows, many outliers, holes and cost."""
    clean = results["ours/clean normal"]
    shown = [[d, f"{100 * mean:.1f}%", f"{100 * most:.1f}%"] for d, (mean, most) in clean.items()]
    flags = table(["columns", "flagged, mean of 5", "most"], shown)
    many = results["ours/many outliers"]
    shares = ["share of outliers", *percent(*map(float, many))]
    f1 = table(shares, [["F1", *(f"{value:.2f}" for value in many.values())]])
    held = pd.DataFrame(each_of(results, "holes"), ["all cells", "30% removed"])
    held = held.assign(mean=held.mean(axis=1))
    lines = [[text, *(f"{value:.3f}" for value in row)] for text, row in held.iterrows()]
    holes = table(["ROC-AUC", *held], lines)
    cost = results["ours/cost"]
    spent = (
        f"Fit and scores of 7603 rows of 100 columns: {cost['l1kpca']:.1f} CPU seconds"
        f" (PyOD's IForest {cost['IForest']:.1f})."
    )
    return f"{flags}\n\n{f1}\n\n{holes}\n\n{spent}"


def hidden(results):
    """Errors of predictions of hidden cells, and on how many tables the linear view is ahead."""
    held = results["ours/hidden cells"]
    names = list(next(iter(held.values())))
    lines = [[name, *(f"{held[table_][name]:.2f}" for table_ in held)] for name in names]
    best = sum(min(errors, key=errors.get) == "cells" for errors in held.values())
    return (
        table(["median error, in spreads", *held], lines)
        + f"\n\n`cells` has the smallest error on {best} of {len(held)} tables."
    )


def curves(results):
    """ROC-AUC of planted curves with one spread for each column, and one for all."""
    held = each_of(results, "curves")
    lines = [
        [kind, noise, *(f"{both[kind][scaling]:.2f}" for scaling in ("columns", "common"))]
        for kind in next(iter(held.values()))
        for noise, both in held.items()
    ]
    return table(["outliers", "noise", 'scaling="columns"', '"common"'], lines)


def bad_at(results):
    """The tables on which others are furthest ahead."""
    areas = pd.DataFrame(all_of(results, "contaminated")).map(lambda both: both and both[0])
    ours, peers = areas.pop(OURS), areas.astype(float)
    if peers.empty:
        raise KeyError(f"peers/contaminated/{PEERS[0]}")
    best = peers.max(axis=1)
    worst = (ours - best).sort_values(kind="stable").index[:6]
    lines = [[name, f"{ours[name]:.3f}", f"{best[name]:.3f}", peers.loc[name].idxmax()]
             for name in worst]  # fmt: skip
    return table(["table", "ours", "best peer", "which"], lines)


def makers(folder):
    """Functions from results to the parts of the page; pictures go to the folder of the page."""
    return {
        "contaminated": partial(means, "contaminated"),
        "clean": partial(means, "clean"),
        "differences": partial(differences, "contaminated", folder),
        "clean differences": partial(differences, "clean", folder),
        "line": line,
        "planted": planted,
        "culprits": culprits,
        "hidden": hidden,
        "curves": curves,
        "checks": checks,
        "bad at": bad_at,
    }
