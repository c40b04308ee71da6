"""What the paper says on outlier detection."""

from __future__ import annotations

import pandas as pd

from l1kpca.experiments import paper
from l1kpca.experiments.methods import ALGORITHM_1, L2_KPCA, METHODS
from l1kpca.experiments.verdicts import (
    HELD,
    NOT_HELD,
    PARTLY,
    Claim,
    Finding,
    MissingRowsError,
    by_share,
    require,
)

_NAME = "outliers"
_CLOSE, _NEAR_TOP, _TIE = 0.02, 0.02, 0.01
_OBVIOUS = ("breastw", "musk")
_UNCLEAR = ("wbc", "ionosphere", "cardio", "mnist")
_WELL = 0.85


def auc_table(rows: pd.DataFrame) -> pd.Series:
    """Our areas by data set, method and kernel ("" for LOF and iForest).

    The rows in the order of the file; iForest is the mean over its rounds.
    """
    table = rows[(rows["part"] == "table") & (rows["status"] == "done")]
    table = require(table[(table["seed"] == 0) | (table["method"] == "iForest")], "table")
    keys = [table["dataset"], table["method"], table["kernel"].fillna("")]
    return table["pr_auc"].groupby(keys).mean()


def paper_value(dataset: str, method: str, kernel: str) -> float | None:
    """The paper's area; None if it has none."""
    return paper.AUC.get((dataset, method, kernel or None))


def _values(rows: pd.DataFrame) -> Finding:
    ours = auc_table(rows)
    pairs = [(value, paper_value(*key)) for key, value in ours.items()]
    apart = [abs(value - theirs) for value, theirs in pairs if theirs is not None]
    verdict, share = by_share([d <= _CLOSE for d in apart], partly=0.5, held=0.9)
    middle = float(pd.Series(apart).median())
    return Finding(
        verdict, f"{share} areas are within {_CLOSE:g}; the median distance is {middle:.4f}"
    )


def _no_choice(rows: pd.DataFrame) -> Finding:
    ours = auc_table(rows)
    apart = {
        name: value - paper.AUC[name, L2_KPCA, "linear"]
        for (name, method, kernel), value in ours.items()
        if method == L2_KPCA and kernel == "linear"
    }
    verdict, share = by_share([abs(d) <= 0.005 for d in apart.values()], partly=0.5)
    shown = ", ".join(f"{name} {d:+.4f}" for name, d in apart.items())
    return Finding(verdict, f"{share} sets within 0.005; ours minus the paper's: {shown}")


def _obvious(rows: pd.DataFrame) -> Finding:
    ours = auc_table(rows)
    values = {k: v for k, v in ours.items() if k[0] in _OBVIOUS and k[1] in METHODS}
    verdict, share = by_share([v >= _WELL for v in values.values()], partly=0.8)
    worst = min(values, key=lambda key: values[key])
    return Finding(
        verdict,
        f"{share} areas are at least {_WELL:g}; the least is {values[worst]:.3f}"
        f" ({worst[1]}, {worst[2]}, {worst[0]})",
    )


def _unclear(rows: pd.DataFrame) -> Finding:
    ours = auc_table(rows)
    lead = {}
    for name in _UNCLEAR:
        here = {key: v for key, v in ours.items() if key[0] == name and key[1] in METHODS}
        mine = [v for key, v in here.items() if key[1] == ALGORITHM_1]
        if len(mine) == 2:
            lead[name] = max(mine) - max(v for key, v in here.items() if key[1] != ALGORITHM_1)
    verdict, share = by_share([d >= -_TIE for d in lead.values()], partly=0.5, held=0.75)
    shown = ", ".join(f"{name} {d:+.3f}" for name, d in lead.items())
    return Finding(verdict, f"so on {share} sets; its lead: {shown}")


