"""Displays hold the arrays of the models and draw just these."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from scipy import stats
from sklearn.exceptions import NotFittedError

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.optimality import certify
from l1kpca.peers import L2KernelPCA
from l1kpca.plots import (
    ComparisonDisplay,
    ContributionsDisplay,
    ConvergenceDisplay,
    LoadingsDisplay,
    OutlierMapDisplay,
    PreimageDisplay,
    ScoresDisplay,
    ScreeDisplay,
)
from l1kpca.plots.ellipse import tolerance_ellipse


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70, 4)) * [3, 2, 1, 0.5]
    X[:3] += 15
    return X


@pytest.fixture(scope="module")
def pca(X):
    return L1KernelPCA(3, certify=True).fit(X)


@pytest.fixture(scope="module", params=["robust", "paper"])
def detector(X, request):
    return KernelPCAOutlierDetector(rule=request.param, random_state=0).fit(X)


def drawn(points):
    """Places of all drawn points, sorted."""
    places = np.concatenate([np.asarray(one.get_offsets()) for one in points])
    return places[np.lexsort(places.T)]


def in_order(places):
    return places[np.lexsort(places.T)]


def test_scores_of_a_kernel_pca(pca, X):
    display = ScoresDisplay.from_estimator(pca, X, components=(0, 2))
    np.testing.assert_allclose(display.scores, pca.transform(X)[:, [0, 2]])
    np.testing.assert_allclose(drawn(display.points_), in_order(display.scores))
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
    x, y, across, up = tolerance_ellipse(detector.rule_)
    assert display.boundary_.center == (x, y)
    assert (display.boundary_.width, display.boundary_.height) == (2 * across, 2 * up)
    rule = detector.rule_
    scale = np.sqrt(rule.variance) if detector.rule == "paper" else rule.scale
    angle = np.linspace(0, 6, 7)
    edge = np.column_stack([x + across * np.cos(angle), y + up * np.sin(angle)])
    distance = (((edge - rule.center[:2]) / scale[:2]) ** 2).sum(axis=1)
    np.testing.assert_allclose(distance, stats.chi2.ppf(0.975, 2))


def test_no_boundary_without_two_components():
    rows = np.outer(np.arange(30.0), [1, 2])
    linear = KernelPCAOutlierDetector(L1KernelPCA(1)).fit(rows)
    assert tolerance_ellipse(linear.rule_) is None


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


def test_outlier_map(detector, X):
    display = OutlierMapDisplay.from_estimator(detector, X)
    expected = detector.outlier_map(X)
    places = np.column_stack([expected.score_distance, expected.orthogonal_distance])
    np.testing.assert_allclose(drawn(display.points_), in_order(places))
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


def test_comparison_turns_components_alike(X):
    methods = {"L1": L1KernelPCA(2).fit(X), "L2": L2KernelPCA(2).fit(X)}
    mask = np.arange(len(X)) < 3
    display = ComparisonDisplay.from_estimators(methods, X, is_outlier=mask)
    for name, scores in display.scores.items():
        np.testing.assert_allclose(np.abs(scores), np.abs(methods[name].transform(X)))
        assert ((scores * display.scores["L1"]).sum(axis=0) >= 0).all()
    assert [ax.get_title() for ax in display.axes_] == ["L1", "L2"]


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


def test_given_axes_are_used_and_plot_draws_again(pca, X):
    figure, axes = plt.subplots(1, 3)
    display = ScoresDisplay.from_estimator(pca, X, ax=axes[0], s=5)
    assert display.ax_ is axes[0]
    assert display.figure_ is figure
    assert display.plot().ax_ is not axes[0]
    assert LoadingsDisplay.from_estimator(pca, axes=axes).axes_.tolist() == axes.tolist()


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
            "standardises its rows and has no way back: pass a kernel PCA",
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
