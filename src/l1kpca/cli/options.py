"""The options of the commands, each in one place; `given` reads their values."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from l1kpca.cli.given import OWN_CLASS

TABLE, MODEL, FLAGS, RESULTS, RUN = "The table", "The model", "Flags", "Results", "The run"
"""Groups of options in the help."""


def _option(group: str, name: str, text: str, metavar: str | None = None, **others: Any) -> Any:
    return typer.Option(*name.split(), help=text, metavar=metavar, rich_help_panel=group, **others)


# Where the default is None and not said, the library chooses; where it is said, as show_default,
# stating it changes nothing.
Data = Annotated[
    list[str],
    typer.Argument(
        help="Files that make one table (CSV, Parquet, Feather, JSON lines, Excel, .npy, .npz,"
        " .mat; packed or not), a glob, a folder, - for standard input, or a data set by name"
        " (see: datasets).",
        metavar="DATA",
        show_default=False,
    ),
]
ModelFile = Annotated[
    Path,
    typer.Argument(help="A file that detect --save wrote.", metavar="MODEL", show_default=False),
]
ReferenceData = Annotated[
    list[str],
    typer.Argument(
        help="A table of ordinary rows, read as DATA is.", metavar="REFERENCE",
        show_default=False,
    ),
]  # fmt: skip
Label = Annotated[
    str | None,
    _option(TABLE, "--label", "Column with the truth: any two values, the rarer one or 1 for an"
            " outlier. Never used to detect.", "COLUMN"),
]  # fmt: skip
Id = Annotated[str | None, _option(TABLE, "--id", "Column with the names of the rows.", "COLUMN")]
Ignore = Annotated[
    list[str] | None,
    _option(TABLE, "--ignore", "Column to leave out; can be repeated.", "COLUMN"),
]
Only = Annotated[
    list[str] | None,
    _option(TABLE, "--only", "Column to look at, and no other; can be repeated.", "COLUMN"),
]
HeaderLine = Annotated[
    bool | None,
    _option(TABLE, "--header/--no-header", "Whether the first line of a text file has the column"
            " names.", show_default="auto"),
]  # fmt: skip
Encoding = Annotated[
    str | None,
    _option(TABLE, "--encoding", "Of a text file, such as utf-8 or cp1252.", "NAME",
            show_default="auto"),
]  # fmt: skip
Decimal = Annotated[
    str | None, _option(TABLE, "--decimal", "Decimal mark.", "MARK", show_default="auto")
]
Thousands = Annotated[
    str | None, _option(TABLE, "--thousands", "Mark between thousands.", "MARK",
                        show_default="none"),
]  # fmt: skip
MissingWords = Annotated[
    str | None,
    _option(TABLE, "--na", 'More words for a missing cell, such as "none,Unknown".', "WORDS"),
]
DetectionRule = Annotated[
    str,
    _option(MODEL, "--rule", "How rows are judged: robust, novelty (for clean training rows; auto"
            " takes it with --contamination 0, else robust), paper (the paper's rule to the"
            f" letter), or a class of your own as {OWN_CLASS}, importable from here.", "RULE"),
]  # fmt: skip
Contamination = Annotated[
    str,
    _option(MODEL, "--contamination", "Share of outliers from 0 (clean rows) to 0.5, or auto.",
            "SHARE"),
]  # fmt: skip


class Scaled(StrEnum):
    """What columns are divided by."""

    COLUMNS = "columns"
    COMMON = "common"
    NONE = "none"


Scaling = Annotated[
    Scaled,
    _option(MODEL, "--scaling", "Divide each column by its own spread (columns), all by one"
            " (common: spectra, images, sensors of one unit), or none.", "HOW"),
]  # fmt: skip
Scale = Annotated[
    bool,
    _option(MODEL, "--scale/--no-scale", "Bring columns to the same scale (median, quartiles)."),
]
Kernel = Annotated[
    str | None,
    _option(MODEL, "--kernel", "rbf, linear, laplacian, poly and others.", "NAME",
            show_default="rbf"),
]  # fmt: skip
_GAMMA = (
    "Kernel coefficient: a number, median or wide (by the distances between rows), paper (by the"
    " number of columns; the default with --rule paper) or scale. Kernels other than rbf take 1 /"
    " number of columns by default."
)
Gamma = Annotated[str | None, _option(MODEL, "--gamma", _GAMMA, "WIDTH", show_default="wide")]
ReducingGamma = Annotated[
    str | None, _option(MODEL, "--gamma", _GAMMA, "WIDTH", show_default="median")
]
_HOW_MANY = "How many components, or a share of variance below 1."
Components = Annotated[
    str | None,
    _option(MODEL, "--components", f"{_HOW_MANY} --rule paper takes one for each column by"
            " default.", "N", show_default="0.8"),
]  # fmt: skip
RequiredComponents = Annotated[
    str, _option(MODEL, "--components", _HOW_MANY, "N", show_default=False)
]
MaxSamples = Annotated[
    str,
    _option(MODEL, "--max-samples", "Rows, drawn at random, on which components are found: a"
            " number, all, or auto.", "N"),
]  # fmt: skip
Seed = Annotated[
    int, _option(MODEL, "--seed", "Seed of the starts.", "N", min=0, max=2**32 - 1)
]  # fmt: skip
Reference = Annotated[
    str | None,
    _option(FLAGS, "--reference", "Ordinary rows, a table like DATA: the model is fitted to 70 % of"
            " them, and DATA compared with the others.", "FILE"),
]  # fmt: skip
Fdr = Annotated[
    float | None,
    _option(FLAGS, "--fdr", "Flag rows so that at most this share is false, on average.", "SHARE",
            min=0, max=1),
]  # fmt: skip
Alpha = Annotated[
    float | None,
    _option(FLAGS, "--alpha", "Flag each row with this chance of a false flag.", "CHANCE",
            min=0, max=1),
]  # fmt: skip
Labels = Annotated[
    Path | None,
    _option(FLAGS, "--labels", "Answers about reference rows, as the report saves them: a .csv file"
            " with the columns row (from 1) and label (1 outlier, 0 ordinary, -1 unknown).",
            "FILE"),
]  # fmt: skip
FailOnDrift = Annotated[
    bool,
    _option(FLAGS, "--fail-on-drift", "Exit status 3 if DATA does not fit the reference rows."),
]
Top = Annotated[int, _option(RESULTS, "--top", "How many rows to show and explain.", "N", min=0)]
Out = Annotated[
    Path | None,
    _option(RESULTS, "--out", "Write all rows, with the results, to a .csv or .parquet file.",
            "FILE"),
]  # fmt: skip
Report = Annotated[
    Path | None, _option(RESULTS, "--report", "Write a page to look at, one .html file.", "FILE")
]
Save = Annotated[
    Path | None, _option(RESULTS, "--save", "Write the model, for the command score.", "FILE")
]
Force = Annotated[bool, _option(RESULTS, "--force", "Overwrite files that exist.")]
SpreadsheetSafe = Annotated[
    bool,
    _option(RESULTS, "--spreadsheet-safe", "In CSV output, put a quote before text that a"
            " spreadsheet would run as a formula."),
]  # fmt: skip
Json = Annotated[bool, _option(RESULTS, "--json", "Print one JSON object instead of tables.")]
Quiet = Annotated[
    bool, _option(RESULTS, "--quiet -q", "Print nothing but errors and what --json asks for.")
]
Cluster = Annotated[
    str | None,
    _option(RUN, "--cluster", "Score on the workers of a running Dask cluster, such as"
            " tcp://host:8786.", "ADDRESS"),
]  # fmt: skip
Jobs = Annotated[
    int | None, _option(RUN, "--n-jobs", "Threads; by default all that are available.", "N")
]
MemoryLimit = Annotated[
    str | None,
    _option(RUN, "--memory-limit", "For the kernel matrix, such as 2GB; by default half of the free"
            " memory.", "SIZE"),
]  # fmt: skip
Trust = Annotated[
    list[str] | None,
    _option(RUN, "--trust", f"A class of your own that the model holds, as {OWN_CLASS}, importable"
            " from here; can be repeated.", "CLASS"),
]  # fmt: skip
