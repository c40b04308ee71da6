"""Input that is odd and must work: the result is that of plain rows in double precision."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from l1kpca import KernelPCAOutlierDetector, L1KernelPCA, peers

RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(30, 4)) * 10)  # whole numbers: every type below holds them exactly
X_NEW = np.round(RNG.normal(size=(7, 4)) * 10)
BITS, BITS_NEW = (X > 0).astype(float), (X_NEW > 0).astype(float)


def on_disk(rows, folder):
    path = folder / f"{len(rows)}.npy"
    np.save(path, rows)
    return np.load(path, mmap_mode="r")


def read_only(rows):
    rows = rows.copy()
    rows.flags.writeable = False
    return rows


def every_second(rows):
    wide = np.zeros((2 * len(rows), 8))
    wide[::2, ::2] = rows
    return wide[::2, ::2]


def frame(rows, dtype):
    return pd.DataFrame(rows, columns=list("abcd")).astype(dtype)


CONTAINERS = {
    "read-only": read_only,
    "Fortran order": np.asfortranarray,
    "not contiguous": every_second,
    "reversed twice": lambda rows: np.ascontiguousarray(rows[::-1])[::-1],
    "other byte order": lambda rows: rows.astype(">f8"),
    "lists": lambda rows: rows.tolist(),
    "tuples": lambda rows: tuple(map(tuple, rows)),
    "objects": lambda rows: rows.astype(object),
    "numbers as text": lambda rows: rows.astype(str),
    "long double": lambda rows: rows.astype(np.longdouble),
    "half precision": lambda rows: rows.astype(np.float16),
    "int64": lambda rows: rows.astype(np.int64),
    "int8": lambda rows: rows.astype(np.int8),
    "masked, nothing masked": np.ma.masked_array,
    "frame": lambda rows: frame(rows, float),
    "frame of integers": lambda rows: frame(rows, int),
    "nullable floats": lambda rows: frame(rows, "Float64"),
    "nullable integers": lambda rows: frame(rows, "Int64"),
    "arrow floats": lambda rows: frame(rows, "double[pyarrow]"),
    "categories of numbers": lambda rows: frame(rows, "category"),
    "mixed frame": lambda rows: frame(rows, {"a": "Int64", "b": "float32", "c": "category"}),
    "polars frame": lambda rows: pl.DataFrame(rows, schema=list("abcd")),
}
BOOLEANS = {
    "bool": lambda rows: rows.astype(bool),
    "uint8": lambda rows: rows.astype(np.uint8),
    "frame of bool": lambda rows: frame(rows, bool),
    "nullable bool": lambda rows: frame(rows, "boolean"),
}
SPARSE = [
    f"{kind}_{of}"
    for kind in ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"]
    for of in ("array", "matrix")
]
MAKERS = {
    "linear": lambda: L1KernelPCA(2),
    "gaussian": lambda: L1KernelPCA(2, kernel="rbf", gamma="median"),
    "polynomial": lambda: L1KernelPCA(2, kernel="poly", center="median"),
    "cosine": lambda: L1KernelPCA(2, kernel="cosine"),
    "laplacian": lambda: L1KernelPCA(2, kernel="laplacian", gamma=0.01),
    "robust": lambda: KernelPCAOutlierDetector(random_state=0),
    "paper": lambda: KernelPCAOutlierDetector(rule="paper", random_state=0),
}
KERNELS = list(MAKERS)[:5]


def result(estimator, rows, new_rows):
    fitted = estimator.fit(rows)
    use = fitted.transform if hasattr(fitted, "transform") else fitted.score_samples
    return use(new_rows)


@pytest.fixture(scope="module")
def plain():
    """The results of plain rows, made once."""
    return {name: result(make(), X, X_NEW) for name, make in MAKERS.items()}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("maker", MAKERS)
def test_containers_and_types(maker, container, plain):
    hold = CONTAINERS[container]
    found = result(MAKERS[maker](), hold(X), hold(X_NEW))
    assert_array_equal(found, plain[maker])
    assert found.dtype == np.float64


@pytest.mark.parametrize("container", BOOLEANS)
@pytest.mark.parametrize("maker", MAKERS)
def test_two_values(maker, container):
    hold = BOOLEANS[container]
    assert_array_equal(
        result(MAKERS[maker](), hold(BITS), hold(BITS_NEW)),
        result(MAKERS[maker](), BITS, BITS_NEW),
    )


@pytest.mark.parametrize("maker", MAKERS)
def test_memory_maps(maker, plain, tmp_path):
    """On disk, the linear kernel centers the products instead of the rows."""
    found = result(MAKERS[maker](), on_disk(X, tmp_path), on_disk(X_NEW, tmp_path))
    assert_allclose(found, plain[maker], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", SPARSE)
@pytest.mark.parametrize("maker", KERNELS)
def test_sparse_formats(maker, kind, plain):
    """Sparse and dense rows go together in every combination."""
    hold = getattr(sparse, kind)
    for rows, new_rows in ((hold(X), hold(X_NEW)), (hold(X), X_NEW), (X, hold(X_NEW))):
        found = result(MAKERS[maker](), rows, new_rows)
        assert_allclose(found, plain[maker], rtol=1e-9, atol=1e-9 * np.abs(plain[maker]).max())


def test_sparse_new_rows_of_a_dense_model_are_exactly_the_dense_ones(plain):
    for maker in KERNELS:
        assert_array_equal(
            result(MAKERS[maker](), X, sparse.csc_array(X_NEW)), plain[maker], err_msg=maker
        )


@pytest.mark.parametrize("name", peers.__all__)
def test_peers_take_the_same_input(name):
    make = getattr(peers, name)
    expected = make(2, kernel="rbf", gamma=0.01, random_state=0).fit_transform(X)
    for container in ("read-only", "Fortran order", "not contiguous", "nullable integers", "int8"):
        rows = CONTAINERS[container](X)
        found = make(2, kernel="rbf", gamma=0.01, random_state=0).fit_transform(rows)
        assert_array_equal(found, expected, err_msg=container)


@pytest.mark.parametrize("maker", MAKERS)
def test_the_input_is_left_as_it_was(maker):
    rows, new_rows = X.copy(), X_NEW.copy()
    result(MAKERS[maker](), rows, new_rows)
    assert_array_equal(rows, X)
    assert_array_equal(new_rows, X_NEW)


def test_a_kernel_matrix_in_any_order():
    K = X @ X.T
    expected = L1KernelPCA(2, kernel="precomputed").fit_transform(K)
    for hold in (read_only, np.asfortranarray, lambda M: np.kron(M, [[1, 0]])[:, ::2]):
        assert_array_equal(L1KernelPCA(2, kernel="precomputed").fit_transform(hold(K)), expected)
    whole = L1KernelPCA(2, kernel="precomputed").fit_transform(K.astype(int))
    assert_array_equal(whole, expected)
