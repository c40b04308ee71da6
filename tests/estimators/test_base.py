"""A fit: its invariants, one result however K is held, and what it leaves behind."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel

from l1kpca import L1KernelPCA
from l1kpca.directions import SignIteration
from l1kpca.gram.choose import Blocked, Dense, Nystroem
from oracles import joint_gram, mean_centered

KERNELS = ("linear", "rbf", "poly", "laplacian", "cosine")
GAMMA = 0.05


def params_of(kernel):
    return {"gamma": GAMMA} if kernel in ("rbf", "poly", "laplacian") else {}


# Invariants.


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("center", [True, False, "median"])
@pytest.mark.parametrize("solver", ["fixed_point", "polished"])
def test_invariants(X, kernel, center, solver, way):
    """A^T K A = I, scores = K A, and the attributes follow from them."""
    pca = L1KernelPCA(5, kernel=kernel, gamma=GAMMA, center=center, solver=solver)
    scores = pca.fit_transform(X)
    A = pca.dual_components_
    assert_allclose(A.T @ scores, np.eye(5), atol=1e-9)
    if center != "median":
        K = pairwise_kernels(X, metric=kernel, **params_of(kernel))
        K = mean_centered(K) if center else K
        size = np.abs(K).max() * np.abs(A).sum(axis=0).max()
        assert_allclose(scores, K @ A, atol=1e-11 * size)
        assert_allclose(pca.total_variance_, np.trace(K) / 79)
    assert_allclose(pca.objective_, np.abs(scores).sum(axis=0))
    assert_allclose(pca.explained_variance_, (scores**2).sum(axis=0) / 79)
    assert_allclose(
        pca.explained_variance_ratio_, pca.explained_variance_ / pca.total_variance_, atol=1e-12
    )
    assert pca.explained_variance_ratio_.sum() <= 1 + 1e-9
    assert pca.signs_.shape == (5, 80)
    assert pca.signs_.dtype == np.int8
    assert pca.n_components_ == 5
    assert pca.status_ == ["converged"] * 5
    assert isinstance(pca.n_iter_, int)
    assert pca.n_iter_ == pca.n_steps_.max() >= pca.n_steps_.min() >= 1
    for trace, objective, steps in zip(
        pca.objective_trace_, pca.objective_, pca.n_steps_, strict=True
    ):
        assert steps == max(1, len(trace) - 1)
        assert (np.diff(trace) >= -1e-9 * trace[-1]).all()
        assert trace[-1] == pytest.approx(objective**2, rel=1e-6)


@pytest.mark.parametrize("gram", ["auto", "dense", "blocked", "nystroem"])
@pytest.mark.parametrize("kernel", [*KERNELS, "chi2", "precomputed"])
@pytest.mark.parametrize(("center", "dtype"), [(True, "float64"), (False, "float32")])
def test_fit_transform_is_fit_then_transform(X, kernel, gram, center, dtype):
    rows = {"chi2": np.abs(X), "precomputed": rbf_kernel(X, gamma=GAMMA)}.get(kernel, X)
    pca = L1KernelPCA(3, kernel=kernel, gamma=GAMMA, gram=gram, center=center, random_state=0)
    rows = rows.astype(dtype)
    scores = clone(pca).fit_transform(rows)
    again = pca.fit(rows).transform(rows)
    assert scores.dtype == again.dtype == dtype
    close = 1e-7 if dtype == "float64" else 5e-3
    assert_allclose(scores, again, atol=close * np.abs(scores).max())


# One result however K is held.


def objectives(X, **settings):
    return L1KernelPCA(3, random_state=0, **settings).fit(X).objective_


@pytest.mark.parametrize("center", [True, False, "median"])
@pytest.mark.parametrize("solver", ["fixed_point", "polished"])
def test_dense_factor_and_blocked_agree(X, center, solver, way):
    same = {"center": center, "solver": solver, "start": "column"}
    dense = objectives(X, gram="dense", **same)
    for rows, gram in [
        (X, "factor"),
        (X, "blocked"),
        (X, Blocked()),
        (X, Dense()),
        (sparse.csr_array(X), "factor"),
        (sparse.csr_matrix(X), "auto"),
        (sparse.coo_array(X), "dense"),
        (sparse.csc_array(X), "blocked"),
    ]:
        assert_allclose(objectives(rows, gram=gram, **same), dense, rtol=1e-8)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
@pytest.mark.parametrize("landmarks", ["random", "kmeans++"])
def test_nystroem_with_all_landmarks_is_exact(X, X_new, kernel, landmarks):
    same = {"kernel": kernel, "gamma": GAMMA, "start": "column", "random_state": 0}
    exact = L1KernelPCA(3, gram="dense", **same).fit(X)
    landmark = L1KernelPCA(3, gram=Nystroem(80, landmarks), **same).fit(X)
    assert_allclose(landmark.objective_, exact.objective_, rtol=1e-8)
    assert_allclose(landmark.transform(X), exact.transform(X), atol=1e-7)
    assert_allclose(landmark.transform(X_new), exact.transform(X_new), atol=1e-6)
    assert landmark.gram_.lost_share == pytest.approx(0, abs=1e-9)


def test_few_landmarks_say_what_they_miss(X):
    pca = L1KernelPCA(2, kernel="rbf", gamma=0.5, gram=Nystroem(5), random_state=0).fit(X)
    assert 0 < pca.gram_.lost_share < 1
    assert f"misses {pca.gram_.lost_share:.2%} of trace K" in str(pca.gram_)


@pytest.mark.parametrize("kernel", KERNELS)
def test_precomputed_is_computed(X, X_new, kernel):
    K = joint_gram(kernel, X, X_new, **params_of(kernel))
    same = {"start": "column", "n_components": 3}
    computed = L1KernelPCA(kernel=kernel, gamma=GAMMA, gram="dense", **same).fit(X)
    given = L1KernelPCA(kernel="precomputed", **same).fit(K[:80, :80])
    expected = computed.transform(np.vstack([X, X_new]))
    assert_allclose(given.transform(K[:, :80]), expected, atol=1e-8 * np.abs(expected).max())
    assert given.gram_.name == "precomputed"


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_given_matrix_is_not_written_to(X, order):
    K = np.asarray(rbf_kernel(X, gamma=GAMMA), order=order)
    kept = K.copy()
    L1KernelPCA(3, kernel="precomputed").fit(K)
    assert_array_equal(K, kept)


def test_callable_kernel_with_parameters(X):
    def gaussian(x, y, width):
        return float(np.exp(-np.sum((x - y) ** 2) / width))

    same, params = {"n_components": 2, "start": "column"}, {"width": 20.0}
    by_name = L1KernelPCA(kernel="rbf", gamma=GAMMA, **same).fit(X)
    by_hand = L1KernelPCA(kernel=gaussian, kernel_params=params, **same).fit(X)
    assert_allclose(by_hand.transform(X), by_name.transform(X), atol=1e-8)
    assert params == {"width": 20.0}


def test_what_was_chosen_and_why(X):
    assert L1KernelPCA().fit(X).gram_.name == "factor"
    assert L1KernelPCA().fit(X[:5]).gram_.name == "dense"
    assert L1KernelPCA().fit(sparse.csr_array(X[:5])).gram_.name == "factor"
    assert L1KernelPCA(2, kernel="rbf").fit(X).gram_.name == "dense"
    tight = L1KernelPCA(2, kernel="rbf", memory_limit=300_000, dtype="float32")
    assert tight.fit(np.tile(X, (4, 1))).gram_.name == "blocked"
    asked = L1KernelPCA(2, kernel="rbf", gram="blocked").fit(X).gram_
    assert (asked.name, asked.reason) == ("blocked", "asked for")
    for name in ("factor", "dense", "blocked"):
        shown = str(L1KernelPCA(2, gram=name).fit(X).gram_)
        assert shown.startswith(name)
        assert "MB" in shown


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("center", [True, False, "median"])
def test_the_training_gram_is_the_one_of_the_fit(X, kernel, center):
    pca = L1KernelPCA(3, kernel=kernel, gamma=GAMMA, center=center).fit(X)
    assert_allclose(
        pca.training_gram().apply(pca.dual_components_), pca.transform(X), rtol=1e-7, atol=1e-9
    )


# Parameters.


def test_n_components(X):
    assert L1KernelPCA(3).fit(X).n_components_ == 3
    assert L1KernelPCA(np.int64(3)).fit(X).n_components_ == 3
    assert L1KernelPCA().fit(X).n_components_ == 6
    everything = L1KernelPCA(kernel="rbf", gamma=0.5).fit(X)
    assert everything.n_components_ == 79
    assert everything.explained_variance_ratio_.sum() == pytest.approx(1)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999, np.float32(0.5)])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_share_of_the_variance(X, share, kernel):
    """The fewest components, in their order, that reach the share."""
    ratios = L1KernelPCA(share, kernel=kernel, gamma=0.02).fit(X).explained_variance_ratio_
    assert ratios.sum() >= share - 1e-9
    assert ratios[:-1].sum() < share


@pytest.mark.parametrize(("n_components", "expected"), [(None, 3), (0.999, 3), (0.1, 1), (5, 5)])
def test_max_components_bounds_a_share_and_all_but_no_number(X, n_components, expected):
    pca = L1KernelPCA(n_components, max_components=3, kernel="rbf", gamma=0.02).fit(X)
    assert pca.n_components_ == expected


@pytest.mark.parametrize("rule", [None, "paper", "scale", "median", 0.3])
def test_gamma_rules(X, rule):
    pca = L1KernelPCA(2, kernel="rbf", gamma=rule).fit(X)
    distances = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=-1))[np.triu_indices(80, 1)]
    expected = {
        None: 1 / 6,
        "paper": 1 / 72,
        "scale": 1 / (6 * X.var()),
        "median": 1 / (2 * np.median(distances) ** 2),
        0.3: 0.3,
    }
    assert pca.gamma_ == pytest.approx(expected[rule])
    fixed = L1KernelPCA(2, kernel="rbf", gamma=expected[rule]).fit(X)
    assert_allclose(pca.objective_, fixed.objective_)


def test_the_median_is_a_center_that_outliers_do_not_move():
    X = np.random.default_rng(3).normal(size=(100, 3))
    X[:20] += 1000
    center = {
        kind: L1KernelPCA(3, center=kind).fit(X).inverse_transform(np.zeros((1, 3)))[0]
        for kind in (True, "median")
    }
    assert_allclose(center[True], X.mean(axis=0))
    assert np.linalg.norm(center["median"]) < 2


def test_single_precision_is_kept_and_can_be_chosen(X):
    narrow = L1KernelPCA(3, kernel="rbf").fit(X.astype(np.float32))
    assert narrow.dual_components_.dtype == np.float32
    assert narrow.transform(X.astype(np.float32)).dtype == np.float32
    chosen = L1KernelPCA(3, kernel="rbf", dtype="float32").fit(X)
    assert chosen.X_fit_.dtype == np.float32
    assert_array_equal(chosen.dual_components_, narrow.dual_components_)
    wide = L1KernelPCA(3, kernel="rbf", dtype="float").fit(X.astype(np.float32))
    assert wide.dual_components_.dtype == np.float64
    assert_allclose(narrow.objective_, wide.objective_, rtol=1e-3)


def test_copy_x(X):
    rows = X.copy()
    pca = L1KernelPCA(2, kernel="rbf").fit(rows)
    expected = pca.transform(X)
    rows[:] = 0
    assert_array_equal(pca.transform(X), expected)
    shared = L1KernelPCA(2, kernel="rbf", copy_X=False).fit(X)
    assert np.shares_memory(shared.X_fit_, X)


def test_parameters_are_left_alone(X):
    settings = {
        "n_components": 0.7,
        "kernel": "rbf",
        "gamma": "paper",
        "kernel_params": {"width": 1},
        "start": np.ones(80),
        "gram": Nystroem(20),
        "solver": SignIteration(50),
        "random_state": np.random.RandomState(0),
        "memory_limit": "1GB",
    }
    pca = L1KernelPCA(**settings)
    before = dict(pca.get_params())
    after = pca.fit(X).get_params()
    assert before.keys() == after.keys() == clone(pca).get_params().keys()
    assert all(before[name] is after[name] for name in before)
    assert_array_equal(settings["start"], 1)


# What a fit leaves behind.


def test_a_second_fit_forgets_the_first(X, X_new):
    pca = L1KernelPCA(3, fit_inverse_transform=True).fit(X)
    fresh = L1KernelPCA(3).fit(X_new[:, :4])
    pca.set_params(fit_inverse_transform=False).fit(X_new[:, :4])
    assert_array_equal(pca.dual_components_, fresh.dual_components_)
    assert pca.n_features_in_ == 4
    pca.set_params(kernel="rbf").fit(X)
    assert not hasattr(pca, "components_")
    pca.set_params(kernel="precomputed").fit(X @ X.T)
    assert not hasattr(pca, "gamma_")


def test_a_failed_fit_is_not_a_fit(X):
    pca = L1KernelPCA(3).fit(X)
    with pytest.raises(ValueError, match="n_components"):
        pca.set_params(n_components=-1).fit(X)
    with pytest.raises(NotFittedError):
        pca.transform(X)
    assert not [name for name in vars(pca) if name.endswith("_")]


@pytest.mark.parametrize("settings", [{}, {"kernel": "rbf"}, {"kernel": "rbf", "gram": "nystroem"}])
def test_pickle(X, X_new, settings):
    pca = L1KernelPCA(3, random_state=0, **settings).fit(X)
    copy = pickle.loads(pickle.dumps(pca))
    assert_array_equal(copy.transform(X_new), pca.transform(X_new))
