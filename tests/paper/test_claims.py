"""Verdicts follow from the rows: the paper's own numbers hold, opposite ones do not."""

import itertools

import numpy as np
import pandas as pd
import pytest

from paper import outliers, robustness, runtime, toys
from paper.claims import HELD, NOT_HELD, NOT_JUDGED, PARTLY, by_share, decide, texts
from paper.methods import A1, METHODS
from paper.published import AUC, EXPLAINED_LINEAR
from paper.runs import EXPERIMENTS
from paper.steps import theorem_2

ALL_CLAIMS = [claim for module in EXPERIMENTS.values() for claim in module.CLAIMS]
SHARES, SIGMAS = (5, 10, 15, 20, 25, 30), (10.0, 15.0, 20.0, 25.0)
GAUSSIAN = dict(zip(METHODS, (95.0, 93.5, 93.0, 91.0, 89.0), strict=True))


def verdicts(module, rows):
    return [decide(claim, rows)[0] for claim in module.CLAIMS]


def frame(rows):
    return pd.DataFrame([{"status": "done", **row} for row in rows])


def robust_rows(linear, gaussian, centered=None):
    rows = [
        {"part": "figure", "center": False, "corrupted": r, "method": m, "explained": v - r / 100}
        for r in SHARES
        for m, v in linear.items()
    ]
    for sigma, r in itertools.product(SIGMAS, SHARES):
        spread = 0.01 if (sigma, r) == (10.0, 5) else 1.0
        for center, values in ((False, gaussian), (True, centered or {})):
            at = {"part": "figure", "sigma": sigma, "center": center, "corrupted": r}
            rows += [{**at, "method": m, "explained": 90 + spread * (v - 90)}
                     for m, v in values.items()]  # fmt: skip
    return frame(rows)


def test_robustness_as_in_the_paper_holds():
    rows = robust_rows(EXPLAINED_LINEAR, GAUSSIAN)
    assert verdicts(robustness, rows) == [HELD] * 8


def test_robustness_the_other_way_round_does_not_hold():
    turned = dict(zip(METHODS, (60.0, 70.0, 75.0, 65.0, 99.0), strict=True))
    found = verdicts(robustness, robust_rows(turned, turned))
    assert found[:3] == [NOT_HELD] * 3
    assert found[5:] == [NOT_HELD] * 3


def test_where_the_centerings_disagree_a_claim_is_partly_held():
    turned = dict(zip(METHODS, (60.0, 70.0, 75.0, 65.0, 99.0), strict=True))
    rows = robust_rows(EXPLAINED_LINEAR, GAUSSIAN, turned)
    assert verdicts(robustness, rows) == [HELD] * 5 + [PARTLY] * 3


def toy_rows(part, inside, sigmas=(np.nan,), angle=30.0):
    return [
        {"part": part, "row": "count", "method": m, "seed": seed, "center": False, "sigma": sigma,
         "triangles_inside": 0, "squares_inside": squares,
         "loading_1": np.cos(np.radians(angle)), "loading_2": np.sin(np.radians(angle))}
        for seed in (0, 1) for sigma in sigmas for m, squares in inside.items()
    ]  # fmt: skip


def test_toys_as_in_the_paper_hold():
    line = dict.fromkeys(METHODS, 0) | {"L2-KPCA": 2}
    spiral = dict.fromkeys(METHODS, 3) | {A1: 0}
    rows = frame(toy_rows("line", line) + toy_rows("spiral", spiral, (1.0, 2.0)))
    assert verdicts(toys, rows) == [HELD] * 4


def test_a_spiral_that_nobody_solves_does_not_hold():
    rows = frame(toy_rows("spiral", dict.fromkeys(METHODS, 6), (1.0, 2.0)))
    assert verdicts(toys, rows)[-1] == NOT_HELD
    assert verdicts(toys, rows)[0] == NOT_JUDGED


