"""A fitted model: scores of new rows, their distances, and the score by which models are chosen."""

import numpy as np
import pytest
from dask.array import from_array
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import make_circles
from sklearn.model_selection import GridSearchCV, cross_val_score

import l1kpca.peers
from l1kpca import L1KernelPCA
from oracles import centered, joint_gram, low_rank_rows

METHODS = [L1KernelPCA, *(getattr(l1kpca.peers, name) for name in l1kpca.peers.__all__)]


@pytest.fixture(scope="module")
def low_rank():
    return low_rank_rows(np.random.default_rng(0), 120, 10, 3, noise=0.1) + 5


# Scores and distances.


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("gram", ["auto", "dense", "blocked"])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "laplacian"])
def test_new_rows_against_the_joint_matrix(X, X_new, kernel, gram, center):
    """Scores and squared distances from the explicitly centered matrix of old and new rows."""
    pca = L1KernelPCA(4, kernel=kernel, gamma=0.02, gram=gram, center=center).fit(X)
    K = joint_gram(kernel, X, X_new, **({} if kernel == "linear" else {"gamma": 0.02}))
    K = centered(K, np.r_[np.full(80, 1 / 80), np.zeros(15)]) if center else K
    found = pca.project(X_new)
    expected = K[80:, :80] @ pca.dual_components_
    assert_allclose(found.scores, expected, atol=1e-9 * np.abs(K).max())
    assert_allclose(found.squared_norms, K.diagonal()[80:], rtol=1e-9)
    assert_array_equal(pca.transform(X_new), found.scores)


def test_a_kernel_matrix_does_not_know_the_distances_of_new_rows(X):
    pca = L1KernelPCA(2, kernel="precomputed").fit(X @ X.T)
    assert pca.project((X @ X.T)[:5]).squared_norms is None


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.__name__)
@pytest.mark.parametrize("center", [True, False])
def test_denoising_with_the_linear_kernel_is_the_orthogonal_projection(X, X_new, method, center):
    pca = method(2, center=center, random_state=0).fit(X)
    W, m = pca.components_, X.mean(axis=0) if center else 0.0
    clean = pca.denoise(X_new)
    assert_allclose(W @ W.T, np.eye(2), atol=1e-8)
    assert_allclose(clean, m + (X_new - m) @ W.T @ W, atol=1e-8)
    assert_allclose(pca.denoise(clean), clean, atol=1e-8)
    assert_allclose((X_new - clean) @ W.T, 0, atol=1e-8)


def test_denoising_keeps_what_has_the_rank_of_the_components():
    X = low_rank_rows(np.random.default_rng(0), 50, 8, 3, noise=0)
    assert_allclose(L1KernelPCA(3, center=False).fit(X).denoise(X), X, atol=1e-8)


def test_denoising_takes_sparse_rows_and_dask_arrays(X, X_new):
    pca = L1KernelPCA(2).fit(X)
    expected = pca.denoise(X_new)
    held = L1KernelPCA(2).fit(sparse.csr_array(X))
    assert_allclose(held.denoise(sparse.csr_array(X_new)), expected)
    assert_allclose(pca.denoise(from_array(X_new, chunks=(5, 6))), expected)


@pytest.mark.parametrize("method", ["auto", "ridge", "fixed_point"])
def test_denoising_is_there_and_back(X, X_new, method):
    pca = L1KernelPCA(5, kernel="rbf", gamma=0.05, fit_inverse_transform=True).fit(X)
    back = pca.inverse_transform(pca.transform(X_new), method=method)
    assert_array_equal(pca.denoise(X_new, method=method), back)


# The score.


def cross_validated(X, grid, **settings):
    """Mean scores, one for each value of one parameter."""
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
    scores = cross_validated(X, {"n_components": counts})
    assert counts[int(np.argmax(scores))] == 3
    assert scores[-1] < 0.2


def test_score_of_a_perfect_model_and_of_none():
    rng = np.random.default_rng(1)
    X = low_rank_rows(rng, 200, 20, 2)
    assert 0.8 < L1KernelPCA(2).fit(X).score(X) <= 1
    noise = rng.normal(size=(200, 20))
    assert L1KernelPCA(2).fit(noise).score(rng.normal(size=(100, 20))) < 0.1


def ring(rng, n, noise=0.03):
    """A circle, lifted into eight columns: a curve, not a plane's worth of variance."""
    X, _ = make_circles(n, noise=noise, factor=0.5, random_state=int(rng.integers(1000)))
    inside = np.hypot(*X.T) < 0.75
    angle = np.arctan2(X[:, 1], X[:, 0])[~inside]
    frequencies = np.arange(1, 5)
    waves = np.hstack([np.cos(np.outer(angle, frequencies)), np.sin(np.outer(angle, frequencies))])
    return waves + noise * rng.normal(size=waves.shape)


def test_score_finds_a_sensible_width_on_a_curve(global_random_seed):
    """Neither a kernel so wide that it is linear, nor one so narrow that it only remembers."""
    X = ring(np.random.default_rng([global_random_seed, 2]), 400)
    widths = [1e-6, 1e-3, 0.03, 0.1, 0.3, 10.0, 1000.0]
    scores = cross_validated(X, {"gamma": widths}, kernel="rbf", n_components=8)
    assert 1e-3 < widths[int(np.argmax(scores))] < 10.0
    assert scores[0] < max(scores) - 0.02
    assert scores[-1] < max(scores) - 0.2


@pytest.mark.parametrize("gamma", [1e-12, 1e-6])
def test_a_wide_kernel_gains_nothing(low_rank, gamma):
    """It becomes the linear kernel, and scores as that does."""
    train, test = low_rank[:80], low_rank[80:]
    linear = L1KernelPCA(3, gram="dense", start="column").fit(train).score(test)
    wide = L1KernelPCA(3, kernel="rbf", gamma=gamma, start="column").fit(train).score(test)
    assert wide <= linear + 0.02


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_more_components_do_not_win_by_themselves(kernel):
    X = np.random.default_rng(3).normal(size=(150, 6))
    scores = cross_validated(X, {"n_components": [1, 3, 6]}, kernel=kernel, gamma=0.05)
    assert max(scores) < 0.05


def test_a_few_bad_rows_do_not_decide():
    X = low_rank_rows(np.random.default_rng(4), 200, 10, 3, noise=0.1)
    clean = L1KernelPCA(3).fit(X[:150])
    dirty = X[150:].copy()
    dirty[0] *= 20
    assert clean.score(dirty) > 0.5


def test_score_in_a_grid_search_over_kernels_and_numbers():
    X = low_rank_rows(np.random.default_rng(5), 120, 8, 2, noise=0.1)
    grid = {"kernel": ["linear", "rbf"], "gamma": [10.0], "n_components": [1, 2, 6]}
    search = GridSearchCV(L1KernelPCA(), grid, cv=3, error_score="raise").fit(X)
    assert search.best_params_["kernel"] == "linear"
    assert search.best_params_["n_components"] == 2


def test_score_of_sparse_rows_and_of_constant_columns(low_rank):
    X = low_rank
    pca = L1KernelPCA(3, start="column").fit(X)
    held = L1KernelPCA(3, start="column").fit(sparse.csr_array(X))
    assert held.score(sparse.csr_array(X)) == pytest.approx(pca.score(X), abs=1e-6)
    constant = np.column_stack([X, np.full(120, 3.0)])
    assert np.isfinite(L1KernelPCA(3).fit(constant).score(constant))
    assert np.isfinite(L1KernelPCA().fit(X[:, :1]).score(X[:, :1]))
