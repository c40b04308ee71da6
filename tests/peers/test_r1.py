"""R1-KPCA: with the linear kernel it is R1-PCA on the rows."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from contracts.finders import held, problem
from l1kpca.components.subspace import WEIGHTINGS, Basis, R1Subspace, orthonormal
from l1kpca.peers import L2KernelPCA, R1KernelPCA
from peers import twins

MEMORY = 10**9
WEIGHTS = {"huber": twins.huber, "cauchy": twins.cauchy, "l1": twins.pure_l1}


def contaminated(seed, n=120):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6)) * [6, 4, 3, 1, 1, 1]
    X[:10] += rng.normal(size=(10, 6)) * 8
    return X - X.mean(axis=0)


def fit_quietly(pca, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return pca.fit(X)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize("n_steps", [1, 2, 10, 50])
@pytest.mark.parametrize("gram", ["auto", "dense", "blocked"])
def test_linear_kernel_is_the_primal_method(weights, k, n_steps, gram, global_random_seed):
    """The same directions, not only the same subspace, after any number of steps."""
    X = contaminated(global_random_seed)
    expected = twins.r1_primal(X, k, n_steps, WEIGHTS[weights])
    settings = {"max_iter": n_steps, "weights": weights, "tol": 0, "gram": gram}
    ours = fit_quietly(R1KernelPCA(k, **settings), X).components_
    assert_allclose(ours.T @ ours, expected @ expected.T, atol=1e-8)
    turn = np.sign(np.sum(ours * expected.T, axis=1, keepdims=True))
    # With weights 1/s two axes can be nearly alike, and are then less determined than their plane.
    assert_allclose(turn * ours, expected.T, atol=1e-8 if weights != "l1" else 1e-6)


@pytest.mark.parametrize("k", [1, 3])
def test_same_subspace_as_the_plain_dual_version(k, global_random_seed):
    K, _ = problem("wide", 80, global_random_seed)
    ours = np.array(
        [c.scores for c in R1Subspace(WEIGHTINGS["huber"], MEMORY).components(held(K), k)]
    )
    plain = twins.r1_dual(K, k)
    assert_allclose(ours.T @ ours, plain @ plain.T, atol=1e-5 * np.abs(K).max())


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
def test_loss_never_rises_and_ends_where_a_step_changes_nothing(weights, kernel):
    X = contaminated(0)
    pca = R1KernelPCA(2, kernel=kernel, weights=weights, tol=1e-7, max_iter=20_000).fit(X)
    trace = pca.objective_trace_[0]
    assert (np.diff(trace) <= 1e-10 * trace[0]).all()
    assert set(pca.status_) == {"converged"}
    again = fit_quietly(
        R1KernelPCA(2, kernel=kernel, weights=weights, tol=0, max_iter=2 * len(trace)), X
    )
    projector = pca.dual_components_ @ pca.transform(X).T
    assert_allclose(again.dual_components_ @ again.transform(X).T, projector, atol=1e-3)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_nearer_to_the_clean_subspace_than_l2(weights, global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    X = rng.normal(size=(200, 5)) * [6, 5, 0.5, 0.5, 0.5]
    X[:20, 2:] += 6
    clean = np.eye(5)[:, :2]

    def missed(pca):
        return 2 - np.sum((pca.fit(X).components_ @ clean) ** 2)

    assert missed(R1KernelPCA(2, weights=weights, max_iter=20_000)) < missed(L2KernelPCA(2))


def test_all_components_are_those_of_l2(global_random_seed):
    """No row is left outside the subspace, so all weights are one."""
    X = contaminated(global_random_seed)
    one, two = R1KernelPCA().fit(X), L2KernelPCA().fit(X)
    assert one.n_components_ == two.n_components_ == 6
    assert_allclose(one.transform(X), two.transform(X), atol=1e-8)


def test_rotation_is_that_of_the_weighted_rows():
    X = contaminated(3)
    pca = R1KernelPCA(3, tol=1e-8, max_iter=5000).fit(X)
    S = pca.transform(X)
    start = L2KernelPCA(3).fit(X)
    threshold = np.median(np.linalg.norm(X - start.inverse_transform(start.transform(X)), axis=1))
    residuals = np.linalg.norm(X - pca.inverse_transform(S), axis=1)
    weighted = S.T @ (twins.huber(residuals, threshold)[:, None] * S)
    assert_allclose(weighted, np.diag(np.diag(weighted)), atol=1e-8 * weighted[0, 0])
    assert (np.diff(np.diag(weighted)) < 0).all()


def test_rows_in_the_subspace_do_not_break_the_weights():
    """Three of four rows lie on a plane, so the median residual of the start can be zero."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4)) * [3, 2, 0, 0]
    X[::4, 3] = 0.01 * rng.normal(size=20)
    for weights in WEIGHTS:
        pca = R1KernelPCA(2, weights=weights, center=False, max_iter=20_000).fit(X)
        assert np.isfinite(pca.dual_components_).all()
        assert_allclose(
            np.abs(pca.components_[:, :2] @ pca.components_[:, :2].T), np.eye(2), atol=1e-2
        )


def test_projector_change_does_not_see_a_rotation():
    K, _ = problem("wide", 40, 0)
    rng = np.random.default_rng(0)
    B = rng.normal(size=(40, 3))
    basis = orthonormal(B, K @ B)
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    assert basis.projector_change(basis.rotated(R)) < 1e-6
    C = rng.normal(size=(40, 3))
    other = orthonormal(C, K @ C)
    P, Q = (b.coef @ b.scores.T for b in (basis, other))
    expected = np.sqrt(np.trace((P - Q) @ (P - Q)))
    assert basis.projector_change(other) == pytest.approx(expected)


def test_dependent_columns_have_no_basis():
    K, _ = problem("wide", 20, 0)
    v = np.random.default_rng(0).normal(size=(20, 1))
    assert orthonormal(np.hstack([v, v]), K @ np.hstack([v, v])) is None
    assert orthonormal(np.hstack([v, 0 * v]), K @ np.hstack([v, 0 * v])) is None


@pytest.mark.parametrize("condition", [1, 1e4, 1e8])
def test_a_basis_is_orthonormal_whatever_the_condition(condition):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 10))
    K = X @ X.T
    B = rng.normal(size=(50, 1)) + rng.normal(size=(50, 4)) / np.sqrt(condition)
    basis = orthonormal(B, K @ B)
    assert isinstance(basis, Basis)
    assert_allclose(basis.coef.T @ K @ basis.coef, np.eye(4), atol=1e-9)
