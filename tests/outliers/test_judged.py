"""Where the line is, and what the detector says about rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.metrics.pairwise import pairwise_kernels

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.outliers import QUADRANTS, RULES, Paper
from l1kpca.outliers.rules import wilson_hilferty
from oracles import mean_centered, standardized
from outliers import twins


def test_wilson_hilferty_against_the_formula():
    squares = np.random.default_rng(0).chisquare(7, size=5000)
    assert_allclose(wilson_hilferty(squares), twins.wilson_hilferty(squares), rtol=1e-12)
    assert_allclose(wilson_hilferty(squares), stats.chi2.ppf(0.975, 7), rtol=0.05)


@pytest.mark.parametrize("rule", ["robust", "paper"])
@pytest.mark.parametrize("kernel", twins.KERNELS)
def test_outlier_map(X, X_new, rule, kernel):
    pca = L1KernelPCA(3, kernel=kernel, **twins.KERNELS[kernel])
    detector = KernelPCAOutlierDetector(pca, rule=RULES[rule](0.9)).fit(X)
    columns = twins.bounded_columns(X, X) if rule == "robust" else standardized(X)
    Y = L1KernelPCA(3, kernel=kernel, **twins.KERNELS[kernel]).fit_transform(columns)
    params = {**twins.KERNELS[kernel], **({"coef0": 1} if kernel == "poly" else {})}
    K = mean_centered(pairwise_kernels(columns, metric=kernel, **params))
    if rule == "robust":
        kept = np.arange(len(detector.rule_.center))
        center = np.median(Y[:, kept], axis=0)
        scale = np.sqrt(np.pi / 2) * np.abs(Y[:, kept] - center).mean(axis=0)
    else:
        kept = detector.rule_.components
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
    detector = KernelPCAOutlierDetector(L1KernelPCA(1), scaling=None).fit(rows)
    (line,) = detector.pca_.components_
    normal = np.array([-line[1], line[0]])
    corners = rows.mean(axis=0) + np.array([0.1 * line, 9 * line, normal, 9 * line + normal])
    assert_array_equal(detector.outlier_map(corners).quadrant, QUADRANTS)
    assert_array_equal(detector.predict(corners), [1, -1, -1, -1])


def test_paper_auto_line_is_chi_square():
    rng = np.random.default_rng(0)
    rows = rng.standard_t(3, size=(500, 3))
    detector = KernelPCAOutlierDetector(L1KernelPCA(3), rule=Paper(1.0)).fit(rows)
    assert_allclose(-detector.offset_, stats.chi2.ppf(0.975, 3), rtol=1e-7)


@pytest.mark.parametrize("rule", ["robust", "paper"])
def test_the_auto_line_is_never_beyond_the_rows(rule):
    """A cut-off that no row can reach, here of bounded scores, gives way to their 97.5 % point."""
    rows = np.random.default_rng(0).uniform(size=(400, 1)).round(1)
    detector = KernelPCAOutlierDetector(rule=rule, random_state=0).fit(rows)
    scores = detector.score_samples(rows)
    limit = max(-detector.rule_.cutoff, np.quantile(scores, 0.025))
    assert_allclose(detector.offset_, limit, rtol=1e-6)


def test_without_scores_there_is_no_map_either(X):
    detector = KernelPCAOutlierDetector(random_state=0).fit(X)
    all_of_it, judged = detector.judge(X), detector.judge(X, n_scores=None)
    assert judged.outlier_map is None
    assert judged.scores.shape == (len(X), 0)
    assert_array_equal(judged.abnormality, all_of_it.abnormality)
    assert_array_equal(judged.flagged, all_of_it.flagged)
