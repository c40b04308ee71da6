"""KernelPCAOutlierDetector on rows of every size and kind."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.peers import L2KernelPCA

RULES = ("robust", "novelty", "paper")
PCAS = {
    "default": None,
    "linear": L1KernelPCA(2),
    "rbf": L1KernelPCA(3, kernel="rbf"),
    "median": L1KernelPCA(2, kernel="laplacian", center="median"),
    "peer": L2KernelPCA(2, kernel="rbf"),
}


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    return rng.normal(size=(120, 4)) @ rng.normal(size=(4, 4))


@pytest.fixture(scope="module")
def X_new():
    return np.random.default_rng(1).normal(size=(40, 4)) * 3


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", PCAS)
@pytest.mark.parametrize(
    "rows",
    [
        np.array([[1.0, 2.0, 3.0]]),
        np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 3.5]]),
        np.array([[1.0, 2.0], [2.0, 1.0], [9.0, 9.0]]),
        np.ones((10, 3)),
        np.zeros((4, 2)),
        np.repeat([[1.0, 5.0], [2.0, 4.0], [9.0, 0.0]], 7, axis=0),
        np.arange(12.0)[:, np.newaxis],
        np.array([[0.0]] * 9 + [[1.0]]),
    ],
    ids=["one", "two", "three", "equal", "zero", "repeated", "column", "indicator"],
)
@pytest.mark.filterwarnings("ignore:n_components=. exceeds the rank of the data")
@pytest.mark.filterwarnings("ignore:.*so far from all training rows")
def test_small_and_degenerate_data(rows, name, rule):
    detector = KernelPCAOutlierDetector(PCAS[name], rule=rule, random_state=0).fit(rows)
    new = rows + 0.5
    for X in (rows, new):
        scores = detector.score_samples(X)
        assert np.isfinite(scores).all()
        assert set(detector.predict(X)) <= {1, -1}
        assert_allclose(detector.explain(X).sum(axis=1), -scores, atol=1e-9, rtol=1e-9)
        assert len(detector.outlier_map(X).quadrant) == len(X)
    if len(np.unique(rows, axis=0)) == 1:
        assert (detector.predict(rows) == 1).all()


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.filterwarnings("ignore:.*so far from all training rows")
def test_uncentered_rows_that_all_agree(rule):
    """All scores are one constant: no unit to measure by, and no division by zero."""
    pca = L1KernelPCA(1, kernel="rbf", center=False)
    detector = KernelPCAOutlierDetector(pca, rule=rule, scaling=None).fit(np.ones((9, 2)))
    assert np.isfinite(detector.score_samples([[1.0, 1.0], [5.0, -5.0]])).all()
    assert (detector.predict(np.ones((3, 2))) == 1).all()


@pytest.mark.parametrize("rule", RULES)
def test_repeated_rows_have_one_score(X, rule):
    rows = np.vstack([X, X[:10]])
    detector = KernelPCAOutlierDetector(rule=rule, random_state=0).fit(rows)
    scores = detector.score_samples(rows)
    assert_allclose(scores[-10:], scores[:10], rtol=1e-9)


@pytest.mark.parametrize("rule", RULES)
def test_single_precision_is_kept_inside_and_scores_agree(X, X_new, rule):
    double = KernelPCAOutlierDetector(L1KernelPCA(3), rule=rule).fit(X)
    single = KernelPCAOutlierDetector(L1KernelPCA(3), rule=rule).fit(X.astype(np.float32))
    assert single.pca_.dual_components_.dtype == np.float32
    scores = single.score_samples(X_new.astype(np.float32))
    assert scores.dtype == np.float64
    assert_allclose(scores, double.score_samples(X_new), rtol=1e-3)
    rows = X.astype(np.float32)
    assert_array_equal([single.predict(row[np.newaxis])[0] for row in rows], single.predict(rows))
    assert_allclose(single.explain(rows).sum(axis=1), -single.score_samples(rows), rtol=1e-5)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("scaling", ["columns", "common", None])
def test_single_precision_is_kept_whether_or_not_columns_are_scaled(X, rule, scaling):
    detector = KernelPCAOutlierDetector(rule=rule, scaling=scaling, random_state=0)
    assert detector.fit(X.astype(np.float32)).pca_.dual_components_.dtype == np.float32


def test_frames_with_names(X):
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    detector = KernelPCAOutlierDetector(random_state=0).fit(frame)
    assert_array_equal(detector.feature_names_in_, ["a", "b", "c", "d"])
    plain = KernelPCAOutlierDetector(random_state=0).fit(X)
    assert_array_equal(detector.score_samples(frame), plain.score_samples(X))
    assert_array_equal(detector.explain(frame.iloc[:3]), plain.explain(X[:3]))
    with pytest.raises(ValueError, match="feature names should match"):
        detector.score_samples(frame.rename(columns={"a": "z"}))
