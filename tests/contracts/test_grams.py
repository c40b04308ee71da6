"""What every Gram must do, bare and wrapped, in both precisions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

from contracts.grams import (
    CENTERS,
    GRAMS,
    KERNELS,
    OTHER_KERNELS,
    POSITIVE_KERNELS,
    WRAPPED_CASES,
    example,
    explicit,
    rows,
)
from oracles import centered, joint_gram


@pytest.fixture(params=["float64", "float32"])
def dtype(request):
    return request.param


@pytest.fixture(params=WRAPPED_CASES, ids="-".join)
def case(request, dtype):
    return example(*request.param, dtype)


def test_the_table_has_every_kernel_of_scikit_learn():
    assert set(PAIRWISE_KERNEL_FUNCTIONS) <= set(KERNELS)


def test_apply_to_the_identity_is_the_matrix(case):
    n = case.gram.n_samples
    assert_allclose(case.gram.apply(np.eye(n)), case.K, atol=case.tolerance)


def test_apply_to_one_vector_and_to_a_block(case):
    V = np.random.default_rng(3).normal(size=(case.gram.n_samples, 3)).astype(case.gram.dtype)
    block = case.gram.apply(V)
    tolerance = 20 * case.tolerance
    assert_allclose(block, case.K @ V, atol=tolerance)
    for k in range(3):
        assert_allclose(case.gram.apply(V[:, k]), case.K @ V[:, k], atol=tolerance)
    assert block.shape == V.shape


def test_apply_at_some_columns(case):
    tolerance = 20 * case.tolerance
    for columns in ([4], [0, 5, 11, 22], [22, 3, 7], range(23), []):
        at = np.array(columns, dtype=int)
        V = np.random.default_rng(4).normal(size=(len(at), 2)).astype(case.gram.dtype)
        expected = case.K[:, at] @ V
        assert_allclose(case.gram.apply(V, at=at), expected, atol=tolerance)
        assert_allclose(case.gram.apply(V[:, 0], at=at), expected[:, 0], atol=tolerance)


def test_diagonal(case):
    assert_allclose(case.gram.diagonal(), case.K.diagonal(), atol=case.tolerance)


def test_columns(case):
    some = np.array([3, 0, 22])
    for columns in ([0], [22, 0, 7, 7], range(23)):
        index = np.array(columns)
        assert_allclose(case.gram.columns(index), case.K[:, index], atol=case.tolerance)
        entries = case.gram.columns(index, rows=some)
        assert_allclose(entries, case.K[np.ix_(some, index)], atol=case.tolerance)


def test_rounding_is_the_size_of_errors_in_the_trace(case):
    """Never below what one more rounding of the trace would be, and within the tolerance."""
    trace = np.abs(case.K.diagonal()).sum()
    eps = np.finfo(case.gram.dtype).eps
    assert 0.99 * eps * trace <= case.gram.rounding() <= 23 * case.tolerance


def test_column_l1(case):
    n = case.gram.n_samples
    assert_allclose(case.gram.column_l1(), np.abs(case.K).sum(axis=0), atol=n * case.tolerance)


def test_column_l1_of_a_difference(case):
    n = case.gram.n_samples
    C = np.random.default_rng(5).normal(size=(3, n)).astype(case.gram.dtype)
    expected = np.abs(case.K - C.T @ C).sum(axis=0)
    assert_allclose(case.gram.column_l1((C, C)), expected, atol=20 * n * case.tolerance)


def test_results_keep_the_dtype(case, dtype):
    gram, n = case.gram, case.gram.n_samples
    V = np.ones((n, 2), dtype=dtype)
    assert gram.dtype == dtype
    results = [
        gram.apply(V),
        gram.apply(V[:, 0]),
        gram.apply(V[:2], at=np.array([1, 5])),
        gram.apply(V[:2, 0], at=np.array([1, 5])),
        gram.diagonal(),
        gram.columns(np.array([3])),
        gram.column_l1(),
        gram.column_l1((V.T, V.T)),
    ]
    assert {result.dtype for result in results} == {np.dtype(dtype)}


def test_what_is_asked_does_not_change_the_answer(case):
    """No method writes into the Gram or into its arguments."""
    n = case.gram.n_samples
    V = np.random.default_rng(6).normal(size=(n, 2)).astype(case.gram.dtype)
    kept = V.copy()
    before = case.gram.apply(V)
    case.gram.column_l1()
    case.gram.columns(np.array([0, 1])).fill(7)
    case.gram.diagonal().fill(7)
    case.gram.apply(V).fill(7)
    case.gram.apply(V[:, 0]).fill(7)
    assert_array_equal(case.gram.apply(V), before)
    assert_array_equal(V, kept)


def test_symmetric(case):
    u, v = np.random.default_rng(7).normal(size=(2, case.gram.n_samples)).astype(case.gram.dtype)
    left, right = u @ case.gram.apply(v), v @ case.gram.apply(u)
    assert left == pytest.approx(right, abs=200 * case.tolerance)


@pytest.mark.parametrize(
    ("gram_name", "kernel_name", "wrapper"), [c for c in WRAPPED_CASES if c[1] in POSITIVE_KERNELS]
)
def test_positive_kernels_give_positive_semidefinite_grams(gram_name, kernel_name, wrapper, dtype):
    case = example(gram_name, kernel_name, wrapper, dtype)
    K = case.gram.apply(np.eye(case.gram.n_samples))
    assert np.linalg.eigvalsh((K + K.T) / 2)[0] >= -20 * case.tolerance


@pytest.mark.parametrize(
    ("gram_name", "kernel_name", "center"), [c for c in WRAPPED_CASES if c[2] in CENTERS[1:]]
)
def test_the_weighted_mean_of_centered_rows_is_zero(gram_name, kernel_name, center, dtype):
    case = example(gram_name, kernel_name, center, dtype)
    assert_allclose(case.gram.apply(case.center), 0, atol=10 * case.tolerance)


@pytest.mark.parametrize(
    ("gram_name", "kernel_name", "deflated"), [c for c in WRAPPED_CASES if "deflated" in c[2]]
)
def test_deflated_directions_are_gone(gram_name, kernel_name, deflated, dtype):
    case = example(gram_name, kernel_name, deflated, dtype)
    sizes = np.abs(case.coef).sum()
    for a in case.coef.astype(dtype):
        assert_allclose(case.gram.apply(a), 0, atol=10 * sizes * case.tolerance)


@pytest.mark.parametrize("gram_name", GRAMS)
def test_centering_twice_is_centering_once(gram_name, dtype):
    once = example(gram_name, "linear", "mean", dtype)
    weights = example(gram_name, "linear", "weights", dtype)
    again = once.gram.center(weights.center)
    assert_allclose(again.apply(np.eye(23)), weights.K, atol=10 * weights.tolerance)


def _new_rows(dtype):
    return np.vstack([rows(9, dtype, seed=11), rows(23, dtype)[:2]])


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


@pytest.mark.parametrize(
    ("gram_name", "kernel_name", "center"), [c for c in WRAPPED_CASES if c[2] in CENTERS]
)
def test_projection_of_the_training_rows_is_apply(gram_name, kernel_name, center, dtype):
    case = example(gram_name, kernel_name, center, dtype)
    V = np.random.default_rng(8).normal(size=(23, 3)).astype(dtype)
    X = rows(23, dtype)
    if gram_name == "precomputed":
        X = explicit(kernel_name, X).astype(dtype)
    projected = case.gram.projection(V)(X)
    assert projected.scores.dtype == dtype
    assert_allclose(projected.scores, case.gram.apply(V), atol=100 * case.tolerance)
    if gram_name == "precomputed":
        assert projected.squared_norms is None
    else:
        expected = case.gram.diagonal()
        if center != "bare":  # a squared distance to the center, never negative
            expected = np.maximum(expected, 0)
        assert_allclose(projected.squared_norms, expected, atol=10 * case.tolerance)


@pytest.mark.parametrize(
    ("gram_name", "kernel_name", "center"), [c for c in WRAPPED_CASES if c[2] in CENTERS]
)
def test_projection_of_unseen_rows(gram_name, kernel_name, center, dtype):
    """Scores and squared norms are those of the explicitly centered joint Gram."""
    case = example(gram_name, kernel_name, center, dtype)
    X, X_new = rows(23, dtype), _new_rows(dtype)
    V = np.random.default_rng(9).normal(size=(23, 3)).astype(dtype)
    K = _joint(gram_name, kernel_name, X, X_new)
    given = K[23:, :23].astype(dtype) if gram_name == "precomputed" else X_new
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


@pytest.mark.parametrize("center", CENTERS)
def test_projection_on_no_direction(center):
    case = example("blocked", "rbf", center, "float64")
    assert case.gram.projection(np.empty((23, 0)))(rows(9, "float64")).scores.shape == (9, 0)
