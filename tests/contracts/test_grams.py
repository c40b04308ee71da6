"""What every Gram must do, bare and wrapped, in both precisions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

from contracts.grams import (
    CASES,
    CENTERS,
    DEFLATED,
    GRAMS,
    KERNELS,
    POSITIVE_KERNELS,
    WITH_DTYPE,
    build_example,
    example,
    orthonormal_directions,
    symmetric_factors,
    written_up_to,
)
from l1kpca.gram.base import Gram
from l1kpca.threads import computing

pytestmark = pytest.mark.usefixtures("small_pieces")


@pytest.fixture(params=WITH_DTYPE, ids="-".join)
def case(request):
    with written_up_to(GRAMS[request.param[0]].small_rows):
        yield example(*request.param)


def test_the_table_has_every_kernel_of_scikit_learn():
    assert set(PAIRWISE_KERNEL_FUNCTIONS) <= set(KERNELS)


def test_apply_to_the_identity_is_the_matrix(case):
    assert isinstance(case.gram, Gram)
    assert_allclose(case.gram.apply(np.eye(23)), case.K, atol=case.tolerance)


def test_apply_to_one_vector_and_to_a_block(case):
    """Of few vectors and of many: a stored K takes them in different ways."""
    V = np.random.default_rng(3).normal(size=(23, 5)).astype(case.gram.dtype)
    tolerance = 20 * case.tolerance
    assert_allclose(case.gram.apply(V[:, 0]), case.K @ V[:, 0], atol=tolerance)
    for count in (0, 1, 3, 5):
        block = case.gram.apply(V[:, :count])
        assert block.shape == (23, count)
        assert_allclose(block, case.K @ V[:, :count], atol=tolerance)


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
    """Of K less some terms, few or many; what a Gram keeps from call to call does not matter."""
    for count in (0, 3, 18, 3, 0):
        left, right = symmetric_factors(count, 23, seed=5) if count else np.zeros((2, 1, 23))
        expected = np.abs(case.K - left.T @ right).sum(axis=0)
        minus = (left.astype(case.gram.dtype), right.astype(case.gram.dtype)) if count else None
        assert_allclose(case.gram.column_l1(minus), expected, atol=20 * 23 * case.tolerance)


def test_symmetric(case):
    u, v = np.random.default_rng(7).normal(size=(2, 23)).astype(case.gram.dtype)
    left, right = u @ case.gram.apply(v), v @ case.gram.apply(u)
    assert left == pytest.approx(right, abs=200 * case.tolerance)


def test_results_keep_the_dtype(case):
    gram, dtype = case.gram, case.gram.dtype
    V = np.ones((23, 5), dtype=dtype)
    some, followed = np.array([1, 5]), case.gram.follow(V[:, :2])
    results = [
        gram.apply(V),
        gram.apply(V[:, 0]),
        gram.apply(V[:2], at=some),
        gram.apply(V[:2, 0], at=some),
        gram.diagonal(),
        gram.columns(some),
        gram.columns(some, rows=some),
        gram.column_l1(),
        gram.column_l1((V.T, V.T)),
        gram.minus(V.T, V.T).diagonal(),
        gram.without(np.cos(np.arange(23, dtype=dtype)), V[:, 0]).diagonal(),
        gram.center(V[:, 0] / 23).diagonal(),
        gram.projection(V).coef,
        followed.image(1),
        followed.signs[0],
    ]
    assert {result.dtype for result in results} == {dtype}


def test_what_is_asked_does_not_change_the_answer(case):
    """No method writes into the Gram or into its arguments."""
    V = np.random.default_rng(6).normal(size=(23, 2)).astype(case.gram.dtype)
    kept, signs = V.copy(), np.sign(V)
    before = case.gram.apply(V)
    case.gram.column_l1((V.T, V.T)).fill(7)
    case.gram.columns(np.array([0, 1])).fill(7)
    case.gram.columns(np.array([0, 1]), rows=np.array([3])).fill(7)
    case.gram.diagonal().fill(7)
    case.gram.apply(V).fill(7)
    case.gram.apply(V[:, 0]).fill(7)
    case.gram.minus(V.T, V.T).apply(V)
    case.gram.without(V[:, 0], V[:, 0]).apply(V)
    case.gram.center(np.abs(V[:, 0]) / np.abs(V[:, 0]).sum()).apply(V)
    case.gram.follow(signs).flip([np.array([0, 4]), np.array([2])])
    assert_array_equal(case.gram.apply(V), before)
    assert_array_equal(V, kept)
    assert_array_equal(signs, np.sign(kept))


def test_taking_off_more(case):
    """Whatever was taken off before; and this leaves the Gram as it was."""
    left, right = symmetric_factors(2, 23, seed=8)
    less = case.gram.minus(left.astype(case.gram.dtype), right.astype(case.gram.dtype))
    K = case.K - left.T @ right
    assert_allclose(less.apply(np.eye(23)), K, atol=5 * case.tolerance)
    assert_allclose(less.columns(np.arange(23)), K, atol=5 * case.tolerance)
    assert_allclose(less.diagonal(), K.diagonal(), atol=5 * case.tolerance)
    assert_allclose(less.column_l1(), np.abs(K).sum(axis=0), atol=100 * case.tolerance)
    assert_allclose(case.gram.apply(np.eye(23)), case.K, atol=case.tolerance)


@pytest.mark.parametrize(
    ("gram_name", "kernel_name", "wrapper", "dtype"),
    [c for c in WITH_DTYPE if c[1] in POSITIVE_KERNELS and "minus" not in c[2]],
)
def test_positive_kernels_give_positive_semidefinite_grams(gram_name, kernel_name, wrapper, dtype):
    case = example(gram_name, kernel_name, wrapper, dtype)
    K = case.gram.apply(np.eye(23))
    assert np.linalg.eigvalsh((K + K.T) / 2)[0] >= -20 * case.tolerance


@pytest.mark.parametrize(
    ("gram_name", "kernel_name", "center", "dtype"), [c for c in WITH_DTYPE if c[2] in CENTERS[1:]]
)
def test_the_weighted_mean_of_centered_rows_is_zero(gram_name, kernel_name, center, dtype):
    case = example(gram_name, kernel_name, center, dtype)
    assert_allclose(case.gram.apply(case.center), 0, atol=10 * case.tolerance)


@pytest.mark.parametrize("gram_name", [name for name in GRAMS if "dask" not in name])
def test_centering_twice_is_centering_once(gram_name, dtype):
    kernel_name = GRAMS[gram_name].kernels[0]
    once = example(gram_name, kernel_name, "mean", dtype)
    weights = example(gram_name, kernel_name, "weights", dtype)
    again = once.gram.center(weights.center)
    assert_allclose(again.apply(np.eye(23)), weights.K, atol=10 * weights.tolerance)


@pytest.mark.parametrize(
    ("gram_name", "kernel_name", "deflated", "dtype"), [c for c in WITH_DTYPE if c[2] in DEFLATED]
)
def test_deflated_directions_are_gone(gram_name, kernel_name, deflated, dtype):
    case = example(gram_name, kernel_name, deflated, dtype)
    size = np.abs(case.coef).sum()
    for a in case.coef.astype(dtype):
        assert_allclose(case.gram.apply(a), 0, atol=10 * size * case.tolerance)


@pytest.mark.parametrize(
    ("gram_name", "kernel_name"), [c for c in CASES if c[1] in POSITIVE_KERNELS]
)
def test_errors_of_the_matrix_stay_behind(gram_name, kernel_name, dtype):
    """Where little is left of the rows, it is not known more precisely than they were."""
    case = example(gram_name, kernel_name, "mean", dtype)
    gram, rounding = case.gram, case.gram.rounding()
    for a, s in zip(*orthonormal_directions(case.K, count=3), strict=True):
        gram = gram.without(a.astype(dtype), s.astype(dtype))
    assert gram.diagonal().sum() < 0.9 * case.gram.diagonal().sum()
    assert gram.rounding() >= rounding


# Many rows: enough for a hand-over to threads.


@pytest.fixture
def usual_pieces(small_pieces, monkeypatch):
    """Pieces as they are in use."""
    monkeypatch.undo()


@pytest.mark.usefixtures("usual_pieces")
@pytest.mark.parametrize(
    ("gram_name", "kernel_name", "wrapper"),
    [
        ("dense", "rbf", "bare"),
        ("dense", "rbf", "deflated mean"),
        ("dense", "poly", "minus many"),
        ("precomputed", "rbf", "bare"),
        ("precomputed", "rbf", "deflated mean"),
        ("blocked", "rbf", "bare"),
        ("blocked", "rbf", "deflated mean"),
        ("blocked", "rbf", "minus many"),
        ("factor", "linear", "bare"),
        ("factor", "linear", "deflated mean"),
        ("factor", "linear", "minus many"),
        ("factor on disk", "linear", "deflated mean"),
        ("sparse factor", "linear", "bare"),
        ("sparse factor", "linear", "deflated mean"),
        ("nystroem random", "rbf", "deflated mean"),
        ("nystroem streamed", "linear", "bare"),
        ("nystroem streamed", "linear", "deflated mean"),
        ("among", "rbf", "bare"),
    ],
)
def test_many_rows_and_any_number_of_threads(gram_name, kernel_name, wrapper):
    """The number of threads changes no bit."""
    n, at = 700, np.arange(0, 700, 3)
    rng = np.random.default_rng(10)
    V, c = rng.normal(size=(n, 4)), rng.choice([-1.0, 1.0], (n, 2))
    answers = []
    for threads in (1, 2, 4):
        with computing():
            case = build_example(gram_name, kernel_name, wrapper, "float64", n, 300, threads)
            gram = case.gram
            followed = gram.follow(c)
            gain, moved = followed.propose(np.zeros(2), np.ones(2, dtype=bool))
            followed.take(np.ones(2, dtype=bool))
            found = [
                gram.apply(V),
                gram.apply(V[:, 0]),
                gram.apply(V[at], at=at),
                gram.apply(V[at, 0], at=at),
                gram.diagonal(),
                gram.columns(at),
                gram.column_l1(),
                followed.image(0),
                np.array([gain, moved]),
            ]
        answers.append(found)
    K, large = case.K, n * case.tolerance
    expected = [K @ V, K @ V[:, 0], K[:, at] @ V[at], K[:, at] @ V[at, 0]]
    expected += [K.diagonal(), K[:, at], np.abs(K).sum(axis=0), K @ followed.signs[0]]
    for one, two, four in zip(*answers, strict=True):
        assert_array_equal(one, two)
        assert_array_equal(one, four)
    for found, right in zip(answers[0], expected, strict=False):
        assert_allclose(found, right, atol=large)
