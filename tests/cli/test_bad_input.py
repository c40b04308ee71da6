"""Bad input: status 2, nothing on stdout, and one sentence that says where and what to do."""

import os

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

from l1kpca import L1KernelPCA, persistence

GOOD = "a,b\n" + "".join(f"{i},{i * i % 7}\n" for i in range(12))

BAD_TEXT = {
    "only spaces": (" \n\t\n", "{path} is empty; give a file with a line for each row."),
    "a byte order mark alone": ("\ufeff", "{path} is empty; give a file with a line for each row."),
    "only a header": (
        "a,b\n",
        "{path} has a line of column names and no rows; give a file with rows.",
    ),
    "one row": ("a,b\n1,2\n", "{path} has 1 row; give at least 3."),
    "two rows": ("a,b\n1,2\n3,4\n", "{path} has 2 rows; give at least 3."),
    "too many cells": (
        "a,b\n1,2\n3,4,5\n6,7\n",
        (
            "{path}, line 3: 3 cells where line 1 has 2; correct the line (a cell that holds the"
            " separator must be in double quotes)."
        ),
    ),
    "too few cells, no header": (
        "1,2,3\n4,5,6\n7,8\n",
        (
            "{path}, line 3: 2 cells where the first line has 3; correct the line (a cell that"
            " holds the separator must be in double quotes)."
        ),
    ),
    "ragged after a quoted line break": (
        'a,b\n1,"x\ny"\n3\n4,5\n',
        (
            "{path}, line 4: 1 cells where line 1 has 2; correct the line (a cell that holds the"
            " separator must be in double quotes)."
        ),
    ),
    "repeated names": (
        "a,b,a\n1,2,3\n4,5,6\n7,8,9\n",
        "{path}, line 1: the column name 'a' is used 2 times; give every column its own name.",
    ),
    "a column without values": (
        "a,b,c\n1,2,\n3,4,\n5,6,NA\n",
        "{path}: column 'c' has no values at all; remove it, or pass --ignore c.",
    ),
    "text among numbers": (
        "a,my b\n1,2\n3,4\n5,n/k\n7,8\n",
        (
            "{path}, line 4: column 'my b' has the text 'n/k' where other rows have numbers;"
            ' correct the cell, leave it empty, or pass --ignore "my b".'
        ),
    ),
    "an infinite number": (
        "a,b\n1,2\n3,inf\n5,6\n",
        "{path}, line 3: column 'b' is infinite; correct the cell, or leave it empty.",
    ),
    "nothing but long text": (
        "a,b\n" + "".join(f"word{i},{i}\n" for i in range(12)),
        (
            "{path} has fewer than two columns of data that can be used (found: b); give at least"
            " two columns of numbers."
        ),
    ),
}


@pytest.mark.parametrize(("content", "message"), BAD_TEXT.values(), ids=BAD_TEXT)
@pytest.mark.parametrize("command", [["detect"], ["reduce", "--components", "2"]])
def test_bad_text_files(cli, tmp_path, content, message, command):
    path = tmp_path / "bad.csv"
    path.write_text(content, encoding="utf-8")
    done = cli(*command, path)
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1] == f"l1kpca: {message.format(path=path)}"


BAD_BYTES = {
    "zip.csv": (b"PK\x03\x04\x14\0\0\0", "is not a text file in UTF-8 (line 1 already has bytes"),
    "wide.csv": ("a,b\n1,2\n".encode("utf-16"), "is not a text file in UTF-8"),
    "late.csv": (
        GOOD.encode() * 40_000 + b"1,\xff\n",
        "line 520001: byte 0xFF is not UTF-8 text; save the file in UTF-8",
    ),
    "a.parquet": (b"PAR1 and then nothing", "is not a readable Parquet file, or it is damaged;"),
    "a.npy": (b"\x93NUMPY and then nothing", "is not a readable .npy file, or it is damaged;"),
    "a.npz": (b"PK\x03\x04 and then nothing", "is not a readable .npz file, or it is damaged;"),
    "a.mat": (b"MATLAB 5.0 MAT-file" + bytes(20), "is not a readable .mat file, or it is damaged"),
    "b.mat": (b"MATLAB 7.3 MAT-file" + bytes(20), "is a MATLAB 7.3 (HDF5) file, which cannot be"),
    "c.mat": (b"\x89HDF\r\n\x1a\n" + bytes(20), "save it from MATLAB with -v7."),
    "empty.npy": (b"", "is not a readable .npy file, or it is damaged; save it again."),
    "empty.parquet": (b"", "is not a readable Parquet file, or it is damaged; write it again."),
}


