"""What every direction finder must do, over kernels, shapes and ties."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from contracts.finders import (
    EXACT,
    FINDERS,
    FLIPPING,
    LOCAL,
    NORM,
    PROBLEMS,
    SIGNS,
    SIZES,
    STATIONARY,
    find,
    held,
    problem,
)
from contracts.grams import POSITIVE_KERNELS, WITH_DTYPE, example, written_up_to
from l1kpca import tuning
from l1kpca.directions import Status
from oracles import best_by_enumeration, largest_flip_gain

NOISE = 1e-10


@pytest.fixture(params=FINDERS)
def name(request):
    return request.param


@pytest.fixture(params=SIGNS)
def of_signs(request):
    return request.param


@pytest.fixture(params=LOCAL)
def local(request):
    return request.param


@pytest.fixture(params=PROBLEMS)
def posed(request, global_random_seed, monkeypatch):
    """A matrix, a start and what is found from it, for each size, as a function of the finder.

    Every finder is tried on every problem, and every one of both in compiled calls and in the
    plain way; that the two ways take the same steps is seen in the tests of the compiled twin.
    """

    def problems(name):
        if (list(FINDERS).index(name) + list(PROBLEMS).index(request.param)) % 2:
            monkeypatch.setattr(tuning, "SMALL_ROWS", 0)
        sizes = [n for n in SIZES if n < 20 or name not in EXACT]
        return [solved(name, request.param, n, global_random_seed) for n in sizes]

    return problems


@cache
def solved(name, posed, n, seed):
    """A matrix, a start and what is found from it: once for all tests that look at it."""
    K, start = problem(posed, n, seed)
    return K, start, find(FINDERS[name], K, start)


def size_of(K):
    """The largest that an entry of K c can be."""
    return np.abs(K).max() * len(K)


def test_gives_a_dual_vector_and_its_image(name, posed):
    for K, _, direction in posed(name):
        noise = NOISE * size_of(K)
        assert direction.status is Status.CONVERGED or name in NORM  # power steps may creep
        assert_allclose(direction.image, K @ direction.coef, atol=noise)
        value = direction.coef @ K @ direction.coef
        assert direction.value == pytest.approx(value, abs=noise * len(K))
        assert direction.trace[-1] == pytest.approx(value, abs=noise * len(K))
        if name in SIGNS:
            assert set(np.unique(direction.coef)) <= {-1.0, 1.0}


def test_the_objective_never_falls(name, posed):
    for K, start, direction in posed(name):
        trace = np.array(direction.trace)
        assert (np.diff(trace) >= -NOISE * np.abs(trace).max()).all()
        if name in LOCAL:
            assert trace[0] == pytest.approx(start @ K @ start, abs=NOISE * (1 + abs(trace[-1])))


@pytest.mark.parametrize("stationary", STATIONARY)
def test_ends_at_a_stationary_point(stationary, posed):
    """c = sgn(K c) wherever K c is not zero: Theorem 3's condition."""
    for K, _, direction in posed(stationary):
        c = direction.coef
        assert (c * (K @ c) >= -NOISE * size_of(K)).all()


@pytest.mark.parametrize("flipping", FLIPPING)
def test_no_flip_helps_at_the_end(flipping, posed):
    for K, _, direction in posed(flipping):
        assert largest_flip_gain(K, direction.coef) <= NOISE * (1 + size_of(K))


@pytest.mark.parametrize("stationary", [name for name in LOCAL if name in STATIONARY])
def test_goes_nowhere_from_its_own_result(stationary, posed):
    for K, _, first in posed(stationary):
        again = find(FINDERS[stationary], K, first.coef)
        assert_array_equal(again.coef, first.coef)
        assert len(again.trace) == 1


def test_starts_side_by_side_are_the_same_as_one_by_one(name, posed):
    for K, start, first in posed(name):
        more = np.random.default_rng(1).choice([-1.0, 1.0], (len(K), 3))
        starts = np.column_stack([start, more])
        together = FINDERS[name].find(held(K), starts)
        assert len(together) == 4
        one_by_one = [first, *(find(FINDERS[name], K, c) for c in more.T)]
        for alone, direction in zip(one_by_one, together, strict=True):
            assert alone.value == pytest.approx(direction.value, rel=1e-9, abs=NOISE)
            assert alone.status is direction.status
            # An entry of K c within rounding of zero may have either sign, and so may the optimum.
            if name in LOCAL and (np.abs(alone.image) > 1e-7 * np.abs(alone.image).max()).all():
                assert_array_equal(alone.coef, direction.coef)


def test_starts_are_not_written_to(name):
    for n in SIZES[:3]:
        start = np.random.default_rng(n).choice([-1.0, 1.0], n)
        K, starts = np.ones((n, n)), start[:, np.newaxis].copy()
        FINDERS[name].find(held(K), starts)
        assert_array_equal(starts[:, 0], start)
        assert (K == 1).all()


# The hyperplanes of one and the sweeps of the other go by the order.
@pytest.mark.parametrize("name", [name for name in FINDERS if name not in ("sdp", "toy")])
@pytest.mark.parametrize("posed", [name for name in PROBLEMS if name != "ties"], indirect=True)
def test_order_of_the_rows_does_not_matter(name, posed):
    """Where no two flips are equally good, so that none is the first of them."""
    for K, start, first in posed(name):
        order = np.random.default_rng(2).permutation(len(K))
        shuffled = find(FINDERS[name], K[np.ix_(order, order)], start[order])
        rel = 1e-6 if name in NORM else 1e-9
        assert shuffled.value == pytest.approx(first.value, rel=rel, abs=NOISE)


