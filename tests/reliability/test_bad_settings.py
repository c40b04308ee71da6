"""Parameters, kernels and kernel matrices that are refused, word for word."""

import numpy as np
import pytest

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA
from l1kpca.gram.memory import read_memory_limit

X = np.random.default_rng(0).normal(size=(30, 4))
K = X @ X.T
HUGE = 10**400
GRAMS = "['auto', 'dense', 'factor', 'blocked', 'nystroem']"
KERNELS = (
    "['additive_chi2', 'chi2', 'cosine', 'laplacian', 'linear', 'poly', 'polynomial', 'rbf',"
    " 'sigmoid', 'precomputed']"
)
SOLVERS = "['fixed_point', 'polished', 'sdp', 'exact', 'lp']"
STARTS = "['auto', 'column', 'sampled', 'eigen', 'norm', 'random']"
COUNT = "must be an integer of at least 1, a share of the variance between 0 and 1, or None for all"
SIGNS = "start, given as an array, must hold n_samples=30 signs, each -1 or 1; got shape"
ARGUMENTS = "must be a dict of keyword arguments of the kernel, or None"
SHARE = "must be 'auto' or a number between 0 and 0.5"
A_PCA = "must be a kernel PCA of l1kpca, such as L1KernelPCA(kernel='rbf'), or None"
SEED = "must be None, an integer between 0 and 2**32 - 1, or a numpy.random.RandomState"
LIMIT = "must be a positive number of bytes, a text like '2GB', or None"
ONE_NUMBER = "for two rows; a kernel must return one real number for every pair of rows"
NOT_FINITE = (
    "returned NaN or infinity; a kernel must return a finite number for every pair of rows: check"
    " the function and the scale of X"
)
SCALE = "scale the columns, for example with sklearn.preprocessing.StandardScaler"


def nan(x, y):
    return np.nan


def infinite(x, y):
    return np.inf


def vector(x, y):
    return x * y


def matrix(x, y):
    return np.ones((3, 3))


def nothing(x, y):
    return None


def text(x, y):
    return "a"


def imaginary(x, y):
    return 1j


def lopsided(x, y):
    return float(x[0] * y[1])


def slightly_lopsided(x, y):
    return float(np.exp(-np.abs(x - y).sum()) * (1 + 0.3 * np.tanh(x[0] - y[0])))


def late_nan(x, y):
    return np.nan if abs(x[0]) > 50 else float(x @ y)


