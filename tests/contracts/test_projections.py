"""Scores and squared norms of new rows, for every Gram, bare and centered."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from contracts.grams import (
    CENTERS,
    GRAMS,
    KERNELS,
    OTHER_KERNELS,
    WITH_DTYPE,
    example,
    explicit,
    rows,
)
from l1kpca.threads import Workers, computing
from oracles import centered, joint_gram

NO_ROWS = ("precomputed", "among")
"""Grams that have no rows: new ones come as rows of the kernel matrix."""
PROJECTED = [case for case in WITH_DTYPE if case[2] in CENTERS]
every_case = pytest.mark.parametrize(("gram_name", "kernel_name", "center", "dtype"), PROJECTED)


@every_case
def test_projection_of_the_training_rows_is_apply(gram_name, kernel_name, center, dtype):
    case = example(gram_name, kernel_name, center, dtype)
    V = np.random.default_rng(8).normal(size=(23, 3)).astype(dtype)
    X = rows(23, dtype)
    if gram_name in NO_ROWS:
        X = explicit(kernel_name, X).astype(dtype)
    projected = case.gram.projection(V)(X)
    assert projected.scores.dtype == dtype
    assert_allclose(projected.scores, case.gram.apply(V), atol=100 * case.tolerance)
    if gram_name in NO_ROWS:
        assert projected.squared_norms is None
    else:
        expected = np.maximum(case.gram.diagonal(), 0)
        assert_allclose(projected.squared_norms, expected, atol=10 * case.tolerance)


def _joint(gram_name, kernel_name, X, X_new):
    """The joint Gram of training and new rows that this way of holding K stands for."""
    kernel = KERNELS[kernel_name]
    K = joint_gram(kernel.function, X, X_new, **kernel.params)
    if gram_name.startswith("nystroem"):
        # Nystroem replaces the kernel by k(x, L) k(L, L)^+ k(L, y), also for new rows.
        n = len(X)
        eps = np.finfo(X.dtype).eps
        K = K[:, :n] @ np.linalg.pinv(K[:n, :n], rcond=n * eps, hermitian=True) @ K[:n]
    return K


@every_case
def test_projection_of_unseen_rows(gram_name, kernel_name, center, dtype):
    """Scores and squared norms are those of the explicitly centered joint Gram."""
    case = example(gram_name, kernel_name, center, dtype)
    X, X_new = rows(23, dtype), np.vstack([rows(9, dtype, seed=11), rows(23, dtype)[:2]])
    V = np.random.default_rng(9).normal(size=(23, 3)).astype(dtype)
    K = _joint(gram_name, kernel_name, X, X_new)
    given = K[23:, :23].astype(dtype) if gram_name in NO_ROWS else X_new
    if case.center is not None:
        K = centered(K, np.concatenate([case.center.astype(float), np.zeros(len(X_new))]))
    if gram_name == "sparse factor":
        given = sparse.csr_array(given)
    projected = case.gram.projection(V)(given)
    # In single precision, the inverse root of a small eigenvalue magnifies rounding.
    loss = 50 if gram_name.startswith("nystroem") else 1
    assert_allclose(projected.scores, K[23:, :23] @ V, atol=100 * loss * case.tolerance)
    if projected.squared_norms is not None and kernel_name not in OTHER_KERNELS:
        expected = K.diagonal()[23:]
        assert_allclose(projected.squared_norms, expected, atol=10 * loss * case.tolerance)


@every_case
def test_projection_on_no_direction(gram_name, kernel_name, center, dtype):
    case = example(gram_name, kernel_name, center, dtype)
    X = rows(9, dtype)
    given = np.ones((9, 23), dtype) if gram_name in NO_ROWS else X
    projection = case.gram.projection(np.empty((23, 0), dtype))
    assert projection(given).scores.shape == (9, 0)


@pytest.mark.parametrize(
    ("gram_name", "kernel_name", "center", "dtype"),
    [c for c in PROJECTED if c[0] not in NO_ROWS and "factor" not in c[0]],
)
def test_center_and_directions_are_combinations_of_the_rows(gram_name, kernel_name, center, dtype):
    """(phi(x) - m)^T w and |phi(x) - m|^2, with m and w written out over the rows of a projection.

    Of landmarks the features see a row only within their span, so that its norm is left out.
    """
    case = example(gram_name, kernel_name, center, dtype)
    V = np.random.default_rng(3).normal(size=(23, 3)).astype(dtype)
    projection, X_new = case.gram.projection(V), rows(9, dtype, seed=4)
    kernel, R = projection.kernel, projection.rows
    K_new, K_rows = kernel(X_new, R).astype(float), kernel(R, R).astype(float)
    coef, offset = projection.coef.astype(float), projection.center_coef().astype(float)
    projected = projection(X_new)
    landmarks = gram_name.startswith("nystroem")
    size = np.abs(V).sum(axis=0).max() * (50 if landmarks else 1)
    scores = (K_new - offset @ K_rows) @ coef
    assert_allclose(projected.scores, scores, atol=case.tolerance * size)
    if not landmarks:
        norms = kernel.diagonal(X_new) - 2 * K_new @ offset + offset @ K_rows @ offset
        assert_allclose(projected.squared_norms, np.maximum(norms, 0), atol=5 * case.tolerance)


@pytest.mark.parametrize(
    "gram_name", ["dense", "blocked", "factor", "nystroem random", "nystroem streamed"]
)
def test_projection_does_not_depend_on_threads(gram_name):
    V = np.random.default_rng(12).normal(size=(1100, 3))
    X_new = rows(800, "float64", seed=13)
    scores = []
    for threads in (1, 2):
        with computing():
            workers = Workers(threads)
            gram = GRAMS[gram_name].build(rows(1100, "float64"), KERNELS["linear"], workers, 300)
            projection = gram.center(np.full(1100, 1 / 1100)).projection(V)
            scores.append(projection(X_new, workers).scores)
    assert_array_equal(*scores)
