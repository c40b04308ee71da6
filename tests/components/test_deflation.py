"""What a stack of greedy components must be, over Grams, finders and starts."""

from itertools import islice

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import rbf_kernel

from contracts.finders import FINDERS, NORM, PROBLEMS, SIGNS, held, problem
from contracts.grams import POSITIVE_KERNELS, WITH_DTYPE, example, written_up_to
from doubles import CountingBlocks, CountingFinder, CountingGram
from l1kpca import L1KernelPCA, tuning
from l1kpca.components.deflation import Deflation
from l1kpca.directions import SignIteration
from l1kpca.directions.starts import STARTS, make_start, sample
from l1kpca.gram.factor import FactorGram
from l1kpca.gram.stored import StoredGram
from l1kpca.kernels import Kernel, kernel_blocks, resolve_gamma
from l1kpca.threads import Workers
from oracles import algorithm_1, low_rank_rows, mean_centered

QUICK = [name for name in FINDERS if name not in ("exact", "sdp")]


def solver(finder="polished", start="column", **settings):
    return Deflation(FINDERS[finder], STARTS[start], **settings)


def arrays(components):
    """A, C as rows."""
    components = list(components)
    return np.array([c.coef for c in components]), np.array([c.scores for c in components])


@pytest.mark.parametrize("finder", FINDERS)
@pytest.mark.parametrize("start", sorted(STARTS))
@pytest.mark.parametrize(("n_starts", "way"), [(1, "plain"), (3, "compiled")], indirect=["way"])
@pytest.mark.usefixtures("way")
def test_components_are_orthonormal_and_scores_are_their_images(finder, start, n_starts):
    """A K A^T = I, C = A K, and what is left of each row is not negative."""
    K, _ = problem("wide", 18 if finder == "exact" else 40, 0)
    components = list(solver(finder, start, n_starts=n_starts).components(held(K), 6))
    A, C = arrays(components)
    assert_allclose(A @ K @ A.T, np.eye(6), atol=1e-9)
    assert_allclose(C, A @ K, atol=1e-9)
    assert (K.diagonal() - (C**2).sum(axis=0) >= -1e-12).all()
    assert {component.n_starts for component in components} == {n_starts}


OVER = [c for c in WITH_DTYPE if c[1] in POSITIVE_KERNELS and c[2] == "mean"]
WAYS = ("signs", "plain"), ("polished", "compiled")


@pytest.mark.parametrize(
    ("case", "finder", "way"),
    [(case, *WAYS[place % 2]) for place, case in enumerate(OVER)],
    indirect=["way"],
    ids=["-".join(case) for case in OVER],
)
@pytest.mark.usefixtures("way")
def test_components_over_every_gram(case, finder):
    held, dtype = example(*case), case[3]
    A, C = arrays(solver(finder).components(held.gram, 3))
    noise = 50 * held.tolerance / min((C**2).sum(axis=1))
    assert A.dtype == C.dtype == dtype
    assert_allclose(A.astype(float) @ held.K @ A.T, np.eye(3), atol=max(noise, 1e-9))
    assert_allclose(C, A @ held.K, atol=100 * held.tolerance * np.abs(A).sum(axis=1).max())
    assert (held.K.diagonal() - (C**2).sum(axis=0) >= -10 * held.tolerance).all()


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("posed", ["linear", "centered linear", "wide", "laplacian", "polynomial"])
def test_deflation_as_in_the_paper(posed):
    """K <- K - (K c)(K c)^T / c^T K c, written out, gives the same signs."""
    K, _ = problem(posed, 60, 0)
    found = Deflation(SignIteration(), STARTS["column"], orient=False).components(held(K), 4)
    assert_array_equal([c.signs for c in found], algorithm_1(K, 4))


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("finder", ["signs", "polished"])
def test_a_hundred_components_stay_orthonormal(finder, global_random_seed):
    """Eigenvalues that fall by ten orders of magnitude."""
    rng = np.random.default_rng(global_random_seed)
    U = np.linalg.qr(rng.normal(size=(400, 150)))[0]
    K = (U * np.logspace(0, -10, 150)) @ U.T
    K = (K + K.T) / 2
    A, C = arrays(solver(finder).components(held(K), 100))
    assert len(A) == 100
    assert_allclose(A @ K @ A.T, np.eye(100), atol=1e-8)
    assert_allclose(C, A @ K, atol=1e-8)
    assert (K.diagonal() - (C**2).sum(axis=0) >= -1e-12).all()


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("finder", ["signs", "polished"])
def test_a_hundred_components_of_a_gaussian_kernel(finder):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 6)) * np.logspace(0, -1, 6)
    K = mean_centered(rbf_kernel(X, gamma=0.2))
    K = (K + K.T) / 2
    A, _ = arrays(solver(finder).components(held(K), 100))
    assert_allclose(A @ K @ A.T, np.eye(len(A)), atol=1e-8)


