"""Upper bounds are never below the optimum, and the relaxation is that of an independent solver."""

import cvxpy
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import rbf_kernel

from contracts.finders import PROBLEMS, held, problem
from contracts.grams import POSITIVE_KERNELS, WITH_DTYPE, example
from l1kpca.optimality import sdp
from l1kpca.optimality.sdp import cholesky_bound, dual_bound, extreme_eigenvalues, relaxation
from oracles import best_by_enumeration, mean_centered

INSTANCES = [(name, n, seed) for name in PROBLEMS for n in (1, 2, 5, 9, 13) for seed in range(6)]


@pytest.fixture(params=["cholesky", "lanczos"])
def proof(request, monkeypatch):
    """Both ways to prove a bound, whatever the number of rows."""
    if request.param == "lanczos":
        monkeypatch.setattr(sdp, "DENSE_ROWS", 0)
    return request.param


def spectral_bound(gram):
    return dual_bound(gram, np.zeros(gram.n_samples))


def sdp_bound(gram):
    return dual_bound(gram, relaxation(gram).dual)


def indefinite(n, seed):
    A = np.random.default_rng(seed).normal(size=(n, n))
    return (A + A.T) / 2


@pytest.mark.parametrize("bound", [spectral_bound, sdp_bound], ids=["spectral", "sdp"])
def test_a_bound_is_never_below_the_optimum(bound, proof, global_random_seed):
    for name, n, seed in INSTANCES:
        K, _ = problem(name, n, seed + global_random_seed)
        best, _ = best_by_enumeration(K)
        value, proven_by = bound(held(K))
        assert proven_by == proof
        assert value >= best * (1 - 1e-12), (name, n, seed)


@pytest.mark.parametrize("bound", [spectral_bound, sdp_bound], ids=["spectral", "sdp"])
@pytest.mark.parametrize("seed", range(20))
def test_also_for_a_matrix_with_negative_eigenvalues(bound, proof, seed):
    K = indefinite(10, seed)
    assert bound(held(K))[0] >= best_by_enumeration(K)[0] - 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_any_dual_vector_gives_a_bound(proof, seed):
    """Good or bad, with zeros or all zero: what differs is how loose it is."""
    rng = np.random.default_rng(seed)
    K, _ = problem("wide", 11, seed)
    best, _ = best_by_enumeration(K)
    sparse_dual = rng.uniform(0, 1, 11) * (rng.random(11) < 0.5)
    for y in (rng.uniform(0, 1, 11), sparse_dual, np.zeros(11)):
        assert dual_bound(held(K), y)[0] >= best * (1 - 1e-12)


def test_the_spectral_bound_is_n_times_the_largest_eigenvalue(proof):
    K, _ = problem("wide", 60, 0)
    largest = 60 * np.linalg.eigvalsh(K)[-1]
    assert spectral_bound(held(K))[0] == pytest.approx(largest, rel=1e-6)
    assert spectral_bound(held(K))[0] >= largest


@pytest.mark.parametrize("name", ["wide", "narrow", "centered linear", "contaminated", "laplacian"])
def test_the_relaxation_is_that_of_an_independent_solver(name):
    """n = 50: between the primal and the dual value of ours lies the value of Clarabel."""
    K, _ = problem(name, 50, 3)
    K = K / np.abs(K).max()
    X = cvxpy.Variable(K.shape, PSD=True)
    task = cvxpy.Problem(cvxpy.Maximize(cvxpy.trace(K @ X)), [cvxpy.diag(X) == 1])
    task.solve(solver="CLARABEL")
    gram = held(K)
    found = relaxation(gram)
    upper = dual_bound(gram, found.dual)[0]
    assert found.value <= task.value * (1 + 1e-6)
    assert upper >= task.value * (1 - 1e-6)
    assert upper == pytest.approx(task.value, rel=5e-3)
    assert_allclose(np.linalg.norm(found.V, axis=1), 1)


