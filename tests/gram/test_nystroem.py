"""Landmarks: features that are stored and features that are streamed are the same features."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from l1kpca import L1KernelPCA, tuning
from l1kpca.gram.choose import Nystroem, Resources, choose_landmarks
from l1kpca.gram.factor import LandmarkRows
from l1kpca.kernels import Kernel

N, LANDMARKS = 400, 30
BYTES = 2 * N * LANDMARKS * 8  # the features and their centered copy


@pytest.mark.parametrize(("memory", "stored"), [(BYTES, True), (BYTES - 1, False)])
def test_features_are_stored_if_they_fit(make_rows, memory, stored):
    X, kernel = make_rows(N), Kernel("rbf", {"gamma": 0.2})
    gram = Nystroem(LANDMARKS).build(X, kernel, Resources(memory))
    assert isinstance(gram.F, np.ndarray if stored else LandmarkRows)
    assert gram.bytes_held == (BYTES // 2 if stored else 0)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("center", [True, False, "median"])
@pytest.mark.parametrize("landmarks", ["kmeans++", "random"])
def test_stored_and_streamed_give_the_same_components(make_rows, center, landmarks):
    X = make_rows(N)
    gram = Nystroem(LANDMARKS, landmarks)
    settings = {"kernel": "rbf", "gram": gram, "center": center, "random_state": 0}
    stored = L1KernelPCA(4, **settings, memory_limit=BYTES).fit(X)
    streamed = L1KernelPCA(4, **settings, memory_limit=BYTES - 1).fit(X)
    assert stored.gram_.bytes_held > streamed.gram_.bytes_held
    assert stored.gram_.lost_share == pytest.approx(streamed.gram_.lost_share, abs=1e-12)
    np.testing.assert_allclose(stored.objective_, streamed.objective_, rtol=1e-6)
    np.testing.assert_array_equal(stored.signs_, streamed.signs_)
    np.testing.assert_allclose(stored.transform(X), streamed.transform(X), atol=1e-7)


@pytest.mark.parametrize("method", ["kmeans++", "random"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_landmarks_are_different_rows_and_depend_on_the_seed_alone(
    make_rows, method, container, scale
):
    X = container(make_rows(100) * scale)
    one, two = (choose_landmarks(X, 10, method, np.random.default_rng(3)) for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert len(np.unique(one)) == len(one) == 10
    assert (np.diff(one) > 0).all()
    everything = choose_landmarks(X, 100, method, np.random.default_rng(3))
    np.testing.assert_array_equal(everything, np.arange(100))


def test_spread_out_landmarks_are_looked_for_among_some_rows(monkeypatch):
    """Of many rows a sample is enough; a cluster far off is found in it."""
    monkeypatch.setattr(tuning, "SEEDING_ROWS", 50)
    X = np.random.default_rng(0).normal(size=(1000, 2))
    X[::10] += 100
    index = choose_landmarks(X, 5, "kmeans++", np.random.default_rng(0))
    assert (X[index, 0] > 50).any()
    assert (X[index, 0] < 50).any()


def test_equal_rows_give_one_landmark_each_time():
    X = np.repeat([[0.0, 1.0], [2.0, 0.0]], 20, axis=0)
    pca = L1KernelPCA(1, kernel="rbf", gram=Nystroem(10, "random"), random_state=0).fit(X)
    assert pca.gram_.lost_share == pytest.approx(0, abs=1e-12)


def test_what_is_missed_is_said_and_shrinks_with_more_landmarks(make_rows):
    X = make_rows(N)
    lost = []
    for count in (5, 20, 80, 320, N):
        pca = L1KernelPCA(2, kernel="rbf", gram=Nystroem(count, "random"), random_state=0).fit(X)
        lost.append(pca.gram_.lost_share)
    assert all(more > less for more, less in pairwise(lost))
    assert 0.05 < lost[0] < 1
    assert lost[-1] < 1e-9


def test_it_is_shown(make_rows):
    pca = L1KernelPCA(2, kernel="rbf", gram=Nystroem(5), random_state=0).fit(make_rows(N))
    assert f"misses {pca.gram_.lost_share:.2%} of trace K" in str(pca.gram_)


@pytest.mark.parametrize("shift", [0.0, 5.0])
def test_many_features_are_kept_in_single_precision(monkeypatch, shift):
    """Vectors stay in double precision, and so does what they are multiplied with."""
    X = np.random.default_rng(0).normal(size=(1200, 4)) + shift
    settings = {"kernel": "rbf", "gamma": 0.1, "gram": Nystroem(60), "random_state": 0}
    whole = L1KernelPCA(4, **settings).fit(X)
    monkeypatch.setattr(tuning, "SINGLE_FEATURES", 0)
    half = L1KernelPCA(4, **settings).fit(X)
    assert half.gram_.bytes_held == whole.gram_.bytes_held / 2
    assert half.dual_components_.dtype == half.training_gram().dtype == np.float64
    assert_allclose(half.objective_, whole.objective_, rtol=1e-6)
    assert_allclose(half.transform(X), half.fit_transform(X), atol=1e-5)
    for n_jobs in (1, 2):
        again = L1KernelPCA(4, **settings, n_jobs=n_jobs).fit(X)
        assert_array_equal(again.dual_components_, half.dual_components_)


@pytest.mark.parametrize("most", [0, 2**40])
def test_stored_features_are_centered_without_a_copy(make_rows, monkeypatch, most):
    """Also if the rows are sorted, so that the first ones say little about their mean."""
    monkeypatch.setattr(tuning, "SINGLE_FEATURES", most)
    monkeypatch.setattr(tuning, "MEDIAN_ROWS", 20)
    X, kernel = np.sort(make_rows(N), axis=0), Kernel("rbf", {"gamma": 0.2})
    gram = Nystroem(LANDMARKS).build(X, kernel, Resources(BYTES))
    centered = gram.center(np.full(N, 1 / N))
    assert centered.F is gram.F
    K, everything = gram.columns(np.arange(N)), np.arange(N)
    streamed = Nystroem(LANDMARKS).build(X, kernel, Resources(1))
    assert_allclose(K, streamed.columns(everything), atol=1e-5)
    expected = K - K.mean(axis=0) - K.mean(axis=1)[:, np.newaxis] + K.mean()
    assert_allclose(centered.columns(everything), expected, atol=1e-5)
    v = np.random.default_rng(0).normal(size=N)
    assert_allclose(centered.apply(v), expected @ v, atol=1e-4)
    some = everything[::3]
    assert_allclose(centered.apply(v[some], at=some), expected[:, some] @ v[some], atol=1e-4)


def test_features_in_single_precision_are_their_own_screen(make_rows, monkeypatch):
    """What their products in single precision may miss is known."""
    monkeypatch.setattr(tuning, "SINGLE_FEATURES", 0)
    gram = Nystroem(LANDMARKS).build(make_rows(N), Kernel("rbf", {"gamma": 0.2}), Resources(BYTES))
    F, units, errors = gram.rounded
    assert F is gram.F
    unit = np.random.default_rng(0).normal(size=(F.shape[1], 40))
    unit /= np.linalg.norm(unit, axis=0)
    missed = np.abs(units[:, np.newaxis] * (F @ unit.astype(np.float32)) - F.astype(float) @ unit)
    assert (missed.max(axis=1) <= errors).all()
    assert errors.max() < 1e-5
