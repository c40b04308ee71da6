"""L1KernelPCA: the contract of scikit-learn, the search for components, and the paper."""

from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import KernelPCA
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from l1kpca import L1KernelPCA
from l1kpca.directions import BitFlip, LpNorm, Polished, SignIteration, Then
from l1kpca.directions.starts import STARTS
from oracles import algorithm_1, deflated, low_rank_rows, pca_l1, signs, standardized

# What scikit-learn expects.


@parametrize_with_checks([L1KernelPCA()])
def test_contract_of_scikit_learn(estimator, check):
    check(estimator)


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


def test_parameters_of_kernel_pca_keep_their_names():
    ours, theirs = L1KernelPCA().get_params(), KernelPCA().get_params()
    shared = set(theirs) - {"eigen_solver", "iterated_power", "remove_zero_eig"}
    assert shared <= set(ours)
    assert {name: ours[name] for name in shared} == {name: theirs[name] for name in shared}


@pytest.mark.parametrize(("n_components", "shown"), [(3, "3/3 components"), (None, "6 components")])
def test_progress_is_shown_on_standard_error_if_asked_for(X, capfd, n_components, shown):
    L1KernelPCA(n_components, verbose=1).fit(X)
    out, err = capfd.readouterr()
    assert out == ""
    assert "L1KernelPCA" in err
    assert shown in err
    assert err.endswith("\n")
    L1KernelPCA(n_components).fit(X).transform(X)
    assert capfd.readouterr() == ("", "")


# The search.


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("n_samples", [80, 1500])
def test_the_seed_matters_for_nothing_but_random_starts(kernel, n_samples):
    """The default start samples columns and rows, but always the same ones."""
    X = np.random.default_rng(0).standard_t(3, size=(n_samples, 4))
    for settings in ({}, {"start": "column"}, {"start": "eigen"}, {"start": "norm"}):
        fits = [
            L1KernelPCA(2, kernel=kernel, random_state=seed, **settings).fit(X) for seed in (0, 1)
        ]
        assert_array_equal(fits[0].dual_components_, fits[1].dual_components_)


def test_the_seed_of_random_starts(X):
    settings = {"n_components": 3, "kernel": "rbf", "gamma": 0.5, "start": "random"}
    by_number, again, by_object, other = (
        L1KernelPCA(random_state=seed, **settings).fit(X)
        for seed in (0, 0, np.random.RandomState(0), 1)
    )
    assert_array_equal(by_number.dual_components_, again.dual_components_)
    assert_array_equal(by_number.dual_components_, by_object.dual_components_)
    assert not np.array_equal(by_number.dual_components_, other.dual_components_)
    assert by_number.seed_ == by_object.seed_ != other.seed_


@dataclass(frozen=True)
class Watched:
    """Algorithm 1, and how many searches were made in each call."""

    calls: list = field(default_factory=list)

    def find(self, gram, starts):
        self.calls.append(starts.shape[1])
        return SignIteration().find(gram, starts)


@pytest.mark.parametrize("n_samples", [30, 1200, 4100])
@pytest.mark.parametrize("n_starts", [1, 5, 20, "auto"])
def test_several_starts_run_the_given_finder_at_every_size(n_samples, n_starts):
    X = np.random.default_rng(0).standard_t(3, size=(n_samples, 3))
    finder = Watched()
    pca = L1KernelPCA(1, solver=finder, n_starts=n_starts, random_state=0).fit(X)
    assert pca.n_starts_.tolist() == [sum(finder.calls)]
    if n_starts == "auto":
        assert 16 < pca.n_starts_[0] <= 128
    else:
        assert pca.n_starts_[0] == n_starts


def test_more_starts_never_hurt_the_first_component(X):
    settings = {"kernel": "rbf", "solver": "fixed_point", "start": "random", "random_state": 0}
    found = [L1KernelPCA(1, n_starts=n, **settings).fit(X).objective_[0] for n in (1, 10, 30)]
    assert (np.diff(found) >= -1e-12 * found[0]).all()
    assert found[-1] > found[0]


@pytest.mark.parametrize("n_samples", [300, 1500])
def test_a_tolerance_ends_sign_steps_early(n_samples):
    X = np.random.default_rng(0).normal(size=(n_samples, 6))
    settings = {"kernel": "rbf", "gamma": 0.1, "start": "random", "random_state": 0}
    exact, loose = (
        L1KernelPCA(1, solver="fixed_point", tol=tol, **settings).fit(X) for tol in (0, 0.1)
    )
    trace, steps = loose.objective_trace_[0], loose.n_iter_
    assert steps < exact.n_iter_
    assert_allclose(trace, exact.objective_trace_[0][: steps + 1])
    assert (np.diff(trace)[:-1] > 0.1 * trace[:-2]).all()
    assert np.diff(trace)[-1] <= 0.1 * trace[-2]
    assert loose.status_ == ["converged"]


@pytest.mark.parametrize(
    ("finder", "name"),
    [
        (SignIteration(), "fixed_point"),
        (Polished(), "polished"),
        (BitFlip(), None),
        (Then(BitFlip(), SignIteration()), None),
        (LpNorm(p=1.5), None),
    ],
    ids=str,
)
def test_a_finder_as_solver(X, finder, name):
    own = L1KernelPCA(3, solver=finder).fit(X)
    assert own.n_components_ == 3
    if name:
        assert_array_equal(own.signs_, L1KernelPCA(3, solver=name).fit(X).signs_)


