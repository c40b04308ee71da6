"""The command line without its script on the path."""

import subprocess
import sys

from l1kpca import __version__


def test_python_m_is_the_program():
    done = subprocess.run(
        [sys.executable, "-m", "l1kpca", "--version"], capture_output=True, text=True, check=True
    )
    assert __version__ in done.stdout
