"""The global optimum, by whichever method, is that of plain enumeration."""

from dataclasses import replace
from time import monotonic

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from contracts.finders import PROBLEMS, held, problem
from l1kpca import L1KernelPCA
from l1kpca.directions.base import Status
from l1kpca.directions.exact import ExactSearch
from l1kpca.directions.exact_branch import branch_and_bound, enumerate_signs, reduced
from l1kpca.directions.exact_cells import best_cell, cell_steps, small_factor
from l1kpca.directions.sdp import SdpRounding
from l1kpca.optimality import exact, exact_plan
from oracles import best_by_enumeration, mean_centered

NEVER = np.inf


def factor(kind, n, rank, seed):
    rng = np.random.default_rng([seed, n, rank])
    if kind == "whole numbers":  # many rows on a common hyperplane, duplicates, zeros
        return rng.integers(-2, 3, size=(n, rank)).astype(float)
    return rng.normal(size=(n, rank)) * rng.choice([0.1, 1, 30], size=(n, 1))


def unit_rows(n):
    V = np.random.default_rng(n).normal(size=(n, 10))
    return V / np.linalg.norm(V, axis=1, keepdims=True)


def rows_with_outliers(n, d, seed):
    X = np.random.default_rng(seed).normal(size=(n, d))
    X[:3] *= 4
    return X


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("n", [1, 2, 6, 12])
def test_exact_is_enumeration(name, n, global_random_seed):
    K, _ = problem(name, n, global_random_seed)
    best, _ = best_by_enumeration(K)
    result = exact(K)
    assert result.status == "optimal"
    assert result.gap == 0
    assert result.value == pytest.approx(best, rel=1e-10, abs=1e-12)
    assert result.signs @ K @ result.signs == pytest.approx(result.value, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("n", [2, 5, 11])
def test_gray_code_order_visits_all(name, n):
    K, _ = problem(name, n, 1)
    signs, value, complete = enumerate_signs(K, NEVER)
    assert complete
    assert value == pytest.approx(best_by_enumeration(K)[0], rel=1e-10, abs=1e-12)
    assert signs @ K @ signs == pytest.approx(value)


@pytest.mark.parametrize("kind", ["general", "whole numbers"])
@pytest.mark.parametrize("rank", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("n", [1, 3, 8, 13])
def test_the_best_cell_is_the_optimum(kind, rank, n, global_random_seed):
    for seed in range(3):
        F = factor(kind, n, rank, seed + global_random_seed)
        signs, complete = best_cell(F, NEVER)
        best, _ = best_by_enumeration(F @ F.T)
        assert complete
        assert np.square(F.T @ signs).sum() == pytest.approx(best, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize(("n", "rank"), [(300, 2), (150, 3), (60, 4)])
def test_cells_of_hundreds_of_rows_agree_with_a_fine_grid(n, rank):
    """No direction w gives a better sgn(F w), however many are tried; and the plan takes cells."""
    F = factor("general", n, rank, 0)
    result = exact(F @ F.T)
    W = np.random.default_rng(0).normal(size=(rank, 20_000))
    tried = np.square(np.sign(F @ W).T @ F).sum(axis=1).max()
    assert result.plan.method == "cells"
    assert result.status == "optimal"
    assert result.value >= tried * (1 - 1e-10)
    assert result.value <= tried * 1.01


@pytest.mark.parametrize("rank", [0, 1, 3, 6])
def test_small_factor_is_a_factor(rank):
    F = np.random.default_rng(rank).normal(size=(20, rank))
    found = small_factor(held(F @ F.T))
    assert found.shape[1] == rank
    np.testing.assert_allclose(found @ found.T, F @ F.T, atol=1e-10)


def test_small_factor_refuses_what_has_none():
    hollow = np.ones((5, 5)) - np.eye(5)  # zeros on the diagonal, yet not zero
    negative = np.diag([1.0, 1.0, -1.0])
    full = np.eye(9)
    for K in (hollow, negative, full):
        assert small_factor(held(K)) is None


@pytest.mark.parametrize("n", [15, 18])
@pytest.mark.parametrize("name", [name for name in PROBLEMS if name not in ("zero", "rank one")])
def test_branch_and_bound_is_enumeration(name, n):
    """From the worst start, above the size at which a node is enumerated."""
    K, start = problem(name, n, 5)
    outcome = branch_and_bound(K, start, unit_rows(n), 100_000, NEVER)
    assert outcome.is_proven
    assert outcome.value == pytest.approx(enumerate_signs(K, NEVER)[1], rel=1e-9)
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


def test_the_bound_of_a_large_node_and_of_a_small_one_agree():
    """Above 400 rows the bound of a node is proven in another way."""
    K, start = problem("wide", 410, 0)
    outcome = branch_and_bound(K, start, unit_rows(410), 3, NEVER)
    best = SdpRounding().find(held(K), start).value
    assert best <= outcome.upper_bound <= 1.6 * best


def test_fixed_rows_become_one_row():
    K, c = problem("wide", 12, 0)
    fixed = np.array([3, 7, 8])
    M, free = reduced(K, fixed, c[fixed])
    z = np.concatenate([[1.0], c[free]])
    assert z @ M @ z == pytest.approx(c @ K @ c)


def test_a_budget_of_nodes_gives_the_best_found_with_its_gap():
    K = mean_centered(rbf_kernel(rows_with_outliers(120, 5, 0), gamma=0.1))
    few, more = exact(K, max_nodes=1), exact(K, max_nodes=60)
    for result in (few, more):
        assert result.status == "stopped"
        assert "before the optimum was proven: raise max_nodes or max_seconds" in result.message
        assert result.upper_bound == pytest.approx(result.value * (1 + result.gap))
    assert 0 < more.gap <= few.gap < 0.6
    assert more.value >= few.value


def test_a_budget_of_time_is_kept():
    """Each method looks at the clock; nothing is claimed that was not finished."""
    K, _ = problem("wide", 25, 0)
    F = factor("general", 200, 4, 0)
    assert not enumerate_signs(K, monotonic())[2]
    assert not best_cell(F, monotonic())[1]
    assert not branch_and_bound(K, np.ones(25), unit_rows(25), 10**6, monotonic()).is_proven
    assert exact(np.eye(300) + 1, max_seconds=1e-9).status in ("stopped", "optimal")


def test_too_many_rows_are_refused_with_a_bound():
    X = np.random.default_rng(0).normal(size=(4100, 12))
    model = L1KernelPCA(1, random_state=0).fit(X)
    result = exact(model)
    assert result.status == "refused"
    assert result.plan.method == "none"
    assert "4100 rows are more than the 4000 of branch and bound" in result.message
    assert "take fewer rows" in result.message
    assert result.upper_bound >= result.value > 0
    assert result.value >= model.objective_[0] ** 2 * 0.99


def test_the_plan_says_method_and_cost():
    assert exact_plan(np.eye(10)).steps == 2**9
    F = factor("general", 100, 3, 0)
    plan = exact_plan(F @ F.T)
    assert plan.method == "cells"
    assert plan.steps == cell_steps(100, 3)
    assert str(plan).startswith("cells, up to 1.98e+04 steps")
    assert "K has rank 3" in str(plan)
    assert exact_plan(np.eye(24)).method == "enumeration"
    large = exact_plan(np.eye(60), max_nodes=77)
    assert (large.method, large.steps) == ("branch and bound", 77)


def test_of_a_model_it_is_the_first_component():
    X = rows_with_outliers(14, 3, 2)
    model = L1KernelPCA(2, kernel="rbf").fit(X)
    K = mean_centered(rbf_kernel(X))
    assert exact(model).value == pytest.approx(best_by_enumeration(K)[0])


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_solver_exact_is_the_greedy_optimum(kernel):
    """Each component is the best of all sign vectors on what those before it left."""
    X = rows_with_outliers(13, 4, 3)
    model = L1KernelPCA(3, kernel=kernel, solver="exact").fit(X)
    K = mean_centered(X @ X.T if kernel == "linear" else rbf_kernel(X))
    for objective, status in zip(model.objective_, model.status_, strict=True):
        best, c = best_by_enumeration(K)
        assert status == "converged"
        assert objective**2 == pytest.approx(best, rel=1e-9)
        K = K - np.outer(K @ c, K @ c) / best


def test_solver_exact_warns_when_the_budget_was_not_enough():
    X = rows_with_outliers(120, 8, 0)
    model = L1KernelPCA(1, kernel="rbf", gamma=0.05, solver=ExactSearch(max_nodes=1))
    with pytest.warns(UserWarning, match="1 of 1 components stopped before the optimum was proven"):
        model.fit(X)
    assert model.status_ == [str(Status.NOT_PROVEN)]


def test_the_finder_gives_a_direction_for_each_start():
    K, start = problem("wide", 10, 0)
    starts = np.column_stack([start, -start, np.ones(10)])
    for direction in ExactSearch().find_each(held(K), starts):
        assert direction.value == pytest.approx(best_by_enumeration(K)[0])
        np.testing.assert_allclose(direction.image, K @ direction.coef)
        assert direction.trace[-1] == pytest.approx(direction.value)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"max_nodes": 0}, "max_nodes=0 must be an integer of at least 1"),
        ({"max_nodes": 2.5}, "max_nodes=2.5 must be an integer of at least 1"),
        ({"max_seconds": 0}, "max_seconds=0 must be a positive number"),
        ({"max_seconds": "1"}, "max_seconds='1' must be a positive number"),
    ],
)
@pytest.mark.parametrize("function", [exact, exact_plan])
def test_bad_budgets_are_named(function, settings, message):
    with pytest.raises(ValueError, match=message):
        function(np.eye(3), **settings)


def test_a_matrix_must_be_symmetric():
    with pytest.raises(ValueError, match="symmetric"):
        exact(np.triu(np.ones((4, 4))))


def test_settings_are_frozen():
    assert replace(ExactSearch(), max_nodes=5).max_seconds == 60.0
