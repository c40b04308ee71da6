"""x <- grad f / |grad f| for homogeneous f: the L1 norm, the L2 norm, Lp norms, and another."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import KernelPCA
from sklearn.exceptions import ConvergenceWarning

from contracts.finders import PROBLEMS, held, problem
from l1kpca import L1KernelPCA
from l1kpca.directions import HomogeneousIteration, LpNorm, SignIteration, Status
from refusals import refuses

POWERS = (1.0, 1.1, 1.5, 2.0, 3.0, 7.0, 40.0)


@dataclass(frozen=True)
class SumOfNorms(HomogeneousIteration):
    """|y|_1 + |y|_2: homogeneous and convex, but no Lp norm."""

    tol: float = 1e-7
    max_iter: int = 1000

    def value(self, y):
        return LpNorm(1.0).value(y) + LpNorm(2.0).value(y)

    def gradient(self, y, previous):
        signs = np.where(y == 0, previous, np.sign(y))
        return signs + LpNorm(2.0).gradient(y, previous)


FUNCTIONS = {f"l{p:g}": LpNorm(p) for p in POWERS[1:]} | {"sum": SumOfNorms()}


@pytest.fixture(params=FUNCTIONS)
def function(request):
    return FUNCTIONS[request.param]


def find(function, K, start):
    return function.find(held(K), start[:, np.newaxis])[0]


@given(st.integers(0, 10_000), st.sampled_from(POWERS[1:]), st.integers(2, 30))
def test_gradient_of_a_norm(seed, p, n):
    """By differences; of degree zero; of dual norm one; y^T grad = |y|_p."""
    rng = np.random.default_rng(seed)
    y, step = rng.normal(size=n), 1e-6 * rng.normal(size=n)
    y += 0.1 * np.sign(y)
    norm = LpNorm(p)
    gradient = norm.gradient(y, previous=np.ones(n))
    moved = norm.value(y + step) - norm.value(y - step)
    assert moved == pytest.approx(2 * gradient @ step, rel=1e-3, abs=1e-9)
    assert_allclose(norm.gradient(1e3 * y, previous=np.ones(n)), gradient, atol=1e-12)
    assert np.linalg.norm(gradient, ord=p / (p - 1)) == pytest.approx(1)
    assert y @ gradient == pytest.approx(norm.value(y))


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_a_norm_has_no_unit(p, scale):
    y = np.random.default_rng(0).normal(size=4)
    assert LpNorm(p).value(y * scale) / scale == pytest.approx(np.linalg.norm(y, p))
    assert LpNorm(p).value(np.zeros(3)) == 0.0


def test_a_large_p_does_not_overflow():
    y = np.array([1e-200, 2e200, -1e200])
    assert_allclose(LpNorm(500.0).gradient(y, previous=np.ones(3)), [0, 1, 0], atol=1e-12)


@pytest.mark.parametrize("p", [np.inf, np.nan, 10**400, "two", None, 1j], ids=lambda p: str(p)[:9])
def test_exponents_that_are_no_numbers(p):
    with refuses(f"p={p!r} must be a finite number"):
        LpNorm(p)


def test_exponents_that_are_too_small():
    with refuses("p=0.5 must be at least 1"):
        LpNorm(0.5)


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_l1_norm_gives_algorithm_1(name, global_random_seed):
    K, start = problem(name, 50, global_random_seed)
    ours, paper = find(LpNorm(1.0), K, start), find(SignIteration(), K, start)
    assert_array_equal(ours.coef, paper.coef)
    assert_allclose(ours.trace, paper.trace)
    assert ours.status is paper.status


def with_a_gap(rng, n):
    U = np.linalg.qr(rng.normal(size=(n, n)))[0]
    K = (U * np.r_[3.0, np.linspace(1, 0, n - 1)]) @ U.T
    return (K + K.T) / 2, U[:, 0]


def test_the_l2_norm_gives_the_leading_eigenvector(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    K, leading = with_a_gap(rng, 40)
    found = find(LpNorm(2.0), K, rng.choice([-1.0, 1.0], 40))
    assert found.status is Status.CONVERGED
    assert abs(found.coef @ leading) == pytest.approx(1, abs=1e-12)
    assert found.value == pytest.approx(3)


def test_the_l2_norm_takes_the_steps_of_the_power_iteration():
    rng = np.random.default_rng(0)
    K, _ = with_a_gap(rng, 20)
    v = start = rng.choice([-1.0, 1.0], 20)
    for steps in range(1, 6):
        v = K @ v / np.linalg.norm(K @ v)
        found = find(LpNorm(2.0, max_iter=steps), K, start)
        assert_allclose(found.coef, v, atol=1e-12)
        assert found.status is Status.MAX_ITER


@pytest.mark.parametrize("name", ["linear", "wide", "narrow", "contaminated", "ties"])
def test_objective_never_falls_and_the_end_is_stationary(function, name, global_random_seed):
    """At the end x = grad f / |grad f|, and c^T K c = f(x)^2."""
    K, start = problem(name, 50, global_random_seed)
    found = find(replace(function, max_iter=20_000), K, start)
    assert (np.diff(found.trace) >= -1e-12 * found.trace[-1]).all()
    assert found.status is Status.CONVERGED
    assert_allclose(found.image, K @ found.coef, atol=1e-9 * np.abs(K).max() * 50)
    assert found.trace[-1] == pytest.approx(found.value)
    y = found.image / np.sqrt(found.value)
    assert function.value(y) ** 2 == pytest.approx(found.value, rel=1e-6)
    step = function.gradient(found.image, previous=found.coef) - found.coef
    assert step @ K @ step <= 1e-9 * found.value


def test_nothing_on_the_sphere_nearby_is_better(function):
    K, start = problem("wide", 30, 0)
    found = find(function, K, start)
    best = function.value(found.image / np.sqrt(found.value))
    rng = np.random.default_rng(0)
    for _ in range(50):
        c = found.coef + 1e-3 * np.abs(found.coef).max() * rng.normal(size=30)
        assert function.value(K @ c / np.sqrt(c @ K @ c)) <= best * (1 + 1e-9)


def test_an_image_of_zero_ends_the_search(function):
    found = find(function, np.zeros((5, 5)), np.ones(5))
    assert_array_equal(found.coef, 1)
    assert found.value == 0


def test_a_negative_direction_is_reported():
    K = np.diag([1.0, -5.0, 0.5, 0.2])
    for p in (1.0, 1.2, 2.0, 3.0):
        assert find(LpNorm(p), K, np.ones(4)).status is Status.NOT_POSITIVE


def test_several_starts_are_searched_from(function):
    K, _ = problem("narrow", 40, 0)
    starts = np.random.default_rng(0).choice([-1.0, 1.0], (40, 3))
    found = function.find(held(K), starts)
    for direction, start in zip(found, starts.T, strict=True):
        assert_array_equal(direction.coef, find(function, K, start).coef)


# As the solver of an estimator.


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_p_2_is_kernel_pca(kernel, global_random_seed):
    X = np.random.default_rng(global_random_seed).normal(size=(60, 4)) * [8, 4, 2, 1]
    settings = {"kernel": kernel, "gamma": 0.002}
    pca = L1KernelPCA(2, solver=LpNorm(2, max_iter=20_000), **settings).fit(X)
    theirs = KernelPCA(2, **settings).fit(X)
    assert_allclose(np.abs(pca.transform(X)), np.abs(theirs.transform(X)), atol=1e-4)
    assert_allclose((pca.transform(X) ** 2).sum(axis=0), theirs.eigenvalues_, rtol=1e-9)


@pytest.mark.parametrize("p", [1.2, 1.5, 3])
def test_a_norm_beats_the_others_in_its_own(p, global_random_seed):
    X = np.random.default_rng(global_random_seed).standard_t(3, size=(80, 4))

    def scores(p):
        pca = L1KernelPCA(1, solver=LpNorm(p), n_starts=20, random_state=0).fit(X)
        return pca.transform(X)[:, 0], pca.objective_trace_[0][-1]

    found, square = scores(p)
    own = np.linalg.norm(found, ord=p)
    assert own**2 == pytest.approx(square, rel=1e-6)
    for other in (1, 1.35, 2, 4):
        assert own >= np.linalg.norm(scores(other)[0], ord=p) * (1 - 1e-9)


def test_signs_are_those_of_the_scores():
    X = np.random.default_rng(0).normal(size=(40, 3))
    pca = L1KernelPCA(2, solver=LpNorm(1.5)).fit(X)
    assert_array_equal(pca.signs_, np.sign(pca.transform(X)).T)


def test_a_search_that_is_cut_short_says_so():
    X = np.random.default_rng(0).normal(size=(40, 3))
    message = "1 of 1 components stopped while still moving: raise max_iter"
    with pytest.warns(ConvergenceWarning, match=message):
        L1KernelPCA(1, solver=LpNorm(2, max_iter=2)).fit(X)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_start_that_cancels_is_not_said_to_be_better_than_what_follows():
    """Equal rows with opposite signs: what is left of c^T K c is rounding error."""
    X = np.zeros((16, 2))
    X[8:10, 0] = 1e5
    settings = {"kernel": "poly", "gamma": 0.001, "degree": 2, "center": "median"}
    for seed in range(5):
        finder = LpNorm(1.5, max_iter=1)
        pca = L1KernelPCA(solver=finder, start="random", random_state=seed, **settings)
        for trace in pca.fit(X).objective_trace_:
            assert (np.diff(trace) >= 0).all()
