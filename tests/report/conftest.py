"""The program as users run it."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def program():
    """Run the installed program in a process of its own; it must succeed."""
    executable = Path(sys.executable).with_name("l1kpca")

    def call(*arguments):
        done = subprocess.run(
            [str(executable), *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )
        assert done.returncode == 0, done.stderr

    return call
