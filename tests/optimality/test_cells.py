"""Cells of an arrangement of hyperplanes: the optimum of a matrix of small rank."""

from time import monotonic

import numpy as np
import pytest

from contracts.finders import held
from l1kpca.optimality import ExactSearch, exact
from l1kpca.optimality.searches import best_cell
from oracles import best_by_enumeration

NEVER = np.inf


def factor(kind, n, rank, seed):
    rng = np.random.default_rng([seed, n, rank])
    if kind == "whole numbers":  # many rows on a common hyperplane, duplicates, zeros
        return rng.integers(-2, 3, size=(n, rank)).astype(float)
    return rng.normal(size=(n, rank)) * rng.choice([0.1, 1, 30], size=(n, 1))


@pytest.mark.parametrize("kind", ["general", "whole numbers"])
@pytest.mark.parametrize(
    ("n", "rank"),
    [(n, rank) for n in (1, 2, 3, 5, 8, 13) for rank in (1, 2, 3, 4, 5) if rank <= n],
)
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
def test_the_plan_factors_a_matrix_of_small_rank(rank):
    F = np.random.default_rng(rank).normal(size=(30, rank))
    found = ExactSearch().plan(held(F @ F.T)).factor
    assert found.shape[1] == rank
    np.testing.assert_allclose(found @ found.T, F @ F.T, atol=1e-10)


def test_there_is_no_factor_of_what_has_none():
    hollow = np.ones((25, 25)) - np.eye(25)  # zeros on the diagonal, yet not zero
    negative = np.diag([1.0] * 24 + [-1.0])
    full = np.eye(29)
    for K in (hollow, negative, full):
        assert ExactSearch().plan(held(K)).factor is None


def test_a_budget_of_time_is_kept():
    assert not best_cell(factor("general", 200, 4, 0), monotonic())[1]
