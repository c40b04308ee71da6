"""Verdicts follow from the rows: the paper's own numbers hold, opposite ones do not."""

import itertools

import numpy as np
import pandas as pd
import pytest

from l1kpca.experiments import paper
from l1kpca.experiments.claims import ALL_CLAIMS, beyond, outliers, robustness, runtime, toys
from l1kpca.experiments.methods import ALGORITHM_1, METHODS
from l1kpca.experiments.verdicts import HELD, NOT_HELD, NOT_JUDGED, PARTLY, by_share

SHARES, SIGMAS = (5, 10, 15, 20, 25, 30), (10.0, 15.0, 20.0, 25.0)
GAUSSIAN = dict(zip(METHODS, (95.0, 93.5, 93.0, 91.0, 89.0), strict=True))


def frame(experiment, rows):
    return pd.DataFrame([{"experiment": experiment, "status": "done", **row} for row in rows])


def robust_rows(linear, gaussian):
    rows = [
        {"kernel": "linear", "center": False, "corrupted": r, "method": m, "explained": v - r / 100}
        for r in SHARES
        for m, v in linear.items()
    ]
    for sigma, r in itertools.product(SIGMAS, SHARES):
        spread = 0.01 if (sigma, r) == (10.0, 5) else 1.0
        rows += [
            {"kernel": "gaussian", "sigma": sigma, "center": False, "corrupted": r, "method": m,
             "explained": 90 + spread * (v - 90)}
            for m, v in gaussian.items()
        ]  # fmt: skip
    return frame("robustness", rows)


def test_robustness_as_in_the_paper_holds():
    rows = robust_rows(paper.EXPLAINED_LINEAR, GAUSSIAN)
    assert [claim.decide(rows).verdict for claim in robustness.CLAIMS] == [HELD] * 8


def test_robustness_the_other_way_round_does_not_hold():
    turned = dict(zip(METHODS, (60.0, 70.0, 75.0, 65.0, 99.0), strict=True))
    rows = robust_rows(turned, turned)
    verdicts = [claim.decide(rows).verdict for claim in robustness.CLAIMS]
    assert verdicts[:3] == [NOT_HELD] * 3
    assert verdicts[5:] == [NOT_HELD] * 3


def toy_rows(part, inside, sigmas=(np.nan,), angle=30.0):
    return [
        {"part": part, "row": "count", "method": m, "seed": seed, "center": False, "sigma": sigma,
         "triangles_inside": 0, "squares_inside": squares,
         "loading_1": np.cos(np.radians(angle)), "loading_2": np.sin(np.radians(angle))}
        for seed in (0, 1) for sigma in sigmas for m, squares in inside.items()
    ]  # fmt: skip


def test_toys_as_in_the_paper_hold():
    line = dict.fromkeys(METHODS, 0) | {"L2-KPCA": 2}
    spiral = dict.fromkeys(METHODS, 3) | {ALGORITHM_1: 0}
    rows = frame("toys", toy_rows("line", line) + toy_rows("spiral", spiral, (1.0, 2.0)))
    assert [claim.decide(rows).verdict for claim in toys.CLAIMS] == [HELD] * 4


def test_a_spiral_that_nobody_solves_does_not_hold():
    rows = frame("toys", toy_rows("spiral", dict.fromkeys(METHODS, 6), (1.0, 2.0)))
    assert toys.CLAIMS[-1].decide(rows).verdict == NOT_HELD
    assert toys.CLAIMS[0].decide(rows).verdict == NOT_JUDGED


def auc_rows(change=lambda name, method, kernel, value: value):
    return frame(
        "outliers",
        [
            {"part": "table", "dataset": name, "method": method, "kernel": kernel, "seed": 0,
             "pr_auc": change(name, method, kernel, value)}
            for (name, method, kernel), value in paper.AUC.items()
            if value is not None
        ],
    )  # fmt: skip


def test_the_papers_own_areas():
    verdicts = [claim.decide(auc_rows()).verdict for claim in outliers.CLAIMS]
    # In the paper's table R1-KPCA is at .8055 on Musk; Algorithm 1 is not always near the top.
    assert verdicts == [HELD, HELD, PARTLY, HELD, PARTLY, HELD, HELD]


def test_areas_far_from_the_papers():
    rows = auc_rows(lambda name, method, kernel, value: 0.9 if method == "LOF" else value / 2)
    verdicts = [claim.decide(rows).verdict for claim in outliers.CLAIMS]
    assert verdicts[:3] == [NOT_HELD] * 3
    assert verdicts[4:6] == [NOT_HELD] * 2


def time_rows(seconds):
    return frame(
        "runtime",
        [
            {"part": "table", "dataset": name, "kernel": kernel, "gram": "dense", "method": m,
             "seconds": value, "budget": 60.0}
            for name in ("wbc", "musk", "mnist") for kernel in ("linear", "gaussian")
            for m, value in seconds.items()
        ],
    )  # fmt: skip


def test_times_as_in_the_paper_hold():
    rows = time_rows(dict(zip(METHODS, (0.9, 263.0, 1440.0, 1440.0, 1.8), strict=True)))
    assert [claim.decide(rows).verdict for claim in runtime.CLAIMS] == [HELD] * 4


def test_a_slow_algorithm_1_does_not_hold():
    rows = time_rows(dict(zip(METHODS, (9.0, 1.0, 1.0, 1.0, 1.0), strict=True)))
    assert [claim.decide(rows).verdict for claim in runtime.CLAIMS] == [NOT_HELD] * 4


def test_what_was_cut_off_counts_with_its_budget():
    rows = time_rows(dict(zip(METHODS, (1.0, 20.0, np.nan, 20.0, 1.0), strict=True)))
    rows.loc[rows["method"] == "L1-KPCA", "status"] = "cut off"
    ratios = runtime.time_ratios(rows)
    assert (ratios["L1-KPCA"] == 60).all()


def test_a_broken_bound_is_seen():
    steps = [{"part": "rate", "gap": g, "bound": b, "ratio": 0.5, "rho": 0.9}
             for g, b in ((1.0, None), (0.5, 0.9), (0.2, 0.45))]  # fmt: skip
    assert beyond.CLAIMS[0].decide(frame("beyond", steps)).verdict == HELD
    steps[2]["gap"] = 0.6
    assert beyond.CLAIMS[0].decide(frame("beyond", steps)).verdict == NOT_HELD


@pytest.mark.parametrize("claim", ALL_CLAIMS, ids=lambda claim: claim.statement[:40])
def test_without_rows_nothing_is_judged(claim):
    empty = pd.DataFrame({"experiment": ["other"], "status": ["done"]})
    assert claim.decide(empty).verdict == NOT_JUDGED
    failed = pd.DataFrame({"experiment": [claim.experiment], "status": ["failed"]})
    assert claim.decide(failed).verdict == NOT_JUDGED


def test_shares():
    assert by_share([True] * 4, partly=0.5) == (HELD, "4 of 4")
    assert by_share([True, False], partly=0.5) == (PARTLY, "1 of 2")
    assert by_share([False, False, True], partly=0.5) == (NOT_HELD, "1 of 3")
