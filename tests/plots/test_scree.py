"""Shares, loadings and objectives are those of the model."""

import numpy as np
import pandas as pd
import pytest

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.optimality import certify
from l1kpca.plots import ConvergenceDisplay, LoadingsDisplay, ScreeDisplay


def test_loadings(pca, X):
    display = LoadingsDisplay.from_estimator(pca, n_components=2)
    np.testing.assert_allclose(display.loadings, pca.components_[:2])
    for bars, loading in zip(display.bars_, display.loadings, strict=True):
        np.testing.assert_allclose([bar.get_width() for bar in bars], loading)


def test_loadings_of_a_detector_name_the_columns_that_are_used(X):
    frame = pd.DataFrame(X, columns=list("abcd")).assign(b=1.0)
    with pytest.warns(UserWarning, match="constant"):
        detector = KernelPCAOutlierDetector(L1KernelPCA(2)).fit(frame)
    display = LoadingsDisplay.from_estimator(detector)
    assert display.feature_names.tolist() == ["a", "c", "d"]
    assert [text.get_text() for text in display.axes_[0].get_yticklabels()] == ["a", "c", "d"]


def test_scree(pca):
    display = ScreeDisplay.from_estimator(pca)
    heights = [bar.get_height() for bar in display.bars_]
    np.testing.assert_allclose(heights, pca.explained_variance_ratio_)
    np.testing.assert_allclose(display.cumulative_.get_ydata(), np.cumsum(heights))
    np.testing.assert_allclose(display.objective_line_.get_ydata(), pca.objective_)


def test_convergence_with_the_bounds_of_the_model(pca):
    display = ConvergenceDisplay.from_estimator(pca, n_components=2)
    for line, bound, trace, gap in zip(
        display.lines_, display.bounds_, pca.objective_trace_, pca.optimality_gap_, strict=False
    ):
        np.testing.assert_allclose(line.get_ydata(), trace / trace[-1])
        np.testing.assert_allclose(bound.get_ydata()[0], 1 + gap, rtol=1e-6)
    assert len(display.lines_) == 2


def test_convergence_with_a_certificate_or_without_bounds(X):
    pca = L1KernelPCA(2).fit(X)
    assert ConvergenceDisplay.from_estimator(pca).bounds_ == []
    certificate = certify(pca, bound="spectral")
    display = ConvergenceDisplay.from_estimator(pca, certificate=certificate)
    np.testing.assert_allclose(display.upper_bounds, certificate.upper_bound)
    assert all(bound.get_ydata()[0] >= 1 - 1e-9 for bound in display.bounds_)
