"""Where a search begins, and the best of several starts."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from contracts.finders import FINDERS, PROBLEMS, SIGNS, held, problem
from contracts.grams import POSITIVE_KERNELS, WITH_DTYPE, example
from doubles import CountingFinder, CountingGram
from l1kpca import tuning
from l1kpca.directions import Direction, Polished, SignIteration, starts
from l1kpca.directions.starts import best_of_starts, make_start
from l1kpca.gram.factor import FactorGram
from l1kpca.kernels import Kernel
from l1kpca.threads import Workers
from oracles import signs, start_column

BATCH, PATIENCE, MOST = tuning.START_BATCH, tuning.START_PATIENCE, tuning.MAX_STARTS


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
def test_every_start_gives_signs(name, posed):
    """Also for one row, for two, and for a matrix of zeros."""
    for n in (1, 2, 3, 30, 130):
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
    "case",
    [c for c in WITH_DTYPE if c[1] in POSITIVE_KERNELS and c[2] in ("bare", "mean", "deflated")],
    ids="-".join,
)
@pytest.mark.parametrize("start", [starts.column, starts.auto])
def test_the_best_column_over_every_gram(case, start):
    """On few rows, the sample of columns is all of them."""
    K, gram = example(*case).K, example(*case).gram
    merits = _merits(K)
    c = start(gram, _rng())
    assert c.dtype == case[3]
    found = _columns_with_these_signs(np.where(np.abs(K) < 1e-4, 0, K), c)
    assert merits[found].max() == pytest.approx(merits.max(), rel=1e-3)


@pytest.mark.parametrize("start", [starts.column, starts.auto])
def test_zero_rows_are_left_out(start):
    """A row that was deflated down to rounding error must not win by a division by nearly zero."""
    K = np.diag([1.0, 1e-17, 1.0, 0.0])
    K[0, 2] = K[2, 0] = -0.5
    K[1, 0] = K[0, 1] = 1e-8  # the merit of column 1 would be 1e-8 / sqrt(1e-17), the largest
    found = start(held(K), _rng())
    assert found[0] == -found[2]  # as in columns 0 and 2, and not in column 1


@pytest.mark.parametrize("n", [tuning.START_ROWS, 300, 1500])
def test_auto_reads_a_sample_and_no_seed_matters(n):
    """The block of a few rows, and then the column that it takes."""
    gram = CountingGram(held(problem("wide", n, 0)[0]))
    first = starts.auto(gram, _rng())
    assert (gram.calls["columns"], gram.calls["updated columns"]) == (tuning.START_ROWS, 1)
    assert gram.calls["column sums"] == gram.calls["full products"] == 0
    assert_array_equal(first, starts.auto(gram, np.random.default_rng(1)))
    if n == tuning.START_ROWS:
        assert_array_equal(first, starts.column(gram, _rng()))


def test_norm_begins_at_the_largest_row():
    K, _ = problem("contaminated", 40, 1)
    expected = signs(K[:, K.diagonal().argmax()], np.ones(40))
    assert_array_equal(starts.norm(held(K), _rng()), expected)


@pytest.mark.parametrize("n", [40, 150])
@pytest.mark.parametrize("posed", ["linear", "wide", "polynomial", "rank one", "diagonal"])
def test_eigen_has_the_signs_of_the_leading_eigenvector(posed, n):
    """Of a few rows by a dense decomposition, of more by Lanczos."""
    K, _ = problem(posed, n, 2)
    vector = np.linalg.eigh(K)[1][:, -1]
    clear = np.abs(vector) > 1e-6
    found = starts.eigen(held(K), _rng())
    assert abs(found[clear] @ np.sign(vector[clear])) == clear.sum()


def test_random_depends_on_the_generator_alone():
    K, _ = problem("wide", 40, 0)
    one, two = (starts.random(held(K), np.random.default_rng(5)) for _ in range(2))
    assert_array_equal(one, two)
    assert not np.array_equal(one, starts.random(held(K), np.random.default_rng(6)))


def test_signs_of_the_user():
    given = np.array([1, -1, -1])
    found = make_start(given, 3)(held(np.eye(3, dtype=np.float32)), _rng())
    assert_array_equal(found, given)
    assert found.dtype == np.float32


# The best of several starts.


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("name", SIGNS)
@pytest.mark.parametrize("n_starts", [1, 2, 8, 20])
def test_the_best_of_several_is_the_best(name, n_starts):
    """The first start is as asked, the others are random and all different."""
    K, _ = problem("narrow", 18, 3)
    finder = CountingFinder(FINDERS[name])
    best = best_of_starts(finder, held(K), starts.column, n_starts, _rng())
    tried = np.hstack(finder.starts)
    assert best.n_starts == tried.shape[1] == n_starts
    assert_array_equal(tried[:, 0], starts.column(held(K), _rng()))
    assert len(np.unique(tried, axis=1).T) == n_starts
    values = [direction.value for direction in FINDERS[name].find(held(K), tried)]
    assert best.value == pytest.approx(max(values))


@pytest.mark.parametrize("n_starts", [1, 5, None])
def test_many_rows_are_searched_by_the_given_finder_as_often_as_it_says(n_starts):
    """Also where all random starts but one are searched on a sample of the rows."""
    X = np.random.default_rng(0).normal(size=(4500, 3)) * [3, 2, 1]
    finder = CountingFinder(SignIteration())
    gram = FactorGram(X, Workers(), Kernel("linear"))
    found = best_of_starts(finder, gram, starts.auto, n_starts, _rng())
    assert found.n_starts == finder.n_searches
    assert {len(tried) for tried in finder.starts} == ({4500, 512} if n_starts == 5 else {4500})
    assert found.n_starts >= BATCH + PATIENCE if n_starts is None else found.n_starts == n_starts


@dataclass(frozen=True)
class Scripted:
    """A finder that gives values from a list, one for each start."""

    values: object
    batches: list = field(default_factory=list)

    def find(self, gram, starts):
        self.batches.append(starts.shape[1])
        n = len(starts)
        return [Direction(np.ones(n), np.full(n, next(self.values) / n), (0.0,)) for _ in starts.T]


def tried(values):
    """The best of as many starts as it takes, and the sizes of the batches."""
    finder = Scripted(iter(values))
    best = best_of_starts(finder, held(np.eye(4)), starts.random, None, _rng())
    assert set(finder.batches) == {BATCH}
    return best


def endless(first, then):
    yield from first
    while True:
        yield then


def test_stops_after_sixteen_starts_without_gain():
    """Counted from the last gain, in whole batches of eight."""
    assert tried(endless([5.0], 1.0)).n_starts == BATCH + PATIENCE
    late = tried(endless([1.0] * 10 + [7.0], 1.0))
    assert late.value == pytest.approx(7)
    assert late.n_starts == 32


def test_a_gain_too_small_to_matter_does_not_prolong_the_search_but_is_kept():
    found = tried(1 + 1e-7 * k for k in range(10**6))
    assert found.n_starts == BATCH + PATIENCE
    assert found.value == pytest.approx(1 + 1e-7 * (BATCH + PATIENCE - 1), rel=1e-12)


def test_negative_values_are_compared_too():
    assert tried(endless([-5.0, -4.0], -6.0)).value == pytest.approx(-4)


def test_never_more_than_128_starts():
    assert tried(float(k) for k in range(1, 10**6)).n_starts == MOST


def test_is_at_least_as_good_as_one_start(global_random_seed):
    for posed in PROBLEMS:
        gram = held(problem(posed, 60, global_random_seed)[0])
        one, some, many = (
            best_of_starts(Polished(), gram, starts.column, n_starts, _rng()).value
            for n_starts in (1, 5, None)
        )
        assert one <= some * (1 + 1e-12) <= many * (1 + 1e-9)
