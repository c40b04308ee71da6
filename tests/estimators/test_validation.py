"""Parameters, kernels and kernel matrices that are refused, word for word."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from l1kpca import L1KernelPCA
from l1kpca.directions import LpNorm
from l1kpca.gram.choose import Nystroem
from refusals import refuses

X = np.random.default_rng(0).normal(size=(30, 4))
K = X @ X.T
HUGE = 10**400

GRAMS = "['auto', 'dense', 'factor', 'blocked', 'nystroem'], or a Gram or a builder of one"
KERNELS = (
    "['additive_chi2', 'chi2', 'cosine', 'laplacian', 'linear', 'poly', 'polynomial', 'rbf',"
    " 'sigmoid', 'precomputed'], or a function of two rows"
)
SOLVERS = "['fixed_point', 'polished', 'sdp', 'exact'], or a finder object"
STARTS = "['auto', 'column', 'eigen', 'norm', 'random'], or an array of signs"
SHARE = "must be an integer of at least 1, a share of the variance between 0 and 1, or None for all"
COUNT = "must be an integer of at least 1"
SWITCH = "must be True or False"
SIGNS = "start, given as an array, must hold n_samples=30 signs, each -1 or 1; got shape"
LIMIT = "must be a positive number of bytes, a string like '2GB', or None"
SEED = "must be None, an integer between 0 and 2**32 - 1, or a RandomState"
ADVICE = "scale the columns, for example with sklearn.preprocessing.StandardScaler"

# Each parameter with values that it does not take and what is said of them after "name=value ".
BAD_VALUES = {
    "n_components": ([0, -3, 1.0, 2.0, 0.0, np.nan, True, "mle", [2]], SHARE),
    "max_components": ([0, 2.5, True], COUNT),
    "kernel": (["gauss", "RBF", b"rbf", None], f"must be one of {KERNELS}"),
    "kernel_params": ([3], "must be a dict of keyword arguments of the kernel, or None"),
    "gamma": (
        ["auto", "1.0"],
        "must be a number, None or one of ['paper', 'median', 'narrow', 'wide', 'scale']",
    ),
    "coef0": ([np.nan, HUGE], "must be a finite number"),
    "alpha": ([None, "1"], "must be a finite number"),
    "degree": (["3", HUGE], "must be a finite number"),
    "max_iter": ([0, 10.0, True], COUNT),
    "tol": ([None, "0", np.inf], "must be a finite number"),
    "n_starts": ([0, -1, 1.5, None], COUNT),
    "center": (["mean", "Median", 1, None], "must be True, False or 'median'"),
    "gram": (["sparse", None], f"must be one of {GRAMS}"),
    "solver": (["fixed", "lp", None, 3, LpNorm], f"must be one of {SOLVERS}"),
    "start": (["best", "sampled"], f"must be one of {STARTS}"),
    "n_jobs": ([0, 2.0, True], "must be None or an integer other than 0"),
    "dtype": (
        ["int64", "nonsense", np.float16, complex],
        "must be None, 'float32' or 'float64'",
    ),
    "memory_limit": ([0, -5, np.nan, np.inf, "a lot", "2GB of it", "9e999", True], LIMIT),
    "random_state": (["today", -1, 2**32, 1.5], SEED),
    "certify": (["yes", 1], SWITCH),
    "copy_X": (["no"], SWITCH),
    "fit_inverse_transform": ([1], SWITCH),
    "verbose": ([-1, "yes"], "must be 0 or a positive integer"),
    "checkpoint": ([3, b"a"], "must be the path of a file, or None"),
}
BAD_NUMBERS = {
    ("gamma", -0.5): "gamma=-0.5 must be at least 0",
    ("gamma", np.inf): "gamma=inf must be a finite number",
    ("gamma", 1j): "gamma=1j must be a finite number",
    ("degree", -1): "degree=-1 must be at least 0",
    ("alpha", -1.0): "alpha=-1.0 must be at least 0",
    ("tol", -1e-300): "tol=-1e-300 must be at least 0",
    ("n_starts", "many"): "n_starts='many' must be an integer or 'auto'",
}


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [(name, v, f"{name}={v!r} {said}") for name, (vs, said) in BAD_VALUES.items() for v in vs]
    + [(*given, text) for given, text in BAD_NUMBERS.items()],
    ids=lambda part: str(part)[:40],
)
def test_parameters(name, value, text):
    with refuses(text):
        L1KernelPCA(**{name: value}).fit(X)


@pytest.mark.parametrize("name", ["kernel", "gram", "solver", "center"])
def test_an_array_where_a_name_belongs(name):
    """A kernel matrix given as kernel= is an easy slip; NumPy's own message would not help."""
    with pytest.raises(ValueError, match=rf"(?s)^{name}=array.* must be "):
        L1KernelPCA(**{name: K}).fit(X)


