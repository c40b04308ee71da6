"""Fitted models in files that are safe to open.

A model file is a zip archive.  Its entry ``l1kpca.json`` holds the version of the format and of the
packages, what the caller attached, and the model as plain data (`l1kpca.plain`).  All other entries
are arrays, as skops writes a list of them.  Nothing in a file is run or imported: we check sizes
and names first, read the arrays with NumPy, and build objects only of classes of this package and
those that the caller trusts.
"""

import io
import json
import os
import platform
import stat
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import IO, Any

import numpy as np

from l1kpca.checks import free_memory
from l1kpca.files import replacing
from l1kpca.plain import CLASSES, class_name, class_names, from_plain, to_plain

FORMAT = 2
"""Version of the model file; raised when older files can no longer be read."""
_HEADER = "l1kpca.json"
_MAX_ENTRIES = 100_000
_MAX_JSON = 50_000_000  # bytes; as objects they take much more
_MAX_SHOWN = 300  # characters
_PLAIN_KINDS = (0, stat.S_IFREG)  # no directories, no links; 0 does not say what it is


class ModelFileError(ValueError):
    """A model cannot be saved or loaded; one sentence says why."""


@dataclass(frozen=True)
class SavedModel:
    """What a model file holds."""

    estimator: Any  #: The fitted estimator.
    attached: dict[str, Any]  #: The plain data saved with it.
    versions: dict[str, str]  #: Of the packages that wrote the file.


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
        A fitted estimator of this package.  Rules, finders and Gram builders of your own must be
        frozen dataclasses.
    path : path-like
        The file, by convention with the suffix ``.skops``.
    attached : mapping, optional
        Plain data (what JSON can hold) to keep with it.
    overwrite : bool, default=False
        Whether to replace an existing file.

    Examples
    --------
    >>> import tempfile
    >>> from l1kpca import L1KernelPCA
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(L1KernelPCA(1).fit([[1.0, 2.0], [3.0, 5.0]]), f"{folder}/pca.skops")
    ...     load(f"{folder}/pca.skops").estimator
    L1KernelPCA(n_components=1)
    """
    try:
        import skops.io  # noqa: PLC0415 (only an extra installs it)
    except ImportError as error:
        lacking = "saved models need skops, which is not installed: pip install 'l1kpca[cli]'."
        raise ModuleNotFoundError(lacking, name="skops") from error
    kept, arrays = dict(attached or {}), list[Any]()
    try:
        model = to_plain(estimator, arrays)
    except (TypeError, RecursionError) as error:
        name = type(estimator).__name__
        raise ModelFileError(f"this {name} cannot be saved: {error}.") from error
    try:
        json.dumps(kept, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ModelFileError(
            f"attached cannot be saved ({error}); give finite numbers, text, lists and dicts."
        ) from error
    packages = ("l1kpca", "numpy", "scipy", "scikit-learn")
    versions = {name: metadata.version(name) for name in packages}
    versions["python"] = platform.python_version()
    header = {"format": FORMAT, "versions": versions, "attached": kept, "model": model}
    arrays = [np.asarray(array) for array in arrays]  # no longer memory maps
    # Entries are not compressed, so that what is read can never be larger than the file.
    content = io.BytesIO(skops.io.dumps(arrays, compression=zipfile.ZIP_STORED))
    with zipfile.ZipFile(content, "a", compression=zipfile.ZIP_STORED) as archive:
        archive.writestr(_HEADER, json.dumps(header, indent=1))
    with replacing(path, overwrite=overwrite) as temporary:
        temporary.write_bytes(content.getbuffer())


def load(
    path: str | os.PathLike[str],
    *,
    trusted: Iterable[type] | Mapping[str, type] = (),
    max_bytes: int | None = None,
) -> SavedModel:
    """Load a model file without running code from it.

    Parameters
    ----------
    path : path-like
        A file that `save` wrote.
    trusted : iterable of classes or mapping, default=()
        Classes of your own whose constructors the file may call.  A mapping names one that was
        saved under another name, such as ``{"__main__:MyRule": MyRule}``.
    max_bytes : int, optional
        Refuse a larger file; by default one that does not fit into the free memory.

    Returns
    -------
    saved : SavedModel
    """
    path = Path(path)
    if not isinstance(trusted, Mapping):
        trusted = {class_name(kind): kind for kind in trusted}
    classes = {**trusted, **CLASSES}
    try:
        limit = free_memory() if max_bytes is None else max_bytes
        with _open_regular(path, limit) as file, zipfile.ZipFile(file) as archive:
            _check_entries(path, archive, os.fstat(file.fileno()).st_size)
            header, arrays = _read_header(path, archive), _read_arrays(archive)
        unknown = class_names(header["model"]) - classes.keys()
        kept = dict(header["attached"]), dict(header["versions"])
    except ModelFileError:
        raise
    except (FileNotFoundError, PermissionError) as error:
        raise ModelFileError(
            f"{path} cannot be read ({error.strerror}); give the file of a saved model."
        ) from None
    except Exception as error:
        # Whatever zipfile, json and NumPy raise on bytes that nobody wrote with `save`.
        raise ModelFileError(
            f"{path} is not a model file, or it is damaged; save the model again."
        ) from error
    if unknown:
        raise ModelFileError(
            f"{path} holds classes that are not trusted ({_shown(unknown)}); if they are your own,"
            " name them: load(..., trusted=[Class]), on the command line --trust module:Class."
        )
    try:
        return SavedModel(from_plain(header["model"], arrays, classes), *kept)
    except Exception as error:  # whatever constructors raise on values that they do not know
        said = _shown([f"{type(error).__name__}: {error}"])
        raise ModelFileError(
            f"{path} holds a model that cannot be built ({said}); it was altered, or saved with"
            " other versions of its classes: fit and save it again."
        ) from error


def _open_regular(path: Path, limit: int) -> IO[bytes]:
    """Open a file; a pipe would wait for ever, a device has no end."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise ModelFileError(f"{path} is not a regular file; give the file of a saved model.")
    if found.st_size > limit:
        raise ModelFileError(
            f"{path} holds {found.st_size} bytes, more than the {limit} allowed; use a machine"
            " with more free memory, or fit fewer rows."
        )
    return path.open("rb")


