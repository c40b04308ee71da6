"""The options of the commands, each in one place, and how their values are read."""

import importlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from l1kpca.cli.terminal import InputError

if TYPE_CHECKING:
    from l1kpca.tables.table import Reading

OWN_CLASS = "package.module:Class"
SCALINGS = ("columns", "common", "none")
# Groups of options in the help.
TABLE, MODEL, FLAGS, RESULTS, RUN = "The table", "The model", "Flags", "Results", "The run"
_SEPARATORS = {"tab": "\t", "space": " "}


def _option(group: str, name: str, text: str, metavar: str | None = None, **others: Any) -> Any:
    return typer.Option(*name.split(), help=text, metavar=metavar, rich_help_panel=group, **others)


def _number(text: str) -> float | str:
    """A number, whole if it is written so, or a word for the library to check."""
    try:
        return int(text) if text.isascii() and text.isdecimal() else float(text)
    except ValueError:
        return text


def _checked(
    option: str, wanted: str, fits: Callable[[Any], bool], words: Sequence[str] = ("auto",)
) -> Callable[[str], Any]:
    """Read the number of an option, or a word for the library."""

    def read(text: str) -> Any:
        value = text if text in words else _number(text)
        if value not in words and (isinstance(value, str) or not fits(value)):
            raise InputError(f"{option} {text} is not possible; give {wanted}.")
        return value

    return read


def _rule(text: str) -> Any:
    """The name of a rule for the library to check, or an object of the user's own class."""
    if ":" not in text:
        return text
    own = _import_class(text, "--rule")
    try:
        return own()
    except Exception as error:  # whatever the user's code raises
        fails = f"{own.__name__}() fails ({error})"
        raise InputError(f"--rule {text}: {fails}; give every field a default.") from error


def _import_class(text: str, option: str = "--trust") -> type:
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


# Where the default is None and not said, the library chooses; where it is said, as show_default,
# stating it changes nothing.
# fmt: off
Data = Annotated[list[str], typer.Argument(metavar="DATA", show_default=False, help="Files that"
    " make one table (CSV, Parquet, Feather, JSON lines, Excel, .npy, .npz, .mat; packed or not), a"
    " glob, a folder, - for standard input, or a data set by name (see: datasets).")]
ModelFile = Annotated[Path, typer.Argument(
    metavar="MODEL", show_default=False, help="A file that detect --save wrote.")]
ReferenceData = Annotated[list[str], typer.Argument(
    metavar="REFERENCE", show_default=False, help="A table of ordinary rows, read as DATA is.")]

Label = Annotated[str | None, _option(TABLE, "--label", "Column with the truth: any two values, the"
    " rarer one or 1 for an outlier. Never used to detect.", "COLUMN")]
Id = Annotated[str | None, _option(TABLE, "--id", "Column with the names of the rows.", "COLUMN")]
Ignore = Annotated[list[str] | None, _option(
    TABLE, "--ignore", "Column to leave out; can be repeated.", "COLUMN")]
Only = Annotated[list[str] | None, _option(
    TABLE, "--only", "Column to look at, and no other; can be repeated.", "COLUMN")]
HeaderLine = Annotated[bool | None, _option(TABLE, "--header/--no-header", "Whether the first line"
    " of a text file has the column names.", show_default="auto")]
Encoding = Annotated[str | None, _option(
    TABLE, "--encoding", "Of a text file, such as utf-8 or cp1252.", "NAME", show_default="auto")]
Separator = Annotated[str | None, _option(TABLE, "--separator", "Mark between the cells of a text"
    " file: one such as ; or |, tab or space.", "MARK", show_default="auto")]
Decimal = Annotated[str | None, _option(
    TABLE, "--decimal", "Decimal mark.", "MARK", show_default="auto")]
Thousands = Annotated[str | None, _option(
    TABLE, "--thousands", "Mark between thousands.", "MARK", show_default="none")]
MissingWords = Annotated[str | None, _option(
    TABLE, "--na", 'More words for a missing cell, such as "none,Unknown".', "WORDS")]

DetectionRule = Annotated[Any, _option(MODEL, "--rule", "How rows are judged: robust, novelty (for"
    " clean training rows; auto takes it with --contamination 0, else robust), paper (the paper's"
    f" rule to the letter), or a class of your own as {OWN_CLASS}, importable from here.", "RULE",
    parser=_rule)]
Contamination = Annotated[Any, _option(
    MODEL, "--contamination", "Share of outliers from 0 (clean rows) to 0.5, or auto.", "SHARE",
    parser=_checked("--contamination", "a share from 0 to 0.5, or auto", lambda s: 0 <= s <= 0.5))]
Scaling = Annotated[Any, _option(MODEL, "--scaling", "Divide each column by its own spread"
    " (columns), all by one (common: spectra, images, sensors of one unit), or none.", "HOW",
    parser=_checked("--scaling", "columns, common or none", lambda n: False, SCALINGS))]
Scale = Annotated[bool, _option(
    MODEL, "--scale/--no-scale", "Bring columns to the same scale (median, quartiles).")]
Kernel = Annotated[str | None, _option(
    MODEL, "--kernel", "rbf, linear, laplacian, poly and others.", "NAME", show_default="rbf")]
