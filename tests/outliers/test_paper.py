"""The rule of the paper against a twin that is written out row by row, and rows it cannot see."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import rbf_kernel

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.gram.projection import Projected
from l1kpca.outliers import Paper
from l1kpca.peers import L2KernelPCA
from oracles import standardized
from outliers import twins


@pytest.mark.parametrize("variance_kept", [0.3, 0.8, 0.95])
def test_paper_rule_from_raw_rows(X, X_new, variance_kept):
    detector = KernelPCAOutlierDetector(rule=Paper(variance_kept)).fit(X)
    rows = np.vstack([X, X_new])
    expected = twins.paper_detector(X, rows, variance_kept)
    assert_allclose(-detector.score_samples(rows), expected, rtol=1e-6)


@pytest.mark.parametrize("kernel", twins.KERNELS)
@pytest.mark.parametrize("variance_kept", [0.1, 0.5, 0.8, 1.0])
def test_paper_rule_on_any_scores(X, kernel, variance_kept):
    pca = L1KernelPCA(4, kernel=kernel, **twins.KERNELS[kernel])
    detector = KernelPCAOutlierDetector(pca, rule=Paper(variance_kept)).fit(X)
    Y = L1KernelPCA(4, kernel=kernel, **twins.KERNELS[kernel]).fit_transform(standardized(X))
    expected = twins.paper_abnormality(Y, Y, variance_kept * (1 - 1e-12))
    assert_allclose(-detector.score_samples(X), expected, rtol=1e-7)


@pytest.mark.parametrize("seed", range(10))
def test_all_of_the_variance_is_all_components(seed):
    """However the sums are rounded."""
    rows = np.random.default_rng(seed).normal(size=(60, 30))
    detector = KernelPCAOutlierDetector(L1KernelPCA(30), rule=Paper(1)).fit(rows)
    assert len(detector.rule_.components) == detector.pca_.n_components_


def test_a_component_counts_if_it_varies_by_more_than_rounding(global_random_seed):
    """However small its deviation is beside its mean, down to rounding errors."""
    z = np.random.default_rng(global_random_seed).normal(size=(50, 3))
    scores = 1 + z * [1e-3, 1e-9, 1e-16]
    rule = Paper(1.0).fit(Projected(scores, None), L1KernelPCA(3))
    assert_array_equal(rule.components, [0, 1])
    assert_allclose(rule.scale, scores[:, :2].std(axis=0))


def test_paper_rule_with_a_kernel_matrix(X, X_new):
    """Precomputed kernels give what the kernel itself gives, for new rows too."""
    Z, Z_new = standardized(X), (X_new - X.mean(axis=0)) / X.std(axis=0)
    by_kernel = KernelPCAOutlierDetector(L1KernelPCA(3, kernel="rbf", gamma=0.1), rule="paper")
    by_matrix = KernelPCAOutlierDetector(L1KernelPCA(3, kernel="precomputed"), rule="paper")
    by_kernel.fit(X)
    by_matrix.fit(rbf_kernel(Z, gamma=0.1))
    K_new = rbf_kernel(Z_new, Z, gamma=0.1)
    assert_allclose(by_matrix.score_samples(K_new), by_kernel.score_samples(X_new), rtol=1e-6)
    assert_array_equal(by_matrix.predict(K_new), by_kernel.predict(X_new))
    assert by_matrix.__sklearn_tags__().input_tags.pairwise
    assert not by_kernel.__sklearn_tags__().input_tags.pairwise


# Rows that the training rows do not see.

FAR = r"^{} of {} rows are so far from all training rows that their scores vanish; they are judged"
SEEING = {
    "the paper's": None,
    "centered": L1KernelPCA(4, kernel="rbf", gamma="paper"),
    "median": L1KernelPCA(4, kernel="rbf", gamma="paper", center="median"),
    "laplacian": L1KernelPCA(3, kernel="laplacian"),
    "narrow": L1KernelPCA(3, kernel="rbf", gamma=1.0, center=False),
    "landmarks": L1KernelPCA(3, kernel="rbf", gamma="paper", gram="nystroem"),
    "peer": L2KernelPCA(3, kernel="rbf", gamma="paper"),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("contamination", ["auto", 0, 0.1])
@pytest.mark.parametrize("name", SEEING)
def test_a_row_far_from_all_others_is_an_outlier_and_the_user_is_told(
    X, X_new, name, contamination, dtype
):
    X, X_new = X.astype(dtype), X_new.astype(dtype)
    detector = KernelPCAOutlierDetector(SEEING[name], rule="paper", contamination=contamination)
    judged = detector.fit_judge(X)  # a warning would be an error
    far = X[:5] + np.array([1, -1, 1, 1, -1], dtype) * [[1e3], [1e4], [1e5], [1e6], [1e6]]
    rows = np.vstack([X, far.astype(dtype)])
    with pytest.warns(UserWarning, match=FAR.format(5, 55)) as caught:
        found = detector.judge(rows)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert found.flagged[-5:].all()
    assert found.abnormality[-5:].min() > 1.5 * judged.abnormality.max()
    assert_array_equal(found.flagged[:-5], judged.flagged)


@pytest.mark.parametrize("name", SEEING)
def test_training_rows_are_judged_to_the_letter(X, name):
    detector = KernelPCAOutlierDetector(SEEING[name], rule="paper")
    found = detector.fit_judge(X)
    Y = detector.pca_.transform(detector.columns_(X))
    expected = twins.paper_abnormality(Y, Y, 0.8 * (1 - 1e-12))
    assert_allclose(found.abnormality, expected, rtol=1e-6)
    assert_allclose(-detector.score_samples(X), expected, rtol=1e-6)


@pytest.mark.parametrize("center", [True, False])
def test_with_a_kernel_that_does_not_vanish_every_row_is_judged_to_the_letter(X, center):
    detector = KernelPCAOutlierDetector(L1KernelPCA(3, center=center), rule="paper").fit(X)
    rows = np.vstack([1e6 * X, np.zeros((1, 5)), X.mean(axis=0)[np.newaxis]])
    Y, Y_new = (detector.pca_.transform(detector.columns_(Z)) for Z in (X, rows))
    expected = twins.paper_abnormality(Y, Y_new, 0.8 * (1 - 1e-12))
    assert_allclose(-detector.score_samples(rows), expected, rtol=1e-6)


def test_ordinary_new_rows_are_judged_to_the_letter(global_random_seed):
    X, X_new = np.random.default_rng(global_random_seed).normal(size=(2, 300, 6))
    detector = KernelPCAOutlierDetector(rule="paper").fit(X)
    assert_allclose(-detector.score_samples(X_new), twins.paper_detector(X, X_new), rtol=1e-6)


def test_training_rows_that_vanish_are_named_at_fit():
    """Classical components leave lone rows out: their scores are zero."""
    X = np.vstack([np.random.default_rng(0).normal(size=(60, 2)), [[1e3, 0], [0, -1e3]]])
    pca = L2KernelPCA(2, kernel="rbf", gamma=0.5, center=False)
    text = "^the scores of 2 of 62 training rows vanish, .*: use rule='robust', or a kernel with a"
    detector = KernelPCAOutlierDetector(pca, rule="paper", scaling=None)
    with pytest.warns(UserWarning, match=text):
        detector.fit(X)
    assert np.isfinite(detector.score_samples([[0.0, 0.0], [1e6, 1e6]])).all()
