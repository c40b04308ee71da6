"""A full disk, a folder that takes no file: one sentence, the old file, nothing left over."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from l1kpca.cli.app import run

PROGRAM = str(Path(sys.executable).with_name("l1kpca"))
ROOM = 8_000  # bytes that a file may have: the system then says what it says of a full disk


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A table and a model of it."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 4)), columns=list("abcd"))
    frame.to_csv(folder / "rows.csv", index=False)
    assert run(["detect", str(folder / "rows.csv"), "-q", "--save", str(folder / "m.skops")]) == 0
    return folder


COMMANDS = {
    "scores as CSV": (["detect", "rows.csv", "--out"], "o.csv"),
    "scores as Parquet": (["detect", "rows.csv", "--out"], "o.parquet"),
    "report": (["detect", "rows.csv", "--report"], "o.html"),
    "model": (["detect", "rows.csv", "--save"], "o.skops"),
    "scores of a model": (["score", "m.skops", "rows.csv", "--out"], "o.csv"),
    "components": (["reduce", "rows.csv", "--components", "2", "--out"], "o.csv"),
}
every_output = pytest.mark.parametrize(("command", "name"), COMMANDS.values(), ids=COMMANDS)


WITHOUT_ROOM = """
import contextlib, io, json, os, resource, sys, warnings
from l1kpca.cli.app import run

room, commands = int(sys.argv[1]), json.loads(sys.argv[2])
for command in commands:  # what is imported and compiled is kept on disk: not without room
    run([word.replace("/o.", "/warm.") for word in command])
found = []
for command in commands:
    ours, theirs = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python 3.12 warns of forks beside threads
        child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            status = run(command)
        os.write(theirs, json.dumps([status, said.getvalue()]).encode())
        os._exit(0)
    os.waitpid(child, 0)
    found.append(json.loads(os.read(ours, 10_000)))
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def without_room(data):
    """Status, words and folder of every command, in a process whose files must stay small."""
    targets, commands = {}, []
    for kind, (command, name) in COMMANDS.items():
        targets[kind] = data / kind / name
        targets[kind].parent.mkdir()
        targets[kind].write_text("old")
        commands.append([*command, str(targets[kind]), "--force", "-q"])
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_ROOM, str(ROOM), json.dumps(commands)],
        cwd=data, text=True, check=True, capture_output=True,
    )  # fmt: skip
    return dict(zip(COMMANDS, json.loads(done.stdout), strict=True)), targets


@pytest.mark.parametrize("kind", COMMANDS)
def test_without_room_the_old_file_stays(kind, without_room):
    found, targets = without_room
    target = targets[kind]
    assert found[kind] == [2, f"l1kpca: {target} was not written: File too large.\n"]
    assert target.read_text() == "old"
    assert {path.stem for path in target.parent.iterdir()} == {"o", "warm"}


@every_output
@pytest.mark.parametrize("place", ["rows.csv", "/proc", "nowhere"])
def test_places_that_take_no_file_are_refused_at_once(command, name, data, place, cli_in):
    target = Path(place) / name
    status, said = cli_in(data, *command, target, "-q")
    reasons = {
        "rows.csv": f"{target}: rows.csv is a file and not a folder; choose a folder.",
        "nowhere": f"{target}: the folder nowhere does not exist; create it first.",
    }
    if place in reasons:
        assert said == f"l1kpca: {reasons[place]}\n"
    else:  # an administrator may write to /proc, but the system takes no file there
        assert said in (
            f"l1kpca: {target} was not written: No such file or directory.\n",
            f"l1kpca: {target}: the folder /proc is not writable; choose another one.\n",
        )
    assert status == 2
    assert not target.exists()


@every_output
def test_nothing_is_overwritten_unasked(command, name, data, tmp_path, cli_in):
    target = tmp_path / name
    target.write_text("old")
    status, said = cli_in(data, *command, target, "-q")
    assert said == (
        f"l1kpca: {target} exists and is not overwritten; give another name, or allow it with"
        " --force (in Python: overwrite=True).\n"
    )
    assert status == 2
    assert target.read_text() == "old"
    status, said = cli_in(data, *command, target, "-q", "--force")
    assert (status, said) == (0, "")
    assert target.read_bytes() != b"old"
    assert [path.name for path in tmp_path.iterdir()] == [name]


@every_output
def test_an_input_is_never_an_output(command, name, data, tmp_path, cli_in):
    """Not even with --force, and by no other name."""
    for read, what in (("rows.csv", "the input"), ("m.skops", "the model")):
        if read not in command:
            continue
        copy = tmp_path / f"{read}-{name}"
        copy.write_bytes((data / read).read_bytes())
        (tmp_path / f"link-{read}-{name}").symlink_to(copy)
        given = [str(copy) if word == read else word for word in command]
        for target in (copy, tmp_path / f"link-{read}-{name}"):
            status, said = cli_in(data, *given, target, "-q", "--force")
            assert f"{target} is also {what}; give every file a name of its own" in said
            assert status == 2
        assert copy.read_bytes() == (data / read).read_bytes()


@pytest.fixture
def cli_in(capsys, monkeypatch):
    def call(folder, *arguments):
        monkeypatch.chdir(folder)
        status = run([str(argument) for argument in arguments])
        return status, capsys.readouterr().err

    return call


@pytest.mark.parametrize("arguments", [["--version"], ["detect", "rows.csv", "--json"]])
def test_output_that_finds_no_room_is_one_sentence(arguments, data):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [PROGRAM, *arguments], cwd=data, text=True, check=False,
            stdout=full, stderr=subprocess.PIPE,
        )  # fmt: skip
    assert done.stderr == (
        "l1kpca: the output could not be read or written: No space left on device.\n"
    )
    assert done.returncode == 2


@pytest.mark.parametrize("command", ["detect", "score", "reduce"])
def test_every_command_that_writes_a_table_has_the_option(cli, csv_file, frame, tmp_path, command):
    data, model, out = tmp_path / "d.csv", tmp_path / "m.skops", tmp_path / "out.csv"
    frame.assign(comment="=cmd()").rename(columns={"comment": "@note"}).to_csv(data, index=False)
    cli("detect", csv_file, "--ignore", "comment", "--save", model)
    options = {
        "detect": ["detect", data],
        "score": ["score", model, data],
        "reduce": ["reduce", data, "--components", "1"],
    }
    done = cli(*options[command], "--ignore", "@note", "--out", out, "--spreadsheet-safe")
    assert done.status == 0, done.stderr
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["'@note"] for row in rows} == {"'=cmd()"}
