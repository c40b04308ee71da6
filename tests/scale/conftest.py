"""Rows for the tests of scale, and a way to run a script in a process of its own."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

# Whoever runs the tests in the background may have told all processes to ignore Ctrl-C.
HEARS_CTRL_C = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"


@pytest.fixture
def start_script(tmp_path):
    """Start a Python script in a fresh process; whatever still runs at the end is killed."""
    started = []

    def start(text, *arguments):
        path = tmp_path / f"script{len(started)}.py"
        path.write_text(HEARS_CTRL_C + text)
        process = subprocess.Popen(
            [sys.executable, str(path), *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parent,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def run_script(start_script):
    """Run a Python script in a fresh process; its standard output, if all went well."""

    def run(text, *arguments):
        process = start_script(text, *arguments)
        output, errors = process.communicate()
        assert process.returncode == 0, errors
        return output

    return run


@pytest.fixture
def make_rows(global_random_seed):
    """Rows with a few strong directions, noise, and some rows far off."""

    def make(n, d=6):
        rng = np.random.default_rng(global_random_seed)
        X = rng.standard_normal((n, 3)) @ rng.standard_normal((3, d))
        X += 0.3 * rng.standard_normal((n, d))
        X[: n // 20] *= 5
        return X / X.std(axis=0)

    return make
