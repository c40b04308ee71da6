"""Scores, ranks, agreement, and the reasons of a row are right."""

import numpy as np
import pandas as pd
import pytest

from l1kpca import KernelPCAOutlierDetector
from l1kpca.outliers import CellMap, Judged
from l1kpca.report import report
from l1kpca.report.ranking import agreement, cases_of, summarize


class Silent:
    """A detector that must not be asked."""

    offset_, clear_line_, encoder_ = -4.0, True, None


class SquareDistance(Silent):
    """A detector that is easy to follow: abnormality is |x|^2, x_j^2 for each column."""

    def judge(self, X):
        abnormality = (np.asarray(X) ** 2).sum(axis=1)
        return Judged(abnormality, abnormality > 4, np.asarray(X)[:, :2], None)

    def explain(self, X):
        return np.asarray(X) ** 2

    def cells(self, X):
        return CellMap(X, np.zeros_like(X), np.abs(X) > 3, 3.0)


@pytest.fixture
def rows():
    return np.array([[0.0, 1.0, 0.0], [3.0, 0.0, 4.0], [0.0, 0.0, 0.0], [1.0, 2.0, 0.0]])


@pytest.fixture
def table(rows):
    return pd.DataFrame(rows, columns=["a", "b", "c"])


def test_scores_ranks_and_flags(table):
    summary = summarize(cases_of(SquareDistance(), table), "rows", top=2)
    assert summary.cases.scores.tolist() == [1, 25, 0, 5]
    assert summary.ranks.tolist() == [3, 1, 4, 2]
    assert summary.cases.flags.tolist() == [False, True, False, True]
    assert [summary.plain[name] for name in ("cutoff", "n_flagged", "n_rows")] == [4.0, 2, 4]


def test_reasons_are_the_columns_that_add_most(table):
    cases = cases_of(SquareDistance(), table)
    first, second = summarize(cases, "rows", top=2).plain["top"]
    names = ("column", "value", "contribution", "share", "expected")
    assert [tuple(reason[name] for name in names) for reason in first["reasons"]] == [
        ("c", 4.0, 16.0, 0.64, 0.0),
        ("a", 3.0, 9.0, 0.36, None),
    ]
    assert [tuple(reason[name] for name in names) for reason in second["reasons"]] == [
        ("b", 2.0, 4.0, 0.8, None),
        ("a", 1.0, 1.0, 0.2, None),
    ]
    assert [first[name] for name in ("row", "rank", "name", "label")] == [2, 1, None, None]


def test_ids_and_truth(table):
    cases = cases_of(SquareDistance(), table, [0, 1, 0, 0], list("wxyz"))
    summary = summarize(cases, "rows", top=1)
    (top,), agreed = summary.plain["top"], summary.plain["agreement"]
    assert (top["name"], top["label"]) == ("x", 1)
    assert agreed["average_precision"] == agreed["roc_auc"] == agreed["precision_at_n"] == 1.0


def test_precision_among_as_many_rows_as_there_are_outliers():
    found = agreement(np.array([1, 1, 0, 0, 1]), np.array([5.0, 1.0, 4.0, 3.0, 2.0]))
    assert (found["n_outliers"], found["precision_at_n"]) == (3, 1 / 3)


def test_what_is_known_is_not_computed_again(rows):
    judged = SquareDistance().judge(rows)
    summary = summarize(cases_of(Silent(), rows, judged=judged), "rows", top=0)
    assert summary.cases.scores is judged.abnormality
    assert summary.plain["top"] == []


def test_what_is_known_must_be_about_the_same_rows(rows):
    judged = SquareDistance().judge(rows[:3])
    with pytest.raises(ValueError, match="judged is about 3 rows, but X has 4: pass what"):
        cases_of(Silent(), rows, judged=judged)


def test_plain_facts_hold_no_arrays(rows):
    cases = cases_of(SquareDistance(), rows, names=[1, None, 2, 3])
    plain = summarize(cases, "rows").plain
    assert plain["top"][0]["name"] is None
    assert plain["n_flagged"] == 2
    assert plain["agreement"] is None


def test_contributions_add_up_to_the_score(facts, detector, X, unpacked):
    order = unpacked(facts["rows"]["row"], "u4") - 1
    scores, explained = unpacked(facts["rows"]["score"], "f4"), detector.explain(X)
    assert facts["n_explained"] == 80
    for place, (columns, cells, pushes, rest, _) in enumerate(facts["details"]):
        assert np.isclose(sum(pushes) + rest, scores[place], rtol=1e-4)
        assert sorted(np.abs(pushes), reverse=True) == list(np.abs(pushes))
        names = [facts["columns"][column]["name"] for column in columns]
        index = [int(name[1:]) for name in names]
        np.testing.assert_allclose(pushes, explained[order[place]][index], rtol=1e-3, atol=1e-5)
        np.testing.assert_allclose(cells, X[order[place]][index], rtol=1e-5)


def test_usual_range_of_columns(facts, X):
    for column in facts["columns"]:
        values = X[:, int(column["name"][1:])]
        expected = np.quantile(values, [0.05, 0.5, 0.95])
        found = [column["low"], column["median"], column["high"]]
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_many_columns_are_cut_to_the_most_responsible(unpacked):
    X = np.random.default_rng(0).normal(size=(30, 300))
    detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    facts = report(detector, X, top=2).facts
    columns, cells, pushes, rest, _ = facts["details"][0]
    assert len(columns) == len(cells) == len(pushes) == 40
    assert np.isclose(sum(pushes) + rest, unpacked(facts["rows"]["score"], "f4")[0], rtol=1e-4)
