"""The program ``l1kpca``; a new command is a function in ``commands``, listed below."""

from __future__ import annotations

from typing import Annotated

import typer

from l1kpca import __version__
from l1kpca.cli.commands.bench import bench
from l1kpca.cli.commands.datasets import datasets_app
from l1kpca.cli.commands.detect import detect
from l1kpca.cli.commands.reduce import reduce
from l1kpca.cli.commands.reproduce import reproduce
from l1kpca.cli.commands.score import score
from l1kpca.cli.errors import exit_status

app = typer.Typer(
    name="l1kpca",
    help="Robust kernel principal components: find suspicious rows, reduce dirty data.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for command in (detect, score, reduce, reproduce, bench):
    app.command()(command)
app.add_typer(datasets_app, name="datasets")


def run(arguments: list[str] | None = None) -> int:
    """Run a command line; returns the exit status.

    Parameters
    ----------
    arguments : list of str, optional
        What follows the name of the program; by default that of this process.
    """
    return exit_status(lambda: app(args=arguments, prog_name="l1kpca", standalone_mode=False))


def _show_version(asked: bool) -> None:
    if asked:
        print(f"l1kpca {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Robust kernel principal components: find suspicious rows, reduce dirty data."""
