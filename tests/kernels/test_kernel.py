"""Kernel functions, their parameters, and the rules for gamma."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, rbf_kernel

from contracts.grams import KERNELS, tanh_of_distance
from l1kpca import L1KernelPCA
from l1kpca.kernels import KERNEL_NAMES, Kernel, name_of, resolve_gamma


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_diagonal_is_that_of_all_pairs(name, dtype):
    X = np.random.default_rng(0).uniform(0, 2, size=(13, 4)).astype(dtype)
    X[3] = 0
    expected = KERNELS[name](X, X).diagonal()
    assert_allclose(KERNELS[name].diagonal(X), expected, rtol=1e-5 if dtype == "float32" else 1e-12)


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
    X, given_all = np.eye(3), {"gamma": 2.0, "degree": 4, "coef0": 0.5}

    def params(kernel, extra=None):
        pca = L1KernelPCA(1, kernel=kernel, kernel_params=extra, **given_all)
        return pca.fit(X).projection_.kernel.params

    assert params("rbf") == {"gamma": 2.0}
    assert params("poly", {"width": 1}) == given_all
    assert params("sigmoid") == {"gamma": 2.0, "coef0": 0.5}
    assert params("linear") == {}
    extra = {"width": 3.0}
    assert params(tanh_of_distance, extra) == extra
    assert params(tanh_of_distance, extra) is not extra


@pytest.mark.parametrize("wrapped", [float, np.float32, np.atleast_1d, np.atleast_2d, np.array])
def test_a_callable_may_return_a_number_in_an_array(wrapped):
    X = np.random.default_rng(0).normal(size=(5, 3))
    assert_allclose(Kernel(lambda x, y: wrapped(x @ y))(X, X), X @ X.T, rtol=1e-6)


@pytest.mark.parametrize(
    ("value", "kind"),
    [(np.ones(2), r"shape \(2,\)"), (np.ones(0), r"shape \(0,\)"), ("one", "'one'"), (1j, "1j")],
)
def test_a_callable_must_return_one_real_number(value, kind):
    message = f"returned {kind} for two rows; return one real number for each pair"
    with pytest.raises(ValueError, match=message):
        Kernel(lambda x, y: value)(np.ones((2, 1)), np.ones((2, 1)))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_callable_must_be_finite(bad):
    def broken(x, y):
        return bad

    with pytest.raises(ValueError, match="kernel=broken returned NaN or infinity") as caught:
        Kernel(broken)(np.ones((2, 1)), np.ones((2, 1)))
    text = "kernel=broken returned NaN or infinity: check the function and the scale of X"
    assert str(caught.value) == text


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
    for rule, width in {"median": 1, "narrow": 1 / 3, "wide": 2}.items():
        sigma = width * np.median(pdist(rows))
        assert resolve_gamma(rule, X) == pytest.approx(1 / (2 * sigma**2))
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
