"""Talking to the user: results on stdout, everything else on stderr."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table as RichTable
from rich.text import Text

from l1kpca.report.values import printable

_WIDTH_OF_FILES = 160


@dataclass
class Terminal:
    """Where a command shows what it does and what it found.

    Attributes
    ----------
    quiet : bool
        Only errors, and what ``--json`` asks for.
    as_json : bool
        One JSON object on stdout instead of tables.
    notes : list of str
        What the user was told so far.
    """

    quiet: bool = False
    as_json: bool = False
    notes: list[str] = field(default_factory=list)

    def note(self, sentences: Iterable[str]) -> None:
        """Tell something about the data, once."""
        for sentence in sentences:
            if sentence not in self.notes:
                self.notes.append(sentence)
                if not (self.quiet or self.as_json):
                    print(f"note: {printable(sentence)}", file=sys.stderr)

    @contextmanager
    def warnings_as_notes(self) -> Iterator[None]:
        """Whatever the library warns of in this block becomes a note."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            yield
        self.note(" ".join(str(warning.message).split()) for warning in caught)

    @property
    def is_watched(self) -> bool:
        """Whether somebody sees a progress bar."""
        return sys.stderr.isatty() and not self.quiet

    @contextmanager
    def progress(self, doing: str) -> Iterator[Callable[[int, int], None]]:
        """A progress bar; the block gets a function to call with done and total."""
        if not self.is_watched:
            yield lambda done, total: None
            return
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        console = Console(stderr=True)
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task(doing, total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total or None)

    def table(self, title: str, columns: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
        """Show a table; columns whose name ends in # are right-aligned numbers."""
        if self.quiet or self.as_json:
            return
        grid = RichTable(title=Text(printable(title)), title_justify="left")
        for name in columns:
            grid.add_column(name.rstrip("#"), justify="right" if name.endswith("#") else "left")
        for row in rows:
            grid.add_row(*(Text(cell) for cell in row))
        self._console().print(grid)

    def say(self, sentence: str) -> None:
        """Show a line of the result."""
        if not (self.quiet or self.as_json):
            self._console().print(Text(printable(sentence)), soft_wrap=True)

    def result(self, plain: Any) -> None:
        """Print the JSON object, if it was asked for."""
        if self.as_json:
            print(json.dumps(plain, indent=2, allow_nan=False, ensure_ascii=False))

    def _console(self) -> Console:
        return Console(width=None if sys.stdout.isatty() else _WIDTH_OF_FILES)
