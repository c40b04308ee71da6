"""Talking to the user: results on stdout, everything else on stderr."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from l1kpca.cli.errors import library_errors_explained, printable

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
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        grid = Table(box=None, show_header=False, pad_edge=False)
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
        from rich.table import Table
        from rich.text import Text

        grid = Table(title=Text(printable(title)), title_justify="left")
        for name in rows[0] if rows else ():
            grid.add_column(name.rstrip("#"), justify="right" if name.endswith("#") else "left")
        for row in rows:
            grid.add_row(*map(Text, map(printable, row.values())))
        self._print(grid)

    def say(self, sentence: str) -> None:
        """Show a line of the result."""
        if not (self.quiet or self.as_json):
            from rich.text import Text

            self._print(Text(printable(sentence)), soft_wrap=True)

    def result(self, plain: Any) -> None:
        """Print the JSON object, if it was asked for."""
        if self.as_json:
            print(json.dumps(plain, indent=2, allow_nan=False, ensure_ascii=False))

    def _print(self, what: Any, **options: Any) -> None:
        from rich.console import Console

        Console(width=None if sys.stdout.isatty() else _WIDTH_OF_FILES).print(what, **options)
