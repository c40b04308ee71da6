"""A file that somebody writes to while it is read: one sentence, and no result of half of it."""

import os
import re

import numpy as np
import pandas as pd
import pytest

from l1kpca.cli import detection
from l1kpca.tables.sources import read_table
from l1kpca.tables.table import TableError

SAID = "was changed while it was read; start again"


@pytest.fixture(params=["csv", "jsonl", "parquet", "npy"])
def path(request, tmp_path):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(4000, 3)), columns=list("abc"))
    path = tmp_path / f"rows.{request.param}"
    if request.param == "npy":
        np.save(path, frame.to_numpy())
    elif request.param == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        {"csv": frame.to_csv, "parquet": frame.to_parquet}[request.param](path, index=False)
    return path


def append(path):
    with path.open("ab") as file:
        file.write(b"1,2,3\n" * 50)


def cut(path):
    os.truncate(path, path.stat().st_size // 2)


def rewrite(path):
    """As many bytes, and others."""
    content, stat = path.read_bytes(), path.stat()
    path.write_bytes(content[::-1])
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1_000_000))


CHANGES = {"append": append, "cut": cut, "rewrite": rewrite, "delete": os.unlink}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_between_the_first_and_the_second_look(path, change):
    table = read_table(str(path), most=100)
    assert sum(map(len, table.batches())) == 4000
    change(path)
    with pytest.raises(TableError, match=re.escape(f"{path} {SAID}")):
        list(table.batches())


@pytest.mark.parametrize("change", [append, cut])
def test_in_the_middle_of_a_look(path, change):
    changed = []

    def progress(done, total):
        if not changed:
            changed.append(change(path))

    with pytest.raises(TableError, match=re.escape(f"{path} {SAID}")):
        read_table(str(path), most=100, progress=progress)
    assert changed


@pytest.mark.parametrize("command", ["detect", "reduce"])
def test_a_command_says_so_and_writes_nothing(path, command, tmp_path, monkeypatch, capsys):
    from l1kpca.cli.app import run

    monkeypatch.setattr(detection, "SAMPLE_ROWS", 100)
    learn = detection.learn

    def learn_and_change(*arguments):
        found = learn(*arguments)
        append(path)
        return found

    monkeypatch.setattr(detection, "learn", learn_and_change)
    out = tmp_path / "out.csv"
    options = ["--components", "1"] if command == "reduce" else []
    assert run([command, str(path), *options, "--out", str(out)]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", f"l1kpca: {path} {SAID}.\n")
    assert list(tmp_path.iterdir()) == [path]
