"""Grams with many rows and any number of threads, and the centers of their rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from contracts.grams import (
    CASES,
    GRAMS,
    KERNELS,
    build_example,
    example,
    rows,
)
from l1kpca.gram.base import Gram
from l1kpca.gram.centers import mean_weights, spatial_median_weights
from l1kpca.gram.factor import linear_gram
from l1kpca.gram.wrappers import Centered
from l1kpca.threads import Workers, single_threaded_blas
from oracles import centered


@pytest.fixture(params=["float64", "float32"])
def dtype(request):
    return request.param


# Rows enough to cross the borders of tiles and pieces, and to be worth a hand-over to threads.
@pytest.mark.parametrize(
    ("gram_name", "kernel_name"),
    [
        ("dense", "rbf"),
        ("dense", "poly"),
        ("precomputed", "rbf"),
        ("blocked", "rbf"),
        ("factor", "linear"),
        ("sparse factor", "linear"),
        ("nystroem random", "rbf"),
        ("nystroem streamed", "linear"),
    ],
)
@pytest.mark.parametrize("wrapper", ["bare", "deflated mean"])
def test_many_rows_and_any_number_of_threads(gram_name, kernel_name, wrapper):
    n, at = 1100, np.arange(0, 1100, 3)
    V = np.random.default_rng(10).normal(size=(n, 4))
    answers = []
    for threads in (1, 2, 4):
        with single_threaded_blas():
            case = build_example(gram_name, kernel_name, wrapper, "float64", n, 300, threads)
            gram: Gram = case.gram
            found = [
                gram.apply(V),
                gram.apply(V[:, 0]),
                gram.apply(V[at], at=at),
                gram.apply(V[at, 0], at=at),
                gram.diagonal(),
                gram.columns(at),
                gram.column_l1(),
            ]
        answers.append(found)
    K, large = case.K, n * case.tolerance
    expected = [K @ V, K @ V[:, 0], K[:, at] @ V[at], K[:, at] @ V[at, 0]]
    expected += [K.diagonal(), K[:, at], np.abs(K).sum(axis=0)]
    for one, two, four, right in zip(*answers, expected, strict=True):
        assert_array_equal(one, two)
        assert_array_equal(one, four)
        assert_allclose(one, right, atol=large)


@pytest.mark.parametrize(
    "gram_name", ["dense", "blocked", "factor", "nystroem random", "nystroem streamed"]
)
def test_projection_does_not_depend_on_threads(gram_name):
    V = np.random.default_rng(12).normal(size=(1100, 3))
    X_new = rows(800, "float64", seed=13)
    scores = []
    for threads in (1, 2):
        with single_threaded_blas():
            held = GRAMS[gram_name]
            workers = Workers(threads)
            gram = held.build(rows(1100, "float64"), KERNELS["linear"], workers, 300)
            scores.append(gram.center(mean_weights(gram)).projection(V)(X_new).scores)
    assert_array_equal(*scores)


@pytest.mark.parametrize(
    ("gram_name", "kernel_name"), [c for c in CASES if c[1] in ("linear", "rbf")]
)
def test_spatial_median_has_no_pull(gram_name, kernel_name, dtype):
    """At the median, the unit vectors to the rows cancel: K_c w = 0 with w_i = 1 / d_i."""
    case = example(gram_name, kernel_name, "bare", dtype)
    weights = spatial_median_weights(case.gram)
    assert weights.dtype == dtype
    assert weights.sum() == pytest.approx(1, abs=1e-5)
    assert (weights > 0).all()
    K = centered(case.K, weights.astype(float))
    distances = np.sqrt(np.maximum(K.diagonal(), 0))
    pull = 1 / distances
    length = np.sqrt(max(pull @ K @ pull, 0)) / len(K)
    assert length < (1e-4 if dtype == "float64" else 5e-2)


def test_spatial_median_on_a_row_and_of_equal_rows():
    """The median may be a row, and rows may all be equal; neither divides by zero."""
    X = np.vstack([np.zeros((5, 2)), np.eye(2), -np.eye(2)])
    gram = GRAMS["factor"].build(X, KERNELS["linear"], Workers(), 7)
    assert_allclose(spatial_median_weights(gram) @ X, 0, atol=1e-6)
    equal = GRAMS["factor"].build(np.ones((4, 2)), KERNELS["linear"], Workers(), 7)
    assert_allclose(spatial_median_weights(equal), 0.25)


def with_an_outlier(X):
    """A row so far off that the mean is far from all others."""
    return linear_gram(np.where(np.arange(len(X))[:, np.newaxis] == 0, 1e9, X), Workers())


@pytest.mark.parametrize("offset", [0.0, 1e5])
def test_the_mean_is_taken_off_the_rows_only_where_it_is_large(offset):
    """A small one is taken off the products, without a copy of the rows; digits are kept."""
    X = np.random.default_rng(8).normal(size=(50, 3))
    gram = linear_gram(X + offset, Workers()).center(np.full(50, 1 / 50))
    assert isinstance(gram, Centered) == (offset == 0)
    assert not isinstance(with_an_outlier(X).center(np.full(50, 1 / 50)), Centered)
    expected = (X - X.mean(axis=0)) @ (X - X.mean(axis=0)).T
    assert_allclose(gram.columns(np.arange(50)), expected, atol=1e-15 * max(offset, 10) * 10)
