"""Measure what a plan asks for and is not in the journal yet."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from l1kpca.bench import from_rows, grid, loading, stored, techniques
from l1kpca.bench.base import Context, Part, Settings
from l1kpca.bench.results import write_results
from l1kpca.journal import Journal, Outcome, Task
from l1kpca.task_runs import Progress, run_here, run_tasks

PARTS: dict[str, Part] = {
    part.name: part
    for part in (
        loading.LOADING,
        stored.MNIST,
        stored.MUSK,
        from_rows.ROWS,
        from_rows.LINEAR,
        loading.MEMORY,
        from_rows.GROWTH,
        techniques.PART,
        grid.GRID,
    )
}
"""All parts; the grid comes last, because its repeats adapt to the time that is left."""


def run(
    names: Iterable[str],
    folder: Path,
    settings: Settings | None = None,
    progress: Progress = lambda done, total, doing: None,
) -> pd.DataFrame:
    """Measure and write tidy rows; what is in the journal already is not measured again.

    Parameters
    ----------
    names : iterable of str
        Keys of `PARTS`.
    folder : Path
        An existing folder; gets ``journal.jsonl``, ``results.json`` and ``results.csv``.
    settings : Settings, optional
        How large the run is; by default the full one.
    progress : callable, optional
        Told before each task what is done.

    Returns
    -------
    frame : DataFrame
        The tidy rows of all parts; those that were not run say so.
    """
    settings = settings or Settings()
    journal = Journal(folder)
    asked = [(PARTS[name], task) for name in names for task in PARTS[name].plan(settings)]
    part_of = {task.key: part for part, task in asked}
    end = time.monotonic() + 60 * settings.minutes

    def work(task: Task, share: float) -> Outcome:
        context = Context(settings, share * (end - time.monotonic()), journal.rows_of)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # components beyond the rank, searches that stall
            return run_here(part_of[task.key], task, context)

    return run_tasks(
        [task for _, task in asked],
        journal,
        settings,
        work,
        shown=lambda: [task for part in PARTS.values() for task in part.plan(settings)],
        write=lambda frame: write_results(frame, folder),
        progress=progress,
    )
