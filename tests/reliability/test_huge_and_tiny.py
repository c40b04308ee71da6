"""Values from 1e-300 to 1e300: the right result or a clear error, never a warning or NaN.

Warnings are errors in these tests, so a silent overflow inside would show.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA, peers
from l1kpca.directions import LpNorm
from l1kpca.optimality.sdp import unit_rows
from refusals import refuses

X = np.random.default_rng(0).normal(size=(30, 4))
X_NEW = np.random.default_rng(1).normal(size=(7, 4))
ADVICE = "scale the columns, for example with sklearn.preprocessing.StandardScaler"
KERNELS = ("linear", "rbf", "poly", "laplacian", "cosine", "chi2")
SEARCHES = {
    "fixed point": {"solver": "fixed_point"},
    "polished": {},
    "relaxation": {"solver": "sdp"},
    "exact": {"solver": "exact"},
    "L1.5": {"solver": LpNorm(1.5)},
    "L50": {"solver": LpNorm(50.0)},
    "certified": {"certify": True},
    "spatial median": {"center": "median"},
    "nystroem": {"gram": "nystroem", "random_state": 0},
    "blocked": {"gram": "blocked"},
}
FINITE = ("dual_components_", "objective_", "explained_variance_", "explained_variance_ratio_")


def too_large(kernel, dtype="float64"):
    return (
        f"X is too large for kernel='{kernel}' in {dtype}: sums of kernel values overflow; {ADVICE}"
    )


def too_small(kernel, dtype="float64"):
    return f"X is too small for kernel='{kernel}' in {dtype}: kernel values vanish; {ADVICE}"


def refused(call, text):
    with refuses(text):
        call()


@pytest.mark.parametrize("gram", ["auto", "blocked", "nystroem"])
@pytest.mark.parametrize("scale", [1e300, 1e154, 1e100, 1e-100, 1e-154, 1e-300])
@pytest.mark.parametrize("kernel", KERNELS)
def test_every_kernel_fits_or_says_why_not(kernel, scale, gram):
    rows = np.abs(X) * scale if kernel == "chi2" else X * scale
    pca = L1KernelPCA(kernel=kernel, gram=gram, random_state=0)
    if (kernel in ("linear", "rbf", "poly") and scale >= 1e154) or (kernel, scale) == (
        "poly",
        1e100,
    ):
        refused(lambda: pca.fit(rows), too_large(kernel))
    elif kernel == "linear" and scale <= 1e-154:
        refused(lambda: pca.fit(rows), too_small(kernel))
    else:
        scores = pca.fit_transform(rows)
        for values in (scores, *(getattr(pca, name) for name in FINITE)):
            assert np.isfinite(values).all()


@pytest.mark.parametrize("scale", [1e300, 1e100, 1e-100, 1e-300, 1e-310])
@pytest.mark.parametrize("gram", ["dense", "blocked", "nystroem"])
def test_the_cosine_does_not_see_the_scale(scale, gram):
    pca = L1KernelPCA(3, kernel="cosine", gram=gram, random_state=0)
    expected = pca.fit(X).objective_
    rtol = 1e-9 if scale > 1e-308 else 1e-2  # what is left of numbers below 1e-308 has few digits
    assert_allclose(pca.fit(X * scale).objective_, expected, rtol=rtol)


@pytest.mark.parametrize("settings", SEARCHES.values(), ids=SEARCHES)
@pytest.mark.parametrize("scale", [1e-140, 1e-75, 1e75, 1e140, 1e150])
def test_every_search_is_the_same_at_any_scale(settings, scale):
    unit, scaled = L1KernelPCA(2, **settings).fit(X), L1KernelPCA(2, **settings).fit(X * scale)
    assert_allclose(scaled.objective_ / scale, unit.objective_, rtol=1e-6)
    if "certify" in settings:
        assert_allclose(scaled.optimality_gap_, unit.optimality_gap_, rtol=1e-3)


@pytest.mark.parametrize("settings", SEARCHES.values(), ids=SEARCHES)
def test_every_search_is_the_same_in_single_precision(settings):
    rows = X.astype(np.float32)
    unit = L1KernelPCA(2, **settings).fit(rows)
    for scale in (1e-12, 1e12):
        scaled = L1KernelPCA(2, **settings).fit(rows * np.float32(scale))
        assert_allclose(scaled.objective_ / scale, unit.objective_, rtol=1e-3)


@pytest.mark.parametrize("name", peers.__all__)
@pytest.mark.parametrize("scale", [1e-140, 1e-75, 1e75, 1e140, 1e150])
def test_every_peer_is_the_same_at_any_scale(name, scale):
    make = getattr(peers, name)
    unit, scaled = make(2, random_state=0).fit(X), make(2, random_state=0).fit(X * scale)
    assert_allclose(scaled.objective_ / scale, unit.objective_, rtol=1e-6)


@pytest.mark.parametrize("rule", ["median", "scale"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_rules_for_gamma_work_in_units_of_the_rows(rule, dtype):
    unit = L1KernelPCA(2, kernel="rbf", gamma=rule).fit(X.astype(dtype))
    small, large = (1e-150, 1e150) if dtype == "float64" else (1e-18, 1e17)
    for scale in (small, large):
        scaled = L1KernelPCA(2, kernel="rbf", gamma=rule).fit((X * scale).astype(dtype))
        assert scaled.gamma_ * scale * scale == pytest.approx(unit.gamma_, rel=1e-5)
        assert_allclose(scaled.objective_, unit.objective_, rtol=1e-4)
    for scale, what in ((small**1.5, "vanish"), (large**1.5, "overflow")):
        said = f"{ADVICE}, or give a number"
        text = f"gamma={rule!r}: squares of X {what} in {dtype}; {said}"
        rows = (X * scale).astype(dtype)
        refused(lambda rows=rows: L1KernelPCA(kernel="rbf", gamma=rule).fit(rows), text)


@pytest.mark.parametrize("scale", [1e300, 1e160, 1e-300])
def test_new_rows(scale):
    """A bounded kernel is zero far away; the others say that they cannot."""
    for kernel in ("rbf", "laplacian"):
        pca = L1KernelPCA(2, kernel=kernel).fit(X)
        far = pca.transform(np.full((1, 4), 1e6))
        expected = far if scale > 1 else pca.transform(np.zeros((1, 4)))
        assert_allclose(pca.transform(X_NEW[:1] * scale), expected, atol=1e-12)
    pca = L1KernelPCA(2).fit(X)
    assert_allclose(
        pca.transform(X_NEW * scale) / scale if scale > 1 else pca.transform(X_NEW * scale),
        X_NEW @ pca.components_.T if scale > 1 else pca.transform(np.zeros((7, 4))),
        rtol=1e-9,
    )
    poly = L1KernelPCA(2, kernel="poly").fit(X)
    if scale > 1:
        refused(lambda: poly.transform(X_NEW * scale), too_large("poly"))
        refused(lambda: poly.score(X_NEW * scale), too_large("poly"))
    else:
        assert_allclose(poly.transform(X_NEW * scale), poly.transform(np.zeros((7, 4))), rtol=1e-9)


def test_a_narrow_kernel_and_rows_beyond_every_distance():
    """z^T z' and the squared norms both overflow; their difference is still minus infinity."""
    pca = L1KernelPCA(2, kernel="rbf", gamma=1.0).fit(X * 1e10)
    for rows in (X_NEW * 1e300, np.full((1, 4), 1.7e308)):
        assert_allclose(pca.transform(rows), pca.transform(np.full((len(rows), 4), -1e30)))


