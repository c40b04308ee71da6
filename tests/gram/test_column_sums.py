"""Sums of the columns of K - L^T R, for factors that grow."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from contracts.grams import symmetric_factors
from l1kpca.gram.column_sums import ColumnSums
from l1kpca.threads import Workers, computing

N = 60


@pytest.fixture
def K():
    X = np.random.default_rng(0).normal(size=(N, N))
    return X @ X.T / N


def sums_of(K, left, right):
    return np.abs(K - left.T @ right).sum(axis=0)


@pytest.mark.parametrize("first", [1, 16, 40])
@pytest.mark.parametrize("by", [1, 7])
def test_factors_that_grow(K, first, by):
    """What is there at first may be any symmetric L^T R; what is new, scores."""
    left, right = symmetric_factors(first, N)
    kept = ColumnSums(K, left, right, Workers())
    assert_allclose(kept.sums, sums_of(K, left, right), atol=1e-11)
    for k in range(5):
        more = np.random.default_rng(k).normal(size=(by, N)) / N
        left, right = np.vstack([left, more]), np.vstack([right, more])
        assert kept.go_on(left, right)
        assert_allclose(kept.sums, sums_of(K, left, right), atol=1e-11)
    assert kept.go_on(left, right)  # nothing new


@pytest.mark.parametrize("change", ["another row", "fewer rows", "not a score"])
def test_other_factors_are_noticed(K, change):
    left, right = symmetric_factors(16, N)
    kept = ColumnSums(K, left, right, Workers())
    before = kept.sums.copy()
    more = np.ones((1, N))
    others = {
        "another row": (left + 1e-9, right),
        "fewer rows": (left[:-1], right[:-1]),
        "not a score": (np.vstack([left, more]), np.vstack([right, -more])),
    }
    assert not kept.go_on(*others[change])
    assert_array_equal(kept.sums, before)


def test_the_matrix_is_not_written_to_and_factors_are_copied(K):
    before, (left, right) = K.copy(), symmetric_factors(16, N)
    kept = ColumnSums(K, left, right, Workers())
    left[0] += 1
    assert not kept.go_on(left, right)
    assert_array_equal(K, before)


def test_threads_change_no_bit():
    X = np.random.default_rng(0).normal(size=(700, 20))
    C = np.random.default_rng(1).normal(size=(18, 700)) / 700
    found = []
    for threads in (1, 2, 5):
        with computing():
            kept = ColumnSums(X @ X.T, C[:16], C[:16], Workers(threads))
            kept.go_on(C, C)
            found.append(kept.sums)
    assert_array_equal(found[0], found[1])
    assert_array_equal(found[0], found[2])