def test_components_of_rows_are_those_of_their_matrix(way, global_random_seed):
    """A factor deflates in the space of its rows, a matrix by scores: the same signs."""
    X = np.random.default_rng(global_random_seed).normal(size=(300, 12)) / np.arange(1, 13)
    rows = solver("signs").components(FactorGram(X, Workers(), Kernel("linear")), 12)
    matrix = solver("signs").components(held(X @ X.T), 12)
    for one, other in zip(rows, matrix, strict=True):
        assert_array_equal(one.signs, other.signs)
        assert_allclose(one.scores, other.scores, atol=1e-8)


@pytest.mark.parametrize("posed", sorted(PROBLEMS.keys() - {"narrow", "diagonal", "ties"}))
@pytest.mark.parametrize("start", sorted(STARTS))
@pytest.mark.parametrize("finder", ["signs", "polished"])
def test_compiled_or_not_the_components_are_the_same(finder, start, posed, global_random_seed):
    """Step for step, unless rounding errors settle ties."""
    K, _ = problem(posed, 60, global_random_seed)
    found = []
    for n_rows in (60, 0):
        with written_up_to(n_rows):
            found.append(list(solver(finder, start, seed=3).components(held(K), 12)))
    for compiled, plain in zip(*found, strict=True):
        assert_array_equal(compiled.signs, plain.signs)
        assert_allclose(compiled.coef, plain.coef, atol=1e-7 * np.abs(plain.coef).max())
        assert_allclose(compiled.scores, plain.scores, atol=1e-7 * np.abs(plain.scores).max())
        assert_allclose(compiled.trace, plain.trace, rtol=1e-7)
        assert compiled.status is plain.status


@pytest.mark.parametrize("start", sorted(STARTS))
@pytest.mark.parametrize("rank", [0, 1, 4])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_stops_at_the_rank(way, start, rank, dtype):
    rng = np.random.default_rng(0)
    X = (low_rank_rows(rng, 50, 20, rank) if rank else np.zeros((50, 20))).astype(dtype)
    for gram in (StoredGram(X @ X.T, Workers()), FactorGram(X, Workers(), Kernel("linear"))):
        assert len(list(solver(start=start).components(gram, 50))) == rank


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("rank", [1, 4])
@pytest.mark.parametrize("scale", [1e-30, 1e-5, 1e30])
def test_the_rank_does_not_depend_on_the_scale(rank, scale):
    X = low_rank_rows(np.random.default_rng(1), 50, 20, rank) * scale
    assert len(list(solver().components(held(X @ X.T), 50))) == rank


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("finder", QUICK)
def test_rounding_errors_are_not_searched(finder):
    """At the rank what is left of K is noise, in which every flip seems to help."""
    X = low_rank_rows(np.random.default_rng(2), 300, 6, 3)
    at_rank, beyond = CountingGram(held(X @ X.T)), CountingGram(held(X @ X.T))
    assert len(list(solver(finder).components(at_rank, 3))) == 3
    assert len(list(solver(finder).components(beyond, 300))) == 3
    for asked in ("full products", "updates", "columns"):
        assert at_rank.calls[asked] == beyond.calls[asked]


def test_components_are_made_one_at_a_time():
    """Nothing is computed before it is asked for, and the limit is kept."""
    gram = CountingGram(held(problem("wide", 40, 0)[0]))
    found = solver().components(gram, 10)
    assert not gram.calls["columns"]
    assert len(list(islice(found, 3))) == 3
    assert len(list(solver().components(gram, 0))) == 0


@pytest.mark.parametrize("start", sorted(STARTS))
@pytest.mark.parametrize("done", [0, 1, 5, 9, 10])
@pytest.mark.parametrize("n_starts", [1, 2])
def test_goes_on_from_what_is_there_to_the_same_end(way, start, done, n_starts):
    K, _ = problem("wide", 40, 4)
    asked = solver(start=start, n_starts=n_starts, seed=7)
    whole = list(asked.components(held(K), 10))
    rest = list(asked.components(held(K), 10, so_far=whole[:done]))
    assert len(rest) == 10 - done
    for one, two in zip(whole[done:], rest, strict=True):
        assert_array_equal(one.coef, two.coef)
        assert_array_equal(one.signs, two.signs)


