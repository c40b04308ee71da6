"""Where a search begins, and the best of several starts."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from contracts.finders import FINDERS, PROBLEMS, SIGNS, held, problem
from contracts.grams import POSITIVE_KERNELS, WITH_DTYPE, example
from doubles import CountingFinder, CountingGram
from l1kpca import tuning
from l1kpca.directions import Direction, Polished, starts
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
        for count in (1, 3):
            c = starts.STARTS[name](held(K), _rng(), count)
            assert c.shape == (n, count if name == "auto" else 1)
            assert c.dtype == np.float64
            assert set(np.unique(c)) <= {-1.0, 1.0}
        assert starts.STARTS[name](held(K), _rng()).shape == (n, 1)


@pytest.mark.parametrize("posed", [name for name in PROBLEMS if name != "zero"])
def test_column_is_the_naive_maximum(posed, global_random_seed):
    K, _ = problem(posed, 40, global_random_seed)
    merits = _merits(K)
    found = _columns_with_these_signs(K, starts.column(held(K), _rng())[:, 0])
    assert merits[found].max() == pytest.approx(merits.max())
    assert merits[start_column(K)] == pytest.approx(merits.max())


@pytest.mark.parametrize(
    "case",
    [c for c in WITH_DTYPE if c[1] in POSITIVE_KERNELS and c[2] in ("bare", "mean", "deflated")],
    ids="-".join,
)
def test_the_best_column_over_every_gram(case):
    K, gram = example(*case).K, example(*case).gram
    merits = _merits(K)
    c = starts.column(gram, _rng())[:, 0]
    assert c.dtype == case[3]
    found = _columns_with_these_signs(np.where(np.abs(K) < 1e-4, 0, K), c)
    assert merits[found].max() == pytest.approx(merits.max(), rel=1e-3)


@pytest.mark.parametrize("start", [starts.column, starts.auto])
def test_zero_rows_are_left_out(start):
    """A row that was deflated down to rounding error must not win by a division by nearly zero."""
    K = np.diag([1.0, 1e-17, 1.0, 0.0])
    K[0, 2] = K[2, 0] = -0.5
    K[1, 0] = K[0, 1] = 1e-8  # the merit of column 1 would be 1e-8 / sqrt(1e-17), the largest
    found = start(held(K), _rng())[:, 0]
    assert found[0] == -found[2]  # as in columns 0 and 2, and not in column 1


# The default: the components of a sample.


@pytest.mark.parametrize("posed", ["linear", "wide", "polynomial", "contaminated", "narrow"])
def test_auto_on_few_rows_is_algorithm_1_component_by_component(posed, global_random_seed):
    """All rows are sampled: what it starts at is where the naive sign iteration ends."""
    K, _ = problem(posed, 60, global_random_seed)
    left = K.copy()
    for c in starts.auto(held(K), _rng(), 4).T:
        Kc = left @ c
        clear = np.abs(Kc) > 1e-9 * np.abs(Kc).max()
        assert_array_equal(np.sign(Kc)[clear], c[clear])
        left -= np.outer(Kc, Kc) / (c @ Kc)


@pytest.mark.parametrize(
    "case",
    [c for c in WITH_DTYPE if c[1] in POSITIVE_KERNELS and c[2] in ("bare", "mean", "deflated")],
    ids="-".join,
)
def test_auto_over_every_gram_starts_where_little_is_left_to_gain(case):
    """At least as high as the paper's start, since the sample is all rows."""
    K, gram = example(*case).K, example(*case).gram
    first, second = starts.auto(gram, _rng(), 2).T
    assert first.dtype == case[3]
    column = starts.column(gram, _rng())[:, 0]
    assert first @ K @ first >= (1 - 1e-3) * (column @ K @ column)
    left = K - np.outer(K @ first, K @ first) / (first @ K @ first)
    assert second @ left @ second > 0


@pytest.mark.parametrize(("n", "rows"), [(100, 100), (500, 128), (3200, 200), (40_000, 512)])
def test_auto_reads_a_sample_and_no_seed_matters(n, rows):
    """The block of the sample, and then the sampled columns; no pass over K."""
    X = np.random.default_rng(0).normal(size=(n, 3))
    gram = CountingGram(FactorGram(X, Workers(), Kernel("linear")))
    first = starts.auto(gram, _rng(), 2)
    assert (gram.calls["columns"], gram.calls["updated columns"]) == (rows, rows)
    assert gram.calls["column sums"] == gram.calls["full products"] == 0
    assert_array_equal(first, starts.auto(gram, np.random.default_rng(1), 2))


def test_auto_repeats_the_last_component_of_a_sample_of_low_rank():
    x = np.random.default_rng(0).normal(size=40)
    first, second = starts.auto(held(np.outer(x, x)), _rng(), 2).T
    assert_array_equal(first, second)


def test_norm_begins_at_the_largest_row():
    K, _ = problem("contaminated", 40, 1)
    expected = signs(K[:, K.diagonal().argmax()], np.ones(40))
    assert_array_equal(starts.norm(held(K), _rng())[:, 0], expected)


@pytest.mark.parametrize("n", [40, 150])
@pytest.mark.parametrize("posed", ["linear", "wide", "polynomial", "rank one", "diagonal"])
def test_eigen_has_the_signs_of_the_leading_eigenvector(posed, n):
    """Of a few rows by a dense decomposition, of more by Lanczos."""
    K, _ = problem(posed, n, 2)
    vector = np.linalg.eigh(K)[1][:, -1]
    clear = np.abs(vector) > 1e-6
    found = starts.eigen(held(K), _rng())[:, 0]
    assert abs(found[clear] @ np.sign(vector[clear])) == clear.sum()


def test_random_depends_on_the_generator_alone():
    K, _ = problem("wide", 40, 0)
    one, two = (starts.random(held(K), np.random.default_rng(5)) for _ in range(2))
    assert_array_equal(one, two)
    assert not np.array_equal(one, starts.random(held(K), np.random.default_rng(6)))


def test_signs_of_the_user():
    given = np.array([1, -1, -1])
    found = make_start(given, 3)(held(np.eye(3, dtype=np.float32)), _rng())[:, 0]
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
    first = starts.column(held(K), _rng())
    best = best_of_starts(finder, held(K), first, n_starts, _rng())
    tried = np.hstack(finder.starts)
    assert best.n_starts == tried.shape[1] == n_starts
    assert_array_equal(tried[:, :1], first)
    assert len(np.unique(tried, axis=1).T) == n_starts
    values = [direction.value for direction in FINDERS[name].find(held(K), tried)]
    assert best.value == pytest.approx(max(values))


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
    best = best_of_starts(finder, held(np.eye(4)), np.ones((4, 1)), None, _rng())
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
            best_of_starts(Polished(), gram, starts.column(gram, _rng()), n_starts, _rng()).value
            for n_starts in (1, 5, None)
        )
        assert one <= some * (1 + 1e-12) <= many * (1 + 1e-9)
