"""The generators: what their docstrings state, for any seed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from l1kpca.datasets import make_line, make_low_rank, make_spiral

SEEDS = st.integers(0, 2**32 - 1)


@given(
    seed=SEEDS,
    n_samples=st.integers(12, 60),
    n_features=st.integers(5, 12),
    rank=st.integers(1, 5),
    corrupted=st.floats(0, 1),
)
def test_low_rank_data_is_standardized_low_rank_plus_row_noise(
    seed, n_samples, n_features, rank, corrupted
):
    data = make_low_rank(n_samples, n_features, rank, corrupted, random_state=seed)
    assert data.X.shape == data.X_normal.shape == (n_samples, n_features)
    assert np.linalg.matrix_rank(data.X_normal, tol=1e-8) == rank
    np.testing.assert_allclose(data.X_normal.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(data.X_normal.std(axis=0), 1, atol=1e-9)
    assert data.corrupted.sum() == round(corrupted * n_samples)
    np.testing.assert_array_equal(data.X[~data.corrupted], data.X_normal[~data.corrupted])


@given(seed=SEEDS, few=st.floats(0, 0.5), more=st.floats(0.5, 1))
def test_more_corruption_adds_to_the_same(seed, few, more):
    few, more = (make_low_rank(30, 6, 2, r, random_state=seed) for r in (few, more))
    np.testing.assert_array_equal(few.X_normal, more.X_normal)
    assert (more.corrupted >= few.corrupted).all()
    np.testing.assert_array_equal(few.X[few.corrupted], more.X[few.corrupted])


def test_noise_has_its_scale_and_share(global_random_seed):
    data = make_low_rank(
        corrupted=0.5, noise_scale=7.0, noise_share=0.3, random_state=global_random_seed
    )
    noise = (data.X - data.X_normal)[data.corrupted]
    hit = noise != 0
    assert hit.mean() == pytest.approx(0.3, abs=0.02)  # 25 000 entries: 7 standard errors
    assert noise[hit].std() == pytest.approx(7.0, rel=0.05)
    assert noise[hit].mean() == pytest.approx(0.0, abs=0.5)


@given(seed=SEEDS)
def test_normal_matrix_follows_its_formula(seed):
    rng = np.random.RandomState(seed)
    U, V = rng.standard_normal((9, 3)), rng.standard_normal((3, 4))
    scales = (3.0, 2.0, 1.0)
    product = np.array(
        [[sum(U[i, k] * scales[k] * V[k, j] for k in range(3)) for j in range(4)] for i in range(9)]
    )
    expected = (product - product.mean(axis=0)) / product.std(axis=0)
    normal = make_low_rank(9, 4, 3, random_state=seed).X_normal
    np.testing.assert_allclose(normal, expected, atol=1e-9)


def explained_variation(noisy, normal, n_components=4):
    """The paper's total explained variation of L2 PCA with a linear kernel, in percent."""
    loadings = np.linalg.eigh(noisy.T @ noisy)[1][:, -n_components:]
    best = np.linalg.eigvalsh(normal.T @ normal)[-n_components:].sum()
    return 100 * np.sum((normal @ loadings) ** 2) / best


