"""What every direction finder must do, over kernels, shapes and ties."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from contracts.finders import FINDERS, FLIPPING, PROBLEMS, held, problem
from doubles import CountingGram
from l1kpca.directions import BitFlip, SignFixedPoint, Status, best_direction
from oracles import fixed_point, largest_flip_gain

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


def iterates(finder, gram, start, last=1000):
    """The sign vectors of a run, step by step: the run is repeated with ever more steps."""
    bound = "max_iter" if isinstance(finder, SignFixedPoint) else "max_flips"
    found = []
    for steps in range(last):
        direction = replace(finder, **{bound: steps}).find(gram, start)
        if direction.status is not Status.MAX_ITER:
            return found
        found.append(direction)
    raise AssertionError("the run did not end")


def test_gives_signs_and_their_image(finder, posed):
    K, start = posed
    direction = finder.find(held(K), start)
    size = np.abs(K).max() * len(K)
    assert set(np.unique(direction.coef)) <= {-1.0, 1.0}
    assert direction.status is Status.CONVERGED
    assert_allclose(direction.image, K @ direction.coef, atol=NOISE * size)
    assert direction.value == pytest.approx(
        direction.coef @ K @ direction.coef, abs=NOISE * size * len(K)
    )
    assert direction.trace[-1] == pytest.approx(direction.value, abs=NOISE * size * len(K))


def test_the_objective_never_falls(finder, posed):
    K, start = posed
    trace = np.array(finder.find(held(K), start).trace)
    assert trace[0] == pytest.approx(start @ K @ start, abs=NOISE * (1 + np.abs(trace).max()))
    assert (np.diff(trace) >= -NOISE * np.abs(trace).max()).all()


def test_ends_at_a_stationary_point(finder, posed):
    """c = sgn(K c) wherever K c is not zero: Theorem 3's condition."""
    K, start = posed
    c = finder.find(held(K), start).coef
    assert (c * (K @ c) >= -NOISE * np.abs(K).max() * len(K)).all()


def test_no_flip_helps_at_the_end(flipping, posed):
    K, start = posed
    c = flipping.find(held(K), start).coef
    assert largest_flip_gain(K, c) <= NOISE * (1 + np.abs(K).max() * len(K))


def test_goes_nowhere_from_its_own_result(finder, posed):
    K, start = posed
    first = finder.find(held(K), start)
    again = finder.find(held(K), first.coef)
    assert_array_equal(again.coef, first.coef)
    assert len(again.trace) == 1


def test_every_step_of_algorithm_1(posed):
    """Sign for sign the plain iteration, where no entry of K c is within rounding of zero."""
    K, start = posed
    expected = fixed_point(K, start)
    size = np.abs(K).max() * len(K)
    if any((np.abs(K @ c) < NOISE * size).any() for c in expected):
        expected_value = expected[-1] @ K @ expected[-1]
        found = SignFixedPoint().find(held(K), start)
        assert found.value == pytest.approx(expected_value, rel=1e-6, abs=NOISE)
        return
    found = [direction.coef for direction in iterates(SignFixedPoint(), held(K), start)]
    assert_array_equal(found, expected)


def test_linear_rate_of_theorem_2(posed):
    """At each step, |x'| - |x*| <= rho(c) (|x| - |x*|), with |x| = sqrt(c^T K c) / |K c|_1."""
    K, start = posed
    run = [d.coef for d in iterates(SignFixedPoint(), held(K), start)]
    run = [c for c in run if c @ K @ c > NOISE * np.abs(K).max()]
    if not run:
        return
    lengths = [np.sqrt(c @ K @ c) / np.abs(K @ c).sum() for c in run]
    rates = [c @ K @ c / np.abs(K @ c).sum() for c in run]
    best = 1 / np.sqrt(run[-1] @ K @ run[-1])
    assert lengths[-1] == pytest.approx(best)
    for before, after, rate in zip(lengths, lengths[1:], rates[1:], strict=False):
        assert rate <= 1 + NOISE
        assert after <= before * (1 + NOISE)
        assert after - best <= rate * (before - best) + NOISE * best
    assert all(rate < 1 for rate in rates[:-1])


def test_steps_of_bit_flipping_take_the_best_flip(global_random_seed):
    K, start = problem("narrow", 17, global_random_seed)
    run = [d.coef for d in iterates(BitFlip(), held(K), start)]
    for before, after in pairwise(run):
        assert (before != after).sum() == 1
        gained = after @ K @ after - before @ K @ before
        assert gained == pytest.approx(largest_flip_gain(K, before))


def test_starts_side_by_side_are_the_same_as_one_by_one(finder, posed):
    K, start = posed
    rng = np.random.default_rng(1)
    starts = np.column_stack([start, rng.choice([-1.0, 1.0], (len(K), 4))])
    together = finder.find_each(held(K), starts)
    for k, direction in enumerate(together):
        alone = finder.find(held(K), starts[:, k])
        assert alone.value == pytest.approx(direction.value, rel=1e-9, abs=NOISE)
        if (np.abs(alone.image) > 1e-7 * np.abs(alone.image).max()).all():
            assert_array_equal(alone.coef, direction.coef)


def test_known_images_save_the_first_product(finder):
    K, start = problem("wide", 60, 0)
    starts = np.column_stack([start, -start])
    gram = CountingGram(held(K))
    given_images = finder.find_each(gram, starts, images=K @ starts)
    alone = finder.find_each(held(K), starts)
    for one, two in zip(given_images, alone, strict=True):
        assert_array_equal(one.coef, two.coef)


def test_arguments_are_not_written_to(finder, posed):
    K, start = posed
    starts, images = start[:, np.newaxis].copy(), K @ start[:, np.newaxis]
    kept = starts.copy(), images.copy()
    finder.find_each(held(K), starts, images)
    assert_array_equal(starts, kept[0])
    assert_array_equal(images, kept[1])


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", [name for name in PROBLEMS if name != "ties"])
def test_order_of_the_rows_does_not_matter(finder, name, n, global_random_seed):
    """Where no two flips are equally good, so that none is the first of them."""
    K, start = problem(name, n, global_random_seed)
    order = np.random.default_rng(2).permutation(len(K))
    value = finder.find(held(K), start).value
    shuffled = finder.find(held(K[np.ix_(order, order)]), start[order])
    assert shuffled.value == pytest.approx(value, rel=1e-9, abs=NOISE)


@pytest.mark.parametrize("scale", [2.0**-60, 2.0**40])
def test_scale_of_the_matrix_does_not_matter(finder, posed, scale):
    """Powers of two: not a digit changes."""
    K, start = posed
    one, other = finder.find(held(K), start), finder.find(held(K * scale), start)
    assert_array_equal(one.coef, other.coef)
    assert other.value == one.value * scale


def test_global_sign_does_not_matter(finder, posed):
    K, start = posed
    one, other = finder.find(held(K), start), finder.find(held(K), -start)
    assert_array_equal(one.coef, -other.coef)
    assert one.trace == other.trace


def test_best_direction_is_the_best(finder):
    K, _ = problem("narrow", 40, 3)
    starts = np.random.default_rng(3).choice([-1.0, 1.0], (40, 6))
    values = [finder.find(held(K), start).value for start in starts.T]
    assert best_direction(finder, held(K), starts).value == pytest.approx(max(values))
