"""Reading labelled arrays from a file, without ever unpickling."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray
from scipy.io import loadmat
from scipy.io.matlab import MatReadError, matfile_version

SUFFIXES = (".npz", ".mat")

_HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_FIRST_HDF5_VERSION = 2  # of the header of a MATLAB file
# What the readers of NumPy and SciPy raise on damaged files, and on kinds that they do not know.
_UNREADABLE = (
    ValueError, TypeError, LookupError, OSError, EOFError, RuntimeError, BadZipFile, zlib.error,
)  # fmt: skip


def read_labelled(path: Path) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
    """Rows and 0/1 labels of a ``.npz`` or ``.mat`` file that holds ``X`` and ``y``.

    Parameters
    ----------
    path : Path
        The file. Its suffix decides how it is read.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The rows, as float64.
    y : ndarray of shape (n_samples,)
        The labels, as int8; 1 marks an outlier.

    Raises
    ------
    ValueError
        If the file cannot be read, lacks ``X`` or ``y``, or holds unfit values.
    """
    arrays = _read_npz(path) if path.suffix == ".npz" else _read_mat(path)
    missing = [key for key in ("X", "y") if key not in arrays]
    if missing:
        raise ValueError(
            f"{path} has no array {' and no array '.join(missing)}; "
            "it must hold X (rows) and y (1 = outlier, 0 = inlier)."
        )
    return _checked(path, arrays["X"], arrays["y"])


def _read_npz(path: Path) -> dict[str, Any]:
    try:
        # Opened here, since np.load leaves a damaged file open.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            return {key: archive[key] for key in ("X", "y") if key in archive.files}
    except (*_UNREADABLE, AttributeError) as error:
        if "allow_pickle=False" in str(error):
            raise ValueError(
                f"{path} holds pickled objects, which are never loaded; "
                "save X and y as plain numeric arrays."
            ) from error
        raise ValueError(f"{path} is not a readable .npz file ({error}).") from error


def _read_mat(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            is_hdf5 = file.read(len(_HDF5_SIGNATURE)) == _HDF5_SIGNATURE
            if not is_hdf5 and matfile_version(file)[0] < _FIRST_HDF5_VERSION:
                return loadmat(file, variable_names=("X", "y"))
    except (*_UNREADABLE, MatReadError) as error:
        raise ValueError(f"{path} is not a readable .mat file ({error}).") from error
    raise ValueError(
        f"{path} is a MATLAB 7.3 (HDF5) file, which SciPy does not read; "
        "save it from MATLAB with -v7, or as .npz with arrays X and y."
    )


def _checked(path: Path, X: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
    y = np.asarray(y).ravel()  # MATLAB stores a vector as a one-column matrix
    if not (np.issubdtype(X.dtype, np.number) and X.ndim == 2 and len(X) == len(y)):
        raise ValueError(
            f"{path} has X of shape {X.shape} and dtype {X.dtype} with {len(y)} labels in y; "
            "X must be a numeric matrix with one label for each row."
        )
    if not np.isfinite(X).all():
        raise ValueError(f"{path} has missing or infinite values in X; all must be finite.")
    if not np.isin(y, (0, 1)).all():
        raise ValueError(f"{path} has labels other than 0 and 1 in y; 1 = outlier, 0 = inlier.")
    return np.ascontiguousarray(X, dtype=np.float64), y.astype(np.int8)
