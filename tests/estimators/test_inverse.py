"""From scores back to rows: linear maps, ridge regression, and the fixed point."""

import numpy as np
import pytest
from dask.array import from_array
from numpy.testing import assert_allclose, assert_array_equal
from scipy import linalg, sparse
from sklearn.datasets import load_digits
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel

import l1kpca.peers
from l1kpca import L1KernelPCA, persistence
from l1kpca.gram.choose import Dense, Nystroem
from l1kpca.gram.projection import Projection
from refusals import refuses

PEERS = [getattr(l1kpca.peers, name) for name in l1kpca.peers.__all__]
METHODS = [L1KernelPCA, *PEERS]
GAMMA = 0.4


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(size=(60, 4)) + 5


@pytest.fixture(scope="module")
def X_new():
    return np.random.default_rng(1).normal(size=(17, 4)) * 1.5 + 5


def fitted(X, method=L1KernelPCA, n_components=5, **settings):
    given = {"kernel": "rbf", "gamma": GAMMA, "random_state": 0} | settings
    return method(n_components, **given).fit(X)


def combination(pca, scores):
    """g with P = sum_i g_i phi(x_i): the center, and s_j times each centered direction."""
    n = len(pca.X_fit_)
    center = np.full(n, 1 / n) if pca.center else np.zeros(n)
    return np.array(
        [
            center
            + sum(
                s_j * (a - a.sum() * center)
                for s_j, a in zip(s, pca.dual_components_.T, strict=True)
            )
            for s in np.asarray(scores, dtype=float)
        ]
    )


def squared_distances(pca, rows, scores):
    """|phi(x) - P|^2 for each row and its point, by the matrix of all of them."""
    g = combination(pca, scores)
    K = rbf_kernel(pca.X_fit_.astype(float), gamma=pca.gamma_)
    between = rbf_kernel(rows.astype(float), pca.X_fit_.astype(float), gamma=pca.gamma_)
    return 1 - 2 * (g * between).sum(axis=1) + ((g @ K) * g).sum(axis=1)


def nearest_training_rows(pca, scores):
    """By trying all."""
    distances = [squared_distances(pca, np.tile(x, (len(scores), 1)), scores) for x in pca.X_fit_]
    return pca.X_fit_[np.argmin(distances, axis=0)]


# Linear maps and ridge regression.