def area_rows(change=lambda method, value: value):
    rows = []
    for (column, name), value in AUC.unstack().dropna().items():
        method, _, kernel = (
            column.rpartition(" ") if column in outliers.KERNEL_PCAS else (column, "", "")
        )
        at = {"part": "table", "dataset": name, "method": method, "kernel": kernel, "seed": 0}
        rows.append({**at, "trapezoid": change(method, value)})
    return frame(rows)


def test_the_papers_own_areas():
    # In the paper's table R1-KPCA is at .8055 on Musk; Algorithm 1 is not always near the top.
    assert verdicts(outliers, area_rows()) == [HELD, HELD, PARTLY, HELD, PARTLY, HELD, HELD]


def test_areas_far_from_the_papers():
    rows = area_rows(lambda method, value: 0.9 if method == "LOF" else value / 2)
    found = verdicts(outliers, rows)
    assert found[:3] == [NOT_HELD] * 3
    assert found[4:6] == [NOT_HELD] * 2


def time_rows(seconds):
    return frame(
        {"part": "time", "dataset": name, "kernel": kernel, "method": m}
        | {"seconds": value, "done": 5, "asked": 5}
        for name in ("wbc", "musk", "mnist")
        for kernel in ("linear", "gaussian")
        for m, value in seconds.items()
    )


def test_times_as_in_the_paper_hold():
    rows = time_rows(dict(zip(METHODS, (0.9, 263.0, 1440.0, 1440.0, 1.8), strict=True)))
    assert verdicts(runtime, rows) == [HELD] * 4


def test_a_slow_algorithm_1_does_not_hold():
    rows = time_rows(dict(zip(METHODS, (9.0, 1.0, 1.0, 1.0, 1.0), strict=True)))
    assert verdicts(runtime, rows) == [NOT_HELD] * 4


def test_what_was_extrapolated_is_marked():
    rows = time_rows(dict(zip(METHODS, (1.0, 20.0, 60.0, 20.0, 1.0), strict=True)))
    rows.loc[rows["method"] == "L1-KPCA", "done"] = 2
    line = runtime.beside(rows).loc[("musk", "linear")]
    assert line["L1-KPCA"] == "≈ 60 (1998)"
    assert line["KPCA-L1"] == "20 (139)"


def test_the_time_of_all_components_from_that_of_some():
    assert runtime.whole([3.0, 4.0, 5.0], 5) == {"seconds": 7.0, "done": 3, "asked": 5}
    assert runtime.whole([3.0], 2)["seconds"] == 6.0


def test_without_a_time_of_algorithm_1_there_is_no_unit():
    rows = time_rows(dict(zip(METHODS, (60.0, 20.0, 60.0, 20.0, 1.0), strict=True)))
    without = rows[rows["method"] != A1]
    assert verdicts(runtime, without) == [NOT_JUDGED] * 4


def test_a_broken_bound_is_seen():
    steps = [{"part": "rate", "gap": g, "bound": b, "ratio": 0.5, "rho": 0.9}
             for g, b in ((1.0, None), (0.5, 0.9), (0.2, 0.45))]  # fmt: skip
    assert decide(theorem_2, frame(steps))[0] == HELD
    steps[2]["gap"] = 0.6
    assert decide(theorem_2, frame(steps))[0] == NOT_HELD


@pytest.mark.parametrize("claim", ALL_CLAIMS, ids=lambda claim: claim.__name__)
def test_without_rows_nothing_is_judged(claim):
    assert decide(claim, pd.DataFrame())[0] == NOT_JUDGED
    assert decide(claim, pd.DataFrame({"part": ["other"], "status": ["done"]}))[0] == NOT_JUDGED


def test_all_claims_say_what_is_claimed_and_when_it_holds():
    assert len(ALL_CLAIMS) == 25
    said = [texts()[claim.__name__] for claim in ALL_CLAIMS]
    assert {len(paragraphs) for paragraphs in said} == {2, 3}


def test_shares():
    assert by_share([True] * 4, 0.5, "in {}") == (HELD, "in 4 of 4")
    assert by_share([True, False], 0.5, "in {}") == (PARTLY, "in 1 of 2")
    assert by_share([False, False, True], 0.5, "in {}") == (NOT_HELD, "in 1 of 3")
