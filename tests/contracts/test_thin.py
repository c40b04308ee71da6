"""Grams with rows of few columns: the signs of K c are followed without a pass over K."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from contracts.grams import WRAPPED_CASES, example
from doubles import CountingGram
from l1kpca import L1KernelPCA
from l1kpca.directions.fixed_point import SignFixedPoint
from l1kpca.directions.momentum import MomentumSigns
from l1kpca.gram.factor import linear_gram
from l1kpca.gram.wrappers import Deflating
from l1kpca.threads import Workers

THIN = ("factor", "nystroem random", "nystroem kmeans++")
FINDERS = (SignFixedPoint(), MomentumSigns())


def rows(n=300, d=5, seed=0, dtype="float64"):
    X = np.random.default_rng(seed).normal(size=(n, d)) / np.sqrt(np.arange(1, d + 1)) + 0.2
    return X.astype(dtype)


def left_by_components(X, count, center=True, n_threads=1):
    """The centered Gram of the rows, some components taken out of it."""
    workers = Workers(n_threads)
    gram = linear_gram(X, workers)
    gram = gram.center(np.full(len(X), 1 / len(X), X.dtype)) if center else gram
    pca = L1KernelPCA(count or 1, center=center, start="column").fit(X)
    A = pca.dual_components_.T[:count].astype(X.dtype)
    return Deflating(gram).without(gram.apply(A.T).T, A)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", WRAPPED_CASES, ids="-".join)
def test_rows_of_few_columns_stand_for_the_matrix(name, dtype):
    case = example(*name, dtype)
    thin = case.gram.thin()
    if name[0] not in THIN:
        assert thin is None
        return
    if thin is None:
        assert name[2].startswith("deflated")
        return
    n, tolerance = len(case.K), 10 * case.tolerance
    c = np.where(np.random.default_rng(0).normal(size=n) < 0, -1, 1).astype(dtype)
    b = thin.summed(c)
    assert b.dtype == thin.image(b).dtype == dtype
    assert_allclose(b @ b, c @ case.K @ c, atol=n * n * tolerance)
    assert_allclose(thin.image(b), case.K @ c, atol=n * tolerance)
    few = np.array([3, 1, 7])
    of_few = thin.image(thin.summed(c[few], at=few))
    assert_allclose(of_few, case.K[:, few] @ c[few], atol=tolerance)
    assert (thin.lengths(case.gram.diagonal()) ** 2 >= case.K.diagonal() - tolerance).all()


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("count", [0, 1, 3])
def test_what_deflation_leaves_of_the_rows(count, center):
    gram = left_by_components(rows(), count, center)
    c = np.where(np.cos(np.arange(300)) < 0, -1.0, 1.0)
    b = gram.thin().summed(c)
    assert_allclose(gram.thin().image(b), gram.apply(c), atol=1e-9)
    assert b @ b == pytest.approx(c @ gram.apply(c))


@given(
    seed=st.integers(0, 1000),
    steps=st.lists(st.floats(-8, 1), min_size=1, max_size=12),
    dtype=st.sampled_from(["float64", "float32"]),
)
def test_signs_are_followed_wherever_the_vector_goes(seed, steps, dtype):
    """By steps of any size, some back and forth; entries near zero are as they come out."""
    rng = np.random.default_rng(seed)
    X = rows(200, 4, seed, dtype)
    X[rng.integers(200, size=3)] = 0
    gram = linear_gram(X, Workers())
    thin = gram.thin()
    followed = thin.follow(thin.lengths(gram.diagonal()))
    b = rng.normal(size=4).astype(dtype)
    c = np.where(rng.normal(size=200) < 0, -1, 1).astype(dtype)
    for step in steps:
        b = b + (10.0**step * rng.normal(size=4)).astype(dtype)
        found = np.isin(np.arange(200), followed.differing(b, c))
        image = X.astype(float) @ b.astype(float)
        sure = np.abs(image) > 1e-5 * np.abs(b).max()
        assert_array_equal(found[sure], (image * c < 0)[sure])
        assert not found[np.all(X == 0, axis=1)].any()
        c[rng.integers(200, size=20)] *= -1


@pytest.mark.parametrize("finder", FINDERS, ids=repr)
@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_search_takes_the_same_steps(finder, count):
    gram = left_by_components(rows(900, 6), count)
    starts = np.random.default_rng(1).choice([-1.0, 1.0], (900, 4))
    followed = finder.find_each(gram, starts)
    whole = finder.find_each(CountingGram(gram), starts)
    for one, other in zip(followed, whole, strict=True):
        assert_array_equal(one.coef, other.coef)
        assert_allclose(one.trace, other.trace, rtol=1e-12)
        assert one.status == other.status
        assert_allclose(one.image, other.image, atol=1e-10 * np.abs(other.image).max())


@pytest.mark.parametrize("finder", FINDERS, ids=repr)
def test_a_search_in_single_precision_ends_at_a_fixed_point(finder):
    gram = left_by_components(rows(900, 6, dtype="float32"), 2)
    start = np.random.default_rng(1).choice(np.array([-1, 1], "float32"), 900)
    found = finder.find(gram, start)
    assert found.coef.dtype == found.image.dtype == "float32"
    size = np.abs(found.image).max()
    assert_allclose(found.image, gram.apply(found.coef), atol=1e-4 * size)
    assert (found.image * found.coef >= -1e-4 * size).all()
    assert found.trace[-1] == pytest.approx(found.value, rel=1e-4)


def test_rows_whose_squares_vanish_have_signs_too():
    X = np.random.default_rng(4).normal(size=(50, 3))
    X[::5] *= 1e-200
    gram = linear_gram(X, Workers())
    start = np.where(np.arange(50) % 2, -1.0, 1.0)
    found = SignFixedPoint().find(gram, start).coef
    assert_array_equal(found, SignFixedPoint().find(CountingGram(gram), start).coef)
    assert (found != start).sum() > 10


def test_threads_change_no_bit():
    X = np.random.default_rng(2).normal(size=(40_000, 7))
    start = np.where(X[:, 0] < 0.3, -1.0, 1.0)
    found = [SignFixedPoint().find(left_by_components(X, 1, n_threads=k), start) for k in (1, 2, 3)]
    for other in found[1:]:
        assert_array_equal(other.image, found[0].image)
        assert other.trace == found[0].trace


def test_most_rows_are_left_alone():
    """A search on many rows computes far fewer entries than its steps have."""
    X = np.random.default_rng(3).normal(size=(20_000, 10))
    X.flags.writeable = False
    gram = linear_gram(X, Workers())
    thin = gram.thin()
    followed = thin.follow(thin.lengths(gram.diagonal()))
    b, c = np.ones(10), np.where(X.sum(axis=1) < 0, -1.0, 1.0)
    followed.differing(b, c)
    before = followed.entries.copy()
    moved = b + 1e-3
    followed.differing(moved, c)
    computed = followed.entries != before
    assert 0 < computed.mean() < 0.01
    assert_allclose(followed.entries[computed], (X @ moved)[computed])
