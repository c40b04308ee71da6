"""The options of the commands, each in one place."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from l1kpca.cli.errors import InputError


class Missing(StrEnum):
    """What to do with missing values."""

    MEDIAN = "median"
    ERROR = "error"


class Header(StrEnum):
    """Whether the first line of a text file holds the names of the columns."""

    AUTO = "auto"
    YES = "yes"
    NO = "no"


class Rule(StrEnum):
    """How a detector judges."""

    ROBUST = "robust"
    PAPER = "paper"


_FEWEST_SAMPLES = 3
DATA_HELP = "A .csv, .parquet, .npy, .npz or .mat file, or the name of a data set (see: datasets)."

Data = Annotated[str, typer.Argument(help=DATA_HELP, show_default=False)]
ModelFile = Annotated[
    Path, typer.Argument(help="A file that detect --save wrote.", show_default=False)
]
Label = Annotated[
    str | None,
    typer.Option("--label", help="Column with the truth, 1 for an outlier; never used to detect."),
]
Id = Annotated[str | None, typer.Option("--id", help="Column with the names of the rows.")]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", help="Column to leave out; can be given several times."),
]
HeaderLine = Annotated[
    Header, typer.Option("--header", help="Whether line 1 of a text file has the column names.")
]
MissingValues = Annotated[
    Missing, typer.Option("--missing", help="Fill missing values by the column median, or refuse.")
]
Kernel = Annotated[
    str | None,
    typer.Option("--kernel", help="rbf, linear, laplacian, poly and others."),
]
Gamma = Annotated[
    str | None,
    typer.Option("--gamma", help="Kernel coefficient: a number, median, paper or scale."),
]
Components = Annotated[
    str | None,
    typer.Option("--components", help="How many components, or a share of variance below 1."),
]
RequiredComponents = Annotated[
    str,
    typer.Option(
        "--components",
        help="How many components, or a share of variance below 1.",
        show_default=False,
    ),
]
DetectionRule = Annotated[
    Rule, typer.Option("--rule", help="The library's robust rule, or the paper's to the letter.")
]
Contamination = Annotated[
    str,
    typer.Option("--contamination", help="Share of outliers from 0 to 0.5, or auto."),
]
MaxSamples = Annotated[
    str,
    typer.Option(
        "--max-samples",
        help="Rows, drawn at random, on which components are found: a number, all, or auto.",
    ),
]
Top = Annotated[int, typer.Option("--top", min=0, help="How many rows to show and explain.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", help="Write all rows, with the results, to a .csv or .parquet file."),
]
RunFolder = Annotated[
    Path, typer.Option("--out", help="Folder for rows, figures and page; created if need be.")
]
DataDir = Annotated[
    Path | None, typer.Option("--data-dir", help="Folder with the data sets; looked in first.")
]
Report = Annotated[
    Path | None, typer.Option("--report", help="Write a page to look at, one .html file.")
]
Save = Annotated[
    Path | None, typer.Option("--save", help="Write the model, for the command score.")
]
Seed = Annotated[int, typer.Option("--seed", min=0, max=2**32 - 1, help="Seed of the starts.")]
Jobs = Annotated[int | None, typer.Option("--n-jobs", help="Threads; all cores if not given.")]
MemoryLimit = Annotated[
    str | None,
    typer.Option("--memory-limit", help="For the kernel matrix, as 2GB; half of the free memory."),
]
Scale = Annotated[
    bool,
    typer.Option("--scale/--no-scale", help="Bring columns to the same scale (median, quartiles)."),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")]
SpreadsheetSafe = Annotated[
    bool,
    typer.Option(
        "--spreadsheet-safe",
        help="In CSV output, put a quote before text that a spreadsheet would run as a formula.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing but errors and what --json asks for.")
]


def read_gamma(text: str | None) -> float | str | None:
    """A number, or the name of a rule for the library to check."""
    return text if text is None else _number_or_text(text)


def read_contamination(text: str) -> float | str:
    """A share, or the word auto.

    Examples
    --------
    >>> read_contamination("0.1"), read_contamination("auto")
    (0.1, 'auto')
    """
    value = _number_or_text(text)
    if value != "auto" and not (isinstance(value, float) and 0 <= value <= 0.5):
        raise InputError(
            f"--contamination {text} is not possible; give a share from 0 to 0.5, or auto."
        )
    return value


def read_max_samples(text: str) -> int | str | None:
    """A number of rows; None for all of them; the word auto.

    Examples
    --------
    >>> read_max_samples("500"), read_max_samples("all"), read_max_samples("auto")
    (500, None, 'auto')
    """
    if text in ("all", "auto"):
        return None if text == "all" else text
    if not (text.isascii() and text.isdecimal() and int(text) >= _FEWEST_SAMPLES):
        raise InputError(
            f"--max-samples {text} is not possible; give a number of rows of at least"
            f" {_FEWEST_SAMPLES}, all, or auto."
        )
    return int(text)


def read_components(text: str | None) -> int | float | None:
    """A whole number of components, or a share of the variance.

    Examples
    --------
    >>> read_components("2"), read_components("0.9"), read_components(None)
    (2, 0.9, None)
    """
    if text is None:
        return None
    if text.isascii() and text.isdecimal() and int(text) > 0:
        return int(text)
    value = _number_or_text(text)
    if not (isinstance(value, float) and 0 < value < 1):
        raise InputError(
            f"--components {text} is not possible; give a whole number of at least 1, or a share"
            " of the variance between 0 and 1."
        )
    return value


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
