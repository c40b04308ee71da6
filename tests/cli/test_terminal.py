"""What is seen on a terminal."""

import os
import pty
import sys

import numpy as np

from l1kpca.cli.app import run
from l1kpca.cli.terminal import Terminal


def test_a_note_is_told_once(capsys):
    terminal = Terminal()
    terminal.note(["one", "two"])
    terminal.note(["one"])
    terminal.note(["a, b"], "number")
    terminal.table("rows", [])
    assert capsys.readouterr().err == "note    one \nnote    two \nnumber  a, b\n"
    assert list(terminal.notes) == ["one", "two", "number: a, b"]


def test_progress_is_for_eyes_only(capsys):
    with Terminal().progress("scoring rows") as advance:
        advance(1, 2)
    assert capsys.readouterr() == ("", "")


def test_sentences_break_between_words(capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    Terminal().say("Forty letters are few for such a sentence: " + "/path" * 12)
    shown = capsys.readouterr().out.splitlines()
    assert shown == ["Forty letters are few for such a", "sentence:", "/path" * 12]


def test_a_bar_is_shown_on_a_terminal(tmp_path, monkeypatch):
    np.save(tmp_path / "a.npy", np.random.default_rng(0).normal(size=(200, 3)))
    leader, follower = pty.openpty()
    with os.fdopen(follower, "w") as screen:
        monkeypatch.setattr(sys, "stderr", screen)
        assert run(["reduce", str(tmp_path / "a.npy"), "--components", "3"]) == 0
        screen.flush()
        shown = os.read(leader, 100_000).decode(errors="replace")
    os.close(leader)
    assert "3/3 components" in shown
