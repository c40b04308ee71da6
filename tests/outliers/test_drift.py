"""The test for drift: false alarms over sequences of batches, and what it must find."""

import numpy as np
import pytest

from l1kpca.outliers.promises import _SHARES, _TAIL, _TILTS, _log_gains, look_for_drift

DRAWS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "ties": lambda rng, shape: rng.poisson(2, shape).astype(float),
}


def many_sequences(rng, draw, repeats, n_batches, size):
    """References, batches, and the evidence after each batch, of many sequences side by side.

    The game of `look_for_drift` by its definition: what a bet holds is multiplied by its density.
    """
    tilts, offers, tail = _TILTS, _SHARES, _TAIL
    reference, batches = draw(rng, (repeats, 40)), draw(rng, (n_batches, repeats, size))
    known, evidence = reference, []
    held = np.zeros((2 * len(tilts) + len(offers), repeats))
    first = np.repeat([0.25 / len(tilts), 0.5 / len(offers)], [2 * len(tilts), len(offers)])
    for k, batch in enumerate(batches, start=1):
        chance = np.random.default_rng(k)
        order, luck = chance.permutation(size), chance.random(size)
        held += first[:, np.newaxis] / (k * (k + 1))
        for row, one in zip(batch[:, order].T, luck, strict=True):
            above, equal = (
                (compare(known.T, row)).sum(axis=0) for compare in (np.greater, np.equal)
            )
            u = (above + one * (equal + 1)) / (known.shape[1] + 1)
            v, in_tail = (u - tail) / (1 - tail), u <= tail
            for place, tilt in enumerate(tilts):
                for side, at in enumerate((v, np.abs(2 * v - 1))):
                    density = tilt * np.exp(tilt * at) / np.expm1(tilt)
                    held[place + side * len(tilts)] *= np.where(in_tail, 1, density)
            for place, share in enumerate(offers, start=2 * len(tilts)):
                held[place] *= np.where(in_tail, share / tail, (1 - share) / (1 - tail))
            known = np.column_stack([known, row])
        evidence.append(1 / (k + 1) + held.sum(axis=0))
    return reference, batches, np.array(evidence)


@pytest.mark.parametrize("kind", DRAWS)
def test_over_a_hundred_batches_false_alarms_stay_below_the_level(kind):
    repeats = 500
    rng = np.random.default_rng(0)
    reference, batches, evidence = many_sequences(rng, DRAWS[kind], repeats, 100, 4)
    for level in (0.05, 0.1, 0.2):
        alarms = (evidence >= 1 / level).any(axis=0).mean()
        assert alarms <= level + 2 * np.sqrt(level * (1 - level) / repeats)
    for place in range(3):  # these are sequences of the library
        found = None
        for k in range(30):
            found = look_for_drift(reference[place], batches[k, place], 0.1, found)
            np.testing.assert_allclose(found.evidence, evidence[k, place], rtol=1e-9)


@pytest.mark.parametrize("size", [1, 3])
def test_equal_scores_are_no_drift(size):
    """Only chance breaks their ties, and it must be another one in every batch."""
    found = None
    for _ in range(100):
        found = look_for_drift(np.full(50, 7.0), np.full(size, 7.0), 0.05, found)
        assert not found.found


def test_every_bet_is_fair():
    """The mean gain of one uniform row is 1, by the midpoint rule."""
    u = (np.arange(200_000) + 0.5) / 200_000
    gains = np.mean([np.exp(_log_gains(np.array([one]))) for one in u[::200]], axis=0)
    np.testing.assert_allclose(gains, 1, rtol=5e-3)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda x: x + 0.6, True),
        (lambda x: x - 0.6, True),
        (lambda x: 0.4 * x, True),
        (lambda x: x + 100, True),
        (lambda x: np.where(np.arange(len(x)) < 0.1 * len(x), x + 9, x), False),
        (lambda x: np.where(np.arange(len(x)) < 0.5 * len(x), x + 9, x), True),
        (np.sort, False),
    ],
    ids=["up", "down", "narrow", "far", "a tenth outliers", "half outliers", "sorted"],
)
def test_a_shift_is_found_and_outliers_alone_are_none(change, expected):
    rng = np.random.default_rng(0)
    for _ in range(5):
        drift = look_for_drift(rng.normal(size=800), change(rng.normal(size=800)), 0.01)
        assert drift.found == expected
        assert str(drift).startswith("Drift: as a whole" if expected else "No drift found")


def test_late_drift_is_found():
    rng = np.random.default_rng(0)
    reference = rng.normal(size=500)
    drift = None
    for _ in range(30):
        drift = look_for_drift(reference, rng.normal(size=100), 0.01, drift)
        assert not drift.found
    for _ in range(6):
        drift = look_for_drift(reference, 1 + rng.normal(size=100), 0.01, drift)
    assert drift.found
    assert drift.n_batches == 36
    assert drift.above > 0.7
    assert drift.beyond > 0.2


def test_the_same_rows_give_the_same_answer():
    rng = np.random.default_rng(0)
    reference, rows = rng.normal(size=100), rng.normal(size=7000)
    first, second = (look_for_drift(reference, rows, 0.01) for _ in range(2))
    assert first.evidence == second.evidence
