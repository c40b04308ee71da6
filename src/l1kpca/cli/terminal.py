"""Talking to the user: results on stdout and in files, everything else on stderr."""

import json
import os
import shutil
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from l1kpca.cli.errors import InputError, library_errors_explained, printable

if TYPE_CHECKING:
    from pandas import DataFrame

    from l1kpca.tables.table import Table

_WIDTH_OF_FILES, _WIDTH_OF_NOTES = 160, 2000


@dataclass
class Terminal:
    """Where a command shows what it does and what it found, and the files that it writes."""

    quiet: bool = False
    as_json: bool = False
    files: Mapping[str, Path | None] = field(default_factory=dict)  # None: the option is not given
    overwrite: bool = False
    spreadsheet_safe: bool = False
    _noted: dict[tuple[str, str], None] = field(default_factory=dict)

    def check(self, inputs: Iterable[str], **others: str | Path | None) -> None:
        """Refuse files that cannot be written, and inputs as outputs, before any work is done."""
        from l1kpca.files import check_writable
        from l1kpca.tables.output import SUFFIXES

        known = {f"the {name}": source for name, source in others.items() if source is not None}
        taken = {os.path.realpath(source): "the input" for source in inputs}
        taken |= {os.path.realpath(source): name for name, source in known.items()}
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

    def note(self, sentences: Iterable[str], about: str = "") -> None:
        """Remember what was done to the data; each thing once."""
        self._noted.update(dict.fromkeys((about, sentence) for sentence in sentences))

    @property
    def notes(self) -> list[str]:
        """What was done to the data, in sentences."""
        return [f"{about}: {sentence}" if about else sentence for about, sentence in self._noted]

    @property
    def is_watched(self) -> bool:
        """Whether somebody sees a progress bar."""
        return sys.stderr.isatty() and not self.quiet

    @contextmanager
    def work(self, on: str, doing: str = "") -> Iterator[Callable[[float, float], None]]:
        """Let the library work on a file or an option, which is to blame for errors.

        Warnings become notes.  ``doing`` is said beside a progress bar.
        """
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            with library_errors_explained(on), self.progress(doing) as progress:
                yield progress
        self.note(" ".join(str(warning.message).split()) for warning in caught)

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
        for about, sentence in self._noted:
            notes.add_row(*map(Text, map(printable, (about or "note", sentence))))
        if self._noted:
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
        from l1kpca.tables.output import free_names, write_table

        path = self.files["out"]
        if path is None:
            return
        names, notes = free_names(table.frame.columns, added)
        self.note(notes)

        def frames() -> Iterator["DataFrame"]:
            start = 0
            for frame in table.batches(progress):
                rows = slice(start, start := start + len(frame))
                yield frame.assign(**{names[name]: values[rows] for name, values in added.items()})

        how = {"overwrite": self.overwrite, "spreadsheet_safe": self.spreadsheet_safe}
        with self.progress("writing rows") as progress:
            write_table(frames(), path, **how)

    def finish(self, plain: Mapping[str, Any]) -> None:
        """Name the files that were written; print the result as JSON if that was asked for."""
        written = {name: None if path is None else str(path) for name, path in self.files.items()}
        for path in filter(None, written.values()):
            self.say(f"Written: {path}")
        self.result({**plain, "notes": self.notes, "written": written})
