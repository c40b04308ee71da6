"""What every peer shares as an estimator."""

import inspect
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

import l1kpca.peers
from l1kpca import L1KernelPCA
from l1kpca.directions import LpNorm
from l1kpca.peers import JointL1KernelPCA, R1KernelPCA
from oracles import mean_centered

PEERS = [getattr(l1kpca.peers, name) for name in l1kpca.peers.__all__]
SHARED = [
    "n_components",
    "max_components",
    "kernel",
    "gamma",
    "degree",
    "coef0",
    "kernel_params",
    "alpha",
    "fit_inverse_transform",
    "max_iter",
    "random_state",
    "copy_X",
    "n_jobs",
    "center",
    "gram",
    "memory_limit",
    "dtype",
    "verbose",
]
SMALL = {"kernel": "rbf", "gamma": 0.03, "random_state": 0}


@pytest.fixture(params=PEERS, ids=lambda peer: peer.__name__)
def peer(request):
    return request.param


def rows(seed=0, n=60):
    X = np.random.default_rng(seed).normal(size=(n, 5)) * [5, 4, 3, 2, 1]
    X[:3] *= 4
    return X


# The kernel and the center are read by what all share: two that find all components at once do.
@parametrize_with_checks(
    [peer() for peer in PEERS]
    + [peer(2, kernel="rbf", center=False) for peer in (JointL1KernelPCA, R1KernelPCA)]
    + [L1KernelPCA(2, solver=LpNorm(p=1.5, max_iter=20_000))]
)
def test_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        # Some checks fit a single column, which has fewer than two components.
        warnings.filterwarnings("ignore", "n_components=2 exceeds the rank of the data")
        check(estimator)


def test_the_parameters_are_those_of_l1_kernel_pca_and_a_few_more(peer):
    """To switch methods, change the name."""
    parameters, own = inspect.signature(peer).parameters, inspect.signature(L1KernelPCA).parameters
    assert set(SHARED) <= parameters.keys()
    for name in SHARED:
        assert parameters[name].default == own[name].default
    assert next(iter(parameters)) == "n_components"
    given = {name: object() for name in parameters}
    assert peer(**given).get_params(deep=False) == given


@pytest.mark.parametrize("center", [True, False, "median"])
@pytest.mark.parametrize("n_components", [1, 3, None, 0.7])
def test_scores_of_training_rows(peer, center, n_components):
    X = rows()
    pca = peer(n_components, center=center, **SMALL)
    scores = pca.fit_transform(X)
    assert scores.shape == (60, pca.n_components_)
    assert_allclose(pca.transform(X), scores, atol=1e-7)
    assert_allclose(clone(pca).fit(X).transform(X), scores, atol=1e-12)
    assert_allclose(pca.objective_, np.abs(scores).sum(axis=0))
    assert len(pca.n_steps_) == len(pca.status_) == len(pca.objective_trace_) == pca.n_components_
    assert pca.n_iter_ == pca.n_steps_.max()
    assert pca.signs_.shape == (pca.n_components_, 60)
    if n_components == 0.7:
        assert pca.explained_variance_ratio_.sum() >= 0.7
        assert pca.explained_variance_ratio_[:-1].sum() < 0.75
    if n_components is None:
        assert pca.explained_variance_ratio_.sum() == pytest.approx(1)


@pytest.mark.parametrize("n_components", [2, 5])
def test_components_are_orthonormal_in_feature_space(peer, n_components):
    X = rows()
    pca = peer(n_components, **SMALL).fit(X)
    K = mean_centered(rbf_kernel(X, gamma=0.03))
    A = pca.dual_components_
    assert_allclose(A.T @ K @ A, np.eye(n_components), atol=1e-9)
    assert_allclose(pca.transform(X), K @ A, atol=1e-9)


@pytest.mark.parametrize("gram", ["dense", "blocked", "nystroem"])
def test_every_way_to_hold_the_matrix_gives_the_same(peer, gram):
    """All 60 rows are landmarks, so that even Nystroem is exact."""
    X = rows()
    one = peer(2, gram="dense", **SMALL).fit(X)
    two = peer(2, gram=gram, **SMALL).fit(X)
    assert two.gram_.name == gram
    assert_allclose(np.abs(two.transform(X)), np.abs(one.transform(X)), atol=1e-4)
    assert_allclose(np.abs(two.transform(rows(5))), np.abs(one.transform(rows(5))), atol=1e-4)


def test_precomputed_is_as_computed(peer):
    X, new = rows(), rows(1)
    one = peer(3, **SMALL).fit(X)
    two = peer(3, kernel="precomputed", random_state=0).fit(rbf_kernel(X, gamma=0.03))
    assert_allclose(two.transform(rbf_kernel(new, X, gamma=0.03)), one.transform(new), atol=1e-7)


