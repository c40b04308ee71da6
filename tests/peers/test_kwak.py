"""KPCA-L1: against its plain twin, and against Algorithm 1 from the same start."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from contracts.finders import held, problem
from doubles import CountingGram
from l1kpca import L1KernelPCA
from l1kpca.components.deflation import Deflation
from l1kpca.components.projection_trick import ProjectionTrick
from l1kpca.directions import SignFixedPoint, Status
from l1kpca.directions.starts import STARTS
from l1kpca.peers import KwakKernelPCA
from oracles import best_by_enumeration
from peer_oracles import kwak

MEMORY = 10**9
STEPS = (1, 2, 3, 5, 1000)


def unoriented(components):
    """Signs with the first one positive."""
    signs = np.array([component.signs for component in components])
    return signs * signs[:, :1]


@pytest.mark.parametrize("name", ["linear", "centered linear", "wide", "laplacian", "contaminated"])
def test_same_signs_and_scores_as_the_plain_version(name, global_random_seed):
    K, _ = problem(name, 70, global_random_seed)
    found = list(ProjectionTrick(STARTS["norm"], MEMORY).components(held(K), 4))
    signs, scores = kwak(K, 4)
    assert_array_equal(unoriented(found), signs[: len(found)] * signs[: len(found), :1])
    ours = np.array([component.scores for component in found]).T
    assert_allclose(np.abs(ours), np.abs(scores[:, : len(found)]), atol=1e-8 * np.abs(K).max())


@pytest.mark.parametrize("name", ["linear", "centered linear", "wide", "narrow", "laplacian"])
@pytest.mark.parametrize("start", sorted(STARTS))
@pytest.mark.parametrize("max_iter", STEPS)
def test_the_signs_of_algorithm_1_after_every_step(name, start, max_iter, global_random_seed):
    """Bounding the steps at m shows the iterate after m of them, for the first component."""
    K, _ = problem(name, 70, global_random_seed)
    seed = global_random_seed
    trick = ProjectionTrick(STARTS[start], MEMORY, max_iter, seed)
    plain = Deflation(SignFixedPoint(max_iter), STARTS[start], seed=seed)
    one = next(trick.components(held(K), 1))
    two = next(iter(plain.components(held(K), 1)))
    assert_array_equal(one.signs, two.signs)
    assert_allclose(one.trace, two.trace, rtol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("start", ["norm", "column", "eigen"])
def test_the_estimators_agree_over_all_components(kernel, start, global_random_seed):
    """Algorithm 1 is the oracle of KPCA-L1, and KPCA-L1 that of Algorithm 1."""
    X = np.random.default_rng(global_random_seed).normal(size=(80, 5)) * [5, 4, 3, 2, 1]
    settings = {"kernel": kernel, "gamma": 0.01, "start": start, "n_components": 5}
    one = KwakKernelPCA(**settings).fit(X)
    two = L1KernelPCA(solver="fixed_point", **settings).fit(X)
    turn = np.sign(np.sum(one.signs_ * two.signs_, axis=1, keepdims=True, dtype=int))
    assert_array_equal(one.signs_, turn * two.signs_)
    assert_allclose(one.transform(X), two.transform(X) * turn.T, atol=1e-8)
    assert_array_equal(one.n_iter_, two.n_iter_)


@pytest.mark.parametrize("seed", range(5))
def test_a_zero_projection_does_not_end_the_search(seed):
    """The third row is orthogonal to the sum of all; after its flip, the second one is."""
    X = np.array([[1.0, 2.0], [1.0, -1.0], [0.0, -1.0]])
    begin = np.ones(3)
    stuck = SignFixedPoint().find(held(X @ X.T), begin)
    assert stuck.value == pytest.approx(4)
    trick = ProjectionTrick(lambda gram, rng: begin, MEMORY, seed=seed)
    component = next(trick.components(held(X @ X.T), 1))
    assert component.objective**2 == pytest.approx(best_by_enumeration(X @ X.T)[0]) == 16
    assert component.status is Status.CONVERGED


def test_rows_that_are_zero_are_no_zero_projections():
    X = np.random.default_rng(0).normal(size=(40, 3))
    X[::4] = 0
    found = list(ProjectionTrick(STARTS["norm"], MEMORY).components(held(X @ X.T), 3))
    assert len(found) == 3
    assert all(component.status is Status.CONVERGED for component in found)


def test_one_decomposition_serves_all_components():
    """After it, a component asks for one column (its start), and for no product with K."""
    K, _ = problem("narrow", 100, 0)
    gram = CountingGram(held(K))
    list(ProjectionTrick(STARTS["norm"], MEMORY).components(gram, 10))
    read_before_giving_up_on_low_rank = 100 // 8
    assert gram.calls["columns"] == 100 + 10 + read_before_giving_up_on_low_rank
    assert gram.calls["full products"] == 0
