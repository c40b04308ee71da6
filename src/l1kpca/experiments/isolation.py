"""A task in a process of its own, ended when its time is used up."""

from __future__ import annotations

import multiprocessing
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from l1kpca.experiments.base import Experiment
from l1kpca.experiments.methods import warm_up
from l1kpca.journal import CUT_OFF, FAILED, Outcome, Task
from l1kpca.task_runs import run_here

_STARTING = 300.0  # seconds to import and to load compiled code, on a busy machine


def run_apart(experiment: Experiment, task: Task, data_dir: Path | None, budget: float) -> Outcome:
    """Run a task in a new process; the clock starts when everything is loaded there.

    Parameters
    ----------
    experiment, task
        What to run.
    data_dir : Path or None
        Where the data sets are.
    budget : float
        Seconds after which the process is ended.

    Returns
    -------
    outcome : Outcome
        With the status "cut off" if the budget was used up.
    """
    context = _context()
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(theirs, experiment, task, data_dir), daemon=True)
    process.start()
    theirs.close()
    try:
        if not ours.poll(_STARTING):
            return Outcome([], FAILED, f"the process did not start within {_STARTING:.0f} s")
        ours.recv()
        begin = time.perf_counter()
        if ours.poll(budget):
            return ours.recv()
        return Outcome([], CUT_OFF, f"stopped after {budget:g} s", time.perf_counter() - begin)
    except EOFError:
        process.join()
        return Outcome([], FAILED, f"the process ended with status {process.exitcode}")
    finally:
        process.kill()
        process.join()
        ours.close()


def _serve(pipe: Connection, experiment: Experiment, task: Task, data_dir: Path | None) -> None:
    warm_up(*([task.parameters["method"]] if "method" in task.parameters else []))
    pipe.send("ready")
    pipe.send(run_here(experiment, task, data_dir))


def _context() -> Any:
    """Processes that do not inherit threads; the imports are paid once where that is possible."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["l1kpca.experiments"])
    return context