def test_linear_kernel_has_loadings_and_goes_back(peer):
    X = rows()
    pca = peer(5).fit(X)
    assert_allclose(pca.components_ @ pca.components_.T, np.eye(5), atol=1e-9)
    assert_allclose(pca.transform(X), (X - X.mean(axis=0)) @ pca.components_.T, atol=1e-8)
    assert_allclose(pca.inverse_transform(pca.transform(X)), X, atol=1e-8)


def test_single_precision_stays(peer):
    X = rows().astype("float32")
    pca = peer(2, **SMALL).fit(X)
    assert pca.dual_components_.dtype == pca.transform(X).dtype == np.float32
    double = peer(2, **SMALL).fit(X.astype("float64"))
    assert pca.objective_.sum() == pytest.approx(double.objective_.sum(), rel=0.05)


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_threads_change_nothing(peer, n_jobs):
    X = rows(n=300)
    one, two = peer(2, n_jobs=1, **SMALL).fit(X), peer(2, n_jobs=n_jobs, **SMALL).fit(X)
    assert_array_equal(one.dual_components_, two.dual_components_)


@pytest.mark.parametrize("n_samples", range(1, 12))
def test_rows_that_differ_in_their_last_digits_have_no_components(peer, n_samples):
    """What is left of K is rounding error, of either sign."""
    X = np.random.default_rng(n_samples).normal(size=(n_samples, 1)) * 1e-12
    assert peer(kernel="rbf").fit(X).n_components_ == 0


def test_constant_rows_have_no_components(peer):
    pca = peer().fit(np.ones((20, 3)))
    assert pca.n_components_ == 0
    assert pca.transform(np.ones((2, 3))).shape == (2, 0)


def test_more_components_than_there_are(peer):
    with pytest.warns(
        UserWarning, match=r"n_components=9 exceeds the rank of the data: stopped after"
    ):
        pca = peer(9).fit(rows())
    assert pca.n_components_ == 5


@pytest.mark.parametrize("name", ["KwakKernelPCA", "XiaoKernelPCA", "L2KernelPCA"])
def test_a_matrix_that_does_not_fit(name):
    """Half a megabyte allows tiles of K, not the 720,000 bytes of the whole."""
    pca = getattr(l1kpca.peers, name)(2, memory_limit=500_000, **SMALL)
    message = "memory_limit=500000 bytes is too small for the 300 x 300 matrix"
    with pytest.raises(ValueError, match=message):
        pca.fit(rows(n=300))


@pytest.mark.parametrize("name", ["KwakKernelPCA", "XiaoKernelPCA"])
def test_a_matrix_of_low_rank_need_not_fit(name):
    X = rows(n=300)
    pca = getattr(l1kpca.peers, name)(2, memory_limit=500_000).fit(X)
    assert_allclose(pca.transform(X), getattr(l1kpca.peers, name)(2).fit_transform(X), atol=1e-9)


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("KwakKernelPCA", {"start": "best"}, "start='best' must be one of"),
        ("XiaoKernelPCA", {"start": [1, 2]}, "must hold n_samples=60 signs"),
        (
            "R1KernelPCA",
            {"weights": "tukey"},
            r"weights='tukey' must be one of \['huber'",
        ),
        ("R1KernelPCA", {"tol": -1e-3}, "tol=-0.001 must be at least 0"),
        ("JointL1KernelPCA", {"solver": "fast"}, "solver='fast' must be one of"),
        ("JointL1KernelPCA", {"n_starts": 0}, "n_starts=0 must be an integer of at least 1"),
        ("JointL1KernelPCA", {"start": "best"}, "start='best' must be one of"),
    ],
)
def test_errors(name, settings, message):
    with pytest.raises(ValueError, match=message):
        getattr(l1kpca.peers, name)(2, **settings).fit(rows())


@pytest.mark.parametrize("name", ["KwakKernelPCA", "XiaoKernelPCA", "R1KernelPCA"])
def test_a_search_that_is_cut_short_says_so(name):
    X = np.random.default_rng(0).normal(size=(200, 20))
    with pytest.warns(ConvergenceWarning, match="components stopped while still moving"):
        pca = getattr(l1kpca.peers, name)(2, max_iter=1).fit(X)
    assert set(pca.status_) == {"stopped while still moving: raise max_iter"}


def test_a_joint_search_that_is_cut_short_says_so():
    X = np.random.default_rng(0).standard_t(2, size=(200, 20))
    with pytest.warns(ConvergenceWarning, match="components stopped while still moving"):
        l1kpca.peers.JointL1KernelPCA(4, max_iter=1).fit(X)
