"""The reference of the command line, written from the commands at each build."""

from enum import Enum
from pathlib import Path
from typing import get_args, get_type_hints

import typer

from l1kpca.cli.app import make_program

FOLDER = "commands"


def all_commands(command=None, path=("l1kpca",)):
    """Pairs of words and command, for each command that does something; groups are opened."""
    command = typer.main.get_command(make_program()) if command is None else command
    if not hasattr(command, "commands"):
        return [(" ".join(path), command)]
    return [
        found
        for name, inner in command.commands.items()
        for found in all_commands(inner, (*path, name))
    ]


def parameters_of(command):
    """Arguments and options; not --help, which all have."""
    return [p for p in command.params if p.name != "help"]


def page_of(words, command):
    """One command in Markdown: what it does, how it is called, its arguments and options."""
    arguments = [p for p in parameters_of(command) if p.param_type_name == "argument"]
    options = [p for p in parameters_of(command) if p.param_type_name == "option"]
    kinds = get_type_hints(command.callback)
    usage = " ".join([words, *(_shown_argument(p) for p in arguments), "[OPTIONS]" * bool(options)])
    parts = [f"## {words}", command.help or "", f"```sh\n{usage}\n```"]
    if arguments:
        parts.append("\n\n".join(_explained_argument(p, kinds[p.name]) for p in arguments))
    if options:
        parts.append("\n\n".join(_shown_option(p, kinds[p.name]) for p in options))
    return "\n\n".join(parts) + "\n"


def _shown_argument(parameter):
    name = parameter.name.upper() + ("..." if parameter.nargs == -1 else "")
    return name if parameter.required else f"[{name}]"


def _explained_argument(parameter, kind):
    shown = _shown_kind(kind)
    choices = f" One of `{shown}`." if shown.startswith("{") else ""
    return f"`{parameter.name.upper()}`\n: {parameter.help}{choices}"


def _shown_option(parameter, kind):
    names = "`, `".join([*parameter.opts, *parameter.secondary_opts])
    value = "" if parameter.is_flag else f" {_shown_kind(kind)}"
    notes = [parameter.help or ""]
    if parameter.required:
        notes.append("Required.")
    elif parameter.secondary_opts:
        kept = parameter.opts if parameter.default else parameter.secondary_opts
        notes.append(f"Default: `{kept[0]}`.")
    elif isinstance(parameter.show_default, str):
        notes.append(f"Default: `{parameter.show_default}`.")
    elif not parameter.is_flag and parameter.default is not None:
        notes.append(f"Default: `{getattr(parameter.default, 'value', parameter.default)}`.")
    return f"`{names}{value}`\n: {' '.join(notes)}"


def _shown_kind(kind):
    """What is written for a value: the choices of an enumeration, PATH, NUMBER or TEXT."""
    kinds = [kind, *get_args(kind)]
    for choices in (k for k in kinds if isinstance(k, type) and issubclass(k, Enum)):
        return "{" + ",".join(choice.value for choice in choices) + "}"
    if Path in kinds:
        return "PATH"
    return "NUMBER" if int in kinds or float in kinds else "TEXT"


def write_pages(app):
    folder = Path(app.srcdir) / FOLDER
    folder.mkdir(exist_ok=True)
    text = "\n".join(page_of(words, command) for words, command in all_commands())
    target = folder / "all.md"
    if not target.exists() or target.read_text() != text:
        target.write_text(text)


def setup(app):
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
