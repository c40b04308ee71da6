"""l1kpca detect."""

from __future__ import annotations

import typer

from l1kpca.cli import detecting
from l1kpca.cli import options as opt
from l1kpca.cli.command_line import given_command
from l1kpca.cli.errors import library_errors_explained
from l1kpca.cli.finishing import finish_detection, write_scores
from l1kpca.cli.tables import Roles, read_table
from l1kpca.cli.terminal import Terminal
from l1kpca.cli.writing import WritingRules, check_outputs, write_text
from l1kpca.report import report_of
from l1kpca.report.render import templates


def detect(
    context: typer.Context,
    data: opt.Data,
    label: opt.Label = None,
    kernel: opt.Kernel = None,
    gamma: opt.Gamma = None,
    components: opt.Components = None,
    rule: opt.DetectionRule = opt.Rule.ROBUST,
    contamination: opt.Contamination = "auto",
    max_samples: opt.MaxSamples = "auto",
    top: opt.Top = 20,
    out: opt.Out = None,
    report: opt.Report = None,
    save: opt.Save = None,
    id_column: opt.Id = None,
    ignore: opt.Ignore = None,
    header: opt.HeaderLine = opt.Header.AUTO,
    missing: opt.MissingValues = opt.Missing.MEDIAN,
    seed: opt.Seed = 0,
    n_jobs: opt.Jobs = None,
    memory_limit: opt.MemoryLimit = None,
    force: opt.Force = False,
    spreadsheet_safe: opt.SpreadsheetSafe = False,
    as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:
    """Rank the rows of a table by how abnormal they are, and say why."""
    rules = WritingRules(force, spreadsheet_safe)
    check_outputs({"the input": data}, {"--out": out, "--report": report, "--save": save}, rules)
    if report is not None:
        with library_errors_explained("--report"):
            templates()  # what is not installed is missed now, not after the work
    settings = detecting.DetectorSettings(
        kernel=kernel,
        gamma=opt.read_gamma(gamma),
        components=opt.read_components(components),
        rule=rule.value,
        contamination=opt.read_contamination(contamination),
        max_samples=opt.read_max_samples(max_samples),
        seed=seed,
        n_jobs=n_jobs,
        memory_limit=memory_limit,
    )
    terminal = Terminal(quiet, as_json)
    table = read_table(data, Roles(id_column, label, tuple(ignore or ()), header.value))
    found = detecting.detect(table, settings, missing.value, top, terminal)
    write_scores(table, found.summary, out, rules, terminal)
    if report is not None:
        write_text(_page(found, given_command(context), terminal), report, rules)
    if save is not None:
        found.model.save(save, overwrite=force)
    finish_detection(found.summary, terminal, {"out": out, "report": report, "save": save})


def _page(found: detecting.Detection, command: str, terminal: Terminal) -> str:
    with (
        library_errors_explained("--report"),
        terminal.warnings_as_notes(),
        terminal.progress("making the report"),
    ):
        return report_of(found.model.detector, found.cases, found.summary, command).to_html()
