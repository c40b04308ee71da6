"""Kernel functions, their blocks, and the rules for gamma."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist, pdist
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels, rbf_kernel

from contracts.grams import KERNELS, tanh_of_distance
from l1kpca.gamma_rules import resolve_gamma
from l1kpca.kernels import (
    KERNEL_NAMES,
    GaussianBlocks,
    Kernel,
    kernel_blocks,
    make_kernel,
    name_of,
)

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
    assert_allclose(blocks.diagonal(), K.diagonal(), **_close(dtype))
    assert blocks.diagonal().dtype == dtype


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
        assert_allclose(blocks.diagonal(), K.diagonal(), **_close(dtype))


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
    blocks = GaussianBlocks(X, Kernel("rbf", {"gamma": gamma}))
    for block in (blocks.between(slice(None), slice(None)), blocks.with_new(X)):
        assert np.isfinite(block).all()
        assert block.min() >= 0
        assert block.max() <= 1 + 1e-9


@pytest.mark.parametrize(
    ("kernel", "positive"),
    [
        (Kernel("linear"), True),
        (Kernel("rbf", {"gamma": 1.0}), True),
        (Kernel("laplacian"), True),
        (Kernel("cosine"), True),
        (Kernel("chi2"), True),
        (Kernel("poly", {"degree": 3, "coef0": 0}), True),
        (Kernel("polynomial", {"degree": 2.0, "coef0": 1}), True),
        (Kernel("poly", {"degree": 2.5, "coef0": 1}), False),
        (Kernel("poly", {"degree": 2, "coef0": -1}), False),
        (Kernel("sigmoid"), False),
        (Kernel("additive_chi2"), False),
        (Kernel(tanh_of_distance), False),
    ],
)
def test_which_kernels_are_known_to_be_positive(kernel, positive):
    assert kernel.is_positive is positive
    if positive:
        X = np.random.default_rng(3).uniform(0, 2, (15, 3))
        K = kernel(X, X)
        assert np.linalg.eigvalsh(K)[0] >= -1e-10 * np.abs(K).max()


def test_names():
    assert set(KERNEL_NAMES) == set(PAIRWISE_KERNEL_FUNCTIONS)
    assert name_of("rbf") == "'rbf'"
    assert name_of(tanh_of_distance) == "tanh_of_distance"
    assert name_of(Kernel("linear")) == "callable"


def test_a_kernel_gets_the_parameters_that_it_takes():
    given_all = {"gamma": 2.0, "degree": 4, "coef0": 7.0}
    assert make_kernel("rbf", given_all, None).params == {"gamma": 2.0}
    assert make_kernel("poly", given_all, {"width": 1}).params == given_all
    assert make_kernel("sigmoid", given_all, None).params == {"gamma": 2.0, "coef0": 7.0}
    assert make_kernel("linear", given_all, None).params == {}
    extra = {"width": 3.0}
    kernel = make_kernel(tanh_of_distance, given_all, extra)
    assert kernel.params == extra
    assert kernel.params is not extra


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_callable_must_be_finite(bad):
    def broken(x, y):
        return bad

    with pytest.raises(ValueError, match="kernel=broken returned NaN or infinity") as caught:
        Kernel(broken)(np.ones((2, 1)), np.ones((2, 1)))
    assert str(caught.value) == (
        "kernel=broken returned NaN or infinity; a kernel must return a finite number for every"
        " pair of rows: check the function and the scale of X"
    )


def test_a_fractional_power_of_a_negative_number_is_named():
    """x.y may be negative, and then (gamma x.y + coef0)^2.5 is not a number."""
    X = np.array([[1.0], [-9.0]])
    with pytest.raises(ValueError, match="kernel='poly' returned NaN or infinity"):
        Kernel("poly", {"gamma": 1.0, "degree": 2.5, "coef0": 1.0})(X, X)


# Rules for gamma.


@pytest.fixture
def rows():
    return np.random.default_rng(4).normal(size=(60, 5)) * 3 + 1


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_gamma_rules(rows, container):
    X = container(rows)
    assert resolve_gamma(None, X) == 1 / 5
    assert resolve_gamma("paper", X) == 1 / (2 * 5**2)
    assert resolve_gamma("scale", X) == pytest.approx(1 / (5 * rows.var()))
    assert resolve_gamma("median", X) == pytest.approx(1 / (2 * np.median(pdist(rows)) ** 2))
    assert resolve_gamma(0.3, X) == 0.3


@pytest.mark.parametrize("rule", [None, "paper", "scale", "median", 0.3, np.float32(0.3)])
@pytest.mark.parametrize("dtype_name", ["float64", "float32"])
def test_gamma_is_a_plain_number(rows, rule, dtype_name):
    """A NumPy scalar would turn single into double precision."""
    assert type(resolve_gamma(rule, rows.astype(dtype_name))) is float


@pytest.mark.parametrize("rule", ["scale", "median"])
def test_gamma_does_not_change_when_rows_are_shifted(rows, rule):
    far = rows + 1e7
    assert resolve_gamma(rule, far) == pytest.approx(resolve_gamma(rule, rows), rel=1e-6)


@pytest.mark.parametrize("rule", ["scale", "median"])
@pytest.mark.parametrize("value", [0.0, 0.1, 1e8])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_gamma_of_equal_rows_is_one(rule, value, container):
    """No spread to measure: rounding errors must not be taken for it."""
    X = container(np.full((7, 3), value))
    assert resolve_gamma(rule, X) == 1.0


def test_median_gamma_looks_at_pairs_that_differ():
    X = np.repeat([[0.0], [2.0]], 30, axis=0)
    assert resolve_gamma("median", X) == pytest.approx(1 / (2 * 2.0**2))


def test_median_gamma_of_many_rows_uses_some_of_them():
    X = np.random.default_rng(5).normal(size=(5000, 2))
    exact = 1 / (2 * np.median(pdist(X[:2500])) ** 2)
    assert resolve_gamma("median", X) == pytest.approx(exact, rel=0.1)


def test_kernel_without_gamma_uses_the_default_of_scikit_learn():
    X = np.random.default_rng(6).normal(size=(5, 4))
    assert_allclose(Kernel("rbf")(X, X), rbf_kernel(X))
    assert_allclose(Kernel("poly")(X, X).diagonal(), Kernel("poly").diagonal(X))
    assert_array_equal(Kernel("sigmoid").diagonal(X), Kernel("sigmoid")(X, X).diagonal())
