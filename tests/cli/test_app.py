"""The program is put together from its commands, and imports no more than it needs."""

import subprocess
import sys

import pytest

from l1kpca.cli import commands
from l1kpca.cli.app import run

TOY = '''
from typing import Annotated
import typer
from l1kpca.cli.terminal import InputError

def double(number: int, wrong: Annotated[bool, typer.Option(help="Fail.")] = False) -> None:
    """Say twice the number."""
    if wrong:
        raise InputError("--wrong is not possible; leave it out.")
    print(2 * number)
'''
GROUP = '''
import typer
words = typer.Typer(help="Words.")

@words.command()
def up(word: str) -> None:
    """In capitals."""
    print(word.upper())

@words.command()
def stop() -> None:
    """Like Ctrl-C."""
    raise KeyboardInterrupt
'''


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder beside that of the commands."""
    monkeypatch.setattr(commands, "__path__", [*commands.__path__, str(tmp_path)])
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith(f"{commands.__name__}.")]:
        monkeypatch.delitem(sys.modules, name)


def test_a_file_is_a_command(folder, capsys):
    (folder / "double.py").write_text(TOY)
    assert run(["double", "21"]) == 0
    assert capsys.readouterr().out == "42\n"
    assert run(["double", "21", "--wrong"]) == 2
    assert capsys.readouterr() == ("", "l1kpca: --wrong is not possible; leave it out.\n")
    assert run(["--help"]) == 0
    shown = capsys.readouterr().out
    assert "Say twice the number." in shown
    assert "detect" in shown


def test_a_file_may_hold_several_commands_or_none(folder, capsys):
    (folder / "words.py").write_text(GROUP)
    (folder / "helpers.py").write_text("ANSWER = 42\n")
    assert run(["words", "up", "yes"]) == 0
    assert capsys.readouterr().out == "YES\n"
    assert run(["words", "stop"]) == 130
    assert capsys.readouterr().err == "l1kpca: interrupted; no partial files were left.\n"
    assert run(["helpers"]) == 2
    run(["--help"])
    assert "helpers" not in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["detect", "--help"]])
def test_help_imports_little(arguments):
    program = (
        "import sys\n"
        "from l1kpca.cli.app import run\n"
        f"assert run({arguments}) == 0\n"
        "heavy = {'numpy', 'pandas', 'sklearn', 'pyarrow', 'matplotlib', 'l1kpca.report',"
        " 'l1kpca.tables', 'l1kpca.persistence', 'l1kpca.plots'}\n"
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))) or 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_python_m_is_the_program():
    done = subprocess.run(
        [sys.executable, "-m", "l1kpca", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("l1kpca 0.")
