"""Rows of few columns: centered and deflated in their own space, and signs that are followed."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from doubles import CountingGram
from l1kpca import L1KernelPCA, tuning
from l1kpca.directions import BitFlip, SignIteration, Then
from l1kpca.gram.factor import FactorGram
from l1kpca.gram.followed_factor import FollowedFactor
from l1kpca.kernels import Kernel
from l1kpca.threads import Workers

FINDERS = (SignIteration(), SignIteration(momentum=True))
EVERY = np.ones(1, dtype=bool)


@pytest.fixture(autouse=True)
def many_rows(monkeypatch):
    """Few rows are searched as many rows are."""
    monkeypatch.setattr(tuning, "SMALL_ROWS", 0)


def linear(X, threads=1):
    return FactorGram(X, Workers(threads), Kernel("linear"))


def rows(n=300, d=5, seed=0, dtype="float64"):
    X = np.random.default_rng(seed).normal(size=(n, d)) / np.sqrt(np.arange(1, d + 1)) + 0.2
    return X.astype(dtype)


def left_by_components(X, count, center=True, threads=1):
    """The centered Gram of the rows, some components taken out of it."""
    gram = linear(X, threads)
    gram = gram.center(np.full(len(X), 1 / len(X), X.dtype)) if center else gram
    pca = L1KernelPCA(count or 1, center=center).fit(X)
    for a in pca.dual_components_.T[:count].astype(X.dtype):
        gram = gram.without(a, gram.apply(a))
    return gram


# The rows themselves.


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("count", [0, 1, 3, 5])
def test_what_deflation_leaves_of_the_rows(count, center):
    """Their projections on the complement of the directions that were taken out."""
    X = rows()
    gram = left_by_components(X, count, center)
    X = X - X.mean(axis=0) if center else X
    W = gram.directions
    left = X - X @ W.T @ W
    assert_allclose(W @ W.T, np.eye(count), atol=1e-12)
    assert_allclose(gram.columns(np.arange(300)), left @ left.T, atol=1e-10)
    assert_allclose(gram.diagonal(), (left**2).sum(axis=1), atol=1e-10)
    v = np.cos(np.arange(300))
    b = gram.reduce(v)
    assert_allclose(b, left.T @ v, atol=1e-9)
    assert_allclose(gram.expand(b), left @ (left.T @ v), atol=1e-9)


@pytest.mark.parametrize("offset", [0.0, 1e5])
def test_the_mean_is_taken_off_the_rows_only_where_it_is_large(offset):
    """A small one is taken off the products, without a copy of the rows; digits are kept."""
    X = np.random.default_rng(8).normal(size=(50, 3)) + offset
    gram = linear(X).center(np.full(50, 1 / 50))
    assert (gram.F is X) == (offset == 0)
    expected = (X - X.mean(axis=0)) @ (X - X.mean(axis=0)).T
    assert_allclose(gram.columns(np.arange(50)), expected, atol=1e-15 * max(offset, 10) * 10)


def test_a_row_far_off_costs_the_others_no_digits():
    X = np.random.default_rng(8).normal(size=(50, 3))
    X[0] = 1e9
    gram = linear(X).center(np.full(50, 1 / 50))
    assert gram.F is not X
    again = gram.center(np.append(0, np.full(49, 1 / 49)))
    shifted = X[1:] - X[1:].mean(axis=0)
    found = again.columns(np.arange(1, 50), rows=np.arange(1, 50))
    assert_allclose(found, shifted @ shifted.T, atol=1e-5)


def test_rows_on_disk_are_not_copied(tmp_path):
    np.save(tmp_path / "rows.npy", rows() + 100)
    X = np.load(tmp_path / "rows.npy", mmap_mode="r")
    assert linear(X).center(np.full(300, 1 / 300)).F is X


# Signs that are followed.


def flips_to(followed, b):
    """The rows that flip in the step of the only search to the signs of G b."""
    step = followed._steps_to({0: b})[0]
    if step is None:
        return np.empty(0, dtype=int)
    rows, change = step
    expected = followed.gram.reduce(-2 * followed.signs[0][rows], at=rows)
    assert_allclose(change, expected, atol=1e-4 * np.abs(expected).max())
    return rows


@given(
    seed=st.integers(0, 1000),
    steps=st.lists(st.floats(-8, 1), min_size=1, max_size=12),
    dtype=st.sampled_from(["float64", "float32"]),
)
def test_signs_are_known_wherever_the_vector_goes(seed, steps, dtype):
    """By steps of any size, some back and forth; entries near zero are as they come out."""
    rng = np.random.default_rng(seed)
    X = rows(200, 4, seed, dtype)
    X[rng.integers(200, size=3)] = 0
    c = np.where(rng.normal(size=200) < 0, -1, 1).astype(dtype)
    followed = FollowedFactor(linear(X), c[:, np.newaxis])
    b = rng.normal(size=4).astype(dtype)
    for step in steps:
        b = b + (10.0**step * rng.normal(size=4)).astype(dtype)
        found = np.isin(np.arange(200), flips_to(followed, b))
        image = X.astype(float) @ b.astype(float)
        sure = np.abs(image) > 1e-5 * np.abs(b).max()
        assert_array_equal(found[sure], (image * followed.signs[0] < 0)[sure])
        assert not found[np.all(X == 0, axis=1)].any()
        followed.flip([np.unique(rng.integers(200, size=20))])


@pytest.mark.parametrize("finder", FINDERS, ids=repr)
@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_search_takes_the_same_steps(finder, count):
    """As one that computes every entry of K c."""
    gram = left_by_components(rows(900, 6), count)
    starts = np.random.default_rng(1).choice([-1.0, 1.0], (900, 4))
    followed = finder.find(gram, starts)
    whole = finder.find(CountingGram(gram), starts)
    for one, other in zip(followed, whole, strict=True):
        assert_array_equal(one.coef, other.coef)
        assert_allclose(one.trace, other.trace, rtol=1e-12)
        assert one.status == other.status
        assert_allclose(one.image, other.image, atol=1e-10 * np.abs(other.image).max())


@pytest.mark.parametrize("finder", FINDERS, ids=repr)
def test_a_search_in_single_precision_ends_at_a_fixed_point(finder):
    gram = left_by_components(rows(900, 6, dtype="float32"), 2)
    start = np.random.default_rng(1).choice(np.array([-1, 1], "float32"), (900, 1))
    found = finder.find(gram, start)[0]
    assert found.coef.dtype == found.image.dtype == "float32"
    size = np.abs(found.image).max()
    assert_allclose(found.image, gram.apply(found.coef), atol=1e-4 * size)
    assert (found.image * found.coef >= -1e-4 * size).all()
    assert found.trace[-1] == pytest.approx(found.value, rel=1e-4)


def test_rows_whose_squares_vanish_have_signs_too():
    X = np.random.default_rng(4).normal(size=(50, 3))
    X[::5] *= 1e-200
    start = np.where(np.arange(50) % 2, -1.0, 1.0)[:, np.newaxis]
    found = SignIteration().find(linear(X), start)[0].coef
    assert_array_equal(found, SignIteration().find(CountingGram(linear(X)), start)[0].coef)
    assert (found != start[:, 0]).sum() > 10


def test_most_rows_are_left_alone():
    """A small step computes only entries near zero anew."""
    X = np.random.default_rng(3).normal(size=(20_000, 10))
    X.flags.writeable = False
    b, c = np.ones(10), np.where(X.sum(axis=1) < 0, -1.0, 1.0)
    followed = FollowedFactor(linear(X), c[:, np.newaxis])
    flips_to(followed, b)
    path = followed._paths[0]
    shortness, sure = path.seen
    before = sure.copy()
    moved = b + 1e-3
    flips_to(followed, moved)
    computed = sure != before
    assert 0 < computed.mean() < 0.01
    # The sign is sure as far as b may move, or less, by what rounding may hide.
    exact = (X @ moved)[computed]
    way = (path.length + np.abs(exact) * shortness[computed]) * (exact * c[computed] > 0)
    assert (sure[computed] <= way * (1 + 1e-12)).all()
    assert_allclose(sure[computed], way, atol=0.05)


def test_threads_change_no_bit():
    X = np.random.default_rng(2).normal(size=(40_000, 7))
    start = np.where(X[:, :1] < 0.3, -1.0, 1.0)
    found = [SignIteration().find(left_by_components(X, 1, threads=k), start)[0] for k in (1, 2, 3)]
    for other in found[1:]:
        assert_array_equal(other.image, found[0].image)
        assert other.trace == found[0].trace


@pytest.mark.parametrize("shift", [0.0, 3.0])
@pytest.mark.parametrize("unit", [1e-40, 1.0, 1e40])
def test_rounded_rows_are_a_screen_and_change_no_sign(shift, unit):
    """Also where rows have the size at which single precision fails, or nearly vanish."""
    X = np.random.default_rng(0).normal(size=(300, 7)) + shift
    X[:20] *= 1e-9
    X[20:25] = X[25:30] * (1 + 1e-12)
    X *= unit
    gram = FactorGram(X, Workers(), Kernel("linear")).center(np.full(300, 1 / 300))
    starts = np.random.default_rng(1).choice([-1.0, 1.0], (300, 3))
    exact = FactorGram(X, Workers(), Kernel("linear")).center(np.full(300, 1 / 300))
    nothing = np.zeros((300, 7), np.int8), np.zeros(300), np.full(300, np.inf)
    vars(exact)["rounded"] = nothing
    finder = Then(SignIteration(momentum=True), BitFlip())
    for one, other in zip(finder.find(gram, starts), finder.find(exact, starts), strict=True):
        assert_array_equal(one.coef, other.coef)
        assert one.trace == other.trace


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("width", [1, 7, 300])
def test_rounded_rows_miss_no_more_of_a_product_than_the_bound_says(width, dtype):
    rng = np.random.default_rng(5)
    F = (rng.normal(size=(60, width)) * 10.0 ** rng.integers(-30, 30, (60, 1))).astype(dtype)
    F[3], F[5] = 0, 1e30
    F[4] = np.float64(1e-300) if dtype == "float64" else 1e-40
    thin, units, errors = linear(F).rounded
    vanish = np.abs(F.astype(float)).max(axis=1) < 1e-290
    assert_array_equal(np.isinf(errors), vanish)
    unit = rng.normal(size=(width, 40))
    unit /= np.linalg.norm(unit, axis=0)
    unit[:, :2] = F[[5, 6]].T.astype(float) / np.linalg.norm(F[[5, 6]].astype(float), axis=1)
    product = units[:, np.newaxis] * (thin.astype(np.float32) @ unit.astype(np.float32))
    missed = np.abs(product - F.astype(float) @ unit).max(axis=1)
    assert (missed[~vanish] <= errors[~vanish]).all()
    assert (errors <= 1e-3 * np.abs(F.astype(float)).max(axis=1) * np.sqrt(width))[~vanish].all()


def test_rows_on_disk_have_no_second_copy(tmp_path):
    X = np.memmap(tmp_path / "X", float, "w+", shape=(50, 3))
    X[:] = np.random.default_rng(0).normal(size=(50, 3))
    gram = FactorGram(X, Workers(), Kernel("linear"))
    assert gram.rounded[0].nbytes == 0
    assert np.isinf(gram.rounded[2]).all()


def test_rows_of_many_sparse_columns_stay_sparse():
    """A thousand dense rows of this width would take 800 MB."""
    rows = np.repeat(np.arange(1500), 10)
    columns = np.random.default_rng(0).integers(100_000, size=15_000)
    X = sparse.csr_array((np.ones(15_000), (rows, columns)), shape=(1500, 100_000))
    tracemalloc.start()
    model = L1KernelPCA(2, random_state=0).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.gram_.name == "factor"
    assert peak < 200e6
