"""What an experiment is: a plan of tasks, and a function that measures one task."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Row = dict[str, Any]
"""One tidy row: names of columns and plain values."""

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
class Task:
    """The smallest piece of work that is done as a whole, and not again once it is done.

    Attributes
    ----------
    experiment, part : str
        Where it belongs.
    parameters : dict
        All that the result depends on, as plain values.
    budgeted : bool
        Whether it runs in a process of its own, that is ended when the time budget is used up.
    dataset : str or None
        The data set without which it cannot run.
    seconds : float
        About how long it takes, for the progress bar only.
    """

    experiment: str
    part: str
    parameters: Row = field(default_factory=dict)
    budgeted: bool = False
    dataset: str | None = None
    seconds: float = 1.0

    @property
    def key(self) -> str:
        """The name under which its rows are kept.

        Examples
        --------
        >>> Task("toys", "line", {"seed": 0}).key
        'toys/line {"seed": 0}'
        """
        return f"{self.experiment}/{self.part} {json.dumps(self.parameters, sort_keys=True)}"


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
