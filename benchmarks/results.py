"""Result files and pages: one JSON file for each script, and tables in Markdown."""

import argparse
import json
import os

import numpy as np

from scripts.tasks import ROOT, Tasks

RESULTS, DOCS, OUT = ROOT / "benchmarks" / "results", ROOT / "docs", ROOT / "out"
count = "{:,.0f}".format
DATA = ROOT.parent / "shared" / "data"  # looked in if L1KPCA_DATA is not set


def options(description, **more):
    """The command line that all scripts share; ``more``: what ``add_argument`` takes, by name."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="measure these alone")
    flags = {
        "quick": "everything small; writes to out/quick",
        "page": "only write the page",
        "fresh": "forget what a stopped run did",
    }
    more = {name: {"action": "store_true", "help": text} for name, text in flags.items()} | more
    for name, settings in more.items():
        parser.add_argument(f"--{name}", **settings)
    os.environ.setdefault("L1KPCA_DATA", str(DATA) if DATA.is_dir() else "")
    return parser.parse_args()


def folder_of(quick, published):
    """Where a run writes: what is published is not touched by a quick one."""
    folder = OUT / "quick" if quick else published
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def publish(name, page, tasks, makers, given):
    """Measure, and fill a page of the documentation from the result file.

    ``makers`` are functions from results to text, by the marks of the page; results are by task,
    and under "about" versions and machines, which the mark "machine" shows. A part that lacks some
    results stays as it is.
    """
    entries = measure(name, tasks, given)
    results = {key: entry["result"] for key, entry in entries.items()}
    results["about"] = [entry["about"] for entry in entries.values()]
    machine = table(["", ""], where_it_ran(results["about"]).items())
    parts = {"machine": machine} if entries else {}
    for mark, make in makers.items():
        try:
            parts[mark] = make(results)
        except KeyError as missing:
            print(f"{mark}: stays as it is, since {missing} was not measured")
    fill(page, parts, given.quick)


def measure(name, tasks, given):
    """Do what a stopped run left of some tasks, functions by name, and write the result file.

    It holds ``{"about": versions and machine, "result": ...}`` for each task; with ``--only``, what
    is not asked for stays as it was.
    """
    path = folder_of(given.quick, RESULTS) / f"{name}.json"
    before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if given.page:
        return before
    entries, failed = before if given.only else {}, False
    chosen = chosen_of(tasks, given.only)
    journal = folder_of(given.quick, OUT) / f"{name}.jsonl"
    done = Tasks(journal, len(chosen), fresh=given.fresh)
    pairs = [(key, tasks[key]) for key in chosen]
    # A data set that is not here, or a process that died, does not end the run.
    for key, result, error in done.run_all(pairs, (OSError, RuntimeError)):
        if error is None:
            entries[key] = {"about": done.about(key), "result": result}
        else:
            failed = True
            print(f"{key}: not measured: {error}")
    lines = [f"{json.dumps(key)}: {json.dumps(entry)}" for key, entry in entries.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    if not failed:
        journal.unlink(missing_ok=True)  # complete: the next run measures anew
    return entries


def chosen_of(names, only):
    """The names that are asked for: one of them, or all that begin so."""
    for part in only or ():
        if not any(name.startswith(part) for name in names):
            raise SystemExit(f"--only {part}: not measured; give one of {', '.join(names)}")
    starts = tuple(part for part in only or [""] if part not in names)
    return [name for name in names if name in (only or ()) or name.startswith(starts)]


def where_it_ran(all_about):
    """Versions and machines of several runs, by name."""
    facts = {}
    for name, value in (item for about in all_about for item in about.items()):
        facts.setdefault(name, {})[str(value)] = None
    return {name: ", ".join(values) for name, values in facts.items()}


def table(columns, lines):
    """A table in Markdown; bars in cells are escaped."""
    rows = [columns, ["---"] * len(columns), *lines]
    escaped = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in escaped)


def frame_table(frame):
    """The same of a data frame, with its index if that has a name."""
    frame = frame if frame.index.names == [None] else frame.reset_index()
    frame = frame.map(lambda v: f"{v:g}" if isinstance(v, float) else v)
    return table(list(frame.columns), frame.itertuples(index=False))


def rows_table(rows, formats):
    """A table of dicts; formats are texts or functions for a value or the entries of a list."""

    def cell(value, shown):
        values = value if isinstance(value, list) else [value]
        if isinstance(shown, str):
            return shown.format(*values)
        return value or "-" if value is None or isinstance(value, str) else shown(*values)

    lines = [[cell(row[name], formats[name]) for name in formats] for row in rows]
    return table(list(formats), lines)


def rows_of(keys, formats, results):
    return rows_table([results[key] for key in keys], formats)


def fill(page, parts, quick=False):
    """Put texts between the marks ``<!-- name -->`` and ``<!-- end of name -->`` of a page."""
    text, path = (DOCS / page).read_text(encoding="utf-8"), folder_of(quick, DOCS) / page
    for name, part in parts.items():
        before, begin, rest = text.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition(f"<!-- end of {name} -->")
        if not begin or not end:
            raise SystemExit(f"docs/{page} has no marks <!-- {name} --> and <!-- end of {name} -->")
        text = f"{before}{begin}{part.rstrip()}\n{end}{after}"
    path.write_text(text, encoding="utf-8")
    print(f"wrote {path}")


def growth(sizes, values):
    """The a of value = b n^a, by least squares of logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def duration(seconds):
    if seconds < 120:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.1f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.1f} days"


def size(number):
    """Bytes in the unit that suits them."""
    for unit in ("B", "kB", "MB", "GB"):
        if number < 1000:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:.3g} TB"
