"""Enumeration and branch and bound: the optimum, and what a budget leaves of it."""

from time import monotonic

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from contracts.finders import PROBLEMS, find, problem
from l1kpca import L1KernelPCA
from l1kpca.optimality import SdpRounding, exact
from l1kpca.optimality.searches import branch_and_bound, gray_code_search, reduced
from oracles import best_by_enumeration, mean_centered

NEVER = np.inf


def unit_rows(n):
    V = np.random.default_rng(n).normal(size=(n, 10))
    return V / np.linalg.norm(V, axis=1, keepdims=True)


def rows_with_outliers(n, d, seed):
    X = np.random.default_rng(seed).normal(size=(n, d))
    X[:3] *= 4
    return X


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("n", [2, 5, 11])
def test_gray_code_order_visits_all(name, n):
    K, _ = problem(name, n, 1)
    signs = gray_code_search(K)
    value = signs @ K @ signs
    assert value == pytest.approx(best_by_enumeration(K)[0], rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("n", [17, 19])
@pytest.mark.parametrize("name", [name for name in PROBLEMS if name not in ("zero", "rank one")])
def test_branch_and_bound_is_enumeration(name, n):
    """From the worst start, above the size at which a node is enumerated."""
    K, start = problem(name, n, 5)
    outcome = branch_and_bound(K, start, unit_rows(n), 100_000, NEVER)
    assert outcome.is_proven
    best = gray_code_search(K)
    assert outcome.value == pytest.approx(best @ K @ best, rel=1e-9)
    assert outcome.upper_bound >= outcome.value
    assert outcome.signs @ K @ outcome.signs == pytest.approx(outcome.value)


@pytest.mark.parametrize("gamma", [0.1, 0.5])
def test_branch_and_bound_with_dozens_of_rows(gamma):
    """n = 52 is proven; no polished start is better."""
    K = mean_centered(rbf_kernel(rows_with_outliers(52, 5, 1), gamma=gamma))
    result = exact(K, max_seconds=250)
    assert result.plan.method == "branch and bound"
    assert result.status == "optimal"
    assert result.message == "optimum proven by branch and bound"
    polished = L1KernelPCA(1, kernel="precomputed", center=False, n_starts=50, random_state=0)
    assert result.value >= polished.fit(K).objective_[0] ** 2 * (1 - 1e-10)


def test_the_bound_of_a_large_node():
    K, start = problem("wide", 410, 0)
    outcome = branch_and_bound(K, start, unit_rows(410), 3, NEVER)
    best = find(SdpRounding(), K, start).value
    assert best <= outcome.upper_bound <= 1.6 * best
    assert outcome.n_nodes == 3, "the root, and two nodes below it"


def test_fixed_rows_become_one_row():
    K, c = problem("wide", 12, 0)
    fixed = np.array([3, 7, 8])
    M, free = reduced(K, fixed, c[fixed])
    z = np.concatenate([[1.0], c[free]])
    assert z @ M @ z == pytest.approx(c @ K @ c)


def test_a_budget_of_time_is_kept():
    """Nothing is claimed that was not finished."""
    K, _ = problem("wide", 25, 0)
    assert not branch_and_bound(K, np.ones(25), unit_rows(25), 10**6, monotonic()).is_proven


@pytest.mark.parametrize("scale", [1e-12, 1, 1e12])
def test_what_is_proven_does_not_depend_on_the_unit(scale):
    """The root does not find the optimum, so its children must be worth a look."""
    K, start = problem("narrow", 18, 4)
    optimum = pytest.approx(scale * best_by_enumeration(K)[0], rel=1e-9, abs=0)
    root = branch_and_bound(scale * K, start, unit_rows(18), 1, NEVER)
    assert root.value < 0.9 * optimum.expected
    outcome = branch_and_bound(scale * K, start, unit_rows(18), 100_000, NEVER)
    assert outcome.is_proven
    assert outcome.value == optimum
