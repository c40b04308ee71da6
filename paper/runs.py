"""Runs: what the plans ask for and is not done yet is done, and the page is made of the rows."""

import sys
import warnings
from functools import partial

import pandas as pd

from l1kpca import datasets
from paper import beyond, outliers, page, robustness, runtime, toys
from paper.methods import warm_up
from paper.processes import CUT_OFF
from scripts.tasks import Tasks

EXPERIMENTS = {
    module.__name__.removeprefix("paper."): module
    for module in (robustness, toys, outliers, runtime, beyond)
}


def plan(names, quick):
    """The key of every task of some experiments; it holds all that the result depends on."""
    size = "quick" if quick else "full"
    return [{"experiment": name, **at} for name in names for at in EXPERIMENTS[name].GRID[size]]


def run(names, out, quick, data_dir, budget, failures):
    """Do what is not in ``tasks.jsonl`` yet and whose data set is there, or append to the failures.

    What was cut off is done again with a larger budget."""
    there = {None, *datasets.available(data_dir)}
    keys = [key for key in plan(names, quick) if key.get("dataset") in there]
    tasks = Tasks(out / "tasks.jsonl", total=len(keys))
    for key in keys:
        stored = tasks.get(key) or [{}]
        again = stored[0].get("status") == CUT_OFF and stored[0]["seconds"] < budget
        try:
            tasks.run(key, partial(measure, key, data_dir, budget), again)
        except Exception as error:  # noqa: BLE001 (one failure must not end a run of an hour)
            failures.append(f"{key}: {type(error).__name__}: {error}")
            print(f"failed: {failures[-1]}", file=sys.stderr)


def measure(key, data_dir, budget):
    warm_up()
    # Provoked on purpose: more components than the rank, and searches that stall.
    with warnings.catch_warnings(action="ignore"):
        return EXPERIMENTS[key["experiment"]].measure(key, data_dir, budget)


def write(out, docs, quick, failures=()):
    """Write ``results.csv`` and the page from the finished tasks in a folder."""
    tasks, keys = Tasks(out / "tasks.jsonl"), plan(EXPERIMENTS, quick)
    rows = [{**key, "status": "done", **row} for key in keys for row in tasks.get(key) or []]
    if not rows:
        return {}
    rows = pd.DataFrame(rows)
    rows.to_csv(out / "results.csv", index=False)
    frames = [
        (EXPERIMENTS[name], own.dropna(axis="columns", how="all").infer_objects())
        for name, own in rows.groupby("experiment", sort=False)
    ]
    return page.write(frames, docs, _notes(tasks, keys, rows, quick, failures), _about(tasks, rows))


def _notes(tasks, keys, rows, quick, failures):
    if quick:
        yield "A quick run: its verdicts are about a small part of what the paper speaks of."
    if missing := sum(tasks.get(key) is None for key in keys):
        yield f"This run is not complete: {missing} of {len(keys)} tasks are not done."
    if cut := (rows["status"] == CUT_OFF).sum():
        yield f"Fits cut off by the time budget: {cut}; `--budget` gives them more."
    if failures:
        yield f"Tasks that failed: {len(failures)}. {'; '.join(failures)}"


def _about(tasks, rows):
    about = pd.DataFrame(tasks.runs).astype(str).agg(lambda values: ", ".join(values.unique()))
    seconds = sum(entry["seconds"] for entry in tasks.entries.values())
    about["time of all tasks"] = f"{seconds / 60:.1f} minutes"
    about["seeds"] = f"{rows['seed'].min():.0f} to {rows['seed'].max():.0f}"
    return about
