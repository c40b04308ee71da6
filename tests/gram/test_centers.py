"""center="median": where it lies, what it means for new rows, and that outliers do not move it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import minimize
from sklearn.metrics.pairwise import rbf_kernel

from contracts.grams import WITH_DTYPE, example
from l1kpca import L1KernelPCA
from l1kpca.gram.centers import spatial_median_weights
from l1kpca.gram.choose import Nystroem
from l1kpca.gram.factor import FactorGram
from l1kpca.gram.stored import StoredGram
from l1kpca.kernels import Kernel
from l1kpca.threads import Workers
from oracles import centered


def rows(n=60, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d)) * [3, 1, 0.5]


def linear(X):
    return FactorGram(X, Workers(), Kernel("linear"))


def sum_of_distances(X, point):
    return np.linalg.norm(X - point, axis=1).sum()


@pytest.mark.parametrize("outliers", [0, 10, 25])
@pytest.mark.parametrize("far", [10.0, 1e7])
def test_no_point_has_a_smaller_sum_of_distances(outliers, far):
    X = rows()
    X[:outliers] += far
    best = minimize(
        lambda point: sum_of_distances(X, point),
        np.median(X, axis=0),
        method="Nelder-Mead",
        options={"maxiter": 10_000, "maxfev": 10_000, "xatol": 1e-8, "fatol": 1e-12},
    ).fun
    for gram in (linear(X), StoredGram(X @ X.T, Workers())):
        found = spatial_median_weights(gram) @ X
        assert sum_of_distances(X, found) <= best * (1 + 1e-8)


def test_outliers_move_the_mean_and_not_the_median():
    """40 % of the rows at a distance that grows: the median stays, the mean goes with them."""
    clean = rows()
    for far in (1e2, 1e4, 1e6):
        X = clean.copy()
        X[:24] += far
        found = spatial_median_weights(linear(X)) @ X
        assert np.linalg.norm(found) < 10
        assert np.linalg.norm(X.mean(axis=0)) > 0.3 * far


@pytest.mark.parametrize(
    "case",
    [c for c in WITH_DTYPE if c[1] in ("linear", "rbf") and c[2] == "bare"],
    ids="-".join,
)
def test_the_median_has_no_pull_over_every_gram(case):
    """At the median, the unit vectors to the rows cancel: K_c w = 0 with w_i = 1 / d_i."""
    held, dtype = example(*case), case[3]
    weights = spatial_median_weights(held.gram)
    assert weights.dtype == dtype
    assert weights.sum() == pytest.approx(1, abs=1e-5)
    assert (weights > 0).all()
    K = centered(held.K, weights.astype(float))
    pull = 1 / np.sqrt(np.maximum(K.diagonal(), 0))
    length = np.sqrt(max(pull @ K @ pull, 0)) / len(K)
    assert length < (1e-4 if dtype == "float64" else 5e-2)


def test_the_median_on_a_row_and_of_equal_rows():
    """The median may be a row, and rows may all be equal; neither divides by zero."""
    X = np.vstack([np.zeros((5, 2)), np.eye(2), -np.eye(2)])
    assert_allclose(spatial_median_weights(linear(X)) @ X, 0, atol=1e-6)
    assert_allclose(spatial_median_weights(linear(np.ones((4, 2)))), 0.25)


def test_more_than_half_of_the_rows_at_one_point():
    X = rows(21)
    X[:12] = X[0]
    found = spatial_median_weights(linear(X)) @ X
    assert_allclose(found, X[0], atol=1e-5)


@pytest.mark.parametrize(
    ("kernel", "gram"),
    [
        ("linear", "factor"),
        ("linear", "dense"),
        ("rbf", "dense"),
        ("rbf", "blocked"),
        ("rbf", Nystroem(n_landmarks=20)),
        ("laplacian", "auto"),
    ],
    ids=str,
)
def test_scores_of_the_training_rows_are_those_of_new_rows(kernel, gram):
    X = rows()
    X[:6] += 20
    model = L1KernelPCA(3, kernel=kernel, gram=gram, center="median", random_state=0)
    scores = model.fit_transform(X)
    assert_allclose(model.transform(X), scores, atol=1e-9 * np.abs(scores).max())
    K = model.training_gram().apply(np.eye(len(X)))
    assert_allclose(K @ model.dual_components_, scores, atol=1e-9 * np.abs(scores).max())


def test_new_rows_are_centered_at_the_same_point():
    """(phi(x) - m)^T (Phi - m 1^T) A, with m the median of the training rows."""
    X, X_new = rows(), rows(7, seed=1)
    model = L1KernelPCA(2, kernel="rbf", gamma=0.2, center="median").fit(X)
    K = rbf_kernel(np.vstack([X, X_new]), gamma=0.2)
    weights = np.zeros(67)
    weights[:60] = spatial_median_weights(StoredGram(K[:60, :60].copy(), Workers()))
    expected = centered(K, weights)[60:, :60] @ model.dual_components_
    assert_allclose(model.transform(X_new), expected, atol=1e-9)


def test_sparse_and_single_precision_rows():
    X = rows()
    dense = L1KernelPCA(2, center="median", random_state=0).fit(X)
    thin = L1KernelPCA(2, center="median", random_state=0).fit(sparse.csr_matrix(X))
    single = L1KernelPCA(2, center="median", random_state=0).fit(X.astype(np.float32))
    assert_allclose(thin.objective_, dense.objective_, rtol=1e-8)
    assert_allclose(single.objective_, dense.objective_, rtol=1e-3)
