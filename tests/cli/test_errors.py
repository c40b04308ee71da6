"""What goes wrong is one sentence and a status, never a traceback."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from l1kpca.cli.app import run
from l1kpca.cli.terminal import (
    BAD_INPUT,
    DEFECT,
    INTERRUPTED,
    InputError,
    Terminal,
    status_of,
)
from l1kpca.files import OutputError
from l1kpca.tables.table import TableError

DEFECT_OF = (
    "This is a defect of l1kpca; set L1KPCA_TRACEBACK=1, run the command again, and report what it"
    " prints."
)
ERRORS = {
    "option": (InputError("this is wrong."), BAD_INPUT, "this is wrong."),
    "table": (TableError("this is wrong."), BAD_INPUT, "this is wrong."),
    "file": (OutputError("this is wrong."), BAD_INPUT, "this is wrong."),
    "terminal": (InputError("red \x1b[31m."), BAD_INPUT, "red \ufffd[31m."),
    "extra": (
        ModuleNotFoundError("no rich", name="rich"),
        BAD_INPUT,
        (
            "the command line needs rich, which is not installed; install it with: pip install"
            " 'l1kpca[cli]'."
        ),
    ),
    "memory": (
        MemoryError("malloc of size 280375465083008 failed"),
        BAD_INPUT,
        "not enough memory; use fewer rows, or write the file again if it is damaged.",
    ),
    "interrupt": (KeyboardInterrupt(), INTERRUPTED, "interrupted; no partial files were left."),
    "defect": (
        ZeroDivisionError("by\nzero"),
        DEFECT,
        f"unexpected ZeroDivisionError: by zero. {DEFECT_OF}",
    ),
}


@pytest.mark.parametrize(("error", "status", "message"), ERRORS.values(), ids=ERRORS)
def test_errors_are_one_sentence_and_a_status(capsys, error, status, message):
    assert status_of(error) == status
    assert capsys.readouterr() == ("", f"l1kpca: {message}\n")


def test_a_traceback_is_shown_on_request_only(capsys, monkeypatch):
    monkeypatch.setenv("L1KPCA_TRACEBACK", "1")
    assert status_of(ZeroDivisionError("by zero")) == DEFECT
    assert "ZeroDivisionError: by zero\n" in capsys.readouterr().err


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
    with pytest.raises(InputError) as caught, Terminal().work("data.csv"):
        raise error
    assert str(caught.value) == message


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


@pytest.mark.parametrize(
    ("option", "package", "message"),
    [
        ("--report", "jinja2", "--report: a report needs jinja2, {said} 'l1kpca[report]'."),
        ("--save", "skops", "the command line needs skops, {said} 'l1kpca[cli]'."),
    ],
)
def test_a_file_without_its_extra_is_refused_before_the_work(
    tmp_path, program, option, package, message
):
    said = "which is not installed; install it with: pip install"
    (tmp_path / f"{package}.py").write_text(f"raise ModuleNotFoundError('no', name='{package}')")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = program(
        "detect", tmp_path / "not read", option, tmp_path / "file",
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert (done.status, done.stderr) == (2, f"l1kpca: {message.format(said=said)}\n")


def test_a_damaged_file_that_asks_for_terabytes(capsys, tmp_path):
    """The length of its parts is told by single bytes."""
    path = tmp_path / "rows.feather"
    frame = pd.DataFrame({"a": np.arange(12.0) / 7, "b": np.arange(12.0) ** 2})
    frame.to_feather(path)
    good, said = path.read_bytes(), set()
    for at in range(len(good)):
        content = bytearray(good)
        content[at] = 255
        path.write_bytes(bytes(content))
        try:
            with pa.OSFile(str(path)) as file:
                pa.ipc.open_file(file).get_batch(0)
        except MemoryError:
            assert run(["detect", str(path)]) == BAD_INPUT
            said.add(capsys.readouterr().err)
        except (pa.ArrowException, OSError):
            continue
    assert said == {f"l1kpca: {ERRORS['memory'][2]}\n"}
