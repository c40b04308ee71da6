"""L1KernelPCA: the contract of scikit-learn, and what a user sees of a fit."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import KernelPCA
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from l1kpca import L1KernelPCA
from l1kpca.directions import SignFixedPoint
from l1kpca.gram.builders import Nystroem

KERNELS = ("linear", "rbf", "poly", "laplacian", "cosine")


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(80, 6)) * [4, 3, 2, 1, 0.5, 0.2] + 1
    rows[:4] += 20 * rng.normal(size=(4, 6))
    return rows


@pytest.fixture(scope="module")
def X_new():
    return np.random.default_rng(1).normal(size=(15, 6)) * 3


@parametrize_with_checks([L1KernelPCA(), L1KernelPCA(kernel="rbf")])
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


# What scikit-learn expects besides its checks.


def test_names_of_the_scores(X):
    pca = L1KernelPCA(3).fit(X)
    expected = ["l1kernelpca0", "l1kernelpca1", "l1kernelpca2"]
    assert list(pca.get_feature_names_out()) == expected
    as_pandas = pca.set_output(transform="pandas").transform(X)
    assert isinstance(as_pandas, pd.DataFrame)
    assert list(as_pandas.columns) == expected
    as_polars = pca.set_output(transform="polars").transform(X)
    assert isinstance(as_polars, pl.DataFrame)
    assert as_polars.columns == expected
    assert_array_equal(as_pandas.to_numpy(), as_polars.to_numpy())


def test_data_frames_keep_their_names_and_index(X):
    frame = pd.DataFrame(X, columns=list("abcdef"), index=np.arange(80) + 7)
    pca = L1KernelPCA(2).set_output(transform="pandas").fit(frame)
    assert list(pca.feature_names_in_) == list("abcdef")
    assert list(pca.fit_transform(frame).index) == list(frame.index)
    with pytest.raises(ValueError, match="feature names should match"):
        pca.transform(frame[list("fedcba")])
    polars_scores = L1KernelPCA(2).fit_transform(pl.DataFrame(X))
    assert_allclose(polars_scores, L1KernelPCA(2).fit_transform(X))


def test_in_a_pipeline_and_a_grid_search(X):
    steps = make_pipeline(StandardScaler(), L1KernelPCA(random_state=0))
    grid = {
        "l1kernelpca__kernel": ["linear", "rbf"],
        "l1kernelpca__gamma": [0.01, 0.1],
        "l1kernelpca__n_components": [1, 3],
    }
    search = GridSearchCV(steps, grid, cv=3, error_score="raise").fit(X)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.transform(X).shape[0] == 80


def test_clone_and_parameters_are_left_alone(X):
    start = np.ones(80)
    settings = {
        "n_components": 0.7,
        "kernel": "rbf",
        "gamma": "paper",
        "kernel_params": {"width": 1},
        "start": start,
        "gram": Nystroem(20),
        "solver": SignFixedPoint(50),
        "random_state": np.random.RandomState(0),
        "memory_limit": "1GB",
    }
    pca = L1KernelPCA(**settings)
    before = dict(pca.get_params())
    pca.fit(X)
    after = pca.get_params()
    assert before.keys() == after.keys()
    assert all(before[name] is after[name] for name in before)
    assert_array_equal(start, 1)
    assert clone(pca).get_params().keys() == before.keys()


def test_parameters_of_kernel_pca_keep_their_names():
    ours, theirs = L1KernelPCA().get_params(), KernelPCA().get_params()
    shared = set(theirs) - {"eigen_solver", "tol", "iterated_power", "remove_zero_eig"}
    assert shared <= set(ours)
    assert {name: ours[name] for name in shared} == {name: theirs[name] for name in shared}


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
    with pytest.raises(ValueError, match="not fitted"):
        pca.transform(X)


def test_pickle(X, X_new):
    for settings in ({}, {"kernel": "rbf"}, {"kernel": "rbf", "gram": "nystroem"}):
        pca = L1KernelPCA(3, random_state=0, **settings).fit(X)
        copy = pickle.loads(pickle.dumps(pca))
        assert_array_equal(copy.transform(X_new), pca.transform(X_new))


def test_random_state(X):
    settings = {"n_components": 3, "kernel": "rbf", "gamma": 0.5, "start": "random"}
    one, two, other = (
        L1KernelPCA(random_state=seed, **settings).fit(X).dual_components_ for seed in (0, 0, 1)
    )
    assert_array_equal(one, two)
    assert not np.array_equal(one, other)
    by_object = L1KernelPCA(random_state=np.random.RandomState(0), **settings).fit(X)
    assert_array_equal(by_object.dual_components_, one)


@pytest.mark.parametrize("gram", ["dense", "factor", "blocked"])
def test_threads_do_not_change_the_result(gram):
    """Bit for bit, also when memory is short and the blocks are small."""
    X = np.random.default_rng(2).normal(size=(700, 5))
    kernel = "linear" if gram == "factor" else "rbf"
    for memory in (None, 600_000):
        fits = [
            L1KernelPCA(2, kernel=kernel, gram=gram, n_jobs=n, memory_limit=memory).fit(X)
            for n in (1, 2, -1, None)
        ]
        for fit in fits[1:]:
            assert_array_equal(fit.dual_components_, fits[0].dual_components_)
            assert_array_equal(fit.transform(X[:100] + 1), fits[0].transform(X[:100] + 1))


def test_single_precision_is_kept_and_can_be_chosen(X):
    narrow = L1KernelPCA(3, kernel="rbf").fit(X.astype(np.float32))
    assert narrow.dual_components_.dtype == np.float32
    assert narrow.transform(X.astype(np.float32)).dtype == np.float32
    chosen = L1KernelPCA(3, kernel="rbf", dtype="float32").fit(X)
    assert chosen.X_fit_.dtype == np.float32
    assert_array_equal(chosen.dual_components_, narrow.dual_components_)
    wide = L1KernelPCA(3, kernel="rbf", dtype=np.float64).fit(X.astype(np.float32))
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
    rng = np.random.default_rng(3)
    X = rng.normal(size=(100, 3))
    X[:20] += 1000
    center = {
        kind: L1KernelPCA(3, center=kind).fit(X).inverse_transform(np.zeros((1, 3)))[0]
        for kind in (True, "median")
    }
    assert_allclose(center[True], X.mean(axis=0))
    assert np.linalg.norm(center["median"]) < 2


# How the Gram matrix is held.


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


@pytest.mark.parametrize("limit", [10**9, 1e9, "1GB", "1000 MB", "0.5GiB", "1e9"])
def test_memory_limit_as_number_or_text(X, limit):
    assert L1KernelPCA(2, kernel="rbf", memory_limit=limit).fit(X).gram_.name == "dense"


# Progress.


def test_progress_is_shown_on_standard_error(X, capfd):
    L1KernelPCA(3, verbose=1).fit(X)
    out, err = capfd.readouterr()
    assert out == ""
    assert "L1KernelPCA" in err
    assert "3/3 components" in err
    assert err.endswith("\n")


def test_progress_without_a_known_number(X, capfd):
    L1KernelPCA(verbose=1).fit(X)
    assert "6 components" in capfd.readouterr().err


def test_silent_by_default(X, capfd):
    L1KernelPCA(3).fit(X).transform(X)
    assert capfd.readouterr() == ("", "")
