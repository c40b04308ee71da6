"""Each compiled search against its plain twin."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from l1kpca.directions import loops
from oracles import fixed_point


def less_two_terms(K, seed=6):
    """A matrix and factors that give K."""
    u, v = np.random.default_rng(seed).normal(size=(2, len(K)))
    left, right = (np.stack(pair).astype(K.dtype) for pair in ((u, v), (v, u)))
    return (K + left.T @ right).astype(K.dtype), (left, right)


@pytest.mark.parametrize("n", [1, 2, 9, 40])
def test_nth_largest(n):
    """Of values that repeat, too; nothing is written to."""
    rng = np.random.default_rng(n)
    for values in (rng.normal(size=n), rng.integers(3, size=n).astype(float)):
        kept = values.copy()
        found = [loops.nth_largest(values, k) for k in range(1, n + 1)]
        assert_array_equal(found, np.sort(values)[::-1])
        assert_array_equal(values, kept)


def test_add_columns():
    A = np.random.default_rng(0).normal(size=(13, 13))
    K, minus = less_two_terms(A @ A.T)
    at, values, out = np.array([3, 0, 12]), np.array([1.0, -2.0, 0.5]), np.ones(13)
    loops.add_columns(K, minus, at, values, out)
    assert_allclose(out, 1 + (A @ A.T)[:, at] @ values)


def flips_one_by_one(block, c, noise, most):
    """The best flip again and again, by evaluating every one of them."""
    c, gains = c.copy(), []
    while len(gains) < most:
        gain = block.diagonal() - c * (block @ c)
        best = gain.argmax()
        if gain[best] <= noise:
            break
        gains.append(gain[best])
        c[best] = -c[best]
    return c, gains


@pytest.mark.parametrize("n", [1, 2, 13, 40])
@pytest.mark.parametrize("most", [0, 1, 4, 100])
@pytest.mark.parametrize("noise", [0.0, 3.0])
@pytest.mark.parametrize("split", [less_two_terms, lambda K: (K, (K[:0], K[:0]))])
def test_flip_within(n, most, noise, split):
    A = np.random.default_rng(n).normal(size=(n, n))
    block, c = A @ A.T, np.random.default_rng(7).choice([-1.0, 1.0], n)
    expected, expected_gains = flips_one_by_one(block, c, noise, most)
    gain, gains = block.diagonal() - c * (block @ c), np.full(most, np.nan)
    K, minus = split(block)
    count = loops.flip_within(K, np.arange(n), minus, c, gain, noise, gains)
    assert_array_equal(c, expected)
    assert_allclose(gains[:count], expected_gains)
    assert np.isnan(gains[count:]).all()
    assert_allclose(gain, block.diagonal() - c * (block @ c), atol=1e-9)


@pytest.mark.parametrize("n", [1, 2, 13, 40])
@pytest.mark.parametrize("near", [1, 5, 1000])
@pytest.mark.parametrize("most", [0, 1, 1000])
@pytest.mark.parametrize("split", [less_two_terms, lambda K: (K, (K[:0], K[:0]))])
def test_best_flips(n, near, most, split):
    """To a point where no flip gains, by gains that add up; the best first if all are looked at."""
    A = np.random.default_rng(n).normal(size=(n, n))
    block, start = A @ A.T, np.random.default_rng(7).choice([-1.0, 1.0], n)
    c, Kc, gains = start.copy(), block @ start, np.full(most, np.nan)
    count = loops.best_flips(
        *split(block), c, Kc, block.diagonal().copy(), (near, 1e-9, 0.0), gains
    )
    assert_allclose(Kc, block @ c, atol=1e-9)
    assert_allclose(4 * gains[:count].sum(), c @ block @ c - start @ block @ start, atol=1e-8)
    assert np.isnan(gains[count:]).all()
    if most == 1000:
        assert (block.diagonal() - c * Kc <= 1e-9).all()
    if near >= n:
        assert_array_equal(c, flips_one_by_one(block, start, 1e-9, most)[0])


@pytest.mark.parametrize("momentum", [False, True])
@pytest.mark.parametrize("tol", [0.0, 0.05])
@pytest.mark.parametrize("max_iter", [0, 1, 2, 1000])
@pytest.mark.parametrize("split", [less_two_terms, lambda K: (K, (K[:0], K[:0]))])
@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-12), ("float32", 1e-4)])
def test_sign_steps(max_iter, tol, momentum, split, dtype, tolerance):
    A = np.random.default_rng(8).normal(size=(80, 3))
    K, c = (A @ A.T).astype(dtype), np.random.default_rng(9).choice([-1.0, 1.0], 80).astype(dtype)
    expected = fixed_point(A @ A.T, c.astype(float), max_iter, tol, momentum)
    Kc, trace = K @ c, np.empty(max_iter + 1)
    trace[0] = c @ Kc
    count, moved, ended = loops.sign_steps(*split(K), c, Kc, (max_iter, tol, momentum), trace)
    assert_array_equal(c, expected[-1])
    assert count == len(expected) - 1
    assert ended == (max_iter == 1000)
    size = np.abs(trace[: count + 1]).max()
    values = [c @ A @ A.T @ c for c in expected]
    assert_allclose(trace[: count + 1], values, atol=10 * tolerance * size)
    assert_allclose(Kc, A @ A.T @ c, atol=10 * tolerance * np.abs(Kc).max())
    assert Kc.dtype == dtype
    if ended and tol == 0:
        assert moved <= tolerance * size


def test_the_matrix_is_not_written_to():
    A = np.random.default_rng(0).normal(size=(13, 13))
    K, v = A + A.T, np.random.default_rng(1).normal(size=13)
    kept = K.copy(), v.copy()
    minus, c = (v[np.newaxis], v[np.newaxis]), np.sign(v)
    loops.flip_within(K, np.arange(13), minus, c.copy(), v.copy(), 0.0, np.empty(5))
    limits = 4, 0.0, 0.0
    loops.best_flips(K, minus, c.copy(), v.copy(), K.diagonal().copy(), limits, np.empty(5))
    loops.sign_steps(K, minus, c.copy(), v.copy(), (3, 0.0, True), np.zeros(4))
    assert_array_equal(K, kept[0])
    assert_array_equal(v, kept[1])
