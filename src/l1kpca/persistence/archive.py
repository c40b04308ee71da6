"""The archive around a model: checked by its table of contents, before anything is read."""

import json
import os
import stat
import zipfile
from pathlib import Path
from typing import IO, Any

from l1kpca.persistence.errors import ModelFileError

HEADER = "l1kpca.json"
SCHEMA = "schema.json"
_MAX_ENTRIES = 10_000
_MAX_HEADER = 50_000_000
# Directories and links have no place in a model file; 0 is an entry that does not say what it is.
_PLAIN_KINDS = (0, stat.S_IFREG)


def check_size(path: Path, file: IO[bytes], limit: int) -> None:
    """Refuse a file that is larger than what may be read.

    Parameters
    ----------
    path : Path
        Its name, for the message.
    file : file
        Open for reading.
    limit : int
        Bytes.
    """
    _refuse_more(path, os.fstat(file.fileno()).st_size, limit)


def check_entries(path: Path, archive: zipfile.ZipFile, limit: int) -> None:
    """Refuse bombs and odd names by the table of contents alone.

    Entries are not compressed, so what is read can be no larger than the file: entries that say
    otherwise, or that share their bytes, are refused.

    Parameters
    ----------
    path : Path
        Its name, for the message.
    archive : ZipFile
        Open for reading.
    limit : int
        Bytes that may be read.
    """
    entries = archive.infolist()
    total, size = sum(entry.file_size for entry in entries), path.stat().st_size
    _refuse_more(path, total, limit)
    names = {entry.filename for entry in entries}
    odd = total > size or len(entries) > _MAX_ENTRIES or len(names) < len(entries)
    if odd or any(map(_is_odd, entries)):
        raise ModelFileError(
            f"{path} has entries that no saved model has, so it was not read; save the model again."
        )


def read_header(path: Path, archive: zipfile.ZipFile, known_format: int) -> dict[str, Any]:
    """Read the entry that only files of this package have.

    Parameters
    ----------
    path : Path
        Its name, for the message.
    archive : ZipFile
        Open for reading.
    known_format : int
        The version of the format that can be read.

    Returns
    -------
    header : dict
        With the mappings ``attached`` and ``versions``.
    """
    if HEADER not in archive.namelist() or archive.getinfo(HEADER).file_size > _MAX_HEADER:
        raise ModelFileError(
            f"{path} is not a model file of l1kpca; give one that was written with --save"
            " (in Python: l1kpca.persistence.save)."
        )
    header = json.loads(archive.read(HEADER))
    found = header["format"]
    if isinstance(found, bool) or found != known_format:
        age = "a newer" if isinstance(found, int) and found > known_format else "another"
        raise ModelFileError(
            f"{path} has format version {ascii(found)[:20]}, this version of l1kpca reads"
            f" {known_format}: it was written by {age} version of l1kpca; install that one, or fit"
            " and save again."
        )
    if not (isinstance(header["attached"], dict) and isinstance(header["versions"], dict)):
        raise TypeError("the header of a model file holds two mappings")
    return header


def _is_odd(entry: zipfile.ZipInfo) -> bool:
    name = entry.filename
    leads_elsewhere = "/" in name or "\\" in name or ".." in name or ":" in name or not name
    compressed = entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size
    return (
        leads_elsewhere or compressed or stat.S_IFMT(entry.external_attr >> 16) not in _PLAIN_KINDS
    )


def _refuse_more(path: Path, size: int, limit: int) -> None:
    if size > limit:
        raise ModelFileError(
            f"{path} holds {size} bytes, more than the {limit} allowed; use a machine"
            " with more free memory, or fit the model on fewer rows."
        )
