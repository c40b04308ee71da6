"""Contributions of columns to a row's abnormality."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.outliers import judged

RULES = ("robust", "paper")
KERNELS = ("linear", "rbf", "poly", "laplacian")


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    return rng.normal(size=(150, 3)) @ rng.normal(size=(3, 6)) + 0.3 * rng.normal(size=(150, 6))


@pytest.fixture(scope="module")
def X_new():
    return 3 * np.random.default_rng(1).normal(size=(25, 6))


@pytest.mark.filterwarnings("ignore:.*so far from all training rows")
@pytest.mark.parametrize("scaling", ["columns", "common", None])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kernel", KERNELS)
def test_contributions_add_up_to_the_abnormality(X, X_new, kernel, rule, scaling):
    pca = L1KernelPCA(3, kernel=kernel, gamma=0.1)
    detector = KernelPCAOutlierDetector(pca, rule=rule, scaling=scaling).fit(X)
    for rows in (X[:10], X_new):
        shares = detector.explain(rows)
        assert shares.shape == rows.shape
        assert_allclose(shares.sum(axis=1), -detector.score_samples(rows), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("rule", RULES)
def test_contributions_of_the_defaults_add_up(X, X_new, rule):
    detector = KernelPCAOutlierDetector(rule=rule, random_state=0).fit(X)
    total = detector.explain(X_new).sum(axis=1)
    assert_allclose(total, -detector.score_samples(X_new), rtol=1e-9)


@pytest.mark.parametrize("kernel", [None, *KERNELS])
@pytest.mark.parametrize("feature", range(6))
def test_the_planted_feature_comes_first(X, kernel, feature):
    pca = None if kernel is None else L1KernelPCA(0.8, kernel=kernel, gamma="median")
    detector = KernelPCAOutlierDetector(pca, random_state=0).fit(X)
    row = np.median(X, axis=0)
    row[feature] += 10 * X[:, feature].std()
    shares = detector.explain(row[np.newaxis])[0]
    assert shares.argmax() == feature
    assert shares[feature] > 0.5 * shares.sum()


def test_the_median_row_shares_its_abnormality_equally(X):
    detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    median = np.median(X, axis=0)[np.newaxis]
    expected = -detector.score_samples(median)[0] / 6
    assert_allclose(detector.explain(median), np.full((1, 6), expected), rtol=0.05)


def test_equal_columns_have_nearly_equal_contributions():
    """The order in which columns move is turned around at each step, so none is preferred."""
    rng = np.random.default_rng(0)
    column = rng.normal(size=(100, 1))
    X = np.hstack([column, column, rng.normal(size=(100, 2))])
    detector = KernelPCAOutlierDetector(rule="paper", random_state=0).fit(X)
    shares = detector.explain(np.array([[4.0, 4.0, 0.0, 0.0]]))[0]
    assert_allclose(shares[0], shares[1], rtol=0.05)


def test_contributions_do_not_depend_on_how_many_rows_fit_at_once(X, X_new, monkeypatch):
    detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    expected = detector.explain(X_new)
    for limit in (7, 100):
        monkeypatch.setattr(judged, "_BATCH_ROWS", limit)
        assert_allclose(detector.explain(X_new), expected, rtol=1e-6, atol=1e-9)


def test_wide_rows_are_explained_a_few_places_at_a_time(X):
    """No more values at once than the limit says, whatever the number of columns."""
    seen = []

    def abnormality(rows):
        seen.append(rows.size)
        return (rows**2).sum(axis=1)

    rows = np.random.default_rng(0).normal(size=(3, 2000))
    shares = judged.contributions(abnormality, rows, np.zeros(2000), np.ones(2000, dtype=bool))
    assert max(seen) <= judged._BATCH_VALUES
    assert sum(seen) <= 3 * (2 * 2000 + len(seen)) * 2000, "each column moves twice"
    assert_allclose(shares, rows**2, atol=1e-9)
