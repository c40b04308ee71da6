"""The joint L1 method: never below the greedy one, and the same as its plain twin."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from contracts.finders import held, problem
from l1kpca import L1KernelPCA
from l1kpca.components.deflation import Deflation
from l1kpca.components.subspace import Basis, JointSigns, orthonormal, polar
from l1kpca.directions import BitFlip, SignIteration, Then
from l1kpca.directions.starts import STARTS
from l1kpca.peers import JointL1KernelPCA
from peers.twins import joint

GREEDY = {
    "fixed point": Deflation(SignIteration(), STARTS["column"]),
    "polished": Deflation(Then(SignIteration(), BitFlip()), STARTS["column"]),
}


@pytest.mark.parametrize("name", ["linear", "centered linear", "wide", "narrow", "contaminated"])
@pytest.mark.parametrize("greedy", GREEDY)
@pytest.mark.parametrize("k", [1, 2, 4])
def test_never_below_the_greedy_solution(name, greedy, k, global_random_seed):
    K, _ = problem(name, 60, global_random_seed)
    before = list(GREEDY[greedy].components(held(K), k))
    after = list(JointSigns(GREEDY[greedy]).components(held(K), k))
    total = sum(component.objective for component in after)
    assert len(before) == len(after)
    assert total >= sum(component.objective for component in before) * (1 - 1e-12)
    assert after[0].trace[-1] == pytest.approx(total)
    assert (np.diff([component.objective for component in after]) <= 1e-9 * total).all()


@pytest.mark.parametrize("name", ["linear", "wide", "laplacian"])
def test_every_objective_as_in_the_plain_version(name, global_random_seed):
    K, _ = problem(name, 60, global_random_seed)
    start = [component.scores for component in GREEDY["fixed point"].components(held(K), 3)]
    trace, scores = joint(K, np.array(start).T)
    found = list(JointSigns(GREEDY["fixed point"]).components(held(K), 3))
    assert_allclose(found[0].trace, trace, rtol=1e-9)
    ours = np.array([component.scores for component in found])
    assert_allclose(ours.T @ ours, scores @ scores.T, atol=1e-8 * np.abs(K).max())


def test_linear_kernel_is_the_method_on_rows(global_random_seed):
    """W <- U V^T of the singular value decomposition of X^T sgn(X W)."""
    X = np.random.default_rng(global_random_seed).standard_t(3, size=(80, 6))
    X -= X.mean(axis=0)
    W = L1KernelPCA(3).fit(X).components_.T
    for _ in range(1000):
        U, _, V = np.linalg.svd(X.T @ np.where(X @ W < 0, -1, 1), full_matrices=False)
        W = U @ V
    pca = JointL1KernelPCA(3).fit(X)
    assert pca.objective_.sum() == pytest.approx(np.abs(X @ W).sum())


def test_the_estimator_against_l1_kernel_pca(global_random_seed):
    X = np.random.default_rng(global_random_seed).standard_t(2, size=(100, 5))
    settings = {"kernel": "rbf", "gamma": 0.05, "n_components": 4, "random_state": 0}
    greedy = L1KernelPCA(**settings).fit(X)
    pca = JointL1KernelPCA(**settings).fit(X)
    assert pca.objective_trace_[0][0] == pytest.approx(greedy.objective_.sum())
    assert pca.objective_.sum() >= greedy.objective_.sum()


def test_components_that_agree_in_every_sign():
    """Not centered, all rows near one direction: the best bases share it, and all signs agree."""
    rng = np.random.default_rng(0)
    X = np.c_[np.full(50, 10.0), rng.normal(size=(50, 3))]
    pca = JointL1KernelPCA(3, center=False).fit(X)
    S, trace = pca.transform(X), pca.objective_trace_[0]
    K = X @ X.T
    A = pca.dual_components_
    assert_allclose(A.T @ K @ A, np.eye(3), atol=1e-9)
    assert_allclose(S, K @ A, atol=1e-8)
    assert (np.diff(trace) > 0).all()
    # One direction w for all: sum_ij |S_ij| is at most sqrt(k) |sum_i phi(x_i)| when signs agree.
    assert trace[-1] == pytest.approx(np.sqrt(3) * np.linalg.norm(X.sum(axis=0)), rel=1e-6)


def test_polar_is_the_nearest_basis():
    X = np.random.default_rng(0).normal(size=(40, 8))
    K, B = X @ X.T, np.random.default_rng(1).choice([-1.0, 1.0], (40, 3))
    near = orthonormal(B, K @ B)
    basis = polar(B, K @ B, near)
    U, _, V = np.linalg.svd(X.T @ B, full_matrices=False)
    assert_allclose(X.T @ basis.coef, U @ V, atol=1e-9)
    assert_allclose(basis.scores, K @ basis.coef, atol=1e-9)


def test_polar_of_dependent_columns_does_not_lose_to_where_it_was():
    X = np.random.default_rng(0).normal(size=(40, 8))
    K = X @ X.T
    B = np.ones((40, 2))
    start = np.random.default_rng(2).normal(size=(40, 2))
    near = orthonormal(start, K @ start)
    basis = polar(B, K @ B, near)
    assert_allclose(basis.coef.T @ K @ basis.coef, np.eye(2), atol=1e-9)
    assert np.sum(B * basis.scores) >= np.sum(B * near.scores)
    assert np.sum(B * basis.scores) == pytest.approx(np.linalg.norm(X.T @ B, ord="nuc"), rel=1e-6)


def test_polar_stays_where_nothing_is_left_to_choose_by():
    """Signs that pull exactly back to the origin leave no nearest basis."""
    K = np.eye(2)
    near = Basis(np.array([[1.0], [0.0]]), np.array([[1.0], [0.0]]))
    zero = np.zeros((2, 1))
    assert polar(zero, K @ zero, near) is near
