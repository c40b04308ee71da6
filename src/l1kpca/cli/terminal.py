"""Talking to the user: results on stdout and in files, everything else on stderr."""

from __future__ import annotations

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

_WIDTH_OF_FILES = 160
_WIDTH_OF_NOTES = 2000


@dataclass
class Terminal:
    """Where a command shows what it does and what it found."""

    quiet: bool = False
    as_json: bool = False
    _noted: dict[tuple[str, str], None] = field(default_factory=dict)

    def note(self, sentences: Iterable[str], about: str = "") -> None:
        """Remember what was done to the data; each thing once."""
        self._noted.update(dict.fromkeys((about, sentence) for sentence in sentences))

    @property
    def notes(self) -> list[str]:
        """What was done to the data, in sentences."""
        return [f"{about}: {sentence}" if about else sentence for about, sentence in self._noted]

    def show_notes(self) -> None:
        """What was done to the data, in a short table on stderr."""
        if self.quiet or self.as_json or not self._noted:
            return
        from rich import table
        from rich.console import Console
        from rich.text import Text

        grid = table.Table(box=None, show_header=False, pad_edge=False)
        for about, sentence in self._noted:
            grid.add_row(*map(Text, map(printable, (about or "note", sentence))))
        width = None if sys.stderr.isatty() else _WIDTH_OF_NOTES
        Console(stderr=True, width=width).print(grid, crop=False)

    @contextmanager
    def work(self, on: str, doing: str = "") -> Iterator[Callable[[float, float], None]]:
        """Let the library work on a file or an option, which is to blame for what goes wrong.

        What it warns of becomes a note.  ``doing`` is said beside a progress bar.
        """
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            with library_errors_explained(on), self.progress(doing) as progress:
                yield progress
        for warning in caught:
            self.note([" ".join(str(warning.message).split())])

    @property
    def is_watched(self) -> bool:
        """Whether somebody sees a progress bar."""
        return sys.stderr.isatty() and not self.quiet

    @contextmanager
    def progress(self, doing: str) -> Iterator[Callable[[float, float], None]]:
        """A progress bar; the block gets a function to call with done and total."""
        if not (doing and self.is_watched):
            yield lambda done, total: None
            return
        from rich import progress
        from rich.console import Console

        columns = (
            progress.TextColumn("{task.description}", markup=False),
            progress.BarColumn(),
            progress.TimeElapsedColumn(),
            progress.TimeRemainingColumn(),
        )
        console = Console(stderr=True)
        with progress.Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task(doing, total=1)
            yield lambda done, total: bar.update(task, completed=done, total=total or None)

    def table(self, title: str, rows: Sequence[Mapping[str, str]]) -> None:
        """Show rows by their cells; columns whose name ends in # are right-aligned numbers."""
        if self.quiet or self.as_json:
            return
        from rich import table
        from rich.text import Text

        grid = table.Table(title=Text(printable(title)), title_justify="left")
        for name in rows[0] if rows else ():
            grid.add_column(name.rstrip("#"), justify="right" if name.endswith("#") else "left")
        for row in rows:
            grid.add_row(*map(Text, map(printable, row.values())))
        self._print(grid)

    def say(self, sentence: str) -> None:
        """Show a line of the result."""
        if not (self.quiet or self.as_json):
            from rich.text import Text

            text = printable(sentence)
            if sys.stdout.isatty():  # a name of a file stays in one piece, to be copied
                width = shutil.get_terminal_size().columns
                text = textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
            self._print(Text(text), soft_wrap=True)

    def result(self, plain: Any) -> None:
        """Print the JSON object, if it was asked for."""
        if self.as_json:
            print(json.dumps(plain, indent=2, allow_nan=False, ensure_ascii=False))

    def _print(self, what: Any, **options: Any) -> None:
        from rich.console import Console

        Console(width=None if sys.stdout.isatty() else _WIDTH_OF_FILES).print(what, **options)


@dataclass(frozen=True)
class Outputs:
    """What a command writes where."""

    files: Mapping[str, Path | None]
    """The file of each option, None where it was not given."""
    overwrite: bool = False
    spreadsheet_safe: bool = False

    def check(self, inputs: Iterable[str], **others: str | Path | None) -> None:
        """Refuse files that cannot be written, and inputs as outputs, before any work is done."""
        from l1kpca.files import check_writable
        from l1kpca.tables.output import SUFFIXES

        taken = {os.path.realpath(source): "the input" for source in inputs}
        for name, source in others.items():
            if source is not None:
                taken[os.path.realpath(source)] = f"the {name}"
        for name, path in self.files.items():
            if path is None:
                continue
            option, real = f"--{name}", os.path.realpath(path)
            if real in taken:
                raise InputError(
                    f"{option} {path} is also {taken[real]}; give every file a name of its own."
                )
            taken[real] = f"the file of {option}"
            if name == "out" and path.suffix.lower() not in SUFFIXES:
                raise InputError(
                    f"--out {path} has a suffix that is not known; the kind of file is told by it:"
                    f" {', '.join(SUFFIXES)}."
                )
            check_writable(path, overwrite=self.overwrite)

    def write_table(self, table: Table, added: Mapping[str, Any], terminal: Terminal) -> None:
        """Write the rows as read with new columns beside them, if ``--out`` was given."""
        from l1kpca.tables.output import free_names, write_table

        path = self.files["out"]
        if path is None:
            return
        names, notes = free_names(table.frame.columns, added)
        terminal.note(notes)

        def frames() -> Iterator[DataFrame]:
            start = 0
            for frame in table.batches(progress):
                rows = slice(start, start := start + len(frame))
                yield frame.assign(**{names[name]: values[rows] for name, values in added.items()})

        with terminal.progress("writing rows") as progress:
            write_table(
                frames(), path, overwrite=self.overwrite, spreadsheet_safe=self.spreadsheet_safe
            )

    def write_report(self, path: Path, facts: Any, terminal: Terminal) -> None:
        """Write the page on what ``report_of`` takes."""
        from l1kpca.files import replacing
        from l1kpca.report.content import report_of

        with terminal.work("--report", "making the report"):
            page = report_of(*facts).to_html()
        with replacing(path, overwrite=self.overwrite) as temporary:
            temporary.write_text(page, encoding="utf-8")

    def finish(self, plain: Mapping[str, Any], terminal: Terminal) -> None:
        """Name the files that were written; print the result as JSON if that was asked for."""
        written: dict[str, str | None] = dict.fromkeys(self.files)
        for name, path in self.files.items():
            if path is not None:
                terminal.say(f"Written: {path}")
                written[name] = str(path)
        terminal.result({**plain, "notes": terminal.notes, "written": written})
