"""Run the paper's experiments again and write the pages with ours beside the paper's.

A run that was stopped goes on where it stopped when the same command is given again.
"""

import argparse
import sys
import warnings
from functools import partial
from pathlib import Path

import pandas as pd

from benchmarks.results import where_it_ran
from l1kpca import datasets
from paper import outliers, page, robustness, runtime, steps, toys
from paper.methods import warm_up
from scripts.tasks import Tasks

EXPERIMENTS = {
    module.__name__.removeprefix("paper."): module
    for module in (robustness, toys, outliers, runtime, steps)
}


def plan(names, quick):
    """The key of every task of some experiments; it holds all that the result depends on."""
    size = "quick" if quick else "full"
    return [{"experiment": name, **at} for name in names for at in EXPERIMENTS[name].GRID[size]]


def run(names, out, quick, data_dir, failures):
    """Do what is not in ``tasks.jsonl`` yet and whose data set is there; note the failures."""
    there = {None, *datasets.available(data_dir)}
    keys = [key for key in plan(names, quick) if key.get("dataset") in there]
    tasks = Tasks(out / "tasks.jsonl", total=len(keys))
    # One failure must not end a run of an hour.
    for key, _, error in tasks.run_all((key, partial(measure, key, data_dir)) for key in keys):
        if error is not None:
            failures.append(f"{key}: {type(error).__name__}: {error}")
            print(f"failed: {failures[-1]}", file=sys.stderr)


def measure(key, data_dir):
    warm_up()
    # Provoked on purpose: more components than the rank, and searches that stall.
    with warnings.catch_warnings(action="ignore"):
        return EXPERIMENTS[key["experiment"]].measure(key, data_dir)


def write(out, docs, quick, failures=()):
    """Write ``results.csv`` and the page from the finished tasks in a folder."""
    tasks, keys = Tasks(out / "tasks.jsonl"), plan(EXPERIMENTS, quick)
    rows = [{**key, "status": "done", **row} for key in keys for row in tasks.get(key) or []]
    if not rows:
        return {}
    rows = pd.DataFrame(rows)
    rows.to_csv(out / "results.csv", index=False)
    docs.mkdir(parents=True, exist_ok=True)
    shown = rows[rows["row"] != "point"] if "row" in rows else rows
    shown.to_csv(docs / "reproduction.csv", index=False, float_format="%.5g")
    frames = {}
    for name, module in EXPERIMENTS.items():
        own = rows[rows["experiment"] == name].dropna(axis="columns", how="all")
        frames[name] = module, own.infer_objects()
    about = where_it_ran(tasks.runs)
    seconds = sum(entry["seconds"] for entry in tasks.entries.values())
    about["time of all tasks"] = f"{seconds / 60:.1f} minutes"
    return page.write(frames, docs, _notes(tasks, keys, quick, failures), about)


def _notes(tasks, keys, quick, failures):
    if quick:
        yield "A quick run: its verdicts are about a small part of what the paper speaks of."
    if missing := [key["experiment"] for key in keys if tasks.get(key) is None]:
        of, parts = f"{len(missing)} of {len(keys)} tasks", ", ".join(sorted(set(missing)))
        yield f"This run is not complete: {of} are not done ({parts})."
    if failures:
        yield f"Tasks that failed: {len(failures)}. {'; '.join(failures)}"


def main(arguments=None):
    parser = argparse.ArgumentParser("python -m paper", description=__doc__)
    add = parser.add_argument
    add("--only", action="append", choices=EXPERIMENTS, help="run only this; may be repeated")
    add("--quick", action="store_true", help="a small version of everything, in a minute")
    add("--data", type=Path, help="where to look first for the data sets")
    add("--out", type=Path, default=Path("out/paper"), help="finished tasks and rows")
    add("--docs", type=Path, help="folder of the page; by default that of --out")
    add("--page", action="store_true", help="run nothing, write the pages from what is there")
    given = parser.parse_args(arguments)
    if given.data is not None and not given.data.is_dir():
        parser.error(f"--data {given.data} is not a folder; name one that holds the data sets")
    failures = []
    try:
        names = [] if given.page else given.only or EXPERIMENTS
        run(names, given.out, given.quick, given.data, failures)
    finally:  # also when the run is stopped: what is there can be looked at
        tally = write(given.out, given.docs or given.out, given.quick, failures)
        print(", ".join(f"{count} {verdict}" for verdict, count in tally.items()))
    return 1 if failures else 0
