"""Rows in the plane of two components are where the model says."""

import numpy as np
from scipy import stats

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.peers import L2KernelPCA
from l1kpca.plots import ComparisonDisplay, ScoresDisplay


def test_scores_of_a_kernel_pca(pca, X, places_of):
    display = ScoresDisplay.from_estimator(pca, X, components=(0, 2))
    np.testing.assert_allclose(display.scores, pca.transform(X)[:, [0, 2]])
    np.testing.assert_allclose(places_of(display.points_), places_of(display.scores))
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("component 1", "component 3")
    assert display.boundary_ is None
    assert not display.is_outlier.any()


def test_scores_of_a_detector(detector, X):
    display = ScoresDisplay.from_estimator(detector, X)
    expected = detector.pca_.transform(detector.columns_(X.copy()))[:, :2]
    np.testing.assert_allclose(display.scores, expected)
    np.testing.assert_array_equal(display.is_outlier, detector.predict(X) == -1)
    ordinary, outliers = display.points_
    assert len(outliers.get_offsets()) == display.is_outlier.sum()
    assert len(ordinary.get_offsets()) == (~display.is_outlier).sum()
    # Readable in grey: another marker, not only another color.
    assert not np.array_equal(ordinary.get_paths()[0].vertices, outliers.get_paths()[0].vertices)


def test_the_boundary_is_where_the_distance_of_two_components_is_the_quantile(detector, X):
    display = ScoresDisplay.from_estimator(detector, X)
    x, y, across, up = detector.rule_.ellipse()
    assert display.boundary_.center == (x, y)
    assert (display.boundary_.width, display.boundary_.height) == (2 * across, 2 * up)
    rule = detector.rule_
    at = [rule.components.tolist().index(component) for component in (0, 1)]
    angle = np.linspace(0, 6, 7)
    edge = np.column_stack([x + across * np.cos(angle), y + up * np.sin(angle)])
    distance = (((edge - rule.center[at]) / rule.scale[at]) ** 2).sum(axis=1)
    np.testing.assert_allclose(distance, stats.chi2.ppf(0.975, 2))


def test_no_boundary_without_two_components():
    rows = np.outer(np.arange(30.0), [1, 2])
    linear = KernelPCAOutlierDetector(L1KernelPCA(1)).fit(rows)
    assert linear.rule_.ellipse() is None


def test_comparison_turns_components_alike(X):
    methods = {"L1": L1KernelPCA(2).fit(X), "L2": L2KernelPCA(2).fit(X)}
    mask = np.arange(len(X)) < 3
    display = ComparisonDisplay.from_estimators(methods, X, is_outlier=mask)
    for name, scores in display.scores.items():
        np.testing.assert_allclose(np.abs(scores), np.abs(methods[name].transform(X)))
        assert ((scores * display.scores["L1"]).sum(axis=0) >= 0).all()
    assert [ax.get_title() for ax in display.axes_] == ["L1", "L2"]
