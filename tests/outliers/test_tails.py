"""Tails: through both quantiles, rising everywhere, and never steeper than the fourth power."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from l1kpca.outliers.tails import Tail, fit_tail, surplus

POWERS = [0.3, 0.9, 1.0, 1.1, 2.0, 4.0]


@pytest.mark.parametrize("power", POWERS)
def test_a_tail_and_its_inverse(power):
    tail = Tail(3.0, 5.0, power)
    surprises = np.r_[0.01, 1.0, 2.4, 2.5, 2.6, 4.9, 5.0, 5.1, 9.0, 100.0]
    values = np.array([tail.at(surprise) for surprise in surprises])
    assert_allclose(tail(values), surprises, rtol=1e-12)
    assert (np.diff(values) > 0).all()


@pytest.mark.parametrize("power", POWERS)
def test_the_pieces_of_a_tail(power):
    """Of the fourth power below the lower quantile, of its own between, a tangent or it beyond."""
    tail = Tail(3.0, 5.0, power)
    low = 3.0 * 2 ** (-1 / power)
    assert_allclose(tail(np.array([0.0, low, 3.0])), [0, 2.5, 5])
    assert_allclose(tail(np.array([low / 2])), 2.5 / 16)
    between = np.linspace(low, 3, 7)
    assert_allclose(tail(between), 5 * (between / 3) ** power)
    beyond = np.array([4.0, 9.0, 300.0])
    expected = (beyond / 3) ** power if power < 1 else 1 + power * (beyond / 3 - 1)
    assert_allclose(tail(beyond), 5 * expected)


@pytest.mark.parametrize("level", [0.6, 0.9, 0.98, 0.9999])
@pytest.mark.parametrize("n", [1, 2, 3, 6, 7, 20, 100, 1000])
def test_three_values_are_beyond_the_upper_quantile(n, level):
    values = np.random.default_rng(n).permutation(np.arange(1.0, n + 1))
    tail = fit_tail(values, level)
    share = min(level, max(0.5, 1 - 3 / n))
    assert share == min(level, max(0.5, 1 - 3 / n))
    assert tail.surprise == pytest.approx(-np.log(1 - share))
    assert tail.value == np.quantile(values, share, method="inverted_cdf")
    if n >= 6:
        assert (values > tail.value).sum() >= 3
    low = np.quantile(values, 1 - np.sqrt(1 - share), method="inverted_cdf")
    if low < tail.value * 2 ** (-1 / 4):
        assert_allclose(tail(np.array([low])), tail.surprise / 2)
    else:
        assert tail.power == pytest.approx(4)


def test_what_hardly_differs_has_the_steepest_tail():
    for values in (np.ones(20), np.linspace(1, 1.01, 50)):
        assert fit_tail(values, 0.9).power == pytest.approx(4)


def test_the_lower_quantile_is_no_less_than_a_thousandth_of_the_upper():
    tail = fit_tail(np.r_[np.full(80, 1e-9), np.full(20, 5.0)], 0.9)
    assert tail.value == 5
    assert_allclose(tail(np.array([5e-3])), tail.surprise / 2)


@pytest.mark.parametrize(
    ("values", "value"),
    [(np.zeros(20), 1.0), (np.zeros(0), 1.0), (np.r_[np.zeros(98), 5.0, 0.25], 0.25)],
)
def test_where_nothing_is_seen_the_least_that_is_seen_counts(values, value):
    assert fit_tail(values, 0.9).value == value


def test_a_normal_tail_is_the_least():
    levels = np.array([1 - np.sqrt(0.1), 0.9])
    low, high = stats.norm.ppf((1 + levels) / 2)
    narrow = fit_tail(np.linspace(0.01, 0.02, 100), 0.9, normal=True)
    assert narrow.value == pytest.approx(high)
    assert_allclose(narrow(np.array([low])), narrow.surprise / 2)
    wide = np.linspace(10, 90, 100)
    assert fit_tail(wide, 0.9, normal=True) == fit_tail(wide, 0.9)


def test_the_surplus_over_values_without_spread():
    assert surplus(np.ones(50)) == 0
    assert surplus(np.r_[np.ones(45), np.full(5, 2.0)]) == 0.1
    assert surplus(np.r_[np.zeros(5), np.ones(45)]) == 0