def _consistent(rows: pd.DataFrame) -> Finding:
    ours = auc_table(rows)
    behind = {
        name: float(ours[name].max() - ours[name, ALGORITHM_1, "gaussian"])
        for name in paper.datasets_of(ours.index.get_level_values(0))
        if (name, ALGORITHM_1, "gaussian") in ours.index
    }
    verdict, share = by_share([d <= _NEAR_TOP for d in behind.values()], partly=0.5)
    shown = ", ".join(f"{name} {d:.3f}" for name, d in behind.items())
    return Finding(
        verdict, f"within {_NEAR_TOP:g} of the best of twelve on {share} sets; behind by {shown}"
    )


def _lof(rows: pd.DataFrame) -> Finding:
    ours = auc_table(rows)
    lofs = {name: v for (name, method, _), v in ours.items() if method == "LOF"}
    behind = {name: float(ours[name].max() - v) for name, v in lofs.items()}
    verdict, share = by_share([d > _NEAR_TOP for d in behind.values()], partly=0.8)
    shown = ", ".join(f"{name} {d:.3f}" for name, d in behind.items())
    return Finding(verdict, f"clearly behind on {share} sets; behind the best by {shown}")


def _iforest(rows: pd.DataFrame) -> Finding:
    ours = auc_table(rows)
    wide, parts, shown = ("musk", "mnist"), [], []
    for name in ("wbc", "breastw", *wide):
        if (name, "iForest", "") not in ours.index:
            continue
        forest = float(ours[name, "iForest", ""])
        best = float(ours[name].drop(("iForest", "")).max())
        parts.append(forest < best - _NEAR_TOP if name in wide else forest >= best - _NEAR_TOP)
        shown.append(f"{name} {forest:.3f} against {best:.3f}")
    if len(parts) < 4:
        raise MissingRowsError("iForest was not run on all four sets")
    count = sum(parts)
    verdict = HELD if count == 4 else PARTLY if count >= 2 else NOT_HELD
    return Finding(
        verdict, f"so on {count} of 4 sets: iForest and the best of the others: " + ", ".join(shown)
    )


CLAIMS = (
    Claim(
        _NAME,
        "The areas under the precision-recall curves, 68 of them.",
        f"Held if nine of ten are within {_CLOSE:g} of the paper's, partly if half are.",
        _values,
    ),
    Claim(
        _NAME,
        "The areas of L2-KPCA with the linear kernel, which leaves no free choice.",
        "Held if all are within 0.005 of the paper's, partly if half are.",
        _no_choice,
    ),
    Claim(
        _NAME,
        "Where outliers are obvious (BreastW, Musk), any kernel PCA works well.",
        f"Held if all areas are at least {_WELL:g}, partly if 80 % are, as in the paper's own"
        " table.",
        _obvious,
    ),
    Claim(
        _NAME,
        "Where outliers are unclear, Algorithm 1 tends to outperform the other kernel PCAs.",
        "On WBC, Ionosphere, Cardio and Mnist, the larger of its two areas (linear, Gaussian) is"
        f" not more than {_TIE:g} below the largest of the other kernel PCAs. Held if on three of"
        " the four, as in the paper's own table, partly if on two.",
        _unclear,
    ),
    Claim(
        _NAME,
        "Algorithm 1 with the Gaussian kernel is consistently among the best.",
        f"Held if it is within {_NEAR_TOP:g} of the best of the twelve on every set, partly if on"
        " half, as in the paper's own table.",
        _consistent,
    ),
    Claim(
        _NAME,
        "LOF is never among the best.",
        f"Held if it is more than {_NEAR_TOP:g} behind the best on every set, partly if on 80 %.",
        _lof,
    ),
    Claim(
        _NAME,
        "iForest is among the best on WBC and BreastW, and not competitive on Musk and Mnist.",
        f"Among the best: not more than {_NEAR_TOP:g} behind the best of the others. Held if so on"
        " all four sets, partly if on two or three.",
        _iforest,
    ),
)
