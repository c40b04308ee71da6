"""What a user is told about a fit: once, in words that say what to do."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel, sigmoid_kernel

from l1kpca import L1KernelPCA
from l1kpca.directions.starts import STARTS
from l1kpca.optimality import ExactSearch
from oracles import low_rank_rows, mean_centered

INDEFINITE = (
    "the Gram matrix is not positive semidefinite: {share:.1%} of its spectrum is negative (seen on"
    " at most 256 rows); components were made only where the objective is positive. Use another"
    " kernel, or other kernel parameters"
)


def told(pca, X):
    """The fitted estimator, and the warnings of the fit."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        pca.fit(X)
    return pca, seen


def texts(seen):
    return [str(warning.message) for warning in seen]


def test_more_components_than_the_rank():
    X = low_rank_rows(np.random.default_rng(0), 40, 12, 3)
    with pytest.warns(UserWarning, match="exceeds the rank") as seen:
        pca = L1KernelPCA(7).fit(X)
    (text,) = texts(seen)
    assert text == (
        "n_components=7 exceeds the rank of the data: stopped after n_components_=3, where only"
        " rounding error is left"
    )
    assert seen[0].filename == __file__
    assert pca.transform(X).shape == (40, 3)
    assert list(pca.get_feature_names_out()) == [f"l1kernelpca{j}" for j in range(3)]


def test_a_search_that_was_cut_short():
    X = np.random.default_rng(0).normal(size=(300, 3))
    settings = {"solver": "fixed_point", "start": "random", "max_iter": 1, "random_state": 0}
    pca, seen = told(L1KernelPCA(3, **settings), X)
    stopped = sum(status != "converged" for status in pca.status_)
    assert stopped >= 1
    assert texts(seen) == [f"{stopped} of 3 components stopped while still moving: raise max_iter"]
    assert seen[0].category is ConvergenceWarning


def test_an_optimum_that_was_not_proven():
    X = np.random.default_rng(0).normal(size=(40, 8))
    pca, seen = told(L1KernelPCA(1, kernel="rbf", solver=ExactSearch(max_nodes=1)), X)
    (text,) = texts(seen)
    assert text == (
        "1 of 1 components stopped before the optimum was proven: use fewer rows, or"
        " solver=ExactSearch(...) with larger max_nodes and max_seconds"
    )
    assert text.endswith(pca.status_[0])


def test_a_matrix_that_is_nearly_diagonal():
    """Nearly every sign vector is a fixed point then, and single flips help."""
    X = np.random.default_rng(0).normal(size=(100, 5))
    settings = {"kernel": "rbf", "gamma": 50.0, "random_state": 0}
    pca, seen = told(L1KernelPCA(3, solver="fixed_point", start="random", **settings), X)
    (text,) = texts(seen)
    stalled = int(text.split()[0])
    assert 1 <= stalled <= 3
    assert text == (
        f"{stalled} of 3 components stopped at a poor fixed point: the Gram matrix is so close to"
        " diagonal that most signs only confirm themselves. Widen the kernel (a smaller gamma), or"
        " use solver='polished'"
    )
    better, seen = told(L1KernelPCA(3, start="random", **settings), X)
    assert seen == []
    assert better.objective_[0] > pca.objective_[0]


# Kernels that are not positive.


@pytest.mark.parametrize(
    "settings",
    [{}, {"n_components": 3}, {"center": False}, {"gram": "blocked"}, {"n_components": 60}],
    ids=str,
)
@pytest.mark.parametrize(
    ("solver", "way"), [("fixed_point", "plain"), ("polished", "compiled")], indirect=["way"]
)
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.usefixtures("way")
def test_an_indefinite_kernel(settings, solver, start):
    X = np.random.default_rng(4).normal(size=(60, 4))
    kernel = {"kernel": "sigmoid", "gamma": 1.0, "coef0": -1.0}
    pca, seen = told(L1KernelPCA(solver=solver, start=start, **kernel, **settings), X)
    K = sigmoid_kernel(X, gamma=1.0, coef0=-1.0)
    K = mean_centered(K) if settings.get("center", True) else K
    values = np.linalg.eigvalsh(K)
    expected = [INDEFINITE.format(share=-values[values < 0].sum() / np.abs(values).sum())]
    p = pca.n_components_
    if settings.get("n_components") == 60:
        expected.append(
            f"n_components=60 exceeds the rank of the data: stopped after n_components_={p}, where"
            " no direction has a positive objective left"
        )
    assert texts(seen) == expected
    assert p <= (values > 0).sum()
    A, scores = pca.dual_components_, pca.transform(X)
    assert_allclose(A.T @ K @ A, np.eye(p), atol=1e-6)
    assert_allclose(scores, K @ A, atol=1e-6)


@pytest.mark.parametrize(
    ("K", "share", "count"),
    [(-np.eye(5), 1, 0), (np.full((4, 4), -1.0), 1, 0), (np.array([[0.0, 1], [1, 0]]), 0.5, 1)],
)
def test_a_given_matrix_that_is_indefinite(K, share, count):
    pca, seen = told(L1KernelPCA(kernel="precomputed", center=False), K)
    assert texts(seen) == [INDEFINITE.format(share=share)]
    assert pca.n_components_ == count


def test_a_zero_diagonal_is_not_a_zero_matrix():
    """-chi2 is zero on the diagonal; as many components as positive eigenvalues, not more."""
    X = np.abs(np.random.default_rng(5).normal(size=(30, 4)))
    pca, seen = told(L1KernelPCA(kernel="additive_chi2", center=False), X)
    assert texts(seen)[0].startswith("the Gram matrix is not positive semidefinite")
    assert 1 <= pca.n_components_ <= 29
    assert_allclose(pca.dual_components_.T @ pca.transform(X), np.eye(pca.n_components_), atol=1e-6)
    assert L1KernelPCA(kernel="additive_chi2").fit(X).n_components_ == 29


def test_positive_kernels_do_not_warn():
    X = np.abs(np.random.default_rng(6).normal(size=(100, 4)))
    for kernel in ("linear", "rbf", "poly", "laplacian", "cosine", "chi2"):
        L1KernelPCA(kernel=kernel).fit(X)
    L1KernelPCA(kernel="precomputed").fit(rbf_kernel(X))
    L1KernelPCA(kernel=lambda x, y: float(x @ y)).fit(X[:40])


def test_rounding_errors_of_a_positive_kernel_are_no_negative_spectrum():
    """Kernel values that differ in their last digits, and a center on most of the rows."""
    X = np.repeat([[0.0], [-1e7]], [2, 17], axis=0)
    settings = {"kernel": "laplacian", "gamma": "median", "center": "median"}
    pca = L1KernelPCA(solver="fixed_point", random_state=0, **settings).fit(X)
    assert pca.n_components_ == 1