_GAMMA = ("Kernel coefficient: a number, median or wide (by the distances between rows), paper (by"
    " the number of columns; the default with --rule paper) or scale. Kernels other than rbf take 1"
    " / number of columns by default.")
Gamma = Annotated[Any, _option(
    MODEL, "--gamma", _GAMMA, "WIDTH", show_default="wide", parser=_number)]
ReducingGamma = Annotated[Any, _option(
    MODEL, "--gamma", _GAMMA, "WIDTH", show_default="median", parser=_number)]
_HOW_MANY = "How many components, or a share of variance below 1."
_components = _checked(
    "--components", "a whole number of at least 1, or a share of the variance between 0 and 1",
    lambda n: 0 < n < 1 or (isinstance(n, int) and n > 0), ())
Components = Annotated[Any, _option(
    MODEL, "--components", f"{_HOW_MANY} --rule paper takes one for each column by default.", "N",
    show_default="0.8", parser=_components)]
RequiredComponents = Annotated[Any, _option(
    MODEL, "--components", _HOW_MANY, "N", show_default=False, parser=_components)]
MaxSamples = Annotated[Any, _option(MODEL, "--max-samples", "Rows, drawn at random, on which"
    " components are found: a number, all, or auto.", "N", parser=_checked(
        "--max-samples", "a number of rows of at least 3, all, or auto",
        lambda n: isinstance(n, int) and n >= 3, ("auto", "all")))]
Seed = Annotated[int, _option(MODEL, "--seed", "Seed of the starts.", "N", min=0, max=2**32 - 1)]

Reference = Annotated[str | None, _option(FLAGS, "--reference", "Ordinary rows, a table like DATA:"
    " the model is fitted to half of them, and DATA compared with the others.", "FILE")]
Fdr = Annotated[float | None, _option(FLAGS, "--fdr", "Flag rows so that at most this share is"
    " false, on average.", "SHARE", min=0, max=1)]
Alpha = Annotated[float | None, _option(
    FLAGS, "--alpha", "Flag each row with this chance of a false flag.", "CHANCE", min=0, max=1)]
Labels = Annotated[Path | None, _option(FLAGS, "--labels", "Answers about reference rows, as the"
    " report saves them: a .csv file with the columns row (from 1) and label (1 outlier, 0"
    " ordinary, -1 unknown).", "FILE")]
FailOnDrift = Annotated[bool, _option(
    FLAGS, "--fail-on-drift", "Exit status 3 if DATA does not fit the reference rows.")]

Top = Annotated[int, _option(RESULTS, "--top", "How many rows to show and explain.", "N", min=0)]
Out = Annotated[Path | None, _option(
    RESULTS, "--out", "Write all rows, with the results, to a .csv or .parquet file.", "FILE")]
Report = Annotated[Path | None, _option(
    RESULTS, "--report", "Write a page to look at, one .html file.", "FILE")]
Save = Annotated[Path | None, _option(
    RESULTS, "--save", "Write the model, for the command score.", "FILE")]
Force = Annotated[bool, _option(RESULTS, "--force", "Overwrite files that exist.")]
SpreadsheetSafe = Annotated[bool, _option(RESULTS, "--spreadsheet-safe", "In CSV output, put a"
    " quote before text that a spreadsheet would run as a formula.")]
Json = Annotated[bool, _option(RESULTS, "--json", "Print one JSON object instead of tables.")]
Quiet = Annotated[bool, _option(
    RESULTS, "--quiet -q", "Print nothing but errors and what --json asks for.")]

Cluster = Annotated[str | None, _option(RUN, "--cluster", "Score on the workers of a running Dask"
    " cluster, such as tcp://host:8786.", "ADDRESS")]
Jobs = Annotated[int | None, _option(
    RUN, "--n-jobs", "Threads; by default all that are available.", "N")]
MemoryLimit = Annotated[str | None, _option(RUN, "--memory-limit", "For the kernel matrix, such as"
    " 2GB; by default half of the free memory.", "SIZE")]
Trust = Annotated[list[Any] | None, _option(RUN, "--trust", "A class of your own that the model"
    f" holds, as {OWN_CLASS}, importable from here; can be repeated.", "CLASS",
    parser=_import_class)]
# fmt: on


def given_reading(context: typer.Context) -> "Reading":
    """What the user says about a table; every command that reads one has these options."""
    from l1kpca.tables.table import Reading

    said = context.params
    marks: dict[str, str | None] = {}
    for mark, default in (("decimal", "auto"), ("thousands", "none"), ("separator", "auto")):
        given = None if said[mark] in ("auto", default) else said[mark]
        marks[mark] = found = _SEPARATORS.get(given or "", given) if mark == "separator" else given
        if found is not None and (len(found) != 1 or found.isalnum()):
            raise InputError(f"--{mark} {given} is not possible; give one mark, as , or .")
    if said.get("fdr") is not None and said.get("alpha") is not None:
        raise InputError("--fdr and --alpha cannot be used together; give one of them.")
    return Reading(
        id_column=said.get("id_column"), label_column=said.get("label"),
        ignored=tuple(said.get("ignore") or ()), only=tuple(said.get("only") or ()),
        encoding=None if said["encoding"] == "auto" else said["encoding"], header=said["header"],
        missing=tuple(said["na"].split(",")) if said["na"] else (), **marks,
    )  # fmt: skip
