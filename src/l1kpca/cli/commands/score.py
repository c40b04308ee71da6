"""l1kpca score."""

from __future__ import annotations

from l1kpca.cli import detecting
from l1kpca.cli import options as opt
from l1kpca.cli.finishing import finish_detection, write_scores
from l1kpca.cli.tables import Roles
from l1kpca.cli.terminal import Terminal
from l1kpca.cli.writing import WritingRules, check_outputs


def score(
    model: opt.ModelFile,
    data: opt.Data,
    label: opt.Label = None,
    top: opt.Top = 20,
    out: opt.Out = None,
    id_column: opt.Id = None,
    ignore: opt.Ignore = None,
    header: opt.HeaderLine = opt.Header.AUTO,
    missing: opt.MissingValues = opt.Missing.MEDIAN,
    force: opt.Force = False,
    spreadsheet_safe: opt.SpreadsheetSafe = False,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Judge new rows by a saved model, which stays as it is."""
    rules = WritingRules(force, spreadsheet_safe)
    check_outputs({"the input": data, "the model": model}, {"--out": out}, rules)
    terminal = Terminal(quiet, as_json)
    roles = Roles(id_column, label, tuple(ignore or ()), header.value)
    fitted = detecting.Model.load(model)
    table, summary = detecting.score(fitted, data, roles, missing.value, top, terminal)
    write_scores(table, summary, out, rules, terminal)
    finish_detection(summary, terminal, {"out": out})
