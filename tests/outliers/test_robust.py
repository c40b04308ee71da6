"""The robust rule against a twin that is written out row by row."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm
from sklearn.metrics.pairwise import pairwise_kernels

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.outliers import Robust
from l1kpca.outliers.tails import surplus
from oracles import mean_centered
from outliers import twins


@pytest.fixture(params=["free columns", "columns of two sources"])
def tables(request, X, X_new):
    """Training and new rows; of two sources, what holds between the columns breaks in new rows."""
    if request.param == "free columns":
        return X, X_new
    rng, mixing = np.random.default_rng(0), np.random.default_rng(1).normal(size=(2, 8))
    noise = np.r_[np.full(50, 0.1), np.linspace(0.1, 0.5, 12)][:, np.newaxis]
    rows = rng.normal(size=(62, 2)) @ mixing + noise * rng.normal(size=(62, 8))
    rows *= np.logspace(-1, 2, 8)
    return rows[:50], rows[50:]


@pytest.mark.parametrize("kernel", twins.KERNELS)
@pytest.mark.parametrize("n_components", [1, 3])
def test_robust_rule(tables, kernel, n_components):
    X, X_new = tables
    pca = L1KernelPCA(n_components, kernel=kernel, **twins.KERNELS[kernel])
    detector = KernelPCAOutlierDetector(pca, rule=Robust(1.0)).fit(X)
    Z, Z_new = twins.bounded_columns(X, X), twins.bounded_columns(X, X_new)
    params = dict(twins.KERNELS[kernel])
    if kernel == "poly":
        params["coef0"] = 1
    joint = pairwise_kernels(np.vstack([Z, Z_new]), metric=kernel, **params)
    weights = np.r_[np.full(len(Z), 1 / len(Z)), np.zeros(len(Z_new))]
    H = np.eye(len(joint)) - np.outer(np.ones(len(joint)), weights)
    joint = H @ joint @ H.T
    n = len(Z)
    assert_allclose(joint[:n, :n], mean_centered(pairwise_kernels(Z, metric=kernel, **params)))
    signs = detector.pca_.signs_.astype(float)
    Y, Y_all = twins.deflated_scores(joint[:n, :n], joint[:, :n], signs)
    whole = twins.robust_abnormality(Y, joint.diagonal()[:n], Y_all, joint.diagonal())
    rows = np.vstack([X, X_new])
    residual, oddness = twins.cell_oddness(X, rows)
    cells = detector.cells(rows)
    worst = np.arange(len(rows)), np.abs(residual).argmax(axis=1)
    assert_allclose(cells.residual[worst], residual[worst], rtol=1e-6, atol=1e-9)
    plain = np.abs(residual).max(axis=1) < cells.cutoff  # elsewhere the others are without it
    assert_allclose(cells.residual[plain], residual[plain], rtol=1e-6, atol=1e-9)
    broad = np.array([whole, oddness[:, 0]])
    expected = np.max([twins.surprise(view[:n], view, 0.85) for view in broad], axis=0)
    apart = twins.surprise(oddness[:n, 1], oddness[:, 1], 0.995) - np.log(n)
    expected = np.maximum(expected, apart)
    sizes = np.abs(residual[:n])
    level = min(0.99, 1 - 3 / n)
    heaviness = np.median(np.quantile(sizes, level, axis=0) / np.median(sizes, axis=0))
    heaviness *= norm.ppf(0.75) / norm.ppf((1 + level) / 2)
    many = min(surplus(view[:n] ** 0.25) for view in broad)
    share = max(many, min(0.08 * (heaviness - 1.05), 0.1), 1 / n)
    line = min(np.quantile(expected[:n], 1 - share), 5)
    assert_allclose(detector.rule_.cutoff, line, rtol=1e-6)
    wild = max(np.log(n), np.quantile(oddness[:n, 2], 0.95))
    evident = np.maximum(oddness[:, 2] - wild, 0)
    worst = 1.001 * line * np.minimum(evident, 1) + 0.2 * np.log1p(evident)
    assert_allclose(-detector.score_samples(rows), np.maximum(expected, worst), rtol=1e-6)


def test_the_robust_default_is_a_gaussian_twice_as_wide_as_the_median_distance(X):
    detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    Z = twins.bounded_columns(X, X)
    squared = [((a - b) ** 2).sum() for i, a in enumerate(Z) for b in Z[:i]]
    assert_allclose(detector.pca_.gamma_, 1 / (8 * np.median(squared)), rtol=1e-9)
    share = detector.pca_.explained_variance_ratio_.cumsum()
    assert share[-1] >= 0.8 or len(share) == X.shape[1]
    assert len(share) == 1 or share[-2] < 0.8


@pytest.mark.parametrize("variance_kept", [0.2, 0.6, 0.9])
def test_leading_components_that_reach_the_share(X, variance_kept):
    detector = KernelPCAOutlierDetector(L1KernelPCA(5), rule=Robust(variance_kept)).fit(X)
    share = detector.pca_.explained_variance_ratio_.cumsum()
    n_kept = len(detector.rule_.center)
    assert share[n_kept - 1] >= variance_kept
    assert n_kept == 1 or share[n_kept - 2] < variance_kept


def test_exhausted_space_has_no_orthogonal_distance(X):
    """With as many components as columns the linear kernel leaves nothing but rounding errors."""
    detector = KernelPCAOutlierDetector(L1KernelPCA(5), rule=Robust(1.0)).fit(X)
    assert np.isinf(detector.rule_.orthogonal_unit[-1])
    assert not np.char.startswith(detector.outlier_map(X).quadrant, "orthogonal").any()
    assert not np.char.startswith(detector.outlier_map(X).quadrant, "bad").any()


def test_the_line_in_the_map_is_an_ellipse_where_it_is_finite(X):
    detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    ellipse = detector.rule_.ellipse()
    assert len(ellipse) == 4
    assert np.isfinite(ellipse).all()


@pytest.mark.parametrize("seed", [1, 2])
def test_wild_cells_and_shuffled_rows_are_among_the_first_ten_of_20000(seed):
    """Relations with noise: cells that are judged too keenly let ordinary rows overtake them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 5)) @ rng.normal(size=(5, 20))
    X += 0.3 * rng.normal(size=X.shape)
    rng = np.random.default_rng(seed)
    X[0, 3] += 200
    X[1, 11] += 200
    for row in (2, 3, 4):
        X[row] = X[row, rng.permutation(20)]
    scores = KernelPCAOutlierDetector(random_state=0).fit(X).score_samples(X)
    assert set(range(5)) <= set(np.argsort(scores)[:10])
