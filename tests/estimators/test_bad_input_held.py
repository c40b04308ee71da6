"""Kernel matrices, ways back and memory limits that are refused, and in which words."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

import l1kpca
from l1kpca import L1KernelPCA
from l1kpca.gram.builders import Nystroem, Resources, tile_side
from l1kpca.gram.memory import free_memory, read_memory_limit
from l1kpca.threads import Workers, available_cores

X = np.random.default_rng(0).normal(size=(30, 4))
K = X @ X.T


def raises(error, text):
    """The whole text, not a part of it."""
    return pytest.raises(error, match=f"^{re.escape(text)}$")


# A kernel matrix.


def precomputed(matrix, **settings):
    return L1KernelPCA(kernel="precomputed", **settings).fit(matrix)


def test_a_kernel_matrix_must_be_square():
    text = (
        "X of shape (30, 20) must be square when kernel='precomputed': pass the kernel between all"
        " training rows"
    )
    with raises(ValueError, text):
        precomputed(K[:, :20])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_kernel_matrix_must_be_symmetric(dtype):
    skew = K.copy().astype(dtype)
    skew[3, 7] += 5
    text = (
        "X must be symmetric when kernel='precomputed', but entries differ from their mirror image"
        " by up to 5: pass (K + K.T) / 2 if that is noise"
    )
    with raises(ValueError, text):
        precomputed(skew)
    noisy = K.astype(dtype) * (
        1 + np.finfo(dtype).eps * np.random.default_rng(0).normal(size=900).reshape(30, 30)
    )
    assert precomputed(noisy.astype(dtype)).n_components_ >= 4


@pytest.mark.parametrize("place", [(0, 0), (12, 5), (5, 12)])
@pytest.mark.parametrize(
    ("bad", "text"),
    [(np.nan, "Input X contains NaN"), (np.inf, "Input X contains infinity")],
)
def test_a_kernel_matrix_must_be_finite(bad, text, place):
    broken = K.copy()
    broken[place] = bad
    with pytest.raises(ValueError, match=text):
        precomputed(broken)
    with pytest.raises(ValueError, match=text):
        precomputed(K).transform(broken)


def test_a_huge_kernel_matrix():
    """Squares of its entries overflow; it is still checked, and the sums still do."""
    with pytest.raises(ValueError, match="must be symmetric"):
        precomputed(np.array([[1e200, 5e199], [0.0, 1e200]]))
    assert precomputed(np.array([[1e200, 0.0], [0.0, 1e200]]), center=False).n_components_ == 2


def test_a_sparse_kernel_matrix():
    with pytest.raises(TypeError, match="Sparse data was passed for X, but dense data is required"):
        precomputed(sparse.csr_array(K))


def test_new_rows_of_a_kernel_matrix_have_its_columns():
    text = "X has 7 features, but L1KernelPCA is expecting 30 features as input"
    with pytest.raises(ValueError, match=text):
        precomputed(K).transform(K[:3, :7])


def test_a_kernel_matrix_has_no_rows_to_go_back_to():
    text = (
        "fit_inverse_transform=True needs the rows themselves, which kernel='precomputed' does not"
        " have: pass the rows and the kernel instead"
    )
    with raises(ValueError, text):
        precomputed(K, fit_inverse_transform=True)
    text = (
        "score needs the rows themselves, which kernel='precomputed' does not have: pass the rows"
        " and the kernel instead"
    )
    with raises(ValueError, text):
        precomputed(K).score(K)


# The way back.


def test_inverse_transform_must_have_been_asked_for():
    text = (
        "inverse_transform with kernel='rbf' needs fit_inverse_transform=True: set it and fit again"
        " or use method='fixed_point'"
    )
    with raises(NotFittedError, text):
        L1KernelPCA(2, kernel="rbf").fit(X).inverse_transform(X[:, :2])


def test_inverse_transform_takes_scores():
    text = (
        "X has 3 columns, but L1KernelPCA has n_components_=2: pass scores as transform gives them"
    )
    with raises(ValueError, text):
        L1KernelPCA(2).fit(X).inverse_transform(X[:, :3])
    with pytest.raises(ValueError, match="Input X contains NaN"):
        L1KernelPCA(2).fit(X).inverse_transform(np.full((1, 2), np.nan))


# Memory and ways to hold K.


def test_factor_needs_the_linear_kernel():
    text = (
        "gram='factor' needs kernel='linear', got kernel='rbf': use gram='nystroem' for a factor"
        " that approximates another kernel, or gram='auto'"
    )
    with raises(ValueError, text):
        L1KernelPCA(kernel="rbf", gram="factor").fit(X)


@pytest.mark.parametrize("gram", ["auto", "dense", "blocked"])
def test_memory_too_small_for_one_block(gram):
    """Said before any kernel value is computed."""

    def never(x, y):
        raise AssertionError("the kernel was called")

    least = 64**2 * 4 * 8 * available_cores()
    text = (
        f"memory_limit=1000 bytes is too small for even one block of K in each of"
        f" {available_cores()} threads: allow at least {least} bytes"
    )
    many = np.tile(X, (10, 1))
    with raises(ValueError, text):
        L1KernelPCA(kernel=never, gram=gram, memory_limit=1000).fit(many)
    resources = Resources(least, Workers(available_cores()))
    assert tile_side(np.dtype(float), resources, 300) == 64


def test_memory_too_small_for_one_landmark():
    text = (
        "memory_limit=100 bytes holds not even one landmark for 30 rows: allow at least 480 bytes"
    )
    with raises(ValueError, text):
        L1KernelPCA(kernel="rbf", gram="nystroem", memory_limit=100).fit(X)


def test_landmarks():
    with raises(ValueError, "landmarks='best' must be 'kmeans++' or 'random'"):
        L1KernelPCA(kernel="rbf", gram=Nystroem(5, "best")).fit(X)
    for count in (0, 31):
        with raises(ValueError, f"n_landmarks={count} must be between 1 and n_samples=30"):
            L1KernelPCA(kernel="rbf", gram=Nystroem(count)).fit(X)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2GB", 2 * 10**9),
        ("2 gb", 2 * 10**9),
        ("2G", 2 * 10**9),
        ("1.5MB", 1_500_000),
        ("1KiB", 1024),
        ("1 MiB", 1024**2),
        ("1TB", 10**12),
        ("500", 500),
        ("500B", 500),
        (500, 500),
        (np.int64(500), 500),
        (1e3, 1000),
        (np.float64(1e22), 10**22),
    ],
)
def test_memory_limits_that_are_understood(text, expected):
    assert read_memory_limit(text) == expected


def test_memory_without_a_limit_is_half_of_what_is_free():
    free = free_memory()
    assert free > 0
    assert 0 < read_memory_limit(None) <= free


# Nothing is refused without a test of its words.


def _raised_texts(path):
    """The fixed parts of each message that a module raises."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            for argument in node.exc.args:
                parts = argument.values if isinstance(argument, ast.JoinedStr) else [argument]
                texts = [part.value for part in parts if isinstance(part, ast.Constant)]
                yield path.name, max(texts, key=len).strip()


def _core():
    root = Path(l1kpca.__file__).parent
    yield root / "kernels.py"
    yield from (root / "gram" / f"{name}.py" for name in ("builders", "choose", "memory"))
    names = ("base", "names", "using", "validation")
    yield from (root / "estimators" / f"{name}.py" for name in names)


def test_every_message_of_the_core_is_tested():
    """By its longest fixed part; white space and line breaks of the sources do not count."""

    def squeezed(text):
        return re.sub(r'["\s]|(?<=\s)f(?=")', "", text)

    tests = "".join(
        squeezed(path.read_text()) for path in Path(__file__).parents[1].rglob("test_*.py")
    )
    missing = [
        (module, text)
        for path in _core()
        for module, text in _raised_texts(path)
        if squeezed(text) not in tests
    ]
    assert not missing
