"""The program ``l1kpca``, put together from the modules in ``commands``."""

import importlib
import pkgutil
import sys
from operator import attrgetter
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from l1kpca.cli import commands
from l1kpca.cli.terminal import INTERRUPTED, status_of


def run(arguments: list[str] | None = None) -> int:
    """Run a command line, by default that of this process; returns the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments in ([], ["datasets"]):
        arguments = [*arguments, "--help"]
    try:
        program = make_program(arguments[0] if arguments else None)
        result = program(args=arguments, obj=arguments, prog_name="l1kpca", standalone_mode=False)
        if result == INTERRUPTED:  # what typer makes of Ctrl-C
            raise KeyboardInterrupt
        sys.stdout.flush()  # a full disk is noticed here, not after the last word
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 (a user never sees a traceback)
        return status_of(error)
    return result if isinstance(result, int) else 0


def make_program(wanted: str | None = None) -> typer.Typer:
    """The program with its commands; if one has the name that is wanted, no other is imported.

    A module in ``commands`` adds the function, or the group of commands, of its own name.
    """
    program = typer.Typer(
        name="l1kpca", pretty_exceptions_enable=False, add_completion=False, rich_markup_mode=None
    )
    program.callback(invoke_without_command=True)(_common)
    names = list(map(attrgetter("name"), pkgutil.iter_modules(commands.__path__)))
    for name in [wanted] if wanted and wanted in names else names:
        found = getattr(importlib.import_module(f"{commands.__name__}.{name}"), name, None)
        if isinstance(found, typer.Typer):
            program.add_typer(found, name=name)
        elif found is not None:
            program.command(cls=Command)(found)
    return program


class Command(TyperCommand):
    """A command whose help has its options in groups, one below the other."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Every option with what it takes, what it does, and its default."""
        groups: dict[str, list[tuple[str, str]]] = {}
        parameter: Any
        for parameter in self.get_params(ctx):
            said = parameter.show_default if isinstance(parameter.show_default, str) else ""
            if not (said or getattr(parameter, "is_flag", False) or parameter.default is None):
                said = str(parameter.default)
            name = "/".join([*parameter.opts, *parameter.secondary_opts])
            if parameter.param_type_name == "argument":
                name, said = "", ""
            group = getattr(parameter, "rich_help_panel", None) or ("Options" if name else "Input")
            shown = " ".join(filter(None, [name, parameter.metavar]))
            text = f"{parameter.help}{f'  [default: {said}]' if said else ''}"
            groups.setdefault(group, []).append((shown, text))
        for group, rows in groups.items():
            with formatter.section(group):
                formatter.write_dl(rows, col_max=24)


def _common(
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    """Robust kernel principal components: find suspicious rows, reduce dirty data."""
    if version:
        from l1kpca import __version__

        print(f"l1kpca {__version__}")
        raise typer.Exit
