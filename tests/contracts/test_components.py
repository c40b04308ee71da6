"""What a stack of components must be, over Grams, finders and starts."""

from itertools import islice

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import rbf_kernel

from contracts.finders import FINDERS, held, problem
from contracts.grams import CASES, POSITIVE_KERNELS, example
from doubles import CountingGram
from l1kpca.components.deflation import Deflation
from l1kpca.directions import SignFixedPoint
from l1kpca.directions.starts import STARTS
from l1kpca.gram.dense import PrecomputedGram
from l1kpca.threads import Workers
from oracles import algorithm_1, low_rank_rows, mean_centered, signs


def solver(finder="polished", start="column", **settings):
    return Deflation(FINDERS[finder], STARTS[start], **settings)


def stacked(components):
    """A, C as rows."""
    components = list(components)
    return np.array([c.coef for c in components]), np.array([c.scores for c in components])


@pytest.mark.parametrize("finder", FINDERS)
@pytest.mark.parametrize("start", sorted(STARTS))
@pytest.mark.parametrize("n_starts", [1, 3])
def test_components_are_orthonormal_and_scores_are_their_images(finder, start, n_starts):
    """A K A^T = I, C = A K, and what is left of each row is not negative."""
    K, _ = problem("wide", 40, 0)
    components = list(solver(finder, start, n_starts=n_starts).components(held(K), 6))
    A, C = stacked(components)
    assert_allclose(A @ K @ A.T, np.eye(6), atol=1e-10)
    assert_allclose(C, A @ K, atol=1e-10)
    assert (K.diagonal() - (C**2).sum(axis=0) >= -1e-12).all()


@pytest.mark.parametrize(
    ("gram_name", "kernel_name"), [c for c in CASES if c[1] in POSITIVE_KERNELS]
)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_components_over_every_gram(gram_name, kernel_name, dtype):
    case = example(gram_name, kernel_name, "mean", dtype)
    A, C = stacked(solver().components(case.gram, 3))
    noise = 50 * case.tolerance / min((C**2).sum(axis=1))
    assert A.dtype == C.dtype == dtype
    assert_allclose(A.astype(float) @ case.K @ A.T, np.eye(3), atol=max(noise, 1e-9))
    assert_allclose(C, A @ case.K, atol=100 * case.tolerance * np.abs(A).sum(axis=1).max())
    assert (case.K.diagonal() - (C**2).sum(axis=0) >= -10 * case.tolerance).all()


@pytest.mark.parametrize("finder", ["fixed point", "polished"])
def test_a_hundred_components_stay_orthonormal(finder, global_random_seed):
    """Eigenvalues that fall by ten orders of magnitude."""
    rng = np.random.default_rng(global_random_seed)
    U = np.linalg.qr(rng.normal(size=(400, 150)))[0]
    K = (U * np.logspace(0, -10, 150)) @ U.T
    K = (K + K.T) / 2
    A, C = stacked(solver(finder).components(held(K), 100))
    assert len(A) == 100
    assert_allclose(A @ K @ A.T, np.eye(100), atol=1e-8)
    assert_allclose(C, A @ K, atol=1e-8)
    assert (K.diagonal() - (C**2).sum(axis=0) >= -1e-12).all()


@pytest.mark.parametrize("finder", ["fixed point", "polished"])
def test_a_hundred_components_of_a_gaussian_kernel(finder):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 6)) * np.logspace(0, -1, 6)
    K = mean_centered(rbf_kernel(X, gamma=0.2))
    K = (K + K.T) / 2
    A, _ = stacked(solver(finder).components(held(K), 100))
    assert_allclose(A @ K @ A.T, np.eye(len(A)), atol=1e-8)


@pytest.mark.parametrize("start", sorted(STARTS))
@pytest.mark.parametrize("rank", [0, 1, 4])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_stops_at_the_rank(start, rank, dtype):
    rng = np.random.default_rng(0)
    X = low_rank_rows(rng, 50, 20, rank) if rank else np.zeros((50, 20))
    gram = PrecomputedGram((X @ X.T).astype(dtype), Workers())
    assert len(list(solver(start=start).components(gram, 50))) == rank


@pytest.mark.parametrize("rank", [1, 4])
@pytest.mark.parametrize("scale", [1e-30, 1e-5, 1e30])
def test_the_rank_does_not_depend_on_the_scale(rank, scale):
    X = low_rank_rows(np.random.default_rng(1), 50, 20, rank) * scale
    assert len(list(solver().components(held(X @ X.T), 50))) == rank


