"""Ranks, and data with little or nothing in it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

from l1kpca import L1KernelPCA
from l1kpca.directions.starts import STARTS
from l1kpca.gram.choose import Nystroem
from oracles import low_rank_rows

HELD = [
    {"gram": "factor"},
    {"gram": "dense"},
    {"gram": "blocked"},
    {"gram": "nystroem"},
    {"kernel": "rbf", "gram": "dense"},
    {"kernel": "rbf", "gram": "blocked"},
    {"kernel": "rbf", "gram": "nystroem"},
    {"kernel": "poly"},
    {"kernel": "laplacian"},
    {"kernel": "cosine"},
]


def finite(pca, X):
    """Every fitted number is finite; returns the scores."""
    scores = pca.transform(X)
    for array in (scores, pca.dual_components_, pca.objective_, pca.explained_variance_ratio_):
        assert np.isfinite(array).all()
    assert scores.shape == (X.shape[0], pca.n_components_)
    return scores


# The rank.


@pytest.mark.parametrize("settings", HELD[:4], ids=str)
@pytest.mark.parametrize("rank", [1, 3])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_all_components_are_as_many_as_the_rank(settings, rank, dtype):
    X = low_rank_rows(np.random.default_rng(0), 60, 12, rank) + 3
    pca = L1KernelPCA(**settings).fit(X.astype(dtype))
    assert pca.n_components_ == rank
    assert pca.explained_variance_ratio_.sum() == pytest.approx(1, rel=1e-3)


@pytest.mark.parametrize("offset", [1e3, 1e6])
@pytest.mark.parametrize("settings", HELD[:3], ids=str)
def test_rows_far_from_the_origin(settings, offset):
    """The errors that centering leaves behind are not taken for components."""
    X = low_rank_rows(np.random.default_rng(1), 50, 6, 2) + offset
    pca = L1KernelPCA(start="column", **settings).fit(X)
    near = L1KernelPCA(start="column").fit(X - offset)
    assert pca.n_components_ == 2
    assert_allclose(pca.objective_, near.objective_, rtol=1e-3)


def test_a_very_wide_kernel_has_no_components_of_noise():
    """exp(-gamma d^2) is 1 - gamma d^2: after centering, few digits are left."""
    X = np.random.default_rng(2).normal(size=(40, 3))
    pca = L1KernelPCA(kernel="rbf", gamma=1e-10).fit(X)
    assert 1 <= pca.n_components_ <= 3
    linear = L1KernelPCA(1).fit(X)
    ratio = pca.objective_[0] / np.sqrt(2e-10) / linear.objective_[0]
    assert ratio == pytest.approx(1, abs=1e-2)


@pytest.mark.parametrize("scale", [1e-140, 1e-100, 1e-30, 1e30, 1e100, 1e140])
def test_the_scale_of_the_rows_does_not_matter(scale):
    X = low_rank_rows(np.random.default_rng(3), 30, 5, 3)
    unit, scaled = L1KernelPCA().fit(X), L1KernelPCA().fit(X * scale)
    assert scaled.n_components_ == 3
    assert_allclose(scaled.objective_ / scale, unit.objective_, rtol=1e-9)


# Data with nothing, or little, in it.


@pytest.mark.parametrize("settings", HELD, ids=str)
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("value", [0.0, 0.1, 7.3, -1e8])
def test_all_rows_equal(settings, start, value):
    X = np.full((6, 3), value)
    pca = L1KernelPCA(start=start, random_state=0, **settings).fit(X)
    assert pca.n_components_ == 0
    assert finite(pca, X).shape == (6, 0)
    assert pca.total_variance_ == pytest.approx(0, abs=1e-14 * max(value**6, 1))
    assert pca.signs_.shape == (0, 6)
    assert list(pca.get_feature_names_out()) == []


@pytest.mark.parametrize("settings", HELD, ids=str)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_equal_rows_that_are_asked_for_a_component(settings, dtype):
    X = np.full((20, 3), 0.1, dtype=dtype)
    with pytest.warns(UserWarning, match="n_components_=0") as seen:
        pca = L1KernelPCA(2, random_state=0, **settings).fit(X)
    assert len(seen) == 1
    assert pca.n_components_ == 0


@pytest.mark.parametrize("settings", HELD, ids=str)
@pytest.mark.parametrize("start", STARTS)
def test_one_row_and_two(settings, start):
    X = np.random.default_rng(7).normal(size=(2, 3))
    pca = L1KernelPCA(start=start, random_state=0, **settings)
    assert pca.fit(X[:1]).n_components_ == 0
    finite(pca, X)
    pca.fit(X)
    assert pca.n_components_ == 1
    scores = finite(pca, X)
    assert_allclose(scores[0], -scores[1])
    bare = L1KernelPCA(center=False, start=start, random_state=0, **settings).fit(X[:1])
    assert bare.n_components_ == 1


@pytest.mark.parametrize("settings", HELD, ids=str)
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("center", [True, False, "median"])
def test_zero_rows_duplicate_rows_and_constant_columns(settings, start, center):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(24, 4))
    X[5:8] = 0
    X[12:] = X[:12]
    X[:, 2] = 4.2 if center is not False else 0.0
    pca = L1KernelPCA(2, start=start, center=center, random_state=0, **settings).fit(X)
    scores = finite(pca, X)
    assert_allclose(scores[12:], scores[:12], atol=1e-7 * np.abs(scores).max())
    A = pca.dual_components_
    assert_allclose(A.T @ scores, np.eye(2), atol=1e-6)


@pytest.mark.parametrize("settings", [{}, {"kernel": "rbf", "fit_inverse_transform": True}])
def test_no_components_and_still_a_model(settings):
    """Equal rows: everything that can be asked of a model has an answer."""
    X = np.full((5, 3), 2.5)
    pca = L1KernelPCA(**settings).fit(X)
    assert pca.n_components_ == 0
    assert pca.transform(X).shape == (5, 0)
    assert_allclose(pca.inverse_transform(np.empty((2, 0))), np.full((2, 3), 2.5))
    assert pca.score(X) == 0.0
    assert pca.score(X + 1) == 0.0


def test_duplicates_among_landmarks():
    X = np.repeat(np.random.default_rng(9).normal(size=(4, 3)), 10, axis=0)
    for landmarks in ("random", "kmeans++"):
        pca = L1KernelPCA(kernel="rbf", gram=Nystroem(40, landmarks), random_state=0).fit(X)
        assert pca.n_components_ == 3
        finite(pca, X)


@pytest.mark.filterwarnings("ignore:.*stopped at a poor fixed point")
@given(
    n=st.integers(1, 12),
    d=st.integers(1, 5),
    scale=st.sampled_from([1e-12, 1.0, 1e9]),
    offset=st.sampled_from([0.0, 1.0, 100.0]),
    repeat=st.integers(1, 3),
    whole=st.booleans(),
    kernel=st.sampled_from(["linear", "rbf", "laplacian", "cosine", "poly"]),
    solver=st.sampled_from(["fixed_point", "polished"]),
    seed=st.integers(0, 2**16),
)
def test_any_shape_scale_tie_and_duplicate(
    n, d, scale, offset, repeat, whole, kernel, solver, seed
):
    """Fits, is finite, is orthonormal, explains at most everything, and repeats itself."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (n, d)).astype(float) if whole else rng.normal(size=(n, d))
    X = np.repeat((X + offset) * scale, repeat, axis=0)
    gamma = 1 / (d * scale**2) if kernel in ("rbf", "poly") else 1 / (d * scale)
    pca = L1KernelPCA(kernel=kernel, gamma=gamma, degree=2, solver=solver, random_state=0).fit(X)
    scores = finite(pca, X)
    p = pca.n_components_
    assert p <= max(len(X) - 1, 0)
    assert p <= n
    if kernel == "linear":
        assert p <= d
    assert pca.explained_variance_ratio_.sum() <= 1 + 1e-6
    fitted = L1KernelPCA(**pca.get_params()).fit_transform(X)
    assert fitted.shape == scores.shape
    if p:
        # Of the last components little more than rounding may be left: judge the large ones.
        large = pca.explained_variance_ratio_ > 1e-6
        gram = pca.dual_components_[:, large].T @ fitted[:, large]
        assert_allclose(gram, np.eye(large.sum()), atol=1e-6)
        assert_allclose(scores[:, large], fitted[:, large], atol=1e-5 * np.abs(fitted).max())


@given(density=st.floats(0.0, 1.0), seed=st.integers(0, 1000))
def test_sparse_rows_are_the_same_rows(density, seed):
    rng = np.random.default_rng(seed)
    X = sparse.csr_array(rng.random((20, 6)) * (rng.random((20, 6)) < density))
    dense, held = L1KernelPCA(start="column").fit(X.toarray()), L1KernelPCA(start="column").fit(X)
    count = min(dense.n_components_, held.n_components_)
    assert abs(dense.n_components_ - held.n_components_) <= 1
    assert_allclose(held.objective_[:1], dense.objective_[:1], rtol=1e-8)
    assert np.isfinite(held.transform(X)).all()
    assert count <= 6


def test_rows_of_which_only_rounding_is_left_are_not_flipped_for_ever():
    X = np.ones((17, 3))
    X[0, :2] = 0
    X[1, 0] = 0
    pca = L1KernelPCA(center=False).fit(X)
    assert pca.n_iter_ <= 5
    assert pca.status_ == ["converged"] * 3
