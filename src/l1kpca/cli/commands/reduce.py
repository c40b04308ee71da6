"""l1kpca reduce."""

from __future__ import annotations

from l1kpca.cli import options as opt
from l1kpca.cli import reducing
from l1kpca.cli.finishing import say_written, shown_paths
from l1kpca.cli.showing import show_reduction
from l1kpca.cli.tables import Roles, read_table
from l1kpca.cli.terminal import Terminal
from l1kpca.cli.writing import WritingRules, check_outputs, with_columns, write_table


def reduce(
    data: opt.Data,
    components: opt.RequiredComponents,
    kernel: opt.Kernel = None,
    gamma: opt.Gamma = None,
    scale: opt.Scale = True,
    out: opt.Out = None,
    label: opt.Label = None,
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
    """Replace the columns of a table by a few robust components."""
    rules = WritingRules(force, spreadsheet_safe)
    check_outputs({"the input": data}, {"--out": out}, rules)
    number = opt.read_components(components)
    settings = reducing.ReducerSettings(
        components=1 if number is None else number,
        kernel=kernel or "rbf",
        gamma=opt.read_gamma(gamma),
        scale=scale,
        seed=seed,
        n_jobs=n_jobs,
        memory_limit=memory_limit,
    )
    terminal = Terminal(quiet, as_json)
    table = read_table(data, Roles(id_column, label, tuple(ignore or ()), header.value))
    reduction = reducing.reduce(table, settings, missing.value, terminal)
    if out is not None:
        added = dict(zip(reduction.names, reduction.scores.T, strict=True))
        frame, notes = with_columns(table.frame, added)
        terminal.note(notes)
        write_table(frame, out, rules)
    show_reduction(reduction, table.source, terminal)
    say_written({"out": out}, terminal)
    terminal.result(
        {
            "source": table.source,
            "n_rows": len(table.frame),
            "columns": list(reduction.columns),
            "components": reduction.to_plain(),
            "notes": terminal.notes,
            "written": shown_paths({"out": out}),
        }
    )
