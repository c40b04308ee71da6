"""A command of one's own: a file in the folder of the commands, and nothing else."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from l1kpca.cli import commands
from l1kpca.cli.app import run
from pages import blocks_of

FILE = Path(__file__).parent / "commands" / "count.py"


@pytest.fixture(autouse=True)
def added(monkeypatch):
    """The folder of the toy counts as part of that of the commands."""
    monkeypatch.setattr(commands, "__path__", [*commands.__path__, str(FILE.parent)])
    yield
    sys.modules.pop(f"{commands.__name__}.count", None)
    vars(commands).pop("count", None)


def test_the_program_finds_it(tmp_path, capsys):
    path = tmp_path / "rows.npy"
    np.save(path, np.ones((7, 2)))
    assert run(["count", str(path)]) == 0
    assert capsys.readouterr().out == "7 rows\n"
    assert run(["count", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"rows": 7}


def test_it_is_in_the_help_and_has_one(capsys):
    assert run(["--help"]) == 0
    assert "Count the rows of a table." in capsys.readouterr().out
    assert run(["count", "--help"]) == 0
    assert "DATA" in capsys.readouterr().out


def test_bad_input_is_one_sentence(tmp_path, capsys):
    assert run(["count", str(tmp_path / "none.csv")]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("l1kpca: ")
    assert shown.err.count("\n") == 1


def test_it_is_the_one_on_the_page():
    page = FILE.parents[3] / "docs" / "extending.md"
    assert FILE.read_text() in [block.code for block in blocks_of(page.read_text())]