def test_scale_of_the_matrix_does_not_matter(name, posed):
    """Powers of two: not a digit changes."""
    for K, start, one in posed(name):
        for scale in (2.0**-60, 2.0**40):
            other = find(FINDERS[name], K * scale, start)
            # Powers below the smallest number of full precision lose digits.
            assert_allclose(one.coef, other.coef, rtol=0, atol=1e-100 if name in NORM else 0)
            assert other.value == one.value * scale


def test_global_sign_does_not_matter(name, posed):
    for K, start, one in posed(name):
        other = find(FINDERS[name], K, -start)
        assert one.value == pytest.approx(other.value, rel=1e-12, abs=NOISE)
        if name in LOCAL:
            assert_array_equal(one.coef, -other.coef)
            assert one.trace == other.trace


def test_max_cut_identity(of_signs, posed):
    """c^T K c = 1^T K 1 - 4 cut(c): the best signs cut the least weight K_ij."""
    for K, _, direction in posed(of_signs):
        cut = K[np.ix_(direction.coef > 0, direction.coef < 0)].sum()
        expected = K.sum() - 4 * cut
        assert direction.value == pytest.approx(expected, abs=1e-9 * (1 + np.abs(K).sum()))


OVER = [c for c in WITH_DTYPE if c[1] in POSITIVE_KERNELS and c[2] in ("mean", "deflated mean")]


@pytest.mark.parametrize(
    ("case", "way"),
    [(case, ("compiled", "plain")[place % 2]) for place, case in enumerate(OVER)],
    indirect=["way"],
    ids=["-".join(case) for case in OVER],
)
def test_over_every_gram(case, way):
    """Never worse than the start, stationary up to the precision, and in the Gram's dtype."""
    held, start = example(*case), np.random.default_rng(0).choice([-1.0, 1.0], 23)
    noise = 23 * 23 * held.tolerance
    names = LOCAL if case[0].startswith("dask") or way == "compiled" else SIGNS
    for name in names:
        direction = FINDERS[name].find(held.gram, start[:, np.newaxis].astype(case[3]))[0]
        c = direction.coef.astype(float)
        assert direction.coef.dtype == direction.image.dtype == case[3], name
        assert c @ held.K @ c >= start @ held.K @ start - noise, name
        assert_allclose(direction.image, held.K @ c, atol=noise, err_msg=name)
        if name in STATIONARY:
            assert (c * (held.K @ c) >= -noise).all(), name


def test_enumeration_is_never_beaten_and_nearly_always_reached():
    """100 instances of 5 to 12 rows; ten starts with flips reach the optimum on most of them."""
    kinds = ["linear", "centered linear", "wide", "narrow", "laplacian"]
    reached = dict.fromkeys(SIGNS, 0)
    for seed in range(100):
        n = 5 + seed % 8
        K, _ = problem(kinds[seed % len(kinds)], n, seed)
        best, _ = best_by_enumeration(K)
        starts = np.random.default_rng(seed).choice([-1.0, 1.0], (n, 10))
        for name in SIGNS:
            with written_up_to(n * (seed % 2)):  # in compiled calls, and in the plain way
                value = max(found.value for found in FINDERS[name].find(held(K), starts))
            assert value <= best * (1 + NOISE), name
            reached[name] += value >= best * (1 - NOISE)
    assert reached["exact"] == 100
    assert min(reached[name] for name in FLIPPING) >= 85, reached
    assert reached["polished"] >= 95
    assert reached["sdp"] >= 99


@pytest.mark.usefixtures("way")
def test_an_indefinite_matrix_ends_with_the_best_signs_seen(local):
    """The sign iteration may cycle there; it must end, and never below its start."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        A = rng.normal(size=(12, 12))
        K, start = (A + A.T) / 2, rng.choice([-1.0, 1.0], 12)
        direction = find(FINDERS[local], K, start)
        assert direction.status is not Status.MAX_ITER
        assert direction.value >= start @ K @ start - NOISE
        assert direction.value == pytest.approx(direction.coef @ K @ direction.coef)


@pytest.mark.parametrize("local", LOCAL)
@given(
    entries=st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=1, max_size=14),
    scale=st.sampled_from([1e-8, 1e-3, 1.0, 7.0, 1e6]),
    repeat=st.integers(1, 3),
    seed=st.integers(0, 2**16),
    written=st.sampled_from([0, tuning.SMALL_ROWS]),
)
def test_ties_duplicates_and_scales(local, entries, scale, repeat, seed, written):
    """Whole numbers make K c vanish exactly; the run still ends, stationary, never lower."""
    X = np.repeat(np.array(entries, dtype=float) * scale, repeat, axis=0)
    K = X @ X.T
    start = np.random.default_rng(seed).choice([-1.0, 1.0], len(K))
    with written_up_to(written):
        direction = find(FINDERS[local], K, start)
    c, noise = direction.coef, NOISE * size_of(K)
    assert direction.status is Status.CONVERGED
    assert direction.value >= start @ K @ start - noise * len(K)
    if local in STATIONARY:
        assert (c * (K @ c) >= -noise).all()
    if local in FLIPPING:
        assert largest_flip_gain(K, c) <= noise * len(K)
    if len(K) <= 10:
        assert direction.value <= best_by_enumeration(K)[0] + noise * len(K)
