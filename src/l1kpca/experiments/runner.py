"""Run what a plan asks for and is not there yet."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from l1kpca.experiments import beyond, outliers, robustness, runtime, toys
from l1kpca.experiments.base import Experiment, Settings
from l1kpca.experiments.isolation import run_apart
from l1kpca.experiments.methods import warm_up
from l1kpca.journal import Journal, Outcome, Task, write_results
from l1kpca.task_runs import Progress, run_here, run_tasks

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        robustness.EXPERIMENT,
        toys.EXPERIMENT,
        outliers.EXPERIMENT,
        runtime.EXPERIMENT,
        beyond.EXPERIMENT,
    )
}
"""All experiments, in the order of the page."""


def make_plan(names: Iterable[str], settings: Settings) -> list[Task]:
    """All tasks of the named experiments.

    Parameters
    ----------
    names : iterable of str
        Keys of `EXPERIMENTS`.
    settings : Settings
        How large the run is.

    Returns
    -------
    tasks : list of Task
        In the order in which they are run.

    Examples
    --------
    >>> tasks = make_plan(["toys"], Settings(quick=True))
    >>> {task.part for task in tasks} == {"line", "spiral"}
    True
    """
    return [task for name in names for task in EXPERIMENTS[name].plan(settings)]


def run(
    names: Iterable[str],
    folder: Path,
    settings: Settings | None = None,
    progress: Progress = lambda done, total, doing: None,
) -> pd.DataFrame:
    """Run experiments and write their tidy rows; what is there already is not run again.

    Parameters
    ----------
    names : iterable of str
        Keys of `EXPERIMENTS`.
    folder : Path
        An existing folder; gets ``journal.jsonl``, ``results.parquet`` and ``results.csv``.
    settings : Settings, optional
        How large the run is; by default the full one.
    progress : callable, optional
        Told before each task what is done.

    Returns
    -------
    frame : DataFrame
        The tidy rows of these experiments, and of others that were run in this folder before.
    """
    settings = settings or Settings()
    plan = make_plan(names, settings)
    journal = Journal(folder)
    return run_tasks(
        plan,
        journal,
        settings,
        work=lambda task, share: _outcome(task, settings),
        shown=lambda: _begun(journal, settings, plan),
        write=lambda frame: write_results(frame, folder),
        progress=progress,
    )


def _begun(journal: Journal, settings: Settings, plan: list[Task]) -> list[Task]:
    """The tasks of a plan, and those of all other experiments of which some are done."""
    known = [task for task in make_plan(EXPERIMENTS, settings) if task.key in journal.entries]
    names = {task.experiment for task in (*plan, *known)}
    return make_plan([name for name in EXPERIMENTS if name in names], settings)


def _outcome(task: Task, settings: Settings) -> Outcome:
    experiment = EXPERIMENTS[task.experiment]
    if task.budgeted:
        return run_apart(experiment, task, settings.data_dir, settings.budget)
    warm_up()
    return run_here(experiment, task, settings.data_dir)