BAD_PARAMETERS = [
    ({"n_components": 0}, f"n_components=0 {COUNT}"),
    ({"n_components": 2.0}, f"n_components=2.0 {COUNT}"),
    ({"n_components": "2"}, f"n_components='2' {COUNT}"),
    ({"n_components": [2]}, f"n_components=[2] {COUNT}"),
    ({"kernel": "RBF"}, f"kernel='RBF' must be one of {KERNELS}, or a function of two rows"),
    ({"kernel": b"rbf"}, f"kernel=b'rbf' must be one of {KERNELS}, or a function of two rows"),
    ({"kernel_params": 3}, f"kernel_params=3 {ARGUMENTS}"),
    ({"gamma": "1.0"}, "gamma='1.0' must be a number, None or one of ['paper', 'median', 'scale']"),
    ({"gamma": 1j}, "gamma=1j must be a finite number"),
    ({"gamma": -1e-300}, "gamma=-1e-300 must be at least 0"),
    ({"degree": HUGE}, f"degree={HUGE} must be a finite number"),
    ({"coef0": HUGE}, f"coef0={HUGE} must be a finite number"),
    ({"alpha": -1}, "alpha=-1 must be at least 0"),
    ({"p": HUGE, "solver": "lp"}, f"p={HUGE} must be a finite number"),
    ({"p": np.inf, "solver": "lp"}, "p=inf must be a finite number"),
    ({"max_iter": 0}, "max_iter=0 must be an integer of at least 1"),
    ({"max_iter": True}, "max_iter=True must be an integer of at least 1"),
    ({"n_starts": -1}, "n_starts=-1 must be an integer of at least 1"),
    ({"n_starts": "many"}, "n_starts='many' must be an integer or 'auto'"),
    (
        {"n_starts": 10**12, "memory_limit": "1GB"},
        (
            "n_starts=1000000000000 needs 240000000000000 bytes for the signs of 30 rows, more than"
            " the 1000000000 allowed: use fewer, or n_starts='auto'"
        ),
    ),
    ({"certify": "yes"}, "certify='yes' must be True or False"),
    ({"copy_X": "no"}, "copy_X='no' must be True or False"),
    ({"fit_inverse_transform": 1}, "fit_inverse_transform=1 must be True or False"),
    ({"verbose": -1}, "verbose=-1 must be 0 or a positive integer"),
    ({"verbose": "yes"}, "verbose='yes' must be 0 or a positive integer"),
    ({"center": "Median"}, "center='Median' must be True, False or 'median'"),
    ({"dtype": np.float16}, "dtype=<class 'numpy.float16'> must be None, 'float32' or 'float64'"),
    ({"dtype": complex}, "dtype=<class 'complex'> must be None, 'float32' or 'float64'"),
    ({"checkpoint": 3}, "checkpoint=3 must be the path of a file, or None"),
    ({"checkpoint": b"a"}, "checkpoint=b'a' must be the path of a file, or None"),
    ({"memory_limit": np.inf}, f"memory_limit=inf {LIMIT}"),
    ({"memory_limit": "9e999"}, f"memory_limit='9e999' {LIMIT}"),
    ({"n_jobs": 0}, "n_jobs=0 must be None or an integer other than 0"),
    ({"n_jobs": True}, "n_jobs=True must be None or an integer other than 0"),
    ({"random_state": -1}, f"random_state=-1 {SEED}"),
    ({"random_state": 2**40}, f"random_state=1099511627776 {SEED}"),
    ({"start": "best"}, f"start='best' must be one of {STARTS}, or an array of signs"),
    ({"start": np.zeros(30)}, f"{SIGNS} (30,)"),
    ({"start": ["a"] * 30}, f"{SIGNS} (30,)"),
    ({"start": np.ones(29)}, f"{SIGNS} (29,)"),
    ({"solver": "fast"}, f"solver='fast' must be one of {SOLVERS}, or a finder object"),
    ({"gram": "sparse"}, f"gram='sparse' must be one of {GRAMS}, or a Gram builder object"),
    (
        {"kernel": "rbf", "gram": "factor"},
        (
            "gram='factor' needs kernel='linear', got kernel='rbf': use gram='nystroem' for a"
            " factor that approximates another kernel, or gram='auto'"
        ),
    ),
    (
        {"kernel": "rbf", "gamma": 1e308},
        (
            "X is too large for kernel='rbf' with gamma=1e+308 in float64: sums of kernel values"
            f" overflow; {SCALE}"
        ),
    ),
    (
        {"kernel": "poly", "degree": 1e308},
        f"X is too large for kernel='poly' in float64: sums of kernel values overflow; {SCALE}",
    ),
    *(
        (
            {"kernel": kernel, "fit_inverse_transform": True},
            (
                f"fit_inverse_transform=True cannot be used with kernel='{kernel}', which takes no"
                " negative numbers, and scores are negative: use another kernel"
            ),
        )
        for kernel in ("chi2", "additive_chi2")
    ),
    ({"kernel": nan}, f"kernel=nan {NOT_FINITE}"),
    ({"kernel": infinite}, f"kernel=infinite {NOT_FINITE}"),
    ({"kernel": vector}, f"kernel=vector returned shape (4,) {ONE_NUMBER}"),
    ({"kernel": matrix}, f"kernel=matrix returned shape (3, 3) {ONE_NUMBER}"),
    ({"kernel": nothing}, f"kernel=nothing returned None {ONE_NUMBER}"),
    ({"kernel": text}, f"kernel=text returned 'a' {ONE_NUMBER}"),
    ({"kernel": imaginary}, f"kernel=imaginary returned 1j {ONE_NUMBER}"),
]
BAD_DETECTORS = [
    ({"rule": "best"}, "rule='best' must be one of ['robust', 'paper']"),
    ({"variance_kept": 1.5}, "variance_kept=1.5 must be a number above 0 and at most 1"),
    ({"contamination": 0.6}, f"contamination=0.6 {SHARE}"),
    ({"contamination": -1e-300}, f"contamination=-1e-300 {SHARE}"),
    ({"standardize": None}, "standardize=None must be True or False"),
    ({"max_samples": -1}, "max_samples=-1 must be 'auto', None or a positive integer"),
    ({"random_state": -1}, f"random_state=-1 {SEED}"),
    ({"n_jobs": 0}, "n_jobs=0 must be None or an integer other than 0"),
    ({"memory_limit": "a lot"}, f"memory_limit='a lot' {LIMIT}"),
    ({"pca": "rbf"}, f"pca=str {A_PCA}"),
    ({"pca": L1KernelPCA(kernel=nan)}, f"kernel=nan {NOT_FINITE}"),
]
BAD_MATRICES = {
    "not square": (
        K[:, :20],
        (
            "X of shape (30, 20) must be square when kernel='precomputed': pass the kernel between"
            " all training rows"
        ),
    ),
    "the rows themselves": (
        X,
        (
            "X of shape (30, 4) must be square when kernel='precomputed': pass the kernel between"
            " all training rows"
        ),
    ),
    "huge": (
        K * 1e306,
        (
            "X is too large for kernel='precomputed' in float64: sums of kernel values overflow;"
            " divide it by a number"
        ),
    ),
    "tiny": (
        K * 1e-300,
        (
            "X is too small for kernel='precomputed' in float64: kernel values vanish; divide it by"
            " a number"
        ),
    ),
    "huge in single precision": (
        (K / K.max() * 1e37).astype(np.float32),
        (
            "X is too large for kernel='precomputed' in float32: sums of kernel values overflow;"
            " divide it by a number"
        ),
    ),
}


