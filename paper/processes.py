"""A task in a process of its own, ended when its time is used up."""

import multiprocessing
import os
import signal
import warnings
from concurrent.futures import ProcessPoolExecutor

from paper.methods import warm_up

CUT_OFF = "cut off"


def within(budget, measure, at, data_dir):
    """Rows of ``measure(at, data_dir)``, or one that says that it took more than the budget.

    The clock starts when everything is loaded; ``at["method"]`` says which loops are needed."""
    # Processes that do not inherit threads; the imports are paid once where that is possible.
    known = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in known else "spawn")
    context.set_forkserver_preload(["paper.runs"])
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        process = pool.submit(_ready, at["method"]).result()
        try:
            return pool.submit(measure, at, data_dir).result(timeout=budget)
        except TimeoutError:
            os.kill(process, signal.SIGTERM)
            return [{"status": CUT_OFF, "seconds": budget}]


def _ready(method):
    warnings.simplefilter("ignore")
    warm_up(method)
    return os.getpid()