@pytest.mark.parametrize("done", [15, 16, 25, 40])
def test_goes_on_also_among_many(done, monkeypatch):
    """The paper's start keeps a copy of K: it is made anew, and the bits are the same."""
    monkeypatch.setattr(tuning, "SMALL_ROWS", 0)
    X = np.random.default_rng(0).normal(size=(60, 60))
    whole = list(solver("signs").components(held(X @ X.T), 45))
    rest = list(solver("signs").components(held(X @ X.T), 45, so_far=whole[:done]))
    for one, two in zip(whole[done:], rest, strict=True):
        assert_array_equal(one.coef, two.coef)


@pytest.mark.parametrize("start", ["auto", "column"])
@pytest.mark.parametrize("n_starts", [1, 2, 5, None])
def test_many_rows_are_searched_by_the_given_finder_as_often_as_it_says(start, n_starts):
    """Also where all random starts but one are searched on a sample of the rows."""
    X = np.random.default_rng(0).normal(size=(4500, 4)) * [4, 3, 2, 1]
    finder = CountingFinder(SignIteration())
    several = Deflation(finder, STARTS[start], n_starts=n_starts)
    found = list(several.components(FactorGram(X, Workers(), Kernel("linear")), 3))
    assert sum(component.n_starts for component in found) == finder.n_searches
    sampled = {4500 // tuning.SAMPLED_SHARE} if n_starts == 5 else set()
    assert {len(tried) for tried in finder.starts} == {4500} | sampled
    counts = {component.n_starts for component in found}
    assert counts == {n_starts} if n_starts else min(counts) >= tuning.START_PATIENCE


def test_starts_that_compete_on_a_sample_do_not_depend_on_what_is_asked_or_was_found():
    X = np.random.default_rng(0).normal(size=(4500, 12)) * np.arange(12, 0, -1)
    gram = FactorGram(X, Workers(), Kernel("linear"))
    several = solver(start="auto", n_starts=4, seed=3)
    whole = list(several.components(gram, 11))
    for found, rest in (
        (whole[:4], several.components(gram, 4)),
        (whole[4:], several.components(gram, 11, so_far=whole[:4])),
    ):
        for one, two in zip(found, rest, strict=True):
            assert_array_equal(one.coef, two.coef)


def test_more_starts_than_the_sample_has_components():
    """The sample has none if all of its rows are zero; the last one is repeated if it has few."""
    X = np.zeros((4500, 2))
    X[~np.isin(np.arange(4500), sample(4500))] = np.random.default_rng(0).normal(size=(4219, 2))
    X[sample(4500)[:5], 0] = 1
    for rows, expected in ((X, 2), (X * [0, 1], 1)):
        gram = FactorGram(rows, Workers(), Kernel("linear"))
        one, some = (list(solver(n_starts=n).components(gram, 4)) for n in (1, 4))
        assert len(one) == len(some) == expected
        assert some[0].objective >= one[0].objective * (1 - 1e-12)


def test_the_vectors_of_many_rows_are_held_once():
    """A table of them is what they are already in; any other table is a copy."""
    X = np.random.default_rng(0).normal(size=(1200, 20))
    gram = FactorGram(X, Workers(), Kernel("linear"))
    coefs = [component.coef for component in solver(start="auto").components(gram, 20)]
    assert np.shares_memory(gram.table(coefs), coefs[19])
    for some in (coefs[::-1], coefs[1:], coefs[:1] * 2, [coefs[0], coefs[1].copy()]):
        assert not np.shares_memory(gram.table(some), coefs[1])
        assert_array_equal(gram.table(some), np.array(some).T)


def test_signs_belong_to_the_scores():
    for posed in PROBLEMS:
        K, _ = problem(posed, 60, 0)
        for component in solver().components(held(K), 5):
            clear = np.abs(component.scores) > 1e-9 * np.abs(component.scores).max()
            assert_array_equal(component.signs[clear], np.sign(component.scores[clear]))
            assert component.signs.dtype == np.int8
            assert component.objective == pytest.approx(np.abs(component.scores).sum())
            assert component.objective**2 == pytest.approx(component.trace[-1])


def test_orientation():
    """Turned so that the largest score is positive, or left as the start had it."""
    K, _ = problem("wide", 40, 0)
    turned = list(solver(start="random", seed=3).components(held(K), 5))
    left = list(solver(start="random", seed=3, orient=False).components(held(K), 5))
    for one, two in zip(turned, left, strict=True):
        assert one.scores[np.abs(one.scores).argmax()] > 0
        assert_allclose(np.abs(one.scores), np.abs(two.scores), atol=1e-12)


@pytest.mark.parametrize("finder", [name for name in SIGNS if name in QUICK])
@pytest.mark.parametrize("start", sorted(STARTS))
def test_an_indefinite_matrix_gives_no_more_components_than_it_can(finder, start):
    """No NaN; A K A^T = I; so at most as many as there are positive eigenvalues."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        B = rng.normal(size=(20, 20))
        K = (B + B.T) / 2
        if seed % 2:
            np.fill_diagonal(K, 0)
        with written_up_to(20 * (seed % 3 > 0)):  # in the plain way, and in compiled calls
            components = list(solver(finder, start).components(held(K), 20))
        assert len(components) <= (np.linalg.eigvalsh(K) > 0).sum()
        if components:
            A, C = arrays(components)
            assert np.isfinite(A).all()
            size = np.abs(A).sum(axis=1).max() ** 2
            assert_allclose(A @ K @ A.T, np.eye(len(A)), atol=1e-10 * (1 + size))
            assert_allclose(C, A @ K, atol=1e-10 * (1 + size))


@pytest.mark.parametrize("finder", [*QUICK, *NORM])
def test_a_negative_matrix_has_no_components(finder):
    assert list(solver(finder).components(held(-np.eye(5)), 5)) == []


@pytest.mark.parametrize("count", [3, 20])
def test_threads_do_not_change_the_result(count, way):
    K, _ = problem("wide", 700, 0)
    found = [
        arrays(solver().components(StoredGram(K, Workers(threads)), count)) for threads in (1, 2, 4)
    ]
    for other in found[1:]:
        assert_array_equal(found[0][0], other[0])
        assert_array_equal(found[0][1], other[1])


@pytest.mark.parametrize(("gamma", "rank"), [(None, 4), ("paper", 30)])
def test_at_most_two_and_a_half_passes_per_component(gamma, rank, global_random_seed):
    """What a fit costs that never stores K; a pass looks at each pair of rows once."""
    n, count = 5000, 10
    X = low_rank_rows(np.random.default_rng(global_random_seed), n, 30, rank, noise=0.3)
    X /= X.std(axis=0)
    kernel = Kernel("rbf", {"gamma": resolve_gamma(gamma, X)})
    gram = CountingBlocks(kernel_blocks(X, kernel), Workers(), tuning.TILE_SIDE)
    assert (
        len(list(solver(start="auto").components(gram.center(np.full(n, 1 / n)), count))) == count
    )
    assert gram.entries <= 2.5 * count * n * (n + 1) / 2


def rare_cells(seed, n, shares):
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.random(n) < share for share in shares]).astype(float)


@pytest.mark.parametrize("solver", ["fixed_point", "polished"])
@pytest.mark.parametrize("seed", range(4))
def test_components_go_on_where_the_sample_has_fewer_than_the_rows(solver, seed):
    """Rare cells: what few of the sampled rows show, all rows have."""
    X = rare_cells(seed, 400, [0.01] * 12)
    found = L1KernelPCA(None, solver=solver).fit(X).n_components_
    assert found == np.linalg.matrix_rank(X - X.mean(axis=0))


@pytest.mark.parametrize("seed", range(8))
def test_components_end_at_the_rank_of_rows_that_repeat(seed):
    X = rare_cells(seed, 600, [0.3, 0.02, 0.005])
    pca = L1KernelPCA(None).fit(X)
    assert pca.n_components_ == np.linalg.matrix_rank(X - X.mean(axis=0))
    assert set(pca.status_) == {"converged"}


@pytest.mark.filterwarnings("ignore:the Gram matrix is not positive semidefinite")
def test_the_default_start_has_no_seed():
    A = np.random.default_rng(1).normal(size=(20, 20))
    K = (A + A.T) * (1 - np.eye(20))
    one, two = (
        L1KernelPCA(5, kernel="precomputed", center=False, random_state=seed).fit(K)
        for seed in (0, 1)
    )
    np.testing.assert_array_equal(one.objective_, two.objective_)


def test_a_start_that_earlier_components_used_up_is_replaced(global_random_seed):
    """Signs that are the first component's have nothing left for the second one."""
    K, _ = problem("linear", 30, global_random_seed)
    first = next(iter(Deflation(SignIteration(), STARTS["column"]).components(held(K), 1)))
    again = make_start(first.signs, 30)
    found = list(Deflation(SignIteration(), again).components(held(K), 3))
    assert len(found) == 3
    assert_array_equal(found[0].signs, first.signs)