@pytest.mark.parametrize("finder", FINDERS)
def test_rounding_errors_are_not_searched(finder):
    """At the rank what is left of K is noise, in which every flip seems to help."""
    X = low_rank_rows(np.random.default_rng(2), 300, 6, 3)
    at_rank, beyond = CountingGram(held(X @ X.T)), CountingGram(held(X @ X.T))
    assert len(list(solver(finder).components(at_rank, 3))) == 3
    assert len(list(solver(finder).components(beyond, 300))) == 3
    assert at_rank.calls["full products"] == beyond.calls["full products"]
    assert at_rank.calls["updates"] == beyond.calls["updates"]


def test_components_are_made_one_at_a_time():
    """Nothing is computed before it is asked for, and the limit is kept."""
    K, _ = problem("wide", 40, 0)
    found = solver().components(held(K), 10)
    assert len(list(islice(found, 3))) == 3
    assert len(list(solver().components(held(K), 0))) == 0


@pytest.mark.parametrize("start", sorted(STARTS))
@pytest.mark.parametrize("done", [0, 1, 5, 9, 10])
def test_goes_on_from_what_is_there_to_the_same_end(start, done):
    """More than eight, so that the arrays of the stack have to grow."""
    K, _ = problem("wide", 40, 4)
    asked = solver(start=start, n_starts=2, seed=7)
    whole = list(asked.components(held(K), 10))
    rest = list(asked.components(held(K), 10, so_far=whole[:done]))
    assert len(rest) == 10 - done
    for one, two in zip(whole[done:], rest, strict=True):
        assert_array_equal(one.coef, two.coef)
        assert_array_equal(one.signs, two.signs)


def test_deflation_as_in_the_paper():
    """K <- K - (K c)(K c)^T / c^T K c, written out, gives the same signs."""
    K, _ = problem("linear", 60, 0)
    found = Deflation(SignFixedPoint(), STARTS["column"], orient=False).components(held(K), 5)
    assert_array_equal([c.signs for c in found], algorithm_1(K, 5))


def test_signs_belong_to_the_scores():
    K, _ = problem("linear", 60, 0)
    for component in solver().components(held(K), 5):
        clear = np.abs(component.scores) > 1e-9
        assert_array_equal(component.signs[clear], np.sign(component.scores[clear]))
        assert component.signs.dtype == np.int8
        assert component.objective == pytest.approx(np.abs(component.scores).sum())
        assert component.objective**2 == pytest.approx(component.trace[-1])


def test_orientation():
    """Turned so that the largest score is positive, or left as the start had it."""
    K, _ = problem("wide", 40, 0)
    turned = list(solver(start="random", seed=3).components(held(K), 5))
    left = list(solver(start="random", seed=3, orient=False).components(held(K), 5))
    for one, two in zip(turned, left, strict=True):
        assert one.scores[np.abs(one.scores).argmax()] > 0
        assert_allclose(np.abs(one.scores), np.abs(two.scores), atol=1e-12)


def test_kernel_pca_l1_in_eigen_coordinates():
    """The same iteration on the rows of U sqrt(Lambda), from the same start, sign for sign."""
    K, start = problem("wide", 50, 5)
    values, vectors = np.linalg.eigh(K)
    kept = values > 1e-12 * values[-1]
    Y = vectors[:, kept] * np.sqrt(values[kept])
    c = start
    while not np.array_equal(following := signs(Y @ (Y.T @ c), c), c):
        c = following
    assert_array_equal(SignFixedPoint().find(held(K), start).coef, c)


@pytest.mark.parametrize("finder", FINDERS)
@pytest.mark.parametrize("start", sorted(STARTS))
def test_an_indefinite_matrix_gives_no_more_components_than_it_can(finder, start):
    """No NaN; A K A^T = I; so at most as many as there are positive eigenvalues."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        B = rng.normal(size=(20, 20))
        K = (B + B.T) / 2
        if seed % 2:
            np.fill_diagonal(K, 0)
        components = list(solver(finder, start).components(held(K), 20))
        assert len(components) <= (np.linalg.eigvalsh(K) > 0).sum()
        if components:
            A, C = stacked(components)
            assert np.isfinite(A).all()
            size = np.abs(A).sum(axis=1).max() ** 2
            assert_allclose(A @ K @ A.T, np.eye(len(A)), atol=1e-10 * (1 + size))
            assert_allclose(C, A @ K, atol=1e-10 * (1 + size))


def test_a_negative_matrix_has_no_components():
    assert list(solver().components(held(-np.eye(5)), 5)) == []


@pytest.mark.parametrize("count", [3, 20])
def test_threads_do_not_change_the_result(count):
    K, _ = problem("wide", 700, 0)
    found = [
        stacked(
            Deflation(FINDERS["polished"], STARTS["column"]).components(
                PrecomputedGram(K, Workers(threads)), count
            )
        )
        for threads in (1, 2, 4)
    ]
    for other in found[1:]:
        assert_array_equal(found[0][0], other[0])
        assert_array_equal(found[0][1], other[1])
