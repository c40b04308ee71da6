"""What the user gave on the command line, read and checked."""

from __future__ import annotations

import importlib
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from l1kpca.cli.errors import InputError

if TYPE_CHECKING:
    import typer

    from l1kpca.tables.table import Reading

OWN_CLASS = "package.module:Class"
_FEWEST_SAMPLES = 3


def given_reading(context: typer.Context) -> Reading:
    """What the user says about a table; every command that reads one has these options."""
    from l1kpca.tables.table import Reading

    said: dict[str, Any] = {
        name: None if value == "auto" else value for name, value in context.params.items()
    }
    said["thousands"] = None if said["thousands"] == "none" else said["thousands"]
    for mark in ("decimal", "thousands"):
        if said[mark] is not None and (len(said[mark]) != 1 or said[mark].isalnum()):
            raise InputError(f"--{mark} {said[mark]} is not possible; give one mark, as , or .")
    return Reading(
        id_column=said.get("id_column"),
        label_column=said.get("label"),
        ignored=tuple(said.get("ignore") or ()),
        only=tuple(said.get("only") or ()),
        header={None: "auto", True: "yes", False: "no"}[said["header"]],
        encoding=said["encoding"],
        decimal=said["decimal"],
        thousands=said["thousands"],
        missing=tuple((said["na"] or "").split(",")) if said["na"] else (),
    )


def changed(pca: Any, **options: Any) -> Any:
    """A kernel PCA with what the user stated; None leaves its own choice."""
    stated = {name: value for name, value in options.items() if value is not None}
    if stated.get("kernel", pca.kernel) != pca.kernel:
        # The width and the most components that are right for one kernel are not for another.
        stated = {"gamma": None, "max_components": None, **stated}
    return pca.set_params(**stated)


def read_rule(text: str) -> Any:
    """The name of a rule for the library to check, or an object of the user's own class."""
    if ":" not in text:
        return text
    own = import_class(text, "--rule")
    try:
        return own()
    except Exception as error:  # whatever the user's code raises
        raise InputError(
            f"--rule {text}: {own.__name__}() fails ({error}); give every field a default."
        ) from error


def import_class(text: str, option: str) -> type:
    """A class by its import path; the current folder is looked in last."""
    module, _, name = text.partition(":")
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    try:
        found = getattr(importlib.import_module(module), name)
    except Exception as error:  # whatever the user's code raises
        raise InputError(
            f"{option} {text} cannot be imported ({error}); write it as {OWN_CLASS}, with a"
            " package that Python finds from here."
        ) from error
    if not isinstance(found, type):
        raise InputError(f"{option} {text} is not a class; write it as {OWN_CLASS}.")
    return found


def read_levels(fdr: float | None, alpha: float | None) -> dict[str, float | None]:
    """How false flags are limited: in one way."""
    if fdr is not None and alpha is not None:
        raise InputError("--fdr and --alpha cannot be used together; give one of them.")
    return {"fdr": fdr, "alpha": alpha}


def read_contamination(text: str) -> float | str:
    """A share, or the word auto."""
    value = number_or_text(text)
    if value != "auto" and not (isinstance(value, float) and 0 <= value <= 0.5):
        raise InputError(
            f"--contamination {text} is not possible; give a share from 0 to 0.5, or auto."
        )
    return value


def read_max_samples(text: str) -> int | str | None:
    """A number of rows; None for all of them; the word auto."""
    if text in ("all", "auto"):
        return None if text == "all" else text
    if not (text.isascii() and text.isdecimal() and int(text) >= _FEWEST_SAMPLES):
        raise InputError(
            f"--max-samples {text} is not possible; give a number of rows of at least"
            f" {_FEWEST_SAMPLES}, all, or auto."
        )
    return int(text)


def read_components(text: str | None) -> int | float | None:
    """A whole number of components, or a share of the variance."""
    if text is None:
        return None
    if text.isascii() and text.isdecimal() and int(text) > 0:
        return int(text)
    value = number_or_text(text)
    if not (isinstance(value, float) and 0 < value < 1):
        raise InputError(
            f"--components {text} is not possible; give a whole number of at least 1, or a share"
            " of the variance between 0 and 1."
        )
    return value


def given_command(context: typer.Context) -> str:
    """The command line that runs, quoted for a shell, without what was left to its default."""
    options: list[str] = []
    arguments: list[str] = []
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name)
        value = context.params.get(parameter.name)
        if source is None or source.name != "COMMANDLINE":
            continue
        if parameter.param_type_name == "argument":
            arguments += map(str, value if isinstance(value, list | tuple) else [value])
        elif getattr(parameter, "is_flag", False):
            options.append((parameter.opts if value else parameter.secondary_opts)[0])
        else:
            for one in value if isinstance(value, list | tuple) else [value]:
                options += [parameter.opts[0], str(one)]
    return shlex.join([*context.command_path.split(), *arguments, *options])


def number_or_text(text: str | None) -> float | str | None:
    """A number, or a word for the library to check."""
    try:
        return text if text is None else float(text)
    except ValueError:
        return text