def test_scores_that_lead_too_far_back():
    """The components are the two diagonals of the plane: entries of a row are 1.4 times a score."""
    pca = L1KernelPCA(2).fit(X[:, :2] * [9.0, 1.0] @ [[1.0, 1.0], [1.0, -1.0]])
    assert np.isfinite(pca.inverse_transform([[1e300, 1e300]])).all()
    corners = np.array([[1.0, 1.0], [1.0, -1.0]]) * 1.7e308
    refused(lambda: pca.inverse_transform(corners), too_large("linear"))


@pytest.mark.parametrize("rule", ["robust", "paper"])
@pytest.mark.parametrize("scale", [1e300, 1e160, 1e-160, 1e-300])
def test_the_detector_does_not_see_the_scale(rule, scale):
    detector = KernelPCAOutlierDetector(rule=rule, random_state=0)
    expected = detector.fit(X).score_samples(X_NEW)
    assert_allclose(detector.fit(X * scale).score_samples(X_NEW * scale), expected, rtol=1e-6)
    shares = detector.explain(X_NEW * scale)
    assert_allclose(shares.sum(axis=1), -expected, rtol=1e-6)


@pytest.mark.parametrize("rule", ["robust", "paper"])
def test_columns_of_any_unit_side_by_side(rule):
    detector = KernelPCAOutlierDetector(rule=rule, random_state=0)
    expected = detector.fit(X).score_samples(X)
    rows = X * [1.0, 1e300, 1e-300, 1e5]
    assert_allclose(detector.fit(rows).score_samples(rows), expected, rtol=1e-6)


