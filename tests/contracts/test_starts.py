"""Where a search begins."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from contracts.finders import PROBLEMS, held, problem
from contracts.grams import CASES, POSITIVE_KERNELS, example
from doubles import CountingGram
from l1kpca.directions import MomentumSigns, starts
from l1kpca.directions.compose import FEW_ROWS
from l1kpca.directions.multistart import best_of_starts, winner_on_sample
from l1kpca.estimators.names import make_start
from l1kpca.gram.factor import linear_gram
from l1kpca.threads import Workers
from oracles import signs, start_column


def _rng():
    return np.random.default_rng(0)


def _merits(K):
    usable = K.diagonal() > 1e-12 * K.diagonal().max()
    return np.where(usable, np.abs(K).sum(axis=0) / np.sqrt(np.where(usable, K.diagonal(), 1)), -1)


def _columns_with_these_signs(K, c):
    """Indices j with c = sgn(K_j), entries within rounding of zero left open."""
    noise = 1e-9 * np.abs(K).max()
    agrees = (K * c[:, np.newaxis] > 0) | (np.abs(K) <= noise)
    return np.flatnonzero(agrees.all(axis=0))


@pytest.mark.parametrize("name", sorted(starts.STARTS))
@pytest.mark.parametrize("posed", PROBLEMS)
@pytest.mark.parametrize("n", [1, 2, 3, 30])
def test_every_start_gives_signs(name, posed, n):
    """Also for one row, for two, and for a matrix of zeros."""
    K, _ = problem(posed, n, 0)
    c = starts.STARTS[name](held(K), _rng())
    assert c.shape == (n,)
    assert c.dtype == np.float64
    assert set(np.unique(c)) <= {-1.0, 1.0}


@pytest.mark.parametrize("posed", [name for name in PROBLEMS if name != "zero"])
def test_column_is_the_naive_maximum(posed, global_random_seed):
    K, _ = problem(posed, 40, global_random_seed)
    merits = _merits(K)
    found = _columns_with_these_signs(K, starts.column(held(K), _rng()))
    assert merits[found].max() == pytest.approx(merits.max())
    assert merits[start_column(K)] == pytest.approx(merits.max())


@pytest.mark.parametrize(
    ("gram_name", "kernel_name"), [c for c in CASES if c[1] in POSITIVE_KERNELS]
)
@pytest.mark.parametrize("wrapper", ["bare", "mean"])
def test_column_over_every_gram(gram_name, kernel_name, wrapper):
    case = example(gram_name, kernel_name, wrapper, "float64")
    merits = _merits(case.K)
    found = _columns_with_these_signs(case.K, starts.column(case.gram, _rng()))
    assert merits[found].max() == pytest.approx(merits.max())


def test_zero_rows_are_left_out():
    """A row that was deflated down to rounding error must not win by a division by nearly zero."""
    K = np.diag([1.0, 1e-17, 1.0, 0.0])
    K[0, 2] = K[2, 0] = -0.5
    K[1, 0] = K[0, 1] = 1e-8  # the merit of column 1 would be 1e-8 / sqrt(1e-17), the largest
    assert_array_equal(starts.column(held(K), _rng()), [1, 1, -1, 1])
    sampled = starts.sampled(held(K), _rng())
    assert sampled[0] == -sampled[2]


def test_sampled_is_column_when_all_columns_are_sampled():
    for seed in range(10):
        K, _ = problem("wide", 50, seed)
        assert_array_equal(
            starts.sampled(held(K), _rng()), starts.column(held(K), _rng()), err_msg=str(seed)
        )


def test_sampled_reads_only_its_columns():
    K, _ = problem("wide", 300, 0)
    gram = CountingGram(held(K))
    starts.sampled(gram, _rng())
    assert gram.calls["columns"] == starts.SAMPLED_COLUMNS + 1
    assert gram.calls["column sums"] == gram.calls["full products"] == 0


def test_auto_is_column_while_that_is_cheap(monkeypatch):
    K, _ = problem("wide", 50, 0)
    few = CountingGram(held(K))
    starts.auto(few, _rng())
    assert few.calls["column sums"] == 1
    monkeypatch.setattr(starts, "CHEAP_ROWS", 49)
    many = CountingGram(held(K))
    starts.auto(many, _rng())
    assert many.calls["column sums"] == 0


def test_norm_begins_at_the_largest_row():
    K, _ = problem("contaminated", 40, 1)
    expected = signs(K[:, K.diagonal().argmax()], np.ones(40))
    assert_array_equal(starts.norm(held(K), _rng()), expected)


@pytest.mark.parametrize("posed", ["linear", "wide", "polynomial", "rank one", "diagonal"])
def test_eigen_has_the_signs_of_the_leading_eigenvector(posed):
    K, _ = problem(posed, 40, 2)
    vector = np.linalg.eigh(K)[1][:, -1]
    clear = np.abs(vector) > 1e-6
    found = starts.eigen(held(K), _rng())
    assert abs(found[clear] @ np.sign(vector[clear])) == clear.sum()


def test_random_depends_on_the_generator_alone():
    K, _ = problem("wide", 40, 0)
    one, two = (starts.random(held(K), np.random.default_rng(5)) for _ in range(2))
    assert_array_equal(one, two)
    assert not np.array_equal(one, starts.random(held(K), np.random.default_rng(6)))


def test_several_keeps_the_first_and_adds_random_ones():
    K, _ = problem("wide", 40, 0)
    block = starts.several(starts.column, 4, held(K), _rng())
    assert block.shape == (40, 4)
    assert_array_equal(block[:, 0], starts.column(held(K), _rng()))
    assert len(np.unique(block, axis=1).T) == 4
    assert starts.several(starts.column, 1, held(K), _rng()).shape == (40, 1)


def test_signs_of_the_user():
    given = np.array([1, -1, -1])
    found = make_start(given, 3)(held(np.eye(3, dtype=np.float32)), _rng())
    assert_array_equal(found, given)
    assert found.dtype == np.float32


def test_winner_on_sample_is_carried_to_all_rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(5000, 4)) * [6, 2, 1, 1]
    gram = linear_gram(X, Workers())
    found = winner_on_sample(gram, 5, _rng())
    agree = np.mean(found == np.sign(X[:, 0]))
    assert max(agree, 1 - agree) > 0.95


def test_with_many_rows_two_starts_are_searched_on_all_of_them():
    X = np.random.default_rng(0).normal(size=(FEW_ROWS + 1, 3)) * [3, 2, 1]
    gram = CountingGram(linear_gram(X, Workers()))
    one = best_of_starts(MomentumSigns(), gram, starts.sampled, 1, _rng())
    many = best_of_starts(MomentumSigns(), gram, starts.sampled, 16, _rng())
    assert (one.n_starts, many.n_starts) == (1, 16)
    assert many.value >= one.value * (1 - 1e-12)  # sums of many rows, in another order
