"""Saving and loading."""

import io
import json
import os
import platform
import stat
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import IO, Any

import numpy as np
import scipy
import sklearn

from l1kpca.gram.memory import free_memory
from l1kpca.outputs import replacing
from l1kpca.persistence.archive import HEADER, SCHEMA, check_entries, check_size, read_header
from l1kpca.persistence.errors import ModelFileError
from l1kpca.persistence.schema import (
    NUMBER_TYPES,
    TRUSTED_TYPES,
    check_references,
    shown_types,
    unknown_types,
)

FORMAT = 1
"""Version of the model file; raised when a file of before can no longer be read."""


@dataclass(frozen=True)
class SavedModel:
    """What a model file holds.

    Attributes
    ----------
    estimator : object
        The fitted estimator.
    attached : dict
        The plain data that was saved with it.
    versions : dict
        Versions of the packages that wrote the file.
    """

    estimator: Any
    attached: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)


def save(
    estimator: Any,
    path: str | os.PathLike[str],
    *,
    attached: Mapping[str, Any] | None = None,
    overwrite: bool = False,
) -> None:
    """Save a fitted estimator; the file is complete or not there.

    Parameters
    ----------
    estimator : object
        A fitted estimator of this package.
    path : path-like
        The file, by convention with the suffix ``.skops``.
    attached : mapping, optional
        Plain data (what JSON can hold) to keep with it.
    overwrite : bool, default=False
        Whether a file that is there may be replaced.

    Raises
    ------
    ModelFileError
        If the estimator holds something that could not be loaded again, such as a function.
    OutputError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from l1kpca import L1KernelPCA
    >>> X = np.random.default_rng(0).normal(size=(20, 3))
    >>> pca = L1KernelPCA(2, kernel="rbf").fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(pca, Path(folder) / "pca.skops")
    ...     again = load(Path(folder) / "pca.skops").estimator
    >>> np.array_equal(again.transform(X), pca.transform(X))
    True
    """
    content = _dump(estimator)
    header = {"format": FORMAT, "versions": _versions(), "attached": dict(attached or {})}
    with zipfile.ZipFile(content, "a", compression=zipfile.ZIP_STORED) as archive:
        archive.writestr(HEADER, _as_json(header))
    with replacing(path, overwrite=overwrite) as temporary:
        temporary.write_bytes(content.getbuffer())


def load(path: str | os.PathLike[str], *, max_bytes: int | None = None) -> SavedModel:
    """Load a model file without running code from it.

    Parameters
    ----------
    path : path-like
        A file that `save` wrote.
    max_bytes : int, optional
        Refuse a larger file; by default one that does not fit into the free memory.

    Returns
    -------
    saved : SavedModel
        The estimator and what was attached to it.

    Raises
    ------
    ModelFileError
        If the file is no model file, damaged, too large, of another format, or holds types that
        are not known.
    """
    skops = _skops()
    path = Path(path)
    limit = free_memory() if max_bytes is None else max_bytes
    try:
        with _open_regular(path) as file:
            check_size(path, file, limit)
            return _read(path, file, limit, skops)
    except ModelFileError:
        raise
    except IsADirectoryError:
        raise ModelFileError(f"{path} is a directory; give the file of a saved model.") from None
    except FileNotFoundError:
        raise ModelFileError(f"{path} does not exist; give the file of a saved model.") from None
    except PermissionError:
        raise ModelFileError(f"{path} may not be read; check its permissions.") from None
    except Exception as error:
        # Whatever zipfile, json, NumPy and skops raise on bytes that nobody wrote with `save`.
        raise ModelFileError(
            f"{path} is not a model file, or it is damaged; save the model again."
        ) from error


def _open_regular(path: Path) -> IO[bytes]:
    """Open a file; a pipe would wait for ever, a device has no end."""
    found = path.stat().st_mode
    if not (stat.S_ISREG(found) or stat.S_ISDIR(found)):
        raise ModelFileError(f"{path} is not a regular file; give the file of a saved model.")
    return path.open("rb")


def _read(path: Path, file: IO[bytes], limit: int, skops: ModuleType) -> SavedModel:
    """Read from one open file, so that what is checked is what is loaded."""
    with zipfile.ZipFile(file) as archive:
        check_entries(path, archive, limit)
        header = read_header(path, archive, FORMAT)
        schema = json.loads(archive.read(SCHEMA))
    unknown = unknown_types(schema)
    if unknown:
        raise ModelFileError(
            f"{path} holds types that are not trusted ({shown_types(unknown)}), so it was not"
            " loaded; it was altered, or not saved by l1kpca."
        )
    check_references(schema)
    estimator = skops.load(file, trusted=[*TRUSTED_TYPES, *NUMBER_TYPES])
    return SavedModel(estimator, header["attached"], header["versions"])


def _skops() -> ModuleType:
    try:
        import skops.io  # noqa: PLC0415 (only an extra installs it)
    except ImportError as error:
        raise ImportError(
            "saved models need skops, which is not installed; install it with:"
            " pip install 'l1kpca[cli]'."
        ) from error
    return skops.io


def _dump(estimator: Any) -> io.BytesIO:
    # Entries are not compressed, so that what is read can never be larger than the file.
    skops = _skops()
    name = type(estimator).__name__
    try:
        content = io.BytesIO(skops.dumps(estimator, compression=zipfile.ZIP_STORED))
    except Exception as error:  # whatever skops and the types that it meets may raise
        raise ModelFileError(f"this {name} cannot be saved ({error}).") from error
    with zipfile.ZipFile(content) as archive:
        unknown = unknown_types(json.loads(archive.read(SCHEMA)))
    if unknown:
        raise ModelFileError(
            f"this {name} cannot be saved, since it holds {shown_types(unknown)}, which could not"
            " be loaded again; use named kernels, numbers and text as settings, and rows that are"
            " not sparse."
        )
    return content


def _as_json(header: Mapping[str, Any]) -> str:
    try:
        return json.dumps(header, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ModelFileError(
            f"attached cannot be saved ({error}); give numbers that are finite, text, lists and"
            " dictionaries."
        ) from error


def _versions() -> dict[str, str]:
    return {
        "l1kpca": metadata.version("l1kpca"),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }
