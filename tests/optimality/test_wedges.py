"""Wedges cover all sign vectors, and their bounds hold."""

from time import monotonic

import numpy as np
import pytest
from numpy.testing import assert_allclose

from contracts.finders import PROBLEMS, held, problem
from l1kpca.optimality import bounds
from l1kpca.optimality.bounds import dual_bound
from l1kpca.optimality.sdp import SdpRounding, relaxation
from l1kpca.optimality.wedges import Cut, Penalized, _cut_again, wedge_bound
from oracles import best_by_enumeration

NEVER = np.inf


def whole(gram):
    none = np.empty((0, gram.n_samples))
    return Cut(none, none, np.empty(0), relaxation(gram).V)


def test_every_sign_vector_lies_in_a_wedge():
    gram = held(problem("wide", 40, 0)[0])
    children = list(_cut_again(gram, whole(gram)))
    for c in np.random.default_rng(0).choice([-1.0, 1.0], size=(500, 40)):
        assert any((child.left @ c)[0] * (child.right @ c)[0] >= 0 for child in children)


def test_the_penalized_matrix_is_what_it_says():
    """And it is positive semidefinite if K is."""
    K, _ = problem("wide", 12, 0)
    rng = np.random.default_rng(1)
    left, right, mu = rng.normal(size=(2, 12)), rng.normal(size=(2, 12)), np.array([0.7, 2.0])
    gram = Penalized(held(K), Cut(left, right, mu, np.ones((12, 1))))
    added = sum(
        m / 2 * (np.outer(a, b) + np.outer(b, a)) for m, a, b in zip(mu, left, right, strict=True)
    )
    M = K + added + np.diag(gram.shift)
    V, some = rng.normal(size=(12, 3)), np.array([2, 5])
    assert_allclose(gram.apply(V), M @ V)
    assert_allclose(gram.columns(some), M[:, some])
    assert np.linalg.eigvalsh(M)[0] >= -1e-10


@pytest.mark.parametrize("proof", ["cholesky", "lanczos"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_never_below_the_optimum(name, proof, monkeypatch, global_random_seed):
    if proof == "lanczos":
        monkeypatch.setattr(bounds, "DENSE_ROWS", 0)
    for n in (2, 7, 12):
        K, _ = problem(name, n, global_random_seed)
        best, _ = best_by_enumeration(K)
        gram = held(K)
        found = wedge_bound(gram, relaxation(gram), best, 20, NEVER)
        assert found.value >= best * (1 - 1e-12)


def test_cuts_lower_the_bound_where_the_relaxation_is_a_circle():
    """Rows all around in the plane: a cut takes half of the gap of 23 % away."""
    angles = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    F = np.column_stack([np.cos(angles), np.sin(angles)])
    gram = held(F @ F.T)
    best = SdpRounding().find(gram, np.ones((200, 1)))[0].value
    relaxed = relaxation(gram)
    root = dual_bound(gram, relaxed.dual).value / best - 1
    once = wedge_bound(gram, relaxed, best, 2, NEVER)
    twice = wedge_bound(gram, relaxed, best, 30, NEVER)
    assert root == pytest.approx(np.pi**2 / 8 - 1, rel=1e-2)
    assert 0 <= twice.value / best - 1 <= once.value / best - 1 < root / 2
    assert twice.value / best - 1 < root / 4
    assert once.proof == "cholesky of wedges"


def test_budgets_are_kept():
    gram = held(problem("wide", 30, 0)[0])
    relaxed = relaxation(gram)
    first = dual_bound(gram, relaxed.dual)
    for found in (
        wedge_bound(gram, relaxed, 0.0, 1, NEVER),
        wedge_bound(gram, relaxed, 0.0, 100, monotonic()),
        wedge_bound(gram, relaxed, np.inf, 100, NEVER),
    ):
        assert found == first
