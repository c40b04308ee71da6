"""l1kpca datasets list, l1kpca datasets fetch."""

from pathlib import Path
from typing import Annotated

import typer

from l1kpca.cli import options as opt
from l1kpca.cli.terminal import Terminal

datasets = typer.Typer(help="Data sets that can be given by name.")


@datasets.command("list")
def list_datasets(as_json: opt.Json = False) -> None:
    """Show the data sets and which of them are on this machine."""
    from l1kpca.datasets import available, info, names

    terminal, here = Terminal(as_json=as_json), available()
    keys = ("name", "n_samples", "n_features", "n_outliers", "available", "description")
    heads = ("name", "rows#", "columns#", "outliers#", "here", "description")
    found, rows = [], []
    for name in names():
        facts = {**vars(info(name)), "available": name in here}
        found.append({key: facts[key] for key in keys})
        shown = found[-1] | {"available": "yes" if name in here else "fetch it"}
        rows.append(dict(zip(heads, map(str, shown.values()), strict=True)))
    terminal.table("Data sets", rows)
    terminal.result(found)


@datasets.command("fetch")
def fetch_datasets(
    names: Annotated[list[str] | None, typer.Argument(help="Which ones; by default all.")] = None,
    to: Annotated[Path | None, typer.Option(help="Folder; by default the user's cache.")] = None,
    quiet: opt.Quiet = False,
) -> None:
    """Download data sets; every file is checked against its known checksum."""
    from l1kpca.datasets import fetch, info
    from l1kpca.datasets import names as all_names

    terminal = Terminal(quiet)
    with terminal.work("datasets fetch"):
        wanted = [info(name).name for name in names or all_names()]
        for name in wanted:
            with terminal.progress(f"fetching {name}") as advance:
                path = fetch(name, to, progress=advance)
            terminal.say(f"{name}: {path}")