def names(table):
    """The beginnings of the texts, as names of the cases."""
    return [text[:50] for _, text in table]


def refused(call, text):
    """With these words, no more and no less."""
    with pytest.raises(ValueError, match=r".") as caught:
        call()
    assert str(caught.value) == text


@pytest.mark.parametrize(("given", "text"), BAD_PARAMETERS, ids=names(BAD_PARAMETERS))
def test_parameters(given, text):
    refused(lambda: L1KernelPCA(**given).fit(X), text)


@pytest.mark.parametrize(("given", "text"), BAD_DETECTORS, ids=names(BAD_DETECTORS))
def test_parameters_of_the_detector(given, text):
    refused(lambda: KernelPCAOutlierDetector(**given).fit(X), text)


@pytest.mark.parametrize(("matrix", "text"), BAD_MATRICES.values(), ids=BAD_MATRICES)
def test_kernel_matrices(matrix, text):
    refused(lambda: L1KernelPCA(kernel="precomputed").fit(matrix), text)


@pytest.mark.parametrize("scale", [1e-250, 1e-160, 1.0, 1e150, 1e250])
def test_asymmetry_is_seen_at_any_scale(scale):
    """Squares of the entries may overflow or vanish."""
    skew = K * scale
    skew[3, 7] *= 1.5
    text = (
        "X must be symmetric when kernel='precomputed', but entries differ from their mirror image"
        f" by up to {abs(K[3, 7]) * scale / 2:.3g}: pass (K + K.T) / 2 if that is noise"
    )
    refused(lambda: L1KernelPCA(kernel="precomputed").fit(skew), text)


@pytest.mark.parametrize("gram", ["auto", "dense", "blocked", "nystroem"])
@pytest.mark.parametrize("kernel", [lopsided, slightly_lopsided])
def test_kernels_that_are_not_symmetric(gram, kernel):
    rows = X[np.unique(np.linspace(0, 29, 12).astype(int))]
    there = np.array([[kernel(x, y) for y in rows] for x in rows])
    text = (
        f"kernel={kernel.__name__} is not symmetric: k(x, y) and k(y, x) differ by up to"
        f" {np.abs(there - there.T).max():.3g}; return the same number for both"
    )
    refused(lambda: L1KernelPCA(kernel=kernel, gram=gram).fit(X), text)


def test_a_kernel_that_breaks_on_new_rows():
    pca = L1KernelPCA(2, kernel=late_nan).fit(X)
    detector = KernelPCAOutlierDetector(L1KernelPCA(2, kernel=late_nan), standardize=False).fit(X)
    for call in (pca.transform, detector.score_samples, detector.predict, detector.explain):
        refused(lambda call=call: call(X * 1000), f"kernel=late_nan {NOT_FINITE}")


def test_kernels_may_return_any_one_number():
    rows = np.round(4 * X)  # products are exact in single precision
    plain = L1KernelPCA(2, kernel=lambda x, y: float(x @ y)).fit(rows).objective_
    for kind in (np.float32, np.float64, np.atleast_1d, lambda v: np.array([[v]])):
        found = L1KernelPCA(2, kernel=lambda x, y, kind=kind: kind(x @ y)).fit(rows).objective_
        np.testing.assert_allclose(found, plain, rtol=1e-6)
    same = L1KernelPCA(1, kernel=lambda x, y: (x == y).all()).fit(X)
    assert same.objective_[0] == pytest.approx(np.sqrt(30))


def test_memory_for_the_starts_is_what_they_take():
    assert read_memory_limit(8 * 30 * 5) == 1200
    assert L1KernelPCA(1, n_starts=5, memory_limit=1200).fit(X).n_starts_[0] == 5