def _check_entries(path: Path, archive: zipfile.ZipFile, size: int) -> None:
    """Refuse bombs and odd names, by the table of contents alone."""

    def is_odd(entry: zipfile.ZipInfo) -> bool:
        name, kind = entry.filename, stat.S_IFMT(entry.external_attr >> 16)
        packed = entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size
        too_long = name.endswith(".json") and entry.file_size > _MAX_JSON
        elsewhere = not name or ".." in name or not {*name}.isdisjoint("/\\:")
        return packed or too_long or elsewhere or kind not in _PLAIN_KINDS

    entries = archive.infolist()
    repeated = len({entry.filename for entry in entries}) < len(entries)
    shared = sum(entry.file_size for entry in entries) > size  # the same bytes more than once
    if repeated or shared or len(entries) > _MAX_ENTRIES or any(map(is_odd, entries)):
        raise ModelFileError(
            f"{path} has entries that no saved model has, so it was not read; save the model again."
        )


def _read_header(path: Path, archive: zipfile.ZipFile) -> dict[str, Any]:
    if _HEADER not in archive.namelist():
        raise ModelFileError(
            f"{path} is not a model file of l1kpca; give one written by --save, or in Python by"
            " l1kpca.persistence.save."
        )
    header = json.loads(archive.read(_HEADER))
    found = header["format"]
    if type(found) is not int or found != FORMAT:
        age = "another" if type(found) is not int else "a newer" if found > FORMAT else "an older"
        raise ModelFileError(
            f"{path} has format version {ascii(found)[:20]}, not {FORMAT}: it was written by {age}"
            " version of l1kpca; install that version, or fit and save again."
        )
    return header


def _read_arrays(archive: zipfile.ZipFile) -> list[Any]:
    """The arrays that skops lists; an entry that is listed twice is read once."""
    names = [node["file"] for node in json.loads(archive.read("schema.json"))["content"]]
    held = {}
    for name in dict.fromkeys(names):
        with archive.open(name) as entry:
            held[name] = np.load(entry, allow_pickle=False)
            if entry.read(1):  # at the end of an entry its checksum is compared
                raise ValueError("more than an array")
    if not all(type(array) is np.ndarray and array.itemsize for array in held.values()):
        raise TypeError("no array, or one that takes no bytes, however long it says it is")
    return [held[name] for name in names]


def _shown(names: Iterable[str]) -> str:
    text = ", ".join(sorted(names))[:_MAX_SHOWN]
    return text if text.isprintable() else ascii(text)
