"""Collects the tests of a copy once, then runs some of them for each mutant, in a child of its own.

    python mutation_server.py TESTS...      in the folder of the copy; started by mutate.py

It reads requests from its standard input, a line of JSON each, and answers on its standard output
with the first test that fails, "timeout", or null. A child has all modules loaded, and gives their
functions the changed code. Where that is not enough, because the change is outside of functions or
something ran while modules were imported, it loads the package anew.
"""

import gc
import json
import os
import shutil
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path
from types import CodeType, FunctionType

import numba
import pytest

COPY = Path.cwd()
OPTIONS = ["-x", "-q", "-p", "no:cacheprovider", "--timeout=120"]
CO_OPTIMIZED = 1  # of functions, not of modules and classes


def changes(old, new):
    """Pairs of code of functions that differ, the outer ones first; None if more than that does."""
    if old == new:
        return []
    function = bool(old.co_flags & CO_OPTIMIZED)
    alike = old.co_code == new.co_code and old.co_names == new.co_names
    pairs = [(old, new)] if function else []
    for before, after in zip(old.co_consts, new.co_consts, strict=False):
        if isinstance(before, CodeType) and isinstance(after, CodeType):
            within = changes(before, after)
            if within is None:
                return None
            pairs += within
        elif repr(before) != repr(after):
            alike = False
    return pairs if function or (alike and len(old.co_consts) == len(new.co_consts)) else None


class First:
    """A plugin of pytest that keeps the first failure."""

    failed = None

    def pytest_runtest_logreport(self, report):
        if report.failed and self.failed is None:
            self.failed = report.nodeid

    pytest_collectreport = pytest_runtest_logreport


class Server(First):
    """A plugin of pytest that, instead of running all tests, runs those it is asked for."""

    def __init__(self, requests, answers):
        self.requests, self.answers = requests, answers
        self.ran = set()  # code that ran while modules were imported

    def note(self, frame, event, _):
        """A profile function: what of the package runs."""
        if event == "call" and "/src/l1kpca/" in frame.f_code.co_filename:
            self.ran.add(frame.f_code)

    def pytest_runtestloop(self, session):
        sys.setprofile(None)
        gc.unfreeze()
        for line in self.requests:
            print(self.answer(session, json.loads(line)), file=self.answers, flush=True)
        return True

    def answer(self, session, asked):
        answers, answer = os.pipe()
        child = os.fork()
        if child == 0:
            os.setpgid(0, 0)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.write(answer, json.dumps(self.first_failure(session, asked)).encode())
            os._exit(0)
        os.close(answer)
        late = []

        def end():
            late.append(True)
            os.killpg(child, signal.SIGKILL)

        timer = threading.Timer(asked["timeout"], end)
        timer.start()
        os.waitpid(child, 0)
        timer.cancel()
        with suppress(ProcessLookupError):  # what it left behind, such as a cluster
            os.killpg(child, signal.SIGKILL)
        said = b"" if late else os.read(answers, 10_000)
        os.close(answers)
        return '"timeout"' if late else said.decode() or '"died"'

    def first_failure(self, session, asked):
        before = asked.get("before")
        if before and "compiled" in before:
            # What numba compiles of a mutant is not kept among what it compiled before.
            numba.config.CACHE_DIR = str(COPY / "compiled mutant")
            shutil.rmtree(numba.config.CACHE_DIR, ignore_errors=True)
        if before and not self.changed(COPY / asked["path"], before):
            return anew(asked)
        items = self.chosen(session.items, asked)
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.failed:
                return self.failed
        return None

    def chosen(self, items, asked):
        """The tests that are asked for: what killed before, then files and folders as named."""
        named = [*asked["near"], *asked["tests"]]
        # The files that take long come first in the suite, and last here.
        places = {path: -i for i, path in enumerate(dict.fromkeys(item.path for item in items))}
        ranked = []
        for i, item in enumerate(items):
            rank = next((r for r, name in enumerate(named) if item.nodeid.startswith(name)), None)
            left_out = item.nodeid.startswith(tuple(asked["left_out"]))
            if rank is not None and item.nodeid not in asked["without"] and not left_out:
                ranked.append((rank, places[item.path], i))
        return [items[i] for *_, i in sorted(ranked)]

    def changed(self, path, before):
        """Give loaded functions the changed code, if that is all that a mutant changes."""
        old, new = (compile(text, str(path), "exec") for text in (before, path.read_text("utf-8")))
        pairs = changes(old, new)
        if pairs is None or any(code in self.ran for code, _ in pairs):
            return False
        live = {}
        for one in gc.get_objects():
            if isinstance(one, FunctionType) and one.__code__.co_filename == str(path):
                live.setdefault(one.__code__, []).append(one)
        if not any(code in live for code, _ in pairs):
            return False
        for code, other in pairs:
            for function in live.get(code, ()):
                if len(code.co_freevars) != len(other.co_freevars):
                    return False
                function.__code__ = other
        return True


def anew(asked):
    """The first failure of the same tests in modules that are imported again."""
    for name, module in list(sys.modules.items()):
        place = getattr(module, "__file__", None) or ""
        if place.startswith(str(COPY)) and name != "__main__":
            del sys.modules[name]
    left_out = [f"--deselect={name}" for name in [*asked["without"], *asked["left_out"]]]
    for tests in filter(None, [asked["near"], *([each] for each in asked["tests"])]):
        first = First()
        status = pytest.main([*OPTIONS, *left_out, *tests], plugins=[first])
        if first.failed or status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            return first.failed or f"status {status}"
    return None


def main():
    """Serve until the requests end."""
    requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    server = Server(requests, answers)
    sys.setprofile(server.note)
    pytest.main([*OPTIONS, *sys.argv[1:]], plugins=[server])


if __name__ == "__main__":
    main()
