"""Categories: rare levels and rare combinations count, repetitions and noise do not."""

import numpy as np
import pytest
from scipy import stats

from l1kpca.tables.categories import learn_categories

N = 4000


def learn(columns, numbers=()):
    """Rarity and position of each column in each row."""
    found = []
    categories = learn_categories(columns, numbers)
    codes = [category.codes(cells) for category, cells in zip(categories, columns, strict=True)]
    for category, own in zip(categories, codes, strict=True):
        given = codes[category.parent] if category.parent >= 0 else -1
        found.append((category, category.rarity[given, own], category.position[own]))
    return found


def drawn(levels, p, seed=0, n=N):
    return np.random.default_rng(seed).choice(list(levels), n, p=p).tolist()


def test_a_rare_level_counts_as_a_number_of_a_laplace_variable_that_is_as_rare():
    cells = ["a"] * 3000 + ["b"] * 996 + ["c"] * 40
    category, rarity, _ = learn([cells])[0]
    share = np.array([4037, 1037, 41]) / 4037  # at most so frequent, and one row more
    np.testing.assert_allclose(
        rarity[[0, 3000, -1]], np.r_[0, stats.laplace.isf(share[1:] / 2, scale=0.5**0.5)]
    )
    assert category.levels == ("a", "b", "c")
    assert category.rarity[-1, -1] == pytest.approx(
        stats.laplace.isf(0.5 / 4037, scale=0.5**0.5)
    )  # any other level


@pytest.mark.parametrize("levels", [2, 7, 24, 200])
def test_levels_that_are_about_as_frequent_count_nothing(levels):
    rarity = learn([drawn(map(str, range(levels)), None)])[0][1]
    assert (rarity > 0).mean() < 0.02


def test_a_normal_variable_in_classes_is_at_most_as_wide_as_before():
    numbers = np.abs(np.random.default_rng(0).normal(size=N))
    rarity = learn([[f"{v:.0f}" for v in numbers]])[0][1]
    assert np.mean(rarity**2) < 1


def test_a_column_that_repeats_another_never_surprises():
    cells = drawn("abc", [0.7, 0.299, 0.001])
    renamed = [cell.upper() for cell in cells]
    found = learn([cells, renamed, cells], [np.random.default_rng(1).normal(size=N)])
    assert found[0][1].max() > 3
    for category, rarity, _ in found[1:]:
        assert category.parent >= 0
        assert np.mean(rarity**2) < 0.02
        common = [r for r, cell in zip(rarity, cells, strict=True) if cell != "c"]
        assert max(common) < 0.1


def test_a_combination_that_never_occurs_is_rare_though_its_levels_are_not():
    sex = drawn(["f", "m"], [0.5, 0.5])
    pregnant = [
        "yes" if s == "f" and u < 0.3 else "no"
        for s, u in zip(sex, np.random.default_rng(1).random(N), strict=True)
    ]
    sex[0], pregnant[0] = "m", "yes"
    _, (category, rarity, _) = learn([sex, pregnant])
    assert category.parent == 0
    assert rarity[0] > 3 > 1.5 > np.delete(rarity, 0).max()
    assert np.array(category.levels)[category.likely].tolist()[:2] == ["no", "no"]


@pytest.mark.parametrize("levels", [2, 5, 30])
def test_columns_that_have_nothing_to_do_with_each_other_stay_alone(levels):
    p = np.arange(1, levels + 1) / np.arange(1, levels + 1).sum()
    columns = [drawn(map(str, range(levels)), p, seed) for seed in range(6)]
    numbers = list(np.random.default_rng(9).normal(size=(3, N)))
    for category, _, position in learn(columns, numbers):
        assert category.parent == -1
        assert not position.any()


def test_a_position_is_where_the_numbers_of_a_level_are():
    species = np.random.default_rng(0).integers(0, 3, N)
    noise = np.random.default_rng(1).normal(size=(2, N))
    numbers = [4.0 * species + noise[0], noise[1]]
    _, _, position = learn([[f"s{s}" for s in species]], numbers)[0]
    means = [position[species == s].mean() for s in range(3)]
    assert abs(means[0] - means[2]) > 2 * abs(means[1]) > 0 or means[1] == pytest.approx(0, abs=0.1)
    assert 0.5 < position.var() <= 1
    assert abs(position.mean()) < 0.05


@pytest.mark.parametrize(("n_categories", "n_numbers"), [(1, 1), (20, 1), (20, 3), (40, 2)])
def test_together_categories_never_have_more_variance_than_the_numbers(n_categories, n_numbers):
    rng = np.random.default_rng(0)
    numbers = list(rng.normal(size=(n_numbers, N)))
    columns = [drawn("abcd", [0.5, 0.3, 0.15, 0.05], seed) for seed in range(n_categories)]
    total = sum(np.mean(r**2) + np.mean(p**2) for _, r, p in learn(columns, numbers))
    assert total <= n_numbers * (1 + 1e-9)


def test_holes_have_no_level():
    (category, *_), _ = learn([["a", None, "b", "a"] * 50, ["u", "v", None, "u"] * 50])
    assert category.codes(["b", None, "z"]).tolist() == [1, -1, 2]