def test_paper_start_keeps_its_orientation_and_others_are_turned(X):
    for start in sorted(set(STARTS) - {"column"}):
        turned = L1KernelPCA(4, start=start, random_state=0).fit_transform(X)
        assert (turned[np.abs(turned).argmax(axis=0), range(4)] > 0).all()
    mirrored = L1KernelPCA(4, start=-np.ones(80)).fit_transform(X)
    straight = L1KernelPCA(4, start=np.ones(80)).fit_transform(X)
    assert_allclose(mirrored, -straight, atol=1e-9)
    assert "the sign of the start row is positive" in L1KernelPCA.__doc__


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_start_row_is_positive_with_the_start_of_the_paper(X, kernel):
    """The row with the largest sum_i |K_ij| / sqrt(K_jj)."""
    pca = L1KernelPCA(1, kernel=kernel, gamma=0.01, start="column", center=False).fit(X)
    K = X @ X.T if kernel == "linear" else rbf_kernel(X, gamma=0.01)
    row = np.argmax(np.abs(K).sum(axis=0) / np.sqrt(K.diagonal()))
    assert pca.signs_[0, row] == 1
    assert pca.transform(X)[row, 0] > 0


@pytest.mark.parametrize("seed", range(5))
def test_linear_kernel_is_pca_l1(seed):
    """On centered rows, from the same start: the same loadings and scores."""
    X = low_rank_rows(np.random.default_rng(seed), 60, 8, 4, noise=0.3) + 5

    def first_row_signs(rows):
        merits = np.abs(rows @ rows.T).sum(axis=0) / np.linalg.norm(rows, axis=1)
        return signs(rows @ rows[merits.argmax()], np.ones(len(rows)))

    loadings, scores = pca_l1(X - X.mean(axis=0), first_row_signs, 4)
    pca = L1KernelPCA(4, solver="fixed_point", start="column").fit(X)
    assert_allclose(pca.components_, loadings, atol=1e-8)
    assert_allclose(pca.transform(X), scores.T, atol=1e-8)


# The paper's data.  Of the six sets the four small ones run here.

N_COMPONENTS = 10
SETS = ("wbc", "ionosphere", "breastw", "cardio")


@cache
def posed(path, kernel):
    """Rows, kernel matrix, and the signs that a plain Algorithm 1 finds."""
    with np.load(path, allow_pickle=False) as file:
        X = standardized(file["X"])
    n, d = X.shape
    K = linear_kernel(X) if kernel == "linear" else rbf_kernel(X, gamma=1 / (2 * d**2))
    return X, K, algorithm_1(K, min(N_COMPONENTS, d if kernel == "linear" else n))


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize(
    ("gram", "way"),
    [
        ("auto", "compiled"), ("auto", "plain"), ("dense", "plain"), ("blocked", "compiled"),
        ("precomputed", "compiled"),
    ],
    indirect=["way"],
)  # fmt: skip
@pytest.mark.usefixtures("way")
def test_algorithm_1_finds_the_signs_of_a_plain_loop(data_dir, name, kernel, gram):
    """Where columns of both orientations tie for the start, rounding picks one of them."""
    X, K, expected = posed(data_dir / f"{name}.npz", kernel)
    settings = {"solver": "fixed_point", "start": "column", "center": False, "gamma": "paper"}
    if gram == "precomputed":
        pca = L1KernelPCA(len(expected), kernel="precomputed", **settings).fit(K)
    else:
        pca = L1KernelPCA(len(expected), kernel=kernel, gram=gram, **settings).fit(X)
    objectives, scale = [], K.diagonal().max()
    for ours, theirs in zip(pca.signs_, expected, strict=True):
        mirrored = -1 if np.array_equal(ours, -theirs) and start_is_a_tie(K, theirs, scale) else 1
        assert_array_equal(mirrored * ours, theirs)
        objectives.append(np.sqrt(theirs @ K @ theirs))
        K = deflated(K, theirs)
    assert_allclose(pca.objective_, objectives, rtol=1e-9)


def start_is_a_tie(K, c, scale):
    """Whether columns that rounding cannot tell apart as starts point both ways along c.

    In the last component of the linear kernel K has rank one, and all columns are equally good.
    """
    merits = np.abs(K).sum(axis=0) / np.sqrt(K.diagonal())
    noise = 4 * np.finfo(float).eps * scale / K.diagonal()
    best = merits * (1 + noise) >= (merits * (1 - noise)).max()
    return len(set(np.sign(c @ K[:, best]))) == 2


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("start", ["auto", "column"])
def test_the_default_search_is_no_worse_than_algorithm_1(data_dir, name, kernel, start):
    """The first component by no more than a few percent, the captured norms on the whole."""
    X, K, plain = posed(data_dir / f"{name}.npz", kernel)
    pca = L1KernelPCA(len(plain), kernel=kernel, gamma="paper", center=False, start=start).fit(X)
    objectives = []
    for c in plain:
        objectives.append(np.sqrt(c @ K @ c))
        K = deflated(K, c)
    assert pca.objective_[0] >= 0.98 * objectives[0]
    assert pca.objective_.sum() >= 0.98 * np.sum(objectives)
