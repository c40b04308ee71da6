"""The global optimum, by whichever method, is that of plain enumeration."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from contracts.finders import PROBLEMS, held, problem
from l1kpca import L1KernelPCA
from l1kpca.directions import Status
from l1kpca.optimality import ExactSearch, exact, exact_plan
from l1kpca.optimality.searches import cell_steps
from oracles import best_by_enumeration, mean_centered


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


def test_cells_of_low_rank():
    """One for a line; one each time that a sign changes on the way around, in a plane."""
    assert cell_steps(7, 1) == 1
    assert cell_steps(7, 2) == 7


def test_the_plan_says_method_and_cost():
    small = exact_plan(np.eye(10))
    assert small.steps == 2**9
    # Each row doubles the work; a computer tries more than a million flips a second.
    assert exact_plan(np.eye(20)).seconds == pytest.approx(2**10 * small.seconds)
    assert 0 < small.seconds < 2**9 / 1e6
    F = np.random.default_rng(0).normal(size=(100, 3))
    plan = exact_plan(F @ F.T)
    assert plan.method == "cells"
    assert plan.steps == cell_steps(100, 3)
    assert 0 < plan.seconds < plan.steps / 1e4
    assert str(plan).startswith("cells, up to 1.98e+04 steps")
    assert "K has rank 3" in str(plan)
    assert exact_plan(np.eye(22)).method == "enumeration"
    assert exact_plan(np.eye(23)).method == "branch and bound"
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
    for direction in ExactSearch().find(held(K), starts):
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
