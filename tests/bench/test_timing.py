"""Rounds, yardsticks and fresh processes; no time is asserted."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import rbf_kernel

from l1kpca import L1KernelPCA
from l1kpca.bench import timing as timing_module
from l1kpca.bench.processes import peak_memory, run_python
from l1kpca.bench.techniques import TECHNIQUES, with_whole_products
from l1kpca.bench.timing import Timing, read, side_by_side, within
from l1kpca.bench.works import (
    SKLEARN,
    gaussian_matrix,
    make_rows,
    plain_algorithm,
    sklearn_kernel_pca,
)
from l1kpca.directions.fixed_point import SignFixedPoint
from l1kpca.gram.dense import PrecomputedGram
from l1kpca.threads import Workers


@pytest.fixture
def K():
    return gaussian_matrix(make_rows(90, 7))


def recorded(names):
    order = []
    return order, {name: (lambda name=name: order.append(name)) for name in names}


def test_works_take_turns():
    order, works = recorded("ab")
    found = side_by_side(works, repeats=4)
    assert order == list("abababab")
    assert {name: len(timing.seconds) for name, timing in found.items()} == {"a": 4, "b": 4}


def test_a_long_work_takes_part_in_three_rounds(monkeypatch):
    monkeypatch.setattr(timing_module, "LONG", 0.0)
    order, works = recorded("ab")
    side_by_side(works, repeats=5)
    assert order == list("ababab")


@pytest.mark.parametrize(("allowance", "rounds"), [(0.0, 1), (3600.0, 5)])
def test_each_work_is_run_once_and_again_while_there_is_time(allowance, rounds, monkeypatch):
    monkeypatch.setattr(timing_module, "_QUICK_WORK", 0.0)
    order, works = recorded("abc")
    within(works, allowance, repeats=5)
    assert order == list("abc") * rounds


def test_quick_works_are_repeated_before_slow_ones():
    expected = {"slow": 5.0, "quick": 0.1, "middling": 1.0}
    assert timing_module._that_fit(expected, 1.2) == {"quick", "middling"}
    assert timing_module._that_fit(expected, 0.05) == {"quick"}  # costs next to nothing


def test_the_row_of_a_timing_keeps_all_runs():
    row = Timing((3.0, 1.0, 2.0)).row("x")
    assert row == {"method": "x", "seconds": 2.0, "spread": 1.0, "repeats": 3, "runs": [3, 1, 2]}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_read_is_the_product_with_ones(K, dtype):
    K = K.astype(dtype)
    assert_allclose(read(K), K.sum(axis=1), rtol=1e-5 if dtype == "float32" else 1e-12)


@pytest.mark.parametrize("gamma", [None, 0.3])
def test_the_matrix_is_that_of_the_gaussian_kernel(gamma):
    X = make_rows(60, 4)
    expected = 1 / (2 * X.var(axis=0).sum()) if gamma is None else gamma
    assert_allclose(gaussian_matrix(X, gamma), rbf_kernel(X, gamma=expected), rtol=1e-10)


def test_plain_numpy_finds_what_the_library_finds(K):
    ours = L1KernelPCA(4, kernel="precomputed", solver="fixed_point", start="column").fit(K)
    plain = plain_algorithm(K, 4)
    assert_array_equal(np.abs((ours.signs_ * plain).sum(axis=1)), [len(K)] * 4)


def test_plain_numpy_leaves_the_matrix_alone(K):
    before = K.copy()
    plain_algorithm(K, 2)
    assert_array_equal(K, before)


@pytest.mark.parametrize("solver", SKLEARN.values())
def test_scikit_learn_gets_the_same_result_in_each_round(K, solver):
    """It centers its matrix in place; the second time changes it by rounding alone."""
    theirs = K.copy()
    fit = sklearn_kernel_pca(theirs, 2, solver, kernel="precomputed")
    first = fit().eigenvalues_
    assert not np.allclose(theirs, K)
    assert_allclose(fit().eigenvalues_, first, rtol=1e-9)


def test_whole_products_lead_where_flipped_columns_lead(K):
    gram = PrecomputedGram(K, Workers())
    start = np.where(np.arange(len(K)) % 3 == 0, -1.0, 1.0)
    assert_array_equal(with_whole_products(gram, start), SignFixedPoint().find(gram, start).coef)


@pytest.mark.parametrize("technique", TECHNIQUES, ids=lambda technique: technique.name)
def test_each_technique_has_a_work_with_and_one_without(technique, K):
    X = make_rows(len(K), 7)
    works = technique.works(X, K, 2)
    assert len(works) >= 2
    for work in works.values():
        work()


def test_memory_of_the_parent_does_not_count():
    held = np.ones(40_000_000)  # 320 MB
    before, peak = peak_memory("import numpy as np", "block = np.ones(5_000_000)")
    assert before < held.nbytes
    assert 39e6 < peak - before < 60e6


def test_memory_before_the_work_is_what_is_resident_then():
    before, peak = peak_memory("data = bytearray(10**8); del data", "pass")
    assert peak - before < 2e7
    assert before < 10**8


def test_a_process_that_fails_says_why():
    with pytest.raises(RuntimeError, match="a measured process failed: ValueError: no such thing"):
        run_python("raise ValueError('no such thing')")
