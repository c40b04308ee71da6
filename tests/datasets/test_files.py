"""Reading X and y from a file: right values, no unpickling, and a clear word on every defect."""

import numpy as np
import pytest
from scipy.io import savemat

from l1kpca.datasets.files import read_labelled


def write(path, **arrays):
    if path.suffix == ".npz":
        np.savez(path, **arrays)
    else:
        savemat(path, arrays)
    return path


@pytest.fixture(params=[".npz", ".mat"])
def path(request, tmp_path):
    return tmp_path / f"some{request.param}"


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16, np.uint8])
def test_values_and_order_are_kept(path, dtype):
    rows = np.arange(12).reshape(6, 2)
    labels = np.array([0, 1, 0, 0, 1, 0])
    X, y = read_labelled(write(path, X=rows.astype(dtype), y=labels.astype(float)))
    np.testing.assert_array_equal(X, rows)
    np.testing.assert_array_equal(y, labels)
    assert (X.dtype, y.dtype, y.shape) == (np.float64, np.int8, (6,))
    assert X.flags.c_contiguous


def test_compressed_files_are_read(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", X=np.eye(3), y=np.zeros(3))
    savemat(tmp_path / "a.mat", {"X": np.eye(3), "y": np.zeros((3, 1))}, do_compression=True)
    for name in ("a.npz", "a.mat"):
        X, y = read_labelled(tmp_path / name)
        np.testing.assert_array_equal(X, np.eye(3))
        assert y.shape == (3,)


@pytest.mark.parametrize("held", ["X", "y"])
def test_a_missing_array_is_named(path, held):
    write(path, **{held: np.eye(3), "other": np.eye(3)})
    missing = {"X": "y", "y": "X"}[held]
    with pytest.raises(ValueError, match=f"has no array {missing}; it must hold X .rows. and y"):
        read_labelled(path)


def test_two_missing_arrays_are_named(path):
    with pytest.raises(ValueError, match="has no array X and no array y; it must hold"):
        read_labelled(write(path, other=np.eye(3)))


def test_infinite_values_are_refused(path):
    with pytest.raises(ValueError, match="has missing or infinite values in X; all must be finite"):
        read_labelled(write(path, X=np.array([[1.0, np.nan]]), y=np.array([1])))


@pytest.mark.parametrize("label", [2, -1, 0.5, np.nan])
def test_labels_other_than_0_and_1_are_refused(path, label):
    with pytest.raises(ValueError, match="has labels other than 0 and 1 in y; 1 = outlier"):
        read_labelled(write(path, X=np.eye(2), y=np.array([0, label])))


@pytest.mark.parametrize(
    "X",
    [np.zeros((3, 2, 2)), np.zeros((4, 2)), np.array([["a", "b"]] * 3)],
    ids=["3d", "n", "text"],
)
def test_unfit_shapes_and_types_are_refused(path, X):
    with pytest.raises(ValueError, match="with 3 labels in y; X must be a numeric matrix with one"):
        read_labelled(write(path, X=X, y=np.zeros(3)))


def test_pickled_objects_are_never_loaded(tmp_path):
    path = tmp_path / "pickled.npz"
    np.savez(path, X=np.array([{"a": 1}, None], dtype=object), y=np.zeros(2))
    with pytest.raises(ValueError, match="holds pickled objects, which are never loaded; save X"):
        read_labelled(path)


@pytest.mark.parametrize("content", [b"", b"not an archive at all", bytes(300)])
def test_a_file_of_other_content_is_refused(path, content):
    path.write_bytes(content)
    # Older versions of SciPy read zeros as a file without arrays.
    refusals = rf"is not a readable \{path.suffix} file \(|pickled|has no array X and no array y"
    with pytest.raises(ValueError, match=refusals):
        read_labelled(path)


def test_a_bare_array_is_no_npz(tmp_path):
    path = tmp_path / "bare.npz"
    with path.open("wb") as file:
        np.save(file, np.eye(3))
    with pytest.raises(ValueError, match=r"is not a readable \.npz file"):
        read_labelled(path)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("compressed", [True, False])
def test_half_a_file_is_refused(path, share, compressed):
    X, y = np.random.default_rng(0).standard_normal((50, 4)), np.zeros(50)
    if path.suffix == ".npz":
        (np.savez_compressed if compressed else np.savez)(path, X=X, y=y)
    else:
        savemat(path, {"X": X, "y": y}, do_compression=compressed)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(ValueError, match=rf"is not a readable \{path.suffix} file|has no array"):
        read_labelled(path)


@pytest.mark.parametrize(
    "header",
    [
        b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + bytes(400),
        b"\x89HDF\r\n\x1a\n" + bytes(500),
    ],
    ids=["matlab", "bare-hdf5"],
)
def test_matlab_7_3_files_are_refused_with_advice(tmp_path, header):
    path = tmp_path / "new.mat"
    path.write_bytes(header)
    with pytest.raises(ValueError, match=r"is a MATLAB 7.3 \(HDF5\) file, .* with -v7, or as .npz"):
        read_labelled(path)


def test_a_zip_of_an_unknown_method_is_refused(tmp_path):
    path = tmp_path / "odd.npz"
    np.savez(path, X=np.eye(2), y=np.zeros(2))
    whole = bytearray(path.read_bytes())
    entry = whole.index(b"PK\x01\x02")  # the directory entry of X; its bytes 10 and 11 say how
    whole[entry + 10] = 77
    path.write_bytes(whole)
    with pytest.raises(ValueError, match=r"is not a readable \.npz file .*compression"):
        read_labelled(path)
