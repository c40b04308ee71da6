"""What an experiment is: a plan of tasks, and a function that measures one task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from l1kpca.journal import Row, Task

DEFAULT_BUDGET = 60.0


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
    """

    quick: bool = False
    budget: float = DEFAULT_BUDGET
    data_dir: Path | None = None

    def __post_init__(self) -> None:
        """Refuse a budget that would cut off everything."""
        if not self.budget > 0:
            raise ValueError(f"budget={self.budget!r} must be positive; give seconds, such as 60")


@dataclass(frozen=True)
class Experiment:
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

    name: str
    plan: Callable[[Settings], list[Task]]
    measure: Callable[[Task, Path | None], list[Row]]
