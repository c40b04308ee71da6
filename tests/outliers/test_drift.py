"""The test for drift: false alarms over sequences of batches, and what it must find."""

import numpy as np
import pytest

from l1kpca.outliers.drift import _log_gains, look_for_drift


def sequence(rng, reference, n_batches, size, level, draw):
    """Whether there was an alarm, and the last answer."""
    drift, alarm = None, False
    for _ in range(n_batches):
        drift = look_for_drift(reference, draw(size), level, drift)
        alarm |= drift.found
    return alarm, drift


@pytest.mark.parametrize("kind", ["normal", "ties"])
def test_over_a_hundred_batches_false_alarms_stay_below_the_level(kind):
    rng, level, alarms, repeats = np.random.default_rng(0), 0.2, 0, 40
    draw = (
        (lambda size: rng.normal(size=size)) if kind == "normal" else (lambda s: rng.poisson(2, s))
    )
    for _ in range(repeats):
        alarms += sequence(rng, draw(40), 100, 4, level, draw)[0]
    assert alarms <= repeats * level + 2 * np.sqrt(repeats * level * (1 - level))


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
        assert str(drift).startswith("Drift: the batch does not" if expected else "No drift found")


def test_late_drift_is_found():
    rng = np.random.default_rng(0)
    reference = rng.normal(size=500)
    _, drift = sequence(rng, reference, 30, 100, 0.01, lambda size: rng.normal(size=size))
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
