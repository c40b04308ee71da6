"""What an experiment is: a plan of tasks, and a function that measures one task."""

from __future__ import annotations

from pathlib import Path

from l1kpca.task_runs import Settings, Study

__all__ = ["DEFAULT_BUDGET", "Experiment", "Settings"]

DEFAULT_BUDGET = Settings.budget


class Experiment(Study[Settings, Path | None]):
    """One figure or table of the paper, or several of a kind.

    Attributes
    ----------
    name : str
        As on the command line.
    plan : callable
        From settings to tasks.
    measure : callable
        From a task and a data directory to rows; it draws nothing and judges nothing.
    """
