"""Write files whole or not at all; read arrays without unpickling."""

import glob
import os
import secrets
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

_UNFINISHED = ".part"
_HDF5_STARTS = (b"\x89HDF\r\n\x1a\n", b"MATLAB 7.3 MAT-file")
_OUT_OF_MEMORY = 3
_FROM_MATLAB = f"""
import sys
import numpy as np
from scipy.io import loadmat
from scipy.sparse import issparse
try:
    found = {{k: a.toarray() if issparse(a) else a for k, a in loadmat(sys.argv[1]).items()
             if not k.startswith("__")}}
    np.savez(sys.argv[2], **{{("?" if a.dtype.hasobject else "=") + k:
                             a.shape if a.dtype.hasobject else a for k, a in found.items()}})
except MemoryError:
    sys.exit({_OUT_OF_MEMORY})
"""


class OutputError(RuntimeError):
    """A file could not be written; one sentence says why."""


def check_writable(path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Resolve symbolic links, and refuse a place that cannot be written before any work."""
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

    Whatever goes wrong, ``path`` holds its old content or all of the new one.
    """
    target = check_writable(path, overwrite=overwrite)
    with _explained(path):
        name = f".{target.name[:100]}.{secrets.token_hex(8)}{_UNFINISHED}"
        temporary = target.with_name(name)
        try:  # from here on, whatever interrupts leaves nothing
            os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
            if target.exists():  # a secret stays one while it is written
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
            yield temporary
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
            if not overwrite:
                try:  # in one step, refused if somebody took the name
                    os.link(temporary, target)
                    return
                except FileExistsError:
                    check_writable(path)
                    raise
                except OSError:  # a file system without links
                    check_writable(path)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)


def unfinished(path: str | os.PathLike[str]) -> list[Path]:
    """What processes killed in `replacing` left beside ``path``."""
    target = Path(os.path.realpath(path))
    return list(target.parent.glob(f".{glob.escape(target.name[:100])}.*{_UNFINISHED}"))


def read_arrays(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The arrays of a ``.mat`` file or a file of NumPy, never unpickled; that of .npy is ``X``.

    A file that is damaged, of another kind, or holds pickled objects is a ``ValueError``.
    """
    path = Path(path)
    with path.open("rb") as file:  # opened here, since the readers leave a damaged file open
        mat = path.suffix.lower() == ".mat"
        if mat and file.read(max(map(len, _HDF5_STARTS))).startswith(_HDF5_STARTS):
            raise ValueError(f"{path} is a MATLAB 7.3 (HDF5) file; save it with -v7, or as .npz.")
        file.seek(0)
        try:
            if mat:
                return _from_matlab(path)
            loaded = np.load(file, allow_pickle=False)
            return {"X": loaded} if isinstance(loaded, np.ndarray) else dict(loaded)
        except MemoryError:
            raise
        except Exception as error:  # readers of damaged files raise anything
            if "allow_pickle=False" in str(error) or "pickled data" in str(error):
                raise ValueError(
                    f"{path} holds pickled objects, which are never loaded; save plain arrays."
                ) from error
            kind = path.suffix.lower()
            said = f"{path} is not a readable {kind} file, or it is damaged; save it again."
            raise ValueError(said) from error


def _from_matlab(path: Path) -> dict[str, Any]:
    """Read in a process of its own: on some damaged files SciPy's reader crashes, now and then."""
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.npz"
        command = [sys.executable, "-P", "-c", _FROM_MATLAB, str(path.absolute()), str(plain)]
        ended = subprocess.run(command, capture_output=True, check=False).returncode  # noqa: S603
        if ended == _OUT_OF_MEMORY:
            raise MemoryError
        if ended:
            raise ValueError(f"SciPy's reader ended with {ended}")
        with np.load(plain, allow_pickle=False) as held:
            return {
                name[1:]: array if name[0] == "=" else np.empty(array, dtype=object)
                for name, array in held.items()
            }


@contextmanager
def _explained(path: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        # The words of the system: packages that write files put their own around them.
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise OutputError(f"{Path(path)} was not written: {reason}.") from error
