"""Axes may be given, and what cannot be drawn is refused in one sentence."""

import subprocess
import sys

import pytest
from matplotlib import pyplot as plt
from sklearn.exceptions import NotFittedError

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.plots import (
    ComparisonDisplay,
    ContributionsDisplay,
    LoadingsDisplay,
    PreimageDisplay,
    ScoresDisplay,
)


def test_given_axes_are_used_and_plot_draws_again(pca, X):
    figure, axes = plt.subplots(1, 3)
    display = ScoresDisplay.from_estimator(pca, X, ax=axes[0], s=5)
    assert display.ax_ is axes[0]
    assert display.figure_ is figure
    assert display.plot().ax_ is not axes[0]
    assert LoadingsDisplay.from_estimator(pca, axes=axes).axes_.tolist() == axes.tolist()


def test_panels_that_are_left_over_are_empty(pca, X):
    display = ComparisonDisplay.from_estimators(dict.fromkeys("abcde", pca), X)
    assert [ax.axison for ax in display.figure_.axes] == [True] * 5 + [False] * 3
    assert len(display.axes_) == 5


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (
            lambda pca, X: ScoresDisplay.from_estimator(pca, X, components=(0, 3)),
            r"components=\(0, 3\) must be between 0 and 2: the model has n_components_=3",
        ),
        (
            lambda pca, X: ScoresDisplay.from_estimator(pca, X, is_outlier=[True]),
            r"is_outlier has shape \(1,\), but X has 70 rows",
        ),
        (
            lambda pca, X: LoadingsDisplay.from_estimator(L1KernelPCA(2, kernel="rbf").fit(X)),
            "which only kernel='linear' has: the model has kernel='rbf'",
        ),
        (
            lambda pca, X: LoadingsDisplay.from_estimator(pca, axes=[plt.gca()]),
            "axes has 1 entries, but there are 3 panels",
        ),
        (
            lambda pca, X: LoadingsDisplay.from_estimator(pca).plot(ax=plt.gca()),
            "axes has 1 entries, but there are 3 panels",
        ),
        (
            lambda pca, X: ContributionsDisplay.from_estimator(pca, X[:2]),
            r"row has 2 rows: pass one row, such as X\[i\]",
        ),
        (
            lambda pca, X: ComparisonDisplay.from_estimators({}, X),
            "estimators is empty: pass at least one fitted estimator",
        ),
        (
            lambda pca, X: PreimageDisplay.from_estimator(pca, X, shape=(3, 3)),
            r"shape=\(3, 3\) has 9 pixels, but X has 4 columns",
        ),
        (
            lambda pca, X: PreimageDisplay.from_estimator(KernelPCAOutlierDetector().fit(X), X),
            "scales its rows and has no inverse map: pass a kernel PCA",
        ),
    ],
)
def test_what_cannot_be_drawn(pca, X, draw, message):
    with pytest.raises(ValueError, match=message):
        draw(pca, X)


def test_what_is_not_fitted_is_not_drawn(X):
    with pytest.raises(NotFittedError):
        ScoresDisplay.from_estimator(L1KernelPCA(2), X)


def test_without_matplotlib_only_drawing_fails():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import numpy as np\n"
        "from l1kpca import L1KernelPCA\n"
        "from l1kpca.plots import ScreeDisplay\n"
        "ScreeDisplay.from_estimator(L1KernelPCA(1).fit(np.eye(3)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ImportError: plots need matplotlib, which is not installed; install it with:" in (
        done.stderr
    )
