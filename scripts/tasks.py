"""Finished tasks in a file of JSON lines: a run that was stopped goes on where it stopped."""

import json
import os
import platform
import re
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

import joblib

PACKAGES = ("l1kpca", "numpy", "scipy", "scikit-learn", "numba")


ROOT = Path(__file__).resolve().parents[1]


def commit():
    """What of the sources is measured: a commit, "unknown" outside of a repository."""
    commands = ["rev-parse", "--short", "HEAD"], ["status", "--porcelain", "src"]
    head, changes = (
        subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True, check=False)
        for command in commands
    )
    return (head.stdout.strip() or "unknown") + (", changed" if changes.stdout.strip() else "")


def machine():
    """Versions and machine, as plain values by name."""
    cpu = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    processor = re.search(r"model name\s*: (.*)", cpu)
    return {
        "started": time.strftime("%Y-%m-%d %H:%M:%S"),
        **{name: metadata.version(name) for name in PACKAGES},
        "commit": commit(),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "cores": joblib.cpu_count(),
        "processor": processor[1] if processor else "unknown",
    }


class Tasks:
    """What was computed before, by key; everything new is written to the file at once.

    A key is any JSON value that holds all the result depends on, often a dict. A result is
    returned as the file holds it, so a new one equals a stored one: tuples become lists.
    A line that was being written when a run was killed is ignored.

    Parameters
    ----------
    path : Path
        The file; its folder is made if need be.
    total : int, optional
        How many tasks there are, for the lines on standard error.
    quiet : bool, default=False
        Print no line for each task.
    fresh : bool, default=False
        Forget what the file holds.

    Attributes
    ----------
    entries : dict
        From the JSON text of a key to ``{"key", "result", "seconds", "run"}``; ``run`` counts
        the entries of ``runs``.
    runs : list of dict
        Start, versions and machine of every run that added a task.
    """

    def __init__(self, path, total=None, *, quiet=False, fresh=False):
        self.path, self.total, self.quiet = Path(path), total, quiet
        if fresh:
            self.path.unlink(missing_ok=True)
        self.entries, self.runs, self._seen, self._begun = {}, [], 0, False
        lines = self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else []
        for text in lines:
            try:
                line = json.loads(text)
            except json.JSONDecodeError:
                continue
            if isinstance(line, dict) and "started" in line:
                self.runs.append(line)
            elif isinstance(line, dict) and "key" in line and self.runs:
                self.entries[_text(line["key"])] = {**line, "run": len(self.runs) - 1}
        if len(lines) > 1 and not self.runs:
            raise ValueError(f"{self.path} holds no finished tasks; name another file")

    def run(self, key, function, again=False):
        """The result of a task: the stored one, or that of calling ``function()`` now.

        Parameters
        ----------
        key : JSON value
            Names the task.
        function : callable
            Takes nothing; NumPy values in what it returns become plain ones. What it raises is
            not stored, so the task runs again next time.
        again : bool, default=False
            Compute it even if there is a stored result.
        """
        self._seen += 1
        if _text(key) not in self.entries or again:
            begin = time.perf_counter()
            result = function()
            seconds = time.perf_counter() - begin
            self._append(key, result, seconds)
            if not self.quiet:
                of = "" if self.total is None else f"/{self.total}"
                print(f"{self._seen}{of} {_text(key)} {seconds:.2f} s", file=sys.stderr, flush=True)
        return self.entries[_text(key)]["result"]

    def run_all(self, tasks, errors=Exception):
        """Run pairs of a key and a function: gives key, result and error, one of the two None."""
        for key, function in tasks:
            try:
                result, failed = self.run(key, function), None
            except errors as error:
                result, failed = None, error
            yield key, result, failed

    def get(self, key):
        """The stored result of a task; None if there is none."""
        return self.entries.get(_text(key), {}).get("result")

    def about(self, key):
        """Start, versions and machine of the run that added a task."""
        return self.runs[self.entries[_text(key)]["run"]]

    def _append(self, key, result, seconds):
        entry = json.loads(_text({"key": key, "result": result, "seconds": round(seconds, 4)}))
        lines = [entry]
        if not self._begun:
            self.runs.append(machine())
            lines = [self.runs[-1], entry]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            if file.tell() and not self._begun:
                file.write("\n")  # a killed run may have left half of a line
            file.write("".join(f"{_text(line)}\n" for line in lines))
            file.flush()
            os.fsync(file.fileno())
        self._begun = True
        self.entries[_text(key)] = {**entry, "run": len(self.runs) - 1}


def _text(value):
    return json.dumps(value, sort_keys=True, default=lambda array: array.tolist())
