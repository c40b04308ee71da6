"""Algorithm 1: step for step the paper's, at the rate of its Theorem 2, and what a step costs."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from contracts.finders import PROBLEMS, SIZES, find, held, problem
from doubles import CountingGram
from l1kpca import tuning
from l1kpca.directions import LpNorm, SignIteration, Status
from oracles import best_by_enumeration, fixed_point, signs

NOISE = 1e-10
SETTINGS = [
    {"tol": tol, "momentum": momentum} for tol in (0.0, 1e-3, 0.1) for momentum in (False, True)
]


@pytest.fixture(params=PROBLEMS)
def posed(request, global_random_seed):
    """A matrix and a start of each size."""
    return [problem(request.param, n, global_random_seed) for n in SIZES]


@pytest.fixture
def many_rows(monkeypatch):
    """Few rows are searched as many rows are."""
    monkeypatch.setattr(tuning, "SMALL_ROWS", 0)


def iterates(finder, K, start, last=1000):
    """The sign vectors of a run, step by step: the run is repeated with ever more steps."""
    found = []
    for steps in range(last):
        direction = find(replace(finder, max_iter=steps), K, start)
        if direction.status is not Status.MAX_ITER:
            return found if len(direction.trace) == len(found) else [*found, direction.coef]
        found.append(direction.coef)
    raise AssertionError("the run did not end")


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_every_step_of_the_naive_iteration(posed, settings):
    """Sign for sign, where no entry of K c is within rounding of zero; else as good at the end."""
    for K, start in posed:
        expected = fixed_point(K, start, **settings)
        found = find(SignIteration(**settings), K, start)
        size = np.abs(K).max() * len(K)
        if any((np.abs(K @ c) < NOISE * size).any() for c in expected):
            value = expected[-1] @ K @ expected[-1]
            assert found.value == pytest.approx(value, rel=1e-6, abs=NOISE)
            continue
        assert_array_equal(found.coef, expected[-1])
        assert_allclose(found.trace, [c @ K @ c for c in expected], rtol=1e-9)
        if not settings["momentum"]:  # else a step that is not taken counts, too
            assert_array_equal(iterates(SignIteration(**settings), K, start), expected)


@pytest.mark.usefixtures("way")
def test_the_norm_of_degree_one_is_the_same_search(posed):
    for K, start in posed:
        one, other = find(LpNorm(1.0), K, start), find(SignIteration(), K, start)
        assert_array_equal(one.coef, other.coef)
        assert one.trace == other.trace


@pytest.mark.usefixtures("way")
def test_linear_rate_of_theorem_2(posed):
    """At each step, |x'| - |x*| <= rho(c) (|x| - |x*|), with |x| = sqrt(c^T K c) / |K c|_1."""
    for K, start in posed:
        run = iterates(SignIteration(), K, start)
        check_the_rate(K, [c for c in run if c @ K @ c > NOISE * np.abs(K).max()])


def check_the_rate(K, run):
    """Of one run, whose vectors have lengths above zero."""
    if not run:
        return
    lengths = [np.sqrt(c @ K @ c) / np.abs(K @ c).sum() for c in run]
    rates = [c @ K @ c / np.abs(K @ c).sum() for c in run]
    best = 1 / np.sqrt(run[-1] @ K @ run[-1])
    assert lengths[-1] == pytest.approx(best)
    for before, after, rate in zip(lengths, lengths[1:], rates[1:], strict=False):
        assert rate <= 1 + NOISE
        assert after <= before * (1 + NOISE)
        assert after - best <= rate * (before - best) + NOISE * best
    assert all(rate < 1 for rate in rates[:-1])


