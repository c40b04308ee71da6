"""Direction finders: optima, what a search costs, and how it ends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.finders import FINDERS, FLIPPING, PROBLEMS, held, problem
from contracts.grams import CASES, POSITIVE_KERNELS, example
from doubles import CountingGram
from l1kpca.directions import BitFlip, SignFixedPoint, Status, Then, best_direction
from oracles import best_by_enumeration, largest_flip_gain, mean_centered

SIZES = (1, 2, 17, 60)
NOISE = 1e-10


@pytest.fixture(params=FINDERS)
def finder(request):
    return FINDERS[request.param]


@pytest.fixture(params=[FINDERS[name] for name in FLIPPING], ids=FLIPPING)
def flipping(request):
    return request.param


@pytest.fixture(params=[(p, n) for p in PROBLEMS for n in SIZES], ids=lambda p: f"{p[0]}-{p[1]}")
def posed(request, global_random_seed):
    return problem(*request.param, global_random_seed)


@pytest.mark.parametrize(
    ("gram_name", "kernel_name"), [c for c in CASES if c[1] in POSITIVE_KERNELS]
)
@pytest.mark.parametrize("wrapper", ["mean", "deflated mean"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_over_every_gram(finder, gram_name, kernel_name, wrapper, dtype):
    """Never worse than the start, stationary up to the precision, and in the Gram's dtype."""
    if wrapper == "deflated mean" and kernel_name not in ("linear", "rbf"):
        wrapper = "mean"
    case = example(gram_name, kernel_name, wrapper, dtype)
    start = np.random.default_rng(4).choice([-1.0, 1.0], 23)
    direction = finder.find(case.gram, start)
    c = direction.coef.astype(float)
    noise = 23 * 23 * case.tolerance
    assert direction.coef.dtype == direction.image.dtype == dtype
    assert c @ case.K @ c >= start @ case.K @ start - noise
    assert (c * (case.K @ c) >= -noise).all()


