"""Folders that a long run fills, and goes on with when it is started again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from l1kpca.cli.errors import InputError, library_errors_explained
from l1kpca.cli.terminal import Terminal
from l1kpca.outputs import OutputError, check_writable, replacing

FIGURE_FOLDER = "figures"
PAGE = "index.html"
_FILES = (PAGE, "results.parquet", "results.json", "results.csv")

Page = TypeVar("Page")


def run_folder(out: Path, *, overwrite: bool) -> Path:
    """The folder of ``--out``, made if need be; refused, before any work, if it is another's.

    Parameters
    ----------
    out : Path
        A run that was made there is gone on with.
    overwrite : bool
        Whether files that are not of an earlier run may be replaced.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"--out {out}: {error.strerror}; give a folder that can be made."
        ) from error
    journal, figures = out / "journal.jsonl", out / FIGURE_FOLDER
    check_writable(journal, overwrite=True)
    if figures.exists() and not figures.is_dir():
        raise OutputError(f"{figures} is a file and not a folder; give another folder to --out.")
    if journal.exists() or overwrite:
        return out
    for name in _FILES:
        check_writable(out / name)
    if figures.exists() and any(figures.iterdir()):
        raise OutputError(
            f"{figures} is not empty, and not of an earlier run; give another folder to --out, or"
            " allow it with --force."
        )
    return out


def run_to_page(
    command: str,
    run: Callable[..., Any],
    write: Callable[[Path], Page],
    show: Callable[[Page, Terminal, Path], None],
    folder: Path,
    terminal: Terminal,
) -> None:
    """Run what is not there yet, write the page from the rows alone, and say what came out.

    Parameters
    ----------
    command : str
        Its name, for the user.
    run : callable
        Takes ``progress``, which is told what is done of how much.
    write : callable
        Writes the page of a folder and returns its facts; called also when the run is interrupted.
    show : callable
        Says what is on the page.
    folder : Path
        Where the rows are.
    terminal : Terminal
        Where it is said.
    """
    with library_errors_explained(command), terminal.progress(command) as advance:
        try:
            run(progress=lambda done, total, doing: advance(round(done), round(total)))
        except KeyboardInterrupt:
            write(folder)  # what there is can be looked at
            raise
        page = write(folder)
    show(page, terminal, folder)


def write_page(
    page: Page,
    figures: Iterable[str],
    to_html: Callable[[Page, dict[str, str]], str],
    folder: Path,
) -> Page:
    """Write a page beside the folder of its figures.

    Parameters
    ----------
    page
        The facts.
    figures : iterable of str
        Names of those that were drawn.
    to_html : callable
        From the facts, and the addresses of the figures by name, to text.
    folder : Path
        An existing folder.
    """
    addresses = {name: f"{FIGURE_FOLDER}/{name}" for name in figures}
    with replacing(folder / PAGE, overwrite=True) as temporary:
        temporary.write_text(to_html(page, addresses), encoding="utf-8")
    return page
