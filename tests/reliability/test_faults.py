"""What goes wrong around the program: names, locales, time zones, clocks, Ctrl-C at its start."""

import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from l1kpca.cli.app import run

PROGRAM = Path(sys.executable).with_name("l1kpca")
ELSEWHERE = {
    "LC_ALL": "C",
    "PYTHONUTF8": "0",
    "PYTHONCOERCECLOCALE": "0",
    "TZ": "Pacific/Kiritimati",
}


@pytest.fixture
def table(tmp_path):
    """Dates, text beyond ASCII and numbers, in a file whose name is no UTF-8 text."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "Größe"])
    frame["day"] = pd.date_range("2024-03-30 23:30", periods=60, freq="7h").astype(str)
    frame["town"] = rng.choice(["Zürich", "Genève"], 60)
    path = tmp_path / os.fsdecode(b"d\xe4ta.csv")
    path.write_bytes(frame.to_csv(index=False).encode())
    return path


def detect(table, folder):
    """The words of a command, and the files that it writes."""
    names = {"--out": b"\xf6ut.csv", "--report": b"p\xe4ge.html", "--save": b"m\xf6del.skops"}
    written = {option: folder / os.fsdecode(name) for option, name in names.items()}
    return [
        "detect",
        str(table),
        *(str(word) for pair in written.items() for word in pair),
    ], written


@pytest.fixture
def expected(table, tmp_path):
    """What is written where nothing is odd but the names of the files."""
    (tmp_path / "here").mkdir()
    words, written = detect(table, tmp_path / "here")
    assert run(words) == 0
    return written


def test_names_of_files_that_are_not_text(expected):
    """Outputs have exactly these names, and the page is a page."""
    found = {os.fsencode(path.name) for path in expected["--out"].parent.iterdir()}
    assert found == {b"m\xf6del.skops", b"p\xe4ge.html", b"\xf6ut.csv"}
    assert "d?ta.csv" in expected["--report"].read_bytes().decode("utf-8")


def test_locale_and_time_zone_change_nothing(table, expected, tmp_path):
    (tmp_path / "there").mkdir()
    words, written = detect(table, tmp_path / "there")
    done = subprocess.run(
        [PROGRAM, *words], env=os.environ | ELSEWHERE, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert written["--out"].read_bytes() == expected["--out"].read_bytes()
    assert b"Gr\\xf6\\xdfe" in done.stdout  # no terminal of ASCII can show the letters


def test_a_clock_that_goes_backwards_changes_nothing(table, expected, tmp_path, monkeypatch):
    (tmp_path / "then").mkdir()
    words, written = detect(table, tmp_path / "then")
    seconds = itertools.count(2_000_000_000, -3600)
    monkeypatch.setattr(time, "time", lambda: float(next(seconds)))
    assert run(words) == 0
    assert written["--out"].read_bytes() == expected["--out"].read_bytes()


INTERRUPTED = """
import os, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == wanted:
            os.kill(os.getpid(), signal.SIGINT)

wanted = sys.argv.pop(1)
sys.meta_path.insert(0, Interrupting())
from l1kpca.cli import main
main()
"""


@pytest.mark.parametrize("module", ["typer", "l1kpca.tables"])
def test_ctrl_c_while_modules_are_imported(start_script, table, tmp_path, module):
    words, written = detect(table, tmp_path)
    process = start_script(INTERRUPTED, module, *words)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 128 + signal.SIGINT, errors
    assert output == ""
    assert "Traceback" not in errors
    assert not [path for path in written.values() if path.exists()]