@pytest.mark.parametrize(("name", "content", "message"), [(n, *c) for n, c in BAD_BYTES.items()])
def test_damaged_files(cli, tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    done = cli("detect", tmp_path / name)
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.startswith(f"l1kpca: {tmp_path / name}")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


BAD_ARRAYS = {
    "a vector": ({"X": np.arange(5.0)}, "the array X of shape (5,) is not a matrix; give one with"),
    "a cube": ({"X": np.zeros((3, 3, 3))}, "the array X of shape (3, 3, 3) is not a matrix"),
    "complex": ({"X": np.eye(4) * 1j}, "holds complex128 values; it must hold real numbers."),
    "text": ({"X": np.array([["a", "b"]] * 4)}, "it must hold real numbers."),
    "no X": ({"A": np.eye(3), "B": np.eye(3)}, "has no array X (found: A, B); store the rows as X"),
    "labels too few": (
        {"X": np.eye(4), "y": np.arange(3)},
        "has 4 rows in X and 3 labels in y; give one label for each row.",
    ),
    "one column": ({"X": np.ones((5, 1))}, "has one column; give at least 2."),
    "nan": ({"X": np.full((5, 2), np.nan)}, "column 'x0' has no values at all; remove it, or pass"),
}


@pytest.mark.parametrize(("arrays", "message"), BAD_ARRAYS.values(), ids=BAD_ARRAYS)
@pytest.mark.parametrize("suffix", [".npz", ".mat"])
def test_bad_arrays(cli, tmp_path, arrays, message, suffix):
    path = tmp_path / f"bad{suffix}"
    np.savez(path, **arrays) if suffix == ".npz" else savemat(path, arrays)
    if (suffix, message) == (".mat", BAD_ARRAYS["a vector"][1]):
        message = "has 1 row; give at least 3."  # MATLAB knows only matrices
    done = cli("detect", path)
    assert (done.status, done.stdout) == (2, "")
    assert message in done.stderr


def test_pickled_arrays_are_not_loaded(cli, tmp_path):
    np.savez(tmp_path / "a.npz", X=np.array([[1, "a"], [None, 2]], dtype=object))
    done = cli("detect", tmp_path / "a.npz")
    assert done.status == 2
    assert "holds pickled objects, which are never loaded; save plain arrays" in done.stderr


def test_a_pipe_is_refused(cli, tmp_path):
    os.mkfifo(tmp_path / "a.csv")
    done = cli("detect", tmp_path / "a.csv")
    assert done.status == 2
    assert "is not a regular file; save its content to one first." in done.stderr


def test_a_name_that_the_system_refuses(cli):
    done = cli("detect", "a" * 5000 + ".csv")
    assert done.status == 2
    assert "cannot be read: File name too long." in done.stderr


def test_a_data_set_that_is_not_here(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("L1KPCA_DATA", raising=False)
    done = cli("detect", "musk")
    assert done.status == 2
    assert "l1kpca datasets fetch" in done.stderr


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good.csv"
    path.write_text(GOOD)
    return path


BAD_OPTIONS = {
    "label not there": (["--label", "truth"], "has no column 'truth' for --label; there are: a, b"),
    "label misspelled": (["--label", "B"], "has no column 'B' for --label; "),
    "id not there": (["--id", "key"], "has no column 'key' for --id; there are: a, b."),
    "ignore not there": (["--ignore", "key"], "has no column 'key' for --ignore; there are: a, b."),
    "label not binary": (
        ["--label", "b"],
        "line 4: the label column 'b' has '4'; it must hold 0 (inlier) and 1 (outlier) only.",
    ),
    "id is label": (
        ["--id", "a", "--label", "a"],
        "--id and --label both name the column 'a'; use",
    ),
    "all ignored but one": (["--ignore", "a"], "has fewer than two columns of data that can be"),
    "kernel": (["--kernel", "rfb"], "kernel='rfb' must be one of ["),
    "gamma": (["--gamma", "papre"], "gamma='papre' must be a number, None or one of ["),
    "negative gamma": (["--gamma", "-1"], "gamma=-1.0 must be at least 0"),
    "components": (
        ["--components", "1.5"],
        "--components 1.5 is not possible; give a whole number of at least 1, or a share of the",
    ),
    "no components": (["--components", "0"], "--components 0 is not possible; give a whole number"),
    "contamination": (
        ["--contamination", "0.7"],
        "--contamination 0.7 is not possible; give a share from 0 to 0.5, or auto.",
    ),
    "contamination word": (["--contamination", "some"], "--contamination some is not possible;"),
    "samples": (
        ["--max-samples", "few"],
        "--max-samples few is not possible; give a number of rows of at least 3, all, or auto.",
    ),
    "memory": (["--memory-limit", "plenty"], "memory_limit='plenty' must be a positive number of"),
    "jobs": (["--n-jobs", "0"], "n_jobs=0 must be None or an integer other than 0"),
    "top": (["--top", "-1"], "Invalid value for '--top'"),
    "seed": (["--seed", "x"], "Invalid value for '--seed'"),
    "rule": (["--rule", "best"], "Invalid value for '--rule'"),
    "missing": (["--missing", "zero"], "Invalid value for '--missing'"),
    "unknown": (["--nonsense"], "No such option: --nonsense"),
    "out suffix": (["--out", "s.xlsx"], "--out s.xlsx has a suffix that is not known; the kind of"),
    "out folder": (["--out", "no/where/s.csv"], "the folder no/where does not exist; create it"),
}


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS.values(), ids=BAD_OPTIONS)
def test_bad_options(cli, good, options, message):
    done = cli("detect", good, *options)
    assert (done.status, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.splitlines()[-1].startswith("l1kpca: ")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0] * 12, "the label column 'y' is 0 in every row, so that there is nothing to compare;"),
        ([1] * 12, "the label column 'y' is 1 in every row, so that there is nothing to compare;"),
        (
            [0, 1, None] * 4,
            "line 4: the label column 'y' has no value; it must hold 0 (inlier) and",
        ),
        (["yes", "no", "no"] * 4, "line 2: the label column 'y' has 'yes'; it must hold 0"),
        ([1, -1, 1] * 4, "line 3: the label column 'y' has '-1'; it must hold 0 (inlier) and 1"),
    ],
)
def test_bad_labels(cli, tmp_path, labels, message):
    frame = pd.DataFrame({"a": range(12), "b": range(12), "y": labels})
    frame.to_csv(tmp_path / "a.csv", index=False)
    done = cli("detect", tmp_path / "a.csv", "--label", "y")
    assert done.status == 2
    assert message in done.stderr


