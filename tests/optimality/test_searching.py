"""How many starts are enough, and when a search has stalled."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from contracts.finders import held, problem
from l1kpca import L1KernelPCA
from l1kpca.directions import BitFlip, SignFixedPoint, Then, starts
from l1kpca.directions.base import Direction
from l1kpca.directions.multistart import BATCH, MAX_STARTS, PATIENCE, settled_direction
from oracles import largest_flip_gain, mean_centered


class Scripted:
    """A finder that gives values from a list, one for each start."""

    def __init__(self, values):
        self.values = iter(values)

    def find_each(self, gram, starts, images=None):
        return [self._direction(len(starts)) for _ in range(starts.shape[1])]

    def _direction(self, n):
        return Direction(np.ones(n), np.full(n, next(self.values) / n), (0.0,))


def tried(values):
    gram = held(np.eye(4))
    return settled_direction(Scripted(values), gram, starts.random, np.random.default_rng(0))


def endless(first, then):
    yield from first
    while True:
        yield then


def test_stops_after_sixteen_starts_without_gain():
    """Counted from the last gain, in whole batches of eight."""
    assert tried(endless([5.0], 1.0)).n_starts == BATCH + PATIENCE
    late = tried(endless([1.0] * 10 + [7.0], 1.0))
    assert late.value == pytest.approx(7)
    assert late.n_starts == 32


def test_a_gain_too_small_to_matter_does_not_prolong_the_search_but_is_kept():
    found = tried(1 + 1e-7 * k for k in range(10**6))
    assert found.n_starts == BATCH + PATIENCE
    assert found.value == pytest.approx(1 + 1e-7 * (BATCH + PATIENCE - 1), rel=1e-12)


def test_never_more_than_128_starts():
    assert tried(float(k) for k in range(1, 10**6)).n_starts == MAX_STARTS


def test_is_at_least_as_good_as_one_start():
    K, _ = problem("wide", 60, 0)
    finder = Then(SignFixedPoint(), BitFlip())
    one = finder.find(held(K), starts.column(held(K), np.random.default_rng(0)))
    many = settled_direction(finder, held(K), starts.column, np.random.default_rng(0))
    assert many.value >= one.value


def test_the_number_of_starts_is_reported():
    X = np.random.default_rng(0).normal(size=(40, 4))
    auto = L1KernelPCA(3, n_starts="auto", random_state=0).fit(X)
    assert auto.n_starts_.shape == (3,)
    assert (auto.n_starts_ >= BATCH + PATIENCE).all()
    assert (L1KernelPCA(3, n_starts=5, random_state=0).fit(X).n_starts_ == 5).all()
    assert (L1KernelPCA(3).fit(X).n_starts_ == 1).all()


@pytest.mark.parametrize("value", ["many", ""])
def test_a_bad_number_of_starts_is_named(value):
    with pytest.raises(ValueError, match=f"n_starts='{value}' must be an integer or 'auto'"):
        L1KernelPCA(n_starts=value).fit(np.eye(3))


def narrow(solver, gamma=5.0):
    X = np.random.default_rng(0).normal(size=(200, 5))
    return L1KernelPCA(2, kernel="rbf", gamma=gamma, solver=solver, start="column"), X


def test_a_stalled_search_is_told_once():
    """K is close to diagonal: nearly every sign vector is a fixed point, flips would still gain."""
    model, X = narrow("fixed_point")
    with pytest.warns(ConvergenceWarning, match="2 of 2 components stopped at a poor") as told:
        model.fit(X)
    assert len(told) == 1
    message = str(told[0].message)
    assert "Widen the kernel (a smaller gamma), or use solver='polished'" in message
    K = mean_centered(rbf_kernel(X, gamma=5.0))
    assert largest_flip_gain(K, model.signs_[0].astype(float)) > 0


@pytest.mark.parametrize(("solver", "gamma"), [("polished", 5.0), ("fixed_point", 0.1)])
def test_a_search_that_did_not_stall_is_silent(solver, gamma):
    model, X = narrow(solver, gamma)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X)
