"""Talking to the user: results on stdout and in files, everything else on stderr.

What goes wrong is one sentence and an exit status; a user never sees a traceback.
"""

import importlib
import json
import os
import shutil
import sys
import textwrap
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import DataFrame

    from l1kpca.tables.table import Table

EXTRAS = ("typer", "rich", "pandas", "pyarrow", "skops")  # of the extra ``cli``
BAD_INPUT = 2
DEFECT = 1
DRIFT = 3
INTERRUPTED = 130
TRACEBACK_VARIABLE = "L1KPCA_TRACEBACK"
_WIDTH_OF_FILES, _WIDTH_OF_NOTES = 160, 2000
_UNFIT = (ValueError, OverflowError, ImportError, FileNotFoundError, ConnectionError)


class InputError(Exception):
    """Options that cannot be used; the text names the option and says what to do."""


@dataclass
class Terminal:
    """Where a command shows what it does and what it found, and the files that it writes."""

    quiet: bool = False
    as_json: bool = False
    files: Mapping[str, Path | None] = field(default_factory=dict)  # None: the option is not given
    overwrite: bool = False
    spreadsheet_safe: bool = False
    #: What was done to the data, in sentences: each with what it is about, and the rest of it.
    notes: dict[str, tuple[str, str]] = field(default_factory=dict)

    def check(self, inputs: Iterable[str], **others: str | Path | None) -> None:
        """Refuse files that cannot be written, and inputs as outputs, before any work is done.

        What is not installed and needed for them is missed now, too.
        """
        from l1kpca.files import check_writable
        from l1kpca.tables.output import SUFFIXES

        taken = dict.fromkeys(map(os.path.realpath, inputs), "the input")
        for name, source in others.items():
            if source is not None:
                taken[os.path.realpath(source)] = f"the {name}"
        for name, path in self.files.items():
            if path is None:
                continue
            real, what = os.path.realpath(path), f"--{name} {path}"
            if real in taken:
                also = f"{what} is also {taken[real]}"
                raise InputError(f"{also}; give every file a name of its own.")
            taken[real] = f"the file of --{name}"
            if name == "out" and path.suffix.lower() not in SUFFIXES:
                known_by = f"the kind of file is told by it: {', '.join(SUFFIXES)}"
                raise InputError(f"{what} has a suffix that is not known; {known_by}.")
            check_writable(path, overwrite=self.overwrite)
            if name == "save":
                importlib.import_module("skops")
            elif name == "report":
                from l1kpca.report.document import templates

                with self.work("--report"):
                    templates()

    def note(self, sentences: Iterable[str], about: str = "") -> None:
        """Remember what was done to the data; each thing once."""
        for sentence in sentences:
            self.notes[f"{about}: {sentence}" if about else sentence] = about or "note", sentence

    @property
    def is_watched(self) -> bool:
        """Whether somebody sees a progress bar."""
        return sys.stderr.isatty() and not self.quiet

    @contextmanager
    def work(self, on: str, doing: str = "") -> Iterator[Callable[[float, float], None]]:
        """Let the library work on a file or an option, which is to blame for errors.

        Warnings become notes, and what it says about unfit values the one sentence of the user.
        ``doing`` is said beside a progress bar.
        """
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            try:
                with self.progress(doing) as progress:
                    yield progress
            except _UNFIT as error:
                if type(error).__module__.startswith("l1kpca."):  # says itself what is to blame
                    raise
                raise InputError(f"{on}: {_one_line(str(error))}") from error
            except MemoryError as error:
                way_out = "set a smaller --memory-limit, or use fewer rows."
                raise InputError(f"{on}: not enough memory; {way_out}") from error
        for warning in caught:
            self.note([" ".join(str(warning.message).split())])

    @contextmanager
    def progress(self, doing: str) -> Iterator[Callable[[float, float], None]]:
        """A progress bar; the block gets a function to call with done and total."""
        if not (doing and self.is_watched):
            yield lambda done, total: None
            return
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(doing, total=1)
            yield lambda done, total: bar.update(task, completed=done, total=total or None)

    def table(self, title: str, rows: Sequence[Mapping[str, str]]) -> None:
        """Show notes on stderr, and rows; names of columns of numbers end in #."""
        if self.quiet or self.as_json:
            return
        from rich import table
        from rich.console import Console
        from rich.text import Text

        notes = table.Table(box=None, show_header=False, pad_edge=False)
        for said in self.notes.values():
            notes.add_row(*map(Text, map(printable, said)))
        if self.notes:
            width = None if sys.stderr.isatty() else _WIDTH_OF_NOTES
            Console(stderr=True, width=width).print(notes, crop=False)
        grid = table.Table(title=Text(printable(title)), title_justify="left")
        for name in rows[0] if rows else ():
            grid.add_column(name.rstrip("#"), justify="right" if name.endswith("#") else "left")
        for row in rows:
            grid.add_row(*map(Text, map(printable, row.values())))
        Console(width=None if sys.stdout.isatty() else _WIDTH_OF_FILES).print(grid)

    def say(self, sentence: str) -> None:
        """Show a line of the result."""
        if not (self.quiet or self.as_json):
            text = printable(sentence)
            if sys.stdout.isatty():  # a name of a file stays in one piece, to be copied
                width = shutil.get_terminal_size().columns
                text = textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
            print(text)

    def result(self, plain: Any) -> None:
        """Print the JSON object, if it was asked for."""
        if self.as_json:
            print(json.dumps(plain, indent=2, allow_nan=False, ensure_ascii=False))

    def write_table(self, table: "Table", added: Mapping[str, Any]) -> None:
        """Write the rows as read with new columns beside them, if ``--out`` was given."""
        import pandas as pd

        from l1kpca.tables.output import free_names, write_table

        path = self.files["out"]
        if path is None:
            return
        names, notes = free_names(table.frame.columns, added)
        self.note(notes)
        new = pd.DataFrame(added).rename(columns=names)

        def frames() -> Iterator["DataFrame"]:
            start = 0
            for frame in table.batches(progress):
                rows = slice(start, start := start + len(frame))
                yield frame.join(new[rows].set_index(frame.index))

        how = {"overwrite": self.overwrite, "spreadsheet_safe": self.spreadsheet_safe}
        with self.progress("writing rows") as progress:
            write_table(frames(), path, **how)

    def finish(self, plain: Mapping[str, Any]) -> None:
        """Name the files that were written; print the result as JSON if that was asked for."""
        written = {}
        for name, path in self.files.items():
            written[name] = None if path is None else str(path)
            if path is not None:
                self.say(f"Written: {path}")
        self.result({**plain, "notes": list(self.notes), "written": written})


