"""l1kpca score."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from l1kpca.cli import options as opt
from l1kpca.cli.terminal import DRIFT, InputError, Terminal

if TYPE_CHECKING:
    from l1kpca.cli.detection import Model
    from l1kpca.tables.table import Reading, Table


def score(
    context: typer.Context, model: opt.ModelFile, data: opt.Data, label: opt.Label = None,
    fdr: opt.Fdr = None, alpha: opt.Alpha = None, fail_on_drift: opt.FailOnDrift = False,
    top: opt.Top = 20, out: opt.Out = None, id_column: opt.Id = None, ignore: opt.Ignore = None,
    only: opt.Only = None, header: opt.HeaderLine = None, encoding: opt.Encoding = None,
    separator: opt.Separator = None, decimal: opt.Decimal = None,
    thousands: opt.Thousands = None, na: opt.MissingWords = None,
    trust: opt.Trust = None, cluster: opt.Cluster = None, force: opt.Force = False,
    spreadsheet_safe: opt.SpreadsheetSafe = False, as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> int:  # fmt: skip
    """Judge new rows by a saved model, which stays as it is."""
    from l1kpca.cli.commands.detect import show
    from l1kpca.cli.detection import SAMPLE_ROWS, connected, summarized
    from l1kpca.persistence import ModelFileError

    terminal = Terminal(quiet, as_json, {"out": out}, force, spreadsheet_safe)
    terminal.check(data, model=model)
    spread = cluster is not None and context.with_resource(connected(cluster))
    fitted = load_model(model, trust or [])
    if fail_on_drift and not hasattr(fitted.detector, "calibration_"):
        lacking = f"needs reference rows, and {model} has none"
        raise InputError(f"--fail-on-drift {lacking}; use l1kpca calibrate.")
    table = read_like(fitted, data, opt.given_reading(context), terminal, SAMPLE_ROWS, 1)
    try:
        cases = fitted.judge(table, max(top, 1), terminal, spread=spread)
        summary = summarized(cases, table, top, terminal, fdr, alpha)
    except (AttributeError, TypeError, LookupError) as error:
        # The parts of the model do not fit together: it was not fitted here, whatever it says.
        raise ModelFileError(
            f"the model cannot be used ({type(error).__name__}: {str(error)[:200]}); it was"
            " altered, or written by another version of l1kpca: fit and save it again."
        ) from error
    show(summary, table, terminal)
    drift = summary.plain["promise"]["drift"]
    return DRIFT if fail_on_drift and drift is not None and drift["found"] else 0


def load_model(path: Path, trusted: list[type]) -> "Model":
    """Read a model file that detect wrote."""
    from l1kpca import KernelPCAOutlierDetector, persistence
    from l1kpca.cli.detection import Model

    saved = persistence.load(path, trusted=trusted)
    what, way_out = type(saved.estimator).__name__, "give a file that l1kpca detect --save wrote."
    if not isinstance(saved.estimator, KernelPCAOutlierDetector):
        raise persistence.ModelFileError(f"{path} holds a {what}, not a detector; {way_out}")
    with suppress(LookupError, TypeError, ValueError, AttributeError):
        id_column, names_given = saved.attached["id_column"], saved.attached["names_given"]
        if len(saved.estimator.encoder_.columns_) > 0:
            return Model(saved.estimator, id_column, names_given)
    lacking = "does not say how columns become features"
    raise persistence.ModelFileError(f"{path} {lacking}; {way_out}")


def read_like(
    model: "Model", data: list[str], reading: "Reading", terminal: Terminal,
    most: int | None = None, fewest: int = 3,
) -> "Table":  # fmt: skip
    """Read rows like the training rows; their id column is taken if it is there."""
    from l1kpca.tables.sources import read_table
    from l1kpca.tables.table import TableError, shown_list

    with terminal.progress("reading rows") as progress:
        table = read_table(data, reading, most=most, fewest=fewest, progress=progress)
    if reading.id_column is None and model.id_column in table.frame.columns:
        table = replace(table, id_column=model.id_column)
    known = model.detector.encoder_.kinds_
    unknown = [name for name in table.feature_columns if name not in known]
    if unknown and not (model.names_given and table.names_given):
        raise TableError(
            f"{table.source} has {len(table.feature_columns)} columns without names, but the model"
            f" was fitted on {len(known)}; give the same columns in the same order, or files with"
            " column names."
        )
    terminal.note(table.notes)
    if unknown:
        terminal.note([f"not known to the model and not used: {shown_list(unknown)}"])
    model.check(table)
    return table
