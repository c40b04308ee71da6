"""Blocks of a kernel matrix: scikit-learn's numbers, and digits where it loses them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import pairwise_kernels

from contracts.grams import KERNELS
from l1kpca import tuning
from l1kpca.kernels import Kernel, kernel_blocks

SPARSE_TOO = ("linear", "rbf", "poly", "polynomial", "laplacian", "cosine", "sigmoid")


@pytest.fixture(params=["float64", "float32"])
def dtype(request):
    return request.param


@pytest.fixture
def X(dtype):
    X = np.random.default_rng(0).uniform(0, 2, size=(31, 4))
    X[3], X[9] = 0, X[5]
    return X.astype(dtype)


def _close(dtype):
    return {"rtol": 1e-11, "atol": 1e-12} if dtype == "float64" else {"rtol": 1e-4, "atol": 1e-5}


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """Rows are looked at some at a time, also where there are few."""
    monkeypatch.setattr(tuning, "ROW_SPAN", 7)


@pytest.mark.parametrize("name", KERNELS)
def test_blocks_are_blocks_of_the_kernel_matrix(name, X, dtype):
    kernel = KERNELS[name]
    blocks = kernel_blocks(X, kernel)
    K = pairwise_kernels(X.astype(float), metric=kernel.function, **kernel.params)
    rows, some = slice(4, 17), np.array([30, 2, 2, 11])
    for one, other in ((rows, some), (some, rows), (rows, rows), (some, some)):
        block = blocks.between(one, other)
        assert block.dtype == dtype
        assert_allclose(block, K[one][:, other], **_close(dtype))


@pytest.mark.parametrize("name", KERNELS)
def test_blocks_with_new_rows(name, X, dtype):
    kernel = KERNELS[name]
    X_new = np.random.default_rng(1).uniform(0, 3, size=(6, 4)).astype(dtype)
    K = pairwise_kernels(X_new.astype(float), X.astype(float), kernel.function, **kernel.params)
    blocks = kernel_blocks(X, kernel)
    assert blocks.with_new(X_new).dtype == dtype
    assert_allclose(blocks.with_new(X_new), K, **_close(dtype))
    assert_allclose(blocks.with_new(X_new, slice(3, 9)), K[:, 3:9], **_close(dtype))
    own = pairwise_kernels(X_new.astype(float), metric=kernel.function, **kernel.params)
    assert_allclose(kernel.diagonal(X_new), own.diagonal(), **_close(dtype))


@pytest.mark.parametrize("name", SPARSE_TOO)
def test_sparse_rows(name, X, dtype):
    kernel = KERNELS[name]
    K = pairwise_kernels(X.astype(float), metric=kernel.function, **kernel.params)
    for kind in (sparse.csr_matrix, sparse.csr_array):
        blocks = kernel_blocks(kind(X), kernel)
        part = blocks.between(slice(2, 9), np.array([1, 30]))
        assert_allclose(part, K[2:9, [1, 30]], **_close(dtype))
        assert_allclose(kernel.diagonal(kind(X)), K.diagonal(), **_close(dtype))


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6])
def test_gaussian_keeps_its_digits_far_from_the_origin(offset):
    """The distance of two rows does not change when all are shifted."""
    X = np.random.default_rng(2).normal(size=(20, 3))
    shifted = (X + offset) - offset  # what the sum can still hold of X
    expected = np.exp(-0.5 * cdist(shifted, shifted, "sqeuclidean"))
    blocks = kernel_blocks(X + offset, Kernel("rbf", {"gamma": 0.5}))
    everything = slice(None)
    assert_allclose(blocks.between(everything, everything), expected, atol=1e-12 + 1e-15 * offset)
    assert_allclose(blocks.with_new(X + offset), expected, atol=1e-12 + 1e-15 * offset)


def gaussian_by_differences(X, Y, gamma):
    """The Gaussian kernel from the difference of each pair of rows, in extended precision."""
    differences = X.astype(np.longdouble)[:, np.newaxis] - Y.astype(np.longdouble)
    return np.exp(-np.longdouble(gamma) * (differences**2).sum(axis=2)).astype(float)


@pytest.mark.parametrize("distance", [1e2, 1e4, 1e7, 1e10])
def test_gaussian_keeps_its_digits_beside_far_rows(distance, dtype):
    """Outliers, alone and in a cluster, cost neither the other rows nor each other any digits."""
    rng = np.random.default_rng(4)
    X = np.vstack([rng.normal(size=(12, 3)), rng.normal(size=(4, 3)) + distance, [[-distance] * 3]])
    X = np.vstack([X, X[-3:], X[:2]]).astype(dtype)
    blocks, everything = kernel_blocks(X, Kernel("rbf", {"gamma": 0.5})), slice(None)
    expected = gaussian_by_differences(X, X, 0.5)
    close = {"atol": 1e-10} if dtype == "float64" else {"atol": 2e-4}
    assert_allclose(blocks.between(everything, everything), expected, **close)
    assert_allclose(blocks.with_new(X), expected, **close)
    alone = np.vstack([blocks.with_new(row[np.newaxis]) for row in X])
    assert_allclose(alone, expected, **close)
    equal = expected == 1
    assert_allclose(blocks.between(everything, everything)[equal], 1, **close)


def test_gaussian_keeps_its_digits_between_far_clusters():
    """Where no shift is close to all rows."""
    X = np.random.default_rng(5).normal(size=(20, 2)) + np.repeat([[-1e8], [1e8]], 10, axis=0)
    K = kernel_blocks(X, Kernel("rbf", {"gamma": 0.5})).between(slice(3, 17), slice(0, 20))
    assert_allclose(K, gaussian_by_differences(X[3:17], X, 0.5), atol=1e-12)


@given(
    scale=st.sampled_from([1e-150, 1e-8, 1.0, 1e4, 1e100]),
    gamma=st.sampled_from([0.0, 1e-6, 1.0, 1e3]),
    seed=st.integers(0, 100),
    dtype=st.sampled_from(["float64", "float32"]),
)
def test_gaussian_is_between_zero_and_one(scale, gamma, seed, dtype):
    scale = min(scale, 1e15) if dtype == "float32" else scale
    X = (np.random.default_rng(seed).normal(size=(9, 3)) * scale).astype(dtype)
    blocks = kernel_blocks(X, Kernel("rbf", {"gamma": gamma}))
    for block in (blocks.between(slice(None), slice(None)), blocks.with_new(X)):
        assert np.isfinite(block).all()
        assert block.min() >= 0
        assert block.max() <= 1 + 1e-9


def test_gaussian_of_new_rows_at_any_distance(X, dtype):
    """Also where the squares of distances are too large for a number."""
    largest = float(np.finfo(dtype).max)
    sizes = [*10.0 ** np.arange(0, np.log10(largest), 7), largest / 8]
    far = np.outer(sizes, [1, -1, 1, -1]).astype(dtype)
    found = kernel_blocks(X, Kernel("rbf", {"gamma": 0.3})).with_new(far)
    near = np.abs(far).max(axis=1) < 1e3
    assert_allclose(found[near], np.exp(-0.3 * cdist(far[near], X) ** 2), **_close(dtype))
    assert (found[~near] == 0).all()
