"""l1kpca datasets list, l1kpca datasets fetch."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from l1kpca import datasets
from l1kpca.cli import options as opt
from l1kpca.cli.errors import library_errors_explained
from l1kpca.cli.showing import show_datasets
from l1kpca.cli.terminal import Terminal

datasets_app = typer.Typer(help="Data sets that can be given by name.", no_args_is_help=True)


@datasets_app.command("list")
def list_datasets(as_json: opt.Json = False) -> None:
    """Show the data sets and which of them are on this machine."""
    terminal = Terminal(as_json=as_json)
    terminal.result(show_datasets(terminal))


@datasets_app.command("fetch")
def fetch_datasets(
    names: Annotated[
        list[str] | None, typer.Argument(help="Which ones; all if none is named.")
    ] = None,
    to: Annotated[
        Path | None, typer.Option("--to", help="Folder for the files; by default the user's cache.")
    ] = None,
    quiet: opt.Quiet = False,
) -> None:
    """Download data sets; every file is checked against its known checksum."""
    terminal = Terminal(quiet)
    with library_errors_explained("datasets fetch"):
        wanted = [datasets.info(name).name for name in names or datasets.names()]
        for name in wanted:
            with terminal.progress(f"fetching {name}") as advance:
                path = datasets.fetch(name, to, progress=advance)
            terminal.say(f"{name}: {path}")
