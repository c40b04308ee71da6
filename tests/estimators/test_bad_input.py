"""What is refused, and the words in which it is refused."""

import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from l1kpca import L1KernelPCA

X = np.random.default_rng(0).normal(size=(30, 4))
K = X @ X.T

GRAM_NAMES = "['auto', 'dense', 'factor', 'blocked', 'nystroem']"
KERNEL_NAMES = (
    "['additive_chi2', 'chi2', 'cosine', 'laplacian', 'linear', 'poly', 'polynomial', 'rbf',"
    " 'sigmoid', 'precomputed']"
)
A_COUNT = (
    "must be an integer of at least 1, a share of the variance between 0 and 1, or None for all"
)
LIMIT = "must be a positive number of bytes, a text like '2GB', or None"


def raises(error, text):
    """The whole text, not a part of it."""
    return pytest.raises(error, match=f"^{re.escape(text)}$")


@pytest.mark.parametrize(
    ("parameter", "value", "text"),
    [
        ("n_components", 0, f"n_components=0 {A_COUNT}"),
        ("n_components", -3, f"n_components=-3 {A_COUNT}"),
        ("n_components", 1.0, f"n_components=1.0 {A_COUNT}"),
        ("n_components", 0.0, f"n_components=0.0 {A_COUNT}"),
        ("n_components", np.nan, f"n_components=nan {A_COUNT}"),
        ("n_components", True, f"n_components=True {A_COUNT}"),
        ("n_components", "mle", f"n_components='mle' {A_COUNT}"),
        (
            "kernel",
            "gauss",
            f"kernel='gauss' must be one of {KERNEL_NAMES}, or a function of two rows",
        ),
        ("kernel", None, f"kernel=None must be one of {KERNEL_NAMES}, or a function of two rows"),
        (
            "gamma",
            "auto",
            "gamma='auto' must be a number, None or one of ['paper', 'median', 'scale']",
        ),
        ("gamma", -0.5, "gamma=-0.5 must be at least 0"),
        ("gamma", np.inf, "gamma=inf must be a finite number"),
        ("gamma", [1.0], "gamma=[1.0] must be a finite number"),
        ("degree", -1, "degree=-1 must be at least 0"),
        ("degree", "3", "degree='3' must be a finite number"),
        ("coef0", np.nan, "coef0=nan must be a finite number"),
        ("alpha", -1.0, "alpha=-1.0 must be at least 0"),
        ("alpha", None, "alpha=None must be a finite number"),
        ("max_iter", 0, "max_iter=0 must be an integer of at least 1"),
        ("max_iter", 10.0, "max_iter=10.0 must be an integer of at least 1"),
        ("n_starts", 0, "n_starts=0 must be an integer of at least 1"),
        ("n_starts", 1.5, "n_starts=1.5 must be an integer of at least 1"),
        ("center", "mean", "center='mean' must be True, False or 'median'"),
        ("center", 1, "center=1 must be True, False or 'median'"),
        ("center", None, "center=None must be True, False or 'median'"),
        ("gram", "sparse", f"gram='sparse' must be one of {GRAM_NAMES}, or a Gram builder object"),
        ("gram", None, f"gram=None must be one of {GRAM_NAMES}, or a Gram builder object"),
        ("n_jobs", 0, "n_jobs=0 must be None or an integer other than 0"),
        ("n_jobs", 2.0, "n_jobs=2.0 must be None or an integer other than 0"),
        ("dtype", "int64", "dtype='int64' must be None, 'float32' or 'float64'"),
        ("dtype", "float", "dtype='float' must be None, 'float32' or 'float64'"),
        ("dtype", "nonsense", "dtype='nonsense' must be None, 'float32' or 'float64'"),
        ("memory_limit", 0, f"memory_limit=0 {LIMIT}"),
        ("memory_limit", -5, f"memory_limit=-5 {LIMIT}"),
        ("memory_limit", np.nan, f"memory_limit=nan {LIMIT}"),
        ("memory_limit", "a lot", f"memory_limit='a lot' {LIMIT}"),
        ("memory_limit", "2GB of it", f"memory_limit='2GB of it' {LIMIT}"),
        ("memory_limit", True, f"memory_limit=True {LIMIT}"),
        ("p", 0.5, "p=0.5 must be at least 1"),
        ("p", "one", "p='one' must be a finite number"),
    ],
)
def test_parameters(parameter, value, text):
    if (parameter, value) == ("dtype", "float"):
        assert L1KernelPCA(dtype="float").fit(X).n_components_ == 4  # NumPy's name of float64
        return
    with raises(ValueError, text):
        L1KernelPCA(**{parameter: value}).fit(X)


@pytest.mark.parametrize("parameter", ["kernel", "gram", "solver", "center"])
def test_an_array_where_a_name_belongs(parameter):
    """A kernel matrix given as kernel= is an easy slip; NumPy's own message would not help."""
    with pytest.raises(ValueError, match=f"^{parameter}=array") as caught:
        L1KernelPCA(**{parameter: K}).fit(X)
    assert " must be " in str(caught.value)


