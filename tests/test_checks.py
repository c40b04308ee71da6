"""Memory limits, kernel matrices that are refused, and that no error of the core lacks a test."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import l1kpca
from l1kpca import L1KernelPCA
from l1kpca.checks import free_memory, read_memory_limit
from refusals import refuses

X = np.random.default_rng(0).normal(size=(30, 4))
K = X @ X.T
SIZE = "kernel='precomputed' in {dtype}: {what}; divide it by a number"
OVERFLOW = "X is too large for " + SIZE.format(
    dtype="{dtype}", what="sums of kernel values overflow"
)
UNDERFLOW = "X is too small for " + SIZE.format(dtype="{dtype}", what="kernel values vanish")
SKEW = (
    "X must be symmetric when kernel='precomputed', but entries differ from their mirror image by"
    " up to {}: pass (K + K.T) / 2 if that is noise"
)


def precomputed(matrix, **settings):
    return L1KernelPCA(kernel="precomputed", **settings).fit(matrix)


@pytest.mark.parametrize(
    ("limit", "expected"),
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
def test_limits_that_are_understood(limit, expected):
    assert read_memory_limit(limit) == expected


def test_without_a_limit_it_is_half_of_what_is_free():
    free = free_memory()
    assert free > 0
    assert 0 < read_memory_limit(None) <= free


@pytest.mark.parametrize("columns", [4, 20])
def test_square(columns):
    with refuses(
        f"X of shape (30, {columns}) must be square when kernel='precomputed': pass the kernel"
        " between all training rows"
    ):
        precomputed(K[:, :columns])


@pytest.mark.parametrize(
    ("scale", "dtype", "text"),
    [(1e306, "float64", OVERFLOW), (1e36, "float32", OVERFLOW), (1e-300, "float64", UNDERFLOW)],
)
def test_size(scale, dtype, text):
    with refuses(text.format(dtype=dtype)):
        precomputed((K * scale).astype(dtype))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_symmetric(dtype):
    skew = K.astype(dtype)
    skew[3, 7] += 5
    with refuses(SKEW.format(5)):
        precomputed(skew)
    noise = np.finfo(dtype).eps * np.random.default_rng(0).normal(size=(30, 30))
    assert precomputed((K * (1 + noise)).astype(dtype)).n_components_ >= 4


@pytest.mark.parametrize("scale", [1e-250, 1e-160, 1.0, 1e150, 1e250])
def test_asymmetry_is_seen_at_any_scale(scale):
    """Squares of the entries may overflow or vanish."""
    skew = K * scale
    skew[3, 7] *= 1.5
    with refuses(SKEW.format(f"{abs(K[3, 7]) * scale / 2:.3g}")):
        precomputed(skew)
    assert precomputed(K * scale).n_components_ == 4


@pytest.mark.parametrize("place", [(0, 0), (12, 5), (5, 12)])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_finite(bad, place):
    broken = K.copy()
    broken[place] = bad
    with pytest.raises(ValueError, match="X contains"):
        precomputed(broken)
    with pytest.raises(ValueError, match="X contains"):
        precomputed(K).transform(broken)


def test_dense_and_of_the_same_width():
    with pytest.raises(TypeError):
        precomputed(sparse.csr_array(K))
    with pytest.raises(ValueError, match="30"):
        precomputed(K).transform(K[:3, :7])


# Nothing is refused without a test of its words.

CORE = [
    "checks.py",
    "kernels",
    "gram",
    "directions",
    "components",
    "optimality",
    "estimators",
    "peers",
]


def raised_texts(path):
    """The words of each message that a module raises, five at a time, in fixed parts."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Raise) or not isinstance(node.exc, ast.Call):
            continue
        if node.exc.args and ast.unparse(node.exc.func) != "AttributeError":  # Python's own
            message = node.exc.args[0]
            parts = message.values if isinstance(message, ast.JoinedStr) else [message]
            words = [part.value.split() for part in parts if isinstance(part, ast.Constant)]
            texts = [" ".join(w[i : i + 5]) for w in words for i in range(max(1, len(w) - 4))]
            yield [text for text in texts if " " in text]  # a single word is for ourselves


def test_every_message_of_the_core_is_tested():
    """Tests break lines elsewhere and share words, so five words in a row are enough."""
    root = Path(l1kpca.__file__).parent
    sources = [path for name in CORE for path in [root / name, *(root / name).rglob("*.py")]]
    tests = "".join(path.read_text() for path in Path(__file__).parent.rglob("test_*.py"))
    tests = " ".join(re.sub(r'"\s*f?"', "", tests).split())
    missing = [
        f"{path.relative_to(root)}: {texts}"
        for path in sources
        if path.is_file()
        for texts in raised_texts(path)
        if texts and not any(text in tests for text in texts)
    ]
    assert missing == []
