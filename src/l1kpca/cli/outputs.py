"""The files that a command writes: checked before the work, named after it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from l1kpca.cli.errors import InputError
from l1kpca.cli.terminal import Terminal

if TYPE_CHECKING:
    from pandas import DataFrame

    from l1kpca.tables.table import Table


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