def test_maximum_over_signs_is_the_square_of_the_maximum_over_directions():
    """max c^T K c = (max |X w|_1)^2 over the unit sphere, and c = sgn(X w) there."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(10, 3))
    value, c = best_by_enumeration(X @ X.T)
    w = X.T @ c / np.linalg.norm(X.T @ c)
    assert np.abs(X @ w).sum() ** 2 == pytest.approx(value)
    others = rng.normal(size=(3, 20_000))
    others /= np.linalg.norm(others, axis=0)
    best_seen = np.abs(X @ others).sum(axis=0).max() ** 2
    assert best_seen <= value * (1 + 1e-12)
    assert best_seen >= value * 0.99


def test_max_cut_identity(finder, posed):
    """c^T K c = 1^T K 1 - 4 cut(c): the best signs cut the least weight K_ij."""
    K, start = posed
    c = finder.find(held(K), start).coef
    cut = K[np.ix_(c > 0, c < 0)].sum()
    assert c @ K @ c == pytest.approx(K.sum() - 4 * cut, abs=1e-9 * (1 + np.abs(K).sum()))


def test_brute_force_is_never_beaten_and_nearly_always_reached():
    """100 instances of 5 to 12 rows; ten starts with flips reach the optimum on 95 or more."""
    kinds = ["linear", "centered linear", "wide", "narrow", "laplacian"]
    reached = 0
    for seed in range(100):
        n = 5 + seed % 8
        K, _ = problem(kinds[seed % len(kinds)], n, seed)
        best, _ = best_by_enumeration(K)
        starts = np.random.default_rng(seed).choice([-1.0, 1.0], (n, 10))
        for finder in FINDERS.values():
            value = best_direction(finder, held(K), starts).value
            assert value <= best * (1 + NOISE)
        polished = best_direction(FINDERS["polished"], held(K), starts).value
        reached += polished >= best * (1 - NOISE)
    assert reached >= 95


def test_polishing_matters_for_a_narrow_kernel():
    """Nearly every sign vector is a fixed point there; flips still find a better one."""
    K, start = problem("narrow", 60, 1)
    K = mean_centered(0.9 * np.eye(60) + 0.1 * K)
    plain = SignFixedPoint().find(held(K), start).value
    assert Then(SignFixedPoint(), BitFlip()).find(held(K), start).value > plain


def test_one_pass_serves_all_starts():
    """Side by side, k searches need no more full passes over K than the longest of them may."""
    K, _ = problem("wide", 60, 2)
    starts = np.random.default_rng(6).choice([-1.0, 1.0], (60, 8))
    longest = 0
    for start in starts.T:
        gram = CountingGram(held(K))
        SignFixedPoint().find(gram, start)
        longest = max(longest, gram.calls["full products"] + gram.calls["updates"])
    together = CountingGram(held(K))
    SignFixedPoint().find_each(together, starts)
    assert together.calls["full products"] <= longest


def test_few_flips_are_updated_from_their_columns_alone():
    K, start = problem("wide", 200, 2)
    end = SignFixedPoint().find(held(K), start).coef
    nearby = end.copy()
    nearby[np.argsort(np.abs(K @ end))[:3]] *= -1
    gram = CountingGram(held(K))
    SignFixedPoint().find(gram, nearby)
    assert gram.calls["full products"] == 1
    assert 0 < gram.calls["updated columns"] < 20


def test_bit_flips_cost_no_full_pass_and_share_their_updates():
    K, start = problem("narrow", 100, 0)
    gram = CountingGram(held(K))
    direction = BitFlip().find(gram, start)
    flips = len(direction.trace) - 1
    assert flips > 5
    assert gram.calls["full products"] == 1
    assert gram.calls["updated columns"] <= flips
    assert gram.calls["updates"] < flips


@pytest.mark.parametrize(("finder", "steps"), [(SignFixedPoint(2), 2), (BitFlip(2), 2)])
def test_stops_at_the_bound_and_says_so(finder, steps):
    K, start = problem("linear", 400, 1)
    direction = finder.find(held(K), start)
    unbounded = type(finder)().find(held(K), start)
    assert len(unbounded.trace) > steps + 1
    assert direction.status is Status.MAX_ITER
    assert len(direction.trace) == steps + 1
    assert str(direction.status) == "stopped while still moving: raise max_iter"


def test_an_indefinite_matrix_ends_with_the_best_signs_seen(finder):
    """The sign iteration may cycle there; it must end, and never below its start."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        A = rng.normal(size=(12, 12))
        K, start = (A + A.T) / 2, rng.choice([-1.0, 1.0], 12)
        direction = finder.find(held(K), start)
        assert direction.status is not Status.MAX_ITER
        assert direction.value >= start @ K @ start - NOISE
        assert direction.value == pytest.approx(direction.coef @ K @ direction.coef)


def test_a_fall_of_the_objective_is_named():
    K = np.array([[0.0, -1.0], [-1.0, 0.0]])
    direction = SignFixedPoint().find(held(K), np.array([1.0, 1.0]))
    assert direction.status is Status.NOT_POSITIVE
    assert str(direction.status) == (
        "the objective fell because the Gram matrix is not positive semidefinite"
    )


@given(
    entries=st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=1, max_size=14),
    scale=st.sampled_from([1e-8, 1e-3, 1.0, 7.0, 1e6]),
    repeat=st.integers(1, 3),
    seed=st.integers(0, 2**16),
    name=st.sampled_from(sorted(FINDERS)),
)
def test_ties_duplicates_and_scales(entries, scale, repeat, seed, name):
    """Whole numbers make K c vanish exactly; the run still ends, stationary, never lower."""
    X = np.repeat(np.array(entries, dtype=float) * scale, repeat, axis=0)
    K = X @ X.T
    start = np.random.default_rng(seed).choice([-1.0, 1.0], len(K))
    direction = FINDERS[name].find(held(K), start)
    c, size = direction.coef, NOISE * np.abs(K).max() * len(K)
    assert direction.status is Status.CONVERGED
    assert direction.value >= start @ K @ start - size * len(K)
    assert (c * (K @ c) >= -size).all()
    if name in FLIPPING:
        assert largest_flip_gain(K, c) <= size * len(K)
    if len(K) <= 10:
        assert direction.value <= best_by_enumeration(K)[0] + size * len(K)
