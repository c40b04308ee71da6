"""What a part of the benchmark is: a plan of tasks, and a function that measures one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from l1kpca import task_runs
from l1kpca.bench.timing import REPEATS
from l1kpca.journal import Row, Task

NAME = "bench"
DEFAULT_BUDGET = 8.0
DEFAULT_MINUTES = 33.0


@dataclass(frozen=True)
class Settings(task_runs.Settings):
    """How large a run is; a quick one shows that it works and says nothing about speed.

    Attributes
    ----------
    budget : float
        Seconds; in the grid, a competitor that is expected to take longer is not run.
    minutes : float
        About how long the run may take in all; repeats in the grid are cut to it.
    """

    budget: float = DEFAULT_BUDGET
    minutes: float = DEFAULT_MINUTES

    @property
    def repeats(self) -> int:
        """Rounds in which works take turns."""
        return 2 if self.quick else REPEATS

    def __post_init__(self) -> None:
        """Refuse times that would leave nothing to run."""
        super().__post_init__()
        self._require_positive("minutes", "minutes")


@dataclass(frozen=True)
class Context:
    """What a measurement may use beside its task.

    Attributes
    ----------
    settings : Settings
        How large the run is.
    allowance : float
        Seconds that are meant for this task.
    rows_of : callable
        From another task to its rows; none if it was not measured.
    """

    settings: Settings
    allowance: float
    rows_of: Callable[[Task], list[Row]] = lambda task: []


Part = task_runs.Study[Settings, Context]
"""One part of the benchmark; its rows are one for each method."""
