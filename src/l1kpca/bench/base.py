"""What a part of the benchmark is: a plan of tasks, and a function that measures one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from l1kpca.bench.timing import REPEATS
from l1kpca.journal import Row, Task

NAME = "bench"
DEFAULT_BUDGET = 8.0
DEFAULT_MINUTES = 33.0


@dataclass(frozen=True)
class Settings:
    """How large a run is.

    Attributes
    ----------
    quick : bool
        Everything on a small scale, in seconds: shows that it works, says nothing about speed.
    budget : float
        Seconds; in the grid, a competitor that is expected to take longer is not run.
    minutes : float
        About how long the run may take in all; repeats in the grid are cut to it.
    data_dir : Path or None
        Where to look first for the data sets.
    fresh : bool
        Measure again what is in the journal.
    """

    quick: bool = False
    budget: float = DEFAULT_BUDGET
    minutes: float = DEFAULT_MINUTES
    data_dir: Path | None = None
    fresh: bool = False

    @property
    def repeats(self) -> int:
        """Rounds in which works take turns."""
        return 2 if self.quick else REPEATS

    def __post_init__(self) -> None:
        """Refuse times that would leave nothing to run."""
        for name, unit, usual in (("budget", "seconds", 8), ("minutes", "minutes", 33)):
            value = getattr(self, name)
            if not value > 0:
                raise ValueError(f"{name}={value!r} must be positive; give {unit}, such as {usual}")


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


@dataclass(frozen=True)
class Part:
    """One part of the benchmark.

    Attributes
    ----------
    name : str
        As on the command line.
    about : str
        What it measures.
    plan : callable
        From settings to tasks.
    measure : callable
        From a task and its context to rows, one for each method.
    """

    name: str
    about: str
    plan: Callable[[Settings], list[Task]]
    measure: Callable[[Task, Context], list[Row]]
