"""Files: written whole or not at all, and arrays read without ever unpickling."""

import glob
import os
import secrets
import stat
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile

import numpy as np

_UNFINISHED = ".part"
_HDF5_STARTS = (b"\x89HDF\r\n\x1a\n", b"MATLAB 7.3 MAT-file")
# What NumPy, SciPy and zipfile raise on damaged files, and on kinds that they do not know.
UNREADABLE = (
    ValueError, TypeError, LookupError, AttributeError, OSError, EOFError, RuntimeError,
    BadZipFile, struct.error, zlib.error,
)  # fmt: skip


class OutputError(RuntimeError):
    """A file could not be written; the text is one sentence that says why."""


def check_writable(path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Refuse a place that cannot be written, before any work is done for it.

    That is an existing file without ``overwrite``, or a folder that cannot take it.  Returns the
    real file behind symbolic links.
    """
    shown = Path(path)
    with _explained(path):
        target = Path(os.path.realpath(path))
        there, folder = target.exists(), target.parent
        if not folder.exists():
            problem = f"{shown}: the folder {shown.parent} does not exist; create it first."
        elif not folder.is_dir():
            problem = f"{shown}: {shown.parent} is a file and not a folder; choose a folder."
        elif target.is_dir():
            problem = f"{shown} is a directory; give the name of a file."
        elif there and not target.is_file():
            problem = f"{shown} is not a regular file; give another name."
        elif there and not overwrite:
            problem = (
                f"{shown} exists and is not overwritten; give another name, or allow it with"
                " --force (in Python: overwrite=True)."
            )
        elif not os.access(folder, os.W_OK | os.X_OK):
            problem = f"{shown}: the folder {shown.parent} is not writable; choose another one."
        else:
            return target
    raise OutputError(problem)


@contextmanager
def replacing(path: str | os.PathLike[str], *, overwrite: bool = False) -> Iterator[Path]:
    """Give a temporary name in the same folder; rename it to ``path`` when the block succeeds.

    Whatever goes wrong, ``path`` holds its old content or the whole new one; an existing file is
    replaced only with ``overwrite``.  What the system refuses is an `OutputError`.
    """
    target = check_writable(path, overwrite=overwrite)
    with _explained(path):
        name = f".{target.name[:100]}.{secrets.token_hex(8)}{_UNFINISHED}"
        temporary = target.with_name(name)
        try:  # from here on, whatever interrupts leaves nothing
            _create(temporary, target)
            yield temporary
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
            if overwrite:
                temporary.replace(target)
            else:
                _rename_to_new(temporary, target, path)
        finally:
            temporary.unlink(missing_ok=True)


def unfinished(path: str | os.PathLike[str]) -> list[Path]:
    """What processes that were killed in `replacing` left beside ``path``; safe to delete then."""
    target = Path(os.path.realpath(path))
    return list(target.parent.glob(f".{glob.escape(target.name[:100])}.*{_UNFINISHED}"))


def read_arrays(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the arrays of a ``.mat`` file, or of any file of NumPy; nothing is ever unpickled.

    The only array of an ``.npy`` file is called ``X``.  A file that is damaged, of another kind,
    or holds pickled objects is a ``ValueError``; one that cannot be opened an ``OSError``.
    """
    path = Path(path)
    # Opened here, since the readers leave a damaged file open.
    with path.open("rb") as file:
        mat = path.suffix.lower() == ".mat"
        if mat and file.read(max(map(len, _HDF5_STARTS))).startswith(_HDF5_STARTS):
            raise ValueError(
                f"{path} is a MATLAB 7.3 (HDF5) file, which cannot be read; save it from MATLAB"
                " with -v7, or as .npz."
            )
        file.seek(0)
        try:
            return _load(file, mat)
        except UNREADABLE as error:
            if "allow_pickle=False" in str(error) or "pickled data" in str(error):
                raise ValueError(
                    f"{path} holds pickled objects, which are never loaded; save plain arrays of"
                    " numbers."
                ) from error
            raise ValueError(
                f"{path} is not a readable {path.suffix.lower()} file, or it is damaged; save it"
                " again."
            ) from error


def _load(file: IO[bytes], mat: bool) -> dict[str, Any]:
    if mat:
        from scipy.io import loadmat, matlab  # noqa: PLC0415 (slow, and needed here alone)

        try:
            loaded = loadmat(file)
        except matlab.MatReadError as error:
            raise ValueError(str(error)) from error
        return {name: array for name, array in loaded.items() if not name.startswith("__")}
    loaded = np.load(file, allow_pickle=False)
    if isinstance(loaded, np.ndarray):
        return {"X": loaded}
    with loaded:
        return dict(loaded)


def _create(temporary: Path, target: Path) -> None:
    """An empty file with the permissions of the finished one.

    They are those of the file to be replaced, so that a secret stays one while it is written, else
    those that the system gives to any new file.
    """
    os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    if target.exists():
        temporary.chmod(stat.S_IMODE(target.stat().st_mode))


def _rename_to_new(temporary: Path, target: Path, shown: str | os.PathLike[str]) -> None:
    """Give the file its name, unless somebody took the name in the meantime.

    A link is made or refused in one step, whereas a file could appear between a look and a rename.
    """
    try:
        os.link(temporary, target)
    except FileExistsError:
        check_writable(shown)  # refuses, with the reason
        raise
    except OSError:  # a file system without links
        check_writable(shown)
        temporary.replace(target)


@contextmanager
def _explained(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what the system says about a file into one sentence."""
    try:
        yield
    except OSError as error:
        # The words of the system: packages that write files put their own around them.
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise OutputError(f"{Path(path)} was not written: {reason}.") from error
