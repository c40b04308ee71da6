"""Measure what a plan asks for and is not in the journal yet."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

import pandas as pd

from l1kpca import datasets
from l1kpca.bench import from_rows, grid, loading, stored, techniques
from l1kpca.bench.base import Context, Part, Settings
from l1kpca.bench.results import write_results
from l1kpca.journal import FAILED, FULL, QUICK, Journal, Outcome, Row, Task

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

Progress = Callable[[float, float, str], None]
"""Called with the seconds of work done, those in all, and the name of what comes next."""


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
    missing = frozenset(datasets.names()) - frozenset(datasets.available(settings.data_dir))
    journal = Journal(folder)
    asked = [(name, task) for name in names for task in PARTS[name].plan(settings)]
    waiting = [
        (name, task)
        for name, task in asked
        if task.dataset not in missing and (settings.fresh or journal.needs(task, settings.budget))
    ]
    try:
        _work(waiting, journal, settings, progress)
    finally:  # also when the run is stopped, so that what is there can be looked at
        plan = [task for part in PARTS.values() for task in part.plan(settings)]
        frame = journal.frame(plan, missing).assign(size=QUICK if settings.quick else FULL)
        write_results(frame, folder)
    return frame


def _work(
    waiting: list[tuple[str, Task]], journal: Journal, settings: Settings, progress: Progress
) -> None:
    if not waiting:
        return
    journal.begin_run()
    end = time.monotonic() + 60 * settings.minutes
    total = sum(task.seconds for _, task in waiting)
    done = 0.0
    for name, task in waiting:
        progress(done, total, f"{name}: {task.part}")
        share = task.seconds / (total - done)
        context = Context(settings, share * (end - time.monotonic()), _rows_in(journal))
        journal.add(task, _outcome(PARTS[name], task, context), settings.budget)
        done += task.seconds
    progress(total, total, "done")


def _outcome(part: Part, task: Task, context: Context) -> Outcome:
    begin = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # components beyond the rank, searches that stall
            rows = part.measure(task, context)
    except Exception as error:  # noqa: BLE001 (one failure must not end a run of half an hour)
        return Outcome([], FAILED, f"{type(error).__name__}: {error}", time.perf_counter() - begin)
    return Outcome(rows, seconds=time.perf_counter() - begin)


def _rows_in(journal: Journal) -> Callable[[Task], list[Row]]:
    return lambda task: journal.entries.get(task.key, {}).get("rows", [])
