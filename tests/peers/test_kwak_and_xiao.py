"""KPCA-L1 and L1-KPCA, sign for sign: as their plain twins, and as Algorithm 1."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from contracts.finders import held, problem
from doubles import CountingGram
from l1kpca import L1KernelPCA
from l1kpca.components.decomposed import ProjectionTrick, SingularSystems
from l1kpca.components.deflation import Deflation
from l1kpca.directions import SignIteration, Status
from l1kpca.directions.starts import STARTS
from l1kpca.peers import KwakKernelPCA, XiaoKernelPCA
from oracles import low_rank_rows
from peers.twins import kwak, xiao

MEMORY = 10**9
METHODS = {
    "kwak": (ProjectionTrick, "norm", kwak, KwakKernelPCA),
    "xiao": (SingularSystems, "eigen", xiao, XiaoKernelPCA),
}


@pytest.fixture(params=METHODS)
def method(request):
    """The solver, its own start, its plain twin and its estimator."""
    return METHODS[request.param]


def same_up_to_orientation(ours, theirs):
    ours, theirs = np.array(ours), np.array(theirs)
    turn = np.sign(np.sum(ours * theirs, axis=1, keepdims=True, dtype=int))
    assert_array_equal(ours, turn * theirs)


@pytest.mark.parametrize("name", ["linear", "centered linear", "wide", "laplacian", "contaminated"])
def test_same_signs_and_scores_as_the_plain_version(method, name, global_random_seed):
    solver, start, plain, _ = method
    K, _ = problem(name, 70, global_random_seed)
    found = list(solver(STARTS[start], MEMORY).components(held(K), 4))
    signs, scores = plain(K, len(found))
    same_up_to_orientation([component.signs for component in found], signs)
    ours = np.array([component.scores for component in found]).T
    assert_allclose(np.abs(ours), np.abs(scores), atol=1e-8 * np.abs(K).max())


@pytest.mark.parametrize("name", ["linear", "centered linear", "wide", "narrow", "laplacian"])
@pytest.mark.parametrize("start", sorted(STARTS))
@pytest.mark.parametrize("max_iter", [1, 2, 3, 5, 1000])
def test_the_signs_of_algorithm_1_after_every_step(
    method, name, start, max_iter, global_random_seed
):
    """Bounding the steps at m shows the iterate after m of them, for the first component."""
    K, _ = problem(name, 70, global_random_seed)
    seed = global_random_seed
    peer = method[0](STARTS[start], MEMORY, max_iter, seed)
    algorithm_1 = Deflation(SignIteration(max_iter), STARTS[start], seed=seed)
    one, two = (next(iter(solver.components(held(K), 1))) for solver in (peer, algorithm_1))
    assert_array_equal(one.signs, two.signs)
    assert_allclose(one.trace, two.trace, rtol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("start", ["norm", "column", "eigen"])
def test_the_estimators_agree_over_all_components(method, kernel, start, global_random_seed):
    """Algorithm 1 is the oracle of the peer, and the peer that of Algorithm 1."""
    X = np.random.default_rng(global_random_seed).normal(size=(80, 5)) * [5, 4, 3, 2, 1]
    settings = {"kernel": kernel, "gamma": 0.01, "start": start, "n_components": 5}
    one = method[3](**settings).fit(X)
    two = L1KernelPCA(solver="fixed_point", **settings).fit(X)
    same_up_to_orientation(one.signs_, two.signs_)
    assert_allclose(np.abs(one.transform(X)), np.abs(two.transform(X)), atol=1e-8)
    assert_array_equal(one.n_steps_, two.n_steps_)


def test_a_singular_matrix_does_no_harm(method):
    """Rank 3 in 60 rows: nearly every direction of dual space is in the null space."""
    solver, start, plain, _ = method
    X = low_rank_rows(np.random.default_rng(0), 60, 10, 3)
    found = list(solver(STARTS[start], MEMORY).components(held(X @ X.T), 10))
    assert len(found) == 3
    same_up_to_orientation([component.signs for component in found], plain(X @ X.T, 3)[0])


# Kwak's rule for zero projections, and what the method asks of K.


@pytest.mark.parametrize("unit", [1e-6, 1, 1e6])
@pytest.mark.parametrize("seed", range(5))
def test_a_zero_projection_does_not_end_the_search(seed, unit):
    """The third row is orthogonal to the sum of all; after its flip, the second one is."""
    X = unit * np.array([[1.0, 2.0], [1.0, -1.0], [0.0, -1.0]])
    begin = np.ones(3)
    stuck = SignIteration().find(held(X @ X.T), begin[:, None])[0]
    assert stuck.value == pytest.approx(4 * unit**2, rel=1e-9, abs=0)
    trick = ProjectionTrick(lambda gram, rng, count: begin[:, None], MEMORY, seed=seed)
    component = next(trick.components(held(X @ X.T), 1))
    assert component.objective == pytest.approx(4 * unit, rel=1e-9, abs=0)
    assert component.status is Status.CONVERGED


def test_rows_that_are_zero_are_no_zero_projections():
    X = np.random.default_rng(0).normal(size=(40, 3))
    X[::4] = 0
    found = list(ProjectionTrick(STARTS["norm"], MEMORY).components(held(X @ X.T), 3))
    assert len(found) == 3
    assert all(component.status is Status.CONVERGED for component in found)


def test_one_decomposition_serves_all_components():
    """After it, the components ask nothing of K: they are found on the coordinates."""
    K, _ = problem("narrow", 100, 0)
    gram = CountingGram(held(K))
    list(ProjectionTrick(STARTS["norm"], MEMORY).components(gram, 10))
    read_before_giving_up_on_low_rank = 100 // 8
    assert gram.calls["columns"] == 100 + read_before_giving_up_on_low_rank
    assert gram.calls["full products"] == 0
