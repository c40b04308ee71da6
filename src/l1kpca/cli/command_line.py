"""The command line as the user gave it, to be run again."""

from __future__ import annotations

import shlex
from enum import Enum
from typing import Any

import typer


def given_command(context: typer.Context) -> str:
    """The command with all that was given to it and nothing that is its default.

    Parameters
    ----------
    context : typer.Context
        Of the command that runs.

    Returns
    -------
    command : str
        Quoted for a shell.
    """
    options: list[str] = []
    arguments: list[str] = []
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name)
        value = context.params.get(parameter.name)
        if source is None or source.name != "COMMANDLINE":
            continue
        if parameter.param_type_name == "argument":
            arguments.append(_as_text(value))
        elif getattr(parameter, "is_flag", False):
            names = parameter.opts if value else parameter.secondary_opts
            options.append(names[0])
        else:
            for one in value if isinstance(value, list | tuple) else [value]:
                options += [parameter.opts[0], _as_text(one)]
    return shlex.join([*context.command_path.split(), *arguments, *options])


def _as_text(value: Any) -> str:
    return str(value.value if isinstance(value, Enum) else value)
