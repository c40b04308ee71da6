"""Tasks and their rows on disk: a journal that only grows, and the tidy table made of it."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd

from l1kpca import __version__
from l1kpca.outputs import replacing, writing_explained
from l1kpca.threads import available_cores

Row = dict[str, Any]
"""One tidy row: names of columns and plain values."""

DONE, CUT_OFF, FAILED = "done", "cut off", "failed"
NOT_RUN, NO_DATA = "not run", "no data"
FULL, QUICK = "full", "quick"
_FIRST = ("experiment", "part", "status")
_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


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
class Outcome:
    """What became of a task."""

    rows: list[Row]
    status: str = DONE
    message: str = ""
    seconds: float = 0.0


class Journal:
    """One line for each finished task, written when it is finished.

    Parameters
    ----------
    folder : Path
        Where ``journal.jsonl`` is; the folder must exist.
    """

    def __init__(self, folder: Path):
        self.path = folder / "journal.jsonl"
        self.entries: dict[str, dict[str, Any]] = {}
        self.runs: list[dict[str, Any]] = []
        for line in self._lines():
            if not isinstance(line, dict) or not line.keys() & {"run", "key"}:
                raise ValueError(f"{self.path} is not the journal of a run; give another folder")
            if "run" in line:
                self.runs.append(line["run"])
            else:
                self.entries[line["key"]] = line

    def _lines(self) -> Iterable[Any]:
        if not self.path.exists():
            return
        for text in self.path.read_text(encoding="utf-8").splitlines():
            try:
                yield json.loads(text)
            except json.JSONDecodeError:
                continue  # the line that was being written when a run was stopped

    def begin_run(self) -> None:
        """Note when, where and with what the rows that follow are made."""
        about = {"started": time.strftime("%Y-%m-%d %H:%M:%S"), **machine()}
        self.runs.append(about)
        with writing_explained(self.path), self.path.open("a", encoding="utf-8") as file:
            file.write("\n")  # ends the line that a killed run may have left unfinished
        self._write({"run": about})

    def add(self, task: Task, outcome: Outcome, budget: float) -> None:
        """Keep what became of a task."""
        entry = {
            "key": task.key,
            "run_number": len(self.runs) - 1,
            "status": outcome.status,
            "message": outcome.message,
            "task_seconds": round(outcome.seconds, 4),
            "budget": budget if task.budgeted else None,
            "rows": outcome.rows,
        }
        self.entries[task.key] = entry
        self._write(entry)

    def needs(self, task: Task, budget: float) -> bool:
        """Whether a task is still to be run: new, failed, or cut off by a smaller budget."""
        entry = self.entries.get(task.key)
        if entry is None or entry["status"] == FAILED:
            return True
        return entry["status"] == CUT_OFF and entry["budget"] < budget

    def rows_of(self, task: Task) -> list[Row]:
        """The rows of a task; none if it was not measured."""
        return self.entries.get(task.key, {}).get("rows", [])

    def frame(self, plan: Iterable[Task], missing: frozenset[str] = frozenset()) -> pd.DataFrame:
        """The tidy table of a plan: what was measured, and a row for what was not.

        Parameters
        ----------
        plan : iterable of Task
            Rows of other tasks are left out.
        missing : frozenset of str
            Data sets that are not on this machine.
        """
        rows: list[dict[str, Any]] = []
        for task in plan:
            common = {"experiment": task.experiment, "part": task.part}
            entry = self.entries.get(task.key)
            if entry is None:
                status = NO_DATA if task.dataset in missing else NOT_RUN
                rows.append({**common, **task.parameters, "status": status})
                continue
            common |= {name: entry[name] for name in ("status", "message", "task_seconds")}
            common |= {"budget": entry["budget"], **self.runs[entry["run_number"]]}
            rows += [{**common, **task.parameters, **row} for row in entry["rows"] or [{}]]
        frame = pd.DataFrame(rows)
        first = [name for name in _FIRST if name in frame]
        return frame[first + [name for name in frame if name not in first]]

    def _write(self, line: dict[str, Any]) -> None:
        with writing_explained(self.path), self.path.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(line, default=_plain)}\n")


def _plain(value: Any) -> Any:
    """A NumPy number as what JSON can hold."""
    return value.item()


def machine() -> dict[str, str | int]:
    """Versions and machine, as columns of the tidy table."""
    versions = {f"version_{name}": metadata.version(name) for name in _PACKAGES}
    return {
        "version_l1kpca": __version__,
        "version_python": platform.python_version(),
        **versions,
        "machine": f"{platform.system()} {platform.machine()}",
        "cores": available_cores(),
    }


def write_results(frame: pd.DataFrame, folder: Path) -> None:
    """Write the tidy table as ``results.parquet`` and ``results.csv``."""
    with replacing(folder / "results.parquet", overwrite=True) as temporary:
        frame.to_parquet(temporary, index=False)
    with replacing(folder / "results.csv", overwrite=True) as temporary:
        frame.to_csv(temporary, index=False, lineterminator="\n")


def read_results(path: Path, command: str = "reproduce") -> pd.DataFrame:
    """Read the tidy table back.

    Parameters
    ----------
    path : Path
        The file ``results.parquet``, or the folder that holds it.
    command : str, default="reproduce"
        The command that writes it, for the message if it is not there.

    Returns
    -------
    table : DataFrame
        One row for each result, with the parameters it depends on.
    """
    path = path / "results.parquet" if path.is_dir() else path
    if not path.is_file():
        raise FileNotFoundError(f"{path} is not there; l1kpca {command} --out DIR writes it")
    return pd.read_parquet(path)