@pytest.mark.parametrize("solver", ["fixed", None, 3])
def test_solver(solver):
    with pytest.raises(ValueError, match="solver=") as caught:
        L1KernelPCA(solver=solver).fit(X)
    assert str(caught.value).startswith(f"solver={solver!r} must be one of ['fixed_point', 'pol")
    assert str(caught.value).endswith(", or a finder object")


def test_start():
    names = "['auto', 'column', 'sampled', 'eigen', 'norm', 'random']"
    with raises(ValueError, f"start='best' must be one of {names}, or an array of signs"):
        L1KernelPCA(start="best").fit(X)
    text = "start, given as an array, must hold n_samples=30 signs, each -1 or 1; got shape "
    for wrong, shape in [
        (np.ones(29), "(29,)"),
        (np.ones((30, 1)), "(30, 1)"),
        (np.zeros(30), "(30,)"),
        (np.full(30, np.nan), "(30,)"),
        (None, "()"),
    ]:
        with raises(ValueError, text + shape):
            L1KernelPCA(start=wrong).fit(X)


def test_random_state():
    text = "must be None, an integer between 0 and 2**32 - 1, or a numpy.random.RandomState"
    for wrong in ("today", -1, 2**32, 1.5):
        with raises(ValueError, f"random_state={wrong!r} {text}"):
            L1KernelPCA(random_state=wrong).fit(X)


# Rows.


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_rows_must_be_finite(bad, container):
    rows = X.copy()
    rows[3, 2] = bad
    text = "Input X contains NaN" if np.isnan(bad) else "Input X contains infinity"
    with pytest.raises(ValueError, match=text):
        L1KernelPCA().fit(container(rows))
    with pytest.raises(ValueError, match=text):
        L1KernelPCA().fit(X).transform(container(rows))


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (X[0], "Expected 2D array, got 1D array instead"),
        (X[np.newaxis], "Found array with dim 3"),
        (X[:0], "Found array with 0 sample(s) (shape=(0, 4)) while a minimum of 1 is required"),
        (X[:, :0], "Found array with 0 feature(s) (shape=(30, 0)) while a minimum of 1 is"),
        (X + 1j, "Complex data not supported"),
        (np.array([["a", "b"], ["c", "d"]]), "could not convert string to float"),
        (None, "Expected 2D array, got scalar array instead"),
    ],
)
def test_rows_of_the_wrong_kind(rows, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        L1KernelPCA().fit(rows)


def test_rows_with_other_columns_than_at_fit():
    text = "X has 3 features, but L1KernelPCA is expecting 4 features as input"
    with pytest.raises(ValueError, match=text):
        L1KernelPCA().fit(X).transform(X[:, :3])


def test_not_fitted():
    for method in ("transform", "inverse_transform", "score"):
        with pytest.raises(NotFittedError, match="This L1KernelPCA instance is not fitted yet"):
            getattr(L1KernelPCA(), method)(X)


@pytest.mark.parametrize(
    ("settings", "scale"),
    [
        ({}, 1e200),
        ({}, 1e154),
        ({"gram": "dense"}, 1e200),
        ({"kernel": "rbf"}, 1e200),
        ({"kernel": "rbf", "gram": "blocked"}, 1e200),
        ({"kernel": "poly"}, 1e120),
        ({"kernel": "poly", "degree": 200}, 1e3),
        ({"dtype": "float32"}, 1e20),
    ],
)
def test_rows_too_large_for_the_kernel(settings, scale):
    """Products overflow: said at once, not by a flood of warnings and a model without sense."""
    with pytest.raises(ValueError, match="overflow") as caught:
        L1KernelPCA(**settings).fit(X * scale)
    name = settings.get("kernel", "linear")
    dtype = settings.get("dtype", "float64")
    assert str(caught.value) == (
        f"X is too large for kernel='{name}' in {dtype}: sums of kernel values overflow; scale the"
        " columns, for example with sklearn.preprocessing.StandardScaler"
    )


def test_kernels_that_do_not_take_these_rows():
    with pytest.raises(ValueError, match="X contains negative values"):
        L1KernelPCA(kernel="chi2").fit(X)
    with pytest.raises(TypeError, match="Sparse data was passed, but dense data is required"):
        L1KernelPCA(kernel="chi2").fit(sparse.csr_array(np.abs(X)))


def test_fractional_powers_of_negative_numbers():
    text = (
        "kernel='poly' returned NaN or infinity; a kernel must return a finite number for every"
        " pair of rows: check the function and the scale of X"
    )
    with raises(ValueError, text):
        L1KernelPCA(kernel="poly", degree=2.5, gamma=5.0).fit(X)


def test_a_kernel_function_that_breaks():
    def broken(x, y):
        return np.nan

    with pytest.raises(ValueError, match="kernel=broken returned NaN or infinity"):
        L1KernelPCA(kernel=broken).fit(X)

    def wrong(x, y):
        raise RuntimeError("no such kernel")

    with pytest.raises(RuntimeError, match="no such kernel"):
        L1KernelPCA(kernel=wrong).fit(X)
