"""Folders that a long run fills, and goes on with when it is started again."""

from __future__ import annotations

from pathlib import Path

from l1kpca.outputs import OutputError, check_writable

_FIGURES = "figures"
_FILES = ("index.html", "results.parquet", "results.json", "results.csv")


def check_run_folder(folder: Path, *, overwrite: bool) -> None:
    """Refuse a folder whose files are not those of an earlier run, before any work is done.

    Parameters
    ----------
    folder : Path
        An existing folder; a run that was made there is gone on with.
    overwrite : bool
        Whether files that are not of an earlier run may be replaced.
    """
    journal, figures = folder / "journal.jsonl", folder / _FIGURES
    check_writable(journal, overwrite=True)
    if figures.exists() and not figures.is_dir():
        raise OutputError(f"{figures} is a file and not a folder; give another folder to --out.")
    if journal.exists() or overwrite:
        return
    for name in _FILES:
        check_writable(folder / name)
    if figures.exists() and any(figures.iterdir()):
        raise OutputError(
            f"{figures} is not empty, and not of an earlier run; give another folder to --out, or"
            " allow it with --force."
        )
