"""The paper's figures and tables: run, keep tidy rows, judge; nothing here draws."""

from l1kpca.experiments.base import DEFAULT_BUDGET, Experiment, Settings, Task
from l1kpca.experiments.results import read_results
from l1kpca.experiments.runner import EXPERIMENTS, make_plan, run

__all__ = [
    "DEFAULT_BUDGET",
    "EXPERIMENTS",
    "Experiment",
    "Settings",
    "Task",
    "make_plan",
    "read_results",
    "run",
]
