"""Files that are either complete or not there."""

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class OutputError(RuntimeError):
    """A file could not be written; the text is one sentence that says why."""


def check_writable(path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """Refuse a place that cannot be written, before any work is done for it.

    Parameters
    ----------
    path : path-like
        The file to be written.
    overwrite : bool, default=False
        Whether a file that is there may be replaced.

    Returns
    -------
    path : Path
        The real file behind symbolic links.

    Raises
    ------
    OutputError
        If the file is there and must not be replaced, or its folder cannot take it.

    Examples
    --------
    >>> check_writable("no/such/folder/scores.csv")
    Traceback (most recent call last):
    l1kpca.outputs.OutputError: no/such/folder/scores.csv: the folder no/such/folder does not
    exist; create it first.
    """
    with _explained(path):
        target = Path(os.path.realpath(path))
        problem = _obstacle(Path(path), target, overwrite)
    if problem is not None:
        raise OutputError(problem)
    return target


@contextmanager
def replacing(path: str | os.PathLike[str], *, overwrite: bool = False) -> Iterator[Path]:
    """Give a temporary name in the same folder; rename it to ``path`` when the block succeeds.

    Whatever goes wrong, ``path`` holds its old content or the whole new one.

    Parameters
    ----------
    path : path-like
        The file to be written.
    overwrite : bool, default=False
        Whether a file that is there may be replaced.

    Yields
    ------
    temporary : Path
        An empty file to write to.

    Raises
    ------
    OutputError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = Path(folder) / "note.txt"
    ...     with replacing(target) as temporary:
    ...         _ = temporary.write_text("complete")
    ...     target.read_text()
    'complete'
    """
    target = check_writable(path, overwrite=overwrite)
    with _explained(path):
        handle, name = tempfile.mkstemp(
            dir=target.parent, prefix=f".{target.name[:100]}.", suffix=".part"
        )
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            _flush(temporary)
            temporary.chmod(_mode_of(target))
            check_writable(path, overwrite=overwrite)  # it may have appeared in the meantime
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def _explained(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what the system says into one sentence."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutputError(f"{Path(path)} was not written: {reason}.") from error


def _obstacle(shown: Path, target: Path, overwrite: bool) -> str | None:
    """Why a file cannot be written, if there is a reason."""
    if not target.parent.is_dir():
        return f"{shown}: the folder {shown.parent} does not exist; create it first."
    if target.is_dir():
        return f"{shown} is a directory; give the name of a file."
    if target.exists() and not target.is_file():
        return f"{shown} is not a regular file; give another name."
    if target.exists() and not overwrite:
        return (
            f"{shown} exists and is not overwritten; give another name, or allow it with --force"
            " (in Python: overwrite=True)."
        )
    if not os.access(target.parent, os.W_OK | os.X_OK):
        return f"{shown}: the folder {shown.parent} is not writable; choose another one."
    return None


def _flush(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _mode_of(target: Path) -> int:
    """Permissions of the file that is replaced, else those of any new file."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
