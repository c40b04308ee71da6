"""Directions as combinations of rows, for every Gram that knows its rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from contracts.grams import CASES, CENTERS, GRAMS, KERNELS, example, rows

KNOWN = [case for case in CASES if GRAMS[case[0]].takes_rows and "factor" not in case[0]]
UNKNOWN = [case for case in CASES if case not in KNOWN]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("center", CENTERS)
@pytest.mark.parametrize(("gram", "kernel"), KNOWN)
def test_scores_and_norms_are_those_of_the_combinations(gram, kernel, center, dtype):
    """(phi(x) - m)^T w and |phi(x) - m|^2, with m and w written out over the rows."""
    held = example(gram, kernel, center, dtype)
    V = np.random.default_rng(3).normal(size=(held.gram.n_samples, 3)).astype(dtype)
    projection = held.gram.projection(V)
    expansion = projection.expansion()
    X_new = rows(9, dtype, seed=4)
    R, k = expansion.blocks.X, KERNELS[kernel]
    K_new, K_rows = k(X_new, R).astype(float), k(R, R).astype(float)
    coef, offset = expansion.coef.astype(float), expansion.offset.astype(float)
    scores = (K_new - offset @ K_rows) @ coef.T
    norms = k.diagonal(X_new) - 2 * K_new @ offset + offset @ K_rows @ offset
    projected = projection(X_new)
    # Landmarks: single precision loses digits in the inverse root of k(L, L), and a row beyond the
    # span of the landmarks has a part that their features do not see.
    loose = "nystroem" in gram
    size = np.abs(V).sum(axis=0).max() * (50 if loose else 1)
    assert_allclose(projected.scores, scores, atol=held.tolerance * size)
    if not loose:
        # An indefinite kernel has negative squares, which a centered Gram clips.
        found = np.maximum(projected.squared_norms, 0)
        assert_allclose(found, np.maximum(norms, 0), atol=5 * held.tolerance)


@pytest.mark.parametrize("center", CENTERS)
@pytest.mark.parametrize(("gram", "kernel"), UNKNOWN)
def test_without_rows_there_is_none(gram, kernel, center):
    held = example(gram, kernel, center, "float64")
    assert held.gram.projection(np.ones((held.gram.n_samples, 1))).expansion() is None
