"""What commands do at the end: write, show, and say what was written."""

from __future__ import annotations

from pathlib import Path

from l1kpca.cli.showing import show_detection
from l1kpca.cli.tables import Table
from l1kpca.cli.terminal import Terminal
from l1kpca.cli.writing import WritingRules, with_columns, write_table
from l1kpca.report import Summary, to_plain


def write_scores(
    table: Table, summary: Summary, out: Path | None, rules: WritingRules, terminal: Terminal
) -> None:
    """Write the rows as read, with score, rank and flag beside them."""
    if out is None:
        return
    added = {"score": summary.scores, "rank": summary.ranks, "flag": summary.flags.astype("int8")}
    frame, notes = with_columns(table.frame, added)
    terminal.note(notes)
    write_table(frame, out, rules)


def finish_detection(summary: Summary, terminal: Terminal, written: dict[str, Path | None]) -> None:
    """Show what was found, as tables or as JSON."""
    show_detection(summary, terminal)
    say_written(written, terminal)
    plain = {**to_plain(summary), "notes": terminal.notes, "written": shown_paths(written)}
    terminal.result(plain)


def say_written(written: dict[str, Path | None], terminal: Terminal) -> None:
    """Name the files that were written."""
    for path in written.values():
        if path is not None:
            terminal.say(f"Written: {path}")


def shown_paths(written: dict[str, Path | None]) -> dict[str, str | None]:
    """The same files as text."""
    return {name: None if path is None else str(path) for name, path in written.items()}