@pytest.mark.parametrize(
    "signs",
    [np.ones(29), np.ones((30, 1)), np.zeros(30), np.full(30, np.nan), ["a"] * 30, None],
    ids=repr,
)
def test_signs_to_start_from(signs):
    with refuses(f"{SIGNS} {np.shape(signs)}"):
        L1KernelPCA(start=signs).fit(X)


@pytest.mark.parametrize("kernel", ["chi2", "additive_chi2"])
def test_settings_that_do_not_go_together(kernel):
    with refuses(
        f"fit_inverse_transform=True cannot use kernel='{kernel}', which takes no negative"
        " numbers, as scores may be: use another kernel"
    ):
        L1KernelPCA(kernel=kernel, fit_inverse_transform=True).fit(np.abs(X))
    with refuses(
        f"gram='factor' needs kernel='linear', got kernel='{kernel}': use gram='nystroem' for a"
        " factor that approximates another kernel, or gram='auto'"
    ):
        L1KernelPCA(kernel=kernel, gram="factor").fit(np.abs(X))
    with refuses(
        "certify=True bounds the L1 objective, which solver=LpNorm(p=1.5, tol=1e-07, max_iter=1000)"
        " does not maximize: use another solver, or certify=False"
    ):
        L1KernelPCA(certify=True, solver=LpNorm(p=1.5)).fit(X)


# Rows that the kernel does not take; those that scikit-learn refuses are tested elsewhere.


@pytest.mark.parametrize(
    ("settings", "scale", "what"),
    [
        ({}, 1e200, "kernel='linear' in float64"),
        ({}, 1e154, "kernel='linear' in float64"),
        ({"gram": "dense"}, 1e200, "kernel='linear' in float64"),
        ({"kernel": "rbf"}, 1e200, "kernel='rbf' in float64"),
        ({"kernel": "rbf", "gram": "blocked"}, 1e200, "kernel='rbf' in float64"),
        ({"kernel": "rbf", "gamma": 1e308}, 1, "kernel='rbf' with gamma=1e+308 in float64"),
        ({"kernel": "poly"}, 1e120, "kernel='poly' in float64"),
        ({"kernel": "poly", "degree": 200}, 1e3, "kernel='poly' in float64"),
        ({"kernel": "poly", "degree": 1e308}, 1, "kernel='poly' in float64"),
        ({"dtype": "float32"}, 1e20, "kernel='linear' in float32"),
    ],
)
def test_rows_too_large_for_the_kernel(settings, scale, what):
    """Products overflow: said at once, not by a flood of warnings and a model without sense."""
    with refuses(f"X is too large for {what}: sums of kernel values overflow; {ADVICE}"):
        L1KernelPCA(**settings).fit(X * scale)


def test_kernels_that_do_not_take_these_rows():
    with pytest.raises(ValueError, match="negative"):
        L1KernelPCA(kernel="chi2").fit(X)
    with pytest.raises(TypeError):
        L1KernelPCA(kernel="chi2").fit(sparse.csr_array(np.abs(X)))


# Functions as kernels.


def lopsided(x, y):
    return float(x[0] * y[1])


def slightly_lopsided(x, y):
    return float(np.exp(-np.abs(x - y).sum()) * (1 + 0.3 * np.tanh(x[0] - y[0])))


def late_nan(x, y):
    return np.nan if abs(x[0]) > 50 else float(x @ y)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(np.ones(4), "shape (4,)"), (np.ones((3, 3)), "shape (3, 3)"), (None, "None"), (1j, "1j")],
)
def test_a_kernel_gives_one_number(value, shown):
    def broken(x, y):
        return value

    text = "for two rows; return one real number for each pair"
    with refuses(f"kernel=broken returned {shown} {text}"):
        L1KernelPCA(kernel=broken).fit(X)


