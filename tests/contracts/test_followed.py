"""Signs that are followed: whatever is proposed, taken and flipped, the image is K c."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from contracts.grams import GRAMS, WITH_DTYPE, example, written_up_to
from oracles import signs

N, K_SEARCHES = 23, 3
FLAGS = st.lists(st.booleans(), min_size=K_SEARCHES, max_size=K_SEARCHES).map(np.array)
STEPS = st.one_of(
    st.tuples(st.just("propose"), st.sampled_from([0.0, 0.25, 1.0]), FLAGS),
    st.tuples(st.just("take"), st.just(0.0), FLAGS),
    st.tuples(st.just("flip"), st.just(0.0), st.integers(0, 2**16)),
)


class Model:
    """What `Followed` must be, with K at hand."""

    def __init__(self, case, starts):
        self.case = case
        self.K = (case.K + case.K.T) / 2
        self.signs = starts.astype(float)
        self.before = self.signs.copy()
        self.proposed = self.signs.copy()
        self.noise = 100 * N * case.tolerance

    def propose(self, followed, beta, moving):
        """Its gains are those of the signs that it goes to; these are seen when it is taken."""
        gain, moved = followed.propose(beta, moving)
        ahead = self.K @ (self.signs + beta * (self.signs - self.before))
        self.proposed = np.where(moving, signs(ahead, self.signs), self.signs)
        # An entry within rounding of zero may have either sign.
        sure = np.abs(ahead) > self.noise
        for j in range(K_SEARCHES):
            if sure[:, j].all():
                c, new = self.signs[:, j], self.proposed[:, j]
                step = new - c
                assert gain[j] == pytest.approx(new @ self.K @ new - c @ self.K @ c, **self.close)
                assert moved[j] == pytest.approx(step @ self.K @ step, **self.close)
        return gain, moved, sure

    @property
    def close(self):
        return {"rel": 1e-3, "abs": 4 * N * self.noise}

    def check(self, followed):
        for j in range(K_SEARCHES):
            c = self.signs[:, j]
            assert_array_equal(followed.signs[j], c)
            assert_allclose(followed.image(j), self.K @ c, atol=self.noise)
            assert followed.values[j] == pytest.approx(c @ self.K @ c, **self.close)


def run(case, starts, steps):
    """Take the steps, and compare after each."""
    followed = case.gram.follow(starts.astype(case.gram.dtype))
    model = Model(case, starts)
    model.check(followed)
    for kind, beta, argument in steps:
        if kind == "flip":
            rng = np.random.default_rng(argument)
            flips = [rng.permutation(N)[: rng.integers(0, N + 1)] for _ in range(K_SEARCHES)]
            followed.flip(flips)
            for j, rows in enumerate(flips):
                if len(rows):
                    model.before[:, j] = model.signs[:, j]
                    model.signs[rows, j] *= -1
        else:
            moving = argument if kind == "propose" else np.ones(K_SEARCHES, dtype=bool)
            momentum = np.full(K_SEARCHES, beta)
            before = [c.copy() for c in followed.signs]
            gain, moved, sure = model.propose(followed, momentum, moving)
            model.check(followed)  # a proposal changes nothing
            assert not gain[~moving].any()
            assert not moved[~moving].any()
            taken = argument if kind == "take" else moving
            followed.take(taken)
            for j in np.flatnonzero(taken):
                found = followed.signs[j].astype(float)
                differs = found != model.proposed[:, j]
                assert not (differs & sure[:, j]).any()
                if (found != before[j]).any():
                    model.before[:, j] = before[j]
                model.signs[:, j] = found
        model.check(followed)


@pytest.mark.parametrize("case", WITH_DTYPE, ids="-".join)
def test_the_image_follows_the_signs(case):
    """A fixed course of steps, over every Gram."""
    rng = np.random.default_rng(5)
    starts = rng.choice([-1.0, 1.0], (N, K_SEARCHES))
    some, every = np.array([True, False, True]), np.ones(K_SEARCHES, dtype=bool)
    steps = [
        ("propose", 0.0, every),
        ("take", 0.0, some),
        ("propose", 0.5, some),
        ("flip", 0.0, 7),
        ("propose", 0.25, every),
        ("flip", 0.0, 8),
        ("take", 0.0, every),
    ]
    with written_up_to(GRAMS[case[0]].small_rows):
        run(example(*case), starts, steps)


@pytest.mark.parametrize("gram_name", [name for name in GRAMS if "dask" not in name])
@settings(max_examples=15)
@given(data=st.data())
def test_wherever_the_signs_go(gram_name, data):
    cases = [case for case in WITH_DTYPE if case[0] == gram_name]
    case = example(*data.draw(st.sampled_from(cases)))
    seed = data.draw(st.integers(0, 2**16))
    starts = np.random.default_rng(seed).choice([-1.0, 1.0], (N, K_SEARCHES))
    run(case, starts, data.draw(st.lists(STEPS, max_size=10)))


@pytest.mark.parametrize("case", [c for c in WITH_DTYPE if "minus" not in c[2]], ids="-".join)
def test_a_step_never_falls_where_the_matrix_is_positive(case):
    """c'^T K c' - c^T K c >= (c' - c)^T K (c' - c) >= 0 for c' = sgn(K c)."""
    held = example(*case)
    if np.linalg.eigvalsh((held.K + held.K.T) / 2)[0] < -held.tolerance:
        return
    starts = np.random.default_rng(6).choice([-1.0, 1.0], (N, 5)).astype(case[3])
    gain, moved = held.gram.follow(starts).propose(np.zeros(5), np.ones(5, dtype=bool))
    noise = 4 * N * N * held.tolerance
    assert (moved >= -noise).all()
    assert (gain >= moved - noise).all()