def test_maximum_over_signs_is_the_square_of_the_maximum_over_directions():
    """max c^T K c = (max |X w|_1)^2 over the unit sphere, and c = sgn(X w) there."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(10, 3))
    value, c = best_by_enumeration(X @ X.T)
    w = X.T @ c / np.linalg.norm(X.T @ c)
    assert np.abs(X @ w).sum() ** 2 == pytest.approx(value)
    others = rng.normal(size=(3, 20_000))
    others /= np.linalg.norm(others, axis=0)
    best_seen = np.abs(X @ others).sum(axis=0).max() ** 2
    assert best_seen <= value * (1 + 1e-12)
    assert best_seen >= value * 0.99


def test_kernel_pca_l1_in_eigen_coordinates():
    """The same iteration on the rows of U sqrt(Lambda), from the same start, sign for sign."""
    K, start = problem("wide", 50, 5)
    values, vectors = np.linalg.eigh(K)
    kept = values > 1e-12 * values[-1]
    Y = vectors[:, kept] * np.sqrt(values[kept])
    c = start
    while not np.array_equal(following := signs(Y @ (Y.T @ c), c), c):
        c = following
    assert_array_equal(find(SignIteration(), K, start).coef, c)


def test_momentum_takes_fewer_steps_where_the_search_creeps():
    """Two directions nearly as good: the plain iteration crawls from one to the other."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 2)) * [1.0, 0.999]
    start = np.sign(X[:, 1])
    plain, quick = (find(SignIteration(momentum=m), X @ X.T, start) for m in (False, True))
    assert len(quick.trace) < len(plain.trace)
    assert quick.value >= plain.value * (1 - 1e-3)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("momentum", [False, True])
def test_stops_at_the_bound_and_says_so(momentum):
    K, start = problem("linear", 400, 1)
    bounded = find(SignIteration(2, momentum=momentum), K, start)
    whole = find(SignIteration(momentum=momentum), K, start)
    assert len(whole.trace) > 3
    assert bounded.status is Status.MAX_ITER
    assert bounded.trace == whole.trace[:3]
    assert str(bounded.status) == "stopped while still moving: raise max_iter"
    assert find(SignIteration(0), K, start).trace == whole.trace[:1]


@pytest.mark.usefixtures("way")
def test_a_fall_of_the_objective_is_named():
    K = np.array([[0.0, -1.0], [-1.0, 0.0]])
    direction = find(SignIteration(), K, np.array([1.0, 1.0]))
    assert direction.status is Status.NOT_POSITIVE
    assert str(direction.status) == (
        "the objective fell because the Gram matrix is not positive semidefinite"
    )


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_negative_objective_ends_too(settings):
    """No step gains there, however small a gain would be enough."""
    K = np.array([[-2.0, 1.0, 0.0], [1.0, -3.0, 1.0], [0.0, 1.0, -2.0]])
    for start in ([1.0, 1.0, 1.0], [1.0, -1.0, 1.0]):
        direction = find(SignIteration(**settings), K, np.array(start))
        assert direction.status is not Status.MAX_ITER
        assert direction.value >= np.array(start) @ K @ np.array(start)


@pytest.mark.usefixtures("many_rows")
def test_one_pass_serves_all_starts():
    """Side by side, k searches need no more full passes over K than the longest of them may."""
    K, _ = problem("wide", 60, 2)
    starts = np.random.default_rng(6).choice([-1.0, 1.0], (60, 8))
    longest = 0
    for k in range(8):
        gram = CountingGram(held(K))
        SignIteration().find(gram, starts[:, k : k + 1])
        longest = max(longest, gram.calls["full products"] + gram.calls["updates"])
    together = CountingGram(held(K))
    SignIteration().find(together, starts)
    assert together.calls["full products"] <= longest


@pytest.mark.usefixtures("many_rows")
def test_few_flips_are_updated_from_their_columns_alone():
    K, start = problem("wide", 200, 2)
    nearby = find(SignIteration(), K, start).coef
    nearby[np.argsort(np.abs(K @ nearby))[:3]] *= -1
    gram = CountingGram(held(K))
    SignIteration().find(gram, nearby[:, np.newaxis])
    assert gram.calls["full products"] == 1
    assert 0 < gram.calls["updated columns"] < 20
