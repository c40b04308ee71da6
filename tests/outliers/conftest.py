"""Rows of different units with a few outliers, and new rows."""

import numpy as np
import pytest


@pytest.fixture
def X(global_random_seed):
    rng = np.random.default_rng(global_random_seed)
    rows = rng.normal(size=(50, 5)) @ rng.normal(size=(5, 5)) * [1, 10, 0.1, 3, 1] + 4
    rows[:3] += 30 * rng.normal(size=(3, 5))
    return rows


@pytest.fixture
def X_new():
    return 4 + np.random.default_rng(99).normal(size=(12, 5)) * [1, 10, 0.1, 3, 1]
