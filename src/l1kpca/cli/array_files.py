"""Arrays of NumPy and MATLAB as tables; nothing is ever unpickled."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import pandas as pd
from scipy.io import loadmat
from scipy.io.matlab import MatReadError

from l1kpca.cli.errors import InputError

SUFFIXES = (".npy", ".npz", ".mat")
ROWS, TRUTH = "X", "y"
"""Names that rows and labels have in published benchmark files."""

_HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_UNREADABLE = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    EOFError,
    BadZipFile,
    zlib.error,
    MatReadError,
)


def read_arrays(path: Path) -> tuple[pd.DataFrame, str | None]:
    """Read a file of arrays.

    ``.npy`` holds the rows.  ``.npz`` and ``.mat`` hold them as ``X``, or as their only array; a
    vector ``y`` of the same length becomes a column of that name, the truth of each row.

    Parameters
    ----------
    path : Path
        The file; the suffix decides how it is read.

    Returns
    -------
    frame : DataFrame
        Columns ``x0``, ``x1``, ... and, if there is one, ``y``.
    truth : str or None
        The name of the column with the truth.

    Raises
    ------
    InputError
        If the file is damaged or holds no matrix of numbers.
    """
    arrays = _load(path)
    name = ROWS if ROWS in arrays else next(iter(arrays)) if len(arrays) == 1 else None
    if name is None:
        found = ", ".join(sorted(arrays)) or "none"
        raise InputError(f"{path} has no array X (found: {found}); store the rows as X.")
    frame = _frame(path, name, arrays[name])
    labels = np.asarray(arrays[TRUTH]).ravel() if TRUTH in arrays and name != TRUTH else None
    if labels is None:
        return frame, None
    if len(labels) != len(frame):
        raise InputError(
            f"{path} has {len(frame)} rows in {name} and {len(labels)} labels in y; give one label"
            " for each row."
        )
    frame[TRUTH] = labels
    return frame, TRUTH


def _load(path: Path) -> dict[str, Any]:
    # Opened here, since the readers leave a damaged file open.
    try:
        with path.open("rb") as file:
            if path.suffix.lower() == ".mat":
                return _load_mat(path, file)
            loaded = np.load(file, allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                return {ROWS: loaded}
            with loaded:
                return {key: loaded[key] for key in loaded.files}
    except _UNREADABLE as error:
        if "allow_pickle=False" in str(error) or "pickled data" in str(error):
            raise InputError(
                f"{path} holds pickled objects, which are never loaded; save plain arrays of"
                " numbers."
            ) from error
        raise InputError(
            f"{path} is not a readable {path.suffix.lower()} file, or it is damaged; save it again."
        ) from error


def _load_mat(path: Path, file: Any) -> dict[str, Any]:
    if file.read(len(_HDF5_SIGNATURE)) == _HDF5_SIGNATURE or _is_matlab_73(file):
        raise InputError(
            f"{path} is a MATLAB 7.3 (HDF5) file, which cannot be read; save it from MATLAB with"
            " -v7."
        )
    file.seek(0)
    return {key: value for key, value in loadmat(file).items() if not key.startswith("__")}


def _is_matlab_73(file: Any) -> bool:
    file.seek(0)
    return file.read(19).startswith(b"MATLAB 7.3 MAT-file")


def _frame(path: Path, name: str, rows: Any) -> pd.DataFrame:
    rows = np.asarray(rows)
    where = f"{path}: the array {name} of shape {rows.shape}"
    if not (np.issubdtype(rows.dtype, np.number) or rows.dtype == bool) or np.iscomplexobj(rows):
        raise InputError(f"{where} holds {rows.dtype} values; it must hold real numbers.")
    if rows.ndim != 2:
        raise InputError(f"{where} is not a matrix; give one with a row for each case.")
    return pd.DataFrame(rows, columns=[f"x{i}" for i in range(rows.shape[1])], copy=False)