def test_a_kernel_gives_finite_numbers():
    text = "returned NaN or infinity: check the function and the scale of X"
    for value in (np.nan, np.inf):

        def broken(x, y, value=value):
            return value

        with refuses(f"kernel=broken {text}"):
            L1KernelPCA(kernel=broken).fit(X)
    with refuses(f"kernel='poly' {text}"):  # fractional powers of negative numbers
        L1KernelPCA(kernel="poly", degree=2.5, gamma=5.0).fit(X)
    pca = L1KernelPCA(2, kernel=late_nan).fit(X)
    with refuses(f"kernel=late_nan {text}"):
        pca.transform(X * 1000)


@pytest.mark.parametrize("gram", ["auto", "dense", "blocked", "nystroem"])
@pytest.mark.parametrize("kernel", [lopsided, slightly_lopsided])
def test_a_kernel_is_symmetric(gram, kernel):
    rows = X[np.unique(np.linspace(0, 29, 12).astype(int))]
    there = np.array([[kernel(x, y) for y in rows] for x in rows])
    with refuses(
        f"kernel={kernel.__name__} is not symmetric: k(x, y) and k(y, x) differ by up to"
        f" {np.abs(there - there.T).max():.3g}; return the same number for both"
    ):
        L1KernelPCA(kernel=kernel, gram=gram).fit(X)


def test_an_error_of_the_kernel_is_the_error_of_the_fit():
    def wrong(x, y):
        raise RuntimeError("no such kernel")

    with refuses("no such kernel", RuntimeError):
        L1KernelPCA(kernel=wrong).fit(X)


def test_kernels_may_return_any_one_number():
    rows = np.round(4 * X)  # products are exact in single precision
    plain = L1KernelPCA(2, kernel=lambda x, y: float(x @ y)).fit(rows).objective_
    for kind in (np.float32, np.float64, np.atleast_1d, lambda v: np.array([[v]])):
        found = L1KernelPCA(2, kernel=lambda x, y, kind=kind: kind(x @ y)).fit(rows).objective_
        np.testing.assert_allclose(found, plain, rtol=1e-6)
    same = L1KernelPCA(1, kernel=lambda x, y: (x == y).all()).fit(X)
    assert same.objective_[0] == pytest.approx(np.sqrt(30))


# What cannot be asked of a model.


def test_a_model_without_rows_has_no_score_and_no_way_back():
    way_out = "pass them, and a kernel instead of 'precomputed'"
    with refuses(f"fit_inverse_transform=True needs the rows: {way_out}"):
        L1KernelPCA(kernel="precomputed", fit_inverse_transform=True).fit(K)
    with refuses(f"score needs the rows: {way_out}"):
        L1KernelPCA(kernel="precomputed").fit(K).score(K)


def test_inverse_transform_takes_scores():
    pca = L1KernelPCA(2).fit(X)
    with refuses("X has 3 columns, but n_components_=2: pass scores, as transform returns"):
        pca.inverse_transform(X[:, :3])
    with pytest.raises(ValueError, match="NaN"):
        pca.inverse_transform(np.full((1, 2), np.nan))


@pytest.mark.parametrize("method", ["transform", "project", "inverse_transform", "score"])
def test_not_fitted(method):
    with pytest.raises(NotFittedError):
        getattr(L1KernelPCA(), method)(X)


# Ways to hold K.


def test_landmarks():
    with refuses("landmarks='best' must be 'kmeans++' or 'random'"):
        L1KernelPCA(kernel="rbf", gram=Nystroem(5, "best")).fit(X)
    for count in (0, 31):
        with refuses(f"n_landmarks={count} must be between 1 and n_samples=30"):
            L1KernelPCA(kernel="rbf", gram=Nystroem(count)).fit(X)
    with refuses(
        "memory_limit=100 bytes cannot hold even one landmark for 30 rows: allow at least 480 bytes"
    ):
        L1KernelPCA(kernel="rbf", gram="nystroem", memory_limit=100).fit(X)
