"""Files as users have them, and the program as users run it."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from l1kpca.cli.app import run


@pytest.fixture
def frame():
    """A hundred rows in two dimensions and a bit, five of them far off; mixed columns."""
    rng = np.random.default_rng(0)
    t = rng.normal(size=100)
    frame = pd.DataFrame(
        {
            "case": [f"{i:04d}" for i in range(100)],
            "length": 10 + t + 0.1 * rng.normal(size=100),
            "width": 5 - t + 0.1 * rng.normal(size=100),
            "weight": rng.integers(50, 60, size=100),
            "color": rng.choice(["blue", "green", "red"], size=100),
            "comment": [f"text number {i}" for i in range(100)],
            "bad": 0,
        }
    )
    frame.loc[[3, 20, 50, 77, 90], "length"] += [40.0, -35.0, 50.0, 45.0, -60.0]
    frame.loc[[3, 20, 50, 77, 90], "bad"] = 1
    return frame


@pytest.fixture
def csv_file(frame, tmp_path):
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture
def cli(capsys):
    """Run a command in this process: quick, for the many cases that differ in their files."""

    def call(*arguments):
        status = run([str(argument) for argument in arguments])
        shown = capsys.readouterr()
        return SimpleNamespace(status=status, stdout=shown.out, stderr=shown.err)

    return call


@pytest.fixture
def cli_json(cli):
    """Run a command with --json and read what it prints."""

    def call(*arguments):
        done = cli(*arguments, "--json")
        assert done.status == 0, done.stderr
        return json.loads(done.stdout)

    return call


@pytest.fixture
def program():
    """Run the installed program in a process of its own, as a user does."""
    executable = Path(sys.executable).with_name("l1kpca")

    def call(*arguments, **keywords):
        done = subprocess.run(
            [str(executable), *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            **keywords,
        )
        assert "Traceback" not in done.stderr
        return SimpleNamespace(status=done.returncode, stdout=done.stdout, stderr=done.stderr)

    return call
