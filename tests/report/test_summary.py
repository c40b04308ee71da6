"""Scores, ranks, reasons and agreement of a summary are right."""

import numpy as np
import pytest

from l1kpca.report import Cases, summarize, to_plain
from l1kpca.report.summarize import agreement


class SquareDistance:
    """A detector that is easy to follow: abnormality is |x|^2, x_j^2 for each feature."""

    offset_ = -4.0

    def score_samples(self, X):
        return -(np.asarray(X) ** 2).sum(axis=1)

    def explain(self, X):
        return np.asarray(X) ** 2


@pytest.fixture
def rows():
    return np.array([[0.0, 1.0, 0.0], [3.0, 0.0, 4.0], [0.0, 0.0, 0.0], [1.0, 2.0, 0.0]])


def cases_of(rows, **keywords):
    columns = keywords.pop("columns", ["a", "b"])
    return Cases(
        rows,
        columns,
        np.array([0, 0, 1]),
        lambda column: [f"{column}{row}" for row in range(len(rows))],
        **keywords,
    )


def test_scores_ranks_and_flags(rows):
    summary = summarize(SquareDistance(), cases_of(rows), "rows", top=2)
    assert summary.scores.tolist() == [1, 25, 0, 5]
    assert summary.ranks.tolist() == [3, 1, 4, 2]
    assert summary.flags.tolist() == [False, True, False, True]
    assert (summary.cutoff, summary.n_flagged, summary.n_rows) == (4.0, 2, 4)
    assert sum(summary.bin_counts) == 4


def test_features_of_one_column_are_added_up(rows):
    first, second = summarize(SquareDistance(), cases_of(rows), "rows", top=2).top
    assert [(r.column, r.contribution, r.share) for r in first.reasons] == [
        ("b", 16.0, 0.64),
        ("a", 9.0, 0.36),
    ]
    assert [(r.column, r.value, r.share) for r in second.reasons] == [("a", "a3", 1.0)]
    assert (first.row, first.rank, first.name, first.label) == (2, 1, None, None)


def test_ids_and_truth(rows):
    cases = cases_of(rows, names=list("wxyz"), labels=np.array([0, 1, 0, 0]))
    summary = summarize(SquareDistance(), cases, "rows", top=1)
    assert (summary.top[0].name, summary.top[0].label) == ("x", 1)
    assert summary.agreement.average_precision == summary.agreement.roc_auc == 1.0
    assert summary.agreement.precision_at_n == 1.0


def test_precision_among_as_many_rows_as_there_are_outliers():
    found = agreement(np.array([1, 1, 0, 0, 1]), np.array([5.0, 1.0, 4.0, 3.0, 2.0]))
    assert (found.n_outliers, found.precision_at_n) == (3, 1 / 3)


def test_progress_ends_with_all_rows():
    X = np.random.default_rng(0).normal(size=(25_000, 3))
    seen = []
    summary = summarize(
        SquareDistance(), cases_of(X), "rows", top=0, advance=lambda *n: seen.append(n)
    )
    assert seen == [(10_000, 25_000), (20_000, 25_000), (25_000, 25_000)]
    np.testing.assert_allclose(summary.scores, (X**2).sum(axis=1))
    assert summary.top == ()


def test_plain_facts_hold_no_arrays(rows):
    plain = to_plain(summarize(SquareDistance(), cases_of(rows, names=[1, None, 2, 3]), "rows"))
    assert plain["top"][0]["name"] is None
    assert plain["n_flagged"] == 2
    assert plain["agreement"] is None
