"""Files that are either complete or not there."""

import os
import secrets
import stat
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
    with writing_explained(path):
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
    with writing_explained(path):
        temporary = _created_beside(target)
        try:
            yield temporary
            _flush(temporary)
            if overwrite:
                temporary.replace(target)
            else:
                _rename_to_new(temporary, target, path)
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def writing_explained(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what the system says about a file into one sentence.

    Parameters
    ----------
    path : path-like
        The file that the block writes.

    Raises
    ------
    OutputError
        If the block raises an error of the system.

    Examples
    --------
    >>> with writing_explained("scores.csv"):
    ...     raise OSError(28, "whatever a package says about it")
    Traceback (most recent call last):
    l1kpca.outputs.OutputError: scores.csv was not written: No space left on device.
    """
    try:
        yield
    except OSError as error:
        # The words of the system: packages that write files put their own around them.
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise OutputError(f"{Path(path)} was not written: {reason}.") from error


def _obstacle(shown: Path, target: Path, overwrite: bool) -> str | None:
    """Why a file cannot be written, if there is a reason."""
    if not target.parent.is_dir():
        if target.parent.exists():
            return f"{shown}: {shown.parent} is a file and not a folder; choose a folder."
        return f"{shown}: the folder {shown.parent} does not exist; create it first."
    if target.exists() and (problem := _obstacle_there(shown, target, overwrite)):
        return problem
    if not os.access(target.parent, os.W_OK | os.X_OK):
        return f"{shown}: the folder {shown.parent} is not writable; choose another one."
    return None


def _obstacle_there(shown: Path, target: Path, overwrite: bool) -> str | None:
    """Why a file that is there cannot be replaced."""
    if target.is_dir():
        return f"{shown} is a directory; give the name of a file."
    if not target.is_file():
        return f"{shown} is not a regular file; give another name."
    if not overwrite:
        return (
            f"{shown} exists and is not overwritten; give another name, or allow it with --force"
            " (in Python: overwrite=True)."
        )
    return None


def _created_beside(target: Path) -> Path:
    """An empty file in the same folder, with the permissions that the finished file shall have.

    They are those of the file to be replaced, so that a secret stays one while it is written, else
    those of any new file, which the system gives by itself.
    """
    while True:
        temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.part")
        try:
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:
            continue
        os.close(handle)
        if target.exists():
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        return temporary


def _flush(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


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