def test_files_are_checked_before_the_work(cli, good, tmp_path):
    for option, name in (("--out", "s.csv"), ("--report", "r.html"), ("--save", "m.skops")):
        (tmp_path / name).write_text("precious")
        done = cli("detect", good, option, tmp_path / name)
        assert done.status == 2
        assert f"{name} exists and is not overwritten; give another name, or allow" in done.stderr
        assert (tmp_path / name).read_text() == "precious"


def test_the_input_is_never_the_output(cli, good):
    done = cli("detect", good, "--out", good, "--force")
    assert done.status == 2
    assert "is also the input; give every file a name of its own." in done.stderr
    assert good.read_text() == GOOD


def test_two_outputs_have_two_names(cli, good, tmp_path):
    done = cli("detect", good, "--out", tmp_path / "s.csv", "--save", tmp_path / "s.csv")
    assert done.status == 2
    assert "is also the file of --out; give every file a name of its own." in done.stderr


def test_missing_values_are_refused_when_asked(cli, tmp_path):
    (tmp_path / "a.csv").write_text(GOOD.replace("\n3,2\n", "\n3,\n"))
    done = cli("detect", tmp_path / "a.csv", "--missing", "error")
    assert done.status == 2
    assert "line 5: column 'b' has no value, which --missing error refuses; fill it" in done.stderr


BAD_MODELS = {
    "not there": (None, "model.skops does not exist; give the file of a saved model."),
    "not a model": (b"hello", "is not a model file, or it is damaged; save the model again."),
    "empty": (b"", "is not a model file, or it is damaged; save the model again."),
}


@pytest.mark.parametrize(("content", "message"), BAD_MODELS.values(), ids=BAD_MODELS)
def test_bad_model_files(cli, good, tmp_path, content, message):
    if content is not None:
        (tmp_path / "model.skops").write_bytes(content)
    done = cli("score", tmp_path / "model.skops", good)
    assert (done.status, done.stdout) == (2, "")
    assert message in done.stderr


def test_a_model_of_another_kind(cli, good, tmp_path):
    persistence.save(L1KernelPCA(1).fit(np.eye(5)), tmp_path / "m.skops")
    done = cli("score", tmp_path / "m.skops", good)
    assert done.status == 2
    assert "holds a L1KernelPCA, not a detector; give a file that l1kpca detect" in done.stderr


def test_text_where_the_model_knows_numbers(cli, good, tmp_path):
    assert cli("detect", good, "--save", tmp_path / "m.skops").status == 0
    (tmp_path / "new.csv").write_text("a,b\n1,x\n2,y\n3,z\n")
    done = cli("score", tmp_path / "m.skops", tmp_path / "new.csv")
    assert done.status == 2
    assert "line 2: column 'b' has the text 'x', but the model knows it as a col" in done.stderr


def test_more_columns_without_names_than_the_model(cli, tmp_path):
    np.save(tmp_path / "a.npy", np.random.default_rng(0).normal(size=(20, 3)))
    np.save(tmp_path / "b.npy", np.random.default_rng(0).normal(size=(20, 4)))
    assert cli("detect", tmp_path / "a.npy", "--save", tmp_path / "m.skops").status == 0
    done = cli("score", tmp_path / "m.skops", tmp_path / "b.npy")
    assert done.status == 2
    assert "has 4 columns without names, but the model was fitted on 3; give the" in done.stderr
