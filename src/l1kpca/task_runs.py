"""Runs: what a plan asks for and is not in the journal yet is done, and the rows are written."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import pandas as pd

from l1kpca import datasets
from l1kpca.journal import FAILED, FULL, QUICK, Journal, Outcome, Row, Task

Progress = Callable[[float, float, str], None]
"""Called with the seconds of work done, those in all, and the name of what comes next."""


@dataclass(frozen=True)
class Settings:
    """How large a run is.

    Attributes
    ----------
    quick : bool
        A small version of everything, for a first look and for tests.
    budget : float
        Seconds that a fit of a slow method may take before it is cut off.
    data_dir : Path or None
        Where to look first for the data sets.
    fresh : bool
        Do again what is in the journal.
    """

    quick: bool = False
    budget: float = 60.0
    data_dir: Path | None = None
    fresh: bool = False

    def __post_init__(self) -> None:
        """Refuse a budget that would cut off everything."""
        self._require_positive("budget", "seconds")

    def _require_positive(self, name: str, unit: str) -> None:
        value, usual = getattr(self, name), getattr(type(self), name)
        if not value > 0:
            raise ValueError(f"{name}={value!r} must be positive; give {unit}, such as {usual:g}")


Sized = TypeVar("Sized", bound=Settings)
Given = TypeVar("Given")


@dataclass(frozen=True)
class Study(Generic[Sized, Given]):
    """Tasks of a kind, and how one of them is measured.

    Attributes
    ----------
    name : str
        As on the command line.
    plan : callable
        From settings to tasks.
    measure : callable
        From a task and what else it may use to rows; it draws nothing and judges nothing.
    """

    name: str
    plan: Callable[[Sized], list[Task]]
    measure: Callable[[Task, Given], list[Row]]


def run_here(study: Study[Sized, Given], task: Task, given: Given) -> Outcome:
    """Run a task in this process; what it raises becomes part of the outcome."""
    begin = time.perf_counter()
    try:
        rows = study.measure(task, given)
    except Exception as error:  # noqa: BLE001 (one failure must not end a run of an hour)
        return Outcome([], FAILED, f"{type(error).__name__}: {error}", time.perf_counter() - begin)
    return Outcome(rows, seconds=time.perf_counter() - begin)


def run_tasks(
    asked: Iterable[Task],
    journal: Journal,
    settings: Settings,
    work: Callable[[Task, float], Outcome],
    shown: Callable[[], list[Task]],
    write: Callable[[pd.DataFrame], None],
    progress: Progress,
) -> pd.DataFrame:
    """Do the tasks that are not in the journal yet and whose data are there, and write the rows.

    Parameters
    ----------
    asked : iterable of Task
        In the order in which they are run.
    journal : Journal
        What was done before; gets what is done.
    settings : Settings
        How large the run is.
    work : callable
        From a task, and its share of the work that is left, to its outcome.
    shown : callable
        The tasks whose rows are written, asked for when all is done.
    write : callable
        Takes the rows; called also when the run is stopped.
    progress : callable
        Told before each task what is done.

    Returns
    -------
    frame : DataFrame
        The tidy rows that were written.
    """
    missing = frozenset(datasets.names()) - frozenset(datasets.available(settings.data_dir))
    waiting = [
        task
        for task in asked
        if task.dataset not in missing and (settings.fresh or journal.needs(task, settings.budget))
    ]
    try:
        _work_off(waiting, journal, settings.budget, work, progress)
    finally:  # also when the run is stopped, so that what is there can be looked at
        frame = journal.frame(shown(), missing).assign(size=QUICK if settings.quick else FULL)
        write(frame)
    return frame


def _work_off(
    waiting: list[Task],
    journal: Journal,
    budget: float,
    work: Callable[[Task, float], Outcome],
    progress: Progress,
) -> None:
    if not waiting:
        return
    journal.begin_run()
    total = sum(task.seconds for task in waiting)
    done = 0.0
    for task in waiting:
        progress(done, total, f"{task.experiment}: {task.part}")
        journal.add(task, work(task, task.seconds / (total - done)), budget)
        done += task.seconds
    progress(total, total, "done")
