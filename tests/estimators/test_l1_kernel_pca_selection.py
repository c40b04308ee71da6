"""The way back from scores to rows, and the score by which models are chosen."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import linalg, sparse
from sklearn.datasets import make_circles
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import GridSearchCV, cross_val_score

from l1kpca import L1KernelPCA
from oracles import low_rank_rows


@pytest.fixture
def X():
    return low_rank_rows(np.random.default_rng(0), 120, 10, 3, noise=0.1) + 5


# The way back.


@pytest.mark.parametrize("center", [True, False, "median"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_linear_inverse_of_all_components_restores_the_rows(X, center, container):
    pca = L1KernelPCA(center=center).fit(container(X))
    assert_allclose(pca.inverse_transform(pca.transform(container(X))), X, atol=1e-8)


def test_linear_inverse_is_the_projection_on_the_subspace(X):
    """The mean restored; what is left is orthogonal to the components."""
    pca = L1KernelPCA(2).fit(X)
    back = pca.inverse_transform(pca.transform(X))
    assert_allclose(pca.components_ @ pca.components_.T, np.eye(2), atol=1e-10)
    assert_allclose((X - back) @ pca.components_.T, 0, atol=1e-9)
    assert_allclose(back.mean(axis=0), X.mean(axis=0))
    assert_allclose(pca.inverse_transform(np.zeros((1, 2)))[0], X.mean(axis=0))
    assert_allclose(pca.transform(X), (X - X.mean(axis=0)) @ pca.components_.T, atol=1e-9)


@pytest.mark.parametrize("kernel", ["rbf", "poly", "laplacian"])
@pytest.mark.parametrize("alpha", [0.01, 1.0])
def test_ridge_inverse_is_the_formula_of_scikit_learn(X, kernel, alpha):
    """x = k(z, Z) (k(Z, Z) + alpha I)^-1 X, given the scores Z."""
    pca = L1KernelPCA(3, kernel=kernel, gamma=0.05, alpha=alpha, fit_inverse_transform=True).fit(X)
    Z = pca.transform(X)
    params = {"gamma": 0.05}
    weights = linalg.solve(pairwise_kernels(Z, metric=kernel, **params) + alpha * np.eye(120), X)
    new = Z[:7] + 0.1
    expected = pairwise_kernels(new, Z, metric=kernel, **params) @ weights
    assert_allclose(pca.inverse_transform(new), expected, rtol=1e-5, atol=1e-6)


def test_ridge_inverse_of_sparse_rows(X):
    settings = {"kernel": "rbf", "gamma": 0.05, "fit_inverse_transform": True, "start": "column"}
    dense = L1KernelPCA(3, **settings).fit(X)
    held = L1KernelPCA(3, **settings).fit(sparse.csr_array(X))
    scores = dense.transform(X)[:5]
    assert_allclose(held.inverse_transform(scores), dense.inverse_transform(scores), atol=1e-6)


# The score.


def _scores(X, grid, **settings):
    """Cross-validated scores, one for each value of one parameter."""
    ((name, values),) = grid.items()
    return [
        cross_val_score(L1KernelPCA(**settings, **{name: value}), X, cv=4).mean()
        for value in values
    ]


def test_score_finds_the_number_of_components(global_random_seed):
    """Rank 3 in ten columns: with fewer something is missed, with more the hidden is copied."""
    rng = np.random.default_rng([global_random_seed, 1])
    X = low_rank_rows(rng, 200, 10, 3, noise=0.1)
    counts = [1, 2, 3, 5, 8, 10]
    scores = _scores(X, {"n_components": counts}, random_state=0)
    assert counts[int(np.argmax(scores))] == 3
    assert scores[-1] < 0.2


def test_score_of_a_perfect_model_and_of_none():
    rng = np.random.default_rng(1)
    X = low_rank_rows(rng, 200, 20, 2)
    assert L1KernelPCA(2).fit(X).score(X) > 0.8
    noise = rng.normal(size=(200, 20))
    assert L1KernelPCA(2).fit(noise).score(rng.normal(size=(100, 20))) < 0.1
    assert L1KernelPCA(2).fit(X).score(X) <= 1


def _ring(rng, n, noise=0.03):
    """A circle, lifted into eight columns: a curve, not a plane's worth of variance."""
    X, _ = make_circles(n, noise=noise, factor=0.5, random_state=int(rng.integers(1000)))
    inside = np.hypot(*X.T) < 0.75
    angle = np.arctan2(X[:, 1], X[:, 0])[~inside]
    frequencies = np.arange(1, 5)
    waves = np.hstack([np.cos(np.outer(angle, frequencies)), np.sin(np.outer(angle, frequencies))])
    return waves + noise * rng.normal(size=waves.shape)


def test_score_finds_a_sensible_width_on_a_curve(global_random_seed):
    """Neither a kernel so wide that it is linear, nor one so narrow that it only remembers."""
    X = _ring(np.random.default_rng([global_random_seed, 2]), 400)
    widths = [1e-6, 1e-3, 0.03, 0.1, 0.3, 10.0, 1000.0]
    scores = _scores(X, {"gamma": widths}, kernel="rbf", n_components=8, random_state=0)
    best = widths[int(np.argmax(scores))]
    assert 1e-3 < best < 10.0
    assert scores[0] < max(scores) - 0.02
    assert scores[-1] < max(scores) - 0.2


@pytest.mark.parametrize("gamma", [1e-12, 1e-6])
def test_a_wide_kernel_gains_nothing(X, gamma):
    """It becomes the linear kernel, and scores as that does."""
    linear = L1KernelPCA(3, gram="dense", start="column").fit(X[:80]).score(X[80:])
    wide = L1KernelPCA(3, kernel="rbf", gamma=gamma, start="column").fit(X[:80]).score(X[80:])
    assert wide <= linear + 0.02


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_more_components_do_not_win_by_themselves(kernel):
    X = np.random.default_rng(3).normal(size=(150, 6))
    scores = _scores(X, {"n_components": [1, 3, 6]}, kernel=kernel, gamma=0.05, random_state=0)
    assert max(scores) < 0.05


def test_a_few_bad_rows_do_not_decide():
    rng = np.random.default_rng(4)
    X = low_rank_rows(rng, 200, 10, 3, noise=0.1)
    clean = L1KernelPCA(3).fit(X[:150])
    dirty = X[150:].copy()
    dirty[0] *= 20
    assert clean.score(dirty) > 0.5


def test_score_in_a_grid_search_over_kernels_and_numbers():
    X = low_rank_rows(np.random.default_rng(5), 120, 8, 2, noise=0.1)
    grid = {"kernel": ["linear", "rbf"], "gamma": [10.0], "n_components": [1, 2, 6]}
    search = GridSearchCV(L1KernelPCA(random_state=0), grid, cv=3, error_score="raise").fit(X)
    assert search.best_params_["kernel"] == "linear"
    assert search.best_params_["n_components"] == 2


def test_score_of_sparse_rows_and_of_constant_columns(X):
    pca = L1KernelPCA(3, start="column").fit(X)
    held = L1KernelPCA(3, start="column").fit(sparse.csr_array(X))
    assert held.score(sparse.csr_array(X)) == pytest.approx(pca.score(X), abs=1e-6)
    constant = np.column_stack([X, np.full(120, 3.0)])
    assert np.isfinite(L1KernelPCA(3).fit(constant).score(constant))
    one = L1KernelPCA().fit(X[:, :1])
    assert np.isfinite(one.score(X[:, :1]))
