"""What is measured, against slow and obvious versions."""

import numpy as np
import pytest
from sklearn.metrics import auc, precision_recall_curve

from l1kpca import KernelPCAOutlierDetector
from paper import noise, robustness
from paper.methods import METHODS, kernel_parameters, standardize
from paper.metrics import (
    detection_metrics,
    inside_boundary,
    paper_abnormality,
)
from paper.spirals import two_components
from paper.steps import steps_of_algorithm_1


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("sigma", [None, 5.0])
def test_explained_variation_is_the_papers_equation(sigma, center, global_random_seed):
    """x^T (sum_i phi(a_i) phi(a_i)^T) x over the sum of the largest eigenvalues, written out."""
    at = {"part": "figure", "reading": noise.CHOSEN, "shape": (60, 8, 5), "corrupted": 20}
    at |= {"sigma": sigma, "center": center, "seed": global_random_seed}
    rows = robustness.measure(at, None)
    X, normal = noise.instance(noise.CHOSEN, (60, 8, 5), 20, global_random_seed)

    def k(A, B):
        if sigma is None:
            return A @ B.T
        distances = ((A[:, None, :] - B[None, :, :]) ** 2).sum(axis=2)
        return np.exp(-distances / (2 * sigma**2))

    less_mean = np.eye(60) - center / 60  # of the rows that it stands beside
    cross = less_mean @ k(normal, X) @ less_mean
    most = np.linalg.eigvalsh(less_mean @ k(normal, normal) @ less_mean)[-4:].sum()
    for row in rows:
        kernel = kernel_parameters("gaussian" if sigma else "linear", sigma)
        pca = METHODS[row["method"]](4, center=center, random_state=0, **kernel).fit(X)
        seen = pca.dual_components_.T @ cross.T @ cross @ pca.dual_components_
        assert row["explained"] == pytest.approx(100 * np.trace(seen) / most)
        assert 0 < row["explained"] <= 100 + 1e-9
    assert [row["method"] for row in rows] == list(METHODS)


def test_the_detection_rule_is_the_papers(global_random_seed):
    Y = np.random.default_rng(global_random_seed).normal(size=(50, 6)) * [5, 4, 3, 2, 1, 0.5]
    variances = Y.var(axis=0)
    thresholds = sorted(variances, reverse=True)
    enough = [a for a in thresholds if variances[variances >= a].sum() >= 0.8 * variances.sum()]
    kept = variances >= max(enough)
    by_hand = ((Y - Y.mean(axis=0)) ** 2 / variances)[:, kept].sum(axis=1)
    np.testing.assert_allclose(paper_abnormality(Y), by_hand)


def test_the_detection_rule_is_that_of_the_library(global_random_seed):
    X = np.random.default_rng(global_random_seed).standard_t(4, size=(60, 4))
    pca = METHODS["Algorithm 1"](4, center=False)
    detector = KernelPCAOutlierDetector(pca, rule="paper").fit(X)
    ours = paper_abnormality(pca.fit_transform(standardize(X)))
    np.testing.assert_allclose(ours, -detector.score_samples(X), rtol=1e-8)


def test_areas_of_a_perfect_and_of_a_reversed_ranking():
    y = np.array([0] * 8 + [1] * 2)
    perfect = detection_metrics(y, np.arange(10))
    assert perfect.pop("from the origin") == 1 - 1 / (2 * 2)
    assert set(perfect.values()) == {1.0}
    assert detection_metrics(y, -np.arange(10))["ROC"] == 0.0
    ranking = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5, 3])
    precision, recall, _ = precision_recall_curve(y, ranking)
    assert detection_metrics(y, ranking)["trapezoid"] == pytest.approx(auc(recall, precision))


def test_the_boundary_is_the_largest_normal_radius(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    scores, kind = rng.normal(size=(30, 2)) * [3.0, 0.1], rng.integers(0, 3, 30)
    z, _ = two_components("Algorithm 1", scores @ scores.T)
    np.testing.assert_allclose(z.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(z.std(axis=0), 1)
    radius = np.hypot(*z.T)
    counted = inside_boundary(radius, kind)
    edge = max(radius[i] for i in range(30) if kind[i] == 0)
    assert counted["squares_inside"] == sum(radius[i] <= edge for i in range(30) if kind[i] == 2)
    assert counted["triangles_inside"] == sum(radius[i] <= edge for i in range(30) if kind[i] == 1)


def test_steps_keep_the_bound_of_theorem_2_and_end_where_algorithm_1_ends(global_random_seed):
    X = np.random.default_rng(global_random_seed).standard_t(3, size=(80, 5))
    rows = steps_of_algorithm_1(X @ X.T, n_components=2)
    pca = METHODS["Algorithm 1"](2, center=False, gram="dense").fit(X)
    for component in (0, 1):
        own = [row for row in rows if row["component"] == component]
        assert own[-1]["gap"] == 0
        assert own[-1]["rho"] == pytest.approx(1)
        assert all(row["gap"] <= row["bound"] + 1e-12 for row in own[1:])
        # the library counts the step that moves nothing
        assert len(own) - 1 in (pca.n_steps_[component], pca.n_steps_[component] - 1)
