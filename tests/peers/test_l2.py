"""L2 kernel PCA is scikit-learn's."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import PCA, KernelPCA
from sklearn.metrics.pairwise import rbf_kernel, sigmoid_kernel

from l1kpca.estimators.l2_kernel_pca import EIGEN_SOLVERS
from l1kpca.gram.centers import spatial_median_weights
from l1kpca.gram.stored import StoredGram
from l1kpca.peers import L2KernelPCA
from l1kpca.threads import Workers
from oracles import centered, mean_centered

SETTINGS = {"kernel": "rbf", "gamma": 0.05}


def rows(seed, n=80):
    return np.random.default_rng(seed).normal(size=(n, 5)) * [5, 4, 3, 2, 1] + 1


def same_up_to_sign(A, B, **tolerance):
    turn = np.sign(np.sum(A * B, axis=0))
    assert_allclose(A, turn * B, **tolerance)


@pytest.mark.parametrize("eigen_solver", EIGEN_SOLVERS)
@pytest.mark.parametrize("n_components", [3, 12, 80])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "cosine"])
def test_scores_and_new_rows_as_in_scikit_learn(eigen_solver, n_components, kernel):
    X, new = rows(0), rows(1)
    settings = {"kernel": kernel, "gamma": 0.05, "degree": 2, "iterated_power": 30}
    theirs = KernelPCA(n_components, eigen_solver="dense", **settings).fit(X)
    ours = L2KernelPCA(n_components, eigen_solver=eigen_solver, random_state=0, **settings)
    if (kernel in ("linear", "cosine") and n_components > 5) or n_components == 80:
        with pytest.warns(UserWarning, match="exceeds the rank of the data"):
            ours.fit(X)
    else:
        ours.fit(X)
    k = min(ours.n_components_, 12)
    size = np.sqrt(theirs.eigenvalues_[0])
    same_up_to_sign(ours.transform(X)[:, :k], theirs.transform(X)[:, :k], atol=1e-6 * size)
    same_up_to_sign(ours.transform(new)[:, :k], theirs.transform(new)[:, :k], atol=1e-6 * size)
    assert_allclose(ours.explained_variance_[:k] * 79, theirs.eigenvalues_[:k], rtol=1e-6)
    assert_allclose(ours.eigenvalues_[:k], theirs.eigenvalues_[:k], rtol=1e-6)
    same_up_to_sign(ours.eigenvectors_[:, :k], theirs.eigenvectors_[:, :k], atol=1e-6)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("center", [True, False, "median"])
def test_eigenvalues_and_unit_eigenvectors_of_the_matrix(center, dtype):
    pca = L2KernelPCA(4, center=center, **SETTINGS).fit(rows(3).astype(dtype))
    values, vectors, close = pca.eigenvalues_, pca.eigenvectors_, 100 * np.finfo(dtype).eps
    assert values.dtype == vectors.dtype == dtype
    assert_allclose(vectors.T @ vectors, np.eye(4), atol=close)
    assert_allclose(pca.training_gram().apply(vectors), vectors * values, atol=close * values[0])
    assert (np.diff(values) < 0).all()
    assert L2KernelPCA().fit(np.ones((5, 2))).eigenvectors_.shape == (5, 0)


def test_all_components_up_to_the_rank():
    X = rows(0)
    ours, theirs = L2KernelPCA().fit(X), PCA().fit(X)
    assert ours.n_components_ == 5
    same_up_to_sign(ours.transform(X), theirs.transform(X), atol=1e-9)
    assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_)


@pytest.mark.parametrize("eigen_solver", EIGEN_SOLVERS)
@pytest.mark.parametrize("center", [False, "median"])
@pytest.mark.parametrize("n_components", [3, 15])
def test_other_centers_against_the_eigenvectors(eigen_solver, center, n_components):
    X = rows(2)
    K = rbf_kernel(X, gamma=0.05)
    if center == "median":
        K = centered(K, spatial_median_weights(StoredGram(K, Workers())))
    values, vectors = np.linalg.eigh(K)
    expected = (vectors * np.sqrt(np.maximum(values, 0)))[:, ::-1][:, :n_components]
    settings = {"eigen_solver": eigen_solver, "iterated_power": 30, "random_state": 0}
    ours = L2KernelPCA(n_components, center=center, **settings, **SETTINGS).fit_transform(X)
    same_up_to_sign(ours, expected, atol=1e-6)


@pytest.mark.parametrize("center", [True, False])
def test_the_choice_of_auto_is_that_of_scikit_learn(center):
    """More than 200 rows and fewer than 10 components: arpack; the same numbers show it."""
    X = rows(0, n=250)
    few = {"n_components": 3, "center": center, "random_state": 0, **SETTINGS}
    auto = L2KernelPCA(**few).fit(X).dual_components_
    assert_allclose(auto, L2KernelPCA(eigen_solver="arpack", **few).fit(X).dual_components_, atol=0)
    assert not np.array_equal(
        auto, L2KernelPCA(eigen_solver="dense", **few).fit(X).dual_components_
    )


def test_an_indefinite_kernel_gives_its_positive_part():
    X = rows(0, n=40)
    K = mean_centered(sigmoid_kernel(X, gamma=0.5, coef0=-2.0))
    values = np.sort(np.linalg.eigvalsh(K))[::-1]
    settings = {"kernel": "sigmoid", "gamma": 0.5, "coef0": -2.0}
    with pytest.warns(UserWarning, match="not positive semidefinite"):
        pca = L2KernelPCA(3, eigen_solver="dense", **settings).fit(X)
    assert_allclose(pca.explained_variance_ * 39, values[:3])
    for center in (True, False):
        with pytest.warns(UserWarning, match="not positive semidefinite"):
            pca = L2KernelPCA(center=center, **settings).fit(X)
        assert (pca.explained_variance_ > 0).all()
        assert pca.n_components_ < 39


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"eigen_solver": "qr"}, r"eigen_solver='qr' must be one of \['auto', 'dense', 'arpack'"),
        ({"tol": -1}, "tol=-1 must be at least 0"),
        ({"iterated_power": -2}, "iterated_power=-2 must be an integer of at least 0"),
    ],
)
def test_errors(settings, message):
    with pytest.raises(ValueError, match=message):
        L2KernelPCA(**settings).fit(rows(0))
