"""The two rules, their columns and cut-offs, against twins that are written out row by row."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel

import outlier_oracles as twins
from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.estimators.outliers.columns import by_mean_and_deviation, by_median_and_mad
from l1kpca.estimators.outliers.outlier_map import QUADRANTS
from l1kpca.estimators.outliers.rules import wilson_hilferty
from oracles import mean_centered, standardized

KERNELS = {"linear": {}, "rbf": {"gamma": 0.1}, "poly": {"gamma": 0.2, "degree": 2}}


@pytest.fixture
def X(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    rows = rng.normal(size=(50, 5)) @ rng.normal(size=(5, 5)) * [1, 10, 0.1, 3, 1] + 4
    rows[:3] += 30 * rng.normal(size=(3, 5))
    return rows


@pytest.fixture
def X_new():
    return 4 + np.random.default_rng(99).normal(size=(12, 5)) * [1, 10, 0.1, 3, 1]


# The paper's rule.


@pytest.mark.parametrize("variance_kept", [0.3, 0.8, 0.95])
def test_paper_rule_from_raw_rows(X, X_new, variance_kept):
    detector = KernelPCAOutlierDetector(rule="paper", variance_kept=variance_kept).fit(X)
    rows = np.vstack([X, X_new])
    expected = twins.paper_detector(X, rows, variance_kept)
    assert_allclose(-detector.score_samples(rows), expected, rtol=1e-6)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("variance_kept", [0.1, 0.5, 0.8, 1.0])
def test_paper_rule_on_any_scores(X, kernel, variance_kept):
    pca = L1KernelPCA(4, kernel=kernel, **KERNELS[kernel])
    detector = KernelPCAOutlierDetector(pca, rule="paper", variance_kept=variance_kept).fit(X)
    Y = L1KernelPCA(4, kernel=kernel, **KERNELS[kernel]).fit_transform(standardized(X))
    expected = twins.paper_abnormality(Y, Y, variance_kept * (1 - 1e-12))
    assert_allclose(-detector.score_samples(X), expected, rtol=1e-7)


@pytest.mark.parametrize("seed", range(10))
def test_all_of_the_variance_is_all_components(seed):
    """However the sums are rounded."""
    rows = np.random.default_rng(seed).normal(size=(60, 30))
    detector = KernelPCAOutlierDetector(L1KernelPCA(30), rule="paper", variance_kept=1).fit(rows)
    assert len(detector.rule_.kept) == detector.pca_.n_components_


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


# The robust rule.


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n_components", [1, 3])
def test_robust_rule(X, X_new, kernel, n_components):
    pca = L1KernelPCA(n_components, kernel=kernel, **KERNELS[kernel])
    detector = KernelPCAOutlierDetector(pca, variance_kept=1.0).fit(X)
    Z, Z_new = twins.bounded_columns(X, X), twins.bounded_columns(X, X_new)
    params = dict(KERNELS[kernel])
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
    expected = twins.robust_abnormality(Y, joint.diagonal()[:n], Y_all, joint.diagonal())
    assert_allclose(-detector.score_samples(np.vstack([X, X_new])), expected, rtol=1e-6)
    assert_allclose(detector.rule_.cutoff, twins.wilson_hilferty(expected[:n]), rtol=1e-6)


def test_the_robust_default_is_a_gaussian_as_wide_as_the_median_distance(X):
    detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    Z = twins.bounded_columns(X, X)
    squared = [((a - b) ** 2).sum() for i, a in enumerate(Z) for b in Z[:i]]
    assert_allclose(detector.pca_.gamma_, 1 / (2 * np.median(squared)), rtol=1e-9)
    share = detector.pca_.explained_variance_ratio_.cumsum()
    assert share[-1] >= 0.8 or len(share) == X.shape[1]
    assert len(share) == 1 or share[-2] < 0.8


@pytest.mark.parametrize("variance_kept", [0.2, 0.6, 0.9])
def test_leading_components_that_reach_the_share(X, variance_kept):
    detector = KernelPCAOutlierDetector(L1KernelPCA(5), variance_kept=variance_kept).fit(X)
    share = detector.pca_.explained_variance_ratio_.cumsum()
    n_kept = len(detector.rule_.center)
    assert share[n_kept - 1] >= variance_kept
    assert n_kept == 1 or share[n_kept - 2] < variance_kept


def test_exhausted_space_has_no_orthogonal_distance(X):
    """With as many components as columns the linear kernel leaves nothing but rounding errors."""
    detector = KernelPCAOutlierDetector(L1KernelPCA(5), variance_kept=1.0).fit(X)
    assert np.isinf(detector.rule_.orthogonal_unit[-1])
    assert not np.char.startswith(detector.outlier_map(X).quadrant, "orthogonal").any()
    assert not np.char.startswith(detector.outlier_map(X).quadrant, "bad").any()


# Columns.


def test_robust_columns(X, X_new):
    assert_allclose(by_median_and_mad(X)(X_new), twins.bounded_columns(X, X_new), rtol=1e-9)


def test_paper_columns(X):
    assert_allclose(by_mean_and_deviation(X)(X), standardized(X), rtol=1e-9, atol=1e-12)


def test_bounded_values_keep_their_order_and_never_pass_the_bound(X):
    values = np.sort(np.random.default_rng(0).standard_cauchy(300))[:, np.newaxis]
    z = by_median_and_mad(values)(values)[:, 0]
    assert (np.diff(z) > 0).all()
    assert np.abs(z).max() < 3
    ordinary = np.linspace(-0.5, 0.5, 9)[:, np.newaxis]
    columns = by_median_and_mad(values)
    plain = (ordinary - columns.center) / columns.scale
    assert_allclose(columns(ordinary), plain, rtol=0.02)


def test_a_column_most_of_whose_values_agree_is_scaled_by_its_deviation():
    column = np.r_[np.zeros(90), np.ones(10)][:, np.newaxis]
    columns = by_median_and_mad(column)
    assert_allclose(columns.scale, column.std())
    detector = KernelPCAOutlierDetector(random_state=0).fit(column)
    assert np.isfinite(detector.score_samples(column)).all()


@pytest.mark.parametrize("rule", ["robust", "paper"])
def test_constant_columns_are_dropped_with_one_warning(X, X_new, rule):
    """And change nothing: neither scores nor flags, whatever value a new row has there."""
    plain = KernelPCAOutlierDetector(rule=rule, random_state=0).fit(X)
    wide = np.insert(X, [0, 3], 7.0, axis=1)
    with pytest.warns(UserWarning, match="^2 of 7 columns are constant and were dropped: 0, 4$"):
        detector = KernelPCAOutlierDetector(rule=rule, random_state=0).fit(wide)
    wide_new = np.insert(X_new, [0, 3], 1e6, axis=1)
    assert_allclose(detector.score_samples(wide_new), plain.score_samples(X_new), rtol=1e-9)
    assert_allclose(detector.offset_, plain.offset_, rtol=1e-9)
    shares = detector.explain(wide_new)
    assert (shares[:, [0, 4]] == 0).all()
    assert_allclose(np.delete(shares, [0, 4], axis=1), plain.explain(X_new), rtol=1e-6, atol=1e-9)


def test_the_warning_is_short_and_speaks_of_names(X):
    frame = pd.DataFrame(X).assign(**{f"flat{i}": 1.0 for i in range(7)})
    frame.columns = [str(name) for name in frame.columns]
    text = r"^7 of 12 columns .* dropped: flat0, flat1, flat2, flat3, flat4, \.\.\.$"
    with pytest.warns(UserWarning, match=text) as caught:
        KernelPCAOutlierDetector(random_state=0).fit(frame)
    assert len(caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize("rule", ["robust", "paper"])
@pytest.mark.parametrize("unit", [1e-200, 1e-30, 1e30, 1e200])
def test_the_unit_of_a_column_does_not_matter(X, rule, unit):
    """Where squares would overflow or vanish, too."""
    scores = KernelPCAOutlierDetector(rule=rule, random_state=0).fit(X).score_samples(X)
    rescaled = X * [1, unit, 1, 1 / unit, 1]
    detector = KernelPCAOutlierDetector(rule=rule, random_state=0).fit(rescaled)
    assert_allclose(detector.score_samples(rescaled), scores, rtol=1e-6)


@pytest.mark.parametrize("rule", ["robust", "paper"])
def test_columns_as_they_are(X, rule):
    pca = L1KernelPCA(2)
    plain = KernelPCAOutlierDetector(pca, rule=rule, standardize=False).fit(X)
    assert_allclose(plain.pca_.X_fit_, X)
    assert plain.columns_(X) is X


# Cut-offs and the outlier map.


def test_wilson_hilferty_against_the_formula():
    squares = np.random.default_rng(0).chisquare(7, size=5000)
    assert_allclose(wilson_hilferty(squares), twins.wilson_hilferty(squares), rtol=1e-12)
    assert_allclose(wilson_hilferty(squares), stats.chi2.ppf(0.975, 7), rtol=0.05)


@pytest.mark.parametrize("rule", ["robust", "paper"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_outlier_map(X, X_new, rule, kernel):
    pca = L1KernelPCA(3, kernel=kernel, **KERNELS[kernel])
    detector = KernelPCAOutlierDetector(pca, rule=rule, variance_kept=0.9).fit(X)
    columns = twins.bounded_columns(X, X) if rule == "robust" else standardized(X)
    Y = L1KernelPCA(3, kernel=kernel, **KERNELS[kernel]).fit_transform(columns)
    params = {**KERNELS[kernel], **({"coef0": 1} if kernel == "poly" else {})}
    K = mean_centered(pairwise_kernels(columns, metric=kernel, **params))
    if rule == "robust":
        kept = np.arange(len(detector.rule_.center))
        center = np.median(Y[:, kept], axis=0)
        scale = np.sqrt(np.pi / 2) * np.abs(Y[:, kept] - center).mean(axis=0)
    else:
        kept = detector.rule_.kept
        center, scale = Y[:, kept].mean(axis=0), Y[:, kept].std(axis=0)
    within = np.sqrt((((Y[:, kept] - center) / scale) ** 2).sum(axis=1))
    outside = K.diagonal() - (Y[:, kept] ** 2).sum(axis=1)
    found = detector.outlier_map(X)
    assert_allclose(found.score_distance, within, rtol=1e-6)
    assert_allclose(found.orthogonal_distance**2, outside, rtol=1e-6, atol=1e-7 * K.trace())
    assert_allclose(found.score_cutoff, np.sqrt(stats.chi2.ppf(0.975, len(kept))))
    assert_allclose(found.orthogonal_cutoff**2, twins.wilson_hilferty(outside), rtol=1e-5)
    new = detector.outlier_map(X_new)
    assert (new.score_cutoff, new.orthogonal_cutoff) == (
        found.score_cutoff,
        found.orthogonal_cutoff,
    )


def test_quadrants():
    """Rows near a line: on it, far along it, off it, and far along and off it."""
    rng = np.random.default_rng(0)
    along = rng.normal(size=200)
    rows = np.outer(along, [1.0, 1.0]) + 0.1 * rng.normal(size=(200, 2))
    detector = KernelPCAOutlierDetector(L1KernelPCA(1), standardize=False).fit(rows)
    (line,) = detector.pca_.components_
    normal = np.array([-line[1], line[0]])
    corners = rows.mean(axis=0) + np.array([0.1 * line, 9 * line, normal, 9 * line + normal])
    assert_array_equal(detector.outlier_map(corners).quadrant, QUADRANTS)
    assert_array_equal(detector.predict(corners), [1, -1, -1, -1])


def test_paper_auto_line_is_chi_square():
    rng = np.random.default_rng(0)
    rows = rng.standard_t(3, size=(500, 3))
    detector = KernelPCAOutlierDetector(L1KernelPCA(3), rule="paper", variance_kept=1.0).fit(rows)
    assert_allclose(-detector.offset_, stats.chi2.ppf(0.975, 3), rtol=1e-7)


@pytest.mark.parametrize("rule", ["robust", "paper"])
def test_the_auto_line_is_never_beyond_the_rows(rule):
    """A cut-off that no row can reach, here of bounded scores, gives way to their 97.5 % point."""
    rows = np.random.default_rng(0).uniform(size=(400, 1)).round(1)
    detector = KernelPCAOutlierDetector(rule=rule, random_state=0).fit(rows)
    scores = detector.score_samples(rows)
    limit = max(-detector.rule_.cutoff, np.quantile(scores, 0.025))
    assert_allclose(detector.offset_, limit, rtol=1e-6)
