"""Folders of long runs: files of others are kept, a journal of others is not taken for ours."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from l1kpca.cli.app import run

PROGRAM = str(Path(sys.executable).with_name("l1kpca"))


@pytest.fixture
def reproduce(capsys):
    def call(folder, *more):
        status = run(["reproduce", "toys", "--quick", "-q", "--out", str(folder), *more])
        return status, capsys.readouterr().err

    return call


@pytest.mark.parametrize("name", ["index.html", "results.csv", "results.parquet", "results.json"])
def test_files_that_are_not_of_a_run_are_kept(reproduce, tmp_path, name):
    (tmp_path / name).write_text("mine")
    status, said = reproduce(tmp_path)
    assert said.startswith(f"l1kpca: {tmp_path / name} exists and is not overwritten; give another")
    assert status == 2
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "mine"


def test_figures_that_are_not_of_a_run_are_kept(reproduce, tmp_path):
    figures = tmp_path / "figures"
    figures.mkdir()
    (figures / "mine.png").write_text("mine")
    status, said = reproduce(tmp_path)
    assert said == (
        f"l1kpca: {figures} is not empty, and not of an earlier run; give another folder to --out,"
        " or allow it with --force.\n"
    )
    assert status == 2


def test_force_replaces_and_a_run_is_gone_on_with_unasked(reproduce, tmp_path):
    (tmp_path / "index.html").write_text("mine")
    assert reproduce(tmp_path, "--force") == (0, "")
    assert "mine" not in (tmp_path / "index.html").read_text()[:10]
    assert reproduce(tmp_path) == (0, "")
    assert not list(tmp_path.rglob("*.part"))


def test_a_file_in_the_place_of_the_figures(reproduce, tmp_path):
    (tmp_path / "figures").write_text("mine")
    status, said = reproduce(tmp_path)
    assert said == (
        f"l1kpca: {tmp_path / 'figures'} is a file and not a folder; give another folder to"
        " --out.\n"
    )
    assert status == 2


@pytest.mark.parametrize("line", ["[]", "3", "null", '{"other": 1}', '"text"'])
def test_a_journal_of_something_else_is_refused(reproduce, tmp_path, line):
    (tmp_path / "journal.jsonl").write_text(f"{line}\n")
    status, said = reproduce(tmp_path)
    assert said == (
        f"l1kpca: reproduce: {tmp_path / 'journal.jsonl'} is not the journal of a run; give"
        " another folder.\n"
    )
    assert status == 2
    assert (tmp_path / "journal.jsonl").read_text() == f"{line}\n"


def test_a_folder_without_room_is_one_sentence(tmp_path):
    def little_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))

    done = subprocess.run(
        [PROGRAM, "reproduce", "toys", "--quick", "-q", "--out", str(tmp_path)],
        capture_output=True, text=True, check=False, preexec_fn=little_room,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "MPLCONFIGDIR": str(tmp_path / "mpl")},
    )  # fmt: skip
    # The journal is refused first, then the rows that are there are to be written as a table.
    said = done.stderr.splitlines()[-1]
    assert said == f"l1kpca: {tmp_path / 'results.parquet'} was not written: File too large."
    assert done.returncode == 2
    assert not list(tmp_path.rglob("*.part"))