def test_default_noise_costs_l2_pca_ten_points(global_random_seed):
    values = [
        explained_variation(data.X, data.X_normal)
        for share in (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
        for instance in range(10)
        for seed in [global_random_seed + 100 * instance]
        for data in [make_low_rank(corrupted=share, random_state=seed)]
    ]
    assert np.mean(values) == pytest.approx(90, abs=2.5)


@pytest.mark.parametrize("make", [make_line, make_spiral])
def test_toys_have_normal_points_then_two_far_and_six_off(make, global_random_seed):
    X, kind = make(30, random_state=global_random_seed)
    assert X.shape == (38, 2)
    assert kind.dtype == np.int8
    np.testing.assert_array_equal(kind, [0] * 30 + [1] * 2 + [2] * 6)


@given(seed=SEEDS, noise=st.floats(0, 0.2), n_normal=st.integers(2, 80))
def test_line_far_points_are_on_the_line_and_off_points_are_not(seed, noise, n_normal):
    X, kind = make_line(n_normal, noise=noise, random_state=seed)
    u = np.array([np.cos(np.pi / 6), np.sin(np.pi / 6)])
    along, across = X @ u, X @ np.array([-u[1], u[0]])
    np.testing.assert_allclose(across[kind == 1], 0, atol=1e-12)
    np.testing.assert_allclose(along[kind == 0], np.linspace(-5, 5, n_normal), atol=1e-12)
    assert np.abs(along[kind == 1]).min() > 1.5 * np.abs(along[kind == 0]).max()
    assert np.abs(across[kind == 2]).min() > 2 * np.abs(across[kind == 0]).max()
    np.testing.assert_allclose(X[kind != 0].mean(axis=0), 0, atol=1e-12)


def test_line_misleads_the_circle_of_l2_pca(global_random_seed):
    X, kind = make_line(random_state=global_random_seed)
    U = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[0]  # standardized scores
    distance = np.linalg.norm(U, axis=1)
    inside = distance <= distance[kind == 0].max()
    assert not inside[kind == 1].any()
    assert inside[kind == 2].sum() in (1, 2)


def nearest(points, others):
    return np.linalg.norm(points[:, None] - others[None], axis=2).min(axis=1)


@given(seed=SEEDS, turns=st.floats(1, 4))
def test_spiral_points_are_where_they_should_be(seed, turns):
    X, kind = make_spiral(100, turns=turns, random_state=seed)
    t = np.linspace(0.25, turns, 1000)[:, None]
    curve = 3 * t * np.column_stack([np.cos(2 * np.pi * t), np.sin(2 * np.pi * t)])
    radius = np.linalg.norm(X, axis=1)
    assert nearest(X[kind == 0], curve).max() < 0.8  # 8 standard deviations
    assert nearest(X[kind == 2], curve).min() > 0.9  # the arms are 3 apart
    assert radius[kind == 2].max() < 3 * turns
    np.testing.assert_allclose(radius[kind == 1], 1.6 * 3 * turns)


@pytest.mark.parametrize("make", [make_line, make_spiral])
def test_toys_are_equal_for_equal_seeds_only(make):
    first, same, other = (make(random_state=seed)[0] for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, same)
    assert not np.array_equal(first, other)
    np.testing.assert_array_equal(first[-8:], other[-8:])  # the outliers have fixed places


def test_low_rank_is_equal_for_equal_seeds_only():
    first, same, other = (make_low_rank(20, 5, 2, random_state=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.X, same.X)
    assert not np.array_equal(first.X, other.X)
    state = make_low_rank(20, 5, 2, random_state=np.random.RandomState(3))
    np.testing.assert_array_equal(first.X, state.X)


INT = "give an int of at least"
NUMBER = "give a finite number of at least"


@pytest.mark.parametrize(
    ("make", "options", "allowed"),
    [
        (make_low_rank, {"n_samples": 1}, f"{INT} 2."),
        (make_low_rank, {"n_samples": 10.0}, f"{INT} 2."),
        (make_low_rank, {"n_features": 0}, f"{INT} 1."),
        (make_low_rank, {"rank": 51}, f"{INT} 1 and at most 50."),
        (make_low_rank, {"rank": True}, f"{INT} 1 and at most 50."),
        (make_low_rank, {"corrupted": 5}, f"{NUMBER} 0 and at most 1."),
        (make_low_rank, {"noise_scale": -1}, f"{NUMBER} 0."),
        (make_low_rank, {"noise_scale": np.inf}, f"{NUMBER} 0."),
        (make_low_rank, {"noise_share": np.nan}, f"{NUMBER} 0 and at most 1."),
        (make_line, {"n_normal": 1}, f"{INT} 2."),
        (make_line, {"noise": "x"}, f"{NUMBER} 0."),
        (make_spiral, {"n_normal": 0}, f"{INT} 2."),
        (make_spiral, {"turns": 0.5}, f"{NUMBER} 1."),
        (make_spiral, {"noise": -0.1}, f"{NUMBER} 0."),
    ],
)
def test_bad_values_are_named_with_what_is_allowed(make, options, allowed):
    [(name, value)] = options.items()
    with pytest.raises(ValueError, match=f"^{name}={value!r} is out of range; {allowed}$"):
        make(**options)
