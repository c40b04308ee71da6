"""Each compiled loop against its NumPy twin."""

import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from l1kpca import loops
from l1kpca.gram.followed_factor import differing_signs

PIECES = [(0, 13), (0, 0), (4, 9), (12, 13)]


@pytest.fixture(params=["float64", "float32"])
def dtype(request):
    return request.param


@pytest.fixture
def tolerance(dtype):
    return 1e-12 if dtype == "float64" else 1e-4


@pytest.fixture
def K(dtype):
    A = np.random.default_rng(0).normal(size=(13, 13))
    return (A + A.T).astype(dtype)


@pytest.fixture
def v(dtype):
    return np.random.default_rng(1).normal(size=13).astype(dtype)


@pytest.mark.parametrize(("start", "stop"), PIECES)
def test_symmetric_dot(K, v, tolerance, start, stop):
    """Rows of the upper triangle, mirrored; the lower triangle is never read."""
    upper = np.triu(K)
    part = np.zeros_like(K)
    part[start:stop] = upper[start:stop]
    part = part + part.T - np.diag(part.diagonal())
    out = np.ones_like(v)
    loops.symmetric_dot(np.triu(K) + np.tril(np.full_like(K, np.nan), -1), v, start, stop, out)
    assert_allclose(out, 1 + part @ v, atol=tolerance)
    assert out.dtype == K.dtype


def test_pieces_of_symmetric_dot_add_up(K, v, tolerance):
    out = np.zeros_like(v)
    for start, stop in [(0, 2), (2, 7), (7, 13)]:
        loops.symmetric_dot(K, v, start, stop, out)
    assert_allclose(out, K @ v, atol=tolerance)


@pytest.mark.parametrize(("start", "stop"), PIECES)
@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 11])
def test_add_weighted_rows(K, v, tolerance, start, stop, count):
    """Counts around the eight rows that are taken at a time; an index may come twice."""
    index = np.random.default_rng(2).integers(0, 13, count)
    out = np.ones_like(v)
    loops.add_weighted_rows(K, index, v[:count], start, stop, out)
    expected = np.ones(13)
    expected[start:stop] += v[:count] @ K[index, start:stop]
    assert_allclose(out, expected, atol=tolerance)
    assert out.dtype == K.dtype


@pytest.mark.parametrize("corner", [(0, 0), (3, 1)])
@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (4, 1), (6, 9)])
def test_absolute_sums(K, dtype, tolerance, shape, corner):
    minus = np.random.default_rng(3).normal(size=(7, 10)).astype(dtype)
    by_row, by_column = np.ones(shape[0], dtype), np.full(shape[1], 2, dtype)
    loops.absolute_sums(K, *corner, minus, by_row, by_column)
    tile = K[corner[0] :, corner[1] :][: shape[0], : shape[1]]
    difference = np.abs(tile - minus[: shape[0], : shape[1]])
    assert_allclose(by_row, 1 + difference.sum(axis=1), atol=tolerance)
    assert_allclose(by_column, 2 + difference.sum(axis=0), atol=tolerance)


@pytest.mark.parametrize(("start", "stop"), PIECES)
def test_take_off(K, v, tolerance, start, stop):
    """Only the triangle is looked at, and only its rows of this piece are changed."""
    K = K + K.T
    triangle, sums = np.triu(K) + np.tril(np.full_like(K, np.nan), -1), np.ones_like(v)
    loops.take_off(triangle, v, start, stop, sums)
    here = np.triu(np.ones_like(K))
    here[:start] = here[stop:] = 0
    less = K - here * np.outer(v, v)
    assert_allclose(np.triu(triangle), np.triu(less), atol=tolerance)
    size = here * np.abs(less)
    expected = 1 + size.sum(axis=0) + size.sum(axis=1) - size.diagonal()
    assert_allclose(sums, expected, atol=10 * tolerance)


