"""Rounding of the relaxation finds the optimum of small problems."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import rbf_kernel

from contracts.finders import PROBLEMS, find, held, problem
from doubles import CountingGram
from l1kpca import L1KernelPCA
from l1kpca.optimality import sdp
from l1kpca.optimality.sdp import SdpRounding, relaxation, unit_rows
from oracles import best_by_enumeration, largest_flip_gain, mean_centered


def seeded_instance(seed):
    """n from 4 to 16, two outliers, four widths of a Gaussian kernel and the linear one."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 17))
    X = rng.normal(size=(n, 5))
    X[:2] *= 5
    gamma = (None, 0.02, 0.1, 0.5, 1.0)[seed % 5]
    return mean_centered(X @ X.T if gamma is None else rbf_kernel(X, gamma=gamma))


def test_200_seeded_instances_are_solved_to_the_optimum():
    for seed in range(200):
        K = seeded_instance(seed)
        model = L1KernelPCA(1, kernel="precomputed", center=False, solver="sdp").fit(K)
        best, _ = best_by_enumeration(K)
        assert model.objective_[0] ** 2 == pytest.approx(best, rel=1e-9), seed


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("n", [1, 2, 3, 17, 60])
def test_gives_signs_that_no_single_flip_improves(name, n):
    K, start = problem(name, n, 0)
    direction = find(SdpRounding(), K, start)
    assert set(np.unique(direction.coef)) <= {-1.0, 1.0}
    assert_allclose(direction.image, K @ direction.coef, atol=1e-10 * np.abs(K).max() * n)
    assert largest_flip_gain(K, direction.coef) <= 1e-9 * max(np.abs(K).max() * n, 1e-300)


def test_is_never_worse_than_polishing_the_start_alone():
    K, start = problem("wide", 60, 1)
    finder = SdpRounding()
    starts = np.column_stack([start, np.ones(60)])
    own = finder.polish.find(held(K), starts)
    found = finder.find(held(K), starts)
    assert len(found) == 2
    for alone, rounded in zip(own, found, strict=True):
        assert rounded.value >= alone.value


def test_is_deterministic_and_the_seed_matters_only_for_the_hyperplanes():
    K, start = problem("wide", 40, 2)
    first, again = (find(SdpRounding(seed=3), K, start) for _ in range(2))
    assert_array_equal(first.coef, again.coef)
    assert relaxation(held(K), seed=1).value == pytest.approx(
        relaxation(held(K), seed=2).value, rel=1e-4
    )


@pytest.mark.parametrize("gamma", [0.1, 5.0])
def test_the_objective_of_the_relaxation_grows_with_its_steps(gamma):
    """Also for a narrow kernel; every value is a lower bound for the last."""
    X = np.random.default_rng(0).normal(size=(80, 5))
    gram = held(mean_centered(rbf_kernel(X, gamma=gamma)))
    values = [relaxation(gram, max_steps=steps).value for steps in (1, 3, 10, 30, 100, 300)]
    assert (np.diff(values) >= -1e-6 * values[-1]).all()


def test_drops_its_shift_where_the_objective_would_fall():
    """Half of the diagonal taken off a diagonal-free matrix leaves nothing; signs stay valid."""
    K = np.kron(np.eye(6), np.array([[1.0, -0.99], [-0.99, 1.0]]))
    assert relaxation(held(K)).value == pytest.approx(best_by_enumeration(K)[0], rel=1e-6)


def test_the_shift_saves_passes_where_the_kernel_is_nearly_diagonal(monkeypatch):
    """Half of the diagonal: a third fewer than none of it, and than more than all of it."""
    gram = CountingGram(held(np.eye(100) + 0.1 * problem("wide", 100, 0)[0]))
    with_shift = relaxation(gram).value
    passes = gram.calls["full products"]
    for share in (0.0, 1.5):
        monkeypatch.setattr(sdp, "_DIAGONAL_SHARE", share)
        other = CountingGram(held(gram.apply(np.eye(100))))
        assert relaxation(other).value == pytest.approx(with_shift, rel=1e-6)
        assert passes < 0.7 * other.calls["full products"]


def test_rows_of_length_one_and_what_stands_for_rows_of_zeros():
    instead = np.array([[0.6, 0.8], [1.0, 0.0]])
    rows, lengths = unit_rows(np.array([[0.0, 0.0], [3e200, 4e200]]), instead)
    assert_allclose(rows, [[0.6, 0.8], [0.6, 0.8]])
    assert_allclose(lengths, [0, 5e200])
