"""Distances, contributions and pre-images are those of the model."""

import numpy as np
import pandas as pd
import pytest

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.plots import ContributionsDisplay, OutlierMapDisplay, PreimageDisplay


def test_outlier_map(detector, X, places_of):
    display = OutlierMapDisplay.from_estimator(detector, X)
    expected = detector.outlier_map(X)
    places = np.column_stack([expected.score_distance, expected.orthogonal_distance])
    np.testing.assert_allclose(places_of(display.points_), places_of(places))
    across, up = display.cutoffs_
    assert set(across.get_xdata()) == {expected.score_cutoff}
    assert set(up.get_ydata()) == {expected.orthogonal_cutoff}
    texts = {text.get_text() for text in display.ax_.texts}
    assert texts == {"good leverage", "orthogonal outlier", "bad leverage"}


def test_contributions(detector, X):
    display = ContributionsDisplay.from_estimator(detector, X[1], n_columns=3)
    expected = detector.explain(X[1:2])[0]
    np.testing.assert_allclose(display.contributions, expected)
    assert np.isclose(expected.sum(), -detector.score_samples(X[1:2])[0])
    order = np.argsort(-np.abs(expected))[:3]
    np.testing.assert_array_equal(display.order_, order)
    np.testing.assert_allclose([bar.get_width() for bar in display.bars_], expected[order])
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert labels == [f"x{j} = {X[1, j]:.4g}" for j in order]


def test_contributions_of_a_row_of_a_frame(X):
    frame = pd.DataFrame(X, columns=list("abcd"))
    detector = KernelPCAOutlierDetector(random_state=0).fit(frame)
    display = ContributionsDisplay.from_estimator(detector, frame.iloc[[1]])
    assert set(display.feature_names) == set("abcd")


def test_contributions_of_a_row_with_text(X):
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"]).assign(
        id=[f"row {i}" for i in range(len(X))]
    )
    frame["color"] = np.where(X[:, 2] > 0, "red", "blue")
    with pytest.warns(UserWarning, match="1 of 4 columns is left out: id"):
        detector = KernelPCAOutlierDetector(random_state=0).fit(frame)
    display = ContributionsDisplay.from_estimator(detector, frame.iloc[[1]])
    labels = {text.get_text() for text in display.ax_.get_yticklabels()}
    expected = {f"a = {X[1, 0]:.4g}", f"b = {X[1, 1]:.4g}", f"color = {frame['color'][1]}"}
    assert labels == expected


@pytest.mark.parametrize("shape", [None, (2, 2)])
def test_preimages(pca, X, shape):
    display = PreimageDisplay.from_estimator(pca, X[:5], shape=shape)
    np.testing.assert_allclose(display.preimages, pca.inverse_transform(pca.transform(X[:5])))
    if shape is None:
        row, preimage = display.axes_[0, 1].lines
        np.testing.assert_allclose(row.get_ydata(), X[1])
        np.testing.assert_allclose(preimage.get_ydata(), display.preimages[1])
    else:
        image = display.axes_[1, 3].images[0].get_array()
        np.testing.assert_allclose(image, display.preimages[3].reshape(shape))


def test_preimages_by_fixed_point(X):
    pca = L1KernelPCA(3, kernel="rbf").fit(X)
    display = PreimageDisplay.from_estimator(pca, X[:5], method="fixed_point")
    np.testing.assert_array_equal(display.preimages, pca.denoise(X[:5], method="fixed_point"))
