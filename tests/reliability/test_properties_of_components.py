"""What holds for the components of any rows, by hypothesis.

The normal profile tries some dozen examples of each, ``make test-nightly`` a thousand.
"""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from l1kpca import L1KernelPCA, peers, tuning
from l1kpca.directions import LpNorm
from l1kpca.optimality import certify, exact
from oracles import best_by_enumeration
from reliability.drawn import settings_of_l1, settings_of_pca, tables

pytestmark = [
    pytest.mark.filterwarnings("ignore:n_components=. exceeds the rank of the data"),
    pytest.mark.filterwarnings("ignore:.*stopped at a poor fixed point"),
]


# Of the examples, half for each way.
HALF = settings(max_examples=settings().max_examples // 2)


@pytest.fixture(scope="module", autouse=True, params=["compiled", "plain"])
def way(request):
    """Few rows are searched in compiled calls; here also in the plain way of many rows."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "plain":
            patch.setattr(tuning, "SMALL_ROWS", 0)
        yield


def trusted(pca):
    """Components of which more than rounding error is left."""
    large = pca.explained_variance_ratio_ > 1e-6
    if isinstance(pca, peers.JointL1KernelPCA):
        # Each is a mixture of all directions of their space: as good as the least of these.
        K = pca.training_gram().apply(np.eye(len(pca.dual_components_)))
        spread = np.linalg.svd(K @ pca.dual_components_, compute_uv=False) ** 2
        return large & bool((spread > 1e-6 * spread.sum()).all())
    return large


def check_components(pca, X):
    """Finite, orthonormal, scores = K A, shares of one; returns the scores of the fit."""
    scores = clone(pca).fit_transform(X)
    again = pca.fit(X).transform(X)
    for values in (scores, again, pca.dual_components_, pca.objective_, pca.explained_variance_):
        assert np.isfinite(values).all()
    large, size = trusted(pca), np.abs(scores).max(initial=0)
    assert_allclose(again[:, large], scores[:, large], atol=1e-5 * size)
    A = pca.dual_components_[:, large]
    assert_allclose(A.T @ scores[:, large], np.eye(large.sum()), atol=1e-5)
    K = pca.training_gram().apply(np.eye(len(X)))
    assert_allclose((K @ A), scores[:, large], atol=1e-5 * size)
    assert pca.explained_variance_ratio_.sum() <= 1 + 1e-6
    assert_allclose(np.abs(scores).sum(axis=0), pca.objective_, rtol=1e-6, atol=1e-9 * size)
    assert pca.n_components_ <= len(X)
    return scores


@HALF
@given(X=tables(), settings=settings_of_l1())
def test_l1_kernel_pca_is_finite_and_orthonormal(X, settings):
    check_components(L1KernelPCA(**settings), X)


@HALF
@given(X=tables(), settings=settings_of_pca(), name=st.sampled_from(peers.__all__))
def test_peers_are_finite_and_orthonormal(X, settings, name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        check_components(getattr(peers, name)(**settings), X)


@HALF
@given(X=tables(max_rows=25), settings=settings_of_l1(), bound=st.integers(1, 5))
def test_searches_keep_to_their_bound_and_never_fall(X, settings, bound):
    if isinstance(settings["solver"], LpNorm):
        settings |= {"solver": LpNorm(1.5, max_iter=bound)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        pca = L1KernelPCA(**settings | {"max_iter": bound}).fit(X)
    # "polished" takes sign steps within the bound, and flips, of which the first that lead to a
    # one-flip optimum are at most 20 for each row.
    flips = 20 * len(X) if settings["solver"] == "polished" else 0
    assert pca.n_iter_ <= bound + flips
    largest = max((np.abs(trace).max() for trace in pca.objective_trace_), default=0.0)
    for trace, large in zip(pca.objective_trace_, trusted(pca), strict=True):
        if large:
            assert (np.diff(trace) >= -1e-9 * largest).all()


@HALF
@given(X=tables(min_rows=2), settings=settings_of_l1())
def test_the_last_value_of_a_search_is_the_squared_objective(X, settings):
    pca = L1KernelPCA(**settings | {"solver": "polished"}).fit(X)
    for trace, objective, large in zip(
        pca.objective_trace_, pca.objective_, trusted(pca), strict=True
    ):
        if large:
            assert trace[-1] == pytest.approx(objective**2, rel=1e-5)


@HALF
@given(X=tables(), new=tables(max_rows=6), settings=settings_of_l1())
def test_rows_are_projected_one_by_one_as_together(X, new, settings):
    new = np.resize(new, (len(new), X.shape[1]))
    pca = L1KernelPCA(**settings).fit(X)
    together = pca.transform(new)
    alone = np.vstack([pca.transform(row[np.newaxis]) for row in new])
    assert np.isfinite(together).all()
    large = trusted(pca)
    size = np.abs(together[:, large]).max(initial=1.0)
    assert_allclose(alone[:, large], together[:, large], atol=1e-6 * size)


@HALF
@given(X=tables(min_rows=2, max_rows=9), settings=settings_of_l1())
def test_bounds_are_above_what_is_reached_and_the_optimum_between(X, settings):
    pca = L1KernelPCA(**settings | {"n_components": 1, "solver": "polished"}).fit(X)
    if pca.n_components_ == 0:
        return
    found = certify(pca)
    best = exact(pca)
    K = pca.training_gram().apply(np.eye(len(X)))
    optimum, _ = best_by_enumeration(K)
    slack = 1e-6 * optimum
    assert found.value[0] <= optimum + slack
    assert best.value == pytest.approx(optimum, rel=1e-6)
    assert optimum <= found.upper_bound[0] + slack
    assert pca.objective_[0] ** 2 <= optimum + slack


@HALF
@given(X=tables(min_rows=2), settings=settings_of_l1(), other=settings_of_l1())
def test_parameters_go_round(X, settings, other):
    """get_params, set_params and clone lead to the same components, whatever was fitted before."""
    first = L1KernelPCA(**settings)
    assert {name: first.get_params()[name] for name in settings} == settings
    second = L1KernelPCA(**other).fit(X).set_params(**settings)
    third = clone(first)
    expected = first.fit(X).dual_components_
    assert_array_equal(second.fit(X).dual_components_, expected)
    assert_array_equal(third.fit(X).dual_components_, expected)


@HALF
@given(X=tables(min_rows=2), center=st.sampled_from([True, False, "median"]))
def test_the_linear_kernel_goes_back_and_forth(X, center):
    pca = L1KernelPCA(center=center).fit(X)
    scores = pca.transform(X)
    rows = pca.inverse_transform(scores)
    size = np.abs(X).max(initial=1.0)
    assert_allclose(rows, X, atol=1e-4 * size)
    large = trusted(pca)
    assert_allclose(pca.transform(rows)[:, large], scores[:, large], atol=1e-4 * size)


@HALF
@given(X=tables(), settings=settings_of_l1())
def test_a_kernel_matrix_gives_what_its_kernel_gives(X, settings):
    settings = settings | {"start": "column", "gamma": 0.1, "degree": 2, "gram": "auto"}
    by_rows = L1KernelPCA(**settings | {"gram": "dense"}).fit(X)
    bare = L1KernelPCA(**settings | {"center": False, "gram": "dense"}).fit(X)
    K = bare.training_gram().apply(np.eye(len(X)))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="the Gram matrix is not positive semidefinite")
        given_matrix = L1KernelPCA(**settings | {"kernel": "precomputed"}).fit((K + K.T) / 2)
    if by_rows.n_components_ and given_matrix.n_components_:
        assert given_matrix.objective_[0] == pytest.approx(by_rows.objective_[0], rel=1e-2)