@pytest.mark.parametrize(
    "case",
    [c for c in WITH_DTYPE if c[1] in POSITIVE_KERNELS and c[2] == "mean" and "dask" not in c[0]],
    ids="-".join,
)
def test_over_every_gram(case, proof):
    """Centered, in both precisions: the bound of the products is that of the matrix."""
    K, gram = example(*case).K, example(*case).gram
    expected = sdp_bound(held((K + K.T) / 2))[0]
    close = 5e-6 if case[3] == "float64" else 1e-2
    assert sdp_bound(gram)[0] == pytest.approx(expected, rel=close)


@pytest.mark.parametrize("n", [9, 60])
@pytest.mark.parametrize("name", ["identity", "wide"])
def test_a_proof_by_products_covers_their_rounding_errors(monkeypatch, name, n):
    """In single precision a sum of n terms may be short of n roundings; here each nearly is.

    The bound of the identity is n, from dual variables of 1; of another matrix we take that of its
    largest eigenvalue.
    """
    monkeypatch.setattr(sdp, "DENSE_ROWS", 0)
    K = np.eye(n) if name == "identity" else problem(name, n, 0)[0]
    gram = held(K.astype(np.float32))
    K = gram.K.astype(float)
    share = 1 - 0.9 * n * np.finfo(np.float32).eps
    monkeypatch.setattr(gram, "apply", lambda V: share * (K @ V))
    y = np.ones(n) if name == "identity" else np.zeros(n)
    least = n if name == "identity" else n * np.linalg.eigvalsh(K)[-1]
    bound, proven_by = dual_bound(gram, y)
    assert proven_by == "lanczos"
    assert least <= bound <= least * (1 + 1e-4)


def test_diagonal_entries_only_shift_the_relaxation():
    """c_i^2 = 1: what is added to the diagonal is added to the value, for the optimum and bound."""
    K, _ = problem("wide", 30, 0)
    more = np.random.default_rng(0).uniform(0, K.max(), 30)
    plain, shifted = sdp_bound(held(K))[0], sdp_bound(held(K + np.diag(more)))[0]
    assert shifted - more.sum() == pytest.approx(plain, rel=1e-3)


@pytest.mark.parametrize("n", [1, 2, 7, 40, 700])
def test_extreme_eigenvalues_bracket_the_spectrum(n):
    """The Ritz values lie inside, the upper bound outside."""
    A = indefinite(n, n)
    values = np.linalg.eigvalsh(A)
    smallest, largest, upper = extreme_eigenvalues(lambda V: A @ V, n)
    noise = 1e-9 * np.abs(values).max()
    assert largest <= values[-1] + noise
    assert smallest >= values[0] - noise
    assert upper >= values[-1] - noise
    assert largest == pytest.approx(values[-1], rel=1e-6)


@pytest.mark.parametrize("rank", [1, 3])
def test_extreme_eigenvalues_of_a_small_rank(rank):
    F = np.random.default_rng(rank).normal(size=(200, rank))
    _, largest, upper = extreme_eigenvalues(lambda V: F @ (F.T @ V), 200)
    assert largest == pytest.approx(np.linalg.eigvalsh(F.T @ F)[-1], rel=1e-9)
    assert upper == pytest.approx(largest, rel=1e-9)


def test_the_cholesky_proof_is_tight_and_does_not_trust_its_estimate():
    """From an estimate that is too small it goes up until the factorization succeeds."""
    K = mean_centered(rbf_kernel(np.random.default_rng(0).normal(size=(50, 3))))
    y = np.zeros(50)  # then the slack is all on the eigenvalue
    largest = np.linalg.eigvalsh(K)[-1]
    assert cholesky_bound(K, y, y + 1, largest) == pytest.approx(50 * largest, rel=1e-6)
    assert cholesky_bound(K, y, y + 1, 0.5 * largest) >= 50 * largest
