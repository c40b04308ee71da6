"""The program on real files, from the first command to the last; some in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest


def test_detect_save_score(program, cli, csv_file, frame, tmp_path):
    out, page, model = tmp_path / "s.csv", tmp_path / "r.html", tmp_path / "m.skops"
    done = program(
        "detect", csv_file, "--label", "bad", "--id", "case", "--top", 6,
        "--out", out, "--report", page, "--save", model,
    )  # fmt: skip
    assert done.status == 0, done.stderr
    assert "Average precision 1.000, ROC-AUC 1.000." in done.stdout
    assert "Precision among the top 5 rows, as many as there are outliers: 1.000." in done.stdout
    assert "length = " in done.stdout
    assert "left out, text  comment (nearly every row has its own)" in done.stderr
    scores = pd.read_csv(out, dtype={"case": str})
    pd.testing.assert_frame_equal(scores[frame.columns], frame, check_dtype=False)
    assert set(scores.nsmallest(5, "rank").index) == {3, 20, 50, 77, 90}
    assert scores["score"].rank(ascending=False, method="first").tolist() == scores["rank"].tolist()
    assert page.read_text().startswith("<!DOCTYPE html>")

    again = cli("score", model, csv_file, "--json", "--out", tmp_path / "again.parquet")
    assert again.status == 0, again.stderr
    found = json.loads(again.stdout)
    assert found["top"][0]["name"] in {"0003", "0020", "0050", "0077", "0090"}
    new = pd.read_parquet(tmp_path / "again.parquet")
    pd.testing.assert_series_equal(new["score"], scores["score"], check_exact=False, rtol=1e-9)
    pd.testing.assert_series_equal(new["flag"], scores["flag"], check_dtype=False)


def test_reduce(cli, csv_file, tmp_path):
    done = cli("reduce", csv_file, "--components", 2, "--out", tmp_path / "z.parquet")
    assert done.status == 0, done.stderr
    reduced = pd.read_parquet(tmp_path / "z.parquet")
    assert reduced.columns[-2:].tolist() == ["component1", "component2"]
    assert reduced[["component1", "component2"]].notna().all(axis=None)


def test_help_and_version(program):
    done = program("--help")
    assert done.status == 0
    for command in ("detect", "score", "reduce", "datasets"):
        assert command in done.stdout
    assert program("--version").stdout.startswith("l1kpca 0.")


def test_no_arguments_show_the_help(program):
    done = program()
    assert "Usage: l1kpca" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.csv", b"", "{path} is empty; give a file with a line for each row."),
        (
            "one.csv",
            b"a\nx\ny\nz\n",
            ("{path} has one column (line 1: 'a'); separate two by , ; tabs or |."),
        ),
        (
            "table.xlsx",
            b"PK",
            "{path} is not a readable Excel file, or it is damaged; write it again.",
        ),
    ],
)
def test_a_bad_file_is_one_sentence_and_status_2(cli, tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    done = cli("detect", path)
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr == f"l1kpca: {message.format(path=path)}\n"


def test_a_directory_and_a_missing_file(program, cli, tmp_path):
    done = cli("detect", tmp_path)
    said = f"l1kpca: {tmp_path} is a folder without files; give one with tables.\n"
    assert (done.status, done.stderr) == (2, said)
    done = program("detect", tmp_path / "none.csv")
    assert done.status == 2
    assert done.stderr == (
        f"l1kpca: {tmp_path / 'none.csv'} does not exist; give a file, or a data set by name (wbc,"
        " ionosphere, breastw, cardio, musk, mnist).\n"
    )


def test_other_columns_than_the_model(cli, csv_file, frame, tmp_path):
    model = tmp_path / "m.skops"
    assert cli("detect", csv_file, "--save", model, "--quiet").status == 0
    frame.drop(columns=["width"]).to_csv(tmp_path / "new.csv", index=False)
    done = cli("score", model, tmp_path / "new.csv")
    assert done.status == 2
    assert done.stderr == (
        f"l1kpca: {tmp_path / 'new.csv'} lacks the column 'width'; the model was fitted on 5"
        " columns: length, width, weight, color, bad.\n"
    )


def test_a_reader_that_goes_away_is_no_error(csv_file):
    executable = Path(sys.executable).with_name("l1kpca")
    command = f"'{executable}' detect '{csv_file}' --top 100 | head -c 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert len(done.stdout) == 1
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr
