"""Time and memory: fresh processes that are asked, and rounds in which works take turns."""

import json
import os
import re
import resource
import statistics
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from scripts.tasks import ROOT

# Byte code is kept, as in any installation: our sources take longer to translate than to load.
KEPT = {"PYTHONDONTWRITEBYTECODE": ""}
SHORT, LONG = 0.1, 20.0  # seconds; what takes less is timed more often, what takes more less often
BEHIND = 1.3  # times the fastest rival in the first round: not timed again


class Worker(subprocess.Popen):
    """A fresh Python process in which a module answers questions (`serve`), with another source
    tree if one is named, so that two versions can take turns, and more environment ``variables``.
    """

    def __init__(self, module, tree=ROOT, **variables):
        tree, known = Path(tree) / "src", os.environ.get("PYTHONPATH", "")
        variables["PYTHONPATH"] = os.pathsep.join(map(str, (tree, ROOT, known)))
        command, pipe = [sys.executable, "-m", module, "--serve"], subprocess.PIPE
        environment = {**os.environ, **KEPT, **variables}
        super().__init__(command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT, env=environment)

    def ask(self, question, **given):
        """The answer of one of the functions that the process serves."""
        with suppress(BrokenPipeError):  # a process that has ended does not answer either
            print(json.dumps([question, given]), file=self.stdin, flush=True)
        line = self.stdout.readline()
        if not line:
            raise RuntimeError(f"a measured process ended with status {self.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(f"a measured process failed: {answer['error']}")
        return answer["value"]

    def __exit__(self, *details):
        with suppress(BrokenPipeError):
            super().__exit__(*details)


def serve(*functions):
    """Answer the questions of a `Worker` until it closes; prints go to standard error."""
    known = {function.__name__: function for function in functions}
    out, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        question, given = json.loads(line)
        try:
            reply = {"value": known[question](**given)}
        except Exception as error:  # noqa: BLE001 (the process that asks must hear of it)
            reply = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), file=out, flush=True)


def asked_once(module, question, tree=ROOT, **given):
    """The answer of a process that does nothing else."""
    with Worker(module, tree) as worker:
        return worker.ask(question, **given)


def measured(work):
    """What some work returns, its seconds on the wall, and those of all cores."""
    wall, cpu = time.perf_counter(), time.process_time()
    found = work()
    return found, time.perf_counter() - wall, time.process_time() - cpu


def least(work, rounds=3):
    """What some work returns, and its least seconds: the first round may load compiled code."""
    runs = [measured(work) for _ in range(rounds)]
    return runs[-1][0], min(wall for _, wall, _ in runs)


def seconds_of(work):
    return measured(work)[1]


def import_seconds(statement, tree=ROOT):
    """Seconds of an import in a fresh interpreter, without the start of the interpreter."""
    script = f"import time; t = time.perf_counter()\n{statement}\nprint(time.perf_counter() - t)"
    environment = {**os.environ, **KEPT, "PYTHONPATH": str(Path(tree) / "src")}
    command = [sys.executable, "-c", script]
    return float(subprocess.check_output(command, env=environment, text=True).split()[-1])


def in_turn(works, rounds=None, rivals=()):
    """Seconds of works by name, round by round; all take turns, so that a change of the machine's
    load meets all: five rounds, or fifteen of what is short and three of what is long, unless
    ``rounds`` is given. Of rivals the fastest counts: one that is slow and clearly behind in the
    first round is out, and after three rounds all others are."""
    runs, out = {name: [] for name in works}, set()
    for number in range(rounds or 15):
        for name in [name for name in works if name not in out]:
            most = max(runs[name], default=0)
            if number < (rounds or (15 if most <= SHORT else 5 if most <= LONG else 3)):
                runs[name].append(works[name]())
        if number in (0, 2) and rivals:
            medians = {name: statistics.median(runs[name]) for name in rivals if name not in out}
            fastest = min(medians.values())
            most = fastest if number else max(BEHIND * fastest, SHORT)
            out |= {name for name, seconds in medians.items() if seconds > most}
    return runs


@dataclass(frozen=True)
class Spread:
    """A median or a ratio of two, and the same of each round; none if nothing was repeated."""

    value: float
    rounds: tuple = ()


def median(seconds):
    """The median of repeats, with them."""
    return Spread(statistics.median(seconds), tuple(seconds))


def ratio(top, bottom, times=1.0):
    """Median over median, of the rounds of both (one of the bottom serves all); ``times`` over."""
    pairs = list(zip(top, bottom if len(bottom) > 1 else bottom * len(top), strict=False))
    above, below = (statistics.median(side) for side in zip(*pairs, strict=True))
    return Spread(above / (times * below), tuple(a / (times * b) for a, b in pairs))


def peak_bytes():
    """Most bytes that this process has held so far."""
    status = Path("/proc/self/status")
    if status.exists():  # Linux, which hands the ``ru_maxrss`` of a process on to those it starts
        return 1024 * int(re.search(r"VmHWM:\s+(\d+) kB", status.read_text())[1])
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