@pytest.mark.parametrize("rule", ["robust", "paper"])
@pytest.mark.parametrize("value", [1e10, 1e300, 1.7e308])
@pytest.mark.filterwarnings("ignore:.*so far from all training rows")
def test_one_wild_value_is_found_and_breaks_nothing(rule, value):
    detector = KernelPCAOutlierDetector(rule=rule, random_state=0).fit(X)
    wild = X_NEW.copy()
    wild[3, 2] = value
    scores = detector.score_samples(wild)
    others = np.arange(7) != 3
    assert np.isfinite(scores).all()
    assert_allclose(scores[others], detector.score_samples(X_NEW)[others])
    assert np.isfinite(detector.explain(wild)).all()
    assert rule == "robust" or detector.predict(wild)[3] == -1
    if value < 1e308:
        rows = X.copy()
        rows[3, 2] = value
        assert np.argmin(detector.fit(rows).score_samples(rows)) == 3


def test_the_detector_without_scaled_columns():
    pca = L1KernelPCA(2)
    for rule in ("robust", "paper"):
        detector = KernelPCAOutlierDetector(pca, rule=rule, scaling=None)
        refused(lambda detector=detector: detector.fit(X * 1e300), too_large("linear"))
        refused(lambda detector=detector: detector.fit(X * 1e-300), too_small("linear"))
        detector.fit(X)
        for method in ("score_samples", "predict", "explain", "outlier_map"):
            call = getattr(detector, method)
            refused(lambda call=call: call(X * 1e300), too_large("linear"))


def test_values_whose_sums_overflow():
    rows = X / np.abs(X).max() * 1.7e308
    text = (
        "X has values of up to 1.7e+308: sums overflow in float64; divide the columns by a number"
    )
    for rule in ("robust", "paper"):
        refused(lambda rule=rule: KernelPCAOutlierDetector(rule=rule).fit(rows), text)
    refused(lambda: L1KernelPCA(kernel="chi2").fit(np.abs(rows)), too_large("chi2"))
    assert L1KernelPCA(2, kernel="laplacian").fit(rows).n_components_ == 2


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_lengths_have_no_unit(scale):
    lengths = np.linalg.norm(X, axis=1)
    units, found = unit_rows(X * scale, np.zeros_like(X))
    assert_allclose(found / scale, lengths, rtol=1e-12)
    assert_allclose(units, X / lengths[:, np.newaxis], rtol=1e-12)
    units, found = unit_rows(np.zeros((3, 2)), np.ones((3, 2)))
    assert found.tolist() == [0.0, 0.0, 0.0]
    assert (units == 1).all()
