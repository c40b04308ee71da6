"""A stored K: evaluated once, half of it; written out or not; never changed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from contracts.grams import KERNELS, rows, written_up_to
from doubles import CountingBlocks
from l1kpca import L1KernelPCA, tuning
from l1kpca.gram.base import Minus
from l1kpca.gram.stored import StoredGram, balanced_lanes, kernel_matrix
from l1kpca.kernels import kernel_blocks
from l1kpca.threads import Workers


def matrix(n=60, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, n))
    return X @ X.T / n


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("tile", [7, 1000])
def test_the_kernel_matrix_is_symmetric_to_the_last_bit(name, tile, monkeypatch):
    monkeypatch.setattr(tuning, "TILE_SIDE", tile)
    X = rows(31, "float64")
    K = kernel_matrix(kernel_blocks(X, KERNELS[name]), Workers())
    assert_array_equal(K, K.T)
    assert_allclose(K, KERNELS[name](X, X), atol=1e-12 * np.abs(K).max())
    assert_array_equal(K.diagonal(), KERNELS[name].diagonal(X))


@pytest.mark.parametrize("n_tiles", [1, 2, 31, 32, 33, 64, 100, 1000])
def test_lanes_hold_every_row_of_tiles_once(n_tiles):
    lanes = balanced_lanes(n_tiles)
    assert sorted(i for lane in lanes for i in lane) == list(range(n_tiles))
    assert len(lanes) <= tuning.MAX_LANES
    areas = [sum(n_tiles - i for i in lane) for lane in lanes]
    assert max(areas) - min(areas) <= n_tiles


@pytest.mark.parametrize("changed", [{}, {"rows": 59}, {"terms": 15}, {"spare": 1.9}])
def test_many_terms_of_few_rows_are_written_out_where_there_is_room(changed):
    """For the copy of before, and one more."""
    sizes = {"rows": 60, "terms": tuning.MANY_SCORES, "spare": 2} | changed
    K, left = matrix(), np.random.default_rng(1).normal(size=(sizes["terms"], 60))
    with written_up_to(sizes["rows"]):
        gram = StoredGram(K.copy(), Workers(), spare=sizes["spare"] * K.nbytes)
        less = gram.minus(left, left)
    assert isinstance(less, Minus if changed else StoredGram)
    assert_allclose(less.columns(np.arange(60)), K - left.T @ left, atol=1e-12)
    assert_array_equal(gram.K, K)


def test_what_the_user_gives_is_never_written_to():
    K = matrix()
    K.flags.writeable = False
    for small_rows in (0, 1000):
        with written_up_to(small_rows):
            pca = L1KernelPCA(20, kernel="precomputed", start="column").fit(K)
    assert pca.n_components_ == 20


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("small_rows", [0, 1000])
def test_the_layout_in_memory_does_not_matter(order, small_rows):
    K, v = matrix(), np.cos(np.arange(60))
    with written_up_to(small_rows):
        gram = StoredGram(np.array(K, order=order), Workers())
        assert_allclose(gram.apply(v), K @ v, atol=1e-12)
        assert_allclose(gram.minus(v[np.newaxis], v[np.newaxis]).apply(v), K @ v - v * (v @ v))
        assert_allclose(gram.column_l1(), np.abs(K).sum(axis=0), atol=1e-12)


def test_known_sums_save_the_pass_of_centering(monkeypatch):
    """Of equal weights alone."""
    K = matrix()
    gram, known = StoredGram(K, Workers()), StoredGram(K, Workers(), row_sums=K.sum(axis=1))
    equal, other = np.full(60, 1 / 60), np.arange(60) / np.arange(60).sum()
    for weights in (equal, other):
        expected = gram.center(weights).columns(np.arange(60))
        assert_allclose(known.center(weights).columns(np.arange(60)), expected, atol=1e-12)
    monkeypatch.setattr(StoredGram, "apply", None)
    known.center(equal)
    with pytest.raises(TypeError):
        known.center(other)


def test_many_scores_are_taken_off_a_copy_that_is_kept_while_there_is_room():
    K, scores = matrix(), np.random.default_rng(2).normal(size=(40, 60)) / 60
    for spare in (0, K.nbytes - 1, K.nbytes):
        gram = StoredGram(K, Workers(), spare=spare)
        for count in (1, 15, 16, 17, 40, 3):
            C = scores[:count]
            expected = np.abs(K - C.T @ C).sum(axis=0)
            assert_allclose(gram.column_l1((C, C)), expected, atol=1e-11)
        assert (gram._column_sums is not None) == (spare == K.nbytes)


def test_a_memory_limit_holds_for_the_copy_too():
    K = matrix()
    settings = {"kernel": "precomputed", "start": "column"}
    models = [L1KernelPCA(30, **settings, memory_limit=limit).fit(K) for limit in (K.nbytes, 1000)]
    for model, kept in zip(models, (True, False), strict=True):
        gram = model.training_gram().gram
        gram.column_l1((K[:20], K[:20]))
        assert (gram._column_sums is not None) == kept
    assert_allclose(models[0].objective_, models[1].objective_, rtol=1e-8)


@pytest.mark.usefixtures("way")
def test_many_components_are_those_of_a_matrix_that_is_not_stored():
    X = np.random.default_rng(1).normal(size=(80, 6))
    settings = {"kernel": "rbf", "solver": "fixed_point", "start": "column"}
    stored = L1KernelPCA(50, gram="dense", **settings).fit(X)
    computed = L1KernelPCA(50, gram="blocked", **settings).fit(X)
    assert_allclose(stored.objective_, computed.objective_, rtol=1e-8)
    assert_array_equal(stored.signs_, computed.signs_)


def test_one_product_looks_at_half_of_the_matrix(make_rows):
    n = 3000
    gram = CountingBlocks(kernel_blocks(make_rows(n), KERNELS["rbf"]), Workers(), tuning.TILE_SIDE)
    for product in (lambda: gram.apply(np.ones(n)), gram.column_l1):
        gram.entries = 0
        product()
        assert gram.entries <= 0.6 * n**2
