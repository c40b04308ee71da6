"""Bad input: status 2, nothing on stdout, and one sentence that says where and what to do."""

import os
import sys

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

from l1kpca import L1KernelPCA, persistence

GOOD = "a,b\n" + "".join(f"{i},{i * i % 7}\n" for i in range(12))

BAD_TEXT = {
    "only spaces": (" \n\t\n", "{path} is empty; give a file with a line for each row."),
    "a byte order mark alone": ("\ufeff", "{path} is empty; give a file with a line for each row."),
    "only a header": ("a,b\n", "{path} has 0 rows; give at least 3."),
    "one row": ("a,b\n1,2\n", "{path} has 1 row; give at least 3."),
    "two rows": ("a,b\n1,2\n3,4\n", "{path} has 2 rows; give at least 3."),
    "nothing but ids": (
        "a,b\n" + "".join(f"word{i},{i}\n" for i in range(12)),
        ("{path}: no column can be used: a (id), b (id); give numbers, categories or dates."),
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
    "zip.csv": (b"PK\x03\x04\x14\0\0\0", "is not a readable text file, or it is damaged;"),
    "a.parquet": (b"PAR1 and then nothing", "is not a readable Parquet file, or it is damaged;"),
    "a.npy": (b"\x93NUMPY and then nothing", "is not a readable .npy file, or it is damaged;"),
    "a.npz": (b"PK\x03\x04 and then nothing", "is not a readable .npz file, or it is damaged;"),
    "a.mat": (b"MATLAB 5.0 MAT-file" + bytes(20), "is not a readable .mat file, or it is damaged"),
    "b.mat": (b"MATLAB 7.3 MAT-file" + bytes(20), "is a MATLAB 7.3 (HDF5) file; save it with"),
    "c.mat": (b"\x89HDF\r\n\x1a\n" + bytes(20), "save it with -v7, or as .npz."),
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
        "has 4 rows in X and 3 labels in y; give one each.",
    ),
    "one column": ({"X": np.ones((5, 1))}, "no column can be used: x0 (constant)"),
    "nan": ({"X": np.full((5, 2), np.nan)}, "no column can be used: x0 (empty)"),
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
    # From Python 3.14 on, the system's refusal is no more than "does not exist".
    refused = "does not exist;" if sys.version_info >= (3, 14) else "cannot be read: File name too"
    assert refused in done.stderr


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
        "the label column 'b' has more than two values ('0', '1', '2', '4'); give exactly",
    ),
    "id is label": (
        ["--id", "a", "--label", "a"],
        "--id and --label both name the column 'a'; use",
    ),
    "all ignored": (["--ignore", "b"], "no column can be used: a (id); give numbers"),
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
    "scaling": (
        ["--scaling", "rows"],
        "--scaling rows is not possible; give columns, common or none.",
    ),
    "separator": (["--separator", "comma"], "--separator comma is not possible; give one mark,"),
    "memory": (["--memory-limit", "plenty"], "memory_limit='plenty' must be a positive number of"),
    "jobs": (["--n-jobs", "0"], "n_jobs=0 must be None or an integer other than 0"),
    "top": (["--top", "-1"], "--top"),
    "seed": (["--seed", "x"], "--seed"),
    "rule": (["--rule", "best"], "rule='best' must be one of ["),
    "unknown": (["--nonsense"], "--nonsense"),
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
        ([0] * 12, "the label column 'y' is '0' in every row; leave --label out."),
        ([1] * 12, "the label column 'y' is '1' in every row; leave --label out."),
        ([0, 1, None] * 4, "the label column 'y' has no value in row 3; fill it, or leave"),
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


BAD_MODELS = {
    "not there": (None, "; give the file of a saved model."),
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


def test_text_where_the_model_knows_numbers_is_flagged(cli_json, good, tmp_path):
    cli_json("detect", good, "--save", tmp_path / "m.skops")
    (tmp_path / "new.csv").write_text("a,b\n1,x\n2,3\n3,z\n")
    found = cli_json("score", tmp_path / "m.skops", tmp_path / "new.csv")
    assert found["n_rows"] == 3
    assert "'b': 2 cells are not a number: taken as far out (such as 'x')" in found["notes"]
    assert [row["row"] for row in found["top"] if row["flagged"]] == [1, 3]
    assert {row["reasons"][0].get("unread") for row in found["top"][:2]} == {"not a number"}


def test_more_columns_without_names_than_the_model(cli, tmp_path):
    np.save(tmp_path / "a.npy", np.random.default_rng(0).normal(size=(20, 3)))
    np.save(tmp_path / "b.npy", np.random.default_rng(0).normal(size=(20, 4)))
    assert cli("detect", tmp_path / "a.npy", "--save", tmp_path / "m.skops").status == 0
    done = cli("score", tmp_path / "m.skops", tmp_path / "b.npy")
    assert done.status == 2
    assert "has 4 columns without names, but the model was fitted on 3; give the" in done.stderr
