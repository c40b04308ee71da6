"""Eigenpairs through products, columns or the whole matrix, against numpy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from contracts.finders import held, problem
from doubles import CountingGram
from l1kpca.components.spectrum import (
    leading_count,
    leading_pairs,
    low_rank_factor,
    whole_matrix,
)
from oracles import low_rank_rows

MEMORY = 10**9


@pytest.mark.parametrize("name", ["linear", "wide", "narrow", "laplacian", "ties", "contaminated"])
@pytest.mark.parametrize("n", [5, 60, 300])
def test_all_pairs_make_up_the_matrix(name, n):
    K, _ = problem(name, n, 0)
    values, vectors = leading_pairs(held(K), len(K), MEMORY)
    size = np.abs(K).max()
    assert_allclose((vectors * values) @ vectors.T, K, atol=1e-11 * n * size)
    assert_allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-10)
    assert (np.diff(values) <= 0).all()


@pytest.mark.parametrize("name", ["linear", "wide", "narrow", "ties"])
@pytest.mark.parametrize("n", [60, 300])
@pytest.mark.parametrize("count", [1, 7, 100])
def test_leading_pairs_are_the_first_of_all(name, n, count):
    K, _ = problem(name, n, 1)
    everything, _ = leading_pairs(held(K), len(K), MEMORY)
    values, vectors = leading_pairs(held(K), count, MEMORY)
    assert len(values) == min(count, len(everything))
    assert_allclose(values, everything[:count], rtol=1e-8, atol=1e-12 * n)
    assert_allclose(K @ vectors, vectors * values, atol=1e-9 * n)


def test_an_indefinite_matrix_gives_its_positive_part():
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.normal(size=(80, 80)))[0]
    values = np.r_[3.0, 2.0, 1.0, np.zeros(74), -1.0, -2.0, -4.0]
    K = (Q * values) @ Q.T
    K = (K + K.T) / 2
    assert low_rank_factor(held(K), 80) is None
    assert_allclose(leading_pairs(held(K), len(K), MEMORY)[0], [3, 2, 1], atol=1e-12)
    # Its diagonal can vanish while the matrix does not.
    swap = np.kron(np.eye(40), [[0.0, 1.0], [1.0, 0.0]])
    assert low_rank_factor(held(swap), 80) is None
    assert_allclose(leading_pairs(held(swap), len(swap), MEMORY)[0], np.ones(40), atol=1e-12)


@pytest.mark.parametrize("unit", [1e-6, 1, 1e6])
def test_low_rank_needs_one_column_for_each_rank(unit):
    X = unit * low_rank_rows(np.random.default_rng(0), 200, 30, 6)
    gram = CountingGram(held(X @ X.T))
    assert low_rank_factor(gram, 20).shape == (6, 200)
    assert gram.calls["columns"] == 6
    assert gram.calls["full products"] == 1
    assert low_rank_factor(gram, 5) is None
    for enough in (6, 7):
        G = low_rank_factor(gram, enough)
        assert_allclose(G.T @ G, X @ X.T, atol=1e-10 * np.abs(X @ X.T).max())


@pytest.mark.parametrize("n", [199, 200, 201, 300])
def test_every_way_of_decomposing_gives_the_same(n):
    """Through products or the whole matrix, as the number of rows and of pairs decides."""
    K, _ = problem("narrow", n, 2)
    expected = np.sort(np.linalg.eigvalsh(K))[::-1]
    for count in (1, n // 4 - 1, n // 4, n // 4 + 1, n // 2 - 1, n // 2, n // 2 + 1, n):
        values, vectors = leading_pairs(held(K), count, MEMORY)
        few = min(count, len(values))
        assert_allclose(values, expected[:few], rtol=1e-7, atol=1e-12 * n)
        assert expected[few:count].max(initial=0) <= 1e-9 * expected[0]
        assert_allclose(vectors.T @ vectors, np.eye(few), atol=1e-9)


def test_few_pairs_of_many_rows_need_products_alone():
    K, _ = problem("narrow", 400, 0)
    gram = CountingGram(held(K))
    leading_pairs(gram, 5, memory=0)
    assert gram.calls["columns"] <= 2 * 5


@pytest.mark.parametrize("share", [0.01, 0.5, 0.9, 0.9999])
@pytest.mark.parametrize("name", ["wide", "narrow", "centered linear"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 60])
def test_leading_count(n, name, share):
    K, _ = problem(name, n, 0)
    values = np.sort(np.linalg.eigvalsh(K))[::-1]
    expected = int(np.argmax(np.cumsum(values) >= share * np.trace(K))) + 1
    assert leading_count(held(K), share, MEMORY) == expected


def test_whole_matrix_is_new_and_equal():
    K, _ = problem("wide", 300, 0)
    copy = whole_matrix(held(K), MEMORY)
    assert_allclose(copy, K, atol=0)
    assert not np.shares_memory(copy, K)


def test_whole_matrix_must_fit():
    K, _ = problem("wide", 30, 0)
    message = (
        r"memory_limit=7199 bytes is too small for the 30 x 30 matrix that this method decomposes:"
        r" allow at least 7200 bytes, or use L1KernelPCA"
    )
    with pytest.raises(ValueError, match=message):
        whole_matrix(held(K), 7199)
    assert_allclose(whole_matrix(held(K), 7200), K, atol=0)
