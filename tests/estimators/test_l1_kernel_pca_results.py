"""L1KernelPCA: the invariants of a fit, and one result through every door."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel

from l1kpca import L1KernelPCA
from l1kpca.directions import BitFlip, SignFixedPoint, Then
from l1kpca.gram.builders import Blocked, Dense, Nystroem
from oracles import low_rank_rows, mean_centered, pca_l1, signs

KERNELS = ("linear", "rbf", "poly", "laplacian", "cosine")


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(80, 6)) * [4, 3, 2, 1, 0.5, 0.2] + 1
    rows[:4] += 20 * rng.normal(size=(4, 6))
    return rows


@pytest.fixture(scope="module")
def X_new():
    return np.random.default_rng(1).normal(size=(15, 6)) * 3


# Invariants of a fit.


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("center", [True, False, "median"])
@pytest.mark.parametrize("solver", ["fixed_point", "polished"])
def test_invariants(X, kernel, center, solver):
    """A^T K A = I, scores = K A, and the attributes follow from them."""
    pca = L1KernelPCA(5, kernel=kernel, gamma=0.05, center=center, solver=solver)
    scores = pca.fit_transform(X)
    A = pca.dual_components_
    assert_allclose(A.T @ scores, np.eye(5), atol=1e-9)
    if center != "median":
        params = {"gamma": 0.05} if kernel in ("rbf", "poly", "laplacian") else {}
        K = pairwise_kernels(X, metric=kernel, **params)
        K = mean_centered(K) if center else K
        size = np.abs(K).max() * np.abs(A).sum(axis=0).max()
        assert_allclose(scores, K @ A, atol=1e-11 * size)
        assert_allclose(pca.total_variance_, np.trace(K) / 79)
    assert_allclose(pca.objective_, np.abs(scores).sum(axis=0))
    assert_allclose(pca.explained_variance_, (scores**2).sum(axis=0) / 79)
    assert_allclose(
        pca.explained_variance_ratio_, pca.explained_variance_ / pca.total_variance_, atol=1e-12
    )
    assert pca.explained_variance_ratio_.sum() <= 1 + 1e-9
    assert pca.signs_.shape == (5, 80)
    assert pca.signs_.dtype == np.int8
    assert pca.n_components_ == 5
    assert pca.status_ == ["converged"] * 5
    assert_array_equal(pca.n_iter_ >= 1, True)
    for trace, objective in zip(pca.objective_trace_, pca.objective_, strict=True):
        assert (np.diff(trace) >= -1e-9 * trace[-1]).all()
        assert trace[-1] == pytest.approx(objective**2, rel=1e-6)


@pytest.mark.parametrize("gram", ["auto", "dense", "blocked", "nystroem"])
@pytest.mark.parametrize("kernel", [*KERNELS, "chi2", "precomputed"])
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_fit_transform_is_fit_then_transform(X, kernel, gram, center, dtype):
    rows = np.abs(X) if kernel == "chi2" else X
    rows = rbf_kernel(X, gamma=0.05) if kernel == "precomputed" else rows
    pca = L1KernelPCA(3, kernel=kernel, gamma=0.05, gram=gram, center=center, random_state=0)
    rows = rows.astype(dtype)
    scores = clone(pca).fit_transform(rows)
    again = pca.fit(rows).transform(rows)
    assert scores.dtype == again.dtype == dtype
    close = 1e-7 if dtype == "float64" else 5e-3
    assert_allclose(scores, again, atol=close * np.abs(scores).max())


def test_new_rows_are_projected_on_the_same_directions(X, X_new):
    """Scores of new rows, from the explicitly centered joint kernel matrix."""
    pca = L1KernelPCA(4, kernel="rbf", gamma=0.02).fit(X)
    both = rbf_kernel(np.vstack([X, X_new]), gamma=0.02)
    H = np.eye(95) - np.outer(np.ones(95), np.r_[np.full(80, 1 / 80), np.zeros(15)])
    joint = H @ both @ H.T
    assert_allclose(pca.transform(X_new), joint[80:, :80] @ pca.dual_components_, atol=1e-10)


# One result through every door.


def _objectives(X, **settings):
    return L1KernelPCA(3, random_state=0, **settings).fit(X).objective_


@pytest.mark.parametrize("center", [True, False, "median"])
@pytest.mark.parametrize("solver", ["fixed_point", "polished"])
def test_dense_factor_and_blocked_agree(X, center, solver):
    same = {"center": center, "solver": solver, "start": "column"}
    dense = _objectives(X, gram="dense", **same)
    for rows, gram in [
        (X, "factor"),
        (X, "blocked"),
        (X, Blocked()),
        (X, Dense()),
        (sparse.csr_array(X), "factor"),
        (sparse.csr_matrix(X), "auto"),
        (sparse.coo_array(X), "dense"),
        (sparse.csc_array(X), "blocked"),
    ]:
        assert_allclose(_objectives(rows, gram=gram, **same), dense, rtol=1e-8)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
@pytest.mark.parametrize("landmarks", ["random", "kmeans++"])
def test_nystroem_with_all_landmarks_is_exact(X, X_new, kernel, landmarks):
    same = {"kernel": kernel, "gamma": 0.05, "start": "column", "random_state": 0}
    exact = L1KernelPCA(3, gram="dense", **same).fit(X)
    landmark = L1KernelPCA(3, gram=Nystroem(80, landmarks), **same).fit(X)
    assert_allclose(landmark.objective_, exact.objective_, rtol=1e-8)
    assert_allclose(landmark.transform(X), exact.transform(X), atol=1e-7)
    assert_allclose(landmark.transform(X_new), exact.transform(X_new), atol=1e-6)
    assert landmark.gram_.lost_share == pytest.approx(0, abs=1e-9)


def test_few_landmarks_say_what_they_miss(X):
    pca = L1KernelPCA(2, kernel="rbf", gamma=0.5, gram=Nystroem(5), random_state=0).fit(X)
    assert 0 < pca.gram_.lost_share < 1
    assert f"misses {pca.gram_.lost_share:.2%} of trace K" in str(pca.gram_)


@pytest.mark.parametrize("kernel", KERNELS)
def test_precomputed_is_computed(X, X_new, kernel):
    params = {"gamma": 0.05} if kernel in ("rbf", "poly", "laplacian") else {}
    K = pairwise_kernels(X, metric=kernel, **params)
    K_new = pairwise_kernels(X_new, X, metric=kernel, **params)
    same = {"start": "column", "n_components": 3}
    computed = L1KernelPCA(kernel=kernel, gamma=0.05, gram="dense", **same).fit(X)
    given = L1KernelPCA(kernel="precomputed", **same).fit(K)
    size = np.abs(computed.transform(X)).max()
    assert_allclose(given.transform(K), computed.transform(X), atol=1e-8 * size)
    assert_allclose(given.transform(K_new), computed.transform(X_new), atol=1e-8 * size)
    assert given.gram_.name == "precomputed"


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_given_matrix_is_not_written_to(X, order):
    K = np.asarray(rbf_kernel(X, gamma=0.05), order=order)
    kept = K.copy()
    L1KernelPCA(3, kernel="precomputed").fit(K)
    assert_array_equal(K, kept)


def test_callable_kernel_with_parameters(X):
    def gaussian(x, y, width):
        return float(np.exp(-np.sum((x - y) ** 2) / width))

    same = {"n_components": 2, "start": "column"}
    by_name = L1KernelPCA(kernel="rbf", gamma=0.05, **same).fit(X)
    params = {"width": 20.0}
    by_hand = L1KernelPCA(kernel=gaussian, kernel_params=params, **same).fit(X)
    assert_allclose(by_hand.transform(X), by_name.transform(X), atol=1e-8)
    assert params == {"width": 20.0}


@pytest.mark.parametrize("seed", range(5))
def test_linear_kernel_is_pca_l1(seed):
    """On centered rows, from the same start: the same loadings and scores."""
    rng = np.random.default_rng(seed)
    X = low_rank_rows(rng, 60, 8, 4, noise=0.3) + 5
    centered = X - X.mean(axis=0)

    def first_row_signs(rows):
        merits = np.abs(rows @ rows.T).sum(axis=0) / np.linalg.norm(rows, axis=1)
        return signs(rows @ rows[merits.argmax()], np.ones(len(rows)))

    loadings, scores = pca_l1(centered, first_row_signs, 4)
    pca = L1KernelPCA(4, solver="fixed_point", start="column").fit(X)
    assert_allclose(pca.components_, loadings, atol=1e-8)
    assert_allclose(pca.transform(X), scores.T, atol=1e-8)


def test_paper_start_keeps_its_orientation_and_others_are_turned(X):
    turned = L1KernelPCA(4, start="auto").fit_transform(X)
    assert (turned[np.abs(turned).argmax(axis=0), range(4)] > 0).all()
    mirrored = L1KernelPCA(4, start=-np.ones(80)).fit_transform(X)
    straight = L1KernelPCA(4, start=np.ones(80)).fit_transform(X)
    assert_allclose(mirrored, -straight, atol=1e-9)


@pytest.mark.parametrize("finder", [SignFixedPoint(), BitFlip(), Then(BitFlip(), SignFixedPoint())])
def test_a_finder_object_as_solver(X, finder):
    named = L1KernelPCA(3, solver="fixed_point").fit(X)
    own = L1KernelPCA(3, solver=finder).fit(X)
    assert own.n_components_ == 3
    if isinstance(finder, SignFixedPoint):
        assert_array_equal(own.signs_, named.signs_)


def test_more_starts_never_hurt_the_first_component(X):
    one = L1KernelPCA(1, kernel="rbf", gamma=0.5, random_state=0).fit(X)
    ten = L1KernelPCA(1, kernel="rbf", gamma=0.5, random_state=0, n_starts=10).fit(X)
    assert ten.objective_[0] >= one.objective_[0] * (1 - 1e-12)


# How many components.


def test_n_components(X):
    assert L1KernelPCA(3).fit(X).n_components_ == 3
    assert L1KernelPCA(np.int64(3)).fit(X).n_components_ == 3
    assert L1KernelPCA().fit(X).n_components_ == 6
    everything = L1KernelPCA(kernel="rbf", gamma=0.5).fit(X)
    assert everything.n_components_ == 79
    assert everything.explained_variance_ratio_.sum() == pytest.approx(1)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999, np.float32(0.5)])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_share_of_the_variance(X, share, kernel):
    """The fewest components, in their order, that reach the share."""
    ratios = L1KernelPCA(share, kernel=kernel, gamma=0.02).fit(X).explained_variance_ratio_
    assert ratios.sum() >= share - 1e-9
    assert ratios[:-1].sum() < share