@pytest.mark.parametrize("center", [True, False, "median"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_linear_inverse_of_all_components_restores_the_rows(X, center, container):
    pca = L1KernelPCA(center=center).fit(container(X))
    assert_allclose(pca.inverse_transform(pca.transform(container(X))), X, atol=1e-8)


def test_linear_inverse_begins_at_the_center(X):
    pca = L1KernelPCA(2).fit(X)
    assert_allclose(pca.inverse_transform(np.zeros((1, 2)))[0], X.mean(axis=0))
    assert_allclose(pca.transform(X), (X - X.mean(axis=0)) @ pca.components_.T, atol=1e-9)


@pytest.mark.parametrize("kernel", ["rbf", "poly", "laplacian"])
@pytest.mark.parametrize("alpha", [0.01, 1.0])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_ridge_inverse_is_the_formula_of_scikit_learn(X, kernel, alpha, container):
    """x = k(z, Z) (k(Z, Z) + alpha I)^-1 X, given the scores Z."""
    settings = {"kernel": kernel, "gamma": 0.05, "alpha": alpha, "fit_inverse_transform": True}
    pca = L1KernelPCA(3, **settings).fit(container(X))
    Z = pca.transform(X)
    K = pairwise_kernels(Z, metric=kernel, gamma=0.05)
    new = Z[:7] + 0.1
    weights = linalg.solve(K + alpha * np.eye(60), X)
    expected = pairwise_kernels(new, Z, metric=kernel, gamma=0.05) @ weights
    assert_allclose(pca.inverse_transform(new), expected, rtol=1e-5, atol=1e-6)


# The fixed point.


@pytest.mark.parametrize(
    ("center", "gamma"), [(True, 0.02), (False, 0.02), (True, 0.4), (False, 5.0)]
)
@pytest.mark.parametrize("size", [1.0, 3.0, -2.0])
def test_the_fixed_point_is_never_farther_than_its_start(X, X_new, center, gamma, size):
    """Also for points that are no projection of any row: their weights have mixed signs."""
    pca = fitted(X, center=center, gamma=gamma, fit_inverse_transform=True, alpha=0.01)
    scores = size * pca.transform(X_new)
    found = squared_distances(pca, pca.inverse_transform(scores, method="fixed_point"), scores)
    nearest = squared_distances(pca, nearest_training_rows(pca, scores), scores)
    ridge = squared_distances(pca, pca.inverse_transform(scores, method="ridge"), scores)
    assert (found <= np.minimum(nearest, ridge) + 1e-12).all()


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.__name__)
def test_every_method_comes_nearer_than_any_training_row(X, X_new, method):
    pca = fitted(X, method)
    scores = pca.transform(X_new)
    found = squared_distances(pca, pca.denoise(X_new, method="fixed_point"), scores)
    nearest = squared_distances(pca, nearest_training_rows(pca, scores), scores)
    assert (found < nearest).all()


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("gamma", [0.05, 0.4])
def test_where_it_ends_the_iteration_of_mika_stands_still(X, X_new, center, gamma):
    pca = fitted(X, center=center, gamma=gamma)
    scores = pca.transform(X_new)
    rows = pca.inverse_transform(scores, method="fixed_point")
    weighted = combination(pca, scores) * rbf_kernel(rows, X, gamma=gamma)
    assert_allclose(weighted @ X / weighted.sum(axis=1, keepdims=True), rows, atol=2e-5)


def test_training_rows_come_back_when_all_components_are_kept(X):
    pca = fitted(X, n_components=None)
    assert_allclose(pca.denoise(X, method="fixed_point"), X, atol=1e-5)


def test_digits_come_back():
    images = load_digits().data[:200] / 16
    pca = fitted(images, n_components=None, gamma="median")
    assert_allclose(pca.denoise(images, method="fixed_point"), images, atol=1e-4)


def test_all_at_once_is_one_by_one(X, X_new):
    pca = fitted(X)
    alone = np.vstack([pca.denoise(row[None], method="fixed_point") for row in X_new])
    assert_allclose(pca.denoise(X_new, method="fixed_point"), alone, atol=1e-5)


def test_threads_do_not_change_the_result(monkeypatch, X, X_new):
    monkeypatch.setattr("l1kpca.estimators.inverse._ENTRIES", 4 * len(X))
    monkeypatch.setattr("l1kpca.tuning.SMALL_WORK", 0)
    one, two = (fitted(X, n_jobs=n).denoise(X_new, method="fixed_point") for n in (1, 2))
    assert_array_equal(one, two)
    monkeypatch.undo()
    assert_allclose(fitted(X).denoise(X_new, method="fixed_point"), one, atol=1e-5)


def test_single_precision_stays_single(X, X_new):
    double = fitted(X, start="column")
    single = fitted(X.astype("float32"), start="column")
    rows = single.denoise(X_new.astype("float32"), method="fixed_point")
    assert rows.dtype == np.float32
    assert_allclose(rows, double.denoise(X_new, method="fixed_point"), atol=5e-3)


@pytest.mark.parametrize("gram", ["blocked", Nystroem(n_landmarks=60, landmarks="random")])
def test_other_ways_to_hold_the_matrix_give_the_same_rows(X, X_new, gram):
    expected = fitted(X, start="column").denoise(X_new, method="fixed_point")
    pca = fitted(X, start="column", gram=gram)
    assert_allclose(pca.denoise(X_new, method="fixed_point"), expected, atol=1e-4)


def test_few_landmarks_are_enough_to_come_back():
    """Rows on a circle, from 15 landmarks; features stored, or computed in each pass."""
    angles = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    X = np.column_stack([np.cos(angles), np.sin(angles)])
    for memory in (None, 40_000):
        gram = Nystroem(n_landmarks=15)
        pca = fitted(X, n_components=6, gamma=1.0, gram=gram, memory_limit=memory)
        assert np.abs(pca.denoise(X, method="fixed_point") - X).max() < 0.1


def test_sparse_rows_and_dask_arrays_and_the_median_as_center(X, X_new):
    expected = fitted(X, start="column").denoise(X_new, method="fixed_point")
    held = fitted(sparse.csr_array(X), start="column")
    rows = held.denoise(sparse.csr_array(X_new), method="fixed_point")
    assert_allclose(rows, expected, atol=1e-5)
    chunked = fitted(from_array(X, chunks=(20, 4)), start="column")
    rows = chunked.denoise(from_array(X_new, chunks=(5, 4)), method="fixed_point")
    assert_allclose(rows, expected, atol=1e-5)
    median = fitted(X, center="median", n_components=None)
    assert_allclose(median.denoise(X, method="fixed_point"), X, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("size", [0.0, 1e-30, 1e6, -1e6, 1e30])
@pytest.mark.parametrize("gamma", [1e-8, 1e4])
def test_rows_are_always_finite(X, dtype, size, gamma):
    pca = fitted(X.astype(dtype), gamma=gamma, center=False, n_components=1)
    scores = np.random.default_rng(2).normal(size=(9, pca.n_components_)) * size
    rows = pca.inverse_transform(scores.astype(dtype), method="fixed_point")
    assert np.isfinite(rows).all()
    # Combinations of training rows far from all of them: the search does not leave their reach.
    assert np.abs(rows - 5).max() < 1e6


def test_without_components_the_nearest_row_to_the_center(X):
    pca = fitted(np.tile(X[:1], (5, 1)), n_components=None)
    assert pca.n_components_ == 0
    rows = pca.inverse_transform(np.empty((2, 0)), method="fixed_point")
    assert_allclose(rows, np.tile(X[:1], (2, 1)))


def test_a_saved_model_finds_the_same_rows(tmp_path, X, X_new):
    pca = fitted(X)
    persistence.save(pca, tmp_path / "pca.skops")
    again = persistence.load(tmp_path / "pca.skops").estimator
    expected = pca.denoise(X_new, method="fixed_point")
    assert_array_equal(again.denoise(X_new, method="fixed_point"), expected)


# Errors.


EXACT = "method='fixed_point' is not for kernel='linear', which is exact: use method='auto'"
NOT_LEARNED = (
    "inverse_transform with kernel={!r} needs fit_inverse_transform=True: set it and fit again"
)
PRECOMPUTED = "pre-images need the rows: pass them, and a kernel instead of 'precomputed'"


@pytest.mark.parametrize("call", ["inverse_transform", "denoise"])
@pytest.mark.parametrize(
    ("settings", "method", "text"),
    [
        ({}, "mika", "method='mika' must be one of ['auto', 'ridge', 'fixed_point']"),
        (
            {"kernel": "poly"},
            "fixed_point",
            "method='fixed_point' needs kernel='rbf', got 'poly': use method='ridge'",
        ),
        ({"kernel": "linear"}, "fixed_point", EXACT),
        ({"kernel": "precomputed"}, "fixed_point", PRECOMPUTED),
        ({"kernel": "precomputed"}, "auto", PRECOMPUTED),
        ({"kernel": "poly"}, "ridge", NOT_LEARNED.format("poly")),
        ({}, "auto", NOT_LEARNED.format("rbf") + " or use method='fixed_point'"),
    ],
)
def test_what_has_no_way_back(X, call, settings, method, text):
    rows = rbf_kernel(X) if settings.get("kernel") == "precomputed" else X
    pca = fitted(rows, n_components=3, **settings)
    given = rows if call == "denoise" else pca.transform(rows)
    with refuses(text):
        getattr(pca, call)(given, method=method)


def test_the_fixed_point_needs_the_rows(X):
    class Opaque(Dense):
        """Holds K, and keeps no rows to speak of."""

        def build(self, X, kernel, resources):
            gram = super().build(X, kernel, resources)
            gram.projection = lambda V: Projection(kernel, None, V)
            return gram

        def __repr__(self):
            return "Opaque()"

    pca = fitted(X, gram=Opaque(), center=False)
    with refuses(
        "method='fixed_point' needs the training rows, which gram=Opaque() does not keep: use"
        " method='ridge', or another gram"
    ):
        pca.inverse_transform(np.zeros((1, 5)), method="fixed_point")
