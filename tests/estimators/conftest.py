"""Rows that several tests of the estimators look at."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def X():
    """80 rows of unequal columns, four of them far out."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(80, 6)) * [4, 3, 2, 1, 0.5, 0.2] + 1
    rows[:4] += 20 * rng.normal(size=(4, 6))
    return rows


@pytest.fixture(scope="module")
def X_new():
    return np.random.default_rng(1).normal(size=(15, 6)) * 3
