"""KPCA-L1: the zero-projection rule, and what it asks of K."""

import numpy as np
import pytest

from contracts.finders import held, problem
from doubles import CountingGram
from l1kpca.components.projection_trick import ProjectionTrick
from l1kpca.directions import SignFixedPoint, Status
from l1kpca.directions.starts import STARTS
from oracles import best_by_enumeration

MEMORY = 10**9


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
