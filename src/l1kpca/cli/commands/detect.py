"""l1kpca detect."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import typer

from l1kpca.cli import options as opt
from l1kpca.cli.terminal import InputError, Terminal

if TYPE_CHECKING:
    from l1kpca.report.ranking import Summary
    from l1kpca.tables.table import Table


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
    from l1kpca.cli.detection import SAMPLE_ROWS, connected, fit_model, summarized
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
        compared = model.judge(ordinary, ordinary.n_rows, terminal)
        model.check(table)
    n_kept = max(top, 1 if report is None else MOST_LISTED)
    cases = model.judge(table, n_kept, terminal, found, spread=spread)
    summary = summarized(cases, table, top, terminal, fdr, alpha)
    if report is not None:
        with terminal.work("--report", "making the report"):
            typed = shlex.join(["l1kpca", *context.obj])
            report_of(summary, typed, compared).save(report, overwrite=force)
    if save is not None:
        model.save(save, overwrite=force)
    show(summary, table, terminal)


def cells_of(top: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Rows as they are shown, with their reasons."""
    from l1kpca.report.document import short, shown_value

    names, rows = list(map(itemgetter("name"), top)), list[dict[str, str]]()
    for row in top:
        cells = {"rank#": str(row["rank"]), "row#": str(row["row"])}
        if names.count(None) < len(names):
            cells["id"] = shown_value(row["name"])
        cells["score#"] = shown_value(row["score"])
        if row["p_value"] is not None:
            cells["p#"] = shown_value(row["p_value"])
        cells["flag"] = "outlier" if row["flagged"] else ""
        if row["label"] is not None:
            cells["truth"] = "outlier" if row["label"] else "inlier"
        reasons = []
        for one in row["reasons"]:
            value, more = shown_value(one["value"]), ""
            if "unread" in one:
                value, more = repr(value), f": {one['unread']}"
            elif one["expected"] is not None:
                more = f", expected about {shown_value(short(one['expected'], 3))}"
            reasons.append(f"{shown_value(one['column'])} = {value}{more} ({one['share']:.0%})")
        cells["most responsible columns (share of the score)"] = ", ".join(reasons)
        rows.append(cells)
    return rows


def show(summary: "Summary", table: "Table", terminal: Terminal) -> None:
    """Write scores, ranks and flags; show the most abnormal rows, and how well they fit the truth.

    The file has the rows as read, and p-values if there are reference rows.
    """
    plain = summary.plain
    added = {"score": summary.cases.scores, "rank": summary.ranks}
    added["flag"] = summary.cases.flags.astype("int8")
    if "p_values" in summary.known:
        added["p_value"] = summary.known["p_values"]
    terminal.write_table(table, added)
    terminal.table(f"The most abnormal rows of {plain['source']}", cells_of(plain["top"]))
    n, n_rows = plain["n_flagged"], plain["n_rows"]
    flagged = f"{n:,} of {n_rows:,} rows are flagged: their score is above the"
    none = f"None of the {n_rows:,} rows is flagged: no score is above the"
    unclear = "" if plain["clear_line"] else " There is no clear line: many rows are near it."
    terminal.say(f"{flagged if n else none} cut-off {plain['cutoff']:.4g}.{unclear}")
    for sentence in plain["promise"]["says"]:
        terminal.say(sentence)
    found = plain["agreement"]
    if found is not None:
        precision, area = found["average_precision"], found["roc_auc"]
        terminal.say(f"Average precision {precision:.3f}, ROC-AUC {area:.3f}.")
        many = found["n_outliers"]
        first = f"Precision among the top {many:,} rows, as many as there are outliers"
        terminal.say(f"{first}: {found['precision_at_n']:.3f}.")
    terminal.finish(plain)
