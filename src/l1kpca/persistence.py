"""Fitted models in files that are safe to open.

A model file is a zip archive as skops writes it, with one more entry, ``l1kpca.json``: the version
of the format, the versions of the packages, and whatever plain data the caller wants to keep with
the model.  Reading it runs no code of the file: types are looked up in the list below, and a file
that names any other is refused before anything is built.
"""

import io
import json
import os
import platform
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import scipy
import sklearn

from l1kpca.gram.memory import free_memory
from l1kpca.outputs import replacing

FORMAT = 1
"""Version of the model file; raised when a file of before can no longer be read."""

TRUSTED_TYPES = (
    "l1kpca.estimators.inverse.LinearInverse",
    "l1kpca.estimators.inverse.RidgeInverse",
    "l1kpca.estimators.l1_kernel_pca.L1KernelPCA",
    "l1kpca.estimators.outliers.columns.Columns",
    "l1kpca.estimators.outliers.detector.KernelPCAOutlierDetector",
    "l1kpca.estimators.outliers.rules.PaperRule",
    "l1kpca.estimators.outliers.rules.RobustRule",
    "l1kpca.estimators.peers.joint.JointL1KernelPCA",
    "l1kpca.estimators.peers.kwak.KwakKernelPCA",
    "l1kpca.estimators.peers.l2.L2KernelPCA",
    "l1kpca.estimators.peers.r1.R1KernelPCA",
    "l1kpca.estimators.peers.xiao.XiaoKernelPCA",
    "l1kpca.gram.choose.GramChoice",
    "l1kpca.gram.factor.FactorProjection",
    "l1kpca.gram.factor.Identity",
    "l1kpca.gram.factor.Shifted",
    "l1kpca.gram.nystroem.LandmarkFeatures",
    "l1kpca.gram.projections.CenteredProjection",
    "l1kpca.gram.projections.KernelProjection",
    "l1kpca.gram.projections.PrecomputedProjection",
    "l1kpca.kernels.GaussianBlocks",
    "l1kpca.kernels.Kernel",
    "l1kpca.kernels.PairwiseBlocks",
    "l1kpca.threads.Workers",
)
"""Types of this package that a model file may hold, beside those that skops itself trusts."""

_HEADER = "l1kpca.json"
_MAX_ENTRIES = 10_000
_MAX_HEADER = 50_000_000
# What zipfile, json, NumPy and skops raise on a file that is damaged or was tampered with.
_DAMAGED = (
    zipfile.BadZipFile,
    OSError,
    EOFError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ImportError,
    NotImplementedError,
    RuntimeError,  # an encrypted entry
    RecursionError,
    MemoryError,
)


class ModelFileError(ValueError):
    """A model cannot be saved or loaded; the text is one sentence that says why."""


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
        archive.writestr(_HEADER, json.dumps(header, allow_nan=False))
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
    path = Path(path)
    limit = free_memory() if max_bytes is None else max_bytes
    try:
        with zipfile.ZipFile(path) as archive:
            _check_entries(path, archive, limit)
            header = _read_header(path, archive)
        estimator = _load_trusted(path)
    except ModelFileError:
        raise
    except IsADirectoryError:
        raise ModelFileError(f"{path} is a directory; give the file of a saved model.") from None
    except FileNotFoundError:
        raise ModelFileError(f"{path} does not exist; give the file of a saved model.") from None
    except PermissionError:
        raise ModelFileError(f"{path} may not be read; check its permissions.") from None
    except _DAMAGED as error:
        raise ModelFileError(
            f"{path} is not a model file, or it is damaged; save the model again."
        ) from error
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
        found = skops.get_untrusted_types(data=content.getbuffer())
    except Exception as error:  # whatever skops and the types that it meets may raise
        raise ModelFileError(f"this {name} cannot be saved ({error}).") from error
    unknown = [known for known in found if known not in TRUSTED_TYPES]
    if unknown:
        raise ModelFileError(
            f"this {name} cannot be saved, since it holds {', '.join(unknown)}, which could not be"
            " loaded again; use named kernels and settings instead of objects of your own."
        )
    return content


def _versions() -> dict[str, str]:
    return {
        "l1kpca": metadata.version("l1kpca"),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }


def _check_entries(path: Path, archive: zipfile.ZipFile, limit: int) -> None:
    """Refuse bombs and odd names by the table of contents alone."""
    entries = archive.infolist()
    total, size = sum(entry.file_size for entry in entries), path.stat().st_size
    if total > limit or size > limit:
        raise ModelFileError(
            f"{path} holds {max(total, size)} bytes, more than the {limit} allowed; use a machine"
            " with more free memory, or fit the model on fewer rows."
        )
    names = [entry.filename for entry in entries]
    compressed = any(entry.compress_type != zipfile.ZIP_STORED for entry in entries)
    nested = any("/" in name or "\\" in name or ".." in name for name in names)
    twice = len(set(names)) < len(names)
    if compressed or nested or twice or len(entries) > _MAX_ENTRIES or total > size:
        raise ModelFileError(
            f"{path} has entries that no saved model has, so it was not read; save the model again."
        )


def _read_header(path: Path, archive: zipfile.ZipFile) -> dict[str, Any]:
    if _HEADER not in archive.namelist() or archive.getinfo(_HEADER).file_size > _MAX_HEADER:
        raise ModelFileError(
            f"{path} is not a model file of l1kpca; give one that was written with --save"
            " (in Python: l1kpca.persistence.save)."
        )
    header = json.loads(archive.read(_HEADER))
    found = header["format"]
    if found != FORMAT:
        age = "a newer" if isinstance(found, int) and found > FORMAT else "another"
        raise ModelFileError(
            f"{path} has format version {found!r}, this version of l1kpca reads {FORMAT}: it was"
            f" written by {age} version of l1kpca; install that one, or fit and save again."
        )
    if not (isinstance(header["attached"], dict) and isinstance(header["versions"], dict)):
        raise TypeError("the header of a model file holds two mappings")
    return header


def _load_trusted(path: Path) -> Any:
    skops = _skops()
    unknown = [name for name in skops.get_untrusted_types(file=path) if name not in TRUSTED_TYPES]
    if unknown:
        raise ModelFileError(
            f"{path} holds types that are not trusted ({', '.join(sorted(unknown))}), so it was not"
            " loaded; it was altered, or not saved by l1kpca."
        )
    return skops.load(path, trusted=list(TRUSTED_TYPES))
