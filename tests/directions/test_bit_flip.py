"""Single flips: which one is taken, and what they cost."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

from contracts.finders import PROBLEMS, find, held, problem
from doubles import CountingGram
from l1kpca import tuning
from l1kpca.directions import BitFlip, SignIteration, Status, Then
from oracles import largest_flip_gain, mean_centered

NOISE = 1e-10


def test_every_flip_is_the_best_one(global_random_seed):
    K, start = problem("narrow", 17, global_random_seed)
    run = [find(BitFlip(flips), K, start) for flips in range(100)]
    run = [direction.coef for direction in run if direction.status is Status.MAX_ITER]
    assert len(run) > 1
    for before, after in pairwise(run):
        assert (before != after).sum() == 1
        gained = after @ K @ after - before @ K @ before
        assert gained == pytest.approx(largest_flip_gain(K, before))


@pytest.mark.parametrize("name", ["narrow", "wide", "laplacian", "contaminated"])
def test_many_rows_are_looked_at_some_at_a_time(name, monkeypatch, global_random_seed):
    """Only those near a change of sign; at the end no flip of any row gains."""
    monkeypatch.setattr(tuning, "SMALL_ROWS", 0)
    K, start = problem(name, 500, global_random_seed)
    gram = CountingGram(held(K))
    direction = BitFlip().find(gram, start[:, np.newaxis])[0]
    c = direction.coef
    assert direction.status is Status.CONVERGED
    assert 4 * (K.diagonal() - c * (K @ c)).max() <= NOISE * (1 + np.abs(K).max() * 500)
    assert (np.diff(direction.trace) > 0).all()
    assert direction.trace[-1] == pytest.approx(c @ K @ c)
    assert gram.calls["full products"] <= 2
    assert gram.calls["columns"] % tuning.FEWEST_NEAR == 0


def test_flips_cost_no_full_pass_and_share_their_updates():
    K, start = problem("narrow", 100, 0)
    gram = CountingGram(held(K))
    direction = BitFlip().find(gram, start[:, np.newaxis])[0]
    flips = len(direction.trace) - 1
    assert flips > 5
    assert gram.calls["full products"] == 1
    assert gram.calls["updated columns"] <= flips
    assert gram.calls["updates"] < flips


def test_stops_at_the_bound_and_says_so():
    K, start = problem("linear", 400, 1)
    whole, bounded, none = (find(BitFlip(flips), K, start) for flips in (None, 2, 0))
    assert len(whole.trace) > 3
    assert bounded.trace == whole.trace[:3]
    assert none.trace == whole.trace[:1]
    assert bounded.status is none.status is Status.MAX_ITER


def test_a_fixed_point_of_flips_is_one_of_the_sign_iteration(global_random_seed):
    for name in PROBLEMS:
        K, start = problem(name, 60, global_random_seed)
        flipped = find(BitFlip(), K, start)
        again = find(SignIteration(), K, flipped.coef)
        assert_allclose(again.coef, flipped.coef, err_msg=name)
        assert len(again.trace) == 1


def test_flips_matter_for_a_narrow_kernel():
    """Nearly every sign vector is a fixed point there; flips still find a better one."""
    K, start = problem("narrow", 60, 1)
    K = mean_centered(0.9 * np.eye(60) + 0.1 * K)
    plain = find(SignIteration(), K, start).value
    assert find(Then(SignIteration(), BitFlip()), K, start).value > plain


def test_flips_that_promise_nothing_worth_having_are_not_made(way):
    K, start = problem("narrow", 100, 0)
    whole = find(BitFlip(), K, start)
    share = 1 - whole.trace[0] / whole.trace[-1]
    assert len(find(BitFlip(tol=10 * share), K, start).trace) == 1
    assert find(BitFlip(tol=share / 1e6), K, start).trace == whole.trace
