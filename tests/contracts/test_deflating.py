"""Scores that are taken off K for good: the same matrix, however it is held."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from contracts.grams import WRAPPED_CASES, example
from l1kpca import L1KernelPCA
from l1kpca.components.deflation import Deflation
from l1kpca.directions.fixed_point import SignFixedPoint
from l1kpca.directions.starts import STARTS
from l1kpca.gram import wrappers
from l1kpca.gram.dense import PrecomputedGram, WrittenGram
from l1kpca.gram.wrappers import Deflating
from l1kpca.threads import Workers

STORED = ("dense", "precomputed")
MANY = 16


def off(count, n, dtype="float64"):
    """Rows C of a matrix C^T C to take off."""
    return np.random.default_rng(count).normal(size=(count, n)).astype(dtype) / n


def matrix(n=60, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, n))
    return X @ X.T / n


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", WRAPPED_CASES, ids="-".join)
def test_what_is_written_is_the_difference(name, dtype):
    case = example(*name, dtype)
    n, before = case.gram.n_samples, case.gram.apply(np.eye(case.gram.n_samples))
    C = off(3, n, dtype)
    written = case.gram.written((C, C))
    assert (written is not None) == (name[0] in STORED)
    if written is None:
        return
    K = case.K - C.T @ C
    assert_allclose(written.apply(np.eye(n)), K, atol=2 * case.tolerance)
    assert_allclose(written.diagonal(), K.diagonal(), atol=2 * case.tolerance)
    assert_allclose(written.column_l1(), np.abs(K).sum(axis=0), atol=40 * n * case.tolerance)
    again = written.written((C, C))
    assert_allclose(again.columns(np.arange(n)), K - C.T @ C, atol=3 * case.tolerance)
    assert written.dtype == again.dtype == dtype
    assert_array_equal(case.gram.apply(np.eye(n)), before)


def test_the_errors_of_the_matrix_stay_behind():
    gram = PrecomputedGram(matrix(), Workers())
    values, vectors = np.linalg.eigh(matrix())
    written = gram.written(2 * ((vectors * np.sqrt(values)).T,))
    assert written.diagonal().max() < 1e-12
    assert written.rounding() == gram.rounding() > 0


@pytest.mark.parametrize("whole_passes", [0, 15, 16])
@pytest.mark.parametrize("spare", [0, 10**9])
@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 40])
def test_scores_are_taken_off_however_many_there_are(count, spare, whole_passes):
    gram, C = PrecomputedGram(matrix(), Workers()), off(count, 60)
    gram.spare = spare
    deflating = Deflating(gram, whole_passes)
    for k in range(count + 1):
        less = deflating.without(C[:k], C[:k])
        assert_is(less, matrix() - C[:k].T @ C[:k])
    written = isinstance(less.gram, WrittenGram)
    assert written == (spare > 0 and count >= MANY and whole_passes < MANY)
    assert_array_equal(gram.K, matrix())


def assert_is(gram, K):
    """The Gram of K, whatever it is asked."""
    n = len(K)
    v, at, V = np.cos(np.arange(n)), np.array([3, 50, 7]), np.eye(n)[:, ::7]
    assert_allclose(gram.apply(v), K @ v, atol=1e-12)
    for count in (0, 1, 2, 3, 4, V.shape[1]):
        assert_allclose(gram.apply(V[:, :count]), K @ V[:, :count], atol=1e-12)
    assert_allclose(gram.apply(v[at], at=at), K[:, at] @ v[at], atol=1e-12)
    assert_allclose(gram.columns(at), K[:, at], atol=1e-12)
    assert_allclose(gram.diagonal(), K.diagonal(), atol=1e-12)
    assert_allclose(gram.column_l1(), np.abs(K).sum(axis=0), atol=1e-11)
    more = v[np.newaxis] / n
    less = np.abs(K - more.T @ more).sum(axis=0)
    assert_allclose(gram.column_l1((more, more)), less, atol=1e-11)


@pytest.mark.parametrize(
    ("start", "count", "copies"),
    [("column", 16, 1), ("column", 15, 0), ("auto", 20, 1), ("sampled", 20, 0)],
)
def test_a_large_matrix_is_copied_for_many_searches_that_look_at_all_of_it(
    start, count, copies, monkeypatch
):
    monkeypatch.setattr(wrappers, "_PAYS_ALWAYS", 60 * 60 * 8 - 1)
    asked = []

    class Asked(PrecomputedGram):
        def written(self, minus):
            asked.append(len(minus[0]))
            return super().written(minus)

    solver = Deflation(SignFixedPoint(), STARTS[start])
    assert len(list(solver.components(Asked(matrix(), Workers()), count))) == count
    assert asked == [0] * copies


@pytest.mark.parametrize("whole_passes", [0, 15, 16])
def test_going_on_gives_the_same_bits(whole_passes):
    C, v = off(40, 60), np.cos(np.arange(60))
    gram = PrecomputedGram(matrix(), Workers())
    one_by_one, at_once = (Deflating(gram, whole_passes) for _ in "ab")
    for k in range(40):
        one_by_one.without(C[:k], C[:k])
    grown, begun = one_by_one.without(C, C), at_once.without(C, C)
    assert_array_equal(grown.apply(v), begun.apply(v))
    assert_array_equal(grown.column_l1(), begun.column_l1())


def test_many_components_do_not_depend_on_the_writing():
    X = np.random.default_rng(1).normal(size=(80, 6))
    settings = {"kernel": "rbf", "solver": "fixed_point", "start": "column"}
    written = L1KernelPCA(50, gram="dense", **settings).fit(X)
    computed = L1KernelPCA(50, gram="blocked", **settings).fit(X)
    assert_allclose(written.objective_, computed.objective_, rtol=1e-8)
    assert_array_equal(written.signs_, computed.signs_)


def test_a_memory_limit_is_kept():
    """Half of the room for a second matrix: nothing is written."""
    K = matrix()
    model = L1KernelPCA(30, kernel="precomputed", memory_limit=K.nbytes // 2).fit(K)
    assert model.training_gram().written((K[:1], K[:1])) is None
    assert L1KernelPCA(30, kernel="precomputed").fit(K).training_gram().written((K[:1], K[:1]))