@pytest.mark.parametrize("most", [0.25, 1.0])
@pytest.mark.parametrize("error", [0, 0.25, np.inf])
@pytest.mark.parametrize(("start", "stop"), PIECES)
def test_differing_signs(K, v, dtype, tolerance, start, stop, error, most):
    """Signs that are no longer sure are computed anew, or all if these are many.

    A rounded entry is used, without its possible error, where that leaves the sign sure.
    """
    c = np.where(np.arange(13) % 3 == 0, -1, 1).astype(dtype)
    lengths, before = np.full(13, 2.0), np.linspace(-9, 9, 13)
    sure = np.abs(before)
    size, span = float(np.linalg.norm(v)), (start, stop, most)
    unit = (v / size).astype(np.float32)
    thin = np.rint(40 * K).astype(np.int16)
    rounded = thin, np.full(13, 1 / 40), np.full(13, float(error))
    state = K, rounded, (v, unit), (4.0, size, 0.5), (1 / lengths, sure), c, span
    found, change = differing_signs(*state)
    here = (np.arange(13) >= start) & (np.arange(13) < stop)
    stale = here & (np.abs(before) <= 4)
    if stale.sum() > most * (stop - start):
        stale = here
    few, entry, unsure = size / 40 * (thin @ unit) - 0.5, K @ v - 0.5, np.zeros(13)
    enough = np.abs(few) > error * size
    entry[enough], unsure[enough] = few[enough], error * size
    differs = stale & (entry * c < 0)
    until = np.where(differs, 0, 4 + (np.abs(entry) - unsure) / lengths)
    assert_allclose(sure, np.where(stale, until, np.abs(before)), atol=max(tolerance, 1e-4))
    assert_array_equal(np.sort(found), np.flatnonzero(differs))
    assert_allclose(change, -2 * c[found] @ K[found], atol=tolerance)


def test_differing_signs_keeps_the_sign_of_a_zero():
    F, signs = np.zeros((2, 3)), np.array([-1.0, 1.0])
    rounded = np.zeros((2, 3), np.int16), np.zeros(2), np.full(2, np.inf)
    seen, b = (np.ones(2), np.zeros(2)), np.ones(3)
    state = F, rounded, (b, b.astype(np.float32)), (0.0, 1.0, 0.0), seen, signs, (0, 2, 1.0)
    assert not len(differing_signs(*state)[0])
    assert_array_equal(seen[1], 0)


@pytest.mark.parametrize("n", [1, 2, 40, 300])
def test_both_products(n, dtype, tolerance):
    K = np.random.default_rng(4).normal(size=(n, n)).astype(dtype)
    v = np.random.default_rng(5).choice(np.array([-1, 1], dtype=dtype), n)
    sums, right, left = np.zeros((3, n), dtype=dtype)
    cut = n // 3
    size = sum(loops.both_products(K, v, *rows, sums, right, left) for rows in ((0, cut), (cut, n)))
    assert_allclose(sums, K.sum(axis=1), atol=n * tolerance)
    assert_allclose(right, K @ v, atol=n * tolerance)
    assert_allclose(left, K.T @ v, atol=n * tolerance)
    assert_allclose(size, np.sum(K**2), rtol=1e-5)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [(0, 0), (7, 3), (12, 12)])
def test_both_products_of_what_is_not_finite(K, bad, place):
    K[place] = bad
    sums, right, left = np.zeros((3, 13))
    assert not np.isfinite(loops.both_products(K, np.ones(13), 0, 13, sums, right, left))


def test_inputs_are_not_written_to(K, v):
    kept = K.copy(), v.copy()
    loops.symmetric_dot(K, v, 0, 13, np.zeros_like(v))
    loops.add_weighted_rows(K, np.arange(13), v, 0, 13, np.zeros_like(v))
    loops.absolute_sums(K, 0, 0, K[::-1].copy(), np.zeros_like(v), np.zeros_like(v))
    loops.both_products(K, v, 0, 13, *np.zeros((3, 13), dtype=K.dtype))
    assert_array_equal(K, kept[0])
    assert_array_equal(v, kept[1])


@pytest.mark.parametrize("name", ["numba", "sklearn.cluster", "sklearn.datasets"])
def test_importing_the_package_does_not_load_what_few_need(name):
    command = f"import sys, l1kpca; sys.exit({name!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", command], check=False).returncode == 0


def test_exponentials():
    draw = np.random.default_rng(0)
    spread = -draw.uniform(0, 708, 5000)
    x = np.concatenate(
        [spread, -draw.exponential(size=777), 1e-9 * draw.normal(size=20), [0, -0.0]]
    )
    out = x.copy()
    loops.exponentials(out)
    exact = np.exp(x)
    assert (np.abs(out - exact) <= 2 * np.spacing(exact)).all()


def test_exponentials_of_what_vanishes_and_of_what_is_no_number():
    x = np.array([-1.0, -708.5, -744.0, -746.0, -1e300, -np.inf, np.nan, -1.0])
    out = x.copy()
    loops.exponentials(out)
    np.testing.assert_array_equal(out[1:7], np.exp(x[1:7]))
    # A number next to them is what it is elsewhere.
    alone = x[:1].copy()
    loops.exponentials(alone)
    np.testing.assert_array_equal(out[[0, 7]], np.repeat(alone, 2))
