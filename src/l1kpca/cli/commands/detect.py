"""l1kpca detect."""

import shlex
from dataclasses import replace

import typer

from l1kpca.cli import options as opt
from l1kpca.cli.terminal import InputError, Terminal


def detect(
    context: typer.Context, data: opt.Data, label: opt.Label = None, kernel: opt.Kernel = None,
    gamma: opt.Gamma = None, components: opt.Components = None, rule: opt.DetectionRule = "auto",
    contamination: opt.Contamination = "auto", scaling: opt.Scaling = "columns",
    max_samples: opt.MaxSamples = "auto", reference: opt.Reference = None, fdr: opt.Fdr = None,
    alpha: opt.Alpha = None, top: opt.Top = 20, out: opt.Out = None, report: opt.Report = None,
    save: opt.Save = None, id_column: opt.Id = None, ignore: opt.Ignore = None,
    only: opt.Only = None, header: opt.HeaderLine = None, encoding: opt.Encoding = None,
    separator: opt.Separator = None, decimal: opt.Decimal = None,
    thousands: opt.Thousands = None, na: opt.MissingWords = None,
    seed: opt.Seed = 0, n_jobs: opt.Jobs = None, memory_limit: opt.MemoryLimit = None,
    cluster: opt.Cluster = None, force: opt.Force = False,
    spreadsheet_safe: opt.SpreadsheetSafe = False, as_json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> None:  # fmt: skip
    """Rank the rows of a table by how abnormal they are, and say why."""
    from l1kpca.cli.cluster import connected
    from l1kpca.cli.detection import SAMPLE_ROWS, fit_model, show
    from l1kpca.report.content import MOST_LISTED, report_of
    from l1kpca.tables.sources import read_table

    files = {"out": out, "report": report, "save": save}
    terminal = Terminal(quiet, as_json, files, force, spreadsheet_safe)
    terminal.check(data, reference=reference)
    if reference in data:
        raise InputError(f"--reference {reference} is DATA itself; give other rows, all ordinary.")
    stated = {"kernel": kernel, "gamma": gamma, "n_components": components}
    settings = {
        "rule": rule, "contamination": contamination,
        "scaling": None if scaling == "none" else scaling,
        "max_samples": None if max_samples == "all" else max_samples, "random_state": seed,
        "n_jobs": n_jobs, "memory_limit": memory_limit,
    }  # fmt: skip
    spread = cluster is not None and context.with_resource(connected(cluster))
    reading, compared = opt.given_reading(context), None
    with terminal.progress("reading rows") as progress:
        table = read_table(data, reading, most=SAMPLE_ROWS, seed=seed, progress=progress)
    if reference is None:
        model, found = fit_model(table, settings, stated, terminal)
    else:
        used = tuple(table.feature_columns)
        like = replace(reading, id_column=None, label_column=None, ignored=(), only=used)
        settings |= {"calibration": 0.5} | ({"contamination": 0} if contamination == "auto" else {})
        ordinary = read_table(reference, like)
        model, found = fit_model(ordinary, settings, stated, terminal)[0], []
        compared, _ = model.judge(ordinary, ordinary.n_rows, terminal)
        model.check(table)
    n_kept = max(top, 1 if report is None else MOST_LISTED)
    cases, judged = model.judge(table, n_kept, terminal, found, spread=spread)
    summary = model.summary(cases, judged, table.source, top, terminal, fdr, alpha)
    if report is not None:
        with terminal.work("--report", "making the report"):
            typed = shlex.join(["l1kpca", *context.obj])
            report_of(summary, typed, compared).save(report, overwrite=force)
    if save is not None:
        model.save(save, overwrite=force)
    show(summary, table, terminal)
