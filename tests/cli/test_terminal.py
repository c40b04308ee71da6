"""What is seen on a terminal, and that a defect is never a traceback."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from l1kpca.cli.errors import DEFECT, INTERRUPTED, InputError, exit_status, library_errors_explained
from l1kpca.cli.terminal import Terminal


def fail(error):
    raise error


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (InputError("this is wrong."), 2, "l1kpca: this is wrong.\n"),
        (
            KeyboardInterrupt(),
            INTERRUPTED,
            "l1kpca: interrupted; nothing was written that is not complete.\n",
        ),
        (
            ZeroDivisionError("by\nzero"),
            DEFECT,
            (
                "l1kpca: unexpected ZeroDivisionError: by zero. This is a defect of l1kpca; set"
                " L1KPCA_TRACEBACK=1, run the command again, and report what it prints.\n"
            ),
        ),
    ],
)
def test_errors_are_one_sentence_and_a_status(capsys, error, status, message):
    assert exit_status(lambda: fail(error)) == status
    assert capsys.readouterr() == ("", message)


def test_a_traceback_is_shown_on_request_only(capsys, monkeypatch):
    monkeypatch.setenv("L1KPCA_TRACEBACK", "1")
    assert exit_status(lambda: fail(ZeroDivisionError("by zero"))) == DEFECT
    assert "Traceback (most recent call last)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ValueError("gamma is\n wrong"), "data.csv: gamma is wrong."),
        (
            MemoryError(),
            "data.csv: not enough memory; set a smaller --memory-limit, or use fewer rows.",
        ),
    ],
)
def test_what_the_library_says_is_passed_on(error, message):
    with pytest.raises(InputError) as caught, library_errors_explained("data.csv"):
        raise error
    assert str(caught.value) == message


def test_a_note_is_told_once(capsys):
    terminal = Terminal()
    terminal.note(["one", "two"])
    terminal.note(["one"])
    assert capsys.readouterr().err == "note: one\nnote: two\n"
    assert terminal.notes == ["one", "two"]


def test_progress_is_for_eyes_only(capsys):
    with Terminal().progress("scoring rows") as advance:
        advance(1, 2)
    assert capsys.readouterr() == ("", "")


def test_a_bar_is_shown_on_a_terminal(tmp_path):
    np.save(tmp_path / "a.npy", np.random.default_rng(0).normal(size=(200, 3)))
    executable = Path(sys.executable).with_name("l1kpca")
    leader, follower = pty.openpty()
    command = [executable, "reduce", tmp_path / "a.npy", "--components", "3"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=follower, check=False)
    os.close(follower)
    shown = os.read(leader, 100_000).decode()
    os.close(leader)
    assert done.returncode == 0, shown
    assert "3/3 components" in shown


def test_without_the_extra_the_missing_package_is_named(tmp_path):
    (tmp_path / "typer.py").write_text("raise ModuleNotFoundError('no typer', name='typer')")
    done = subprocess.run(
        [sys.executable, "-c", "from l1kpca.cli import main; main()"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 2
    assert done.stderr == (
        "l1kpca: the command line needs typer, which is not installed; install it with:"
        " pip install 'l1kpca[cli]'.\n"
    )


def test_a_report_without_its_extra_is_refused_before_the_work(tmp_path, program):
    (tmp_path / "jinja2.py").write_text("raise ModuleNotFoundError('no jinja2', name='jinja2')")
    done = program(
        "detect", tmp_path / "not read", "--report", tmp_path / "r.html",
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert done.status == 2
    assert done.stderr == (
        "l1kpca: --report: a report needs jinja2, which is not installed; install it with:"
        " pip install 'l1kpca[report]'.\n"
    )