def status_of(error: BaseException) -> int:
    """Say what went wrong in one sentence on stderr; the exit status.

    0: nobody reads any more.  1: a defect.  2: unfit input or options.  130: interrupted.
    """
    if isinstance(error, OSError):
        # What is still waiting to be printed cannot be, and must not fail again at exit.
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 (stands in until exit)
    if isinstance(error, BrokenPipeError):  # the reader went away, as `head` does
        return 0
    status = BAD_INPUT  # what a user can do something about
    if isinstance(error, KeyboardInterrupt):
        status, sentence = INTERRUPTED, "interrupted; no partial files were left."
    elif type(error).__module__.startswith("l1kpca."):  # errors of our own are such a sentence
        sentence = str(error)
    elif hasattr(error, "format_message"):  # how typer reports options that it cannot read
        sentence = f"{_one_line(error.format_message())} Add --help for what is possible."
    elif isinstance(error, ModuleNotFoundError) and error.name in EXTRAS:
        missing = f"the command line needs {error.name}, which is not installed"
        sentence = f"{missing}; install it with: pip install 'l1kpca[cli]'."
    elif isinstance(error, MemoryError):
        sentence = "not enough memory; use fewer rows, or write the file again if it is damaged."
    elif isinstance(error, OSError):
        what = error.filename or "the output"
        why = error.strerror or _one_line(str(error))
        sentence = f"{what} could not be read or written: {why}."
    else:
        unexpected = f"unexpected {type(error).__name__}: {_one_line(str(error))} This is a defect"
        report = "run the command again, and report what it prints."
        status, sentence = DEFECT, f"{unexpected} of l1kpca; set {TRACEBACK_VARIABLE}=1, {report}"
        if os.environ.get(TRACEBACK_VARIABLE):
            traceback.print_exception(error)
    print(f"l1kpca: {printable(sentence)}", file=sys.stderr)
    return status


def _one_line(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?")) else f"{text}."


def printable(text: str) -> str:
    """The same text without characters that could command a terminal."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
